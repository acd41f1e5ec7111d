//! Profiles by Ruby's stackprof as JSON: the output of `stackprof --json DUMP`, or `JSON.generate`
//! of the result of `StackProf.run`.
//!
//! The file is a table of frames, each with sums: `samples` (self), `total_samples`, calls
//! (`edges`) and `lines`. With `raw: true`, there are the stacks as well (`raw`: length, frames,
//! root first, number of consecutive samples), and since stackprof 0.2.24 also the executing lines
//! (`raw_lines`). With both, the result is a recording of stacks. Otherwise lines are known only
//! from the sums, and the result is a call graph; stacks without lines would have less information.
//! The frames of one function are then one: a file that is loaded again defines its functions again.
//! Their sums overlap, so this needs the stacks.
//!
//! Notable, from stackprof's source: `total_samples` counts a sample once, but `lines` and `edges`
//! count every occurrence on a stack. The number of repeated occurrences of a frame can be derived:
//! each occurrence is the leaf or calls something. For example, a frame with 2 `samples`, edges of
//! 12 in all and 10 `total_samples` was repeated 4 times. Ruby reports blocks as the method around
//! them, so a method is often on a stack several times without recursion. `line` is the line of the
//! definition. Functions in C have the file `<cfunc>`. `(garbage collection)` is not a function,
//! but its samples count.

use crate::error::{At, ReadError};
use crate::format::Format;
use crate::read::result::Read;
use crate::read::shared::func_text::FuncText;
use crate::read::shared::json;
use crate::read::shared::json::Text;
use profile::{
    Call, Frame, FuncId, GraphTables, Metric, OwnCost, ProfileBuilder, Recording, RowWeights,
    Samples, StatedTotal, Thread, Total, WarningCode, Warnings, Weights,
};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
struct File<'a> {
    version: Option<f64>,
    #[serde(borrow)]
    mode: Cow<'a, str>,
    /// The number of samples, including garbage collection.
    samples: Option<f64>,
    /// Frames by address, which calls and stacks use as ids.
    #[serde(borrow)]
    frames: BTreeMap<u64, RubyFrame<'a>>,
    raw: Option<Vec<u64>>,
    raw_lines: Option<Vec<u64>>,
    /// When each sample was taken, in microseconds; one per sample, not per entry of `raw`.
    raw_sample_timestamps: Option<Vec<f64>>,
    /// Microseconds since the previous sample.
    raw_timestamp_deltas: Option<Vec<f64>>,
}

#[derive(Deserialize, Clone)]
struct RubyFrame<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    file: Option<Text<'a>>,
    /// The line of the definition.
    line: Option<u32>,
    samples: f64,
    total_samples: Option<f64>,
    /// Calls by callee.
    #[serde(default)]
    edges: BTreeMap<u64, f64>,
    #[serde(default)]
    lines: BTreeMap<u32, LineSamples>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum LineSamples {
    TotalAndSelf(f64, f64),
    /// The form of old versions.
    SelfOnly(f64),
}

impl LineSamples {
    fn own(self) -> f64 {
        match self {
            Self::TotalAndSelf(_, own) | Self::SelfOnly(own) => own,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::TotalAndSelf(total, own), Self::TotalAndSelf(other_total, other_own)) => {
                Self::TotalAndSelf(total + other_total, own + other_own)
            }
            (one, other) => Self::SelfOnly(one.own() + other.own()),
        }
    }
}

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut file: File<'_> = json::decode(bytes)?;
    let mut warnings = Warnings::default();
    // Samples are further apart than the requested interval: timers of the kernel are coarser, and Ruby
    // handles their signals late.
    let metric = Metric::new("samples", "samples", None);
    let raw = match (&file.raw, &file.raw_lines) {
        (Some(raw), Some(lines)) if raw.len() == lines.len() => Some((raw, lines)),
        (Some(raw), Some(lines)) => {
            warnings.add(WarningCode::UnequalLengths, || {
                let (raw, lines) = (raw.len(), lines.len());
                format!("`raw` has {raw} entries and `raw_lines` {lines}; the sums by line are shown instead of stacks")
            });
            None
        }
        _ => None,
    };
    let recording = if let Some((raw, lines)) = raw {
        stacks(&file, raw, lines, metric)?
    } else {
        let merged = file.raw.as_ref().and_then(|raw| one_frame_per_function(&file, raw));
        if let Some(merged) = merged {
            file.frames = merged;
        }
        graph(&file, metric, &mut warnings)?
    };
    let times = file.raw_sample_timestamps.iter().flatten().copied();
    let span = times.fold(None, |span, time| {
        let (first, last) = span.unwrap_or((time, time));
        Some((time.min(first), time.max(last)))
    });
    let span_seconds = span.map(|(first, last)| (last - first) / 1e6);
    Ok(Read {
        version: file.version.map(|version| version.to_string()),
        mode: Some(file.mode.to_string()),
        span_seconds,
        ..Read::new(Format::Stackprof, recording, warnings)
    })
}

