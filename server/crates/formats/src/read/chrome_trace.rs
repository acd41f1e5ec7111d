//! Trace Event JSON (Chrome traces): calls and returns with times, by Chromium, Node.js, py-spy,
//! `VizTracer`, tracing-chrome, dotnet-trace.
//!
//! The file is an array of events or an object with `traceEvents`. Per process and thread, `B`
//! begins a call, `E` ends the innermost one and `X` is a whole call. `M` gives names, anywhere in
//! the file. `b` and `e` are async operations: see [`operations`]. Other events (counters, flows)
//! say nothing about stacks. Times are microseconds, in files of dotnet-trace milliseconds. Numbers may
//! be strings. The array may have no end: programs are traced while they run, and a killed program leaves the file like that.
//!
//! Whether a line is the executing one differs by tool: see [`place`]. If JavaScript was sampled
//! into the trace, the samples are read and the timeline beside them is not: see [`sampled`] (V8)
//! and [`stack_frames`] (Hermes).
//!
//! An event may have the stack at the time when it began (`sf`, `stack`). If a trace has calls,
//! these stacks are ignored: the events already show which calls enclose a call, and tools disagree
//! on whether the innermost frame is the caller or the call itself (LLVM `XRay`). Without calls,
//! events with stacks are samples: see [`stack_frames`].
//!
//! Sources: the Trace Event Format document and the files of the tools. [`calls`] handles events
//! that do not nest.

mod event;
mod names;
mod operations;
mod place;
mod sampled;
mod stack_frames;

use super::dotnet;
use super::folded::thread_name;
use crate::error::ReadError;
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::calls;
use crate::read::shared::calls::{CallTimes, What};
use crate::read::shared::stream::Stream;
use crate::scan::{Scanned, Stop};
use crate::writer::{Dialect, Producer, Writer};
use event::{Event, EventError, Text, number, time};
use names::{Id, Names};
use operations::{Category, Operations};
use place::{PYTORCH, Place};
use profile::{
    BuildError, LineKnowledge, Metric, ProfileBuilder, Recording, Samples, Thread, WarningCode,
    Warnings, Weights,
};
use rustc_hash::FxHashMap;
use sampled::Sampled;
use serde::Deserialize;

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut trace = Trace::default();
    let mut stream = Stream::new(input);
    let walked = trace.file(&mut stream);
    if let Some(error) = trace.failed {
        return Err(error.into());
    }
    let at = stream.stopped_at(walked.err().unwrap_or(Stop::Enough));
    match walked {
        Ok(()) | Err(Stop::Enough) => {}
        Err(Stop::End) if trace.n_events == 0 => {
            return Err(ReadError::truncated(
                at,
                "the JSON ends before the first whole event; expected trace events",
            ));
        }
        Err(Stop::Broken) if trace.n_events == 0 => {
            return Err(ReadError::malformed(
                at,
                "this is not JSON; expected an array of trace events",
            ));
        }
        Err(Stop::End) => {
            let n = trace.n_events;
            trace.warnings.add(WarningCode::Truncated, || {
                format!("{at}the trace ends early; its {n} events are shown")
            });
        }
        Err(Stop::Broken) => {
            let n = trace.n_events;
            trace.warnings.add(WarningCode::Malformed, || {
                format!("{at}this is not JSON; the {n} events before it are shown")
            });
        }
    }
    trace.finish()
}

/// `VizTracer` keeps the last calls to end. Callers end after their callees, so they are kept longer.
const OVERFLOW: &str = "VizTracer's buffer was full, so the calls that ended first are missing; their time is self cost of \
     the functions that called them; record with a larger `--tracer_entries`";

/// Times of events are in microseconds.
const MS_PER_US: f64 = 1e-3;

/// The events of one thread that begin or end calls.
struct Calls {
    pid: Id,
    tid: Id,
    events: calls::Events,
}

/// The contents of the trace so far.
#[derive(Default)]
struct Trace {
    n_events: usize,
    names: Names,
    sampled: Sampled,
    stack_frames: stack_frames::Sampled,
    builder: ProfileBuilder,
    threads: Vec<Calls>,
    thread_ids: FxHashMap<(Id, Id), usize>,
    operations: Operations,
    /// The number of async events in the older form (`S`, `F`).
    n_old_async: usize,
    /// Whether any frame has an executing line.
    has_lines: bool,
    /// Whether any event lacks the time of the second clock.
    lacks_cpu: bool,
    /// What times are relative to, in microseconds.
    base: Option<i64>,
    /// The earliest and the latest time.
    span: Option<(f64, f64)>,
    writer: Writer,
    warnings: Warnings,
    failed: Option<BuildError>,
}

