//! Costs compared with those of an earlier recording.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::profiles::{self, SIX_SAMPLES, app_py, cpuprofile};
use crate::support::requests::text;
use crate::support::{Server, Workspace, set_age, six};

const HOUR: Duration = Duration::from_secs(3600);

/// [`SIX_SAMPLES`], of which each stands for 100.
fn hundreds() -> String {
    SIX_SAMPLES.replace(") 1\n", ") 100\n")
}

/// The same with 700 samples at the end of `main` instead of 100: 1200 in all.
fn twelve() -> String {
    hundreds().replace("(app.py:13) 100", "(app.py:13) 700")
}

/// A workspace with [`hundreds`] of samples and its sources.
fn six_samples() -> Workspace {
    let workspace = profiles::six_samples();
    workspace.write("cpu.folded", hundreds());
    workspace
}

/// The labels of a document by line (1-based).
fn labels(server: &mut Server, uri: &str) -> BTreeMap<u64, String> {
    server.labels(uri).into_iter().map(|(line0, label)| (line0 + 1, label)).collect()
}

/// The labels of a document as soon as one of them is `label`.
fn wait_for(server: &mut Server, uri: &str, line: u64, label: &str) -> BTreeMap<u64, String> {
    server.eventually(&format!("`{label}` at line {line}"), |server| {
        Some(labels(server, uri))
            .filter(|labels| labels.get(&line).is_some_and(|shown| shown == label))
    })
}

#[test]
fn compares_the_shown_profile_with_the_next_recording() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    assert_eq!(labels(&mut server, &uri)[&13], "16.7%");
    server.execute("costline.setBaseline", json!([]));
    let all = labels(&mut server, &uri);
    assert!(all.values().all(|label| label.ends_with('%')), "no delta if nothing changed: {all:?}");
    let view = server.view();
    assert_eq!(view["comparison"]["text"], "600 samples → 600 samples");

    workspace.rename_over("cpu.folded", twelve());
    // In hundreds: 7 compared with 1; what did not change has another share, but no mark.
    let shown = wait_for(&mut server, &uri, 13, "58.3% ▲600 samples");
    assert_eq!((shown[&12].as_str(), shown[&34].as_str()), ("25.0%", "8.3%"));
    let lenses: Vec<_> =
        server.lenses(&uri).iter().map(|lens| text(&lens["command"]["title"])).collect();
    assert_eq!(
        lenses,
        [
            "self 58.3% (700 samples) ▲600 samples · total 100.0% (1200 samples) ▲600 samples",
            "self 8.3% (100 samples) · total 25.0% (300 samples)",
            "self 8.3% (100 samples) · total 25.0% (300 samples)",
        ]
    );
    let hover = server.line_hover(&uri, 12).unwrap().replace('\\', "");
    assert!(
        hover.contains(
            "- before: self 16.7% (100 samples) · total 16.7% (100 samples); change: self ▲600 samples · total ▲600 samples"
        ),
        "{hover}"
    );
    assert!(hover.contains("compared with an earlier run of cpu.folded, written"), "{hover}");
    let totals = "600 samples → 1200 samples +100%";
    assert!(hover.contains(totals), "{hover}");
    assert!(hover.lines().filter(|line| !line.is_empty()).count() <= 6, "{hover}");
    assert_eq!(server.view()["comparison"]["text"], totals);
    // Each line has the data of its change.
    let hints = server.hints(&uri);
    let of_13 = hints.iter().find(|hint| hint["position"]["line"] == 12).unwrap();
    assert_eq!(
        of_13["data"]["change"]["total"],
        json!({ "before": 100, "change": 600, "text": "▲600 samples", "mayBeNoise": false })
    );
    // Also for functions of a file that is not open.
    let spots = server.execute("costline.hotspots", json!([{ "by": "line" }]));
    let spot = spots["lines"]
        .as_array()
        .unwrap()
        .iter()
        .find(|spot| spot["file"] == "lib.py" && spot["line"] == 5)
        .unwrap();
    assert_eq!(spot["text"], "self 16.7% (200 samples) · total 16.7% (200 samples)");

    // The baseline is the profile as it was shown, not as the file is now.
    server.execute("costline.setBaseline", json!([{ "path": "cpu.folded" }]));
    assert_eq!(labels(&mut server, &uri)[&13], "58.3%");
    server.execute("costline.clearBaseline", json!([]));
    assert_eq!(labels(&mut server, &uri)[&13], "58.3%");
}

