//! The first stage of a load: a file is read and becomes a recording.

use crate::discovery::FileVersion;
use crate::discovery::companions;
use crate::discovery::companions::companions;
use crate::discovery::hashed::Hashed;
use crate::discovery::stamp::Stamp;
use crate::load::helper;
use crate::load::helper::Request;
use crate::load::memory;
use crate::load::memory::Reserved;
use analysis::{RawStacks, Recording, Thread, Warning, WarningCode};
use formats::{ErrorKind, Fleet, Foreign, Format, Limits, ReadError, Source, WholeRecords, Writer};
use sources::regular_file;
use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A step of a load, for progress reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Reading and decoding the file: bytes read, bytes in total.
    Reading(u64, u64),
    /// Mapping files and summing costs.
    Summing,
    /// Unwinding copied stacks.
    Unwinding,
    /// Resolving addresses: libraries done, libraries in total.
    Resolving(usize, usize),
}

/// An error of a load. The message names the file.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is larger than the setting `maxProfileBytes`.
    #[error("{}: has {len} bytes, more than the limit of {limit} (setting `maxProfileBytes`)", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        len: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file needs more memory than this process may take.
    #[error(
        "{}: needs more memory than the {} MB that are free; close other programs, or record for \
         a shorter time",
        path.display(),
        available >> 20
    )]
    NoMemory {
        /// The file.
        path: PathBuf,
        /// The memory that is available, in bytes.
        available: u64,
    },
    /// The content could not be decoded.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the reader.
        source: ReadError,
    },
    /// The file cannot be merged with another file of the run.
    #[error("{}: cannot be merged with {}: {why}", path.display(), first.display())]
    Unmergeable {
        /// The file.
        path: PathBuf,
        /// The other file.
        first: PathBuf,
        /// The reason.
        why: String,
    },
}

impl LoadError {
    /// The kind of the reader's error. `None` for other errors.
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Read { source, .. } => Some(source.kind),
            Self::Io { .. }
            | Self::TooLarge { .. }
            | Self::NoMemory { .. }
            | Self::Unmergeable { .. } => None,
        }
    }

    /// Whether more memory would help.
    pub fn is_about_memory(&self) -> bool {
        match self {
            Self::NoMemory { .. } => true,
            Self::Io { source, .. } => source.kind() == io::ErrorKind::OutOfMemory,
            other => other.kind() == Some(ErrorKind::NoMemory),
        }
    }

    /// The file that the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NoMemory { path, .. }
            | Self::Read { path, .. }
            | Self::Unmergeable { path, .. } => path,
        }
    }
}

/// A profile as read: one file, or the merged files of one run ([`crate::discovery::runs`]).
#[derive(Debug)]
pub struct Loaded {
    /// The file; the first one if there are several.
    pub path: PathBuf,
    /// The stamp of the file that was written last.
    pub stamp: Stamp,
    /// All files, each with its stamp.
    pub files: Vec<(PathBuf, Stamp)>,
    /// The files that were read, each with its thread.
    pub threads: Vec<(PathBuf, Thread)>,
    /// The companions of all files, each with its stamp.
    pub companions: Vec<(PathBuf, Stamp)>,
    /// The hash of the bytes of all files.
    pub content: u128,
    /// The format.
    pub format: Format,
    /// The version of the format, if the file states one.
    pub version: Option<String>,
    /// The kind of costs that was recorded (see [`formats::Read::mode`]).
    pub mode: Option<String>,
    /// The program that wrote the file, and the dialect of the format.
    pub writer: Writer,
    /// The time from the first to the last sample.
    pub span_seconds: Option<f64>,
    /// Whether a file is cut (see [`formats::Read::truncated`]).
    pub truncated: Option<bool>,
    /// The recording.
    pub recording: Arc<Recording>,
    /// Copied stacks that are not unwound yet ([`crate::load::libraries::unwound`]).
    pub raw_stacks: Option<RawStacks>,
    /// Whether a file has copied stacks, so that the recording depends on the programs that were
    /// found when it was read.
    pub needs_programs: bool,
    /// The coverage report whose counts the recording has.
    pub report: Option<(PathBuf, Stamp)>,
    /// Whether the file counts executions, but the file with their lines was not read.
    pub lacks_lines_of_counts: bool,
    /// Where the profile comes from, if `costline fetch` wrote it.
    pub fleet: Option<Box<Fleet>>,
    /// What may name the revision that the program was built from ([`formats::Read::revisions`]).
    pub revisions: Vec<String>,
    /// Warnings of the reader.
    pub warnings: Vec<Warning>,
}

