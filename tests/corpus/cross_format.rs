//! Random stacks in every format that is written, and as events. All formats must give the same
//! costs, equal to a direct computation.

use analysis::{CallTree, Cost, Groups, LineKnowledge, Metric, Thread, Total, View, WarningCode};
use formats::write::{callgrind, firefox, folded, pprof, speedscope};
use profile::{Frame, Func, Profile, ProfileBuilder, Samples, Weights};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Function and executing line (see [`place`]) of each frame, root first, and the weight.
type Sample = (Vec<(usize, u32)>, u32);

/// Name and file. Two functions share a file, and two share a name.
const FUNCTIONS: [(&str, &str); 5] = [
    ("main", "/app/main.rs"),
    ("parse", "/app/main.rs"),
    ("hash", "/app/hash.rs"),
    ("eval", "/app/eval.rs"),
    ("parse", "/app/eval.rs"),
];

/// The place where a frame executes: up to line 4 in the file of its function, above in another
/// file.
fn place(&(function, line): &(usize, u32)) -> (&'static str, u32) {
    match line {
        5 => ("/app/hash.rs", 2),
        6 => ("/app/macros.rs", 1),
        line => (FUNCTIONS[function].1, line),
    }
}

/// Which frames are one function in a file.
#[derive(Debug, Clone, Copy)]
enum Parts {
    /// All frames of the function.
    United,
    /// Its frames in one file, for formats that have only name, file and line of a frame.
    ByFile,
}

fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let frame = (0..FUNCTIONS.len(), 1_u32..7);
    let sample = (prop::collection::vec(frame, 1..9), 1_u32..9);
    prop::collection::vec(sample, 1..30)
}

/// Self and total, by function and by line.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    functions: BTreeMap<(String, String), (f64, f64)>,
    lines: BTreeMap<(String, u32), (f64, f64)>,
}

impl Sums {
    /// A direct computation by the definitions: self at the leaf, total once per sample.
    fn by_hand(samples: &[Sample], parts: Parts) -> Self {
        let mut sums = Self::default();
        for (stack, weight) in samples {
            let weight = f64::from(*weight);
            let function = |frame: &(usize, u32)| {
                let (name, file) = FUNCTIONS[frame.0];
                let file = match parts {
                    Parts::United => file,
                    Parts::ByFile => place(frame).0,
                };
                (name.to_owned(), file.to_owned())
            };
            let line = |frame: &(usize, u32)| (place(frame).0.to_owned(), place(frame).1);
            for key in stack.iter().map(function).collect::<BTreeSet<_>>() {
                sums.functions.entry(key).or_default().1 += weight;
            }
            for key in stack.iter().map(line).collect::<BTreeSet<_>>() {
                sums.lines.entry(key).or_default().1 += weight;
            }
            let leaf = stack.last().unwrap();
            sums.functions.entry(function(leaf)).or_default().0 += weight;
            sums.lines.entry(line(leaf)).or_default().0 += weight;
        }
        sums
    }

    /// The costs of a file as computed by the crates.
    fn of(bytes: Vec<u8>) -> Self {
        let read =
            formats::read(bytes, formats::Limits::default(), &mut |_| ControlFlow::Continue(()))
                .unwrap();
        assert_eq!(read.warnings.as_slice(), []);
        let (recording, symbols) = (&read.recording, read.recording.symbols());
        let groups = Groups::identity(symbols);
        let costs = analysis::costs(recording, &View::of(recording), &groups);
        let total = |total: Total| total.exact().unwrap();
        let mut sums = Self::default();
        for (function, cost) in costs.functions() {
            let func = symbols.funcs.get(groups.first_func(function));
            let key = (
                symbols.strings.get(func.name).to_owned(),
                symbols.source_name(func.source.unwrap()).to_owned(),
            );
            assert_eq!(sums.functions.insert(key, (cost.cost.self_, total(cost.cost.total))), None);
        }
        for line in costs.lines() {
            let file = symbols.source_name(groups.first_source(line.file)).to_owned();
            sums.lines.insert((file, line.line), (line.cost.self_, total(line.cost.total)));
        }
        sums
    }
}

/// The format of py-spy.
fn folded_text(samples: &[Sample]) -> String {
    let mut text = String::new();
    for (stack, weight) in samples {
        let frames = stack.iter().map(|frame| {
            let (file, line) = place(frame);
            format!("{} ({file}:{line})", FUNCTIONS[frame.0].0)
        });
        writeln!(text, "{} {weight}", frames.collect::<Vec<_>>().join(";")).unwrap();
    }
    text
}

