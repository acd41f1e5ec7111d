//! Looks addresses up in ELF files: in symbols and in DWARF, including split debug info (`.dwo`,
//! `.dwp`), separate debug info (`.gnu_debuglink`), debug info shared between files
//! (`.gnu_debugaltlink`), and the symbols of stripped files (`.gnu_debugdata`).
//!
//! This uses `addr2line` directly, because `samply-symbols` drops return types from names, and a
//! leading underscore that C names in ELF may have. Names are those that `addr2line -C` and
//! `c++filt` print.

use crate::checksums::Checksums;
use crate::declared::{Declarations, Declared};
use crate::file::{Bytes, LibFile, LibFiles, has_dwarf, is_executable};
use crate::frame::Frame;
use crate::symbol_table::{Kind, Symbol, symbols};
use crate::{Md5, Search, names};
use addr2line::gimli::{self, DwarfPackage, EndianSlice, RunTimeEndian, UnitHeader};
use addr2line::{Context, LookupContinuation, LookupResult, SplitDwarfLoad};
use elsa::FrozenVec;
use lzma_rust2::XzReader;
use profile::AddressBase;
use rustc_hash::FxHashMap;
use samply_symbols::object::{self, Object, ObjectSection, ObjectSegment};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Larger symbol tables are not decompressed.
const MAX_MINI_SYMBOLS: u64 = 256 << 20;
/// The memory limit for decompressing them; `xz -9` needs 64 MiB.
const MAX_DICTIONARY_KIB: u32 = 128 << 10;

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// Owns what is read or decompressed while an [`Elf`] refers to it.
#[derive(Default)]
pub(crate) struct Arena(FrozenVec<Vec<u8>>);

/// An ELF file, or two: one with code and one with debug info.
pub(crate) struct Elf<'a> {
    /// The file that lines come from or, without lines, names.
    pub path: PathBuf,
    pub has_lines: bool,
    search: &'a Search<'a>,
    arena: &'a Arena,
    /// The address of the image's first segment, which addresses of the image are relative to.
    image_start: u64,
    code: Vec<Segment>,
    symbols: Vec<Symbol<'a>>,
    dwarf: Option<Context<Slice<'a>>>,
    package: Option<DwarfPackage<Slice<'a>>>,
    demangled: RefCell<FxHashMap<String, Arc<str>>>,
    declarations: Declarations<'a>,
    checksums: RefCell<Checksums>,
    missing: RefCell<BTreeSet<PathBuf>>,
}

/// A segment with code, in memory and in the file.
struct Segment {
    memory: Range<u64>,
    /// Empty in files that have only debug info.
    file: Range<u64>,
}

impl<'a> Elf<'a> {
    /// Parses the files that were found. `None` if they are malformed.
    pub fn open(files: &'a LibFiles, search: &'a Search<'a>, arena: &'a Arena) -> Option<Self> {
        let parse = |file: &'a LibFile| object::File::parse(&*file.bytes).ok();
        let best = files.best()?;
        let code = files.code.as_ref().and_then(parse);
        let mut debug = parse(best)?;
        let mut path = best.path.clone();
        if !has_dwarf(&debug)
            && let Some((separate, bytes)) = separate_debug_info(&debug, &path, search)
        {
            debug = search.parse(arena.0.push_get(bytes))?;
            path = separate;
        }
        let has_lines = has_dwarf(&debug);
        let first = code.as_ref().unwrap_or(&debug);
        let mini =
            mini_symbols(first, search).and_then(|bytes| search.parse(arena.0.push_get(bytes)));
        let mut elf = Self {
            has_lines,
            search,
            arena,
            image_start: first.segments().next().map_or(0, |segment| segment.address()),
            code: segments(first),
            symbols: symbols(code.iter().chain([&debug]).chain(&mini), first),
            dwarf: None,
            package: None,
            demangled: RefCell::default(),
            declarations: Declarations::default(),
            checksums: RefCell::default(),
            missing: RefCell::default(),
            path,
        };
        if has_lines {
            elf.package = elf.package(&debug);
            elf.dwarf = elf.dwarf(&debug);
        }
        Some(elf)
    }

