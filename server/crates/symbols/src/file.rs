//! Finds the file of a recorded library: reads candidates whole and compares their ids with the
//! recorded ones.
//!
//! Files are not memory-mapped, since the next build may truncate one while it is read. A file
//! whose id differs from the recorded one is never used.

use crate::places::last;
use crate::{Id, LibStatus, Search};
use profile::{AddressBase, Lib};
use samply_symbols::object::{
    CompressedFileRange, CompressionFormat, Object, ObjectSection, ObjectSegment, SegmentFlags, elf,
};
use samply_symbols::{
    CandidatePathInfo, FileAndPathHelper, FileAndPathHelperResult, FileLocation, LibraryInfo,
    MultiArchDisambiguator, OptionallySendFuture, SymbolManager, SymbolMap, object,
};
use std::borrow::Cow;
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
/// The limit for all compressed sections of a file, inflated.
const MAX_INFLATED: u64 = 2 << 30;
/// The limit for one, as a multiple of its size. Debug info is compressed to a third, at best to a
/// tenth.
const MAX_RATIO: u64 = 64;
/// Sections up to this size may have any ratio.
const SMALL: u64 = 16 << 20;
/// The most memory that a byte of a PDB or object file takes when it is read.
const MEMORY_PER_BYTE: u64 = 16;

/// A file of a library.
pub(crate) struct LibFile {
    pub path: PathBuf,
    pub bytes: Bytes,
    pub id: Id,
    pub is_elf: bool,
    /// Whether it contains code.
    has_code: bool,
    /// Whether it contains debug info, or is of a format for debug info only.
    has_debug_info: bool,
}

/// The files that were found for a library.
pub(crate) struct LibFiles {
    /// The executed file. It is needed to translate file offsets.
    pub code: Option<LibFile>,
    /// Its debug info, if it is another file.
    pub debug: Option<LibFile>,
    /// Whether the ids agree. False if the profile has none.
    pub is_checked: bool,
}

impl LibFiles {
    /// The file with the most information.
    pub fn best(&self) -> Option<&LibFile> {
        self.debug.as_ref().or(self.code.as_ref())
    }
}

