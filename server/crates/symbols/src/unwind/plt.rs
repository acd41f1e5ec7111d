//! The callers of stubs that no unwind table covers: those by LLD, those on 64-bit ARM, and those
//! of static programs.

use crate::stubs::has_stubs;
use profile::RawArch;
use samply_symbols::object::{File, Object, ObjectSection};
use std::ops::Range;

/// The instruction that the first entry of lazy stubs begins with: `push` of an address on x86-64,
/// `stp x16, x30, [sp, #-16]!` on 64-bit ARM.
const PUSHES: [&[u8]; 2] = [&[0xff, 0x35], &[0xf0, 0x7b, 0xbf, 0xa9]];

/// A section with stubs. They jump to a function, so their caller is its caller.
pub(super) struct Plt {
    pub(super) memory: Range<u64>,
    /// Whether the first entry jumps to the dynamic linker, which finds the function. The others
    /// jump to this entry when they are first used.
    pub(super) is_lazy: bool,
}

/// The sections of a file with stubs.
pub(super) fn sections(file: &File<'_>) -> Vec<Plt> {
    file.sections()
        .filter(has_stubs)
        .map(|section| {
            let code = section.data().unwrap_or_default();
            Plt {
                memory: section.address()..section.address().saturating_add(section.size()),
                is_lazy: PUSHES.iter().any(|push| code.starts_with(push)),
            }
        })
        .collect()
}

impl Plt {
    /// The bytes that were pushed before an address in the section.
    pub(super) fn pushed(&self, arch: RawArch, address: u64) -> i64 {
        if self.is_lazy { pushed(arch, address - self.memory.start) } else { 0 }
    }
}

/// The bytes that lazy stubs have pushed for the dynamic linker, at an offset in their section.
fn pushed(arch: RawArch, offset: u64) -> i64 {
    // The first entry begins with a push, of 6 bytes on x86-64. The others have 16 bytes there, and
    // push the number of the function before they jump to the first: up to byte 11, or up to byte 9
    // after `endbr64`.
    match (arch, offset) {
        (RawArch::X86_64, 6..16) | (RawArch::Aarch64, 4..32) => 16,
        (RawArch::X86_64, _) if offset < 6 || offset % 16 >= 9 => 8,
        _ => 0,
    }
}
