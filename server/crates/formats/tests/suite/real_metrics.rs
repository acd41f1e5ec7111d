//! All metrics of real profiles whose files have several, and of flame graphs, compared with costs that other
//! programs computed (`fixtures/profiles/*/*/*.json`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{Selves, bytes, read, stacks};
use crate::real_files::{check, functions, in_pages, rows, text};
use formats::Format;
use profile::LineKnowledge;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn otlp_has_the_costs_of_pprof() {
    let cases = [
        ("go-indexer-cpu/cpu.otlp", "go-indexer-cpu/expected", "cpu"),
        ("go-indexer-cpu/cpu.otlp", "go-indexer-cpu/samples", "samples"),
        ("go-indexer-heap/heap.otlp.json", "go-indexer-heap/expected", "inuse_space"),
    ];
    for (file, expected, metric) in cases {
        let read = read(bytes(&format!("otlp/{file}"))).unwrap();
        let metrics = read.recording.metrics();
        let metric = metrics.iter().position(|known| known.name == metric).unwrap();
        let actual = Selves::of(stacks(&read), metric, "/srv/demo/go-indexer/");
        let expected = bytes(&format!("otlp/{expected}.json"));
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        assert_eq!(read.format, Format::Otlp);
        assert_eq!(Some(actual.total), expected["total"].as_f64(), "{file}");
        assert_eq!(actual.functions, functions(&expected), "{file}");
    }
}

#[test]
fn memray_counts_what_is_alive_at_the_peak_and_at_the_end() {
    for (case, file) in
        [("py-inventory", "memray.bin"), ("py-inventory-aggregated", "memray-agg.bin")]
    {
        let read = read(bytes(&format!("memray/{case}/{file}"))).unwrap();
        assert_eq!(
            (read.format, read.warnings.as_slice(), read.truncated),
            (Format::Memray, [].as_slice(), Some(false))
        );
        for (metric, name) in [(0, "expected"), (1, "count"), (2, "leaks")] {
            let expected: Value =
                serde_json::from_slice(&bytes(&format!("memray/{case}/{name}.json"))).unwrap();
            let actual = Selves::of(stacks(&read), metric, "/srv/demo/py-inventory/");
            assert_eq!(Some(actual.total), expected["total"].as_f64(), "{case} {name}");
            assert_eq!(actual.functions, functions(&expected), "{case} {name}");
        }
    }
}

#[test]
fn ghc_counts_time_and_memory_of_cost_centres() {
    for (case, file, unit) in [
        ("hs-wordfreq", "json.prof", "samples"),
        ("hs-wordfreq-detailed", "detailed.prof", "samples"),
        ("hs-wordfreq-percent", "wordfreq.prof", "percent"),
    ] {
        let case = format!("ghc/{case}");
        let read = read(bytes(&format!("{case}/{file}"))).unwrap();
        let metrics = read.recording.metrics();
        assert_eq!((read.format, &*metrics[0].unit), (Format::Ghc, unit));
        assert!(metrics.iter().all(|metric| metric.lines == LineKnowledge::Nothing));
        for (metric, name) in [(0, "expected"), (1, "alloc")] {
            let expected: Value =
                serde_json::from_slice(&bytes(&format!("{case}/{name}.json"))).unwrap();
            let actual = Selves::of(stacks(&read), metric, "");
            let total = expected["total"].as_f64().unwrap();
            assert!((actual.total - total).abs() < 1e-9, "{case} {name}");
            assert_eq!(actual.functions, functions(&expected), "{case} {name}");
        }
    }
}

