//! Recordings of the JVM's Flight Recorder (JFR), and those of async-profiler in the same format.
//!
//! A file is a sequence of chunks that need nothing of each other. A chunk has a header, events, constants that
//! events refer to by number, and metadata: the fields of all types. Its recorder writes constants and metadata
//! last, or again and again, so a chunk without them cannot be read; those before it can.
//!
//! ```text
//! FLR\0 2.1, size, offset of the last check point, offset of the metadata, time, ticks per second, flags
//! size, type, fields…      an event: jdk.ExecutionSample with startTime, sampledThread, stackTrace, state
//! size, 1, constants…      a check point: pools of stacks, methods, classes, threads, symbols
//! size, 0, texts, tree     the metadata
//! ```
//!
//! A sample counts 1, whatever its period is: threads that should have been sampled and were not leave nothing,
//! so samples times the period are not the time of the processor. Each kind of event is a metric
//! ([`METRICS`]).
//!
//! Frames have the line that executes and a class, and no file: its file is that of the outermost class, in the
//! folder of its package. `loading` finds classes that are in files of other names.
//!
//! Environment variables and system properties are in most recordings. They are not read.
//!
//! Sources: what `jfr metadata`, `jfr summary` and `jfr print` say of recordings by JDK 17 and 25;
//! `flightRecorder.cpp`, `jfrMetadata.cpp` and `JfrReader.java` of async-profiler 4.

mod chunk;
mod cursor;
mod pools;
mod types;

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::java::{class_file, stable_class};
use crate::writer::{Dialect, Writer};
pub(crate) use chunk::MAGIC;
use chunk::{Events, HEADER, Header};
use pools::{FrameKind, JavaThread, Pools, StackFrame};
use profile::{
    BuildError, Frame, FrameId, FuncId, JitTier, Metric, ProfileBuilder, Recording, Samples,
    StackId, Thread, WarningCode, Warnings,
};
use rustc_hash::FxHashMap;
use types::{Layout, Types, Value};

/// The type of metadata.
const METADATA: i64 = 0;
/// The type of check points.
const CHECK_POINT: i64 = 1;

/// The metrics, each with its unit. The first that a file has is shown.
const METRICS: [(&str, &str); 13] = [
    ("cpu", "samples"),
    ("cpu time", "nanoseconds"),
    ("samples", "samples"),
    ("wall", "samples"),
    ("native", "samples"),
    ("alloc", "bytes"),
    ("live", "bytes"),
    ("malloc", "bytes"),
    ("lock", "nanoseconds"),
    ("native lock", "nanoseconds"),
    ("wait", "nanoseconds"),
    ("park", "nanoseconds"),
    ("sleep", "nanoseconds"),
];

/// A kind of event with a stack.
#[derive(Debug, Clone, Copy)]
struct Kind {
    event: &'static str,
    /// The metric in which an event counts 1.
    count: Option<&'static str>,
    /// The metric in which it counts what a field says, and the field.
    weight: Option<(&'static str, &'static str)>,
}

impl Kind {
    fn counts_in(&self, metric: &str) -> bool {
        self.count == Some(metric) || self.weight.is_some_and(|(weighted, _)| weighted == metric)
    }

    /// What an event whose field says `weight` counts in a metric.
    fn weight_in(&self, metric: &str, weight: f64) -> f64 {
        match self.count {
            Some(counted) if counted == metric => 1.0,
            _ if self.counts_in(metric) => weight,
            _ => 0.0,
        }
    }
}

const fn counted(event: &'static str, metric: &'static str) -> Kind {
    Kind { event, count: Some(metric), weight: None }
}

const fn weighted(event: &'static str, metric: &'static str, field: &'static str) -> Kind {
    Kind { event, count: None, weight: Some((metric, field)) }
}

const SAMPLE: Kind = counted("jdk.ExecutionSample", "samples");
/// By older versions of async-profiler.
const WALL_SAMPLE: Kind = counted("jdk.ExecutionSample", "wall");
const ALLOCATION: Kind = weighted("jdk.ObjectAllocationSample", "alloc", "weight");

