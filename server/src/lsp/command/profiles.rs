//! `costline.profiles`: which profiles there are.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::query::profiles::{self, Profiles};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListProfiles;

impl Command for ListProfiles {
    const NAME: &'static str = "costline.profiles";
    const DOES: &'static str =
        "Lists the profiles that were found, newest first, and says which is shown.";
    type Arguments = ();
    type Answer = Profiles;

    async fn run(server: &Server, (): ()) -> Result<Profiles> {
        server.read(|context| profiles::profiles(&context.world)).await
    }
}
