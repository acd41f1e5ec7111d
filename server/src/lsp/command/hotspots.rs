//! `costline.hotspots`: the hottest functions, lines, files and more.

use super::arguments::Optional;
use super::definition::Command;
use crate::lsp::other_profile::OtherProfile;
use crate::lsp::server::Server;
use answers::{HotSpots, HotSpotsQuestion as Question, hot_spots};
use tower_lsp::jsonrpc::{Error, Result};

/// The command.
pub struct ListHotSpots;

impl Command for ListHotSpots {
    const NAME: &'static str = "costline.hotspots";
    const DESCRIPTION: &'static str = "List the hottest functions, lines, calls, files, modules, packages, libraries, threads, \
        cliques or fields of the profile, own code first, like `costline report`. Null without a \
        profile.";
    type Arguments = (Optional<Question>, Optional<OtherProfile>);
    type Answer = Option<HotSpots>;

    async fn run(
        server: &Server,
        (Optional(question), Optional(other)): Self::Arguments,
    ) -> Result<Option<HotSpots>> {
        let question = question.unwrap_or_default();
        let context = server.context_for(other).await?;
        let spots = server.read_from(context, move |context| hot_spots(context, question)).await?;
        spots.map_err(|problem| Error::invalid_params(format!("{}: {problem}", Self::NAME)))
    }
}
