//! The call tree and the inverted one, expanded branch by branch, with the numbers of `costline
//! tree`.

#![allow(clippy::needless_pass_by_value, reason = "so that `json!` can stand in the call")]

use std::process::Command;

use serde_json::{Value, json};

use crate::support::cases::Case;
use crate::support::profiles::{BELOW, six_samples};
use crate::support::requests::text;
use crate::support::{Server, Workspace, six};

fn tree(server: &mut Server, argument: Value) -> Value {
    server.execute("costline.callTree", json!([argument]))
}

/// `(depth, name, self, total)` of all nodes, parents first.
fn rows(nodes: &Value) -> Vec<(usize, String, Value, Value)> {
    let mut rows = Vec::new();
    let mut open: Vec<(usize, &Value)> =
        nodes.as_array().unwrap().iter().rev().map(|node| (0, node)).collect();
    while let Some((depth, node)) = open.pop() {
        rows.push((depth, text(&node["name"]), node["self"].clone(), node["total"].clone()));
        open.extend(
            node["children"].as_array().unwrap().iter().rev().map(|child| (depth + 1, child)),
        );
    }
    rows
}

/// One line per node: `main 1/6`, indented by depth.
fn render(nodes: &Value) -> Vec<String> {
    let own = |own: &Value| if own.is_null() { String::new() } else { format!("{own}/") };
    rows(nodes)
        .into_iter()
        .map(|(depth, name, self_, total)| {
            format!("{}{name} {}{total}", "  ".repeat(depth), own(&self_))
        })
        .collect()
}

#[test]
fn expands_the_tree_from_its_roots_and_from_any_node() {
    let workspace = six_samples();
    let (mut server, uri) = six(&workspace);
    let roots = tree(&mut server, Value::Null);
    assert_eq!(
        (&roots["metric"], &roots["unit"], &roots["total"]),
        (&json!("samples"), &json!("samples"), &json!(6))
    );
    assert_eq!(
        (&roots["inverted"], &roots["est"], &roots["more"]),
        (&json!(false), &json!(false), &json!(0))
    );
    let [main] = roots["nodes"].as_array().unwrap().as_slice() else { panic!("{roots}") };
    assert_eq!(
        (&main["text"], &main["percent"], &main["est"]),
        (&json!("100.0% · self 16.7%"), &json!(100.0), &json!(false))
    );
    assert_eq!((&main["uri"], &main["line0"]), (&json!(uri), &json!(8 + BELOW)));
    assert_eq!(
        (&main["hasChildren"], &main["children"], &main["more"]),
        (&json!(true), &json!([]), &json!(2))
    );
    assert_eq!((&main["path"], &main["recursive"]), (&json!([main["key"]]), &json!(false)));
    assert_eq!(main["item"], server.root_item("main"));

    let whole = tree(&mut server, json!({ "depth": 10 }));
    let expected = [
        "main 1/6",
        "  eval 0/3",
        "    eval 0/2",
        "      eval 1/1",
        "      hash 1/1",
        "    parse 0/1",
        "      hash 1/1",
        "  parse 1/2",
        "    hash 1/1",
    ];
    let mut sorted = render(&whole["nodes"]);
    assert_eq!(sorted[..3], expected[..3]);
    sorted.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(sorted, expected);

    // Node by node, as clients expand them.
    let below = tree(&mut server, json!({ "path": main["path"] }));
    assert_eq!(render(&below["nodes"]), ["eval 0/3", "parse 1/2"]);
    let eval = &below["nodes"][0];
    assert_eq!((&eval["text"], &eval["recursive"]), (&json!("50.0%"), &json!(false)));
    let of_eval = tree(&mut server, json!({ "path": eval["path"], "limit": 1 }));
    assert_eq!(
        (render(&of_eval["nodes"]), &of_eval["more"]),
        (vec!["eval 0/2".to_owned()], &json!(1))
    );
    let inner = &of_eval["nodes"][0];
    assert_eq!((&inner["recursive"], inner["path"].as_array().unwrap().len()), (&json!(true), 3));
    // The item of a node has all callers of the function, not only those on the path.
    assert_eq!(server.incoming(&inner["item"]).len(), 2);
    let leaf = tree(&mut server, json!({ "path": inner["path"] }))["nodes"][0].clone();
    assert_eq!((&leaf["hasChildren"], &leaf["more"]), (&json!(false), &json!(0)));
    assert_eq!(tree(&mut server, json!({ "path": leaf["path"] }))["nodes"], json!([]));
}

