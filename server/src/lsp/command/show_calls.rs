//! `costline.showCallers` and `costline.showCallees`: one step along the calls of a function.

use super::arguments::{Optional, Required};
use super::definition::Command;
use crate::lsp::server::Server;
use engine::items::{Direction, GivenItem};
use engine::query::step::{Step, show};
use serde::Deserialize;
use tower_lsp::jsonrpc::Result;

/// The command that follows calls outward.
pub struct ShowCallers;

/// The command that follows calls inward.
pub struct ShowCallees;

/// What `costline.showCallers` and `costline.showCallees` do beside answering.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ShowOptions {
    /// Whether the hottest are shown to the user too, with a message; they are unless it is false.
    message: Option<bool>,
}

type ShowArguments = (Required<GivenItem>, Optional<ShowOptions>);

impl Command for ShowCallers {
    const NAME: &'static str = "costline.showCallers";
    const DOES: &'static str = "One step from an item of the call hierarchy to its callers. The five hottest are also shown to the \
        user with a message, unless that is declined. An item of another server or profile has no entries.";
    type Arguments = ShowArguments;
    type Answer = Step;

    async fn run(server: &Server, arguments: ShowArguments) -> Result<Step> {
        run(server, Direction::Incoming, arguments).await
    }
}

impl Command for ShowCallees {
    const NAME: &'static str = "costline.showCallees";
    const DOES: &'static str = "The same from an item to its callees.";
    type Arguments = ShowArguments;
    type Answer = Step;

    async fn run(server: &Server, arguments: ShowArguments) -> Result<Step> {
        run(server, Direction::Outgoing, arguments).await
    }
}

async fn run(
    server: &Server,
    direction: Direction,
    (Required(item), Optional(options)): ShowArguments,
) -> Result<Step> {
    let step = server.read(move |context| show(context, direction, &item)).await?;
    if options.unwrap_or_default().message.unwrap_or(true) {
        server.show_to_person(direction, &step);
    }
    Ok(step)
}
