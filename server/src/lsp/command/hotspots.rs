//! `costline.hotspots`: the hottest functions or lines.

use super::arguments::Optional;
use super::definition::Command;
use crate::lsp::server::Server;
use engine::query::hot_spots::{HotSpots, Question, hot_spots};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ListHotSpots;

impl Command for ListHotSpots {
    const NAME: &'static str = "costline.hotspots";
    const DESCRIPTION: &'static str =
        "List the hottest functions or lines of the profile. Null without a profile.";
    type Arguments = (Optional<Question>,);
    type Answer = Option<HotSpots>;

    async fn run(
        server: &Server,
        (Optional(question),): (Optional<Question>,),
    ) -> Result<Option<HotSpots>> {
        server.read(move |context| hot_spots(context, question.unwrap_or_default())).await
    }
}
