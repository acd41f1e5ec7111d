//! Checksums of source files in line tables (DWARF 5). Clang writes them.

use crate::Md5;
use crate::declared::file_name;
use addr2line::gimli::{EndianSlice, RunTimeEndian, UnitRef};
use rustc_hash::FxHashMap;

/// The checksum of each file that was looked up, or `None` if it has none.
#[derive(Default)]
pub(crate) struct Checksums(FxHashMap<String, Option<Md5>>);

impl Checksums {
    /// Looks up a file, spelled like the files of lines, in the line table of a unit.
    pub fn read(&mut self, unit: UnitRef<'_, EndianSlice<'_, RunTimeEndian>>, file: &str) {
        if !self.0.contains_key(file) {
            self.0.insert(file.to_owned(), checksum(unit, file));
        }
    }

    /// The files with a checksum.
    pub fn found(&self) -> impl Iterator<Item = (&str, Md5)> {
        self.0.iter().filter_map(|(file, md5)| Some((file.as_str(), (*md5)?)))
    }
}

fn checksum(unit: UnitRef<'_, EndianSlice<'_, RunTimeEndian>>, file: &str) -> Option<Md5> {
    let header = unit.line_program.as_ref()?.header();
    if !header.file_has_md5() {
        return None;
    }
    let entry = (0..header.file_names().len() as u64).find_map(|index| {
        let entry = header.file(index)?;
        let name = unit.attr_string(entry.path_name()).ok()?;
        // Building the path of each file of the unit would be slow.
        let is_same = file.ends_with(&*name.to_string_lossy())
            && file_name(unit, index).ok()?.as_deref() == Some(file);
        is_same.then_some(entry)
    });
    // Assemblers write zeros if they do not have the checksum of every file.
    entry.map(|entry| *entry.md5()).filter(|md5| *md5 != Md5::default())
}
