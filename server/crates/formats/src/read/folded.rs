//! Folded stacks: one line per stack, with the frames, root first, and a value. Read by FlameGraph
//! and inferno, written by py-spy, rbspy, Austin, async-profiler and `perf report -g folded`.
//!
//! [`mod@line`] has the grammar of a line, [`dialect`] parses the text of a frame, [`threads`] the
//! thread before the frames, [`report`] what `perf report` prints around stacks, and [`sniff`] detects such files. This file has what applies to
//! a whole file (form of values, metrics, dialect), and builds the tables.

pub(super) mod dialect;
pub(crate) mod line;
mod report;
mod sniff;
mod threads;

pub(crate) use sniff::is_folded;

use super::austin::{self, Mode};
use crate::error::{At, ReadError};
use crate::fleet::Fleet;
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::rows::Rows;
use crate::read::shared::text::{open_end, utf8_at};
use crate::writer::{Dialect, Producer, Writer};
use dialect::{Place, Position};
use line::Separator;
use profile::{
    BuildError, Frame, FrameId, Interner, JitTier, LineKnowledge, Metric, ProfileBuilder,
    Recording, StackId, StringId, Thread, WarningCode, Warnings,
};
use report::{CHILDREN, event_of, is_report_row, prints_leaf_first};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use threads::ThreadPrefix;

/// How many different frames decide on the dialect.
const DECIDING_FRAMES: usize = 200;

/// In how many lines they are searched; these lines also decide on the form of values.
const DECIDING_LINES: usize = 1000;

/// How many lines are in memory for that. Some of them are comments.
const FRONT_LINES: usize = 2 * DECIDING_LINES;

pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    let mut warnings = Warnings::default();
    fill_front(input);
    let mut layout = Layout::of(&String::from_utf8_lossy(input.bytes()))?;
    let mut whole = None;
    if layout.form == Form::Report {
        // Each event has a header anywhere in the file.
        let bytes = input.whole();
        layout = Layout::of(&String::from_utf8_lossy(&bytes))?;
        whole = Some(bytes);
    }
    if layout.form == Form::Difference {
        warnings.add(WarningCode::Differential, || {
            "the file compares two profiles; the second value of each line is used".to_owned()
        });
    }

    let mut file = File::new(&layout, warnings);
    match whole {
        Some(bytes) => file.lines(&bytes, 0)?,
        None => {
            while let Some((lines, offset)) = input.lines() {
                file.lines(lines, offset)?;
            }
        }
    }
    file.finish()
}

/// Reads stacks with one value each, which counts `metric` if that is given.
pub(crate) fn read_stacks(text: &str, metric: Option<Metric>) -> Result<Read, ReadError> {
    let mut layout = Layout::of(text)?;
    layout.metrics = metric.map_or(layout.metrics, |metric| vec![metric]);
    let mut file = File::new(&layout, Warnings::default());
    file.lines(text.as_bytes(), 0)?;
    file.finish()
}

/// Fills the input up to [`FRONT_LINES`] lines.
fn fill_front(input: &mut Input<'_>) {
    let (mut n_lines, mut counted) = (0, 0);
    loop {
        let bytes = input.bytes();
        n_lines += memchr::memchr_iter(b'\n', bytes.get(counted..).unwrap_or_default()).count();
        counted = bytes.len();
        if n_lines >= FRONT_LINES || !input.fill() {
            return;
        }
    }
}

/// A file that is being read.
struct File<'a> {
    layout: &'a Layout,
    tables: Tables<'a>,
    warnings: Warnings,
    /// The metric of the lines that come next.
    event: usize,
    /// The duration that Austin writes at the end.
    duration_us: Option<f64>,
    fleet: Option<Box<Fleet>>,
    n_lines: usize,
    first_malformed: Option<usize>,
}

impl<'a> File<'a> {
    fn new(layout: &'a Layout, warnings: Warnings) -> Self {
        Self {
            layout,
            tables: Tables::new(layout),
            warnings,
            event: 0,
            duration_us: None,
            fleet: None,
            n_lines: 0,
            first_malformed: None,
        }
    }