impl Search<'_> {
    /// The path and the bytes of the recorded library, for users that need more than names and
    /// lines.
    ///
    /// # Errors
    /// If the file was not found, or is not the recorded one.
    pub fn binary(&self, lib: &Lib) -> Result<(PathBuf, Vec<u8>), LibStatus> {
        let files = self.find(lib, true)?;
        let code = files.code.ok_or_else(|| missing(lib))?;
        Ok((code.path, code.bytes.into_vec()))
    }

    /// Finds the files of a library. With `needs_code` the search goes on after its debug info was
    /// found.
    pub(crate) fn find(&self, lib: &Lib, needs_code: bool) -> Result<LibFiles, LibStatus> {
        if lib.text_size != 0 {
            let path = self.program(lib.text_size)?;
            return self.read_without_id(path, lib);
        }
        let expected = Id::of(lib);
        if expected.is_empty() {
            return self.find_without_id(lib);
        }
        let needs_code = needs_code || lib.addresses == AddressBase::File;
        let mut files = LibFiles { code: None, debug: None, is_checked: true };
        let (mut mismatch, mut unreadable) = (None, None);
        for path in &self.files(lib) {
            let file = match LibFile::read(path, lib, self) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(why) => {
                    unreadable.get_or_insert(unreadable_file(path, &why));
                    continue;
                }
            };
            if !expected.agrees_with(&file.id) {
                // Files in `symbols.paths` that belong to other libraries are no mismatch.
                if !Search::is_named_like(path, lib) {
                    continue;
                }
                mismatch.get_or_insert(LibStatus::Mismatch {
                    path: file.path,
                    expected: expected.clone(),
                    found: file.id,
                });
                continue;
            }
            if file.has_code && files.code.is_none() {
                files.code = Some(file);
            } else if file.has_debug_info && files.debug.is_none() {
                files.debug = Some(file);
            }
            let has_both = |code: &LibFile| code.has_debug_info || files.debug.is_some();
            if files.code.as_ref().map_or(files.debug.is_some() && !needs_code, has_both) {
                break;
            }
        }
        if files.best().is_some() {
            return Ok(files);
        }
        Err(mismatch.or(unreadable).unwrap_or(missing(lib)))
    }

    /// The debug info of a library without an id, by the id in its file. `perf` records no ids of
    /// libraries in which no sample was taken.
    fn debug_info_of(&self, code: &LibFile, lib: &Lib) -> Option<LibFile> {
        if code.has_debug_info || code.id.is_empty() {
            return None;
        }
        let lib = code.id.of_build(lib);
        let files = self.files(&lib).into_iter().filter(|path| *path != code.path);
        let mut read = files.filter_map(|path| LibFile::read(&path, &lib, self).ok().flatten());
        read.find(|file| file.has_debug_info && code.id.agrees_with(&file.id))
    }

    /// Finds the file of a library without an id: the only file at the recorded path.
    fn find_without_id(&self, lib: &Lib) -> Result<LibFiles, LibStatus> {
        // Count a file with several links once.
        let mut real_paths = Vec::new();
        let mut files =
            self.libraries(lib).into_iter().filter(|path| path.is_file()).filter(|path| {
                let real_path = path.canonicalize().unwrap_or_else(|_| path.clone());
                let is_new = !real_paths.contains(&real_path);
                real_paths.push(real_path);
                is_new
            });
        let Some(path) = files.next() else { return Err(missing(lib)) };
        if let Some(other) = files.next() {
            return Err(LibStatus::Ambiguous { path, other });
        }
        self.read_without_id(path, lib)
    }

    /// Reads the only file that may be a library without an id, if it is not newer than the profile.
    fn read_without_id(&self, path: PathBuf, lib: &Lib) -> Result<LibFiles, LibStatus> {
        let modified = path.metadata().and_then(|meta| meta.modified()).ok();
        if modified.zip(self.profile_modified).is_some_and(|(file, profile)| file > profile) {
            return Err(LibStatus::Newer { path });
        }
        match LibFile::read(&path, lib, self) {
            Ok(Some(code)) => {
                let debug = self.debug_info_of(&code, lib);
                Ok(LibFiles { code: Some(code), debug, is_checked: false })
            }
            Ok(None) => Err(missing(lib)),
            Err(why) => Err(unreadable_file(&path, &why)),
        }
    }
}

fn unreadable_file(path: &Path, why: &io::Error) -> LibStatus {
    let path = path.to_owned();
    match why.kind() {
        io::ErrorKind::OutOfMemory => LibStatus::NoMemory { path },
        _ => LibStatus::Unreadable { path, why: why.to_string() },
    }
}

impl LibFile {
    /// Reads the file at `path`; `None` if there is none.
    fn read(path: &Path, lib: &Lib, search: &Search<'_>) -> io::Result<Option<Self>> {
        let Some(bytes) = search.read(path)? else { return Ok(None) };
        let manager = search.manager(path, &bytes);
        let location = search.location(path);
        let object = object::File::parse(&*bytes).ok();
        object.as_ref().map_or(Ok(()), |object| search.check(object))?;
        let debug_id = lib.debug_id.parse().ok().map(MultiArchDisambiguator::DebugId);
        let which = debug_id.or_else(|| arch(lib));
        let mut file = Self {
            path: path.to_owned(),
            bytes: bytes.clone(),
            id: Id::default(),
            is_elf: false,
            has_code: true,
            has_debug_info: false,
        };
        if let Some(image) =
            ready(manager.load_binary_at_location(location.clone(), None, None, which.clone()))
        {
            let debug_id = image.debug_id().map(|id| id.breakpad().to_string());
            let code_id = image.code_id().map(|id| id.to_string());
            file.id = Id::new(&debug_id.unwrap_or_default(), &code_id.unwrap_or_default());
            let is_in_bundle = || {
                path.components().any(|part| part.as_os_str().to_string_lossy().ends_with(".dSYM"))
            };
            if let Some(object) =
                object.as_ref().filter(|object| object.format() == object::BinaryFormat::Elf)
            {
                file.is_elf = true;
                file.has_code = object
                    .segments()
                    .any(|segment| is_executable(&segment) && segment.file_range().1 > 0);
                file.has_debug_info = has_dwarf(object);
            } else if is_in_bundle() {
                (file.has_code, file.has_debug_info) = (false, true);
            }
        } else {
            // Not a program, so it has nothing but debug info.
            let map = ready(manager.load_symbol_map_from_location(location, which));
            file.id = map
                .map(|map| Id::new(&map.debug_id().breakpad().to_string(), ""))
                .unwrap_or_default();
            (file.has_code, file.has_debug_info) = (false, true);
        }
        Ok(Some(file))
    }

