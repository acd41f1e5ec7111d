//! Callers out of recorded stacks ([`RawStacks`]), by the unwind tables of the programs and libraries: `.eh_frame`, and
//! `.debug_frame` for code that is not in there.
//!
//! The steps are framehop's. It guesses by frame pointers wherever a table says nothing; here only code without a file (which a
//! just-in-time compiler made) is stepped over so, and only as long as the result is executable memory. Everywhere else a stack
//! ends where knowledge ends: a caller that is missing is better than a wrong one.

use crate::Unwound;
use framehop::aarch64::{PtrAuthMask, UnwindRegsAarch64, UnwinderAarch64};
use framehop::x86_64::{UnwindRegsX86_64, UnwinderX86_64};
use framehop::{Error, ExplicitModuleSectionInfo, Module, Unwinder};
use gimli::{BaseAddresses, CieOrFde, DebugFrame, EhFrame, EndianSlice, LittleEndian, UnwindSection};
use profile::{AddressBase, Callers, Lib, LibId, Mapping, Profile, RawArch, RawStack, RawStacks, with_callers};
use rustc_hash::FxHashMap;
use samply_symbols::object::{File, Object, ObjectSection, ObjectSegment, SegmentFlags, elf};
use std::ops::Range;
use std::sync::Arc;

/// Follows the stacks that were recorded beside the samples of `profile`. `binary` gives the file of a library, the very one that
/// was recorded.
pub fn unwind(profile: &Profile, raw: &RawStacks, binary: &mut dyn FnMut(&Lib) -> Option<Vec<u8>>) -> Unwound {
    match raw.arch {
        RawArch::X86_64 => {
            let regs = |stack: &RawStack, _| UnwindRegsX86_64::new(stack.ip, stack.sp, stack.fp);
            run::<UnwinderX86_64<Bytes>>(profile, raw, binary, regs)
        }
        RawArch::Aarch64 => {
            let regs = |stack: &RawStack, highest| {
                // Return addresses may be signed above the bits of an address.
                let mask = PtrAuthMask::from_max_known_address(highest);
                UnwindRegsAarch64::new_with_ptr_auth_mask(mask, stack.lr, stack.sp, stack.fp)
            };
            run::<UnwinderAarch64<Bytes>>(profile, raw, binary, regs)
        }
    }
}

type Bytes = Arc<[u8]>;

/// Why a stack is not followed further.
enum End {
    Whole,
    TooDeep,
    Unknown(Option<LibId>),
}

fn run<U>(
    profile: &Profile,
    raw: &RawStacks,
    binary: &mut dyn FnMut(&Lib) -> Option<Vec<u8>>,
    regs: impl Fn(&RawStack, u64) -> U::UnwindRegs,
) -> Unwound
where
    U: Unwinder<Module = Module<Bytes>> + Default,
    U::Cache: Default,
{
    let libs = &profile.symbols().libs;
    let mut tables: FxHashMap<LibId, Option<Tables>> = FxHashMap::default();
    let mut unwound = Unwound { profile: None, n_whole: 0, n_too_deep: 0, cut_at: Vec::new(), missing: Vec::new() };
    let mut cut_at: FxHashMap<Option<LibId>, usize> = FxHashMap::default();
    let mut found = Vec::new();
    let mut process: Option<(Process<'_, U>, U::Cache)> = None;
    for stack in &raw.stacks {
        // Most samples find the memory as the one before did.
        if process.as_ref().is_none_or(|(process, _)| !Arc::ptr_eq(process.mappings, &stack.mappings)) {
            process = Some((Process::new(&stack.mappings), U::Cache::default()));
        }
        let Some((process, cache)) = &mut process else { continue };
        let Some(bytes) = raw.bytes.get(stack.bytes.clone()) else { continue };
        let mut callers = Vec::new();
        let highest = stack.mappings.last().map_or(0, |mapping| mapping.end);
        let end = loop {
            // Tables are read when a stack comes to need them; then it is followed anew.
            let (regs, mut needed) = (regs(stack, highest), None);
            callers.clear();
            let end = process.follow(stack.ip, regs, cache, bytes, stack.sp, &tables, libs, &mut callers, &mut needed);
            let Some(lib) = needed else { break end };
            let read = libs.get(lib.index()).and_then(|lib| Tables::read(&binary(lib)?));
            if let Some(read) = &read {
                process.add(lib, read);
                *cache = U::Cache::default();
            } else if libs.get(lib.index()).is_some_and(|lib| !lib.name.starts_with('[')) {
                unwound.missing.push(lib);
            }
            tables.insert(lib, read);
        };
        match end {
            End::Whole => unwound.n_whole += 1,
            End::TooDeep => unwound.n_too_deep += 1,
            End::Unknown(lib) => *cut_at.entry(lib).or_default() += 1,
        }
        if !callers.is_empty() {
            found.push(Callers { thread: stack.thread, sample: stack.sample, callers });
        }
    }
    unwound.cut_at = cut_at.into_iter().collect();
    unwound.cut_at.sort_by_key(|&(lib, n)| (std::cmp::Reverse(n), lib));
    if !found.is_empty() {
        unwound.profile = with_callers(profile, &found);
    }
    unwound
}

/// The memory of a process at one time.
struct Process<'a, U> {
    mappings: &'a Arc<Vec<Mapping>>,
    unwinder: U,
    /// Which libraries the unwinder knows.
    added: Vec<LibId>,
}