/// The complete recording: funcs with their own files, and frames that execute in other files.
fn profile(samples: &[Sample]) -> Profile {
    let metric = Metric::new("samples", "samples", None).with_lines(LineKnowledge::SelfAndTotal);
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let (mut stacks, mut weights) = (Vec::new(), Vec::new());
    for (stack, weight) in samples {
        let mut leaf = None;
        for frame in stack {
            let ((name, file), (executing, line)) = (FUNCTIONS[frame.0], place(frame));
            let (name, source) =
                (builder.intern_string(name).unwrap(), builder.intern_source(file).unwrap());
            let func = builder
                .intern_func(Func { name, source: Some(source), lib: None, line: 0, column: 0 })
                .unwrap();
            let executing = builder.intern_source(executing).unwrap();
            let frame = Frame::new(func, line);
            let frame = if executing == source {
                builder.intern_frame(frame)
            } else {
                builder.intern_frame_elsewhere(frame, executing, line)
            };
            leaf = Some(builder.intern_stack(leaf, frame.unwrap()).unwrap());
        }
        stacks.push(leaf);
        weights.push(f64::from(*weight));
    }
    let samples = Samples::new(stacks, vec![Weights::Each(weights)]);
    builder.push_thread(Thread::default(), samples).unwrap();
    builder.build()
}

/// The samples as events: calls that ended since the previous sample, and calls that began.
fn events(samples: &[Sample]) -> Vec<(char, (usize, u32), u32)> {
    let (mut events, mut open, mut now): (Vec<_>, Vec<(usize, u32)>, u32) =
        (Vec::new(), Vec::new(), 0);
    for (stack, weight) in samples.iter().chain([&(Vec::new(), 0)]) {
        let common = open.iter().zip(stack).take_while(|(a, b)| a == b).count();
        events.extend(open.drain(common..).rev().map(|frame| ('E', frame, now)));
        events.extend(stack[common..].iter().map(|&frame| ('B', frame, now)));
        open.clone_from(stack);
        now += weight;
    }
    events
}

fn trace_events(samples: &[Sample]) -> Value {
    let event = |(phase, frame, at): (char, (usize, u32), u32)| {
        let (name, (file, line)) = (FUNCTIONS[frame.0].0, place(&frame));
        json!({"ph": phase.to_string(), "name": name, "pid": 1, "tid": 1, "ts": at, "args": {"filename": file, "line": line}})
    };
    events(samples).into_iter().map(event).collect()
}

/// Events of speedscope, where a frame is a function at a line, as in the format of py-spy.
fn evented(samples: &[Sample]) -> Value {
    let events = events(samples);
    let mut frames: Vec<(usize, u32)> = events.iter().map(|&(_, frame, _)| frame).collect();
    frames.sort_unstable();
    frames.dedup();
    let row = |frame: &(usize, u32)| frames.binary_search(frame).unwrap();
    let event = |(kind, frame, at): &(char, (usize, u32), u32)| json!({"type": if *kind == 'B' { "O" } else { "C" }, "at": at, "frame": row(frame)});
    let shared = frames.iter().map(|frame| json!({"name": FUNCTIONS[frame.0].0, "file": place(frame).0, "line": place(frame).1}));
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "py-spy@0.4.0",
        "shared": {"frames": shared.collect::<Vec<_>>()},
        "profiles": [{
            "type": "evented",
            "name": "main",
            "unit": "microseconds",
            "startValue": 0,
            "endValue": samples.iter().map(|(_, weight)| weight).sum::<u32>(),
            "events": events.iter().map(event).collect::<Vec<_>>(),
        }],
    })
}

type Function = (String, String);