    /// The symbol map of a file that is not an ELF file.
    pub(crate) fn symbol_map(&self, lib: &Lib, search: &Search<'_>) -> Option<SymbolMap<Files>> {
        let which = self.id.debug_id().map(MultiArchDisambiguator::DebugId);
        let manager = search.manager(&self.path, &self.bytes);
        let location = search.location(&self.path);
        ready(manager.load_symbol_map_from_location(location, which.or_else(|| arch(lib))))
    }
}

/// Selects the recorded architecture in a universal binary.
fn arch(lib: &Lib) -> Option<MultiArchDisambiguator> {
    (!lib.arch.is_empty()).then(|| MultiArchDisambiguator::Arch(lib.arch.clone()))
}

fn missing(lib: &Lib) -> LibStatus {
    LibStatus::Missing { recorded: lib.path.clone() }
}

/// The most memory that a byte of a section takes when it is read, in bytes. A byte of a line table
/// is a row, three of debug info are a function.
fn memory_per_byte(section: &str) -> u64 {
    match section.trim_start_matches(['.', '_']) {
        "debug_info" | "debug_info.dwo" | "debug_types" | "debug_types.dwo" => 100,
        "debug_line" | "zdebug_line" | "debug_line.dwo" => 72,
        "debug_abbrev" | "debug_abbrev.dwo" => 48,
        "debug_aranges" | "debug_ranges" | "debug_rnglists" | "debug_rnglists.dwo" => 24,
        "symtab" | "dynsym" | "eh_frame" | "debug_frame" => 8,
        // Texts and locations are read where they lie.
        _ => 1,
    }
}

impl Search<'_> {
    /// Parses a file with code or debug info. `None` if it is neither, or if reading it takes too
    /// much memory.
    pub(crate) fn parse<'b>(&self, bytes: &'b [u8]) -> Option<object::File<'b>> {
        object::File::parse(bytes).ok().filter(|object| self.check(object).is_ok())
    }

    /// Rejects files that take too much memory.
    fn check(&self, object: &object::File<'_>) -> io::Result<()> {
        check_inflated(object).map_err(io::Error::other)?;
        let needed = object.sections().map(|section| {
            let range = section.compressed_file_range();
            let size = range.map_or(section.size(), |range| range.uncompressed_size);
            size.saturating_mul(memory_per_byte(section.name().unwrap_or_default()))
        });
        self.take(needed.fold(0, u64::saturating_add))
    }

    /// Takes memory. The error has the kind `OutOfMemory`.
    fn take(&self, bytes: u64) -> io::Result<()> {
        let left = self.memory.get().checked_sub(bytes).ok_or(io::ErrorKind::OutOfMemory)?;
        self.memory.set(left);
        Ok(())
    }
}

/// Rejects files whose compressed sections claim to be larger than debug info can be. What they
/// claim is what inflating them reserves.
fn check_inflated(object: &object::File<'_>) -> Result<(), String> {
    let mut total = 0_u64;
    for section in object.sections() {
        let Ok(range) = section.compressed_file_range() else { continue };
        if range.format == CompressionFormat::None {
            continue;
        }
        total = total.saturating_add(range.uncompressed_size);
        if !is_plausible(&range) || total > MAX_INFLATED {
            let name = section.name().unwrap_or_default();
            let mib = total >> 20;
            return Err(format!(
                "its compressed sections up to {name} claim {mib} MiB, which is too much for their size"
            ));
        }
    }
    Ok(())
}

/// Whether a section may be as large as it claims to be when it is inflated.
fn is_plausible(range: &CompressedFileRange) -> bool {
    range.uncompressed_size <= SMALL || range.uncompressed_size / MAX_RATIO <= range.compressed_size
}

