//! Call hierarchy: costs along paths, and how they add up.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::cases::{Case, is_grouped};
use crate::support::profiles::{BELOW, six_samples};
use crate::support::requests::{cost, text};
use crate::support::{Server, Workspace};

/// The name of an item: `↻ 33.3% eval`.
fn name(item: &Value) -> String {
    text(&item["name"])
}

/// The function of an item.
fn function(item: &Value) -> Value {
    item["data"]["path"].as_array().and_then(|path| path.last()).cloned().unwrap()
}

fn total(item: &Value) -> f64 {
    item["data"]["total"].as_f64().unwrap()
}

fn self_(item: &Value) -> f64 {
    item["data"]["self"].as_f64().unwrap()
}

fn is_recursive(item: &Value) -> bool {
    name(item).starts_with('↻')
}

/// Whether an item is what no caller or callee accounts for.
fn is_rest(item: &Value) -> bool {
    item["data"]["path"] == json!([])
}

/// Names and raw totals in order: `parse 2, ↻ eval 1`.
fn render(items: &[Value]) -> String {
    let items = items.iter().map(|item| {
        let mark = if is_recursive(item) { "↻ " } else { "" };
        format!("{mark}{} {}", item["data"]["name"].as_str().unwrap(), total(item))
    });
    items.collect::<Vec<_>>().join(", ")
}

fn callers(server: &mut Server, item: &Value) -> Vec<Value> {
    server.incoming(item).into_iter().map(|call| call["from"].clone()).collect()
}

fn callees(server: &mut Server, item: &Value) -> Vec<Value> {
    server.outgoing(item).into_iter().map(|call| call["to"].clone()).collect()
}

/// The item of this function.
fn pick(items: &[Value], name: &str) -> Value {
    items.iter().find(|item| item["data"]["name"] == name && !is_recursive(item)).cloned().unwrap()
}

/// A server with [`six_samples`] and both sources open.
fn six(workspace: &Workspace) -> (Server, String, String) {
    let mut server = Server::start(workspace);
    let app = server.open_file(&workspace.path("app.py"), "python");
    let lib = server.open_file(&workspace.path("lib.py"), "python");
    server.wait_labels(&app);
    (server, app, lib)
}