impl<'a> RubyFrame<'a> {
    fn text<'t>(&'t self) -> FuncText<'t> {
        let text = |text: &'t Option<Text<'a>>| text.as_ref().map_or("", |Text(text)| text);
        FuncText {
            name: text(&self.name),
            file: text(&self.file),
            line: self.line.unwrap_or(0),
            ..FuncText::default()
        }
    }

    /// How often the frame was on a stack beyond the first occurrence.
    fn repeated(&self) -> f64 {
        self.samples + self.edges.values().sum::<f64>()
            - self.total_samples.unwrap_or(f64::INFINITY)
    }

    /// The self samples: of its lines, if these have more.
    fn own(&self) -> f64 {
        self.lines.values().map(|line| line.own()).sum::<f64>().max(self.samples)
    }

    /// The self samples on no line; below 0 if its lines have more.
    fn without_line(&self) -> f64 {
        self.lines.values().fold(self.samples, |rest, line| rest - line.own())
    }

    /// The total of a line, as precisely as the sum over all occurrences allows. The profile has
    /// `all` samples.
    fn line_total(&self, sum: f64, own: f64, all: f64) -> Total {
        let most = sum.min(self.total_samples.unwrap_or(all)).min(all);
        let least = own.max(sum - self.repeated().max(0.0));
        match () {
            () if least >= most => Total::Exact(most),
            () if sum <= most => Total::Estimated(sum),
            () => Total::Bounded { min: least, max: most },
        }
    }
}

/// When each of `n` samples was taken, in microseconds of any clock. `None` if that is unknown.
fn sample_times(file: &File<'_>, n: f64) -> Option<Vec<f64>> {
    let deltas = || {
        let mut at = 0.0;
        let deltas = file.raw_timestamp_deltas.iter().flatten();
        deltas
            .map(|delta| {
                at += delta;
                at
            })
            .collect()
    };
    let times = file.raw_sample_timestamps.clone().unwrap_or_else(deltas);
    (!times.is_empty() && times.len() as f64 == n).then_some(times)
}

/// Adds the samples, stack by stack.
fn stacks(
    file: &File<'_>,
    raw: &[u64],
    lines: &[u64],
    metric: Metric,
) -> Result<Recording, ReadError> {
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let mut funcs: BTreeMap<u64, FuncId> = BTreeMap::new();
    for (&id, frame) in &file.frames {
        funcs.insert(id, frame.text().intern(&mut builder)?);
    }
    let malformed =
        |at: usize, message: String| ReadError::malformed(At::Key(format!("raw[{at}]")), message);
    let (mut rows, mut counts) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(&len) = raw.get(at) {
        let end = usize::try_from(len).ok().and_then(|len| at.checked_add(1)?.checked_add(len));
        let stack_at = end.and_then(|end| {
            Some((end, raw.get(at + 1..end)?, lines.get(at + 1..end)?, raw.get(end)?))
        });
        let Some((end, frames, lines, &count)) = stack_at else {
            return Err(malformed(
                at,
                format!(
                    "a stack of {len} frames ends beyond the list; expected all of them and a count"
                ),
            ));
        };
        let mut stack = None;
        for (i, (id, &line)) in frames.iter().zip(lines).enumerate() {
            let func = *funcs.get(id).ok_or_else(|| {
                malformed(at + 1 + i, format!("there is no frame {id} in `frames`"))
            })?;
            let line = u32::try_from(line).unwrap_or(0);
            let frame = builder.intern_frame(Frame::new(func, line))?;
            stack = Some(builder.intern_stack(stack, frame)?);
        }
        rows.push(stack);
        counts.push(count);
        at = end + 1;
    }
    let mut weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    let n = weights.iter().sum::<f64>();
    let times = sample_times(file, n);
    if times.is_some() {
        // One row per sample: consecutive samples with the same stack have different times.
        let same = rows.iter().zip(counts);
        let each =
            |(&stack, n): (_, u64)| std::iter::repeat_n(stack, usize::try_from(n).unwrap_or(0));
        rows = same.flat_map(each).collect();
        weights = vec![1.0; rows.len()];
    }
    let without_stack = file.samples.unwrap_or(0.0) - n;
    if without_stack > 0.0 {
        rows.push(None);
        weights.push(without_stack);
    }
    let n_rows = rows.len();
    let mut samples = Samples::new(rows, vec![Weights::Each(weights)]);
    if let Some(times) = times {
        let mut times: Vec<f64> = times.into_iter().map(|us| us / 1e3).collect();
        times.resize(n_rows, f64::NAN);
        samples = samples.with_times(times);
    }
    builder.push_thread(Thread::default(), samples)?;
    Ok(Recording::Stacks(builder.build()))
}

