//! Samples in traces: V8, Hermes, and events with stacks.

use super::*;

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
fn samples_of_javascript_are_joined_from_chunks() {
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
            // The second sample is on the root; native functions have no lines; the last sample
            // lasts until the end.
            "/CrRendererMain 7/10: main>(anonymous):7:3 1 20,  1 30, (idle) idle 1 0, main:9 1 35, \
             main>(anonymous)>now 1 5,  1 1, main>(anonymous) 1 10",
            "/ 8/: own 1 0",
            "unknown-caller 1",
            "unknown-node 1",
        ]
    );
    let read = read_bytes(text.as_bytes()).unwrap();
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

/// V8 takes an extra sample, 5 µs after the previous one, when it deoptimises `rec`.
#[test]
fn time_is_the_default_if_it_is_known() {
    let read = |times: &str| {
        let nodes = [node(1, 0, "rec", "x.js", 1), node(2, 0, "plain", "x.js", 2)].join(",");
        let data = format!(
            r#""cpuProfile":{{"nodes":[{nodes}],"samples":[1,1,1,1,2,2]}},"lines":[2,2,2,2,3,3]{times}"#
        );
        let trace = [chunk(7, 10, r#""startTime":0"#), chunk(7, 20, &data)].join(",");
        read_bytes(format!("[{trace}]").as_bytes()).unwrap()
    };
    let default = |read: &Read| {
        let metric = read.recording.default_metric().index();
        let [(_, samples)] = &stacks(read).sampled_threads().collect::<Vec<_>>()[..] else {
            panic!("expected a thread")
        };
        let weights = |rows: std::ops::Range<usize>| -> f64 {
            rows.map(|row| samples.weights()[metric].get(row)).sum()
        };
        (read.recording.metrics()[metric].name.clone(), weights(0..4), weights(4..6))
    };
    let timed = read(r#","timeDeltas":[0,5,995,5,995,1000],"endTime":4000"#);
    assert_eq!(default(&timed), ("time".to_owned(), 2000.0, 2000.0));
    assert_eq!(default(&read("")), ("samples".to_owned(), 4.0, 2.0));
}

#[test]
fn pages_of_the_browser_are_left_out_if_there_are_others() {
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
    let read = read_bytes(text.as_bytes()).unwrap();
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
    let error = read_bytes(text.replace("\"parent\":1}", "\"parent\":3}").as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("stackFrames: frame ") && error.ends_with(" is its own parent"),
        "{error}"
    );
}

#[test]
fn a_cycle_of_callers_is_rejected() {
    let data = format!(
        r#""cpuProfile":{{"nodes":[{},{}],"samples":[1]}}"#,
        node(1, 2, "f", "", 0),
        node(2, 1, "g", "", 0)
    );
    let error = read_bytes(format!("[{}]", chunk(1, 1, &data)).as_bytes()).unwrap_err();
    assert_eq!(
        (error.kind, error.to_string().as_str()),
        (ErrorKind::Malformed, "args.data.cpuProfile.nodes: node 1 is its own caller")
    );
}

/// Three nodes with hits, as JSON members without braces. `f` has 6 hits: 2 + 1 on line 8 and 1 on
/// line 7.
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
fn hits_of_nodes_have_lines_if_samples_have_none() {
    let nodes = counted_nodes(|id| ["", r#","parent":1"#, r#","parent":2"#][id as usize - 1]);
    let data = format!(r#""cpuProfile":{{{nodes},"samples":[3,2,9]}},"timeDeltas":[10,20,30]"#);
    let text = |data: &str| {
        format!("[{},{}]", chunk(7, 10, r#""startTime":1000,"endTime":1100"#), chunk(7, 20, data))
    };
    // The first sample is at 10, the last lasts from 60 to the end at 100.
    assert_eq!(
        threads(&text(&data)),
        [
            "/ 7/10: main>f:7 1 0, main>f:8 3 0, main>f 2 0, \
             main>f:8 0 10, main>f 0 7, main>f:7 0 3, main 0 30,  0 40",
            "unknown-node 1"
        ]
    );
    let expected =
        [("hits", "hits", LineKnowledge::SelfOnly), ("time", "us", LineKnowledge::SelfEstimated)];
    assert_eq!(
        metrics(&text(&data)),
        expected.map(|(name, unit, lines)| (name.to_owned(), unit.to_owned(), lines))
    );
    // A node may have more hits in a later chunk.
    let later =
        format!(r#""cpuProfile":{{{}}}"#, nodes.replace("\"hitCount\":6", "\"hitCount\":4"));
    let both = format!("[{},{}]", chunk(7, 20, &data), chunk(7, 30, &later));
    assert_eq!(
        threads(&both)[0],
        "/ 7/: main 0 30, main>f:7 1 3, main>f:8 3 10, main>f 2 7, main>f:7 1 0, main>f:8 3 0"
    );
    // Lines of samples are preferred.
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
    let rows = "main>f:7 1 0, main>f:8 3 0, main>f 2 0, \
                main>f:8 0 10, main>f 0 7, main>f:7 0 3, main 0 70";
    // Two profiles, whatever their phase; the timeline is not read.
    let text = format!(
        "[{},{},{}]",
        event("X", 2),
        event("I", 3),
        r#"{"ph":"X","name":"RunTask","ts":0,"dur":9}"#
    );
    assert_eq!(threads(&text), [format!("/ 1/2: {rows}"), format!("/ 1/3: {rows}")]);
    assert_eq!(read_bytes(text.as_bytes()).unwrap().span_seconds, Some(90e-6));
    let alone = crate::read::cpuprofile::read(profile.as_bytes()).unwrap();
    let whole = read_bytes(text.as_bytes()).unwrap();
    let weights = |read: &Read| stacks(read).samples()[0].weights().to_vec();
    assert_eq!(weights(&whole), weights(&alone), "as the same profile in a file of its own");
    // A call of this name is a call.
    assert_eq!(self::rows("X CpuProfile 0 9"), "CpuProfile 9");
    let circle = text.replace(r#""children":[2]"#, r#""children":[2,3]"#);
    let error = read_bytes(circle.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "nodes[1].children[0]: node 3 has two callers; expected a tree");
}

#[test]
fn events_with_stacks_are_samples_if_there_are_no_calls() {
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
    assert_eq!(read_bytes(text(&samples).as_bytes()).unwrap().span_seconds, Some(0.003));
    // Instants are samples only without sample events; neither are samples if there are calls.
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
