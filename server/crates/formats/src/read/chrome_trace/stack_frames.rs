//! Samples that each have a stack: `samples` beside the events (Hermes, React Native), or sample
//! events (`P`), or, if there is nothing else, instants. A sample names its innermost frame (`sf`)
//! in the tree `stackFrames`; an event may list the names of its frames instead (`stack`, outermost
//! first).
//!
//! A frame of Hermes is `function(file:line:column)` with the executing position; the start of the
//! function is a separate member. Without debug information there is only the function, as for
//! native functions. Other writers may give `file` and `line`. A frame's `category` is an arbitrary
//! label, except for the `root` of Hermes, which is not a function.

use super::event::{Event, EventError, Raw, Text, id, number};
use super::names::Names;
use super::place::{Place, line};
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::rows::Rows;
use crate::read::v8::callers_first;
use profile::{LineKnowledge, Metric, ProfileBuilder, Recording, StackId, WarningCode, Warnings};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(super) struct Sampled {
    /// JSON text; empty if the trace has none.
    pub(super) samples: Vec<u8>,
    pub(super) stack_frames: Vec<u8>,
    /// Events that have a stack and are not calls, as JSON text.
    sample_events: Vec<Box<str>>,
    instants: Vec<Box<str>>,
}

/// A sample, or an event that is one.
#[derive(Deserialize, Serialize)]
pub(super) struct Sample<'a> {
    #[serde(borrow)]
    pid: Option<Raw<'a>>,
    #[serde(borrow)]
    tid: Option<Raw<'a>>,
    #[serde(borrow)]
    ts: Option<Raw<'a>>,
    #[serde(borrow)]
    weight: Option<Raw<'a>>,
    /// The innermost frame.
    #[serde(borrow)]
    sf: Option<Raw<'a>>,
    /// The names of all frames.
    #[serde(borrow)]
    stack: Option<Raw<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StackFrame<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    category: Option<Text<'a>>,
    #[serde(borrow)]
    parent: Option<Raw<'a>>,
    #[serde(borrow)]
    file: Option<Text<'a>>,
    #[serde(borrow)]
    line: Option<Raw<'a>>,
    #[serde(borrow)]
    column: Option<Raw<'a>>,
    #[serde(borrow)]
    func_line: Option<Raw<'a>>,
    #[serde(borrow)]
    func_column: Option<Raw<'a>>,
}

impl StackFrame<'_> {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    fn is_root(&self) -> bool {
        self.category.as_deref() == Some("root")
    }

    fn place(&self) -> Place<'_> {
        let start = (line(self.func_line), line(self.func_column));
        let at = (line(self.line), line(self.column));
        if let Some(file) = &self.file {
            return Place { file: (&**file).into(), start, at, ..Place::default() };
        }
        let position = || {
            Some(self.name().strip_suffix(')')?.split_once('(')?).filter(|_| self.line.is_some())
        };
        let Some((name, position)) = position() else { return Place::default() };
        let file = position.rsplitn(3, ':').nth(2).unwrap_or(position);
        Place { name: name.into(), file: file.into(), start, at }
    }
}

impl Sampled {
    /// Adds an event that is not a call, if it has a stack.
    pub(super) fn add(&mut self, event: &Event<'_>) -> Result<(), EventError> {
        let samples = match event.phase() {
            "P" => &mut self.sample_events,
            "I" | "i" => &mut self.instants,
            _ => return Ok(()),
        };
        if event.sf.or(event.stack).is_some() {
            let &Event { pid, tid, ts, sf, stack, .. } = event;
            let sample = Sample { pid, tid, ts, weight: None, sf, stack };
            samples.push(serde_json::to_string(&sample)?.into());
        }
        Ok(())
    }

