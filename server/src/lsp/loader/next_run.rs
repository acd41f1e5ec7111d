//! Which files are shown next: the run that the user picked, or else the newest one that can be
//! read.

use super::look::Looked;
use super::refused::Refused;
use engine::discovery::{Candidate, FileVersion};
use engine::runs::{belongs_to_run, runs};
use engine::stages::loaded::Loaded;
use engine::world::World;
use std::cmp::Reverse;
use std::path::PathBuf;
use std::time::SystemTime;

/// Which runs may replace the one shown while the user has picked none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Those that are newer.
    #[default]
    Newer,
    /// The newest, even if it is older: the user has withdrawn a pick.
    Newest,
}

/// The profile that the user wants, by command or else by setting.
pub fn wanted_path(world: &World) -> Option<PathBuf> {
    let setting = world.settings.profile.as_ref().map(|path| world.in_root(path));
    world.pick.clone().or(setting)
}

/// The files to read next, as they were found; `None` if what is shown is what is wanted.
pub fn next_run(
    world: &World,
    looked: &Looked,
    search: Search,
    refused: &Refused,
) -> Option<Vec<FileVersion>> {
    let next = if wanted_path(world).is_some() {
        looked.wanted.clone().map(|run| with_shown(world, looked, run))
    } else {
        newest_run(world, looked, search, refused)
    };
    next.filter(|run| !is_shown(world, run) && !refused.contains(run))
}

/// The newest run that is news and was not refused.
fn newest_run(
    world: &World,
    looked: &Looked,
    search: Search,
    refused: &Refused,
) -> Option<Vec<FileVersion>> {
    let shown = world.snapshot().map(|snapshot| &*snapshot.loaded);
    let found = runs(&looked.candidates).into_iter();
    let mut found: Vec<Vec<FileVersion>> = found
        .map(|run| {
            with_shown(world, looked, run.into_iter().cloned().map(FileVersion::from).collect())
        })
        .collect();
    // What is shown is a profile even if its content does not look like one at the moment.
    if search == Search::Newer
        && let Some(shown) = shown
        && !found.iter().any(|run| is_part(shown, run))
    {
        found.push(looked.shown.clone());
    }
    let is_news = |run: &[FileVersion]| match shown {
        None => true,
        Some(_) if search == Search::Newest => true,
        Some(shown) if is_part(shown, run) => !is_shown(world, run),
        Some(shown) => last_written(run) > Some(shown.stamp.modified),
    };
    found.retain(|run| !run.is_empty() && is_news(run));
    found.sort_by_key(|run| Reverse(last_written(run)));
    found.into_iter().find(|run| !refused.contains(run))
}

/// A run, and if it is the one shown, its files that are no profiles at the moment or that were
/// rewritten long after the others.
fn with_shown(world: &World, looked: &Looked, mut run: Vec<FileVersion>) -> Vec<FileVersion> {
    if !world.snapshot().is_some_and(|shown| is_part(&shown.loaded, &run)) {
        return run;
    }
    let found = run.clone();
    let found: Vec<&Candidate> = found.iter().filter_map(|file| file.candidate.as_ref()).collect();
    for file in &looked.shown {
        let belongs = file.candidate.as_ref().is_none_or(|file| belongs_to_run(&found, file));
        if belongs && !run.iter().any(|known| known.path == file.path) {
            run.push(file.clone());
        }
    }
    run
}

/// Whether files are of the run that is shown.
pub fn is_part(shown: &Loaded, run: &[FileVersion]) -> bool {
    run.iter().any(|file| shown.files.iter().any(|(path, _)| *path == file.path))
}

/// Whether nothing of a run is new.
fn is_shown(world: &World, run: &[FileVersion]) -> bool {
    let shown = world.snapshot().map(|shown| &shown.loaded.files);
    shown.is_some_and(|shown| {
        run.iter()
            .all(|file| shown.iter().any(|known| (&known.0, known.1) == (&file.path, file.stamp)))
    })
}

/// When the last file of a run was written.
fn last_written(run: &[FileVersion]) -> Option<SystemTime> {
    run.iter().map(|file| file.stamp.modified).max()
}
