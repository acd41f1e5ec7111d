//! Traces of .NET's runtime (nettrace), which dotnet-trace writes.
//!
//! A file has [blocks](blocks) of events, and of what they refer to: metadata, stacks and threads. Stacks are numbered
//! anew after each sequence point. Addresses have no names until the trace ends: then the runtime says which
//! methods there are, the [rundown](code).
//!
//! The runtime interrupts all threads that run managed code every millisecond or less often, and writes a
//! `ThreadSample` for each. It says in which code the thread was: in managed code, or in *external* code, which is
//! native code or waiting. The file does not tell these two apart.
//!
//! As in dotnet-trace's own conversion (`SampleProfilerThreadTimeComputer` of `TraceEvent`), a sample stands for the
//! time to the next sample of its thread, because samples take their time and are not at regular intervals. The last
//! one of a thread has no time. What that conversion writes as a frame below the method, `CPU_TIME` or
//! `UNMANAGED_CODE_TIME`, is the label `state` here.
//!
//! `dotnet-trace collect-linux` writes traces of all processes of a machine, in version 6. Their samples are events
//! `cpu`, and their methods symbols of perf's maps.
//!
//! Not read: samples of allocations (`AllocationTick`) and other events, and offsets into the code of methods, as the
//! lines that they lead to are in other files.
//!
//! Sources: `NetTraceFormat.md`, `NetTraceFormat_v5.md`, `UniversalProviders.md` and `TraceLog.cs` of perfview;
//! `ClrEtwAll.man` of the runtime; `nettrace.rs` of one-collect.

mod blocks;
mod bytes;
mod code;
mod events;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::id_tree::{IdTree, Node};
use blocks::{Blocks, Kind, Next};
pub(crate) use blocks::{MAGIC, is_end};
use bytes::Bytes;
use code::{Address, Code};
use events::{Event, Row, Rows};
use profile::{
    BuildError, Frame, FrameId, Func, Label, LabelSetId, Lib, LineKnowledge, Metric,
    ProfileBuilder, Recording, Samples, StackId, Thread, WarningCode, Warnings, Weights,
};
use rustc_hash::FxHashMap;

/// The name of code that no event names.
const UNKNOWN: &str = "?";
/// What a `ThreadSample` says of managed code.
const MANAGED: u32 = 2;

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut blocks = Blocks::begin(input)?;
    let mut trace = Trace::new(blocks.version);
    loop {
        let offset = input.offset();
        match blocks.next(input) {
            Next::Block(Kind::End, _) => break,
            Next::Block(kind, size) => trace.add(kind, input.take(size), offset)?,
            Next::Unsupported(version) => return Err(blocks::unsupported(version)),
            Next::Cut if !trace.has_header => return Err(blocks::ends_early()),
            Next::Cut => {
                trace.is_cut = true;
                break;
            }
            Next::Malformed => {
                let message = "expected a block of a .NET trace";
                if !trace.has_header {
                    return Err(ReadError::malformed(At::Byte(offset), message));
                }
                trace.warnings.add(WarningCode::Malformed, || {
                    format!("byte {offset}: {message}; the rest of the trace is left out")
                });
                break;
            }
        }
    }
    trace.finish()
}

/// A thread of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct ThreadId {
    pid: u64,
    tid: u64,
    name: String,
}

/// In which code a thread was, or that it was on a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Managed,
    External,
    Cpu,
}

impl State {
    /// By the number in a `ThreadSample`.
    fn of(kind: u32) -> Self {
        if kind == MANAGED { Self::Managed } else { Self::External }
    }
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    time: u64,
    stack: Node,
    state: State,
    /// How many samples it stands for.
    count: u32,
}

/// A stack since the last sequence point.
#[derive(Debug, Clone, Copy)]
struct Stack {
    /// Where its addresses are in [`Trace::stack_bytes`].
    start: usize,
    size: usize,
    /// What it became for the first process that has it. Others are forks of that, with the same code.
    known: Option<Node>,
}

