//! Raw Gecko profiles: tables by schema, nested processes, and what locations refer to.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{Selves, read, stacks};
use formats::{At, ErrorKind, Format};
use profile::{Code, StackAccess, WarningCode};
use serde_json::{Value, json};

/// A process that starts at `start` (ms) with a thread of three samples, `time` being that of the
/// first.
fn process(start: f64, time: f64) -> Value {
    json!({
        "meta": {
            "version": 34,
            "startTime": start,
            "interval": 2,
            "categories": [{ "name": "Other" }, { "name": "Idle" }],
            "sampleUnits": { "threadCPUDelta": "ns" },
        },
        // Not in order.
        "libs": [
            { "start": 0x7f00_0000_2000_u64, "end": 0x7f00_0000_3000_u64, "name": "b.so", "path": "/lib/b.so" },
            { "start": 0x7f00_0000_1000_u64, "end": 0x7f00_0000_2000_u64, "name": "a.so", "path": "/lib/a.so" },
            { "start": 0xffff_ffff_ffff_0000_u64, "end": u64::MAX, "name": "top.so", "path": "/lib/top.so" },
        ],
        "sources": { "schema": { "id": 0, "filename": 1 }, "data": [["x", "self-hosted"], ["y", "file:///w/page.html"]] },
        "threads": [{
            "name": "GeckoMain",
            "processName": "Web Content",
            "pid": 12,
            "tid": 13,
            "samples": {
                // Columns are not in their usual order.
                "schema": { "threadCPUDelta": 0, "time": 2, "stack": 1 },
                "data": [[50, 2, time], [7, 3, time + 2.0], [9, null, time + 4.0], [null, 4]],
            },
            "stackTable": {
                "schema": { "frame": 0, "prefix": 1 },
                "data": [[0], [1, 0], [2, 1], [3, 1], [4, 0]],
            },
            "frameTable": {
                "schema": { "location": 0, "line": 2, "column": 3, "category": 4 },
                "data": [[0], [1, null, 12, 5], [2, null, 8, 3], [3], [4, null, null, null, 1]],
            },
            "markers": { "schema": { "name": 0, "startTime": 1, "data": 2 }, "data": [] },
            "stringTable": [
                "(root)",
                "file:///w/page.html[1]",
                "f (file:///w/page.html:7:3)[1]",
                "0x7f0000001fff",
                "0x7f0000003000",
            ],
        }],
        "processes": [],
    })
}

fn read_json(profile: &Value) -> Result<formats::Read, formats::ReadError> {
    read(profile.to_string().into_bytes())
}

/// Each function as `name file:line [library]` with the lines of its frames.
fn functions(read: &formats::Read) -> Vec<String> {
    let profile = stacks(read);
    let symbols = profile.symbols();
    let row = |id| {
        let func = symbols.funcs.get(id);
        let file = func.source.map_or("", |source| symbols.source_name(source));
        let lib = func.lib.map_or("", |lib| symbols.libs[lib.index()].name.as_str());
        let frames = profile.frames().iter().filter(|frame| frame.func == id);
        let frames: Vec<_> =
            frames.map(|frame| format!("{}:{}", frame.line, frame.column)).collect();
        format!("{} {file}:{} [{lib}] {}", symbols.func_name(id), func.line, frames.join(" "))
    };
    symbols.funcs.ids().map(row).collect()
}

