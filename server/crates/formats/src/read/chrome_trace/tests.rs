use super::*;
use crate::error::ErrorKind;
use profile::{Profile, StackAccess};

fn stacks(read: &Read) -> &Profile {
    let Recording::Stacks(profile) = &read.recording else { panic!("it has stacks") };
    profile
}

/// Each thread as `process/name: path weights, path weights`, a path as `caller>callee:line`; then
/// the warnings.
fn threads(text: &str) -> Vec<String> {
    let read = read(text.as_bytes()).unwrap();
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

/// Events of one thread, as `ph name ts` and for `X` a duration.
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

#[test]
fn a_caller_stands_still_while_its_callees_run() {
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
fn what_does_not_nest_is_cut_and_said() {
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
    assert_eq!(read(text.as_bytes()).unwrap().span_seconds, Some(4e-6));
}

#[test]
fn calls_are_counted() {
    let read = read(events("X f 0 9, X g 1 1, X g 3 1").as_bytes()).unwrap();
    assert_eq!(stacks(&read).samples()[0].calls(), Some([1, 1, 1].as_slice()));
}

#[test]
fn processor_time_is_a_metric_where_every_call_has_it() {
    let text = r#"[{"ph":"B","name":"f","ts":0,"tts":5},{"ph":"X","name":"g","ts":2,"tts":6,"dur":4,"tdur":1},
        {"ph":"E","name":"f","ts":10,"tts":9},{"ph":"M","name":"thread_name","args":{"name":"t"}}]"#;
    assert_eq!(threads(text), ["/t /: f 6 3, f>g 4 1"]);
    let metrics = |text: &str| {
        let read = read(text.as_bytes()).unwrap();
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
fn the_place_that_an_end_gives_wins() {
    let text = |end: &str| {
        format!(
            r#"[{{"ph":"B","name":"f","ts":0,".file":"a.rs",".line":1}},{{"ph":"E","name":"f","ts":2{end}}}]"#
        )
    };
    assert_eq!(threads(&text("")), ["/ /: f:1 2"]);
    assert_eq!(threads(&text(r#","args":{"x":1},".file":"a.rs",".line":5"#)), ["/ /: f:5 2"]);
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
    let calls =
        |text: &str| stacks(&read(text.as_bytes()).unwrap()).samples()[0].calls().map(<[u32]>::len);
    assert_eq!(
        (calls(&text), calls(&text.replace("py-spy", "x"))),
        (None, Some(2)),
        "py-spy samples"
    );
    // Other tools mean what they say.
    let other = threads(&text.replace("py-spy", "x"));
    assert_eq!(other[3..], ["unmatched-end 3", "unfinished-call 3"]);
}

#[test]
fn the_writer_is_named_or_recognised() {
    let check = |text: &str, name: Option<&str>, dialect: Option<Dialect>| {
        let writer = read(text.as_bytes()).unwrap().writer;
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

#[test]
fn half_a_trace_is_a_trace() {
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
    let error = read(&whole.as_bytes()[..9]).unwrap_err();
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
    let read = read(text.as_bytes()).unwrap();
    let message = &read.warnings.as_slice()[1].message;
    let start = text.rfind(r#"{"ph":"X","name":7"#).unwrap();
    assert!(
        message.starts_with(&format!(
            "the event at byte {start} is left out: invalid type: integer `7`"
        )),
        "{message}"
    );
}

/// A `Profile` or `ProfileChunk` of one process.
fn chunk(pid: u32, ts: u32, data: &str) -> String {
    let name = if data.contains("startTime") { "Profile" } else { "ProfileChunk" };
    format!(
        r#"{{"ph":"P","name":"{name}","id":"0x1","pid":{pid},"tid":{ts},"ts":{ts},"args":{{"data":{{{data}}}}}}}"#
    )
}

fn node(id: u32, parent: u32, name: &str, url: &str, line: i64) -> String {
    let frame = format!(
        r#""callFrame":{{"functionName":"{name}","scriptId":6,"url":"{url}","lineNumber":{line}}}"#
    );
    format!(r#"{{"id":{id},{frame},"parent":{parent}}}"#)
}

const ROOT: &str =
    r#"{"id":1,"callFrame":{"codeType":"other","functionName":"(root)","scriptId":0}}"#;

#[test]
fn samples_of_javascript_are_put_together_from_chunks() {
    let first = format!(
        r#""cpuProfile":{{"nodes":[{},{ROOT},{}],"samples":[3,1,2]}},"lines":[7,0,0],"columns":[3,0,0],"timeDeltas":[10,20,30]"#,
        node(3, 4, "", "file:///x%20y.js", 5),
        node(2, 1, "(idle)", "", -1),
    );
    let second = format!(
        r#""cpuProfile":{{"nodes":[{},{}],"samples":[4,5,9,3]}},"lines":[9,8,0],"timeDeltas":[-5,40,5,1],"endTime":1111"#,
        node(4, 1, "main", "file:///x%20y.js", 0),
        node(5, 3, "now", "", -1),
    );
    let other = format!(
        r#""cpuProfile":{{"nodes":[{}],"samples":[1]}},"timeDeltas":[5]"#,
        node(1, 0, "own", "a.js", 0)
    );
    let trace = [
        // Chunks in any order; the same id in another process; the browser's timeline.
        chunk(7, 30, &second),
        chunk(7, 20, &first),
        chunk(7, 10, r#""startTime":1000"#),
        chunk(8, 20, &other),
        r#"{"ph":"X","name":"RunTask","pid":7,"tid":10,"ts":0,"dur":999}"#.to_owned(),
        r#"{"ph":"M","name":"thread_name","pid":7,"tid":10,"args":{"name":"CrRendererMain"}}"#
            .to_owned(),
    ];
    let text = format!(r#"{{"traceEvents":[{}]}}"#, trace.join(","));
    assert_eq!(
        threads(&text),
        [
            // The second sample is on the root; natives have no lines; the last one lasts until the
            // end.
            "/CrRendererMain 7/10: main>(anonymous):7:3 1 20,  1 30, (idle) idle 1 0, main:9 1 35, \
             main>(anonymous)>now 1 5,  1 1, main>(anonymous) 1 10",
            "/ 8/: own 1 0",
            "unknown-caller 1",
            "unknown-node 1",
        ]
    );
    let read = read(text.as_bytes()).unwrap();
    let metrics: Vec<_> = read
        .recording
        .metrics()
        .iter()
        .map(|m| (m.name.as_str(), m.unit.as_str(), m.lines))
        .collect();
    assert_eq!(
        metrics,
        [("samples", "samples", LineKnowledge::SelfOnly), ("time", "us", LineKnowledge::SelfOnly)]
    );
    let funcs = &stacks(&read).symbols().funcs;
    let starts: Vec<u32> = funcs.ids().map(|id| funcs.get(id).line).collect();
    assert_eq!(starts, [1, 6, 0, 0, 1]);
    assert_eq!(read.span_seconds, Some(101e-6));
}

#[test]
fn pages_of_the_browser_are_left_out_beside_others() {
    let page = |pid: u32, url: &str| {
        chunk(
            pid,
            1,
            &format!(
                r#""cpuProfile":{{"nodes":[{ROOT},{}],"samples":[2]}}"#,
                node(2, 1, "f", url, 0)
            ),
        )
    };
    let (own, foreign) = (page(1, "http://h/x.js"), page(2, "chrome://resources/lit.js"));
    assert_eq!(threads(&format!("[{own},{foreign}]")), ["/ 1/: f 1 0", "browser-page 1"]);
    assert_eq!(threads(&format!("[{foreign}]")), ["/ 2/: f 1 0"]);
}

#[test]
fn samples_beside_the_events_have_a_tree_of_frames() {
    let text = r#"{"traceEvents":[
        {"name":"process_name","ph":"M","pid":5,"ts":"900","tid":"-1","args":{"name":"hermes"}},
        {"name":"thread_name","ph":"M","pid":5,"ts":"900","tid":"70","args":{"name":"mqt_js"}},
        {"name":"mqt_js","cat":"mqt_js","ph":"X","dur":0,"pid":5,"ts":"900","tid":"70","args":{}}],
        "samples":[
        {"cpu":"-1","name":"","ts":"1000","pid":5,"tid":"70","weight":"1","sf":4},
        {"cpu":"-1","name":"","ts":"2500","pid":5,"tid":"70","weight":"2","sf":3},
        {"cpu":"-1","name":"","ts":"3000","pid":5,"tid":"70","weight":"1","sf":1},
        {"cpu":"-1","name":"","ts":"3000","pid":5,"tid":"71","sf":9}],
        "stackFrames":{
        "1":{"name":"[root]","category":"root"},
        "4":{"name":"[Native] map","category":"Native","parent":3},
        "3":{"line":"12","column":"7","funcLine":"10","funcColumn":"1","name":"sum(/app/x.js:12:7)","category":"JavaScript","parent":2},
        "2":{"funcVirtAddr":"12","offset":"3","name":"global","category":"JavaScript","parent":1}}}"#;
    assert_eq!(
        threads(text),
        [
            "hermes/mqt_js 5/70: global>sum:12:7>[Native] map 1, global>sum:12:7 2,  1",
            "hermes/ 5/71:  1",
            "unknown-frame 1"
        ]
    );
    let read = read(text.as_bytes()).unwrap();
    assert_eq!(
        (read.span_seconds, read.recording.metrics()[0].lines),
        (Some(0.002), LineKnowledge::SelfAndTotal)
    );
    let symbols = stacks(&read).symbols();
    let file = |id| {
        symbols
            .funcs
            .get(id)
            .source
            .map(|source| (symbols.source_name(source), symbols.funcs.get(id).line))
    };
    assert_eq!(symbols.funcs.ids().filter_map(file).collect::<Vec<_>>(), [("/app/x.js", 10)]);
    let error = super::read(text.replace("\"parent\":1}", "\"parent\":3}").as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("stackFrames: frame ") && error.ends_with(" is its own parent"),
        "{error}"
    );
}

#[test]
fn a_circle_of_callers_is_refused() {
    let data = format!(
        r#""cpuProfile":{{"nodes":[{},{}],"samples":[1]}}"#,
        node(1, 2, "f", "", 0),
        node(2, 1, "g", "", 0)
    );
    let error = read(format!("[{}]", chunk(1, 1, &data)).as_bytes()).unwrap_err();
    assert_eq!(
        (error.kind, error.to_string().as_str()),
        (ErrorKind::Malformed, "args.data.cpuProfile.nodes: node 1 is its own caller")
    );
}

#[test]
fn a_hundred_thousand_levels_and_events_are_read_without_recursion() {
    let n = 100_000;
    let begins = (0..n)
        .map(|i| format!(r#"{{"ph":"B","name":"f","ts":{i}}}"#))
        .collect::<Vec<_>>()
        .join(",");
    let deep = read(format!("[{begins}").as_bytes()).unwrap();
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
    let read = read(text.as_bytes()).unwrap();
    read.recording.metrics().iter().map(|m| (m.name.clone(), m.unit.clone(), m.lines)).collect()
}

/// Three nodes with hits: of 6 in `f`, 2 + 1 on line 8 and 1 on line 7, as JSON without the braces
/// of the object.
fn counted_nodes(link: fn(u32) -> &'static str) -> String {
    let frame = |name: &str, url: &str, line: i64| {
        format!(r#""callFrame":{{"functionName":"{name}","url":"{url}","lineNumber":{line}}}"#)
    };
    let ticks = r#"[{"line":8,"ticks":2},{"line":7,"ticks":1},{"line":8,"ticks":1}]"#;
    format!(
        r#""nodes":[{{"id":1{},{}}},{{"id":2{},{},"hitCount":0}},{{"id":3{},{},"hitCount":6,"positionTicks":{ticks}}}]"#,
        link(1),
        frame("(root)", "", -1),
        link(2),
        frame("main", "file:///m.js", 0),
        link(3),
        frame("f", "file:///x.js", 4),
    )
}

#[test]
fn hits_of_nodes_have_lines_where_samples_have_none() {
    let nodes = counted_nodes(|id| ["", r#","parent":1"#, r#","parent":2"#][id as usize - 1]);
    let data = format!(r#""cpuProfile":{{{nodes},"samples":[3,2,9]}},"timeDeltas":[10,20,30]"#);
    let text = |data: &str| {
        format!("[{},{}]", chunk(7, 10, r#""startTime":1000,"endTime":1100"#), chunk(7, 20, data))
    };
    // The first sample is at 10, the last lasts from 60 to the end at 100.
    assert_eq!(
        threads(&text(&data)),
        ["/ 7/10: main 0 30, main>f:7 1 3, main>f:8 3 10, main>f 2 7,  0 40", "unknown-node 1"]
    );
    let expected =
        [("hits", "hits", LineKnowledge::SelfOnly), ("time", "us", LineKnowledge::SelfEstimated)];
    assert_eq!(
        metrics(&text(&data)),
        expected.map(|(name, unit, lines)| (name.to_owned(), unit.to_owned(), lines))
    );
    // A node may count again in a later chunk.
    let later =
        format!(r#""cpuProfile":{{{}}}"#, nodes.replace("\"hitCount\":6", "\"hitCount\":4"));
    let both = format!("[{},{}]", chunk(7, 20, &data), chunk(7, 30, &later));
    assert_eq!(
        threads(&both)[0],
        "/ 7/: main 0 30, main>f:7 1 3, main>f:8 3 10, main>f 2 7, main>f:7 1 0, main>f:8 3 0"
    );
    // Lines of samples say more.
    let with_lines = text(&format!(r#"{data},"lines":[5,0,0]"#));
    assert_eq!(threads(&with_lines), ["/ 7/10: main>f:5 1 20, main 1 30,  1 40", "unknown-node 1"]);
}

#[test]
fn a_whole_profile_may_be_one_event() {
    let nodes =
        counted_nodes(|id| [r#","children":[2]"#, r#","children":[3]"#, ""][id as usize - 1]);
    let profile = format!(
        r#"{{{nodes},"samples":[3,2],"timeDeltas":[10,20],"startTime":1000,"endTime":1100}}"#
    );
    let event = |ph: &str, tid: u32| {
        format!(
            r#"{{"ph":"{ph}","name":"CpuProfile","pid":1,"tid":{tid},"ts":5,"dur":9,"args":{{"data":{{"cpuProfile":{profile}}}}}}}"#
        )
    };
    let rows = "main 0 70, main>f:7 1 3, main>f:8 3 10, main>f 2 7";
    // One beside the other, whatever their phase; what the timeline says is left out.
    let text = format!(
        "[{},{},{}]",
        event("X", 2),
        event("I", 3),
        r#"{"ph":"X","name":"RunTask","ts":0,"dur":9}"#
    );
    assert_eq!(threads(&text), [format!("/ 1/2: {rows}"), format!("/ 1/3: {rows}")]);
    assert_eq!(read(text.as_bytes()).unwrap().span_seconds, Some(90e-6));
    let alone = crate::read::cpuprofile::read(profile.as_bytes()).unwrap();
    let whole = read(text.as_bytes()).unwrap();
    let weights = |read: &Read| stacks(read).samples()[0].weights().to_vec();
    assert_eq!(weights(&whole), weights(&alone), "as the same profile in a file of its own");
    // A call that is named so is a call.
    assert_eq!(self::rows("X CpuProfile 0 9"), "CpuProfile 9");
    let circle = text.replace(r#""children":[2]"#, r#""children":[2,3]"#);
    let error = read(circle.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "nodes[1].children[0]: node 3 has two callers; expected a tree");
}

#[test]
fn events_with_stacks_are_samples_where_nothing_else_is() {
    let event = |ph: &str, tid: u32, ts: u32, stack: &str| {
        format!(
            r#"{{"ph":"{ph}","name":"cycles","cat":"p","pid":1,"tid":{tid},"ts":{ts},{stack}}}"#
        )
    };
    let frames = r#"{"5":{"name":"main","category":"my app","file":"src/main.c","line":12},
        "7":{"parent":"5","name":"parse","category":"libp.so"},"8":{"parent":7,"name":"","file":"h.c"}}"#;
    let text = |events: &[String]| {
        format!(r#"{{"traceEvents":[{}],"stackFrames":{frames}}}"#, events.join(","))
    };
    let samples = [
        event("P", 2, 1000, r#""sf":7"#),
        event("P", 2, 2000, r#""sf":"5""#),
        event("P", 3, 2500, r#""stack":["main","0x12"]"#),
        event("P", 2, 4000, r#""sf":8"#),
        event("P", 2, 4000, r#""sf":9"#),
        event("P", 2, 4000, r#""stack":7"#),
        event("P", 2, 9000, r#""args":{}"#),
    ];
    let rows = [
        "/ 1/2: main:12>parse 1, main:12 1, main:12>parse> 1,  1,  1",
        "/ 1/3: main>0x12 1",
        "unknown-frame 2",
    ];
    assert_eq!(threads(&text(&samples)), rows);
    assert_eq!(
        metrics(&text(&samples)),
        [("samples".to_owned(), "samples".to_owned(), LineKnowledge::SelfAndTotal)]
    );
    assert_eq!(read(text(&samples).as_bytes()).unwrap().span_seconds, Some(0.003));
    // Instants are samples only where there are no sample events, and neither are where there are
    // calls.
    let instants = [event("i", 2, 1, r#""sf":7"#), event("I", 2, 2, r#""stack":["a"]"#)];
    assert_eq!(threads(&text(&instants)), ["/ 1/2: main:12>parse 1, a 1"]);
    assert_eq!(threads(&text(&[&samples[..], &instants].concat())), rows);
    let call = event("X", 2, 0, r#""dur":4,"sf":7"#);
    let calls = threads(&text(&[&samples[..], std::slice::from_ref(&call)].concat()));
    assert_eq!(calls, ["/ 1/2: cycles 4"], "the stack of a call is not read");
    let no_samples = text(&[call]).replace("\"stackFrames\"", "\"samples\":[],\"stackFrames\"");
    assert_eq!(threads(&no_samples), ["/ 1/2: cycles 4"]);
    // No frames at all.
    assert_eq!(
        threads(&format!("[{},{}]", samples[0], samples[2])),
        ["/ 1/2:  1", "/ 1/3: main>0x12 1", "unknown-frame 1"]
    );
}

#[test]
fn events_of_one_time_and_in_any_order() {
    // Ends of a time come before beginnings, the innermost first; a call without length is still
    // one.
    assert_eq!(rows("B f 0, B g 5, E f 5, E g 9"), "f 5, g 4");
    assert_eq!(rows("B f 0, B g 2, E f 9, E g 9"), "f 2, f>g 7");
    assert_eq!(rows("B f 0, B g 5, E g 5, E f 9"), "f 9, f>g 0");
    assert_eq!(rows("X in 0 2, X out 0 9, X none 0 0"), "out 7, out>in 2, out>in>none 0");
    // A tail call and recursion need nothing special.
    assert_eq!(rows("B m 0, B f 1, E f 4, B g 4, E g 6, E m 6"), "m 1, m>f 3, m>g 2");
    assert_eq!(rows("B f 0, B f 1, B f 2, E f 3, E f 5, E f 9"), "f 5, f>f 3, f>f>f 1");
    // Times in any order; strays do no harm.
    assert_eq!(rows("E f 160, B h 30, E h 60, B f 0, E g 100, B g 10"), "f 70, f>g 60, f>g>h 30");
    assert_eq!(rows("E x 0, B f 1, E y 2, E f 4"), "f 3; unmatched-end 2");
}

/// Async events as `ph category id name ts` and perhaps more members.
fn operations(text: &str) -> String {
    let event = |event: &str| {
        let words: Vec<_> = event.splitn(6, ' ').collect();
        let [ph, cat, id, name, ts] = words[..5] else { panic!("{event}") };
        let more = words.get(5).map(|more| format!(",{more}")).unwrap_or_default();
        format!(
            r#"{{"ph":"{ph}","cat":"{cat}","id":{id},"name":"{name}","pid":1,"tid":2,"ts":{ts}{more}}}"#
        )
    };
    format!("[{}]", text.split(", ").map(event).collect::<Vec<_>>().join(","))
}

#[test]
fn async_operations_nest_within_their_id() {
    assert_eq!(
        threads(&operations(
            "b app 1 load 0, b app 1 parse 20, n app 1 mark 30, e app 1 parse 60, e app 1 load 100"
        )),
        ["/async app 1/: load 60, load>parse 40"]
    );
    // Two ids side by side, the other in hexadecimal; the same id in another category is another
    // operation.
    assert_eq!(
        threads(&operations(
            "b app 1 load 0, b app \"0x2\" load 10, b net 1 fetch 20, e app 1 load 30, e app \"0x2\" load 60, e net 1 fetch 25"
        )),
        ["/async app 1/: load 30, load 50", "/async net 1/: fetch 5", "async-operations 1"]
    );
    // What ends an outer operation ends the inner ones; an end without a beginning is none.
    assert_eq!(
        threads(&operations("b c 1 f 0, b c 1 g 1, e c 1 f 9, e c 1 g 10, e c 2 h 5")),
        ["/async c 1/: f 1, f>g 8", "unwound-call 1", "unmatched-end 2", "async-operations 1"]
    );
}

#[test]
fn ids_of_operations_are_those_of_a_process_unless_they_are_global() {
    let text = |id: &str| {
        let event = |ph: &str, pid: u32, ts: u32| {
            format!(r#"{{"ph":"{ph}","cat":"c","name":"f","pid":{pid},"tid":1,"ts":{ts},{id}}}"#)
        };
        format!(
            "[{},{},{},{}]",
            event("b", 1, 0),
            event("b", 2, 10),
            event("e", 1, 30),
            event("e", 2, 70)
        )
    };
    let local = ["/async c 1/: f 30", "/async c 2/: f 60", "async-operations 1"];
    assert_eq!(threads(&text(r#""id":5"#)), local);
    assert_eq!(threads(&text(r#""id2":{"local":"0x5"}"#)), local);
    assert_eq!(threads(&text(r#""id2":{"global":"0x5"}"#)), ["/async c /: f 50, f>f 20"]);
    assert_eq!(threads(&text(r#""args":{}"#)), ["no-id 4"]);
}

#[test]
fn operations_and_calls_are_not_added_up() {
    let text = operations("b app 1 load 0, B app 0 f 10, E app 0 f 30, e app 1 load 100");
    assert_eq!(
        threads(&text),
        ["/ 1/2: f 20 0", "/async app 1/: load 0 100", "async-operations 1"]
    );
    let expected =
        ["time", "async"].map(|name| (name.to_owned(), "us".to_owned(), LineKnowledge::Nothing));
    assert_eq!(metrics(&text), expected);
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
    assert_eq!(read(text.as_bytes()).unwrap().writer.text(), Some("PyTorch"));
}
