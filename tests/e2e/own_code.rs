//! Own code: libraries and the runtime are charged to the own line that called them, on every
//! surface.

use crate::support::requests::{costs, text};
use crate::support::workspace::set_age;
use crate::support::{Server, Workspace};
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

const SOURCE: &str =
    "def main():\n    data = read()\n    work(data)\n\n\ndef work(data):\n    return sum(data)\n";

/// `read`, `run_module` and `collect` are library code; `collect` is called from nowhere.
const PROFILE: &str = "\
run_module (/usr/lib/python3/runpy.py:5);main (app.py:2);read (/usr/lib/python3/io.py:10) 30
run_module (/usr/lib/python3/runpy.py:5);main (app.py:3);work (app.py:7) 10
run_module (/usr/lib/python3/runpy.py:5) 4
collect (/usr/lib/python3/gc.py:1) 20
";

fn workspace() -> Workspace {
    let workspace = Workspace::with([("app.py", SOURCE)]);
    set_age(&workspace.path("app.py"), Duration::from_secs(3600));
    workspace.write("cpu.folded", PROFILE);
    workspace
}

fn start(workspace: &Workspace, own: bool) -> (Server, String) {
    let options =
        json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0 }, "ownCode": own });
    let mut server = Server::builder(workspace).options(options).start();
    server.wait_profile();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    (server, uri)
}

/// Name, self and total of rows.
fn rows(rows: &Value) -> Vec<Value> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| json!([row["name"], row["self"], row["total"]])).collect()
}

fn check_own(server: &mut Server, uri: &str) {
    let view = server.view();
    assert_eq!((&view["total"], &view["base"]), (&json!(40), &json!(40)));
    assert_eq!(server.line_costs(uri), costs([(2, 30, 30), (3, 0, 10), (7, 10, 10)]));
    let lenses = server.lenses(uri);
    let lens: Vec<_> =
        lenses.iter().map(|lens| json!([lens["data"]["self"], lens["data"]["total"]])).collect();
    assert_eq!(lens, [json!([30, 40]), json!([10, 10])]);
    let tree = server.execute("costline.callTree", json!([{ "depth": 5 }]));
    assert_eq!(rows(&tree["nodes"]), [json!(["main", 30, 40])]);
    let hot = server.execute("costline.hotspots", json!([{ "limit": 10 }]));
    let mut hot = rows(&hot["functions"]);
    hot.sort_by_key(ToString::to_string);
    assert_eq!(hot, [json!(["main", 30, 40]), json!(["work", 10, 10])]);
    let hover = server.line_hover(uri, 1).unwrap();
    assert!(hover.contains("own code"), "{hover}");
}

#[test]
fn every_surface_charges_libraries_to_their_callers() {
    let workspace = workspace();
    let (mut server, uri) = start(&workspace, false);
    assert_eq!(server.line_costs(&uri), costs([(2, 0, 30), (3, 0, 10), (7, 10, 10)]));
    let before = server.view();
    let view = server.set_view(json!({ "own": true }));
    let choices = view["choices"].as_array().unwrap();
    let choice = choices.iter().find(|choice| choice["key"] == "own").unwrap();
    assert_eq!((&choice["value"], &choice["options"][1]["active"]), (&json!(true), &json!(true)));
    check_own(&mut server, &uri);
    // As by the setting.
    let (mut by_setting, uri) = start(&workspace, true);
    check_own(&mut by_setting, &uri);
    // The way back.
    let after = server.set_view(json!({ "own": null }));
    assert_eq!((&after["total"], &after["choices"]), (&before["total"], &before["choices"]));
}

#[test]
fn the_command_line_has_the_same_costs() {
    let workspace = workspace();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
        command.current_dir(workspace.root()).env("COSTLINE_CACHE_DIR", "").args(arguments);
        let output = command.arg("cpu.folded").args(["--root", "."]).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (_, report, _) = run(&["report", "--own", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["total"], 40);
    assert_eq!(rows(&report["definitions"]), [json!(["main", 30, 40]), json!(["work", 10, 10])]);
    let (_, tree, _) = run(&["tree", "--own"]);
    assert!(tree.lines().next().unwrap().contains("own code") && !tree.contains("runpy"), "{tree}");
    std::fs::remove_file(workspace.path("app.py")).unwrap();
    let (code, _, message) = run(&["report", "--own"]);
    assert_eq!(code, Some(2));
    assert!(text(&json!(message)).contains("no own code"), "{message}");
}

#[test]
fn profiles_that_do_not_tell_are_shown_whole() {
    let workspace = Workspace::with([("a.c", "int main(void) {\n  return 0;\n}\n")]);
    workspace.write("callgrind.out.1", "events: Ir\nfl=a.c\nfn=main\n2 10\n");
    let mut server = Server::builder(&workspace).options(json!({ "ownCode": true })).start();
    server.wait_profile();
    assert_eq!(server.view()["total"], 10);
    let warnings = server.warnings();
    assert!(warnings.iter().any(|warning| warning.ends_with("all code is shown")), "{warnings:?}");
    let error = server.execute_error("costline.setView", json!([{ "own": true }]));
    assert!(error.contains("call graph without stacks"), "{error}");
}