#[test]
fn tables_by_their_schema() {
    for wrapped in [false, true] {
        let profile = process(1000.0, 10.0);
        let profile = if wrapped { json!({ "profile": profile }) } else { profile };
        let read = read_json(&profile).unwrap();
        assert_eq!(
            (read.format, read.version.as_deref(), read.warnings.as_slice()),
            (Format::Gecko, Some("34"), [].as_slice())
        );
        assert_eq!(read.span_seconds, Some(0.004));
        let expected = [
            "(root) :0 [] 0:0",
            "(root scope) /w/page.html:0 [] 12:5",
            "f /w/page.html:7 [] 8:3",
            "0xfff :0 [a.so] 0:0",
            "0x7f0000003000 :0 [] 0:0",
        ];
        assert_eq!(functions(&read), expected);

        let thread = &stacks(&read).threads()[0];
        assert_eq!((&*thread.name, &*thread.process_name), ("GeckoMain", "Web Content"));
        assert_eq!((thread.pid.as_deref(), thread.tid.as_deref()), (Some("12"), Some("13")));
        let table = stacks(&read).stacks();
        let idle: Vec<_> = stacks(&read).samples()[0]
            .stacks()
            .map(|stack| stack.is_some_and(|stack| table.is_idle(stack)))
            .collect();
        assert_eq!(idle, [false, false, false, true]);
        let selves = Selves::of(stacks(&read), 0, "");
        assert_eq!((selves.total, selves.lines.values().sum::<f64>()), (4.0, 1.0));
        // The first delta reaches back to before the recording.
        let cpu = Selves::of(stacks(&read), 1, "");
        assert_eq!((cpu.total, read.recording.metrics()[1].unit.as_str()), (16.0, "ns"));
        let own: Vec<_> =
            cpu.functions.iter().map(|((name, _), cost)| (name.as_str(), *cost)).collect();
        assert_eq!(own, [("0xfff", 7.0)]);
    }
}

#[test]
fn scripts_have_places_and_labels_a_flag() {
    let mut process = process(0.0, 0.0);
    process["threads"][0]["frameTable"]["schema"] =
        json!({ "location": 0, "line": 2, "column": 3, "category": 4, "relevantForJS": 5 });
    process["threads"][0]["frameTable"]["data"][4] = json!([4, null, null, null, 1, true]);
    process["threads"][0]["frameTable"]["data"][3] = json!([3, null, null, null, null, false]);
    let read = read_json(&process).unwrap();
    let symbols = stacks(&read).symbols();
    let codes: Vec<_> = symbols.funcs.ids().map(|func| symbols.funcs.code(func)).collect();
    assert_eq!(
        codes,
        [Code::Native, Code::JavaScript, Code::JavaScript, Code::Native, Code::Label]
    );
    // The last stack is idle; all others have the default category.
    let table = stacks(&read).stacks();
    let categories: Vec<_> =
        table.ids().map(|stack| table.category_name(table.category(stack))).collect();
    assert_eq!(categories, ["", "", "", "", "Idle"]);
}

#[test]
fn processes_within_processes_count_from_their_own_start() {
    let mut root = process(1000.0, 10.0);
    let mut child = process(3000.0, 1.0);
    child["processes"] = json!([process(500.0, 30.0)]);
    root["processes"] = json!([child]);
    let read = read_json(&root).unwrap();
    assert_eq!(stacks(&read).threads().len(), 3);
    // From 500 + 30 to 3000 + 1 + 4.
    assert_eq!(read.span_seconds, Some(2.475));
    assert_eq!(functions(&read).len(), 5, "what is equal is one");

    let mut deep = process(0.0, 0.0);
    for _ in 0..40 {
        let mut outer = process(0.0, 0.0);
        outer["processes"] = json!([deep]);
        deep = outer;
    }
    let read = read_json(&deep).unwrap();
    assert_eq!(
        (stacks(&read).threads().len(), read.warnings.as_slice()[0].code),
        (9, WarningCode::DeepProcesses)
    );

    // More levels than fit the stack.
    let level = r#"{"meta":{"version":34},"threads":[],"processes":["#;
    let levels = [level.repeat(100_000), "]}".repeat(100_000)].concat();
    let text = process(0.0, 0.0).to_string();
    let nested = format!("{},\"processes\":[{levels}]}}", text.strip_suffix('}').unwrap());
    let read = crate::common::read(nested.into_bytes()).unwrap();
    assert_eq!(
        (stacks(&read).threads().len(), read.warnings.as_slice()[0].code),
        (1, WarningCode::DeepProcesses)
    );
}

