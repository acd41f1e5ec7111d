//! Transforms of call nodes and of functions that share their name, with the keys and paths that
//! answers contain.

use serde_json::{Value, json};

use crate::support::{Server, Workspace};

/// `main` calls an anonymous function of each file.
const ANONYMOUS: &str = "\
main (a.js:1);(anonymous) (a.js:9);work (a.js:12) 30
main (a.js:1);(anonymous) (b.js:9) 60
main (a.js:1) 10
";

/// A server that shows a folded profile of these files.
pub(crate) fn showing(profile: &str, files: &[&str]) -> (Workspace, Server, String) {
    let text = "x\n".repeat(30);
    let workspace = Workspace::with(files.iter().map(|&file| (file, text.as_str())));
    workspace.write("cpu.folded", profile);
    let mut server = Server::start(&workspace);
    let uri = server.open_file(&workspace.path(files[0]), "javascript");
    server.wait_profile();
    (workspace, server, uri)
}

/// The children of a call node, by the file of their function.
fn child_in(nodes: &Value, file: &str) -> Value {
    let mut nodes = nodes.as_array().unwrap().iter();
    nodes.find(|node| node["key"]["file"] == file).cloned().unwrap()
}

/// The total after a transform, which is removed again.
fn total_after(server: &mut Server, transform: &Value) -> Value {
    let total = server.execute("costline.pushTransform", json!([transform]))["total"].clone();
    assert_eq!(server.execute("costline.popTransform", json!([]))["total"], 100);
    total
}

#[test]
fn transforms_take_the_paths_and_keys_of_answers() {
    let (_workspace, mut server, _) = showing(ANONYMOUS, &["a.js", "b.js"]);
    let tree = server.execute("costline.callTree", json!([{ "depth": 3 }]));
    let node = child_in(&tree["nodes"][0]["children"], "a.js");
    let path = &node["path"];
    for (kind, total) in
        [("focus-subtree", 30), ("drop-node", 70), ("merge-node", 100), ("merge-subtree", 100)]
    {
        let transform = json!({ "type": kind, "path": path });
        assert_eq!(total_after(&mut server, &transform), total, "{kind}");
    }
    let inverted = json!([{ "inverted": true, "depth": 3 }]);
    let inverted = server.execute("costline.callTree", inverted);
    let leaf = child_in(&inverted["nodes"], "b.js");
    let path = &leaf["children"][0]["path"];
    let transform = json!({ "type": "focus-subtree-inverted", "path": path });
    assert_eq!(total_after(&mut server, &transform), 60);

    // The two anonymous functions are merged separately.
    let merge = json!({ "type": "merge-function", "function": node["key"] });
    let view = server.execute("costline.pushTransform", json!([merge]));
    assert_eq!(view["total"], 100);
    let applied = json!({ "text": "merge-function:a.js::(anonymous)", "transform": merge });
    assert_eq!(view["transforms"], json!([applied]));
    let tree = server.execute("costline.callTree", json!([{ "depth": 3 }]));
    let children = tree["nodes"][0]["children"].as_array().unwrap();
    let children: Vec<_> =
        children.iter().map(|node| (node["name"].clone(), node["total"].clone())).collect();
    assert_eq!(children, [(json!("(anonymous)"), json!(60)), (json!("work"), json!(30))]);
    server.execute("costline.clearTransforms", json!([]));

    // So are rows of hot spots.
    let rows = server.execute("costline.hotspots", json!([{ "by": "function" }]));
    let row = child_in(&rows["functions"], "b.js");
    let drop = json!({ "type": "drop-function", "function": row["key"] });
    assert_eq!(total_after(&mut server, &drop), 40);

    // The name alone is ambiguous.
    let drop = json!([{ "type": "drop-function", "function": "(anonymous)" }]);
    let error = server.execute_error("costline.pushTransform", drop);
    assert_eq!(error, "2 functions match `(anonymous)` (`a.js::(anonymous)`, `b.js::(anonymous)`)");
    let unknown = json!([{ "type": "drop-function", "function": { "name": "f", "file": "c.js" } }]);
    let error = server.execute_error("costline.pushTransform", unknown);
    assert_eq!(error, "the profile has no function `f` in c.js");
}

#[test]
fn transforms_by_key_survive_a_rewrite_and_a_restart() {
    let (workspace, mut server, _) = showing(ANONYMOUS, &["a.js", "b.js"]);
    let key = json!({ "name": "(anonymous)", "file": "b.js", "lib": null });
    let drop = json!({ "type": "drop-function", "function": key });
    let view = server.execute("costline.pushTransform", json!([drop]));
    assert_eq!(view["total"], 40);
    workspace.rename_over("cpu.folded", ANONYMOUS.repeat(2));
    server.eventually("twice as much", |server| (server.view()["total"] == 80).then_some(()));
    let state = server.view()["state"].clone();
    server.finish();
    let mut server = Server::builder(&workspace).options(json!({ "state": state })).start();
    server.wait_profile();
    let view = server.view();
    assert_eq!((&view["total"], &view["transforms"][0]["transform"]), (&json!(80), &drop));
    assert_eq!(server.warnings(), [""; 0]);
}
