//! Copies of stack memory, for samples whose callers are found later (`perf record --call-graph
//! dwarf`). Finding callers needs the unwind tables of the recorded programs. This module has the
//! recorded data, and adds the callers to a recording once they are found ([`with_callers`]).

use crate::symbolicate::{Frames, Funcs};
use crate::{
    CategoryId, Frame, FrameId, Func, LibId, Profile, RawArch, Registers, StackId, StackTable,
    ThreadId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// Stack memory of some samples, and kernel entries.
#[derive(Debug, Clone)]
pub struct RawStacks {
    /// The architecture of the registers.
    pub arch: RawArch,
    /// One entry per sample, in any order.
    pub stacks: Vec<RawStack>,
    /// The bytes of all stacks, concatenated.
    pub bytes: Vec<u8>,
    /// The stacks at which samples enter the kernel, without duplicates. The frame below is
    /// recorded as a caller. If the kernel function handles interrupts or faults, it is no caller
    /// but was interrupted ([`with_interrupted`]).
    pub entries: Vec<StackId>,
}

/// The stack of one sample, from the frame at its instruction pointer outwards. For a sample in the kernel,
/// this is its part in user space.
#[derive(Debug, Clone)]
pub struct RawStack {
    /// The thread in the recording.
    pub thread: ThreadId,
    /// The sample of that thread.
    pub sample: usize,
    /// The executable mappings of the process, by address.
    pub mappings: Arc<Vec<Mapping>>,
    /// The registers that were recorded. The stack pointer is the address of the first byte.
    pub registers: Registers,
    /// Its range in [`RawStacks::bytes`].
    pub bytes: Range<usize>,
}

/// Executable memory of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapping {
    /// Its first address.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
    /// The address of its start relative to the library, as addresses of funcs are.
    pub offset: u64,
    /// The library. Memory without a file has a library of its own.
    pub lib: LibId,
}

impl Mapping {
    /// The mapping that contains an address, among those of a process.
    pub fn find(mappings: &[Self], address: u64) -> Option<&Self> {
        let behind = mappings.partition_point(|mapping| mapping.start <= address);
        mappings.get(behind.checked_sub(1)?).filter(|mapping| address < mapping.end)
    }

    /// An address in it, relative to the library.
    pub fn relative(&self, address: u64) -> u64 {
        address.wrapping_sub(self.start).wrapping_add(self.offset)
    }
}

/// The callers of one sample, innermost first, as libraries and addresses to look up in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callers {
    /// The thread.
    pub thread: ThreadId,
    /// The sample of that thread.
    pub sample: usize,
    /// The library and the address of each caller.
    pub callers: Vec<(LibId, u64)>,
}

/// The recording with callers added to the stacks of some samples. Funcs of callers are named by
/// their addresses ([`crate::SymbolTables::unresolved`]). `None` if a table would have too many
/// rows.
#[must_use]
pub fn with_callers(profile: &Profile, found: &[Callers]) -> Option<Profile> {
    let old = &profile.symbols;
    let mut funcs = Funcs::of(old);
    let mut frames = Frames::of(&profile.frames);
    let mut below: FxHashMap<(ThreadId, usize), &[(LibId, u64)]> = FxHashMap::default();
    below
        .extend(found.iter().map(|found| ((found.thread, found.sample), found.callers.as_slice())));
    let mut known_frames: FxHashMap<(LibId, u64), FrameId> = FxHashMap::default();
    let table = profile.stacks.without_rows();
    let mut stacks = Stacks { old: &profile.stacks, table, known: FxHashMap::default() };
    let mut all_samples = Vec::with_capacity(profile.samples.len());
    for (id, samples) in (0..).map(ThreadId::new).zip(profile.samples.iter()) {
        let mut column = Vec::with_capacity(samples.len());
        for (i, stack) in samples.stacks().enumerate() {
            let mut base = None;
            for &(lib, address) in below.get(&(id, i)).copied().unwrap_or_default().iter().rev() {
                let frame = if let Some(&known) = known_frames.get(&(lib, address)) {
                    known
                } else {
                    let name = funcs.names.string(&format!("0x{address:x}"))?;
                    let func = funcs.intern(Func {
                        name,
                        source: None,
                        lib: Some(lib),
                        line: 0,
                        column: 0,
                    });
                    frames.intern(Frame::new(func, 0), None)
                };
                known_frames.insert((lib, address), frame);
                base = Some(stacks.intern(base, frame, CategoryId::default())?);
            }
            column.push(match stack {
                Some(stack) => Some(stacks.moved(base, stack)?),
                None => base,
            });
        }
        all_samples.push(samples.at_stacks(column));
    }
    Some(Profile {
        symbols: funcs.finish(old.libs.clone()),
        frames: frames.table,
        stacks: stacks.table.into(),
        metrics: profile.metrics.clone(),
        default_metric: profile.default_metric,
        clock: profile.clock,
        labels: Arc::clone(&profile.labels),
        threads: Arc::clone(&profile.threads),
        samples: all_samples.into(),
    })
}

