//! speedscope's own file format, for its viewer and for Costline itself: one *sampled* profile per
//! thread, with its samples in order.
//!
//! A frame has one file and one line, the executing ones, as written by py-spy, so line costs are
//! kept. Readers identify functions by name and file; functions that differ only in their library
//! get its name appended.

use super::{PARTS, UNKNOWN_LINE_TOTALS, Written, elsewhere, has_idle_samples, has_parts};
use profile::{
    Frame, Func, Metric, Profile, Samples, SourceId, StackAccess, StringId, SymbolTables, Thread,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'p> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'p str,
    active_profile_index: u32,
    shared: Shared<'p>,
    profiles: Vec<Sampled<'p>>,
}

#[derive(Serialize)]
struct Shared<'p> {
    frames: Vec<SharedFrame<'p>>,
}

#[derive(Serialize)]
struct SharedFrame<'p> {
    name: Cow<'p, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    col: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled<'p> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'p str,
    unit: &'static str,
    start_value: f64,
    end_value: f64,
    samples: StackLists<'p>,
    weights: Vec<f64>,
}

/// The stacks of a thread's samples, root first. Each is built only when it is written.
struct StackLists<'p> {
    profile: &'p Profile,
    samples: &'p Samples,
    /// The index of each frame in the file.
    numbers: &'p [u32],
}

impl Serialize for StackLists<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stacks = self.profile.stacks();
        serializer.collect_seq(self.samples.stacks().map(|stack| {
            let up = std::iter::successors(stack, |&stack| stacks.prefix(stack));
            let mut frames: Vec<u32> =
                up.map(|stack| self.numbers[stacks.frame(stack).index()]).collect();
            frames.reverse();
            frames
        }))
    }
}

/// Writes the samples of all threads, with the weights of the default metric.
pub fn write(profile: &Profile) -> Written {
    let metric = profile.metrics().get(profile.default_metric().index());
    let (frames, numbers) = frames(profile);
    let mut processes = profile.threads().iter().map(|thread| &*thread.process_name);
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        exporter: concat!("costline@", env!("CARGO_PKG_VERSION")),
        name: processes.find(|name| !name.is_empty()).unwrap_or("profile"),
        active_profile_index: 0,
        shared: Shared { frames },
        profiles: profile
            .sampled_threads()
            .map(|(thread, samples)| sampled(profile, thread, samples, &numbers))
            .collect(),
    };
    // Writing texts and numbers to memory cannot fail.
    let bytes = serde_json::to_vec(&file).unwrap_or_default();
    Written { bytes, lost: lost(profile, metric) }
}

fn sampled<'p>(
    profile: &'p Profile,
    thread: &'p Thread,
    samples: &'p Samples,
    numbers: &'p [u32],
) -> Sampled<'p> {
    let metric = profile.default_metric().index();
    let column = samples.weights().get(metric);
    let weights: Vec<f64> =
        (0..samples.len()).map(|i| column.map_or(0.0, |column| column.get(i))).collect();
    Sampled {
        kind: "sampled",
        name: if thread.name.is_empty() { &thread.process_name } else { &thread.name },
        unit: profile.metrics().get(metric).map_or("none", unit),
        start_value: 0.0,
        end_value: weights.iter().sum(),
        samples: StackLists { profile, samples, numbers },
        weights,
    }
}

/// speedscope's name for a unit; `none` if it has none.
fn unit(metric: &Metric) -> &'static str {
    match metric.unit.as_str() {
        "ns" | "nanoseconds" => "nanoseconds",
        "us" | "µs" | "microseconds" => "microseconds",
        "ms" | "milliseconds" | "tracing-ms" => "milliseconds",
        "s" | "seconds" => "seconds",
        "bytes" => "bytes",
        _ => "none",
    }
}

/// The index of a frame that is not in the file.
const UNUSED: u32 = u32::MAX;