/// The bytes of a section of a program, inflated. Empty if there is no such section, or it claims to be
/// larger than it can be, or than `most` bytes.
pub(crate) fn section_data<'data>(
    object: &object::File<'data>,
    name: &str,
    most: u64,
) -> Cow<'data, [u8]> {
    let data = object.section_by_name(name).and_then(|section| {
        let range = section.compressed_file_range().ok()?;
        let may_be_read = is_plausible(&range) && range.uncompressed_size <= most;
        may_be_read.then(|| section.uncompressed_data().ok())?
    });
    data.unwrap_or_default()
}

pub(crate) fn has_dwarf(object: &object::File<'_>) -> bool {
    let section = object.section_by_name(".debug_info");
    section.is_some_and(|section| section.file_range().is_some_and(|(_, size)| size > 0))
}

pub(crate) fn is_executable<'data>(segment: &impl ObjectSegment<'data>) -> bool {
    matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & elf::PF_X != 0)
}

impl Search<'_> {
    /// The bytes of a regular file; `None` if there is no regular file at `path`.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Option<Bytes>> {
        read(path, &|bytes| self.take(bytes))
    }

    fn location(&self, path: &Path) -> Location {
        Location { path: path.to_owned(), is_network_path: self.is_network_path }
    }

    fn manager(&self, path: &Path, bytes: &Bytes) -> SymbolManager<Files> {
        let max_bytes = self.memory.get() / MEMORY_PER_BYTE;
        let files = Files { path: path.to_owned(), bytes: bytes.clone(), max_bytes };
        SymbolManager::with_helper(files)
    }
}

/// The bytes of a regular file that `take` allows to be read; `None` if there is no regular file at
/// `path`.
fn read(path: &Path, take: &dyn Fn(u64) -> io::Result<()>) -> io::Result<Option<Bytes>> {
    // Check this before opening the file: opening a pipe waits for its writer.
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
    let size =
        size.ok_or_else(|| io::Error::other(format!("larger than {} GiB", MAX_BYTES >> 30)))?;
    take(meta.len())?;
    bytes.try_reserve_exact(size)?;
    file.take(meta.len()).read_to_end(&mut bytes)?;
    // Files in `/proc` report a size of 0, and some of them never end.
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

/// The result of a future that never waits, because files are read synchronously.
pub(crate) fn ready<T, E>(future: impl Future<Output = Result<T, E>>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.ok(),
        Poll::Pending => None,
    }
}

/// Serves files to `samply-symbols`: one that was read already, and those that it refers to.
pub(crate) struct Files {
    path: PathBuf,
    bytes: Bytes,
    /// The limit for other files.
    max_bytes: u64,
}

/// A path for `samply-symbols`.
#[derive(Clone)]
pub(crate) struct Location {
    path: PathBuf,
    /// [`Search::is_network_path`].
    is_network_path: fn(&str) -> bool,
}

impl Location {
    /// The location of a file that this one names; `None` if it is on another machine.
    fn named(&self, recorded: &str) -> Option<Self> {
        (!(self.is_network_path)(recorded)).then(|| self.at(recorded.into()))
    }

    fn at(&self, path: PathBuf) -> Self {
        Self { path, ..*self }
    }
}

impl FileAndPathHelper for Files {
    type F = Bytes;
    type FL = Location;

    fn get_candidate_paths_for_debug_file(
        &self,
        _: &LibraryInfo,
    ) -> FileAndPathHelperResult<Vec<CandidatePathInfo<Location>>> {
        Ok(Vec::new())
    }

    fn get_candidate_paths_for_binary(
        &self,
        _: &LibraryInfo,
    ) -> FileAndPathHelperResult<Vec<CandidatePathInfo<Location>>> {
        Ok(Vec::new())
    }

    fn get_dyld_shared_cache_paths(
        &self,
        _: Option<&str>,
    ) -> FileAndPathHelperResult<Vec<Location>> {
        Ok(Vec::new())
    }

    fn load_file(
        &self,
        location: Location,
    ) -> Pin<Box<dyn OptionallySendFuture<Output = FileAndPathHelperResult<Bytes>> + '_>> {
        let is_small =
            |size| (size <= self.max_bytes).then_some(()).ok_or(io::ErrorKind::OutOfMemory.into());
        let bytes = if location.path == self.path {
            Ok(Some(self.bytes.clone()))
        } else {
            read(&location.path, &is_small)
        };
        let bytes = bytes.and_then(|bytes| bytes.ok_or_else(|| io::ErrorKind::NotFound.into()));
        Box::pin(std::future::ready(bytes.map_err(Into::into)))
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.path.display().fmt(f)
    }
}

