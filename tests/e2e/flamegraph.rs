//! Flame graphs: files for a browser, and frames for panels.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::profiles::{BELOW, TIMED_PERF, six_samples};
use crate::support::requests::text;
use crate::support::{Server, Workspace, six};

fn folders(temporary: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(temporary).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn opens_a_temporary_file_and_removes_it_at_exit() {
    let (workspace, temporary) = (six_samples(), Workspace::new());
    let mut server = Server::builder(&workspace)
        .env("TMPDIR", temporary.root().to_str().unwrap())
        .hold("window/showDocument")
        .start();
    server.wait_profile();
    let answer = server.execute("costline.flamegraph", json!([]));
    let path = PathBuf::from(text(&answer["path"]));
    assert_eq!(path.file_name().unwrap(), "costline-cpu-flamegraph.svg");
    assert_eq!(answer["uri"], crate::support::uri(&path));
    assert!(
        std::fs::read_to_string(&path).unwrap().contains("<title>hash (1 samples, 16.67%)</title>")
    );
    let (id, params) = server.wait_server_request("window/showDocument");
    assert_eq!((&params["uri"], &params["external"]), (&answer["uri"], &json!(true)));
    server.reply(id, json!({ "success": true }));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::fs::metadata(path.parent().unwrap()).unwrap();
        assert_eq!(folder.permissions().mode() & 0o777, 0o700);
    }

    // Each file has a new name, and only the latest few are kept.
    for _ in 0..12 {
        let next = PathBuf::from(text(&server.execute("costline.flamegraph", json!([]))["path"]));
        assert!(next.is_file() && next != path);
        let (id, _) = server.wait_server_request("window/showDocument");
        server.reply_error(id, -32000, "no browser");
    }
    assert_eq!(folders(temporary.root()).len(), 8);
    server.finish();
    assert_eq!(folders(temporary.root()), [] as [PathBuf; 0]);
}

#[test]
fn writes_a_file_to_the_given_path_and_overwrites_only_on_request() {
    let workspace = six_samples();
    // This client does not support opening documents.
    let mut server = Server::builder(&workspace)
        .capability("/window/showDocument", json!({ "support": false }))
        .start();
    server.wait_profile();
    let answer = server.execute("costline.flamegraph", json!([{ "path": "cpu.svg" }]));
    let path = workspace.path("cpu.svg");
    assert_eq!((&answer["path"], &answer["uri"]), (&json!(path), &json!(workspace.uri("cpu.svg"))));
    let picture = std::fs::read(&path).unwrap();
    let error = server.execute_error("costline.flamegraph", json!([{ "path": "cpu.svg" }]));
    assert_eq!(
        error,
        format!("{}: the file exists; use \"overwrite\": true to replace it", path.display())
    );
    std::fs::write(&path, "old").unwrap();
    server.execute("costline.flamegraph", json!([{ "path": "cpu.svg", "overwrite": true }]));
    assert_eq!(std::fs::read(&path).unwrap(), picture);
}

/// Checks the frames against each other.
fn assert_consistent(answer: &Value) {
    let frames = answer["frames"].as_array().unwrap();
    let total = answer["total"].as_f64().unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    let mut below = vec![(0.0, 0.0); frames.len()];
    for (i, frame) in frames.iter().enumerate() {
        assert!(
            (number(&frame["width"]) - number(&frame["total"]) / total).abs() < 1e-9,
            "{frame}"
        );
        let Some(parent) = frame["parent"].as_u64().map(|parent| parent as usize) else { continue };
        let above = &frames[parent];
        assert!(
            parent < i && above["depth"].as_u64().unwrap() + 1 == frame["depth"].as_u64().unwrap()
        );
        let (sum, right) = &mut below[parent];
        assert!(
            number(&frame["left"]) >= number(&above["left"]) + *right - 1e-9,
            "siblings overlap: {frame}"
        );
        *sum += number(&frame["total"]);
        *right = number(&frame["left"]) + number(&frame["width"]) - number(&above["left"]);
        assert!(*right <= number(&above["width"]) + 1e-9, "{frame} sticks out of {above}");
    }
    for (frame, (sum, _)) in frames.iter().zip(below) {
        let (total, own) = (number(&frame["total"]), number(&frame["self"]));
        assert!(sum + own <= total * (1.0 + 1e-9), "{frame}");
        assert!(answer["omitted"] != 0 || (sum + own - total).abs() < 1e-9 * total, "{frame}");
    }
}