impl RawStacks {
    /// The addresses at which samples of `profile` enter the kernel, if they are not resolved yet.
    pub fn entry_addresses(&self, profile: &Profile) -> impl Iterator<Item = (LibId, u64)> {
        self.entries.iter().filter_map(|&stack| entry_address(profile, stack))
    }
}

fn entry_address(profile: &Profile, stack: StackId) -> Option<(LibId, u64)> {
    profile.symbols.unresolved(profile.frames.get(profile.stacks.frame(stack)).func)
}

/// The recording with corrected addresses of interrupted frames, which are the frames below entries
/// of `raw` for whose address `is_interrupt` holds. A caller is looked up at an address within its
/// call instruction, one before the return address. An interrupted frame did not call, so it is
/// looked up at the address itself, one more. `None` if there are no such frames, or if a table
/// would have too many rows.
#[must_use]
pub fn with_interrupted(
    profile: &Profile,
    raw: &RawStacks,
    is_interrupt: impl Fn(LibId, u64) -> bool,
) -> Option<Profile> {
    let is_at_interrupt = |stack| {
        entry_address(profile, stack).is_some_and(|(lib, address)| is_interrupt(lib, address))
    };
    let interrupts: FxHashSet<StackId> =
        raw.entries.iter().copied().filter(|&stack| is_at_interrupt(stack)).collect();
    if interrupts.is_empty() {
        None
    } else {
        looked_up_exactly(profile, |stack| interrupts.contains(&stack))
    }
}

/// The recording with the address of the frames below some stacks increased by one.
fn looked_up_exactly(profile: &Profile, is_interrupt: impl Fn(StackId) -> bool) -> Option<Profile> {
    let (old, symbols) = (&profile.stacks, &profile.symbols);
    let (mut funcs, mut frames) = (Funcs::of(symbols), Frames::of(&profile.frames));
    let mut stacks = Stacks { old, table: old.without_rows(), known: FxHashMap::default() };
    let mut moved: Vec<StackId> = Vec::with_capacity(old.len());
    for stack in old.ids() {
        let mut below = old.prefix(stack).map(|below| moved[below.index()]);
        let interrupted = old.prefix(stack).filter(|_| is_interrupt(stack));
        if let Some(interrupted) = interrupted {
            let frame = profile.frames.get(old.frame(interrupted));
            if let Some(address) = symbols.func_key(frame.func).address {
                let name = funcs.names.string(&format!("0x{:x}", address.saturating_add(1)))?;
                let func = funcs.intern(Func { name, ..symbols.funcs.get(frame.func) });
                let frame = frames.intern(Frame { func, ..frame }, None);
                let outer = old.prefix(interrupted).map(|outer| moved[outer.index()]);
                below = Some(stacks.intern(outer, frame, old.category(interrupted))?);
            }
        }
        moved.push(stacks.intern(below, old.frame(stack), old.category(stack))?);
    }
    let moved = |stack: StackId| moved[stack.index()];
    let samples = profile.samples.iter();
    let samples =
        samples.map(|samples| samples.at_stacks(samples.stacks().map(|stack| stack.map(moved))));
    Some(Profile {
        threads: Arc::clone(&profile.threads),
        samples: samples.collect(),
        symbols: funcs.finish(symbols.libs.clone()),
        frames: frames.table,
        stacks: stacks.table.into(),
        metrics: profile.metrics.clone(),
        default_metric: profile.default_metric,
        clock: profile.clock,
        labels: Arc::clone(&profile.labels),
    })
}

