//! Which files are still written, as far as the system says so: Linux reports writes and closes
//! (inotify) of programs on this machine. Elsewhere, and for a file that is reached by a symbolic link,
//! nothing is known.

use answers::Stamp;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a program that has not closed a file may write nothing before it counts as stuck.
pub const STUCK: Duration = Duration::from_secs(30);
/// The number of closed files to remember. It is greater than the number of files that are usually
/// written at the same time.
const MAX_CLOSED: usize = 16;

/// What the system reported about files.
#[derive(Debug, Clone, Default)]
pub struct Writes {
    /// Files that a program has written to.
    pub written: Vec<PathBuf>,
    /// Files that a program has closed after writing, or moved into place, as they were then.
    pub closed: Vec<(PathBuf, Stamp)>,
}

/// The programs that write files.
#[derive(Debug, Default)]
pub struct Writers {
    /// The last write to each file that was not closed since.
    open: HashMap<PathBuf, Instant>,
    closed: VecDeque<Stamp>,
}

impl Writers {
    /// Adds what the system reported at `now`.
    pub fn add(&mut self, Writes { written, closed }: Writes, now: Instant) {
        self.open.retain(|_, last| now.saturating_duration_since(*last) < STUCK);
        self.open.extend(written.into_iter().map(|path| (path, now)));
        for (path, stamp) in closed {
            self.open.remove(&path);
            self.closed.truncate(MAX_CLOSED - 1);
            self.closed.push_front(stamp);
        }
    }

    /// Whether this version of a file was closed after writing.
    pub fn has_closed(&self, stamp: Stamp) -> bool {
        self.closed.contains(&stamp)
    }

    /// Whether a program has a file open that it writes.
    pub fn is_writing(&self, path: &Path, now: Instant) -> bool {
        self.open.get(path).is_some_and(|last| now.saturating_duration_since(*last) < STUCK)
    }
}