impl Loaded {
    /// Reads a file. `observe` is called with each step and cancels the load if it returns `Break`.
    pub fn read(
        path: &Path,
        max_bytes: u64,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Self, LoadError> {
        let mut last = Step::Reading(0, 0);
        let mut watch = |step| {
            last = step;
            observe(step)
        };
        match Self::read_with(path, max_bytes, Memory::Available, &mut watch) {
            Err(LoadError::NoMemory { .. }) => {}
            outcome => return outcome,
        }
        let request = Request { files: vec![path.to_owned()], max_bytes, libraries: None };
        match helper::succeeds(&request, &mut || observe(last)) {
            ControlFlow::Continue(true) => Self::read_with(path, max_bytes, Memory::Any, observe),
            ControlFlow::Continue(false) => Err(no_memory(path)),
            ControlFlow::Break(()) => Err(cancelled(path)),
        }
    }

    /// Reads the whole records of a file of this format to which its profiler appends. Its stamp has
    /// the number of bytes that were read.
    pub fn read_growing(
        path: &Path,
        format: Format,
        max_bytes: u64,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        let (file, metadata) = regular_file::open(path).map_err(io)?;
        let stamp = Stamp::from_metadata(&metadata);
        let records = WholeRecords::new(file, format);
        let memory = Memory::Available;
        let (mut loaded, len) =
            Self::decode(path, Some(stamp), records, max_bytes, memory, observe)?;
        loaded.stamp.len = len;
        loaded.files = vec![(path.to_owned(), loaded.stamp)];
        Ok(loaded)
    }

    fn read_with(
        path: &Path,
        max_bytes: u64,
        memory: Memory,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(foreign) = Foreign::of_folder(&name) {
                return Err(LoadError::Read {
                    path: path.to_owned(),
                    source: ReadError::foreign(foreign).of_file(path),
                });
            }
            let is_of_perf = ["data", "data.0"].iter().all(|name| path.join(name).is_file());
            let message = if is_of_perf {
                "is a folder of `perf record --threads`, which Costline does not read; record \
                 without `--threads`"
            } else {
                "is a folder, expected a profile"
            };
            return Err(io(io::Error::new(io::ErrorKind::IsADirectory, message)));
        }
        let (file, metadata) = regular_file::open(path).map_err(io)?;
        let stamp = Stamp::from_metadata(&metadata);
        if stamp.len > max_bytes {
            return Err(LoadError::TooLarge {
                path: path.to_owned(),
                len: stamp.len,
                limit: max_bytes,
            });
        }
        Ok(Self::decode(path, Some(stamp), file, max_bytes, memory, observe)?.0)
    }

    /// Reads a stream to its end, at most `max_bytes`. Messages name it `path`.
    pub fn read_stream(
        stream: impl Read + Send,
        path: &Path,
        max_bytes: u64,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<Self, LoadError> {
        Ok(Self::decode(path, None, stream, max_bytes, Memory::Available, observe)?.0)
    }

    /// Reads the bytes of a file, which may grow or shrink meanwhile, or of a stream without a stamp.
    /// Also returns their number.
    fn decode(
        path: &Path,
        stamp: Option<Stamp>,
        file: impl Read + Send,
        max_bytes: u64,
        memory: Memory,
        observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<(Self, u64), LoadError> {
        // One byte beyond the limit shows that a file is too large.
        let mut file = Hashed::new(file.take(max_bytes.saturating_add(1)));
        let n_read = file.n_read();
        let expected = stamp.map(|stamp| stamp.len);
        let source = Source::new(&mut file, expected);
        let limits = Limits { max_inflated_bytes: max_bytes };
        let (mut reserved, mut no_memory) = (reserve(path, 0)?, None);
        let read = formats::read(source, limits, &mut |needed| {
            if memory == Memory::Available && !reserved.grow(needed) {
                no_memory = Some(self::no_memory(path));
                return ControlFlow::Break(());
            }
            observe(Step::Reading(n_read.get(), expected.unwrap_or(0)))
        });
        if let Some(error) = no_memory {
            return Err(error);
        }
        let (len, content) = file.finish();
        let stamp = stamp.unwrap_or_else(|| Stamp::new(len, SystemTime::now()));
        if len > max_bytes {
            return Err(LoadError::TooLarge { path: path.to_owned(), len, limit: max_bytes });
        }
        let mut read = read.map_err(|source| LoadError::Read {
            path: path.to_owned(),
            source: source.of_file(path),
        })?;
        drop(reserved);
        drop(reserve(path, analysis::max_memory(&read.recording))?);
        let companions = companions(path, read.format);
        let bytes_left = max_bytes.saturating_sub(stamp.len);
        if add_companions(&mut read, path, bytes_left, observe).is_break() {
            return Err(cancelled(path));
        }
        let loaded = Self {
            path: path.to_owned(),
            stamp,
            files: vec![(path.to_owned(), stamp)],
            threads: vec![(path.to_owned(), Thread::default())],
            companions,
            content,
            format: read.format,
            version: read.version,
            mode: read.mode,
            writer: read.writer,
            span_seconds: read.span_seconds,
            truncated: read.truncated,
            recording: Arc::new(read.recording),
            needs_programs: read.raw_stacks.is_some(),
            raw_stacks: read.raw_stacks,
            report: None,
            lacks_lines_of_counts: read.executions.is_some(),
            fleet: read.fleet,
            revisions: read.revisions,
            warnings: read.warnings.into_iter().collect(),
        };
        Ok((loaded, len))
    }
}

/// How much memory a read may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Most of what is available.
    Available,
    /// As much as it needs.
    Any,
}

/// Reserves memory for a file.
fn reserve(path: &Path, bytes: u64) -> Result<Reserved, LoadError> {
    memory::reserve(bytes).ok_or_else(|| no_memory(path))
}

fn no_memory(path: &Path) -> LoadError {
    let available = memory::available().unwrap_or(0);
    LoadError::NoMemory { path: path.to_owned(), available }
}

fn cancelled(path: &Path) -> LoadError {
    LoadError::Read { path: path.to_owned(), source: ReadError::cancelled() }
}

impl Loaded {
    /// Reserves the memory for computing its costs under another view.
    ///
    /// # Errors
    /// If there is not enough.
    pub fn reserve_memory(&self) -> Result<Reserved, LoadError> {
        reserve(&self.path, analysis::max_memory(&self.recording))
    }

