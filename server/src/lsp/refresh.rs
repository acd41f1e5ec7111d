//! Asks the client to request hints and lenses again (`workspace/inlayHint/refresh`,
//! `workspace/codeLens/refresh`).

use answers::Worlds;
use lsp_guard::ask;
use lsp_types::request::{CodeLensRefresh, InlayHintRefreshRequest};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tower_lsp::Client;

/// The minimum time between two refreshes.
const INTERVAL: Duration = Duration::from_millis(300);
/// How long to wait for a reply before the next refresh may be sent.
const DEADLINE: Duration = Duration::from_secs(10);

/// The refresh requests that the client supports.
#[derive(Debug, Clone, Copy, Default)]
pub struct Refreshes {
    /// `workspace/inlayHint/refresh`.
    pub hints: bool,
    /// `workspace/codeLens/refresh`.
    pub lenses: bool,
}

/// Sends refresh requests after each change of the costs, one of each kind at a time.
pub async fn run(client: Client, refreshes: Refreshes, mut worlds: watch::Receiver<Arc<Worlds>>) {
    let mut refreshed = worlds.borrow_and_update().revision;
    while worlds.changed().await.is_ok() {
        let revision = worlds.borrow_and_update().revision;
        if revision == refreshed {
            continue;
        }
        refreshed = revision;
        let hints = async {
            if refreshes.hints {
                let _ = ask::<InlayHintRefreshRequest>(&client, (), DEADLINE).await;
            }
        };
        let lenses = async {
            if refreshes.lenses {
                let _ = ask::<CodeLensRefresh>(&client, (), DEADLINE).await;
            }
        };
        futures::future::join3(hints, lenses, tokio::time::sleep(INTERVAL)).await;
    }
}