#[test]
fn heaptrack_counts_five_costs() {
    let (case, root) = ("heaptrack/cpp-textpool", "/srv/demo/cpp-textpool/");
    let (read, _) = check(case, "heaptrack.textpool.zst", root);
    let names: Vec<_> = read.recording.metrics().iter().map(|it| &*it.name).collect();
    assert_eq!(
        (read.format, &names[..], read.warnings.as_slice(), read.truncated),
        (
            Format::Heaptrack,
            &[
                "peak memory",
                "allocations",
                "temporary allocations",
                "leaked memory",
                "allocated memory"
            ][..],
            [].as_slice(),
            Some(false)
        )
    );
    for (metric, file) in [(1, "calls"), (2, "temporary"), (3, "leaked"), (4, "total")] {
        let expected = bytes(&format!("{case}/{file}.json"));
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let actual = Selves::of(stacks(&read), metric, root);
        assert_eq!(Some(actual.total), expected["total"].as_f64(), "{file}");
        assert_eq!(in_pages(actual.functions), in_pages(functions(&expected)), "{file}");
    }
}

/// Frames have classes, and no files: `Cursor` is in the file of `Tokenizer`.
#[test]
fn flight_recorder_has_lines_of_classes() {
    for (case, file, metrics) in [
        ("java-indexer", "profile.jfr", &["expected", "alloc", "lock"][..]),
        ("java-indexer-default", "default.jfr.gz", &["expected"]),
    ] {
        let read = read(bytes(&format!("jfr/{case}/{file}"))).unwrap();
        assert_eq!(read.format, Format::Jfr);
        for (metric, &name) in metrics.iter().enumerate() {
            let expected = bytes(&format!("jfr/{case}/{name}.json"));
            let expected: Value = serde_json::from_slice(&expected).unwrap();
            let actual = Selves::of(stacks(&read), metric, "");
            assert_eq!(Some(actual.total), expected["total"].as_f64(), "{case} {name}");
            let mut by_name = BTreeMap::new();
            for ((name, _), cost) in functions(&expected) {
                *by_name.entry(name).or_insert(0.0) += cost;
            }
            let mut actual_by_name = BTreeMap::new();
            for ((name, _), cost) in actual.functions {
                *actual_by_name.entry(name).or_insert(0.0) += cost;
            }
            assert_eq!(actual_by_name, by_name, "{case} {name}");
            for row in rows(&expected["lines"]) {
                let file = text(&row["file"]).replace("src/", "");
                let line = u32::try_from(row["line"].as_u64().unwrap()).unwrap();
                let files = [file.clone(), file.replace("Tokenizer", "Cursor")];
                let lines: BTreeSet<_> = files.into_iter().map(|file| (file, line)).collect();
                let own: f64 = lines.iter().filter_map(|line| actual.lines.get(line)).sum();
                assert_eq!(Some(own), row["self"].as_f64(), "{case} {name} {file}:{line}");
            }
        }
    }
}

/// Its narrowest frames are not drawn if they are less than a hundredth of a percent.
#[test]
fn a_flame_graph_has_the_costs_of_its_stacks() {
    for path in [
        "folded/py-gridworld-pyspy/pyspy.raw.txt",
        "folded/ruby-ledger-rbspy/rbspy.collapsed",
        "folded/cpp-raytrace-perf/fp.folded",
    ] {
        let stacks_of_file = String::from_utf8(bytes(path)).unwrap();
        for direction in
            [inferno::flamegraph::Direction::Straight, inferno::flamegraph::Direction::Inverted]
        {
            let mut options = inferno::flamegraph::Options::default();
            (options.direction, options.min_width) = (direction, 0.0);
            let mut svg = Vec::new();
            inferno::flamegraph::from_lines(&mut options, stacks_of_file.lines(), &mut svg)
                .unwrap();
            let (drawn, folded) = (read(svg).unwrap(), read(bytes(path)).unwrap());
            assert_eq!(drawn.format, Format::FlameGraph);
            let (drawn, folded) = (stacks(&drawn), stacks(&folded));
            let [drawn, folded] = [drawn, folded].map(|profile| Selves::of(profile, 0, ""));
            assert_eq!((drawn.total, drawn.lines), (folded.total, folded.lines), "{path}");
            assert_eq!(drawn.functions, folded.functions, "{path}");
        }
    }
}
