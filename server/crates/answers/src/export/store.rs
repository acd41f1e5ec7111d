//! Writes what was exported to a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Writes a file. Fails if it exists, unless `overwrite` is set. If writing fails, an existing file
/// is unchanged, and no new one is left.
pub fn store(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let write = |mut file: &File| {
        file.write_all(bytes)?;
        // Some file systems report a full disk only then.
        file.sync_all()
    };
    let existing = fs::metadata(path).ok().filter(|_| overwrite);
    let Some(existing) = existing else {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        return write(&file).inspect_err(|_| {
            // The error of writing is more informative than the error of removing.
            let _ = fs::remove_file(path);
        });
    };
    if !existing.is_file() {
        // Nothing can replace a pipe or a device, such as `/dev/null`.
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    // The target of a symbolic link is replaced, not the link.
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = NamedTempFile::new_in(folder)?;
    write(file.as_file())?;
    file.as_file().set_permissions(existing.permissions())?;
    file.persist(&path)?;
    Ok(())
}

/// The message for an error of [`store`]. `overwrite` is the option that replaces existing files.
pub fn refusal(path: &Path, error: &io::Error, overwrite: &str) -> String {
    match error.kind() {
        _ if path.is_dir() => {
            format!("{}: is a folder; pass a file name", path.display())
        }
        io::ErrorKind::AlreadyExists => {
            format!("{}: the file exists; use {overwrite} to replace it", path.display())
        }
        _ => format!("{}: cannot be written: {error}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let reader = {
            let path = path.clone();
            std::thread::spawn(move || fs::read(path).unwrap())
        };
        store(&path, b"main 1\n", true).unwrap();
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), b"main 1\n");
    }

    #[test]
    fn an_overwritten_file_keeps_its_permissions_and_links() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.folded");
        store(&path, b"main 1\n", false).unwrap();
        let refused = store(&path, b"main 2\n", false).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"main 1\n");
        #[cfg(unix)]
        let (path, mode) = {
            use std::os::unix::fs::{PermissionsExt as _, symlink};
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let link = folder.path().join("link");
            symlink(&path, &link).unwrap();
            (link, |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777)
        };
        store(&path, b"main 3\n", true).unwrap();
        assert_eq!(fs::read(folder.path().join("a.folded")).unwrap(), b"main 3\n");
        #[cfg(unix)]
        {
            assert!(path.is_symlink());
            assert_eq!(mode(&path), 0o640);
        }
    }
}
