//! The weight of what is shown over time.

use serde_json::{Value, json};

use crate::support::{Server, Workspace};

/// A recording by perf of two threads: samples of `app` at 0, 1, 3 and 4 ms and of `io` at 2 ms.
const PERF: &str = "\
app 7 100.000000: 10 cycles:\n\t3 hash (app)\n\t1 main (app)\n\n\
app 7 100.001000: 20 cycles:\n\t1 main (app)\n\n\
io 7/8 100.002000: 30 cycles:\n\t4 poll (app)\n\n\
app 7 100.003000: 40 cycles:\n\t3 hash (app)\n\t1 main (app)\n\n\
app 7 100.004000: 50 cycles:\n\t1 main (app)\n\n";

fn weights(row: &Value) -> Value {
    row["buckets"].as_array().unwrap().iter().map(|bucket| bucket["weight"].clone()).collect()
}

#[test]
fn the_timeline_is_of_the_view() {
    let workspace = Workspace::with([("perf.txt", PERF)]);
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