#[test]
fn a_file_that_is_moved_keeps_its_costs_and_deltas() {
    let workspace = six_samples();
    let (mut server, before) = six(&workspace);
    server.execute("costline.setBaseline", json!([]));
    workspace.rename_over("cpu.folded", twelve());
    let deltas = wait_for(&mut server, &before, 13, "58.3% ▲600 samples");

    server.notify("textDocument/didClose", json!({ "textDocument": { "uri": before } }));
    std::fs::create_dir(workspace.path("src")).unwrap();
    std::fs::rename(workspace.path("app.py"), workspace.path("src/app.py")).unwrap();
    let after = server.open_file(&workspace.path("src/app.py"), "python");
    assert_eq!(wait_for(&mut server, &after, 13, "58.3% ▲600 samples"), deltas);
}

#[test]
fn compares_lines_that_are_the_same() {
    let workspace = six_samples();
    set_age(&workspace.path("app.py"), 3 * HOUR);
    set_age(&workspace.path("cpu.folded"), 2 * HOUR);
    let (mut server, uri) = six(&workspace);
    server.execute("costline.setBaseline", json!([]));

    // Two lines are inserted at the top and line 12 is changed, then the file is saved and recorded
    // again.
    let edited = format!("# one\n# two\n{}", app_py().replace("step_12()", "faster_12()"));
    server.change(&uri, &edited);
    workspace.write("app.py", &edited);
    set_age(&workspace.path("app.py"), HOUR);
    server.save(&uri);
    let moved = (10..=34).rev().fold(twelve(), |text, line| {
        text.replace(&format!("app.py:{line})"), &format!("app.py:{})", line + 2))
    });
    workspace.rename_over("cpu.folded", moved);
    let shown = wait_for(&mut server, &uri, 15, "58.3% ▲600 samples");
    assert_eq!(shown[&14], "25.0%", "a line of other text");
    let titles: Vec<_> =
        server.lenses(&uri).iter().map(|lens| text(&lens["command"]["title"])).collect();
    if cfg!(feature = "grammars") {
        assert_eq!(
            titles[0],
            "self 58.3% (700 samples) ▲600 samples · total 100.0% (1200 samples) ▲600 samples",
            "functions are matched by name"
        );
    }

    // A server that does not know the old text cannot match lines.
    let mut other = Server::start(&workspace);
    workspace.write("old/before.folded", hundreds());
    set_age(&workspace.path("old/before.folded"), 2 * HOUR);
    let uri = other.open_file(&workspace.path("app.py"), "python");
    other.wait_labels(&uri);
    other.execute("costline.setBaseline", json!([{ "path": "old/before.folded" }]));
    assert_eq!(labels(&mut other, &uri)[&15], "58.3%");
}

