//! The weight of what is shown over time, and ranges of it.

use serde_json::{Value, json};

use crate::support::profiles::TIMED_PERF;
use crate::support::requests::text;
use crate::support::{Server, Workspace};

fn weights(row: &Value) -> Value {
    row["buckets"].as_array().unwrap().iter().map(|bucket| bucket["weight"].clone()).collect()
}

#[test]
fn the_timeline_is_of_the_view() {
    let workspace = Workspace::with([("perf.txt", TIMED_PERF)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let question = json!([{ "buckets": 4, "byThread": true }]);
    let all = server.execute("costline.timeline", question.clone());
    let numbers = ["metric", "total", "problem", "startMs", "endMs", "bucketMs", "withoutTime"];
    assert_eq!(
        numbers.map(|key| all[key].clone()),
        [json!("cycles"), json!(150), Value::Null, json!(0.0), json!(4.0), json!(1.0), json!(0)]
    );
    assert_eq!(weights(&all), json!([10, 20, 30, 90]));
    let threads = all["threads"].as_array().unwrap();
    let threads = threads.iter().map(|row| json!([row["name"], row["tid"], weights(row)]));
    assert_eq!(
        threads.collect::<Value>(),
        json!([["app", "7", [10, 20, 0, 90]], ["io", "8", [0, 0, 30, 0]]])
    );
    assert_eq!(server.execute("costline.timeline", json!([]))["threads"], Value::Null);

    let view = server.set_view(json!({ "range": "1..4", "search": "hash" }));
    let part = server.execute("costline.timeline", json!([{ "buckets": 3 }]));
    assert_eq!(
        (&part["startMs"], &part["endMs"], &part["bucketMs"]),
        (&json!(1.0), &json!(4.0), &json!(1.0))
    );
    assert_eq!(weights(&part), json!([0, 0, 40]));
    assert_eq!(
        (&part["total"], &part["marks"]),
        (&view["total"], &json!(["1–4 ms", "search hash"]))
    );

    for buckets in [0, 10_001] {
        let error = server.execute_error("costline.timeline", json!([{ "buckets": buckets }]));
        let expected = format!("`buckets` is {buckets}; expected 1 to 10000");
        assert!(error.contains(&expected), "{error}");
    }
    // Folded stacks have no times.
    workspace.write("cpu.folded", "main;hash 5\n");
    let unknown = server.eventually("the new profile", |server| {
        server.set_view(json!({ "range": null, "search": null }));
        let timeline = server.execute("costline.timeline", question.clone());
        (timeline["total"] == 5).then_some(timeline)
    });
    assert_eq!(
        unknown["problem"],
        "no timeline can be shown: the times of the samples of this profile are unknown"
    );
    assert_eq!((&unknown["buckets"], &unknown["threads"]), (&json!([]), &json!([])));
    assert_eq!((&unknown["endMs"], &unknown["withoutTime"]), (&Value::Null, &Value::Null));
}

/// From one edge to another is a range of the view with just the buckets between them.
#[test]
fn the_edges_of_buckets_are_ranges() {
    let workspace = Workspace::with([("perf.txt", TIMED_PERF)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    for (whole, n) in [(json!(null), 4), (json!("1..4"), 3)] {
        server.set_view(json!({ "range": whole }));
        let line = server.execute("costline.timeline", json!([{ "buckets": n }]));
        let (edges, weights) = (line["edges"].as_array().unwrap().clone(), weights(&line));
        if whole.is_null() {
            let texts: Vec<_> = edges.iter().map(|edge| edge["text"].clone()).collect();
            assert_eq!(texts, ["0 s", "1.00 ms", "2.00 ms", "3.00 ms", "4.00 ms"]);
            assert_eq!(line["buckets"][0]["text"], "10 cycles");
            // A sample at the end would not be in a range that ends there.
            assert_eq!((&edges[3]["ms"], &edges[4]["ms"]), (&json!(3.0), &Value::Null));
        }
        for (from, to) in (0..n).flat_map(|from| (from + 1..=n).map(move |to| (from, to))) {
            let end = edges[to]["ms"].as_f64().map_or(String::new(), |ms| ms.to_string());
            let range = format!("{}..{end}", edges[from]["ms"]);
            let sum: u64 = (from..to).map(|at| weights[at].as_u64().unwrap()).sum();
            let view = server.set_view(json!({ "range": range }));
            assert_eq!(view["total"], sum, "{range}");
        }
    }
}

/// `main` from 1 to 9 ms, with `work` from 3 to 5 ms.
#[test]
fn recorded_calls_pass_in_several_buckets() {
    let event =
        |kind: &str, frame: usize, at: u32| json!({ "type": kind, "frame": frame, "at": at });
    let profile = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": [{ "name": "main" }, { "name": "work" }] },
        "profiles": [{
            "type": "evented", "unit": "milliseconds", "startValue": 0, "endValue": 9,
            "events": [event("O", 0, 1), event("O", 1, 3), event("C", 1, 5), event("C", 0, 9)],
        }],
    });
    let workspace = Workspace::with([("cpu.speedscope.json", profile.to_string().as_str())]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let timeline = |server: &mut Server, buckets: usize| {
        server.execute("costline.timeline", json!([{ "buckets": buckets }]))
    };
    assert_eq!(weights(&timeline(&mut server, 4)), json!([2, 2, 2, 2]));
    server.set_view(json!({ "search": "work" }));
    assert_eq!(weights(&timeline(&mut server, 4)), json!([0, 2, 0, 0]));
    // 8 ms in 16 buckets: `work` runs from 2 to 4 ms.
    let halves = timeline(&mut server, 16);
    let expected: Vec<f64> =
        (0..16).map(|at| if (4..8).contains(&at) { 0.5 } else { 0.0 }).collect();
    let found = halves["buckets"].as_array().unwrap().iter().map(|b| b["weight"].as_f64().unwrap());
    assert_eq!(found.collect::<Vec<_>>(), expected);
    // A range from the middle of `work`: its buckets are 1 ms long.
    let view = server.set_view(json!({ "search": null, "range": "3..6" }));
    assert_eq!(view["total"], json!(3));
    assert_eq!(weights(&timeline(&mut server, 3)), json!([1, 1, 1]));
}

/// A recording by perf: six samples, 1 ms apart.
const PERF: &str = "\
app 7 100.000000: 1 cycles:\n\t3 hash (app)\n\t2 parse (app)\n\t1 main (app)\n\n\
app 7 100.001000: 1 cycles:\n\t2 parse (app)\n\t1 main (app)\n\n\
app 7 100.002000: 1 cycles:\n\t3 hash (app)\n\t4 eval (app)\n\t1 main (app)\n\n\
app 7 100.003000: 1 cycles:\n\t4 eval (app)\n\t1 main (app)\n\n\
app 7 100.004000: 1 cycles:\n\t3 hash (app)\n\t2 parse (app)\n\t4 eval (app)\n\t1 main (app)\n\n\
app 7 100.005000: 1 cycles:\n\t1 main (app)\n\n";

#[test]
fn a_range_and_a_search_give_the_numbers_of_the_command_line() {
    let workspace = Workspace::with([("perf.txt", PERF)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let functions = |spots: &Value| {
        let rows = spots["functions"].as_array().unwrap().iter();
        let mut rows: Vec<_> = rows
            .map(|row| format!("{} {}/{}", text(&row["name"]), row["self"], row["total"]))
            .collect();
        rows.sort();
        rows.join(", ")
    };
    let mut shown = |choices: Value, options: &[&str]| {
        let view = server.set_view(choices);
        let rows = functions(&server.execute("costline.hotspots", json!([{}])));
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_costline"));
        let output = command
            .args(["report", "--json", "--no-symbols"])
            .arg(workspace.path("perf.txt"))
            .args(options)
            .env("COSTLINE_CACHE_DIR", "")
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["total"], functions(&report)), (&view["total"], rows.clone()));
        (view["total"].clone(), view["marks"].clone(), rows)
    };
    let all = "eval 1/3, hash 3/3, main 1/6, parse 1/3";
    assert_eq!(shown(json!({}), &[]), (json!(6), json!([]), all.to_owned()));
    assert_eq!(
        shown(json!({ "range": "1..4" }), &["--range", "1..4"]),
        (json!(3), json!(["1–4 ms"]), "eval 1/2, hash 1/1, main 0/3, parse 1/1".to_owned())
    );
    assert_eq!(
        shown(json!({ "search": "Hash" }), &["--range", "1ms..0.004s", "--search", "Hash"]),
        (json!(1), json!(["1–4 ms", "search Hash"]), "eval 0/1, hash 1/1, main 0/1".to_owned())
    );
    assert_eq!(
        shown(json!({ "range": null, "search": "hash,parse" }), &["--search", "hash,parse"]).2,
        "eval 0/1, hash 2/2, main 0/2, parse 0/2"
    );
    let view = server.view();
    assert_eq!((&view["range"], &view["search"]), (&Value::Null, &json!("hash,parse")));
    let actions = view["actions"].as_array().unwrap();
    assert!(actions.iter().any(|it| it["title"] == "Clear the search for hash,parse"), "{view}");
    assert_eq!(server.set_view(json!({ "search": null }))["total"], 6);

    for (range, problem) in [
        ("1", "`1` is not a valid range; expected A..B in milliseconds"),
        ("7..9", "no sample is in 7..9 ms: the last one was taken at 5 ms"),
    ] {
        let error = server.execute_error("costline.setView", json!([{ "range": range }]));
        assert!(error.contains(problem), "{error}");
    }
    // The range stays for the next profile, but folded stacks have no times.
    server.set_view(json!({ "range": "1..4" }));
    workspace.write("cpu.folded", "main;hash 5\n");
    let view = server.eventually("the new profile", |server| {
        let view = server.view();
        (view["total"] == 5).then_some(view)
    });
    assert_eq!(view["marks"], json!(["1–4 ms (no effect)"]));
    let error = server.execute_error("costline.setView", json!([{ "range": "2..5" }]));
    assert!(error.contains("the times of the samples of this profile are unknown"), "{error}");
}
