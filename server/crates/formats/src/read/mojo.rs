//! Austin's binary recordings (`austin -b`): magic `MOJ`, a version, and events that each begin
//! with a type byte.
//!
//! A sample begins with an event that names process and thread, followed by events for its frames,
//! outermost first, and its values. Strings and frames are defined at their first use, under keys
//! that are unique within a process. Numbers have a sign and any length; texts end with a zero
//! byte. Version 2 added the end position of frames; version 3 interpreters; version 4 stacks that
//! continue the thread's previous one, and tasks of asyncio, whose time is already in the samples
//! of their threads.
//!
//! Costs are the same as in the text that `mojo2austin` writes: `:INVALID:`, which only means that
//! a stack could not be read to its end, is not a frame. Sources: Austin's wiki, "The MOJO file
//! format", and the reader in the package austin-python.

mod input;

use super::austin::{self, Mode, ThreadPrefix, Values};
use crate::error::ReadError;
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::rows::Rows;
use crate::writer::Writer;
use input::{Input, Number, Stop, malformed};
use profile::{
    BuildError, Frame, FrameId, LineKnowledge, ProfileBuilder, Recording, StackId, WarningCode,
    Warnings,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

const MAGIC: &[u8] = b"MOJ";
/// The newest version that is supported.
const NEWEST_VERSION: Number = 4;

/// Types of events: their first byte.
mod event {
    pub(super) const METADATA: u8 = 1;
    pub(super) const STACK: u8 = 2;
    pub(super) const FRAME: u8 = 3;
    pub(super) const FRAME_INVALID: u8 = 4;
    pub(super) const FRAME_REF: u8 = 5;
    pub(super) const FRAME_KERNEL: u8 = 6;
    pub(super) const GC: u8 = 7;
    pub(super) const IDLE: u8 = 8;
    pub(super) const METRIC_TIME: u8 = 9;
    pub(super) const METRIC_MEMORY: u8 = 10;
    pub(super) const STRING: u8 = 11;
    pub(super) const STRING_REF: u8 = 12;
    pub(super) const STACK_REPEAT: u8 = 13;
    pub(super) const TASK_STACK: u8 = 14;
    pub(super) const TASK_WAITER: u8 = 15;
    pub(super) const TASK_RUNNING: u8 = 16;
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut input = Input { bytes, at: MAGIC.len() };
    let mut warnings = Warnings::default();
    let version = input.number()?;
    if !(1..=NEWEST_VERSION).contains(&version) {
        warnings.add(WarningCode::UnknownVersion, || {
            format!(
                "version {version} of MOJO is not supported; it is read as version {NEWEST_VERSION}"
            )
        });
    }
    let mut metadata = Metadata::default();
    while input.passes(event::METADATA) {
        metadata.read(&mut input)?;
    }

    let mut tables = Tables::new(version, metadata.mode.unwrap_or(Mode::Time), warnings);
    // Where and why the events end before the file does.
    let mut stopped = None;
    while !input.is_at_end() {
        let start = input.at;
        let is_metadata = input.passes(event::METADATA);
        match if is_metadata { metadata.read(&mut input) } else { tables.event(&mut input) } {
            Ok(()) => {}
            Err(Stop::Full(error)) => return Err(error.into()),
            Err(stop) => {
                stopped = Some((start, stop));
                break;
            }
        }
    }
    if tables.sample.as_ref().is_some_and(|sample| !sample.is_complete) {
        tables.sample = None;
        stopped.get_or_insert((bytes.len(), Stop::Cut));
    }
    tables.end_sample()?;

    let Tables { mut builder, rows, mut warnings, .. } = tables;
    if rows.is_empty() {
        return Err(stopped.map_or(Stop::Cut, |(_, stop)| stop).into());
    }
    match stopped {
        Some((at, Stop::Malformed(error))) => warnings.add(WarningCode::Malformed, || {
            let left_out = bytes.len() - at;
            format!("{error}; what was recorded before that is shown, the remaining {left_out} bytes are left out")
        }),
        Some((at, _)) => warnings
            .add(WarningCode::Truncated, || format!("byte {at}: the recording ends within a sample; what was recorded before that is shown")),
        None => {}
    }
    rows.finish(&mut builder)?;
    Ok(Read {
        version: Some(version.to_string()),
        writer: Writer::of_producer(metadata.austin.as_deref().map(austin::producer)),
        span_seconds: metadata.duration_us.map(|us| us / 1e6),
        ..Read::new(Format::AustinMojo, Recording::Stacks(builder.build()), warnings)
    })
}

/// Austin's metadata, at the beginning of a recording and, once it is finished, at its end.
#[derive(Default)]
struct Metadata<'a> {
    austin: Option<Cow<'a, str>>,
    mode: Option<Mode>,
    duration_us: Option<f64>,
}

