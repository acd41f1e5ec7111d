//! Commands with JSON arguments and results, and error messages with advice.

use serde_json::{Value, json};

use crate::support::profiles::{APP_JS, BELOW, app_py, cpuprofile, six_samples};
use crate::support::requests::text;
use crate::support::{Server, Workspace, six};

#[test]
fn every_advertised_command_exists() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let announced =
        server.initialize_result()["capabilities"]["executeCommandProvider"]["commands"].clone();
    let item = server.root_item("main");
    for command in announced.as_array().unwrap() {
        let command = text(command);
        let arguments = match command.as_str() {
            "costline.explain" => json!([{ "uri": uri, "line": 9 }]),
            "costline.recipes" => json!([{ "uri": uri }]),
            "costline.selection" => json!([{ "uri": uri, "firstLine0": 0, "lastLine0": 99 }]),
            "costline.export" => json!([{ "format": "folded", "path": "out.txt" }]),
            "costline.showCallers" | "costline.showCallees" => json!([item, { "message": false }]),
            "costline.setView" => json!([{}]),
            "costline.setPathMapping" => json!([{ "from": "/app", "to": "." }]),
            "costline.pushTransform" => json!(["focus-function:hash"]),
            _ => json!([]),
        };
        assert!(!server.execute(&command, arguments).is_null(), "{command}");
    }
    assert_eq!(announced.as_array().unwrap().len(), 24);
}

#[test]
fn profiles_lists_all_profiles() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let answer = server.profiles();
    let path = json!(workspace.path("cpu.folded"));
    let active = &answer["active"];
    assert_eq!(
        (&active["path"], &active["format"], &active["version"]),
        (&path, &json!("folded"), &json!("py-spy"))
    );
    assert_eq!(
        (&active["metric"], &active["unit"], &active["total"]),
        (&json!("samples"), &json!("samples"), &json!(6))
    );
    assert_eq!((&active["deleted"], &active["picked"]), (&json!(false), &json!(false)));
    let bytes = std::fs::metadata(workspace.path("cpu.folded")).unwrap().len();
    let [profile] = answer["profiles"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(
        (&profile["path"], &profile["bytes"], &profile["active"], &profile["problem"]),
        (&path, &json!(bytes), &json!(true), &Value::Null)
    );
    assert_eq!(profile["modified"], active["modified"]);
}

#[test]
fn export_writes_what_is_shown_and_overwrites_only_on_request() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let path = workspace.path("out/cut.txt");
    std::fs::create_dir(workspace.path("out")).unwrap();
    let arguments = json!([{ "format": "folded", "path": "out/cut.txt", "maxDepth": 0 }]);
    let answer = server.execute("costline.export", arguments.clone());
    assert_eq!(
        answer,
        json!({ "path": path, "bytes": std::fs::metadata(&path).unwrap().len(), "lost": [] })
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "main (app.py:10) 2\nmain (app.py:12) 3\nmain (app.py:13) 1\n");

    let again = server.try_request(
        "workspace/executeCommand",
        json!({ "command": "costline.export", "arguments": arguments }),
    );
    let error = again.unwrap_err();
    assert_eq!(
        error.message,
        format!("{}: the file exists; use \"overwrite\": true to replace it", path.display())
    );
    let whole = json!([{ "format": "folded", "path": path, "overwrite": true }]);
    server.execute("costline.export", whole);
    assert!(
        std::fs::read_to_string(&path).unwrap().contains("main (app.py:10);parse (app.py:22);")
    );
}

