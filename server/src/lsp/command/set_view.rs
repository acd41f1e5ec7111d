//! `costline.setView`: changes the view.

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
    const DESCRIPTION: &'static str = "Change the view. The keys are those of `choices` in the answer of `costline.view`, and `pathMappings`; \
        `null` restores the setting. A choice stays when the profile is rewritten and ends when the user changes the setting with the same key. Returns \
        the new view, like `costline.view`.";
    type Arguments = (Required<Choices>,);
    type Answer = View;

    async fn run(server: &Server, (Required(mut choices),): (Required<Choices>,)) -> Result<View> {
        match choices.baseline.take() {
            Some(baseline) => server.compare(choices, baseline).await,
            None => server.choose(Change::Set(choices)).await,
        }
    }
}
