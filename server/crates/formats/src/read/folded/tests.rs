use super::*;
use crate::error::ErrorKind;
use crate::input;
use crate::read::text_rows::{labelled_rows, profile};
use profile::StackAccess;

fn read_bytes(bytes: &[u8]) -> Result<Read, ReadError> {
    input::in_memory(bytes, read)?
}

fn read_text(text: &str) -> Read {
    read_bytes(text.as_bytes()).unwrap()
}

/// Each sample as `thread: root > leaf|file:line weights`; lines of definitions as `@12`.
fn rows(text: &str) -> String {
    labelled_rows(&read_text(text), |thread| thread.name.clone())
}

fn metrics(read: &Read) -> Vec<(&str, &str, LineKnowledge)> {
    read.recording.metrics().iter().map(|m| (m.name.as_str(), m.unit.as_str(), m.lines)).collect()
}

fn warnings(read: &Read) -> Vec<(WarningCode, u64)> {
    read.warnings.as_slice().iter().map(|warning| (warning.code, warning.count)).collect()
}

#[test]
fn names_values_and_empty_stacks() {
    assert_eq!(
        rows("main;f<[u8; 8]>;g 2\r\na b;c d 3.7\n 1\n\nmain -4"),
        "main > f<[u8; 8]> > g 2\na b > c d 3.7\n 1\nmain -4\n"
    );
    let read = read_text("a;b 1\n");
    assert_eq!(metrics(&read), [("samples", "samples", LineKnowledge::Nothing)]);
    assert_eq!((read.format, read.writer.text(), read.span_seconds), (Format::Folded, None, None));
}

/// tracing-flame 0.2, with and without files.
#[test]
fn spaced_semicolons_separate_frames() {
    let places = "ThreadId(1)-main 5\nThreadId(1)-main; app::run:src/main.rs:10; app::parse:src/parse.rs:20 70\n";
    assert_eq!(
        rows(places),
        "ThreadId(1)-main 5\nThreadId(1)-main > app::run|src/main.rs:10 > app::parse|src/parse.rs:20 70\n"
    );
    let names = "all-threads; app::run; app::parse::<[u8; 8]> 70\n";
    assert_eq!(rows(names), "all-threads > app::run > app::parse::<[u8; 8]> 70\n");
    assert!([places, names].iter().all(|text| is_folded(text.as_bytes())));
    assert_eq!(metrics(&read_text(names)), [("time", "nanoseconds", LineKnowledge::Nothing)]);
    // Newer versions write no space.
    let newer = read_text("ThreadId(1)-main;app::run 70\nThreadId(2);app::run 10\n");
    assert_eq!(metrics(&newer), [("time", "nanoseconds", LineKnowledge::Nothing)]);
    // Words before a number are not stacks.
    assert!(!is_folded(
        b"GET /a text/html; charset=utf-8 200\nGET /b text/html; charset=utf-8 304\n"
    ));
}

/// `--collapsed` of Python's `profiling.sampling`.
#[test]
fn frames_of_pythons_sampling_profiler_have_lines() {
    let text = "tid:7;app.py:<module>:17;app.py:main:9;app.py:C.work:4 60\ntid:8;app.py:<module>:17;<GC> 3\n";
    assert!(is_folded(text.as_bytes()));
    assert_eq!(
        rows(text),
        "tid:7 > <module>|app.py:17 > main|app.py:9 > C.work|app.py:4 60\ntid:8 > <module>|app.py:17 > <GC> 3\n"
    );
}

#[test]
fn a_last_line_without_newline_counts_with_a_warning() {
    let read = read_text("main 1\nmain;g 12");
    assert_eq!(warnings(&read), [(WarningCode::OpenEnd, 1)]);
    assert_eq!(rows("main 1\nmain;g 12"), "main 1\nmain > g 12\n");
    assert_eq!(warnings(&read_text("main 1\nmain;g 12\n")), []);
}

#[test]
fn suffixes_are_removed_and_inlined_frames_are_marked() {
    assert_eq!(rows("java;A.run_[j];B.get_[i] 4"), "java > A.run > B.get~ 4\n");
    assert_eq!(rows("f (a.py:3);g (a.py:4)_[i] 1"), "f|a.py:3 > g|a.py:4~ 1\n");
}

