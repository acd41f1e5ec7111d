//! Files that only the user can read, in the user's folders for caches and state. Each is written as
//! a whole, so that several servers can share a folder.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::NamedTempFile;

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
