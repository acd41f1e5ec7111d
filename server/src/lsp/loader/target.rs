//! The files to read next, and the rules for when they have *settled*.
//!
//! A growing file that is followed settles every second (`Target::grow_to`): what its profiler appends
//! does not restart the wait. Only complete records are read (`formats::WholeRecords`), and the stamp
//! contains the number of bytes that were read, so that the file is read again when it no longer
//! grows.

use super::scan::Ending;
use answers::{FileVersion, Format, Stamp};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a file must be unchanged before it is read.
pub const SETTLED: Duration = Duration::from_millis(150);
/// How long it must be unchanged if its format has no end mark.
pub const QUIET: Duration = Duration::from_secs(1);
/// How long a file must be unreadable before it is reported.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// The number of closed files to remember. It is greater than the number of files that are usually
/// written at the same time.
const MAX_CLOSED: usize = 16;

/// The files of a run that will be read once they have settled.
#[derive(Debug)]
pub struct Target {
    /// The files as they were found.
    pub files: Vec<FileVersion>,
    /// The time at which they were first found in this state, or began to grow.
    since: Instant,
    /// The time at which the last change of the files was noticed.
    changed: Instant,
    /// The earliest time to read them.
    not_before: Instant,
}

impl Target {
    /// Files that were found at `now`.
    pub fn new(files: Vec<FileVersion>, now: Instant) -> Self {
        Self { files, since: now, changed: now, not_before: now + SETTLED }
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
    pub fn is_growing(&self, closed: &ClosedFiles, now: Instant) -> bool {
        now.saturating_duration_since(self.changed) < QUIET
            && !self.files.iter().all(|file| closed.contains(file.stamp))
            && self.files.iter().all(|file| file.format().is_some_and(Format::can_be_followed))
    }

    /// Whether all files have settled.
    pub fn has_settled(
        &self,
        endings: &[(PathBuf, Ending)],
        closed: &ClosedFiles,
        now: Instant,
    ) -> bool {
        let waited = now.saturating_duration_since(self.since);
        let has_settled = |file: &FileVersion| {
            let ending = endings.iter().find(|(path, _)| *path == file.path);
            match ending.map(|(_, ending)| *ending) {
                Some(Ending::Foreign) => true,
                Some(Ending::Marked { has_end }) => has_end || waited >= PATIENCE,
                // The writer has closed the file after a complete record, or has stopped writing.
                // In the latter case the last line need not be complete.
                Some(Ending::Open { is_complete, unchanged_for }) => {
                    waited >= QUIET
                        || unchanged_for >= PATIENCE
                        || (is_complete && closed.contains(file.stamp))
                }
                // The file may become a profile. If it does not, reading it gives the error.
                Some(Ending::Unrecognised) => waited >= PATIENCE,
                None => false,
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
    pub fn retry(&mut self, took: Duration, now: Instant) -> bool {
        let is_early = now.saturating_duration_since(self.since) < PATIENCE + took;
        if is_early {
            // Waits at least as long as reading took.
            self.not_before = (self.since + PATIENCE).max(now + took);
        }
        is_early
    }
}

/// The files that were closed last after writing.
#[derive(Debug, Default)]
pub struct ClosedFiles(VecDeque<Stamp>);

impl ClosedFiles {
    /// Adds a file, and forgets the oldest one if there are too many.
    pub fn push(&mut self, stamp: Stamp) {
        self.0.truncate(MAX_CLOSED - 1);
        self.0.push_front(stamp);
    }

    fn contains(&self, stamp: Stamp) -> bool {
        self.0.contains(&stamp)
    }
}