#[test]
fn a_panel_gets_the_data_of_frames() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let answer = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    assert_consistent(&answer);
    assert_eq!(
        (&answer["metric"], &answer["total"], &answer["omitted"]),
        (&json!("samples"), &json!(6), &json!(0))
    );
    let frames = answer["frames"].as_array().unwrap();
    let rows: Vec<_> = frames
        .iter()
        .map(|frame| {
            format!(
                "{} {}/{} {}",
                text(&frame["name"]),
                frame["self"],
                frame["total"],
                frame["parent"]
            )
        })
        .collect();
    assert_eq!(rows[..3], ["main 1/6 null", "eval 0/3 0", "parse 1/2 0"]);
    assert_eq!((rows[3].as_str(), frames.len()), ("eval 0/2 1", 9));
    let main = &frames[0];
    assert_eq!(
        (&main["text"], &main["uri"], &main["line0"]),
        (&json!("100.0% · self 16.7%"), &json!(uri), &json!(8 + BELOW))
    );
    assert_eq!(
        (&main["left"], &main["width"], &frames[2]["left"]),
        (&json!(0.0), &json!(1.0), &json!(0.5))
    );
    // No file is written or opened.
    assert!(
        server.take_server_requests().iter().all(|(_, method, _)| method != "window/showDocument")
    );
    // Places follow edits.
    server.change(&uri, &format!("\n\n{}", crate::support::profiles::app_py()));
    let moved = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    assert_eq!(moved["frames"][0]["line0"], json!(10 + BELOW));
}