#[test]
fn hotspots_are_functions_or_lines_hottest_first() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let row = |row: &Value| {
        format!("{} {}/{}", row["name"].as_str().unwrap_or_default(), row["self"], row["total"])
    };
    let functions = server.execute("costline.hotspots", json!([]));
    let rows: Vec<_> = functions["functions"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(rows, ["hash 3/3", "main 1/6", "eval 1/3", "parse 1/3"]);
    assert_eq!((&functions["total"], &functions["metric"]), (&json!(6), &json!("samples")));
    let main = &functions["functions"][1];
    assert_eq!(
        (&main["uri"], &main["line0"], &main["text"], &main["label"]),
        (
            &json!(uri),
            &json!(8 + BELOW),
            &json!("self 16.7% (1 sample) · total 100.0% (6 samples)"),
            &json!("self 16.7%")
        )
    );
    let by_total = server.execute("costline.hotspots", json!([{ "sort": "total", "limit": 1 }]));
    assert_eq!(by_total["functions"][0]["label"], "100.0%");

    // hash is all of lib.py; a sample in main and eval counts once for app.py.
    let files = server.execute("costline.hotspots", json!([{ "by": "file" }]));
    let files: Vec<_> = files["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!("{} {}/{} {}", text(&row["file"]), row["self"], row["total"], row["own"])
        })
        .collect();
    assert_eq!(files, ["app.py 3/6 true", "lib.py 3/3 true"]);

    let lines = json!([{ "by": "line", "sort": "total", "limit": 3 }]);
    let lines = server.execute("costline.hotspots", lines);
    let rows: Vec<_> = lines["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            format!(
                "{}:{} {}/{} {}",
                text(&line["file"]),
                line["line"],
                line["self"],
                line["total"],
                text(&line["label"])
            )
        })
        .collect();
    assert_eq!(rows, ["app.py:12 0/3 50.0%", "lib.py:5 2/2 33.3%", "app.py:10 0/2 33.3%"]);
    assert_eq!(
        server.execute("costline.hotspots", json!([{ "limit": 1 }]))["functions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn paths_lists_the_mapping_of_each_file() {
    let workspace = Workspace::with([
        (
            "cpu.folded",
            "a (app.py:1) 5\nb (/srv/x/lib.py:1) 3\nc (/usr/lib/python3/os.py:9) 2\nd (dup.py:1) 1\n",
        ),
        ("app.py", "a\n"),
        ("a/dup.py", "d\n"),
        ("b/dup.py", "d\n"),
    ]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let paths = server.execute("costline.paths", json!([]));
    let rows: Vec<_> = paths["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (text(&file["name"]), text(&file["how"]), file["self"].clone()))
        .collect();
    let row = |name: &str, how: &str, weight: u64| (name.to_owned(), how.to_owned(), json!(weight));
    assert_eq!(
        rows,
        [
            row("app.py", "suffix", 5),
            row("/srv/x/lib.py", "unmapped", 3),
            row("/usr/lib/python3/os.py", "unmapped", 2),
            row("dup.py", "ambiguous", 1)
        ]
    );
    assert_eq!((&paths["mapped"], &paths["roots"]), (&json!(1), &json!([workspace.root()])));
    assert_eq!(paths["files"][0]["path"], json!(workspace.path("app.py")));
    assert!(text(&paths["files"][2]["reason"]).contains("library"), "{paths}");
    assert_eq!(
        paths["files"][3]["candidates"],
        json!([workspace.path("a/dup.py"), workspace.path("b/dup.py")])
    );
}

#[test]
fn explain_has_a_code_for_each_reason() {
    let workspace = Workspace::with([
        (
            "cpu.folded",
            "main (app.py:10);f (app.py:12) 999\nmain (app.py:10);g (app.py:13) 1\nh (/usr/lib/python3/os.py:1) 1\nd (dup.py:1) 1\ni (/opt/venv/bare.py) 1\n",
        ),
        ("app.py", app_py().as_str()),
        ("os.py", "import\n"),
        ("other.py", "other()\n"),
        ("a/dup.py", "d\n"),
        ("b/dup.py", "d\n"),
    ]);
    let mut server = Server::start(&workspace);
    let app = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&app);
    let assert_reason = |server: &mut Server, uri: &str, line1: u32, code: &str, part: &str| {
        let why = server.execute("costline.explain", json!([{ "uri": uri, "line": line1 - 1 }]));
        assert_eq!(why["code"], code, "{why}");
        assert!(text(&why["message"]).contains(part), "{part}: {why}");
        why
    };
    let shown = assert_reason(&mut server, &app, 12, "shown", "999 samples");
    assert_eq!((&shown["self"], &shown["total"]), (&json!(999), &json!(999)));
    assert_reason(&mut server, &app, 13, "below-threshold", "hints.minPercent");
    assert_reason(&mut server, &app, 14, "no-cost", "app.py:14");
    for (file, code, part) in [
        ("other.py", "file-not-in-profile", "other.py"),
        ("os.py", "file-not-matched", "pathMappings"),
        ("a/dup.py", "file-ambiguous", "b/dup.py"),
    ] {
        assert_reason(&mut server, &workspace.uri(file), 1, "not-open", "not opened");
        let uri = server.open_file(&workspace.path(file), "python");
        assert_reason(&mut server, &uri, 1, code, part);
    }
    assert_reason(&mut server, "untitled:Untitled-1", 1, "not-a-file", "disk");
    server.change_by(
        &app,
        json!([{ "range": { "start": { "line": 11, "character": 0 }, "end": { "line": 11, "character": 0 } }, "text": "x" }]),
    );
    assert_reason(&mut server, &app, 12, "stale-line", "changed");
    server.change(&app, &app_py());
    server.configure(json!({ "hints": { "enable": false } }));
    server.eventually("hints are off", |server| server.hints(&app).is_empty().then_some(()));
    assert_reason(&mut server, &app, 12, "hints-off", "hints.enable");
}

#[test]
fn explain_reports_missing_lines_and_missing_profiles() {
    let workspace = Workspace::with([("app.js", APP_JS)]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    let explain = |server: &mut Server| {
        server.execute("costline.explain", json!([{ "uri": uri, "line": 1 }]))
    };
    let why = explain(&mut server);
    assert_eq!(why["code"], "no-profile");
    assert!(text(&why["message"]).contains("setting `profiles`"), "{why}");

    workspace.write("broken.cpuprofile", &cpuprofile(10)[..1000]);
    server.eventually("the reason", |server| {
        text(&explain(server)["message"]).contains("broken.cpuprofile").then_some(())
    });

    let mut whole: Value = serde_json::from_slice(&cpuprofile(10)).unwrap();
    whole["nodes"][1].as_object_mut().unwrap().remove("positionTicks");
    workspace.rename_over("broken.cpuprofile", whole.to_string());
    server.eventually("lenses", |server| (server.lenses(&uri).len() == 1).then_some(()));
    let why = explain(&mut server);
    assert_eq!(why["code"], "no-lines", "{why}");
}

#[test]
fn files_of_one_run_are_one_entry() {
    let workspace = Workspace::with([("app.js", APP_JS), ("other.folded", "main 3\n")]);
    for (name, samples) in [
        ("CPU.20261121.101500.71.0.001.cpuprofile", 10),
        ("CPU.20261121.101500.71.1.002.cpuprofile", 20),
    ] {
        workspace.write(name, cpuprofile(samples));
    }
    let mut server = Server::start(&workspace);
    let profiles = server.eventually("both entries", |server| {
        let answer = server.execute("costline.profiles", json!([]));
        (!answer["active"].is_null())
            .then(|| answer["profiles"].as_array().cloned().unwrap_or_default())
    });
    let mut files: Vec<_> =
        profiles.iter().map(|entry| entry["files"].as_array().map_or(0, Vec::len)).collect();
    files.sort_unstable();
    assert_eq!(files, [1, 2], "{profiles:?}");
    assert_eq!(profiles.iter().filter(|entry| entry["active"] == true).count(), 1, "{profiles:?}");
}

#[test]
fn explain_reports_a_profile_of_addresses() {
    let workspace = Workspace::with([("app.js", APP_JS), ("a.folded", "0x1f0;0x2e4 7\n0x1f0 3\n")]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("app.js"), "javascript");
    let why = server.eventually("the profile", |server| {
        let why = server.execute("costline.explain", json!([{ "uri": uri, "line": 0 }]));
        (why["code"] != "no-profile").then_some(why)
    });
    assert_eq!(why["code"], "unsymbolicated", "{why}");
}

#[test]
fn explain_names_a_program_without_debug_info() {
    let libc = "\t           9a210 memcmp+0x20 (/usr/lib/libc.so.6)\n  string/memcmp.c:10\n";
    let sample = |leaf: &str| {
        format!(
            "words 77 10.500000:     250000 cpu-clock: \n{leaf}\t            1400 words::main+0x40 (/srv/words)\n\n"
        )
    };
    let recorded = sample("") + &sample(libc);
    let workspace =
        Workspace::with([("main.rs", "fn main() {\n}\n"), ("perf.txt", recorded.as_str())]);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path("main.rs"), "rust");
    let why = server.eventually("the profile", |server| {
        let why = server.execute("costline.explain", json!([{ "uri": uri, "line": 0 }]));
        (why["code"] != "no-profile").then_some(why)
    });
    assert_eq!(why["code"], "no-debug-info", "{why}");
    let message = text(&why["message"]);
    assert!(message.starts_with("`words` was built without debug info"), "{message}");
    // The server also warns about it once.
    let messages = server.messages();
    assert!(messages.len() == 1 && messages[0].ends_with(message.as_str()), "{messages:?}");
}

#[test]
fn shows_callers_as_a_message_in_editors_without_a_view_for_them() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace)
        .hold("window/showMessageRequest")
        .hold("window/showDocument")
        .start();
    let app = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&app);

    let item = server.root_item("hash");
    let answer = server.execute("costline.showCallers", json!([item]));
    let buttons: Vec<_> = answer["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (text(&entry["text"]), entry["total"].clone()))
        .collect();
    assert_eq!(
        buttons,
        [
            ("33.3% (2 samples) parse".to_owned(), json!(2)),
            ("16.7% (1 sample) eval".to_owned(), json!(1))
        ]
    );
    assert_eq!(
        (&answer["direction"], &answer["self"], &answer["total"]),
        (&json!("incoming"), &json!(0), &json!(3))
    );
    let (id, question) = server.wait_server_request("window/showMessageRequest");
    assert_eq!(question["message"], "Costline: callers of hash");
    assert_eq!(
        question["actions"],
        json!([{ "title": "33.3% (2 samples) parse" }, { "title": "16.7% (1 sample) eval" }])
    );
    // The user selects one, and the editor opens its file.
    server.reply(id, question["actions"][0].clone());
    let (id, document) = server.wait_server_request("window/showDocument");
    assert_eq!(
        (&document["uri"], &document["selection"]["start"]["line"]),
        (&json!(app), &json!(20 + BELOW))
    );
    server.reply(id, json!({ "success": true }));

    // Or closes the message.
    let item = server.root_item("main");
    assert_eq!(server.execute("costline.showCallees", json!([item]))["entries"][0]["name"], "eval");
    let (id, _) = server.wait_server_request("window/showMessageRequest");
    server.reply(id, Value::Null);
    server.execute("costline.showCallees", json!([item, { "message": false }]));
}

