//! Costs beside those of an earlier recording.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::profiles::{SIX_SAMPLES, app_py, cpuprofile, six_samples};
use crate::support::questions::text;
use crate::support::{Server, Workspace, set_age, six};

const HOUR: Duration = Duration::from_secs(3600);

/// Seven samples at the end of `main` where there was one: twelve in all.
fn twelve() -> String {
    SIX_SAMPLES.replace("(app.py:13) 1", "(app.py:13) 7")
}

/// The labels of a document by line (1-based).
fn labels(server: &mut Server, uri: &str) -> BTreeMap<u64, String> {
    server.labels(uri).into_iter().map(|(line0, label)| (line0 + 1, label)).collect()
}

/// Likewise, once that of a line is `label`.
fn wait_for(server: &mut Server, uri: &str, line: u64, label: &str) -> BTreeMap<u64, String> {
    server.eventually(&format!("`{label}` at line {line}"), |server| {
        Some(labels(server, uri)).filter(|labels| labels.get(&line).is_some_and(|shown| shown == label))
    })
}

#[test]
fn what_was_shown_is_compared_with_what_is_recorded_next() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    assert_eq!(labels(&mut server, &uri)[&13], "16.7%");
    server.execute("costline.setBaseline", json!([]));
    let all = labels(&mut server, &uri);
    assert!(all.values().all(|label| label.ends_with(" ±0.0")), "{all:?}");

    workspace.rename_over("cpu.folded", twelve());
    // 7 of 12 after 1 of 6, 3 of 12 after 3 of 6, 1 of 12 after 1 of 6.
    let shown = wait_for(&mut server, &uri, 13, "58.3% ▲41.7");
    assert_eq!((shown[&12].as_str(), shown[&34].as_str()), ("25.0% ▼25.0", "8.3% ▼8.3"));
    let lenses: Vec<_> = server.lenses(&uri).iter().map(|lens| text(&lens["command"]["title"])).collect();
    assert_eq!(
        lenses,
        [
            "self 58.3% (7 samples) ▲41.7 · total 100.0% (12 samples) ±0.0",
            "self 8.3% (1 sample) ▼8.3 · total 25.0% (3 samples) ▼25.0",
            "self 8.3% (1 sample) ▼8.3 · total 25.0% (3 samples) ▼25.0",
        ]
    );
    let hover = server.hover(&uri, 12, 0).unwrap().replace('\\', "");
    assert!(hover.contains("| before | 16.7% (1 sample) | 16.7% (1 sample) |\n| change | ▲41.7 | ▲41.7 |"), "{hover}");
    assert!(hover.contains("compared with cpu.folded, written"), "{hover}");
    // Of a file that is not open, too.
    let spots = server.execute("costline.hotspots", json!([{ "by": "line" }]));
    let spot = spots["lines"].as_array().unwrap().iter().find(|spot| spot["file"] == "lib.py" && spot["line"] == 5).unwrap();
    assert_eq!(spot["text"], "self 16.7% (2 samples) ▼16.7 · total 16.7% (2 samples) ▼16.7");

    // Not what the file says now, but what was shown.
    server.execute("costline.setBaseline", json!([{ "path": "cpu.folded" }]));
    assert_eq!(labels(&mut server, &uri)[&13], "58.3% ±0.0");
    server.execute("costline.clearBaseline", json!([]));
    assert_eq!(labels(&mut server, &uri)[&13], "58.3%");
}

#[test]
fn lines_are_compared_where_they_are_the_same() {
    let workspace = six_samples();
    set_age(&workspace.path("app.py"), 3 * HOUR);
    set_age(&workspace.path("cpu.folded"), 2 * HOUR);
    let (mut server, uri) = six(&workspace);
    server.execute("costline.setBaseline", json!([]));

    // Two lines more above all, another line 12, saved and recorded again.
    let edited = format!("# one\n# two\n{}", app_py().replace("step_12()", "faster_12()"));
    server.change(&uri, &edited);
    workspace.write("app.py", &edited);
    set_age(&workspace.path("app.py"), HOUR);
    server.save(&uri);
    let moved =
        (10..=34).rev().fold(twelve(), |text, line| text.replace(&format!("app.py:{line})"), &format!("app.py:{})", line + 2)));
    workspace.rename_over("cpu.folded", moved);
    let shown = wait_for(&mut server, &uri, 15, "58.3% ▲41.7");
    assert_eq!(shown[&14], "25.0%", "a line of other text");
    let titles: Vec<_> = server.lenses(&uri).iter().map(|lens| text(&lens["command"]["title"])).collect();
    if cfg!(feature = "grammars") {
        assert_eq!(titles[0], "self 58.3% (7 samples) ▲41.7 · total 100.0% (12 samples) ±0.0", "functions are known by name");
    }

    // Who did not see the old text cannot tell its lines.
    let mut other = Server::start(&workspace);
    workspace.write("old/before.folded", SIX_SAMPLES);
    set_age(&workspace.path("old/before.folded"), 2 * HOUR);
    let uri = other.open_file(&workspace.path("app.py"), "python");
    other.wait_labels(&uri);
    other.execute("costline.setBaseline", json!([{ "path": "old/before.folded" }]));
    assert_eq!(labels(&mut other, &uri)[&15], "58.3%");
}

