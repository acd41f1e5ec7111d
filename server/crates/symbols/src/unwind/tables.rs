//! The unwind tables of one library. Addresses are virtual addresses of the file.

use super::plt::{self, Plt};
use crate::file::section_data;
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, Encoding, EndianSlice, Expression,
    Format, LittleEndian, Register, RegisterRule, UnwindContext, UnwindExpression, UnwindSection,
    Vendor,
};
use profile::{Mapping, RawArch, Registers};
use rustc_hash::FxHashMap;
use samply_symbols::object::{
    File, Object, ObjectSection, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolKind, elf,
};
use std::ops::Range;

/// Larger sections are not read. Those of the largest programs have a tenth of this.
const MAX_TABLES: u64 = 256 << 20;
/// The most rows of one function. Large functions have a few thousand.
const MAX_ROWS: usize = 1 << 16;
/// The most bytes of the code that a program or dynamic linker starts with.
const MAX_START: u64 = 128;
/// The second half of the code that glibc's dynamic linker starts with.
const SECOND_HALF: &str = "_dl_start_user";

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The unwind tables of a library and the ranges of its code.
pub(super) struct Tables {
    sections: Sections,
    /// Executable segments: file offsets, and the virtual address of the first.
    segments: Vec<(Range<u64>, u64)>,
    /// The functions that the tables cover, in order.
    functions: Vec<Function>,
    /// The code that starts a program or dynamic linker, which nothing has called.
    start: Range<u64>,
    /// The sections with stubs.
    plt: Vec<Plt>,
    /// The rows of addresses that were looked up. `None` if the table is malformed there.
    rows: FxHashMap<u64, Option<Row>>,
    context: UnwindContext<usize>,
}

/// The sections with tables.
pub(super) struct Sections {
    pub(super) arch: RawArch,
    pub(super) eh_frame: Vec<u8>,
    pub(super) debug_frame: Vec<u8>,
    pub(super) bases: BaseAddresses,
}

/// A section with tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    EhFrame,
    DebugFrame,
}

/// The entry of a function.
struct Function {
    code: Range<u64>,
    section: Section,
    /// The offset of the entry in its section.
    offset: usize,
}

/// How to find the registers of the caller at one address.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) cfa: CfaRule<usize>,
    /// The rules of general registers. Others have the default rule.
    pub(super) rules: Vec<(u16, RegisterRule<usize>)>,
    /// The column of the return address.
    pub(super) return_address: u16,
    /// Whether this is the frame of a signal handler's return.
    pub(super) is_signal: bool,
    pub(super) encoding: Encoding,
    section: Section,
}

impl Row {
    /// The row in a stub, which has pushed some bytes. It jumps to a function, whose caller is its own.
    fn of_stub(arch: RawArch, pushed: i64) -> Self {
        let (return_address, rules, offset) = match arch {
            RawArch::X86_64 => (arch.ip(), vec![(arch.ip(), RegisterRule::Offset(-8))], pushed + 8),
            RawArch::Aarch64 => (30, Vec::new(), pushed),
        };
        Self {
            cfa: CfaRule::RegisterAndOffset { register: Register(arch.sp()), offset },
            rules,
            return_address,
            is_signal: false,
            encoding: Encoding { format: Format::Dwarf32, version: 4, address_size: 8 },
            section: Section::EhFrame,
        }
    }
}

/// Why an address has no row.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoRow {
    NotCovered,
    Unreadable,
    /// The tables do not cover it, but it has no caller.
    Start,
}

