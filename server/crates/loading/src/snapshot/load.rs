//! Loads profiles: reads the files of a run, merges them, and resolves their addresses. The
//! functions block, so the server calls them on threads of their own.
//!
//! A profile is shown before all its addresses are resolved. Reading debug info can take long. A load
//! searches libraries for at most a quarter of a second (`load::load_soon`), which is enough for most
//! programs: the client is then notified only once, with lines. Then the loader resolves one library
//! after another, hottest first, and replaces the snapshot at most twice a second
//! (`load::PUBLISH_INTERVAL`).

use crate::discovery::FileVersion;
use crate::discovery::runs::{run_indexes, thread};
use crate::kept_runs::KeptRuns;
use crate::load::libraries::{Libraries, Places, sidecar, unwound};
use crate::load::loaded::{LoadError, Loaded, Step};
use crate::load::merged::merged;
use crate::load::stages::recorded_texts::TextCaches;
use crate::settings::{CostSettings, SourceSettings};
use crate::snapshot::Snapshot;
use crate::store::copies::Copies;
use analysis::Thread;
use formats::ErrorKind;
use sources::{Limits, SourceIndex};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symbols::Cache;

/// The minimum time between two snapshots of [`resolve`].
pub const PUBLISH_INTERVAL: Duration = Duration::from_millis(500);

/// How long [`load_soon`] searches libraries. This is enough for most programs.
const SEARCH_FIRST: Duration = Duration::from_millis(250);
/// The most threads that search libraries for [`load_soon`]. A limit is needed because a thread
/// never ends if the disk does not respond.
const MAX_SEARCHING: usize = 2;

/// Caches that all loads share.
#[derive(Debug, Default)]
pub struct Caches {
    /// The symbols of libraries. The threads of [`load_soon`] have it, too.
    pub(crate) symbols: Arc<Cache>,
    /// The recorded texts of source files.
    pub texts: TextCaches,
    /// The runs that are kept to be compared with later ones. `None`: none are.
    pub runs: Option<KeptRuns>,
}

impl Caches {
    /// Empty caches. Recorded texts are kept in `copies`.
    pub fn new(copies: Option<Copies>) -> Self {
        Self { symbols: Arc::default(), texts: TextCaches::new(copies), runs: None }
    }

    /// The same caches. Runs are kept in `runs`.
    #[must_use]
    pub fn with_runs(self, runs: Option<KeptRuns>) -> Self {
        Self { runs, ..self }
    }
}

/// The files of a run, as read.
#[derive(Debug)]
pub struct RunFiles {
    /// The files that could be read, each with its thread. Not empty.
    pub read: Vec<(Loaded, Thread)>,
    /// The errors of the other files.
    pub failed: Vec<LoadError>,
}

impl From<Loaded> for RunFiles {
    fn from(loaded: Loaded) -> Self {
        Self { read: vec![(loaded, Thread::default())], failed: Vec::new() }
    }
}

/// What to do with a run if one of its files cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Fail.
    Refuse,
    /// Read the other files.
    Allow,
}

/// How much of files to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of them.
    Whole,
    /// What their profilers have appended so far ([`Loaded::read_growing`]).
    Growing,
}

/// Reads the files of a run, at most `max_bytes` in total.
pub fn read(
    files: &[FileVersion],
    extent: Extent,
    max_bytes: u64,
    missing: Missing,
    observe: Observe<'_>,
) -> Result<RunFiles, LoadError> {
    let (mut bytes_left, mut read, mut failed, mut unread) =
        (max_bytes, Vec::new(), Vec::new(), Vec::new());
    let candidates: Vec<_> = files.iter().map(|file| file.candidate.clone()).collect();
    for (file, run) in files.iter().zip(run_indexes(&candidates)) {
        let loaded = match (extent, file.format()) {
            (Extent::Growing, Some(format)) => {
                Loaded::read_growing(&file.path, format, bytes_left, observe)
            }
            _ => Loaded::read(&file.path, bytes_left, observe),
        };
        match loaded {
            Ok(loaded) => {
                bytes_left = bytes_left.saturating_sub(loaded.stamp.len);
                let named = file.candidate.as_ref().map(thread).unwrap_or_default();
                read.push((loaded, Thread { run, ..named }));
            }
            Err(error)
                if missing == Missing::Refuse || error.kind() == Some(ErrorKind::Cancelled) =>
            {
                return Err(error);
            }
            Err(error) => {
                failed.push(error);
                unread.push((file.path.clone(), file.stamp));
            }
        }
    }
    match read.first_mut() {
        // Files that could not be read stay part of the profile, so that they are read once they
        // are rewritten.
        Some((first, _)) => first.files.append(&mut unread),
        None => {
            return Err(failed.pop().unwrap_or_else(|| LoadError::Io {
                path: PathBuf::new(),
                source: io::ErrorKind::NotFound.into(),
            }));
        }
    }
    Ok(RunFiles { read, failed })
}

