//! `costline.paths`: the files of the profile.

use super::definition::Command;
use crate::lsp::server::Server;
use engine::query::paths::{self, Paths};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListPaths;

impl Command for ListPaths {
    const NAME: &'static str = "costline.paths";
    const DOES: &'static str = "Lists every file that the profile names, and which workspace file it is, costliest first. Null \
        without a profile.";
    type Arguments = ();
    type Answer = Option<Paths>;

    async fn run(server: &Server, (): ()) -> Result<Option<Paths>> {
        server.read(paths::paths).await
    }
}
