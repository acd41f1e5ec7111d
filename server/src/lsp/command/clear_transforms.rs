//! `costline.clearTransforms`: no transforms any more.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::overrides::Change;
use engine::query::view::View;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ClearTransforms;

impl Command for ClearTransforms {
    const NAME: &'static str = "costline.clearTransforms";
    const DOES: &'static str =
        "Removes all transforms. Answers as `costline.view` does afterwards.";
    type Arguments = ();
    type Answer = View;

    async fn run(server: &Server, (): ()) -> Result<View> {
        server.choose(Change::Clear).await
    }
}
