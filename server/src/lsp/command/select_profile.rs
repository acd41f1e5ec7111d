//! `costline.selectProfile`: shows another profile.

use super::arguments::{Optional, PathArgument};
use super::definition::Command;
use crate::lsp::loader::Event;
use crate::lsp::server::Server;
use answers::{Choices, Profiles, ViewChange as Change};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct SelectProfile;

impl Command for SelectProfile {
    const NAME: &'static str = "costline.selectProfile";
    const DESCRIPTION: &'static str = "Show a profile. `null` or no argument selects the one in the settings, or else the newest. Returns \
        the profiles, like `costline.profiles`.";
    type Arguments = (Optional<PathArgument>,);
    type Answer = Profiles;

    async fn run(
        server: &Server,
        (Optional(path),): (Optional<PathArgument>,),
    ) -> Result<Profiles> {
        let path = path.and_then(PathArgument::path);
        let change = Change::Set(Choices { profile: path.into(), ..Choices::default() });
        let world = server.change(|answer| Event::Choose(Box::new(change), answer)).await?;
        Ok(answers::profiles(&world))
    }
}
