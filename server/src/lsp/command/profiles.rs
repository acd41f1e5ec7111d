//! `costline.profiles`: the profiles that were found.

use super::arguments::Optional;
use super::definition::Command;
use crate::lsp::loader::Event;
use crate::lsp::server::Server;
use answers::Profiles;
use serde::Deserialize;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListProfiles;

/// What to list about the profiles.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ProfilesArgument {
    /// Read the profiles of up to 64 MiB that were not read yet, so that they have a total. The
    /// choices of `costline.view` then have it too. Default: false.
    totals: bool,
}

impl Command for ListProfiles {
    const NAME: &'static str = "costline.profiles";
    const DESCRIPTION: &'static str =
        "List the profiles that were found, newest first, and which of them is shown.";
    type Arguments = (Optional<ProfilesArgument>,);
    type Answer = Profiles;

    async fn run(server: &Server, (Optional(argument),): Self::Arguments) -> Result<Profiles> {
        if argument.unwrap_or_default().totals {
            server.change(Event::Sum).await?;
        }
        server.read(|context| answers::profiles(&context.world)).await
    }
}
