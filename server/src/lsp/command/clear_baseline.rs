//! `costline.clearBaseline`: ends the comparison.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::overrides::Choices;
use engine::query::view::View;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ClearBaseline;

impl Command for ClearBaseline {
    const NAME: &'static str = "costline.clearBaseline";
    const DOES: &'static str = "Ends the comparison. Answers as `costline.view` does afterwards.";
    type Arguments = ();
    type Answer = View;

    async fn run(server: &Server, (): ()) -> Result<View> {
        server.compare(Choices::default(), None).await
    }
}
