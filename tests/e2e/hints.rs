//! Hints, lenses, hovers and symbols, compared with the numbers of independent tools on the same
//! lines.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::cases::{Case, is_grouped};
use crate::support::profiles::{APP_JS, BELOW, SIX_SAMPLES, app_py, cpuprofile_with, six_samples};
use crate::support::requests::{LineCosts, at, costs, six, text};
use crate::support::{Server, Workspace};

/// A server with a hint for every line with cost.
fn with_all_hints(workspace: &Workspace) -> Server {
    Server::builder(workspace)
        .options(json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0, "closures": true } }))
        .start()
}

/// Compares the hints in all sources of a case with the expected costs.
fn assert_hints_match_expectations(case: &Case, language: &str, n_files: usize) {
    let mut server = with_all_hints(&case.workspace);
    let files = case.lines();
    assert_eq!(files.len(), n_files);
    for (file, lines) in files {
        let uri = server.open_file(&case.workspace.path(&file), language);
        let expected: LineCosts = lines.into_iter().map(|(line, cost)| (line - 1, cost)).collect();
        let hints = server.eventually("hints", |server| {
            Some(server.line_costs(&uri)).filter(|hints| !hints.is_empty())
        });
        assert_eq!(hints, expected, "{file}");
    }
}

/// Compares the lenses of all functions in the workspace with the expected costs.
fn assert_lenses_match_expectations(case: &Case, language: &str) {
    let mut server = with_all_hints(&case.workspace);
    let functions = case.expected["functions"].as_array().unwrap();
    for file in case.files() {
        let mut expected: Vec<_> = functions
            .iter()
            .filter(|function| function["file"] == file.as_str())
            .filter(|function| function["total"] != 0 && !is_grouped(&text(&function["name"])))
            .map(|function| {
                (
                    text(&function["name"]),
                    function["self"].to_string(),
                    function["total"].to_string(),
                )
            })
            .collect();
        let uri = server.open_file(&case.workspace.path(&file), language);
        let lenses = server.eventually("lenses", |server| {
            Some(server.lenses(&uri)).filter(|lenses| !lenses.is_empty())
        });
        let mut found: Vec<_> = lenses
            .iter()
            .map(|lens| {
                let data = &lens["data"];
                (text(&data["func"]["name"]), data["self"].to_string(), data["total"].to_string())
            })
            .collect();
        // Of functions without names, those beside a lens of another function have none.
        let is_nameless = |name: &str| name.ends_with("comp>") || name.ends_with("genexpr>");
        found.retain(|(name, ..)| !is_grouped(name) && !is_nameless(name));
        expected.retain(|(name, ..)| !is_nameless(name));
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn hints_of_a_firefox_profile_match_expectations() {
    assert_hints_match_expectations(&Case::rust(), "rust", 4);
}

#[test]
fn hints_of_a_cpuprofile_match_expectations() {
    assert_hints_match_expectations(&Case::javascript(), "javascript", 4);
}

#[test]
fn hints_of_a_folded_profile_match_expectations() {
    assert_hints_match_expectations(&Case::python(), "python", 3);
}

#[test]
fn lenses_match_expectations() {
    assert_lenses_match_expectations(&Case::rust(), "rust");
    assert_lenses_match_expectations(&Case::javascript(), "javascript");
    assert_lenses_match_expectations(&Case::python(), "python");
}

#[test]
fn only_lines_above_the_threshold_have_a_hint() {
    let case = Case::rust();
    let total = case.expected["total"].as_f64().unwrap();
    let mut server =
        Server::builder(&case.workspace).options(json!({ "hints": { "minPercent": 2.5 } })).start();
    for (file, lines) in case.lines() {
        let uri = server.open_file(&case.workspace.path(&file), "rust");
        let expected: LineCosts = lines
            .into_iter()
            .filter(|(_, (_, weight))| weight.as_f64().unwrap() * 100.0 >= 2.5 * total)
            .map(|(line, cost)| (line - 1, cost))
            .collect();
        server.wait_profile();
        assert_eq!(server.line_costs(&uri), expected, "{file}");
    }
}

#[test]
fn returns_hints_only_for_the_requested_lines() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let lines = |hints: Vec<Value>| {
        hints.iter().map(|hint| hint["position"]["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(lines(server.hints_in(&uri, 11, 22)), [11, 12, 21, 22]);
    assert_eq!(lines(server.hints_in(&uri, 13, 20)), [0; 0]);
    assert_eq!(lines(server.hints_in(&uri, 33, 33)), [33]);
}

#[test]
fn a_hint_has_all_documented_parts() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let hints = server.hints_in(&uri, 22, 22);
    let [hint] = hints.as_slice() else { panic!("{hints:?}") };
    assert_eq!(
        hint["position"],
        json!({ "line": 22, "character": app_py().lines().nth(22).unwrap().len() })
    );
    assert_eq!(hint["label"], "16.7%");
    assert_eq!(hint["paddingLeft"], true);
    assert!(hint.get("kind").is_none() && hint.get("tooltip").is_none(), "{hint}");
    for (key, value) in [
        ("v", json!(1)),
        ("line0", json!(22)),
        ("self", json!(1)),
        ("total", json!(1)),
        ("unit", json!("samples")),
        ("metric", json!("samples")),
    ] {
        assert_eq!(hint["data"][key], value, "{key}");
    }

    let resolved = server.request("inlayHint/resolve", hint.clone());
    let tooltip = text(&resolved["tooltip"]["value"]);
    assert_eq!(resolved["tooltip"]["kind"], "markdown");
    for part in [
        "line 23",
        "16.7% (1 sample)",
        "33.3% of parse",
        "callers into this line",
        "main",
        "cpu.folded",
    ] {
        assert!(tooltip.contains(part), "{part}: {tooltip}");
    }
    // Resolving changes nothing else.
    assert_eq!((&resolved["label"], &resolved["position"]), (&hint["label"], &hint["position"]));
}

#[test]
fn resolving_hints_of_other_servers_returns_them_unchanged() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    for data in [
        Value::Null,
        json!({}),
        json!({ "v": 2, "line0": 9, "uri": workspace.uri("app.py") }),
        json!("x"),
    ] {
        let hint =
            json!({ "position": { "line": 9, "character": 3 }, "label": ": i32", "data": data });
        let resolved = server.request("inlayHint/resolve", hint.clone());
        assert_eq!((&resolved["label"], resolved.get("tooltip")), (&hint["label"], None));
    }
}

#[test]
fn labels_follow_the_settings() {
    let workspace = six_samples();
    for (settings, label) in [
        (json!({}), "16.7%"),
        (json!({ "hints": { "show": "self" } }), "self 16.7%"),
        (json!({ "hints": { "show": "both" } }), "16.7% · self 16.7%"),
        (json!({ "unit": "absolute" }), "1 sample"),
        (json!({ "unit": "both" }), "16.7% (1 sample)"),
    ] {
        let mut server = Server::builder(&workspace).options(settings.clone()).start();
        let uri = server.open_file(&workspace.path("app.py"), "python");
        assert_eq!(server.wait_labels(&uri)[&22], label, "{settings}");
    }
}

#[test]
fn a_line_without_a_known_total_shows_self() {
    let case = Case::javascript();
    let mut server = with_all_hints(&case.workspace);
    let uri = server.open_file(&case.workspace.path("src/layout.js"), "javascript");
    let labels = server.wait_labels(&uri);
    assert!(labels.values().all(|label| label.starts_with("self ")), "{labels:?}");
    assert!(
        server
            .hints(&uri)
            .iter()
            .all(|hint| hint["data"]["total"].is_null() && hint["data"]["unit"] == "hits")
    );
}

#[test]
fn a_lens_needs_no_resolve_and_has_a_working_command() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).hold("window/showMessageRequest").start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let lenses = server.lenses(&uri);
    let titles: Vec<_> = lenses
        .iter()
        .map(|lens| {
            (lens["range"]["start"]["line"].as_u64().unwrap(), text(&lens["command"]["title"]))
        })
        .collect();
    // Without grammars, it is not known whether the lines are those of definitions.
    let name =
        |name: &str| if cfg!(feature = "grammars") { String::new() } else { format!("{name}: ") };
    assert_eq!(
        titles,
        [
            (8 + BELOW, name("main") + "self 16.7% (1 sample) · total 100.0% (6 samples)"),
            (20 + BELOW, name("parse") + "self 16.7% (1 sample) · total 50.0% (3 samples)"),
            (29 + BELOW, name("eval") + "self 16.7% (1 sample) · total 50.0% (3 samples)"),
        ]
    );
    let lens = &lenses[1];
    assert_eq!(
        lens["data"],
        json!({
            "v": 1, "self": 1, "total": 3, "unit": "samples", "metric": "samples", "tier": 3,
            "share": 0.5, "selfShare": 1.0 / 6.0, "selfText": "16.7%", "totalText": "50.0%",
            "func": { "name": "parse", "file": "app.py", "lib": null }, "name": "parse",
            "uri": uri, "line0": 20 + BELOW, "placeText": format!("app.py:{}", 21 + BELOW)
        })
    );
    assert_eq!(lens["command"]["command"], "costline.showCallers");
    let answer = server.execute("costline.showCallers", lens["command"]["arguments"].clone());
    assert_eq!(answer["total"], 3);
    let (id, _) = server.wait_server_request("window/showMessageRequest");
    server.reply(id, Value::Null);
}

