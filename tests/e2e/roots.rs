//! Each workspace folder shows its own profile.

use serde_json::{Value, json};
use std::time::Duration;

use crate::support::requests::{LineCosts, costs, text};
use crate::support::{Server, Workspace, set_age};

const CODE: &str = "def f():\n    work()\n";

/// A folder for each name, with `src/main.py` and a profile with this number of samples in its
/// line 2. Both sources have the same path in their folder.
fn folders(names: &[(&str, u64)]) -> Workspace {
    let workspace = Workspace::new();
    for (name, samples) in names {
        workspace.write(&format!("{name}/src/main.py"), CODE);
        let profile = format!("f{samples} (src/main.py:2) {samples}\n");
        workspace.write(&format!("{name}/cpu.folded"), profile);
    }
    workspace
}

fn folder(workspace: &Workspace, name: &str) -> Value {
    json!({ "uri": format!("{}/{name}", workspace.root_uri()), "name": name })
}

fn start(workspace: &Workspace, names: &[&str]) -> Server {
    let folders: Value = names.iter().map(|name| folder(workspace, name)).collect();
    Server::builder(workspace).param("workspaceFolders", folders).start()
}

fn open(server: &mut Server, workspace: &Workspace, name: &str) -> String {
    server.open_file(&workspace.path(&format!("{name}/src/main.py")), "python")
}

fn line_2(samples: u64) -> LineCosts {
    costs([(2, samples, samples)])
}

fn front(server: &mut Server, uri: &str) {
    server.notify("costline/activeDocument", json!({ "uri": uri }));
}

/// The path of the profile shown, below the workspace.
fn shown(server: &mut Server, workspace: &Workspace) -> String {
    let path = server.shown().unwrap_or_default();
    path.strip_prefix(&format!("{}/", workspace.root().display())).unwrap_or_default().to_owned()
}

#[test]
fn each_root_has_its_own_profile() {
    let workspace = folders(&[("service", 10), ("client", 20)]);
    let mut server = start(&workspace, &["service", "client"]);
    let [service, client] = ["service", "client"].map(|name| open(&mut server, &workspace, name));
    server.wait_costs(&service, &line_2(10));
    server.wait_costs(&client, &line_2(20));
    // A newer profile of one root changes nothing in the other.
    workspace.write("service/new.folded", "f30 (src/main.py:2) 30\n");
    server.wait_costs(&service, &line_2(30));
    assert_eq!(server.line_costs(&client), line_2(20));
}

#[test]
fn a_root_does_not_show_the_profiles_of_a_root_in_it() {
    let workspace = folders(&[("all", 10), ("all/part", 20)]);
    set_age(&workspace.path("all/cpu.folded"), Duration::from_secs(3600));
    let mut server = start(&workspace, &["all", "all/part"]);
    let [all, part] = ["all", "all/part"].map(|name| open(&mut server, &workspace, name));
    server.wait_costs(&all, &line_2(10));
    server.wait_costs(&part, &line_2(20));
    workspace.write("all/part/new.folded", "f30 (src/main.py:2) 30\n");
    server.wait_costs(&part, &line_2(30));
    assert_eq!(server.line_costs(&all), line_2(10));
}

#[test]
fn a_root_that_is_added_later_has_its_own_profile() {
    let workspace = folders(&[("service", 10), ("client", 20)]);
    let mut server = start(&workspace, &["service"]);
    let [service, client] = ["service", "client"].map(|name| open(&mut server, &workspace, name));
    server.wait_costs(&service, &line_2(10));
    let client_folder = json!([folder(&workspace, "client")]);
    let changed =
        |added: Value, removed: Value| json!({ "event": { "added": added, "removed": removed } });
    server.notify("workspace/didChangeWorkspaceFolders", changed(client_folder.clone(), json!([])));
    server.wait_costs(&client, &line_2(20));
    assert_eq!(server.line_costs(&service), line_2(10));

    server.notify("workspace/didChangeWorkspaceFolders", changed(json!([]), client_folder));
    server.eventually("no costs", |server| server.hints(&client).is_empty().then_some(()));
    assert_eq!(server.line_costs(&service), line_2(10));
}

