//! The text of `perf script`: a header line for each sample ([`mod@header`]), its frames, leaf
//! first, one per line ([`mod@frame`]), and a blank line. [`lines`] groups the lines, [`sniff`]
//! detects such files. Without call chains, the only frame follows the header in the same line.
//!
//! Events interleave: each is a metric of its own, with the period of the sample as weight, in
//! nanoseconds for clocks. With `-F +srcline` every frame is followed by a line with its executing
//! place. The file is part of a function's identity, since inlined frames often have the name of
//! the function around them.

mod frame;
mod header;
mod lines;
mod sniff;

pub(crate) use sniff::is_perf_script;

use super::folded::dialect::{Place, Position};
use super::func_text::FuncText;
use super::number::fits_counter;
use super::perf_event::{PerfEvent, default_metric};
use super::rows::{MAX_METRICS, Rows};
use super::text::utf8;
use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read_result::Read;
use crate::writer::{Dialect, Producer, Writer};
use frame::Frame;
use header::Header;
use lines::{Found, FrameLines, Lines, module_of, same_code, whole_lines};
use profile::{
    FrameId, JitTier, LineKnowledge, Metric, ProfileBuilder, Recording, Thread, WarningCode,
    Warnings,
};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    let text = utf8(bytes, &mut warnings);
    let whole = whole_lines(&text);
    let layout = Layout::of(whole)?;
    let mut tables = Tables::new(&layout);
    let mut lines = Lines::new(whole);
    while let Some(found) = lines.next_sample() {
        match found {
            Found::Sample if lines.header.period.is_none_or(fits_counter) => tables.push(&lines.header, &lines.frames)?,
            Found::Sample => warnings.add(WarningCode::MalformedSample, || {
                format!("a sample of {} has a period of more than 64 bits; it is left out", lines.header.event)
            }),
            Found::Malformed(line) => warnings.add(WarningCode::MalformedLine, || {
                format!("line {line}: expected a sample (`comm tid time: period event:`) or a frame (`address symbol (module)`)")
            }),
        }
    }
    if lines.ends_within_sample || whole.len() < text.len() {
        let message = "the text ends within a sample, which may be incomplete; the rest of the recording may be missing";
        warnings.add(WarningCode::Truncated, || message.to_owned());
    }
    let producer = layout.version.map(|version| Producer::new("perf", version));
    Ok(Read {
        writer: Writer::of_producer(producer),
        span_seconds: layout.span_seconds(),
        ..Read::new(Format::PerfScript, tables.finish()?, warnings)
    })
}

/// What applies to a whole file.
#[derive(Default)]
struct Layout<'a> {
    events: Vec<PerfEvent<'a>>,
    has_lines: bool,
    /// Modules of functions that are inlined somewhere, by name and file: perf omits some frames
    /// from which they could be derived.
    modules: FxHashMap<(&'a str, &'a str), &'a str>,
    /// The times of the first and the last sample, in seconds.
    times: Option<(f64, f64)>,
    /// The version of perf, from `--header`.
    version: Option<&'a str>,
}

impl<'a> Layout<'a> {
    fn of(text: &'a str) -> Result<Self, ReadError> {
        let mut layout = Self::default();
        let comments =
            text.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty());
        layout.version = comments
            .filter_map(|line| line.strip_prefix("# perf version : "))
            .map(str::trim)
            .next();
        let mut lines = Lines::new(text);
        while let Some(found) = lines.next_sample() {
            if let Found::Sample = found {
                layout.add(&lines)?;
            }
        }
        if layout.events.is_empty() {
            return Err(ReadError::truncated(
                At::File,
                "there is no sample; expected `comm tid time: period event:` and below it frames, `address symbol (module)`",
            ));
        }
        Ok(layout)
    }

    fn add(&mut self, lines: &Lines<'a>) -> Result<(), ReadError> {
        let Header { event: name, period, time, .. } = lines.header;
        let i = self.event(name).unwrap_or_else(|| {
            self.events.push(PerfEvent { name, has_periods: false, n_samples: 0 });
            self.events.len() - 1
        });
        if self.events.len() > MAX_METRICS {
            return Err(ReadError::too_large(format!(
                "there are more than {MAX_METRICS} events; print fewer of them"
            )));
        }
        if let Some(event) = self.events.get_mut(i) {
            event.has_periods |= period.is_some();
            event.n_samples += 1;
        }
        if let Some(time) = time {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
        for code in same_code(&lines.frames) {
            self.has_lines = self.has_lines
                || code.iter().any(|frame| !frame.place.is_empty() && frame.parse().line > 0);
            let module = if code.len() > 1 { module_of(code) } else { "" };
            if !module.is_empty() {
                let inlined = code.iter().map(FrameLines::parse).filter(|frame| frame.inlined);
                self.modules.extend(inlined.map(|frame| ((frame.name, frame.file), module)));
            }
        }
        Ok(())
    }

    fn event(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|event| event.name == name)
    }

    fn metrics(&self) -> Vec<Metric> {
        let lines =
            if self.has_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        self.events.iter().map(|event| event.metric().with_lines(lines)).collect()
    }

    fn span_seconds(&self) -> Option<f64> {
        self.times.map(|(first, last)| last - first).filter(|&span| span > 0.0)
    }
}

