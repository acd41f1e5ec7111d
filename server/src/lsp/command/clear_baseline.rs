//! `costline.clearBaseline`: removes the baseline.

use super::definition::Command;
use crate::lsp::server::Server;
use answers::{Choices, Given, View, ViewChange as Change};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ClearBaseline;

impl Command for ClearBaseline {
    const NAME: &'static str = "costline.clearBaseline";
    const DESCRIPTION: &'static str =
        "Remove the baseline. Returns the new view, like `costline.view`.";
    type Arguments = ();
    type Answer = View;

    async fn run(server: &Server, (): ()) -> Result<View> {
        let choices = Choices { baseline: Given::Reset, ..Choices::default() };
        server.choose(Change::Set(choices)).await
    }
}
