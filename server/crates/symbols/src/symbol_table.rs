//! The functions in the symbol tables of ELF files, together with [`mod@crate::stubs`].

use crate::stubs::{Stub, is_executable, stubs};
use rustc_hash::FxHashMap;
use samply_symbols::object::{File, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::ops::Range;

/// A function in memory.
pub(crate) struct Symbol<'a> {
    pub memory: Range<u64>,
    pub name: &'a str,
    pub kind: Kind,
}

/// What a symbol stands for. The last is preferred at the same address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A symbol without a type, as assembler has it unless the source states one.
    Label,
    /// Code that jumps to the function with this name in another library.
    Stub,
    Function,
}

/// A symbol as it is in the file.
struct Entry<'a> {
    address: u64,
    /// 0 if it is unknown.
    size: u64,
    kind: Kind,
    section_end: u64,
    name: &'a str,
}

impl<'a> Entry<'a> {
    fn of_stub(Stub { memory, name }: Stub<'a>) -> Self {
        let Range { start: address, end: section_end } = memory;
        Self { address, size: section_end - address, kind: Kind::Stub, section_end, name }
    }
}

/// Functions in order, without overlaps. A symbol without a size ends at the next one or at the end
/// of its section. `code` is the file that has the code of stubs.
pub(crate) fn symbols<'a: 'b, 'b>(
    objects: impl Iterator<Item = &'b File<'a>>,
    code: &File<'a>,
) -> Vec<Symbol<'a>> {
    let mut entries: Vec<Entry<'a>> = stubs(code).into_iter().map(Entry::of_stub).collect();
    objects.for_each(|object| add_entries(object, &mut entries));
    // Of several symbols at one address take the last of the largest, as LLVM does.
    entries.sort_by_key(|entry| (entry.address, entry.kind, entry.size));
    entries.reverse();
    entries.dedup_by_key(|entry| entry.address);
    entries.reverse();
    // A label within a function is a place in it.
    let mut covered = 0;
    entries.retain(|entry| {
        let is_inside = entry.kind == Kind::Label && entry.address < covered;
        if !is_inside {
            covered = covered.max(entry.address.saturating_add(entry.size));
        }
        !is_inside
    });
    let mut next = u64::MAX;
    let mut functions = Vec::with_capacity(entries.len());
    for Entry { address, size, kind, section_end, name } in entries.into_iter().rev() {
        let end = if size == 0 { section_end } else { address.saturating_add(size) };
        functions.push(Symbol { memory: address..end.min(next), name, kind });
        next = address;
    }
    functions.reverse();
    functions
}

/// Adds the functions and labels of a file.
fn add_entries<'a>(object: &File<'a>, entries: &mut Vec<Entry<'a>>) {
    let sections: FxHashMap<_, _> =
        object.sections().map(|section| (section.index(), section)).collect();
    let is_complete = object.symbols().map(|symbol| (symbol, true));
    for (symbol, is_complete) in
        is_complete.chain(object.dynamic_symbols().map(|symbol| (symbol, false)))
    {
        let section = symbol.section_index().and_then(|index| sections.get(&index));
        let (Some(section), Ok(versioned)) = (section, symbol.name()) else { continue };
        let name = versioned.split('@').next().unwrap_or_default();
        let section_end = section.address().saturating_add(section.size());
        let (address, size) = (symbol.address(), symbol.size());
        let kind = match symbol.kind() {
            SymbolKind::Text => Kind::Function,
            // In a table with exported symbols only, code after a label may belong to any function.
            SymbolKind::Unknown if size > 0 || is_complete => Kind::Label,
            _ => continue,
        };
        let is_function = match kind {
            Kind::Label => address < section_end && is_executable(section) && is_of_source(name),
            _ => !name.is_empty(),
        };
        if is_function {
            entries.push(Entry { address, size, kind, section_end, name });
        }
    }
}

/// Whether the name of a label is not one that compilers and assemblers generate (`.L1`, `$x`).
fn is_of_source(name: &str) -> bool {
    !(name.is_empty() || name.starts_with('$') || name.starts_with(".L"))
}
