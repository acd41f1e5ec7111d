//! The events that the loader handles: settings, folders, files and commands.

use super::baselines::WantedBaseline;
use super::writers::Writes;
use crate::lsp::other_profile::OtherProfile;
use answers::{Choices, Given, ViewChange as Change};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// An event that may change what is shown. `A` receives the outcome of a command.
#[derive(Debug)]
pub enum Event<A> {
    /// New settings.
    Settings(Value),
    /// Workspace folders were added or removed.
    Roots {
        /// The folders that were added.
        added: Vec<PathBuf>,
        /// The folders that were removed.
        removed: Vec<PathBuf>,
    },
    /// A document of this project was opened. The project is the root if no folder is open.
    Project(PathBuf),
    /// Files may have changed.
    FilesChanged,
    /// A source was opened that did not exist when the sources were listed.
    SourceAdded,
    /// Files changed, and what the system reported about those who write them.
    Written(Writes),
    /// Why the system does not report changes of files; `None` if it does.
    Unwatched(Option<Arc<str>>),
    /// The user changes the view, sets the baseline or picks a profile, which exists.
    Choose(Box<Change>, A),
    /// Read the shown profile again.
    Reload(A),
    /// Set or remove the baseline. The overrides contain the choice already.
    Compare(WantedBaseline, A),
    /// Open a profile without showing it. The outcome is a world in which it is shown.
    Open(Box<OtherProfile>, A),
    /// Read the profiles that were found, to know their totals.
    Sum(A),
    /// Cancel the load with this number.
    Cancel(u64),
}

/// The profiles that a change picks; an empty list if the change removes the pick. `None` if it does
/// not concern the pick.
pub fn picked(change: &Change) -> Option<Vec<PathBuf>> {
    let Change::Set(Choices { profile, profiles, .. }) = change else { return None };
    match (profiles, profile) {
        (Given::Unchanged, Given::Unchanged) => None,
        (Given::Unchanged, profile) => Some(profile.value().cloned().into_iter().collect()),
        (profiles, _) => Some(profiles.value().cloned().unwrap_or_default()),
    }
}
