//! What was chosen in one session is there in the next, if the client keeps it.

use serde_json::{Value, json};

use crate::support::profiles::six_samples;
use crate::support::requests::text;
use crate::support::{Server, Workspace, six};

/// The values of all choices, by key.
fn chosen(view: &Value) -> Value {
    let choices = view["choices"].as_array().unwrap().iter();
    choices.map(|choice| (text(&choice["key"]), choice["value"].clone())).collect()
}

/// A server that gets a state back, once it shows something.
fn restarted(workspace: &Workspace, options: Value) -> Server {
    let mut server = Server::builder(workspace).options(options).start();
    server.wait_profile();
    server
}

#[test]
fn all_that_was_chosen_is_restored() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    workspace.write("old.folded", "main (app.py:10);hash (lib.py:5) 3\n");
    assert_eq!(server.view()["state"], Value::Null, "nothing is chosen");
    server.set_view(json!({ "unit": "both", "show": "self", "threads": [], "metric": "samples" }));
    server.set_view(json!({ "profile": "cpu.folded", "baseline": "old.folded" }));
    server.execute("costline.pushTransform", json!(["drop-function:eval"]));
    let focus = json!({ "type": "merge-node", "path": ["main", "parse"] });
    let view = server.execute("costline.pushTransform", json!([focus]));
    let state = view["state"].clone();
    assert!(state.is_string(), "{view}");
    server.eventually("the same in the notification", |server| {
        (server.sent("costline/changed").pop()?["state"] == state).then_some(())
    });
    server.finish();

    // The state wins over settings.
    let options = json!({ "state": state, "unit": "absolute", "hints": { "show": "total" } });
    let mut server = restarted(&workspace, options);
    let again = server.eventually("the state", |server| {
        let again = server.view();
        (!again["baseline"].is_null() && again["total"] == view["total"]).then_some(again)
    });
    assert_eq!(chosen(&again), chosen(&view));
    assert_eq!(
        (&again["transforms"], &again["state"], &again["profile"]["picked"]),
        (&view["transforms"], &state, &json!(true))
    );
    assert_eq!(again["baseline"]["name"], "old.folded");
    assert_eq!(server.warnings(), [""; 0]);

    // Going back to the settings leaves nothing behind.
    server.execute("costline.clearTransforms", json!([]));
    let nothing =
        json!({ "unit": null, "show": null, "threads": null, "metric": null, "profile": null });
    let view = server.set_view(nothing);
    assert_eq!(
        (&chosen(&view)["unit"], &chosen(&view)["show"]),
        (&json!("absolute"), &json!("total"))
    );
}

#[test]
fn a_baseline_that_was_shown_is_restored_while_its_file_is_as_it_was() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let state = server.set_view(json!({ "baseline": true }))["state"].clone();
    server.finish();

    let mut server = restarted(&workspace, json!({ "state": state }));
    server.eventually("the baseline", |server| {
        (server.view()["baseline"]["name"] == "cpu.folded").then_some(())
    });
    server.finish();

    workspace.rename_over("cpu.folded", "main (app.py:10) 5\n");
    let mut server = restarted(&workspace, json!({ "state": state }));
    let view = server.view();
    assert_eq!((&view["baseline"], &view["state"]), (&Value::Null, &Value::Null));
    let warnings = server.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("rewritten"), "{warnings:?}");
}

#[test]
fn what_is_no_state_is_ignored_with_one_warning() {
    let workspace = six_samples();
    for (state, warned) in [
        (json!("{\"v\":1,\"unit\":\"furlongs\"}"), "`furlongs`"),
        (json!("nonsense"), "`state`"),
        (json!({ "v": 1 }), "`state` is not a string"),
        (json!("{\"v\":99}"), "version 99"),
        (
            json!("{\"v\":1,\"profiles\":[\"/nowhere/gone.folded\"]}"),
            "cannot restore the selected profile: /nowhere/gone.folded",
        ),
    ] {
        let mut server = restarted(&workspace, json!({ "state": state, "unit": "both" }));
        let view = server.view();
        assert_eq!((&chosen(&view)["unit"], &view["state"]), (&json!("both"), &Value::Null));
        let warnings = server.eventually("the warning", |server| {
            let warnings = server.warnings();
            (!warnings.is_empty()).then_some(warnings)
        });
        assert!(warnings.len() == 1 && warnings[0].contains(warned), "{warnings:?}");
    }
    let mut server = restarted(&workspace, json!({ "state": null }));
    assert_eq!((server.view()["state"].clone(), server.warnings()), (Value::Null, vec![]));
}