/// A file that is being read.
#[derive(Default)]
struct Trace {
    version: u32,
    has_header: bool,
    is_cut: bool,
    warnings: Warnings,
    /// The time of the start, and how many ticks a second has.
    start: u64,
    frequency: u64,
    pointer_size: usize,
    /// Of versions before 6.
    pid: u64,
    /// How long a sample of the processor is, in seconds.
    interval: Option<f64>,
    /// The events that are read, by the number of their metadata.
    events: FxHashMap<u32, Event>,
    stacks: FxHashMap<u32, Stack>,
    stack_bytes: Vec<u8>,
    /// Where threads are in [`Self::threads`], by the number that events have: an id before version 6.
    numbered: FxHashMap<u64, usize>,
    /// The number of the last event that each thread wrote.
    sequences: FxHashMap<u64, u32>,
    n_lost: u64,
    process_names: FxHashMap<u64, String>,
    code: Code,
    tree: IdTree<Address>,
    threads: Vec<(ThreadId, Vec<Sample>)>,
    thread_rows: FxHashMap<ThreadId, usize>,
}

impl Trace {
    fn new(version: u32) -> Self {
        Self { version, ..Self::default() }
    }

    fn add(&mut self, kind: Kind, block: &[u8], offset: u64) -> Result<(), ReadError> {
        let mut bytes = Bytes(block);
        let read = match kind {
            Kind::Trace => {
                self.header(bytes).ok_or_else(blocks::ends_early)?;
                Some(())
            }
            _ if !self.has_header => {
                let message = "expected the header of a .NET trace";
                return Err(ReadError::malformed(At::Byte(offset), message));
            }
            Kind::Events => self.events(block)?,
            Kind::Metadata if self.version == 6 => self.metadata_rows(&mut bytes),
            Kind::Metadata => self.metadata(block),
            Kind::Stacks => self.stacks(bytes),
            Kind::SequencePoint => self.sequence_point(bytes),
            Kind::Threads => self.numbered_threads(bytes),
            Kind::End | Kind::Other => Some(()),
        };
        if read.is_none() {
            self.warnings.add(WarningCode::MalformedRecord, || {
                format!("byte {offset}: a block is malformed; what follows in it is left out")
            });
        }
        Ok(())
    }

    fn header(&mut self, mut bytes: Bytes<'_>) -> Option<()> {
        let _date = bytes.take(16)?;
        (self.start, self.frequency) = (bytes.u64()?, bytes.u64()?);
        self.pointer_size = if bytes.u32()? == 4 { 4 } else { 8 };
        self.has_header = true;
        if self.version < 6 {
            self.pid = bytes.u32()?.into();
            return Some(());
        }
        for _ in 0..bytes.u32()? {
            let (key, value) = (bytes.text()?, bytes.text()?);
            match key.as_str() {
                "ProcessId" => self.pid = value.parse().unwrap_or(0),
                "ExpectedCPUSamplingRate" => {
                    self.interval =
                        value.parse().ok().map(|nanoseconds: u32| f64::from(nanoseconds) / 1e9);
                }
                _ => {}
            }
        }
        Some(())
    }

    fn metadata(&mut self, block: &[u8]) -> Option<()> {
        let mut rows = Rows::new(block, self.version)?;
        for row in rows.by_ref() {
            let (number, event) = events::metadata(Bytes(row.payload))?;
            self.events.extend(event.map(|event| (number, event)));
        }
        rows.is_at_end().then_some(())
    }

    fn metadata_rows(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let header = bytes.u16()?;
        bytes.part(header)?;
        while !bytes.0.is_empty() {
            let (number, event) = events::metadata_row(bytes)?;
            self.events.extend(event.map(|event| (number, event)));
        }
        Some(())
    }