/// Called with each step of a load. It cancels the load if it returns `Break`.
pub type Observe<'a> = &'a mut dyn FnMut(Step) -> ControlFlow<()>;

/// The input of a load, apart from the files of the profile.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// The settings that costs depend on.
    pub settings: &'a CostSettings,
    /// The files in the roots.
    pub index: &'a SourceIndex,
    /// The caches of all loads.
    pub caches: &'a Caches,
}

/// Indexes the files of workspace folders and source roots.
pub fn index_sources(workspace: &[PathBuf], settings: &SourceSettings) -> SourceIndex {
    SourceIndex::build(settings.roots(workspace), Limits::default())
}

/// Takes the files of a run through all stages. Opens no library: addresses are resolved from the
/// cache only.
pub fn load(
    files: Vec<(Loaded, Thread)>,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Snapshot, LoadError> {
    Ok(load_read(Arc::new(complete(files, environment, observe)?), environment))
}

/// Like [`load`], for a profile that was read and unwound before.
pub fn load_read(loaded: Arc<Loaded>, environment: Environment<'_>) -> Snapshot {
    let Environment { settings, caches, .. } = environment;
    let libraries = Libraries::of(&loaded.recording, &settings.symbols, &caches.symbols);
    snapshot(loaded, environment, libraries)
}

/// Like [`load_read`], but also searches libraries for up to a quarter of a second, so that costs of a
/// rewritten profile appear at once in the lines where they were.
pub fn load_soon(loaded: Arc<Loaded>, environment: Environment<'_>) -> Snapshot {
    let Environment { settings, index, caches } = environment;
    let mut libraries = Libraries::of(&loaded.recording, &settings.symbols, &caches.symbols);
    let n_searching = Arc::strong_count(&caches.symbols) - 1;
    if !libraries.is_complete() && n_searching < MAX_SEARCHING {
        let places = Places::new(settings, index);
        libraries =
            libraries.resolve_within(SEARCH_FIRST, loaded.clone(), places, caches.symbols.clone());
    }
    snapshot(loaded, environment, libraries)
}

/// Like [`load`], but also searches all libraries, which can take long.
pub fn load_with_symbols(
    files: Vec<(Loaded, Thread)>,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Snapshot, LoadError> {
    let loaded = Arc::new(complete(files, environment, observe)?);
    Ok(load_read_with_symbols(loaded, environment))
}

/// Like [`load_read`], but also searches all libraries, which can take long.
pub fn load_read_with_symbols(loaded: Arc<Loaded>, environment: Environment<'_>) -> Snapshot {
    let Environment { settings, index, caches } = environment;
    let libraries = Libraries::of(&loaded.recording, &settings.symbols, &caches.symbols);
    let places = Places::new(settings, index);
    let libraries = libraries.resolve_all(&loaded, &places, &caches.symbols);
    snapshot(loaded, environment, libraries)
}

/// Takes a profile through all stages, and keeps copies of the texts of its sources.
fn snapshot(loaded: Arc<Loaded>, environment: Environment<'_>, libraries: Libraries) -> Snapshot {
    let Environment { settings, index, caches } = environment;
    let snapshot = Snapshot::new(loaded, settings, index, libraries, &caches.texts);
    if let Some(copies) = caches.texts.copies().filter(|_| settings.sources.keep) {
        let scripts = &snapshot.identified.source_maps.scripts;
        snapshot.texts().keep(snapshot.loaded.content, scripts, copies);
    }
    snapshot
}

/// Applies other settings or roots to a snapshot. If only the view changed, nothing is resolved or
/// mapped again.
pub fn renew(shown: &Snapshot, environment: Environment<'_>) -> Snapshot {
    let Environment { settings, index, .. } = environment;
    let is_mapped = shown.settings.sources == settings.sources
        && shown.identified.walk == index.walk()
        && shown.settings.symbols == settings.symbols;
    if is_mapped {
        return shown.with_view(&settings.view);
    }
    load_read(shown.loaded.clone(), environment)
}

/// Like [`renew`], but also searches all libraries, which can take long.
pub fn renew_with_symbols(shown: &Snapshot, environment: Environment<'_>) -> Snapshot {
    let Environment { settings, index, caches } = environment;
    let renewed = renew(shown, environment);
    if renewed.symbolicated.libraries.is_complete() {
        return renewed;
    }
    let places = Places::new(settings, index);
    let libraries = renewed.symbolicated.libraries.clone();
    let libraries = libraries.resolve_all(&renewed.loaded, &places, &caches.symbols);
    snapshot(renewed.loaded, environment, libraries)
}

/// Unwinds the copied stacks of the files and merges their recordings.
pub fn complete(
    files: Vec<(Loaded, Thread)>,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Loaded, LoadError> {
    let Environment { settings, index, caches } = environment;
    if observe(Step::Summing).is_break() {
        let path = files.first().map(|(file, _)| file.path.clone()).unwrap_or_default();
        return Err(LoadError::Read { path, source: formats::ReadError::cancelled() });
    }
    if files.iter().any(|(file, _)| file.raw_stacks.is_some()) {
        let _ = observe(Step::Unwinding);
    }
    let places = Places::new(settings, index);
    let files = files
        .into_iter()
        .map(|(file, thread)| (unwound(file, &settings.symbols, &places, &caches.symbols), thread));
    let mut loaded = merged(files.collect())?;
    if crate::load::coverage::add(&mut loaded, observe).is_break() {
        let source = formats::ReadError::cancelled();
        return Err(LoadError::Read { path: loaded.path, source });
    }
    Ok(loaded)
}

/// Searches the libraries of the profile shown, hottest first. Passes a new snapshot to `publish`
/// at most every [`PUBLISH_INTERVAL`], and when the last library is done.
pub fn resolve(
    shown: &Snapshot,
    environment: Environment<'_>,
    observe: Observe<'_>,
    publish: &mut dyn FnMut(Snapshot),
) {
    let Environment { settings, index, caches } = environment;
    let (loaded, mut libraries) = (&shown.loaded, shown.symbolicated.libraries.clone());
    let places = Places::new(settings, index);
    let sidecar = sidecar(&loaded.path);
    let mut published = Instant::now();
    while !libraries.is_complete() {
        let mut observe_libraries = |done, all| observe(Step::Resolving(done, all));
        if libraries
            .resolve_next(
                loaded,
                &places,
                sidecar.as_ref(),
                &caches.symbols,
                &mut observe_libraries,
            )
            .is_break()
        {
            return;
        }
        if libraries.is_complete() {
            std::thread::sleep(PUBLISH_INTERVAL.saturating_sub(published.elapsed()));
        } else if published.elapsed() < PUBLISH_INTERVAL {
            continue;
        }
        let (done, all) = libraries.progress();
        if observe(Step::Resolving(done, all)).is_break() {
            return;
        }
        publish(snapshot(loaded.clone(), environment, libraries.clone()));
        published = Instant::now();
    }
}

#[cfg(all(test, feature = "symbols"))]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn no_search_begins_while_others_have_not_ended() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../fixtures/profiles/samply/rust-wordstat/profile.json.gz");
        let loaded = Loaded::read(&path, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
        let (settings, caches) = (CostSettings::default(), Caches::default());
        let index = &SourceIndex::build(Vec::new(), Limits::default());
        let environment = Environment { settings: &settings, index, caches: &caches };
        // As threads that a disk does not answer.
        let waiting = vec![caches.symbols.clone(); MAX_SEARCHING];
        let snapshot = load_soon(Arc::new(loaded), environment);
        assert_eq!(snapshot.symbolicated.libraries.progress(), (0, 3));
        assert_eq!(Arc::strong_count(&caches.symbols), 1 + waiting.len(), "a search is running");
    }
}