/// As `perf report` prints them, in both orders, with and without places.
#[test]
fn inlined_frames_of_perf_report_are_functions_with_lines() {
    let head = "# Samples: 6  of event 'cpu-clock'\n# Event count (approx.): 6000000\n#\n";
    let row = "   100.00%  inl      inl            [.] sq (inlined)\n";
    let report = |stacks: &str| rows(&format!("{head}{row}{stacks}"));
    let places = "main|inl.cpp:16 > work|inl.cpp:11 > sq|inl.cpp:5~ 4\nmain|inl.cpp:16 > work|inl.cpp:10 2\n";
    let caller = "4 main inl.cpp:16;work inl.cpp:11;sq inl.cpp:5 (inlined)\n2 main inl.cpp:16;work inl.cpp:10\n";
    assert_eq!(report(caller), places);
    assert_eq!(report(&caller.replace("5 (", "5 (discriminator 2) (")), places);
    let callee = "4 sq inl.cpp:5 (inlined);work inl.cpp:11;main inl.cpp:16\n2 work inl.cpp:10;main inl.cpp:16\n";
    assert_eq!(report(callee), places);
    assert_eq!(report("4 main;work;sq (inlined)\n"), "main > work > sq~ 4\n");
    assert_eq!(report("4 sq (inlined);work;main\n"), "main > work > sq~ 4\n");
}

/// The values may be numbers of samples or sums of periods; the header has both sums.
#[test]
fn values_of_perf_report_are_samples_or_periods() {
    let report = |samples: &str, event: &str, count: u64, stacks: &str| {
        let head = format!("# Samples: {samples}  of event '{event}'\n");
        format!("{head}# Event count (approx.): {count}\n#\n{stacks}")
    };
    let shown = |text: &str| {
        let read = read_text(text);
        let metrics: Vec<_> =
            metrics(&read).iter().map(|(name, unit, _)| format!("{name} {unit}")).collect();
        metrics.join(", ")
    };
    // 52 samples of 2 ms are 104 ms.
    let clock = |stacks| report("52", "cpu-clock", 104_000_000, stacks);
    assert_eq!(shown(&clock("50 main;leaf\n2 main\n")), "cpu-clock samples");
    let periods = clock("100000000 main;leaf\n4000000 main\n");
    assert_eq!(shown(&periods), "cpu-clock ns");
    assert_eq!(rows(&periods), "main > leaf 100000000\nmain 4000000\n");
    assert_eq!(read_text(&periods).recording.metrics()[0].seconds_per_unit, Some(1e-9));
    // Rare stacks may be left out, and numbers of samples are rounded.
    assert_eq!(shown(&clock("80000000 main;leaf\n")), "cpu-clock ns");
    let cycles = |stacks| report("1K", "cycles:u", 3_100_000_000, stacks);
    assert_eq!(shown(&cycles("1400 main;leaf\n")), "cycles:u samples");
    assert_eq!(shown(&cycles("3000000000 main;leaf\n")), "cycles:u cycles");
    assert_eq!(shown(&cycles("97.5% main;leaf\n")), "cycles:u percent");
    // Without that header, or if the sums are the same, they are samples.
    assert_eq!(shown("# Samples: 52 of event 'cpu-clock'\n104000000 main\n"), "cpu-clock samples");
    assert_eq!(shown(&report("3", "page-faults", 3, "3 main\n")), "page-faults samples");
    let two = format!("{periods}\n{}", report("2", "page-faults", 80, "60 main\n20 main;f\n"));
    assert_eq!(shown(&two), "cpu-clock ns, page-faults page-faults");
}

/// Hybrid processors have events of their own for each kind of core.
#[test]
fn sections_of_perf_report_for_each_kind_of_core_are_one_metric() {
    let report = |first: &str, second: &str| {
        format!(
            "# Samples: 3 of event 'cpu_core/cycles/P'\n{first} main;f\n# Samples: 2 of event 'cpu_atom/cycles/P'\n{second} main\n"
        )
    };
    let read = read_text(&report("3", "2"));
    assert_eq!(metrics(&read), [("cycles:P", "samples", LineKnowledge::Nothing)]);
    assert_eq!(rows(&report("3", "2")), "main > f 3\nmain 2\n");
    // Shares of different sums do not add up.
    assert_eq!(rows(&report("100%", "100%")), "main > f 100 0\nmain 0 100\n");
}

