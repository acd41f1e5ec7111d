//! Processed Firefox profiles: their metrics, and errors in inconsistent ones, each with table,
//! column and row.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::{Selves, read, stacks};
use formats::{At, ErrorKind};
use profile::{StackAccess, WarningCode};
use serde_json::{Value, json};

/// One thread with a stack of two frames, tables in the thread.
fn profile() -> Value {
    json!({
        "meta": { "interval": 1, "preprocessedProfileVersion": 49, "categories": [{ "name": "Other" }] },
        "libs": [],
        "threads": [{
            "name": "main",
            "pid": 7,
            "tid": 7,
            "samples": { "length": 2, "stack": [1, null], "time": [0, 1], "weight": null, "weightType": "samples" },
            "stackTable": { "length": 2, "frame": [0, 1], "prefix": [null, 0] },
            "frameTable": { "length": 2, "func": [0, 1], "line": [1, 2] },
            "funcTable": { "length": 2, "name": [0, 1], "fileName": [2, 2], "lineNumber": [null, null], "resource": [-1, -1] },
            "resourceTable": { "length": 0 },
            "stringArray": ["outer", "inner", "a.c"],
        }],
    })
}

/// Kind, place and message of the error if `value` is at `pointer`.
fn error(pointer: &str, value: Value) -> (ErrorKind, String, String) {
    let mut profile = profile();
    *profile.pointer_mut(pointer).unwrap() = value;
    let error = read(profile.to_string().into_bytes()).unwrap_err();
    let At::Key(at) = error.at else { panic!("{pointer}: no key in {error}") };
    (error.kind, at, error.message)
}

#[test]
fn the_profile_is_valid() {
    let read = read(profile().to_string().into_bytes()).unwrap();
    assert_eq!((read.warnings.as_slice(), read.version.as_deref()), ([].as_slice(), Some("49")));
    assert_eq!(stacks(&read).threads()[0].pid.as_deref(), Some("7"));
}

#[test]
fn a_line_that_is_present_and_0_is_unknown() {
    // Func lines 10 and 20; flags are those of version 75: category and line, source and line.
    let lines = |line_flags: [u8; 2]| {
        let mut profile = profile();
        profile["meta"]["preprocessedProfileVersion"] = json!(75);
        let thread = &mut profile["threads"][0];
        thread["frameTable"] =
            json!({ "length": 2, "func": [0, 1], "line": [0, 0], "flags": line_flags });
        thread["funcTable"] =
            json!({ "length": 2, "name": [0, 1], "lineNumber": [10, 20], "flags": [16, 16] });
        let read = read(profile.to_string().into_bytes()).unwrap();
        let frames = stacks(&read).frames();
        [0, 1].map(|i| frames.get(profile::FrameId::new(i)).line)
    };
    assert_eq!(lines([16, 0]), [0, 20]);
    assert_eq!(lines([0, 16]), [10, 0]);
}

#[test]
fn pythons_sampling_profiler_does_not_say_where_functions_start() {
    let lines = |importer: &str| {
        let mut profile = profile();
        profile["meta"]["importedFrom"] = json!(importer);
        profile["threads"][0]["funcTable"]["lineNumber"] = json!([1, 5]);
        let read = read(profile.to_string().into_bytes()).unwrap();
        let (symbols, frames) = (stacks(&read).symbols(), stacks(&read).frames());
        [0, 1].map(|i| {
            let line = frames.get(profile::FrameId::new(i)).line;
            (symbols.funcs.get(profile::FuncId::new(i)).line, line)
        })
    };
    assert_eq!(lines("Tachyon Sampling Profiler"), [(0, 1), (0, 2)]);
    assert_eq!(lines("another"), [(1, 1), (5, 2)]);
}

/// The names of the funcs with their libraries, and which of them can be looked up.
fn funcs(profile: &Value) -> Vec<String> {
    let read = read(profile.to_string().into_bytes()).unwrap();
    let symbols = stacks(&read).symbols();
    let func = |id| {
        let lib =
            symbols.funcs.get(id).lib.map(|lib| format!(" ({})", symbols.libs[lib.index()].name));
        let address = symbols.unresolved(id).map(|(_, address)| format!(" = {address:x}"));
        format!(
            "{}{}{}",
            symbols.func_name(id),
            lib.unwrap_or_default(),
            address.unwrap_or_default()
        )
    };
    symbols.funcs.ids().map(func).collect()
}

