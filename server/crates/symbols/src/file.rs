//! Which file is the library that was recorded: files are read whole, and their ids compared with the recorded ones.
//!
//! Nothing is mapped into memory, since the next build may truncate a file while it is read. A file whose id is not the recorded
//! one is never used.

use crate::elf::has_dwarf;
use crate::{Found, Id, Search};
use profile::{AddressBase, Lib};
use samply_symbols::object::{Object, ObjectSegment, SegmentFlags, elf};
use samply_symbols::{
    CandidatePathInfo, FileAndPathHelper, FileAndPathHelperResult, FileLocation, LibraryInfo, MultiArchDisambiguator,
    OptionallySendFuture, SymbolManager, SymbolMap, object,
};
use std::fs::File;
use std::future::Future;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Larger files are not read.
const MAX_BYTES: u64 = 4 << 30;

/// A file of a library.
pub(crate) struct LibFile {
    pub path: PathBuf,
    pub bytes: Bytes,
    pub id: Id,
    pub is_elf: bool,
    /// It holds the instructions.
    has_code: bool,
    /// It holds debug info, or was made to hold nothing else.
    has_debug_info: bool,
}

/// The files of a library that were found.
pub(crate) struct LibFiles {
    /// What was executed; translates offsets in the file.
    pub code: Option<LibFile>,
    /// Its debug info, if it is another file.
    pub debug: Option<LibFile>,
    /// Whether the ids agree; else the profile has none.
    pub is_checked: bool,
}

impl LibFiles {
    /// The file that says most.
    pub fn best(&self) -> Option<&LibFile> {
        self.debug.as_ref().or(self.code.as_ref())
    }
}

impl Search<'_> {
    /// The library that was recorded, and its bytes: for whoever needs more of it than names and lines.
    ///
    /// # Errors
    /// Why there is none: not found, or not the one that was recorded.
    pub fn binary(&self, lib: &Lib) -> Result<(PathBuf, Vec<u8>), Found> {
        let files = self.find(lib, true)?;
        let code = files.code.ok_or_else(|| missing(lib))?;
        Ok((code.path, code.bytes.into_vec()))
    }

    /// The files of a library. With `needs_code` the search goes on when its debug info was found.
    pub(crate) fn find(&self, lib: &Lib, needs_code: bool) -> Result<LibFiles, Found> {
        let wanted = Id::of(lib);
        if wanted.is_empty() {
            return self.find_without_id(lib);
        }
        let needs_code = needs_code || lib.addresses == AddressBase::File;
        let mut files = LibFiles { code: None, debug: None, is_checked: true };
        let (mut mismatch, mut unreadable) = (None, None);
        for path in &self.files(lib) {
            let file = match LibFile::read(path, lib) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(why) => {
                    unreadable.get_or_insert(Found::Unreadable { path: path.clone(), why });
                    continue;
                }
            };
            if !wanted.agrees_with(&file.id) {
                // Debug info of other libraries that the user names is no news.
                if !Search::is_named_like(path, lib) {
                    continue;
                }
                mismatch.get_or_insert(Found::Mismatch { path: file.path, wanted: wanted.clone(), found: file.id });
                continue;
            }
            if file.has_code && files.code.is_none() {
                files.code = Some(file);
            } else if file.has_debug_info && files.debug.is_none() {
                files.debug = Some(file);
            }
            let is_complete = |code: &LibFile| code.has_debug_info || files.debug.is_some();
            if files.code.as_ref().map_or(files.debug.is_some() && !needs_code, is_complete) {
                break;
            }
        }
        if files.best().is_some() {
            return Ok(files);
        }
        Err(mismatch.or(unreadable).unwrap_or(missing(lib)))
    }

    /// A profile without ids: the one file that is where the profile says, if it can be the one that was recorded.
    fn find_without_id(&self, lib: &Lib) -> Result<LibFiles, Found> {
        let mut there = self.libraries(lib);
        there.retain(|path| path.is_file());
        let mut real = Vec::new();
        there.retain(|path| {
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            let is_new = !real.contains(&path);
            real.push(path);
            is_new
        });
        let mut there = there.into_iter();
        let (first, second) = (there.next(), there.next());
        let Some(path) = first else { return Err(missing(lib)) };
        if let Some(other) = second {
            return Err(Found::Ambiguous { path, other });
        }
        let modified = path.metadata().and_then(|meta| meta.modified()).ok();
        if modified.zip(self.profile_modified).is_some_and(|(file, profile)| file > profile) {
            return Err(Found::Newer { path });
        }
        match LibFile::read(&path, lib) {
            Ok(Some(code)) => Ok(LibFiles { code: Some(code), debug: None, is_checked: false }),
            Ok(None) => Err(missing(lib)),
            Err(why) => Err(Found::Unreadable { path, why }),
        }
    }
}