impl<'a> Metadata<'a> {
    fn read(&mut self, input: &mut Input<'a>) -> Result<(), Stop> {
        let (key, value) = (input.text()?, input.text()?);
        match &*key {
            "austin" => self.austin = Some(value),
            "mode" => self.mode = Mode::of(&value),
            "duration" => self.duration_us = value.parse().ok(),
            _ => {}
        }
        Ok(())
    }
}

/// Process, interpreter, thread.
type ThreadKey<'a> = (Number, Option<Number>, Cow<'a, str>);

/// The sample that is being read.
struct Sample<'a> {
    thread: ThreadKey<'a>,
    /// The stack below its frames, if it continues the thread's previous one.
    base: Option<StackId>,
    /// Outermost first.
    frames: Vec<FrameId>,
    values: Values,
    is_complete: bool,
    /// How many of the next references to frames belong to a task.
    n_task_frames: Number,
}

/// The tables being built.
struct Tables<'a> {
    version: Number,
    mode: Mode,
    builder: ProfileBuilder,
    rows: Rows<ThreadKey<'a>>,
    warnings: Warnings,
    /// Strings by process and key.
    strings: FxHashMap<(Number, Number), Cow<'a, str>>,
    frames: FxHashMap<(Number, Number), FrameId>,
    /// Frames of Python code, as opposed to frames of the interpreter and its libraries.
    python: FxHashSet<FrameId>,
    /// The last stack of each thread, up to its innermost Python frame.
    last: FxHashMap<ThreadKey<'a>, Option<StackId>>,
    sample: Option<Sample<'a>>,
}

impl<'a> Tables<'a> {
    fn new(version: Number, mode: Mode, warnings: Warnings) -> Self {
        let metrics = austin::metrics(mode.metrics(), LineKnowledge::SelfAndTotal);
        Self {
            version,
            mode,
            rows: Rows::new(metrics.len()),
            builder: ProfileBuilder::new(metrics, 0),
            warnings,
            strings: FxHashMap::default(),
            frames: FxHashMap::default(),
            python: FxHashSet::default(),
            last: FxHashMap::default(),
            sample: None,
        }
    }

    /// Reads one event.
    fn event(&mut self, input: &mut Input<'a>) -> Result<(), Stop> {
        let start = input.at;
        let event = input.byte()?;
        if event == event::STACK {
            return self.begin_sample(input);
        }
        let Some(sample) = &mut self.sample else {
            let message = format!(
                "event {event} is outside of a sample; expected a process and a thread before it"
            );
            return Err(malformed(start, message));
        };
        let pid = sample.thread.0;
        match event {
            event::FRAME => {
                let (key, frame) = (input.number()?, self.frame(pid, input)?);
                self.frames.insert((pid, key), frame);
            }
            event::FRAME_REF => {
                let key = input.number()?;
                if sample.n_task_frames > 0 {
                    sample.n_task_frames -= 1;
                } else {
                    sample.frames.push(match self.frames.get(&(pid, key)) {
                        Some(&frame) => frame,
                        None => undefined(&mut self.builder, &mut self.warnings, start, key)?,
                    });
                }
            }
            event::FRAME_KERNEL => {
                let name = input.text()?;
                sample.frames.push(named(&mut self.builder, &name, austin::KERNEL)?);
            }
            event::GC => sample.frames.push(named(&mut self.builder, ":GC:", "")?),
            event::IDLE => sample.values.idle = true,
            event::METRIC_TIME => {
                sample.values.time_us = weight(input.number()?);
                sample.is_complete |= self.mode != Mode::Full;
            }
            event::METRIC_MEMORY => {
                sample.values.memory_bytes = weight(input.number()?);
                sample.is_complete = true;
            }
            event::STRING => {
                let (key, text) = (input.number()?, input.text()?);
                self.strings.insert((pid, key), text);
            }
            event::STACK_REPEAT => sample.base = self.last.get(&sample.thread).copied().flatten(),
            event::TASK_STACK => {
                let (_id, _name) = (input.number()?, input.number()?);
                sample.n_task_frames = input.number()?;
            }
            event::TASK_WAITER => {
                let (_task, _waiter) = (input.number()?, input.number()?);
            }
            event::STRING_REF | event::TASK_RUNNING => {
                input.number()?;
            }
            event::FRAME_INVALID => {}
            _ => {
                let message = format!(
                    "event {event} is not supported; expected one of MOJO up to version {NEWEST_VERSION}"
                );
                return Err(malformed(start, message));
            }
        }
        Ok(())
    }