#[test]
fn symbolicated_native_code_has_names() {
    let mut profile = process(0.0, 0.0);
    let strings =
        ["(root)", "0xffffffffffff0123", "main (in app)", "a::b() (in app) + 12", "0x7f0000001010"];
    profile["threads"][0]["stringTable"] = json!(strings);
    let read = read_json(&profile).unwrap();
    let expected = [
        "(root) :0 [] 0:0",
        // It calls `main`.
        "0x122 :0 [top.so] 12:0",
        "main :0 [app] 8:0",
        "a::b() :0 [app] 0:0",
        "0x10 :0 [a.so] 0:0",
    ];
    assert_eq!(functions(&read), expected);
}

#[test]
fn addresses_of_callers_are_within_the_call() {
    let mut profile = process(0.0, 0.0);
    // `start` is at 0x400 in the library.
    profile["libs"][1]["offset"] = json!(0x400);
    let thread = &mut profile["threads"][0];
    thread["stringTable"] =
        json!(["(root)", "0x7f0000001100", "0x7f0000001200", "0x7f0000009000", "0x7f0000001300"]);
    // Frame 1 calls 2, is sampled itself, and calls itself. Frame 4 has only a backtrace of itself.
    thread["stackTable"]["data"] = json!([[0], [1, 0], [2, 1], [3, 1], [1, 1], [4, 1]]);
    thread["samples"]["data"] =
        json!([[1, 1, 0.0], [1, 2, 1.0], [1, 3, 2.0], [1, 4, 3.0], [1, 1, 4.0]]);
    let backtrace = json!({ "samples": { "schema": { "time": 0, "stack": 1 }, "data": [[5, 5]] } });
    thread["markers"]["data"] =
        json!([[0, 1, { "type": "JS allocation", "size": 48, "stack": backtrace }]]);
    let read = read_json(&profile).unwrap();
    let profile = stacks(&read);
    let samples = profile.samples()[0].stacks().map(|mut next| {
        let mut names = Vec::new();
        while let Some(stack) = next {
            names.push(
                profile
                    .symbols()
                    .func_name(profile.frames().get(profile.stacks().frame(stack)).func),
            );
            next = profile.stacks().prefix(stack);
        }
        names.reverse();
        names.join(" ")
    });
    let expected = [
        "(root) 0x500",
        "(root) 0x4ff 0x600",
        "(root) 0x4ff 0x7f0000009000",
        "(root) 0x4ff 0x500",
        "(root) 0x500",
        "(root) 0x4ff 0x6ff",
    ];
    assert_eq!(samples.collect::<Vec<_>>(), expected);
    // There are only funcs that stacks need.
    assert_eq!(profile.symbols().funcs.len(), 6);
}

#[test]
fn allocations_are_markers() {
    let backtrace = |stack: Value| json!({ "samples": { "schema": { "time": 0, "stack": 1 }, "data": [[5, stack]] } });
    let native = |time: u32, stack: u32, size: i32, address: u64| {
        let data = json!({
            "type": "Native allocation", "size": size, "memoryAddress": address, "threadId": 1, "stack": backtrace(json!(stack)),
        });
        json!([0, time, data])
    };
    let mut profile = process(0.0, 0.0);
    profile["threads"][0]["markers"]["data"] = json!([
        [0, 1, { "type": "JS allocation", "size": 48, "stack": backtrace(json!(2)) }],
        [0, 2, { "type": "JS allocation", "size": 8, "stack": backtrace(Value::Null) }],
        [0, 3, { "type": "JS allocation", "size": 16 }],
        [0, 3, { "type": "Text", "name": "JS allocation" }],
        [0, 3],
        // Not in order of time.
        native(6, 4, -100, 77),
        native(4, 2, 100, 77),
        native(5, 3, 30, 78),
    ]);
    let read = read_json(&profile).unwrap();
    let costs = read.recording.metrics().iter().enumerate().skip(2).map(|(i, metric)| {
        let selves = Selves::of(stacks(&read), i, "");
        let own: Vec<_> =
            selves.functions.iter().map(|((name, _), cost)| format!("{name} {cost}")).collect();
        format!("{} {}: {}", metric.name, selves.total, own.join(", "))
    });
    let expected = [
        "js-allocations 72: f 48",
        "native-allocations 130: 0xffe 30, f 100",
        "native-retained-allocations 30: 0xffe 30",
        "native-deallocations-sites -100: 0x7f0000003000 -100",
        "native-deallocations-memory -100: f -100",
    ];
    assert_eq!(costs.collect::<Vec<_>>(), expected);
    assert_eq!(Selves::of(stacks(&read), 0, "").total, 4.0);
}

