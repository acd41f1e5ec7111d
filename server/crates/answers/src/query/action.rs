//! Commands that clients offer to the user, with their arguments.

use crate::view::options::Choices;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A command to offer in menus.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Action {
    /// The command.
    pub command: ActionCommand,
    /// The title in menus.
    pub title: String,
    /// The arguments, without `null`.
    #[serde(serialize_with = "without_nulls")]
    pub arguments: Vec<Choices>,
}

fn without_nulls<S: Serializer>(arguments: &[Choices], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(arguments.iter().map(Choices::without_nulls))
}

/// The command of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ActionCommand {
    /// Reads the profile again.
    #[serde(rename = "costline.reload")]
    Reload,
    /// Draws a flame graph.
    #[serde(rename = "costline.flamegraph")]
    Flamegraph,
    /// Changes choices.
    #[serde(rename = "costline.setView")]
    SetView,
    /// Removes the last transform.
    #[serde(rename = "costline.popTransform")]
    PopTransform,
    /// Removes all transforms.
    #[serde(rename = "costline.clearTransforms")]
    ClearTransforms,
}
