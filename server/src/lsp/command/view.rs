//! `costline.view`: what is shown, what can be chosen instead, and what can be run.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::query::view::{self, View};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ShowView;

impl Command for ShowView {
    const NAME: &'static str = "costline.view";
    const DOES: &'static str = "What is shown, what can be chosen instead, and what can be run: enough to build menus from.";
    type Arguments = ();
    type Answer = View;

    async fn run(server: &Server, (): ()) -> Result<View> {
        server.read(|context| view::view(&context.world)).await
    }
}
