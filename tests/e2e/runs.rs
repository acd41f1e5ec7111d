//! Files of one run are one recording, also when one of them is rewritten or another one is added.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::profiles::{APP_JS, cpuprofile};
use crate::support::requests::text;
use crate::support::{Server, Workspace, set_age};

/// `main` (lines 5 to 7) and `work` (lines 1 to 3).
const SOURCE: &str = "void work(void) {\n    step();\n}\n\nint main(void) {\n    spin();\n}\n";

/// Writes a file as callgrind does with `--separate-threads=yes`, for a thread that spends `cost`
/// on one line.
fn part(workspace: &Workspace, thread: u32, function: &str, line: u32, cost: u64) -> String {
    let file = workspace.path("a.c");
    format!(
        "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 77\ncmd: ./a\nthread: {thread}\n\npositions: line\n\
         events: Ir\n\nfl={}\nfn={function}\n{line} {cost}\n\ntotals: {cost}\n",
        file.display()
    )
}

/// A workspace with a run of two threads, a few minutes old: `main` costs 90, `work` 10.
fn two_threads() -> Workspace {
    let workspace = Workspace::with([("a.c", SOURCE)]);
    set_age(&workspace.path("a.c"), Duration::from_secs(3600));
    workspace.write("callgrind.out.77", "");
    for (name, part) in [
        ("callgrind.out.77-01", part(&workspace, 1, "main", 6, 90)),
        ("callgrind.out.77-02", part(&workspace, 2, "work", 2, 10)),
    ] {
        set_age(&workspace.write(name, part), Duration::from_secs(300));
    }
    workspace
}

/// The percentages in lenses, by line.
fn shares(server: &mut Server, uri: &str) -> Vec<(u64, String)> {
    let lens = |lens: Value| {
        let title = text(&lens["command"]["title"]);
        let share = title
            .strip_prefix("self ")
            .and_then(|title| title.split_once('%'))
            .map(|(share, _)| share.to_owned());
        (lens["range"]["start"]["line"].as_u64().unwrap(), share.unwrap_or(title))
    };
    server.lenses(uri).into_iter().map(lens).collect()
}

fn wait_total(server: &mut Server, total: u64) {
    server.eventually(&format!("a total of {total}"), |server| {
        (server.profiles()["active"]["total"] == total).then_some(())
    });
}

#[test]
fn two_threads_of_a_run_are_one_recording() {
    let workspace = two_threads();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("a.c"), "c");
    wait_total(&mut server, 100);
    assert_eq!(shares(&mut server, &uri), [(0, "10.0".to_owned()), (4, "90.0".to_owned())]);
    let profiles = server.profiles();
    let entries = profiles["profiles"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{profiles}");
    let paths = ["callgrind.out.77-01", "callgrind.out.77-02"].map(|name| workspace.path(name));
    assert_eq!((&entries[0]["files"], &entries[0]["active"]), (&json!(paths), &json!(true)));
    // Select one thread.
    server.set_view(json!({ "threads": ["thread 2"] }));
    wait_total(&mut server, 10);
    server.set_view(json!({ "threads": [] }));
    // Selecting any file selects the run.
    server.execute("costline.selectProfile", json!([paths[1]]));
    let picked = server.profiles()["active"].clone();
    assert_eq!((&picked["total"], &picked["picked"]), (&json!(100), &json!(true)));
}

#[test]
fn a_rewritten_and_an_added_file_refresh_the_run() {
    let workspace = two_threads();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("a.c"), "c");
    wait_total(&mut server, 100);
    workspace.write("callgrind.out.77-02", part(&workspace, 2, "work", 2, 60));
    wait_total(&mut server, 150);
    assert_eq!(shares(&mut server, &uri), [(0, "40.0".to_owned()), (4, "60.0".to_owned())]);
    workspace.write("callgrind.out.77-03", part(&workspace, 3, "work", 2, 150));
    wait_total(&mut server, 300);
    assert_eq!(shares(&mut server, &uri), [(0, "70.0".to_owned()), (4, "30.0".to_owned())]);
    // A file of another command is another run.
    workspace.write(
        "callgrind.out.78-01",
        part(&workspace, 1, "main", 6, 5).replace("./a", "./b").replace("77", "78"),
    );
    wait_total(&mut server, 5);
}

