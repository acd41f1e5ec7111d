//! The background work of the loader: its inputs, its steps and its results. The state decides what
//! to run, and when.
//!
//! A change of the view reads no folder. The source index belongs to the roots. It is rebuilt when a
//! profile is read, because the profile may contain new file names, when the roots change, and when a
//! document is opened that was created or moved since (`SourceIndex::is_new`). The walk and the search
//! for profiles then only check when each folder changed (`sources::FolderTime`), and list the folders
//! that did. On Windows, not every file system keeps this time, so all folders are listed there.

use super::open_job::{OpenJob, Opened};
use super::reading::{current_index, new_index, read_at, read_run};
use super::scan::{ScanRequest, Scanned};
use super::shared::{ReadRun, SharedProfiles};
use super::work_queue::WorkId;
use answers::{
    Baseline, Caches, Candidate, Commit, Environment, Extent, FileVersion, KeptBaseline, KeptRun,
    LoadError, Loaded, Missing, Observe, ProfileTotal, Recognised, RunFiles, Snapshot, SourceIndex,
    World, commit_named, complete, is_one_series, load_soon, load_with_symbols, no_overlay,
    read_run as read, renew, renew_with_symbols, resolve_symbols as resolve, run_in_folder,
};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Background work.
#[derive(Debug)]
pub enum Job {
    /// Scan the disk.
    Scan(ScanRequest),
    /// Compute a snapshot.
    Load(LoadJob),
    /// Resolve the addresses of a snapshot.
    Resolve(ResolveJob),
    /// Read a baseline.
    Compare(CompareJob),
    /// Open a profile without showing it.
    Open(Box<OpenJob>),
    /// Read profiles to know their totals.
    Sum(SumJob),
}

/// A result of background work. Each job has exactly one last result, even if it was canceled.
#[derive(Debug)]
pub enum JobResult {
    /// The result of a scan; `None` if it panicked.
    Scanned(WorkId, Option<Box<Scanned>>),
    /// The result of a load.
    Loaded(WorkId, LoadResult),
    /// A snapshot with more addresses resolved; others may follow.
    Resolved(WorkId, Box<Snapshot>),
    /// The end of resolving addresses.
    ResolvedAll(WorkId),
    /// The result of reading a baseline.
    Compared(WorkId, CompareResult),
    /// A profile that is not shown. The error is a message for users.
    Opened(WorkId, Result<Box<Opened>, String>),
    /// The totals of the profiles that could be read.
    Summed(WorkId, Vec<(PathBuf, ProfileTotal)>),
}

impl JobResult {
    /// The id of the job.
    pub fn id(&self) -> WorkId {
        match *self {
            Self::Scanned(id, _)
            | Self::Loaded(id, _)
            | Self::Resolved(id, _)
            | Self::ResolvedAll(id)
            | Self::Compared(id, _)
            | Self::Opened(id, _)
            | Self::Summed(id, _) => id,
        }
    }
}

/// The result of a load.
#[derive(Debug)]
pub struct LoadResult {
    /// How long it took.
    pub took: Duration,
    /// The snapshot, or the reason why there is none.
    pub outcome: Result<Box<ToShow>, LoadError>,
}

/// The result of a successful load.
#[derive(Debug)]
pub struct ToShow {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The source files that it was mapped to.
    pub index: Arc<SourceIndex>,
    /// Files of the run that could not be read.
    pub failed: Vec<LoadError>,
    /// The baseline, computed again with these settings and roots. `None` if it had the same.
    pub baseline: Option<Baseline>,
    /// The profile that is the overlay, if another profile was chosen. The error is a message for
    /// users.
    pub overlay: Option<Result<Arc<Baseline>, String>>,
    /// The total of the profile, if it was read.
    pub total: Option<ProfileTotal>,
}

/// Computes a snapshot with the settings and roots of `world`.
#[derive(Debug)]
pub struct LoadJob {
    /// The input.
    pub from: LoadFrom,
    /// The world when the job starts.
    pub world: Arc<World>,
}

/// The input of a load.
#[derive(Debug)]
pub enum LoadFrom {
    /// The files of a run.
    Files {
        /// The files, at least one.
        files: Vec<FileVersion>,
        /// How much of the files to read.
        extent: Extent,
        /// What to do if a file of the run cannot be read.
        missing: Missing,
    },
    /// A profile that was read before.
    Read(Arc<Loaded>),
    /// A snapshot that was computed with other settings or roots.
    Shown(Arc<Snapshot>),
    /// A snapshot that was computed when other source files existed.
    Remapped(Arc<Snapshot>),
}