#[test]
fn code_without_a_name_has_its_address_in_the_library_as_name() {
    let mut profile = profile();
    profile["libs"] =
        json!([{ "name": "app", "path": "/bin/app", "codeId": "0a1b" }, { "name": "libc" }]);
    let thread = &mut profile["threads"][0];
    thread["stringArray"] = json!(["0x7f1100", "0x7f2200", "0x10"]);
    thread["funcTable"] = json!({ "length": 3, "name": [0, 1, 2], "resource": [0, 0, -1], "lineNumber": [null, null, null] });
    thread["resourceTable"] = json!({ "length": 1, "lib": [0] });
    // The first func has two addresses, the second none in the library, the third no library.
    thread["frameTable"] =
        json!({ "length": 4, "func": [0, 0, 1, 2], "address": [256, 511, -1, 16] });
    let expected = ["0x100 (app) = 100", "0x1ff (app) = 1ff", "0x7f2200", "0x10"];
    assert_eq!(funcs(&profile), expected);

    // Version 70 has libraries of frames.
    let thread = &mut profile["threads"][0];
    thread["resourceTable"] = json!({ "length": 0 });
    thread["frameTable"]["lib"] = json!([0, 0, 0, -1]);
    assert_eq!(funcs(&profile), expected);

    // Version 71 has flags; exporters that know no address write 0.
    profile["threads"][0]["frameTable"]["flags"] = json!([2, 2, 2, 0]);
    assert_eq!(funcs(&profile)[..2], expected[..2]);
    profile["threads"][0]["frameTable"]["address"] = json!([256, 511, 0, 16]);
    assert_eq!(funcs(&profile), expected);
}

#[test]
fn addresses_are_read_only_where_they_are_names() {
    let mut profile = profile();
    profile["libs"] = json!([{ "name": "app" }]);
    profile["threads"][0]["resourceTable"] = json!({ "length": 1, "lib": [0] });
    profile["threads"][0]["funcTable"]["resource"] = json!([0, 0]);
    profile["threads"][0]["frameTable"]["address"] = json!("none");
    assert_eq!(funcs(&profile), ["outer (app)", "inner (app)"]);
    profile["threads"][0]["funcTable"]["fileName"] = json!([null, null]);
    profile["threads"][0]["stringArray"][0] = json!("0x20");
    let error = read(profile.to_string().into_bytes()).unwrap_err();
    assert_eq!(error.at, At::Key("threads[0].frameTable.address".to_owned()));
}

#[test]
fn dangling_indexes_are_errors_with_table_column_and_row() {
    for (pointer, value, expected) in [
        ("/threads/0/samples/stack/0", json!(2), "threads[0].samples.stack[0]"),
        ("/threads/0/stackTable/frame/1", json!(2), "threads[0].stackTable.frame[1]"),
        ("/threads/0/stackTable/frame/1", json!(-1), "threads[0].stackTable.frame[1]"),
        ("/threads/0/stackTable/prefix/1", json!(1), "threads[0].stackTable.prefix[1]"),
        ("/threads/0/stackTable/prefix/0", json!(1), "threads[0].stackTable.prefix[0]"),
        ("/threads/0/frameTable/func/1", json!(9), "threads[0].frameTable.func[1]"),
        ("/threads/0/funcTable/name/1", json!(3), "threads[0].funcTable.name[1]"),
    ] {
        let (kind, at, message) = error(pointer, value);
        assert_eq!((kind, at.as_str()), (ErrorKind::Malformed, expected), "{message}");
        assert!(message.contains("expected one of the"), "{message}");
    }
}

#[test]
fn parents_must_precede_children() {
    let mut profile = profile();
    profile["threads"][0]["stackTable"] =
        json!({ "length": 2, "frame": [0, 1], "prefixOffset": [0, 2] });
    let error = read(profile.to_string().into_bytes()).unwrap_err();
    assert_eq!(error.at, At::Key("threads[0].stackTable.prefixOffset[1]".to_owned()), "{error}");
}

