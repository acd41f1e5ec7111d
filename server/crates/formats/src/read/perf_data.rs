//! Recordings of `perf record`: records of the kernel, most of them samples, in the file that
//! [`container`] reads. [`mod@event`] has the events, which define the contents of a
//! [`mod@sample`]; [`processes`] tracks the memory maps, so that addresses become addresses in
//! programs and libraries.
//!
//! The file has no functions: each func is named by the address to look up. For callers this is the
//! return address minus one, which is within the call. Call chains are recorded by the kernel
//! (frame pointers) or the processor (LBR; for a sample in the kernel, only the beginning of the
//! innermost function is known then). If the profiler copied the stack instead, the sample has the
//! frames that are known, and the copy is passed on as [`RawStacks`].
//!
//! An event that is only counted (a member of a group with the modifier `S`) has no samples. What it
//! counted since the last sample of its group is a weight of the next one, as in perf.
//!
//! Lost samples are counted ([`lost`]) and warned of.
//!
//! The layout follows `include/uapi/linux/perf_event.h`, in either byte order. Simpleperf's own
//! records are skipped.

mod container;
mod event;
mod lost;
mod processes;
mod sample;
mod words;

use super::perf_event::{
    LOSE_LESS, PerfEvent, default_metric, metric_names, no_sample, warn_of_lost_samples,
};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::limits::Limits;
use crate::read::result::Read;
use crate::read::shared::rows::{MAX_METRICS, Rows};
use crate::writer::{Producer, Writer};
use container::{Container, Record, kind};
use event::Event;
use processes::Processes;
use profile::{
    Frame, FrameId, Func, Label, LabelSetId, Lib, LibId, LineKnowledge, Mapping, Metric,
    ProfileBuilder, RawArch, RawStack, RawStacks, Recording, Registers, StackId, Thread,
    WarningCode, Warnings,
};
use rustc_hash::FxHashMap;
use sample::Sample;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) fn read(input: &mut Input<'_>, limits: Limits) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let bytes = input.whole();
    let ask = &mut |n_inflated| input.ask(bytes.len() as u64 + n_inflated);
    let file = Container::open(&bytes, limits, ask, &mut warnings)?;
    let layout = Layout::of(&file)?;
    let mut tables = Tables::new(&layout);
    for record in file.records() {
        let understood = match record.kind {
            kind::SAMPLE => tables.push(&file, &record, &mut warnings)?,
            kind::CGROUP => tables.name_cgroup(&record)?,
            _ => tables.processes.follow(&file, &record, &mut tables.builder, &mut warnings)?,
        };
        if understood.is_none() {
            warnings.add(WarningCode::MalformedRecord, || {
                format!("{}expected the fields of a record of this type", record.at)
            });
        }
    }
    warn_of_lost_samples(file.lost.samples(), layout.n_samples, LOSE_LESS, &mut warnings);
    let arch = layout.arch;
    let entries: Vec<_> = tables.entries.into_iter().collect();
    let raw_stacks =
        arch.map(|arch| RawStacks { arch, stacks: tables.raw, bytes: tables.raw_bytes, entries });
    let mut builder = tables.builder;
    tables.rows.finish(&mut builder)?;
    Ok(Read {
        writer: Writer::of_producer(
            file.version.as_ref().map(|version| Producer::new("perf", version)),
        ),
        span_seconds: layout.span_seconds(),
        truncated: file.has_end.then_some(false),
        raw_stacks: raw_stacks.filter(|raw| !(raw.stacks.is_empty() && raw.entries.is_empty())),
        ..Read::new(Format::PerfData, Recording::Stacks(builder.build()), warnings)
    })
}

/// What applies to a whole file.
struct Layout {
    n_samples: usize,
    metrics: Vec<Metric>,
    default_metric: usize,
    /// The metric of each event, by the event's index in the file.
    metric_of: Vec<Option<usize>>,
    /// Whether each event is counted with the samples of its group.
    is_counted: Vec<bool>,
    /// The times of the first and the last sample, in nanoseconds.
    times: Option<(u64, u64)>,
    arch: Option<RawArch>,
}