#[test]
fn a_setting_selects_the_baseline() {
    let workspace = six_samples();
    workspace.write("old/before.folded", hundreds());
    workspace.write("cpu.folded", twelve());
    let mut server =
        Server::builder(&workspace).settings(json!({ "baseline": "old/before.folded" })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_for(&mut server, &uri, 13, "58.3% ▲600 samples");
    server.configure(json!({ "unit": "absolute", "baseline": "old/before.folded" }));
    wait_for(&mut server, &uri, 13, "700 samples ▲600 samples");
    server.configure(json!({}));
    wait_for(&mut server, &uri, 13, "58.3%");
    server.configure(json!({ "baseline": "old/none.folded" }));
    let warning = server.eventually("a warning", |server| {
        server.warnings().into_iter().find(|warning| warning.contains("none.folded"))
    });
    assert!(warning.contains("setting `baseline`"), "{warning}");
    server.eventually("a problem", |server| {
        (server.view()["health"][0]["code"] == "baseline-not-comparable").then_some(())
    });
    server.configure(json!({}));
    server.eventually("no problem", |server| {
        (server.view()["health"].as_array().unwrap().is_empty()).then_some(())
    });
}

#[test]
fn a_baseline_of_the_settings_may_be_written_later() {
    let workspace = six_samples();
    let options = json!({ "baseline": "base.folded", "profile": "cpu.folded" });
    let mut server = Server::builder(&workspace).options(options).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_for(&mut server, &uri, 13, "16.7%");
    let is_missing = |warning: &String| warning.contains("base.folded");
    server.eventually("a warning", |server| server.warnings().iter().any(is_missing).then_some(()));
    workspace.rename_over("base.folded", twelve());
    wait_for(&mut server, &uri, 13, "16.7% ▼600 samples");
    assert_eq!(server.warnings().into_iter().filter(is_missing).count(), 1);
}

#[test]
fn refuses_a_baseline_that_is_not_comparable() {
    let workspace = six_samples();
    set_age(&workspace.write("old/before.cpuprofile", cpuprofile(10)), HOUR);
    let (mut server, uri) = six(&workspace);
    server.execute("costline.setBaseline", json!([{ "path": "old/before.cpuprofile" }]));
    assert_eq!(labels(&mut server, &uri)[&13], "16.7%");
    let warning = server.eventually("a warning", |server| {
        server.warnings().into_iter().find(|warning| warning.contains("cpuprofile"))
    });
    let cpu = workspace.path("cpu.folded").display().to_string();
    let why = format!(
        "before.cpuprofile: cannot be compared with {cpu}: it measures `hits`, not `samples`; \
         choose a baseline with the same metric"
    );
    assert!(warning.ends_with(&why), "{warning}");

    let problem =
        server.execute_error("costline.setBaseline", json!([{ "path": "nothing.folded" }]));
    assert!(problem.contains("nothing.folded"), "{problem}");
    let problem = server.execute_error("costline.setBaseline", json!([{ "path": 5 }]));
    assert!(problem.contains("expected"), "{problem}");
    let nothing = Workspace::with([("main.py", "x = 1\n")]);
    let mut server = Server::start(&nothing);
    let problem = server.execute_error("costline.setBaseline", json!([]));
    assert!(problem.contains("no profile is loaded"), "{problem}");
}

/// In any order of loading, and again after another profile that is not comparable either.
#[test]
fn warns_about_a_baseline_in_the_settings_with_another_metric() {
    let workspace = six_samples();
    set_age(&workspace.write("old/before.cpuprofile", cpuprofile(10)), HOUR);
    let settings = json!({ "profile": "cpu.folded", "baseline": "old/before.cpuprofile" });
    let mut server = Server::builder(&workspace).settings(settings).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let wait_warning = |server: &mut Server, why: &str| {
        server.eventually("a warning", |server| {
            server.warnings().into_iter().find(|warning| warning.contains(why))
        });
    };
    wait_warning(&mut server, "it measures `hits`, not `samples`");
    workspace.rename_over("cpu.folded", twelve());
    wait_for(&mut server, &uri, 13, "58.3%");
    let n_warnings =
        server.warnings().iter().filter(|it| it.contains("cannot be compared")).count();
    assert_eq!(n_warnings, 1, "a rewrite does not repeat the warning");
}

/// The transforms and the metric of the view apply to both profiles.
#[test]
fn the_view_applies_to_the_baseline() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    server.execute("costline.setBaseline", json!([]));
    workspace.rename_over("cpu.folded", twelve());
    wait_for(&mut server, &uri, 13, "58.3% ▲600 samples");
    // Only the leaf samples of main are left: 700, compared with 100.
    server.execute("costline.pushTransform", json!(["drop-function:parse"]));
    server.execute("costline.pushTransform", json!(["drop-function:eval"]));
    assert_eq!(
        labels(&mut server, &uri),
        std::iter::once((13, "100.0% ▲600 samples".to_owned())).collect()
    );
    let _: Value = server.execute("costline.clearTransforms", json!([]));
    assert_eq!(labels(&mut server, &uri)[&13], "58.3% ▲600 samples");
}

/// A line that takes less time has a `▼`, even if its share rose, and the total is known.
#[test]
fn times_are_compared_absolutely() {
    let workspace = Workspace::with([("app.py", app_py().as_str())]);
    let profile = |weights: [u32; 2]| {
        json!({
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": { "frames": [
                { "name": "main", "file": "app.py", "line": 13 },
                { "name": "parse", "file": "app.py", "line": 22 },
            ] },
            "profiles": [{
                "type": "sampled", "name": "cpu", "unit": "milliseconds",
                "startValue": 0, "endValue": 100, "samples": [[0], [1]], "weights": weights,
            }],
        })
        .to_string()
    };
    workspace.write("old/before.speedscope.json", profile([60, 40]));
    workspace.write("cpu.speedscope.json", profile([50, 0]));
    let settings = json!({ "baseline": "old/before.speedscope.json" });
    let mut server = Server::builder(&workspace).settings(settings).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_for(&mut server, &uri, 13, "100.0% ▼10.0 ms");
    let view = server.view();
    assert_eq!(view["comparison"]["text"], "100 ms → 50.0 ms −50%");
    assert_eq!(view["status"], "100 ms → 50.0 ms −50% · milliseconds · vs. before.speedscope.json");
    assert_eq!(
        (&view["comparison"]["before"], &view["comparison"]["after"]),
        (&json!(100), &json!(50))
    );
    server.set_view(json!({ "compare": "share" }));
    wait_for(&mut server, &uri, 13, "100.0% ▲40.0");
    server.set_view(json!({ "compare": null, "baseline": null }));
    assert_eq!(labels(&mut server, &uri)[&13], "100.0%");
    let view = server.view();
    assert_eq!((&view["comparison"], &view["status"]), (&Value::Null, &json!("50.0 ms")));
}