impl FileLocation for Location {
    /// Object files in which a macOS linker leaves debug info.
    fn location_for_external_object_file(&self, object_file: &str) -> Option<Self> {
        self.named(object_file)
    }

    /// The PDB beside the program, else where the linker wrote it.
    fn location_for_pdb_from_binary(&self, recorded: &str) -> Option<Self> {
        let beside = last(recorded).map(|name| self.path.with_file_name(name));
        let beside = beside.filter(|path| path.is_file()).map(|path| self.at(path));
        beside.or_else(|| self.named(recorded))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF file with a compressed section of `packed` bytes that claims to have `inflated`.
    fn compressed(packed: usize, inflated: u64) -> Vec<u8> {
        const NAMES: &[u8] = b"\0.shstrtab\0.debug_str\0\0";
        let (names_at, data_at) = (64 + 3 * 64, 64 + 3 * 64 + NAMES.len() as u64);
        let section = |name: u32, kind: u32, flags: u64, at: u64, size: u64| {
            let mut header = [name.to_le_bytes(), kind.to_le_bytes()].concat();
            for field in [flags, 0, at, size, 0, 1, 0] {
                header.extend(field.to_le_bytes());
            }
            header
        };
        // 64 bits, little endian, for x86-64; three section headers of 64 bytes after this one.
        let mut file = b"\x7fELF\x02\x01\x01".to_vec();
        file.resize(16, 0);
        file.extend([1, 0, 62, 0, 1, 0, 0, 0]);
        file.extend([0, 0, 64].map(u64::to_le_bytes).concat());
        file.extend([0, 0, 64, 0, 0, 64, 3, 1].map(u16::to_le_bytes).concat());
        file.extend(section(0, 0, 0, 0, 0));
        file.extend(section(1, 3, 0, names_at, NAMES.len() as u64));
        file.extend(section(11, 1, 1 << 11, data_at, 24 + packed as u64));
        file.extend(NAMES);
        // Compressed with zlib.
        file.extend([1, inflated, 1].map(u64::to_le_bytes).concat());
        file.resize(file.len() + packed, 0);
        file
    }

    #[test]
    fn sections_that_claim_to_be_larger_than_debug_info_can_be_are_refused() {
        let table = [
            (10, SMALL, None),
            (10, SMALL + 1, Some(16)),
            (1 << 20, MAX_RATIO << 20, None),
            (1 << 20, (MAX_RATIO << 20) + (1 << 20), Some(65)),
            (1 << 25, MAX_INFLATED, None),
            ((1 << 25) + (1 << 20), MAX_INFLATED + (1 << 20), Some(2049)),
        ];
        for (packed, inflated, mib) in table {
            let file = compressed(packed, inflated);
            let refused = check_inflated(&object::File::parse(&*file).unwrap()).err();
            let expected = mib.map(|mib| {
                format!(
                    "its compressed sections up to .debug_str claim {mib} MiB, which is too much for their size"
                )
            });
            assert_eq!(refused, expected, "{packed} {inflated}");
        }
    }

    #[test]
    fn a_binary_that_names_another_machine_has_it_asked_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let program = Location {
            path: folder.path().join("app.exe"),
            is_network_path: |path| path.starts_with(r"\\"),
        };
        let elsewhere = [r"\\server\share\app.pdb", r"\\?\UNC\server\share\app.pdb"];
        for recorded in elsewhere {
            assert!(program.location_for_pdb_from_binary(recorded).is_none(), "{recorded}");
            assert!(program.location_for_external_object_file(recorded).is_none(), "{recorded}");
        }
        let found = |recorded| program.location_for_pdb_from_binary(recorded).unwrap().path;
        assert_eq!(found(r"C:\build\app.pdb"), Path::new(r"C:\build\app.pdb"));
        let beside = folder.path().join("app.pdb");
        std::fs::write(&beside, "").unwrap();
        for recorded in elsewhere.iter().chain(&[r"C:\build\app.pdb"]) {
            assert_eq!(found(recorded), beside, "{recorded}");
        }
    }
}