impl Layout {
    /// Events of the same name are one metric, and so are those of the kinds of cores of a hybrid
    /// processor; events without samples and counts are none.
    fn of(file: &Container<'_>) -> Result<Self, ReadError> {
        let mut n_samples = vec![0_usize; file.events.len()];
        let mut is_counted = vec![false; file.events.len()];
        let mut times = None;
        for record in file.records().filter(|record| record.kind == kind::SAMPLE) {
            if let Some(n) = record.event.and_then(|event| n_samples.get_mut(event)) {
                *n += 1;
                let (first, last) = times.unwrap_or((record.time, record.time));
                times = Some((first.min(record.time), last.max(record.time)));
            }
            for (event, _, count) in counts(file, &record) {
                if let Some(is_counted) = is_counted.get_mut(event) {
                    *is_counted |= count > 0;
                }
            }
        }
        let names: Vec<&str> = file.events.iter().map(|event| event.name.as_str()).collect();
        let names = metric_names(&names);
        let mut events: Vec<PerfEvent<'_>> = Vec::new();
        let mut metric_of = Vec::new();
        for (((event, name), &n_samples), &is_counted) in
            file.events.iter().zip(&names).zip(&n_samples).zip(&is_counted)
        {
            let found = events.iter().position(|other| other.name == name);
            let i = found.unwrap_or(events.len());
            if found.is_none() && (n_samples > 0 || is_counted) {
                events.push(PerfEvent { name, has_periods: false, n_samples: 0 });
            }
            if events.len() > MAX_METRICS {
                return Err(ReadError::too_large(format!(
                    "there are more than {MAX_METRICS} events; record fewer of them"
                )));
            }
            if let Some(metric) = events.get_mut(i) {
                metric.n_samples += n_samples;
                metric.has_periods |= event.has_periods() || is_counted;
            }
            metric_of.push((i < events.len()).then_some(i));
        }
        if events.is_empty() {
            return Err(ReadError::truncated(
                At::File,
                no_sample(file.lost.samples(), LOSE_LESS, "a recording by `perf record -g`"),
            ));
        }
        let metrics =
            events.iter().map(|event| event.metric().with_lines(LineKnowledge::Nothing)).collect();
        let arch = match file.arch.as_deref() {
            Some("x86_64") => Some(RawArch::X86_64),
            Some("aarch64") => Some(RawArch::Aarch64),
            // Unfinished files do not state it. 64-bit ARM has more than 32 registers.
            None => file.events.iter().map(|event| event.regs_user).find(|&regs| regs != 0).map(
                |regs| {
                    if regs & (1 << RawArch::Aarch64.ip()) == 0 {
                        RawArch::X86_64
                    } else {
                        RawArch::Aarch64
                    }
                },
            ),
            Some(_) => None,
        };
        let default_metric = default_metric(&events);
        let n_samples = events.iter().map(|event| event.n_samples).sum();
        Ok(Self { n_samples, metrics, default_metric, metric_of, is_counted, times, arch })
    }

    fn span_seconds(&self) -> Option<f64> {
        self.times.map(|(first, last)| (last - first) as f64 / 1e9).filter(|&span| span > 0.0)
    }
}

/// The counters of other events that were read with a sample: event, id and value.
fn counts(file: &Container<'_>, record: &Record<'_>) -> Vec<(usize, u64, u64)> {
    let event = record.event.and_then(|event| file.events.get(event));
    let Some(event) = event.filter(|event| event.has_counts()) else { return Vec::new() };
    let counts = Sample::parse(event, record.body).map_or(Vec::new(), |sample| sample.counts);
    let counts = counts.into_iter();
    counts.filter_map(|(id, value)| Some((file.event_with_id(id)?, id, value))).collect()
}

/// The number of a general register in `arch/*/include/uapi/asm/perf_regs.h`, by its DWARF number.
fn perf_number(arch: RawArch, number: u16) -> Option<u32> {
    const X86_64: [u32; 17] = [0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8];
    match arch {
        RawArch::X86_64 => X86_64.get(usize::from(number)).copied(),
        RawArch::Aarch64 => (number <= 32).then_some(number.into()),
    }
}

/// The address space of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    User,
    Kernel,
    /// A guest or hypervisor, whose code is unknown.
    Other,
}

impl Space {
    /// The address space of a sample, by `PERF_RECORD_MISC_CPUMODE_MASK`.
    fn of_sample(misc: u16) -> Self {
        match misc & 7 {
            1 => Self::Kernel,
            2 => Self::User,
            _ => Self::Other,
        }
    }

    /// The address space after a marker in a call chain.
    fn of_marker(marker: u64) -> Self {
        match marker.cast_signed() {
            -128 => Self::Kernel,
            -512 => Self::User,
            _ => Self::Other,
        }
    }
}

/// `PERF_CONTEXT_MAX`: numbers from here on are markers in a call chain.
const FIRST_MARKER: u64 = (-4095_i64).cast_unsigned();
/// `PERF_CONTEXT_USER_DEFERRED`: the user part of the chain is in a later record.
const DEFERRED: u64 = (-640_i64).cast_unsigned();