/// The kinds of events. [`WALL_SAMPLE`] follows [`SAMPLE`], which has the same type.
const KINDS: [Kind; 15] = [
    Kind { count: Some("cpu"), ..weighted("jdk.CPUTimeSample", "cpu time", "samplingPeriod") },
    SAMPLE,
    WALL_SAMPLE,
    weighted("profiler.WallClockSample", "wall", "samples"),
    counted("jdk.NativeMethodSample", "native"),
    ALLOCATION,
    weighted("jdk.ObjectAllocationInNewTLAB", "alloc", "tlabSize"),
    weighted("jdk.ObjectAllocationOutsideTLAB", "alloc", "allocationSize"),
    weighted("profiler.LiveObject", "live", "allocationSize"),
    weighted("profiler.Malloc", "malloc", "size"),
    weighted("jdk.JavaMonitorEnter", "lock", "duration"),
    weighted("profiler.NativeLock", "native lock", "duration"),
    weighted("jdk.JavaMonitorWait", "wait", "duration"),
    weighted("jdk.ThreadPark", "park", "duration"),
    weighted("jdk.ThreadSleep", "sleep", "duration"),
];

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut file = File::default();
    while input.has(1) {
        input.has(HEADER);
        let offset = input.offset();
        let Some(header) = Header::read(input.bytes()) else {
            if file.n_chunks == 0 {
                return Err(ReadError::truncated(
                    At::File,
                    "the Java Flight Recorder recording ends within its header",
                ));
            }
            file.warn(offset, "expected a chunk");
            break;
        };
        if header.major != 2 {
            return Err(ReadError::unrecognised(format!(
                "version {}.{} of Java Flight Recorder is not supported; expected 2.x: record with OpenJDK 8u262 or newer \
                 (Oracle's JDK 8 to 10 write another format)",
                header.major, header.minor
            )));
        }
        let size = usize::try_from(header.size).unwrap_or(usize::MAX);
        if !header.is_complete() || !input.has(size) {
            let message = "the chunk of this Java Flight Recorder recording is incomplete, because the program still runs or was \
                           killed, or the file is cut; `jcmd PID JFR.dump filename=app.jfr` writes what a running program has \
                           recorded";
            if file.n_chunks == 0 {
                return Err(ReadError::truncated(At::Byte(offset), message));
            }
            file.warnings.add(WarningCode::Truncated, || {
                format!("byte {offset}: {message}; what was recorded before that is shown")
            });
            break;
        }
        file.chunk(input.take(size), offset, &header)?;
        file.has_end = header.is_final;
        if header.is_open {
            file.warnings.add(WarningCode::Truncated, || {
                "the JVM still records, or was killed; what it wrote until now is shown".to_owned()
            });
            break;
        }
    }
    file.finish()
}

/// The events of a thread.
#[derive(Debug, Default)]
struct ThreadEvents {
    thread: Thread,
    stacks: Vec<Option<StackId>>,
    /// Places in [`KINDS`].
    kinds: Vec<u8>,
    weights: Vec<f64>,
    /// In milliseconds since the start of the first chunk.
    times_ms: Vec<f64>,
}

/// A file that is being read.
struct File {
    builder: ProfileBuilder,
    warnings: Warnings,
    n_chunks: usize,
    /// Whether the last chunk says that it is the last.
    has_end: bool,
    /// When the first chunk starts.
    start_ns: i64,
    threads: Vec<ThreadEvents>,
    thread_ids: FxHashMap<JavaThread, usize>,
    is_by_async_profiler: bool,
    /// How many samples the JVM says that it lost.
    n_lost: i64,
    lines: Lines,
}

/// What is known about the lines of compiled code.
#[derive(Debug, Default)]
struct Lines {
    /// Whether the flags of the JVM are recorded.
    has_flags: bool,
    has_non_safepoints: bool,
    has_compiled: bool,
}

impl Lines {
    fn warn(&self, warnings: &mut Warnings) {
        if self.has_flags && !self.has_non_safepoints && self.has_compiled {
            warnings.add(WarningCode::ApproximateLines, || {
                "lines of compiled code are those of the nearest place where a thread can stop; for exact lines, start \
                 the program with `java -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints`"
                    .to_owned()
            });
        }
    }
}