#[test]
fn missing_tables_and_columns_are_errors() {
    for (pointer, expected) in [
        ("/threads/0/stackTable", "stackTable"),
        ("/threads/0/frameTable", "frameTable"),
        ("/threads/0/funcTable", "funcTable"),
        ("/threads/0/stackTable/frame", "stackTable.frame"),
        ("/threads/0/stackTable/prefix", "stackTable.prefixOffset"),
        ("/threads/0/frameTable/func", "frameTable.func"),
        ("/threads/0/funcTable/name", "funcTable.name"),
    ] {
        let mut profile = profile();
        let (table, column) = pointer.rsplit_once('/').unwrap();
        profile.pointer_mut(table).unwrap().as_object_mut().unwrap().remove(column);
        let error = read(profile.to_string().into_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Malformed, "{error}");
        assert!(error.to_string().contains(expected), "{pointer}: {error}");
    }
}

#[test]
fn cells_that_are_not_numbers_are_errors() {
    let (kind, at, message) = error("/threads/0/frameTable/line", json!([1, "two"]));
    assert_eq!(
        (kind, at.as_str()),
        (ErrorKind::Malformed, "threads[0].frameTable.line[1]"),
        "{message}"
    );
    let (kind, at, message) = error("/threads/0/samples/weight", json!([1, 2, 3]));
    assert_eq!(
        (kind, at.as_str()),
        (ErrorKind::Malformed, "threads[0].samples.weight"),
        "{message}"
    );
}

#[test]
fn partial_files_are_truncated_wherever_they_end() {
    let whole = profile().to_string().into_bytes();
    for end in 1..whole.len() {
        let error = read(whole[..end].to_vec()).unwrap_err();
        // Before the first keys, the format is unknown.
        assert!(
            matches!(error.kind, ErrorKind::Truncated | ErrorKind::Unrecognised),
            "cut at {end}: {error}"
        );
    }
    let late = read(whole[..whole.len() - 1].to_vec()).unwrap_err();
    assert_eq!(late.kind, ErrorKind::Truncated, "{late}");
}

#[test]
fn newer_versions_are_read_by_their_columns() {
    let mut profile = profile();
    profile["meta"]["preprocessedProfileVersion"] = json!(99);
    let read = read(profile.to_string().into_bytes()).unwrap();
    assert_eq!(
        (read.version.as_deref(), read.warnings.as_slice()[0].code),
        (Some("99"), WarningCode::UnknownVersion)
    );
    assert_eq!(stacks(&read).samples()[0].len(), 2);
}

/// The metrics with their units, and the self costs of outer and inner in each.
fn metrics(profile: &Value) -> Vec<(String, String, f64, f64)> {
    let read = read(profile.to_string().into_bytes()).unwrap();
    let metrics = read.recording.metrics().iter().enumerate().map(|(i, metric)| {
        let selves = Selves::of(stacks(&read), i, "");
        let of = |name: &str| {
            selves.functions.get(&(name.to_owned(), "a.c".to_owned())).copied().unwrap_or(0.0)
        };
        (metric.name.clone(), metric.unit.clone(), of("outer"), of("inner"))
    });
    metrics.collect()
}

fn row(name: &str, unit: &str, outer: f64, inner: f64) -> (String, String, f64, f64) {
    (name.to_owned(), unit.to_owned(), outer, inner)
}

/// Stack 0 is `outer`, stack 1 is `inner` below it.
fn sampled() -> Value {
    let mut profile = profile();
    profile["threads"][0]["samples"] = json!({ "length": 5, "stack": [1, null, 0, 1, 1], "time": [0, 1, 2, 3, 4], "weightType": "samples" });
    profile
}

