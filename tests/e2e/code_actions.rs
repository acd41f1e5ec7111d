//! Code actions: what they offer, and what they change.

use serde_json::{Value, json};

use crate::support::requests::{costs, text};
use crate::support::{Server, Workspace};

/// Two services with the same file, and a profile of one of them that does not say of which.
fn services() -> Workspace {
    let workspace = Workspace::with([
        ("services/api/app/words.py", "def words():\n    return 1\n"),
        ("services/worker/app/words.py", "def words():\n    return 1\n"),
        ("services/api/app/main.py", "def main():\n    pass\n"),
    ]);
    workspace.write("cpu.folded", "words (/app/app/words.py:2) 10\n");
    workspace
}

fn titles(actions: &[Value]) -> Vec<String> {
    actions.iter().map(|action| text(&action["title"])).collect()
}

/// Executes the command of a code action, as a client does.
fn choose(server: &mut Server, action: &Value) -> Value {
    let command = &action["command"];
    server.execute(&text(&command["command"]), command["arguments"].clone())
}

#[test]
fn a_document_that_may_be_a_recorded_file_has_an_action_for_each_candidate() {
    let workspace = services();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let open = |server: &mut Server, path: &str| server.open_file(&workspace.path(path), "python");
    let api = open(&mut server, "services/api/app/words.py");
    let worker = open(&mut server, "services/worker/app/words.py");
    let other = open(&mut server, "services/api/app/main.py");

    let provider = server.initialize_result()["capabilities"]["codeActionProvider"].clone();
    assert_eq!(provider["codeActionKinds"], json!(["source.costline", "source.costline.map"]));
    let actions = server.code_actions(&worker, None);
    // The mapping that gives the document its costs comes first.
    assert_eq!(titles(&actions), ["Map /app to services/worker", "Map /app to services/api"]);
    assert_eq!(actions[0]["kind"], "source.costline.map");
    let of_api = server.code_actions(&api, None);
    assert_eq!(titles(&of_api), ["Map /app to services/api", "Map /app to services/worker"]);
    assert_eq!(server.code_actions(&other, None), [] as [Value; 0]);

    for (kind, n_actions) in [("source", 2), ("source.costline.map", 2), ("quickfix", 0)] {
        assert_eq!(server.code_actions(&worker, Some(&[kind])).len(), n_actions, "{kind}");
    }

    assert!(server.hints(&worker).is_empty());
    choose(&mut server, &actions[0]);
    server.wait_costs(&worker, &costs([(2, 10, 10)]));
    assert!(server.hints(&api).is_empty());
    let message = server.wait_notification("window/showMessage", |_| true);
    assert_eq!(
        message["message"],
        "Costline: /app is mapped to services/worker: 1 of 1 files in the profile are found. To \
         keep this, add { \"from\": \"/app\", \"to\": \"services/worker\" } to the setting \
         `costline.pathMappings`."
    );
    // The file is known now.
    assert_eq!(server.code_actions(&worker, Some(&["source.costline.map"])), [] as [Value; 0]);
    assert_eq!(server.code_actions(&api, None), [] as [Value; 0]);

    // Another choice replaces the first.
    choose(&mut server, &of_api[0]);
    server.wait_costs(&api, &costs([(2, 10, 10)]));
    assert!(server.hints(&worker).is_empty());
}

