//! The functions in the symbol tables of ELF files, and the stubs through which a program calls the
//! functions of libraries.

use rustc_hash::FxHashMap;
use samply_symbols::object::{
    Architecture, File, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationFlags,
    RelocationTarget, Section, SectionFlags, SymbolKind, elf,
};
use std::ops::Range;

/// The sections with stubs.
const STUBS: [&str; 3] = [".plt", ".plt.sec", ".plt.got"];
/// The size of a stub. Some in `.plt.got` have half of it.
const STUB_SIZE: u64 = 16;

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

/// Functions in order, without overlaps. A symbol without a size ends at the next one or at the end
/// of its section. `code` is the file that has the code of stubs.
pub(crate) fn symbols<'a: 'b, 'b>(
    objects: impl Iterator<Item = &'b File<'a>>,
    code: &File<'a>,
) -> Vec<Symbol<'a>> {
    let mut entries = stubs(code);
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

fn is_executable(section: &Section<'_, '_>) -> bool {
    let flags = section.flags();
    matches!(flags, SectionFlags::Elf { sh_flags } if sh_flags & u64::from(elf::SHF_EXECINSTR) != 0)
}

/// The stubs of a file, with the names of the functions that they jump to.
fn stubs<'a>(object: &File<'a>) -> Vec<Entry<'a>> {
    if object.architecture() != Architecture::X86_64 {
        return Vec::new();
    }
    let targets = targets(object);
    let mut stubs = Vec::new();
    let sections = object.sections().filter(|section| {
        is_executable(section) && section.name().is_ok_and(|name| STUBS.contains(&name))
    });
    for section in sections {
        let section_end = section.address().saturating_add(section.size());
        let code = section.data().unwrap_or_default();
        for (address, at) in (section.address()..section_end).step_by(8).zip((0..).step_by(8)) {
            let Some(code) = code.get(at..) else { break };
            if let Some(name) = slot(code, address).and_then(|slot| targets.get(&slot)) {
                let size = STUB_SIZE.min(section_end - address);
                stubs.push(Entry { address, size, kind: Kind::Stub, section_end, name });
            }
        }
    }
    stubs
}

/// The address that a stub reads its target from: `jmp *slot(%rip)`, perhaps after `endbr64`, and
/// perhaps with the prefix `bnd`.
fn slot(code: &[u8], address: u64) -> Option<u64> {
    let code = code.get(..STUB_SIZE as usize).unwrap_or(code);
    let jump = code.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(code);
    let operand = jump.strip_prefix(&[0xf2]).unwrap_or(jump).strip_prefix(&[0xff, 0x25])?;
    let (distance, rest) = operand.split_first_chunk::<4>()?;
    let next = address.checked_add((code.len() - rest.len()) as u64)?;
    Some(next.wrapping_add_signed(i32::from_le_bytes(*distance).into()))
}

/// The functions whose addresses the dynamic linker writes into the file, by where it writes them.
fn targets<'a>(object: &File<'a>) -> FxHashMap<u64, &'a str> {
    let (Some(relocations), Some(symbols)) =
        (object.dynamic_relocations(), object.dynamic_symbol_table())
    else {
        return FxHashMap::default();
    };
    let target = |(slot, relocation): (u64, samply_symbols::object::Relocation)| {
        let (RelocationFlags::Elf { r_type }, RelocationTarget::Symbol(index)) =
            (relocation.flags(), relocation.target())
        else {
            return None;
        };
        let is_address = matches!(r_type, elf::R_X86_64_JUMP_SLOT | elf::R_X86_64_GLOB_DAT);
        let name = symbols.symbol_by_index(index).ok().filter(|_| is_address)?.name().ok()?;
        (!name.is_empty()).then_some((slot, name))
    };
    relocations.filter_map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_reads_its_target_from_a_slot() {
        let jump: &[u8] = &[0xff, 0x25, 0xca, 0x2f, 0, 0];
        for (before, expected) in [
            (&[][..], Some(0x1036 + 0x2fca)),
            (&[0xf2], Some(0x1037 + 0x2fca)),
            (&[0xf3, 0x0f, 0x1e, 0xfa], Some(0x103a + 0x2fca)),
            (&[0xf3, 0x0f, 0x1e, 0xfa, 0xf2], Some(0x103b + 0x2fca)),
            (&[0x90], None),
        ] {
            let code = [before, jump, &[0x68, 0, 0, 0, 0]].concat();
            assert_eq!(slot(&code, 0x1030), expected, "{before:x?}");
        }
        // Backwards, and cut.
        assert_eq!(slot(&[0xff, 0x25, 0xfa, 0xff, 0xff, 0xff], 0x1030), Some(0x1030));
        assert_eq!(slot(&jump[..5], 0x1030), None);
    }
}
