//! The work behind the loader, done on threads that may block: seeing what was read, and looking
//! its addresses up bit by bit.

use crate::definitions::ParsedFiles;
use crate::discovery::Written;
use crate::libraries::{Libraries, Places, sidecar, unwound};
use crate::runs::{merged, thread};
use crate::settings::{CostSettings, SourceSettings};
use crate::snapshot::Snapshot;
use crate::stages::loaded::{LoadError, Loaded, Step};
use analysis::Thread;
use formats::ErrorKind;
use sources::{Limits, SourceIndex};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symbols::Cache;

/// Swaps that only resolve more addresses are at least this far apart.
pub const SWAPS: Duration = Duration::from_millis(500);

/// What was learnt beside profiles, for all of them.
#[derive(Debug, Default)]
pub struct Known {
    /// Of libraries.
    symbols: Cache,
    /// The functions of files.
    files: ParsedFiles,
}

/// The files of a run as they were read.
#[derive(Debug)]
pub struct RunFiles {
    /// Those that could be read, each with its thread; at least one.
    pub read: Vec<(Loaded, Thread)>,
    /// Why the others could not.
    pub failed: Vec<LoadError>,
}

impl From<Loaded> for RunFiles {
    fn from(loaded: Loaded) -> Self {
        Self { read: vec![(loaded, Thread::default())], failed: Vec::new() }
    }
}

/// What becomes of a run when a file of it cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It cannot be read either.
    Refuse,
    /// The other files are read.
    Allow,
}

/// Reads the files of a run.
pub fn read(
    files: &[Written],
    max_bytes: u64,
    missing: Missing,
    observe: Observe<'_>,
) -> Result<RunFiles, LoadError> {
    let (mut left, mut read, mut failed, mut unread) =
        (max_bytes, Vec::new(), Vec::new(), Vec::new());
    for file in files {
        match Loaded::read(&file.path, left, observe) {
            Ok(loaded) => {
                left = left.saturating_sub(loaded.stamp.len);
                read.push((loaded, file.candidate.as_ref().map(thread).unwrap_or_default()));
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
        // They are looked at again when they are rewritten.
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

/// Who hears what is being done, and stops it by `Break`.
pub type Observe<'a> = &'a mut dyn FnMut(Step) -> ControlFlow<()>;

/// What a load needs beside the files of the profile.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// The settings that costs depend on.
    pub settings: &'a CostSettings,
    /// The files of the workspace.
    pub index: &'a SourceIndex,
    /// What other loads learned.
    pub known: &'a Known,
}

/// Indexes the files of workspace folders and source roots.
pub fn index_sources(workspace: &[PathBuf], settings: &SourceSettings) -> SourceIndex {
    SourceIndex::build(settings.roots(workspace), Limits::default())
}

/// Takes the files of a run through all stages, with the names that are known without opening any
/// library.
pub fn load(
    files: Vec<(Loaded, Thread)>,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Snapshot, LoadError> {
    let Environment { settings, index, known } = environment;
    let loaded = Arc::new(complete(files, environment, observe)?);
    let libraries = Libraries::of(&loaded.recording, &settings.symbols, &known.symbols);
    Ok(Snapshot::new(loaded, settings, index, libraries, &known.files))
}

/// The same with all names, which may take a while.
pub fn load_with_symbols(
    files: Vec<(Loaded, Thread)>,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Snapshot, LoadError> {
    let Environment { settings, index, known } = environment;
    let loaded = Arc::new(complete(files, environment, observe)?);
    let libraries = Libraries::of(&loaded.recording, &settings.symbols, &known.symbols);
    let places = Places::new(settings, index);
    let libraries = libraries.resolve_all(&loaded, &places, &known.symbols);
    Ok(Snapshot::new(loaded, settings, index, libraries, &known.files))
}

/// Brings other settings or roots into effect on a snapshot. If only the view differs, nothing is
/// resolved or mapped again.
pub fn renew(shown: &Snapshot, environment: Environment<'_>) -> Snapshot {
    let Environment { settings, index, known } = environment;
    let is_mapped = shown.settings.sources == settings.sources
        && shown.source_mapped.roots == index.roots()
        && shown.settings.symbols == settings.symbols;
    if is_mapped {
        return shown.with_view(&settings.view, &known.files);
    }
    let loaded = shown.loaded.clone();
    let libraries = Libraries::of(&loaded.recording, &settings.symbols, &known.symbols);
    Snapshot::new(loaded, settings, index, libraries, &known.files)
}

/// The same with all names, which may take a while.
pub fn renew_with_symbols(shown: &Snapshot, environment: Environment<'_>) -> Snapshot {
    let Environment { settings, index, known } = environment;
    let renewed = renew(shown, environment);
    if renewed.symbolicated.libraries.is_complete() {
        return renewed;
    }
    let places = Places::new(settings, index);
    let libraries = renewed.symbolicated.libraries.clone();
    let libraries = libraries.resolve_all(&renewed.loaded, &places, &known.symbols);
    Snapshot::new(renewed.loaded, settings, index, libraries, &known.files)
}

/// The recording of all files, with all stacks it can have.
fn complete(
    files: Vec<(Loaded, Thread)>,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Loaded, LoadError> {
    let Environment { settings, index, known } = environment;
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
        .map(|(file, thread)| (unwound(file, &settings.symbols, &places, &known.symbols), thread));
    merged(files.collect())
}

/// Looks for the libraries of what is shown, hottest first, and gives what came out to `publish`
/// now and then, the last time when all of them were looked for.
pub fn resolve(
    shown: &Snapshot,
    environment: Environment<'_>,
    observe: Observe<'_>,
    publish: &mut dyn FnMut(Snapshot),
) {
    let Environment { settings, index, known } = environment;
    let (loaded, mut libraries) = (&shown.loaded, shown.symbolicated.libraries.clone());
    let places = Places::new(settings, index);
    let sidecar = sidecar(&loaded.path);
    let mut swapped = Instant::now();
    while !libraries.is_complete() {
        let mut observe_libraries = |done, all| observe(Step::Resolving(done, all));
        if libraries
            .resolve_next(loaded, &places, sidecar.as_ref(), &known.symbols, &mut observe_libraries)
            .is_break()
        {
            return;
        }
        if libraries.is_complete() {
            std::thread::sleep(SWAPS.saturating_sub(swapped.elapsed()));
        } else if swapped.elapsed() < SWAPS {
            continue;
        }
        let (done, all) = libraries.looked_for();
        if observe(Step::Resolving(done, all)).is_break() {
            return;
        }
        publish(Snapshot::new(loaded.clone(), settings, index, libraries.clone(), &known.files));
        swapped = Instant::now();
    }
}