/// There is nothing to choose from.
#[test]
fn a_message_without_callers_has_no_buttons() {
    let workspace = Workspace::with([("cpu.folded", "f (lib.py:1) 9\n"), ("lib.py", "f\n")]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let item = server.root_item("f");
    server.execute("costline.showCallers", json!([item]));
    let shown = server.wait_notification("window/showMessage", |_| true);
    assert_eq!(shown["message"], "Costline: no callers of f");
    assert_eq!(server.sent("window/showMessageRequest"), [Value::Null; 0]);
}

#[test]
fn null_arguments_are_no_arguments() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).without_checks().start();
    server.wait_profile();
    server.send_json(json!({
        "id": 4711,
        "method": "workspace/executeCommand",
        "params": { "command": "costline.profiles", "arguments": null },
    }));
    let profiles = server.wait_response(&4711.into()).unwrap();
    assert_eq!(profiles["active"]["name"], "cpu.folded");
}

#[test]
fn selects_a_profile_by_its_uri() {
    let workspace = six_samples();
    workspace.write("other runs/b 1.folded", "main (app.py:13) 60\n");
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let uri = workspace.uri("other runs/b 1.folded");
    assert!(uri.ends_with("/other%20runs/b%201.folded"), "{uri}");
    let profiles = server.execute("costline.selectProfile", json!([uri]));
    assert_eq!(profiles["active"]["name"], "b 1.folded");
}

