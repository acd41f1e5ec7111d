//! Firefox profiles as written: all keys and columns, and the same costs when they are read again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{bytes, read, stacks};
use formats::Format;
use formats::write::{Written, firefox};
use profile::{
    Label, LabelSetId, Profile, ProfileBuilder, Samples, StackAccess, StackId, Thread, Weights,
    text_samples,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The columns of each table that the front end's own empty profile has.
const TABLES: [(&str, &[&str]); 8] = [
    ("/shared/stackTable", &["frame", "prefixOffset"]),
    (
        "/shared/frameTable",
        &[
            "flags",
            "address",
            "category",
            "subcategory",
            "func",
            "lib",
            "nativeSymbol",
            "innerWindowID",
            "line",
            "column",
            "originalLocation",
        ],
    ),
    (
        "/shared/funcTable",
        &["flags", "name", "resource", "source", "lineNumber", "columnNumber", "originalLocation"],
    ),
    ("/shared/resourceTable", &["name", "host", "type"]),
    ("/shared/nativeSymbols", &["libIndex", "address", "name", "functionSize"]),
    ("/shared/sources", &["id", "filename", "startLine", "startColumn", "sourceMapURL", "content"]),
    ("/shared/sourceLocationTable", &["source", "line", "column"]),
    ("/threads/0/markers", &["data", "name", "startTime", "endTime", "phase", "category"]),
];

/// Keys that must be present, with any value.
const KEYS: [(&str, &[&str]); 4] = [
    (
        "/meta",
        &[
            "interval",
            "startTime",
            "processType",
            "extensions",
            "categories",
            "product",
            "stackwalk",
            "debug",
            "version",
            "preprocessedProfileVersion",
            "symbolicated",
            "markerSchema",
            "sampleUnits",
        ],
    ),
    ("", &["meta", "libs", "pages", "shared", "threads"]),
    ("/libs/0", &["name", "path", "debugName", "debugPath", "breakpadId", "codeId", "arch"]),
    (
        "/threads/0",
        &[
            "name",
            "processName",
            "processType",
            "pid",
            "tid",
            "isMainThread",
            "registerTime",
            "unregisterTime",
            "processStartupTime",
            "processShutdownTime",
            "pausedRanges",
            "samples",
            "markers",
        ],
    ),
];

fn json(written: &Written) -> Value {
    serde_json::from_slice(&written.bytes).unwrap()
}

fn read_back(written: &Written) -> Profile {
    let read = read(written.bytes.clone()).unwrap();
    assert_eq!((read.format, read.version.as_deref()), (Format::FirefoxProcessed, Some("75")));
    assert_eq!(read.warnings.as_slice(), []);
    stacks(&read).clone()
}

/// Self and total by a description of a frame, or in all.
type Sums = BTreeMap<String, (f64, f64)>;

/// The costs of a profile, summed sample by sample from its tables.
#[derive(Debug, Default)]
struct Costs {
    functions: Sums,
    lines: Sums,
    /// Functions at lines, inlined or not.
    frames: Sums,
    threads: Sums,
    idle: Sums,
}

impl Costs {
    /// Weights are multiplied by `scale`.
    fn of(profile: &Profile, scale: f64) -> Self {
        let mut costs = Self::default();
        let symbols = profile.symbols();
        for (thread, samples) in profile.sampled_threads() {
            let weights = &samples.weights()[profile.default_metric().index()];
            for i in 0..samples.len() {
                let weight = weights.get(i) * scale;
                let name = if thread.name.is_empty() { "(unnamed)" } else { &thread.name };
                let name = format!(
                    "{name} of {} {:?}",
                    thread.process_name,
                    thread.pid.as_deref().unwrap_or("0")
                );
                costs.threads.entry(name).or_default().0 += weight;
                let (mut next, mut is_leaf, mut seen) = (samples.stack(i), true, BTreeSet::new());
                if let Some(stack) = next.filter(|&stack| profile.stacks().is_idle(stack)) {
                    let func = profile.frames().get(profile.stacks().frame(stack)).func;
                    costs.idle.entry(symbols.func_name(func).to_owned()).or_default().0 += weight;
                }
                while let Some(stack) = next {
                    let frame = profile.frames().get(profile.stacks().frame(stack));
                    let func = symbols.funcs.get(frame.func);
                    let file = func.source.map_or("-", |source| symbols.source_name(source));
                    let lib = func.lib.map_or(("-", "-"), |lib| {
                        let lib = &symbols.libs[lib.index()];
                        (&lib.name, &lib.path)
                    });
                    let function = format!(
                        "{} {file} {} {} {}:{}",
                        symbols.func_name(frame.func),
                        lib.0,
                        lib.1,
                        func.line,
                        func.column
                    );
                    let line = (frame.line > 0).then(|| format!("{file}:{}", frame.line));
                    let whole = format!("{function} @{} {}", frame.line, frame.inlined);
                    let keys = [
                        (&mut costs.functions, Some(function)),
                        (&mut costs.lines, line),
                        (&mut costs.frames, Some(whole)),
                    ];
                    for (i, (sums, key)) in keys.into_iter().enumerate() {
                        let Some(key) = key else { continue };
                        let is_first = seen.insert((i, key.clone()));
                        let (self_, total) = sums.entry(key).or_default();
                        *self_ += if is_leaf { weight } else { 0.0 };
                        *total += if is_first { weight } else { 0.0 };
                    }
                    (next, is_leaf) = (profile.stacks().prefix(stack), false);
                }
            }
        }
        costs
    }

    fn assert_same(&self, other: &Self, name: &str) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1e-3);
        let pairs = [
            ("function", &self.functions, &other.functions),
            ("line", &self.lines, &other.lines),
            ("frame", &self.frames, &other.frames),
            ("thread", &self.threads, &other.threads),
            ("idle", &self.idle, &other.idle),
        ];
        for (what, mine, others) in pairs {
            assert!(mine.keys().eq(others.keys()), "{name}: other {what}s");
            for ((key, mine), others) in mine.iter().zip(others.values()) {
                assert!(
                    near(mine.0, others.0) && near(mine.1, others.1),
                    "{name}: {what} {key}: {mine:?}, read {others:?}"
                );
            }
        }
    }
}