impl LoadJob {
    /// The path of the profile.
    pub fn path(&self) -> &Path {
        match &self.from {
            LoadFrom::Files { files, .. } => {
                files.first().map_or(Path::new(""), |file| file.path.as_path())
            }
            LoadFrom::Read(loaded) => &loaded.path,
            LoadFrom::Shown(shown) | LoadFrom::Remapped(shown) => &shown.loaded.path,
        }
    }

    /// Runs the job.
    pub fn run(
        self,
        caches: &Caches,
        shared: &SharedProfiles,
        observe: Observe<'_>,
    ) -> Result<ToShow, LoadError> {
        let Self { from, world } = self;
        let settings = &world.settings.costs();
        let index = match &from {
            // A new profile may name new source files.
            LoadFrom::Files { .. } | LoadFrom::Read(_) | LoadFrom::Remapped(_) => {
                new_index(&world, settings)
            }
            LoadFrom::Shown(_) => current_index(&world, settings),
        };
        let environment = Environment { settings, index: &index, caches };
        let is_read = matches!(from, LoadFrom::Files { .. } | LoadFrom::Read(_));
        let (snapshot, failed) = match from {
            LoadFrom::Files { files, extent, missing } => {
                let max_bytes = world.settings.max_profile_bytes;
                let read = || {
                    let RunFiles { read, failed } =
                        read(&files, extent, max_bytes, missing, observe)?;
                    let loaded = Arc::new(complete(read, environment, observe)?);
                    Ok(ReadRun { loaded, failed })
                };
                let root = world.root.as_deref();
                let run = shared.get(&files, root, &world.settings, read)?;
                (load_soon(run.loaded, environment), run.failed)
            }
            LoadFrom::Read(loaded) => {
                let _reserved = loaded.reserve_memory()?;
                (load_soon(loaded, environment), Vec::new())
            }
            LoadFrom::Shown(shown) | LoadFrom::Remapped(shown) => {
                let _reserved = shown.loaded.reserve_memory()?;
                (renew(&shown, environment), Vec::new())
            }
        };
        let baseline = world.baseline.as_ref().filter(|baseline| {
            let Snapshot { settings: used, identified, .. } = &*baseline.snapshot;
            used != settings || identified.walk != index.walk()
        });
        let renewed = |snapshot: &Snapshot| renew_with_symbols(snapshot, environment);
        let baseline = baseline.map(|baseline| baseline.renewed(renewed));
        let overlay = overlay(&snapshot, &world, environment, observe);
        let total = is_read.then(|| ProfileTotal::of(&snapshot.loaded));
        Ok(ToShow { snapshot, index, failed, baseline, overlay, total })
    }
}

/// The profile that the setting `overlay` names. `None` if it is a metric of `shown`.
fn overlay(
    shown: &Snapshot,
    world: &World,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Option<Result<Arc<Baseline>, String>> {
    let name = environment.settings.view.overlay.as_ref().filter(|_| shown.overlay.is_none())?;
    let path = world.in_root(name);
    if !path.exists() {
        return Some(Err(no_overlay(name, shown)));
    }
    let run = run_in_folder(&path, &mut Recognised::default());
    let run: Vec<_> = run.into_iter().map(FileVersion::from).collect();
    let current = world.overlay.as_ref().map(|overlay| &overlay.snapshot);
    if let Some(current) = current.filter(|current| current.loaded.is_read_from(&run)) {
        let renewed = renew_with_symbols(current, environment);
        return Some(Ok(Arc::new(Baseline::new(Arc::new(renewed)))));
    }
    let max_bytes = world.settings.max_profile_bytes;
    let read = read_run(&path, &run, max_bytes, environment, observe);
    let overlay = read.map(|snapshot| Arc::new(Baseline::new(Arc::new(snapshot))));
    Some(overlay.map_err(|error| error.to_string()))
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
    /// Runs the job. `publish` receives snapshots with more and more addresses resolved.
    pub fn run(self, caches: &Caches, observe: Observe<'_>, publish: &mut dyn FnMut(Snapshot)) {
        let Self { shown, index } = self;
        let environment = Environment { settings: &shown.settings, index: &index, caches };
        resolve(&shown, environment, observe, publish);
    }
}

/// Reads profiles one by one, and keeps their totals only.
#[derive(Debug)]
pub struct SumJob {
    /// The files of each profile, at least one.
    pub runs: Vec<Vec<FileVersion>>,
    /// The largest size of a profile.
    pub max_bytes: u64,
}

impl SumJob {
    /// Runs the job. A profile that cannot be read has no total. Neither has one with copied stacks,
    /// because the samples with a stack are known only after unwinding.
    pub fn run(self, observe: Observe<'_>) -> Vec<(PathBuf, ProfileTotal)> {
        let mut totals = Vec::new();
        for run in &self.runs {
            if let Ok(RunFiles { read, .. }) =
                read(run, Extent::Whole, self.max_bytes, Missing::Refuse, observe)
                && read.iter().all(|(loaded, _)| loaded.raw_stacks.is_none())
            {
                totals.extend(total_of(read.iter().map(|(loaded, _)| loaded)));
            }
        }
        totals
    }
}

/// The total of the files of a run, by the path of the first.
pub fn total_of<'l>(
    files: impl IntoIterator<Item = &'l Loaded>,
) -> Option<(PathBuf, ProfileTotal)> {
    let mut files = files.into_iter();
    let first = files.next()?;
    let mut sum = ProfileTotal::of(first);
    for other in files.map(ProfileTotal::of) {
        sum.total += other.total;
        sum.n_files += other.n_files;
    }
    Some((first.path.clone(), sum))
}

