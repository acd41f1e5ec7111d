//! The weight of what is shown over time.

use serde_json::{Value, json};

use crate::support::profiles::TIMED_PERF;
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
        (&view["total"], &json!(["1..4 ms", "search hash"]))
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
