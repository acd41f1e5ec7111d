//! `costline.hotLine`: the way from hot line to hot line.

use super::arguments::Optional;
use super::definition::Command;
use crate::lsp::server::{Server, failure};
use answers::{HotLineQuestion as Question, HotLineStep as Step, hot_line};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct GoToHotLine;

impl Command for GoToHotLine {
    const NAME: &'static str = "costline.hotLine";
    const DESCRIPTION: &'static str = "Return the hot line after that of the cursor, or before it, in any file of the workspace. Hot \
        lines are those with at least the self cost of the setting `hints.minPercent`, hottest first, \
        your own code before other code, at most 200. From any other line it is the hottest; after \
        the last one comes the first.";
    type Arguments = (Optional<Question>,);
    type Answer = Step;

    async fn run(server: &Server, (Optional(question),): (Optional<Question>,)) -> Result<Step> {
        let question = question.unwrap_or_default();
        let step = match question.uri.clone() {
            Some(uri) => {
                server.read_document(&uri, move |context| hot_line(context, &question)).await?
            }
            None => server.read(move |context| hot_line(context, &question)).await?,
        };
        step.map_err(failure)
    }
}