#[test]
fn a_baseline_is_a_setting_too() {
    let workspace = six_samples();
    workspace.write("old/before.folded", SIX_SAMPLES);
    workspace.write("cpu.folded", twelve());
    let mut server = Server::builder(&workspace).settings(json!({ "baseline": "old/before.folded" })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_for(&mut server, &uri, 13, "58.3% ▲41.7");
    server.configure(json!({ "unit": "absolute", "baseline": "old/before.folded" }));
    wait_for(&mut server, &uri, 13, "7 samples ▲6 samples");
    server.configure(json!({}));
    wait_for(&mut server, &uri, 13, "58.3%");
    server.configure(json!({ "baseline": "old/none.folded" }));
    let said = server.eventually("a warning", |server| server.warnings().into_iter().find(|said| said.contains("none.folded")));
    assert!(said.contains("setting `baseline`"), "{said}");
}

#[test]
fn what_cannot_be_compared_is_not_compared() {
    let workspace = six_samples();
    set_age(&workspace.write("old/before.cpuprofile", cpuprofile(10)), HOUR);
    let (mut server, uri) = six(&workspace);
    server.execute("costline.setBaseline", json!([{ "path": "old/before.cpuprofile" }]));
    assert_eq!(labels(&mut server, &uri)[&13], "16.7%");
    let said = server.eventually("a warning", |server| server.warnings().into_iter().find(|said| said.contains("cpuprofile")));
    let cpu = workspace.path("cpu.folded").display().to_string();
    let why = format!("before.cpuprofile: nothing is compared with it: it counts `hits`, and {cpu} counts `samples`");
    assert!(said.ends_with(&why), "{said}");

    let problem = server.refused("costline.setBaseline", json!([{ "path": "nothing.folded" }]));
    assert!(problem.contains("nothing.folded"), "{problem}");
    let problem = server.refused("costline.setBaseline", json!([{ "path": 5 }]));
    assert!(problem.contains("expected"), "{problem}");
    let nothing = Workspace::with([("main.py", "x = 1\n")]);
    let mut server = Server::start(&nothing);
    let problem = server.refused("costline.setBaseline", json!([]));
    assert!(problem.contains("no profile is shown"), "{problem}");
}

/// Whichever of the two is read last, and again when another profile is shown that can be compared no better.
#[test]
fn a_baseline_of_the_settings_that_counts_something_else_is_told() {
    let workspace = six_samples();
    set_age(&workspace.write("old/before.cpuprofile", cpuprofile(10)), HOUR);
    let settings = json!({ "profile": "cpu.folded", "baseline": "old/before.cpuprofile" });
    let mut server = Server::builder(&workspace).settings(settings).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let told = |server: &mut Server, why: &str| {
        server.eventually("a warning", |server| server.warnings().into_iter().find(|said| said.contains(why)));
    };
    told(&mut server, "cpu.folded counts `samples`");
    workspace.rename_over("cpu.folded", twelve());
    wait_for(&mut server, &uri, 13, "58.3%");
    let told = server.warnings().iter().filter(|said| said.contains("nothing is compared")).count();
    assert_eq!(told, 1, "a rewrite is no news");
}

/// The transforms and metric of the view hold for both.
#[test]
fn a_baseline_is_seen_as_what_is_shown() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    server.execute("costline.setBaseline", json!([]));
    workspace.rename_over("cpu.folded", twelve());
    wait_for(&mut server, &uri, 13, "58.3% ▲41.7");
    // Only what main does after all: 7 of 7, before 1 of 1.
    server.execute("costline.pushTransform", json!(["drop-function:parse"]));
    server.execute("costline.pushTransform", json!(["drop-function:eval"]));
    assert_eq!(labels(&mut server, &uri), std::iter::once((13, "100.0% ±0.0".to_owned())).collect());
    let _: Value = server.execute("costline.clearTransforms", json!([]));
    assert_eq!(labels(&mut server, &uri)[&13], "58.3% ▲41.7");
}
