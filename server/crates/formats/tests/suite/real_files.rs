//! Profiles of real profilers, compared with costs that other programs computed from them
//! (`fixtures/profiles/*/*/expected.json`).
//!
//! Self costs are sums over leaves and need no analysis.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{Selves, bytes, fixture, read, stacks, unzipped};
use formats::Format;
use profile::{LineKnowledge, StackAccess, WarningCode};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Reads a case, compares all self costs of its first metric and returns the result and the
/// expected costs.
pub fn check(case: &str, file: &str, root: &str) -> (formats::Read, Value) {
    let path = format!("{case}/{file}");
    let content =
        if path.rsplit('.').next() == Some("gz") { unzipped(&path) } else { bytes(&path) };
    let read = read(content.clone()).unwrap();
    let front = formats::inflate::prefix(&content, 64 << 10);
    assert_eq!(
        formats::detect(&front[..front.len().min(64 << 10)]),
        Some(read.format),
        "the front is enough"
    );
    // With source maps, readers return costs before they are applied.
    let generated = format!("{case}/expected.generated.json");
    let expected =
        if fixture(&generated).exists() { generated } else { format!("{case}/expected.json") };
    let expected: Value = serde_json::from_slice(&bytes(&expected)).unwrap();
    let actual = Selves::of(stacks(&read), 0, root);

    assert_eq!(Some(actual.total), expected["total"].as_f64());
    assert_eq!(in_pages(actual.functions), in_pages(functions(&expected)));
    let lines: BTreeMap<(String, u32), f64> = rows(&expected["lines"])
        .map(|row| {
            (
                (text(&row["file"]), u32::try_from(row["line"].as_u64().unwrap()).unwrap()),
                row["self"].as_f64().unwrap(),
            )
        })
        .filter(|(_, cost)| *cost != 0.0)
        .collect();
    // `lines` are expected only for the files of the case.
    let files: BTreeSet<&str> =
        rows(&expected["lines"]).filter_map(|row| row["file"].as_str()).collect();
    let of_case = |file: &str| files.contains(file);
    let actual_lines: BTreeMap<_, _> =
        actual.lines.into_iter().filter(|((file, _), _)| of_case(file)).collect();
    assert_eq!(actual_lines, lines);
    for other in expected["other_files"].as_array().into_iter().flatten() {
        assert!(!of_case(&text(&other["file"])));
    }
    (read, expected)
}

pub fn functions(expected: &Value) -> BTreeMap<(String, String), f64> {
    let mut functions = BTreeMap::new();
    for row in rows(&expected["functions"]) {
        *functions.entry((text(&row["name"]), text(&row["file"]))).or_default() +=
            row["self"].as_f64().unwrap();
    }
    functions.retain(|_, cost| *cost != 0.0);
    functions
}

/// Code without names by its offset in its memory page: expected addresses are in memory, read ones
/// in libraries, which are mapped at page boundaries.
pub fn in_pages(functions: BTreeMap<(String, String), f64>) -> BTreeMap<(String, String), f64> {
    let mut sums = BTreeMap::new();
    for ((name, file), cost) in functions {
        let address = name.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
        let name = address.map_or(name, |address| format!("0x…{:03x}", address & 0xfff));
        *sums.entry((name, file)).or_default() += cost;
    }
    sums
}

pub fn rows(table: &Value) -> impl Iterator<Item = &Value> {
    table.as_array().unwrap().iter()
}

