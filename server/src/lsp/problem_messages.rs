//! Shows problems as messages, each once, for clients that do not show the health of a view
//! themselves.

use super::to_proto;
use answers::{HealthEntry, Severity, Worlds, health};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tower_lsp::Client;

/// How long to wait after a change. Many problems of a profile that was just read disappear when
/// its addresses are resolved.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows the errors and warnings of all workspace folders.
pub async fn run(client: Client, mut worlds: watch::Receiver<Arc<Worlds>>) {
    let mut shown: HashSet<String> = HashSet::new();
    while worlds.changed().await.is_ok() {
        tokio::time::sleep(PATIENCE).await;
        let now = worlds.borrow_and_update().clone();
        if now.all().any(|world| world.loading) {
            continue;
        }
        for HealthEntry { severity, message, .. } in now.all().flat_map(|world| health(world)) {
            if severity != Severity::Info && shown.insert(message.clone()) {
                let kind = to_proto::message_type(severity);
                client.show_message(kind, format!("Costline: {message}")).await;
            }
        }
    }
}