impl Default for File {
    fn default() -> Self {
        Self {
            builder: ProfileBuilder::new(Vec::new(), 0),
            warnings: Warnings::default(),
            n_chunks: 0,
            has_end: false,
            start_ns: 0,
            threads: Vec::new(),
            thread_ids: FxHashMap::default(),
            is_by_async_profiler: false,
            n_lost: 0,
            lines: Lines::default(),
        }
    }
}

/// The fields of events with a stack.
const FIELDS: [&str; 5] = ["startTime", "sampledThread", "eventThread", "stackTrace", "state"];

impl File {
    fn warn(&mut self, offset: u64, expected: &str) {
        self.warnings.add(WarningCode::Malformed, || {
            format!("byte {offset}: {expected}; the rest of the recording is left out")
        });
    }

    /// Adds the events of a chunk at an offset in the file.
    fn chunk(&mut self, bytes: &[u8], offset: u64, header: &Header) -> Result<(), ReadError> {
        let metadata = Events::new(bytes, header.metadata, header).next();
        let metadata = metadata.filter(|event| event.type_id == METADATA);
        let Some(types) = metadata.and_then(|event| Types::read(event.payload)) else {
            let at = offset + header.metadata;
            if self.n_chunks == 0 {
                let message = "malformed metadata; expected the types of a JFR recording";
                return Err(ReadError::malformed(At::Byte(at), message));
            }
            self.warn(at, "malformed metadata");
            return Ok(());
        };
        if self.n_chunks == 0 {
            self.start_ns = header.start_ns;
        }
        self.n_chunks += 1;
        let mut pools = Pools::default();
        let mut events = Events::new(bytes, HEADER as u64, header);
        for event in events.by_ref().filter(|event| event.type_id == CHECK_POINT) {
            if pools.add(&types, &event).is_none() {
                self.warnings.add(WarningCode::MalformedRecord, || {
                    "a check point with stacks and names is malformed; some may be missing"
                        .to_owned()
                });
            }
        }
        if let Some(rest) = events.broken {
            self.warn(offset + (bytes.len() - rest) as u64, "expected an event");
        }
        self.is_by_async_profiler |= pools.is_by_async_profiler();
        let mut chunk = Chunk {
            file: self,
            header,
            pools: &pools,
            funcs: FxHashMap::default(),
            frames: FxHashMap::default(),
            stacks: FxHashMap::default(),
        };
        chunk.add_events(&types, Events::new(bytes, HEADER as u64, header))
    }

    /// The events of a thread.
    fn thread(&mut self, thread: Option<&JavaThread>) -> &mut ThreadEvents {
        let unknown = JavaThread::default();
        let thread = thread.unwrap_or(&unknown);
        let next = self.threads.len();
        let at = self.thread_ids.get(thread).copied().unwrap_or(next);
        if at == next {
            self.thread_ids.insert(thread.clone(), next);
            let is_unnamed = thread.is_virtual && thread.name.is_empty();
            let name = if is_unnamed { "virtual thread" } else { &thread.name };
            let tid = (thread.tid != 0).then(|| thread.tid.to_string());
            let thread = Thread { name: name.to_owned(), tid, ..Thread::default() };
            self.threads.push(ThreadEvents { thread, ..ThreadEvents::default() });
        }
        &mut self.threads[at]
    }

    /// Which of [`KINDS`] are shown: those that there are. Of allocations, a file may have the same ones in two
    /// ways; samples of them say how much they stand for.
    fn shown(&self) -> [bool; KINDS.len()] {
        let mut shown = [false; KINDS.len()];
        for &kind in self.threads.iter().flat_map(|thread| &thread.kinds) {
            shown[usize::from(kind)] = true;
        }
        let has =
            |wanted: &str| KINDS.iter().zip(shown).any(|(kind, is)| is && kind.event == wanted);
        let has_samples = has(ALLOCATION.event);
        let hides =
            |kind: &Kind| has_samples && kind.event != ALLOCATION.event && kind.counts_in("alloc");
        std::array::from_fn(|at| shown[at] && !hides(&KINDS[at]))
    }

