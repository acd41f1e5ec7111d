//! Profiles that are made of bytes, and their exports.

use super::input::Input;
use super::numbers::{changed_by_exports, check_sums};
use super::tree::check_tree;
use analysis::{Groups, LineKnowledge, Metric, MetricId, Recording, Thread, View};
use profile::{Frame, Func, Lib, Profile, ProfileBuilder, Samples, StackId, Weights};
use std::collections::BTreeSet;

/// Names with all that some format treats as special.
const NAMES: [&str; 16] = [
    "main",
    "parse",
    "a::b<T>",
    "operator()",
    "#job",
    "x [lib]",
    "f:12",
    "λ",
    "(idle)",
    "g 3",
    "f (a.js:3)",
    "0x1234",
    "a;b",
    "\"q\"",
    "it's",
    "two  spaces",
];
const FILES: [&str; 8] =
    ["", "/app/main.rs", "/app/a b.js", r"C:\app\x.cs", "lib.py", "/x y.ts", "/a/ü.c", "x:1"];
const LIBS: [&str; 3] = ["", "app", "libc.so.6"];

/// A frame: the function, and the line, 0 if unknown.
pub type Call = (usize, u32);

/// A stack, root first, with its weight.
pub type Sample = (Vec<Call>, f64);

/// Name, file and library of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// The name.
    pub name: &'static str,
    /// The file; empty if unknown.
    pub file: &'static str,
    /// The library; empty if unknown.
    pub lib: &'static str,
}

/// Stacks of a few functions. `is_plain`: with names and files that all formats can express, and
/// weights above zero.
pub fn samples(input: &mut Input<'_>, is_plain: bool) -> (Vec<Function>, Vec<Sample>) {
    let (names, files, libs) = if is_plain {
        (&NAMES[..4], &FILES[1..3], &LIBS[..1])
    } else {
        (&NAMES[..], &FILES[..], &LIBS[..])
    };
    let mut functions: Vec<_> = (0..2 + input.below(6))
        .map(|_| Function {
            name: input.one_of(names),
            file: input.one_of(files),
            lib: input.one_of(libs),
        })
        .collect();
    for function in functions.iter_mut().filter(|function| function.name.starts_with("0x")) {
        // An address that was not resolved.
        (function.file, function.lib) = ("", "app");
    }
    let mut samples = Vec::new();
    while !input.is_empty() && samples.len() < 40 {
        let depth = 1 + input.below(12);
        let stack = (0..depth).map(|_| (input.below(functions.len()), input.below(5) as u32));
        let stack = stack.collect();
        let weight = 1 + input.below(200);
        let is_negative = !is_plain && input.below(16) == 1;
        samples.push((stack, if is_negative { -(weight as f64) } else { weight as f64 }));
    }
    (functions, samples)
}

/// The recording of samples, in one thread.
pub fn recording(functions: &[Function], samples: &[Sample]) -> Profile {
    let metric = Metric::new("samples", "samples", None).with_lines(LineKnowledge::SelfAndTotal);
    let mut builder = ProfileBuilder::new(vec![metric], 0);
    let mut rows: Vec<(Option<StackId>, f64)> = Vec::new();
    for (stack, weight) in samples {
        let mut leaf = None;
        for &(function, line) in stack {
            let Function { name, file, lib } = functions[function];
            let source = (!file.is_empty()).then(|| builder.intern_source(file).unwrap());
            let lib = (!lib.is_empty()).then(|| {
                let lib = Lib { name: lib.to_owned(), ..Lib::default() };
                builder.intern_lib(lib).unwrap()
            });
            let name = builder.intern_string(name).unwrap();
            let func = Func { name, source, lib, line: 0, column: 0 };
            let func = builder.intern_func(func).unwrap();
            let line = if source.is_some() { line } else { 0 };
            let frame = builder.intern_frame(Frame::new(func, line)).unwrap();
            leaf = Some(builder.intern_stack(leaf, frame).unwrap());
        }
        rows.push((leaf, *weight));
    }
    let (stacks, weights): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let samples = Samples::new(stacks, vec![Weights::compact(weights)]);
    builder.push_thread(Thread::default(), samples).unwrap();
    builder.build()
}

/// Computes the costs of a profile, exports it to all formats and reads it again. The costs are
/// those of a direct computation.
pub fn exports(data: &[u8]) {
    let mut input = Input(data);
    let (functions, samples) = samples(&mut input, data.len().is_multiple_of(2));
    let profile = recording(&functions, &samples);
    let recording = Recording::from(profile.clone());
    let (view, groups) = (View::of(&recording), Groups::identity(recording.symbols()));
    let costs = analysis::costs(&recording, &view, &groups);
    check_sums("random stacks", &costs, &recording, view.metric);
    check_tree(&recording, &view, &groups);
    check_by_hand(&functions, &samples, &recording, &costs, &groups);
    let exported = analysis::apply(&profile, &View { metric: MetricId::new(0), ..view });
    let changed = changed_by_exports(&exported);
    assert!(changed.is_empty(), "{functions:?}\n{samples:?}\n{changed:#?}");
}

/// Self goes to the leaf. A function counts once per sample.
fn check_by_hand(
    functions: &[Function],
    samples: &[Sample],
    recording: &Recording,
    costs: &analysis::Costs,
    groups: &Groups,
) {
    let symbols = recording.symbols();
    for (id, cost) in costs.functions() {
        let func = symbols.funcs.get(groups.first_func(id));
        let is_it = |&(function, _): &Call| {
            let Function { name, file, lib } = functions[function];
            let recorded = func.source.map_or("", |source| symbols.source_name(source));
            let of_lib = func.lib.map_or("", |lib| &symbols.libs[lib.index()].name);
            (name, file, lib) == (symbols.func_name(groups.first_func(id)), recorded, of_lib)
        };
        let own = samples.iter().filter(|(stack, _)| stack.last().is_some_and(is_it));
        let own: f64 = own.map(|(_, weight)| weight).sum();
        let all = samples.iter().filter(|(stack, _)| stack.iter().any(is_it));
        let total: f64 = all.map(|(_, weight)| weight).sum();
        assert_eq!((cost.cost.self_, cost.cost.total.exact()), (own, Some(total)));
    }
    let named: BTreeSet<_> = samples
        .iter()
        .flat_map(|(stack, _)| stack)
        .map(|&(function, _)| functions[function])
        .collect();
    assert_eq!(costs.functions().count(), named.len());
}
