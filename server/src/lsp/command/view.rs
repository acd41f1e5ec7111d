//! `costline.view`: the current view, its choices and the actions for menus.

use super::arguments::Optional;
use super::definition::Command;
use crate::lsp::other_profile::OtherProfile;
use crate::lsp::server::Server;
use answers::View;
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct ShowView;

impl Command for ShowView {
    const NAME: &'static str = "costline.view";
    const DESCRIPTION: &'static str = "Return the current view, all choices and all actions: \
                                       everything that menus need. With another profile as the \
                                       argument, return the view that is requested for it.";
    type Arguments = (Optional<OtherProfile>,);
    type Answer = View;

    async fn run(server: &Server, (Optional(other),): Self::Arguments) -> Result<View> {
        server.view_of(server.context_for(other).await?).await
    }
}
