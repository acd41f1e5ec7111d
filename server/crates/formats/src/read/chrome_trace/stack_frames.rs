//! Samples beside the events, which refer to a tree of frames: `samples` and `stackFrames`, as Hermes (React Native) writes them.
//!
//! A frame is `function(file:line:column)` with the executing position, and has the function's start beside it. Without debug
//! information it is a function alone, and so are natives.

use super::Names;
use super::event::{Text, id, number};
use super::place::{Place, line};
use crate::read::rows::Rows;
use crate::read::v8::callers_first;
use crate::{At, Format, Read, ReadError};
use profile::{LineKnowledge, Metric, ProfileBuilder, Recording, StackId, Warnings};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;

/// As JSON text; empty where the trace has none.
#[derive(Default)]
pub(super) struct Sampled<'a> {
    pub(super) samples: &'a [u8],
    pub(super) stack_frames: &'a [u8],
}

#[derive(Deserialize)]
struct Sample<'a> {
    #[serde(borrow)]
    pid: Option<&'a RawValue>,
    tid: Option<&'a RawValue>,
    ts: Option<&'a RawValue>,
    weight: Option<&'a RawValue>,
    /// The innermost frame.
    sf: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StackFrame<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    category: Option<Text<'a>>,
    parent: Option<&'a RawValue>,
    line: Option<&'a RawValue>,
    column: Option<&'a RawValue>,
    func_line: Option<&'a RawValue>,
    func_column: Option<&'a RawValue>,
}

impl StackFrame<'_> {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    fn is_root(&self) -> bool {
        self.category.as_deref() == Some("root")
    }

    fn place(&self) -> Place {
        let position = || Some(self.name().strip_suffix(')')?.split_once('(')?).filter(|_| self.line.is_some());
        let Some((name, position)) = position() else { return Place::default() };
        let file = position.rsplitn(3, ':').nth(2).unwrap_or(position);
        Place {
            name: name.to_owned(),
            file: file.to_owned(),
            start: (line(self.func_line), line(self.func_column)),
            at: (line(self.line), line(self.column)),
        }
    }
}

impl<'a> Sampled<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.samples.is_empty() || self.stack_frames.is_empty()
    }

    /// The recording.
    pub(super) fn read(&self, names: &Names<'a>, mut warnings: Warnings) -> Result<Read, ReadError> {
        let frames: FxHashMap<&str, StackFrame<'_>> = decode("stackFrames", self.stack_frames)?;
        let samples: Vec<Sample<'_>> = decode("samples", self.samples)?;
        let ids: Vec<&str> = frames.keys().copied().collect();
        let frames: Vec<&StackFrame<'_>> = ids.iter().filter_map(|id| frames.get(id)).collect();
        let rows: FxHashMap<&str, usize> = ids.iter().copied().zip(0..).collect();
        let callers: Vec<Option<usize>> = frames.iter().map(|frame| rows.get(id(frame.parent)?).copied()).collect();
        let order = callers_first(&callers).map_err(|row| {
            let id = ids.get(row).copied().unwrap_or_default();
            ReadError::malformed(At::Key("stackFrames".to_owned()), format!("frame {id} is its own parent"))
        })?;

        let any_line = frames.iter().any(|frame| frame.place().at.0 > 0);
        let lines = if any_line { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        let metric = Metric::new("samples", "samples", None).with_lines(lines);
        let mut builder = ProfileBuilder::new(vec![metric], 0);
        let mut stacks: Vec<Option<StackId>> = vec![None; frames.len()];
        for row in order {
            let (Some(frame), Some(&caller)) = (frames.get(row), callers.get(row)) else { continue };
            if frame.is_root() {
                continue;
            }
            let caller = caller.and_then(|caller| stacks.get(caller).copied().flatten());
            let frame = frame.place().frame(frame.name(), &mut builder)?;
            let stack = builder.intern_stack(caller, frame)?;
            if let Some(slot) = stacks.get_mut(row) {
                *slot = Some(stack);
            }
        }

        let mut threads = Rows::new(1);
        let mut span: Option<(f64, f64)> = None;
        for Sample { pid, tid, ts, weight, sf } in &samples {
            let (pid, tid) = (id(*pid), id(*tid));
            let row = id(*sf).and_then(|sf| rows.get(sf));
            if row.is_none() {
                warnings.add("unknown-frame", || "a sample names a frame that is not in stackFrames; it has no stack".to_owned());
            }
            let stack = row.and_then(|&row| stacks.get(row).copied().flatten());
            threads.push((pid, tid), || names.thread(pid, tid), stack, |_| number(*weight).unwrap_or(1.0));
            if let Some(at) = number(*ts) {
                let (start, end) = span.unwrap_or((at, at));
                span = Some((start.min(at), end.max(at)));
            }
        }
        threads.finish(&mut builder)?;
        let recording = Recording::Stacks(builder.build());
        let span_seconds = span.map(|(start, end)| (end - start) / 1e6);
        Ok(Read { recording, format: Format::ChromeTrace, version: None, span_seconds, warnings })
    }
}

fn decode<'a, T: Deserialize<'a>>(key: &str, value: &'a [u8]) -> Result<T, ReadError> {
    serde_json::from_slice(value).map_err(|error| ReadError::malformed(At::Key(key.to_owned()), error.to_string()))
}
