//! The pictures that were written to the temporary folder, to be opened outside of the editor.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// A browser may still be reading the one before.
const MAX_PICTURES: usize = 8;

/// The latest few pictures, each in a folder that only this user can look into; they are removed
/// when the server ends.
#[derive(Debug, Default)]
pub struct Pictures(Mutex<Vec<TempDir>>);

impl Pictures {
    /// A free path for a picture of `profile`, in a new folder.
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
