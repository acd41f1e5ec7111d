//! The newest profile of a project, for commands without PROFILE, or of a folder that is given.

use super::current_folder::{absolute_folder, current_folder};
use super::exit::{Failure, warn};
use super::progress::Progress;
use super::read::{file_name, read};
use answers::preference::{attempts, better_beside};
use answers::{Foreign, Found, Loaded, Recognised, Settings, Thread, discover, project_at, units};
use std::path::{Path, PathBuf};

/// The maximum number of warnings about files that are not read.
const MAX_WARNINGS: usize = 4;

/// Reads the newest profile in the folders of `--root`, or else in the project around the current
/// folder, or else in the current folder. It is the one that the server would show: a file that
/// cannot be read is skipped with a warning.
pub(super) fn read_newest(
    given: &[PathBuf],
    settings: &Settings,
    progress: &Progress,
) -> Result<Vec<(Loaded, Thread)>, Failure> {
    let mut roots: Vec<PathBuf> = given.iter().map(|root| absolute_folder(root)).collect();
    if roots.is_empty() {
        let current = current_folder();
        roots.push(project_at(&current).unwrap_or(current));
    }
    let found = discover(&roots, settings, &mut Recognised::default());
    read_first(&roots, &found, settings, progress)
}

/// Reads the newest profile directly in a folder, whatever its name, or else the newest that is found below.
pub(super) fn read_newest_in(
    folder: &Path,
    settings: &Settings,
    progress: &Progress,
) -> Result<Vec<(Loaded, Thread)>, Failure> {
    let roots = [absolute_folder(folder)];
    let directly = Settings { profiles: Some(vec!["*".to_owned()]), ..settings.clone() };
    let mut found = discover(&roots, &directly, &mut Recognised::default());
    if found.candidates.is_empty() {
        found = discover(&roots, settings, &mut Recognised::default());
    }
    read_first(&roots, &found, settings, progress)
}

/// Reads the first profile that can be read.
fn read_first(
    roots: &[PathBuf],
    found: &Found,
    settings: &Settings,
    progress: &Progress,
) -> Result<Vec<(Loaded, Thread)>, Failure> {
    for files in attempts(found) {
        match read(&files, settings.max_profile_bytes, progress) {
            Ok(read) => {
                say_what_is_better(found, &files);
                return Ok(read);
            }
            Err(error) => warn(&format!("{error}; skipped")),
        }
    }
    Err(Failure::unreadable(none_found(roots, found)))
}

/// Whether a folder is searched for profiles. Some recordings are folders.
pub(super) fn is_searched(path: &Path) -> bool {
    path.is_dir()
        && Foreign::of_folder(&file_name(path)).is_none()
        && !path.join("data.0").is_file()
}

/// Warns if the files that are shown do not tell where time goes, and a profile beside them does.
fn say_what_is_better(found: &Found, shown: &[PathBuf]) {
    let paths: Vec<&Path> = shown.iter().map(PathBuf::as_path).collect();
    let Some(better) = better_beside(&found.candidates, &paths) else { return };
    let newest = shown.first().map(|path| path.display().to_string()).unwrap_or_default();
    warn(&format!(
        "{newest} is the newest profile, but does not tell where time goes; {} does, written {} ago: pass \
         it to show it",
        better.path.display(),
        units::age(better.stamp.age()),
    ));
}

/// Why no profile of these folders is shown, and what to do. Files that Costline recognizes but
/// does not read are named; if there are several, each but the newest with a warning.
fn none_found(roots: &[PathBuf], found: &Found) -> String {
    let folders: Vec<String> = roots.iter().map(|root| root.display().to_string()).collect();
    let folders = folders.join(", ");
    let foreign = found.foreign_messages();
    let Some(((_, newest), others)) = foreign.split_first() else {
        return format!(
            "no profile found in {folders}: pass a file, or put it in a folder named `profiles` (some \
             file names are found anywhere: see Formats in the documentation)"
        );
    };
    for (_, other) in others.iter().take(MAX_WARNINGS) {
        warn(other);
    }
    format!("no profile found in {folders} that Costline reads; {newest}")
}
