mod operations;
mod sampled;

use super::*;
use crate::error::{At, ErrorKind};
use profile::{Profile, StackAccess};

fn read_bytes(bytes: &[u8]) -> Result<Read, ReadError> {
    crate::input::in_memory(bytes, read)?
}

fn stacks(read: &Read) -> &Profile {
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    profile
}

/// Each thread as `process/name: path weights, path weights`, a path as `caller>callee:line`; then
/// the warnings.
fn threads(text: &str) -> Vec<String> {
    let read = read_bytes(text.as_bytes()).unwrap();
    let profile = stacks(&read);
    let path = |stack| {
        let name = |stack| {
            let frame = profile.frames().get(profile.stacks().frame(stack));
            let position = match (frame.line, frame.column) {
                (0, _) => String::new(),
                (line, 0) => format!(":{line}"),
                (line, column) => format!(":{line}:{column}"),
            };
            let idle = if profile.stacks().is_idle(stack) { " idle" } else { "" };
            format!("{}{position}{idle}", profile.symbols().func_name(frame.func))
        };
        let mut names: Vec<_> =
            std::iter::successors(stack, |&stack| profile.stacks().prefix(stack))
                .map(name)
                .collect();
        names.reverse();
        names.join(">")
    };
    let thread = |(thread, samples): (&Thread, &Samples)| {
        let row = |i: usize| {
            let weights: Vec<_> =
                samples.weights().iter().map(|weights| weights.get(i).to_string()).collect();
            format!("{} {}", path(samples.stack(i)), weights.join(" "))
        };
        let rows: Vec<_> = (0..samples.len()).map(row).collect();
        let id = |id: &Option<String>| id.clone().unwrap_or_default();
        let (process, name) = (&thread.process_name, &thread.name);
        format!("{process}/{name} {}/{}: {}", id(&thread.pid), id(&thread.tid), rows.join(", "))
    };
    let warnings = read
        .warnings
        .as_slice()
        .iter()
        .map(|warning| format!("{} {}", warning.code, warning.count));
    profile.sampled_threads().map(thread).chain(warnings).collect()
}

