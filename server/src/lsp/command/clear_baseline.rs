//! `costline.clearBaseline`: removes the baseline.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::config::choices::Choices;
use engine::config::given::Given;
use engine::config::overrides::Change;
use engine::query::view::View;
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