#[test]
fn functions_below_the_threshold_have_no_lens() {
    let workspace = six_samples();
    let mut server =
        Server::builder(&workspace).options(json!({ "lenses": { "minPercent": 60 } })).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    assert_eq!(server.lenses(&uri).len(), 1);
}

#[test]
fn hovers_show_costs_of_lines_and_functions() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);

    let line = server.line_hover(&uri, 21).unwrap();
    assert!(
        line.contains("**line 22** · self 0.0% (0 samples) · total 33.3% (2 samples)\n"),
        "{line}"
    );
    assert!(line.contains("- calls from this line: 33.3% (2 samples) hash"), "{line}");
    // On the name of a callee.
    let callee = server.hover(&uri, 21, 5).unwrap();
    assert!(
        callee.contains("**hash** · self 50.0% (3 samples) · total 50.0% (3 samples)\n"),
        "{callee}"
    );
    assert!(
        callee.contains("- callers: 33.3% (2 samples) parse · 16.7% (1 sample) eval\n"),
        "{callee}"
    );
    assert_eq!(server.line_hover(&uri, 2), None);
}

#[test]
fn hovers_of_lines_are_at_their_end_unless_asked_for_everywhere() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let line = server.line_hover(&uri, 21).unwrap();
    // `    hash(item)`: its indentation, its argument, and its last character.
    assert_eq!([0, 3, 10, 12].map(|column| server.hover(&uri, 21, column)), [const { None }; 4]);
    assert_eq!(server.hover(&uri, 21, 13).as_ref(), Some(&line));
    server.configure(json!({ "hover": { "everywhere": true } }));
    server.eventually("the hover", |server| server.hover(&uri, 21, 0).filter(|it| *it == line));
}