#[test]
fn places_of_executing_lines_are_frames() {
    let text = "/a:30;/b:27;/a:27 47\n/a:30;/b:50 20\n/a:10;/c:20;/b:15 7\n/a:10;/c:20;/b:50 92\n";
    assert_eq!(
        rows(text),
        "/a|/a:30 > /b|/b:27 > /a|/a:27 47\n/a|/a:30 > /b|/b:50 20\n/a|/a:10 > /c|/c:20 > /b|/b:15 7\n/a|/a:10 > /c|/c:20 > /b|/b:50 92\n"
    );
    assert_eq!(metrics(&read_text(text)), [("samples", "samples", LineKnowledge::SelfAndTotal)]);
    assert_eq!(rows("<module> (x.py:3);f (x.py:10) 2"), "<module>|x.py:3 > f|x.py:10 2\n");
    assert_eq!(read_text("<module> (x.py:3);f (x.py:10) 2").writer.text(), Some("py-spy"));
    assert_eq!(rows("main (file:///a%20b/x.py:3) 1"), "main|/a b/x.py:3 1\n");
    assert_eq!(rows("f (module);L12;g (other) 1"), "f|module:12 > g (other) 1\n");
}

/// Java's stacks have the same form after `jfr print --json | jq`.
#[test]
fn py_spy_is_named_only_if_there_is_python() {
    let writer = |text: &str| read_text(text).writer.text().map(str::to_owned);
    let java = "Main.main (Main.java:3);Main.run (Main.java:10) 2\n";
    assert_eq!(rows(java), "Main.main|Main.java:3 > Main.run|Main.java:10 2\n");
    assert_eq!(writer(java), None);
    for python in [
        "main (a.c:3);f (x.py:10) 2\n",
        "<module> (script:3) 2\n",
        "main (libpython3.so);f (<frozen codecs>:3);g (a.c:1) 2\n",
        "f (x.pyx:10) 2\n",
    ] {
        assert_eq!(writer(python).as_deref(), Some("py-spy"), "{python}");
    }
}

#[test]
fn places_of_definitions_are_funcs() {
    let text = "node;LazyCompile:*f /p/x.js:12:3;JS:~g file:///p/y%20z.js:4:1 5\n";
    assert_eq!(rows(text), "node > f|/p/x.js@12 > g|/p/y z.js@4 5\n");
    assert_eq!(metrics(&read_text(text)), [("samples", "samples", LineKnowledge::Nothing)]);
    assert_eq!(rows("unix`thread_start+0x1f;app`main 1"), "thread_start|unix > main|app 1\n");
}

#[test]
fn other_dialects_are_tried_before_a_frame_is_only_a_name() {
    let text = "a (x.py:1);b (x.py:2);native /abs/f.c:12;malloc 1\n";
    assert_eq!(rows(text), "a|x.py:1 > b|x.py:2 > native|/abs/f.c:12 > malloc 1\n");
}

/// However many names come first.
#[test]
fn places_do_not_depend_on_the_order_of_lines() {
    let names = |from: usize| -> String {
        let line = |i: usize| format!("start;native_{i} 1\n");
        (from..from + 300).map(line).collect()
    };
    let place = "main (a.py:3);work (a.py:7) 500\n";
    let call = "LazyCompile:*f /p/x.js:12:3;LazyCompile:*g /p/x.js:20:3 1\n";
    for (first, then) in [(names(0), ""), (names(0), call), (call.to_owned(), &*names(0))] {
        let read = read_text(&format!("{first}{then}{place}"));
        let shown = labelled_rows(&read, |_| String::new());
        assert!(shown.contains("main|a.py:3 > work|a.py:7 500"), "{shown}");
        assert_eq!(metrics(&read), [("samples", "samples", LineKnowledge::SelfAndTotal)]);
    }
    let late = read_text(&format!("{}{place}", names(0)));
    assert_eq!(late.writer.text(), read_text(place).writer.text());
}

#[test]
fn austin_has_threads_modes_and_a_duration() {
    let text = "# austin: 3.7.0\n# interval: 4000\n# mode: wall\n\nP9;T0:11 191\nP9;T0:12;/x.py:f:3;:GC: 10\nP9;T0:11;/x.py:f:3 5\n\n# duration: 2000000\n";
    assert_eq!(
        rows(text),
        "P9;T0:11:  191\nP9;T0:11: f|/x.py:3 5\nP9;T0:12: f|/x.py:3 > :GC: 10\n"
    );
    let read = read_text(text);
    assert_eq!(metrics(&read), [("wall", "us", LineKnowledge::SelfAndTotal)]);
    assert_eq!((read.writer.text(), read.span_seconds), (Some("austin@3.7.0"), Some(2.0)));
    let thread = &profile(&read).threads()[1];
    assert_eq!((thread.pid.as_deref(), thread.tid.as_deref()), (Some("9"), Some("12")));

    let full = read_text("P9;T0:11;/x.py:f:3 10,0,-5\nP9;T0:11;/x.py:f:3 20,1,7\n");
    assert_eq!(
        metrics(&full).iter().map(|m| (m.0, m.1)).collect::<Vec<_>>(),
        [("wall", "us"), ("cpu", "us"), ("memory", "bytes")]
    );
    let weights = profile(&full).samples()[0].weights();
    assert_eq!(
        weights,
        [vec![10.0, 20.0], vec![10.0, 0.0], vec![-5.0, 7.0]].map(profile::Weights::compact)
    );
    assert_eq!(metrics(&read_text("# mode: memory\nP9;T0:11;/x.py:f:3 -10\n"))[0].1, "bytes");
}

