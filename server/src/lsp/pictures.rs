//! Flame graphs in the temporary folder, which another program opens.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// The number of pictures to keep. It is greater than 1 because the browser may still be reading
/// the previous ones.
const MAX_PICTURES: usize = 8;

/// The latest pictures, each in a folder that only this user can read. They are removed when the
/// server ends.
#[derive(Debug, Default)]
pub struct Pictures(Mutex<Vec<TempDir>>);

impl Pictures {
    /// Creates a folder and returns the path of a picture of `profile` in it.
    pub fn path(&self, profile: &Path) -> io::Result<PathBuf> {
        let name = profile.file_stem().unwrap_or_default().to_string_lossy();
        let replace =
            |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
        let name: String = name.chars().map(replace).take(60).collect();
        let mut folder = tempfile::Builder::new();
        #[cfg(unix)]
        folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = folder.prefix("costline-").tempdir()?;
        let path = folder.path().join(format!("costline-{name}-flamegraph.svg"));
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.len() == MAX_PICTURES {
            folders.remove(0);
        }
        folders.push(folder);
        Ok(path)
    }
}
