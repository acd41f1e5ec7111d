//! Profiles written as text, so that expected numbers can be checked by eye.
//!
//! Each column is a sample, each row a frame, callers above callees:
//!
//! ```text
//! main@10[file:app.rs]  main@10   main@13
//! parse@22[file:app.rs] parse@23
//! hash@5[file:lib.rs]
//! ```
//!
//! A cell is `name@line` with attributes. `[file:…]`, `[lib:…]`, `[build:…]` (the code id of
//! the library), `[start:N]` (the func's first
//! line), `[js]` (JavaScript), `[label]` (shown with JavaScript) and `[cat:…]` (the category, also
//! of callees without one; `Other` by default) are remembered for the name. `[inl]` marks an
//! inlined frame, `[tier:ion]` and `[tier:interpreter]` how it was run, `[idle]` an idle sample that
//! ends here. `[is:size=large]` and `[is:took=5:ms]` are labels of the sample. `@line` is optional; without it the line is unknown. A name has no spaces, `@` or `[`.
//! A cell belongs to the column whose cell in the first row starts at the same offset, in bytes.
//! Samples may end early. Empty rows are ignored.
//!
//! With the feature `test-support`, other crates and other readers of profiles can use it for their
//! tests. The profile has one metric, `samples` unless a function says otherwise, and a sample weighs
//! 1 unless it is given a weight. Lines are 1-based. In the profile above, `hash` has the self cost 1
//! and the total 1, `parse` 1 and 2, and `main` 1 and 3; line 10 of `app.rs` has the total 2.
//!
//! ```
//! use profile::{StackAccess, text_samples};
//!
//! let profile = text_samples::weighted("main@1 main@2\nf@9", &[3.0, 4.0]);
//! // `main` at line 1, `f` below it, and `main` at line 2.
//! assert_eq!(profile.stacks().len(), 3);
//! assert_eq!(profile.samples()[0].weights()[0].get(1), 4.0);
//! ```

use crate::times::{Clock, Times};
use crate::{
    Code, Frame, Func, JitTier, Label, LabelSetId, Lib, LineKnowledge, Metric, Profile,
    ProfileBuilder, Samples, Thread, Weights,
};
use std::collections::HashMap;

/// A profile with one thread, every sample weighing 1.
///
/// # Panics
/// If the text is malformed.
pub fn profile(text: &str) -> Profile {
    build(&[("main", text, None)])
}

/// A profile with one thread and a weight per sample.
///
/// # Panics
/// If the text is malformed.
pub fn weighted(text: &str, weights: &[f64]) -> Profile {
    build(&[("main", text, Some(weights))])
}

/// A profile with one thread, whose samples weigh 1 and were taken at these times, in milliseconds.
///
/// # Panics
/// If the text is malformed.
pub fn taken_at(text: &str, times_ms: &[f64]) -> Profile {
    at_times(profile(text), times_ms)
}

/// A profile with one thread, and for each sample its weight and its time, both in milliseconds.
///
/// # Panics
/// If the text is malformed.
pub fn timed_at(text: &str, weights: &[f64], times_ms: &[f64]) -> Profile {
    at_times(timed(text, weights), times_ms)
}

/// The profile with these times of the samples of its only thread.
fn at_times(built: Profile, times_ms: &[f64]) -> Profile {
    let clock = Clock::of([times_ms].into_iter());
    let ticks = times_ms.iter().filter_map(|&time| Some(clock?.tick(time)));
    let times = Some(Times::Ticks(ticks.collect()));
    let samples = Samples { times, ..built.samples[0].clone() };
    Profile { samples: vec![samples].into(), clock, ..built }
}

/// A profile with several threads: name, samples, and their times in milliseconds. Each sample
/// weighs 1.
///
/// # Panics
/// If a text is malformed.
pub fn threads_taken_at(threads: &[(&str, &str, &[f64])]) -> Profile {
    let texts: Vec<_> = threads.iter().map(|&(name, text, _)| (name, text, None)).collect();
    let built = build(&texts);
    let clock = Clock::of(threads.iter().map(|&(_, _, times_ms)| times_ms));
    let samples = built.samples.iter().zip(threads).map(|(samples, &(_, _, times_ms))| {
        let ticks = times_ms.iter().filter_map(|&time| Some(clock?.tick(time)));
        Samples { times: Some(Times::Ticks(ticks.collect())), ..samples.clone() }
    });
    Profile { samples: samples.collect::<Vec<_>>().into(), clock, ..built }
}

/// A profile with one thread and a weight in milliseconds per sample.
///
/// # Panics
/// If the text is malformed.
pub fn timed(text: &str, weights: &[f64]) -> Profile {
    build_with(Metric::new("wall", "ms", None), &[("main", text, Some(weights))])
}

/// A profile with several threads: name, samples, weights.
///
/// # Panics
/// If a text is malformed.
pub fn build(threads: &[(&str, &str, Option<&[f64]>)]) -> Profile {
    build_with(Metric::new("samples", "samples", None), threads)
}