impl Trace {
    fn file(&mut self, stream: &mut Stream<'_, '_>) -> Scanned {
        if stream.peek()? == b'[' {
            return self.events(stream);
        }
        stream.object(&mut |stream, key| {
            match key {
                b"traceEvents" => return self.events(stream),
                b"samples" => self.stack_frames.samples = stream.value()?.to_vec(),
                b"stackFrames" => self.stack_frames.stack_frames = stream.value()?.to_vec(),
                b"metadata" | b"viztracer_metadata" => self.about(key, stream.value()?),
                _ => stream.skip()?,
            }
            Ok(())
        })
    }

    fn events(&mut self, stream: &mut Stream<'_, '_>) -> Scanned {
        stream.array(&mut |stream| {
            stream.peek()?;
            let start = stream.offset();
            match self.next_event(stream)? {
                Ok(()) => {}
                Err(EventError::Build(error)) => self.failed = Some(error),
                Err(error @ (EventError::NoObject | EventError::Json(_))) => {
                    self.warnings.add(WarningCode::MalformedEvent, || {
                        format!("the event at byte {start} is left out: {error}")
                    });
                }
            }
            self.n_events += 1;
            if self.failed.is_some() { Err(Stop::Enough) } else { Ok(()) }
        })
    }

    /// Handles the next event.
    fn next_event(&mut self, stream: &mut Stream<'_, '_>) -> Scanned<Result<(), EventError>> {
        // Finding its end first means to scan it twice. Only an event that has not arrived as a whole,
        // or is malformed, needs that.
        let handled = match Event::parse(stream.bytes()) {
            Ok((event, len)) => Some((self.event(&event), len)),
            Err(_) => None,
        };
        Ok(match handled {
            Some((handled, len)) => {
                stream.take(len);
                handled
            }
            None => Event::parse(stream.value()?).and_then(|(event, _)| self.event(&event)),
        })
    }

