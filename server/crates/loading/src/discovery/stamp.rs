//! Stamps distinguish the versions of a file on disk, and decide which version a profile was
//! recorded from.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};
use twox_hash::XxHash3_128;
use twox_hash::xxhash3_128::Hasher;

/// Identifies a version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When the file was last written.
    pub modified: SystemTime,
    inode: u64,
    /// The change time (`st_ctime`), in seconds and nanoseconds since 1970. It differs after a rewrite
    /// in place that restores the time of the last write. Zero on systems without one.
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of a file. Follows symbolic links.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self::from_metadata(&std::fs::metadata(path)?))
    }

    /// A stamp of something that is not a file on disk.
    pub fn new(len: u64, modified: SystemTime) -> Self {
        Self { len, modified, inode: 0, changed: (0, 0) }
    }

    /// Whether this is the same version of a file as another, which had another name.
    pub fn is_renamed_from(&self, other: &Self) -> bool {
        let identity = |stamp: &Self| (stamp.inode, stamp.len, stamp.modified);
        self.inode != 0 && identity(self) == identity(other)
    }

    /// The time since the file was written. Zero if that is in the future.
    pub fn age(&self) -> Duration {
        SystemTime::now().duration_since(self.modified).unwrap_or_default()
    }

    /// The time since the file was written, moved or changed in another way. Zero if that is in the
    /// future.
    pub fn unchanged_for(&self) -> Duration {
        let changed = u64::try_from(self.changed.0).unwrap_or(u64::MAX);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        now.saturating_sub(Duration::from_secs(changed)).min(self.age())
    }

    /// When the file was written, in milliseconds since 1970.
    pub fn milliseconds(&self) -> u64 {
        self.modified.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |age| age.as_millis() as u64)
    }

    /// The stamp in the metadata of a file.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (inode, changed) = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.ino(), (metadata.ctime(), metadata.ctime_nsec()))
        };
        #[cfg(not(unix))]
        let (inode, changed) = (0, (0, 0));
        Self {
            len: metadata.len(),
            modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            inode,
            changed,
        }
    }
}

/// A hash of the content of a file. Costline's own files are named by it, so it must not change.
pub fn content_hash(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// The hash of content that arrives in parts ([`content_hash`]).
#[derive(Default)]
pub struct ContentHash(Hasher);

impl ContentHash {
    /// Adds the next part.
    pub fn write(&mut self, part: &[u8]) {
        self.0.write(part);
    }

    /// The hash of all parts.
    pub fn finish(&self) -> u128 {
        self.0.finish_128()
    }
}

/// The maximum age difference of files that were written at once, in any order, such as by a
/// checkout.
pub const SLACK: Duration = Duration::from_secs(2);

/// Whether a file with this stamp contains the text that the profile with the stamp `profile` was
/// recorded from.
pub fn is_recorded(stamp: &Stamp, profile: &Stamp) -> bool {
    stamp.modified <= profile.modified + SLACK
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write as _;

    #[test]
    fn a_rewrite_in_place_with_the_same_length_and_time_has_another_stamp() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"main 1\n").unwrap();
        let before = Stamp::of(file.path()).unwrap();
        // The clock of a file system advances every few milliseconds only.
        let now = std::iter::repeat_with(|| {
            std::fs::write(file.path(), "main 2\n").unwrap();
            let rewritten = File::options().write(true).open(file.path()).unwrap();
            rewritten.set_modified(before.modified).unwrap();
            Stamp::of(file.path()).unwrap()
        });
        let now = now.take(50_000).find(|now| *now != before).expect("no other stamp");
        let compared = |stamp: Stamp| (stamp.len, stamp.modified, stamp.inode);
        assert_eq!(compared(now), compared(before));
    }
}