#[expect(clippy::expect_used, reason = "a malformed test text should stop the test")]
fn build_with(metric: Metric, threads: &[(&str, &str, Option<&[f64]>)]) -> Profile {
    let metric = metric.with_lines(LineKnowledge::SelfAndTotal);
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let mut known: HashMap<String, Attributes> = HashMap::new();
    if threads.iter().any(|(_, text, _)| text.contains("[cat:")) {
        builder.intern_category("Other").expect("one");
    }
    for (i, (name, text, weights)) in threads.iter().enumerate() {
        let (mut stacks, mut sets) = (Vec::new(), Vec::new());
        for cells in columns(text) {
            let (mut stack, mut category) = (None, None);
            let mut labels = Vec::new();
            for cell in cells {
                let cell = Cell::parse(cell);
                labels.extend(cell.labels());
                let attributes = known.entry(cell.name.to_owned()).or_default();
                attributes.update(&cell);
                let func = Func {
                    name: builder.intern_string(cell.name).expect("small"),
                    source: attributes
                        .file
                        .as_deref()
                        .map(|file| builder.intern_source(file).expect("small")),
                    lib: attributes.lib.clone().map(|name| {
                        builder
                            .intern_lib(Lib {
                                name,
                                code_id: attributes.build.clone(),
                                addresses: crate::AddressBase::Image,
                                ..Lib::default()
                            })
                            .expect("small")
                    }),
                    line: attributes.start,
                    column: 0,
                };
                let func = builder.intern_func(func).expect("small");
                builder.set_code(func, attributes.code).expect("just made");
                let frame = Frame {
                    inlined: cell.has("inl"),
                    tier: cell.tier(),
                    ..Frame::new(func, cell.line)
                };
                let frame = builder.intern_frame(frame).expect("small");
                let id = builder.intern_stack(stack, frame).expect("small");
                category = attributes
                    .category
                    .as_deref()
                    .map(|name| builder.intern_category(name).expect("few"))
                    .or(category);
                if let Some(category) = category {
                    builder.set_category(id, category).expect("just made");
                }
                if cell.has("idle") {
                    builder.set_idle(id).expect("just made");
                }
                stack = Some(id);
            }
            stacks.push(stack);
            sets.push(builder.intern_labels(labels).expect("few"));
        }
        let weights = weights.map_or(Weights::Ones, |weights| Weights::Each(weights.to_vec()));
        let tid = Some((i + 1).to_string());
        let mut samples = Samples::new(stacks, vec![weights]);
        if sets.iter().any(|&set| set != LabelSetId::NONE) {
            samples = samples.with_labels(sets);
        }
        let thread = Thread { name: (*name).to_owned(), tid, ..Thread::default() };
        builder.push_thread(thread, samples).expect("one weight per column");
    }
    builder.build()
}

#[derive(Default)]
struct Attributes {
    file: Option<String>,
    lib: Option<String>,
    build: String,
    start: u32,
    code: Code,
    category: Option<String>,
}

impl Attributes {
    fn update(&mut self, cell: &Cell<'_>) {
        if let Some(file) = cell.value("file:") {
            self.file = Some(file.to_owned());
        }
        if let Some(lib) = cell.value("lib:") {
            self.lib = Some(lib.to_owned());
        }
        if let Some(build) = cell.value("build:") {
            build.clone_into(&mut self.build);
        }
        if let Some(category) = cell.value("cat:") {
            self.category = Some(category.to_owned());
        }
        if let Some(start) = cell.value("start:").and_then(|line| line.parse().ok()) {
            self.start = start;
        }
        for (attribute, code) in [("js", Code::JavaScript), ("label", Code::Label)] {
            if cell.has(attribute) {
                self.code = code;
            }
        }
    }
}

struct Cell<'a> {
    name: &'a str,
    line: u32,
    attributes: Vec<&'a str>,
}

impl<'a> Cell<'a> {
    fn parse(cell: &'a str) -> Self {
        let (head, attributes) = cell.find('[').map_or((cell, ""), |at| cell.split_at(at));
        let (name, line) = head.split_once('@').unwrap_or((head, "0"));
        let line =
            line.parse().unwrap_or_else(|_| panic!("{cell}: what follows @ is a line number"));
        Self {
            name,
            line,
            attributes: attributes.split(['[', ']']).filter(|a| !a.is_empty()).collect(),
        }
    }

    fn has(&self, attribute: &str) -> bool {
        self.attributes.contains(&attribute)
    }

    fn tier(&self) -> JitTier {
        match self.value("tier:") {
            Some("ion") => JitTier::Ion,
            Some("interpreter") => JitTier::Interpreter,
            Some(other) => panic!("no tier {other}"),
            None => JitTier::Unknown,
        }
    }

    fn labels(&self) -> impl Iterator<Item = Label> + use<'a> {
        let labels = self.attributes.clone().into_iter().filter_map(|it| it.strip_prefix("is:"));
        labels.filter_map(|label| label.split_once('=')).map(|(key, value)| {
            let number = value.split_once(':');
            let number = number.and_then(|(number, unit)| Some((number.parse().ok()?, unit)));
            match number {
                Some((number, unit)) => Label::number(key, number, unit),
                None => Label::text(key, value),
            }
        })
    }

    fn value(&self, prefix: &str) -> Option<&'a str> {
        self.attributes.iter().find_map(|attribute| attribute.strip_prefix(prefix))
    }
}

/// The cells of each column, top to bottom.
fn columns(text: &str) -> Vec<Vec<&str>> {
    let mut starts = Vec::new();
    let mut columns: Vec<Vec<&str>> = Vec::new();
    for row in text.lines().filter(|row| !row.trim().is_empty()) {
        let cells = row
            .split_whitespace()
            .map(|cell| (cell.as_ptr() as usize - row.as_ptr() as usize, cell));
        if starts.is_empty() {
            (starts, columns) = cells.map(|(at, cell)| (at, vec![cell])).unzip();
            continue;
        }
        for (at, cell) in cells {
            let column = starts.iter().position(|&start| start == at);
            let column =
                column.unwrap_or_else(|| panic!("{cell} stands below no cell of the first row"));
            columns[column].push(cell);
        }
    }
    columns
}