const UNKNOWN_LENGTH: &str =
    "that the length of samples is unknown (the Firefox Profiler shows milliseconds)";

/// Real profiles: the fixture, the kind of weights, the factor of weights, what is lost.
const FIXTURES: [(&str, &str, f64, &[&str]); 11] = [
    ("firefox/rust-wordstat-v49/profile.json.gz", "samples", 1.0, &["the other metrics"]),
    ("firefox/rust-wordstat-v70/profile.json.gz", "samples", 1.0, &["the other metrics"]),
    ("firefox/web-sudoku/profile.json.gz", "samples", 1.0, &[]),
    (
        "v8/node-mdrender/main.cpuprofile",
        "tracing-ms",
        1e-3,
        &["the other metrics", "that line totals are unknown"],
    ),
    (
        "v8/ts-matrix/ts.cpuprofile",
        "tracing-ms",
        1e-3,
        &["the other metrics", "that line totals are unknown"],
    ),
    (
        "v8/web-particles/page.cpuprofile",
        "tracing-ms",
        1e-3,
        &["the other metrics", "that line totals are unknown"],
    ),
    ("folded/py-gridworld-austin/austin.txt", "tracing-ms", 1e-3, &[]),
    ("folded/py-gridworld-pyspy/pyspy.raw.txt", "samples", 1.0, &[UNKNOWN_LENGTH]),
    ("folded/cpp-raytrace-perf/fp.folded", "samples", 1.0, &[UNKNOWN_LENGTH]),
    ("folded/ruby-ledger-rbspy/rbspy.collapsed", "samples", 1.0, &[UNKNOWN_LENGTH]),
    ("folded/rust-huffman-pprof/cpu.folded", "samples", 1.0, &[UNKNOWN_LENGTH]),
];

