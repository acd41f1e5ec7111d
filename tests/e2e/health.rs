//! What is wrong with what is shown, and how to fix it.

use serde_json::{Value, json};

use crate::support::profiles::{self, app_py};
use crate::support::{Server, Workspace, six};

/// The entries as `severity code: message`.
fn entries(view: &Value) -> Vec<String> {
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let entries = view["health"].as_array().unwrap().iter();
    let entry = |entry| {
        format!("{} {}: {}", text(entry, "severity"), text(entry, "code"), text(entry, "message"))
    };
    entries.map(entry).collect()
}

/// The entries as soon as there are any.
fn wait_entries(server: &mut Server) -> Vec<String> {
    server.eventually("an entry", |server| {
        let entries = entries(&server.view());
        (!entries.is_empty()).then_some(entries)
    })
}

/// A workspace with a profile of 60 samples and its source.
fn healthy() -> Workspace {
    let profile = "main (app.py:13) 60\n";
    Workspace::with([("app.py", app_py().as_str()), ("cpu.folded", profile)])
}

/// Executes the fix of the first entry.
fn fix(server: &mut Server) {
    let fix = server.view()["health"][0]["fix"].clone();
    server.execute(fix["command"].as_str().unwrap(), fix["arguments"].clone());
}

#[test]
fn a_healthy_profile_has_no_entries() {
    let workspace = healthy();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    assert_eq!(server.view()["health"], json!([]));
}

#[test]
fn ignored_settings_are_warnings_until_they_are_corrected() {
    let workspace = healthy();
    let options = json!({ "hints": { "show": "bogus" }, "minpercent": 3 });
    let mut server = Server::builder(&workspace).options(options).start();
    server.wait_profile();
    let found = entries(&server.view());
    assert_eq!(found.len(), 2, "{found:?}");
    for (entry, key) in found.iter().zip(["hints.show", "minpercent"]) {
        assert!(entry.starts_with("warning setting-ignored: ") && entry.contains(key), "{entry}");
    }
    server.configure(json!({ "hints": { "show": "self" }, "minpercent": 3 }));
    server.eventually("one entry", |server| {
        (entries(&server.view()) == [found[1].clone()]).then_some(())
    });
    // Each is logged once.
    assert_eq!(server.warnings().len(), 2);
    server.configure(json!({}));
    server.eventually("no entry", |server| entries(&server.view()).is_empty().then_some(()));
}

#[test]
fn an_ignored_setting_is_a_message_for_clients_that_do_not_show_entries() {
    let workspace = healthy();
    let mut server = Server::builder(&workspace)
        .options(json!({ "minpercent": 3 }))
        .capability("/experimental/costline", json!({}))
        .start();
    server.wait_notification("window/showMessage", |message| {
        message["message"].as_str().is_some_and(|text| text.contains("minpercent"))
    });
}

#[test]
fn a_missing_profile_is_an_error_until_another_one_is_chosen() {
    let workspace = healthy();
    let options = json!({ "profile": "out/missing.json" });
    let mut server = Server::builder(&workspace).options(options).start();
    let path = workspace.root().join("out/missing.json");
    let message = format!("costline.profile: {} does not exist", path.display());
    assert_eq!(wait_entries(&mut server), [format!("error profile-missing: {message}")]);
    let changed = server.wait_notification("costline/changed", |params| {
        params["health"][0]["code"] == "profile-missing"
    });
    assert_eq!(changed["health"][0]["fix"]["title"], "Show cpu.folded");
    fix(&mut server);
    server.wait_profile();
    assert_eq!(server.view()["health"], json!([]));
}

#[test]
fn settings_that_name_nothing_are_reported_until_it_exists() {
    let workspace = healthy();
    let options = json!({
        "pathMappings": [
            { "from": "/a", "to": "${workspaceFolder:other}/a" }, { "from": "/b", "to": "." }
        ],
        "sourceRoots": ["vendor", "${workspaceFolder}", "~"],
        "exclude": ["~/*", "../*"],
        "symbols": { "paths": ["~/no-such-folder", "debug"] },
    });
    let mut server = Server::builder(&workspace).options(options).start();
    server.wait_profile();
    let entry = |what: &str| format!("warning setting-without-effect: costline.{what}");
    let absent = [
        entry("pathMappings: ${workspaceFolder:other}/a does not exist"),
        entry("sourceRoots: vendor does not exist"),
        entry("symbols.paths: ~/no-such-folder does not exist"),
        entry("symbols.paths: debug does not exist"),
        entry("exclude: ../* is outside the workspace folders and matches nothing"),
    ];
    assert_eq!(wait_entries(&mut server), absent);
    workspace.write("debug/app.debug", "");
    workspace.write("vendor/a.py", "");
    server.eventually("fewer entries", |server| {
        (entries(&server.view()) == [0, 2, 4].map(|at| absent[at].clone())).then_some(())
    });
    workspace.remove("cpu.folded");
    let mut server =
        Server::builder(&workspace).options(json!({ "profiles": ["out/*.x", "*.y"] })).start();
    let message = entry("profiles: no profile matches out/*.x, *.y");
    assert_eq!(wait_entries(&mut server), [message]);
    let mut says = |profiles: Value, message: &str| {
        server.configure(json!({ "profiles": profiles }));
        let message = entry(message);
        server.eventually("the message", |server| {
            (entries(&server.view()) == [message.as_str()]).then_some(())
        });
    };
    says(json!([]), "profiles: the list is empty, so no profile is found");
    says(
        json!(["../*.x"]),
        "profiles: ../*.x is outside the workspace folders and matches nothing",
    );
}