#[test]
fn cpu_time_is_a_metric_where_it_was_measured() {
    let mut profile = sampled();
    assert_eq!(metrics(&profile), [row("samples", "samples", 1.0, 3.0)]);

    profile["threads"][0]["samples"]["threadCPUDelta"] = json!([null, null, null, null, null]);
    assert_eq!(metrics(&profile), [row("samples", "samples", 1.0, 3.0)]);

    // The first delta reaches back to before the recording; the second has no stack, the fourth is
    // unknown.
    profile["threads"][0]["samples"]["threadCPUDelta"] = json!([700, 20, 3, null, 0.5]);
    assert_eq!(
        metrics(&profile),
        [row("samples", "samples", 1.0, 3.0), row("cpu", "cpu", 3.0, 0.5)]
    );

    for (unit, seconds) in [("ns", Some(1e-9)), ("µs", Some(1e-6)), ("variable CPU cycles", None)]
    {
        profile["meta"]["sampleUnits"] = json!({ "time": "ms", "threadCPUDelta": unit });
        let read = read(profile.to_string().into_bytes()).unwrap();
        let cpu = &read.recording.metrics()[1];
        assert_eq!((cpu.unit.as_str(), cpu.seconds_per_unit), (unit, seconds));
        assert_eq!(read.recording.default_metric().index(), 0);
    }

    // Threads without measurements have no weight.
    let mut other = profile["threads"][0].clone();
    other["samples"].as_object_mut().unwrap().remove("threadCPUDelta");
    profile["threads"].as_array_mut().unwrap().push(other);
    assert_eq!(metrics(&profile)[1], row("cpu", "variable CPU cycles", 3.0, 0.5));
}

#[test]
fn allocations_are_metrics_of_their_own() {
    let mut profile = sampled();
    profile["threads"][0]["jsAllocations"] =
        json!({ "length": 3, "time": [0, 1, 2], "stack": [0, null, 1], "weight": [16, 8, 32] });
    assert_eq!(
        metrics(&profile),
        [row("samples", "samples", 1.0, 3.0), row("js-allocations", "bytes", 16.0, 32.0)]
    );

    // 100 bytes at 10 are freed and 7 are allocated there; 40 at 20 are freed without a record when
    // 3 take their place; the 5 at 99 were allocated before the recording. The numbers are those of
    // the Firefox Profiler's own tool.
    let mut native = json!({
        "length": 6,
        "time": [0, 1, 2, 3, 4, 5],
        "stack": [1, 0, 0, 0, 0, 1],
        "weight": [100, 40, -100, 7, -5, 3],
    });
    profile["threads"][0]["nativeAllocations"] = native.clone();
    let without_addresses = [
        row("samples", "samples", 1.0, 3.0),
        row("js-allocations", "bytes", 16.0, 32.0),
        row("native-allocations", "bytes", 47.0, 103.0),
        row("native-deallocations-sites", "bytes", -105.0, 0.0),
    ];
    assert_eq!(metrics(&profile), without_addresses);

    native["memoryAddress"] = json!([10, 20, 10, 10, 99, 20]);
    native["threadId"] = json!([7, 7, 7, 7, 7, 7]);
    profile["threads"][0]["nativeAllocations"] = native;
    let [samples, js, native, sites] = without_addresses;
    let retained = row("native-retained-allocations", "bytes", 47.0, 3.0);
    let memory = row("native-deallocations-memory", "bytes", 0.0, -100.0);
    assert_eq!(
        metrics(&profile),
        [samples, js, native.clone(), retained.clone(), sites.clone(), memory.clone()]
    );

    // Memory profiles have no samples.
    profile["threads"][0]["jsAllocations"] = Value::Null;
    profile["threads"][0]["samples"] =
        json!({ "length": 0, "stack": [], "time": [], "weightType": "samples" });
    assert_eq!(metrics(&profile), [native, retained, sites, memory]);
}

#[test]
fn rows_of_allocations_are_checked() {
    let mut profile = sampled();
    profile["threads"][0]["nativeAllocations"] =
        json!({ "length": 2, "stack": [1, 2], "weight": [1, 2], "memoryAddress": [1, 2] });
    let error = |profile: &Value| read(profile.to_string().into_bytes()).unwrap_err().to_string();
    assert_eq!(
        error(&profile),
        "threads[0].nativeAllocations.stack[1]: is 2, expected one of the 2 stacks"
    );
    profile["threads"][0]["nativeAllocations"]["memoryAddress"] = json!([1]);
    assert_eq!(
        error(&profile),
        "threads[0].nativeAllocations.memoryAddress: has 1 entries, expected 2 as in the other columns"
    );
    let mut profile = sampled();
    profile["threads"][0]["samples"]["threadCPUDelta"] = json!([1]);
    assert_eq!(
        error(&profile),
        "threads[0].samples.threadCPUDelta: has 1 entries, expected 5 as in the other columns"
    );
}

