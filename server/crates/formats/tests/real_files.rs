//! Profiles by real profilers against costs that other programs computed from them (`fixtures/profiles/*/*/expected.json`).
//!
//! Self costs need no analysis: they are sums over leaves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{Selves, bytes, read, stacks, unzipped};
use formats::Format;
use profile::LineKnowledge;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Reads a case, compares all self costs of its first metric and hands on what was read.
fn check(case: &str, file: &str, root: &str) -> (formats::Read, Value) {
    let path = format!("{case}/{file}");
    let content = if path.rsplit('.').next() == Some("gz") { unzipped(&path) } else { bytes(&path) };
    let read = read(content.clone()).unwrap();
    assert_eq!(formats::detect(&content[..content.len().min(64 << 10)]), Some(read.format), "the front is enough");
    let expected: Value = serde_json::from_slice(&bytes(&format!("{case}/expected.json"))).unwrap();
    let actual = Selves::of(stacks(&read), 0, root);

    assert_eq!(Some(actual.total), expected["total"].as_f64());
    assert_eq!(actual.functions, functions(&expected));
    let lines: BTreeMap<(String, u32), f64> = rows(&expected["lines"])
        .map(|row| ((text(&row["file"]), u32::try_from(row["line"].as_u64().unwrap()).unwrap()), row["self"].as_f64().unwrap()))
        .filter(|(_, cost)| *cost != 0.0)
        .collect();
    // Lines are expected of the files of the case only.
    let files: BTreeSet<&str> = rows(&expected["lines"]).filter_map(|row| row["file"].as_str()).collect();
    let of_case = |file: &str| files.contains(file);
    let actual_lines: BTreeMap<_, _> = actual.lines.into_iter().filter(|((file, _), _)| of_case(file)).collect();
    assert_eq!(actual_lines, lines);
    for other in expected["other_files"].as_array().into_iter().flatten() {
        assert!(!of_case(&text(&other["file"])));
    }
    (read, expected)
}

fn functions(expected: &Value) -> BTreeMap<(String, String), f64> {
    let mut functions = BTreeMap::new();
    for row in rows(&expected["functions"]) {
        *functions.entry((text(&row["name"]), text(&row["file"]))).or_default() += row["self"].as_f64().unwrap();
    }
    functions.retain(|_, cost| *cost != 0.0);
    functions
}

fn rows(table: &Value) -> impl Iterator<Item = &Value> {
    table.as_array().unwrap().iter()
}

/// Empty for null.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn v8_profiles_count_hits_and_time() {
    for (case, file) in
        [("node-mdrender", "main.cpuprofile"), ("web-particles", "page.cpuprofile"), ("ts-matrix", "ts.cpuprofile")]
    {
        let root = format!("/srv/demo/{case}/");
        let (read, expected) = check(&format!("v8/{case}"), file, &root);
        assert_eq!((read.format, read.warnings.as_slice()), (Format::CpuProfile, [].as_slice()), "{case}");

        let time = Selves::of(stacks(&read), 1, &root);
        let expected = &expected["time_us_next"];
        assert_eq!(Some(time.total), expected["total"].as_f64());
        assert_eq!(time.functions, functions(expected));
        assert_eq!(time.lines, BTreeMap::new());
        assert_eq!(read.span_seconds, Some(time.total / 1e6));

        // Function starts: the expected files have those of V8, 1-based.
        let symbols = stacks(&read).symbols();
        let starts: BTreeSet<(String, String, u32)> = (symbols.funcs.ids().map(|id| symbols.funcs.get(id)))
            .map(|func| {
                let file = func.source.map_or("", |source| symbols.source_name(source));
                (symbols.strings.get(func.name).to_owned(), file.strip_prefix(&root).unwrap_or(file).to_owned(), func.line)
            })
            .collect();
        for row in rows(&expected["functions"]) {
            let line = u32::try_from(row["line"].as_u64().unwrap_or(0)).unwrap();
            let start = (text(&row["name"]), text(&row["file"]), line);
            assert!(starts.contains(&start), "{start:?}");
        }
    }
}

#[test]
fn idle_is_marked() {
    let read = read(bytes("v8/web-particles/page.cpuprofile")).unwrap();
    let profile = stacks(&read);
    let samples = &profile.threads()[0].samples;
    let idle: f64 = (0..samples.len())
        .filter(|&i| samples.stack(i).is_some_and(|stack| profile.stacks().is_idle(stack)))
        .map(|i| samples.weights()[0].get(i))
        .sum();
    assert_eq!(idle, 1114.0, "the hitCount of (idle)");
}

