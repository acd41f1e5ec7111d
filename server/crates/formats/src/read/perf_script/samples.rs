//! The samples of a file, kept until all of it was read: only then are its events known, and the modules
//! of functions that are inlined somewhere.

use super::frame::Frame;
use super::generated::{Generated, generated};
use super::header::Header;
use super::lines::{FrameLines, same_code};
use crate::error::ReadError;
use crate::read::perf_event::{PerfEvent, default_metric, merged, metric_names};
use crate::read::shared::func_text::FuncText;
use crate::read::shared::id_tree::{IdTree, Node};
use crate::read::shared::rows::{MAX_METRICS, Rows};
use crate::read::shared::texts::{Text, Texts};
use profile::{
    FrameId, JitTier, LineKnowledge, Metric, ProfileBuilder, Recording, StackId, Thread,
};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// All samples of a file.
#[derive(Default)]
pub(super) struct Samples {
    texts: Texts,
    events: Vec<Event>,
    /// The distinct lines of frames, with their places.
    lines: Vec<FrameLine>,
    by_text: FxHashMap<(Text, Text), u32>,
    /// The distinct frames.
    frames: Vec<FrameKey>,
    by_frame: FxHashMap<FrameKey, u32>,
    stacks: IdTree<u32>,
    /// Command, process and thread: a renamed thread becomes another one.
    threads: Vec<[Option<Text>; 3]>,
    by_thread: FxHashMap<[Option<Text>; 3], u32>,
    rows: Vec<Sample>,
    /// Modules of functions that are inlined somewhere, by name and file: perf omits those of some
    /// frames. `None` for functions in several modules.
    modules: FxHashMap<(Text, Text), Option<Text>>,
    has_lines: bool,
    /// The times of the first and the last sample, in seconds.
    times: Option<(f64, f64)>,
}

struct Event {
    name: Text,
    has_periods: bool,
    n_samples: usize,
}

/// What is known of a frame from its lines alone.
#[derive(Clone, Copy)]
struct FrameLine {
    text: Text,
    place: Text,
    module: Text,
    has_line: bool,
    /// Name and file, if it is inlined.
    inlined: Option<(Text, Text)>,
}

/// A frame: its line, the module of its code, and whether another frame has its address and calls it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FrameKey {
    line: u32,
    module: Text,
    inlined: bool,
}

struct Sample {
    leaf: Node,
    thread: u32,
    event: u32,
    /// NaN if there is none.
    period: f64,
    /// In seconds; NaN if there is none.
    time: f64,
}

impl Samples {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn span_seconds(&self) -> Option<f64> {
        self.times.map(|(first, last)| last - first).filter(|&span| span > 0.0)
    }