/// Empty for null.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn v8_profiles_count_hits_and_time() {
    for (case, file) in [
        ("node-mdrender", "main.cpuprofile"),
        ("web-particles", "page.cpuprofile"),
        ("ts-matrix", "ts.cpuprofile"),
    ] {
        let root = format!("/srv/demo/{case}/");
        let (read, expected) = check(&format!("v8/{case}"), file, &root);
        assert_eq!(
            (read.format, read.warnings.as_slice()),
            (Format::CpuProfile, [].as_slice()),
            "{case}"
        );

        let time = Selves::of(stacks(&read), 1, &root);
        let expected = &expected["time_us_next"];
        assert_eq!(Some(time.total), expected["total"].as_f64());
        assert_eq!(time.functions, functions(expected));
        // Each function's time is divided among its lines with hits.
        assert_eq!(read.recording.default_metric().index(), 1);
        assert!(time.lines.keys().eq(Selves::of(stacks(&read), 0, &root).lines.keys()), "{case}");
        assert!(time.lines.values().all(|time| *time >= 0.0 && time.fract() == 0.0), "{case}");
        assert_eq!(read.span_seconds, Some(time.total / 1e6));

        // Function starts: the expected files have those of V8, 1-based.
        let symbols = stacks(&read).symbols();
        let starts: BTreeSet<(String, String, u32)> =
            (symbols.funcs.ids().map(|id| symbols.funcs.get(id)))
                .map(|func| {
                    let file = func.source.map_or("", |source| symbols.source_name(source));
                    (
                        symbols.strings.get(func.name).to_owned(),
                        file.strip_prefix(&root).unwrap_or(file).to_owned(),
                        func.line,
                    )
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
fn traces_of_every_tool() {
    use LineKnowledge::{Nothing, SelfAndTotal, SelfOnly};
    for (case, file, root, producer, metrics, lines) in [
        (
            "py-gridworld-pyspy",
            "pyspy.chrometrace.json.gz",
            "py-gridworld",
            Some("py-spy"),
            "time",
            SelfAndTotal,
        ),
        (
            "py-pool-pyspy",
            "pyspy.chrometrace.json",
            "py-pool",
            Some("py-spy"),
            "time",
            SelfAndTotal,
        ),
        (
            "py-shapes-viztracer",
            "viztracer.json.gz",
            "py-shapes",
            Some("viztracer@1.1.1"),
            "time",
            Nothing,
        ),
        (
            "rust-huffman-tracing",
            "trace.json",
            "rust-huffman",
            Some("tracing-chrome"),
            "time",
            SelfAndTotal,
        ),
        ("web-particles", "trace.json.gz", "web-particles", None, "samples time", SelfOnly),
    ] {
        let content = bytes(&format!("chrome-trace/{case}/{file}"));
        let front = formats::inflate::prefix(&content, 4096);
        assert_eq!(formats::detect(&front), Some(Format::ChromeTrace), "the front is enough");
        let read = read(content).unwrap();
        assert_eq!((read.format, read.writer.text()), (Format::ChromeTrace, producer), "{case}");
        let names: Vec<_> =
            read.recording.metrics().iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(
            (names.join(" ").as_str(), read.recording.metrics()[0].lines),
            (metrics, lines),
            "{case}"
        );
        let codes: Vec<_> =
            read.warnings.as_slice().iter().map(|warning| (warning.code, warning.count)).collect();
        let expected: &[_] = match case {
            "web-particles" => &[(WarningCode::BrowserPage, 1)],
            "py-pool-pyspy" => &[(WarningCode::SharedThreadId, 1)],
            _ => &[],
        };
        assert_eq!(codes, expected, "{case}");

        let expected: Value =
            serde_json::from_slice(&bytes(&format!("chrome-trace/{case}/expected.json"))).unwrap();
        let root = format!("/srv/demo/{root}/");
        let total = Selves::of(stacks(&read), 0, &root).total;
        let expected_total = expected["total"].as_f64().unwrap();
        assert!(
            (total - expected_total).abs() <= 1e-9 * expected_total,
            "{case}: {total} instead of {expected_total}"
        );
        if let Some(time) = expected.get("time_us_next") {
            // Samples before a negative delta have no file; they have a negative time there.
            let sampled = Selves::of(stacks(&read), 1, &root);
            let with_file = |mut costs: BTreeMap<(String, String), f64>| {
                costs.retain(|(_, file), _| !file.is_empty());
                costs
            };
            assert_eq!(Some(sampled.total), time["total"].as_f64());
            assert_eq!(with_file(sampled.functions), with_file(functions(time)));
        }
    }
}

#[test]
fn heap_profiles_count_bytes() {
    for (case, file) in [("node-mdrender", "main.heapprofile"), ("ts-matrix", "ts.heapprofile")] {
        let (read, _) = check(&format!("v8/{case}-heap"), file, &format!("/srv/demo/{case}/"));
        assert_eq!((read.format, read.warnings.as_slice()), (Format::HeapProfile, [].as_slice()));
        let metric = &read.recording.metrics()[0];
        assert_eq!(
            (metric.name.as_str(), metric.unit.as_str(), metric.lines),
            ("selfSize", "bytes", LineKnowledge::Nothing)
        );
    }
}

#[test]
fn idle_is_marked() {
    let read = read(bytes("v8/web-particles/page.cpuprofile")).unwrap();
    let profile = stacks(&read);
    let samples = &profile.samples()[0];
    let idle: f64 = (0..samples.len())
        .filter(|&i| samples.stack(i).is_some_and(|stack| profile.stacks().is_idle(stack)))
        .map(|i| samples.weights()[0].get(i))
        .sum();
    assert_eq!(idle, 1114.0, "the hitCount of (idle)");
}

#[test]
fn folded_stacks_of_every_profiler() {
    use LineKnowledge::{Nothing, SelfAndTotal};
    for (case, file, root, producer, unit, lines) in [
        (
            "py-gridworld-pyspy",
            "pyspy.raw.txt",
            "/srv/demo/py-gridworld/",
            Some("py-spy"),
            "samples",
            SelfAndTotal,
        ),
        (
            "py-gridworld-austin",
            "austin.txt",
            "/srv/demo/py-gridworld/",
            Some("austin@3.7.0"),
            "us",
            SelfAndTotal,
        ),
        (
            "py-index-austin",
            "austin.txt",
            "/srv/demo/py-index/",
            Some("austin@3.7.0"),
            "us",
            SelfAndTotal,
        ),
        (
            "ruby-ledger-rbspy",
            "rbspy.collapsed",
            "/srv/demo/ruby-ledger/",
            Some("rbspy"),
            "samples",
            SelfAndTotal,
        ),
        ("cpp-raytrace-perf", "fp.folded", "", None, "samples", Nothing),
        ("rust-huffman-pprof", "cpu.folded", "", None, "samples", Nothing),
    ] {
        let (read, expected) = check(&format!("folded/{case}"), file, root);
        assert_eq!((read.format, read.writer.text()), (Format::Folded, producer), "{case}");
        assert_eq!(read.warnings.as_slice(), []);
        let metric = &read.recording.metrics()[0];
        assert_eq!((metric.unit.as_str(), metric.lines), (unit, lines));

        let rows: usize = stacks(&read).samples().iter().map(profile::Samples::len).sum();
        assert_eq!(Some(rows as u64), expected["samples"].as_u64());
        if let Some(threads) = expected["threads"].as_array() {
            let expected: BTreeMap<String, f64> =
                threads.iter().map(|t| (text(&t["name"]), t["total"].as_f64().unwrap())).collect();
            assert_eq!(Selves::of(stacks(&read), 0, root).threads, expected);
        }
    }
}

#[test]
fn pprof_profiles_have_all_their_metrics_and_threads() {
    for (path, default, totals, seconds_per_sample, threads) in [
        (
            "go-indexer-cpu/cpu.pb.gz",
            1,
            &[624.0, 6_240_000_000.0][..],
            Some(0.01),
            &[("", "", 6_240_000_000.0)][..],
        ),
        (
            "go-indexer-heap/heap.pb.gz",
            1,
            &[857_655.0, 853_840_011.0, 77.0, 15_650_765.0],
            None,
            &[("", "", 853_840_011.0)],
        ),
        (
            "rust-huffman/cpu.pb",
            1,
            &[981.0, 1_965_931_861.0],
            Some(2_004_008.0 * 1e-9),
            &[("huffman", "", 1_028_056_111.0), ("second", "", 937_875_750.0)],
        ),
        (
            "ruby-ledger-rbspy/rbspy.pprof.pb.gz",
            0,
            &[1_616_310_816.0],
            None,
            &[("", "140311288207168", 1_616_310_816.0)],
        ),
    ] {
        let read = read(bytes(&format!("pprof/{path}"))).unwrap();
        assert_eq!(
            (read.format, read.warnings.as_slice()),
            (Format::Pprof, [].as_slice()),
            "{path}"
        );
        assert_eq!(read.recording.default_metric().index(), default, "{path}");
        let found: Vec<f64> =
            (0..totals.len()).map(|metric| Selves::of(stacks(&read), metric, "").total).collect();
        assert_eq!((read.recording.metrics().len(), &*found), (totals.len(), totals), "{path}");
        let samples = read.recording.metrics().iter().find(|metric| metric.name == "samples");
        assert_eq!(
            samples.and_then(|metric| metric.seconds_per_unit),
            seconds_per_sample,
            "{path}"
        );
        let mut found: Vec<_> = stacks(&read)
            .sampled_threads()
            .map(|(thread, samples)| {
                let weights = &samples.weights()[default];
                let total: f64 = (0..samples.len()).map(|i| weights.get(i)).sum();
                (thread.name.as_str(), thread.tid.as_deref().unwrap_or_default(), total)
            })
            .collect();
        found.sort_by(|a, b| a.0.cmp(b.0));
        assert_eq!(found, threads, "{path}");
    }
}

#[test]
fn perf_has_lines_if_requested() {
    use LineKnowledge::{Nothing, SelfAndTotal};
    for (case, file, root, lines) in [
        ("cpp-raytrace", "fp.script.txt.gz", "", Nothing),
        ("cpp-raytrace-srcline", "dwarf.srcline.txt.gz", "/srv/demo/cpp-raytrace/", SelfAndTotal),
    ] {
        let (read, expected) = check(&format!("perf/{case}"), file, root);
        assert_eq!(
            (read.format, read.warnings.as_slice()),
            (Format::PerfScript, [].as_slice()),
            "{case}"
        );
        let metric = &read.recording.metrics()[0];
        assert_eq!(
            (metric.name.as_str(), metric.unit.as_str(), metric.lines),
            ("cpu-clock", "ns", lines)
        );
        let samples = stacks(&read).samples();
        assert_eq!(
            samples.iter().map(|samples| samples.len() as u64).sum::<u64>(),
            expected["samples"].as_u64().unwrap()
        );
    }
}

#[test]
fn perf_has_a_metric_per_event() {
    let read = read(bytes("perf/c-gallery/perf.txt.gz")).unwrap();
    assert_eq!(read.warnings.as_slice(), []);
    let metrics: Vec<_> = read
        .recording
        .metrics()
        .iter()
        .map(|metric| (metric.name.as_str(), metric.unit.as_str()))
        .collect();
    assert_eq!(metrics, [("page-faults", "page-faults"), ("cpu-clock", "ns")]);
    assert_eq!(read.recording.default_metric().index(), 1);
    let threads: Vec<_> = stacks(&read)
        .threads()
        .iter()
        .map(|t| (&*t.name, t.pid.as_deref(), t.tid.as_deref()))
        .collect();
    let pid = Some("20580");
    let expected = [
        ("gallery", pid, pid),
        ("gallery", pid, Some("20582")),
        ("draw worker/0", pid, Some("20582")),
        ("draw: left (2)", pid, Some("20583")),
    ];
    assert_eq!(threads, expected);

    // As `perf report` has them.
    let faults = Selves::of(stacks(&read), 0, "/srv/demo/c-gallery/");
    let expected = [("draw worker/0", 482_358.0), ("draw: left (2)", 67_234.0), ("gallery", 109.0)];
    assert_eq!(faults.threads, expected.map(|(name, total)| (name.to_owned(), total)).into());
    assert_eq!(faults.total, 549_701.0);
    let clock = Selves::of(stacks(&read), 1, "/srv/demo/c-gallery/");
    assert_eq!(
        (clock.total, clock.threads["draw worker/0"], clock.threads["gallery"]),
        (1_743_718_375.0, 869_346_625.0, 0.0)
    );
}

#[test]
fn austin_has_the_same_costs_in_text_and_binary() {
    let root = "/srv/demo/py-index/";
    for (case, file, format) in [
        ("folded/py-index-austin", "austin.txt", Format::Folded),
        ("austin/py-index", "austin.mojo", Format::AustinMojo),
    ] {
        let (read, expected) = check(case, file, root);
        assert_eq!(
            (read.format, read.writer.text(), read.warnings.as_slice()),
            (format, Some("austin@3.7.0"), [].as_slice())
        );
        let metrics: Vec<_> = read
            .recording
            .metrics()
            .iter()
            .map(|metric| (metric.name.as_str(), metric.unit.as_str()))
            .collect();
        assert_eq!(metrics, [("wall", "us"), ("cpu", "us"), ("memory", "bytes")]);
        for (metric, name) in [(1, "cpu"), (2, "memory")] {
            let actual = Selves::of(stacks(&read), metric, root);
            assert_eq!(Some(actual.total), expected[name]["total"].as_f64(), "{case} {name}");
            assert_eq!(actual.functions, functions(&expected[name]), "{case} {name}");
        }
        assert!(read.span_seconds.is_some_and(|seconds| seconds > 0.5));
    }

    let (binary, _) = check("austin/py-gridworld", "austin.mojo", "/srv/demo/py-gridworld/");
    let text = read(bytes("austin/py-gridworld/mojo2austin.txt.gz")).unwrap();
    assert_eq!(text.format, Format::Folded);
    assert_eq!(rows_of(&binary), rows_of(&text));
}

#[test]
fn pyinstrument_has_lines_and_times() {
    let read = read(bytes("pyinstrument/py-inventory/run.pyisession")).unwrap();
    let codes: Vec<_> = read.warnings.as_slice().iter().map(|warning| warning.code).collect();
    assert_eq!((read.format, codes), (Format::Pyinstrument, vec![WarningCode::SampledAtCalls]));
    // The session states 1.428 s.
    assert!(read.span_seconds.is_some_and(|seconds| (1.427..1.429).contains(&seconds)));
}

#[test]
fn rprof_has_lines_of_code_with_sources() {
    let root = "/srv/demo/r-simulate/";
    for (case, file, metrics) in [
        ("r-simulate", "Rprof.line.out", &["samples"][..]),
        ("r-simulate-memory", "../r-simulate/Rprof.mem.out", &["samples", "memory"]),
        ("r-simulate-plain", "../r-simulate/Rprof.plain.out", &["samples"]),
    ] {
        let (read, _) = check(&format!("rprof/{case}"), file, root);
        let names: Vec<_> = read.recording.metrics().iter().map(|it| &*it.name).collect();
        assert_eq!(
            (read.format, &*names, read.warnings.as_slice()),
            (Format::Rprof, metrics, [].as_slice()),
            "{case}"
        );
    }
}

#[test]
fn profilers_of_macos() {
    for (case, file, format, metric) in [
        ("macos-sample/c-wordmill", "wordmill.sample.txt", Format::MacosSample, "samples"),
        ("xctrace/c-wordmill", "wordmill.xctrace.xml", Format::Xctrace, "time"),
        ("xctrace/c-wordmill-cycles", "wordmill-cycles.xctrace.xml", Format::Xctrace, "cycles"),
    ] {
        let (read, _) = check(case, file, "/Users/ada/wordmill/");
        let [found] = read.recording.metrics() else { panic!("expected one metric of {case}") };
        assert_eq!(
            (read.format, &*found.name, read.warnings.as_slice()),
            (format, metric, [].as_slice()),
            "{case}"
        );
    }
}

/// Each sample with its thread, its frames and its weights.
fn rows_of(read: &formats::Read) -> Vec<String> {
    let profile = stacks(read);
    let symbols = profile.symbols();
    let mut rows = Vec::new();
    for (thread, samples) in profile.sampled_threads() {
        for i in 0..samples.len() {
            let mut frames = Vec::new();
            let mut next = samples.stack(i);
            while let Some(stack) = next {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                let file =
                    symbols.funcs.get(frame.func).source.map(|source| symbols.source_name(source));
                frames.push((symbols.func_name(frame.func), file, frame.line));
                next = profile.stacks().prefix(stack);
            }
            let weights: Vec<_> = samples.weights().iter().map(|weights| weights.get(i)).collect();
            rows.push(format!(
                "{} {:?} {:?}: {frames:?} {weights:?}",
                thread.name, thread.pid, thread.tid
            ));
        }
    }
    rows
}

#[test]
fn raw_profiles_have_cpu_time_and_allocations() {
    let (read, expected) =
        check("gecko/web-nearwords", "gecko.json.gz", "/srv/demo/web-nearwords/");
    assert_eq!(
        (read.format, read.version.as_deref(), read.warnings.as_slice()),
        (Format::Gecko, Some("34"), [].as_slice())
    );
    let metrics: Vec<_> = read
        .recording
        .metrics()
        .iter()
        .map(|metric| (metric.name.as_str(), metric.unit.as_str()))
        .collect();
    assert_eq!(metrics, [("samples", "samples"), ("cpu", "ns"), ("js-allocations", "bytes")]);
    for (metric, key) in [(1, "cpu_ns"), (2, "js_allocations")] {
        let actual = Selves::of(stacks(&read), metric, "/srv/demo/web-nearwords/");
        assert_eq!(Some(actual.total), expected[key]["total"].as_f64(), "{key}");
        let threads = actual.threads.values().sum::<f64>();
        assert_eq!(
            threads,
            rows(&expected[key]["threads"]).map(|row| row["total"].as_f64().unwrap()).sum::<f64>(),
            "{key}"
        );
        let mut functions = actual.functions;
        functions.retain(|(_, file), _| file.starts_with("www/"));
        assert_eq!(functions, self::functions(&expected[key]), "{key}");
    }
}

#[test]
fn processed_profiles_have_cpu_time_in_either_container() {
    for (case, file) in
        [("rust-wordstat-v70", "profile.json.gz"), ("rust-wordstat-jslb", "profile.jslb.gz")]
    {
        let (read, _) = check(&format!("firefox/{case}"), file, "/srv/demo/rust-wordstat/");
        let cpu = Selves::of(stacks(&read), 1, "");
        // Sums of `threadCPUDelta` without the first one of each thread, computed separately from
        // this project.
        let expected = [
            ("counter-0", 1_203_050.0),
            ("counter-1", 1_979_869.0),
            ("samply", 0.0),
            ("wordstat", 281_986.0),
        ];
        let threads: Vec<_> =
            cpu.threads.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
        assert_eq!(
            threads,
            expected.into_iter().filter(|(_, weight)| *weight != 0.0).collect::<Vec<_>>(),
            "{case}"
        );
        let hottest = cpu.functions.iter().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        assert_eq!((hottest.0.0.as_str(), *hottest.1), ("_memcmp_avx2_movbe", 335_601.0), "{case}");
    }
}

#[test]
fn compressed_files_are_read() {
    use std::io::Write;
    let plain = bytes("v8/node-mdrender/main.cpuprofile");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&plain).unwrap();
    let gzip = encoder.finish().unwrap();
    let zstd =
        ruzstd::encoding::compress_to_vec(&*plain, ruzstd::encoding::CompressionLevel::Fastest);
    let expected = Selves::of(stacks(&read(plain).unwrap()), 0, "");
    for packed in [gzip, zstd] {
        let front = formats::inflate::prefix(&packed, 4096);
        assert_eq!(formats::detect(&front), Some(Format::CpuProfile));
        assert_eq!(Selves::of(stacks(&read(packed).unwrap()), 0, ""), expected);
    }
}

#[test]
fn speedscope_files_of_every_exporter() {
    for (case, file, exporter, unit, span) in [
        ("py-gridworld-pyspy", "pyspy.speedscope.json", "py-spy@0.4.3", "seconds", None),
        ("ruby-ledger-rbspy", "rbspy.speedscope.json", "rbspy@0.55.0", "seconds", None),
        (
            "rust-huffman-spans",
            "trace.speedscope.json",
            "trace2speedscope",
            "microseconds",
            Some(0.154_460_814),
        ),
    ] {
        let expected: Value =
            serde_json::from_slice(&bytes(&format!("speedscope/{case}/expected.json"))).unwrap();
        let content = bytes(&format!("speedscope/{case}/{file}"));
        assert_eq!(
            formats::detect(&content[..content.len().min(4096)]),
            Some(Format::Speedscope),
            "the front is enough"
        );
        let read = read(content).unwrap();
        assert_eq!(
            (read.writer.text(), read.warnings.as_slice()),
            (Some(exporter), [].as_slice()),
            "{case}"
        );
        let metric = &read.recording.metrics()[0];
        assert_eq!(
            (metric.unit.as_str(), metric.lines),
            (unit, LineKnowledge::SelfAndTotal),
            "{case}"
        );
        assert_eq!(read.span_seconds.map(|s| (s * 1e9).round() / 1e9), span, "{case}");
        let selves = Selves::of(stacks(&read), 0, "");
        assert!((selves.total - expected["total"].as_f64().unwrap()).abs() < 1e-6, "{case}");
        let threads: Vec<String> =
            rows(&expected["threads"]).map(|thread| text(&thread["name"])).collect();
        assert_eq!(
            selves.threads.into_keys().collect::<BTreeSet<_>>(),
            threads.into_iter().collect(),
            "{case}"
        );
    }
}
