//! Files that are not read again before they are rewritten.

use answers::{FileVersion, Stamp};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Runs that could not be read or whose load was canceled, by the path of their first file. They
/// are not read again before they are rewritten.
#[derive(Debug, Default)]
pub struct Refused(HashMap<PathBuf, Vec<FileVersion>>);

impl Refused {
    /// Whether exactly these versions of these files were refused.
    pub fn contains(&self, run: &[FileVersion]) -> bool {
        let first = run.first().and_then(|first| self.0.get(&first.path));
        first.is_some_and(|refused| refused == run)
    }

    /// Refuses the files of a run.
    pub fn insert(&mut self, run: Vec<FileVersion>) {
        if let Some(first) = run.first() {
            self.0.insert(first.path.clone(), run);
        }
    }

    /// Allows the runs of a file to be read again.
    pub fn remove(&mut self, path: &Path) {
        self.0.retain(|_, run| !run.iter().any(|file| file.path == path));
    }

    /// Allows all files to be read again.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether this version of a file was refused, alone or as a part of a run.
    pub fn has(&self, path: &Path, stamp: Stamp) -> bool {
        self.0.values().flatten().any(|file| file.path == path && file.stamp == stamp)
    }
}