#[test]
#[cfg(feature = "grammars")]
fn hovers_link_functions_for_clients_that_open_links() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace)
        .capability("/experimental", json!({ "costline": { "links": true } }))
        .start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let hover = server.line_hover(&uri, 21).unwrap();
    let lib = uri.replace("app.py", "lib.py");
    let callee = format!("calls from this line: 33.3% (2 samples) [hash](<{lib}#L4>)\n");
    assert!(hover.contains(&callee), "{hover}");
}

/// The first hint of each function says that its number is the total, whichever range is asked for.
#[test]
#[cfg(feature = "grammars")]
fn the_first_hint_of_a_function_names_its_number() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let labels = |hints: &[Value]| -> Vec<(u64, String)> {
        let label =
            |hint: &Value| (hint["position"]["line"].as_u64().unwrap() + 1, text(&hint["label"]));
        hints.iter().map(label).collect()
    };
    let all = labels(&server.hints(&uri));
    let expected = [
        (10, "33.3% total"),
        (12, "50.0%"),
        (13, "16.7%"),
        (22, "33.3% total"),
        (23, "16.7%"),
        (31, "33.3% total"),
        (32, "16.7%"),
        (33, "16.7%"),
        (34, "16.7%"),
    ];
    assert_eq!(all, expected.map(|(line, label)| (line, label.to_owned())));
    for first in 0..35 {
        let rest = labels(&server.hints_in(&uri, first, 36));
        let expected: Vec<_> =
            all.iter().filter(|(line, _)| *line > first.into()).cloned().collect();
        assert_eq!(rest, expected, "from line {first}");
    }
}

