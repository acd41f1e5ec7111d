//! `costline/changed`: tells a client that wants to know what is shown after each change of it.

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

/// Tells what differs from what was told before. Of changes that follow one another faster than the
/// client reads, the last is told.
pub async fn run(client: Client, mut world: watch::Receiver<Arc<World>>) {
    let mut told = shown(&world.borrow_and_update());
    while world.changed().await.is_ok() {
        let now = shown(&world.borrow_and_update());
        if now != told
            && let Ok(params) = serde_json::to_value(&now)
        {
            client.send_notification::<Changed>(params).await;
            told = now;
        }
    }
}