#[test]
fn the_inverted_tree_begins_with_self_cost() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let top = tree(&mut server, json!({ "inverted": true }));
    assert_eq!(
        top["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node["total"].as_u64().unwrap())
            .sum::<u64>(),
        6
    );
    let hash = &top["nodes"][0];
    assert_eq!(
        (&hash["name"], &hash["text"], &hash["self"]),
        (&json!("hash"), &json!("50.0%"), &json!(3))
    );
    let callers = tree(&mut server, json!({ "inverted": true, "path": hash["path"], "depth": 3 }));
    let rows = render(&callers["nodes"]);
    assert_eq!(rows[0], "parse 2");
    assert!(rows[1..3].contains(&"  main 1".to_owned()), "{rows:?}");
    assert_eq!(rows[rows.len() - 3..], ["eval 1", "  eval 1", "    main 1"]);
    // A path of one tree does not exist in the other.
    assert_eq!(tree(&mut server, json!({ "path": hash["path"] }))["nodes"], json!([]));
}

#[test]
fn paths_survive_a_rewrite_and_invalid_paths_have_no_children() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let main = tree(&mut server, json!({}))["nodes"][0].clone();
    let parse = tree(&mut server, json!({ "path": main["path"] }))["nodes"][1].clone();
    workspace.write(
        "cpu.folded",
        "other (app.py:1) 1\nmain (app.py:10);parse (app.py:22);hash (lib.py:5) 7\n",
    );
    let nodes = server.eventually("the new numbers", |server| {
        let nodes = tree(server, json!({ "path": parse["path"] }))["nodes"].clone();
        (nodes[0]["total"] == 7).then_some(nodes)
    });
    assert_eq!(render(&nodes), ["hash 7/7"]);

    workspace.write("cpu.folded", "other (app.py:1) 1\n");
    server.eventually("the function is gone", |server| {
        (tree(server, json!({}))["nodes"][0]["name"] == "other").then_some(())
    });
    assert_eq!(tree(&mut server, json!({ "path": parse["path"] }))["nodes"], json!([]));
    let unknown = json!([{ "name": "unknown", "file": null, "lib": null }]);
    for inverted in [false, true] {
        let answer = tree(&mut server, json!({ "path": unknown, "inverted": inverted }));
        assert_eq!((&answer["nodes"], &answer["more"]), (&json!([]), &json!(0)));
    }
    let error = server.execute_error("costline.callTree", json!([{ "path": "main" }]));
    assert!(error.contains("costline.callTree") && error.contains("path"), "{error}");
}

#[test]
fn costs_have_the_unit_of_the_settings() {
    let workspace = six_samples();
    let mut server = Server::builder(&workspace).settings(json!({ "unit": "both" })).start();
    server.wait_profile();
    let roots = tree(&mut server, json!({}));
    assert_eq!(roots["nodes"][0]["text"], "100.0% (6 samples) · self 16.7% (1 sample)");
}