    /// Reads the lines in `bytes`, at this offset in the file. Only the last line of the file may have
    /// no end.
    fn lines(&mut self, bytes: &[u8], offset: u64) -> Result<(), ReadError> {
        let text = utf8_at(bytes, offset, &mut self.warnings);
        for line in text.lines() {
            self.n_lines += 1;
            self.line(line)?;
        }
        if !text.ends_with('\n') && !text.trim().is_empty() {
            self.warnings.add(WarningCode::OpenEnd, || open_end(self.n_lines));
        }
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<(), ReadError> {
        let layout = self.layout;
        if let Some(comment) = line::comment(line) {
            self.event = layout.event_named(comment).unwrap_or(self.event);
            let duration = comment.strip_prefix("duration:");
            self.duration_us =
                self.duration_us.or_else(|| duration.and_then(|text| line::number(text.trim())));
            if self.fleet.is_none() {
                self.fleet = Fleet::of_comment(comment).map(Box::new);
            }
        } else if let Some((stack, values)) = layout.form.split(line) {
            self.tables.push(stack, values, self.event)?;
        } else if !layout.form.allows(line) {
            let number = self.n_lines;
            self.first_malformed.get_or_insert(number);
            self.warnings.add(WarningCode::MalformedLine, || {
                format!("line {number}: expected frames and a value, `main;parse;hash 42`")
            });
        }
        Ok(())
    }

    fn finish(self) -> Result<Read, ReadError> {
        let Self { layout, tables, warnings, duration_us, fleet, first_malformed, .. } = self;
        if let Some(line) = first_malformed.filter(|_| tables.is_empty()) {
            return Err(ReadError::malformed(At::Line(line, 1), layout.form.expectation()));
        }
        let dialect = tables.shown_dialect();
        let recording = tables.finish()?;
        Ok(Read {
            writer: Writer { producer: layout.producer.clone(), dialect },
            span_seconds: duration_us.map(|us| us / 1e6),
            fleet,
            ..Read::new(Format::Folded, recording, warnings)
        })
    }
}

/// The mode of Austin that a file states, and its duration in microseconds, if each line is a stack
/// and one value. `None` for the other forms.
pub(crate) fn one_value_per_line(text: &str) -> Option<(Option<&str>, Option<f64>)> {
    let (comments, lines) = relevant_lines(text);
    let value_of = |key| comments.iter().find_map(|comment| comment.strip_prefix(key));
    let duration = value_of("duration:").and_then(|text| line::number(text.trim()));
    (Form::of(&comments, &lines) == Form::Value)
        .then(|| (value_of("mode:").map(str::trim), duration))
}

/// How the values of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `stack value`
    Value,
    /// `stack before after`
    Difference,
    /// `stack time,idle,memory`
    Full,
    /// `value stack`, below headers that name the event
    Report,
}

/// The values of one line.
#[derive(Debug, Clone, Copy)]
enum Values {
    One(f64),
    Full(austin::Values),
}

impl Form {
    fn of(comments: &[&str], lines: &[&str]) -> Self {
        let most = |fits: &dyn Fn(&str) -> bool| {
            lines.iter().filter(|line| fits(line)).count() * 2 > lines.len()
        };
        // `thread 5 10` may be a frame that ends in a number: only if all lines look like this is
        // it the form.
        let mut stacks = lines
            .iter()
            .filter_map(|line| line::value_last(line))
            .map(|(stack, _)| stack)
            .peekable();
        if comments.iter().any(|comment| event_of(comment).is_some()) {
            Self::Report
        } else if stacks.peek().is_some() && stacks.all(|stack| line::value_last(stack).is_some()) {
            Self::Difference
        } else if most(&|line| line::values_last(line).is_some()) {
            Self::Full
        } else if most(&|line| {
            line::value_last(line).is_none()
                && (line::value_first(line).is_some() || is_report_row(line))
        }) {
            Self::Report
        } else {
            Self::Value
        }
    }