/// The stacks of `raw`, each with its number of samples. `None` if it is malformed.
fn raw_stacks(mut raw: &[u64]) -> Option<Vec<(&[u64], f64)>> {
    let mut stacks = Vec::new();
    while let Some((&len, rest)) = raw.split_first() {
        let (frames, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
        let (&count, rest) = rest.split_first()?;
        stacks.push((frames, count as f64));
        raw = rest;
    }
    Some(stacks)
}

/// The frames, with those of one function merged. `None` if there are none to merge, or if the
/// stacks do not agree with the sums.
fn one_frame_per_function<'a>(
    file: &File<'a>,
    raw: &[u64],
) -> Option<BTreeMap<u64, RubyFrame<'a>>> {
    let mut first_of = BTreeMap::new();
    let first = |(&id, frame): (&u64, &RubyFrame<'_>)| {
        let FuncText { name, file, line, .. } = frame.text();
        (id, *first_of.entry((name.to_owned(), file.to_owned(), line)).or_insert(id))
    };
    let first: BTreeMap<u64, u64> = file.frames.iter().map(first).collect();
    if first_of.len() == file.frames.len() {
        return None;
    }
    let stacks = raw_stacks(raw)?;
    let totals = |whole: &dyn Fn(u64) -> u64| {
        let mut totals: BTreeMap<u64, f64> = BTreeMap::new();
        for (frames, count) in &stacks {
            let on_stack: BTreeSet<u64> = frames.iter().map(|&id| whole(id)).collect();
            for id in on_stack {
                *totals.entry(id).or_default() += count;
            }
        }
        totals
    };
    let of_frames = totals(&|id| id);
    let agrees = |(id, frame): (&u64, &RubyFrame<'_>)| {
        frame.total_samples == Some(of_frames.get(id).copied().unwrap_or(0.0))
    };
    if !file.frames.iter().all(agrees) {
        return None;
    }
    let whole = |id: u64| first.get(&id).copied().unwrap_or(id);
    let totals = totals(&whole);
    let mut merged: BTreeMap<u64, RubyFrame<'a>> = BTreeMap::new();
    for (&id, frame) in &file.frames {
        let into = merged.entry(whole(id)).or_insert_with(|| RubyFrame {
            samples: 0.0,
            total_samples: totals.get(&whole(id)).copied(),
            edges: BTreeMap::new(),
            lines: BTreeMap::new(),
            ..frame.clone()
        });
        into.samples += frame.samples;
        for (&callee, weight) in &frame.edges {
            *into.edges.entry(whole(callee)).or_default() += weight;
        }
        for (&line, &samples) in &frame.lines {
            let sum = into.lines.get(&line).map_or(samples, |sum| sum.plus(samples));
            into.lines.insert(line, sum);
        }
    }
    Some(merged)
}

/// The func of each frame, and whether it was on some stack several times.
type GraphFuncs = BTreeMap<u64, (FuncId, bool)>;

