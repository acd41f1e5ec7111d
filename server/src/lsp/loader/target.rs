//! When a rewritten file is read: once it has *settled*.

use super::look::Ending;
use engine::discovery::FileVersion;
use engine::load::Missing;
use engine::stamp::Stamp;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A file must be unchanged for this long before it is read.
pub const SETTLED: Duration = Duration::from_millis(150);
/// And for this long if nothing in the format says that it is complete.
pub const QUIET: Duration = Duration::from_secs(1);
/// A file that cannot be read for this long is reported.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// How many closed files are remembered: more than are written at once.
const MAX_CLOSED: usize = 16;

/// The files of a run that are read once they have settled.
#[derive(Debug)]
pub struct Target {
    /// The files as they were found.
    pub files: Vec<FileVersion>,
    /// When they were first found like this.
    since: Instant,
    not_before: Instant,
}

impl Target {
    /// Files that were found at `now`.
    pub fn new(files: Vec<FileVersion>, now: Instant) -> Self {
        Self { files, since: now, not_before: now + SETTLED }
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
                Some(Ending::Marked { is_there }) => is_there || waited >= PATIENCE,
                // Its writer has closed it after a complete record, or writes no more. In the
                // latter case the last line counts without its end.
                Some(Ending::Open { is_complete }) => {
                    waited >= QUIET || (is_complete && closed.contains(file.stamp))
                }
                // It may become a profile. If it does not, reading it tells why.
                Some(Ending::Unrecognised) => waited >= PATIENCE,
                None => false,
            }
        };
        now >= self.not_before && self.files.iter().all(has_settled)
    }

    /// What becomes of the run if a file of it cannot be read. What is shown is better than a part
    /// of the run; a part of it is better than nothing, after a while.
    pub fn missing(&self, is_shown: bool, now: Instant) -> Missing {
        if is_shown || now.saturating_duration_since(self.since) < PATIENCE {
            Missing::Refuse
        } else {
            Missing::Allow
        }
    }

    /// After a failure to read the files that took `took`: reads them again later, as they may
    /// still be written. `false` if they have had the time.
    pub fn retry(&mut self, took: Duration, now: Instant) -> bool {
        let is_early = now.saturating_duration_since(self.since) < PATIENCE + took;
        if is_early {
            // Not more often than reading takes.
            self.not_before = (self.since + PATIENCE).max(now + took);
        }
        is_early
    }
}

/// The last files that were closed by their writers.
#[derive(Debug, Default)]
pub struct ClosedFiles(VecDeque<Stamp>);

impl ClosedFiles {
    /// Remembers one more.
    pub fn push(&mut self, stamp: Stamp) {
        self.0.truncate(MAX_CLOSED - 1);
        self.0.push_front(stamp);
    }

    fn contains(&self, stamp: Stamp) -> bool {
        self.0.contains(&stamp)
    }
}