/// Checks a callgrind file: self of functions and lines is exact, totals have bounds, which are
/// exact without recursion.
fn check_callgrind(samples: &[Sample], bytes: Vec<u8>) {
    let read = formats::read(bytes, formats::Limits::default(), &mut |_| ControlFlow::Continue(()))
        .unwrap();
    assert!(
        read.warnings
            .as_slice()
            .iter()
            .all(|warning| warning.code == WarningCode::OneLinePerFunction),
        "{:?}",
        read.warnings
    );
    let (recording, symbols) = (&read.recording, read.recording.symbols());
    let groups = Groups::identity(symbols);
    let costs = analysis::costs(recording, &View::of(recording), &groups);
    let (expected, calls) = (Sums::by_hand(samples, Parts::United), calls(samples));
    let check = |what: &dyn std::fmt::Debug, cost: Cost, (own, total): (f64, f64)| {
        assert_eq!(cost.self_, own, "{what:?}");
        let (min, max) = match cost.total {
            Total::Exact(total) => (total, total),
            Total::Bounded { min, max } => (min, max),
            Total::Unknown if calls.is_empty() => (total, total),
            total @ (Total::Unknown | Total::Estimated(_)) => panic!("{what:?}: {total:?}"),
        };
        assert!(min <= total && total <= max, "{what:?}: {total} is not between {min} and {max}");
    };
    let key = |function| -> Function {
        let func = symbols.funcs.get(groups.first_func(function));
        (
            symbols.strings.get(func.name).to_owned(),
            symbols.source_name(func.source.unwrap()).to_owned(),
        )
    };
    assert_eq!(costs.functions().count(), expected.functions.len());
    for (function, cost) in costs.functions() {
        let key = key(function);
        check(&key, cost.cost, expected.functions[&key]);
    }
    assert_eq!(costs.lines().len(), expected.lines.len());
    for line in costs.lines() {
        let key = (symbols.source_name(groups.first_source(line.file)).to_owned(), line.line);
        check(&key, line.cost, expected.lines[&key]);
    }
    let view = View::of(recording);
    let tree = CallTree::new(Arc::new(recording.clone()), view, Arc::new(groups.clone()));
    assert_eq!(tree.edges().all().len(), calls.len());
    for edge in tree.edges().all() {
        let (caller, callee) = (key(edge.caller), key(edge.callee));
        let (total, is_recursive) = calls[&(caller.clone(), callee.clone())];
        assert!(
            edge.total == total || (edge.estimated && edge.total > total),
            "{caller:?} > {callee:?}: {edge:?}"
        );
        assert!(is_recursive || !edge.estimated, "{caller:?} > {callee:?}: {edge:?}");
    }
    for (function, cost) in costs.functions() {
        let leads_back = calls.iter().any(|((caller, callee), &(_, back))| {
            back && caller != callee && *caller == key(function)
        });
        assert!(
            leads_back || calls.is_empty() || cost.cost.total.exact().is_some(),
            "{:?}: {cost:?}",
            key(function)
        );
    }
}

/// The cost of each call, once per sample, and whether the callee may lead back to the caller.
fn calls(samples: &[Sample]) -> BTreeMap<(Function, Function), (f64, bool)> {
    let name = |&(function, _): &(usize, u32)| {
        (FUNCTIONS[function].0.to_owned(), FUNCTIONS[function].1.to_owned())
    };
    let mut calls: BTreeMap<(Function, Function), (f64, bool)> = BTreeMap::new();
    for (stack, weight) in samples {
        let pairs: BTreeSet<_> =
            stack.windows(2).map(|pair| (name(&pair[0]), name(&pair[1]))).collect();
        for pair in pairs {
            calls.entry(pair).or_default().0 += f64::from(*weight);
        }
    }
    let pairs: Vec<_> = calls.keys().cloned().collect();
    for ((caller, callee), (_, is_recursive)) in &mut calls {
        let mut reached = BTreeSet::from([callee.clone()]);
        while let Some((_, next)) =
            pairs.iter().find(|(from, to)| reached.contains(from) && !reached.contains(to))
        {
            reached.insert(next.clone());
        }
        *is_recursive = reached.contains(caller);
    }
    calls
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_formats_agree(samples in samples()) {
        let (united, by_file) = (Sums::by_hand(&samples, Parts::United), Sums::by_hand(&samples, Parts::ByFile));
        let profile = profile(&samples);
        let read = [folded_text(&samples), trace_events(&samples).to_string(), evented(&samples).to_string()];
        for text in read {
            prop_assert_eq!(&Sums::of(text.clone().into_bytes()), &by_file, "{}", text);
        }
        let has_parts = samples.iter().flat_map(|(stack, _)| stack).any(|frame| place(frame).0 != FUNCTIONS[frame.0].1);
        let written = [
            ("folded stacks", folded::write(&profile, folded::Frames::WithLines), &by_file),
            ("speedscope", speedscope::write(&profile), &by_file),
            ("pprof", pprof::write(&profile), &by_file),
            ("Firefox", firefox::write(&profile), &united),
        ];
        for (format, written, expected) in written {
            let is_lost = written.lost.contains(&"that functions have code of several files");
            prop_assert_eq!(is_lost, has_parts && format != "Firefox", "{}", format);
            prop_assert_eq!(&Sums::of(written.bytes), expected, "{}", format);
        }

        check_callgrind(&samples, callgrind::write(&analysis::call_graph(&profile)).bytes);
    }
}
