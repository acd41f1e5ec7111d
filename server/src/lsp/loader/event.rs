//! What happens to the loader from outside: settings, folders, files and commands.

use super::comparison::Compare;
use engine::overrides::{Change, Choices};
use engine::stamp::Stamp;
use serde_json::Value;
use std::path::PathBuf;

/// Something that may change what is shown. `A` waits for the outcome of a command.
#[derive(Debug)]
pub enum Event<A> {
    /// New settings.
    Settings(Value),
    /// Folders were opened and closed.
    Roots {
        /// Opened.
        added: Vec<PathBuf>,
        /// Closed.
        removed: Vec<PathBuf>,
    },
    /// Files may have changed.
    Look,
    /// Files were closed by their writers.
    Closed(Vec<Stamp>),
    /// The user chooses what is shown and how. A profile that is picked exists.
    Choose(Change, A),
    /// Read again what is shown.
    Reload(A),
    /// Compare what is shown with something.
    Compare(Compare, A),
    /// Give up the load with this number.
    Cancel(u64),
}

/// The profile that a change picks; inside, `None` withdraws the pick.
pub fn picked(change: &Change) -> Option<&Option<PathBuf>> {
    match change {
        Change::Set(Choices { profile: Some(pick), .. }) => Some(pick),
        _ => None,
    }
}