#[test]
fn numbers_equal_those_of_the_command_line() {
    for (case, inverted) in [
        (Case::javascript(), false),
        (Case::javascript(), true),
        (Case::new("pprof/go-indexer-cpu"), false),
    ] {
        let mut server = Server::start(&case.workspace);
        server.wait_profile();
        let profile = server.shown().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_costline"));
        command
            .env("COSTLINE_CACHE_DIR", "")
            .args(["tree", "--json", "--depth", "29", "--min-percent", "0", &profile])
            .current_dir(case.workspace.root());
        let output = command.args(inverted.then_some("--inverted")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let cli: Value = serde_json::from_slice(&output.stdout).unwrap();
        let expected: Vec<_> = cli["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| {
                (
                    node["depth"].as_u64().unwrap() as usize,
                    text(&node["name"]),
                    node["self"].clone(),
                    node["total"].clone(),
                )
            })
            .collect();
        let answer =
            tree(&mut server, json!({ "depth": 30, "limit": 1_000_000, "inverted": inverted }));
        assert!(expected.len() > 100);
        assert_eq!(answer["total"], cli["total"]);
        assert_eq!(rows(&answer["nodes"]), expected, "{profile}");
    }
}

/// `b` is called by `a` and by `main`.
const CALLS: &str = "\
events: Ir

fl=app.c
fn=main
1 5
cfn=a
calls=1 2
1 35
cfn=b
calls=1 4
2 10
fn=a
2 5
cfn=b
calls=3 4
2 30
fn=b
4 40
";

