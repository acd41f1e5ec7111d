//! Opens regular files only. Opening a named pipe waits for a writer, and a device may never end.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// The size of the largest source that is read, in bytes.
pub const MAX_SOURCE: u64 = 16 << 20;

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

/// The content of a regular file. A larger one than `max_bytes` is an error of the kind
/// `FileTooLarge`.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open(path)?;
    read_opened(file, &metadata, max_bytes)
}

/// Like [`read`], of a file that [`open`] opened.
pub fn read_opened(file: File, metadata: &Metadata, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if metadata.len() <= max_bytes {
        // It may grow meanwhile.
        file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    }
    if metadata.len() > max_bytes || bytes.len() as u64 > max_bytes {
        let message = format!("has more than {max_bytes} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Like [`read`], of a file in UTF-8. Another encoding is an error of the kind `InvalidData`.
pub fn read_to_string(path: &Path, max_bytes: u64) -> io::Result<String> {
    let bytes = read(path, max_bytes)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
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
        assert_eq!(read(&path, 3).unwrap(), b"abc");
        assert_eq!(read(&path, 2).unwrap_err().to_string(), "has more than 2 bytes");
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
