//! Finds the program of a profile that does not name it, by the size of its code.
//!
//! gprof records where the code of a program starts and ends. The functions that a program starts with (`gcrt1.o`
//! of glibc) take that from two symbols of the linker, so both are in the file. Source: `gmon-start.c` and `gmon.c`
//! of glibc.

use crate::{LibStatus, Search};
use samply_symbols::object::read::elf::{FileHeader, ProgramHeader};
use samply_symbols::object::{
    self, Endianness, FileKind, Object, ObjectSymbol, ReadCache, ReadRef, elf,
};
use std::fs::{self, File};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// gprof rounds addresses to this many bytes.
const ROUNDED: u64 = 4;

impl Search<'_> {
    /// The only program with this size of code. Those of the setting `symbols.paths` come first.
    pub(crate) fn program(&self, text_size: u64) -> Result<PathBuf, LibStatus> {
        let listed = fitting(self.paths.iter().flat_map(|path| files(path)), text_size);
        let mut fitting =
            if listed.is_empty() { fitting((self.programs)(), text_size) } else { listed };
        match fitting.len() {
            1 => Ok(fitting.remove(0)),
            _ => Err(LibStatus::Unnamed { fitting }),
        }
    }
}

/// A file, or the files in a folder.
fn files(path: &Path) -> Vec<PathBuf> {
    match fs::read_dir(path) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => vec![path.to_owned()],
    }
}

/// The programs with this size of code, without the links to them.
fn fitting(paths: impl IntoIterator<Item = PathBuf>, size: u64) -> Vec<PathBuf> {
    let mut fitting: Vec<PathBuf> = Vec::new();
    for path in paths.into_iter().filter(|path| has_text_size(path, size) == Some(true)) {
        let path = path.canonicalize().unwrap_or(path);
        if !fitting.contains(&path) {
            fitting.push(path);
        }
    }
    fitting
}

/// Whether gprof records this size for the code of a program.
fn has_text_size(path: &Path, size: u64) -> Option<bool> {
    // Opening a pipe waits for its writer.
    let file =
        path.metadata().is_ok_and(|meta| meta.is_file()).then(|| File::open(path).ok())??;
    let data = ReadCache::new(file);
    let code = match FileKind::parse(&data).ok()? {
        FileKind::Elf32 => code::<elf::FileHeader32<Endianness>, _>(&data),
        FileKind::Elf64 => code::<elf::FileHeader64<Endianness>, _>(&data),
        _ => None,
    }?;
    // Symbols of large programs are slow to read.
    if !code.contains(&size) {
        return Some(false);
    }
    let object = object::File::parse(&data).ok()?;
    let address = |name| Some(object.symbol_by_name(name)?.address());
    let start = address("__executable_start")? / ROUNDED * ROUNDED;
    let end = address("etext")?.checked_next_multiple_of(ROUNDED)?;
    Some(end.checked_sub(start)? == size)
}

/// Where the code of a program may end, from its start.
fn code<'data, H: FileHeader<Endian = Endianness>, R: ReadRef<'data>>(
    data: R,
) -> Option<RangeInclusive<u64>> {
    let header = H::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    let mut loaded = segments.iter().filter(|segment| segment.p_type(endian) == elf::PT_LOAD);
    let start: u64 = loaded.clone().next()?.p_vaddr(endian).into();
    let code = loaded.find(|segment| segment.p_flags(endian) & elf::PF_X != 0)?;
    let from: u64 = code.p_vaddr(endian).into();
    let size: u64 = code.p_memsz(endian).into();
    let end = from.checked_add(size)?.checked_next_multiple_of(ROUNDED)?;
    Some(from.checked_sub(start)?..=end.checked_sub(start)?)
}