/// Each run is compared with the one before it, also after a restart.
#[test]
fn compares_with_the_run_before() {
    let workspace = six_samples();
    set_age(&workspace.path("app.py"), 3 * HOUR);
    set_age(&workspace.path("cpu.folded"), 2 * HOUR);
    let state = Workspace::with([("empty.txt", "")]);
    let start = || {
        let folder = state.root().join("state");
        let server =
            Server::builder(&workspace).env("COSTLINE_STATE_DIR", folder.to_str().unwrap());
        server.settings(json!({ "baseline": "previous" })).start()
    };
    let mut server = start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    // Each run has to be kept before the next one.
    let kept = |n: usize| {
        let runs = state.root().join("state/runs");
        let series = std::fs::read_dir(runs).into_iter().flatten().flatten();
        let runs = series.flat_map(|series| std::fs::read_dir(series.path()).unwrap().flatten());
        let runs = runs.filter(|run| !run.file_name().to_str().unwrap().starts_with('.'));
        (runs.count() == n).then_some(())
    };
    server.eventually("the first run is kept", |_| kept(1));
    let view = server.view();
    assert_eq!((&view["baseline"], &view["comparison"]), (&Value::Null, &Value::Null));
    assert_eq!(labels(&mut server, &uri)[&13], "16.7%");
    let choice = view["choices"].as_array().unwrap().iter().find(|it| it["key"] == "baseline");
    assert_eq!(choice.unwrap()["value"], "previous");

    workspace.rename_over("cpu.folded", twelve());
    set_age(&workspace.path("cpu.folded"), HOUR);
    // 7 compared with 1, in hundreds.
    wait_for(&mut server, &uri, 13, "58.3% ▲600 samples");
    let totals = "600 samples → 1200 samples +100%";
    assert_eq!(server.view()["comparison"]["text"], totals);
    assert_eq!(server.view()["baseline"]["name"], "cpu.folded");
    server.eventually("the second run is kept", |_| kept(2));
    server.finish();

    let mut server = start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_for(&mut server, &uri, 13, "58.3% ▲600 samples");
    // A third run is compared with the second: 1 with 7.
    workspace.rename_over("cpu.folded", hundreds().replace("(app.py:23) 100", "(app.py:23) 101"));
    wait_for(&mut server, &uri, 13, "16.6% ▼600 samples");
    // Another choice replaces the setting, and back.
    server.set_view(json!({ "baseline": null }));
    assert_eq!(labels(&mut server, &uri)[&13], "16.6%");
    let view = server.set_view(json!({ "baseline": "previous" }));
    assert_eq!(view["comparison"]["text"], "1200 samples → 601 samples −50%");
}

/// A workspace in a Git repository, whose runs are kept in a folder of its own.
fn with_kept_runs() -> (Workspace, Workspace) {
    let (workspace, state) = (six_samples(), Workspace::with([("empty.txt", "")]));
    set_age(&workspace.path("app.py"), 30 * HOUR);
    set_age(&workspace.path("cpu.folded"), 25 * HOUR);
    (workspace, state)
}

/// Replaces the profile by a run of this age.
fn record(workspace: &Workspace, profile: String, age: Duration) {
    let next = workspace.write("next.tmp", profile);
    set_age(&next, age);
    std::fs::rename(next, workspace.path("cpu.folded")).unwrap();
}

/// A server that compares with kept runs.
fn start_comparing(workspace: &Workspace, state: &Workspace, baseline: &str) -> Server {
    let folder = state.root().join("state");
    let server = Server::builder(workspace).env("COSTLINE_STATE_DIR", folder.to_str().unwrap());
    server.settings(json!({ "baseline": baseline })).start()
}