/// The result of reading a baseline.
#[derive(Debug)]
pub struct CompareResult {
    /// The baseline. `None` if there is no run before the profile shown.
    pub outcome: Result<Option<Box<Baseline>>, CompareError>,
    /// Why the run shown is not kept to be compared with later ones. The message is for users.
    pub not_kept: Option<String>,
}

impl From<LoadError> for CompareResult {
    fn from(error: LoadError) -> Self {
        Self { outcome: Err(error.into()), not_kept: None }
    }
}

/// Why there is no baseline.
#[derive(Debug)]
pub enum CompareError {
    /// A file cannot be read.
    Load(LoadError),
    /// There is no such revision. The message is for users.
    NoRevision(String),
    /// No run is kept that was recorded at the revision. The message is for users.
    NoRun(String),
}

impl From<LoadError> for CompareError {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

/// Reads a baseline with the settings and roots of `world`.
#[derive(Debug)]
pub struct CompareJob {
    /// The path of the profile.
    pub path: PathBuf,
    /// Read these kept runs instead of `path`, to compare this profile with.
    pub kept: Option<(KeptBaseline, Arc<Snapshot>)>,
    /// The profiles in memory; one of them may be the baseline.
    pub in_memory: Vec<Arc<Loaded>>,
    /// The world when the job starts.
    pub world: Arc<World>,
}

impl CompareJob {
    /// Runs the job. All addresses are resolved before it returns.
    pub fn run(self, caches: &Caches, observe: Observe<'_>) -> CompareResult {
        let mut not_kept = None;
        let outcome = self.baseline(caches, observe, &mut not_kept);
        CompareResult { outcome: outcome.map(|baseline| baseline.map(Box::new)), not_kept }
    }