#[test]
fn a_broken_rewrite_keeps_the_run() {
    let workspace = two_threads();
    let mut server = Server::start(&workspace);
    wait_total(&mut server, 100);
    let broken = "callgrind.out.77-02";
    workspace.write(broken, "# callgrind format\nversion: 1\npid: 77\ncmd: ./a\n5 5\n");
    let message = server.eventually("a diagnostic on the file", |server| {
        Some(text(&server.diagnostics(&workspace.uri(broken))?.first()?["message"]))
    });
    assert!(message.contains(broken), "{message}");
    wait_total(&mut server, 100);
    workspace.write(broken, part(&workspace, 2, "work", 2, 110));
    wait_total(&mut server, 200);
    let after = server.eventually("no diagnostic", |server| {
        Some(server.diagnostics(&workspace.uri(broken))?).filter(Vec::is_empty)
    });
    assert_eq!(after, [Value::Null; 0]);
}

#[test]
fn a_run_with_a_broken_file_is_shown_without_it() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    workspace.write("CPU.20261121.101500.71.0.001.cpuprofile", cpuprofile(10));
    let worker = "CPU.20261121.101500.71.1.002.cpuprofile";
    workspace.write(worker, &cpuprofile(20)[..1000]);
    let mut server = Server::start(&workspace);
    wait_total(&mut server, 10);
    let message = server.eventually("a diagnostic on the file", |server| {
        Some(text(&server.diagnostics(&workspace.uri(worker))?.first()?["message"]))
    });
    assert!(message.contains(worker) && message.ends_with("its costs are missing"), "{message}");
    workspace.write(worker, cpuprofile(20));
    wait_total(&mut server, 30);
    server.eventually("no diagnostic", |server| {
        Some(server.diagnostics(&workspace.uri(worker))?.is_empty()).filter(|none| *none)
    });
}