    /// Splits a line into its stack and values.
    fn split(self, line: &str) -> Option<(&str, Values)> {
        let one = |(stack, value)| (stack, Values::One(value));
        let line = line::unescaped(line);
        match self {
            Self::Value => line::value_last(line).map(one),
            Self::Difference => {
                let (stack, after) = line::value_last(line)?;
                Some((
                    line::value_last(stack).map_or(stack, |(stack, _)| stack),
                    Values::One(after),
                ))
            }
            Self::Full => {
                let (stack, [time_us, idle, memory_bytes]) = line::values_last(line)?;
                Some((
                    stack,
                    Values::Full(austin::Values { time_us, idle: idle != 0.0, memory_bytes }),
                ))
            }
            Self::Report => line::value_first(line).map(one),
        }
    }

    /// Whether a line without a stack is allowed.
    fn allows(self, line: &str) -> bool {
        line.trim().is_empty() || (self == Self::Report && is_report_row(line))
    }

    fn expectation(self) -> &'static str {
        match self {
            Self::Value | Self::Difference => {
                "no line has frames and a value; expected `main;parse;hash 42`"
            }
            Self::Full => {
                "no line has frames and three values; expected `main;parse;hash 4000,0,128`"
            }
            Self::Report => "no line has a value and frames; expected `42 main;parse;hash`",
        }
    }
}

/// What applies to a whole file.
struct Layout {
    form: Form,
    metrics: Vec<Metric>,
    /// For [`Form::Report`].
    events: report::Events,
    /// Whether stacks have the leaf first, the default of `perf report`.
    leaf_first: bool,
    /// The form of frames, if the first ones show it.
    dialect: Option<Dialect>,
    separator: Separator,
    producer: Option<Producer>,
}

impl Layout {
    fn of(text: &str) -> Result<Self, ReadError> {
        let (comments, stacks) = relevant_lines(text);
        let form = Form::of(&comments, &stacks);
        let is_spaced = line::are_spaced(stacks_of(&stacks, form));
        let separator = if is_spaced { Separator::Spaced } else { Separator::JoinsLines };
        let (deciding, has_austin_threads) = deciding_frames(&stacks, form, separator);
        let dialect = Dialect::of_most(deciding.iter().copied());
        let is_tracing = !stacks.is_empty()
            && form == Form::Value
            && stacks_of(&stacks, form).all(line::begins_with_tracing);

        let value_of = |key: &str| {
            comments
                .iter()
                .find_map(|comment| comment.strip_prefix(key)?.strip_prefix(':'))
                .map(str::trim)
        };
        let (mut of_report, mut events) = (Vec::new(), Vec::new());
        if form == Form::Report {
            if comments.iter().any(|comment| comment.starts_with(CHILDREN)) {
                let message = "each stack is listed once for every function on it; write the file with \
                    `perf report --no-children -g folded`";
                return Err(ReadError::malformed(At::File, message));
            }
            (of_report, events) = report::metrics(text)?;
        }
        let metrics = match (form, value_of("mode").and_then(Mode::of)) {
            (Form::Full, _) => Mode::Full.metrics().to_vec(),
            // Three values would be another form.
            (_, Some(Mode::Full)) => Mode::Time.metrics().to_vec(),
            (_, Some(mode)) => mode.metrics().to_vec(),
            _ if has_austin_threads => Mode::Time.metrics().to_vec(),
            _ if is_tracing => vec![("time", "nanoseconds")],
            _ => vec![("samples", "samples")],
        };
        let metrics = austin::metrics(&metrics, LineKnowledge::SelfAndTotal);
        Ok(Self {
            form,
            metrics: if of_report.is_empty() { metrics } else { of_report },
            events,
            leaf_first: form == Form::Report && prints_leaf_first(&stacks),
            dialect,
            separator: match separator {
                Separator::JoinsLines if dialect != Some(Dialect::Austin2) => Separator::Semicolon,
                _ => separator,
            },
            producer: value_of("austin").map(austin::producer),
        })
    }

    /// The metric that a comment sets for the lines below it.
    fn event_named(&self, comment: &str) -> Option<usize> {
        let event = event_of(comment)?;
        self.events.iter().find(|(known, _)| known == event).map(|&(_, metric)| metric)
    }
}