#[test]
fn a_path_mapping_is_kept_until_the_setting_changes() {
    let workspace = services();
    let settings = json!({ "pathMappings": [{ "from": "/lib", "to": "." }] });
    let mut server = Server::builder(&workspace).settings(settings).start();
    server.wait_profile();
    let api = server.open_file(&workspace.path("services/api/app/words.py"), "python");
    let mapping = json!({ "from": "/app", "to": "${workspaceFolder}/services/api" });
    let view = server.execute("costline.setPathMapping", json!([mapping]));
    assert_eq!(server.line_costs(&api), costs([(2, 10, 10)]));
    assert_eq!(server.view()["state"], view["state"]);

    // It survives a rewrite of the profile and a restart.
    workspace.write("cpu.folded", "words (/app/app/words.py:2) 20\n");
    server.wait_costs(&api, &costs([(2, 20, 20)]));
    let options = json!({ "state": view["state"] });
    server.finish();
    let mut server = Server::builder(&workspace).options(options).start();
    let api = server.open_file(&workspace.path("services/api/app/words.py"), "python");
    server.wait_costs(&api, &costs([(2, 20, 20)]));

    // Resetting the view and changing the setting end it.
    let actions = server.view()["actions"].as_array().cloned().unwrap();
    let reset = actions.iter().find(|action| action["title"] == "Reset to the settings").unwrap();
    server.execute("costline.setView", reset["arguments"].clone());
    assert!(server.hints(&api).is_empty());
    server.execute("costline.setPathMapping", json!([mapping]));
    let settings = json!({ "pathMappings": [{ "from": "/app", "to": "services/worker" }] });
    server.set_settings(settings.clone());
    server.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    let worker = server.open_file(&workspace.path("services/worker/app/words.py"), "python");
    server.wait_costs(&worker, &costs([(2, 20, 20)]));
    assert!(server.hints(&api).is_empty());
}

#[test]
fn clients_without_code_action_literals_get_commands() {
    let workspace = services();
    let mut server =
        Server::builder(&workspace).capability("/textDocument/codeAction", json!({})).start();
    server.wait_profile();
    let api = server.open_file(&workspace.path("services/api/app/words.py"), "python");
    assert_eq!(
        server.code_actions(&api, None)[0],
        json!({
            "title": "Map /app to services/api",
            "command": "costline.setPathMapping",
            "arguments": [{ "from": "/app", "to": "services/api" }],
        })
    );
}

#[test]
fn wrong_path_mappings_are_errors() {
    let workspace = services();
    let mut server = Server::start(&workspace);
    server.wait_profile();
    for (argument, expected) in [
        (json!({ "from": "", "to": "x" }), "`from` is empty"),
        (json!({ "from": "/app" }), "the key `to` is missing"),
        (json!({ "from": "/app", "to": "x", "too": 1 }), "unknown key `too`"),
    ] {
        let error = server.execute_error("costline.setPathMapping", json!([argument]));
        assert!(error.contains(expected), "{error}");
    }
}

/// What needs arguments is a code action, so that editors without a plug-in can offer it.
#[test]
fn a_line_with_costs_has_actions_for_its_function_and_the_view() {
    let source =
        "def main():\n    work()\n\n\ndef work():\n    spin()\n\n\ndef other():\n    pass\n";
    let workspace = Workspace::with([
        ("app.py", source),
        ("cpu.folded", "main (app.py:2);work (app.py:6) 9\nmain (app.py:2) 1\n"),
        ("plain.py", "pass\n"),
    ]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let uri = server.open_file(&workspace.path("app.py"), "python");
    let plain = server.open_file(&workspace.path("plain.py"), "python");
    let in_work = server.code_actions_at(&uri, 5, 4, None);
    assert_eq!(
        titles(&in_work),
        [
            "Costline: callers of work",
            "Costline: callees of work",
            "Costline: focus on work",
            "Costline: merge work into its callers",
            "Costline: compare with the profile shown now",
        ]
    );
    assert!(in_work.iter().all(|action| action["kind"] == "source.costline"), "{in_work:?}");
    assert_eq!(server.code_actions_at(&plain, 0, 0, None), [] as [Value; 0]);
    assert_eq!(server.code_actions_at(&uri, 5, 4, Some(&["quickfix"])), [] as [Value; 0]);
    let callers = choose(&mut server, &in_work[0]);
    assert_eq!(callers["entries"][0]["item"]["data"]["name"], "main");
    assert_eq!(choose(&mut server, &in_work[2])["total"], 9);
    choose(&mut server, &in_work[4]);
    let actions = server.code_actions_at(&uri, 5, 4, None);
    let titles = titles(&actions);
    assert_eq!(
        titles[4..],
        ["Costline: remove focus-function:work", "Costline: stop comparing with cpu.folded"]
    );
    assert_eq!(choose(&mut server, &actions[4])["total"], 10);
}
