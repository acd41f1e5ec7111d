//! `costline.reload`: reads the profile again.

use super::definition::Command;
use crate::lsp::loader::Event;
use crate::lsp::server::Server;
use engine::query::profiles::{self, Profiles};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct Reload;

impl Command for Reload {
    const NAME: &'static str = "costline.reload";
    const DOES: &'static str =
        "Reads the profile again. Answers as `costline.profiles` does afterwards.";
    type Arguments = ();
    type Answer = Profiles;

    async fn run(server: &Server, (): ()) -> Result<Profiles> {
        let world = server.change(Event::Reload).await?;
        Ok(profiles::profiles(&world))
    }
}
