//! Reports problems, each once: profiles that cannot be read, files that are recognized but not
//! read, and a deleted profile.

use super::effect::Output;
use super::refused::Refused;
use super::scan::Scanned;
use super::target::PATIENCE;
use answers::{ErrorKind, FileVersion, LoadError, Severity, Warning, World, foreign_message};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Logs that a profile cannot be read.
pub fn log_unreadable<A>(output: &mut Output<A>, error: &LoadError) {
    let consequence = if output.world().snapshot().is_some() {
        "; the previous costs are still shown"
    } else {
        ""
    };
    output.log(Severity::Error, format!("{error}{consequence}"));
}

/// Reports that a profile cannot be read, unless the load was canceled, or the user picked a file
/// that is not among the profiles: then the command is answered with the error.
pub fn report_unreadable<A>(output: &mut Output<A>, error: &LoadError) {
    let is_cancelled = error.kind() == Some(ErrorKind::Cancelled);
    if !is_cancelled && matters(output.world(), error.path()) {
        output.report_problem(error.path(), Severity::Error, &error.to_string());
    }
}

/// Whether a file is shown, wanted, or among the profiles that were found.
fn matters(world: &World, path: &Path) -> bool {
    let shown = world.snapshot().into_iter().flat_map(|shown| &shown.loaded.files);
    let candidates = world.candidates.iter().map(|candidate| &candidate.path);
    candidates.chain(shown.map(|(file, _)| file)).any(|file| file == path)
        || world.wanted_paths().iter().any(|file| file == path)
}

/// Reports that a file of the shown run cannot be read.
pub fn report_missing_part<A>(output: &mut Output<A>, error: &LoadError) {
    let message = format!("{error}; its costs are missing");
    output.log(Severity::Error, message.as_str());
    output.report_problem(error.path(), Severity::Error, &message);
}

/// Reports files that are named like profiles, and are recognized but not read. Skips the file that
/// is shown and the one that the user picked or set, because loading them reports the same.
pub fn report_foreign<A>(output: &mut Output<A>, scanned: &Scanned, refused: &mut Refused) {
    let wanted = output.world().wanted_paths();
    let shown = output.world().snapshot().map(|shown| shown.loaded.path.clone());
    for (path, stamp, foreign) in &scanned.foreign {
        let file = vec![FileVersion { path: path.clone(), stamp: *stamp, candidate: None }];
        if wanted.contains(path) || shown.as_ref() == Some(path) || refused.contains(&file) {
            continue;
        }
        let message = foreign_message(path, foreign);
        refused.insert(file);
        output.log(Severity::Warning, message.as_str());
        output.report_problem(path, Severity::Warning, &message);
    }
}

/// Reports, once, that the file of the setting `profile`, or one of several files that the user picked,
/// does not exist. A deleted file whose costs are still shown is not reported.
pub fn report_missing<A>(output: &mut Output<A>, scanned: &Scanned) {
    let world = output.world();
    let shown = world.snapshot().into_iter().flat_map(|shown| &shown.loaded.files);
    let shown: Vec<&PathBuf> = shown.map(|(path, _)| path).collect();
    let found: Vec<&PathBuf> = scanned.wanted.iter().flatten().map(|file| &file.path).collect();
    let missing = match world.wanted_paths().as_slice() {
        [path] => (world.pick.is_empty() && scanned.wanted.is_none()).then(|| path.clone()),
        paths => paths.iter().find(|path| !found.contains(path) && !shown.contains(path)).cloned(),
    };
    if world.missing == missing {
        return;
    }
    if let Some(path) = &missing {
        let message = answers::health::missing(world, path);
        output.log(Severity::Warning, message);
    }
    output.publish(|world| world.missing = missing);
}

/// Publishes the messages about settings that are ignored, and logs the new ones.
pub fn report_ignored<A>(output: &mut Output<A>, ignored: Vec<String>) {
    let known = output.world().ignored.clone();
    if known == ignored {
        return;
    }
    for message in ignored.iter().filter(|message| !known.contains(message)) {
        output.log(Severity::Warning, message.as_str());
    }
    output.publish(|world| world.ignored = ignored);
}

/// Reports settings that name nothing that exists, each once.
pub fn report_absent<A>(output: &mut Output<A>, scanned: &Scanned) {
    let known = output.world().absent.clone();
    if known == scanned.absent {
        return;
    }
    for message in scanned.absent.iter().filter(|message| !known.contains(message)) {
        output.log(Severity::Warning, message.as_str());
    }
    output.publish(|world| world.absent.clone_from(&scanned.absent));
}

/// Clears problems with files that were deleted or rewritten, or are no longer wanted.
pub fn clear_outdated<A>(output: &mut Output<A>, scanned: &Scanned, refused: &Refused) {
    let world = output.world().clone();
    let shown = world.snapshot().map_or(&[][..], |shown| &shown.loaded.files);
    for (path, now) in &scanned.problems {
        let is_current = now.is_some_and(|now| {
            refused.has(path, now)
                || shown.iter().any(|(file, stamp)| file == path && *stamp == now)
        });
        let is_foreign = scanned.foreign.iter().any(|(file, ..)| file == path);
        if !is_current || !(is_foreign || matters(&world, path)) {
            output.clear_problem(path);
        }
    }
}

/// Logs the warnings of a profile that are not among `logged`.
pub fn log_warnings<A>(
    output: &mut Output<A>,
    path: &Path,
    warnings: &[Warning],
    logged: &[Warning],
) {
    for warning in warnings.iter().filter(|warning| !logged.contains(warning)) {
        output.log(Severity::Warning, format!("{}: {}", path.display(), warning.message));
    }
}

/// Whether the shown files exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existence {
    /// They exist.
    #[default]
    Exists,
    /// One was deleted at this time. It may be created again, because some tools delete a file
    /// before they write it.
    DeletedAt(Instant),
    /// One was deleted, and that was reported.
    Reported,
}

impl Existence {
    /// Marks the shown profile as deleted, and reports it after [`PATIENCE`].
    pub fn update<A>(&mut self, output: &mut Output<A>, scanned: &Scanned, now: Instant) {
        let Some(shown) = output.world().snapshot().cloned() else { return };
        let files = &shown.loaded.files;
        let exists =
            files.iter().all(|(path, _)| scanned.shown.iter().any(|file| file.path == *path));
        *self = match *self {
            _ if exists => Self::Exists,
            Self::Exists => Self::DeletedAt(now),
            Self::DeletedAt(time) if now.saturating_duration_since(time) >= PATIENCE => {
                let message = answers::health::deleted(output.world(), &shown.loaded.path);
                output.log(Severity::Warning, message);
                Self::Reported
            }
            unchanged => unchanged,
        };
        if output.world().deleted == exists {
            output.publish(|world| world.deleted = !exists);
        }
    }

    /// The time at which a deletion is due to be reported.
    pub fn next_scan(self) -> Option<Instant> {
        match self {
            Self::DeletedAt(time) => Some(time + PATIENCE),
            Self::Exists | Self::Reported => None,
        }
    }
}
