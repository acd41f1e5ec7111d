//! Telling the client that what it shows is old: one question of each kind at a time, not too
//! often.

use engine::world::World;
use lsp_guard::ask;
use lsp_types::request::{CodeLensRefresh, InlayHintRefreshRequest};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tower_lsp::Client;

const APART: Duration = Duration::from_millis(300);
/// A client that does not answer is asked again at the next swap after this.
const DEADLINE: Duration = Duration::from_secs(10);

/// What the client redraws when asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Refreshes {
    /// `workspace/inlayHint/refresh`.
    pub hints: bool,
    /// `workspace/codeLens/refresh`.
    pub lenses: bool,
}

/// Asks for a redraw after each swap.
pub async fn run(client: Client, refreshes: Refreshes, mut world: watch::Receiver<Arc<World>>) {
    let mut told = world.borrow_and_update().revision;
    while world.changed().await.is_ok() {
        let revision = world.borrow_and_update().revision;
        if revision == told {
            continue;
        }
        told = revision;
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
        futures::future::join3(hints, lenses, tokio::time::sleep(APART)).await;
    }
}
