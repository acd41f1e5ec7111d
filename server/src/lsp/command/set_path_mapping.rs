//! `costline.setPathMapping`: adds a path mapping to the setting's mappings.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::{Server, failure};
use answers::path_rules::as_settings;
use answers::text::one_line;
use answers::{Choices, Given, Mapping, PathMapping, View, ViewChange as Change, World};
use lsp_types::MessageType;
use serde::Deserialize;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct SetPathMapping;

/// A path mapping.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SetPathMappingArgument"))]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// The prefix in the profile.
    from: String,
    /// The folder that replaces it, as in the setting `pathMappings`.
    to: String,
}

impl Command for SetPathMapping {
    const NAME: &'static str = "costline.setPathMapping";
    const DESCRIPTION: &'static str = "Add a path mapping to those in the setting `pathMappings`, \
                                       or replace the one with the same `from`. A message tells \
                                       the user how many of the profile's files are found with it, \
                                       and which entry to add to the setting to keep it. The \
                                       mapping is dropped when the user changes the setting. \
                                       Returns the new view, like `costline.view`.";
    type Arguments = (Required<Argument>,);
    type Answer = View;

    async fn run(
        server: &Server,
        (Required(Argument { from, to }),): (Required<Argument>,),
    ) -> Result<View> {
        if from.is_empty() {
            return Err(failure(format!("{}: `from` is empty", Self::NAME)));
        }
        let mapping = PathMapping { from, to };
        let world = server.context().world;
        let mut mappings = world.settings.path_mappings.clone();
        mappings.retain(|existing| existing.from != mapping.from);
        mappings.push(mapping.clone());
        let choices = Choices { path_mappings: Given::Set(mappings), ..Choices::default() };
        let view = server.choose(Change::Set(choices)).await?;
        let message = message(&mapping, &server.context().world);
        let client = server.client.clone();
        tokio::spawn(async move { client.show_message(MessageType::INFO, message).await });
        Ok(view)
    }
}

/// What the mapping changed, and the setting that keeps it.
fn message(mapping: &PathMapping, world: &World) -> String {
    let PathMapping { from, to } = mapping;
    let mapped = format!("{from} is mapped to {to}");
    let found = world.snapshot().map(|snapshot| {
        let is_found = |mapping: &Mapping| matches!(mapping, Mapping::Mapped { .. });
        let files: Vec<bool> =
            snapshot.mappings().map(|(_, _, mapping)| is_found(mapping)).collect();
        let n_found = files.iter().filter(|is_found| **is_found).count();
        format!(": {n_found} of {} files in the profile are found", files.len())
    });
    let setting = as_settings(std::slice::from_ref(mapping));
    let message = format!(
        "Costline: {mapped}{}. To keep this, add {setting} to the setting `costline.pathMappings`.",
        found.unwrap_or_default()
    );
    one_line(&message).into_owned()
}