#[test]
fn executing_columns_are_kept_of_scripts_only() {
    let columns = |file: &str| {
        let mut profile = profile();
        profile["threads"][0]["stringArray"][2] = json!(file);
        profile["threads"][0]["frameTable"]["column"] = json!([7, null]);
        let read = read(profile.to_string().into_bytes()).unwrap();
        stacks(&read).frames().iter().map(|frame| (frame.line, frame.column)).collect::<Vec<_>>()
    };
    assert_eq!(columns("a.c"), [(1, 0), (2, 0)]);
    for script in ["dist/a.js", "https://example.org/x?v=1", "file:///w/index.html"] {
        assert_eq!(columns(script), [(1, 7), (2, 0)], "{script}");
    }
}

#[test]
fn an_original_location_in_another_file_is_that_of_the_frame() {
    // Both funcs are of `a.ts`, from line 3 and from line 30; the frames execute b.ts:7 and
    // a.ts:31.
    let mut profile = profile();
    profile["meta"]["preprocessedProfileVersion"] = json!(64);
    profile["shared"] = json!({
        "stringArray": ["outer", "inner", "out.js", "a.ts", "b.ts"],
        "sources": { "length": 3, "filename": [2, 3, 4] },
        "sourceLocationTable": { "length": 4, "source": [1, 1, 2, 1], "line": [3, 30, 7, 31], "column": [1, 1, 1, 1] },
    });
    let thread = &mut profile["threads"][0];
    thread.as_object_mut().unwrap().remove("stringArray");
    thread["frameTable"] =
        json!({ "length": 2, "func": [0, 1], "line": [1, 1], "originalLocation": [2, 3] });
    thread["funcTable"] = json!({ "length": 2, "name": [0, 1], "source": [0, 0], "lineNumber": [1, 1], "originalLocation": [0, 1] });
    let read = read(profile.to_string().into_bytes()).unwrap();
    let profile = stacks(&read);
    let symbols = profile.symbols();
    let places = [0, 1].map(|id| {
        let id = profile::FrameId::new(id);
        let func = symbols.funcs.get(profile.frames().get(id).func);
        let (source, line) = profile.place(id).unwrap();
        (symbols.source_name(func.source.unwrap()), func.line, symbols.source_name(source), line)
    });
    assert_eq!(places, [("a.ts", 3, "b.ts", 7), ("a.ts", 30, "a.ts", 31)]);
}

#[test]
fn texts_of_sources_are_read_unless_they_are_parts_of_files() {
    let mut profile = profile();
    profile["meta"]["preprocessedProfileVersion"] = json!(64);
    let names = ["file:///w/a.js?v=1", "reloaded.js", "reloaded.js", "page.html", "none.js"];
    profile["shared"] = json!({
        "stringArray": names,
        "sources": {
            "length": 5,
            "filename": [0, 1, 2, 3, 4],
            "startLine": [1, 1, 1, 7, 1],
            "content": ["a();\n", "before", "after", "b();", null],
        },
    });
    let read = read(profile.to_string().into_bytes()).unwrap();
    let symbols = read.recording.symbols();
    let texts = symbols.texts.iter().map(|(id, text)| (symbols.source_name(*id), &**text));
    assert_eq!(texts.collect::<Vec<_>>(), [("/w/a.js", "a();\n")]);
}

#[test]
fn scripts_are_marked_by_columns_or_flags() {
    use profile::Code::{JavaScript, Label, Native};
    let codes = |columns: [(&str, Value); 2]| {
        let mut profile = profile();
        for (column, cells) in columns {
            profile["threads"][0]["funcTable"][column] = cells;
        }
        let read = read(profile.to_string().into_bytes()).unwrap();
        let funcs = &stacks(&read).symbols().funcs;
        funcs.ids().map(|func| funcs.code(func)).collect::<Vec<_>>()
    };
    assert_eq!(
        codes([("isJS", json!([false, false])), ("relevantForJS", json!([false, false]))]),
        [Native, Native]
    );
    assert_eq!(
        codes([("isJS", json!([true, false])), ("relevantForJS", json!([true, true]))]),
        [JavaScript, Label]
    );
    // Version 75: the two lowest bits; the others say which cells there are.
    let flags =
        |first: u32, second: u32| codes([("isJS", Value::Null), ("flags", json!([first, second]))]);
    assert_eq!(flags(0b1_1101, 0b1_1110), [JavaScript, Label]);
    assert_eq!(flags(0b1_1100, 0b11), [Native, JavaScript]);
}