#[test]
fn callers_of_a_function_and_along_a_path() {
    let workspace = six_samples();
    let (mut server, app, lib) = six(&workspace);

    let parse = server.prepare(&app, 22, 0).remove(0);
    assert_eq!(
        (name(&parse), cost(&parse["data"])),
        ("50.0% parse".to_owned(), (json!(1), json!(3)))
    );
    let of_parse = callers(&mut server, &parse);
    assert_eq!(render(&of_parse), "main 2, eval 1");
    assert_eq!(of_parse.iter().map(name).collect::<Vec<_>>(), ["33.3% main", "16.7% eval"]);

    // The same function, reached from `hash`: only the samples that contain both.
    let hash = server.prepare(&lib, 4, 0).remove(0);
    let of_hash = callers(&mut server, &hash);
    assert_eq!(render(&of_hash), "parse 2, eval 1");
    let parse_under_hash = pick(&of_hash, "parse");
    let names: Vec<_> = parse_under_hash["data"]["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|func| text(&func["name"]))
        .collect();
    assert_eq!(
        (names, &parse_under_hash["data"]["dir"]),
        (vec!["hash".to_owned(), "parse".to_owned()], &json!("incoming"))
    );
    let under_hash = callers(&mut server, &parse_under_hash);
    assert_eq!(render(&under_hash), "main 1, eval 1");
    assert_eq!(render(&callers(&mut server, &pick(&under_hash, "eval"))), "main 1");
}

#[test]
fn callers_of_a_recursive_function() {
    let workspace = six_samples();
    let (mut server, app, _) = six(&workspace);
    let eval = server.prepare(&app, 33, 0).remove(0);
    let of_eval = callers(&mut server, &eval);
    assert_eq!(render(&of_eval), "main 3, ↻ eval 2");
    assert_eq!(of_eval.iter().map(name).collect::<Vec<_>>(), ["50.0% main", "↻ 33.3% eval"]);
    // The recursive item starts a new path.
    assert_eq!(render(&callers(&mut server, &of_eval[1])), "main 3, ↻ eval 2");
}

#[test]
fn callees_along_a_path() {
    let workspace = six_samples();
    let (mut server, app, _) = six(&workspace);
    let eval = server.prepare(&app, 33, 0).remove(0);
    let of_eval = callees(&mut server, &eval);
    assert_eq!(render(&of_eval), "parse 1, hash 1, ↻ eval 2");
    // The recursive call leads to the exact path.
    let inner = of_eval[2].clone();
    assert_eq!(inner["data"]["exact"], true);
    assert_eq!(render(&callees(&mut server, &inner)), "hash 1, eval 1");
    assert_eq!(cost(&inner["data"]), (json!(0), json!(2)));
    let main = server.root_item("main");
    assert_eq!(render(&callees(&mut server, &main)), "eval 3, parse 2");
    let parse_under_main = pick(&callees(&mut server, &main), "parse");
    assert_eq!(cost(&parse_under_main["data"]), (json!(1), json!(2)));
    assert_eq!(render(&callees(&mut server, &parse_under_main)), "hash 1");
}

#[test]
fn changing_direction_starts_a_new_path() {
    let workspace = six_samples();
    let (mut server, _, lib) = six(&workspace);
    let hash = server.prepare(&lib, 4, 0).remove(0);
    let parse_under_hash = pick(&callers(&mut server, &hash), "parse");
    // All callees of parse, not only those on the path.
    assert_eq!(render(&callees(&mut server, &parse_under_hash)), "hash 2");
    let main = server.root_item("main");
    let parse_under_main = pick(&callees(&mut server, &main), "parse");
    assert_eq!(render(&callers(&mut server, &parse_under_main)), "main 2, eval 1");
}

#[test]
fn call_sites_are_lines_of_the_caller_hottest_first() {
    let workspace = six_samples();
    let (mut server, app, lib) = six(&workspace);
    let lines = |call: &Value| {
        let ranges = call["fromRanges"].as_array().unwrap().iter();
        ranges.map(|range| range["start"]["line"].as_u64().unwrap() + 1).collect::<Vec<_>>()
    };
    let eval = server.prepare(&app, 33, 0).remove(0);
    let outgoing = server.outgoing(&eval);
    assert_eq!(outgoing.iter().map(lines).collect::<Vec<_>>(), [[32], [33], [31]]);
    let incoming = server.incoming(&eval);
    assert_eq!(incoming.iter().map(lines).collect::<Vec<_>>(), [vec![12], vec![31]]);
    let main = server.root_item("main");
    assert_eq!(server.outgoing(&main).iter().map(lines).collect::<Vec<_>>(), [[12], [10]]);
    let hash = server.prepare(&lib, 4, 0).remove(0);
    let of_hash = server.incoming(&hash);
    assert_eq!(of_hash.iter().map(lines).collect::<Vec<_>>(), [vec![22], vec![33]]);
    assert_eq!(
        (&of_hash[0]["from"]["uri"], &of_hash[0]["from"]["range"]["start"]["line"]),
        (&json!(app), &json!(20 + BELOW))
    );
}

#[test]
fn prepare_finds_the_callee_at_the_cursor_or_the_enclosing_function() {
    let workspace = six_samples();
    let (mut server, app, lib) = six(&workspace);
    let mut at = |uri: &str, line, character| {
        server
            .prepare(uri, line, character)
            .iter()
            .map(|item| text(&function(item)["name"]))
            .collect::<Vec<_>>()
    };
    // Line 10 is `    parse(eval)`: a call of parse in main.
    assert_eq!(at(&app, 9, 6), ["parse"]);
    assert_eq!(at(&app, 9, 11), ["main"]);
    assert_eq!(at(&app, 9, 0), ["main"]);
    // A line without cost, after the beginning of a function.
    assert_eq!(at(&app, 24, 0), ["parse"]);
    assert_eq!(at(&lib, 5, 0), ["hash"]);
    assert_eq!(at(&lib, 0, 0), [""; 0]);
}

/// The profile does not tell which of the two calls in the line is meant.
#[test]
#[cfg(feature = "grammars")]
fn prepare_finds_all_callees_with_the_name_at_the_cursor() {
    let source = "\
class A:
    def run(self): return 1
class B:
    def run(self): return 2
def main():
    return A().run() + B().run()
";
    let folded = "main (app.py:6);run (app.py:2) 1\nmain (app.py:6);run (app.py:4) 3\n";
    let workspace = Workspace::with([("app.py", source), ("cpu.folded", folded)]);
    let mut server = Server::start(&workspace);
    let app = server.open_file(&workspace.path("app.py"), "python");
    server.wait_labels(&app);
    let items = server.prepare(&app, 5, 16);
    let found = items.iter().map(|item| (name(item), item["range"]["start"]["line"].clone()));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [("75.0% run".to_owned(), json!(3)), ("25.0% run".to_owned(), json!(1))]
    );
    let cursor = json!({ "line": 5, "character": 16 });
    let actions = server.request(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": app },
            "range": { "start": cursor, "end": cursor },
            "context": { "diagnostics": [] },
        }),
    );
    let titles = actions.as_array().unwrap().iter().map(|action| text(&action["title"]));
    let callers: Vec<_> = titles.filter(|title| title.contains("callers of")).collect();
    assert_eq!(
        callers,
        ["Costline: callers of run (app.py:4)", "Costline: callers of run (app.py:2)"]
    );
}