/// Builds a call graph from the sums by frame, line and call.
fn graph(file: &File<'_>, metric: Metric, warnings: &mut Warnings) -> Result<Recording, ReadError> {
    let mut builder = ProfileBuilder::new(Vec::new(), 0);
    let mut funcs = GraphFuncs::new();
    for (&id, frame) in &file.frames {
        // Frames of the same name have separate sums.
        let func = frame.text().func(&mut builder)?;
        funcs.insert(id, (builder.push_func(func)?, frame.repeated() > 0.0));
    }
    let mut graph = GraphTables { metrics: vec![metric], ..GraphTables::default() };
    let all: f64 = file.frames.values().map(RubyFrame::own).sum();
    for (&id, frame) in &file.frames {
        let Some(&(func, _)) = funcs.get(&id) else { continue };
        push_lines(&mut graph, func, frame, all);
        warn_of_sums(frame, all, warnings);
        let total = frame.total_samples.map(|total| match total.min(all) {
            total if total < frame.own() => Total::Estimated(frame.own()),
            total => Total::Exact(total),
        });
        graph.totals.push(stated(func, 0, total.unwrap_or(Total::Unknown)));
        push_calls(&mut graph, &funcs, id, frame)?;
    }
    let without_stack = file.samples.unwrap_or(all) - all;
    if without_stack > 0.0 {
        warnings.add(WarningCode::SamplesWithoutStack, || {
            format!("{without_stack} samples have no stack and are left out")
        });
    }
    graph.symbols = builder.build().into_symbols();
    Ok(Recording::from(graph))
}

/// Adds the costs of the lines of a frame, and its self cost on no line. The profile has `all` samples.
fn push_lines(graph: &mut GraphTables, func: FuncId, frame: &RubyFrame<'_>, all: f64) {
    let own_cost = |line, weight| OwnCost {
        func,
        source: None,
        line,
        weights: RowWeights::from_slice(&[weight]),
    };
    for (&line, &samples) in &frame.lines {
        graph.own.push(own_cost(line, samples.own()));
        if let LineSamples::TotalAndSelf(sum, own) = samples {
            graph.totals.push(stated(func, line, frame.line_total(sum, own, all)));
        }
    }
    graph.own.push(own_cost(0, frame.without_line().max(0.0)));
}

fn stated(func: FuncId, line: u32, total: Total) -> StatedTotal {
    StatedTotal { func, source: None, line, totals: vec![total], calls: None }
}

fn warn_of_sums(frame: &RubyFrame<'_>, all: f64, warnings: &mut Warnings) {
    if frame.without_line() < 0.0 {
        warnings.add(WarningCode::LinesExceedSamples, || {
            let name = frame.text().name;
            format!(
                "the lines of `{name}` have more than its {} samples; the lines are used",
                frame.samples
            )
        });
    }
    let is_less = |total: &f64| *total < frame.own() && frame.without_line() >= 0.0;
    if let Some(total) = frame.total_samples.filter(is_less) {
        warnings.add(WarningCode::TotalExceedsSamples, || {
            let (name, own) = (frame.text().name, frame.own());
            format!("`{name}` has a total of {total} samples, but {own} itself; its total is at least that")
        });
    }
    if let Some(total) = frame.total_samples.filter(|&total| total > all) {
        warnings.add(WarningCode::TotalExceedsSamples, || {
            let name = frame.text().name;
            format!("`{name}` has a total of {total} samples, but all functions together have only {all}; its total is capped at that")
        });
    }
}