/// Waits until this many runs are kept.
fn wait_kept(server: &mut Server, state: &Workspace, n: usize) {
    server.eventually("runs are kept", |_| {
        let runs = state.root().join("state/runs");
        let series = std::fs::read_dir(runs).into_iter().flatten().flatten();
        let runs = series.flat_map(|series| std::fs::read_dir(series.path()).unwrap().flatten());
        let runs = runs.filter(|run| !run.file_name().to_str().unwrap().starts_with('.'));
        (runs.count() == n).then_some(())
    });
}

/// 200 samples, this many of them on line 13.
fn on_line_13(n: u32) -> String {
    format!("main (app.py:13) {n}\nmain (app.py:15) {}\n", 200 - n)
}

/// The mean of the last runs is the baseline, and their spread is noise.
#[test]
fn compares_with_the_last_runs() {
    let (workspace, state) = with_kept_runs();
    let mut server = start_comparing(&workspace, &state, "previous:3");
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_kept(&mut server, &state, 1);
    // 20, 100 and 180 of 200 are on line 13: 100 with a standard deviation of 80.
    for (run, n) in [(1, 160), (2, 20), (3, 100), (4, 180)] {
        record(&workspace, on_line_13(n), (20 - run) * HOUR);
        wait_kept(&mut server, &state, 1 + usize::try_from(run).unwrap());
    }
    // 4.604 · 80 · √(1 + 1/3) is more than any change.
    record(&workspace, on_line_13(190), HOUR);
    wait_for(&mut server, &uri, 13, "95.0%");
    let view = server.eventually("the runs are read", |server| {
        let view = server.view();
        (view["comparison"]["before"] == 200).then_some(view)
    });
    let choice = view["choices"].as_array().unwrap().iter().find(|it| it["key"] == "baseline");
    assert_eq!(choice.unwrap()["value"], "previous:3");
    let active = choice.unwrap()["options"].as_array().unwrap().iter();
    let active: Vec<_> = active.filter(|option| option["active"] == true).collect();
    assert_eq!((active.len(), &active[0]["label"]), (1, &json!("The last 3 runs")));
    let status = view["marks"].to_string();
    assert!(status.contains("vs. the mean of 3 runs of cpu.folded"), "{status}");
    assert_eq!(labels(&mut server, &uri)[&13], "95.0%");
    let hover = server.line_hover(&uri, 12).unwrap();
    assert!(hover.contains("100 samples"), "the mean of 20, 100 and 180: {hover}");
    assert!(hover.contains("within noise"), "{hover}");

    // The run before alone has no spread, and 180 is near.
    server.set_view(json!({ "baseline": "previous" }));
    assert_eq!(labels(&mut server, &uri)[&13], "95.0%");
    let problem = server.execute_error("costline.setView", json!([{ "baseline": "previous:0" }]));
    assert!(problem.contains("from 1 to 19"), "{problem}");
}

/// Recorders that name each file anew leave the run before beside the new one.
#[test]
fn the_run_before_may_lie_beside_the_one_shown() {
    let (workspace, state) = with_kept_runs();
    workspace.remove("cpu.folded");
    for (name, n, age) in
        [("run.1", 20, 20), ("run.2", 100, 10), ("other", 150, 5), ("run.3", 180, 1)]
    {
        let path = workspace.write(&format!("profiles/{name}.folded"), on_line_13(n));
        set_age(&path, age * HOUR);
    }
    let mut server = start_comparing(&workspace, &state, "previous");
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_for(&mut server, &uri, 13, "90.0% ▲80 samples");
    assert_eq!(server.view()["baseline"]["name"], "run.2.folded");
    server.set_view(json!({ "baseline": "previous:2" }));
    let name = server.eventually("both runs", |server| {
        let view = server.view();
        view["marks"].to_string().contains("2 runs").then(|| view["baseline"]["name"].clone())
    });
    assert_eq!(name, "run.2.folded");
}