/// Events of one thread, from `ph name ts` and, for `X`, a duration.
fn events(text: &str) -> String {
    let event = |event: &str| {
        let mut words = event.split(' ');
        let mut word = || words.next().unwrap_or("0");
        let (ph, name, ts, dur) = (word(), word(), word(), word());
        format!(r#"{{"ph":"{ph}","name":"{name}","pid":1,"tid":2,"ts":{ts},"dur":{dur}}}"#)
    };
    format!("[{}]", text.split(", ").map(event).collect::<Vec<_>>().join(",\n"))
}

/// The only thread of a trace, and the warnings.
fn rows(text: &str) -> String {
    threads(&events(text)).join("; ").replace("/ 1/2: ", "")
}

/// Times are in milliseconds, calls are runs of equal samples, and `CPU_TIME` is no method.
#[test]
fn samples_of_dotnet_trace() {
    let event = |(ph, name, ts): (&str, &str, f64)| {
        format!(
            r#"{{"name":"{name}","cat":"sampleEvent","ph":"{ph}","ts":{ts},"pid":1,"tid":2,"sf":0}}"#
        )
    };
    let events = [
        ("B", "A.Main()", 100.0),
        ("B", "A.Work()", 100.0),
        ("B", "CPU_TIME", 100.0),
        ("E", "CPU_TIME", 140.499_999_9),
        ("E", "A.Work()", 140.499_999_9),
        ("B", "UNMANAGED_CODE_TIME", 140.5),
        ("E", "UNMANAGED_CODE_TIME", 160.0),
        ("E", "A.Main()", 160.0),
    ];
    let events = events.map(event).join(", ");
    let text = format!(
        r#"{{"traceEvents": [{events}], "displayTimeUnit": "ms", "stackFrames": {{}}, "otherData": {{"name": "app"}}}}"#
    );
    assert_eq!(threads(&text), ["/ 1/2: A.Main() 19500, A.Main()>A.Work() 40500"]);
    let read = read_bytes(text.as_bytes()).unwrap();
    assert_eq!((read.writer.dialect, read.span_seconds), (Some(Dialect::DotNet), Some(0.06)));
    let samples = stacks(&read).samples();
    assert!(samples.iter().all(|samples| samples.calls().is_none()));
}

#[test]
fn self_time_excludes_callees() {
    let expected = "f 70, f>g 60, f>g>h 30";
    assert_eq!(rows("B f 0, B g 10, B h 30, E h 60, E g 100, E f 160"), expected);
    assert_eq!(rows("X h 30 30, X g 10 90, X f 0 160"), expected);
    assert_eq!(rows("X Foo 0 50, X Bar 10 30"), "Foo 20, Foo>Bar 30");
    assert_eq!(
        rows(
            "X decode 0 5, X link 5 3, X init 8 7, B kernel_run 15, B f 20, E f 30, B f 40, B g 45, E g 50, E f 60, E kernel_run 75"
        ),
        "decode 5, link 3, init 7, kernel_run 30, kernel_run>f 10, kernel_run>f 15, kernel_run>f>g 5"
    );
}

#[test]
fn events_that_do_not_nest_are_cut_and_warned_of() {
    assert_eq!(rows("X alpha 0 10, X beta 5 10"), "alpha 5, alpha>beta 5; overlapping-call 1");
    assert_eq!(
        rows("B alpha 0, B beta 1, E alpha 9, E beta 10"),
        "alpha 1, alpha>beta 8; unwound-call 1; unmatched-end 1"
    );
    assert_eq!(rows("B A 0, B B 1, B C 2"), "A 1, A>B 1, A>B>C 0; unfinished-call 3");
    assert_eq!(rows("B f 3, E f 1"), "f 0; unmatched-end 1; unfinished-call 1");
    assert_eq!(rows("X f 5 -3"), "f 0");
}

#[test]
fn only_calls_make_stacks() {
    let text = "n a 1, S a 1, F a 2, i i 3, I I 3, C c 3, s s 4, t s 4, f s 4, P p 5, N o 5, D o 6, R r 7, X f 10 5";
    assert_eq!(rows(text), "f 5");
}

#[test]
fn numbers_are_numbers_or_strings_and_names_may_come_late() {
    let text = r#"{"displayTimeUnit":"ms","traceEvents":[
        {"ph":"B","name":"f","pid":"7","tid":1,"ts":"0.5"},
        {"ph":"B","name":"g","pid":7,"tid":"1","ts":1.25,"args":null,"cat":null},
        {"ph":"E","pid":7,"tid":1,"ts":"2"},
        {"ph":"E","pid":7,"tid":1,"ts":3e0},
        {"ph":"X","name":"h","pid":8,"tid":1,"ts":0,"tdur":4},
        {"ph":"M","name":"process_name","pid":7,"args":{"name":"server"}},
        {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"worker \u0031"}},
    ],"otherData":{"version":"x"}}"#;
    assert_eq!(threads(text), ["server/worker 1 7/1: f 1.75, f>g 0.75", "/ 8/1: h 4"]);
    assert_eq!(read_bytes(text.as_bytes()).unwrap().span_seconds, Some(4e-6));
}

#[test]
fn calls_are_counted() {
    let read = read_bytes(events("X f 0 9, X g 1 1, X g 3 1").as_bytes()).unwrap();
    assert_eq!(stacks(&read).samples()[0].calls(), Some([1, 1, 1].as_slice()));
}