/// The relevant comments, and the first of the other lines that are not blank.
fn relevant_lines(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut comments, mut others) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(comment) = line::comment(line) {
            if ["Samples: ", CHILDREN, "austin:", "mode:", "duration:"]
                .iter()
                .any(|key| comment.starts_with(key))
            {
                comments.push(comment);
            }
        } else if others.len() < DECIDING_LINES && !line.trim().is_empty() {
            others.push(line);
        }
    }
    (comments, others)
}

/// The stacks of lines.
fn stacks_of<'a>(lines: &[&'a str], form: Form) -> impl Iterator<Item = &'a str> {
    lines.iter().filter_map(move |line| form.split(line)).map(|(stack, _)| stack)
}

/// The first different frames, without suffixes, and whether a stack begins with a thread of Austin.
fn deciding_frames<'a>(
    lines: &[&'a str],
    form: Form,
    separator: Separator,
) -> (FxHashSet<&'a str>, bool) {
    let mut deciding = FxHashSet::default();
    let mut has_austin_threads = false;
    for stack in stacks_of(lines, form) {
        let (thread, frames) = ThreadPrefix::split(stack);
        has_austin_threads |= matches!(thread, Some(ThreadPrefix::Austin(_)));
        for frame in line::frames(frames, separator) {
            if deciding.len() == DECIDING_FRAMES {
                return (deciding, has_austin_threads);
            }
            if decides(frame) {
                deciding.insert(dialect::without_suffix(frame).0);
            }
        }
    }
    (deciding, has_austin_threads)
}

/// Whether a frame shows the dialect: addresses are the same in every one, and native recordings may
/// begin with many of them.
fn decides(frame: &str) -> bool {
    !frame.starts_with("0x")
}

/// The function of each frame of a file, by name and file.
pub(crate) fn functions<'f>(
    frames: &[&'f str],
) -> impl Iterator<Item = (Cow<'f, str>, Option<Cow<'f, str>>)> {
    let texts = frames.iter().map(|frame| dialect::without_suffix(frame).0);
    let dialect = Dialect::of_most(texts.clone().filter(|text| decides(text)));
    texts.map(move |text| {
        let (_, Place { name, file, .. }) = place(dialect, text);
        (name, file)
    })
}

/// Whether a frame `name (file)` without a line is read as a function in a file, rather than all of
/// it as a name.
pub(crate) fn names_a_file(frame: &str) -> bool {
    Dialect::PySpy.parse(frame).is_some_and(|place| place.file.is_some())
}

/// Whether a name is read as a function at a place in some dialect.
pub(crate) fn names_a_place(name: &str) -> bool {
    Dialect::any(name).is_some_and(|(_, place)| place.file.is_some())
}

/// The thread that a name at the root of a stack stands for, with its name, which may be empty.
pub(crate) fn thread_name(name: &str) -> Option<&str> {
    Some(ThreadPrefix::split(name).0?.name())
}

/// Parses a frame without suffix in the dialect of its file, or else in any dialect, and returns the
/// dialect that it fits.
fn place(dialect: Option<Dialect>, frame: &str) -> (Option<Dialect>, Place<'_>) {
    let own = dialect.and_then(|dialect| Some((dialect, dialect.parse(frame)?)));
    match own.or_else(|| Dialect::any(frame)) {
        Some((fitting, place)) => (Some(fitting), place),
        None => (None, Place::named(dialect::without_offset(frame))),
    }
}

/// The tables being built, and caches.
struct Tables<'a> {
    layout: &'a Layout,
    /// That of the layout, or else of the first frame with a place.
    dialect: Option<Dialect>,
    has_python: bool,
    has_lines: bool,
    builder: ProfileBuilder,
    /// The distinct texts of frames.
    texts: Interner,
    /// The frame of each text.
    frames: Vec<FrameId>,
    /// The texts of processes and threads.
    threads: Interner,
    /// Samples by thread, if stacks begin with one.
    rows: Rows<Option<(StringId, StringId)>>,
}