#[test]
fn unresolved_funcs_can_be_looked_up_again() {
    let mut builder = ProfileBuilder::new(text_samples::profile("main").metrics().to_vec(), 0);
    let text = |text: &str| text.to_owned();
    let app = profile::Lib {
        name: text("app"),
        path: text("/bin/app"),
        debug_name: text("app.pdb"),
        debug_path: text("/build/app.pdb"),
        debug_id: text("0A1B2C0"),
        code_id: text("5f0e"),
        arch: text("x86_64"),
        addresses: profile::AddressBase::Image,
        text_size: 0,
    };
    let addresses = profile::AddressBase::Image;
    let libc = profile::Lib {
        name: text("libc"),
        path: text("/lib/libc"),
        addresses,
        ..profile::Lib::default()
    };
    let by_file =
        profile::Lib { addresses: profile::AddressBase::File, code_id: text("77"), ..libc.clone() };
    let mut stack = None;
    for (name, lib) in [("0x1174", &app), ("0x20", &libc), ("0x30", &by_file), ("main", &app)] {
        let (name, lib) =
            (builder.intern_string(name).unwrap(), Some(builder.intern_lib(lib.clone()).unwrap()));
        let func = builder
            .intern_func(profile::Func { name, source: None, lib, line: 0, column: 0 })
            .unwrap();
        let frame = builder.intern_frame(profile::Frame::new(func, 0)).unwrap();
        stack = Some(builder.intern_stack(stack, frame).unwrap());
    }
    builder.push_thread(Thread::default(), Samples::new([stack], vec![Weights::Ones])).unwrap();

    let written = firefox::write(&builder.build());
    let value: Value = serde_json::from_slice(&written.bytes).unwrap();
    assert_eq!(value["libs"][0]["breakpadId"], json!("0A1B2C0"));
    let read = read(written.bytes).unwrap();
    let symbols = stacks(&read).symbols();
    let defaults = |lib: &profile::Lib| profile::Lib {
        debug_name: lib.name.clone(),
        debug_path: lib.path.clone(),
        addresses: profile::AddressBase::Image,
        ..lib.clone()
    };
    assert_eq!(symbols.libs, [app, defaults(&libc), defaults(&by_file)]);
    let unresolved: Vec<_> = symbols
        .funcs
        .ids()
        .map(|id| symbols.unresolved(id).map(|(lib, at)| (lib.index(), at)))
        .collect();
    assert_eq!(unresolved, [Some((0, 0x1174)), Some((1, 0x20)), None, None]);
}

#[test]
fn real_profiles_cost_the_same_when_read_again() {
    for (path, weight_type, scale, lost) in FIXTURES {
        let original = read(bytes(path)).unwrap();
        let written = firefox::write(stacks(&original));
        assert_eq!(written.lost, lost, "{path}");
        assert_eq!(written, firefox::write(stacks(&original)), "{path}: written twice");
        let again = read_back(&written);
        assert_eq!(again.metrics()[0].unit, weight_type, "{path}");
        Costs::of(stacks(&original), scale).assert_same(&Costs::of(&again, 1.0), path);
    }
}

const CALLS: &str = "
    main@10[file:app.rs]    main@10   main@12               main@12  main@12  main@13
    parse@22[file:app.rs]   parse@23  eval@31[file:app.rs]  eval@31  eval@32
    hash@5[file:lib.rs]               eval@33               eval@31  parse@22
                                      hash@5                eval@34  hash@6
";

/// Calls, some of them inlined; the last sample has a frame without a line.
fn inlined(start_of_run: &str) -> Profile {
    let text = "
        run@4[file:run.rs][lib:app]_________  run@4         run@6    run
        fold@90[file:iter.rs][lib:app][inl]   fold@92[inl]  step@12
        step@12[file:run.rs][lib:app][inl]
    ";
    text_samples::profile(&text.replace("_________", &format!("{start_of_run:9}")))
}