#[test]
fn shows_at_most_five_callers_as_buttons() {
    let profile: String =
        (1..=9).map(|n| format!("caller_{n} (app.py:{n});f (lib.py:1) {n}\n")).collect();
    let workspace = Workspace::with([
        ("cpu.folded", profile.as_str()),
        ("app.py", app_py().as_str()),
        ("lib.py", "f\n"),
    ]);
    let mut server = Server::builder(&workspace).hold("window/showMessageRequest").start();
    server.wait_profile();
    let item = server.root_item("f");
    assert_eq!(
        server.execute("costline.showCallers", json!([item]))["entries"].as_array().unwrap().len(),
        9
    );
    let (id, question) = server.wait_server_request("window/showMessageRequest");
    let titles: Vec<_> = question["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| text(&action["title"]))
        .collect();
    assert_eq!(titles.len(), 5);
    assert!(titles[0].ends_with("caller_9"), "{titles:?}");
    server.reply(id, Value::Null);
}

#[test]
fn clients_that_cannot_open_documents_get_text() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace)
        .capability("/window/showDocument", json!({ "support": false }))
        .start();
    server.wait_profile();
    let item = server.root_item("hash");
    server.execute("costline.showCallers", json!([item]));
    server.wait_notification("window/showMessage", |message| {
        text(&message["message"]).contains("33.3% (2 samples) parse · 16.7% (1 sample) eval")
    });
}

