use super::*;
use crate::error::ErrorKind;
use profile::StackAccess;
use std::fmt::Write;

fn read_bytes(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, read)?
}

const FRAMES: &str = r#""shared":{"frames":[{"name":"f","file":"a.py","line":3},{"name":"g","file":"a.py","line":7,"col":null},{"name":"h","file":null,"line":null},{"name":"f","file":"a.py","line":4}]}"#;

fn file(profiles: &[&str]) -> Read {
    read_bytes(
        format!(r#"{{{FRAMES},"profiles":[{}],"exporter":"py-spy@0.4.0"}}"#, profiles.join(","))
            .as_bytes(),
    )
    .unwrap()
}

fn stacks(read: &Read) -> &profile::Profile {
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    profile
}

/// Each sample as `thread: root>leaf:line weights`, with `×calls` if known; then the warnings.
fn rows(read: &Read) -> String {
    let profile = stacks(read);
    let mut out = String::new();
    for (thread, samples) in profile.sampled_threads() {
        for (row, stack) in samples.stacks().enumerate() {
            let up = std::iter::successors(stack, |&stack| profile.stacks().prefix(stack));
            let frames = up.map(|stack| profile.frames().get(profile.stacks().frame(stack)));
            let mut names: Vec<_> = frames
                .map(|frame| format!("{}:{}", profile.symbols().func_name(frame.func), frame.line))
                .collect();
            names.reverse();
            write!(out, "{}: {}", thread.name, names.join(">")).unwrap();
            for weights in samples.weights() {
                write!(out, " {}", weights.get(row)).unwrap();
            }
            if let Some(calls) = samples.calls() {
                write!(out, " ×{}", calls[row]).unwrap();
            }
            out.push('\n');
        }
    }
    for warning in read.warnings.as_slice() {
        writeln!(out, "{} {}", warning.code, warning.count).unwrap();
    }
    out
}

fn metrics(read: &Read) -> Vec<(&str, Option<f64>, LineKnowledge)> {
    read.recording
        .metrics()
        .iter()
        .map(|metric| (metric.unit.as_str(), metric.seconds_per_unit, metric.lines))
        .collect()
}

fn evented(unit: &str, end: f64, events: &[(char, u32, f64)]) -> String {
    let events = events
        .iter()
        .map(|(kind, frame, at)| format!(r#"{{"type":"{kind}","frame":{frame},"at":{at}}}"#));
    let events: Vec<_> = events.collect();
    format!(
        r#"{{"type":"evented","name":"e","unit":"{unit}","startValue":0,"endValue":{end},"events":[{}]}}"#,
        events.join(",")
    )
}

#[test]
fn too_many_units_are_rejected() {
    // Each unit is a column as long as all samples: without a limit, they would exceed memory.
    let profile =
        |i: usize| format!(r#"{{"type":"sampled","unit":"u{i}","samples":[[0]],"weights":[1]}}"#);
    let profiles = |n: usize| {
        format!(
            r#"{{{FRAMES},"profiles":[{}]}}"#,
            (0..n).map(profile).collect::<Vec<_>>().join(",")
        )
    };
    assert!(read_bytes(profiles(MAX_METRICS).as_bytes()).is_ok());
    assert_eq!(
        read_bytes(profiles(MAX_METRICS + 1).as_bytes()).unwrap_err().kind,
        ErrorKind::TooLarge
    );
}

#[test]
fn an_infinite_start_is_ignored() {
    let events = r#""events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":5}]"#;
    let read = file(&[&format!(
        r#"{{"type":"evented","name":"t","unit":"none","startValue":"-inf","endValue":"inf",{events}}}"#
    )]);
    assert_eq!(rows(&read), "t: f:3 5 ×1\n");
}

#[test]
fn samples_are_stacks_root_first() {
    let read = file(&[
        r#"{"type":"sampled","name":"T","unit":"seconds","startValue":0,"endValue":1,"samples":[[0,1],[],[0,1,2],[0],[3,1]],"weights":[1,2,0.5,0,-4]}"#,
    ]);
    assert_eq!(rows(&read), "T: f:3>g:7 1\nT:  2\nT: f:3>g:7>h:0 0.5\nT: f:3 0\nT: f:4>g:7 -4\n");
    assert_eq!(metrics(&read), [("seconds", Some(1.0), LineKnowledge::SelfAndTotal)]);
    assert_eq!((read.writer.text(), read.span_seconds), (Some("py-spy@0.4.0"), None));
    let symbols = stacks(&read).symbols();
    assert_eq!(symbols.funcs.len(), 3, "a function that executes at two lines is one");
    assert!(symbols.funcs.ids().all(|id| symbols.funcs.get(id).line == 0));
}

#[test]
fn calls_have_self_time() {
    let events = [
        ('O', 0, 0.0),
        ('O', 1, 10.0),
        ('O', 2, 30.0),
        ('C', 2, 60.0),
        ('C', 1, 100.0),
        ('C', 0, 160.0),
    ];
    let read = file(&[&evented("milliseconds", 160.0, &events)]);
    assert_eq!(rows(&read), "e: f:3 70 ×1\ne: f:3>g:7 60 ×1\ne: f:3>g:7>h:0 30 ×1\n");
    assert_eq!(read.span_seconds, Some(0.16));
    // Time before, between and after calls has no stack.
    let events = [('O', 0, 100.0), ('C', 0, 110.0), ('O', 0, 150.0), ('C', 0, 151.0)];
    assert_eq!(
        rows(&file(&[&evented("none", 400.0, &events)])),
        "e: f:3 10 ×1\ne: f:3 1 ×1\ne:  389 ×0\n"
    );
}

#[test]
fn phases_and_their_calls() {
    let names = ["decode", "link", "init", "kernel_run", "f", "g"]
        .map(|name| format!(r#"{{"name":"{name}"}}"#))
        .join(",");
    let events = [
        ('O', 0, 0.0),
        ('C', 0, 5.0),
        ('O', 1, 5.0),
        ('C', 1, 8.0),
        ('O', 2, 8.0),
        ('C', 2, 15.0),
        ('O', 3, 15.0),
        ('O', 4, 20.0),
        ('C', 4, 30.0),
        ('O', 4, 40.0),
        ('O', 5, 45.0),
        ('C', 5, 50.0),
        ('C', 4, 60.0),
        ('C', 3, 75.0),
    ];
    let text = format!(
        r#"{{"profiles":[{}],"shared":{{"frames":[{names}]}}}}"#,
        evented("none", 75.0, &events)
    );
    let read = read_bytes(text.as_bytes()).unwrap();
    assert_eq!(
        rows(&read),
        "e: decode:0 5 ×1\ne: link:0 3 ×1\ne: init:0 7 ×1\ne: kernel_run:0 30 ×1\ne: kernel_run:0>f:0 10 ×1\n\
         e: kernel_run:0>f:0 15 ×1\ne: kernel_run:0>f:0>g:0 5 ×1\n"
    );
    assert_eq!(metrics(&read), [("ticks", None, LineKnowledge::Nothing)]);
    assert_eq!((read.writer.text(), read.span_seconds), (None, None));
}

#[test]
fn unbalanced_events() {
    type Events = &'static [(char, u32, f64)];
    let cases: [(Events, f64, &str); 6] = [
        // The end of an outer call ends the inner ones, whose own ends are then ignored.
        (
            &[('O', 0, 0.0), ('O', 1, 1.0), ('C', 0, 9.0), ('C', 1, 10.0)],
            10.0,
            "e: f:3 1 ×1\ne: f:3>g:7 8 ×1\ne:  1 ×0\nunwound-call 1\nunmatched-end 1\n",
        ),
        (
            &[('O', 0, 0.0), ('O', 1, 1.0), ('O', 2, 2.0)],
            0.0,
            "e: f:3 1 ×1\ne: f:3>g:7 1 ×1\ne: f:3>g:7>h:0 0 ×1\nunfinished-call 3\n",
        ),
        (&[('O', 0, 0.0)], 5.0, "e: f:3 5 ×1\nunfinished-call 1\n"),
        (
            &[('C', 2, 0.0), ('O', 0, 1.0), ('C', 0, 4.0)],
            4.0,
            "e: f:3 3 ×1\ne:  1 ×0\nunmatched-end 1\n",
        ),
        // Not in order of time; recursion; the innermost ends first.
        (
            &[('O', 0, 5.0), ('O', 0, 0.0), ('C', 0, 6.0), ('C', 0, 9.0)],
            9.0,
            "e: f:3 8 ×1\ne: f:3>f:3 1 ×1\n",
        ),
        // A call of no duration is still a call, and one of its caller.
        (
            &[('O', 0, 0.0), ('O', 1, 9.0), ('C', 1, 9.0), ('C', 0, 9.0)],
            9.0,
            "e: f:3 9 ×1\ne: f:3>g:7 0 ×1\n",
        ),
    ];
    for (events, end, expected) in cases {
        assert_eq!(rows(&file(&[&evented("microseconds", end, events)])), expected, "{events:?}");
    }
}

#[test]
fn equal_frames_are_one() {
    let profile = evented("none", 2.0, &[('O', 0, 0.0), ('C', 1, 2.0)]);
    let text = format!(
        r#"{{"shared":{{"frames":[{{"name":"f"}},{{"name":"f","col":null}}]}},"profiles":[{profile}]}}"#
    );
    assert_eq!(rows(&read_bytes(text.as_bytes()).unwrap()), "e: f:0 2 ×1\n");
}

#[test]
fn every_unit_is_a_metric() {
    let sampled = |name: &str, unit: &str| {
        format!(
            r#"{{"type":"sampled","name":"{name}","unit":{unit},"samples":[[0]],"weights":[5]}}"#
        )
    };
    let read = file(&[
        &sampled("a", "\"bytes\""),
        r#"{"type":"sampled","name":"none","unit":"milliseconds","samples":[],"weights":[]}"#,
        &sampled("b", "\"nanoseconds\""),
        &sampled("c", "\"bytes\""),
        &sampled("d", "\"none\""),
        &sampled("e", "null"),
    ]);
    assert_eq!(
        rows(&read),
        "a: f:3 5 0 0\nb: f:3 0 5 0\nc: f:3 5 0 0\nd: f:3 0 0 5\ne: f:3 0 0 5\n"
    );
    assert_eq!(
        metrics(&read).iter().map(|m| (m.0, m.1)).collect::<Vec<_>>(),
        [("bytes", None), ("nanoseconds", Some(1e-9)), ("samples", None)]
    );
    assert_eq!(stacks(&read).threads().len(), 6);
}

#[test]
fn weights_of_other_processes_are_averaged() {
    // rbspy's file of two processes: each has the weights of all samples.
    let pid = |pid: u32, samples: &str| {
        format!(
            r#"{{"type":"sampled","name":"rbspy profile - pid {pid}","unit":"seconds","startValue":0,"endValue":2,"samples":{samples},"weights":[0,0.5,0.25,0.25]}}"#
        )
    };
    let read = file(&[&pid(7, "[[0],[0,1],[0]]"), &pid(8, "[[2]]")]);
    let (seven, eight) = ("rbspy profile - pid 7", "rbspy profile - pid 8");
    assert_eq!(
        rows(&read),
        format!(
            "{seven}: f:3 0.25\n{seven}: f:3>g:7 0.25\n{seven}: f:3 0.25\n{eight}: h:0 0.25\nuneven-columns 2\n"
        )
    );
    let message = &read.warnings.as_slice()[0].message;
    assert_eq!(
        message,
        "profiles[0] has 3 samples but 4 weights; all of its samples have the same weight"
    );
    assert_eq!(
        rows(&file(&[r#"{"unit":"seconds","samples":[[0],[1]]}"#])),
        ": f:3 1\n: g:7 1\n",
        "no weights"
    );
    assert_eq!(rows(&file(&[r#"{"samples":[[0]],"weights":[]}"#])), ": f:3 1\n", "no weights");
}

#[test]
fn sampling_exporters_have_neither_calls_nor_executing_lines() {
    let profile = evented("none", 3.0, &[('O', 0, 0.0), ('C', 0, 3.0)]);
    for (head, expected) in [
        (r#""exporter":"pyinstrument""#, "e: f:3 3\nfunction-lines 1\n"),
        (r#""exporter":"speedscope@1.25.0""#, "e: f:3 3\nfunction-lines 1\n"),
        (
            r#""exporter":"Microsoft.Diagnostics.Tracing.TraceEvent@3.1.16.0""#,
            "e: f:3 3\nfunction-lines 1\n",
        ),
        (r#""version":"0.0.1""#, "e: f:3 3\nfunction-lines 1\n"),
        (r#""version":"0.0.1","exporter":"mine""#, "e: f:3 3 ×1\n"),
        (r#""version":1,"exporter":"py-spy@0.4.0""#, "e: f:3 3 ×1\n"),
        (r#""exporter":null"#, "e: f:3 3 ×1\n"),
    ] {
        assert_eq!(
            rows(
                &read_bytes(format!(r#"{{{head},{FRAMES},"profiles":[{profile}]}}"#).as_bytes())
                    .unwrap()
            ),
            expected,
            "{head}"
        );
    }
}

#[test]
fn own_time_in_files_of_pyinstrument_is_not_a_callee() {
    let names = ["f", "[self]", "[await]", "[out-of-context]", "g"]
        .map(|name| format!(r#"{{"name":"{name}"}}"#))
        .join(",");
    let events = [
        ('O', 0, 0.0),
        ('O', 1, 0.0),
        ('C', 1, 3.0),
        ('O', 4, 3.0),
        ('O', 2, 3.0),
        ('C', 2, 8.0),
        ('C', 4, 9.0),
        ('O', 3, 9.0),
        ('C', 3, 10.0),
        ('C', 0, 10.0),
    ];
    let samples = r#"{"name":"s","unit":"seconds","samples":[[0,1],[0],[0,4,3],[0,4,2],[2]],"weights":[5,1,2,3,4]}"#;
    let text = |exporter: &str| {
        let profiles = format!("{},{samples}", evented("seconds", 10.0, &events));
        format!(
            r#"{{"exporter":"{exporter}","shared":{{"frames":[{names}]}},"profiles":[{profiles}]}}"#
        )
    };
    let read = |exporter| rows(&read_bytes(text(exporter).as_bytes()).unwrap());
    assert_eq!(
        read("pyinstrument"),
        "e: f:0 4\ne: f:0>g:0 6\ns: f:0 5\ns: f:0 1\ns: f:0>g:0 2\ns: f:0>g:0 3\ns:  4\n"
    );
    assert!(
        read("mine").starts_with("e: f:0 0 ×1\ne: f:0>[self]:0 3 ×1\n"),
        "anyone may call a function so"
    );
}

#[test]
fn modules_of_dotnet_are_libraries() {
    let profile =
        evented("milliseconds", 3.0, &[('O', 0, 0.0), ('O', 1, 0.0), ('C', 1, 3.0), ('C', 0, 3.0)]);
    let read = |exporter: &str, leaf: &str| {
        let text = format!(
            r#"{{"exporter":"{exporter}","shared":{{"frames":[{{"name":"Shop!A.Main()"}},{{"name":"{leaf}"}}]}},"profiles":[{profile}]}}"#
        );
        let read = read_bytes(text.as_bytes()).unwrap();
        let symbols = read.recording.symbols();
        let func = symbols.funcs.ids().next().unwrap();
        let lib = symbols.funcs.get(func).lib.map(|lib| symbols.libs[lib.index()].name.clone());
        (symbols.func_name(func).to_owned(), lib)
    };
    let split = || ("A.Main()".to_owned(), Some("Shop".to_owned()));
    assert_eq!(read("Microsoft.Diagnostics.Tracing.TraceEvent@3.1.16.0", "x"), split());
    assert_eq!(read("speedscope@1.3.2", "CPU_TIME"), split(), "older tools of .NET");
    assert_eq!(read("speedscope@1.3.2", "x"), ("Shop!A.Main()".to_owned(), None));
}

#[test]
fn own_time_in_files_of_dotnet_is_not_a_callee() {
    let names = ["Main", "Work", "CPU_TIME", "UNMANAGED_CODE_TIME", "AWAIT_TIME"]
        .map(|name| format!(r#"{{"name":"{name}"}}"#))
        .join(",");
    // 40 ms in the code of `Work`, 30 ms in native code that it calls, 10 ms of waiting, then 20 ms
    // in the code of `Main`.
    let events = [
        ('O', 0, 0.0),
        ('O', 1, 0.0),
        ('O', 2, 0.0),
        ('C', 2, 39.999_999_9),
        ('O', 3, 40.0),
        ('C', 3, 69.999_999_9),
        ('O', 4, 70.0),
        ('C', 4, 80.0),
        ('C', 1, 79.999_999_9),
        ('O', 2, 80.0),
        ('C', 2, 100.0),
        ('C', 0, 100.0),
    ];
    let profile = evented("milliseconds", 100.0, &events);
    let read = |exporter: &str| {
        let text = format!(
            r#"{{"exporter":"{exporter}","shared":{{"frames":[{names}]}},"profiles":[{profile}]}}"#
        );
        rows(&read_bytes(text.as_bytes()).unwrap())
    };
    let expected = "e: Main:0 20\ne: Main:0>Work:0 80\n";
    for exporter in ["Microsoft.Diagnostics.Tracing.TraceEvent@3.1.16.0", "speedscope@1.3.2"] {
        assert_eq!(read(exporter), expected, "{exporter}");
    }
    assert!(read("mine").contains(">CPU_TIME:0 39.9999999 ×1\n"), "anyone may call a function so");
}

#[test]
fn dialects() {
    let profile = evented("none", 3.0, &[('O', 0, 0.0), ('C', 0, 3.0)]);
    let old = format!(
        r#"{{"version":"0.0.1","$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"f"}}]}},"profiles":[{profile}]}}"#
    );
    let read_old = read_bytes(old.as_bytes()).unwrap();
    assert_eq!(
        (rows(&read_old).as_str(), read_old.writer.text()),
        ("e: f:0 3\n", Some("speedscope@0.0.1"))
    );
    // .NET: end values in quotes, unknown lines.
    let net = r#"{"type":"evented","name":"Thread (7)","unit":"milliseconds","startValue":"1.5","endValue":"9.25","events":[{"type":"O","frame":2,"at":2.5},{"type":"C","frame":2,"at":4}]}"#;
    assert_eq!(rows(&file(&[net])), "Thread (7): h:0 1.5 ×1\nThread (7):  6.25 ×0\n");
    let odd = r#"{"startValue":{},"endValue":[2],"events":[{"type":"O","frame":2,"at":2.5},{"type":"C","frame":2,"at":4}]}"#;
    assert_eq!(rows(&file(&[odd])), ": h:0 1.5 ×1\n");
}

#[test]
fn empty_profiles_are_read() {
    let read = file(&[]);
    assert_eq!((rows(&read), metrics(&read)[0].0), (String::new(), "samples"));
    assert_eq!(rows(&file(&[r#"{"type":"flows","name":"?"}"#])), "");
}

#[test]
fn broken_files_are_errors_with_places() {
    let cases = [
        (
            r#"{"samples":[[0],[1,9]]}"#,
            "profiles[0].samples[1]: there is no frame 9; shared.frames has 4",
        ),
        (
            r#"{"events":[{"type":"O","frame":4,"at":0}]}"#,
            "profiles[0].events[0].frame: there is no frame 4; shared.frames has 4",
        ),
        (
            r#"{"events":[{"type":"X","frame":0,"at":0}]}"#,
            "profiles[0].events[0].type: unknown variant `X`, expected `O` or `C`",
        ),
        (
            r#"{"samples":[[0],[1,-9]]}"#,
            "profiles[0].samples[1][1]: is -9, expected the number of a frame",
        ),
        (r#"{"samples":[0]}"#, "profiles[0].samples[0]: expected a list of frames, root first"),
    ];
    for (profile, expected) in cases {
        let text = format!(r#"{{{FRAMES},"profiles":[{profile}]}}"#);
        let error = read_bytes(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed);
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let error = read_bytes(br#"{"shared":{"frames":[{"name":"f"}]},"profiles":[{"samples":[[0,"#)
        .unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::Truncated, At::Byte(63)));
}

#[test]
fn deep_stacks_share_prefixes() {
    let deep = format!("[{}0]", "0,1,".repeat(50_000));
    let read = file(&[&format!(r#"{{"samples":[{deep},{deep},[0,1],{deep}]}}"#)]);
    assert_eq!(stacks(&read).stacks().len(), 100_001);
    let nested: Vec<_> = (0..100_000_u32).map(|at| ('O', 0, f64::from(at))).collect();
    let read = file(&[&evented("none", 100_000.0, &nested)]);
    assert_eq!(
        (stacks(&read).stacks().len(), read.warnings.as_slice()[0].count),
        (100_000, 100_000)
    );
}
