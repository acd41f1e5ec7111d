//! What tells one version of a file on disk from another, and which version a profile was recorded
//! from.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What tells one writing of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When it was written.
    pub modified: SystemTime,
    inode: u64,
}

impl Stamp {
    /// Of a path, through symlinks.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from_metadata(&std::fs::metadata(path)?))
    }

    /// Of something that is no file on disk.
    pub fn new(len: u64, modified: SystemTime) -> Self {
        Self { len, modified, inode: 0 }
    }

    /// How long ago it was written; nothing if that lies ahead.
    pub fn age(&self) -> Duration {
        SystemTime::now().duration_since(self.modified).unwrap_or_default()
    }

    /// When it was written, in milliseconds since 1970.
    pub fn milliseconds(&self) -> u64 {
        self.modified.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |age| age.as_millis() as u64)
    }

    /// Of a file whose metadata are known.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Self {
            len: metadata.len(),
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            inode,
        }
    }
}

/// File systems and checkouts write a project's files within this time of each other, in any order.
pub const SLACK: Duration = Duration::from_secs(2);

/// Whether a file that was written at `stamp` holds the text that the profile written at `profile`
/// was recorded from.
pub fn is_recorded(stamp: &Stamp, profile: &Stamp) -> bool {
    stamp.modified <= profile.modified + SLACK
}