#[test]
fn the_tree_of_a_call_graph_is_estimated() {
    let workspace = Workspace::with([("callgrind.out.1", CALLS)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let whole = tree(&mut server, json!({ "depth": 5 }));
    assert_eq!(whole["est"], true);
    assert_eq!(render(&whole["nodes"]), ["main 5/50", "  a 5/35", "    b 30", "  b 10"]);
    let callers = tree(&mut server, json!({ "inverted": true, "depth": 2 }));
    assert_eq!(render(&callers["nodes"])[..3], ["b 40/40", "  a 30", "  main 10"]);
    let of_b = &callers["nodes"][0]["children"];
    assert_eq!((&of_b[0]["est"], &of_b[0]["text"]), (&json!(true), &json!("60.0% est.")));
}

#[test]
fn returns_deep_stacks_in_pieces() {
    let stack: Vec<String> =
        (0..5000).map(|i| format!("f{} (app.py:{})", i % 7, i % 7 + 1)).collect();
    let workspace = Workspace::with([
        ("cpu.folded", format!("{} 3\n", stack.join(";")).as_str()),
        ("app.py", "x\n"),
    ]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let (mut path, mut n_nodes) = (json!([]), 0);
    for inverted in [false, true] {
        while n_nodes < 200 {
            let answer =
                tree(&mut server, json!({ "path": path, "depth": 1000, "inverted": inverted }));
            let rows = rows(&answer["nodes"]);
            assert_eq!(rows.len(), 30);
            n_nodes += rows.len();
            let mut deepest = &answer["nodes"][0];
            while !deepest["children"][0].is_null() {
                deepest = &deepest["children"][0];
            }
            assert_eq!((&deepest["total"], &deepest["more"]), (&json!(3), &json!(1)));
            path = deepest["path"].clone();
        }
        assert_eq!(path.as_array().unwrap().len(), n_nodes);
        (path, n_nodes) = (json!([]), 0);
    }
}

/// `main` has 2501 children: 2499 with a callee, `alpha` with the highest self cost and the lowest
/// total, and `Zeta` with the hot path.
fn wide() -> String {
    let narrow = (0..2499).map(|i| {
        format!(
            "main (a.py:1);f{i:04} (a.py:2) 1\nmain (a.py:1);f{i:04} (a.py:2);leaf (a.py:3) 4\n"
        )
    });
    narrow.collect::<String>()
        + "main (a.py:1);alpha (a.py:4) 2\n\
           main (a.py:1);Zeta (a.py:5);warm (a.py:6) 9\n\
           main (a.py:1);Zeta (a.py:5);deep (a.py:7) 50\n\
           main (a.py:1);Zeta (a.py:5);deep (a.py:7);low (a.py:8) 50\n"
}

#[test]
fn children_are_sorted_before_they_are_cut() {
    let workspace = Workspace::with([("cpu.folded", wide().as_str())]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let main = tree(&mut server, json!({}))["nodes"][0]["path"].clone();
    let mut children = |argument: Value| {
        let mut question = json!({ "path": main });
        question.as_object_mut().unwrap().extend(argument.as_object().cloned().unwrap());
        let answer = tree(&mut server, question);
        (render(&answer["nodes"]), answer["more"].as_u64().unwrap())
    };
    let rows = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>();

    assert_eq!(children(json!({ "limit": 2 })), (rows(&["Zeta 0/109", "f0000 1/5"]), 2499));
    let total = json!({ "sort": "total", "limit": 1 });
    assert_eq!(children(total), (rows(&["Zeta 0/109"]), 2500));
    // `alpha` is the last of all by total. Where self costs are the same, totals decide.
    let own = json!({ "sort": "self", "limit": 2 });
    assert_eq!(children(own), (rows(&["alpha 2/2", "f0000 1/5"]), 2499));
    let name = json!({ "sort": "name", "limit": 2 });
    assert_eq!(children(name), (rows(&["alpha 2/2", "f0000 1/5"]), 2499));

    // A response has 2000 nodes at most; the others follow.
    let (first, more) = children(json!({ "sort": "name", "limit": 1_000_000 }));
    assert_eq!((first.len(), more), (2000, 501));
    let (rest, more) = children(json!({ "sort": "name", "limit": 1_000_000, "skip": 2000 }));
    assert_eq!((rest.len(), more), (501, 0));
    assert_eq!((rest[0].as_str(), rest[500].as_str()), ("f1999 1/5", "Zeta 0/109"));
    assert_eq!(children(json!({ "skip": 9999 })), (rows(&[]), 0));
    // Only children of the node itself are skipped.
    let below = json!({ "skip": 2500, "sort": "name", "depth": 2 });
    assert_eq!(children(below), (rows(&["Zeta 0/109", "  deep 50/100", "  warm 9/9"]), 0));
}

#[test]
fn the_bottom_up_tree_is_sorted_too() {
    let workspace = six_samples();
    let (mut server, _) = six(&workspace);
    let mut top = |sort: &str| {
        render(&tree(&mut server, json!({ "inverted": true, "sort": sort, "limit": 2 }))["nodes"])
    };
    assert_eq!(top("self")[0], "hash 3/3");
    assert_eq!(top("name"), ["eval 1/1", "hash 3/3"]);
}

#[test]
fn the_hot_path_ends_where_most_of_the_cost_is() {
    let workspace = Workspace::with([("cpu.folded", wide().as_str())]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    let main = tree(&mut server, json!({}))["nodes"][0]["path"].clone();
    let zeta = tree(&mut server, json!({ "path": main, "limit": 1 }))["nodes"][0]["path"].clone();
    let mut path = |argument: Value| {
        let answer = tree(&mut server, argument);
        let path = answer["hotPath"].as_array().unwrap().iter();
        path.map(|node| format!("{} {}", text(&node["key"]["name"]), node["rank"]))
            .collect::<Vec<_>>()
    };
    // `deep` itself costs as much as its callee `low`.
    assert_eq!(path(json!({ "hotPath": true })), ["main 0", "Zeta 0", "deep 0"]);
    let by_name = json!({ "hotPath": true, "sort": "name", "limit": 0 });
    assert_eq!(path(by_name), ["main 0", "Zeta 2500", "deep 0"]);
    assert_eq!(path(json!({ "hotPath": true, "path": zeta })), ["deep 0"]);
    let deep = tree(&mut server, json!({ "path": zeta, "limit": 1 }))["nodes"][0]["path"].clone();
    let mut below = |path: &Value| {
        tree(&mut server, json!({ "path": path, "hotPath": true }))["hotPath"].clone()
    };
    assert_eq!(below(&deep), json!([]));
    let unknown = json!([{ "name": "unknown", "file": null, "lib": null }]);
    assert_eq!(below(&unknown), json!([]));
    assert_eq!(tree(&mut server, json!({})).get("hotPath"), None);
}