#[test]
fn foreign_and_stale_items_have_no_calls() {
    let workspace = six_samples();
    let (mut server, app, _) = six(&workspace);
    let ours = server.prepare(&app, 9, 0).remove(0);
    for data in [
        Value::Null,
        json!(7),
        json!({}),
        json!({ "v": 2, "dir": null, "path": ours["data"]["path"] }),
        json!({ "v": 1, "dir": null, "path": [] }),
        json!({ "v": 1, "dir": "sideways", "path": ours["data"]["path"] }),
        json!({ "v": 1, "dir": "incoming", "path": [{ "name": "gone", "file": "app.py", "lib": null }] }),
    ] {
        let mut item = ours.clone();
        item["data"] = data;
        assert_eq!((server.incoming(&item), server.outgoing(&item)), (vec![], vec![]), "{item}");
    }
}

/// Emacs's lsp-mode cannot tell false from null.
#[test]
fn false_may_come_back_as_null() {
    let workspace = six_samples();
    let (mut server, _, lib) = six(&workspace);
    let hash = server.prepare(&lib, 4, 0).remove(0);
    assert_eq!(hash["data"]["exact"], json!(false));
    let mut returned = hash.clone();
    returned["data"]["exact"] = Value::Null;
    assert_eq!(server.incoming(&returned), server.incoming(&hash));
    assert!(!server.incoming(&hash).is_empty());
}

#[test]
fn items_stay_valid_after_a_rewrite() {
    let workspace = six_samples();
    let (mut server, app, lib) = six(&workspace);
    let hash = server.prepare(&lib, 4, 0).remove(0);
    let parse_under_hash = pick(&callers(&mut server, &hash), "parse");
    workspace.rename_over("cpu.folded", "other (lib.py:1) 1\nmain (app.py:10);parse (app.py:22);hash (lib.py:5) 7\nlate (app.py:1);main (app.py:10);parse (app.py:22);hash (lib.py:5) 5\n");
    server.eventually("the new costs", |server| {
        server.line_costs(&app).get(&9).filter(|cost| cost.1 == 12).cloned()
    });
    assert_eq!(render(&callers(&mut server, &parse_under_hash)), "main 12");
    let main = pick(&callers(&mut server, &parse_under_hash), "main");
    let above = "late 5, no caller: the stack begins here 7".to_owned();
    assert_eq!((self_(&main), render(&callers(&mut server, &main))), (7.0, above));
}

