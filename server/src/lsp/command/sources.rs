//! `costline.sources`: the named sources of profiles.

use super::definition::Command;
use crate::lsp::server::Server;
use answers::{Sources, sources};
use std::path::PathBuf;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListSources;

impl Command for ListSources {
    const NAME: &'static str = "costline.sources";
    const DESCRIPTION: &'static str = "List the profile sources that the workspace folder names \
                                       (`.costline/sources.toml`), each with the command that \
                                       fetches its profile. Nothing is run.";
    type Arguments = ();
    type Answer = Sources;

    async fn run(server: &Server, (): ()) -> Result<Sources> {
        let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("costline"));
        server.read(move |context| sources(&context.world, &program)).await
    }
}