#[test]
fn hovers_are_plain_text_for_clients_without_markdown() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace)
        .capability("/textDocument/hover", json!({ "contentFormat": ["plaintext"] }))
        .start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let hover = server.request("textDocument/hover", at(&uri, 21, 1000));
    assert_eq!(hover["contents"]["kind"], "plaintext");
    let text = text(&hover["contents"]["value"]);
    assert!(text.contains("line 22 · self 0.0% (0 samples) · total 33.3% (2 samples)"), "{text}");
}

/// The number that hints show decides whether there is one, and its tier.
#[test]
fn self_costs_below_the_threshold_have_no_hint() {
    let source = "def main():\n    work()\n\n\ndef work():\n    spin()\n";
    let profile = "main (a.py:2);work (a.py:6) 999\nmain (a.py:2) 1\n";
    let workspace = Workspace::with([("a.py", source), ("cpu.folded", profile)]);
    let hints = json!({ "hints": { "show": "self", "minPercent": 0.5 } });
    let mut server = Server::builder(&workspace).options(hints).start();
    let uri = server.open_file(&workspace.path("a.py"), "python");
    assert_eq!(server.wait_labels(&uri), [(5, "self 99.9%".to_owned())].into());
    server.set_view(json!({ "show": "total" }));
    let tiers: Vec<_> =
        server.hints(&uri).iter().map(|hint| hint["data"]["tier"].clone()).collect();
    assert_eq!(tiers, [3, 3]);
}

#[test]
fn dollar_queries_return_the_hottest_functions() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let names = |symbols: Vec<Value>| {
        symbols.iter().map(|symbol| text(&symbol["name"])).collect::<Vec<_>>()
    };
    assert_eq!(
        names(server.symbols("$")),
        [
            "$50.0% · self 50.0% hash",
            "$100.0% · self 16.7% main",
            "$50.0% · self 16.7% eval",
            "$50.0% · self 16.7% parse",
        ]
    );
    assert_eq!(names(server.symbols("$par")), ["$50.0% · self 16.7% parse"]);
    assert_eq!(server.symbols("$hash")[0]["location"]["uri"], workspace.uri("lib.py"));
    assert_eq!(server.symbols("$hash")[0]["location"]["range"]["start"]["line"], 3 + BELOW);
    for query in ["", "main", "par$"] {
        assert_eq!(names(server.symbols(query)), [""; 0], "{query}");
    }
}

