//! `costline.paths`: the files of the profile.

use super::definition::Command;
use crate::lsp::server::Server;
use answers::Paths;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListPaths;

impl Command for ListPaths {
    const NAME: &'static str = "costline.paths";
    const DESCRIPTION: &'static str = "List the files of the profile with the workspace file that each is mapped to, hottest first. Null \
        without a profile.";
    type Arguments = ();
    type Answer = Option<Paths>;

    async fn run(server: &Server, (): ()) -> Result<Option<Paths>> {
        server.read(answers::paths).await
    }
}
