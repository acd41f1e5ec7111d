//! `costline.popTransform`: one transform less.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::overrides::Change;
use engine::query::view::View;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct PopTransform;

impl Command for PopTransform {
    const NAME: &'static str = "costline.popTransform";
    const DOES: &'static str =
        "Removes the last transform. Answers as `costline.view` does afterwards.";
    type Arguments = ();
    type Answer = View;

    async fn run(server: &Server, (): ()) -> Result<View> {
        server.choose(Change::Pop).await
    }
}