#[test]
fn frames_of_a_real_profile_match_the_call_tree() {
    for case in [Case::rust(), Case::javascript(), Case::python()] {
        let mut server = Server::start(&case.workspace);
        server.wait_profile();
        let answer = server.execute("costline.flamegraph", json!([{ "inline": true }]));
        assert_consistent(&answer);
        let frames = answer["frames"].as_array().unwrap();
        assert!(frames.len() > 20, "{}", frames.len());
        // Any frame is also a node of the call tree.
        for at in (0..frames.len()).step_by(7) {
            let path = path_of(frames, at);
            let nodes = server.execute(
                "costline.callTree",
                json!([{ "path": path[..path.len() - 1], "limit": 100_000 }]),
            );
            let node = nodes["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .find(|node| node["key"] == path[path.len() - 1])
                .unwrap();
            for field in ["name", "text", "self", "total", "uri", "line0"] {
                assert_eq!(node[field], frames[at][field], "{field}");
            }
        }
    }
}

#[test]
fn functions_with_one_name_have_their_own_places() {
    let profile = "main (app.py:1);run (a.py:3) 2\nmain (app.py:1);run (b.py:6) 1\n";
    let text = "x = 1\n".repeat(9);
    let workspace = Workspace::with([
        ("cpu.folded", profile),
        ("app.py", &text),
        ("a.py", &text),
        ("b.py", &text),
    ]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let answer = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    let places: Vec<_> = answer["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| (&frame["uri"], &frame["line0"]))
        .collect();
    assert_eq!(
        places[1..],
        [(&json!(workspace.uri("a.py")), &json!(2)), (&json!(workspace.uri("b.py")), &json!(5))]
    );
}

#[test]
fn frames_have_the_original_names() {
    let names = [
        "</title><script>alert(1)</script>",
        "]]>",
        "a\u{1b}[31m\u{202e}b",
        "<![CDATA[",
        "\" onload=\"x()",
        "&#x3c;b&gt;",
    ];
    let node = |id: usize, name: &str, hits: u64| {
        let frame = json!({ "functionName": name, "scriptId": "1", "url": if id == 1 { "" } else { "file:///app.js" }, "lineNumber": id, "columnNumber": 0 });
        json!({ "id": id, "callFrame": frame, "hitCount": hits })
    };
    let mut nodes = vec![node(1, "(root)", 0)];
    nodes[0]["children"] = (2..names.len() + 2).collect();
    nodes.extend(names.iter().zip(2..).map(|(name, id)| node(id, name, 1)));
    let samples: Vec<_> = (2..names.len() + 2).collect();
    let deltas = vec![1000; samples.len()];
    let profile = json!({ "nodes": nodes, "startTime": 0, "endTime": 7000, "samples": samples, "timeDeltas": deltas });
    let workspace =
        Workspace::with([("cpu.cpuprofile", profile.to_string().as_str()), ("app.js", "x\n")]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let answer = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    assert_consistent(&answer);
    // Panels sanitize them.
    let rows: Vec<_> =
        answer["frames"].as_array().unwrap().iter().map(|frame| text(&frame["name"])).collect();
    assert!(names.iter().all(|name| rows.iter().any(|row| row == name)), "{rows:?}");
}

#[test]
fn omits_and_counts_narrow_frames_and_draws_deep_ones() {
    let narrow: String =
        (0..50).map(|i| format!("main (app.py:1);f{i} (app.py:2);h (app.py:4) 1\n")).collect();
    let deep: Vec<String> = (0..3000).map(|i| format!("g{} (app.py:3)", i % 5)).collect();
    let profile = format!("{narrow}main (app.py:1);{} 99950\n", deep.join(";"));
    let workspace = Workspace::with([("cpu.folded", profile.as_str()), ("app.py", "x\n")]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let answer = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    assert_consistent(&answer);
    // `main` and 3000 below it; 50 narrow frames with one callee each.
    let frames = answer["frames"].as_array().unwrap();
    assert_eq!((frames.len(), &answer["omitted"]), (3001, &json!(100)));
    assert_eq!((&frames[0]["more"], &frames[1]["more"]), (&json!(100), &json!(0)));
}

/// The keys from the root to a frame.
fn path_of(frames: &[Value], mut at: usize) -> Vec<Value> {
    let mut path = vec![frames[at]["key"].clone()];
    while let Some(parent) = frames[at]["parent"].as_u64() {
        at = parent as usize;
        path.push(frames[at]["key"].clone());
    }
    path.reverse();
    path
}

/// 20,000 functions at one level are left out of the whole graph, and 2000 levels are below the
/// last of them. Zooming reaches the last level.
#[test]
fn zooming_reaches_every_frame() {
    let mut profile: String = (0..19_999)
        .map(|i| format!("main (app.py:1);wide (app.py:2);f{i} (app.py:3) 2\n"))
        .collect();
    let deep: Vec<String> = (0..2000).map(|i| format!("g{i} (app.py:3)")).collect();
    let deep = deep.join(";");
    write!(profile, "main (app.py:1);wide (app.py:2);{deep} 1\nmain (app.py:1) 1000\n").unwrap();
    let workspace = Workspace::with([("cpu.folded", profile.as_str()), ("app.py", "x\n")]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let graph = |server: &mut Server, node: &[Value], limit: usize| {
        let question = json!({ "inline": true, "node": node, "limit": limit });
        server.execute("costline.flamegraph", json!([question]))
    };
    let all = graph(&mut server, &[], 5000);
    // Each is a twenty-thousandth of `main`.
    assert_eq!((all["frames"].as_array().unwrap().len(), &all["omitted"]), (2, &json!(21_999)));
    assert_eq!(all["frames"][1]["more"], json!(21_999));
    assert_eq!((&all["above"], &all["totalText"]), (&json!(0), &json!("40,999 samples")));

    // They are too narrow even below `wide`, so they come page by page.
    let wide = path_of(all["frames"].as_array().unwrap(), 1);
    let below = graph(&mut server, &wide, 5000);
    assert_eq!((&below["above"], &below["omitted"]), (&json!(2), &json!(21_999)));
    let mut skip = 0;
    let g0 = loop {
        let question = json!([{ "inline": true, "node": wide, "skip": skip }]);
        let page = server.execute("costline.flamegraph", question);
        let frames = page["frames"].as_array().unwrap();
        let callees: Vec<_> = (0..frames.len()).filter(|&at| frames[at]["parent"] == 1).collect();
        assert!(!callees.is_empty(), "nothing after {skip}");
        assert_eq!(frames[1]["more"].as_u64().unwrap() as usize, 21_999 - (frames.len() - 2));
        if let Some(&at) = callees.iter().find(|&&at| frames[at]["name"] == "g0") {
            break path_of(frames, at);
        }
        skip += callees.len();
    };
    // It is half as wide as the others, too narrow for a page with 999 of them.
    assert_eq!(skip, 19_999);

    let deep = graph(&mut server, &g0, 5000);
    let frames = deep["frames"].as_array().unwrap();
    assert_eq!((frames.len(), &deep["above"], &deep["omitted"]), (2002, &json!(3), &json!(0)));
    let last = &frames[2001];
    assert_eq!(
        (&last["name"], &last["total"], &last["leaf"]),
        (&json!("g1999"), &json!(1), &json!(true))
    );
    // Fewer frames, or rows, and how many are left out.
    let cut = graph(&mut server, &g0, 10);
    let frames = cut["frames"].as_array().unwrap();
    assert_eq!(
        (frames.len(), &frames[9]["more"], &cut["omitted"]),
        (10, &json!(1992), &json!(1992))
    );
    let rows = json!([{ "inline": true, "node": g0, "depth": 5 }]);
    let rows = server.execute("costline.flamegraph", rows);
    assert_eq!((rows["frames"].as_array().unwrap().len(), &rows["omitted"]), (8, &json!(1994)));
    // Of a path that the profile does not have, as much as it has.
    let mut gone = wide.clone();
    gone.push(json!({ "name": "gone" }));
    assert_eq!(graph(&mut server, &gone, 5000)["above"], json!(2));
}

/// `a` is called by `main` (60 of 100) and by `b` (20); a call graph does not say what it calls then.
#[test]
fn the_flame_graph_of_a_call_graph_is_estimated() {
    let calls = "events: Ir\n\nfl=app.c\nfn=main\n1 20\ncfn=a\ncalls=1 2\n1 60\ncfn=b\ncalls=1 3\n1 20\n\n\
                 fn=a\n2 40\ncfn=c\ncalls=1 4\n2 40\n\nfn=b\n3 0\ncfn=a\ncalls=1 2\n3 20\n\nfn=c\n4 40\n";
    let workspace = Workspace::with([("callgrind.out.1", calls), ("app.c", "x\n")]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let answer = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    assert_eq!(answer["est"], true);
    let frames = answer["frames"].as_array().unwrap();
    let frames: Vec<_> =
        frames.iter().map(|frame| (text(&frame["name"]), text(&frame["text"]))).collect();
    let frame = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(frames[0], frame("main", "100.0% · self 20.0%"));
    // 60 of the 80 of `a` come from `main`, so 30 of the 40 of `c` do.
    assert!(frames.contains(&frame("c", "30.0% est.")), "{frames:?}");
}

#[test]
fn draws_bottom_up_around_a_function_and_finds_functions() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let ask = |server: &mut Server, question: Value| {
        let answer = server.execute("costline.flamegraph", json!([question]));
        let frames = answer["frames"].as_array().unwrap().clone();
        let rows: Vec<_> = frames
            .iter()
            .map(|frame| format!("{} {} {}", frame["depth"], text(&frame["name"]), frame["total"]))
            .collect();
        (answer, rows)
    };
    let (bottom_up, rows) = ask(&mut server, json!({ "inline": true, "inverted": true }));
    // Every sample has one leaf.
    let tops = bottom_up["frames"].as_array().unwrap().iter().filter(|it| it["parent"].is_null());
    assert_eq!(tops.map(|top| top["total"].as_u64().unwrap()).sum::<u64>(), 6);
    assert_eq!(bottom_up["atLeast"], true);
    // The bottom-up call tree has the same.
    let tree = server.execute("costline.callTree", json!([{ "inverted": true, "depth": 2 }]));
    let top = &tree["nodes"][0];
    let caller = &top["children"][0];
    assert_eq!(rows[0], format!("0 {} {}", text(&top["name"]), top["total"]));
    assert!(rows.contains(&format!("1 {} {}", text(&caller["name"]), caller["total"])));

    let key = server.root_item("parse")["data"]["path"][0].clone();
    let callees = json!({ "inline": true, "function": key });
    let (_, callees) = ask(&mut server, callees);
    let callers = json!({ "inline": true, "function": key, "inverted": true });
    let (_, callers) = ask(&mut server, callers);
    // Three of six samples have it; main calls it in two of them, eval in one.
    assert_eq!(callees[0], "0 parse 3");
    assert_eq!(callers[..3], ["0 parse 3", "1 main 2", "1 eval 1"]);
    let search = json!({ "inline": true, "search": { "text": "^par", "regex": true } });
    let (found, _) = ask(&mut server, search);
    assert_eq!(found["found"], json!({ "text": "50.0%", "problem": null }));
    let unknown = json!([{ "inline": true, "function": { "name": "gone" } }]);
    let error = server.execute_error("costline.flamegraph", unknown);
    assert!(error.contains("no costs of gone"), "{error}");
}

#[test]
fn draws_calls_in_the_order_of_time() {
    let workspace = Workspace::with([("perf.txt", TIMED_PERF)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let ask = |server: &mut Server, question: Value| {
        let answer = server.execute("costline.flamegraph", json!([question]));
        let frames = answer["frames"].as_array().unwrap().clone();
        let number = |value: &Value| value.as_f64().unwrap();
        let row = |frame: &Value| {
            let (left, width) = (number(&frame["left"]), number(&frame["width"]));
            let (name, text) = (text(&frame["name"]), text(&frame["text"]));
            format!("{} {name} {left:.2}+{width:.2} {text}", frame["depth"])
        };
        let rows: Vec<_> = frames.iter().map(row).collect();
        (answer, rows)
    };
    let (by_cost, _) = ask(&mut server, json!({ "inline": true }));
    assert_eq!((&by_cost["timed"], &by_cost["span"]), (&json!(true), &Value::Null));
    let question = json!({ "inline": true, "order": "time", "search": { "text": "hash" } });
    let (answer, rows) = ask(&mut server, question);
    let expected = [
        "0 app 0.00+1.00 80.0%",
        "1 main 0.00+1.00 80.0% · self 46.7% · 5.00 ms at 0 s",
        "2 hash 0.00+0.20 6.7% · self 6.7% · 1.00 ms at 0 s",
        "2 hash 0.60+0.20 26.7% · self 26.7% · 1.00 ms at 3.00 ms",
        "3 io 0.00+1.00 20.0%",
        // How long the only sample of a thread lasts is not known.
        "4 1 call 0.40+0.00 20.0% · self 20.0% · 1.00 ns at 2.00 ms",
    ];
    assert_eq!(rows, expected);
    assert_eq!(answer["span"], json!({ "range": "0..5", "text": "0 s to 5.00 ms" }));
    assert_eq!((&answer["omitted"], &answer["frames"][5]["more"]), (&json!(1), &json!(1)));
    // Threads are no functions.
    let key = |at: usize| answer["frames"][at]["key"]["name"].clone();
    assert_eq!([key(0), key(1), key(5)], [Value::Null, json!("main"), Value::Null]);
    // The cost of the samples with it is that of both calls.
    assert_eq!(answer["found"]["text"], "33.3%");
    assert_eq!(
        (&answer["frames"][2]["found"], &answer["frames"][1]["found"]),
        (&json!(true), &json!(false))
    );

    // Each frame has the range that makes it as wide as the image.
    let range = answer["frames"][3]["range"].clone();
    assert_eq!(range, "3..4");
    let (_, rows) = ask(&mut server, json!({ "inline": true, "order": "time", "range": range }));
    let expected = [
        "0 main 0.00+1.00 80.0% · self 46.7% · 5.00 ms at 0 s",
        "1 hash 0.00+1.00 26.7% · self 26.7% · 1.00 ms at 3.00 ms",
    ];
    assert_eq!(rows, expected);

    let inverted = json!([{ "inline": true, "order": "time", "inverted": true }]);
    let error = server.execute_error("costline.flamegraph", inverted);
    assert!(error.contains("leave out `inverted` and `function`"), "{error}");
    let malformed = json!([{ "inline": true, "order": "time", "range": "now" }]);
    let error = server.execute_error("costline.flamegraph", malformed);
    assert!(error.contains("`range`: `now` is not a valid range"), "{error}");

    workspace.write("cpu.folded", "main;hash 5\n");
    let error = server.eventually("the new profile", |server| {
        let shown = server.execute("costline.view", json!([]))["total"] == 5;
        shown.then(|| {
            let question = json!([{ "inline": true, "order": "time" }]);
            server.execute_error("costline.flamegraph", question)
        })
    });
    let expected = "nothing can be drawn in chronological order: the times of the samples of this \
                    profile are unknown";
    assert!(error.contains(expected), "{error}");
}

/// In 200,000 calls of 10 µs, only the last one calls `leaf`. Rows of short calls lead to it.
#[test]
fn zooming_in_time_reaches_every_call() {
    let mut profile = String::from("[");
    for i in 0..200_000_u32 {
        let (name, start) = (format!("f{}", i % 7), i * 10);
        write!(
            profile,
            "{{\"ph\":\"X\",\"name\":\"{name}\",\"pid\":1,\"tid\":1,\"ts\":{start},\"dur\":9}},"
        )
        .unwrap();
    }
    profile += "{\"ph\":\"X\",\"name\":\"leaf\",\"pid\":1,\"tid\":1,\"ts\":1999992,\"dur\":3}]";
    let workspace = Workspace::with([("run.trace.json", profile.as_str())]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let mut range = Value::Null;
    for step in 0.. {
        assert!(step < 10, "{range}");
        let question = json!([{ "inline": true, "order": "time", "range": range }]);
        let answer = server.execute("costline.flamegraph", question);
        let frames = answer["frames"].as_array().unwrap();
        assert!(frames.len() <= 5000);
        if frames.iter().any(|frame| frame["name"] == "leaf") {
            assert!(step > 1, "{}", frames.len());
            break;
        }
        let last = |frame: &&Value| {
            frame["left"].as_f64().unwrap() + frame["width"].as_f64().unwrap() > 0.999
        };
        let row = frames.iter().rev().find(last).unwrap();
        assert!(row["more"].as_u64().unwrap() > 0, "{row}");
        range = row["range"].clone();
    }
}

#[test]
fn reports_why_there_is_no_flame_graph() {
    let calls = "events: Ir\n\nfl=app.c\nfn=main\n1 5\n";
    let workspace = Workspace::with([("callgrind.out.1", calls)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let error = server.execute_error("costline.flamegraph", json!([{}]));
    assert!(error.contains("call graph without stacks"), "{error}");
    let empty = Workspace::new();
    let mut server = Server::start(&empty);
    for argument in [json!({}), json!({ "inline": true })] {
        let error = server.execute_error("costline.flamegraph", json!([argument]));
        assert!(error.contains("no profile is loaded"), "{error}");
    }
}