/// The frames that samples use, and for each frame of the profile its index among them.
fn frames(profile: &Profile) -> (Vec<SharedFrame<'_>>, Vec<u32>) {
    let (stacks, symbols) = (profile.stacks(), profile.symbols());
    let mut is_used = vec![false; stacks.len()];
    for leaf in profile.samples().iter().flat_map(|samples| samples.stacks().flatten()) {
        is_used[leaf.index()] = true;
    }
    // Callees come after their callers.
    for stack in stacks.ids().rev() {
        if let Some(caller) = stacks.prefix(stack).filter(|_| is_used[stack.index()]) {
            is_used[caller.index()] = true;
        }
    }

    let homonyms = homonyms(symbols);
    let mut frames = Vec::new();
    let mut numbers = vec![UNUSED; profile.frames().len()];
    for id in stacks.ids().filter(|stack| is_used[stack.index()]).map(|stack| stacks.frame(stack)) {
        if numbers[id.index()] == UNUSED {
            let Frame { func, line, column, .. } = profile.frames().get(id);
            let func = symbols.funcs.get(func);
            let (source, line) = elsewhere(profile, id)
                .map_or((func.source, line), |(source, line)| (Some(source), line));
            numbers[id.index()] = frames.len() as u32;
            frames.push(SharedFrame {
                name: name(symbols, func, &homonyms),
                file: source.map(|source| symbols.source_name(source)),
                line: (line != 0).then_some(line),
                col: (column != 0).then_some(column),
            });
        }
    }
    (frames, numbers)
}

type Homonyms = FxHashSet<(StringId, Option<SourceId>)>;

/// Names and files of functions that are in several libraries.
fn homonyms(symbols: &SymbolTables) -> Homonyms {
    let mut libs = FxHashMap::default();
    let funcs = symbols.funcs.ids().map(|id| symbols.funcs.get(id));
    let again =
        funcs.filter(|func| *libs.entry((func.name, func.source)).or_insert(func.lib) != func.lib);
    again.map(|func| (func.name, func.source)).collect()
}

fn name<'p>(symbols: &'p SymbolTables, func: Func, homonyms: &Homonyms) -> Cow<'p, str> {
    let name = symbols.strings.get(func.name);
    match func.lib.filter(|_| homonyms.contains(&(func.name, func.source))) {
        Some(lib) => match symbols.libs[lib.index()].name.as_str() {
            lib if lib.starts_with('[') => Cow::Owned(format!("{name} {lib}")),
            lib => Cow::Owned(format!("{name} [{lib}]")),
        },
        None => Cow::Borrowed(name),
    }
}

fn lost(profile: &Profile, metric: Option<&Metric>) -> Vec<&'static str> {
    let (symbols, threads) = (profile.symbols(), profile.threads());
    let funcs = || symbols.funcs.ids().map(|id| symbols.funcs.get(id));
    let homonyms = homonyms(symbols);
    let names: FxHashSet<_> =
        funcs().map(|func| (name(symbols, func, &homonyms), func.source)).collect();
    let is_named = |thread: &Thread| !thread.name.is_empty() && !thread.process_name.is_empty();
    let facts = [
        (profile.metrics().len() > 1, "the other metrics"),
        (
            metric.is_some_and(|metric| unit(metric) == "none" && metric.unit != "samples"),
            "the unit",
        ),
        (
            metric
                .is_some_and(|metric| unit(metric) == "none" && metric.seconds_per_unit.is_some()),
            "the sampling interval",
        ),
        (metric.is_some_and(|metric| metric.lines.is_self_alone()), UNKNOWN_LINE_TOTALS),
        (
            names.len() < symbols.funcs.len(),
            "which of several functions with the same name in a file it is",
        ),
        (has_parts(profile), PARTS),
        (funcs().any(|func| func.line != 0), "where functions start"),
        (funcs().any(|func| func.lib.is_some()), "libraries"),
        (profile.frames().iter().any(|frame| frame.inlined), "which frames are inlined"),
        (profile.samples().iter().any(|samples| samples.calls().is_some()), "call counts"),
        (has_idle_samples(profile), "which samples are idle"),
        (threads.iter().any(is_named), "process names"),
        (
            threads.iter().any(|thread| thread.pid.is_some() || thread.tid.is_some()),
            "process and thread ids",
        ),
    ];
    facts.into_iter().filter_map(|(is_lost, what)| is_lost.then_some(what)).collect()
}