/// The tables being built, and caches.
struct Tables<'a> {
    layout: &'a Layout,
    builder: ProfileBuilder,
    processes: Processes,
    /// Frames by library and address in it.
    frames: FxHashMap<(Option<LibId>, u64), FrameId>,
    /// Samples by thread name, process and thread: a renamed thread becomes another one.
    rows: Rows<(Arc<str>, i32, i32)>,
    /// The last value of each counter that was read with samples, by its id.
    last_counts: FxHashMap<u64, u64>,
    /// The label of each control group.
    cgroups: FxHashMap<u64, LabelSetId>,
    raw: Vec<RawStack>,
    raw_bytes: Vec<u8>,
    entries: BTreeSet<StackId>,
    /// The call chain of the current sample, leaf first: address space and address to look up.
    chain: Vec<(Space, u64)>,
    /// The index in the chain of the kernel frame at which the kernel was entered, if the entry is
    /// treated as a call.
    entry: Option<usize>,
}

impl<'a> Tables<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self {
            layout,
            builder: ProfileBuilder::new(layout.metrics.clone(), layout.default_metric),
            processes: Processes::default(),
            frames: FxHashMap::default(),
            rows: Rows::new(layout.metrics.len()),
            last_counts: FxHashMap::default(),
            cgroups: FxHashMap::default(),
            raw: Vec::new(),
            raw_bytes: Vec::new(),
            entries: BTreeSet::new(),
            chain: Vec::new(),
            entry: None,
        }
    }

    /// Adds a sample; `None` if it is malformed.
    fn push(
        &mut self,
        file: &Container<'_>,
        record: &Record<'_>,
        warnings: &mut Warnings,
    ) -> Result<Option<()>, ReadError> {
        let Some((i, event)) = record.event.and_then(|i| Some((i, file.events.get(i)?))) else {
            return Ok(None);
        };
        let Some(sample) = Sample::parse(event, record.body) else { return Ok(None) };
        let (pid, tid) = sample.ids.unwrap_or((-1, -1));
        let regs = self.layout.arch.and_then(|arch| user_registers(arch, event, &sample));
        let is_deferred = self.unwind_known(record.misc, &sample, event);
        if is_deferred {
            warnings.add(WarningCode::DeferredChains, || {
                "callers that the kernel recorded separately from samples are not supported"
                    .to_owned()
            });
        }
        let regs = regs.filter(|_| {
            !self.chain.iter().any(|&(space, _)| space == Space::User)
                || sample.chain.rest().is_empty()
        });
        if let Some((ip, _)) = regs.filter(|_| Space::of_sample(record.misc) != Space::User) {
            self.chain.push((Space::User, ip));
        }

        let mut stack = None;
        for at in (0..self.chain.len()).rev() {
            let Some(&(space, address)) = self.chain.get(at) else { continue };
            let frame = self.frame(space, pid, address)?;
            let id = self.builder.intern_stack(stack, frame)?;
            if self.entry == Some(at) {
                self.entries.insert(id);
            }
            stack = Some(id);
        }
        let name = self.processes.name(tid);
        let key = (Arc::clone(&name), pid, tid);
        let id = |id: i32| (id >= 0).then(|| id.to_string());
        let thread = || Thread {
            name: name.as_ref().to_owned(),
            pid: id(pid),
            tid: id(tid),
            ..Thread::default()
        };
        let metric = self.layout.metric_of.get(i).copied().flatten();
        let period = sample.period.filter(|_| event.has_periods()).unwrap_or(1) as f64;
        // Like perf, use the count instead of the period, which does not include what was lost.
        let is_counted = self.layout.is_counted.get(i) == Some(&true);
        let counted = self.counted(file, record);
        let (thread, row) = self.rows.push(key, thread, stack, |i| {
            let own = if metric == Some(i) && !is_counted { period } else { 0.0 };
            own + counted.iter().filter(|(of, _)| *of == i).map(|(_, count)| count).sum::<f64>()
        });
        if record.time > 0 {
            self.rows.taken_at((thread, row), record.time as f64 / 1e6);
        }
        if let Some(&cgroup) = sample.cgroup.and_then(|id| self.cgroups.get(&id)) {
            self.rows.labelled((thread, row), cgroup);
        }

        if let (Some((_, registers)), Some(mappings)) = (regs, self.processes.mappings(pid)) {
            let start = self.raw_bytes.len();
            self.raw_bytes.extend_from_slice(sample.stack);
            let (mappings, bytes) = (Arc::clone(mappings), start..self.raw_bytes.len());
            self.raw.push(RawStack { thread, sample: row, mappings, registers, bytes });
        }
        Ok(Some(()))
    }

    /// Reads the path of a control group (`--all-cgroups`); `None` if the record is malformed.
    fn name_cgroup(&mut self, record: &Record<'_>) -> Result<Option<()>, ReadError> {
        let mut body = record.body;
        let Some(id) = body.u64() else { return Ok(None) };
        let label = Label::text("cgroup", &body.text());
        self.cgroups.insert(id, self.builder.intern_labels([label])?);
        Ok(Some(()))
    }

    /// What the counted events of a sample's group counted since its last one, by metric.
    fn counted(&mut self, file: &Container<'_>, record: &Record<'_>) -> Vec<(usize, f64)> {
        let mut counted = Vec::new();
        for (event, id, value) in counts(file, record) {
            let metric = self.layout.metric_of.get(event).copied().flatten();
            let is_counted = self.layout.is_counted.get(event) == Some(&true);
            let Some(metric) = metric.filter(|_| is_counted) else { continue };
            let last = self.last_counts.insert(id, value).unwrap_or(0);
            counted.push((metric, value.saturating_sub(last) as f64));
        }
        counted
    }

    /// Fills the chain with the frames that are known without unwinding; returns whether the user
    /// part was deferred.
    fn unwind_known(&mut self, misc: u16, sample: &Sample<'_>, event: &Event) -> bool {
        self.chain.clear();
        self.entry = None;
        let mut space = Space::of_sample(misc);
        let mut is_deferred = false;
        // The first address is the instruction pointer; the others are return addresses. So is the
        // address from which the kernel was entered by a system call, because it is after the
        // instruction. After a fault the instruction is executed again, so that address is exact;
        // if the event does not show that it was a fault, the kernel's functions do, once they have
        // names.
        let mut is_exact = true;
        for address in sample.chain.each() {
            if address == DEFERRED {
                is_deferred = true;
                break;
            }
            if address >= FIRST_MARKER {
                space = Space::of_marker(address);
                is_exact |= event.is_fault;
            } else if address > 0 {
                let is_entered = !is_exact
                    && space == Space::User
                    && self.chain.last().is_some_and(|last| last.0 == Space::Kernel);
                self.entry = if is_entered { self.chain.len().checked_sub(1) } else { self.entry };
                self.chain.push((space, if is_exact { address } else { address - 1 }));
                is_exact = false;
            }
        }
        if let Some(&(_, innermost)) = sample.calls.first() {
            self.chain.retain(|&(space, _)| space != Space::User);
            self.entry = None;
            let leaf =
                sample.ip.filter(|_| Space::of_sample(misc) == Space::User).unwrap_or(innermost);
            self.chain.push((Space::User, leaf));
            self.chain.extend(sample.calls.iter().map(|&(from, _)| (Space::User, from)));
        } else if self.chain.is_empty() {
            self.chain.extend(sample.ip.map(|ip| (Space::of_sample(misc), ip)));
        }
        is_deferred
    }

    fn frame(&mut self, space: Space, pid: i32, address: u64) -> Result<FrameId, ReadError> {
        let mappings = match space {
            Space::User => {
                self.processes.mappings(pid).map(|mappings| mappings.as_slice()).unwrap_or_default()
            }
            Space::Kernel => self.processes.kernel(),
            Space::Other => &[],
        };
        let (lib, address) = match Mapping::find(mappings, address) {
            Some(mapping) => (Some(mapping.lib), mapping.relative(address)),
            None if space == Space::Kernel => {
                let lib = Lib { name: "[kernel]".to_owned(), ..Lib::default() };
                (Some(self.builder.intern_lib(lib)?), address)
            }
            None => (None, address),
        };
        if let Some(&frame) = self.frames.get(&(lib, address)) {
            return Ok(frame);
        }
        let name = self.builder.intern_string(&format!("0x{address:x}"))?;
        let func =
            self.builder.intern_func(Func { name, source: None, lib, line: 0, column: 0 })?;
        let frame = self.builder.intern_frame(Frame::new(func, 0))?;
        self.frames.insert((lib, address), frame);
        Ok(frame)
    }
}

/// The instruction pointer and all registers to start unwinding from, if the stack was copied as
/// well.
fn user_registers(arch: RawArch, event: &Event, sample: &Sample<'_>) -> Option<(u64, Registers)> {
    let recorded = sample.regs.filter(|_| !sample.stack.is_empty())?;
    let mut registers = Registers::default();
    for number in 0..Registers::COUNT as u16 {
        let Some(bit) = perf_number(arch, number).map(|number| 1_u64 << number) else { continue };
        // Only the requested registers are present, in order of perf's numbers.
        let before = (event.regs_user & (bit - 1)).count_ones() as usize;
        let value = || recorded.each().nth(before);
        registers.set(number, (event.regs_user & bit != 0).then(value).flatten());
    }
    registers.get(arch.sp())?;
    Some((registers.get(arch.ip())?, registers))
}
