//! `source.costline.map`: adds a path mapping, for documents that may be a file of the profile.

use crate::lsp::command::SET_PATH_MAPPING;
use answers::text::one_line;
use answers::{Context, possible_mappings};
use lsp_types::{Command, Url};

/// The kind.
pub const KIND: &str = "source.costline.map";

/// An action for each path mapping that the document may need.
pub fn actions(context: &Context, uri: &Url) -> Vec<Command> {
    let mappings = possible_mappings(context, uri).into_iter();
    mappings
        .filter_map(|mapping| {
            let title = format!("Map {} to {}", mapping.from, mapping.to);
            Some(Command {
                title: one_line(&title).into_owned(),
                command: SET_PATH_MAPPING.to_owned(),
                arguments: Some(vec![serde_json::to_value(mapping).ok()?]),
            })
        })
        .collect()
}
