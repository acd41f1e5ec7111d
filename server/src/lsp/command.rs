//! `workspace/executeCommand`: the questions of the engine (`answers::QUERIES`), and the commands that
//! are more than a question. Each of these has a file of its own.
//!
//! The arguments and the answer of a command are types, from which the JSON Schema, the types of
//! the plug-ins and the page of the book are generated (`protocol`).

mod arguments;
mod clear_baseline;
mod clear_transforms;
mod definition;
mod export;
mod flamegraph;
mod pop_transform;
mod profiles;
mod push_transform;
mod query;
mod reload;
mod select_profile;
mod set_baseline;
mod set_path_mapping;
mod set_view;
mod show_calls;
mod sources;
mod view;

use super::server::Server;
use answers::QUERIES;
use definition::Command as _;
pub use definition::Entry;
pub use query::id;
#[cfg(test)]
pub use query::schemas;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

/// The command of code lenses.
pub const SHOW_CALLERS: &str = show_calls::ShowCallers::NAME;

/// The commands of code actions.
pub const SHOW_CALLEES: &str = show_calls::ShowCallees::NAME;
pub const PUSH_TRANSFORM: &str = push_transform::PushTransform::NAME;
pub const POP_TRANSFORM: &str = pop_transform::PopTransform::NAME;
pub const SET_BASELINE: &str = set_baseline::SetBaseline::NAME;
pub const CLEAR_BASELINE: &str = clear_baseline::ClearBaseline::NAME;
pub const SET_VIEW: &str = set_view::SetView::NAME;
pub const SELECT_PROFILE: &str = select_profile::SelectProfile::NAME;

/// The command of code actions that add a path mapping.
pub const SET_PATH_MAPPING: &str = set_path_mapping::SetPathMapping::NAME;

/// The commands that are more than a question, in the order of the book.
pub const COMMANDS: [Entry; 16] = [
    Entry::of::<view::ShowView>(),
    Entry::of::<set_view::SetView>(),
    Entry::of::<profiles::ListProfiles>(),
    Entry::of::<select_profile::SelectProfile>(),
    Entry::of::<reload::Reload>(),
    Entry::of::<set_baseline::SetBaseline>(),
    Entry::of::<clear_baseline::ClearBaseline>(),
    Entry::of::<push_transform::PushTransform>(),
    Entry::of::<pop_transform::PopTransform>(),
    Entry::of::<clear_transforms::ClearTransforms>(),
    Entry::of::<show_calls::ShowCallers>(),
    Entry::of::<show_calls::ShowCallees>(),
    Entry::of::<flamegraph::DrawFlameGraph>(),
    Entry::of::<set_path_mapping::SetPathMapping>(),
    Entry::of::<sources::ListSources>(),
    Entry::of::<export::Export>(),
];

/// The ids of all commands: those above, and the questions of the engine.
pub fn names() -> Vec<String> {
    let own = COMMANDS.iter().map(|command| command.name.to_owned());
    own.chain(QUERIES.iter().map(id)).collect()
}

/// Runs a command.
pub async fn execute(server: &Server, name: &str, arguments: &[Value]) -> Result<Value> {
    if let Some(command) = COMMANDS.iter().find(|command| command.name == name) {
        return (command.run)(server, arguments).await;
    }
    if let Some(query) = QUERIES.iter().find(|query| id(query) == name) {
        return query::run(query, server, arguments).await;
    }
    let message = format!("unknown command `{name}`; expected one of {}", names().join(", "));
    Err(Error::invalid_params(message))
}
