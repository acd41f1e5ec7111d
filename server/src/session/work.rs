//! The work behind the loader, done on threads that may block: seeing what was read, and looking its addresses up bit by bit.

use crate::session::baseline::Baseline;
use crate::session::definitions::ParsedFiles;
use crate::session::discovery::Written;
use crate::session::libraries::{Libraries, Places, sidecar, unwound};
use crate::session::runs::{merged, thread};
use crate::session::snapshot::{FunctionsAre, LoadError, Loaded, Snapshot, Step, roots};
use crate::session::world::World;
use formats::ErrorKind;
use profile::Thread;
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

/// What a load begins with.
pub enum Input {
    /// What the files of a run say, each of its thread.
    New {
        /// At least one.
        files: Vec<(Loaded, Thread)>,
        /// Files of the run that could not be read.
        failed: Vec<LoadError>,
    },
    /// What is shown already.
    Shown(Arc<Loaded>),
}

impl Input {
    /// What one file says.
    pub fn file(loaded: Loaded) -> Self {
        Self::New { files: vec![(loaded, Thread::default())], failed: Vec::new() }
    }

    /// Files of the run that could not be read; to be asked once.
    pub fn take_failed(&mut self) -> Vec<LoadError> {
        match self {
            Self::New { failed, .. } => std::mem::take(failed),
            Self::Shown(_) => Vec::new(),
        }
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
pub fn read(files: &[Written], max_bytes: u64, missing: Missing, observe: Observe<'_>) -> Result<Input, LoadError> {
    let (mut left, mut read, mut failed, mut unread) = (max_bytes, Vec::new(), Vec::new(), Vec::new());
    for file in files {
        match Loaded::read(&file.path, left, observe) {
            Ok(loaded) => {
                left = left.saturating_sub(loaded.stamp.len);
                read.push((loaded, file.candidate.as_ref().map(thread).unwrap_or_default()));
            }
            Err(error) if missing == Missing::Refuse || error.kind() == Some(ErrorKind::Cancelled) => return Err(error),
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
            return Err(failed
                .pop()
                .unwrap_or_else(|| LoadError::Io { path: PathBuf::new(), source: io::ErrorKind::NotFound.into() }));
        }
    }
    Ok(Input::New { files: read, failed })
}

/// Who hears what is being done, and stops it by `Break`.
pub type Observe<'a> = &'a mut dyn FnMut(Step) -> ControlFlow<()>;

/// Sees what was read under the settings and folders of `world`, with the names that are known without opening any library.
pub fn see(input: Input, world: &World, known: &Known, observe: Observe<'_>) -> Result<(Snapshot, SourceIndex), LoadError> {
    if observe(Step::Summing).is_break() {
        let path = match &input {
            Input::New { files, .. } => files.first().map(|(file, _)| file.path.clone()).unwrap_or_default(),
            Input::Shown(loaded) => loaded.path.clone(),
        };
        return Err(LoadError::Read { path, source: formats::ReadError::cancelled() });
    }
    let index = SourceIndex::build(roots(&world.roots, &world.config), Limits::default());
    let loaded = complete(input, world, &index, known, observe)?;
    let libraries = Libraries::of(&loaded.recording, &world.config, &known.symbols);
    Ok((Snapshot::new(loaded, &world.config, &index, libraries, FunctionsAre::Defined(&known.files)), index))
}

/// The recording of all files, with all stacks it can have.
fn complete(
    input: Input,
    world: &World,
    index: &SourceIndex,
    known: &Known,
    observe: Observe<'_>,
) -> Result<Arc<Loaded>, LoadError> {
    let files = match input {
        Input::Shown(loaded) => return Ok(loaded),
        Input::New { files, .. } => files,
    };
    if files.iter().any(|(file, _)| file.raw_stacks.is_some()) {
        let _ = observe(Step::Unwinding);
    }
    let places = Places::new(&world.config, index);
    let files = files.into_iter().map(|(file, thread)| (unwound(file, &world.config, &places, &known.symbols), thread));
    Ok(Arc::new(merged(files.collect())?))
}

/// Sees what is compared with under the settings and folders of `world`, with all its names: nobody waits for it.
pub fn see_baseline(input: Input, world: &World, known: &Known, observe: Observe<'_>) -> Result<Baseline, LoadError> {
    let index = SourceIndex::build(roots(&world.roots, &world.config), Limits::default());
    let loaded = complete(input, world, &index, known, observe)?;
    let libraries = Libraries::of(&loaded.recording, &world.config, &known.symbols);
    let libraries = libraries.resolve_all(&loaded, &Places::new(&world.config, &index), &known.symbols);
    let functions = FunctionsAre::Defined(&known.files);
    Ok(Baseline::new(Arc::new(Snapshot::new(loaded, &world.config, &index, libraries, functions))))
}

/// Looks for the libraries of what is shown, hottest first, and gives what came out to `publish` now and then, the last time when
/// all of them were looked for.
pub fn resolve(
    shown: &Snapshot,
    world: &World,
    index: &SourceIndex,
    known: &Known,
    observe: Observe<'_>,
    publish: &mut dyn FnMut(Snapshot),
) {
    let (loaded, mut libraries) = (&shown.loaded, shown.libraries.clone());
    let places = Places::new(&world.config, index);
    let sidecar = sidecar(&loaded.path);
    let mut swapped = Instant::now();
    while !libraries.is_complete() {
        let mut observe_libraries = |done, all| observe(Step::Resolving(done, all));
        if libraries.resolve_next(loaded, &places, sidecar.as_ref(), &known.symbols, &mut observe_libraries).is_break() {
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
        let functions = FunctionsAre::Defined(&known.files);
        publish(Snapshot::new(loaded.clone(), &world.config, index, libraries.clone(), functions));
        swapped = Instant::now();
    }
}