/// Adds the calls of a frame.
fn push_calls(
    graph: &mut GraphTables,
    funcs: &GraphFuncs,
    id: u64,
    frame: &RubyFrame<'_>,
) -> Result<(), ReadError> {
    let Some(&(caller, repeated)) = funcs.get(&id) else { return Ok(()) };
    for (callee_id, &weight) in &frame.edges {
        let Some(&(callee, callee_repeated)) = funcs.get(callee_id) else {
            let key = At::Key(format!("frames.{id}.edges.{callee_id}"));
            return Err(ReadError::malformed(key, "there is no such frame in `frames`"));
        };
        graph.calls.push(Call {
            caller,
            source: None,
            line: 0,
            callee,
            count: 0,
            weights: RowWeights::from_slice(&[weight]),
            nested: repeated && callee_repeated,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::read::text_rows::{rows, warnings};
    use profile::GraphAccess;
    use std::fmt::Write;

    /// 6 samples: main:9 > each > main:4 (a block) > work:7 three times, main:9 > each > main:4 >
    /// work:7 > work:8 once, main:9 once, and one in the garbage collection.
    const FRAMES: &str = r#"
        "1":{"name":"(garbage collection)","file":"","total_samples":1,"samples":1},
        "20":{"name":"main","file":"/p/a.rb","line":3,"total_samples":5,"samples":1,"edges":{"30":4,"40":4},"lines":{"9":[5,1],"4":[4,0]}},
        "30":{"name":"each","file":"<cfunc>","line":null,"total_samples":4,"samples":0,"edges":{"20":4}},
        "40":{"name":"work","file":"/p/a.rb","line":6,"total_samples":4,"samples":4,"edges":{"40":1},"lines":{"7":[4,3],"8":[1,1]}}"#;

    fn dump(rest: &str) -> String {
        let head = r#""version":1.2,"mode":"wall","interval":2000,"samples":6,"gc_samples":1,"missed_samples":3,"metadata":{}"#;
        format!("{{{head},\"frames\":{{{FRAMES}}}{rest}}}")
    }

    fn graph(read: &Read) -> String {
        let graph = read.recording.summed().expect("expected a graph").tables();
        let name = |func: FuncId| {
            let place = graph.symbols.funcs.get(func);
            let file = place.source.map_or("", |source| graph.symbols.source_name(source));
            format!("{}|{file}@{}", graph.symbols.func_name(func), place.line)
        };
        let mut out = String::new();
        for OwnCost { func, line, weights, .. } in
            graph.own.iter().filter(|own| own.weights[..] != [0.0])
        {
            writeln!(out, "{}:{line} self {weights:?}", name(*func)).unwrap();
        }
        for StatedTotal { func, line, totals, .. } in &graph.totals {
            writeln!(out, "{}:{line} {totals:?}", name(*func)).unwrap();
        }
        for Call { caller, callee, weights, nested, .. } in &graph.calls {
            writeln!(
                out,
                "{} > {} {weights:?}{}",
                name(*caller),
                name(*callee),
                if *nested { " nested" } else { "" }
            )
            .unwrap();
        }
        out
    }

    #[test]
    fn sums_are_a_call_graph() {
        let read = read(dump("").as_bytes()).unwrap();
        // `main` is on 4 stacks twice, `work` on one, so their lines may have been counted twice.
        // If a line is only self cost, or exceeds its function, more is known.
        assert_eq!(
            graph(&read),
            "(garbage collection)|@0:0 self [1.0]\n\
             main|/p/a.rb@3:9 self [1.0]\n\
             work|/p/a.rb@6:7 self [3.0]\n\
             work|/p/a.rb@6:8 self [1.0]\n\
             (garbage collection)|@0:0 [Exact(1.0)]\n\
             main|/p/a.rb@3:4 [Estimated(4.0)]\n\
             main|/p/a.rb@3:9 [Estimated(5.0)]\n\
             main|/p/a.rb@3:0 [Exact(5.0)]\n\
             each|<cfunc>@0:0 [Exact(4.0)]\n\
             work|/p/a.rb@6:7 [Estimated(4.0)]\n\
             work|/p/a.rb@6:8 [Exact(1.0)]\n\
             work|/p/a.rb@6:0 [Exact(4.0)]\n\
             main|/p/a.rb@3 > each|<cfunc>@0 [4.0]\n\
             main|/p/a.rb@3 > work|/p/a.rb@6 [4.0] nested\n\
             each|<cfunc>@0 > main|/p/a.rb@3 [4.0]\n\
             work|/p/a.rb@6 > work|/p/a.rb@6 [1.0] nested\n"
        );
        assert_eq!(
            (read.version.as_deref(), read.mode.as_deref(), read.span_seconds),
            (Some("1.2"), Some("wall"), None)
        );
        assert_eq!(read.recording.metrics(), [Metric::new("samples", "samples", None)]);
        assert_eq!(warnings(&read), []);
        // Stacks without lines have less information.
        let with_raw = super::read(dump(r#","raw":[1,1,6]"#).as_bytes()).unwrap();
        assert_eq!(graph(&with_raw), graph(&read));
    }

    #[test]
    fn frames_of_one_function_are_merged_if_there_are_stacks() {
        // `a.rb` was loaded twice, so `f` has two frames. 3 samples: main:9 > f:4, main:9 > f:4 > f:5
        // with the newer `f`, main:9 > f:5 > the newer f:4.
        let frames = r#"
            "1":{"name":"main","file":"/p/m.rb","line":8,"total_samples":3,"samples":0,"edges":{"20":2,"21":1},"lines":{"9":[3,0]}},
            "20":{"name":"f","file":"/p/a.rb","line":3,"total_samples":2,"samples":1,"edges":{"21":1},"lines":{"4":[1,1],"5":[1,0]}},
            "21":{"name":"f","file":"/p/a.rb","line":3,"total_samples":2,"samples":2,"edges":{"21":1},"lines":{"4":[2,1],"5":[1,1]}}"#;
        let raw = r#","raw":[2,1,20,1,3,1,21,21,1,3,1,20,21,1]"#;
        let dump = |raw: &str| {
            let head = r#""version":1.2,"mode":"wall","samples":3"#;
            read(format!("{{{head},\"frames\":{{{frames}}}{raw}}}").as_bytes()).unwrap()
        };
        // All samples are in `f`. It is on two stacks twice, so line 4 may be counted twice.
        let expected = "f|/p/a.rb@3:4 self [2.0]\n\
             f|/p/a.rb@3:5 self [1.0]\n\
             main|/p/m.rb@8:9 [Exact(3.0)]\n\
             main|/p/m.rb@8:0 [Exact(3.0)]\n\
             f|/p/a.rb@3:4 [Estimated(3.0)]\n\
             f|/p/a.rb@3:5 [Estimated(2.0)]\n\
             f|/p/a.rb@3:0 [Exact(3.0)]\n\
             main|/p/m.rb@8 > f|/p/a.rb@3 [3.0]\n\
             f|/p/a.rb@3 > f|/p/a.rb@3 [2.0] nested\n";
        assert_eq!(graph(&dump(raw)), expected);
        // Stacks that do not agree with the sums are not used.
        let apart = graph(&dump(""));
        assert!(apart.contains("f|/p/a.rb@3:0 [Exact(2.0)]\n"), "{apart}");
        assert_eq!(graph(&dump(r#","raw":[2,1,20,1]"#)), apart);
        assert_eq!(graph(&dump(r#","raw":[2,1,20]"#)), apart);
    }

    #[test]
    fn totals_of_lines_are_exact_estimated_or_bounded() {
        let frame = |samples, total_samples| RubyFrame {
            name: None,
            file: None,
            line: None,
            samples,
            total_samples: Some(total_samples),
            edges: BTreeMap::from([(1, 10.0)]),
            lines: BTreeMap::new(),
        };
        // Not repeated on any stack.
        assert_eq!(frame(2.0, 12.0).line_total(9.0, 1.0, 20.0), Total::Exact(9.0));
        // Repeated twice.
        assert_eq!(frame(2.0, 10.0).line_total(9.0, 1.0, 20.0), Total::Estimated(9.0));
        assert_eq!(frame(2.0, 10.0).line_total(9.0, 9.0, 20.0), Total::Exact(9.0));
        assert_eq!(
            frame(2.0, 10.0).line_total(11.0, 1.0, 20.0),
            Total::Bounded { min: 9.0, max: 10.0 }
        );
        assert_eq!(frame(2.0, 10.0).line_total(12.0, 1.0, 20.0), Total::Exact(10.0));
        // Repeated 9 times.
        assert_eq!(
            frame(2.0, 3.0).line_total(9.0, 1.0, 20.0),
            Total::Bounded { min: 1.0, max: 3.0 }
        );
        // No more than the profile has.
        assert_eq!(frame(2.0, 12.0).line_total(9.0, 1.0, 7.0), Total::Exact(7.0));
    }

    #[test]
    fn no_total_exceeds_that_of_the_profile() {
        let read =
            read(dump("").replace(r#""total_samples":5"#, r#""total_samples":50"#).as_bytes());
        let read = read.unwrap();
        assert_eq!(warnings(&read), [(WarningCode::TotalExceedsSamples, 1)]);
        assert!(graph(&read).contains("main|/p/a.rb@3:0 [Exact(6.0)]\n"), "{}", graph(&read));
        // Nor is it less than the function itself has.
        let read = super::read(
            dump("").replace(r#""total_samples":5"#, r#""total_samples":-3"#).as_bytes(),
        );
        let read = read.unwrap();
        assert_eq!(warnings(&read), [(WarningCode::TotalExceedsSamples, 1)]);
        assert!(graph(&read).contains("main|/p/a.rb@3:0 [Estimated("), "{}", graph(&read));
    }

    #[test]
    fn stacks_with_lines() {
        let raw = r#","raw":[1,1,1,4,20,30,20,40,3,5,20,30,20,40,40,1,1,20,1],"raw_lines":[1,0,1,4,9,0,4,7,3,5,9,0,4,7,8,1,1,9,1],"raw_sample_timestamps":[5000000,5002000,5012000]"#;
        let read = read(dump(raw).as_bytes()).unwrap();
        let chain = "main|/p/a.rb@3:9 > each|<cfunc> > main|/p/a.rb@3:4 > work|/p/a.rb@6:7";
        assert_eq!(
            rows(&read),
            format!(
                "(garbage collection) 1\n{chain} 3\n{chain} > work|/p/a.rb@6:8 1\nmain|/p/a.rb@3:9 1\n"
            )
        );
        assert_eq!((read.span_seconds, warnings(&read)), (Some(0.012), vec![]));

        let short = super::read(dump(r#","raw":[1,20,4],"raw_lines":[1,9,4]"#).as_bytes()).unwrap();
        assert_eq!(rows(&short), "main|/p/a.rb@3:9 4\n 2\n");
        let unequal = super::read(dump(r#","raw":[1,20,4],"raw_lines":[1,9]"#).as_bytes()).unwrap();
        assert_eq!(warnings(&unequal), [(WarningCode::UnequalLengths, 1)]);
        assert!(matches!(unequal.recording, Recording::Graph(_)));
    }

    #[test]
    fn other_modes_and_old_lines() {
        let text = r#"{"version":1.0,"mode":"object","interval":100,"samples":9,"missed_samples":900,"frames":{"7":{"name":"f","file":"/a.rb","total_samples":8,"samples":8,"lines":{"3":5}}}}"#;
        let read = read(text.as_bytes()).unwrap();
        assert_eq!(
            graph(&read),
            "f|/a.rb@0:3 self [5.0]\nf|/a.rb@0:0 self [3.0]\nf|/a.rb@0:0 [Exact(8.0)]\n"
        );
        assert_eq!(read.recording.metrics()[0].seconds_per_unit, None);
        assert_eq!(warnings(&read), [(WarningCode::SamplesWithoutStack, 1)]);
        let more = super::read(text.replace(r#""3":5"#, r#""3":15"#).as_bytes()).unwrap();
        assert_eq!(warnings(&more), [(WarningCode::LinesExceedSamples, 1)]);
    }

    #[test]
    fn inconsistent_files_are_errors() {
        let key = |text: &str| {
            let error = read(text.as_bytes()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Malformed);
            error.at.to_string()
        };
        assert_eq!(key(&dump(r#","raw":[1,99,1],"raw_lines":[1,9,1]"#)), "raw[1]: ");
        assert_eq!(key(&dump(r#","raw":[1,1,1,3,1],"raw_lines":[1,1,1,3,1]"#)), "raw[3]: ");
        let huge = u64::MAX;
        assert_eq!(key(&dump(&format!(r#","raw":[{huge},1],"raw_lines":[1,1]"#))), "raw[0]: ");
        assert_eq!(
            key(&dump("").replace(r#""edges":{"40":1}"#, r#""edges":{"41":1}"#)),
            "frames.40.edges.41: "
        );
        assert_eq!(
            key(&dump("").replace("\"samples\":0", "\"samples\":\"0\"")),
            "frames.30.samples: "
        );
    }
}