    fn finish(mut self) -> Result<Read, ReadError> {
        let shown = self.shown();
        let has = |metric| KINDS.iter().zip(shown).any(|(kind, is)| is && kind.counts_in(metric));
        let metrics: Vec<_> = METRICS.into_iter().filter(|(metric, _)| has(metric)).collect();
        if metrics.is_empty() {
            let message = "the recording has no samples, allocations or waits; expected one with \
                           `settings=profile`, of a program that runs for some seconds";
            return Err(ReadError::truncated(At::File, message));
        }
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        let of_metrics = metrics.iter().map(|(name, unit)| Metric::new(name, unit, None)).collect();
        let mut builder = self.builder.with_metrics(of_metrics);
        for events in self.threads {
            let mut samples = Samples::with_metrics(metrics.len());
            let mut times = Vec::with_capacity(events.times_ms.len());
            for (at, &kind) in events.kinds.iter().enumerate() {
                let kind = usize::from(kind);
                if shown[kind] {
                    let weight = events.weights[at];
                    samples.push(events.stacks[at], |metric| {
                        KINDS[kind].weight_in(metrics[metric].0, weight)
                    });
                    let time = events.times_ms[at];
                    (first, last) = (first.min(time), last.max(time));
                    times.push(time);
                }
            }
            if !samples.is_empty() {
                builder.push_thread(events.thread, samples.with_times(times))?;
            }
        }
        self.lines.warn(&mut self.warnings);
        if self.n_lost > 0 {
            self.warnings.add(WarningCode::LostSamples, || {
                format!(
                    "the JVM lost {} samples because it could not keep up; costs are too low",
                    self.n_lost
                )
            });
        }
        let dialect = self.is_by_async_profiler.then_some(Dialect::AsyncProfiler);
        Ok(Read {
            writer: Writer { producer: None, dialect },
            span_seconds: Some((last - first) / 1e3),
            truncated: self.has_end.then_some(false),
            ..Read::new(Format::Jfr, Recording::Stacks(builder.build()), self.warnings)
        })
    }
}

/// A chunk whose events are being added.
struct Chunk<'c> {
    file: &'c mut File,
    header: &'c Header,
    pools: &'c Pools,
    funcs: FxHashMap<i64, FuncId>,
    frames: FxHashMap<StackFrame, FrameId>,
    stacks: FxHashMap<i64, Option<StackId>>,
}

