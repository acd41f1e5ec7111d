//! `costline.popTransform`: removes the last transform.

use super::definition::Command;
use crate::lsp::server::Server;
use answers::{View, ViewChange as Change};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct PopTransform;

impl Command for PopTransform {
    const NAME: &'static str = "costline.popTransform";
    const DESCRIPTION: &'static str =
        "Remove the last transform. Returns the new view, like `costline.view`.";
    type Arguments = ();
    type Answer = View;

    async fn run(server: &Server, (): ()) -> Result<View> {
        server.choose(Change::Pop).await
    }
}
