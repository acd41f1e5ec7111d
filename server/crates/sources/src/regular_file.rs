//! Opens regular files only. Opening a named pipe waits for a writer, and a device may never end.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// The message for a file that is neither a regular file nor a folder.
pub const NOT_REGULAR: &str = "is not a regular file";

/// Opens a regular file to read it. Follows symbolic links. Another kind of file is an error of the
/// kind `InvalidInput`, a folder one of the kind `IsADirectory`.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    // Opening some devices has an effect, so the kind is checked first.
    check(&fs::metadata(path)?)?;
    open_at_once(path)
}

/// Opens a regular file without waiting for anything, and checks it only then: it may have been
/// replaced by a pipe meanwhile.
fn open_at_once(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    check(&metadata)?;
    Ok((file, metadata))
}

/// The content of a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, _) = open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn check(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, NOT_REGULAR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "abc").unwrap();
        assert_eq!(read(&path).unwrap(), b"abc");
        assert_eq!(open(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(open(&folder.path().join("b")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [&pipe, &link, Path::new("/dev/zero")] {
            let error = open(path).unwrap_err();
            assert_eq!(error.to_string(), "is not a regular file", "{}", path.display());
            // As if it had been a regular file a moment before.
            let error = open_at_once(path).unwrap_err();
            assert_eq!(error.to_string(), "is not a regular file", "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_refused_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        // It waits until somebody opens the pipe for reading.
        let path = pipe.clone();
        let writer = std::thread::spawn(move || OpenOptions::new().write(true).open(path));
        for _ in 0..100 {
            assert!(open(&pipe).is_err());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(!writer.is_finished(), "the pipe was opened");
        File::open(&pipe).unwrap();
        writer.join().unwrap().unwrap();
    }
}