#[test]
fn the_server_saves_the_view_of_each_folder_and_restores_it() {
    let workspace = six_samples();
    let elsewhere = Workspace::with([("app.py", "f()\n")]);
    let folder = elsewhere.root().join("state");
    let start = |workspace: &Workspace, options: Value| {
        let server = Server::builder(workspace).env("COSTLINE_STATE_DIR", folder.to_str().unwrap());
        let mut server = server.options(options).start();
        server.wait_profile();
        server
    };
    let shown = |view: &Value| (chosen(view)["unit"].clone(), view["marks"].clone());
    let mut server = start(&workspace, json!({}));
    assert_eq!(shown(&server.view()), (json!("percent"), json!([])));
    server.set_view(json!({ "unit": "both" }));
    let view = server.execute("costline.pushTransform", json!(["drop-function:eval"]));
    let state = view["state"].clone();
    assert_eq!(view["total"], 3);
    server.finish();
    let files = std::fs::read_dir(workspace.root()).unwrap().flatten();
    let names: Vec<_> = files.map(|file| file.file_name()).collect();
    assert!(names.iter().all(|name| name != "views" && name != "state"), "{names:?}");

    let mut server = start(&workspace, json!({ "unit": "absolute" }));
    let restored = server.eventually("the saved view", |server| {
        let view = server.view();
        (view["total"] == 3).then_some(view)
    });
    assert_eq!(shown(&restored), (json!("both"), json!(["hide: eval"])));
    assert_eq!(restored["state"], state);
    server.finish();

    // The state of the client takes precedence.
    let given = "{\"v\":1,\"unit\":\"absolute\"}";
    let mut server = start(&workspace, json!({ "state": given }));
    let view = server.view();
    assert_eq!(shown(&view), (json!("absolute"), json!([])));
    assert_eq!(view["total"], 6);
    // It is the saved view now. Without choices, nothing is left.
    server.set_view(json!({ "unit": null }));
    server.finish();
    let mut server = start(&workspace, json!({}));
    assert_eq!((server.view()["state"].clone(), server.warnings()), (Value::Null, vec![]));
    let left = std::fs::read_dir(elsewhere.root().join("state/views")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn the_saved_view_of_a_folder_that_is_added_again_is_restored() {
    let workspace = six_samples();
    let elsewhere = Workspace::with([("app.py", "f()\n")]);
    let folder = elsewhere.root().join("state");
    let mut server =
        Server::builder(&workspace).env("COSTLINE_STATE_DIR", folder.to_str().unwrap()).start();
    server.wait_profile();
    server.set_view(json!({ "unit": "both" }));
    let saved = || std::fs::read_dir(folder.join("views")).map_or(0, Iterator::count);
    server.eventually("the view is saved", |_| (saved() == 1).then_some(()));
    let root = json!([{ "uri": workspace.root_uri(), "name": "app" }]);
    let change = |server: &mut Server, added: &Value, removed: &Value| {
        let event = json!({ "event": { "added": added, "removed": removed } });
        server.notify("workspace/didChangeWorkspaceFolders", event);
    };
    change(&mut server, &json!([]), &root);
    server.eventually("no profile", |server| server.shown().is_none().then_some(()));
    change(&mut server, &root, &json!([]));
    server.eventually("the saved view", |server| {
        (chosen(&server.view())["unit"] == "both").then_some(())
    });
    assert_eq!(saved(), 1);
}

/// Without a workspace folder, the project around the first opened file has a saved view, too.
#[test]
fn the_saved_view_of_a_project_without_a_folder_is_restored() {
    let workspace = six_samples();
    workspace.write("pyproject.toml", "[project]\nname = \"app\"\n");
    let elsewhere = Workspace::with([("app.py", "f()\n")]);
    let folder = elsewhere.root().join("state");
    let start = || {
        let server =
            Server::builder(&workspace).env("COSTLINE_STATE_DIR", folder.to_str().unwrap());
        let server = server.param("rootUri", json!(null)).param("workspaceFolders", json!(null));
        let mut server = server.start();
        server.open_file(&workspace.path("app.py"), "python");
        server.wait_profile();
        server
    };
    let mut server = start();
    assert_eq!(chosen(&server.view())["unit"], "percent");
    server.set_view(json!({ "unit": "both" }));
    server.finish();
    let mut server = start();
    server.eventually("the saved view", |server| {
        (chosen(&server.view())["unit"] == "both").then_some(())
    });
}

/// The views of the setting `views` replace all choices.
#[test]
fn named_views_of_the_settings_are_shown_by_name() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace)
        .options(json!({
            "views": {
                "focus": {
                    "show": "self",
                    "transforms": [{ "type": "focus-function", "function": "parse" }],
                },
                "odd": { "metrics": "x" },
            },
        }))
        .start();
    let problem = "setting `views`: `odd`: unknown key `metrics`";
    server.eventually("the warning", |server| {
        server.messages().iter().any(|message| message.contains(problem)).then_some(())
    });
    let uri = server.open_file(&workspace.path("app.py"), "python");
    server.wait_profile();
    let before = server.labels(&uri);
    assert_eq!(json!([server.view()["view"]]), json!([null]));
    server.set_view(json!({ "unit": "both" }));
    let view = server.set_view(json!({ "view": "focus" }));
    assert_eq!(json!([view["view"], view["marks"]]), json!(["focus", ["focus: parse"]]));
    let focused = server.labels(&uri);
    assert_ne!(focused, before);
    assert!(focused.values().all(|label| label.starts_with("self")), "{focused:?}");
    let choices = view["choices"].as_array().unwrap().iter();
    let choice = choices.clone().find(|choice| choice["key"] == "view").unwrap();
    assert_eq!(
        (&choice["value"], &choice["options"][1]["value"]),
        (&json!("focus"), &json!("focus"))
    );
    let view = server.set_view(json!({ "show": "both" }));
    assert_eq!(json!([view["view"]]), json!([null]), "it was changed");
    server.set_view(json!({ "view": null }));
    assert_eq!(server.labels(&uri), before);
    let error = server.execute_error("costline.setView", json!([{ "view": "focs" }]));
    assert_eq!(error, "the setting `views` has no view `focs`: it has `focus`, `odd`");
}
