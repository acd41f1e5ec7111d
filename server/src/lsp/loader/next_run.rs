//! Selects the run to show next: the one that the user picked or set, or else the newest one that
//! can be read.

use super::refused::Refused;
use super::scan::Scanned;
use answers::{
    Candidate, FileVersion, Loaded, ProfileChoice as Choice, World, belongs_to_run, by_preference,
    runs,
};

/// Which runs may replace the one shown, if the user has picked none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Newer ones.
    #[default]
    Newer,
    /// The newest, even if it is older than the one shown, because the user has removed the pick.
    Newest,
}

/// The files to read next, as they were found; `None` if they are shown already.
pub fn next_run(
    world: &World,
    scanned: &Scanned,
    search: Search,
    refused: &Refused,
) -> Option<Vec<FileVersion>> {
    let next = match world.wanted_paths().as_slice() {
        [] => newest_run(world, scanned, search, refused),
        [_] => scanned.wanted.clone().map(|run| with_shown(world, scanned, run)),
        _ => scanned.wanted.clone(),
    };
    let is_shown = |run: &[FileVersion]| {
        is_shown(world, run) && !(shows_several_runs(scanned) && run.len() < scanned.shown.len())
    };
    next.filter(|run| !is_shown(run) && !refused.contains(run))
}

/// The first run by preference that was not refused, among those that may replace the one shown.
fn newest_run(
    world: &World,
    scanned: &Scanned,
    search: Search,
    refused: &Refused,
) -> Option<Vec<FileVersion>> {
    let shown = world.snapshot().map(|snapshot| &*snapshot.loaded);
    let found = runs(&scanned.candidates).into_iter();
    let mut found: Vec<Vec<FileVersion>> = found
        .map(|run| {
            with_shown(world, scanned, run.into_iter().cloned().map(FileVersion::from).collect())
        })
        .collect();
    // The shown file is a profile, even if its present content is not recognized as one.
    if search == Search::Newer
        && let Some(shown) = shown
        && !found.iter().any(|run| is_part(shown, run))
    {
        found.push(scanned.shown.clone());
    }
    found.retain(|run| !run.is_empty());
    let is_renamed = |shown: &Loaded, run: &[FileVersion]| {
        let is_same = |file: &FileVersion| file.stamp.is_renamed_from(&shown.stamp);
        scanned.shown.is_empty() && run.iter().any(is_same)
    };
    let is_new = |choice: &Choice| match shown {
        None => true,
        Some(shown) if is_renamed(shown, &choice.run) => true,
        Some(_) if search == Search::Newest => true,
        Some(shown) if is_part(shown, &choice.run) && !is_shown(world, &choice.run) => true,
        Some(shown) => choice.together > shown.stamp.modified,
    };
    let mut choices = by_preference(found).into_iter().filter(is_new);
    choices.find(|choice| !refused.contains(&choice.run)).map(|choice| choice.run)
}

/// A run. If it is the one shown, this adds its files that are not recognized at the moment or were
/// rewritten long after the others.
fn with_shown(world: &World, scanned: &Scanned, mut run: Vec<FileVersion>) -> Vec<FileVersion> {
    if !world.snapshot().is_some_and(|shown| is_part(&shown.loaded, &run)) {
        return run;
    }
    let found = run.clone();
    let found: Vec<&Candidate> = found.iter().filter_map(|file| file.candidate.as_ref()).collect();
    for file in &scanned.shown {
        let belongs = file.candidate.as_ref().is_none_or(|file| belongs_to_run(&found, file));
        if belongs && !run.iter().any(|other| other.path == file.path) {
            run.push(file.clone());
        }
    }
    run
}

/// Whether a run has a file of the shown profile.
pub fn is_part(shown: &Loaded, run: &[FileVersion]) -> bool {
    run.iter().any(|file| shown.files.iter().any(|(path, _)| *path == file.path))
}

/// Whether all files of a run are shown in their present state.
fn is_shown(world: &World, run: &[FileVersion]) -> bool {
    world.snapshot().is_some_and(|shown| run.iter().all(|file| shown.loaded.has_read(file)))
}

/// Whether the files shown are of several runs, which the user has picked.
fn shows_several_runs(scanned: &Scanned) -> bool {
    let shown: Vec<Candidate> =
        scanned.shown.iter().filter_map(|file| file.candidate.clone()).collect();
    runs(&shown).len() > 1
}
