//! `costline.setBaseline`: sets the baseline.

use super::arguments::{Argument, PathArgument, read};
use super::definition::Command;
use crate::lsp::server::Server;
use answers::{BaselineChoice, Choices, View, ViewChange as Change};
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct SetBaseline;

/// The baseline. Unlike for other commands, `null` and no argument have different meanings.
pub struct BaselineArgument(Option<BaselineChoice>);

impl Argument for BaselineArgument {
    fn parse(given: Option<&Value>) -> std::result::Result<Self, String> {
        let Some(given) = given else { return Ok(Self(Some(BaselineChoice::Shown(true)))) };
        let path = read::<Option<PathArgument>>(given)?.and_then(PathArgument::path);
        Ok(Self(path.map(BaselineChoice::Path)))
    }

    #[cfg(test)]
    fn schema(generator: &mut schemars::SchemaGenerator) -> (schemars::Schema, bool) {
        (generator.subschema_for::<Option<PathArgument>>(), false)
    }
}

impl Command for SetBaseline {
    const NAME: &'static str = "costline.setBaseline";
    const DESCRIPTION: &'static str = "Set the baseline: the profile to compare costs with. Without an argument, it is the current profile in \
        its present state. `null` removes the baseline. Returns the new view, like `costline.view`.";
    type Arguments = (BaselineArgument,);
    type Answer = View;

    async fn run(
        server: &Server,
        (BaselineArgument(baseline),): (BaselineArgument,),
    ) -> Result<View> {
        let choices = Choices { baseline: baseline.into(), ..Choices::default() };
        server.choose(Change::Set(choices)).await
    }
}