/// Copies stacks on top of other stacks.
struct Stacks<'a> {
    old: &'a StackTable,
    table: StackTable,
    known: FxHashMap<(Option<StackId>, FrameId, CategoryId), StackId>,
}

impl Stacks<'_> {
    /// An old stack, on top of its new callers.
    fn moved(&mut self, base: Option<StackId>, old: StackId) -> Option<StackId> {
        let mut path = vec![old];
        while let Some(prefix) = path.last().and_then(|&stack| self.old.prefix(stack)) {
            path.push(prefix);
        }
        let mut stack = base;
        for &old in path.iter().rev() {
            stack = Some(self.intern(stack, self.old.frame(old), self.old.category(old))?);
        }
        stack
    }

    fn intern(
        &mut self,
        prefix: Option<StackId>,
        frame: FrameId,
        category: CategoryId,
    ) -> Option<StackId> {
        if let Some(&known) = self.known.get(&(prefix, frame, category)) {
            return Some(known);
        }
        u32::try_from(self.table.len()).ok().filter(|&next| next != crate::ids::NONE)?;
        let id = self.table.push_in(category, prefix, frame);
        self.known.insert((prefix, frame, category), id);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StackAccess;
    use crate::text_samples;

    #[test]
    fn callers_are_added_below_recorded_stacks() {
        let profile = text_samples::profile(
            "
            0x10[lib:app]  0x10[lib:app]  main
            0x99[lib:k]
        ",
        );
        let app = LibId::new(0);
        let found = |sample, callers: &[(LibId, u64)]| Callers {
            thread: ThreadId::new(0),
            sample,
            callers: callers.to_vec(),
        };
        let found = [found(0, &[(app, 0x20), (app, 0x30)]), found(1, &[(app, 0x21), (app, 0x30)])];
        let profile = with_callers(&profile, &found).unwrap();
        let shown: Vec<String> =
            profile.samples()[0].stacks().map(|stack| show(&profile, stack)).collect();
        assert_eq!(shown, ["0x30 0x20 0x10 0x99", "0x30 0x21 0x10", "main"]);
        // `0x30` is one func, one frame and one stack.
        assert_eq!(
            (profile.symbols().funcs.len(), profile.frames().len(), profile.stacks().len()),
            (6, 6, 7)
        );
        assert!(
            profile
                .symbols()
                .funcs
                .ids()
                .all(|id| profile.symbols().unresolved(id).is_some() == (id.index() != 2))
        );
    }

    #[test]
    fn an_interrupted_frame_is_not_a_caller() {
        // One user frame below a system call and below a fault, and a second fault in a caller of
        // its own.
        let profile = text_samples::profile(
            "
            0x10[lib:app]  0x10           0x10           main
            0x27[lib:app]  0x27           0x27           0x27
            0x50[lib:k]    0x60[lib:k]                   0x60
                           0x61[lib:k]
        ",
        );
        let is_fault = |stack: StackId| {
            let func = profile.frames().get(profile.stacks().frame(stack)).func;
            profile.symbols().func_name(func) == "0x60"
        };
        let profile = looked_up_exactly(&profile, is_fault).unwrap();
        let shown: Vec<String> =
            profile.samples()[0].stacks().map(|stack| show(&profile, stack)).collect();
        assert_eq!(shown, ["0x10 0x27 0x50", "0x10 0x28 0x60 0x61", "0x10 0x27", "main 0x28 0x60"]);
    }

    fn show(profile: &Profile, mut stack: Option<StackId>) -> String {
        let mut names = Vec::new();
        while let Some(id) = stack {
            let func = profile.frames().get(profile.stacks().frame(id)).func;
            names.push(profile.symbols().func_name(func));
            stack = profile.stacks().prefix(id);
        }
        names.reverse();
        names.join(" ")
    }

    #[test]
    fn addresses_are_found_in_the_mapping_around_them() {
        let mapping = |start, end, offset| Mapping { start, end, offset, lib: LibId::new(0) };
        let mappings = [mapping(0x1000, 0x2000, 0), mapping(0x4000, 0x5000, 0x300)];
        let relative =
            |address| Mapping::find(&mappings, address).map(|mapping| mapping.relative(address));
        assert_eq!(
            [0xfff, 0x1000, 0x1fff, 0x2000, 0x4010, 0x5000].map(relative),
            [None, Some(0), Some(0xfff), None, Some(0x310), None]
        );
    }
}