    /// The files with split debug info that were not found so far.
    pub fn missing(&self) -> Vec<PathBuf> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// The checksums of the files of all frames so far.
    pub fn checksums(&self) -> Vec<(String, Md5)> {
        let checksums = self.checksums.borrow();
        checksums.found().map(|(file, md5)| (file.to_owned(), md5)).collect()
    }

    /// Converts a recorded address to a virtual address of the file; `None` if there is no code.
    pub fn in_memory(&self, base: AddressBase, address: u64) -> Option<u64> {
        match base {
            AddressBase::Unknown => None,
            AddressBase::Image => {
                let address = self.image_start.checked_add(address)?;
                self.code.iter().any(|segment| segment.memory.contains(&address)).then_some(address)
            }
            AddressBase::File => {
                let segment = self.code.iter().find(|segment| segment.file.contains(&address))?;
                Some(segment.memory.start + (address - segment.file.start))
            }
        }
    }

    /// The functions at a virtual address, the outermost first. Empty if it has no symbol.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let symbol = self.symbol(address);
        let mut frames = self.dwarf_frames(address).unwrap_or_default();
        frames.reverse();
        match (frames.first_mut(), symbol) {
            (Some(outermost), Some(symbol)) => {
                let name = self.name(symbol);
                let is_better = symbol.kind == Kind::Function && !is_mangled(&name);
                if outermost.name.is_empty() && outermost.declared.is_none() {
                    outermost.declared = self.start(symbol);
                }
                if is_better || outermost.name.is_empty() {
                    outermost.name = name;
                }
            }
            (None, Some(symbol)) => {
                let declared = self.start(symbol);
                frames.push(Frame { declared, ..Frame::named(self.name(symbol)) });
            }
            (Some(outermost), None) if outermost.name.is_empty() => {
                outermost.name = format!("{address:#x}").into();
            }
            _ => {}
        }
        frames
    }

    /// The functions by DWARF, the innermost first. Missing names are empty.
    fn dwarf_frames(&self, address: u64) -> Option<Vec<Frame>> {
        let dwarf = self.dwarf.as_ref()?;
        let mut found = self.with_split(dwarf.find_frames(address)).ok()?;
        let unit = self.with_split(dwarf.find_dwarf_and_unit(address));
        let mut frames = Vec::new();
        while let Some(frame) = found.next().ok()? {
            let raw_name = frame.function.as_ref().and_then(|name| name.raw_name().ok());
            let Declared { place: declared, column, name: plain } = unit
                .zip(frame.dw_die_offset)
                .map(|(unit, entry)| self.declarations.of(unit, entry))
                .unwrap_or_default();
            let name = raw_name
                .map(|name| self.demangle(&name))
                .filter(|name| !is_mangled(name))
                .or(plain)
                .unwrap_or_default();
            let place = frame.location;
            let file = place.as_ref().and_then(|place| place.file).map(str::to_owned);
            if let (Some(unit), Some(file)) = (unit, &file) {
                self.checksums.borrow_mut().read(unit, file);
            }
            let line = place.as_ref().and_then(|place| place.line).unwrap_or(0);
            let call_column = place.and_then(|place| place.column).unwrap_or(0);
            let outer = Frame { file, line, declared, ..Frame::named(name) };
            let is_divided = column != 0
                && u64::from(call_column) == column
                && frames.last().is_some_and(|inner| is_part(inner, &outer));
            if !is_divided {
                frames.push(outer);
            }
        }
        Some(frames)
    }

    /// Completes a lookup, loading split debug info as needed.
    fn with_split<L: LookupContinuation<Buf = Slice<'a>>>(
        &self,
        mut lookup: LookupResult<L>,
    ) -> L::Output {
        loop {
            match lookup {
                LookupResult::Output(output) => return output,
                LookupResult::Load { load, continuation } => {
                    lookup = continuation.resume(self.split(&load));
                }
            }
        }
    }

    /// The file of a function without an entry in DWARF: that of its first instruction. Code that is
    /// inlined into it may have other files. The line of the declaration is unknown.
    fn start(&self, symbol: &Symbol<'_>) -> Option<(Arc<str>, u32)> {
        let place = self.dwarf.as_ref()?.find_location(symbol.memory.start).ok()??;
        Some((place.file?.into(), 0))
    }

    fn symbol(&self, address: u64) -> Option<&Symbol<'a>> {
        let next = self.symbols.partition_point(|symbol| symbol.memory.start <= address);
        self.symbols.get(next.checked_sub(1)?).filter(|symbol| symbol.memory.contains(&address))
    }

    /// The last address up to `address` that is in a function, if it is one of the last `n`.
    pub fn in_function(&self, address: u64, n: u64) -> Option<u64> {
        (0..n).filter_map(|back| address.checked_sub(back)).find(|&at| self.symbol(at).is_some())
    }

    /// The name of a symbol. Those of stubs are spelled as `objdump` spells them.
    fn name(&self, symbol: &Symbol<'_>) -> Arc<str> {
        let name = self.demangle(symbol.name);
        match symbol.kind {
            Kind::Stub => format!("{name}@plt").into(),
            Kind::Function | Kind::Label => name,
        }
    }

    fn demangle(&self, raw: &str) -> Arc<str> {
        let mut demangled = self.demangled.borrow_mut();
        if let Some(name) = demangled.get(raw) {
            return name.clone();
        }
        let name: Arc<str> = names::demangle(raw).into();
        demangled.insert(raw.to_owned(), name.clone());
        name
    }

    fn section(&self, object: &object::File<'a>, name: Option<&str>) -> Slice<'a> {
        let endian =
            if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let section = name.and_then(|name| object.section_by_name(name));
        let data = section.and_then(|section| section.uncompressed_data().ok());
        let data = match data {
            Some(std::borrow::Cow::Borrowed(data)) => data,
            Some(std::borrow::Cow::Owned(data)) => self.arena.0.push_get(data),
            None => &[],
        };
        EndianSlice::new(data, endian)
    }

    fn dwarf(&self, object: &object::File<'a>) -> Option<Context<Slice<'a>>> {
        type Never = gimli::Error;
        let mut dwarf =
            gimli::Dwarf::load(|id| Ok::<_, Never>(self.section(object, Some(id.name())))).ok()?;
        if let Some(shared) = self.shared(object) {
            dwarf.load_sup(|id| Ok::<_, Never>(self.section(&shared, Some(id.name())))).ok()?;
        }
        Context::from_dwarf(dwarf).ok()
    }

    /// A file that this one refers to.
    fn opened(&self, path: &Path) -> Option<object::File<'a>> {
        let bytes = self.search.read(path).ok()??.into_vec();
        self.search.parse(self.arena.0.push_get(bytes))
    }

    /// Debug info that several files share, as `dwz` writes it.
    fn shared(&self, object: &object::File<'a>) -> Option<object::File<'a>> {
        let (path, build_id) = object.gnu_debugaltlink().ok()??;
        let path = std::str::from_utf8(path).ok()?;
        // The link is relative to the real file, but a path by build id is a symbolic link.
        let from = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        self.search.referred(&from, "", path).iter().find_map(|path| {
            let file = self.opened(path)?;
            (file.build_id().ok()? == Some(build_id)).then_some(file)
        })
    }

    /// The package (`.dwp`) with all split debug info.
    fn package(&self, debug: &object::File<'a>) -> Option<DwarfPackage<Slice<'a>>> {
        let name = self.path.file_name()?.to_str()?;
        let places = self.search.referred(&self.path, "", &format!("{name}.dwp"));
        let package = places.iter().find_map(|path| {
            let file = self.opened(path)?;
            file.section_by_name(".debug_cu_index").is_some().then_some(file)
        })?;
        let empty = self.section(debug, None);
        DwarfPackage::load(|id| Ok::<_, gimli::Error>(self.section(&package, id.dwo_name())), empty)
            .ok()
    }

    /// Loads the split debug info of a unit, from the package or from a `.dwo` file.
    fn split(&self, load: &SplitDwarfLoad<Slice<'a>>) -> Option<Arc<gimli::Dwarf<Slice<'a>>>> {
        if let Some(package) = &self.package
            && let Ok(Some(mut dwarf)) = package.find_cu(load.dwo_id, &load.parent)
        {
            dwarf.debug_line_str = load.parent.debug_line_str;
            return Some(Arc::new(dwarf));
        }
        let text = |slice: &Slice<'a>| std::str::from_utf8(slice.slice()).ok();
        let folder = load.comp_dir.as_ref().and_then(text).unwrap_or_default();
        let path = load.path.as_ref().and_then(text)?;
        let places = self.search.referred(&self.path, folder, path);
        let found = places.iter().find_map(|place| self.split_at(place, load));
        if found.is_none() {
            self.missing.borrow_mut().insert(Path::new(folder).join(path));
        }
        found
    }

    fn split_at(
        &self,
        path: &Path,
        load: &SplitDwarfLoad<Slice<'a>>,
    ) -> Option<Arc<gimli::Dwarf<Slice<'a>>>> {
        let file = self.opened(path)?;
        let mut dwarf =
            gimli::Dwarf::load(|id| Ok::<_, gimli::Error>(self.section(&file, id.dwo_name())))
                .ok()?;
        let header: UnitHeader<_> = dwarf.units().next().ok()??;
        // The next build may have overwritten the file.
        if dwarf.unit(header).ok()?.dwo_id != Some(load.dwo_id) {
            return None;
        }
        dwarf.make_dwo(&load.parent);
        // `addr2line` reads the program's line table with these sections.
        dwarf.debug_line_str = load.parent.debug_line_str;
        Some(Arc::new(dwarf))
    }
}

/// Whether `inner` is a part of `outer` that is called where the function is declared, not in its
/// body. GCC divides functions to inline only their beginning, and may inline the rest after all.
fn is_part(inner: &Frame, outer: &Frame) -> bool {
    let place = outer.file.as_deref().map(|file| (file, outer.line));
    let declared = outer.declared.as_ref().map(|(file, line)| (&**file, *line));
    place.is_some()
        && place == declared
        && (&inner.name, &inner.declared) == (&outer.name, &outer.declared)
}

/// Whether the demangler could not demangle a name.
fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z")
}

/// The debug info file that a stripped file names (`.gnu_debuglink`).
fn separate_debug_info(
    stripped: &object::File<'_>,
    from: &Path,
    search: &Search<'_>,
) -> Option<(PathBuf, Vec<u8>)> {
    let (name, checksum) = stripped.gnu_debuglink().ok()??;
    let name = std::str::from_utf8(name).ok()?;
    let build_id = stripped.build_id().ok()?;
    search.referred(from, "", name).into_iter().find_map(|path| {
        let bytes: Bytes = search.read(&path).ok()??;
        let file = search.parse(&bytes)?;
        let is_same = match (build_id, file.build_id().ok()?) {
            (Some(expected), Some(found)) => expected == found,
            _ => crc32fast::hash(&bytes) == checksum,
        };
        (is_same && has_dwarf(&file)).then(|| (path, bytes.into_vec()))
    })
}

/// The compressed ELF file in a stripped one (`.gnu_debugdata`) with the symbols of its own
/// functions.
fn mini_symbols(stripped: &object::File<'_>, search: &Search<'_>) -> Option<Vec<u8>> {
    let compressed = stripped.section_by_name(".gnu_debugdata")?.data().ok()?;
    let mut bytes = Vec::new();
    let reader = XzReader::new_mem_limit(compressed, false, MAX_DICTIONARY_KIB);
    let most = MAX_MINI_SYMBOLS.min(search.memory.get() / 4);
    reader.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

fn segments(object: &object::File<'_>) -> Vec<Segment> {
    let range = |start: u64, size: u64| start..start.saturating_add(size);
    object
        .segments()
        .filter(is_executable)
        .map(|segment| {
            let (offset, size) = segment.file_range();
            Segment { memory: range(segment.address(), segment.size()), file: range(offset, size) }
        })
        .collect()
}
