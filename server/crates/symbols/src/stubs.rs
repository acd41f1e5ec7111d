//! The stubs through which a program calls the functions of libraries, which no symbol table has.

use rustc_hash::FxHashMap;
use samply_symbols::object::{
    Architecture, File, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, Relocation,
    RelocationFlags, RelocationTarget, Section, SectionFlags, elf,
};
use std::ops::Range;

/// The sections with stubs.
const SECTIONS: [&str; 4] = [".plt", ".plt.sec", ".plt.got", ".iplt"];
/// Stubs begin at multiples of this.
const ALIGNMENT: usize = 8;

/// A stub in memory. It may overlap the next one.
pub(crate) struct Stub<'a> {
    pub memory: Range<u64>,
    /// The function that it jumps to.
    pub name: &'a str,
}

/// The stubs of a kind of processor.
struct Form {
    /// The size of the longest.
    size: usize,
    /// The address from which the stub with this code at this address reads its target.
    slot: fn(&[u8], u64) -> Option<u64>,
    /// The types of relocations that write a target.
    relocations: [u32; 2],
}

const X86_64: Form = Form {
    size: 16,
    slot: slot_of_x86_64,
    relocations: [elf::R_X86_64_JUMP_SLOT, elf::R_X86_64_GLOB_DAT],
};
const AARCH64: Form = Form {
    size: 24,
    slot: slot_of_aarch64,
    relocations: [elf::R_AARCH64_JUMP_SLOT, elf::R_AARCH64_GLOB_DAT],
};

/// The stubs of a file.
pub(crate) fn stubs<'a>(object: &File<'a>) -> Vec<Stub<'a>> {
    let form = match object.architecture() {
        Architecture::X86_64 => X86_64,
        Architecture::Aarch64 => AARCH64,
        _ => return Vec::new(),
    };
    let targets = targets(object, form.relocations);
    let mut stubs = Vec::new();
    for section in object.sections().filter(has_stubs) {
        let section_end = section.address().saturating_add(section.size());
        let code = section.data().unwrap_or_default();
        let addresses = (section.address()..section_end).step_by(ALIGNMENT);
        for (start, at) in addresses.zip((0..).step_by(ALIGNMENT)) {
            let Some(code) = code.get(at..) else { break };
            let code = code.get(..form.size).unwrap_or(code);
            if let Some(name) = (form.slot)(code, start).and_then(|slot| targets.get(&slot)) {
                let end = start.saturating_add(form.size as u64).min(section_end);
                stubs.push(Stub { memory: start..end, name });
            }
        }
    }
    stubs
}

/// Whether a section has stubs.
pub(crate) fn has_stubs(section: &Section<'_, '_>) -> bool {
    is_executable(section) && section.name().is_ok_and(|name| SECTIONS.contains(&name))
}

/// Whether a section has code.
pub(crate) fn is_executable(section: &Section<'_, '_>) -> bool {
    let flags = section.flags();
    matches!(flags, SectionFlags::Elf { sh_flags } if sh_flags & u64::from(elf::SHF_EXECINSTR) != 0)
}

/// `jmp *slot(%rip)`, perhaps after `endbr64`, and perhaps with the prefix `bnd`.
fn slot_of_x86_64(code: &[u8], address: u64) -> Option<u64> {
    let jump = code.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(code);
    let operand = jump.strip_prefix(&[0xf2]).unwrap_or(jump).strip_prefix(&[0xff, 0x25])?;
    let (distance, rest) = operand.split_first_chunk::<4>()?;
    let next = address.checked_add((code.len() - rest.len()) as u64)?;
    Some(next.wrapping_add_signed(i32::from_le_bytes(*distance).into()))
}

/// `adrp x16, page` and `ldr x17, [x16, #offset]`, perhaps after `bti c`.
fn slot_of_aarch64(code: &[u8], address: u64) -> Option<u64> {
    const BTI_C: u32 = 0xd503_245f;
    let words = code.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    let mut words = (address..).step_by(4).zip(words).skip_while(|(_, word)| *word == BTI_C);
    let ((address, adrp), (_, ldr)) = (words.next()?, words.next()?);
    if adrp & 0x9f00_001f != 0x9000_0010 || ldr & 0xffc0_03ff != 0xf940_0211 {
        return None;
    }
    // The number of pages has 21 bits; the lower two are in bits 29 and 30.
    let pages = ((adrp >> 5 & 0x7_ffff) << 2 | adrp >> 29 & 3) << 11;
    let page = (address & !0xfff).wrapping_add_signed(i64::from(pages.cast_signed() >> 11) << 12);
    Some(page.wrapping_add(u64::from(ldr >> 10 & 0xfff) * 8))
}

/// The functions whose addresses the dynamic linker writes into the file, by where it writes them.
fn targets<'a>(object: &File<'a>, types: [u32; 2]) -> FxHashMap<u64, &'a str> {
    let (Some(relocations), Some(symbols)) =
        (object.dynamic_relocations(), object.dynamic_symbol_table())
    else {
        return FxHashMap::default();
    };
    let target = |(slot, relocation): (u64, Relocation)| {
        let (RelocationFlags::Elf { r_type }, RelocationTarget::Symbol(index)) =
            (relocation.flags(), relocation.target())
        else {
            return None;
        };
        let is_address = types.contains(&r_type);
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
            assert_eq!(slot_of_x86_64(&code, 0x1030), expected, "{before:x?}");
        }
        // Backwards, and cut.
        assert_eq!(slot_of_x86_64(&[0xff, 0x25, 0xfa, 0xff, 0xff, 0xff], 0x1030), Some(0x1030));
        assert_eq!(slot_of_x86_64(&jump[..5], 0x1030), None);
    }

    #[test]
    fn a_stub_of_aarch64_reads_its_target_from_a_page() {
        let slot = |words: &[u32], address| {
            let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            slot_of_aarch64(&code, address)
        };
        // `adrp x16, 20000` and `ldr x17, [x16, #8]`, at 730, as objdump prints it.
        let [adrp, ldr] = [0x9000_0110, 0xf940_0611];
        assert_eq!(slot(&[adrp, ldr, 0x9100_2210], 0x730), Some(0x2_0008));
        assert_eq!(slot(&[0xd503_245f, adrp, ldr], 0xffc), Some(0x2_1008));
        // The page before.
        assert_eq!(slot(&[0xf0ff_fff0, ldr], 0x5004), Some(0x4008));
        // Another instruction, another register, and cut.
        for words in [&[ldr, adrp][..], &[adrp ^ 1, ldr], &[adrp, ldr ^ 1], &[adrp]] {
            assert_eq!(slot(words, 0x730), None, "{words:x?}");
        }
    }
}
