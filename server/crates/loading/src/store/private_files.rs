//! The user's folders for caches and state, and files in them that only the user can read. Each is
//! written as a whole, so that several servers can share a folder.

use etcetera::{BaseStrategy as _, choose_base_strategy};
use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::NamedTempFile;

/// The user's cache folder: that of the environment variable `COSTLINE_CACHE_DIR`, or that of the
/// system. `None` if there is none, or the variable is empty.
pub fn cache_folder() -> Option<PathBuf> {
    match env::var_os("COSTLINE_CACHE_DIR") {
        Some(folder) => (!folder.is_empty()).then(|| folder.into()),
        None => Some(choose_base_strategy().ok()?.cache_dir().join("costline")),
    }
}

/// The user's state folder: that of the environment variable `COSTLINE_STATE_DIR`, or that of the
/// system. `None` if there is none, or the variable is empty.
pub fn state_folder() -> Option<PathBuf> {
    if let Some(folder) = env::var_os("COSTLINE_STATE_DIR") {
        return (!folder.is_empty()).then(|| folder.into());
    }
    let user = choose_base_strategy().ok()?;
    // Windows has no folder for state.
    Some(user.state_dir().unwrap_or_else(|| user.cache_dir()).join("costline"))
}

/// A file in a folder.
pub struct File {
    /// The path.
    pub path: PathBuf,
    /// The length in bytes.
    pub len: u64,
    /// The time of its last change.
    pub modified: SystemTime,
}

/// The files in a folder.
pub fn files(folder: &Path) -> io::Result<Vec<File>> {
    let files = fs::read_dir(folder)?.flatten().filter_map(|entry| {
        let metadata = entry.metadata().ok()?;
        Some(File { path: entry.path(), len: metadata.len(), modified: metadata.modified().ok()? })
    });
    Ok(files.collect())
}

/// Writes a file. Creates the folder if it does not exist.
pub fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    create_private(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(folder.join(name))?;
    Ok(())
}

/// Writes a new file, which must not exist.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

/// Creates a folder that only the user can read, and its parents.
pub fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A hash as the name of a file.
pub fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}