/// Several profiles of the user's choice, such as repeated runs, are shown as one until the choice
/// is removed.
#[test]
fn several_profiles_are_shown_as_one_by_choice() {
    let workspace = Workspace::with([("app.py", "def f():\n    g()\n")]);
    set_age(&workspace.path("app.py"), Duration::from_secs(3600));
    let line = |n: u32| format!("f (app.py:2) {n}\n");
    for (name, n, age) in [("a.folded", 100, 900), ("b.folded", 20, 600), ("c.folded", 3, 300)] {
        set_age(&workspace.write(name, line(n)), Duration::from_secs(age));
    }
    workspace.write("other.cpuprofile", cpuprofile(10));
    set_age(&workspace.path("other.cpuprofile"), Duration::from_secs(1200));
    let mut server = Server::start(&workspace);
    wait_total(&mut server, 3);
    server.set_view(json!({ "profiles": ["a.folded", "b.folded"] }));
    let active = server.profiles()["active"].clone();
    assert_eq!((&active["total"], &active["picked"]), (&json!(120), &json!(true)));
    let uri = server.open_file(&workspace.path("app.py"), "python");
    assert_eq!(server.labels(&uri)[&1], "100.0%");
    // The choice survives rewrites, newer profiles and restarts.
    workspace.write("b.folded", line(30));
    wait_total(&mut server, 130);
    workspace.write("d.folded", line(7));
    server.execute("costline.reload", json!([]));
    assert_eq!(server.profiles()["active"]["total"], 130);
    let state = server.view()["state"].clone();
    drop(server);
    let mut server = Server::builder(&workspace).options(json!({ "state": state })).start();
    wait_total(&mut server, 130);
    // Only one of them, and then the newest.
    server.set_view(json!({ "profile": "a.folded" }));
    assert_eq!(server.profiles()["active"]["total"], 100);
    server.set_view(json!({ "profiles": ["a.folded", "b.folded"] }));
    assert_eq!(server.profiles()["active"]["total"], 130);
    // The list has the total of what each row stands for, whatever was read last.
    let a = workspace.path("a.folded");
    let listed = |server: &mut Server| {
        let profiles = server.profiles();
        let rows = profiles["profiles"].as_array().unwrap().iter();
        let rows = rows.filter(|row| row["files"].as_array().unwrap().contains(&json!(a)));
        rows.map(|row| (row["files"].as_array().unwrap().len(), row["total"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(&mut server), [(2, json!(130))]);
    server.set_view(json!({ "profiles": null }));
    wait_total(&mut server, 7);
    assert_eq!(listed(&mut server), [(1, Value::Null)]);
    // Profiles that cannot be added, and files that do not exist.
    let add = |name: &str| json!([{ "profiles": ["a.folded", name] }]);
    let error = server.execute_error("costline.setView", add("other.cpuprofile"));
    assert!(error.contains("other.cpuprofile") && error.contains("a.folded"), "{error}");
    let error = server.execute_error("costline.setView", add("none.folded"));
    assert!(error.contains("none.folded"), "{error}");
}

/// Costs of a deleted file are shown until another one of the selected files is read.
#[test]
fn a_selected_profile_whose_costs_are_missing_is_named() {
    let workspace = Workspace::with([("app.py", "f()\n")]);
    let line = |n: u32| format!("f (app.py:1) {n}\n");
    for (name, n) in [("a.folded", 100), ("b.folded", 20), ("c.folded", 3)] {
        set_age(&workspace.write(name, line(n)), Duration::from_secs(600));
    }
    let mut server = Server::start(&workspace);
    server.wait_profile();
    server.set_view(json!({ "profiles": ["a.folded", "b.folded", "c.folded"] }));
    assert_eq!(server.profiles()["active"]["total"], 123);
    let missing = |server: &mut Server| {
        let health = server.view()["health"].clone();
        let mut entries = health.as_array().unwrap().iter();
        entries.find(|entry| entry["code"] == "profile-missing").map(|it| text(&it["message"]))
    };
    workspace.remove("b.folded");
    server.eventually("the file is deleted", |server| {
        (server.profiles()["active"]["deleted"] == true).then_some(())
    });
    assert_eq!((missing(&mut server), &server.profiles()["active"]["total"]), (None, &json!(123)));
    workspace.write("a.folded", line(200));
    wait_total(&mut server, 203);
    let message = server.eventually("the missing file", missing);
    let b = workspace.path("b.folded");
    let expected =
        format!("{} was selected but does not exist; its costs are missing", b.display());
    assert_eq!(message, expected);
    assert_eq!(server.warnings().iter().filter(|it| it.contains("does not exist")).count(), 1);
    workspace.write("b.folded", line(50));
    wait_total(&mut server, 253);
    assert_eq!(missing(&mut server), None);
}

/// The mean of the profiles of the user's choice is shown instead of their sum, with its spread.
#[test]
fn several_profiles_are_averaged_by_choice() {
    let source = "def main():\n    f()\n    g()\n\ndef f():\n    pass\n\ndef g():\n    pass\n";
    let workspace = Workspace::with([("app.py", source)]);
    set_age(&workspace.path("app.py"), Duration::from_secs(3600));
    let run =
        |f: u32| format!("main (app.py:2);f (app.py:6) {f}\nmain (app.py:3);g (app.py:9) 10\n");
    workspace.write("a.folded", run(20));
    workspace.write("b.folded", run(40));
    let mut server = Server::builder(&workspace).options(json!({ "unit": "absolute" })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let view = server.set_view(json!({ "profiles": ["a.folded", "b.folded"] }));
    assert_eq!(json!([view["total"], view["spread"], view["marks"]]), json!([80, null, []]));
    let choice = view["choices"].as_array().unwrap().iter().find(|one| one["key"] == "combine");
    assert_eq!(choice.unwrap()["value"], "sum");
    assert_eq!(server.labels(&uri)[&5], "60 samples");
    let view = server.set_view(json!({ "combine": "average" }));
    assert_eq!(json!([view["total"], view["marks"]]), json!([40, ["mean of 2 runs"]]));
    // 20 and 40 are 10 away from their mean.
    let deviation = 200_f64.sqrt();
    assert_eq!(view["spread"].as_f64(), Some(deviation));
    assert_eq!(
        server.labels(&uri),
        [(1, "30 samples"), (2, "10 samples"), (5, "30 samples"), (8, "10 samples")]
            .map(|(line, label)| (line, label.to_owned()))
            .into()
    );
    let tree = server.execute("costline.callTree", json!([{ "depth": 5 }]));
    assert_eq!(tree["total"], 40);
    let spots = server.execute("costline.hotspots", json!([{ "by": "function" }]));
    let spread = |name: &str| {
        let rows = spots["functions"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()["spread"].clone()
    };
    assert_eq!(spread("f")["self"].as_f64(), Some(deviation));
    assert_eq!(json!([spread("g")["self"], spread("g")["text"]]), json!([0, "±0 samples"]));
    let hover = server.line_hover(&uri, 5).unwrap();
    assert!(hover.contains("spread over runs"), "{hover}");
    // Without the choice of profiles, there is one run.
    let view = server.set_view(json!({ "profiles": null }));
    assert_eq!(json!([view["spread"], view["marks"]]), json!([null, []]));
}

#[test]
fn a_renamed_profile_is_shown_under_its_new_name() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    let shown = workspace.write("b.cpuprofile", cpuprofile(10));
    set_age(&workspace.write("old.cpuprofile", cpuprofile(20)), Duration::from_secs(3600));
    let mut server = Server::start(&workspace);
    wait_total(&mut server, 10);
    std::fs::rename(&shown, shown.with_file_name("before.cpuprofile")).unwrap();
    server.eventually("the new name", |server| {
        let active = server.profiles()["active"].clone();
        (active["name"] == "before.cpuprofile" && active["deleted"] == false).then_some(())
    });
    wait_total(&mut server, 10);
}
