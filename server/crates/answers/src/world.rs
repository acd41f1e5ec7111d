//! What requests see of one root. It is immutable and replaced as a whole.

pub(crate) mod context;
pub(crate) mod worlds;

use crate::compare::baseline::Baseline;
use crate::compare::overlay::{Overlay, view_problem};
use crate::view::options::Overrides;
use loading::paths::expanded;
use loading::{Candidate, ProfileTotal, Settings, Snapshot, Stamp};
use sources::SourceIndex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything that requests see of one root. A request uses the same world from start to end.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// Incremented when costs are replaced.
    pub revision: u64,
    /// The settings, with the overrides applied.
    pub settings: Arc<Settings>,
    /// The values that the user chose by command.
    pub overrides: Overrides,
    /// The workspace folder whose profiles are shown; all of `roots` if `None`.
    pub root: Option<PathBuf>,
    /// The workspace folders, in which sources may be opened.
    pub roots: Vec<PathBuf>,
    /// The profiles that discovery found, newest first.
    pub candidates: Vec<Candidate>,
    /// The totals of the profiles that were read, each by the path of its first file.
    pub totals: Arc<BTreeMap<PathBuf, ProfileTotal>>,
    /// The profile shown, if any.
    pub shown: Option<Arc<Snapshot>>,
    /// The baseline, if the user chose one.
    pub baseline: Option<Arc<Baseline>>,
    /// Why the baseline in the settings cannot be read.
    pub baseline_problem: Option<String>,
    /// The other profile that was chosen as the overlay.
    pub overlay: Option<Arc<Baseline>>,
    /// Why there is no overlay.
    pub overlay_problem: Option<String>,
    /// The index of the files in the roots, as of the last load.
    pub index: Option<Arc<SourceIndex>>,
    /// The profiles that the user selected by command. Several are shown as one.
    pub pick: Vec<PathBuf>,
    /// Whether a load is running.
    pub loading: bool,
    /// Whether the file of the profile shown has been deleted.
    pub deleted: bool,
    /// Whether the profile shown was read before its writer had finished, because the user asked for
    /// it.
    pub incomplete: bool,
    /// The file of the setting `profile`, or one of several that the user selected, if it does not
    /// exist.
    pub missing: Option<PathBuf>,
    /// A message for each setting that names nothing that exists.
    pub absent: Vec<String>,
    /// A message for each key of the client's settings that is ignored.
    pub ignored: Vec<String>,
    /// Why changes of files are noticed late: the system does not report them.
    pub unwatched: Option<Arc<str>>,
    /// Profiles that could not be read, each with the message.
    pub problems: Vec<(PathBuf, String)>,
}

impl World {
    /// The files that the user selected by command, or else that of the setting `profile`. Empty if
    /// the newest profile is wanted.
    pub fn wanted_paths(&self) -> Vec<PathBuf> {
        if !self.pick.is_empty() {
            return self.pick.clone();
        }
        self.settings.profile.iter().map(|path| self.in_root(path)).collect()
    }

    /// The profile shown, if any.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.shown.as_ref()
    }

    /// The total of a version of a profile, if it was read. `path` and `stamp` are those of the first of
    /// its `n_files` files, which may also have been read alone.
    pub fn total_of(&self, path: &Path, stamp: Stamp, n_files: usize) -> Option<&ProfileTotal> {
        self.totals.get(path).filter(|total| total.stamp == stamp && total.n_files == n_files)
    }

    /// The workspace folder whose profiles are shown; the first one if that may be any.
    pub fn own_root(&self) -> Option<&PathBuf> {
        self.root.as_ref().or_else(|| self.roots.first())
    }

    /// Resolves a path given by the user, which may be relative to the workspace folder, and begin with
    /// the variables of the settings.
    pub fn in_root(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        let home = std::env::home_dir();
        let expanded = path.to_str().map(|path| expanded(path, &self.roots, home.as_deref()));
        let path = expanded.map_or_else(|| path.to_owned(), PathBuf::from);
        self.own_root().map_or_else(|| path.clone(), |root| root.join(&path))
    }

    /// The baseline, if there is one and costs of `shown` can be compared with it.
    pub fn baseline_of(&self, shown: &Snapshot) -> Option<&Arc<Baseline>> {
        self.baseline.as_ref().filter(|baseline| baseline.is_comparable(shown))
    }

    /// The overlay of `shown`.
    pub fn overlay_of<'w>(&'w self, shown: &'w Snapshot) -> Option<Overlay<'w>> {
        Overlay::of(shown, self.overlay_profile().map(Arc::as_ref))
    }

    /// The other profile that is the overlay, if everything that the view chooses is in it.
    pub fn overlay_profile(&self) -> Option<&Arc<Baseline>> {
        self.overlay.as_ref().filter(|overlay| view_problem(&overlay.snapshot).is_none())
    }
}
