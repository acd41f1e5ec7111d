//! Stamps distinguish the versions of a file on disk, and decide which version a profile was
//! recorded from.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};
use twox_hash::XxHash3_128;

/// Identifies a version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When the file was last written.
    pub modified: SystemTime,
    inode: u64,
}

impl Stamp {
    /// The stamp of a file. Follows symbolic links.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from_metadata(&std::fs::metadata(path)?))
    }

    /// A stamp of something that is not a file on disk.
    pub fn new(len: u64, modified: SystemTime) -> Self {
        Self { len, modified, inode: 0 }
    }

    /// The time since the file was written. Zero if that is in the future.
    pub fn age(&self) -> Duration {
        SystemTime::now().duration_since(self.modified).unwrap_or_default()
    }

    /// When the file was written, in milliseconds since 1970.
    pub fn milliseconds(&self) -> u64 {
        self.modified.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |age| age.as_millis() as u64)
    }

    /// The stamp in the metadata of a file.
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

/// A hash of the content of a file. Costline's own files are named by it, so it must not change.
pub fn content_hash(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// The maximum age difference of files that were written at once, in any order, such as by a
/// checkout.
pub const SLACK: Duration = Duration::from_secs(2);

/// Whether a file with this stamp contains the text that the profile with the stamp `profile` was
/// recorded from.
pub fn is_recorded(stamp: &Stamp, profile: &Stamp) -> bool {
    stamp.modified <= profile.modified + SLACK
}