impl<'a, U: Unwinder<Module = Module<Bytes>> + Default> Process<'a, U> {
    fn new(mappings: &'a Arc<Vec<Mapping>>) -> Self {
        Self { mappings, unwinder: U::default(), added: Vec::new() }
    }

    fn add(&mut self, lib: LibId, tables: &Tables) {
        for mapping in self.mappings.iter().filter(|mapping| mapping.lib == lib) {
            for module in tables.modules(mapping) {
                self.unwinder.add_module(module);
            }
        }
        self.added.push(lib);
    }

    /// Collects the callers of a stack, as the funcs of their libraries count, and says where it ends; or which library is needed
    /// to go on.
    #[expect(clippy::too_many_arguments, reason = "one loop, whose state lives in its caller")]
    fn follow(
        &mut self,
        ip: u64,
        regs: U::UnwindRegs,
        cache: &mut U::Cache,
        bytes: &[u8],
        sp: u64,
        tables: &FxHashMap<LibId, Option<Tables>>,
        libs: &[Lib],
        callers: &mut Vec<(LibId, u64)>,
        needed: &mut Option<LibId>,
    ) -> End {
        let mut read = |address: u64| {
            let at = usize::try_from(address.wrapping_sub(sp)).map_err(|_| ())?;
            let word = bytes.get(at..at.checked_add(8).ok_or(())?).ok_or(())?;
            word.try_into().map(u64::from_le_bytes).map_err(|_| ())
        };
        let mut frames = self.unwinder.iter_frames(ip, regs, cache, &mut read);
        let _leaf = frames.next();
        let mut address = ip;
        loop {
            let Some(mapping) = Mapping::find(self.mappings, address) else { return End::Unknown(None) };
            let lib = mapping.lib;
            let is_file = libs.get(lib.index()).is_some_and(|lib| lib.addresses == AddressBase::File);
            if is_file {
                match tables.get(&lib) {
                    None => {
                        *needed = Some(lib);
                        return End::Unknown(Some(lib));
                    }
                    Some(Some(_)) if !self.added.contains(&lib) => {
                        *needed = Some(lib);
                        return End::Unknown(Some(lib));
                    }
                    Some(Some(tables)) if tables.covers(mapping, address) => {}
                    Some(_) => return End::Unknown(Some(lib)),
                }
            }
            let next = match frames.next() {
                Ok(Some(frame)) => frame.address_for_lookup(),
                Ok(None) | Err(Error::ReturnAddressIsNull) => return End::Whole,
                Err(Error::CouldNotReadStack(at)) if is_file && at >= sp => return End::TooDeep,
                Err(_) => return End::Unknown(Some(lib)),
            };
            // What is no code is no caller.
            let Some(mapping) = Mapping::find(self.mappings, next) else { return End::Unknown(Some(lib)) };
            callers.push((mapping.lib, mapping.relative(next)));
            address = next;
        }
    }
}

/// The unwind tables of a library and where its code lies. Addresses are the library's own.
struct Tables {
    /// From these addresses on, up to the next, the tables that speak of code there.
    parts: Vec<(u64, ExplicitModuleSectionInfo<Bytes>)>,
    /// Parts of the file that are loaded to be executed: offsets, and the address of the first.
    segments: Vec<(Range<u64>, u64)>,
    /// Code that the tables speak of, in order.
    covered: Vec<Range<u64>>,
}

impl Tables {
    /// `None` if the file has none.
    fn read(bytes: &[u8]) -> Option<Self> {
        let file = File::parse(bytes).ok()?;
        let section = |name: &str| file.section_by_name(name);
        let range = |name: &str| section(name).map(|section| section.address()..section.address().saturating_add(section.size()));
        let data =
            |name: &str| section(name).and_then(|section| section.data().ok()).filter(|data| !data.is_empty()).map(Bytes::from);
        let segments: Vec<_> = file
            .segments()
            .filter(|segment| matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & elf::PF_X != 0))
            .map(|segment| {
                let (offset, size) = segment.file_range();
                (offset..offset.saturating_add(size), segment.address())
            })
            .collect();
        let image = ExplicitModuleSectionInfo {
            base_svma: segments.iter().map(|&(_, address)| address).min()?,
            text_svma: range(".text"),
            got_svma: range(".got"),
            ..ExplicitModuleSectionInfo::default()
        };
        let loaded = ExplicitModuleSectionInfo {
            eh_frame_svma: range(".eh_frame"),
            eh_frame_hdr_svma: range(".eh_frame_hdr"),
            eh_frame_hdr: data(".eh_frame_hdr"),
            eh_frame: data(".eh_frame"),
            ..image.clone()
        };
        let debug = ExplicitModuleSectionInfo { debug_frame: data(".debug_frame"), ..image };