#[test]
fn a_removed_root_takes_its_profile_with_it() {
    // The client's profile is the newer one.
    let workspace = folders(&[("service", 10), ("client", 20)]);
    set_age(&workspace.path("service/cpu.folded"), Duration::from_secs(3600));
    for at_once in [true, false] {
        let mut server = start(&workspace, &["client"]);
        let [service, client] =
            ["service", "client"].map(|name| open(&mut server, &workspace, name));
        server.wait_costs(&client, &line_2(20));
        let [added, removed] = ["service", "client"].map(|name| json!([folder(&workspace, name)]));
        let events = if at_once {
            vec![json!({ "added": added, "removed": removed })]
        } else {
            let nothing = json!([]);
            vec![
                json!({ "added": nothing, "removed": removed }),
                json!({ "added": added, "removed": nothing }),
            ]
        };
        for event in events {
            server.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
        }
        server.wait_costs(&service, &line_2(10));
        assert_eq!(shown(&mut server, &workspace), "service/cpu.folded");
    }
}

#[test]
fn an_item_of_a_removed_root_has_no_calls() {
    let workspace = folders(&[("service", 10), ("client", 20)]);
    for (name, samples) in [("service", 10), ("client", 20)] {
        let profile = format!("main (src/main.py:1);f (src/main.py:2) {samples}\n");
        workspace.write(&format!("{name}/cpu.folded"), profile);
    }
    let mut server = start(&workspace, &["service", "client"]);
    let client = open(&mut server, &workspace, "client");
    let item = server.eventually("an item", |server| server.prepare(&client, 1, 4).pop());
    assert_eq!(server.incoming(&item).len(), 1);
    let event = json!({ "added": [], "removed": [folder(&workspace, "client")] });
    server.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    server.eventually("no costs", |server| server.hints(&client).is_empty().then_some(()));
    assert!(server.incoming(&item).is_empty());
}

#[test]
fn a_root_without_profiles_uses_the_newest_that_maps_its_files() {
    let workspace = folders(&[("service", 10)]);
    workspace.write("shared/util.py", CODE);
    workspace.write("service/cpu.folded", "f (src/main.py:2);g (shared/util.py:2) 10\n");
    workspace.write("other/cpu.folded", "h (elsewhere.py:1) 5\n");
    let mut server = start(&workspace, &["other", "shared", "service"]);
    let shared = server.open_file(&workspace.path("shared/util.py"), "python");
    server.wait_costs(&shared, &line_2(10));
    assert_eq!(shown(&mut server, &workspace), "service/cpu.folded");
}

#[test]
fn lists_and_status_follow_the_document_in_front() {
    let workspace = folders(&[("service", 10), ("client", 20)]);
    let mut server = start(&workspace, &["service", "client"]);
    let [service, client] = ["service", "client"].map(|name| open(&mut server, &workspace, name));
    server.wait_costs(&service, &line_2(10));
    server.wait_costs(&client, &line_2(20));
    // The document that was opened last.
    assert_eq!(shown(&mut server, &workspace), "client/cpu.folded");
    let hottest = |server: &mut Server| {
        let spots = server.execute("costline.hotspots", json!([]));
        spots["functions"][0]["name"].as_str().unwrap_or_default().to_owned()
    };
    for (uri, name, function) in [(&service, "service", "f10"), (&client, "client", "f20")] {
        front(&mut server, uri);
        assert_eq!(shown(&mut server, &workspace), format!("{name}/cpu.folded"));
        assert_eq!(hottest(&mut server), function);
        let root = json!(workspace.path(name));
        let (view, profiles) = (server.view(), server.profiles());
        assert_eq!((&view["root"], &profiles["root"]), (&root, &root));
        assert_eq!(profiles["profiles"].as_array().map(Vec::len), Some(1), "{profiles}");
        server.eventually("the notification", |server| {
            (server.sent("costline/changed").pop()?["root"] == root).then_some(())
        });
    }
    // A client that announces the document in front decides alone.
    server.change(&service, CODE);
    assert_eq!(hottest(&mut server), "f20");
}