#[test]
fn folded_stacks_of_every_profiler() {
    use LineKnowledge::{Nothing, SelfAndTotal};
    for (case, file, root, version, unit, lines) in [
        ("py-gridworld-pyspy", "pyspy.raw.txt", "/srv/demo/py-gridworld/", Some("py-spy"), "samples", SelfAndTotal),
        ("py-gridworld-austin", "austin.txt", "/srv/demo/py-gridworld/", Some("austin"), "us", SelfAndTotal),
        ("ruby-ledger-rbspy", "rbspy.collapsed", "/srv/demo/ruby-ledger/", Some("rbspy"), "samples", SelfAndTotal),
        ("cpp-raytrace-perf", "fp.folded", "", None, "samples", Nothing),
        ("rust-huffman-pprof", "cpu.folded", "", None, "samples", Nothing),
    ] {
        let (read, expected) = check(&format!("folded/{case}"), file, root);
        assert_eq!((read.format, read.version.as_deref()), (Format::Folded, version), "{case}");
        assert_eq!(read.warnings.as_slice(), []);
        let metric = &read.recording.metrics()[0];
        assert_eq!((metric.unit.as_str(), metric.lines), (unit, lines));

        let rows: usize = stacks(&read).threads().iter().map(|thread| thread.samples.len()).sum();
        assert_eq!(Some(rows as u64), expected["samples"].as_u64());
        if let Some(threads) = expected["threads"].as_array() {
            let expected: BTreeMap<String, f64> =
                threads.iter().map(|t| (text(&t["name"]), t["total"].as_f64().unwrap())).collect();
            assert_eq!(Selves::of(stacks(&read), 0, root).threads, expected);
        }
    }
}

#[test]
fn raw_profiles_have_cpu_time_and_allocations() {
    let (read, expected) = check("gecko/web-nearwords", "gecko.json.gz", "/srv/demo/web-nearwords/");
    assert_eq!((read.format, read.version.as_deref(), read.warnings.as_slice()), (Format::Gecko, Some("34"), [].as_slice()));
    let metrics: Vec<_> = read.recording.metrics().iter().map(|metric| (metric.name.as_str(), metric.unit.as_str())).collect();
    assert_eq!(metrics, [("samples", "samples"), ("cpu", "ns"), ("js-allocations", "bytes")]);
    for (metric, key) in [(1, "cpu_ns"), (2, "js_allocations")] {
        let actual = Selves::of(stacks(&read), metric, "/srv/demo/web-nearwords/");
        assert_eq!(Some(actual.total), expected[key]["total"].as_f64(), "{key}");
        let threads = actual.threads.values().sum::<f64>();
        assert_eq!(threads, rows(&expected[key]["threads"]).map(|row| row["total"].as_f64().unwrap()).sum::<f64>(), "{key}");
        let mut functions = actual.functions;
        functions.retain(|(_, file), _| file.starts_with("www/"));
        assert_eq!(functions, self::functions(&expected[key]), "{key}");
    }
}

#[test]
fn processed_profiles_have_cpu_time_in_either_container() {
    for (case, file) in [("rust-wordstat-v70", "profile.json.gz"), ("rust-wordstat-jslb", "profile.jslb.gz")] {
        let (read, _) = check(&format!("firefox/{case}"), file, "/srv/demo/rust-wordstat/");
        let cpu = Selves::of(stacks(&read), 1, "");
        // Sums of `threadCPUDelta` without the first of each thread, computed apart from this project.
        let expected = [("counter-0", 1_203_050.0), ("counter-1", 1_979_869.0), ("samply", 0.0), ("wordstat", 281_986.0)];
        let threads: Vec<_> = cpu.threads.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
        assert_eq!(threads, expected.into_iter().filter(|(_, weight)| *weight != 0.0).collect::<Vec<_>>(), "{case}");
        let hottest = cpu.functions.iter().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        assert_eq!((hottest.0.0.as_str(), *hottest.1), ("_memcmp_avx2_movbe", 335_601.0), "{case}");
    }
}

#[test]
fn compression_is_looked_through() {
    use std::io::Write;
    let plain = bytes("v8/node-mdrender/main.cpuprofile");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&plain).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstd = ruzstd::encoding::compress_to_vec(&*plain, ruzstd::encoding::CompressionLevel::Fastest);
    let expected = Selves::of(stacks(&read(plain).unwrap()), 0, "");
    for packed in [gzip, zstd] {
        let front = formats::inflate::prefix(&packed, 4096);
        assert_eq!(formats::detect(&front), Some(Format::CpuProfile));
        assert_eq!(Selves::of(stacks(&read(packed).unwrap()), 0, ""), expected);
    }
}
