//! A recording that is written and read again is the same, except for what the writer reports as
//! lost.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{bytes, read, stacks};
use profile::{Profile, StackAccess};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 12] = [
    "firefox/rust-wordstat-v49/profile.json.gz",
    "firefox/rust-wordstat-v70/profile.json.gz",
    "firefox/web-sudoku/profile.json.gz",
    "folded/cpp-raytrace-perf/fp.folded",
    "folded/py-gridworld-austin/austin.txt",
    "folded/ruby-ledger-rbspy/rbspy.collapsed",
    "speedscope/py-gridworld-pyinstrument/pyinstrument.speedscope.json.gz",
    "speedscope/py-gridworld-pyspy/pyspy.speedscope.json",
    "speedscope/ruby-ledger-rbspy/rbspy.speedscope.json",
    "speedscope/rust-huffman-spans/trace.speedscope.json",
    "v8/node-mdrender/main.cpuprofile",
    "v8/ts-matrix/ts.cpuprofile",
];

/// Name, file, line, column.
type Place = (String, String, u32, u32);

/// Each sample: its thread, its stack, leaf first, and its weight. `names` are the names of the
/// functions.
fn samples(profile: &Profile, names: &[String]) -> Vec<(usize, Vec<Place>, f64)> {
    let metric = profile.default_metric().index();
    let place = |stack| {
        let frame = profile.frames().get(profile.stacks().frame(stack));
        let source = profile.symbols().funcs.get(frame.func).source;
        let file = source.map_or("", |source| profile.symbols().source_name(source));
        (names[frame.func.index()].clone(), file.to_owned(), frame.line, frame.column)
    };
    let threads = profile.samples().iter().enumerate();
    threads
        .flat_map(|(i, samples)| {
            (0..samples.len()).map(move |row| {
                let up = std::iter::successors(samples.stack(row), |&stack| {
                    profile.stacks().prefix(stack)
                });
                (i, up.map(place).collect(), samples.weights()[metric].get(row))
            })
        })
        .collect()
}

/// The names of the functions.
fn names(profile: &Profile) -> Vec<String> {
    profile.symbols().funcs.ids().map(|func| profile.symbols().func_name(func).to_owned()).collect()
}

/// The names with the library appended if name and file are ambiguous.
fn names_in_libs(profile: &Profile) -> Vec<String> {
    let symbols = profile.symbols();
    let funcs = || symbols.funcs.ids().map(|id| symbols.funcs.get(id));
    let mut libs: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for func in funcs() {
        libs.entry((func.name, func.source)).or_default().insert(func.lib);
    }
    let name = |func: profile::Func| match func
        .lib
        .filter(|_| libs[&(func.name, func.source)].len() > 1)
    {
        Some(lib) => {
            format!("{} [{}]", symbols.strings.get(func.name), symbols.libs[lib.index()].name)
        }
        None => symbols.strings.get(func.name).to_owned(),
    };
    funcs().map(name).collect()
}

#[test]
fn speedscope() {
    for path in FILES {
        let original = read(bytes(path)).unwrap();
        let profile = stacks(&original);
        let written = formats::write::speedscope::write(profile);
        assert_eq!(formats::detect(&written.bytes[..256]), Some(formats::Format::Speedscope));
        let again = read(written.bytes).unwrap();
        let producer = again.writer.producer.clone().unwrap();
        let expected = ("costline", Some(env!("CARGO_PKG_VERSION")));
        assert_eq!((producer.name(), producer.version()), expected);
        assert_eq!(again.warnings.as_slice(), [], "{path}");
        let (before, after) = (
            samples(profile, &names_in_libs(profile)),
            samples(stacks(&again), &names(stacks(&again))),
        );
        assert_eq!(before.len(), after.len(), "{path}");
        for (row, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!((before.0, &before.1), (after.0, &after.1), "{path}, sample {row}");
            // Decimals may be read as the next representable number.
            assert!(
                (before.2 - after.2).abs() <= before.2.abs() * f64::EPSILON,
                "{path}, sample {row}"
            );
        }
        let threads = |read: &formats::Read| -> Vec<String> {
            let name = |thread: &profile::Thread| {
                if thread.name.is_empty() {
                    thread.process_name.clone()
                } else {
                    thread.name.clone()
                }
            };
            stacks(read).threads().iter().map(name).collect()
        };
        assert_eq!(threads(&original), threads(&again), "{path}");
        let seconds = |read: &formats::Read| {
            read.recording.metrics()[read.recording.default_metric().index()].seconds_per_unit
        };
        let is_lost = |what| written.lost.contains(&what);
        assert!(
            seconds(&original) == seconds(&again) || is_lost("the sampling interval"),
            "{path}"
        );
    }
}

#[test]
fn names_like_comments_survive_in_folded_stacks() {
    let text = "#getJob;a#b 1\n\\# heading;f 2\n\\#;f 3\nmain;# c;#d 4\n\\\\#x 5\n";
    let original = read(text.as_bytes().to_vec()).unwrap();
    let expected = ["#", "# c", "# heading", "#d", "#getJob", "\\#x", "a#b", "f", "main"];
    let sorted = |read: &formats::Read| names(stacks(read)).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&original), expected.map(str::to_owned).into());
    let folded =
        formats::write::folded::write(stacks(&original), formats::write::folded::Frames::WithLines);
    let again = read(folded.bytes).unwrap();
    assert_eq!(again.warnings.as_slice(), []);
    let sum = |read: &formats::Read| {
        samples(stacks(read), &names(stacks(read))).iter().map(|(.., weight)| weight).sum::<f64>()
    };
    assert_eq!((sorted(&again), sum(&again)), (sorted(&original), 15.0));
}
