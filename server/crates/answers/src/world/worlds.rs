//! The worlds of all workspace folders, and which of them a document shows.

use crate::world::World;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One world per workspace folder. If no folder is open, one world without a root.
#[derive(Debug, Clone, Default)]
pub struct Worlds {
    /// Incremented when the costs of any world are replaced.
    pub revision: u64,
    first: Arc<World>,
    /// In the order of the workspace folders.
    all: Vec<RootWorld>,
}

/// The world of a workspace folder.
#[derive(Debug, Clone)]
struct RootWorld {
    /// The canonical path of the folder.
    canonical: Option<PathBuf>,
    world: Arc<World>,
}

impl RootWorld {
    /// The number of components of the root, if `path` is in it.
    fn depth(&self, path: &Path) -> Option<usize> {
        let roots = [self.canonical.as_deref(), self.world.root.as_deref()].into_iter().flatten();
        roots.filter(|root| path.starts_with(root)).map(|root| root.components().count()).max()
    }
}

impl Worlds {
    /// These worlds, each with the canonical path of its root.
    pub fn new(revision: u64, worlds: Vec<(Option<PathBuf>, Arc<World>)>) -> Self {
        let all = worlds.into_iter().map(|(canonical, world)| RootWorld { canonical, world });
        let all: Vec<_> = all.collect();
        let first = all.first().map(|first| first.world.clone()).unwrap_or_default();
        Self { revision, first, all }
    }

    /// The world of the first workspace folder.
    pub fn first(&self) -> &Arc<World> {
        &self.first
    }

    /// All worlds, in the order of the workspace folders.
    pub fn all(&self) -> impl Iterator<Item = &Arc<World>> {
        self.all.iter().map(|one| &one.world)
    }

    /// The world of a workspace folder.
    pub fn of_root(&self, root: &Path) -> Option<&Arc<World>> {
        self.all().find(|world| world.root.as_deref() == Some(root))
    }

    /// What is shown for a file. `path` is canonical, if possible.
    ///
    /// It is the profile of the innermost root that contains the file and has one; or else, of the
    /// other roots, the newest profile that contains costs of the file, or else the newest.
    pub fn of_file(&self, path: &Path) -> &Arc<World> {
        let own = self.containing(path);
        let has_profile = |world: &&Arc<World>| world.snapshot().is_some();
        let mapped = self
            .all()
            .filter(|world| world.snapshot().is_some_and(|shown| shown.file_at(path).is_some()));
        let shown = own.iter().copied().find(has_profile).or_else(|| newest(mapped));
        shown.or_else(|| newest(self.all())).or(own.first().copied()).unwrap_or(&self.first)
    }

    /// The world with the newest profile.
    pub fn newest(&self) -> &Arc<World> {
        newest(self.all()).unwrap_or(&self.first)
    }

    /// Whether a profile is shown for a file, and the root of the file has none that is about to
    /// replace it.
    pub fn has_costs(&self, path: &Path) -> bool {
        let own = self.containing(path);
        let awaits =
            own.first().is_some_and(|own| own.snapshot().is_none() && !own.candidates.is_empty());
        !awaits && self.of_file(path).snapshot().is_some()
    }

    /// The worlds of the roots that contain a file, innermost first.
    fn containing(&self, path: &Path) -> Vec<&Arc<World>> {
        let mut own: Vec<_> =
            self.all.iter().filter_map(|one| Some((one.depth(path)?, &one.world))).collect();
        own.sort_by_key(|(depth, _)| Reverse(*depth));
        own.into_iter().map(|(_, world)| world).collect()
    }
}

/// The world with the newest profile; the first one if several are equally new.
fn newest<'w>(worlds: impl Iterator<Item = &'w Arc<World>>) -> Option<&'w Arc<World>> {
    let with_profile = worlds.filter_map(|world| Some((world.snapshot()?.loaded.stamp, world)));
    with_profile.min_by_key(|(stamp, _)| Reverse(stamp.modified)).map(|(_, world)| world)
}