#[test]
fn a_profile_that_cannot_be_read_is_named_beside_the_one_shown() {
    let workspace = healthy();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    workspace.write("new.cpuprofile", r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f","#);
    let found = wait_entries(&mut server);
    assert_eq!(found.len(), 1, "{found:?}");
    let start = format!(
        "warning profile-unreadable: {}",
        workspace.root().join("new.cpuprofile").display()
    );
    assert!(found[0].starts_with(&start), "{found:?}");
    assert!(found[0].ends_with("; cpu.folded is shown"), "{found:?}");
    workspace.remove("new.cpuprofile");
    server.eventually("no entries", |server| entries(&server.view()).is_empty().then_some(()));
}

/// The file is in another folder than the profile says, where it matches by name only.
#[test]
fn a_rule_maps_files_that_were_not_found() {
    let workspace = Workspace::with([
        ("one/app.py", app_py().as_str()),
        ("cpu.folded", "main (/build/x/other/app.py:13) 60\n"),
    ]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let rule = r#"{ "from": "/build/x/other", "to": "one" }"#;
    let message = format!(
        "the only source file in cpu.folded was not found: /build/x/other/app.py; add {rule} \
         to `pathMappings`"
    );
    let view = server.view();
    assert_eq!(entries(&view), [format!("warning no-sources: {message}")]);
    assert_eq!(view["health"][0]["fix"]["title"], "Map /build/x/other to one");
    fix(&mut server);
    assert_eq!(server.view()["health"], json!([]));
    let uri = server.open_file(&workspace.path("one/app.py"), "python");
    assert_eq!(server.labels(&uri)[&12], "100.0%");
}

#[test]
fn files_that_are_excluded_are_not_called_missing() {
    let workspace = healthy();
    let options = json!({ "exclude": ["*.py"] });
    let mut server = Server::builder(&workspace).options(options).start();
    server.wait_profile();
    let message = "warning no-sources: the only source file in cpu.folded is not shown: app.py is \
                   excluded by the setting `exclude`; remove it from that setting";
    assert_eq!(entries(&server.view()), [message]);
    server.configure(json!({}));
    server.eventually("no entries", |server| entries(&server.view()).is_empty().then_some(()));
}

#[test]
#[cfg(unix)]
fn files_outside_because_of_a_symlink_are_shown_from_source_roots() {
    let outside = Workspace::with([("app.py", app_py().as_str())]);
    let workspace = Workspace::with([("cpu.folded", "main (src/app.py:13) 60\n")]);
    std::os::unix::fs::symlink(outside.root(), workspace.path("src")).unwrap();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let message = "warning no-sources: the only source file in cpu.folded is not shown: src/app.py \
                   is outside the workspace, because of a symlink; list the folder that the symlink \
                   points to in `sourceRoots`";
    assert_eq!(entries(&server.view()), [message]);
    server.configure(json!({ "sourceRoots": [outside.root()] }));
    server.eventually("no entries", |server| entries(&server.view()).is_empty().then_some(()));
}

#[test]
fn the_fix_of_a_missing_profile_is_one_that_can_be_read() {
    let workspace = healthy();
    workspace.write("new.cpuprofile", r#"{"nodes":[{"id":1,"callFrame":{"functionName":"f","#);
    let mut server = Server::start(&workspace);
    server.eventually("the problem", |server| {
        entries(&server.view()).iter().any(|it| it.contains("profile-unreadable")).then_some(())
    });
    server.configure(json!({ "profile": "out/missing.json" }));
    let title = server.eventually("the fix", |server| {
        let view = server.view();
        let mut health = view["health"].as_array().unwrap().iter();
        let missing = health.find(|entry| entry["code"] == "profile-missing")?;
        Some(missing["fix"]["title"].clone())
    });
    assert_eq!(title, "Show cpu.folded");
}

/// Neither picked nor set, it is no concern of the user's any more.
#[test]
fn a_wrong_pick_leaves_no_problem() {
    let workspace = healthy();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let error = server.execute_error("costline.selectProfile", json!(["app.py"]));
    assert!(error.contains("app.py"), "{error}");
    let source = workspace.uri("app.py");
    assert_eq!((entries(&server.view()), server.diagnostics(&source)), (Vec::new(), None));

    server.configure(json!({ "profile": "app.py" }));
    server.eventually("a diagnostic", |server| {
        server.diagnostics(&source).is_some_and(|it| it.len() == 1).then_some(())
    });
    assert!(wait_entries(&mut server)[0].contains("profile-unreadable"));
    server.configure(json!({ "profile": "cpu.folded" }));
    server.eventually("no entries", |server| {
        let is_clear = server.diagnostics(&source).is_some_and(|it| it.is_empty());
        (is_clear && entries(&server.view()).is_empty()).then_some(())
    });
}

#[test]
fn a_baseline_that_cannot_be_compared_can_be_cleared() {
    let workspace = healthy();
    workspace.write("base.cpuprofile", profiles::timed_cpuprofile(5));
    let options = json!({ "profile": "cpu.folded", "baseline": "base.cpuprofile" });
    let mut server = Server::builder(&workspace).options(options).start();
    server.wait_profile();
    let found = wait_entries(&mut server);
    assert!(
        found[0].starts_with(
            "warning baseline-not-comparable: the baseline base.cpuprofile cannot be compared: "
        ),
        "{found:?}"
    );
    fix(&mut server);
    assert_eq!(server.view()["health"], json!([]));
}

#[test]
fn a_comparison_and_a_changed_view_are_information() {
    let workspace = profiles::six_samples();
    let (mut server, _) = six(&workspace);
    let few = "info few-samples: cpu.folded has only 6 samples: record for longer";
    assert_eq!(entries(&server.view()), [few]);
    server.execute("costline.setBaseline", json!([]));
    let compared = "info comparison: compared with cpu.folded: 6 samples → 6 samples";
    assert_eq!(entries(&server.view()), [few, compared]);
    server.set_view(json!({ "baseline": null, "search": "hash" }));
    let view = "info view: the view is not the default: search hash";
    assert!(entries(&server.view()).contains(&view.to_owned()), "{:?}", entries(&server.view()));
}

#[test]
fn a_search_without_a_match_in_the_threads_shown_does_not_blame_the_profile() {
    let thread = |name: &str, frame: u32| {
        json!({ "type": "sampled", "name": name, "unit": "milliseconds", "startValue": 0,
                "endValue": 60, "samples": [[frame]], "weights": [60] })
    };
    let profile = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": [{ "name": "work", "file": "app.py", "line": 13 }, { "name": "wait" }] },
        "profiles": [thread("Main", 0), thread("Worker", 1)],
    });
    let workspace = Workspace::with([("x.speedscope.json", profile.to_string().as_str())]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let view = server.set_view(json!({ "threads": ["Worker"], "search": "work" }));
    let found = entries(&view);
    let has = |code: &str| found.iter().any(|entry| entry.contains(code));
    assert!(has(" no-samples-in-view:") && !has(" no-samples:"), "{found:?}");
}

#[test]
fn a_sum_that_is_compared_with_one_profile_is_reported() {
    let workspace = healthy();
    workspace.write("b.folded", "main (app.py:13) 40\n");
    let mut server = Server::start(&workspace);
    server.set_view(json!({ "baseline": "cpu.folded" }));
    server.set_view(json!({ "profiles": ["cpu.folded", "b.folded"] }));
    let expected = "warning comparison: the sum of 2 profiles is compared with cpu.folded";
    assert_eq!(wait_entries(&mut server), [expected]);
    fix(&mut server);
    let view = server.view();
    assert_eq!(json!([view["total"], view["comparison"]["before"]]), json!([50, 60]));
    assert!(entries(&view)[0].starts_with("info comparison: compared with"), "{view}");
}

#[test]
fn functions_without_names_are_reported_with_their_library() {
    let words = "words 77 10.000001:     250000 cpu-clock: \n\t            1200 [unknown] (/srv/demo/words)\n\n";
    let workspace = Workspace::with([("perf.script.txt", words.repeat(20).as_str())]);
    let mut server =
        Server::builder(&workspace).options(json!({ "profile": "perf.script.txt" })).start();
    server.wait_profile();
    let found = entries(&server.view());
    let start = "warning no-names: 100.0% of perf.script.txt is in functions without names, most of it in words:";
    assert!(found.iter().any(|entry| entry.starts_with(start)), "{found:?}");
}
