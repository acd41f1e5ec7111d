//! The files to read next, and the rules for when they have *settled*: they are unchanged for a moment,
//! and complete. The end of a format says so, or that the writer has closed the file; where neither is
//! known, only quiet.
//!
//! A growing file that is followed settles every second (`Target::grow_to`): what its profiler appends
//! does not restart the wait. Only complete records are read (`formats::WholeRecords`), and the stamp
//! contains the number of bytes that were read, so that the file is read again when it no longer
//! grows.

use super::scan::Ending;
use super::writers::Writers;
use answers::{FileVersion, Format};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a file must be unchanged before it is read.
pub const SETTLED: Duration = Duration::from_millis(150);
/// How long it must be unchanged if its format has no end mark and nobody is known to write it. Each
/// pause that its writer makes doubles that, up to [`MAX_QUIET`].
pub const QUIET: Duration = Duration::from_secs(1);
const MAX_QUIET: Duration = Duration::from_secs(10);
/// How long a file must be unreadable before it is reported.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// The files of a run that will be read once they have settled.
#[derive(Debug, Clone)]
pub struct Target {
    /// The files as they were found.
    pub files: Vec<FileVersion>,
    /// The time at which they were first found in this state, or began to grow.
    since: Instant,
    /// The time at which the last change of the files was noticed.
    changed: Instant,
    /// The earliest time to read them.
    not_before: Instant,
    /// How long they must be unchanged if nothing else says that they are complete.
    quiet: Duration,
}

impl Target {
    /// Files that were found at `now`, after `before`.
    pub fn new(files: Vec<FileVersion>, before: Option<&Self>, now: Instant) -> Self {
        let quiet = before.map_or(QUIET, |before| before.quiet_after(&files, now));
        Self { files, since: now, changed: now, not_before: now + SETTLED, quiet }
    }

    /// How long `files` must be unchanged, which have replaced these.
    fn quiet_after(&self, files: &[FileVersion], now: Instant) -> Duration {
        let has_grown = |(before, file): (&FileVersion, &FileVersion)| {
            before.path == file.path && before.stamp.len < file.stamp.len
        };
        let pause = now.saturating_duration_since(self.since);
        let have_grown = self.files.len() == files.len()
            && self.files.iter().zip(files).all(has_grown)
            && pause <= MAX_QUIET;
        match have_grown {
            true if pause >= self.quiet / 2 => (self.quiet * 2).min(MAX_QUIET),
            true => self.quiet,
            // They are written anew.
            false => QUIET,
        }
    }

    /// Whether the files are known to be written: by a program that has one open, or because one has
    /// grown after a pause.
    pub fn is_being_written(&self, writers: &Writers, now: Instant) -> bool {
        self.quiet > QUIET || self.is_written(writers, now)
    }

    fn is_written(&self, writers: &Writers, now: Instant) -> bool {
        self.files.iter().any(|file| writers.is_writing(&file.path, now))
    }

    /// The time from one look at the files to the next.
    pub fn interval(&self, writers: &Writers, now: Instant) -> Duration {
        let is_written = self.is_written(writers, now);
        let is_new = now.saturating_duration_since(self.since) < QUIET;
        match (is_written, is_new) {
            // The end of writing is reported.
            (true, _) => QUIET,
            (false, true) => QUIET / 20,
            (false, false) => self.quiet / 20,
        }
    }

    /// Handles that profilers have appended to the files, which does not delay the next read. Returns
    /// `false`, and changes nothing, if `files` are other files, if one is shorter than before, or if its
    /// format is only read as a whole.
    pub fn grow_to(&mut self, files: &[FileVersion], now: Instant) -> bool {
        let has_grown = |(before, file): (&FileVersion, &FileVersion)| {
            before.path == file.path
                && before.stamp.len <= file.stamp.len
                && file.format().is_some_and(Format::can_be_followed)
        };
        let has_grown =
            self.files.len() == files.len() && self.files.iter().zip(files).all(has_grown);
        if has_grown {
            self.files = files.to_vec();
            self.changed = now;
        }
        has_grown
    }

    /// Whether profilers still append to the files, and what they have appended can be read.
    pub fn is_growing(&self, writers: &Writers, now: Instant) -> bool {
        now.saturating_duration_since(self.changed) < QUIET
            && !self.files.iter().all(|file| writers.has_closed(file.stamp))
            && self.can_be_followed()
    }

    fn can_be_followed(&self) -> bool {
        self.files.iter().all(|file| file.format().is_some_and(Format::can_be_followed))
    }

    /// Whether all files have settled. If they are followed, those that can be need not be complete.
    pub fn has_settled(
        &self,
        endings: &[(PathBuf, Ending)],
        writers: &Writers,
        follow: bool,
        now: Instant,
    ) -> bool {
        let follow = follow && self.can_be_followed();
        let waited = now.saturating_duration_since(self.since);
        let has_settled = |file: &FileVersion| {
            let ending = endings.iter().find(|(path, _)| *path == file.path);
            let Some((_, ending)) = ending else { return false };
            let is_complete = match ending {
                Ending::Foreign => true,
                Ending::Marked { has_end } => *has_end,
                Ending::Open { is_complete, .. } => *is_complete && writers.has_closed(file.stamp),
                Ending::Unrecognised => false,
            };
            if is_complete {
                return true;
            }
            if !follow && writers.is_writing(&file.path, now) {
                return false;
            }
            match ending {
                // The last line need not be complete.
                Ending::Open { .. } if follow || writers.has_closed(file.stamp) => waited >= QUIET,
                Ending::Open { unchanged_for, .. } => {
                    waited >= self.quiet || *unchanged_for >= self.quiet.max(PATIENCE)
                }
                // Reading the file gives the error. An unrecognised one may become a profile.
                Ending::Marked { .. } | Ending::Foreign | Ending::Unrecognised => {
                    waited >= PATIENCE
                }
            }
        };
        now >= self.not_before && self.files.iter().all(has_settled)
    }

    /// Whether the files have had enough time to become readable ([`PATIENCE`]).
    pub fn is_overdue(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) >= PATIENCE
    }

    /// Handles that the files could not be read, after `took`. If they may still be written, they
    /// will be read again later, and the result is `true`.
    pub fn retry(&mut self, took: Duration, writers: &Writers, now: Instant) -> bool {
        let is_early = now.saturating_duration_since(self.since) < PATIENCE + took
            || self.is_written(writers, now);
        if is_early {
            // Waits at least as long as reading took.
            self.not_before = (self.since + PATIENCE).max(now + took);
        }
        is_early
    }
}
