//! Compiled TypeScript: costs are shown in the original files or, if a source map cannot be used,
//! in the generated ones.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::requests::{LineCosts, text};
use crate::support::{Server, Workspace, set_age};

/// A server with a hint for every line with cost.
fn with_all_hints(workspace: &Workspace) -> Server {
    Server::builder(workspace)
        .options(json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0, "closures": true } }))
        .start()
}

fn assert_hints_match_expectations(case: &Case, server: &mut Server, n_files: usize) {
    let files = case.files();
    assert_eq!(files.len(), n_files);
    for file in files {
        let uri = server.open_file(&case.workspace.path(&file), "typescript");
        let hints = server.eventually("hints", |server| {
            Some(server.line_costs(&uri)).filter(|hints| !hints.is_empty())
        });
        assert_eq!(hints, expected(case, &file), "{file}");
    }
}

fn expected(case: &Case, file: &str) -> LineCosts {
    case.lines()[file].iter().map(|(line, cost)| (line - 1, cost.clone())).collect()
}

/// The costs of a generated file of `ts-matrix`, as recorded.
fn generated(file: &str) -> LineCosts {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/profiles/v8/ts-matrix/expected.generated.json");
    let expected: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let rows = expected["lines"].as_array().unwrap().iter().filter(|row| row["file"] == file);
    rows.map(|row| (row["line"].as_u64().unwrap() - 1, (row["self"].clone(), row["total"].clone())))
        .collect()
}

fn explain(server: &mut Server, uri: &str, line1: u64) -> Value {
    server.execute("costline.explain", json!([{ "uri": uri, "line": line1 - 1 }]))
}

