//! A profile in one call, for programs that show one.

use loading::{
    Caches, Environment, LoadError, Loaded, Settings, Snapshot, index_sources, load_with_symbols,
};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Reads the files of a run, and finds the code of their costs below `roots`. Nothing is kept on disk.
///
/// # Errors
/// A file cannot be read, or the files cannot be merged.
///
/// # Panics
/// `profiles` is empty.
pub fn open(
    profiles: &[PathBuf],
    roots: &[PathBuf],
    settings: &Settings,
) -> Result<Snapshot, LoadError> {
    let costs = settings.costs();
    let index = index_sources(roots, &costs.sources);
    let caches = Caches::default();
    let environment = Environment { settings: &costs, index: &index, caches: &caches };
    let mut go_on = |_| ControlFlow::Continue(());
    let read = |path: &PathBuf| Loaded::read(path, settings.max_profile_bytes, &mut go_on);
    let files = profiles.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let files = files.into_iter().map(|file| (file, analysis::Thread::default())).collect();
    load_with_symbols(files, environment, &mut |_| ControlFlow::Continue(()))
}
