//! `costline.reload`: reads the profile again.

use super::definition::Command;
use crate::lsp::loader::Event;
use crate::lsp::server::Server;
use answers::Profiles;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct Reload;

impl Command for Reload {
    const NAME: &'static str = "costline.reload";
    const DESCRIPTION: &'static str =
        "Reload the profile. Returns the profiles, like `costline.profiles`.";
    type Arguments = ();
    type Answer = Profiles;

    async fn run(server: &Server, (): ()) -> Result<Profiles> {
        let world = server.change(Event::Reload).await?;
        Ok(answers::profiles(&world))
    }
}