#[test]
fn publishes_diagnostics_for_hot_lines_if_enabled() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    assert_eq!(server.diagnostics(&uri), None);

    server.configure(json!({ "diagnostics": { "enable": true, "minPercent": 50 } }));
    let hot = server
        .eventually("diagnostics", |server| server.diagnostics(&uri).filter(|hot| !hot.is_empty()));
    let hot: Vec<_> = hot
        .iter()
        .map(|hot| {
            (
                hot["range"]["start"]["line"].as_u64().unwrap(),
                text(&hot["message"]),
                hot["severity"].clone(),
            )
        })
        .collect();
    assert_eq!(
        hot,
        [
            (
                8 + BELOW,
                "hot function main: self 16.7% (1 sample) · total 100.0% (6 samples)".to_owned(),
                json!(4)
            ),
            (11, "hot line: 50.0%".to_owned(), json!(4)),
            (
                20 + BELOW,
                "hot function parse: self 16.7% (1 sample) · total 50.0% (3 samples)".to_owned(),
                json!(4)
            ),
            (
                29 + BELOW,
                "hot function eval: self 16.7% (1 sample) · total 50.0% (3 samples)".to_owned(),
                json!(4)
            ),
        ]
    );
    server
        .configure(json!({ "diagnostics": { "enable": true, "minPercent": 10, "maxPerFile": 2 } }));
    server.eventually("two diagnostics", |server| {
        server.diagnostics(&uri).filter(|hot| hot.len() == 2)
    });
    // They are about the text in the editor.
    server.close(&uri);
    server.eventually("no diagnostics", |server| server.diagnostics(&uri).filter(Vec::is_empty));
    server.open_file(&workspace.path("app.py"), "python");
    server.eventually("two diagnostics again", |server| {
        server.diagnostics(&uri).filter(|hot| hot.len() == 2)
    });
    server.configure(json!({}));
    server.eventually("no diagnostics", |server| server.diagnostics(&uri).filter(Vec::is_empty));
}

/// A burst of edits, as of a macro: the diagnostics of an older version must not replace newer ones.
#[test]
fn the_last_diagnostics_are_those_of_the_last_version() {
    let workspace = six_samples();
    let options = json!({ "diagnostics": { "enable": true, "minPercent": 50 } });
    let mut server = Server::builder(&workspace).options(options).start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    for _ in 0..5 {
        for _ in 0..8 {
            let start = json!({ "line": 0, "character": 0 });
            let range = json!({ "start": start, "end": start });
            server.change_by(&uri, json!([{ "range": range, "text": "\n" }]));
        }
        let version = server.version(&uri);
        let versions = |server: &mut Server| -> Vec<i32> {
            let published = server.sent("textDocument/publishDiagnostics").into_iter();
            let published = published.filter(|published| published["uri"] == uri);
            published
                .filter_map(|published| published["version"].as_i64())
                .map(|it| it as i32)
                .collect()
        };
        server.eventually("diagnostics of the last version", |server| {
            versions(server).contains(&version).then_some(())
        });
        server.during(Duration::from_millis(100), |server| {
            let versions = versions(server);
            assert!(versions.is_sorted(), "{versions:?}");
        });
    }
    server.change_by(&uri, json!([{ "text": "def f(): pass\n" }]));
    server.close(&uri);
    server.eventually("no diagnostics", |server| server.diagnostics(&uri).filter(Vec::is_empty));
    server.during(Duration::from_millis(100), |server| {
        assert_eq!(server.diagnostics(&uri), Some(vec![]));
    });
}

#[test]
fn lines_of_a_file_with_several_names_count_once() {
    let workspace = Workspace::with([
        ("cpu.folded", "f (lib/app.py:1) 2\nf (app.py:1);f (lib/app.py:1) 3\n"),
        ("lib/app.py", "f()\n"),
    ]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("lib/app.py"), "python");
    server.wait_costs(&uri, &costs([(1, 5, 5)]));
}

#[test]
fn escapes_names_of_profiles() {
    let name = "[x](command:evil)<b>";
    let workspace = Workspace::with([
        ("cpu.folded", format!("{name} (app.py:1) 3\n").as_str()),
        ("app.py", "f()\n"),
    ]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&uri);
    let hover = server.line_hover(&uri, 0).unwrap();
    assert!(hover.contains(r"[x\](command:evil)\<b>"), "{hover}");
    assert!(!hover.contains(name), "{hover}");
}