        let bases = bases(&loaded);
        let by_loaded = loaded.eh_frame.as_deref().map(|bytes| covered(&EhFrame::new(bytes, LittleEndian), &bases));
        let by_debug = debug.debug_frame.as_deref().map(|bytes| {
            let mut section = DebugFrame::new(bytes, LittleEndian);
            section.set_address_size(8);
            covered(&section, &bases)
        });
        let by_loaded = by_loaded.unwrap_or_default();
        let mut by_debug = by_debug.unwrap_or_default();
        by_debug.retain(|code| !contains(&by_loaded, code.start));
        let mut all: Vec<_> = by_loaded.into_iter().map(|code| (code, &loaded)).collect();
        all.extend(by_debug.into_iter().map(|code| (code, &debug)));
        all.sort_by_key(|(code, _)| code.start);
        let runs = all.chunk_by(|a, b| std::ptr::eq(a.1, b.1));
        let parts: Vec<_> = runs.filter_map(|run| run.first()).map(|(code, tables)| (code.start, (*tables).clone())).collect();
        let covered: Vec<_> = all.into_iter().map(|(code, _)| code).collect();
        (!covered.is_empty()).then_some(Self { parts, segments, covered })
    }

    /// Where the library's own view of addresses begins to differ from the process's: what to add to the former.
    fn bias(&self, mapping: &Mapping) -> Option<u64> {
        // Pages are mapped whole: a mapping may begin before its segment does.
        let behind = mapping.offset.saturating_add(mapping.end - mapping.start);
        let overlaps = |(file, _): &&(Range<u64>, u64)| file.start < behind && mapping.offset < file.end;
        let (file, address) = self.segments.iter().find(overlaps)?;
        let own = address.wrapping_add(mapping.offset.wrapping_sub(file.start));
        Some(mapping.start.wrapping_sub(own))
    }

    fn modules(&self, mapping: &Mapping) -> Vec<Module<Bytes>> {
        let Some(bias) = self.bias(mapping) else { return Vec::new() };
        // The first part is that of all code before it, too.
        let starts =
            self.parts.iter().enumerate().map(|(i, &(start, _))| if i == 0 { mapping.start } else { start.wrapping_add(bias) });
        let starts: Vec<u64> = starts.collect();
        let ends = starts.iter().skip(1).copied().chain([mapping.end]);
        let parts = starts.iter().zip(ends).zip(&self.parts).filter_map(|((&start, end), (_, tables))| {
            let range = start.max(mapping.start)..end.min(mapping.end);
            let base = bias.wrapping_add(tables.base_svma);
            (range.start < range.end).then(|| Module::new(String::new(), range, base, tables.clone()))
        });
        parts.collect()
    }

    fn covers(&self, mapping: &Mapping, address: u64) -> bool {
        self.bias(mapping).is_some_and(|bias| contains(&self.covered, address.wrapping_sub(bias)))
    }
}

/// Whether an address lies in one of several ranges, which are in order.
fn contains(ranges: &[Range<u64>], address: u64) -> bool {
    let behind = ranges.partition_point(|range| range.start <= address);
    behind.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|range| range.contains(&address))
}

fn bases(sections: &ExplicitModuleSectionInfo<Bytes>) -> BaseAddresses {
    let start = |range: &Option<Range<u64>>| range.as_ref().map_or(0, |range| range.start);
    BaseAddresses::default()
        .set_eh_frame(start(&sections.eh_frame_svma))
        .set_eh_frame_hdr(start(&sections.eh_frame_hdr_svma))
        .set_text(start(&sections.text_svma))
        .set_got(start(&sections.got_svma))
}

/// The code that unwind tables speak of, in order.
fn covered<'a, S: UnwindSection<EndianSlice<'a, LittleEndian>>>(section: &S, bases: &BaseAddresses) -> Vec<Range<u64>> {
    let mut entries = section.entries(bases);
    let mut covered = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        if let Ok(function) = partial.parse(S::cie_from_offset) {
            covered.push(function.initial_address()..function.initial_address().saturating_add(function.len()));
        }
    }
    covered.sort_by_key(|code| code.start);
    covered
}