    /// Whether it was read from exactly these versions of these files.
    pub fn is_read_from(&self, files: &[FileVersion]) -> bool {
        files.len() == self.files.len() && files.iter().all(|file| self.has_read(file))
    }

    /// Whether it was read from this version of a file, among others, and of its companions.
    pub fn has_read(&self, file: &FileVersion) -> bool {
        let mut companions = file.candidate.iter().flat_map(|candidate| &candidate.companions);
        let mut files = self.files.iter();
        files.any(|(path, stamp)| (path, *stamp) == (&file.path, file.stamp))
            && companions.all(|companion| self.companions.contains(companion))
    }

    /// The absolute folder of the file. `None` for a relative path without a file, such as the name
    /// of standard input.
    pub fn folder(&self) -> Option<PathBuf> {
        let is_known = self.path.is_absolute() || self.path.exists();
        let path = is_known.then(|| std::path::absolute(&self.path).ok()).flatten()?;
        path.parent().map(Path::to_owned)
    }

    /// The name to show: the file name, and the number of other files.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.files.len() {
            0 | 1 => name.into_owned(),
            2 => format!("{name} and 1 more file"),
            n => format!("{name} and {} more files", n - 1),
        }
    }
}

/// Adds what the files beside a deep profile of Mercury say: `Deep.procrep` how often lines were
/// executed, and `Deep.contour` which procedures are left out of lists of callers. There is a
/// warning if one of them cannot be read or does not match.
fn add_companions(
    read: &mut formats::Read,
    profile: &Path,
    max_bytes: u64,
    observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if profile.extension().is_none_or(|extension| extension != "data") {
        return ControlFlow::Continue(());
    }
    if read.executions.is_some() {
        let path = profile.with_extension(companions::PROGRAM);
        let bytes = read_companion(&path, max_bytes, observe)?;
        let added = bytes.map(|bytes| read.add_line_counts(&bytes?).map_err(|e| e.to_string()));
        warn(read, WarningCode::ProgramRepresentation, added, |error| {
            format!("execution counts are unknown: {}: {error}", file_name(&path))
        });
    }
    if read.recording.n_contexts().is_some() {
        let path = profile.with_extension(companions::CONTOUR);
        let bytes = read_companion(&path, max_bytes, observe)?;
        let added = bytes.map(|bytes| read.add_contour(&bytes?).map_err(|e| e.to_string()));
        warn(read, WarningCode::Contour, added, |error| {
            format!("the contour file {} is ignored: {error}", file_name(&path))
        });
    }
    ControlFlow::Continue(())
}

/// Adds a warning if a file beside the profile could not be used.
fn warn(
    read: &mut formats::Read,
    code: WarningCode,
    added: Option<Result<(), String>>,
    message: impl Fn(String) -> String,
) {
    if let Some(Err(error)) = added {
        read.warnings.add(code, || message(error));
    }
}

fn file_name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Reads a file beside a profile, at most `max_bytes`; `None` if there is none.
pub(crate) fn read_companion(
    path: &Path,
    max_bytes: u64,
    observe: &mut dyn FnMut(Step) -> ControlFlow<()>,
) -> ControlFlow<(), Option<Result<Vec<u8>, String>>> {
    // A link could lead to any file, and a pipe might never end.
    let Some(metadata) = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file) else {
        return ControlFlow::Continue(None);
    };
    let len = metadata.len();
    if len > max_bytes {
        return ControlFlow::Continue(Some(Err(format!(
            "has {len} bytes, more than the rest of the limit (setting `maxProfileBytes`)"
        ))));
    }
    if observe(Step::Reading(0, len)).is_break() {
        return ControlFlow::Break(());
    }
    let bytes = regular_file::open(path).and_then(|(file, _)| {
        let mut bytes = Vec::new();
        file.take(max_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    ControlFlow::Continue(Some(bytes.map_err(|error| error.to_string())))
}