impl LibFile {
    /// The file at `path`; `None` if there is none.
    pub(crate) fn read(path: &Path, lib: &Lib) -> Result<Option<Self>, String> {
        let Some(bytes) = read(path).map_err(|why| why.to_string())? else { return Ok(None) };
        let manager = manager(path, &bytes);
        let location = Location(path.to_owned());
        let object = object::File::parse(&*bytes).ok();
        let wanted = lib.debug_id.parse().ok().map(MultiArchDisambiguator::DebugId);
        let arch = || (!lib.arch.is_empty()).then(|| MultiArchDisambiguator::Arch(lib.arch.clone()));
        let which = wanted.or_else(arch);
        let mut file = Self {
            path: path.to_owned(),
            bytes: bytes.clone(),
            id: Id::default(),
            is_elf: false,
            has_code: true,
            has_debug_info: false,
        };
        if let Some(image) = ready(manager.load_binary_at_location(location.clone(), None, None, which.clone())) {
            let debug_id = image.debug_id().map(|id| id.breakpad().to_string());
            let code_id = image.code_id().map(|id| id.to_string());
            file.id = Id::new(&debug_id.unwrap_or_default(), &code_id.unwrap_or_default());
            let is_in_bundle = || path.components().any(|part| part.as_os_str().to_string_lossy().ends_with(".dSYM"));
            if let Some(object) = object.as_ref().filter(|object| object.format() == object::BinaryFormat::Elf) {
                file.is_elf = true;
                file.has_code = object.segments().any(|segment| is_executable(&segment) && segment.file_range().1 > 0);
                file.has_debug_info = has_dwarf(object);
            } else if is_in_bundle() {
                (file.has_code, file.has_debug_info) = (false, true);
            }
        } else {
            // No program: what holds nothing but debug info.
            let map = ready(manager.load_symbol_map_from_location(location, which));
            file.id = map.map(|map| Id::new(&map.debug_id().breakpad().to_string(), "")).unwrap_or_default();
            (file.has_code, file.has_debug_info) = (false, true);
        }
        Ok(Some(file))
    }

    /// The map of a file that is no ELF file.
    pub(crate) fn symbol_map(&self, lib: &Lib) -> Option<SymbolMap<Files>> {
        let which = self.id.debug_id().map(MultiArchDisambiguator::DebugId);
        let arch = || (!lib.arch.is_empty()).then(|| MultiArchDisambiguator::Arch(lib.arch.clone()));
        let manager = manager(&self.path, &self.bytes);
        ready(manager.load_symbol_map_from_location(Location(self.path.clone()), which.or_else(arch)))
    }
}

fn missing(lib: &Lib) -> Found {
    Found::Missing { recorded: lib.path.clone() }
}

pub(crate) fn is_executable<'data>(segment: &impl ObjectSegment<'data>) -> bool {
    matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & elf::PF_X != 0)
}

