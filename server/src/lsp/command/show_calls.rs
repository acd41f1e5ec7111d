//! `costline.showCallers` and `costline.showCallees`: the callers or callees of an item.

use super::arguments::{Optional, Required};
use super::definition::Command;
use crate::lsp::server::Server;
use answers::call_groups::grouped;
use answers::step::show;
use answers::{CallStep as Step, Context, Direction, GivenItem, GroupBy};
use lsp_types::Url;
use serde::Deserialize;
use tower_lsp::jsonrpc::Result;

/// The command for callers.
pub struct ShowCallers;

/// The command for callees.
pub struct ShowCallees;

/// Options of `costline.showCallers` and `costline.showCallees`.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ShowOptions {
    /// Show the five hottest to the user in a message. The default is true.
    message: Option<bool>,
    /// Also group the callers or callees, in `groups`.
    #[serde(rename = "groupBy")]
    group_by: Option<GroupBy>,
}

type ShowArguments = (Required<GivenItem>, Optional<ShowOptions>);

impl Command for ShowCallers {
    const NAME: &'static str = "costline.showCallers";
    const DESCRIPTION: &'static str = "List the callers of a call hierarchy item. A message also shows the five hottest, unless `message` is \
        false. An item of another server or profile has no entries.";
    type Arguments = ShowArguments;
    type Answer = Step;

    async fn run(server: &Server, arguments: ShowArguments) -> Result<Step> {
        run(server, Direction::Incoming, arguments).await
    }
}

impl Command for ShowCallees {
    const NAME: &'static str = "costline.showCallees";
    const DESCRIPTION: &'static str =
        "List the callees of a call hierarchy item. Otherwise like `costline.showCallers`.";
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
    let uri = Url::parse(&item.uri).ok();
    let context = server.context_of_item(uri.as_ref(), item.path().as_ref());
    let ShowOptions { message, group_by } = options.unwrap_or_default();
    let show = move |context: &Context| {
        let groups = group_by.and_then(|by| grouped(context, direction, &item, by));
        Step { groups, ..show(context, direction, &item) }
    };
    let step = server.read_from(context, show).await?;
    if message.unwrap_or(true) {
        server.show_in_message(direction, &step);
    }
    Ok(step)
}