    fn stacks(&mut self, mut bytes: Bytes<'_>) -> Option<()> {
        let (first, count) = (bytes.u32()?, bytes.u32()?);
        for at in 0..count {
            let size = bytes.u32()?;
            let addresses = bytes.part(size)?.0;
            let stack = Stack { start: self.stack_bytes.len(), size: addresses.len(), known: None };
            self.stack_bytes.extend_from_slice(addresses);
            self.stacks.insert(first.wrapping_add(at), stack);
        }
        Some(())
    }

    /// Forgets the stacks, and what else version 6 says.
    fn sequence_point(&mut self, mut bytes: Bytes<'_>) -> Option<()> {
        self.stacks.clear();
        self.stack_bytes.clear();
        let _time = bytes.u64()?;
        let flags = if self.version == 6 { bytes.u32()? } else { 0 };
        for _ in 0..bytes.u32()? {
            let (thread, sequence) = if self.version == 6 {
                (bytes.var()?, bytes.var32()?)
            } else {
                (bytes.u64()?, bytes.u32()?)
            };
            self.count_lost(thread, sequence, 0);
        }
        if flags & 1 != 0 {
            self.numbered.clear();
            self.sequences.clear();
        }
        if flags & 2 != 0 {
            self.events.clear();
        }
        Some(())
    }

    /// Counts events that a thread did not get into the file: `sequence` is the number of its last event, and
    /// `n_new` of the events up to it are there. A number is lower than the last one if another thread has got
    /// the id.
    fn count_lost(&mut self, thread: u64, sequence: u32, n_new: u32) {
        let last = self.sequences.insert(thread, sequence);
        let n_lost = last.map_or(0, |last| sequence.wrapping_sub(last).wrapping_sub(n_new));
        if n_lost.cast_signed() > 0 {
            self.n_lost += u64::from(n_lost);
        }
    }

    fn numbered_threads(&mut self, mut bytes: Bytes<'_>) -> Option<()> {
        while !bytes.0.is_empty() {
            let size = bytes.u16()?;
            let mut row = bytes.part(size)?;
            let number = row.var()?;
            let mut thread = ThreadId { pid: self.pid, ..ThreadId::default() };
            while let Some(kind) = row.byte() {
                match kind {
                    1 => thread.name = row.text()?,
                    2 => thread.pid = row.var()?,
                    3 => thread.tid = row.var()?,
                    4 => {
                        let (_key, _value) = (row.text()?, row.text()?);
                    }
                    _ => return None,
                }
            }
            let row = self.thread_row(thread);
            self.numbered.insert(number, row);
        }
        Some(())
    }

    fn thread_row(&mut self, thread: ThreadId) -> usize {
        let next = self.threads.len();
        let row = *self.thread_rows.entry(thread.clone()).or_insert(next);
        if row == next {
            self.threads.push((thread, Vec::new()));
        }
        row
    }

    /// The thread with a number.
    fn thread(&mut self, number: u64) -> usize {
        if let Some(&row) = self.numbered.get(&number) {
            return row;
        }
        let tid = if self.version < 6 { number } else { 0 };
        let row = self.thread_row(ThreadId { pid: self.pid, tid, ..ThreadId::default() });
        self.numbered.insert(number, row);
        row
    }

    fn events(&mut self, block: &[u8]) -> Result<Option<()>, ReadError> {
        let Some(mut rows) = Rows::new(block, self.version) else { return Ok(None) };
        for row in rows.by_ref() {
            self.count_lost(row.writer, row.sequence, 1);
            let Some(&event) = self.events.get(&row.metadata) else { continue };
            if self.event(event, &row)?.is_none() {
                self.warnings.add(WarningCode::MalformedRecord, || {
                    "the content of an event is malformed; it is left out".to_owned()
                });
            }
        }
        Ok(rows.is_at_end().then_some(()))
    }