#[test]
fn inconsistent_profiles_are_errors() {
    for (pointer, value, expected) in [
        (
            "/meta/version",
            json!(4),
            "meta.version: version 4 of raw Gecko profiles, expected 5 or newer",
        ),
        ("/threads", json!({}), "threads: expected a list of threads"),
        (
            "/threads/0/stackTable/data/2",
            json!([9, 1]),
            "threads[0].stackTable.frame[2]: is 9, expected one of the 5 frames",
        ),
        (
            "/threads/0/stackTable/data/2",
            json!([2, 2]),
            "threads[0].stackTable.prefix[2]: is 2, expected one of the 2 stacks before it",
        ),
        (
            "/threads/0/stackTable/data/2",
            json!({}),
            "threads[0].stackTable.data[2]: expected a row: a list of values",
        ),
        (
            "/threads/0/stackTable/data/2/0",
            json!("x"),
            "threads[0].stackTable.data[2]: is \"x\", expected a number",
        ),
        (
            "/threads/0/frameTable/data/1/0",
            json!(5),
            "threads[0].frameTable.location[1]: is 5, expected one of the 5 strings",
        ),
        (
            "/threads/0/frameTable/schema/line",
            json!(-1),
            "threads[0].frameTable.schema: invalid value",
        ),
        (
            "/threads/0/samples/data/1/1",
            json!(5),
            "threads[0].samples.stack[1]: is 5, expected one of the 5 stacks",
        ),
        ("/threads/0/stringTable", Value::Null, "threads[0].stringTable: expected this table"),
        ("/sources/data/0/1", json!(3), "sources.data[0]: expected a file name"),
    ] {
        let mut profile = process(0.0, 0.0);
        *profile.pointer_mut(pointer).unwrap() = value;
        let error = read_json(&profile).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{error}");
        assert!(
            matches!(error.at, At::Key(_)) && error.to_string().starts_with(expected),
            "{pointer}: {error}"
        );
    }
    let mut child = process(0.0, 0.0);
    child["threads"][0]["frameTable"]["data"][1][0] = json!(null);
    let mut root = process(0.0, 0.0);
    root["processes"] = json!([child]);
    let error = read_json(&root).unwrap_err().to_string();
    assert_eq!(
        error,
        "processes[0].threads[0].frameTable.location[1]: is empty, expected one of the 5 strings"
    );
}

#[test]
fn pages_of_all_processes_are_labels() {
    let mut root = process(1000.0, 10.0);
    root["threads"][0]["frameTable"] = json!({
        "schema": { "location": 0, "line": 1, "innerWindowID": 2 },
        "data": [[0], [1, 12, 8], [2, 8], [3], [4, null, 9]],
    });
    let mut content = process(1000.0, 10.0);
    content["pages"] = json!([{ "innerWindowID": 8, "url": "https://a.example/" }]);
    root["processes"] = json!([content]);
    let labels = crate::firefox::labels(&read_json(&root).unwrap());
    assert_eq!(labels, ["page=https://a.example/", "page=https://a.example/", "", ""]);
}