#[test]
fn ignores_items_of_other_servers() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let mut item = server.root_item("hash");
    item["data"] = json!({ "of": "another server" });
    for command in ["costline.showCallers", "costline.showCallees"] {
        assert_eq!(
            server.execute(command, json!([item, { "message": false }]))["entries"],
            json!([])
        );
    }
}

#[test]
fn invalid_arguments_are_errors_with_advice() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    for (command, arguments, parts) in [
        ("costline.unknown", json!([]), vec!["costline.unknown", "costline.hotspots"]),
        ("costline.explain", json!([]), vec!["costline.explain", "an object"]),
        (
            "costline.explain",
            json!([{ "uri": uri, "line": -1 }]),
            vec!["costline.explain", "`line`", "a whole number from 0", "-1"],
        ),
        (
            "costline.hotspots",
            json!([{ "by": "directory" }]),
            vec!["`by`", "`directory`", "`function`, `line`, `edge`, `file`"],
        ),
        ("costline.hotspots", json!([7]), vec!["costline.hotspots", "an object", "7"]),
        ("costline.showCallers", json!([]), vec!["costline.showCallers", "an object"]),
        (
            "costline.selectProfile",
            json!([7]),
            vec!["costline.selectProfile", "a string or an object", "7"],
        ),
        (
            "costline.selectProfile",
            json!(["gone.cpuprofile"]),
            vec!["gone.cpuprofile", "No such file"],
        ),
        ("costline.selectProfile", json!(["app.py"]), vec!["app.py"]),
        (
            "costline.selectProfile",
            json!([{ "path": "." }]),
            vec![workspace.root().to_str().unwrap()],
        ),
    ] {
        let error = server.execute_error(command, arguments.clone());
        for part in parts {
            assert!(error.contains(part), "{command} {arguments}: {error}");
        }
    }
    // Failed commands have no effect.
    assert_eq!(server.line_costs(&uri).len(), 9);
    assert_eq!(server.shown().unwrap(), workspace.path("cpu.folded").to_string_lossy());
    assert_eq!(server.revision(), 1);
}

#[test]
fn selects_a_profile_by_any_form_of_its_path() {
    let workspace = six_samples();
    workspace.write("old.folded", "main (app.py:10) 7\n");
    let (mut server, _) = six(&workspace);
    for argument in [
        json!("cpu.folded"),
        json!({ "path": "old.folded" }),
        json!(workspace.path("cpu.folded")),
        json!({ "path": workspace.path("old.folded") }),
    ] {
        let answer = server.execute("costline.selectProfile", json!([argument]));
        let name = text(argument.get("path").unwrap_or(&argument));
        assert!(text(&answer["active"]["path"]).ends_with(&name), "{answer}");
        assert_eq!(answer["active"]["picked"], true);
    }
    for argument in [json!([]), json!([null]), json!([{ "path": null }])] {
        assert_eq!(server.execute("costline.selectProfile", argument)["active"]["picked"], false);
    }
}
