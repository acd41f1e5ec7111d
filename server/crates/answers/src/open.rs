//! A profile in one call, for programs that show one.

use loading::{
    Caches, Environment, Extent, LoadError, Missing, Recognised, Settings, Snapshot, Stamp,
    index_sources, load_with_symbols, read_run,
};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Reads the files of a run, and finds the code of their costs below `roots`. Nothing is kept on disk.
///
/// # Errors
/// No file is named, a file cannot be read, or the files cannot be merged.
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
    let version = |path: &PathBuf| {
        let failed = |source| LoadError::Io { path: path.clone(), source };
        Ok((path.clone(), Stamp::of(path).map_err(failed)?))
    };
    let files = profiles.iter().map(version).collect::<Result<Vec<_>, LoadError>>()?;
    if files.is_empty() {
        let source = io::Error::other("no profile is named");
        return Err(LoadError::Io { path: PathBuf::new(), source });
    }
    let files = Recognised::default().current_versions(&files);
    let max_bytes = settings.max_profile_bytes;
    let run = read_run(&files, Extent::Whole, max_bytes, Missing::Refuse, &mut go_on)?;
    load_with_symbols(run.read, environment, &mut go_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_run_are_one_profile_and_no_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            ["callgrind.out.7-01", "callgrind.out.7-02"].map(|name| folder.path().join(name));
        for (file, cost) in files.iter().zip([3, 4]) {
            let text =
                format!("version: 1\npid: 7\nevents: Ir\nfn=main\n1 {cost}\ntotals: {cost}\n");
            std::fs::write(file, text).unwrap();
        }
        let opened = open(&files, &[], &Settings::default()).unwrap();
        assert_eq!((opened.costs.total, opened.loaded.threads.len()), (7.0, 2));
        let error = open(&[], &[], &Settings::default()).unwrap_err();
        assert!(error.to_string().ends_with("no profile is named"), "{error}");
    }
}