#[test]
fn profile_and_view_are_chosen_per_root() {
    let workspace = folders(&[("service", 10), ("client", 20)]);
    let mut server = start(&workspace, &["service", "client"]);
    let [service, client] = ["service", "client"].map(|name| open(&mut server, &workspace, name));
    server.wait_costs(&service, &line_2(10));
    server.wait_costs(&client, &line_2(20));
    workspace.write("service/old.txt", "f40 (src/main.py:2) 40\n");
    front(&mut server, &service);
    // Relative to the root.
    server.execute("costline.selectProfile", json!(["old.txt"]));
    assert_eq!(server.line_costs(&service), line_2(40));
    assert_eq!(server.line_costs(&client), line_2(20));
    server.set_view(json!({ "unit": "absolute" }));
    assert_eq!(server.labels(&service)[&1], "40 samples");
    assert_eq!(server.labels(&client)[&1], "100.0%");
    // Both roots may show one profile.
    front(&mut server, &client);
    let path = workspace.path("service/old.txt");
    server.execute("costline.selectProfile", json!([path]));
    assert_eq!(server.line_costs(&service), line_2(40));
    assert_eq!(shown(&mut server, &workspace), "service/old.txt");
}

#[test]
fn the_choices_of_all_roots_are_restored() {
    let workspace = folders(&[("service", 10), ("client", 20)]);
    let mut server = start(&workspace, &["service", "client"]);
    let [service, client] = ["service", "client"].map(|name| open(&mut server, &workspace, name));
    server.wait_costs(&service, &line_2(10));
    server.wait_costs(&client, &line_2(20));
    front(&mut server, &service);
    server.set_view(json!({ "unit": "absolute" }));
    front(&mut server, &client);
    let state = server.set_view(json!({ "unit": "both" }))["state"].clone();
    server.finish();

    // Without the folder of the first choice, too.
    for names in [&["service", "client"][..], &["client"]] {
        let folders: Value = names.iter().map(|name| folder(&workspace, name)).collect();
        let mut server = Server::builder(&workspace)
            .param("workspaceFolders", folders)
            .options(json!({ "state": state }))
            .start();
        for (name, label) in [("service", "10 samples"), ("client", "100.0% (20 samples)")] {
            if names.contains(&name) {
                let uri = open(&mut server, &workspace, name);
                assert_eq!(server.wait_labels(&uri)[&1], label);
            }
        }
    }
}

#[test]
fn an_item_stays_with_the_profile_of_its_root() {
    let workspace = folders(&[("service", 10), ("client", 20)]);
    for name in ["service", "client"] {
        let profile = format!("main (src/main.py:1);f (src/main.py:2);{name} 10\n");
        workspace.write(&format!("{name}/cpu.folded"), profile);
    }
    let mut server = start(&workspace, &["service", "client"]);
    let [service, client] = ["service", "client"].map(|name| open(&mut server, &workspace, name));
    for uri in [&service, &client] {
        server.wait_costs(uri, &costs([(1, 0, 10), (2, 0, 10)]));
    }
    front(&mut server, &client);
    for (uri, name) in [(&service, "service"), (&client, "client")] {
        let item = server.prepare(uri, 0, 4).remove(0);
        let callees = server.outgoing(&item);
        assert_eq!(callees[0]["to"]["data"]["name"], name, "{callees:?}");
        let step = server.execute("costline.showCallees", json!([item, { "message": false }]));
        assert_eq!(step["entries"][0]["name"], name, "{step}");
        // The document of a function without a source, too.
        let document = json!({ "uri": callees[0]["to"]["uri"] });
        let content = server.request("costline/textDocumentContent", document);
        let content = text(&content["text"]);
        assert!(content.contains("\nself 100.0% (10 samples)"), "{name}: {content}");
    }
}