impl Chunk<'_> {
    fn add_events(&mut self, types: &Types, events: Events<'_>) -> Result<(), ReadError> {
        let mut layouts: FxHashMap<i64, (usize, Layout<'_, 6>)> = FxHashMap::default();
        for (at, kind) in KINDS.iter().enumerate().rev() {
            let Some(id) = types.id(kind.event) else { continue };
            let [start, sampled, thread, stack, state] = FIELDS;
            let weight = kind.weight.map_or("", |(_, field)| field);
            layouts
                .insert(id, (at, types.layout(id, [start, sampled, thread, stack, state, weight])));
        }
        let lost =
            types.id("jdk.CPUTimeSamplesLost").map(|id| (id, types.layout(id, ["lostSamples"])));
        let flags = types.id("jdk.BooleanFlag").map(|id| (id, types.layout(id, ["name", "value"])));
        for event in events {
            let mut payload = event.payload;
            let is = |id: i64| id == event.type_id;
            if let Some((kind, layout)) = layouts.get(&event.type_id) {
                match layout.read(&mut payload) {
                    Some(fields) => self.add(*kind, &fields)?,
                    None => self.file.warnings.add(WarningCode::MalformedEvent, || {
                        format!("an event `{}` is malformed; it is left out", KINDS[*kind].event)
                    }),
                }
            } else if let Some((_, layout)) = lost.as_ref().filter(|(id, _)| is(*id)) {
                let n = layout.read(&mut payload).map_or(0, |[n]| n.number().max(0));
                self.file.n_lost = self.file.n_lost.saturating_add(n);
            } else if let Some((_, layout)) = flags.as_ref().filter(|(id, _)| is(*id))
                && let Some([name, value]) = layout.read(&mut payload)
            {
                let lines = &mut self.file.lines;
                lines.has_flags = true;
                lines.has_non_safepoints |=
                    self.pools.text(name) == "DebugNonSafepoints" && value.number() != 0;
            }
        }
        Ok(())
    }

    fn add(&mut self, kind: usize, fields: &[Value<'_>; 6]) -> Result<(), BuildError> {
        let [start, sampled_thread, thread, stack, state, weight] = fields;
        let is_wall = KINDS[kind].event == WALL_SAMPLE.event
            && self.file.is_by_async_profiler
            && self.pools.thread_state(state.number()) != "STATE_DEFAULT";
        let thread = if *thread == Value::Absent { sampled_thread } else { thread };
        let thread = self.pools.thread(thread.number());
        let stack = self.stack(stack.number())?;
        let since = self.header.ns(start.number().saturating_sub(self.header.start_ticks));
        let chunk_ns = self.header.start_ns.saturating_sub(self.file.start_ns);
        let weight = match *weight {
            Value::Ticks(ticks) => self.header.ns(ticks).round(),
            ref number => number.number() as f64,
        };
        let events = self.file.thread(thread);
        events.stacks.push(stack);
        events.kinds.push(if is_wall { kind + 1 } else { kind } as u8);
        events.weights.push(weight.max(0.0));
        events.times_ms.push((chunk_ns as f64 + since) / 1e6);
        Ok(())
    }

    fn stack(&mut self, key: i64) -> Result<Option<StackId>, BuildError> {
        let pools = self.pools;
        let known = pools.stack(key);
        if known.is_some_and(|stack| stack.is_cut) {
            self.file.warnings.add(WarningCode::CutStacks, || {
                "outer callers of samples are missing: the recorder keeps 64 frames of a stack unless told otherwise; for more, \
                 start the program with `java -XX:FlightRecorderOptions=stackdepth=256`"
                    .to_owned()
            });
        }
        if let Some(&stack) = self.stacks.get(&key) {
            return Ok(stack);
        }
        let mut stack = None;
        for &frame in known.map_or(&[][..], |stack| pools.frames(stack)).iter().rev() {
            let frame = self.frame(frame)?;
            stack = Some(self.file.builder.intern_stack(stack, frame)?);
        }
        self.stacks.insert(key, stack);
        Ok(stack)
    }

    fn frame(&mut self, frame: StackFrame) -> Result<FrameId, BuildError> {
        if let Some(&known) = self.frames.get(&frame) {
            return Ok(known);
        }
        let kind = self.pools.kind(frame.kind);
        self.file.lines.has_compiled |= matches!(kind.tier, JitTier::Jit | JitTier::C1);
        let func = match self.funcs.get(&frame.method) {
            Some(&func) => func,
            None => self.func(frame.method, kind.is_native)?,
        };
        let line = u32::try_from(frame.line).unwrap_or(0);
        let FrameKind { is_inlined: inlined, tier, .. } = kind;
        let id =
            self.file.builder.intern_frame(Frame { inlined, tier, ..Frame::new(func, line) })?;
        self.frames.insert(frame, id);
        Ok(id)
    }

    fn func(&mut self, method_id: i64, is_native: bool) -> Result<FuncId, BuildError> {
        let builder = &mut self.file.builder;
        let func = match self.pools.method(method_id) {
            // Of machine code, the class is the library.
            Some((lib, name)) if is_native || lib.is_empty() => {
                FuncText { name, lib, ..FuncText::default() }.intern(builder)?
            }
            Some((class, method)) => {
                let class = stable_class(class);
                let name = format!("{}.{method}", class.replace('/', "."));
                // Hidden classes have dots in their names.
                let file = class_file(&class.replace('.', "/")).unwrap_or_default();
                let lib = self.pools.module(method_id);
                FuncText { name: &name, file: &file, lib, ..FuncText::default() }.intern(builder)?
            }
            None => FuncText { name: "[unknown]", ..FuncText::default() }.intern(builder)?,
        };
        self.funcs.insert(method_id, func);
        Ok(func)
    }
}

#[cfg(test)]
mod tests;