    /// The samples beside the events.
    pub(super) fn samples(&self) -> Result<Vec<Sample<'_>>, ReadError> {
        if self.samples.is_empty() || self.stack_frames.is_empty() {
            return Ok(Vec::new());
        }
        decode("samples", &self.samples)
    }

    /// The sample events or, if there are none, the instants.
    pub(super) fn sample_events(&self) -> Result<Vec<Sample<'_>>, ReadError> {
        let events =
            if self.sample_events.is_empty() { &self.instants } else { &self.sample_events };
        events.iter().map(|event| decode("traceEvents", event.as_bytes())).collect()
    }

    /// Builds the recording.
    pub(super) fn read(
        &self,
        samples: &[Sample<'_>],
        names: &mut Names,
        mut warnings: Warnings,
    ) -> Result<Read, ReadError> {
        let frames: FxHashMap<&str, StackFrame<'_>> = if self.stack_frames.is_empty() {
            FxHashMap::default()
        } else {
            decode("stackFrames", &self.stack_frames)?
        };
        let any_line = frames.values().any(|frame| frame.place().at.0 > 0);
        let lines = if any_line { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        let metric = Metric::new("samples", "samples", None).with_lines(lines);
        let mut builder = ProfileBuilder::new(vec![metric], 0);
        let tree = FrameTree::new(&frames, &mut builder)?;

        let mut threads = Rows::new(1);
        let mut span: Option<(f64, f64)> = None;
        for sample in samples {
            let (pid, tid) = (names.id(sample.pid)?, names.id(sample.tid)?);
            let stack = tree.stack_of(sample, &mut builder, &mut warnings)?;
            let row = threads.push(
                (pid, tid),
                || names.thread(pid, tid),
                stack,
                |_| number(sample.weight).unwrap_or(1.0),
            );
            if let Some(at) = number(sample.ts) {
                threads.taken_at(row, at / 1e3);
                let (start, end) = span.unwrap_or((at, at));
                span = Some((start.min(at), end.max(at)));
            }
        }
        threads.finish(&mut builder)?;
        let recording = Recording::Stacks(builder.build());
        let span_seconds = span.map(|(start, end)| (end - start) / 1e6);
        Ok(Read { span_seconds, ..Read::new(Format::ChromeTrace, recording, warnings) })
    }
}

/// The tree `stackFrames`.
struct FrameTree<'f> {
    /// The row of each frame.
    rows: FxHashMap<&'f str, usize>,
    /// By row: the stack that ends with the frame.
    stacks: Vec<Option<StackId>>,
}

impl<'f> FrameTree<'f> {
    fn new(
        frames: &'f FxHashMap<&'f str, StackFrame<'f>>,
        builder: &mut ProfileBuilder,
    ) -> Result<Self, ReadError> {
        let rows: FxHashMap<&str, usize> = frames.keys().copied().zip(0..).collect();
        let (ids, frames): (Vec<&str>, Vec<&StackFrame<'_>>) = frames.iter().unzip();
        let callers: Vec<Option<usize>> =
            frames.iter().map(|frame| rows.get(id(frame.parent)?).copied()).collect();
        let order = callers_first(&callers).map_err(|row| {
            let id = ids.get(row).copied().unwrap_or_default();
            ReadError::malformed(
                At::Key("stackFrames".to_owned()),
                format!("frame {id} is its own parent"),
            )
        })?;
        let mut stacks: Vec<Option<StackId>> = vec![None; frames.len()];
        for row in order {
            let (Some(frame), Some(&caller)) = (frames.get(row), callers.get(row)) else {
                continue;
            };
            if frame.is_root() {
                continue;
            }
            let caller = caller.and_then(|caller| stacks.get(caller).copied().flatten());
            let frame = frame.place().frame(frame.name(), builder)?;
            let stack = builder.intern_stack(caller, frame)?;
            if let Some(slot) = stacks.get_mut(row) {
                *slot = Some(stack);
            }
        }
        Ok(Self { rows, stacks })
    }

    fn stack_of(
        &self,
        &Sample { sf, stack, .. }: &Sample<'_>,
        builder: &mut ProfileBuilder,
        warnings: &mut Warnings,
    ) -> Result<Option<StackId>, ReadError> {
        let named = stack
            .filter(|_| sf.is_none())
            .and_then(|stack| serde_json::from_str::<Vec<Text<'_>>>(stack.get()).ok());
        if let Some(names) = named {
            let mut stack = None;
            for name in names {
                let frame = Place::default().frame(&name, builder)?;
                stack = Some(builder.intern_stack(stack, frame)?);
            }
            return Ok(stack);
        }
        let Some(&row) = id(sf).and_then(|sf| self.rows.get(sf)) else {
            warnings.add(WarningCode::UnknownFrame, || {
                "a sample refers to a frame that is not in stackFrames; it has no stack".to_owned()
            });
            return Ok(None);
        };
        Ok(self.stacks.get(row).copied().flatten())
    }
}

fn decode<'a, T: Deserialize<'a>>(key: &str, value: &'a [u8]) -> Result<T, ReadError> {
    serde_json::from_slice(value)
        .map_err(|error| ReadError::malformed(At::Key(key.to_owned()), error.to_string()))
}
