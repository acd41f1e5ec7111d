//! `costline.callTree`: a part of the call tree.

use super::arguments::Optional;
use super::definition::Command;
use crate::lsp::other_profile::OtherProfile;
use crate::lsp::server::Server;
use answers::{CallTree, CallTreeQuestion as Question};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ShowCallTree;

impl Command for ShowCallTree {
    const NAME: &'static str = "costline.callTree";
    const DESCRIPTION: &'static str = "Return the descendants of a call node down to a depth: callees, or callers in the bottom-up tree. \
        Null without a profile.";
    type Arguments = (Optional<Question>, Optional<OtherProfile>);
    type Answer = Option<CallTree>;

    async fn run(
        server: &Server,
        (Optional(question), Optional(other)): Self::Arguments,
    ) -> Result<Option<CallTree>> {
        let question = question.unwrap_or_default();
        let context = server.context_for(other).await?;
        server.read_from(context, move |context| answers::call_tree(context, &question)).await
    }
}
