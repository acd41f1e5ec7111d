//! Profiles and workspaces that are larger than any real one.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::limits::{LIMITED, limited};
use crate::support::profiles::{APP_JS, folded};
use crate::support::requests::costs;
use crate::support::{Server, Workspace};

/// A stack is not deeper in any profiler that can be configured.
const DEPTH: usize = 100_000;

/// No program has so many functions that call each other in a row.
const N_FUNCTIONS: usize = 20_000;

/// The formats in which each of the [`deep_stacks`] can be written: all but flame charts, which have each
/// frame of each sample.
const EXPORTED: [&str; 6] = ["callgrind", "folded", "flamegraph", "speedscope", "firefox", "pprof"];

/// A stack of one function that calls itself, and one of functions that call the next one.
fn deep_stacks() -> [String; 2] {
    let recursive = "work (app.js:2);".repeat(DEPTH - 1) + "work (app.js:3) 5\n";
    let mut functions = String::new();
    for i in 0..N_FUNCTIONS {
        write!(functions, "f{i} (app.js:{});", 1 + i % 3).unwrap();
    }
    functions.pop();
    // A short stack first, by which the format is recognized.
    let short = "main (app.js:1);work (app.js:2) 2\n";
    [format!("{short}{recursive}"), format!("{short}{functions} 5\n")]
}

/// Everything that a client can ask about a profile.
fn ask_everything(server: &mut Server, uri: &str) {
    server.hints(uri);
    server.lenses(uri);
    server.line_hover(uri, 1);
    for item in server.prepare(uri, 0, 9) {
        server.incoming(&item);
        server.outgoing(&item);
    }
    server.execute("costline.explain", json!([{ "uri": uri, "line": 1 }]));
    server.symbols("$");
    for command in ["hotspots", "paths", "view", "profiles", "timeline"] {
        server.execute(&format!("costline.{command}"), json!([]));
    }
    for inverted in [false, true] {
        let tree = json!([{ "depth": DEPTH, "limit": DEPTH, "inverted": inverted }]);
        server.execute("costline.callTree", tree);
        let graph = json!([{ "inline": true, "depth": DEPTH, "inverted": inverted }]);
        server.execute("costline.flamegraph", graph);
    }
}

#[test]
fn stacks_of_100_000_frames_are_shown_transformed_and_exported() {
    for profile in deep_stacks() {
        let workspace = Workspace::with([("app.js", APP_JS)]);
        workspace.write("cpu.folded", profile);
        let mut server = limited(&workspace).start();
        let uri = server.open_file(&workspace.path("app.js"), "javascript");
        server.wait_labels(&uri);
        ask_everything(&mut server, &uri);
        let function = server.execute("costline.hotspots", json!([]))["functions"][0].clone();
        for transform in ["merge-function", "focus-function", "collapse-recursion"] {
            let transform = json!([{ "type": transform, "function": function["name"] }]);
            server.execute("costline.pushTransform", transform);
            server.hints(&uri);
            server.execute("costline.callTree", json!([{ "depth": DEPTH }]));
            server.execute("costline.clearTransforms", json!([]));
        }
        assert_eq!(export_and_read(&mut server, &workspace), EXPORTED);
    }
}

/// Each format in which the stack fits is read again with the same total. Returns their names.
fn export_and_read(server: &mut Server, workspace: &Workspace) -> Vec<String> {
    let formats = server.initialize_result()["capabilities"]["experimental"]["costline"].clone();
    let formats: Vec<Value> = formats["exportFormats"].as_array().unwrap().clone();
    let mut exported = Vec::new();
    for format in formats {
        let format = format["format"].as_str().unwrap().to_owned();
        let path = workspace.path(&format!("exports/{format}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let export = json!({ "format": format, "path": path });
        let command = json!({ "command": "costline.export", "arguments": [export] });
        if let Err(error) = server.try_request("workspace/executeCommand", command) {
            assert!(error.message.contains("--max-depth"), "{format}: {error:?}");
            continue;
        }
        exported.push(format.clone());
        if format == "flamegraph" {
            continue;
        }
        let mut report = Command::new(LIMITED[0]);
        report.args(&LIMITED[1..]).arg(env!("CARGO_BIN_EXE_costline")).args(["report", "--json"]);
        let output = report.arg(&path).env("COSTLINE_CACHE_DIR", "").output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{format}: {errors}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["total"], 7, "{format}: {errors}");
    }
    exported
}

/// The number of files in the workspace.
const N_FILES: usize = 200_000;

#[test]
fn a_workspace_of_200_000_files_has_its_profile_found_and_followed() {
    // In memory, where files are made fast.
    let memory = Path::new("/dev/shm");
    let workspace = if memory.is_dir() { Workspace::within(memory) } else { Workspace::new() };
    workspace.write("src/app.js", APP_JS);
    for folder in 0..N_FILES / 1000 {
        let folder = workspace.path(&format!("src/{folder}"));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..1000 {
            File::create(folder.join(format!("{file}.js"))).unwrap();
        }
    }
    // The index is cut at this size, so that names without folders match no file.
    let app = workspace.path("src/app.js").to_str().unwrap().to_owned();
    workspace.write("cpu.folded", folded(3).replace("app.js", &app));
    let mut server = limited(&workspace).start();
    let uri = server.open_file(&workspace.path("src/app.js"), "javascript");
    server.wait_costs(&uri, &costs([(2, 3, 3)]));
    workspace.write("cpu.folded", folded(5).replace("app.js", &app));
    server.wait_costs(&uri, &costs([(2, 5, 5)]));
}
