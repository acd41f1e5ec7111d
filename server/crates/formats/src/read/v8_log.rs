//! Logs of V8's sampling profiler (`node --prof`), and what `node --prof-process --preprocess` makes of them.
//!
//! Unlike `.cpuprofile`, a log has the position of every frame, so the totals of lines are known. [`log`] reads
//! the text, [`preprocessed`] the JSON; both give [`code`], which leads from an offset in it to functions and
//! lines, and ticks, each with the code on its stack.
//!
//! Rules, from `tools/tickprocessor.mjs` and `AbstractCode::SourcePosition` of V8 11.3: the position of a leaf
//! and of bytecode is that of its offset, that of a caller in machine code the one before, because the offset
//! is that of the return. Sparkplug's code has the positions of the bytecode, which its offsets do not lead to,
//! so it has functions and no lines. Native code is not named: the log says only which library it is in. Callers
//! in a library or in no code are left out.
//!
//! What V8 was doing is the label `state` of a sample: `js`, `gc`, `parser`, `compiler` …

mod code;
mod file;
mod log;
mod preprocessed;

use crate::error::ReadError;
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::rows::Rows;
use code::Codes;
use file::Tick;
use profile::{
    Label, LabelSetId, LineKnowledge, Metric, ProfileBuilder, Recording, StackId, Thread, Warnings,
};

/// The first words of a log.
pub(crate) const BEGINS: &[u8] = b"v8-version,";
/// The leaf whose address is in no known code, as in V8's own tool.
const UNACCOUNTED: &str = "(unaccounted)";
/// What V8 is doing, by the number in a tick.
const STATES: [&str; 8] =
    ["js", "gc", "parser", "bytecode compiler", "compiler", "other", "external", "idle"];

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let file = if bytes.starts_with(BEGINS) {
        log::read(bytes, &mut warnings)?
    } else {
        preprocessed::read(bytes)?
    };
    let metric = Metric::new("ticks", "ticks", None).with_lines(LineKnowledge::SelfAndTotal);
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let states = STATES.map(|state| builder.intern_labels([Label::text("state", state)]));
    let mut codes = file.codes;
    let mut rows = Rows::new(1);
    for tick in &file.ticks {
        let stack = stack_of(tick, &mut codes, &mut builder)?;
        let row = rows.push((), Thread::default, stack, |_| 1.0);
        if tick.microseconds > 0 {
            rows.taken_at(row, tick.microseconds as f64 / 1e3);
        }
        let state = states.get(tick.state).cloned().unwrap_or(Ok(LabelSetId::NONE));
        rows.labelled(row, state?);
    }
    rows.finish(&mut builder)?;
    codes.add_texts(&mut builder)?;
    let first = file.ticks.first().map_or(0, |tick| tick.microseconds);
    let last = file.ticks.last().map_or(0, |tick| tick.microseconds);
    Ok(Read {
        span_seconds: Some(last.saturating_sub(first) as f64 / 1e6).filter(|&span| span > 0.0),
        truncated: file.is_complete.then_some(false),
        ..Read::new(Format::V8Log, Recording::Stacks(builder.build()), warnings)
    })
}

fn stack_of(
    tick: &Tick,
    codes: &mut Codes,
    builder: &mut ProfileBuilder,
) -> Result<Option<StackId>, ReadError> {
    let mut stack = None;
    for (depth, place) in tick.stack.iter().enumerate().rev() {
        let frames = match *place {
            Some((code, offset)) => codes.frames(code, offset, depth == 0, builder)?,
            None if depth == 0 => vec![code::native(builder, UNACCOUNTED, "")?],
            None => continue,
        };
        for frame in frames {
            stack = Some(builder.intern_stack(stack, frame)?);
        }
    }
    Ok(stack)
}

#[cfg(test)]
mod tests;
