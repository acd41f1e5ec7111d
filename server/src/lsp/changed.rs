//! `costline/changed`: notifies the client when something else is shown.

use super::server::{Front, in_front};
use answers::profiles::shown;
use answers::{ShownProfile as Shown, Worlds};
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

/// Sends a notification after each change of what the root of the document in front shows. If
/// changes follow each other faster than the client reads, only the last one is sent.
pub async fn run(
    client: Client,
    mut worlds: watch::Receiver<Arc<Worlds>>,
    mut front: watch::Receiver<Option<Front>>,
) {
    let mut sent = in_front_now(&mut worlds, &mut front);
    loop {
        let changed = tokio::select! {
            changed = worlds.changed() => changed,
            changed = front.changed() => changed,
        };
        if changed.is_err() {
            return;
        }
        let now = in_front_now(&mut worlds, &mut front);
        if now != sent
            && let Ok(params) = serde_json::to_value(&now)
        {
            client.send_notification::<Changed>(params).await;
            sent = now;
        }
    }
}

fn in_front_now(
    worlds: &mut watch::Receiver<Arc<Worlds>>,
    front: &mut watch::Receiver<Option<Front>>,
) -> Shown {
    let worlds = worlds.borrow_and_update().clone();
    let shown = shown(in_front(&worlds, front.borrow_and_update().as_ref()));
    Shown { state: answers::state::of_all(&worlds), ..shown }
}