impl<'a> Tables<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self {
            layout,
            dialect: layout.dialect,
            has_python: false,
            has_lines: false,
            builder: ProfileBuilder::new(layout.metrics.clone(), 0),
            texts: Interner::default(),
            frames: Vec::new(),
            threads: Interner::default(),
            rows: Rows::new(layout.metrics.len()),
        }
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The dialect, if it shows which program wrote the file. Not only py-spy writes `name (file:12)`:
    /// the stacks of other profilers are converted to this form, such as those of Java.
    fn shown_dialect(&self) -> Option<Dialect> {
        self.dialect.filter(|&dialect| dialect != Dialect::PySpy || self.has_python)
    }

    fn push(&mut self, stack: &str, values: Values, event: usize) -> Result<(), ReadError> {
        let (thread, frames) = ThreadPrefix::split(stack);
        let mut leaf = None;
        let separator = self.layout.separator;
        if self.layout.leaf_first {
            let frames: Vec<&str> = line::frames(frames, separator).collect();
            for frame in frames.into_iter().rev() {
                leaf = Some(self.call(leaf, frame)?);
            }
        } else {
            for frame in line::frames(frames, separator) {
                leaf = Some(self.call(leaf, frame)?);
            }
        }

        let key = match thread.as_ref().map(ThreadPrefix::key) {
            Some((process, thread)) => {
                let keys = self.threads.intern(process).zip(self.threads.intern(thread));
                Some(keys.ok_or(BuildError::TooLarge("thread"))?)
            }
            None => None,
        };
        let new = || thread.map_or_else(Thread::default, ThreadPrefix::to_thread);
        let (id, _) = self.rows.push(key, new, leaf, |metric| match (values, metric) {
            (Values::One(value), metric) if metric == event => value,
            (Values::One(_), _) => 0.0,
            (Values::Full(values), metric) => values.weight(Mode::Full, metric),
        });
        if let Some(thread) = thread {
            self.rows.name(id, thread.name());
        }
        Ok(())
    }

    /// The stack of `frame` called by `caller`.
    fn call(&mut self, caller: Option<StackId>, text: &str) -> Result<StackId, ReadError> {
        let id = self.texts.intern(text).ok_or(BuildError::TooLarge("frame"))?;
        let frame = if let Some(&known) = self.frames.get(id.index()) {
            known
        } else {
            let new = self.intern(text)?;
            self.frames.push(new);
            new
        };
        Ok(self.builder.intern_stack(caller, frame)?)
    }

    fn intern(&mut self, frame: &str) -> Result<FrameId, ReadError> {
        let (text, suffix) = dialect::without_suffix(frame);
        let (fitting, place) = place(self.dialect, text);
        self.dialect = self.dialect.or(fitting.filter(|_| decides(text)));
        self.has_python = self.has_python || place.is_python();
        let Place { name, file, lib, position, tier } = place;
        let builder = &mut self.builder;
        let (executing, (line, column)) = match position {
            Position::Executing(line) => (line, (0, 0)),
            Position::Definition { line, column } => (0, (line, column)),
        };
        self.has_lines |= executing != 0;
        let (file, lib) = (file.as_deref().unwrap_or_default(), lib.unwrap_or_default());
        let func = FuncText { name: &name, file, lib, line, column }.intern(builder)?;
        let tier = if suffix.tier == JitTier::Unknown { tier } else { suffix.tier };
        let frame = Frame { inlined: suffix.inlined, tier, ..Frame::new(func, executing) };
        Ok(builder.intern_frame(frame)?)
    }

    fn finish(self) -> Result<Recording, ReadError> {
        drop((self.texts, self.frames));
        let mut builder = self.builder;
        if !self.has_lines {
            let without = |metric: &Metric| metric.clone().with_lines(LineKnowledge::Nothing);
            builder = builder.with_metrics(self.layout.metrics.iter().map(without).collect());
        }
        self.rows.finish(&mut builder)?;
        Ok(Recording::Stacks(builder.build()))
    }
}

#[cfg(test)]
mod tests;