    fn baseline(
        self,
        caches: &Caches,
        observe: Observe<'_>,
        not_kept: &mut Option<String>,
    ) -> Result<Option<Baseline>, CompareError> {
        let Self { path, kept, in_memory, world } = self;
        let max_bytes = world.settings.max_profile_bytes;
        let settings = &world.settings.costs();
        let index = &current_index(&world, settings);
        let environment = Environment { settings, index, caches };
        if let Some((kept, shown)) = kept {
            let most = match kept {
                KeptBaseline::Previous { runs } => runs,
                KeptBaseline::Git { .. } => 1,
            };
            let mut runs = kept_runs(&kept, &shown, &world, caches, not_kept)?
                .into_iter()
                .map(EarlierRun::Kept)
                .collect::<Vec<_>>();
            if matches!(kept, KeptBaseline::Previous { .. }) {
                add_runs_on_disk(&mut runs, &shown, &world);
            }
            let (mut found, mut problem) = (Vec::new(), None);
            for run in &runs {
                if found.len() == most {
                    break;
                }
                let snapshot = match run {
                    EarlierRun::Kept(run) => run
                        .read(max_bytes, observe)
                        .and_then(|files| load_with_symbols(files, environment, observe)),
                    EarlierRun::OnDisk(Candidate { path, .. }) => {
                        read_at(path, &in_memory, max_bytes, environment, observe)
                    }
                };
                // A run that cannot be read any more is left out, and another profile that measures
                // something else.
                match snapshot.map(Arc::new) {
                    Err(error) => problem = problem.or(Some(error)),
                    Ok(other) if run.is_on_disk() && is_another(&other, &shown) => {}
                    Ok(earlier) => found.push(earlier),
                }
            }
            let mut found = found.into_iter();
            return match (found.next(), problem) {
                (Some(newest), _) => Ok(Some(Baseline::of_runs(newest, found.collect()))),
                (None, Some(error)) => Err(error.into()),
                (None, None) => Ok(None),
            };
        }
        let snapshot = read_at(&path, &in_memory, max_bytes, environment, observe)?;
        Ok(Some(Baseline::new(Arc::new(snapshot))))
    }
}

/// A run before the one shown.
enum EarlierRun {
    /// A copy of a profile that was overwritten since.
    Kept(KeptRun),
    /// A profile beside the one shown.
    OnDisk(Candidate),
}

impl EarlierRun {
    fn is_on_disk(&self) -> bool {
        matches!(self, Self::OnDisk(_))
    }

    /// When it was written, in milliseconds since 1970.
    fn written(&self) -> u64 {
        match self {
            Self::Kept(run) => run.written(),
            Self::OnDisk(candidate) => candidate.stamp.milliseconds(),
        }
    }
}

/// Whether a profile beside the one shown cannot be compared with it.
fn is_another(other: &Arc<Snapshot>, shown: &Snapshot) -> bool {
    Baseline::new(other.clone()).problem(shown).is_some()
}

/// Adds the older profiles that lie beside the one shown, of the same recorder and with the same name but
/// for numbers, unless a copy of them is among `runs`. The newest run comes first.
fn add_runs_on_disk(runs: &mut Vec<EarlierRun>, shown: &Snapshot, world: &World) {
    let loaded = &shown.loaded;
    let written = loaded.stamp.milliseconds();
    let kept: HashSet<u64> = runs.iter().map(EarlierRun::written).collect();
    let is_earlier = |candidate: &&Candidate| {
        let at = candidate.stamp.milliseconds();
        candidate.format == loaded.format
            && is_one_series(&candidate.path, &loaded.path)
            && at < written
            && !kept.contains(&at)
            && loaded.files.iter().all(|(file, _)| *file != candidate.path)
    };
    let on_disk = world.candidates.iter().filter(is_earlier).cloned();
    runs.extend(on_disk.map(EarlierRun::OnDisk));
    runs.sort_by_key(|run| std::cmp::Reverse(run.written()));
}

/// Keeps the run shown, and finds the kept runs to compare it with, newest first.
fn kept_runs(
    kept: &KeptBaseline,
    shown: &Snapshot,
    world: &World,
    caches: &Caches,
    not_kept: &mut Option<String>,
) -> Result<Vec<KeptRun>, CompareError> {
    let Some(runs) = &caches.runs else { return Ok(Vec::new()) };
    let (root, loaded) = (world.root.as_deref(), &shown.loaded);
    let folder = root.or(loaded.path.parent()).unwrap_or(Path::new(""));
    let commit = || Commit::at(folder, loaded.stamp.modified, shown.texts());
    let is_kept = runs.keep(root, loaded, commit);
    // Without a copy, the next run is compared with an earlier one.
    *not_kept = is_kept
        .err()
        .map(|error| format!("{} cannot be kept for later comparisons: {error}", loaded.name()));
    match kept {
        KeptBaseline::Previous { runs: n } => Ok(runs.before(root, loaded, *n)),
        KeptBaseline::Git { revision } => {
            let id = commit_named(folder, revision).map_err(CompareError::NoRevision)?;
            match runs.at_commit(root, loaded, &id) {
                Some(run) => Ok(vec![run]),
                None => Err(CompareError::NoRun(no_run_at(revision, &id, loaded))),
            }
        }
    }
}

fn no_run_at(revision: &str, id: &str, loaded: &Loaded) -> String {
    let commit: String = id.chars().take(10).collect();
    format!(
        "git:{revision}: there is no other saved run of {} from commit {commit} without \
         uncommitted changes; check it out and record one while Costline runs with this baseline",
        loaded.name()
    )
}
