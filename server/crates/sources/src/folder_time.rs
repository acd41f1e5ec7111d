//! When the entries of a folder changed.

use std::path::Path;
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

/// Some file systems count in steps of two seconds.
#[cfg(unix)]
const STEP: Duration = Duration::from_secs(2);

/// When entries were last added to a folder, removed or renamed. As long as it is the same, so are
/// the names of the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderTime {
    modified: SystemTime,
    /// The change time (`st_ctime`), in seconds and nanoseconds since 1970. Programs that unpack
    /// files set the other time to the time in the archive.
    changed: (i64, i64),
}

impl FolderTime {
    /// `None` if the folder cannot be read, or changed so recently that a later change may have the
    /// same time.
    #[cfg(unix)]
    pub fn of(folder: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = std::fs::metadata(folder).ok()?;
        let modified = metadata.modified().ok()?;
        let is_long_ago = SystemTime::now().duration_since(modified).is_ok_and(|age| age > STEP);
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        is_long_ago.then_some(Self { modified, changed })
    }

    /// Always `None`: Windows does not keep the times of folders on all file systems (FAT).
    #[cfg(not(unix))]
    pub fn of(_: &Path) -> Option<Self> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_change_whose_time_is_set_back_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let set_back = || fs::File::open(folder.path()).unwrap().set_modified(long_ago).unwrap();
        set_back();
        let time = FolderTime::of(folder.path());
        assert!(time.is_some());
        assert_eq!(FolderTime::of(folder.path()), time);
        // The clock of the file system has its own steps.
        std::thread::sleep(Duration::from_millis(20));
        fs::write(folder.path().join("a.c"), "").unwrap();
        assert_eq!(FolderTime::of(folder.path()), None, "just now");
        set_back();
        assert_ne!(FolderTime::of(folder.path()), time);
    }
}