/// The tables being built, and caches.
struct Tables<'a> {
    layout: &'a Layout<'a>,
    builder: ProfileBuilder,
    /// The frame of each distinct text, place and module.
    frames: FxHashMap<(&'a str, &'a str, &'a str), FrameId>,
    /// Samples by command, process and thread: a renamed thread becomes another one.
    rows: Rows<(&'a str, Option<&'a str>, Option<&'a str>)>,
}

impl<'a> Tables<'a> {
    fn new(layout: &'a Layout<'a>) -> Self {
        let metrics = layout.metrics();
        let rows = Rows::new(metrics.len());
        let builder = ProfileBuilder::new(metrics, default_metric(&layout.events));
        Self { layout, builder, frames: FxHashMap::default(), rows }
    }

    fn push(&mut self, header: &Header<'a>, frames: &[FrameLines<'a>]) -> Result<(), ReadError> {
        let mut stack = None;
        for code in same_code(frames).rev() {
            let module = module_of(code);
            for frame in code.iter().rev() {
                let frame = self.frame(frame, module)?;
                stack = Some(self.builder.intern_stack(stack, frame)?);
            }
        }
        let Header { comm, pid, tid, period, event, time, .. } = *header;
        let thread = || {
            let id = |id: Option<&str>| id.map(str::to_owned);
            Thread { name: comm.to_owned(), pid: id(pid), tid: id(tid), ..Thread::default() }
        };
        let event = self.layout.event(event);
        let row = self.rows.push((comm, pid, tid), thread, stack, |metric| {
            if event == Some(metric) { period.unwrap_or(1.0) } else { 0.0 }
        });
        if let Some(seconds) = time {
            self.rows.taken_at(row, seconds * 1e3);
        }
        Ok(())
    }

    fn frame(&mut self, lines: &FrameLines<'a>, module: &'a str) -> Result<FrameId, ReadError> {
        let key = (lines.text, lines.place, module);
        if let Some(&frame) = self.frames.get(&key) {
            return Ok(frame);
        }
        let id = self.intern(lines.parse(), module)?;
        self.frames.insert(key, id);
        Ok(id)
    }

    fn intern(&mut self, frame: Frame<'_>, module: &str) -> Result<FrameId, ReadError> {
        let Frame { name, file, line, inlined, .. } = frame;
        let inlined_module = || self.layout.modules.get(&(name, file)).copied().filter(|_| inlined);
        let lib = if module.is_empty() { inlined_module().unwrap_or("") } else { module };
        let folder_end = frame.module.rfind('/').map_or(0, |at| at + 1);
        let is_generated = ["[JIT]", "jitted-", "perf-"]
            .iter()
            .any(|start| frame.module[folder_end..].starts_with(start));
        let generated = generated(name).filter(|_| is_generated);
        let tier = generated.as_ref().map_or(JitTier::Unknown, |generated| generated.tier);
        let func = match &generated {
            Some(Generated { name, file, line, column, .. }) => {
                FuncText { name, file, lib: "", line: *line, column: *column }
            }
            None => FuncText { name, file, lib, ..FuncText::default() },
        };
        let func = func.intern(&mut self.builder)?;
        let frame = profile::Frame { inlined, tier, ..profile::Frame::new(func, line) };
        Ok(self.builder.intern_frame(frame)?)
    }

    fn finish(mut self) -> Result<Recording, ReadError> {
        self.rows.finish(&mut self.builder)?;
        Ok(Recording::Stacks(self.builder.build()))
    }
}

/// A function that was compiled at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated<'a> {
    /// The name.
    pub name: Cow<'a, str>,
    /// The source file.
    pub file: Cow<'a, str>,
    /// The line where it starts, 1-based; 0 = unknown.
    pub line: u32,
    /// The column where it starts, 1-based; 0 = unknown.
    pub column: u32,
    /// How the virtual machine ran it.
    pub tier: JitTier,
}

/// Parses the symbol of such a function, if it has a place: Node.js (`--perf-basic-prof`) and
/// Python (`-X perf`) put name and place into one symbol.
pub fn generated(symbol: &str) -> Option<Generated<'_>> {
    let Place { name, file, position, tier, .. } =
        Dialect::V8.parse(symbol).or_else(|| Dialect::Vmprof.parse(symbol))?;
    let (line, column) =
        if let Position::Definition { line, column } = position { (line, column) } else { (0, 0) };
    Some(Generated { name, file: file?, line, column, tier })
}

#[cfg(test)]
mod tests;
