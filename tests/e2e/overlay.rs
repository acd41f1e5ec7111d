//! The overlay: a second cost beside the first.

use super::support::{Server, Workspace, set_age};
use serde_json::{Value, json};
use std::time::Duration;

const SOURCE: &str = "def main():\n    f()\n    g()\n\ndef f():\n    pass\n\ndef g():\n    pass\n";

/// A speedscope profile in which `main` calls `f` and `g`.
fn speedscope(unit: &str, f: u32, g: u32) -> String {
    let frame = |name: &str, line: u32| json!({ "name": name, "file": "app.py", "line": line });
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": [
            frame("main", 2), frame("main", 3), frame("f", 6), frame("g", 9)
        ] },
        "profiles": [{
            "type": "sampled", "name": "run", "unit": unit, "startValue": 0, "endValue": f + g,
            "samples": [[0, 2], [1, 3]], "weights": [f, g],
        }],
    })
    .to_string()
}

fn labels(server: &mut Server, uri: &str) -> Vec<(u64, String)> {
    server.labels(uri).into_iter().collect()
}

fn owned<const N: usize>(labels: [(u64, &str); N]) -> Vec<(u64, String)> {
    labels.map(|(line, label)| (line, label.to_owned())).into()
}

/// Time in `f` only, and bytes in both.
#[test]
fn another_profile_is_shown_beside_the_first() {
    let workspace = Workspace::with([("app.py", SOURCE)]);
    set_age(&workspace.path("app.py"), Duration::from_secs(3600));
    workspace.write("heap.speedscope.json", speedscope("bytes", 1024, 3072));
    set_age(&workspace.path("heap.speedscope.json"), Duration::from_secs(600));
    workspace.write("cpu.speedscope.json", speedscope("milliseconds", 250, 0));
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let plain = owned([(1, "100.0%"), (5, "100.0%")]);
    server.eventually("costs", |server| (labels(server, &uri) == plain).then_some(()));
    let choice = |view: &Value| {
        let choices = view["choices"].as_array().unwrap().iter();
        choices.clone().find(|choice| choice["key"] == "overlay").unwrap().clone()
    };
    let view = server.view();
    assert_eq!(json!([view["overlay"], choice(&view)["value"]]), json!([null, null]));
    let view = server.set_view(json!({ "overlay": "heap.speedscope.json" }));
    assert_eq!(
        json!([view["overlay"]["name"], view["overlay"]["total"], view["marks"]]),
        json!(["bytes of heap.speedscope.json", 4096, ["beside bytes of heap.speedscope.json"]])
    );
    assert!(choice(&view)["value"].as_str().unwrap().ends_with("heap.speedscope.json"));
    // A line without time is shown for its bytes.
    let beside = owned([
        (1, "100.0% · 1.00 KiB"),
        (2, "0.0% · 3.00 KiB"),
        (5, "100.0% · 1.00 KiB"),
        (8, "0.0% · 3.00 KiB"),
    ]);
    assert_eq!(labels(&mut server, &uri), beside);
    let hint = server.hints(&uri)[0]["data"]["overlay"].clone();
    assert_eq!(json!([hint["self"], hint["total"], hint["unit"]]), json!([0, 1024, "bytes"]));
    let titles: Vec<String> = server
        .lenses(&uri)
        .iter()
        .map(|lens| lens["command"]["title"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        titles,
        [
            "self 0.0% (0 s) · total 100.0% (250 ms) · 4.00 KiB",
            "self 100.0% (250 ms) · total 100.0% (250 ms) · 1.00 KiB",
        ]
    );
    let hover = server.line_hover(&uri, 5).unwrap();
    assert!(hover.contains("bytes") && hover.contains("00 KiB"), "{hover}");
    let spots = server.execute("costline.hotspots", json!([{ "by": "function" }]));
    let f = spots["functions"].as_array().unwrap().iter().find(|row| row["name"] == "f").unwrap();
    assert_eq!(json!([f["label"], f["overlay"]["self"]]), json!(["self 100.0% · 1.00 KiB", 1024]));
    // Numbers of the first profile are the same with and without it, and it outlives a restart.
    assert_eq!(view["total"], 250);
    let state = server.view()["state"].clone();
    drop(server);
    let mut server = Server::builder(&workspace).options(json!({ "state": state })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.eventually("the overlay", |server| (labels(server, &uri) == beside).then_some(()));
    // It is read again with the profile shown.
    workspace.write("heap.speedscope.json", speedscope("bytes", 2048, 3072));
    workspace.write("cpu.speedscope.json", speedscope("milliseconds", 0, 500));
    server.eventually("the new overlay", |server| {
        let labels = labels(server, &uri);
        labels.contains(&(8, "100.0% · 3.00 KiB".to_owned())).then_some(())
    });
    server.execute("costline.reload", json!([]));
    assert!(labels(&mut server, &uri).contains(&(5, "0.0% · 2.00 KiB".to_owned())));
    let view = server.set_view(json!({ "overlay": null }));
    assert_eq!(json!([view["overlay"], view["marks"]]), json!([null, []]));
    assert_eq!(labels(&mut server, &uri), owned([(2, "100.0%"), (8, "100.0%")]));
    let error = server.execute_error("costline.setView", json!([{ "overlay": "heat" }]));
    assert_eq!(
        error,
        "the overlay `heat` is neither a profile nor a metric of cpu.speedscope.json \
         (`milliseconds`)"
    );
    server.configure(json!({ "overlay": "heat" }));
    let health = server.eventually("a problem", |server| {
        let health = server.view()["health"].as_array().unwrap().clone();
        health.into_iter().find(|entry| entry["code"] == "overlay-missing")
    });
    assert_eq!(
        health["message"],
        "the overlay is not shown: the overlay `heat` is neither a profile nor a metric of \
         cpu.speedscope.json (`milliseconds`)"
    );
    server.configure(json!({}));
    server.eventually("no problem", |server| {
        server.view()["health"].as_array().unwrap().is_empty().then_some(())
    });
}

/// Its name is not one that is searched for.
#[test]
fn the_overlay_of_the_settings_can_be_hidden() {
    let workspace = Workspace::with([("app.py", SOURCE)]);
    workspace.write("beside.txt", speedscope("bytes", 1024, 3072));
    workspace.write("cpu.speedscope.json", speedscope("milliseconds", 250, 0));
    let options = json!({ "overlay": "beside.txt" });
    let mut server = Server::builder(&workspace).options(options).start();
    let shown = server.eventually("the overlay", |server| {
        let view = server.view();
        (view["overlay"]["name"] == "bytes of beside.txt").then_some(view)
    });
    let choices = shown["choices"].as_array().unwrap();
    let choice = choices.iter().find(|choice| choice["key"] == "overlay").unwrap();
    let options = choice["options"].as_array().unwrap().iter();
    let options: Vec<_> =
        options.map(|option| json!([option["label"], option["active"]])).collect();
    assert_eq!(options, [json!(["Nothing", false]), json!(["beside.txt", true])]);
    let view = server.set_view(json!({ "overlay": choice["options"][0]["value"] }));
    assert_eq!(view["overlay"], Value::Null);
    let view = server.set_view(json!({ "overlay": null }));
    assert_eq!(view["overlay"]["name"], "bytes of beside.txt");
    // Without an overlay in the settings, none is no choice.
    server.configure(json!({}));
    server.eventually("no overlay", |server| server.view()["overlay"].is_null().then_some(()));
    assert_eq!(server.set_view(json!({ "overlay": "" }))["state"], Value::Null);
}

/// Another metric of the same profile, under a transform.
#[test]
fn another_metric_is_shown_beside_the_first() {
    let workspace = Workspace::with([("app.py", SOURCE)]);
    set_age(&workspace.path("app.py"), Duration::from_secs(3600));
    let callgrind = "events: Ir Bytes\nfl=app.py\nfn=f\n6 30 100\nfn=g\n9 10 0\n";
    workspace.write("callgrind.out.1", callgrind);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.eventually("costs", |server| (!labels(server, &uri).is_empty()).then_some(()));
    let view = server.set_view(json!({ "overlay": "Bytes" }));
    assert_eq!(
        json!([view["metric"], view["overlay"]["name"], view["overlay"]["total"]]),
        json!(["Ir", "Bytes", 100])
    );
    assert_eq!(
        labels(&mut server, &uri),
        owned([(5, "self 75.0% · 100 Bytes"), (8, "self 25.0%")])
    );
    let view = server.set_view(json!({ "metric": "Bytes", "overlay": "Ir" }));
    assert_eq!(view["marks"], json!(["metric Bytes", "beside Ir"]));
    assert_eq!(labels(&mut server, &uri), owned([(5, "100.0% · 30 Ir"), (8, "0.0% · 10 Ir")]));
}

#[test]
fn a_profile_without_what_the_view_chooses_is_no_overlay() {
    let workspace = Workspace::with([("app.py", SOURCE)]);
    set_age(&workspace.path("app.py"), Duration::from_secs(3600));
    workspace.write("beside.folded", "main (app.py:2);f (app.py:6) 900\n");
    set_age(&workspace.path("beside.folded"), Duration::from_secs(600));
    let mut cpu: Value = serde_json::from_str(&speedscope("milliseconds", 10, 30)).unwrap();
    let mut other = cpu["profiles"][0].clone();
    other["name"] = json!("other");
    cpu["profiles"].as_array_mut().unwrap().push(other);
    workspace.write("cpu.speedscope.json", cpu.to_string());
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.set_view(json!({ "overlay": "beside.folded" }));
    let both =
        owned([(1, "25.0% · 900 samples"), (2, "75.0%"), (5, "25.0% · 900 samples"), (8, "75.0%")]);
    assert_eq!(labels(&mut server, &uri), both);
    for (key, choice, problem) in [
        ("threads", json!(["run"]), "no thread is called `run`"),
        (
            "range",
            json!("0..5"),
            "no time range can be chosen: the times of the samples of this profile are unknown",
        ),
        (
            "transforms",
            json!([{ "type": "focus-function", "function": "g" }]),
            "no function is called `g` (there are `f`, `main`)",
        ),
    ] {
        let view = server.set_view(json!({ key: choice }));
        let mut health = view["health"].as_array().unwrap().iter();
        let entry = health.find(|entry| entry["code"] == "overlay-missing");
        let path = workspace.path("beside.folded");
        let expected = format!(
            "the overlay is not shown: {}: {problem}; reset that choice, or choose another overlay",
            path.display()
        );
        assert_eq!(entry.unwrap()["message"], expected);
        assert_eq!(view["overlay"], Value::Null);
        let shown = labels(&mut server, &uri);
        assert!(shown.iter().all(|(_, label)| !label.contains("samples")), "{shown:?}");
        server.set_view(json!({ key: null }));
        assert_eq!(labels(&mut server, &uri), both);
    }
}