    /// Handles a member beside the events.
    fn about(&mut self, key: &[u8], value: &[u8]) {
        #[derive(Deserialize)]
        struct About<'a> {
            #[serde(borrow)]
            version: Option<Text<'a>>,
            /// `VizTracer`: whether the buffer was full, so that calls replaced earlier ones.
            #[serde(default)]
            overflow: bool,
            #[serde(rename = "product-version", borrow)]
            product: Option<Text<'a>>,
        }
        let Ok(about) = serde_json::from_slice::<About<'_>>(value) else { return };
        match (key, about) {
            (b"viztracer_metadata", About { version, overflow, .. }) => {
                if let Some(version) = version {
                    self.writer = Writer::of_producer(Some(Producer::new("viztracer", &version)));
                }
                if overflow {
                    self.warnings.add(WarningCode::Truncated, || OVERFLOW.to_owned());
                }
            }
            (b"metadata", About { product: Some(product), .. }) => {
                let product = product.replacen('/', "@", 1);
                self.writer = Writer::of_producer(Some(Producer::parse(&product)));
            }
            _ => {}
        }
    }

    fn event(&mut self, event: &Event<'_>) -> Result<(), EventError> {
        if Sampled::has(event) {
            return self.sampled.add(event, &mut self.names);
        }
        match event.phase() {
            "B" | "E" | "X" | "b" | "e" => Ok(self.call(event)?),
            "M" => self.name(event),
            "S" | "F" => {
                self.n_old_async += 1;
                Ok(())
            }
            _ => self.stack_frames.add(event),
        }
    }

    fn name(&mut self, event: &Event<'_>) -> Result<(), EventError> {
        #[derive(Deserialize)]
        struct Args<'a> {
            #[serde(borrow)]
            name: Option<Text<'a>>,
            #[serde(borrow)]
            node: Option<Text<'a>>,
        }
        if !matches!(event.name(), "process_name" | "thread_name" | "version") {
            return Ok(());
        }
        let Args { name, node } = serde_json::from_str(event.args.map_or("{}", |args| args.get()))?;
        let pid = self.names.id(event.pid)?;
        match (event.name(), name) {
            ("process_name", Some(name)) => self.names.name_process(pid, name.to_string()),
            ("thread_name", Some(name)) => {
                let tid = self.names.id(event.tid)?;
                self.names.name_thread((pid, tid), name.to_string());
            }
            _ => {}
        }
        if let Some(node) = node {
            self.writer = Writer::of_producer(Some(Producer::new("node", &node)));
        }
        Ok(())
    }

    /// Sets the dialect from an event, unless the file has named its producer or an earlier event
    /// has set it. Returns whether it was set.
    fn recognise(&mut self, dialect: Dialect) -> bool {
        let is_first = self.writer == Writer::default();
        if is_first {
            self.writer.dialect = Some(dialect);
        }
        is_first
    }

    /// Handles an event that begins or ends a call, or both.
    fn call(&mut self, event: &Event<'_>) -> Result<(), BuildError> {
        let is_of_dotnet = event.category() == dotnet::EVENT_CATEGORY;
        if is_of_dotnet {
            self.recognise(Dialect::DotNet);
            if dotnet::OWN_TIME.contains(&event.name()) {
                return Ok(());
            }
        }
        let at = time(event.ts, &mut self.base)
            .map(|at| if is_of_dotnet { dotnet::whole_ns(at) * 1e3 } else { at });
        let Some(at) = at else {
            self.warnings.add(WarningCode::NoTime, || {
                format!("an event ({}) has no time; it is left out", event.name())
            });
            return Ok(());
        };
        if event.dur.is_some() && number(event.dur).is_none() {
            self.warnings.add(WarningCode::MalformedEvent, || {
                format!(
                    "the duration of an event ({}) is not a number; it is left out",
                    event.name()
                )
            });
            return Ok(());
        }
        let cpu = number(event.tts).unwrap_or(f64::NAN);
        let place = Place::of(event);
        if event.category() == PYTORCH && place.is_some() && self.recognise(Dialect::PyTorch) {
            let message = "PyTorch writes the first line of a function, not the line that executes";
            self.warnings.add(WarningCode::FunctionLines, || message.to_owned());
        }
        self.has_lines |= place.as_ref().is_some_and(|place| place.at.0 > 0);
        let is_operation = Operations::has(event);
        self.lacks_cpu |= cpu.is_nan() && !is_operation;
        let mut last = at;
        let what = match event.phase() {
            // The place given at the end wins; an end without a name ends the innermost call.
            "E" | "e" => What::End {
                name: if event.name().is_empty() {
                    None
                } else {
                    Some(self.builder.intern_string(event.name())?.raw())
                },
                frame: place
                    .map(|place| place.frame(event.name(), &mut self.builder))
                    .transpose()?,
            },
            phase => {
                let frame = place.unwrap_or_default().frame(event.name(), &mut self.builder)?;
                if matches!(phase, "B" | "b") {
                    What::Begin { name: self.builder.intern_string(event.name())?.raw(), frame }
                } else {
                    let cpu_duration = number(event.tdur);
                    self.lacks_cpu |= cpu_duration.is_none();
                    let until = at + number(event.dur).or(cpu_duration).unwrap_or(0.0);
                    last = last.max(until);
                    What::Complete {
                        frame,
                        until,
                        cpu_until: cpu + cpu_duration.unwrap_or(f64::NAN),
                    }
                }
            }
        };
        let (start, end) = self.span.unwrap_or((at, at));
        self.span = Some((start.min(at), end.max(last)));
        let call = calls::Event { at, cpu, what };
        if !is_operation {
            self.thread(event)?.events.push(call)?;
        } else if let Some(track) =
            self.operations.track(event, &mut self.names, &mut self.builder)?
        {
            track.push(call)?;
        } else {
            self.warnings.add(WarningCode::NoId, || {
                format!("an async event ({}) has no id; it is left out", event.name())
            });
        }
        Ok(())
    }

    /// The thread of an event.
    fn thread(&mut self, event: &Event<'_>) -> Result<&mut Calls, BuildError> {
        let (pid, tid) = (self.names.id(event.pid)?, self.names.id(event.tid)?);
        let mut key = (pid, tid);
        if event.category() == "py-spy" {
            // py-spy keeps stacks by thread id alone, which forked processes share: a call may end
            // under another process id.
            key.0 = None;
            self.recognise(Dialect::PySpy);
            if let Some(name) = thread_name(event.name()).filter(|name| !name.is_empty()) {
                self.names.name_thread((pid, tid), name.to_owned());
            }
        } else if event.file.is_some() {
            self.recognise(Dialect::TracingChrome);
        }
        let next = self.threads.len();
        let index = *self.thread_ids.entry(key).or_insert(next);
        if index == next {
            self.threads.push(Calls { pid, tid, events: calls::Events::default() });
        }
        let thread = &mut self.threads[index];
        if thread.pid.is_some() && thread.pid != pid {
            thread.pid = None;
            self.warnings.add(WarningCode::SharedThreadId, || {
                let tid = self.names.text(tid).unwrap_or_default();
                format!(
                    "several processes share thread id {tid}, and py-spy keeps one stack for all of them: part of their time is \
                     missing; record with `-f speedscope`"
                )
            });
        }
        Ok(thread)
    }

    fn finish(self) -> Result<Read, ReadError> {
        let Self { mut names, sampled, stack_frames, mut warnings, writer, .. } = self;
        if !sampled.is_empty() {
            return Ok(Read { writer, ..sampled.read(&names, warnings)? });
        }
        let mut samples = stack_frames.samples()?;
        // If calls were recorded, other events are not samples.
        if samples.is_empty() && self.threads.is_empty() {
            samples = stack_frames.sample_events()?;
        }
        if !samples.is_empty() {
            return Ok(Read { writer, ..stack_frames.read(&samples, &mut names, warnings)? });
        }
        let (threads, categories) = (self.threads, self.operations.categories);
        if threads.is_empty() && categories.is_empty() && self.n_old_async > 0 {
            let n = self.n_old_async;
            warnings.add(WarningCode::OldAsync, || {
                format!(
                    "{n} async events (S, F) have an old form that is not supported; record b and e events"
                )
            });
        }
        let lines =
            if self.has_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        let metric = |name| Metric::new(name, "us", None).with_lines(lines);
        let mut metrics = Vec::new();
        if categories.is_empty() || !threads.is_empty() {
            metrics.push(metric("time"));
            metrics.extend((!self.lacks_cpu).then(|| metric("cpu")));
        }
        let n_of_calls = metrics.len();
        if !categories.is_empty() {
            metrics.push(metric("async"));
        }
        let n_metrics = metrics.len();
        let mut builder = self.builder.with_metrics(metrics);
        for Calls { pid, tid, events } in threads {
            let calls = calls::run(events, None, &mut builder, &mut warnings)?;
            let n = calls.stacks.len();
            let own = [Some(calls.own), calls.own_cpu].into_iter().take(n_of_calls);
            let own = own.chain(std::iter::repeat(None)).take(n_metrics);
            let weights = own.map(|own| Weights::Each(own.unwrap_or_else(|| vec![0.0; n])));
            let samples = Samples::new(calls.stacks.into_iter().map(Some), weights.collect());
            let samples = calls.times.add_to(samples, MS_PER_US);
            // A call is a run of equal samples.
            let is_sampled = matches!(writer.dialect, Some(Dialect::PySpy | Dialect::DotNet));
            let samples = if is_sampled { samples } else { samples.with_calls(vec![1; n]) };
            builder.push_thread(names.thread(pid, tid), samples)?;
        }
        let mut n_operations = 0;
        for Category { pid, name, tracks } in categories {
            let (mut stacks, mut own) = (Vec::new(), Vec::new());
            let mut times = CallTimes::default();
            for events in tracks {
                n_operations += 1;
                let calls = calls::run(events, None, &mut builder, &mut warnings)?;
                stacks.extend(calls.stacks.into_iter().map(Some));
                own.extend(calls.own);
                times.append(calls.times);
            }
            let n = stacks.len();
            let of_calls = std::iter::repeat_with(|| Weights::Each(vec![0.0; n])).take(n_of_calls);
            let weights = of_calls.chain([Weights::Each(own)]).collect();
            let samples = Samples::new(stacks, weights).with_calls(vec![1; n]);
            let samples = times.add_to(samples, MS_PER_US);
            let name = format!("async {name}").trim_end().to_owned();
            builder.push_thread(Thread { name, ..names.thread(pid, None) }, samples)?;
        }
        if n_operations > 1 || (n_operations > 0 && n_of_calls > 0) {
            warnings.add(WarningCode::AsyncOperations, || {
                let plural = if n_operations == 1 { "" } else { "s" };
                format!(
                    "{n_operations} async operation{plural} ran concurrently with other code; the metric \
                     `async` can add up to more than the time that passed"
                )
            });
        }
        let recording = Recording::Stacks(builder.build());
        let span_seconds = self.span.map(|(start, end)| (end - start) / 1e6);
        Ok(Read { writer, span_seconds, ..Read::new(Format::ChromeTrace, recording, warnings) })
    }
}

#[cfg(test)]
mod tests;