    /// Ends the sample before, and begins one of a thread.
    fn begin_sample(&mut self, input: &mut Input<'a>) -> Result<(), Stop> {
        let pid = input.number()?;
        let interpreter = if self.version >= 3 { Some(input.number()?) } else { None };
        let thread = (pid, interpreter, input.text()?);
        self.end_sample()?;
        self.sample = Some(Sample {
            thread,
            base: None,
            frames: Vec::new(),
            values: Values::default(),
            is_complete: false,
            n_task_frames: 0,
        });
        Ok(())
    }

    /// Reads the definition of a frame, after its key.
    fn frame(&mut self, pid: Number, input: &mut Input<'a>) -> Result<FrameId, Stop> {
        let (file, name, line) = (input.number()?, input.number()?, input.number()?);
        if self.version >= 2 {
            let (_line_end, _column, _column_end) =
                (input.number()?, input.number()?, input.number()?);
        }
        let mut text = |key: Number| match (self.strings.get(&(pid, key)), key) {
            (Some(text), _) => text.clone(),
            (None, 0) => Cow::Borrowed(""),
            (None, 1) => Cow::Borrowed(UNKNOWN),
            (None, _) => {
                let at = input.at;
                self.warnings.add(WarningCode::UndefinedString, || {
                    format!("byte {at}: string {key} is not defined; it is shown as {UNKNOWN}")
                });
                Cow::Borrowed(UNKNOWN)
            }
        };
        let (file, name) = (text(file), text(name));
        let func = FuncText { name: &name, file: &file, ..FuncText::default() }
            .intern(&mut self.builder)?;
        let line = u32::try_from(line).unwrap_or(0);
        let frame = self.builder.intern_frame(Frame::new(func, line))?;
        if file.ends_with(".py") || (file.starts_with('<') && file.ends_with('>')) {
            self.python.insert(frame);
        }
        Ok(frame)
    }

    /// Adds the sample to the tables.
    fn end_sample(&mut self) -> Result<(), BuildError> {
        let Some(Sample { thread, base, frames, values, is_complete, .. }) = self.sample.take()
        else {
            return Ok(());
        };
        let (mut stack, mut python) = (base, base);
        for frame in frames {
            stack = Some(self.builder.intern_stack(stack, frame)?);
            if self.python.contains(&frame) {
                python = stack;
            }
        }
        self.last.insert(thread.clone(), python);
        if !is_complete {
            self.warnings
                .add(WarningCode::NoValue, || "a sample has no value; it is left out".to_owned());
            return Ok(());
        }
        let (pid, interpreter, tid) = &thread;
        // As in the text format. Thread ids are hexadecimal numbers, but not on all systems.
        let tid =
            u64::from_str_radix(tid, 16).map_or_else(|_| tid.to_string(), |tid| tid.to_string());
        let interpreter =
            interpreter.map(|interpreter| format!("{interpreter}:")).unwrap_or_default();
        let (name, pid) = (format!("P{pid};T{interpreter}{tid}"), pid.to_string());
        let prefix = ThreadPrefix { text: &name, pid: &pid, tid: &tid };
        let mode = self.mode;
        self.rows.push(thread, || prefix.to_thread(), stack, |metric| values.weight(mode, metric));
        Ok(())
    }
}

/// Austin's name for a string that it could not read.
const UNKNOWN: &str = "<unknown>";

/// The frame for a reference, at a byte of the file, to one that is not defined.
fn undefined(
    builder: &mut ProfileBuilder,
    warnings: &mut Warnings,
    at: usize,
    key: Number,
) -> Result<FrameId, BuildError> {
    warnings.add(WarningCode::UndefinedFrame, || {
        format!("byte {at}: frame {key} is not defined; it is shown as [unknown]")
    });
    named(builder, "[unknown]", "")
}

fn named(builder: &mut ProfileBuilder, name: &str, lib: &str) -> Result<FrameId, BuildError> {
    let func = FuncText { name, lib, ..FuncText::default() }.intern(builder)?;
    builder.intern_frame(Frame::new(func, 0))
}

#[expect(clippy::cast_precision_loss, reason = "weights are f64 everywhere")]
fn weight(number: Number) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests;
