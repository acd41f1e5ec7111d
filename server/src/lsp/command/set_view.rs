//! `costline.setView`: chooses what is shown and how.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::Server;
use engine::overrides::{Change, Choices};
use engine::query::view::View;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct SetView;

impl Command for SetView {
    const NAME: &'static str = "costline.setView";
    const DOES: &'static str = "Chooses values by their keys, those of the `choices` of `costline.view`. `null` goes back to the \
        setting. A choice survives rewrites of the profile; a change of the setting of the same key replaces it. Answers as \
        `costline.view` does afterwards.";
    type Arguments = (Required<Choices>,);
    type Answer = View;

    async fn run(server: &Server, (Required(mut choices),): (Required<Choices>,)) -> Result<View> {
        match choices.baseline.take() {
            Some(baseline) => server.compare(choices, baseline).await,
            None => server.choose(Change::Set(choices)).await,
        }
    }
}