#[test]
fn processor_time_is_a_metric_where_every_call_has_it() {
    let text = r#"[{"ph":"B","name":"f","ts":0,"tts":5},{"ph":"X","name":"g","ts":2,"tts":6,"dur":4,"tdur":1},
        {"ph":"E","name":"f","ts":10,"tts":9},{"ph":"M","name":"thread_name","args":{"name":"t"}}]"#;
    assert_eq!(threads(text), ["/t /: f 6 3, f>g 4 1"]);
    let metrics = |text: &str| {
        let read = read_bytes(text.as_bytes()).unwrap();
        read.recording
            .metrics()
            .iter()
            .map(|m| format!("{} {} {:?}", m.name, m.unit, m.lines))
            .collect::<Vec<_>>()
    };
    assert_eq!(metrics(text), ["time us Nothing", "cpu us Nothing"]);
    assert_eq!(metrics(&text.replace(r#","tdur":1"#, "")), ["time us Nothing"]);
    let placed = r#"[{"ph":"X","name":"f","ts":0,"dur":1,"args":{"filename":"a.py","line":7}}]"#;
    assert_eq!(metrics(placed), ["time us SelfAndTotal"]);
}

#[test]
fn the_place_of_an_end_event_wins() {
    let text = |end: &str| {
        format!(
            r#"[{{"ph":"B","name":"f","ts":0,".file":"a.rs",".line":1}},{{"ph":"E","name":"f","ts":2{end}}}]"#
        )
    };
    assert_eq!(threads(&text("")), ["/ /: f:1 2"]);
    assert_eq!(threads(&text(r#","args":{"x":1},".file":"a.rs",".line":5"#)), ["/ /: f:5 2"]);
}

/// The outermost calls of threads, once py-spy knows their names.
#[test]
fn threads_of_py_spy_have_names() {
    let event = |ph: &str, name: &str, tid: u32, ts: u32| {
        format!(r#"{{"cat":"py-spy","name":"{name}","ph":"{ph}","pid":1,"tid":{tid},"ts":{ts}}}"#)
    };
    let trace = [
        event("B", "thread (9)", 9, 0),
        event("E", "thread (9)", 9, 1),
        event("B", "thread (9): Main", 9, 1),
        event("E", "thread (9): Main", 9, 3),
        event("B", "f", 5, 1),
        event("E", "f", 5, 2),
    ];
    let expected = ["/Main 1/9: thread (9) 1, thread (9): Main 2", "/ 1/5: f 1"];
    assert_eq!(threads(&format!("[{}]", trace.join(","))), expected);
}

#[test]
fn py_spy_ends_calls_under_the_id_of_another_process() {
    let event = |ph: &str, name: &str, pid: u32, tid: u32, ts: u32| {
        format!(
            r#"{{"args":{{"filename":"a.py","line":{tid}}},"cat":"py-spy","name":"{name}","ph":"{ph}","pid":{pid},"tid":{tid},"ts":{ts}}}"#
        )
    };
    let trace = [
        event("B", "main", 1, 9, 0),
        event("B", "f", 1, 9, 0),
        event("E", "f", 2, 9, 4),
        event("E", "main", 2, 9, 4),
        event("B", "child", 2, 9, 4),
        event("B", "alone", 1, 5, 4),
        event("E", "child", 1, 9, 10),
        event("E", "alone", 1, 5, 12),
    ];
    let text = format!("[{}]", trace.join(","));
    assert_eq!(
        threads(&text),
        ["/ /9: main:9 0, main:9>f:9 4, child:9 6", "/ 1/5: alone:5 8", "shared-thread-id 1"]
    );
    let calls = |text: &str| {
        stacks(&read_bytes(text.as_bytes()).unwrap()).samples()[0].calls().map(<[u32]>::len)
    };
    assert_eq!(
        (calls(&text), calls(&text.replace("py-spy", "x"))),
        (None, Some(2)),
        "py-spy samples"
    );
    // Other tools use ids as they should.
    let other = threads(&text.replace("py-spy", "x"));
    assert_eq!(other[3..], ["unmatched-end 3", "unfinished-call 3"]);
}

#[test]
fn the_writer_is_named_or_recognised() {
    let check = |text: &str, name: Option<&str>, dialect: Option<Dialect>| {
        let writer = read_bytes(text.as_bytes()).unwrap().writer;
        assert_eq!((writer.text(), writer.dialect), (name, dialect), "{text}");
    };
    let x = r#"{"ph":"X","name":"f","ts":0,"dur":1,"cat":"c"}"#;
    check(&format!("[{x}]"), None, None);
    let py_spy = x.replace("\"c\"", "\"py-spy\"");
    check(&format!("[{py_spy}]"), Some("py-spy"), Some(Dialect::PySpy));
    let rust = x.replace("\"ts\"", "\".file\":\"a.rs\",\"ts\"");
    check(&format!("[{rust}]"), Some("tracing-chrome"), Some(Dialect::TracingChrome));
    check(&format!("[{py_spy},{rust}]"), Some("py-spy"), Some(Dialect::PySpy));
    let viztracer = format!(
        r#"{{"traceEvents":[{x}],"viztracer_metadata":{{"overflow":false,"version":"1.1.1"}}}}"#
    );
    check(&viztracer, Some("viztracer@1.1.1"), Some(Dialect::VizTracer));
    let chrome = format!(
        r#"{{"traceEvents":[{x}],"metadata":{{"product-version":"HeadlessChrome/156.0"}}}}"#
    );
    check(&chrome, Some("HeadlessChrome@156.0"), None);
    let node = format!(r#"[{x},{{"ph":"M","name":"version","args":{{"node":"20.20.2"}}}}]"#);
    check(&node, Some("node@20.20.2"), Some(Dialect::Node));
}

/// `VizTracer` replaces the earliest calls in a full buffer: here those of `g` that ended first.
#[test]
fn a_full_buffer_of_viztracer_is_said() {
    let text = |overflow| {
        format!(
            r#"{{"traceEvents":{},"viztracer_metadata":{{"overflow":{overflow},"version":"1.1.1"}}}}"#,
            events("X g 7 2, X f 0 9")
        )
    };
    assert_eq!(threads(&text("false")), ["/ 1/2: f 7, f>g 2"]);
    assert_eq!(threads(&text("true")), ["/ 1/2: f 7, f>g 2", "truncated 1"]);
    let read = read_bytes(text("true").as_bytes()).unwrap();
    assert_eq!(read.writer.text(), Some("viztracer@1.1.1"));
    let message = &read.warnings.as_slice()[0].message;
    assert!(message.ends_with("record with a larger `--tracer_entries`"), "{message}");
    let whole = crate::read(text("true").into_bytes(), crate::Limits::default(), &mut |_| {
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!(whole.unwrap().truncated, Some(true));
}

#[test]
fn partial_traces_are_read() {
    let whole = events("X f 0 9, X g 1 1");
    let second = whole.rfind('{').unwrap();
    for text in
        [&whole[..whole.len() - 1], &whole[..second], &whole[..second - 1], &whole[..second + 9]]
    {
        let threads = threads(text);
        let both = text.len() == whole.len() - 1;
        assert_eq!(
            threads,
            [if both { "/ 1/2: f 8, f>g 1" } else { "/ 1/2: f 9" }, "truncated 1"],
            "{text}"
        );
    }
    let error = read_bytes(&whole.as_bytes()[..9]).unwrap_err();
    assert_eq!((error.kind, error.at), (ErrorKind::Truncated, At::Byte(9)));
    assert_eq!(threads(&whole.replace(']', ",]")), ["/ 1/2: f 8, f>g 1"]);
    assert_eq!(threads(&whole.replace(",\n", ";\n")), ["/ 1/2: f 9", "malformed 1"]);
}

#[test]
fn one_bad_event_is_left_out() {
    let text = events("X f 0 9, X g 1 1, X h 3 1, X i 5 1")
        .replace("\"ts\":1,", "\"ts\":[],")
        .replace("\"h\"", "7");
    assert_eq!(threads(&text), ["/ 1/2: f 8, f>i 1", "no-time 1", "malformed-event 1"]);
    let read = read_bytes(text.as_bytes()).unwrap();
    let message = &read.warnings.as_slice()[1].message;
    let start = text.rfind(r#"{"ph":"X","name":7"#).unwrap();
    assert!(
        message.starts_with(&format!(
            "the event at byte {start} is left out: invalid type: integer `7`"
        )),
        "{message}"
    );
}

#[test]
fn a_hundred_thousand_levels_and_events_are_read_without_recursion() {
    let n = 100_000;
    let begins = (0..n)
        .map(|i| format!(r#"{{"ph":"B","name":"f","ts":{i}}}"#))
        .collect::<Vec<_>>()
        .join(",");
    let deep = read_bytes(format!("[{begins}").as_bytes()).unwrap();
    assert_eq!(stacks(&deep).stacks().len(), n);
    let nested = format!(
        r#"[{{"ph":"X","name":"f","ts":0,"dur":1,"args":{}1{}}}]"#,
        "[".repeat(n),
        "]".repeat(n)
    );
    assert_eq!(threads(&nested), ["/ /: f 1"]);
}

/// Names, units and lines of the metrics.
fn metrics(text: &str) -> Vec<(String, String, LineKnowledge)> {
    let read = read_bytes(text.as_bytes()).unwrap();
    read.recording.metrics().iter().map(|m| (m.name.clone(), m.unit.clone(), m.lines)).collect()
}

#[test]
fn events_of_one_time_and_in_any_order() {
    // At equal times, ends come before beginnings, the innermost first; a call of no duration is
    // still a call.
    assert_eq!(rows("B f 0, B g 5, E f 5, E g 9"), "f 5, g 4");
    assert_eq!(rows("B f 0, B g 2, E f 9, E g 9"), "f 2, f>g 7");
    assert_eq!(rows("B f 0, B g 5, E g 5, E f 9"), "f 9, f>g 0");
    assert_eq!(rows("X in 0 2, X out 0 9, X none 0 0"), "out 7, out>in 2, out>in>none 0");
    // A tail call and recursion need no special case.
    assert_eq!(rows("B m 0, B f 1, E f 4, B g 4, E g 6, E m 6"), "m 1, m>f 3, m>g 2");
    assert_eq!(rows("B f 0, B f 1, B f 2, E f 3, E f 5, E f 9"), "f 5, f>f 3, f>f>f 1");
    // Times in any order; ends without a call are ignored.
    assert_eq!(rows("E f 160, B h 30, E h 60, B f 0, E g 100, B g 10"), "f 70, f>g 60, f>g>h 30");
    assert_eq!(rows("E x 0, B f 1, E y 2, E f 4"), "f 3; unmatched-end 2");
}

#[test]
fn pytorch_puts_the_place_into_the_name() {
    let event = |cat: &str, name: &str, ts: u32, dur: u32| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":7,"tid":7,"ts":{ts},"dur":{dur},"args":{{"Python id":1}}}}"#
        )
    };
    let events = [
        event("python_function", "train.py(12): step", 0, 100),
        event("python_function", "nn.Module: Net_0", 20, 60),
        event("python_function", "layers.py(40): forward", 30, 30),
        event("cpu_op", "aten::mm", 40, 5),
    ];
    let text = format!(
        r#"{{"schemaVersion":1,"deviceProperties":[],"traceEvents":[{}]}}"#,
        events.join(",")
    );
    let expected = "/ 7/7: step:12 40, step:12>Net_0 30, step:12>Net_0>forward:40 25, step:12>Net_0>forward:40>aten::mm 5";
    assert_eq!(
        threads(&text),
        [&*expected.replace("Net_0", "nn.Module: Net_0"), "function-lines 1"]
    );
    assert_eq!(read_bytes(text.as_bytes()).unwrap().writer.text(), Some("PyTorch"));
}
