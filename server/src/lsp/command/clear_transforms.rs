//! `costline.clearTransforms`: removes all transforms.

use super::definition::Command;
use crate::lsp::server::Server;
use answers::{View, ViewChange as Change};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ClearTransforms;

impl Command for ClearTransforms {
    const NAME: &'static str = "costline.clearTransforms";
    const DESCRIPTION: &'static str =
        "Remove all transforms. Returns the new view, like `costline.view`.";
    type Arguments = ();
    type Answer = View;

    async fn run(server: &Server, (): ()) -> Result<View> {
        server.choose(Change::Clear).await
    }
}