#[test]
fn differences_count_the_second_value() {
    let read = read_text("a;b 10 5\na;c 0 7\n");
    assert_eq!(rows("a;b 10 5\na;c 0 7\n"), "a > b 5\na > c 7\n");
    assert_eq!(warnings(&read), [(WarningCode::Differential, 1)]);
    // The name ends in a number.
    assert_eq!(rows("a;worker 3 10\na;c 7\n"), "a > worker 3 10\na > c 7\n");
}

#[test]
fn perf_report_has_a_metric_per_event() {
    let text = "# Samples: 1K of event 'cpu-clock'\n# Event count (approx.): 966983250\n#\n     8.95%  app  app  [.] leaf 2\n77 main;leaf 2\n# Samples: 2 of event 'page-faults'\n     1.00%  app  app  [k] fault\n3 main;fault\n";
    assert_eq!(rows(text), "main > leaf 2 77 0\nmain > fault 0 3\n");
    let read = read_text(text);
    assert_eq!(
        metrics(&read).iter().map(|m| m.0).collect::<Vec<_>>(),
        ["cpu-clock", "page-faults"]
    );
    assert_eq!(warnings(&read), []);
    let leaf_first = "# Samples: 1K of event 'cycles'\n     8.95%  app  app  [.] leaf\n3.5% leaf;main\n1% leaf;g;main\n";
    assert_eq!(rows(leaf_first), "main > leaf 3.5\nmain > g > leaf 1\n");
    assert_eq!(metrics(&read_text(leaf_first))[0].1, "percent");
    let unresolved = "# Samples: 1K of event 'cycles'\n     8.95%  app  [kernel.kallsyms]  [k] 0x0000000000002380\n3% 0x55380;0x55123\n";
    assert_eq!(rows(unresolved), "0x55123 > 0x55380 3\n");
    let many: String = (0..65)
        .flat_map(|i| [format!("# Samples: 1 of event 'e{i}'"), "1 a;b".to_owned()])
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(read_bytes(many.as_bytes()).unwrap_err().kind, ErrorKind::TooLarge);
}

/// The default of `perf report`: each stack once for every function on it.
#[test]
fn a_perf_report_with_children_is_refused() {
    let text = "# Samples: 4 of event 'cycles'\n#\n# Children      Self  Command  Symbol\n# ........  ........  .......  ......\n#\n   100.00%     0.00%  app  [.] main\n100.00% main;leaf\n   100.00%   100.00%  app  [.] leaf\n100.00% main;leaf\n";
    let error = read_bytes(text.as_bytes()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Malformed);
    assert!(error.message.contains("--no-children"), "{}", error.message);
    let own = text.replace("# Children      Self", "# Overhead");
    assert_eq!(rows(&own), "main > leaf 100\nmain > leaf 100\n");
}

#[test]
fn malformed_lines_are_counted_and_are_an_error_if_all_are() {
    let read = read_text("a;b 1\nwhat\na;c 2\na;d x\n");
    assert_eq!(warnings(&read), [(WarningCode::MalformedLine, 2)]);
    assert!(read.warnings.as_slice()[0].message.starts_with("line 2: "));
    let error = read_bytes(b"# x\nwhat\nis\n").unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::Malformed, At::Line(2, 1)));
    let read = read_bytes(b"a;\xff 1\n").unwrap();
    assert_eq!(warnings(&read), [(WarningCode::InvalidUtf8, 1)]);
}

#[test]
fn equal_stacks_share_a_row_and_deep_ones_are_read() {
    let deep = format!(
        "{} 1\n",
        (0..100_000).map(|i| format!("f{}", i % 10)).collect::<Vec<_>>().join(";")
    );
    let read = read_text(&deep.repeat(3));
    assert_eq!((profile(&read).stacks().len(), profile(&read).samples()[0].len()), (100_000, 3));
    assert_eq!(profile(&read).frames().len(), 10);
}
