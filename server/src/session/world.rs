//! What the server shows at one moment: immutable, replaced whole.

use crate::session::baseline::Baseline;
use crate::session::chosen::Chosen;
use crate::session::config::Config;
use crate::session::discovery::Candidate;
use crate::session::snapshot::Snapshot;
use sources::SourceIndex;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything a request can see. A request takes it once and keeps it.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Goes up by one when costs are replaced.
    pub revision: u64,
    /// The settings, with what was chosen instead of them.
    pub config: Arc<Config>,
    /// What was chosen by command.
    pub chosen: Chosen,
    /// The folders the editor has open.
    pub roots: Vec<PathBuf>,
    /// The profiles that were found, newest first.
    pub candidates: Vec<Candidate>,
    /// What is shown. A list, even while it holds at most one.
    pub active: Vec<Arc<Snapshot>>,
    /// What the user compares it with.
    pub baseline: Option<Arc<Baseline>>,
    /// The files of the roots, as of the last swap.
    pub index: Option<Arc<SourceIndex>>,
    /// The profile that the user picked.
    pub pick: Option<PathBuf>,
    /// Whether a load runs.
    pub loading: bool,
    /// Whether the file shown does not exist any more.
    pub deleted: bool,
    /// Profiles that could not be read, with the reason.
    pub problems: Vec<(PathBuf, String)>,
}

impl World {
    /// The profile shown.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.active.first()
    }

    /// A path as the user may give it: relative to the first folder.
    pub fn in_root(&self, path: impl AsRef<Path>) -> PathBuf {
        self.roots.first().map_or_else(|| path.as_ref().to_owned(), |root| root.join(path.as_ref()))
    }

    /// What `shown` can be compared with, if anything.
    pub fn baseline_of(&self, shown: &Snapshot) -> Option<&Arc<Baseline>> {
        self.baseline.as_ref().filter(|baseline| baseline.is_comparable(shown))
    }
}
