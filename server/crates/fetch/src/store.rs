//! Writes a profile below `.costline/`, where the server finds it.

use crate::answer::Fetched;
use crate::error::FetchError;
use crate::project::check_inside;
use formats::fetched::{FOLDER, extension};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Writes a profile as `.costline/NAME.EXTENSION` in the project at `root`, instead of an earlier
/// one. The file is whole at any time. Returns its path.
/// A link that leads out of the project is an error.
pub fn store(root: &Path, name: &str, fetched: &Fetched) -> Result<PathBuf, FetchError> {
    let folder = root.join(FOLDER);
    let path = folder.join(format!("{name}.{}", extension(fetched.format, &fetched.bytes)));
    let made = fs::create_dir_all(&folder).and_then(|()| check_inside(root, &folder));
    made.map_err(|error| FetchError::Store { path: folder.clone(), error })?;
    match write(&folder, &path, &fetched.bytes) {
        Ok(()) => Ok(path),
        Err(error) => Err(FetchError::Store { path, error }),
    }
}

/// Writes a file. It takes the place of a link of that name, which is not followed.
fn write(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = new_file(folder)?;
    file.write_all(bytes)?;
    // Some file systems report a full disk only then.
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// A file that becomes visible under its name when it is whole. Others may read it, as any file of the
/// project.
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".fetch").tempfile_in(folder)
}

/// Checks a name for a file: a plain name, so that it is below `.costline/`.
pub(crate) fn file_stem(name: &str) -> Result<String, FetchError> {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(allowed) {
        return Err(FetchError::Usage(format!(
            "{name}: expected a name for a file, of letters, digits, `-`, `_` and `.`"
        )));
    }
    Ok(name.to_owned())
}