    /// Adds a sample.
    pub(super) fn push(
        &mut self,
        header: &Header<'_>,
        frames: &[FrameLines<'_>],
    ) -> Result<(), ReadError> {
        let Header { comm, pid, tid, period, event, time, .. } = *header;
        let event = self.event(event, period.is_some())?;
        if let Some(time) = time {
            let (first, last) = self.times.unwrap_or((time, time));
            self.times = Some((first.min(time), last.max(time)));
        }
        let mut stack = Vec::with_capacity(frames.len());
        for code in same_code(frames) {
            self.push_code(code, &mut stack)?;
        }
        for frame in stack.into_iter().rev() {
            self.stacks.push(frame)?;
        }
        let leaf = self.stacks.end();
        let mut id = |id: Option<&str>| id.map(|id| self.texts.intern(id)).transpose();
        let key = [id(Some(comm))?, id(pid)?, id(tid)?];
        let next = self.threads.len() as u32;
        let thread = *self.by_thread.entry(key).or_insert(next);
        if thread == next {
            self.threads.push(key);
        }
        let (period, time) = (period.unwrap_or(f64::NAN), time.unwrap_or(f64::NAN));
        self.rows.push(Sample { leaf, thread, event, period, time });
        Ok(())
    }

    fn event(&mut self, name: &str, has_period: bool) -> Result<u32, ReadError> {
        let name = self.texts.intern(name)?;
        let known = self.events.iter().position(|event| event.name == name);
        let event = known.unwrap_or_else(|| {
            self.events.push(Event { name, has_periods: false, n_samples: 0 });
            self.events.len() - 1
        });
        if self.events.len() > MAX_METRICS {
            return Err(ReadError::too_large(format!(
                "there are more than {MAX_METRICS} events; print fewer of them"
            )));
        }
        if let Some(event) = self.events.get_mut(event) {
            event.has_periods |= has_period;
            event.n_samples += 1;
        }
        Ok(event as u32)
    }

    /// Adds the frames with one address to a stack, leaf first. One of them has the module, not always
    /// the outermost. perf marks the outermost as inlined as well if debug info gives it another name
    /// than its symbol has, such as `scaled.constprop.0`.
    fn push_code(
        &mut self,
        code: &[FrameLines<'_>],
        stack: &mut Vec<u32>,
    ) -> Result<(), ReadError> {
        let mut lines = Vec::with_capacity(code.len());
        for frame in code {
            lines.push(self.line(frame)?);
        }
        let line = |id: u32| self.lines.get(id as usize).copied();
        let known = lines.iter().filter_map(|&id| line(id));
        let module = known.clone().map(|line| line.module).find(|&module| module != Texts::EMPTY);
        self.has_lines |= known.clone().any(|line| line.has_line);
        if let Some(module) = module.filter(|_| code.len() > 1) {
            for key in known.filter_map(|line| line.inlined) {
                let found = self.modules.entry(key).or_insert(Some(module));
                *found = found.filter(|&found| found == module);
            }
        }
        let module = module.unwrap_or(Texts::EMPTY);
        let outermost = lines.len().saturating_sub(1);
        for (at, line) in lines.into_iter().enumerate() {
            let next = self.frames.len() as u32;
            let key = FrameKey { line, module, inlined: at < outermost };
            let frame = *self.by_frame.entry(key).or_insert(next);
            if frame == next {
                self.frames.push(key);
            }
            stack.push(frame);
        }
        Ok(())
    }

    /// The number of the lines of a frame.
    fn line(&mut self, frame: &FrameLines<'_>) -> Result<u32, ReadError> {
        let key = (self.texts.intern(frame.text)?, self.texts.intern(frame.place)?);
        if let Some(&line) = self.by_text.get(&key) {
            return Ok(line);
        }
        let Frame { name, module, file, line, inlined } = Frame::parse(frame.text, frame.place);
        let inlined =
            if inlined { Some((self.texts.intern(name)?, self.texts.intern(file)?)) } else { None };
        let next = self.lines.len() as u32;
        self.lines.push(FrameLine {
            text: key.0,
            place: key.1,
            module: self.texts.intern(module)?,
            has_line: !frame.place.is_empty() && line > 0,
            inlined,
        });
        self.by_text.insert(key, next);
        Ok(next)
    }

    /// Builds the recording.
    pub(super) fn finish(self) -> Result<Recording, ReadError> {
        let lines =
            if self.has_lines { LineKnowledge::SelfAndTotal } else { LineKnowledge::Nothing };
        let names: Vec<&str> = self.events.iter().map(|event| self.texts.get(event.name)).collect();
        let names = metric_names(&names);
        let event = |(event, name): (&Event, _)| {
            let Event { has_periods, n_samples, .. } = *event;
            PerfEvent { name, has_periods, n_samples }
        };
        let named = self.events.iter().zip(names.iter().map(Cow::as_ref));
        let (events, metric_of) = merged(named.map(event));
        let metrics: Vec<Metric> =
            events.iter().map(|event| event.metric().with_lines(lines)).collect();
        let mut rows = Rows::new(metrics.len());
        let mut builder = ProfileBuilder::new(metrics, default_metric(&events));
        let stacks = self.stacks(&mut builder)?;
        for &Sample { leaf, thread, event, period, time } in &self.rows {
            let stack = leaf.index().and_then(|leaf| stacks.get(leaf).copied());
            let weight = if period.is_nan() { 1.0 } else { period };
            let own = metric_of.get(event as usize).copied();
            let describe = || self.describe(thread);
            let weight_in = |metric| if own == Some(metric) { weight } else { 0.0 };
            let row = rows.push(thread, describe, stack, weight_in);
            if !time.is_nan() {
                rows.taken_at(row, time * 1e3);
            }
        }
        rows.finish(&mut builder)?;
        Ok(Recording::Stacks(builder.build()))
    }

    /// The stack of each node.
    fn stacks(&self, builder: &mut ProfileBuilder) -> Result<Vec<StackId>, ReadError> {
        let frames: Vec<FrameId> = self
            .frames
            .iter()
            .map(|&frame| self.intern(frame, builder))
            .collect::<Result<_, ReadError>>()?;
        let mut stacks = Vec::with_capacity(self.stacks.nodes().len());
        for (parent, frame) in self.stacks.nodes() {
            let caller = parent.index().and_then(|parent| stacks.get(parent).copied());
            stacks.push(builder.intern_stack(caller, frames[frame as usize])?);
        }
        Ok(stacks)
    }

    fn describe(&self, thread: u32) -> Thread {
        let Some(key) = self.threads.get(thread as usize) else { return Thread::default() };
        let [name, pid, tid] = key.map(|text| text.map(|text| self.texts.get(text).to_owned()));
        Thread { name: name.unwrap_or_default(), pid, tid, ..Thread::default() }
    }

    fn intern(
        &self,
        FrameKey { line, module, inlined }: FrameKey,
        builder: &mut ProfileBuilder,
    ) -> Result<FrameId, ReadError> {
        let own = &self.lines[line as usize];
        let frame = Frame::parse(self.texts.get(own.text), self.texts.get(own.place));
        let Frame { name, file, line, .. } = frame;
        let inlined = inlined && frame.inlined;
        let lib = if module == Texts::EMPTY {
            own.inlined.and_then(|key| *self.modules.get(&key)?).unwrap_or(module)
        } else {
            module
        };
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
            None => FuncText { name, file, lib: self.texts.get(lib), ..FuncText::default() },
        };
        let func = func.intern(builder)?;
        let frame = profile::Frame { inlined, tier, ..profile::Frame::new(func, line) };
        Ok(builder.intern_frame(frame)?)
    }
}
