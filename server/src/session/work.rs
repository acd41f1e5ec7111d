//! The work behind the loader, done on threads that may block: seeing what was read, and looking its addresses up bit by bit.

use crate::session::baseline::Baseline;
use crate::session::definitions::ParsedFiles;
use crate::session::libraries::{Libraries, Places, sidecar, unwound};
use crate::session::snapshot::{FunctionsAre, LoadError, Loaded, Snapshot, Step, roots};
use crate::session::world::World;
use sources::{Limits, SourceIndex};
use std::ops::ControlFlow;
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
    /// What a file says.
    New(Box<Loaded>),
    /// What is shown already.
    Shown(Arc<Loaded>),
}

/// Who hears what is being done, and stops it by `Break`.
pub type Observe<'a> = &'a mut dyn FnMut(Step) -> ControlFlow<()>;

/// Sees what was read under the settings and folders of `world`, with the names that are known without opening any library.
pub fn see(input: Input, world: &World, known: &Known, observe: Observe<'_>) -> Result<(Snapshot, SourceIndex), LoadError> {
    let path = match &input {
        Input::New(loaded) => &loaded.path,
        Input::Shown(loaded) => &loaded.path,
    };
    if observe(Step::Summing).is_break() {
        return Err(LoadError::Read { path: path.clone(), source: formats::ReadError::cancelled() });
    }
    let index = SourceIndex::build(roots(&world.roots, &world.config), Limits::default());
    let loaded = complete(input, world, &index, observe);
    let libraries = Libraries::of(&loaded.recording, &world.config, &known.symbols);
    Ok((Snapshot::new(loaded, &world.config, &index, libraries, FunctionsAre::Defined(&known.files)), index))
}

/// The recording with all stacks it can have.
fn complete(input: Input, world: &World, index: &SourceIndex, observe: Observe<'_>) -> Arc<Loaded> {
    match input {
        Input::Shown(loaded) => loaded,
        Input::New(loaded) => {
            if loaded.raw_stacks.is_some() {
                let _ = observe(Step::Unwinding);
            }
            Arc::new(unwound(*loaded, &world.config, &Places::new(&world.config, index)))
        }
    }
}

/// Sees what is compared with under the settings and folders of `world`, with all its names: nobody waits for it.
pub fn see_baseline(input: Input, world: &World, known: &Known, observe: Observe<'_>) -> Baseline {
    let index = SourceIndex::build(roots(&world.roots, &world.config), Limits::default());
    let loaded = complete(input, world, &index, observe);
    let libraries = Libraries::of(&loaded.recording, &world.config, &known.symbols);
    let libraries = libraries.resolve_all(&loaded, &Places::new(&world.config, &index), &known.symbols);
    let functions = FunctionsAre::Defined(&known.files);
    Baseline::new(Arc::new(Snapshot::new(loaded, &world.config, &index, libraries, functions)))
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
