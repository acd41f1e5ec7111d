//! `costline.setView`: changes the view.

use super::arguments::Required;
use super::definition::Command;
use crate::lsp::server::{Server, failure};
use answers::named_views::resolved;
use answers::{Choices, View, ViewChange as Change, World, no_overlay};
use tower_lsp::jsonrpc::Result;

/// The command.
pub struct SetView;

impl Command for SetView {
    const NAME: &'static str = "costline.setView";
    const DESCRIPTION: &'static str = "Change the view. The keys are those that the `choices` of \
                                       `costline.view` list, and `pathMappings`. `null`, or the \
                                       key's name in `reset`, restores the setting, except that it \
                                       removes the baseline. A choice is kept when the profile is \
                                       rewritten, and dropped when the user changes the setting \
                                       with the same key. Returns the new view, like \
                                       `costline.view`.";
    type Arguments = (Required<Choices>,);
    type Answer = View;

    async fn run(server: &Server, (Required(choices),): (Required<Choices>,)) -> Result<View> {
        let world = server.context().world;
        let choices = choices.with_nulls().map_err(failure)?;
        let choices = resolved(choices, &world.settings).map_err(failure)?;
        if let Some(overlay) = choices.overlay.value() {
            check_overlay(&world, overlay).map_err(failure)?;
        }
        server.choose(Change::Set(choices)).await
    }
}

/// Fails if an overlay is neither a metric of the profile shown nor a file.
fn check_overlay(world: &World, overlay: &str) -> std::result::Result<(), String> {
    let Some(shown) = world.snapshot() else { return Ok(()) };
    let is_metric = answers::find_metric(&shown.loaded.recording, overlay).is_ok();
    let exists = || world.in_root(overlay).is_file();
    if overlay.is_empty() || is_metric || exists() {
        Ok(())
    } else {
        Err(no_overlay(overlay, shown))
    }
}