#[test]
fn hints_are_in_the_original_files() {
    let case = Case::new("v8/ts-matrix");
    let mut server = with_all_hints(&case.workspace);
    assert_hints_match_expectations(&case, &mut server, 3);

    // The generated file has no hints, and `explain` tells why.
    let uri = server.open_file(&case.workspace.path("dist/matrix.js"), "javascript");
    assert_eq!(server.hints(&uri), [] as [Value; 0]);
    let why = explain(&mut server, &uri, 19);
    assert_eq!(why["code"], "source-mapped", "{why}");
    assert!(text(&why["message"]).contains("/srv/demo/ts-matrix/src/matrix.ts:29"), "{why}");
    let paths = server.execute("costline.paths", json!([]));
    let row = paths["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["name"] == "/srv/demo/ts-matrix/src/matrix.ts");
    let row = row.unwrap_or_else(|| panic!("{paths}"));
    assert_eq!(
        (&row["how"], &row["path"]),
        (&json!("sourceMap"), &json!(case.workspace.path("src/matrix.ts")))
    );
}

#[test]
fn modules_of_a_bundle_have_their_own_costs() {
    let case = Case::new("v8/ts-bundle");
    let mut server = with_all_hints(&case.workspace);
    assert_hints_match_expectations(&case, &mut server, 3);

    // A line belongs to its enclosing function (without a grammar, to the hottest function of the
    // file on the line), although it was inlined into hotter ones (`distance`, `energy` of another
    // file). Code outside of functions belongs to the outermost function of the bundle.
    let of_line = if cfg!(feature = "grammars") { "get length" } else { "distance" };
    for (file, line, function) in
        [("src/vector.ts", 13, of_line), ("src/main.ts", 31, "(anonymous)")]
    {
        let items = server.prepare(&case.workspace.uri(file), line - 1, 0);
        let [item] = items.as_slice() else { panic!("{items:?}") };
        assert!(text(&item["name"]).ends_with(&format!(" {function}")), "{item}");
    }
}

#[test]
fn minified_functions_have_lenses_and_names_in_the_originals() {
    let case = Case::new("v8/ts-minified");
    let mut server = with_all_hints(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/bodies.ts"), "typescript");
    let lenses = server.eventually("lenses", |server| {
        Some(server.lenses(&uri)).filter(|lenses| !lenses.is_empty())
    });
    let mut found: Vec<_> = lenses
        .iter()
        .map(|lens| {
            (lens["range"]["start"]["line"].as_u64().unwrap() + 1, text(&lens["data"]["name"]))
        })
        .collect();
    let functions = case.expected["functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["file"] == "src/bodies.ts");
    // The minifier calls it `d`.
    let name = |row: &Value| match text(&row["name"]).as_str() {
        "d" if cfg!(feature = "grammars") => "describe".to_owned(),
        name => name.to_owned(),
    };
    let mut expected: Vec<_> =
        functions.map(|row| (row["line"].as_u64().unwrap(), name(row))).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);

    // Only functions of one statement have a line (0-based).
    let lines: Vec<u64> = server.line_costs(&uri).into_keys().collect();
    assert_eq!(lines, [28, 29, 38, 64]);
    let warnings: Vec<_> = server
        .messages()
        .into_iter()
        .filter(|message| message.contains("several statements"))
        .collect();
    assert!(warnings.len() == 1 && warnings[0].contains("dist/main.js:1"), "{warnings:?}");
    let bundle = server.open_file(&case.workspace.path("dist/main.js"), "javascript");
    assert_eq!(explain(&mut server, &bundle, 1)["code"], "source-mapped");
}

#[test]
fn a_file_without_its_map_is_shown_as_generated() {
    let case = Case::new("v8/ts-matrix");
    case.workspace.remove("dist/stats.js.map");
    let mut server = with_all_hints(&case.workspace);
    let uri = server.open_file(&case.workspace.path("dist/stats.js"), "javascript");
    server.wait_costs(&uri, &generated("dist/stats.js"));
    let warnings: Vec<_> =
        server.messages().into_iter().filter(|message| message.contains("source map")).collect();
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(
        warning.contains("/srv/demo/ts-matrix/dist/stats.js names the source map stats.js.map"),
        "{warning}"
    );
    // The other files have their maps.
    let uri = server.open_file(&case.workspace.path("src/index.ts"), "typescript");
    assert_eq!(server.line_costs(&uri).len(), 5);

    // Maps are read with the profile, not when they are created.
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/profiles/v8/ts-matrix/dist/stats.js.map");
    case.workspace.copy(&fixture, "dist/stats.js.map");
    let stats = server.open_file(&case.workspace.path("src/stats.ts"), "typescript");
    assert_eq!(server.hints(&stats), [] as [Value; 0]);
    server.execute("costline.reload", json!([]));
    server.eventually("the costs of src/stats.ts", |server| {
        (server.line_costs(&stats).get(&44)?.0 == 150).then_some(())
    });
}

#[test]
fn malformed_and_stale_maps_are_not_used() {
    let case = Case::new("v8/ts-matrix");
    case.workspace.write(
        "dist/stats.js.map",
        r#"{"version":3,"sources":["../src/stats.ts"],"mappings":"A!AA"}"#,
    );
    let matrix = fs::read_to_string(case.workspace.path("dist/matrix.js")).unwrap();
    case.workspace.write("dist/matrix.js", matrix.replace("\n    ", "\n      "));
    let mut server = with_all_hints(&case.workspace);
    let uri = server.open_file(&case.workspace.path("dist/stats.js"), "javascript");
    server.wait_costs(&uri, &generated("dist/stats.js"));
    let uri = server.open_file(&case.workspace.path("dist/matrix.js"), "javascript");
    assert_eq!(server.line_costs(&uri), generated("dist/matrix.js"));
    let messages = server.messages();
    let has_warning = |parts: [&str; 2]| {
        messages.iter().filter(|message| parts.iter().all(|part| message.contains(part))).count()
    };
    assert_eq!(
        has_warning([
            "dist/stats.js has the source map stats.js.map, which cannot be read",
            "build again"
        ]),
        1,
        "{messages:?}"
    );
    assert_eq!(
        has_warning(["dist/matrix.js has changed since it was recorded", "record again"]),
        1,
        "{messages:?}"
    );
}

#[cfg(unix)]
#[test]
fn maps_outside_the_workspace_are_not_opened() {
    let case = Case::new("v8/ts-matrix");
    let outside = Workspace::new();
    for file in ["stats", "matrix"] {
        outside
            .copy(&case.workspace.path(&format!("dist/{file}.js.map")), &format!("{file}.js.map"));
        case.workspace.remove(&format!("dist/{file}.js.map"));
    }
    std::os::unix::fs::symlink(
        outside.path("stats.js.map"),
        case.workspace.path("dist/stats.js.map"),
    )
    .unwrap();
    let matrix = fs::read_to_string(case.workspace.path("dist/matrix.js")).unwrap();
    let name = outside.root().file_name().unwrap().to_str().unwrap();
    case.workspace.write(
        "dist/matrix.js",
        matrix.replace("=matrix.js.map", &format!("=../../{name}/matrix.js.map")),
    );
    let mut server = with_all_hints(&case.workspace);
    for file in ["dist/stats.js", "dist/matrix.js"] {
        let uri = server.open_file(&case.workspace.path(file), "javascript");
        server.wait_costs(&uri, &generated(file));
    }
    let warnings: Vec<_> = server
        .messages()
        .into_iter()
        .filter(|message| message.contains("not in the workspace"))
        .collect();
    assert!(warnings.len() == 1, "{warnings:?}");
}

#[test]
fn path_mappings_apply_to_original_files() {
    let case = Case::new("v8/ts-matrix");
    let written = fs::read_to_string(case.workspace.path("src/index.ts")).unwrap();
    case.workspace.write("moved/index.ts", written);
    let rule = json!([{ "from": "/srv/demo/ts-matrix/src/index.ts", "to": "moved/index.ts" }]);
    let options =
        json!({ "hints": { "minPercent": 0 }, "pathMappings": rule, "exclude": ["dist/**"] });
    let mut server = Server::builder(&case.workspace).options(options).start();
    let uri = server.open_file(&case.workspace.path("moved/index.ts"), "typescript");
    server.wait_costs(&uri, &expected(&case, "src/index.ts"));
}

#[test]
fn originals_are_found_if_they_were_built_in_another_folder() {
    let case = Case::new("v8/ts-matrix");
    for name in ["index", "matrix", "stats"] {
        let map = case.workspace.path(&format!("dist/{name}.js.map"));
        let text = fs::read_to_string(&map).unwrap();
        fs::write(&map, text.replace("../src/", "/build/src/")).unwrap();
    }
    let mut server = with_all_hints(&case.workspace);
    assert_hints_match_expectations(&case, &mut server, 3);
}

/// Adds types to a source whose costs were shown, and compiles it again: the script is the same, its
/// map is not. Returns the labels of its hints, which are on the same code as before.
fn labels_after_a_build(options: Value) -> Vec<String> {
    let case = Case::new("v8/ts-matrix");
    let source = case.workspace.path("src/matrix.ts");
    for name in ["src/matrix.ts", "dist/matrix.js", "dist/matrix.js.map"] {
        set_age(&case.workspace.path(name), Duration::from_secs(200));
    }
    set_age(&case.workspace.path("ts.cpuprofile"), Duration::from_secs(100));
    let cache = Workspace::new();
    let server = Server::builder(&case.workspace).options(options);
    let mut server = server.env("COSTLINE_CACHE_DIR", cache.root().to_str().unwrap()).start();
    let uri = server.open_file(&source, "typescript");
    let costs = expected(&case, "src/matrix.ts");
    server.wait_costs(&uri, &costs);
    server.close(&uri);

    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, format!("type A = 1;\ntype B = 2;\ntype C = 3;\n{text}")).unwrap();
    let map = case.workspace.path("dist/matrix.js.map");
    let shifted = fs::read_to_string(&map).unwrap().replacen(";AAAA,", ";AAGA,", 1);
    fs::write(&map, shifted).unwrap();
    let script = case.workspace.path("dist/matrix.js");
    fs::write(&script, fs::read(&script).unwrap()).unwrap();
    server.execute("costline.reload", json!([]));
    let uri = server.open_file(&source, "typescript");
    let below: LineCosts = costs.into_iter().map(|(line, cost)| (line + 3, cost)).collect();
    server.wait_costs(&uri, &below);
    server.labels(&uri).into_values().collect()
}

#[test]
fn a_source_that_was_compiled_again_keeps_its_lines() {
    let labels = labels_after_a_build(json!({ "hints": { "minPercent": 0 } }));
    assert!(labels.iter().all(|label| !label.starts_with('~')), "{labels:?}");
}

/// Without a copy of the map, the lines are those of the new text.
#[test]
fn lines_of_a_later_map_are_those_of_the_text_it_was_made_from() {
    let options = json!({ "hints": { "minPercent": 0 }, "keepSources": false });
    let labels = labels_after_a_build(options);
    assert!(labels.iter().all(|label| label.starts_with('~')), "{labels:?}");
}

#[test]
fn the_text_in_a_source_map_is_the_recorded_one() {
    let case = Case::new("v8/ts-matrix");
    let source = case.workspace.path("src/matrix.ts");
    let text = fs::read_to_string(&source).unwrap();
    let map = case.workspace.path("dist/matrix.js.map");
    let mut content: Value = serde_json::from_slice(&fs::read(&map).unwrap()).unwrap();
    content["sourcesContent"] = json!([text]);
    fs::write(&map, content.to_string()).unwrap();
    fs::write(&source, format!("// one\n// two\n{text}")).unwrap();
    let mut server = with_all_hints(&case.workspace);
    let uri = server.open_file(&source, "typescript");
    let hints = server.eventually("hints", |server| {
        Some(server.line_costs(&uri)).filter(|hints| !hints.is_empty())
    });
    let below = expected(&case, "src/matrix.ts").into_iter();
    assert_eq!(hints, below.map(|(line, cost)| (line + 2, cost)).collect::<LineCosts>());
    assert!(server.labels(&uri).values().all(|label| !label.starts_with('~')));
}
