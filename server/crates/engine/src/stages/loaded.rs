//! The first stage of a load: the bytes of one file become a recording.

use crate::stamp::Stamp;
use analysis::{RawStacks, Recording, Warning};
use formats::{ErrorKind, Foreign, Format, Limits, Phase, ReadError, Writer};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes read between two looks at whether to stop.
const READ_AT_ONCE: usize = 32 << 20;

/// What a load is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Reading so many of so many bytes.
    Reading(u64, u64),
    /// Decompressing; so many bytes have come out.
    Inflating(u64),
    /// Decoding so many bytes.
    Decoding(u64),
    /// Finding the files of the workspace and summing.
    Summing,
    /// Finding the callers of stacks that were recorded as memory.
    Unwinding,
    /// Looking addresses up; so many of so many libraries are done.
    Resolving(usize, usize),
}

/// Why a profile could not be loaded. The message names the file.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read at all.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is larger than the settings allow.
    #[error("{}: has {len} bytes, more than the limit of {limit} (setting `maxProfileBytes`)", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its length.
        len: u64,
        /// The limit.
        limit: u64,
    },
    /// What it holds could not be understood.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// It was to be one recording with another file, and is not.
    #[error("{}: is not one recording with {}: {why}", path.display(), first.display())]
    NotOne {
        /// Which file.
        path: PathBuf,
        /// The other file.
        first: PathBuf,
        /// Why.
        why: String,
    },
}

impl LoadError {
    /// What kind of failure it is, if the content is at fault.
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Read { source, .. } => Some(source.kind),
            Self::Io { .. } | Self::TooLarge { .. } | Self::NotOne { .. } => None,
        }
    }

    /// The file at fault.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Read { path, .. }
            | Self::NotOne { path, .. } => path,
        }
    }
}

/// One profile as it was read: a file, or the files of one run ([`crate::runs`]).
#[derive(Debug)]
pub struct Loaded {
    /// The file, the first of several.
    pub path: PathBuf,
    /// Which writing of it, the last of several files.
    pub stamp: Stamp,
    /// All of its files, each with its writing.
    pub files: Vec<(PathBuf, Stamp)>,
    /// Its format.
    pub format: Format,
    /// The version of the format, where the file states one.
    pub version: Option<String>,
    /// What kind of costs was recorded (see [`formats::Read::mode`]).
    pub mode: Option<String>,
    /// The program that wrote it and the dialect of the format.
    pub writer: Writer,
    /// From the first to the last sample.
    pub span_seconds: Option<f64>,
    /// What it says.
    pub recording: Arc<Recording>,
    /// Stacks whose callers are still to be found ([`crate::libraries::unwound`]).
    pub raw_stacks: Option<RawStacks>,
    /// Oddities of the file.
    pub warnings: Vec<Warning>,
}

impl Loaded {
    /// Reads a file. `observe` hears what is being done and stops it by `Break`.
    pub fn read(
        path: &Path,
        max_bytes: u64,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        let cancelled =
            || LoadError::Read { path: path.to_owned(), source: ReadError::cancelled() };

        let mut file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if metadata.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(foreign) = Foreign::of_folder(&name) {
                return Err(LoadError::Read {
                    path: path.to_owned(),
                    source: ReadError::foreign(foreign),
                });
            }
            return Err(io(io::Error::new(
                io::ErrorKind::IsADirectory,
                "is a folder, expected a profile",
            )));
        }
        let stamp = Stamp::from_metadata(&metadata);
        if stamp.len > max_bytes {
            return Err(LoadError::TooLarge {
                path: path.to_owned(),
                len: stamp.len,
                limit: max_bytes,
            });
        }
        let bytes = read_file(&mut file, stamp.len, max_bytes, observe);
        let bytes = bytes.map_err(io)?.ok_or_else(cancelled)?;
        if bytes.len() as u64 > max_bytes {
            return Err(LoadError::TooLarge {
                path: path.to_owned(),
                len: bytes.len() as u64,
                limit: max_bytes,
            });
        }

        let limits = Limits { max_inflated_bytes: max_bytes };
        let read = formats::read(bytes, limits, &mut |phase| match phase {
            Phase::Inflating(n) => observe(Step::Inflating(n)),
            Phase::Decoding(n) => observe(Step::Decoding(n)),
        });
        let read = read.map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
        Ok(Self {
            path: path.to_owned(),
            stamp,
            files: vec![(path.to_owned(), stamp)],
            format: read.format,
            version: read.version,
            mode: read.mode,
            writer: read.writer,
            span_seconds: read.span_seconds,
            recording: Arc::new(read.recording),
            raw_stacks: read.raw_stacks,
            warnings: read.warnings.into_iter().collect(),
        })
    }
}

impl Loaded {
    /// What it is called: the name of its file, and how many more there are.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.files.len() {
            0 | 1 => name.into_owned(),
            2 => format!("{name} and 1 more file"),
            n => format!("{name} and {} more files", n - 1),
        }
    }
}

/// All of a file, at most a byte more than `max_bytes`; `None` if it was stopped. The file may grow
/// or shrink meanwhile.
fn read_file(
    file: &mut File,
    len: u64,
    max_bytes: u64,
    observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let mut n = 0;
    while n < bytes.len() {
        if observe(Step::Reading(n as u64, len)).is_break() {
            return Ok(None);
        }
        let end = bytes.len().min(n + READ_AT_ONCE);
        let read = read_block(file, &mut bytes[n..end], n as u64)?;
        n += read;
        if n < end {
            bytes.truncate(n);
        }
    }
    // What was appended meanwhile, up to the byte that shows that it is too much. All of it where
    // the length says nothing (a pipe), which cannot seek.
    if n > 0 {
        file.seek(SeekFrom::Start(n as u64))?;
    }
    file.take(max_bytes.saturating_add(1).saturating_sub(n as u64)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Fills `block` from `offset`, as far as the file goes; gives the number of bytes. A large block
/// takes two threads: what takes time is the copying.
#[cfg(unix)]
fn read_block(file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    use std::os::unix::fs::FileExt;
    let fill = |part: &mut [u8], offset: u64| {
        let mut n = 0;
        while n < part.len() {
            match file.read_at(&mut part[n..], offset + n as u64) {
                Ok(0) => break,
                Ok(read) => n += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(n)
    };
    if block.len() < READ_AT_ONCE / 8 {
        return fill(block, offset);
    }
    let (first, second) = block.split_at_mut(block.len() / 2);
    let middle = first.len();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| fill(second, offset + middle as u64));
        let first = fill(first, offset)?;
        let second = second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(if first < middle { first } else { middle + second })
    })
}

/// Fills `block` from `offset`, as far as the file goes; gives the number of bytes.
#[cfg(not(unix))]
fn read_block(mut file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(offset))?;
    let mut n = 0;
    while n < block.len() {
        match file.read(&mut block[n..])? {
            0 => break,
            read => n += read,
        }
    }
    Ok(n)
}
