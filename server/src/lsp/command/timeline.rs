//! `costline.timeline`: the weight of what is shown over time.

use super::arguments::Optional;
use super::definition::Command;
use crate::lsp::other_profile::OtherProfile;
use crate::lsp::server::Server;
use answers::{Timeline, TimelineQuestion as Question, timeline};
use tower_lsp::jsonrpc::{Error, Result};

/// The command.
pub struct ShowTimeline;

impl Command for ShowTimeline {
    const NAME: &'static str = "costline.timeline";
    const DESCRIPTION: &'static str = "Return the weight of the samples over time, from the first \
                                       sample to the last or over the chosen range, in buckets of \
                                       equal length. Null without a profile.";
    type Arguments = (Optional<Question>, Optional<OtherProfile>);
    type Answer = Option<Timeline>;

    async fn run(
        server: &Server,
        (Optional(question), Optional(other)): Self::Arguments,
    ) -> Result<Option<Timeline>> {
        let question = question.unwrap_or_default();
        let context = server.context_for(other).await?;
        let timeline =
            server.read_from(context, move |context| timeline(&context.world, &question)).await?;
        timeline.map_err(|problem| Error::invalid_params(format!("{}: {problem}", Self::NAME)))
    }
}