    /// `None` if the content of the event is malformed.
    fn event(&mut self, event: Event, row: &Row<'_>) -> Result<Option<()>, BuildError> {
        let mut payload = Bytes(row.payload);
        let thread = self.thread(row.thread);
        let pid = self.threads[thread].0.pid;
        let sampled = match event {
            Event::Method => return Ok(self.code.add_method(pid, payload)),
            Event::Module { skipped } => return Ok(self.code.add_module(pid, skipped, payload)),
            Event::Mapping => return Ok(self.code.add_mapping(pid, payload)),
            Event::Symbol => return Ok(self.code.add_symbol(pid, payload)),
            Event::Process => return Ok(self.name_process(pid, payload)),
            Event::ThreadSample => payload.u32().map(|kind| (State::of(kind), 1)),
            Event::Cpu => payload.var32().map(|count| (State::Cpu, count)),
        };
        let Some((state, count)) = sampled else { return Ok(None) };
        let stack = self.stack(pid, row.stack)?;
        self.threads[thread].1.push(Sample { time: row.time, stack, state, count });
        Ok(Some(()))
    }

    fn name_process(&mut self, pid: u64, mut payload: Bytes<'_>) -> Option<()> {
        let _namespace = payload.var()?;
        self.process_names.insert(pid, payload.short_text()?);
        Some(())
    }

    /// The stack with a number. Its first address is that of the innermost method.
    fn stack(&mut self, pid: u64, number: u32) -> Result<Node, BuildError> {
        let Self { stacks, stack_bytes, tree, pointer_size, .. } = self;
        let Some(stack) = stacks.get_mut(&number) else { return Ok(tree.end()) };
        if let Some(known) = stack.known {
            return Ok(known);
        }
        let addresses = &stack_bytes[stack.start..stack.start + stack.size];
        for address in addresses.chunks_exact(*pointer_size).rev() {
            let value = address.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            tree.push((pid, value))?;
        }
        Ok(*stack.known.insert(tree.end()))
    }

    fn finish(mut self) -> Result<Read, ReadError> {
        if self.samples().next().is_none() {
            let why = if self.is_cut { ", which ends before its end mark," } else { "" };
            return Err(ReadError::truncated(
                At::File,
                format!(
                    "the .NET trace{why} has no samples of threads; record with `dotnet-trace collect`, without `--profile` and \
                     `--providers`"
                ),
            ));
        }
        self.code.sort();
        let is_cpu = self.samples().any(|sample| sample.state == State::Cpu);
        let metric = if is_cpu {
            Metric::new("cpu", "samples", self.interval)
        } else {
            Metric::new("milliseconds", "milliseconds", None)
        };
        let times = self.samples().map(|sample| sample.time);
        let span = times.clone().max().zip(times.min()).map_or(0, |(last, first)| last - first);
        let metric = metric.with_lines(LineKnowledge::Nothing);
        let mut builder = ProfileBuilder::new(vec![metric], 0);
        let stacks = self.stacks_of_tree(is_cpu, &mut builder)?;
        let labels = if is_cpu {
            [LabelSetId::NONE; 3]
        } else {
            let mut label = |state| builder.intern_labels([Label::text("state", state)]);
            [label("managed")?, label("external")?, LabelSetId::NONE]
        };
        for (thread, mut samples) in std::mem::take(&mut self.threads) {
            samples.retain(|sample| (sample.state == State::Cpu) == is_cpu);
            if samples.is_empty() {
                continue;
            }
            samples.sort_by_key(|sample| sample.time);
            let weights = if is_cpu { counts(&samples) } else { self.times_to_next(&samples) };
            let times = samples.iter().map(|it| self.ms(it.time.saturating_sub(self.start)));
            let rows =
                Samples::new(samples.iter().map(|it| stacks[it.stack.index()?]), vec![weights])
                    .with_times(times.collect())
                    .with_labels(samples.iter().map(|it| labels[it.state as usize]).collect());
            builder.push_thread(self.described(thread), rows)?;
        }
        self.warn_of_lost();
        self.warn_of_end();
        Ok(Read {
            version: Some(self.version.to_string()),
            span_seconds: Some(self.ms(span) / 1e3),
            ..Read::new(Format::Nettrace, Recording::Stacks(builder.build()), self.warnings)
        })
    }

    fn samples(&self) -> impl Iterator<Item = &Sample> + Clone {
        self.threads.iter().flat_map(|(_, samples)| samples)
    }

