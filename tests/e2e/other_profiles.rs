//! Queries about profiles that are not shown.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::profiles::{cpuprofile, six_samples, timed_cpuprofile};
use crate::support::{Server, Workspace, set_age};

const HOUR: Duration = Duration::from_secs(3600);

/// The queries that take another profile, with arguments of their own.
fn queries() -> [(&'static str, Value); 4] {
    [
        ("costline.hotspots", json!({ "by": "line" })),
        ("costline.callTree", json!({ "depth": 3 })),
        ("costline.flamegraph", json!({ "inline": true })),
        ("costline.timeline", json!({ "buckets": 4 })),
    ]
}

fn ask(server: &mut Server, other: &Value) -> Vec<Value> {
    let answer = |(name, question)| server.execute(name, json!([question, other]));
    queries().into_iter().map(answer).collect()
}

fn view(server: &mut Server, other: &Value) -> Value {
    server.execute("costline.view", json!([other]))
}

/// `cpu.folded` with six samples, and an older `old.cpuprofile` with 20.
fn two() -> (Workspace, Server) {
    let workspace = six_samples();
    let mut profile: Value = serde_json::from_slice(&timed_cpuprofile(20)).unwrap();
    profile["startTime"] = json!(0);
    set_age(&workspace.write("old.cpuprofile", profile.to_string()), HOUR);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    assert_eq!(server.view()["totalText"], "6 samples");
    (workspace, server)
}

#[test]
fn answers_about_another_profile_are_those_that_it_has_when_it_is_shown() {
    let (workspace, mut server) = two();
    let shown = ask(&mut server, &Value::Null);
    let other = json!({ "path": "old.cpuprofile" });
    let answers = ask(&mut server, &other);
    let summary = view(&mut server, &other);
    assert_eq!(summary["profile"]["path"], workspace.path("old.cpuprofile").to_str().unwrap());
    // 20 samples of half a millisecond, of which the last has no successor.
    assert_eq!(
        (&summary["totalText"], &summary["status"]),
        (&json!("9.50 ms"), &json!("9.50 ms · time"))
    );
    assert_eq!(answers[3]["buckets"].as_array().unwrap().len(), 4);
    let in_time = json!([{ "inline": true, "order": "time" }, other]);
    let in_time = server.execute("costline.flamegraph", in_time);
    assert_eq!(in_time["span"]["text"], "0 s to 9.50 ms");
    // Nothing else is shown.
    assert_eq!(ask(&mut server, &Value::Null), shown);
    assert_eq!(server.view()["totalText"], "6 samples");

    server.execute("costline.selectProfile", json!(["old.cpuprofile"]));
    assert_eq!(ask(&mut server, &Value::Null), answers);
    let now = server.view();
    for key in ["total", "summary", "marks", "metric", "unit", "health"] {
        assert_eq!(now[key], summary[key], "{key}");
    }
    // Of what is shown, by name.
    assert_eq!(ask(&mut server, &other), answers);
    let before = json!({ "path": workspace.path("cpu.folded") });
    assert_eq!(ask(&mut server, &before), shown);
}

#[test]
fn another_profile_has_a_view_of_its_own() {
    let (_workspace, mut server) = two();
    let other = |view: Value| json!({ "path": "old.cpuprofile", "view": view });
    let range = view(&mut server, &other(json!({ "range": "2..4" })));
    // The samples at 2, 2.5, 3 and 3.5 ms.
    assert_eq!((&range["totalText"], &range["marks"]), (&json!("2.00 ms"), &json!(["2–4 ms"])));
    let undo = range["actions"].as_array().unwrap();
    let undo = undo.iter().find(|action| action["title"] == "Show the whole recording").unwrap();
    assert_eq!(undo["arguments"], json!([{ "reset": ["range"] }]));
    let hits = view(&mut server, &other(json!({ "metric": "hits" })));
    assert_eq!(hits["totalText"], "20 hits");
    // That of the profile shown is another one, also if it is that of the same file.
    server.set_view(json!({ "unit": "absolute", "search": "parse" }));
    let all = view(&mut server, &json!({ "path": "cpu.folded", "view": {} }));
    assert_eq!((&all["total"], &all["marks"]), (&json!(6), &json!([])));
    let shown = view(&mut server, &json!({ "path": "cpu.folded" }));
    assert_eq!(shown["marks"], json!(["search parse"]));
    // The unit is for all profiles.
    let spots = server.execute("costline.hotspots", json!([{}, other(json!({}))]));
    assert_eq!(spots["functions"][0]["selfText"], "9.50 ms");
}

#[test]
fn a_rewritten_profile_is_read_again() {
    let (workspace, mut server) = two();
    let other = json!({ "path": "old.cpuprofile" });
    assert_eq!(view(&mut server, &other)["totalText"], "9.50 ms");
    set_age(&workspace.write("old.cpuprofile", cpuprofile(7)), HOUR);
    assert_eq!(view(&mut server, &other)["totalText"], "7 hits");
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let (workspace, mut server) = two();
    let error = |server: &mut Server, other: Value| {
        server.execute_error("costline.hotspots", json!([{}, other]))
    };
    let gone = error(&mut server, json!({ "path": "gone.pb" }));
    assert!(gone.contains("gone.pb: No such file"), "{gone}");
    let source = error(&mut server, json!({ "path": workspace.path("app.py") }));
    assert!(source.contains("app.py: not a supported profile"), "{source}");
    let key = error(&mut server, json!({ "path": "old.cpuprofile", "vieww": {} }));
    assert!(key.contains("unknown key `vieww`, expected `path` or `view`"), "{key}");
    let metric = json!({ "path": "old.cpuprofile", "view": { "metric": "bytes" } });
    let metric = error(&mut server, metric);
    assert!(metric.contains("bytes"), "{metric}");
    let nested = json!({ "path": "old.cpuprofile", "view": { "profile": "cpu.folded" } });
    let nested = error(&mut server, nested);
    assert!(nested.contains("not part of the view of another profile"), "{nested}");
    assert_eq!(server.view()["health"].as_array().unwrap().len(), 1, "it is about the samples");
}

/// Other systems have no such names.
#[cfg(target_os = "linux")]
#[test]
fn profiles_whose_names_are_not_utf_8_are_listed_and_shown() {
    use std::os::unix::ffi::OsStrExt as _;

    let workspace = six_samples();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff.folded");
    let bad = workspace.path("cpu.folded").with_file_name(name);
    std::fs::write(&bad, "f (app.py:2) 10\n").unwrap();
    let replaced = workspace.path("bad\u{fffd}.folded");
    for (age, total) in [(2 * HOUR, "6 samples"), (Duration::ZERO, "10 samples")] {
        set_age(&bad, age);
        set_age(&workspace.path("cpu.folded"), HOUR);
        let mut server = Server::start(&workspace);
        server.wait_profile();
        assert_eq!(server.view()["totalText"], total);
        let answer = server.execute("costline.profiles", json!([]));
        let listed = answer["profiles"].as_array().unwrap();
        assert!(listed.iter().any(|profile| profile["path"] == *replaced.to_str().unwrap()));
        server.execute("costline.hotspots", json!([]));
        server.execute("costline.reload", json!([]));
        assert_eq!(server.view()["totalText"], total);
    }
}
