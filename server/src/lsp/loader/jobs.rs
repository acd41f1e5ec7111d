//! The background work of the loader: what it needs, what it does and what it gives. Which of it is
//! done when is up to the state.

use super::look::{LookRequest, Looked};
use super::work_queue::WorkId;
use engine::baseline::Baseline;
use engine::discovery::{FileVersion, Recognised};
use engine::load::{
    Caches, Environment, Missing, Observe, RunFiles, index_sources, load, load_with_symbols, read,
    renew, renew_with_symbols, resolve,
};
use engine::runs::run_in_folder;
use engine::settings::CostSettings;
use engine::snapshot::Snapshot;
use engine::stages::loaded::{LoadError, Loaded};
use engine::world::World;
use sources::SourceIndex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Background work.
#[derive(Debug)]
pub enum Job {
    /// Look at the disk.
    Look(LookRequest),
    /// Make a snapshot.
    Load(LoadJob),
    /// Resolve the addresses of a snapshot.
    Resolve(ResolveJob),
    /// Read a baseline.
    Compare(CompareJob),
}

/// What background work gives. Each gives its last result exactly once, also if it was cancelled.
#[derive(Debug)]
pub enum JobResult {
    /// What a look found; `None` if it failed.
    Looked(WorkId, Option<Box<Looked>>),
    /// A snapshot, or why there is none.
    Loaded(WorkId, LoadResult),
    /// A snapshot with more names; others may follow.
    Resolved(WorkId, Box<Snapshot>),
    /// No more names will follow.
    ResolvedAll(WorkId),
    /// A baseline, or why there is none.
    Compared(WorkId, Result<Box<Baseline>, LoadError>),
}

/// What a load gives.
#[derive(Debug)]
pub struct LoadResult {
    /// How long it took.
    pub took: Duration,
    /// What is to be shown.
    pub outcome: Result<Box<ToShow>, LoadError>,
}

/// What a successful load gives.
#[derive(Debug)]
pub struct ToShow {
    /// The profile.
    pub snapshot: Snapshot,
    /// The source files that it was mapped to.
    pub index: Arc<SourceIndex>,
    /// Files of the run that could not be read.
    pub failed: Vec<LoadError>,
    /// The baseline under the same settings and roots, if it was under others.
    pub baseline: Option<Baseline>,
}

/// Makes a snapshot under the settings and roots of `world`.
#[derive(Debug)]
pub struct LoadJob {
    /// What it is made from.
    pub from: LoadFrom,
    /// What is shown when it starts.
    pub world: Arc<World>,
}

/// What a snapshot is made from.
#[derive(Debug)]
pub enum LoadFrom {
    /// The files of a run.
    Files {
        /// At least one.
        files: Vec<FileVersion>,
        /// What becomes of the run when one cannot be read.
        missing: Missing,
    },
    /// A snapshot under other settings or roots.
    Shown(Arc<Snapshot>),
}

impl LoadJob {
    /// The profile.
    pub fn path(&self) -> &Path {
        match &self.from {
            LoadFrom::Files { files, .. } => {
                files.first().map_or(Path::new(""), |file| file.path.as_path())
            }
            LoadFrom::Shown(shown) => &shown.loaded.path,
        }
    }

    /// Does it.
    pub fn run(self, caches: &Caches, observe: Observe<'_>) -> Result<ToShow, LoadError> {
        let Self { from, world } = self;
        let settings = &world.settings.costs();
        let index = match &from {
            // It may name source files that are new.
            LoadFrom::Files { .. } => Arc::new(index_sources(&world.roots, &settings.sources)),
            LoadFrom::Shown(_) => current_index(&world, settings),
        };
        let environment = Environment { settings, index: &index, caches };
        let (snapshot, failed) = match from {
            LoadFrom::Files { files, missing } => {
                let run = read(&files, world.settings.max_profile_bytes, missing, observe)?;
                (load(run.read, environment, observe)?, run.failed)
            }
            LoadFrom::Shown(shown) => (renew(&shown, environment), Vec::new()),
        };
        let baseline = world.baseline.as_ref().filter(|baseline| {
            let Snapshot { settings: under, source_mapped, .. } = &*baseline.snapshot;
            under != settings || source_mapped.roots != index.roots()
        });
        let baseline = baseline.map(|baseline| {
            Baseline::new(Arc::new(renew_with_symbols(&baseline.snapshot, environment)))
        });
        Ok(ToShow { snapshot, index, failed, baseline })
    }
}

/// The index of what is shown if it is of the same roots, else a new one.
fn current_index(world: &World, settings: &CostSettings) -> Arc<SourceIndex> {
    let roots = settings.sources.roots(&world.roots);
    let shown = world.index.clone().filter(|index| index.is_built_from(&roots));
    shown.unwrap_or_else(|| Arc::new(index_sources(&world.roots, &settings.sources)))
}

/// Resolves the addresses of a snapshot.
#[derive(Debug)]
pub struct ResolveJob {
    /// The snapshot.
    pub shown: Arc<Snapshot>,
    /// The source files that it was mapped to.
    pub index: Arc<SourceIndex>,
}

impl ResolveJob {
    /// Does it. `publish` gets snapshots with more and more names.
    pub fn run(self, caches: &Caches, observe: Observe<'_>, publish: &mut dyn FnMut(Snapshot)) {
        let Self { shown, index } = self;
        let environment = Environment { settings: &shown.settings, index: &index, caches };
        resolve(&shown, environment, observe, publish);
    }
}

/// Reads a profile to compare with, under the settings and roots of `world`.
#[derive(Debug)]
pub struct CompareJob {
    /// The profile.
    pub path: PathBuf,
    /// What is shown when it starts.
    pub world: Arc<World>,
}

impl CompareJob {
    /// Does it, with all names: nothing is shown before.
    pub fn run(self, caches: &Caches, observe: Observe<'_>) -> Result<Baseline, LoadError> {
        let Self { path, world } = self;
        let max_bytes = world.settings.max_profile_bytes;
        let run = run_in_folder(&path, &mut Recognised::default());
        let files = if run.is_empty() {
            RunFiles::from(Loaded::read(&path, max_bytes, observe)?)
        } else {
            let files: Vec<_> = run.into_iter().map(FileVersion::from).collect();
            read(&files, max_bytes, Missing::Refuse, observe)?
        };
        let settings = &world.settings.costs();
        let index = &current_index(&world, settings);
        let environment = Environment { settings, index, caches };
        let snapshot = load_with_symbols(files.read, environment, observe)?;
        Ok(Baseline::new(Arc::new(snapshot)))
    }
}
