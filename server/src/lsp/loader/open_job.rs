//! Opens a profile without showing it: reads the file if necessary, and computes the view.

use super::reading::{current_index, read_at};
use crate::lsp::other_profile::OtherProfile;
use answers::named_views::resolved;
use answers::{
    Caches, Choices, Environment, Loaded, Observe, Overrides, Settings, Snapshot, SourceIndex,
    Stamp, ViewChange as Change, World, renew_with_symbols,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Opens a profile without showing it, in a view of its own.
#[derive(Debug)]
pub struct OpenJob {
    /// The profile, with an absolute path, and the view.
    pub other: OtherProfile,
    /// What was opened before.
    pub kept: Vec<Opened>,
    /// The profiles in memory; the wanted one may be among them.
    pub in_memory: Vec<Arc<Loaded>>,
    /// The settings of the client.
    pub settings: Settings,
    /// The world when the job starts.
    pub world: Arc<World>,
}

/// A profile that was opened without showing it.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The profile and the view.
    pub other: OtherProfile,
    /// The world in which it is shown.
    pub world: Arc<World>,
    base: Base,
}

/// What all views of other profiles are based on.
#[derive(Debug, Clone, PartialEq)]
struct Base {
    /// The settings of the client.
    settings: Settings,
    /// What is chosen for the workspace folder and is not about one profile.
    overrides: Overrides,
    /// The workspace folders.
    roots: Vec<PathBuf>,
}

impl OpenJob {
    /// Runs the job. All addresses are resolved before it returns. The error is a message for users.
    pub fn run(self, caches: &Caches, observe: Observe<'_>) -> Result<Box<Opened>, String> {
        let base = self.base();
        let current: Vec<_> = self.kept.iter().filter(|kept| kept.is_current(&base)).collect();
        if let Some(same) = current.iter().find(|kept| kept.other == self.other) {
            return Ok(Box::new(Opened::clone(same)));
        }
        let settings = base.overrides.applied_to(&base.settings);
        let (costs, max_bytes) = (settings.costs(), settings.max_profile_bytes);
        let index = current_index(&self.world, &costs);
        let environment = Environment { settings: &costs, index: &index, caches };
        let same_profile = current.iter().find(|kept| kept.other.path == self.other.path);
        let known = same_profile.and_then(|kept| kept.world.snapshot()).cloned();
        let snapshot = if let Some(snapshot) = known {
            snapshot
        } else {
            let (path, in_memory) = (&self.other.path, &self.in_memory);
            let read = read_at(path, in_memory, max_bytes, environment, observe);
            Arc::new(read.map_err(|error| error.to_string())?)
        };
        self.opened(snapshot, index, caches)
    }

    fn base(&self) -> Base {
        let Overrides { path_mappings, unit, .. } = self.world.overrides.clone();
        let overrides = Overrides { path_mappings, unit, ..Overrides::default() };
        Base { settings: self.settings.clone(), overrides, roots: self.world.roots.clone() }
    }

    /// The profile of `snapshot`, in the view that was asked for.
    pub fn opened(
        self,
        snapshot: Arc<Snapshot>,
        index: Arc<SourceIndex>,
        caches: &Caches,
    ) -> Result<Box<Opened>, String> {
        let view = self.other.view.clone().unwrap_or_default();
        let Choices { profile, profiles, baseline, .. } = &view;
        if !profile.is_unchanged() || !profiles.is_unchanged() || !baseline.is_unchanged() {
            return Err(
                "`profile`, `profiles` and `baseline` are not part of the view of another \
                        profile: leave them out"
                    .to_owned(),
            );
        }
        let base = self.base();
        let choices = resolved(view.with_nulls()?, &base.settings)?;
        let overrides = base.overrides.changed(Change::Set(choices), Some(&snapshot))?;
        let settings = overrides.applied_to(&base.settings);
        let costs = settings.costs();
        let environment = Environment { settings: &costs, index: &index, caches };
        let snapshot = if snapshot.settings == costs {
            snapshot
        } else {
            Arc::new(renew_with_symbols(&snapshot, environment))
        };
        let World { revision, root, roots, candidates, totals, .. } = World::clone(&self.world);
        let world = World {
            revision,
            settings: Arc::new(settings),
            overrides,
            root,
            roots,
            candidates,
            totals,
            shown: Some(snapshot),
            index: Some(index),
            ..World::default()
        };
        Ok(Box::new(Opened { other: self.other, world: Arc::new(world), base }))
    }
}

impl Opened {
    /// Whether it has the present content of its files, and the present settings and folders.
    fn is_current(&self, base: &Base) -> bool {
        let is_read =
            |(path, stamp): &(PathBuf, Stamp)| Stamp::of(path).is_ok_and(|now| now == *stamp);
        let shown = self.world.snapshot();
        self.base == *base && shown.is_some_and(|shown| shown.loaded.files.iter().all(is_read))
    }
}
