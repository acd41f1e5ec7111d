//! Reads profiles that are named on the command line.

use super::exit::Failure;
use super::progress::Progress;
use answers::{LoadError, Loaded, Recognised, Thread, Warning, WarningCode};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// Whether a path names standard input. A file of that name is `./-`.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Fails if several profiles are standard input. Each has a list of files.
pub(super) fn check_standard_input(profiles: &[&[PathBuf]]) -> Result<(), Failure> {
    let reads = |files: &&&[PathBuf]| files.iter().any(|file| is_standard_input(file));
    if profiles.iter().filter(reads).count() < 2 {
        return Ok(());
    }
    let message = "-: standard input can be read once only; pass a file for the other profile";
    Err(Failure::usage(message))
}

/// Fails if the file to write is one of these profiles, which would be lost.
pub(super) fn check_output<'p>(
    output: &Path,
    profiles: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<(), Failure> {
    let Ok(real) = output.canonicalize() else { return Ok(()) };
    let is_output = |profile: &PathBuf| profile.canonicalize().is_ok_and(|path| path == real);
    if !profiles.into_iter().any(is_output) {
        return Ok(());
    }
    let message = "is one of the profiles that are read; write to another file";
    Err(Failure::usage(format!("{}: {message}", output.display())))
}

/// Reads a profile from standard input.
fn read_standard_input(max_bytes: u64, progress: &Progress) -> Result<Loaded, LoadError> {
    let path = Path::new("-");
    let input = io::stdin();
    if input.is_terminal() {
        let source = io::Error::other("standard input is a terminal; redirect a profile to it");
        return Err(LoadError::Io { path: path.to_owned(), source });
    }
    Loaded::read_stream(input, path, max_bytes, &mut progress.observer())
}

/// Some profilers write an empty file next to the threads' files (callgrind with
/// `--separate-threads=yes`).
pub(super) fn is_empty_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// Reads each file once, with the thread that its name states. Empty files are skipped, unless all
/// are empty. `max_bytes` limits the sum of their sizes.
pub(super) fn read(
    paths: &[PathBuf],
    max_bytes: u64,
    progress: &Progress,
) -> Result<Vec<(Loaded, Thread)>, LoadError> {
    let mut read_paths: Vec<PathBuf> = Vec::new();
    let (mut files, mut candidates) = (Vec::new(), Vec::new());
    let mut left = max_bytes;
    let all_empty = paths.iter().all(|path| is_empty_file(path));
    for path in paths.iter().filter(|path| all_empty || !is_empty_file(path)) {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if read_paths.contains(&real) {
            continue;
        }
        read_paths.push(real);
        let loaded = if is_standard_input(path) {
            candidates.push(None);
            read_standard_input(left, progress)?
        } else {
            candidates.push(Recognised::default().candidate(path));
            Loaded::read(path, left, &mut progress.observer())?
        };
        left = left.saturating_sub(loaded.stamp.len);
        files.push(loaded);
    }
    let threads =
        answers::run_indexes(&candidates).into_iter().zip(&candidates).map(|(run, file)| Thread {
            run,
            ..file.as_ref().map(answers::runs::thread).unwrap_or_default()
        });
    Ok(files.into_iter().zip(threads).collect())
}

/// A warning if the run of a profile has other files.
pub(super) fn other_files_of_run(loaded: &Loaded) -> Option<Warning> {
    /// With more files than this, only the first is named.
    const MAX_NAMED: usize = 3;
    let [_] = loaded.files[..] else { return None };
    let run = answers::run_in_folder(&loaded.path, &mut Recognised::default());
    let others: Vec<_> = run
        .iter()
        .filter(|file| file.path != loaded.path)
        .map(|file| file_name(&file.path))
        .collect();
    let first = others.first()?;
    let files = if others.len() == 1 {
        "1 more file".to_owned()
    } else {
        format!("{} more files", others.len())
    };
    let names = if others.len() > MAX_NAMED { format!("{first} …") } else { others.join(", ") };
    Some(Warning {
        code: WarningCode::MoreFiles,
        message: format!("{files} of this run: {names}; pass all of them to see the whole run"),
        count: 1,
    })
}

pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