impl Tables {
    /// `None` if the file has no unwind tables.
    pub(super) fn read(bytes: &[u8], arch: RawArch) -> Option<Self> {
        let file = File::parse(bytes).ok()?;
        let start = |name| file.section_by_name(name).map_or(0, |section| section.address());
        // `.debug_frame` may be compressed.
        let data = |name| section_data(&file, name, MAX_TABLES).into_owned();
        let segments = file
            .segments()
            .filter(|segment| matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & elf::PF_X != 0))
            .map(|segment| {
                let (offset, size) = segment.file_range();
                (offset..offset.saturating_add(size), segment.address())
            })
            .collect();
        let bases = BaseAddresses::default()
            .set_eh_frame(start(".eh_frame"))
            .set_eh_frame_hdr(start(".eh_frame_hdr"))
            .set_text(start(".text"))
            .set_got(start(".got"));
        let (eh_frame, debug_frame) = (data(".eh_frame"), data(".debug_frame"));
        let sections = Sections { arch, eh_frame, debug_frame, bases };
        Self::new(sections, segments, start_of(&file), plt::sections(&file))
    }

    /// `None` if the sections cover no code. `start` is the code that has no caller, and `plt` that
    /// of stubs.
    pub(super) fn new(
        sections: Sections,
        segments: Vec<(Range<u64>, u64)>,
        start: Range<u64>,
        plt: Vec<Plt>,
    ) -> Option<Self> {
        let functions = sections.functions();
        let next = functions.iter().map(|function| function.code.start);
        let end = next.filter(|&next| next > start.start).min().unwrap_or(u64::MAX);
        (!functions.is_empty()).then(|| Self {
            sections,
            segments,
            functions,
            start: start.start..start.end.min(end),
            plt,
            rows: FxHashMap::default(),
            context: UnwindContext::new(),
        })
    }

    /// The row of an address in a mapping of the library, and the sections with its expressions.
    pub(super) fn row(
        &mut self,
        mapping: &Mapping,
        address: u64,
    ) -> Result<(&Row, &Sections), NoRow> {
        let address = address.wrapping_sub(self.bias(mapping).ok_or(NoRow::NotCovered)?);
        let function = containing(&self.functions, address);
        let plt = self.plt.iter().find(|plt| plt.memory.contains(&address));
        if function.is_none() && plt.is_none() {
            let is_start = self.start.contains(&address);
            return Err(if is_start { NoRow::Start } else { NoRow::NotCovered });
        }
        let (sections, context) = (&self.sections, &mut self.context);
        let row = self.rows.entry(address).or_insert_with(|| match function {
            Some(function) => match function.section {
                Section::EhFrame => sections.row(&sections.eh_frame(), function, address, context),
                Section::DebugFrame => {
                    sections.row(&sections.debug_frame(), function, address, context)
                }
            },
            None => Some(Row::of_stub(sections.arch, plt?.pushed(sections.arch, address))),
        });
        row.as_ref().map(|row| (row, sections)).ok_or(NoRow::Unreadable)
    }

    /// The difference between addresses in the process and in the file; `None` if the mapping
    /// contains no code of the file.
    fn bias(&self, mapping: &Mapping) -> Option<u64> {
        // A mapping consists of whole pages, so it may begin before its segment.
        let end = mapping.offset.saturating_add(mapping.end - mapping.start);
        let overlaps =
            |(file, _): &&(Range<u64>, u64)| file.start < end && mapping.offset < file.end;
        let (file, address) = self.segments.iter().find(overlaps)?;
        let own = address.wrapping_add(mapping.offset.wrapping_sub(file.start));
        Some(mapping.start.wrapping_sub(own))
    }
}

impl Sections {
    fn vendor(&self) -> Vendor {
        match self.arch {
            RawArch::X86_64 => Vendor::Default,
            RawArch::Aarch64 => Vendor::AArch64,
        }
    }