/// The newest run at a revision is the baseline, unless sources had been edited.
#[test]
fn compares_with_the_run_at_a_revision() {
    let (workspace, state) = with_kept_runs();
    let git = |arguments: &[&str], age: Duration| git_at(&workspace, arguments, age);
    git(&["init", "--quiet", "--initial-branch", "main"], 29 * HOUR);
    git(&["add", "app.py"], 29 * HOUR);
    git(&["commit", "--quiet", "--message", "a"], 29 * HOUR);
    let mut server = start_comparing(&workspace, &state, "git:main");
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let warning = |server: &mut Server, why: &str| {
        server.eventually("a warning", |server| {
            server.warnings().into_iter().find(|warning| warning.contains(why))
        })
    };
    record(&workspace, on_line_13(100), 20 * HOUR);
    wait_for(&mut server, &uri, 13, "50.0%");
    let why = warning(&mut server, "git:main: there is no other saved run of cpu.folded");
    assert!(why.contains("check it out and record one"), "{why}");
    assert_eq!(server.view()["baseline"], Value::Null);

    // A run of edited sources is none of `main`.
    set_age(&workspace.write("app.py", app_py() + "# edited\n"), 19 * HOUR);
    record(&workspace, on_line_13(180), 18 * HOUR);
    wait_for(&mut server, &uri, 13, "90.0% ▲80 samples");
    git(&["checkout", "--quiet", "-b", "topic"], 16 * HOUR);
    git(&["commit", "--quiet", "--all", "--message", "b"], 16 * HOUR);
    record(&workspace, on_line_13(160), 10 * HOUR);
    wait_for(&mut server, &uri, 13, "80.0% ▲60 samples");
    assert_eq!(server.view()["comparison"]["text"], "200 samples → 200 samples");
    server.set_view(json!({ "baseline": "git:HEAD~1" }));
    assert_eq!(labels(&mut server, &uri)[&13], "80.0% ▲60 samples");
    // The run shown is the only one at `topic`.
    let view = server.set_view(json!({ "baseline": "git:topic" }));
    assert_eq!(view["comparison"], Value::Null);
    let problem = server.execute_error("costline.setView", json!([{ "baseline": "git:nothing" }]));
    assert!(problem.contains("no such branch, tag or commit"), "{problem}");
}

/// A run that cannot be kept is reported once: the next run would be compared with none, or an older one.
#[test]
fn says_that_a_run_cannot_be_kept() {
    let (workspace, state) = with_kept_runs();
    let file = state.path("empty.txt");
    let server = Server::builder(&workspace).env("COSTLINE_STATE_DIR", file.to_str().unwrap());
    let mut server = server.settings(json!({ "baseline": "previous" })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let why = "cpu.folded cannot be kept for later comparisons: ";
    let n_warnings =
        |server: &mut Server| server.warnings().iter().filter(|it| it.contains(why)).count();
    server.eventually("a warning", |server| (n_warnings(server) == 1).then_some(()));
    workspace.rename_over("cpu.folded", on_line_13(100));
    wait_for(&mut server, &uri, 13, "50.0%");
    assert_eq!(server.view()["comparison"], Value::Null);
    assert_eq!(n_warnings(&mut server), 1);
}

/// Runs Git as if this long ago.
fn git_at(workspace: &Workspace, arguments: &[&str], age: Duration) {
    let time = (SystemTime::now() - age).duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
    git.current_dir(workspace.root()).env("GIT_CONFIG_GLOBAL", "").env("GIT_CONFIG_NOSYSTEM", "1");
    git.env("GIT_COMMITTER_DATE", format!("@{} +0000", time.as_secs()));
    let output = git.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

#[test]
fn a_baseline_that_cannot_be_set_changes_nothing() {
    let (workspace, state) = with_kept_runs();
    let mut server = start_comparing(&workspace, &state, "previous");
    let uri = server.open_file(&workspace.path("app.py"), "python");
    wait_kept(&mut server, &state, 1);
    record(&workspace, on_line_13(100), 20 * HOUR);
    // 100 of 200 samples, as before, and 100 on a line that had none.
    wait_for(&mut server, &uri, 15, "50.0% ▲100 samples");
    let before = server.view();
    let wrong = json!([{ "unit": "absolute", "baseline": "missing.folded" }]);
    let problem = server.execute_error("costline.setView", wrong);
    assert!(problem.contains("missing.folded"), "{problem}");
    let missing = json!([{ "path": "missing.folded" }]);
    server.execute_error("costline.setBaseline", missing);
    server.execute_error("costline.setView", json!([{ "baseline": "previous:0" }]));
    assert_eq!(server.view()["choices"], before["choices"]);
    // The next run is compared with the one before it: 180 with 100.
    wait_kept(&mut server, &state, 2);
    record(&workspace, on_line_13(180), HOUR);
    wait_for(&mut server, &uri, 13, "90.0% ▲80 samples");
}