#[cfg(test)]
mod tests {
    use super::write;
    use profile::{
        Frame, Func, Lib, LineKnowledge, Metric, ProfileBuilder, Samples, Thread, Weights,
    };

    /// Samples of two threads in two libraries with a function `f` each.
    fn written(unit: &str) -> (String, Vec<&'static str>) {
        let metrics = vec![
            Metric::new("x", "x", None),
            Metric::new("cost", unit, None).with_lines(LineKnowledge::SelfAndTotal),
        ];
        let mut builder = ProfileBuilder::new(metrics, 1);
        let libs = ["a.so", "[kernel]"].map(|name| {
            builder.intern_lib(Lib { name: name.to_owned(), ..Lib::default() }).unwrap()
        });
        let source = builder.intern_source("m.c").unwrap();
        let mut frame = |name: &str, lib: Option<usize>, source, line, column| {
            let func = Func {
                name: builder.intern_string(name).unwrap(),
                source,
                lib: lib.map(|lib| libs[lib]),
                line: 0,
                column: 0,
            };
            let func = builder.intern_func(func).unwrap();
            builder.intern_frame(Frame { column, ..Frame::new(func, line) }).unwrap()
        };
        let frames = [
            frame("main", Some(0), Some(source), 7, 0),
            frame("f", Some(1), None, 0, 0),
            frame("f", Some(0), None, 0, 0),
        ];
        let unused = frame("unused", None, None, 1, 1);
        let last = frame("g\"", None, Some(source), 9, 5);
        builder.intern_stack(None, unused).unwrap();
        let main = builder.intern_stack(None, frames[0]).unwrap();
        let [b, a, g] = [frames[1], frames[2], last]
            .map(|frame| builder.intern_stack(Some(main), frame).unwrap());
        let each = |weights: &[f64]| vec![Weights::Ones, Weights::Each(weights.to_vec())];
        let samples = Samples::new([Some(b), None, Some(g)], each(&[1.5, 2.0, -1.0]));
        builder
            .push_thread(Thread { name: "one".to_owned(), ..Thread::default() }, samples)
            .unwrap();
        let samples = Samples::new([Some(a)], vec![Weights::Ones, Weights::Ones]);
        builder
            .push_thread(Thread { process_name: "app".to_owned(), ..Thread::default() }, samples)
            .unwrap();
        let written = write(&builder.build());
        (String::from_utf8(written.bytes).unwrap(), written.lost)
    }

    #[test]
    fn every_thread_is_a_sampled_profile() {
        let (text, lost) = written("ns");
        let expected = concat!(
            r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"costline@"#,
            env!("CARGO_PKG_VERSION"),
            r#"","name":"app","activeProfileIndex":0,"shared":{"frames":[{"name":"main","file":"m.c","line":7},"#,
            r#"{"name":"f [kernel]"},{"name":"f [a.so]"},{"name":"g\"","file":"m.c","line":9,"col":5}]},"profiles":["#,
            r#"{"type":"sampled","name":"one","unit":"nanoseconds","startValue":0.0,"endValue":2.5,"samples":[[0,1],[],[0,3]],"weights":[1.5,2.0,-1.0]},"#,
            r#"{"type":"sampled","name":"app","unit":"nanoseconds","startValue":0.0,"endValue":1.0,"samples":[[0,2]],"weights":[1.0]}]}"#,
        );
        assert_eq!(text, expected);
        assert_eq!(lost, ["the other metrics", "libraries"]);
    }

    #[test]
    fn units_have_the_names_of_the_format() {
        for (unit, expected, is_lost) in [
            ("samples", "none", false),
            ("hits", "none", true),
            ("us", "microseconds", false),
            ("tracing-ms", "milliseconds", false),
            ("seconds", "seconds", false),
            ("bytes", "bytes", false),
        ] {
            let (text, lost) = written(unit);
            assert!(text.contains(&format!(r#""unit":"{expected}""#)), "{unit}: {text}");
            assert_eq!(lost.contains(&"the unit"), is_lost, "{unit}");
        }
    }
}
