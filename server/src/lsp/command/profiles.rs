//! `costline.profiles`: the profiles that were found.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::query::profiles::{self, Profiles};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListProfiles;

impl Command for ListProfiles {
    const NAME: &'static str = "costline.profiles";
    const DESCRIPTION: &'static str =
        "List the profiles that were found, newest first, and which of them is shown.";
    type Arguments = ();
    type Answer = Profiles;

    async fn run(server: &Server, (): ()) -> Result<Profiles> {
        server.read(|context| profiles::profiles(&context.world)).await
    }
}