#[test]
fn sanitizes_control_characters_in_names() {
    let name = "work\u{1b}[31m\u{202e}\n";
    let workspace = Workspace::with([("app.js", APP_JS)]);
    let frame = json!({ "functionName": name, "scriptId": "1", "url": "file:///srv/app/app.js", "lineNumber": 0, "columnNumber": 0 });
    workspace.write("a.cpuprofile", cpuprofile_with(3, frame));
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    server.wait_labels(&uri);
    let item = server.prepare(&uri, 1, 0).remove(0);
    let shown = [text(&item["name"]), text(&item["detail"]), text(&server.symbols("$")[0]["name"])];
    assert!(shown.iter().all(|text| !text.contains(['\u{1b}', '\u{202e}', '\n'])), "{shown:?}");
    // The raw name in the data still identifies the function.
    assert_eq!(item["data"]["path"][0]["name"], name);
    assert_eq!(
        server.execute("costline.showCallers", json!([item, { "message": false }]))["self"],
        3
    );
}

#[test]
fn shows_nothing_without_a_profile() {
    let workspace = Workspace::with([("app.py", app_py().as_str())]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.py"), "python");
    assert_eq!(
        (server.hints(&uri), server.lenses(&uri), server.prepare(&uri, 9, 0)),
        (vec![], vec![], vec![])
    );
    assert_eq!((server.line_hover(&uri, 9), server.symbols("$")), (None, vec![]));
    assert_eq!(server.profiles()["active"], Value::Null);
    workspace.write("cpu.folded", SIX_SAMPLES);
    server.wait_labels(&uri);
}

#[test]
fn documents_that_are_not_files_have_no_costs() {
    let workspace = six_samples();
    let mut server = Server::start(&workspace);
    let file = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&file);
    let path = file.strip_prefix("file://").unwrap();
    for uri in [
        "untitled:app.py",
        &format!("untitled:{path}"),
        &format!("git:{path}?HEAD"),
        &format!("vscode-notebook-cell:{path}#1"),
        &format!("zipfile://{path}"),
        "costline:///main?%7B%7D",
    ] {
        // The lines of an old version are others.
        server.open(uri, "python", &format!("\n{}", app_py()));
        assert_eq!(
            (server.hints(uri), server.lenses(uri), server.prepare(uri, 9, 0)),
            (vec![], vec![], vec![]),
            "{uri}"
        );
        let spots = server.execute("costline.hotspots", json!([]));
        assert!(!spots.to_string().contains(uri), "{uri}: {spots}");
        server.change(uri, "x\n");
        server.close(uri);
    }
}

#[test]
fn the_first_request_waits_for_costs_without_refresh_support() {
    let workspace = six_samples();
    let never = json!({ "refreshSupport": false });
    let mut server = Server::builder(&workspace)
        .capability("/workspace/inlayHint", never.clone())
        .capability("/workspace/codeLens", never)
        .start();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    assert!(!server.hints(&uri).is_empty());
    assert!(!server.lenses(&uri).is_empty());
}

/// Closures without a name are in lists and hovers, but a lens above each would be too many.
#[test]
#[cfg(feature = "grammars")]
fn nameless_closures_have_lenses_only_by_a_setting() {
    let source = "def run(items):\n    return map(\n        lambda item: item * item,\n        items,\n    )\n";
    let folded = "run (app.py:2) 6\nrun (app.py:2);<lambda> (app.py:3) 4\n";
    let workspace = Workspace::with([("app.py", source), ("cpu.folded", folded)]);
    for (options, expected) in [
        (json!({}), vec!["run 0"]),
        (json!({ "lenses": { "closures": true } }), vec!["run 0", "<lambda> 2"]),
    ] {
        let mut server = Server::builder(&workspace).options(options).start();
        server.wait_profile();
        let uri = server.open_file(&workspace.path("app.py"), "python");
        let lenses = server.lenses(&uri);
        let found = lenses.iter().map(|lens| {
            let name = text(&lens["data"]["func"]["name"]);
            format!("{name} {}", lens["range"]["start"]["line"])
        });
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
