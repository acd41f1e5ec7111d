//! What is reported, once each: profiles that cannot be read, files of other programs, and a
//! profile that was deleted.

use super::effect::{Output, Severity};
use super::look::Looked;
use super::next_run::wanted_path;
use super::refused::Refused;
use super::target::PATIENCE;
use analysis::Warning;
use engine::discovery::FileVersion;
use engine::stages::loaded::LoadError;
use std::path::Path;
use std::time::Instant;

/// Reports that a profile cannot be read.
pub fn report_unreadable<A>(output: &mut Output<A>, error: &LoadError) {
    let keeps = if output.world().snapshot().is_some() {
        "; the costs shown stay as they were"
    } else {
        ""
    };
    let message = error.to_string();
    output.log(Severity::Error, format!("{message}{keeps}"));
    output.report_problem(error.path(), Severity::Error, &message);
}

/// Reports that a file of the run that is shown cannot be read.
pub fn report_missing_part<A>(output: &mut Output<A>, error: &LoadError) {
    let message = format!("{error}; its costs are missing");
    output.log(Severity::Error, message.as_str());
    output.report_problem(error.path(), Severity::Error, &message);
}

/// Reports files of other programs where profiles are expected. The one that the user wants and the
/// one that is shown are read, which reports the same.
pub fn report_foreign<A>(output: &mut Output<A>, looked: &Looked, refused: &mut Refused) {
    let wanted = wanted_path(output.world());
    let shown = output.world().snapshot().map(|shown| shown.loaded.path.clone());
    for (path, stamp, foreign) in &looked.foreign {
        let file = vec![FileVersion { path: path.clone(), stamp: *stamp, candidate: None }];
        if wanted.as_ref() == Some(path) || shown.as_ref() == Some(path) || refused.contains(&file)
        {
            continue;
        }
        let message = format!("{}: {}", path.display(), foreign.sentence());
        refused.insert(file);
        output.log(Severity::Warning, message.as_str());
        output.report_problem(path, Severity::Warning, &message);
    }
}

/// Withdraws problems with files that are gone or were rewritten.
pub fn withdraw_outdated<A>(output: &mut Output<A>, looked: &Looked, refused: &Refused) {
    let world = output.world().clone();
    let shown = world.snapshot().map_or(&[][..], |shown| &shown.loaded.files);
    for (path, now) in &looked.problems {
        let is_current = now.is_some_and(|now| {
            refused.has(path, now)
                || shown.iter().any(|(file, stamp)| file == path && *stamp == now)
        });
        if !is_current {
            output.withdraw_problem(path);
        }
    }
}

/// Logs the warnings of a profile that are not among `known`.
pub fn log_warnings<A>(
    output: &mut Output<A>,
    path: &Path,
    warnings: &[Warning],
    known: &[Warning],
) {
    for warning in warnings.iter().filter(|warning| !known.contains(warning)) {
        output.log(Severity::Warning, format!("{}: {}", path.display(), warning.message));
    }
}

/// Whether the file that is shown exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existence {
    /// It does.
    #[default]
    Exists,
    /// It is gone, and may come back: some tools delete a file before they write it.
    GoneSince(Instant),
    /// It is gone, and that was reported.
    Reported,
}

impl Existence {
    /// Marks what is shown if it is gone, and reports that after a while.
    pub fn update<A>(&mut self, output: &mut Output<A>, looked: &Looked, now: Instant) {
        let Some(shown) = output.world().snapshot().cloned() else { return };
        let files = &shown.loaded.files;
        let exists =
            files.iter().all(|(path, _)| looked.shown.iter().any(|file| file.path == *path));
        *self = match *self {
            _ if exists => Self::Exists,
            Self::Exists => Self::GoneSince(now),
            Self::GoneSince(since) if now.saturating_duration_since(since) >= PATIENCE => {
                let path = shown.loaded.path.display();
                output.log(
                    Severity::Warning,
                    format!("{path}: the file was deleted; the costs shown stay until there is a newer profile"),
                );
                Self::Reported
            }
            known => known,
        };
        if output.world().deleted == exists {
            output.publish(|world| world.deleted = !exists);
        }
    }

    /// When to look again.
    pub fn next_look(self) -> Option<Instant> {
        match self {
            Self::GoneSince(since) => Some(since + PATIENCE),
            Self::Exists | Self::Reported => None,
        }
    }
}
