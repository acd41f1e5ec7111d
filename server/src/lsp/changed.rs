//! `costline/changed`: notifies the client when something else is shown.

use engine::query::profiles::shown;
use engine::world::World;
use lsp_types::notification::Notification;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::watch;
use tower_lsp::Client;

enum Changed {}

impl Notification for Changed {
    type Params = Value;
    const METHOD: &'static str = "costline/changed";
}

/// Sends a notification after each change of what is shown. If changes follow each other faster
/// than the client reads, only the last one is sent.
pub async fn run(client: Client, mut world: watch::Receiver<Arc<World>>) {
    let mut sent = shown(&world.borrow_and_update());
    while world.changed().await.is_ok() {
        let now = shown(&world.borrow_and_update());
        if now != sent
            && let Ok(params) = serde_json::to_value(&now)
        {
            client.send_notification::<Changed>(params).await;
            sent = now;
        }
    }
}
