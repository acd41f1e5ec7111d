//! Transforms of call nodes and of functions that share their name, with the keys and paths that
//! answers contain.

use serde_json::{Value, json};

use crate::support::profiles::six_samples;
use crate::support::requests::{costs, text};
use crate::support::{Server, Workspace, six};

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

/// A client may still have the path of a node from before the last transform.
#[test]
fn a_pushed_path_is_followed_through_earlier_transforms() {
    let workspace = Workspace::with([("cpu.folded", "A;B;C;D;E 1\nA;B;C;F;G 1\nA;B;H;F 1\n")]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let tree = server.execute("costline.callTree", json!([{ "depth": 5 }]));
    let named = |node: &Value, name: &str| {
        let children = node["children"].as_array().unwrap();
        children.iter().find(|it| it["name"] == name).unwrap().clone()
    };
    let c = named(&named(&tree["nodes"][0], "B"), "C");
    let d = named(&c, "D");
    let push = |kind: &str, node: &Value| json!([{ "type": kind, "path": node["path"] }]);
    server.execute("costline.pushTransform", push("merge-node", &c));
    // A>B>C>D is A>B>D now.
    let view = server.execute("costline.pushTransform", push("drop-node", &d));
    assert_eq!(
        (&view["total"], &view["marks"]),
        (&json!(2), &json!(["merge node: C", "hide node: D"]))
    );
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

/// A chain of five calls.
const CHAIN: &str = "A (a.py:1);B (a.py:2);C (a.py:3);D (a.py:4);E (a.py:5) 10\n";

fn names(calls: &[Value], end: &str) -> Vec<String> {
    calls.iter().map(|call| text(&call[end]["data"]["name"])).collect()
}

/// A server that shows [`CHAIN`], and the items of A>B>C>D from A, and of E<D<C<B from E.
fn chain() -> (Workspace, Server, Vec<Value>, Vec<Value>) {
    let (workspace, mut server, uri) = showing(CHAIN, &["a.py"]);
    let mut inward = vec![server.prepare(&uri, 0, 0)[0].clone()];
    for _ in 0..3 {
        let next = server.outgoing(inward.last().unwrap())[0]["to"].clone();
        inward.push(next);
    }
    let mut outward = vec![server.prepare(&uri, 4, 0)[0].clone()];
    for _ in 0..3 {
        let next = server.incoming(outward.last().unwrap())[0]["from"].clone();
        outward.push(next);
    }
    (workspace, server, inward, outward)
}

#[test]
fn items_from_before_a_transform_lead_to_the_same_calls() {
    let (workspace, mut server, inward, outward) = chain();
    let key = inward[2]["data"]["path"][2].clone();
    assert_eq!(key["name"], "C");
    let merge = json!([{ "type": "merge-function", "function": key }]);
    server.execute("costline.pushTransform", merge);

    let after = |server: &mut Server| {
        let callees: Vec<_> =
            inward.iter().map(|item| names(&server.outgoing(item), "to")).collect();
        let callers: Vec<_> =
            outward.iter().map(|item| names(&server.incoming(item), "from")).collect();
        (callees, callers)
    };
    // A>B>C is A>B, and A>B>C>D is A>B>D. In the other direction, E<D<C is E<D.
    let expected = (
        vec![
            vec!["B".to_owned()],
            vec!["D".to_owned()],
            vec!["D".to_owned()],
            vec!["E".to_owned()],
        ],
        vec![
            vec!["D".to_owned()],
            vec!["B".to_owned()],
            vec!["B".to_owned()],
            vec!["A".to_owned()],
        ],
    );
    assert_eq!(after(&mut server), expected);

    // So are the paths of the call tree, also without the id of the transforms.
    let path = &inward[3]["data"]["path"];
    let tree = server.execute("costline.callTree", json!([{ "path": path }]));
    assert_eq!(tree["nodes"][0]["name"], "E");
    let children =
        server.execute("costline.callTree", json!([{ "path": tree["nodes"][0]["path"] }]));
    assert_eq!(children["nodes"], json!([]));

    // An item that was found since is not rewritten again, and is after the next transform.
    let callee = server.outgoing(&inward[3])[0]["to"].clone();
    let found: Vec<_> =
        callee["data"]["path"].as_array().unwrap().iter().map(|key| text(&key["name"])).collect();
    assert_eq!(found, ["A", "B", "D", "E"]);
    let nodes = json!([{ "type": "merge-node", "path": ["A", "B"] }]);
    server.execute("costline.pushTransform", nodes);
    assert_eq!(names(&server.outgoing(&inward[2]), "to"), ["D"], "A>B>C is A");
    let tree = json!([{ "path": tree["nodes"][0]["path"], "transforms": tree["transforms"] }]);
    let tree = server.execute("costline.callTree", tree);
    assert_eq!((&tree["nodes"], tree["total"].clone()), (&json!([]), json!(10)), "A>D>E is a leaf");

    // The transforms and the items survive a rewrite.
    server.execute("costline.popTransform", json!([]));
    workspace.rename_over("cpu.folded", CHAIN.repeat(2));
    server.eventually("twice as much", |server| (server.view()["total"] == 20).then_some(()));
    assert_eq!(after(&mut server), expected);

    // Without the transform they are what they were.
    server.execute("costline.popTransform", json!([]));
    assert_eq!(names(&server.outgoing(&inward[2]), "to"), ["D"]);
    assert_eq!(names(&server.outgoing(&inward[1]), "to"), ["C"]);
    // What was found under the transform is looked for without it: A>B>D does not exist.
    assert_eq!(names(&server.outgoing(&callee), "to"), [""; 0]);
}

#[test]
fn view_and_open_items_survive_a_rewrite_and_a_restart() {
    let state = Workspace::new();
    let start = |workspace: &Workspace| {
        let server = Server::builder(workspace);
        let mut server = server.env("COSTLINE_STATE_DIR", state.root().to_str().unwrap()).start();
        server.wait_profile();
        server
    };
    let (workspace, mut server, inward, outward) = chain();
    server.finish();
    let mut server = start(&workspace);
    server.execute("costline.pushTransform", json!(["merge-function:C"]));
    let node = server.execute("costline.callTree", json!([{ "depth": 2 }]));
    let node = node["nodes"][0]["children"][0]["path"].clone();
    server.set_view(json!({ "unit": "both", "node": node }));
    // Found under both transforms.
    let item = server.root_item("D");
    let after = server.outgoing(&item)[0]["to"].clone();
    let shown = |server: &mut Server| {
        let mut items: Vec<_> =
            inward[1..].iter().map(|item| names(&server.outgoing(item), "to")).collect();
        items.extend(outward[..2].iter().map(|item| names(&server.incoming(item), "from")));
        let later = (names(&server.incoming(&item), "from"), names(&server.outgoing(&item), "to"));
        let view = server.view();
        (
            items,
            later,
            names(&server.outgoing(&after), "to"),
            view["marks"].clone(),
            view["total"].clone(),
        )
    };
    let (items, later, last, marks, total) = shown(&mut server);
    // A>B>C>D is B>D, and D is called by B.
    assert_eq!(items, [vec!["D"], vec!["D"], vec!["E"], vec!["D"], vec!["B"]]);
    assert_eq!((later, last.len()), ((vec!["B".to_owned()], vec!["E".to_owned()]), 0));
    assert_eq!((&marks, &total), (&json!(["merge: C", "node: B"]), &json!(10)));

    workspace.rename_over("cpu.folded", CHAIN.repeat(3));
    server.eventually("three times as much", |server| (server.view()["total"] == 30).then_some(()));
    let rewritten = shown(&mut server);
    assert_eq!(rewritten.0, items);
    assert_eq!((&rewritten.3, &rewritten.4), (&marks, &json!(30)));
    server.finish();

    let mut server = start(&workspace);
    server.eventually("the saved view", |server| (server.view()["marks"] == marks).then_some(()));
    assert_eq!(shown(&mut server), rewritten);
    assert_eq!(server.warnings(), [""; 0]);
}

#[test]
fn an_item_of_which_a_transform_leaves_nothing_has_no_calls() {
    let (_workspace, mut server, inward, outward) = chain();
    let drop = json!([{ "type": "drop-function", "function": "C" }]);
    server.execute("costline.pushTransform", drop);
    assert_eq!(names(&server.outgoing(&inward[2]), "to"), [""; 0]);
    let path = &inward[3]["data"]["path"];
    let tree = server.execute("costline.callTree", json!([{ "path": path }]));
    assert_eq!(tree["nodes"], json!([]));
    server.execute("costline.clearTransforms", json!([]));
    let focus = json!([{ "type": "focus-subtree", "path": ["A", "B", "C"] }]);
    server.execute("costline.pushTransform", focus);
    // A>B>C>D is C>D, and E<D<C<B is E<D<C, where stacks begin now.
    assert_eq!(names(&server.outgoing(&inward[3]), "to"), ["E"]);
    assert_eq!(names(&server.incoming(&outward[1]), "from"), ["C"]);
    let begins = "no caller: the stack begins here";
    assert_eq!(names(&server.incoming(&outward[2]), "from"), [begins]);
    // A and A>B are cut off.
    assert_eq!(names(&server.outgoing(&inward[1]), "to"), [""; 0]);
}

/// Half of six samples call `eval` from `main`.
#[test]
fn a_chosen_node_decides_every_surface() {
    let workspace = six_samples();
    let (mut server, app) = six(&workspace);
    let lib = server.open_file(&workspace.path("lib.py"), "python");
    let all = (server.line_costs(&app), server.line_costs(&lib));
    let hover = server.line_hover(&app, 21);

    let tree = server.execute("costline.callTree", json!([{ "depth": 2 }]));
    let main = &tree["nodes"][0];
    let children = main["children"].as_array().unwrap();
    let eval = children.iter().find(|node| node["name"] == "eval").unwrap();
    let view = server.set_view(json!({ "node": eval["path"] }));
    assert_eq!(view["total"], 3);
    let crumbs: Vec<_> = view["node"].as_array().unwrap().iter().collect();
    assert_eq!(crumbs.iter().map(|it| text(&it["name"])).collect::<Vec<_>>(), ["main", "eval"]);
    assert_eq!(
        (&crumbs[1]["key"], &crumbs[0]["view"]),
        (&eval["key"], &json!({ "node": { "levels": 1 } }))
    );
    let focused = (
        costs([(22, 0, 1), (31, 0, 2), (32, 0, 1), (33, 0, 1), (34, 1, 1)]),
        costs([(5, 1, 1), (6, 1, 1)]),
    );
    assert_eq!((server.line_costs(&app), server.line_costs(&lib)), focused);
    assert_eq!(server.labels(&app)[&30], "66.7%");
    assert_eq!(server.root_item("hash")["data"]["total"], 2);
    assert_ne!(server.line_hover(&app, 21), hover);
    let focused_tree = server.execute("costline.callTree", json!([]));
    let [root] = focused_tree["nodes"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!((text(&root["name"]), root["total"].clone()), ("eval".to_owned(), json!(3)));
    let graph = server.execute("costline.flamegraph", json!([{ "inline": true }]));
    assert_eq!((&graph["total"], &graph["frames"][0]["name"]), (&json!(3), &json!("eval")));

    // Deeper, by a path of the tree as it is now, and by one from before.
    let recursive = server.execute("costline.callTree", json!([{ "path": root["path"] }]));
    let inner = recursive["nodes"].as_array().unwrap();
    let inner = inner.iter().find(|node| node["name"] == "eval").unwrap();
    assert_eq!(server.set_view(json!({ "node": inner["path"] }))["total"], 2);
    let names = |view: &Value| {
        let path = view["node"].as_array().unwrap().iter();
        path.map(|it| text(&it["name"])).collect::<Vec<_>>()
    };
    assert_eq!(names(&server.view()), ["main", "eval", "eval"]);

    // Back to a caller, and to all.
    let back = json!({ "node": { "levels": 2 } });
    let view = server.set_view(back.clone());
    assert_eq!((&view["total"], names(&view)), (&json!(3), vec!["main".into(), "eval".into()]));
    assert_eq!((server.line_costs(&app), server.line_costs(&lib)), focused);
    let titles: Vec<_> =
        view["actions"].as_array().unwrap().iter().map(|action| text(&action["title"])).collect();
    assert_eq!(
        titles[2..],
        [
            "Show the costs of main again",
            "Show the costs of all nodes again",
            "Remove focus-subtree:main>eval",
            "Remove all transforms"
        ]
    );
    let action = &view["actions"][3];
    assert_eq!(action["command"], "costline.setView");
    let view = server.execute("costline.setView", action["arguments"].clone());
    assert_eq!((&view["total"], &view["node"]), (&json!(6), &json!([])));
    assert_eq!((&view["transforms"], &view["state"]), (&json!([]), &Value::Null));
    assert_eq!((server.line_costs(&app), server.line_costs(&lib)), all);
    // The age of the profile may be another.
    let without_age = |hover: Option<String>| -> Option<Vec<String>> {
        let hover = hover?;
        let lines = hover.lines().filter(|line| !line.contains(", written "));
        Some(lines.map(str::to_owned).collect())
    };
    assert_eq!(without_age(server.line_hover(&app, 21)), without_age(hover));

    for (node, problem) in [
        (
            json!([{ "name": "hash", "file": "lib.py", "lib": null }]),
            "the call tree has no node hash",
        ),
        (json!([]), "the path of `node` is empty"),
        (json!({ "levels": 1 }), "no call node is chosen"),
        (json!(7), "a list of function keys, `{\"levels\": N}` or null"),
    ] {
        let error = server.execute_error("costline.setView", json!([{ "node": node }]));
        assert!(error.contains(problem), "{error}");
    }
    assert_eq!(server.view()["total"], 6);
}

#[test]
fn a_chosen_node_survives_a_rewrite_and_a_restart() {
    let (workspace, mut server, _) = showing(ANONYMOUS, &["a.js", "b.js"]);
    let tree = server.execute("costline.callTree", json!([{ "depth": 2 }]));
    let node = child_in(&tree["nodes"][0]["children"], "b.js");
    assert_eq!(server.set_view(json!({ "node": node["path"] }))["total"], 60);
    workspace.rename_over("cpu.folded", ANONYMOUS.repeat(2));
    server.eventually("twice as much", |server| (server.view()["total"] == 120).then_some(()));
    let state = server.view()["state"].clone();
    server.finish();
    let mut server = Server::builder(&workspace).options(json!({ "state": state })).start();
    server.wait_profile();
    let view = server.view();
    assert_eq!((&view["total"], &view["node"][1]["key"]), (&json!(120), &node["key"]));
    // It is the last transform, so undoing that shows all nodes.
    let view = server.execute("costline.popTransform", json!([]));
    assert_eq!((&view["total"], &view["node"]), (&json!(200), &json!([])));
}

#[test]
fn a_call_graph_has_no_call_nodes_to_choose() {
    let workspace = Workspace::with([("a.c", "int main(void) {\n}\n")]);
    workspace.write("callgrind.out.1", "events: Ir\nfl=a.c\nfn=main\n1 10\n");
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let main = json!({ "name": "main", "file": "a.c", "lib": null });
    let error = server.execute_error("costline.setView", json!([{ "node": [main] }]));
    assert!(error.starts_with("this recording is a call graph without stacks"), "{error}");
}