/// `name self/total` of each, in order.
fn sums_by_name(sums: &Sums, name: impl Fn(&str) -> String) -> String {
    sums.iter()
        .map(|(key, (own, total))| format!("{} {own}/{total}", name(key)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn first_word(key: &str) -> String {
    key.split(' ').next().unwrap().to_owned()
}

#[test]
fn functions_and_lines_of_samples_checked_by_hand() {
    let costs = Costs::of(&read_back(&firefox::write(&text_samples::profile(CALLS))), 1.0);
    assert_eq!(
        sums_by_name(&costs.functions, first_word),
        "eval 1/3, hash 3/3, main 1/6, parse 1/3"
    );
    assert_eq!(
        sums_by_name(&costs.lines, str::to_owned),
        "app.rs:10 0/2, app.rs:12 0/3, app.rs:13 1/1, app.rs:22 0/2, app.rs:23 1/1, app.rs:31 0/2, app.rs:32 0/1, \
         app.rs:33 0/1, app.rs:34 1/1, lib.rs:5 2/2, lib.rs:6 1/1"
    );
}

#[test]
fn inlined_frames_libraries_and_unknown_lines_are_kept() {
    for (start, profile) in [("0", inlined("")), ("3", inlined("[start:3]"))] {
        let costs = Costs::of(&read_back(&firefox::write(&profile)), 1.0);
        let whole = "fold iter.rs app  0:0 1/2, run run.rs app  S:0 1/4, step run.rs app  0:0 2/2";
        assert_eq!(sums_by_name(&costs.functions, str::to_owned), whole.replace('S', start));
        // The last sample has no line, wherever its function starts.
        assert_eq!(
            sums_by_name(&costs.lines, str::to_owned),
            "iter.rs:90 0/1, iter.rs:92 1/1, run.rs:12 2/2, run.rs:4 0/2, run.rs:6 0/1"
        );
        let position =
            |key: &str| key.split('@').nth(1).unwrap().replace(" true", "~").replace(" false", "");
        assert_eq!(
            sums_by_name(&costs.frames, position),
            "90~ 0/1, 92~ 1/1, 0 1/1, 4 0/2, 6 0/1, 12 1/1, 12~ 1/1"
        );
    }
}

#[test]
fn every_table_has_all_of_its_columns() {
    let json = json(&firefox::write(&inlined("")));
    for (pointer, columns) in TABLES {
        let table = json.pointer(pointer).unwrap().as_object().unwrap();
        let mut expected: BTreeSet<_> = columns.iter().copied().collect();
        expected.insert("length");
        assert_eq!(
            table.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            expected,
            "{pointer}"
        );
        for column in columns {
            assert_eq!(
                json!(table[*column].as_array().unwrap().len()),
                table["length"],
                "{pointer}/{column}"
            );
        }
    }
    for (pointer, keys) in KEYS {
        let object = json.pointer(pointer).unwrap();
        assert!(
            keys.iter().all(|key| object.get(key).is_some()),
            "{pointer} lacks one of {keys:?}"
        );
    }
    assert_eq!(
        json["meta"]["categories"][0],
        json!({ "name": "Other", "color": "grey", "subcategories": ["Other"] })
    );
    assert_eq!(json["meta"]["preprocessedProfileVersion"], 75);
    assert_eq!(
        json["threads"][0]["samples"],
        json!({ "length": 4, "stack": [2, 3, 5, 6], "timeDeltas": [0, 1, 1, 1], "weight": null, "weightType": "samples" })
    );
}

#[test]
fn a_frame_that_is_idle_on_some_stacks_is_written_twice() {
    let text = "
        loop@3[file:a.c]        stop@8[file:a.c]
        wait@9[file:a.c][idle]  wait@9
    ";
    let profile = text_samples::profile(text);
    let written = firefox::write(&profile);
    let tables = &json(&written)["shared"];
    let frames = &tables["frameTable"];
    assert_eq!(
        (&frames["category"], &frames["func"]),
        (&json!([0, 0, 0, 1]), &json!([0, 1, 2, 1]))
    );
    assert_eq!(tables["stackTable"]["frame"], json!([0, 3, 2, 1]));
    Costs::of(&profile, 1.0).assert_same(&Costs::of(&read_back(&written), 1.0), "idle");
}

/// One thread, one frame, a sample per weight and one without a stack.
fn weighing(unit: &str, interval: Option<f64>, weights: &[f64]) -> Profile {
    let mut builder = ProfileBuilder::new(vec![profile::Metric::new(unit, unit, interval)], 0);
    let func = profile::Func {
        name: builder.intern_string("f").unwrap(),
        source: None,
        lib: None,
        line: 0,
        column: 0,
    };
    let func = builder.intern_func(func).unwrap();
    let frame = builder.intern_frame(profile::Frame::new(func, 0)).unwrap();
    let stack = builder.intern_stack(None, frame).unwrap();
    let stacks = weights.iter().map(|_| Some(stack)).chain([None::<StackId>]);
    let weights = weights.iter().copied().chain([1.0]).collect();
    let samples = Samples::new(stacks, vec![Weights::Each(weights)]);
    let tid = Some("0x7f".to_owned());
    builder
        .push_thread(Thread { pid: Some("12.1".to_owned()), tid, ..Thread::default() }, samples)
        .unwrap();
    builder.build()
}

#[test]
fn weights_are_kept_and_times_follow_from_them() {
    let cases = [
        (
            "samples",
            Some(0.002),
            "samples",
            json!([3, 0.5, -2, 1]),
            json!([0, 6, 1, 0]),
            json!(2),
            "ms",
        ),
        ("samples", None, "samples", json!([3, 0.5, -2, 1]), json!([0, 3, 0.5, 0]), json!(1), "ms"),
        ("hits", None, "samples", json!([3, 0.5, -2, 1]), json!([0, 3, 0.5, 0]), json!(1), "ms"),
        ("ms", None, "tracing-ms", json!([3, 0.5, -2, 1]), json!([0, 3, 0.5, 0]), json!(1), "ms"),
        (
            "us",
            None,
            "tracing-ms",
            json!([0.003, 0.0005, -0.002, 0.001]),
            json!([0, 0.003, 0.0005, 0]),
            json!(1),
            "ms",
        ),
        (
            "s",
            None,
            "tracing-ms",
            json!([3000, 500, -2000, 1000]),
            json!([0, 3000, 500, 0]),
            json!(1),
            "ms",
        ),
        ("bytes", None, "bytes", json!([3, 0.5, -2, 1]), json!([0, 3, 0.5, 0]), json!(1), "bytes"),
        ("Ir", None, "samples", json!([3, 0.5, -2, 1]), json!([0, 3, 0.5, 0]), json!(1), "ms"),
    ];
    for (unit, interval, weight_type, weights, deltas, milliseconds, time) in cases {
        let written = firefox::write(&weighing(unit, interval, &[3.0, 0.5, -2.0]));
        let json = json(&written);
        let samples = &json["threads"][0]["samples"];
        assert_eq!((&samples["weight"], &samples["timeDeltas"]), (&weights, &deltas), "{unit}");
        assert_eq!(
            (&samples["weightType"], &json["meta"]["interval"]),
            (&json!(weight_type), &milliseconds),
            "{unit}"
        );
        assert_eq!(
            (&json["meta"]["sampleUnits"]["time"], &samples["stack"]),
            (&json!(time), &json!([0, 0, 0, null])),
            "{unit}"
        );
        let is_unknown = weight_type == "samples" && interval.is_none();
        let lost = [("the unit of the weights", unit == "Ir"), (UNKNOWN_LENGTH, is_unknown)];
        let lost = lost.into_iter().filter_map(|(what, is_lost)| is_lost.then_some(what));
        assert_eq!(written.lost, lost.collect::<Vec<_>>(), "{unit}");
        let mark = json["meta"].get("costlineIntervalIsUnknown");
        assert_eq!(mark, is_unknown.then_some(&json!(true)), "{unit}");
        let thread = &json["threads"][0];
        assert_eq!(
            (&thread["name"], &thread["pid"], &thread["tid"]),
            (&json!("(unnamed)"), &json!("12.1"), &json!("0x7f"))
        );
    }
}

/// Three samples without times, which take up to 6 ms if the interval is known.
#[test]
fn counts_are_not_read_as_times() {
    let again = |unit, interval| {
        let written = firefox::write(&weighing(unit, interval, &[3.0, 0.0, 2.0]));
        let read = read(written.bytes).unwrap();
        let profile = stacks(&read);
        let metric = &profile.metrics()[0];
        let has_times = profile.clock().is_some();
        (metric.unit.clone(), metric.seconds_per_unit, read.span_seconds, has_times)
    };
    let samples = || "samples".to_owned();
    assert_eq!(again("samples", Some(0.001)), (samples(), Some(0.001), Some(0.005), true));
    assert_eq!(again("samples", None), (samples(), None, None, false));
    assert_eq!(again("hits", None), (samples(), None, None, false));
    assert_eq!(again("ms", None), ("tracing-ms".to_owned(), Some(0.001), Some(0.005), true));
}

/// Times that were recorded stay, although the length of samples is unknown.
#[test]
fn recorded_times_of_counts_are_kept() {
    let mut builder =
        ProfileBuilder::new(vec![profile::Metric::new("samples", "samples", None)], 0);
    let samples = Samples::new([None, None], vec![Weights::Ones]).with_times(vec![5.0, 25.0]);
    builder.push_thread(Thread::default(), samples).unwrap();
    let written = firefox::write(&builder.build());
    assert_eq!(written.lost, [UNKNOWN_LENGTH]);
    let read = read(written.bytes).unwrap();
    assert_eq!(read.recording.metrics()[0].seconds_per_unit, None);
    assert_eq!((read.span_seconds, stacks(&read).clock().is_some()), (Some(0.02), true));
}

/// Two samples of a request, one without labels, one of an allocation for it, and one of a label with the
/// same key.
#[test]
fn labels_are_markers_and_are_read_again() {
    let request = || Label::text("endpoint", "/search");
    let [bytes, text] = [Label::number("size", 64, "bytes"), Label::text("size", "64")];
    let sets = [vec![request()], vec![request()], vec![], vec![request(), bytes], vec![text]];
    let [search, both, size] = ["endpoint=/search", "endpoint=/search, size=64 bytes", "size=64"];
    // One millisecond after the other, or in the order of these times.
    let untimed = [(search, 0, 2), (both, 3, 4), (size, 4, 5)];
    let timed = [(search, 0, 4), (both, 5, 6), (size, 6, 10), (search, 10, 11)];
    for (times, order, markers) in [
        (None, [0, 1, 2, 3, 4], &untimed[..]),
        (Some(vec![5.0, 15.0, 9.0, 10.0, 11.0]), [0, 2, 3, 4, 1], &timed[..]),
    ] {
        let metric = profile::Metric::new("samples", "samples", Some(0.001));
        let mut builder = ProfileBuilder::new(vec![metric], 0);
        let labels = sets.iter().map(|set| builder.intern_labels(set.clone()).unwrap()).collect();
        let samples = Samples::new([None; 5], vec![Weights::Ones]).with_labels(labels);
        let samples = times.into_iter().fold(samples, Samples::with_times);
        builder.push_thread(Thread::default(), samples).unwrap();
        builder.push_thread(Thread::default(), Samples::new([None], vec![Weights::Ones])).unwrap();
        let written = firefox::write(&builder.build());
        let json = json(&written);
        let table = &json["threads"][0]["markers"];
        let name = |id: &Value| &json["shared"]["stringArray"][id.as_u64().unwrap() as usize];
        let names: Vec<_> = table["name"].as_array().unwrap().iter().map(name).collect();
        assert_eq!(json!(names), json!(markers.iter().map(|row| row.0).collect::<Vec<_>>()));
        assert_eq!(table["startTime"], json!(markers.iter().map(|row| row.1).collect::<Vec<_>>()));
        assert_eq!(table["endTime"], json!(markers.iter().map(|row| row.2).collect::<Vec<_>>()));
        assert_eq!(table["phase"], json!(vec![1; markers.len()]));
        assert_eq!(json["threads"][1]["markers"]["length"], 0);

        let profile = read_back(&written);
        let (samples, labels) = (&profile.samples()[0], profile.labels());
        let of_sample = |i: usize| labels.of_set(samples.label_set(i)).cloned().collect::<Vec<_>>();
        let found: Vec<_> = (0..5).map(of_sample).collect();
        assert_eq!(found, order.map(|row| sets[row].clone()));
        assert_eq!(profile.samples()[1].label_set(0), LabelSetId::NONE);
    }
}

#[test]
fn an_empty_profile_is_written_and_read() {
    let empty = ProfileBuilder::new(Vec::new(), 0).build();
    assert!(read_back(&firefox::write(&empty)).threads().is_empty());
}
