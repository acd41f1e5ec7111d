//! Profiles that `costline fetch` got: what is known about them, and the sources that a project names.

use serde_json::{Value, json};
use std::time::Duration;

use crate::support::{Server, Workspace, set_age};

const SOURCES: &str = "\
[sources.shop]
kind = \"pyroscope\"
url = \"https://profiles.example.com\"
since = \"7d\"
baseline-since = \"14d\"

[sources.heap]
kind = \"pprof\"
url = \"http://localhost:6060/debug/pprof/heap\"
";
const SOURCE: &str = "def main():\n    work()\n    rest()\n";

fn fleet() -> Value {
    json!({
        "source": "shop", "kind": "pyroscope", "labels": {"service_name": "shop", "region": "eu"},
        "rangeMs": [1_763_978_400_000_u64, 1_763_982_000_000_u64], "hosts": 12, "profiles": 3400,
        "cut": {"how": "20 frames of each stack", "weight": 7},
    })
}

/// A project with sources, whose source `shop` was fetched.
fn project() -> Workspace {
    let now = format!("# costline: {}\nmain (a.py:2) 30\nmain (a.py:3) 10\n", fleet());
    let workspace = Workspace::with([("a.py", SOURCE), (".costline/sources.toml", SOURCES)]);
    workspace.write(".costline/shop-baseline.folded", "main (a.py:2) 10\nmain (a.py:3) 10\n");
    set_age(&workspace.path(".costline/shop-baseline.folded"), Duration::from_secs(60));
    workspace.write(".costline/shop.folded", now);
    workspace
}

#[test]
fn the_view_and_hovers_say_where_a_profile_comes_from() {
    let workspace = project();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let uri = server.open_file(&workspace.path("a.py"), "python");
    let view = server.view();
    let text = "shop · 12 hosts · 3400 profiles · 2025-11-24 10:00 to 11:00 UTC · region=eu, \
                service_name=shop · cut to 20 frames of each stack";
    let mut expected = fleet();
    let nothing =
        json!({ "text": text, "profileType": null, "revision": null, "repository": null });
    expected.as_object_mut().unwrap().extend(nothing.as_object().unwrap().clone());
    assert_eq!(view["fleet"], expected);
    let hover = server.hover(&uri, 1, 10).unwrap();
    assert!(hover.contains("12 hosts · 3400 profiles"), "{hover}");
    server.execute(
        "costline.selectProfile",
        json!([workspace.path(".costline/shop-baseline.folded")]),
    );
    assert_eq!(server.view()["fleet"], Value::Null);
    server.finish();
}

#[test]
fn the_timeline_has_the_weight_over_time_of_the_source() {
    let series =
        json!({ "startMs": 1_763_978_400_000_u64, "stepMs": 60_000, "values": [3.0, 0.0, 4.5] });
    let fleet = json!({ "kind": "parca", "series": series });
    let profile = format!("# costline: {fleet}\nmain (a.py:2) 30\n");
    let workspace = Workspace::with([("a.py", SOURCE), ("cpu.folded", &profile)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let timeline = server.execute("costline.timeline", json!([]));
    assert_ne!(timeline["problem"], Value::Null);
    let buckets = json!([
        { "weight": 3, "text": "3 samples" },
        { "weight": 0, "text": "0 samples" },
        { "weight": 4.5, "text": "4.50 samples" },
    ]);
    let minutes = ["10:00", "10:01", "10:02", "10:03"];
    let expected = json!({
        "startMs": 1_763_978_400_000_u64,
        "bucketMs": 60_000,
        "buckets": buckets,
        "edges": minutes.map(|minute| format!("2025-11-24 {minute}")),
        "text": "samples of the whole profile, as stated by parca: 2025-11-24 10:00 to 10:03 UTC",
    });
    assert_eq!(timeline["collected"], expected);
    server.finish();
}

#[test]
fn sources_are_listed_with_the_commands_that_fetch_them() {
    let workspace = project();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let listed = server.execute("costline.sources", json!([]));
    assert_eq!(
        (&listed["file"], &listed["problem"]),
        (&json!(workspace.path(".costline/sources.toml")), &Value::Null)
    );
    let sources = listed["sources"].as_array().unwrap();
    let names: Vec<_> = sources.iter().map(|source| source["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["heap", "shop"]);
    let (heap, shop) = (&sources[0], &sources[1]);
    assert_eq!(
        (&heap["kind"], &heap["place"], &heap["profile"], &heap["baseline"], &heap["shown"]),
        (
            &json!("pprof"),
            &json!("http://localhost:6060/debug/pprof/heap"),
            &Value::Null,
            &Value::Null,
            &json!(false)
        )
    );
    assert_eq!(shop["profile"], json!(workspace.path(".costline/shop.folded")));
    assert_eq!(shop["baseline"], json!(workspace.path(".costline/shop-baseline.folded")));
    assert_eq!((&shop["shown"], &shop["text"]), (&json!(true), &json!("costline fetch shop")));
    assert_eq!(shop["folder"], json!(workspace.root()));
    assert_eq!(shop["command"]["arguments"], json!(["fetch", "shop"]));
    let program = shop["command"]["program"].as_str().unwrap();
    let version = std::process::Command::new(program).arg("--version").output().unwrap();
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("costline "));

    workspace.write(".costline/sources.toml", "[sources.shop\n");
    let listed = server.execute("costline.sources", json!([]));
    assert_eq!(listed["sources"], json!([]));
    assert_ne!(listed["problem"], Value::Null);
    workspace.write(".costline/sources.toml", "[source.shop]\n");
    let listed = server.execute("costline.sources", json!([]));
    assert_eq!(listed["problem"], "unknown key `source`, expected [sources.NAME]");
    std::fs::remove_file(workspace.path(".costline/sources.toml")).unwrap();
    let listed = server.execute("costline.sources", json!([]));
    assert_eq!((&listed["sources"], &listed["problem"]), (&json!([]), &Value::Null));
    server.finish();
}
