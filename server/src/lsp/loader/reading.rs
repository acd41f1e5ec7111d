//! Reads profiles that are not watched: baselines, overlays, and those that are asked about.

use answers::{
    CostSettings, Environment, Extent, FileVersion, LoadError, Loaded, Missing, Observe,
    Recognised, RunFiles, Snapshot, SourceIndex, World, index_sources, load_read_with_symbols,
    load_with_symbols, read_run as read, run_in_folder,
};
use std::path::Path;
use std::sync::Arc;

/// The index of the world if it has the same roots, or else a new one.
pub fn current_index(world: &World, settings: &CostSettings) -> Arc<SourceIndex> {
    let roots = settings.sources.roots(&world.roots);
    let current = world.index.clone().filter(|index| index.is_built_from(&roots));
    current.unwrap_or_else(|| Arc::new(index_sources(&world.roots, &settings.sources)))
}

/// An index of the files that there are now.
pub fn new_index(world: &World, settings: &CostSettings) -> Arc<SourceIndex> {
    let roots = settings.sources.roots(&world.roots);
    let same = world.index.as_ref().filter(|index| index.is_built_from(&roots));
    Arc::new(match same {
        Some(index) => index.renewed(),
        None => index_sources(&world.roots, &settings.sources),
    })
}

/// Reads the run of the file at `path`, unless it is in memory. All addresses are resolved.
pub fn read_at(
    path: &Path,
    in_memory: &[Arc<Loaded>],
    max_bytes: u64,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Snapshot, LoadError> {
    let run = run_in_folder(path, &mut Recognised::default());
    let run: Vec<_> = run.into_iter().map(FileVersion::from).collect();
    match in_memory.iter().find(|loaded| loaded.is_read_from(&run)) {
        Some(loaded) => Ok(load_read_with_symbols(loaded.clone(), environment)),
        None => read_run(path, &run, max_bytes, environment, observe),
    }
}

/// Reads the files of a run, or only the one at `path` if they are not recognized. All addresses
/// are resolved.
pub fn read_run(
    path: &Path,
    run: &[FileVersion],
    max_bytes: u64,
    environment: Environment<'_>,
    observe: Observe<'_>,
) -> Result<Snapshot, LoadError> {
    let files = if run.is_empty() {
        RunFiles::from(Loaded::read(path, max_bytes, observe)?)
    } else {
        read(run, Extent::Whole, max_bytes, Missing::Refuse, observe)?
    };
    load_with_symbols(files.read, environment, observe)
}