    fn ms(&self, ticks: u64) -> f64 {
        ticks as f64 * 1e3 / self.frequency.max(1) as f64
    }

    /// The time from each sample of a thread to the next.
    fn times_to_next(&self, samples: &[Sample]) -> Weights {
        let next = samples.iter().skip(1).chain(samples.last());
        Weights::Each(
            samples.iter().zip(next).map(|(it, next)| self.ms(next.time - it.time)).collect(),
        )
    }

    fn described(&self, ThreadId { pid, tid, name }: ThreadId) -> Thread {
        Thread {
            name,
            process_name: self.process_names.get(&pid).cloned().unwrap_or_default(),
            pid: Some(pid.to_string()),
            tid: Some(tid.to_string()),
            ..Thread::default()
        }
    }

    /// The stack of each node of the tree.
    fn stacks_of_tree(
        &mut self,
        is_cpu: bool,
        builder: &mut ProfileBuilder,
    ) -> Result<Vec<Option<StackId>>, ReadError> {
        let mut frames: FxHashMap<Address, FrameId> = FxHashMap::default();
        let mut n_unknown = 0;
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(self.tree.nodes().len());
        for (caller, address) in self.tree.nodes() {
            let caller = caller.index().and_then(|caller| stacks[caller]);
            let frame = if let Some(&known) = frames.get(&address) {
                known
            } else {
                let method = self.code.method(address);
                n_unknown += usize::from(method.is_none());
                let frame = self.frame(method, builder)?;
                frames.insert(address, frame);
                frame
            };
            stacks.push(Some(builder.intern_stack(caller, frame)?));
        }
        if !is_cpu && 2 * n_unknown > frames.len() {
            self.warnings.add(WarningCode::UnnamedMethods, || {
                format!(
                    "{n_unknown} of {} addresses are in no known method and are shown as `{UNKNOWN}`: the runtime names methods when a trace \
                     ends, unless dotnet-trace or the program is killed, or with `--rundown false`; record again, and stop dotnet-trace with \
                     Enter or Ctrl+C, or let the program end",
                    frames.len()
                )
            });
        }
        Ok(stacks)
    }

    fn frame(
        &self,
        method: Option<&code::Method>,
        builder: &mut ProfileBuilder,
    ) -> Result<FrameId, BuildError> {
        let name = builder.intern_string(method.map_or(UNKNOWN, |method| &method.name))?;
        let path = method.map_or("", |method| self.code.module(method));
        let lib = (!path.is_empty()).then(|| builder.intern_lib(library(path))).transpose()?;
        let func = builder.intern_func(Func { name, source: None, lib, line: 0, column: 0 })?;
        let tier = method.map(|method| method.tier).unwrap_or_default();
        builder.intern_frame(Frame { tier, ..Frame::new(func, 0) })
    }

    fn warn_of_lost(&mut self) {
        let n = self.n_lost;
        if n > 0 {
            self.warnings.add(WarningCode::LostSamples, || {
                format!(
                    "the runtime lost {n} events because its buffer was full; if they were samples, their time counts for the samples before them. \
                     Record with a larger buffer: `dotnet-trace collect --buffersize 1024` (MB)"
                )
            });
        }
    }

    fn warn_of_end(&mut self) {
        if self.is_cut {
            self.warnings.add(WarningCode::Truncated, || {
                "the trace ends before its end mark: it was still being written, or dotnet-trace or the program was killed, or the file is cut; \
                 what it has until there is shown"
                    .to_owned()
            });
        }
    }
}

/// A module by its path, with the name that dotnet-trace writes.
fn library(path: &str) -> Lib {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = [".dll", ".exe"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    Lib { name: stem.to_owned(), path: path.to_owned(), ..Lib::default() }
}

fn counts(samples: &[Sample]) -> Weights {
    Weights::Counts(samples.iter().map(|sample| sample.count).collect())
}

#[cfg(test)]
mod tests;