#[test]
fn stacks_are_in_the_categories_of_their_frames_or_of_their_callers() {
    let categories =
        |frame_categories: Option<Value>, stack_categories: Option<Value>, flags: Option<Value>| {
            let mut profile = profile();
            profile["meta"]["categories"] = json!([
                { "name": "Idle", "color": "transparent" },
                { "name": "Other", "color": "grey" },
                { "name": "JavaScript", "color": "yellow" },
            ]);
            let thread = &mut profile["threads"][0];
            thread["stackTable"] =
                json!({ "length": 4, "frame": [0, 1, 2, 2], "prefix": [null, 0, 1, null] });
            thread["frameTable"] = json!({ "length": 3, "func": [0, 1, 1], "line": [1, 2, 3] });
            let columns = [
                ("frameTable", "category", frame_categories),
                ("stackTable", "category", stack_categories),
                ("frameTable", "flags", flags),
            ];
            for (table, column, cells) in columns {
                if let Some(cells) = cells {
                    thread[table][column] = cells;
                }
            }
            let read = read(profile.to_string().into_bytes()).unwrap();
            let stacks = stacks(&read).stacks();
            stacks
                .ids()
                .map(|stack| stacks.category_name(stacks.category(stack)).to_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
    let frames = |cells: Value| categories(Some(cells), None, None);
    assert_eq!(frames(json!([2, 0, 1])), "JavaScript Idle Other Other");
    assert_eq!(frames(json!([2, null, null])), "JavaScript JavaScript JavaScript Other");
    assert_eq!(frames(json!([null, 0, null])), "Other Idle Idle Other");
    // Since 71, flags say which cells there are.
    assert_eq!(
        categories(Some(json!([2, 0, 0])), None, Some(json!([4, 0, 4]))),
        "JavaScript JavaScript Idle Idle"
    );
    // Up to 52, stacks had categories as well, and a few writers set only those.
    assert_eq!(categories(None, Some(json!([2, 0, 1, 1])), None), "JavaScript Idle Other Other");
    assert_eq!(
        categories(Some(json!([2, null, null])), Some(json!([1, 1, 1, 1])), None),
        "JavaScript JavaScript JavaScript Other"
    );
}

/// The labels of each sample.
pub(crate) fn labels(read: &formats::Read) -> Vec<String> {
    let (profile, sets) = (stacks(read), stacks(read).labels());
    let samples = &profile.samples()[0];
    let of_sample = |i| sets.of_set(samples.label_set(i)).map(ToString::to_string).collect();
    (0..samples.len()).map(of_sample).collect()
}

#[test]
fn the_page_of_the_innermost_frame_with_one_is_a_label() {
    let mut profile = profile();
    // Ids of inner windows are larger than 32 bits.
    profile["pages"] = json!([
        { "innerWindowID": 4_294_967_298_u64, "url": "https://a.example/" },
        { "innerWindowID": 3, "url": "https://b.example/" },
    ]);
    profile["threads"][0]["samples"]["stack"] = json!([1, 0]);
    let pages = |ids: Value| {
        let mut profile = profile.clone();
        profile["threads"][0]["frameTable"]["innerWindowID"] = ids;
        labels(&read(profile.to_string().into_bytes()).unwrap())
    };
    let [a, b] = ["page=https://a.example/", "page=https://b.example/"];
    assert_eq!(pages(json!([4_294_967_298_u64, 3])), [b, a]);
    assert_eq!(pages(json!([4_294_967_298_u64, 0])), [a, a]);
    assert_eq!(pages(json!([null, 3])), [b, ""]);
    // A page that is not listed, and a column that is none.
    assert_eq!(pages(json!([7, 7])), ["", ""]);
    assert_eq!(pages(json!("none")), ["", ""]);
    profile["pages"] = json!([{ "innerWindowID": null, "url": 5 }]);
    assert!(read(profile.to_string().into_bytes()).is_ok());
}
