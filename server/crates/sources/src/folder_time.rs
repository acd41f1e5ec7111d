//! When the entries of a folder changed.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Some file systems count in steps of two seconds.
const STEP: Duration = Duration::from_secs(2);

/// When entries were last added to a folder, removed or renamed. As long as it is the same, so are
/// the names of the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderTime(SystemTime);

impl FolderTime {
    /// `None` if the folder cannot be read, or changed so recently that a later change may have the
    /// same time.
    pub fn of(folder: &Path) -> Option<Self> {
        let time = fs::metadata(folder).ok()?.modified().ok()?;
        let is_long_ago = SystemTime::now().duration_since(time).is_ok_and(|age| age > STEP);
        is_long_ago.then_some(Self(time))
    }
}