fn manager(path: &Path, bytes: &Bytes) -> SymbolManager<Files> {
    SymbolManager::with_helper(Files { path: path.to_owned(), bytes: bytes.clone() })
}

/// The bytes of a regular file; `None` if there is nothing at `path`, or something else.
pub(crate) fn read(path: &Path) -> io::Result<Option<Bytes>> {
    // Before it is opened: that would wait for the writer of a pipe.
    if !path.metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(None);
    }
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let size = usize::try_from(meta.len()).ok().filter(|_| meta.len() <= MAX_BYTES);
    let size = size.ok_or_else(|| io::Error::other(format!("larger than {} GiB", MAX_BYTES >> 30)))?;
    bytes.try_reserve_exact(size)?;
    file.take(meta.len()).read_to_end(&mut bytes)?;
    // So the kernel's own files say, some of which never end.
    if bytes.is_empty() {
        return Err(io::Error::other("it is empty"));
    }
    Ok(Some(Bytes(Arc::new(bytes))))
}

/// The bytes of a file, shared.
#[derive(Clone)]
pub(crate) struct Bytes(Arc<Vec<u8>>);

impl Bytes {
    pub fn into_vec(self) -> Vec<u8> {
        Arc::unwrap_or_clone(self.0)
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// The result of a future that waits for nothing: files are read at once.
pub(crate) fn ready<T, E>(future: impl Future<Output = Result<T, E>>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.ok(),
        Poll::Pending => None,
    }
}

/// Files for `samply-symbols`: one that was read, and those that it refers to.
pub(crate) struct Files {
    path: PathBuf,
    bytes: Bytes,
}

/// A path for `samply-symbols`.
#[derive(Clone)]
pub(crate) struct Location(PathBuf);

impl FileAndPathHelper for Files {
    type F = Bytes;
    type FL = Location;

    fn get_candidate_paths_for_debug_file(&self, _: &LibraryInfo) -> FileAndPathHelperResult<Vec<CandidatePathInfo<Location>>> {
        Ok(Vec::new())
    }

    fn get_candidate_paths_for_binary(&self, _: &LibraryInfo) -> FileAndPathHelperResult<Vec<CandidatePathInfo<Location>>> {
        Ok(Vec::new())
    }

    fn get_dyld_shared_cache_paths(&self, _: Option<&str>) -> FileAndPathHelperResult<Vec<Location>> {
        Ok(Vec::new())
    }

    fn load_file(&self, location: Location) -> Pin<Box<dyn OptionallySendFuture<Output = FileAndPathHelperResult<Bytes>> + '_>> {
        let bytes = if location.0 == self.path { Ok(Some(self.bytes.clone())) } else { read(&location.0) };
        let bytes = bytes.and_then(|bytes| bytes.ok_or_else(|| io::ErrorKind::NotFound.into()));
        Box::pin(std::future::ready(bytes.map_err(Into::into)))
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.display().fmt(f)
    }
}

impl FileLocation for Location {
    /// The objects that a macOS linker leaves debug info in.
    fn location_for_external_object_file(&self, object_file: &str) -> Option<Self> {
        Some(Self(object_file.into()))
    }

    /// Beside the program, else where the linker put it.
    fn location_for_pdb_from_binary(&self, recorded: &str) -> Option<Self> {
        let beside = recorded.rsplit(['/', '\\']).next().map(|name| self.0.with_file_name(name));
        Some(Self(beside.filter(|path| path.is_file()).unwrap_or_else(|| recorded.into())))
    }

    fn location_for_dyld_subcache(&self, _: &str) -> Option<Self> {
        None
    }

    fn location_for_source_file(&self, _: &str) -> Option<Self> {
        None
    }

    fn location_for_breakpad_symindex(&self) -> Option<Self> {
        None
    }

    fn location_for_dwo(&self, _: &str, _: &str) -> Option<Self> {
        None
    }

    fn location_for_dwp(&self) -> Option<Self> {
        None
    }
}