    fn eh_frame(&self) -> EhFrame<Slice<'_>> {
        let mut section = EhFrame::new(&self.eh_frame, LittleEndian);
        section.set_address_size(8);
        section.set_vendor(self.vendor());
        section
    }

    fn debug_frame(&self) -> DebugFrame<Slice<'_>> {
        let mut section = DebugFrame::new(&self.debug_frame, LittleEndian);
        section.set_address_size(8);
        section.set_vendor(self.vendor());
        section
    }

    /// The functions with an entry, in order. `.debug_frame` counts where `.eh_frame` has none.
    fn functions(&self) -> Vec<Function> {
        let mut functions = covered(&self.eh_frame(), &self.bases, Section::EhFrame);
        let mut others = covered(&self.debug_frame(), &self.bases, Section::DebugFrame);
        others.retain(|other| containing(&functions, other.code.start).is_none());
        functions.append(&mut others);
        functions.sort_by_key(|function| function.code.start);
        functions
    }

    /// The row of an address in a function; `None` if its entry is malformed.
    fn row<'a, S: UnwindSection<Slice<'a>>>(
        &self,
        section: &S,
        function: &Function,
        address: u64,
        context: &mut UnwindContext<usize>,
    ) -> Option<Row> {
        let offset = S::Offset::from(function.offset);
        let entry = section.fde_from_offset(&self.bases, offset, S::cie_from_offset).ok()?;
        let mut table = entry.rows(section, &self.bases, context).ok()?;
        let sp = Register(self.arch.sp());
        // The farthest that the stack pointer was from the CFA so far.
        let mut farthest = 0;
        for _ in 0..MAX_ROWS {
            let row = table.next_row().ok()??;
            let from_sp = match *row.cfa() {
                CfaRule::RegisterAndOffset { register, offset } if register == sp => Some(offset),
                _ => None,
            };
            farthest = farthest.max(from_sp.unwrap_or(0));
            if !row.contains(address) {
                continue;
            }
            let rules = row
                .registers()
                .filter(|(register, _)| usize::from(register.0) < Registers::COUNT)
                .map(|&(register, ref rule)| match (rule, from_sp) {
                    (RegisterRule::Offset(at), Some(from_sp))
                        if is_popped(*at, from_sp, farthest) =>
                    {
                        (register.0, RegisterRule::SameValue)
                    }
                    _ => (register.0, rule.clone()),
                })
                .collect();
            return Some(Row {
                cfa: row.cfa().clone(),
                rules,
                return_address: entry.cie().return_address_register().0,
                is_signal: entry.is_signal_trampoline(),
                encoding: entry.cie().encoding(),
                section: function.section,
            });
        }
        None
    }

    /// The bytes of an expression in a row.
    pub(super) fn expression(
        &self,
        row: &Row,
        expression: &UnwindExpression<usize>,
    ) -> Option<Expression<Slice<'_>>> {
        match row.section {
            Section::EhFrame => expression.get(&self.eh_frame()).ok(),
            Section::DebugFrame => expression.get(&self.debug_frame()).ok(),
        }
    }
}

/// The code at the entry point of a file, up to the next function. Empty if there is none.
fn start_of(file: &File<'_>) -> Range<u64> {
    let start = file.entry();
    if start == 0 {
        return 0..0;
    }
    let next = file
        .symbols()
        .filter(|symbol| matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown))
        .filter(|symbol| symbol.address() > start && symbol.name() != Ok(SECOND_HALF))
        .map(|symbol| symbol.address())
        .min();
    start..next.unwrap_or(u64::MAX).min(start.saturating_add(MAX_START))
}

/// Whether the epilogue has restored a register that was saved at this offset from the CFA. Compilers
/// leave such rules unchanged, but the place is then below the stack pointer and not in the copy. It
/// was above when the distance from the stack pointer to the CFA was at its largest.
fn is_popped(at: i64, from_sp: i64, farthest: i64) -> bool {
    at.saturating_add(from_sp) < 0 && at.saturating_add(farthest) >= 0
}

/// The function that contains an address, among functions in order.
fn containing(functions: &[Function], address: u64) -> Option<&Function> {
    let next = functions.partition_point(|function| function.code.start <= address);
    functions.get(next.checked_sub(1)?).filter(|function| function.code.contains(&address))
}

/// The functions with an entry in a section, in order.
fn covered<'a, S: UnwindSection<Slice<'a>>>(
    section: &S,
    bases: &BaseAddresses,
    kind: Section,
) -> Vec<Function> {
    let mut entries = section.entries(bases);
    let mut covered = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        if let Ok(entry) = partial.parse(S::cie_from_offset) {
            let code = entry.initial_address()..entry.end_address();
            covered.push(Function { code, section: kind, offset: entry.offset() });
        }
    }
    covered.sort_by_key(|function| function.code.start);
    covered
}