/// Checks all items that two steps in one direction can reach from any function: each is the sum of
/// the next step and what stops at it, which is a row among callers, and no step costs more than the one
/// before.
fn assert_steps_add_up(case: &Case, direction: &str) {
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let hotspots = server.execute("costline.hotspots", json!([{ "limit": 1_000_000 }]));
    let roots: Vec<_> = hotspots["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| function["item"].clone())
        .collect();
    assert!(roots.len() > 50, "{}", roots.len());
    let step = |server: &mut Server, item: &Value| match direction {
        "incoming" => callers(server, item),
        _ => callees(server, item),
    };
    let command =
        if direction == "incoming" { "costline.showCallers" } else { "costline.showCallees" };
    let mut n_items = 0;
    for root in &roots {
        // The root's own self cost counts only the direct path; the self cost of a recursive
        // function is also on inner paths.
        let shown = server.execute(command, json!([root, { "message": false }]));
        let first = step(&mut server, root);
        let of = |items: &[Value]| {
            items.iter().filter(|item| !is_recursive(item)).map(total).sum::<f64>()
        };
        let rest = |items: &[Value]| items.iter().find(|item| is_rest(item)).map_or(0.0, total);
        // The self cost of an item is no row among its callees.
        let all = |items: &[Value], stops: f64| match direction {
            "incoming" => (of(items), rest(items)),
            _ => (of(items) + stops, stops - rest(items)),
        };
        assert_eq!(shown["total"].as_f64().unwrap(), total(root), "{root}");
        assert_eq!(&shown["item"], root);
        let stops = shown["self"].as_f64().unwrap();
        assert_eq!(all(&first, stops), (total(root), stops), "{root}");
        for item in first.iter().filter(|item| !is_recursive(item) && !is_rest(item)) {
            let second = step(&mut server, item);
            let sums = all(&second, self_(item));
            assert_eq!(sums, (total(item), self_(item)), "{item}\n{}", render(&second));
            assert_eq!(&server.execute(command, json!([item, { "message": false }]))["item"], item);
            for inner in second.iter().filter(|item| !is_recursive(item) && !is_rest(item)) {
                let third = step(&mut server, inner);
                let sums = all(&third, self_(inner));
                assert_eq!(sums, (total(inner), self_(inner)), "{inner}\n{}", render(&third));
                n_items += 1;
            }
            n_items += 1;
        }
        let is_call = |item: &&Value| !is_recursive(item) && !is_rest(item);
        let totals: Vec<_> = first.iter().filter(is_call).map(total).collect();
        assert!(totals.is_sorted_by(|a, b| a >= b), "{totals:?}");
        // Then comes what stops there, and last recursive items.
        let after = first.iter().skip(totals.len()).skip_while(|item| is_rest(item));
        assert!(after.into_iter().all(is_recursive), "{}", render(&first));
    }
    assert!(n_items > 100, "{n_items}");
}

#[test]
fn callers_of_a_real_profile_add_up() {
    assert_steps_add_up(&Case::rust(), "incoming");
}

#[test]
fn callees_of_a_real_profile_add_up() {
    assert_steps_add_up(&Case::rust(), "outgoing");
}

#[test]
fn callees_of_a_profile_with_deep_recursion_add_up() {
    assert_steps_add_up(&Case::python(), "outgoing");
    assert_steps_add_up(&Case::python(), "incoming");
}

/// `(name, file)` of a function, with files of the case as in its expectations.
fn identity(case: &Case, key: &Value) -> (String, String) {
    let file = key["file"].as_str().unwrap_or_default();
    let short = case.files().into_iter().find(|short| file.ends_with(&format!("/{short}")));
    (text(&key["name"]), short.unwrap_or_else(|| file.to_owned()))
}

/// Compares the calls between functions with those counted by an independent tool: the weight of
/// the samples in which the call occurs at least once.
fn assert_calls_match_expectations(case: &Case) {
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let hotspots = server.execute("costline.hotspots", json!([{ "limit": 1_000_000 }]));
    let mut roots = BTreeMap::new();
    for found in hotspots["functions"].as_array().unwrap() {
        let previous =
            roots.insert(identity(case, &function(&found["item"])), found["item"].clone());
        assert!(previous.is_none(), "{previous:?}");
    }
    let mut calls: BTreeMap<(String, String), Vec<(Value, Value)>> = BTreeMap::new();
    for call in case.expected["callers"].as_array().unwrap() {
        let end = |side: &str| {
            (
                text(&call[side]),
                call[format!("{side}_file")].as_str().unwrap_or_default().to_owned(),
            )
        };
        if ["callee", "caller"].into_iter().any(|side| is_grouped(&text(&call[side]))) {
            continue;
        }
        calls.entry(end("callee")).or_default().push((json!(end("caller")), call["total"].clone()));
    }
    assert!(calls.len() > 15, "{}", calls.len());
    let (mut checked, mut recursive) = (0, 0);
    for (callee, expected) in calls {
        let items = callers(&mut server, &roots[&callee]);
        let has_inner = items.iter().any(is_recursive);
        for (caller, weight) in expected {
            let weight = weight.as_f64().unwrap();
            let found: Vec<_> = items
                .iter()
                .filter(|item| json!(identity(case, &function(item))) == caller)
                .collect();
            if has_inner {
                // The caller of an inner occurrence has the weight of the call, the caller of the
                // outermost one its share of that.
                let inner: Vec<_> = found
                    .iter()
                    .filter(|item| is_recursive(item))
                    .map(|item| total(item))
                    .collect();
                let outer: f64 =
                    found.iter().filter(|item| !is_recursive(item)).map(|item| total(item)).sum();
                assert!(
                    if inner.is_empty() {
                        outer == weight
                    } else {
                        inner == [weight] && outer <= weight
                    },
                    "{callee:?} < {caller}: {inner:?} {outer} {weight}"
                );
                recursive += 1;
            } else {
                assert_eq!(
                    found.iter().map(|item| total(item)).collect::<Vec<_>>(),
                    [weight],
                    "{callee:?} < {caller}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 15, "{checked}, {recursive}");
}

#[test]
fn calls_of_a_firefox_profile_match_expectations() {
    assert_calls_match_expectations(&Case::rust());
}

#[test]
fn calls_of_a_folded_profile_match_expectations() {
    assert_calls_match_expectations(&Case::python());
}

#[test]
fn items_of_a_real_profile_carry_their_costs() {
    for case in [Case::rust(), Case::javascript(), Case::python()] {
        let mut server = Server::start(&case.workspace);
        server.wait_profile();
        let hotspots = server.execute("costline.hotspots", json!([{ "limit": 1_000_000 }]));
        let profile_total = case.expected["total"].as_f64().unwrap();
        let files: BTreeSet<String> = case.files().into_iter().collect();
        let mut n_found = 0;
        for expected in case.expected["functions"].as_array().unwrap() {
            let file = expected["file"].as_str().unwrap_or_default();
            if !files.contains(file)
                || expected["total"] == 0
                || is_grouped(&text(&expected["name"]))
            {
                continue;
            }
            let key = (text(&expected["name"]), file.to_owned());
            let found: Vec<_> = hotspots["functions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| &found["item"])
                .filter(|item| identity(&case, &function(item)) == key)
                .filter(|item| cost(&item["data"]) == cost(expected))
                .collect();
            assert!(!found.is_empty(), "{expected}");
            let percent = 100.0 * expected["total"].as_f64().unwrap() / profile_total;
            let shown =
                if percent < 0.05 { format!("{percent:.2}%") } else { format!("{percent:.1}%") };
            assert!(
                found.iter().all(|item| name(item) == format!("{shown} {}", key.0)),
                "{expected}: {found:?}"
            );
            n_found += 1;
        }
        assert!(n_found > 10, "{n_found}");
    }
}

#[test]
fn functions_without_a_workspace_file_have_a_document_with_the_reason() {
    let case = Case::rust();
    let mut server = Server::start(&case.workspace);
    server.wait_profile();
    let item = server.root_item("std::collections::hash::map::HashMap<K,V,S,A>::entry");
    let uri = text(&item["uri"]);
    assert!(uri.starts_with("costline:///"), "{uri}");
    assert_eq!(item["range"]["start"], json!({ "line": 0, "character": 0 }));
    let content = server.request("costline/textDocumentContent", json!({ "uri": uri }));
    assert_eq!(content["found"], true, "{content}");
    let content = text(&content["text"]);
    for part in [
        "std::collections::hash::map::HashMap<K,V,S,A>::entry",
        "library/std/src/collections/hash/map.rs",
        "\nself 0.2% (7.00 ms) · total 39.7% (1.38 s)\n",
        "wordstat::count",
    ] {
        assert!(content.contains(part), "{part}: {content}");
    }
    for uri in [
        "costline:///nothing",
        "costline:///x?%7B%22name%22%3A%22gone%22%7D",
        "file:///etc/hostname",
    ] {
        let content = server.request("costline/textDocumentContent", json!({ "uri": uri }));
        assert_eq!(content["found"], false, "{content}");
        let content = text(&content["text"]);
        assert!(
            content.contains("does not contain this function")
                || content.contains("not a Costline document"),
            "{uri}: {content}"
        );
    }
}

#[test]
fn call_graphs_are_exact_for_one_step_and_mark_estimates() {
    let case = Case::new("stackprof/ruby-ledger");
    let mut server = Server::start(&case.workspace);
    let main = server.open_file(&case.workspace.path("main.rb"), "ruby");
    server.wait_labels(&main);

    // 86 samples. `main` is on most stacks twice, so the costs of its lines are estimates.
    let item = server.prepare(&main, 22, 0).remove(0);
    assert_eq!(
        (function(&item)["name"].as_str(), total(&item), self_(&item)),
        (Some("Object#main"), 86.0, 0.0)
    );
    let below = callees(&mut server, &item);
    assert_eq!(
        below.iter().map(name).collect::<Vec<_>>(),
        [
            "94.2% est. Object#permutations",
            "12.8% Enumerable#sum",
            "5.8% est. Enumerable#each_cons",
            "5.8% Integer#times",
            "4.7% Enumerable#select",
            "1.2% est. Object#generate",
        ]
    );
    // Enumerable#each_cons has other callers, so its self cost below `main` is unknown.
    assert_eq!(
        (&below[2]["data"]["self"], &below[2]["data"]["total"]),
        (&Value::Null, &Value::Null)
    );
    assert!(!text(&below[2]["detail"]).contains("self"), "{}", below[2]);
    assert!(text(&below[1]["detail"]).ends_with("self 2.3%"), "{}", below[1]);
    // All of Enumerable#sum is below `main`, so one more step is exact. Only a part of
    // Enumerator#each is.
    let sum = callees(&mut server, &below[1]);
    assert_eq!(render(&sum), "Enumerator#each 9");
    assert_eq!(name(&callees(&mut server, &sum[0])[0]), "7.2% est. Enumerable#each_cons");
    let parse = server.root_item("Parser#parse");
    assert_eq!(render(&callers(&mut server, &parse)), "Parser#each 3");

    let hover = server.line_hover(&main, 18).unwrap();
    assert!(hover.contains("36.0% (31 samples) to 94.2% (81 samples)"), "{hover}");
    let lenses: Vec<_> =
        server.lenses(&main).iter().map(|lens| text(&lens["command"]["title"])).collect();
    assert!(
        lenses.contains(&"self 66.3% (57 samples) · total 94.2% (81 samples)".to_owned()),
        "{lenses:?}"
    );
}

/// The ranges of calls are within the range of the caller's item, whether its file is open or not.
#[test]
#[cfg(feature = "grammars")]
fn calls_are_within_the_definition_of_their_caller() {
    let source = "def main():\n    work()\n    work()\n\n\ndef work():\n    spin()\n";
    let profile = "main (a.py:2);work (b.py:1) 30\nmain (a.py:3);work (b.py:1) 70\n";
    let workspace =
        Workspace::with([("a.py", source), ("b.py", "work()\n"), ("cpu.folded", profile)]);
    let mut server = Server::start(&workspace);
    server.wait_profile();
    for open in [false, true] {
        if open {
            server.open_file(&workspace.path("a.py"), "python");
        }
        let work = server.root_item("work");
        let call = server.incoming(&work)[0].clone();
        let line = |range: &Value, end: &str| range[end]["line"].as_u64().unwrap();
        let lines: Vec<u64> = call["fromRanges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|range| line(range, "start"))
            .collect();
        assert_eq!(lines, [2, 1], "hottest first");
        let range = &call["from"]["range"];
        assert_eq!((line(range, "start"), line(range, "end")), (0, if open { 2 } else { 3 }));
    }
}
