//! Data of Mercury's deep profiler: costs of call sites in their contexts, and cliques.

use crate::support::requests::text;
use crate::support::{Server, Workspace};
use mercury_files::deep::{DeepFile, DeepProc, DeepRun, DeepSite};
use serde_json::{Value, json};

const SOURCE: &str = "\
:- module m.

main(!IO) :-
    io.write_string(\"even: \", !IO),
    even(10, Yes),
    io.write(Yes, !IO).

% Whether a number is even.
:- pred even(int::in, bool::out) is det.
even(N, Even) :-
    ( if N > 0 then
        odd(N - 1, Even),
        list.map(leaf, [N], _)
    else
        Even = yes
    ).


:- pred odd(int::in, bool::out) is det.
odd(N, Odd) :-
    ( if N > 0 then
        even(N - 1, Odd)
    else
        Odd = no
    ).



:- func leaf(int) = int.
leaf(N) = N + 1.
";

fn site(kind: u8, callee: usize, line: u64) -> DeepSite {
    DeepSite::new(kind, callee, line, "c1;")
}

fn workspace(file: &DeepFile) -> Workspace {
    let workspace = Workspace::with([("m.m", SOURCE)]);
    workspace.write("Deep.data", file.bytes());
    workspace
}

fn start(workspace: &Workspace) -> (Server, String) {
    let mut server = Server::builder(workspace)
        .options(json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0 }, "unit": "absolute" }))
        .start();
    server.wait_profile();
    let uri = server.open_file(&workspace.path("m.m"), "mercury");
    (server, uri)
}

fn name(item: &Value) -> String {
    text(&item["name"])
}

#[test]
fn call_sites_have_hints_and_procedures_have_lenses() {
    for version in [8, 9] {
        let workspace = workspace(&DeepFile { version, ..DeepFile::even_odd() });
        let (mut server, uri) = start(&workspace);
        let hints: Vec<_> = server
            .hints(&uri)
            .iter()
            .map(|hint| (hint["position"]["line"].as_u64().unwrap() + 1, text(&hint["label"])))
            .collect();
        let hint = |line, label: &str| (line, label.to_owned());
        // Procedures have no lines of their own: their self cost is on the first line. A recursive
        // call costs what the callee spends itself.
        assert_eq!(
            hints,
            [
                hint(3, "1 callseq total"),
                hint(5, "12 callseqs"),
                hint(10, "3 callseqs total"),
                hint(12, "3 callseqs + recursion"),
                hint(13, "6 callseqs"),
                hint(20, "3 callseqs total"),
                hint(22, "2 callseqs + recursion"),
                hint(30, "6 callseqs total"),
            ]
        );
        let lenses: Vec<_> = server
            .lenses(&uri)
            .iter()
            .map(|lens| {
                (
                    lens["range"]["start"]["line"].as_u64().unwrap() + 1,
                    text(&lens["command"]["title"]),
                )
            })
            .collect();
        let expected = [
            (3, "self 7.7% (1 callseq) · total 100.0% (13 callseqs) · 1 call"),
            (10, "self 23.1% (3 callseqs) · total 69.2% (9 callseqs) · 3 calls"),
            (20, "self 23.1% (3 callseqs) · total 23.1% (3 callseqs) · 3 calls"),
            (30, "self 46.2% (6 callseqs) · total 46.2% (6 callseqs) · 6 calls"),
        ];
        assert_eq!(lenses.len(), 4, "{lenses:?}");
        for ((line, title), (expected_line, expected)) in lenses.iter().zip(expected) {
            assert!(*line == expected_line && title.ends_with(expected), "{line} {title}");
        }
    }
}

#[test]
fn the_hierarchy_marks_calls_within_a_recursion() {
    let workspace = workspace(&DeepFile::even_odd());
    let (mut server, _) = start(&workspace);
    let even = server.root_item("m.even/2-0");
    let ends = |calls: Vec<Value>, end: &str| -> Vec<(String, u64)> {
        let line = |call: &Value| call["fromRanges"][0]["start"]["line"].as_u64().unwrap() + 1;
        calls.iter().map(|call| (name(&call[end]), line(call))).collect()
    };
    let end = |name: &str, line| (name.to_owned(), line);
    assert_eq!(
        ends(server.outgoing(&even), "to"),
        [end("6 callseqs m.leaf/1+1-0", 13), end("↻ 3 callseqs m.odd/2-0", 12)]
    );
    assert_eq!(
        ends(server.incoming(&even), "from"),
        [end("12 callseqs m.main/2-0", 5), end("↻ 2 callseqs m.odd/2-0", 22)]
    );
}

#[test]
fn hovers_list_the_callees_of_a_call_site() {
    let workspace = workspace(&DeepFile::even_odd());
    let (mut server, uri) = start(&workspace);
    let hover = server.line_hover(&uri, 12).unwrap();
    assert!(hover.contains("calls from this line") && hover.contains("leaf"), "{hover}");
    let hover = server.hover(&uri, 9, 1).unwrap().replace('\\', "");
    for part in [
        "** · 3 calls: self 23.1% (3 callseqs) · total 69.2% (9 callseqs)",
        "per call: self 1 callseq · total 3 callseqs",
        "quanta: self 1 tick · total 5 ticks",
        "words: self 0 words · total 10 words",
        "mutual recursion of 2 functions: a call from outside leads to 6.0 calls on average",
    ] {
        assert!(hover.contains(part), "{part} is not in\n{hover}");
    }
}

#[test]
fn procedures_are_listed_by_cost_in_every_metric() {
    let workspace = workspace(&DeepFile::even_odd());
    let (mut server, _) = start(&workspace);
    let names: Vec<_> = server.symbols("$").iter().map(name).collect();
    let position = |part: &str| names.iter().position(|name| name.contains(part)).unwrap();
    assert!(position("leaf/1") < position("even/2") && position("odd/2") < position("main/2"));
    let total = |server: &mut Server, metric: &str, function: &str| {
        server.set_view(json!({ "metric": metric }));
        server.execute("costline.hotspots", json!([{ "limit": 100 }]))["functions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| name(row) == function)
            .map_or(Value::Null, |row| json!([row["self"], row["total"]]))
    };
    assert_eq!(total(&mut server, "words", "m.even/2-0"), json!([0, 10]));
    assert_eq!(total(&mut server, "bytes", "m.leaf/1+1-0"), json!([80, 80]));
    assert_eq!(total(&mut server, "quanta", "m.even/2-0"), json!([1, 5]));
    assert_eq!(total(&mut server, "calls", "m.leaf/1+1-0"), json!([6, null]));
}

/// The queries of Mercury's own tool: orders, limits, costs per call, modules and cliques.
#[test]
fn hot_spots_have_the_queries_of_the_original() {
    let workspace = workspace(&DeepFile::even_odd());
    let (mut server, _) = start(&workspace);
    let mut rows = |question: Value, list: &str| -> Vec<String> {
        let answer = server.execute("costline.hotspots", json!([question]));
        let rows = answer[list].as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", text(&row["name"]), text(&row["label"]))).collect()
    };
    assert_eq!(
        rows(json!({ "module": "m", "sort": "self" }), "functions"),
        [
            "m.leaf/1+1-0 self 6 callseqs",
            "m.even/2-0 self 3 callseqs",
            "m.odd/2-0 self 3 callseqs",
            "m.main/2-0 self 1 callseq",
        ]
    );
    assert_eq!(rows(json!({ "sort": "calls", "min": 4 }), "functions"), ["m.leaf/1+1-0 6 calls"]);
    assert_eq!(
        rows(json!({ "perCall": true, "sort": "total", "minPercent": 20 }), "functions"),
        ["m.main/2-0 total 13 callseqs", "m.even/2-0 total 3 callseqs"]
    );
    assert_eq!(rows(json!({ "by": "module" }), "modules"), ["m self 13 callseqs"]);
    let cliques = server.execute("costline.hotspots", json!([{ "by": "clique" }]));
    let cliques = cliques["cliques"].as_array().unwrap();
    let [clique] = &cliques.iter().filter(|row| row["recursive"] == true).collect::<Vec<_>>()[..]
    else {
        panic!("one recursion")
    };
    let names: Vec<_> =
        clique["members"][0]["functions"].as_array().unwrap().iter().map(name).collect();
    assert_eq!(names, ["m.even/2-0", "m.odd/2-0"]);
    assert_eq!(clique["title"], "m.even/2-0, m.odd/2-0");
    assert_eq!([&clique["self"], &clique["total"], &clique["calls"]], [6, 12, 1]);
    let field = server.execute("costline.hotspots", json!([{ "by": "field" }]));
    assert_eq!(field["fields"], json!([]));
}

#[test]
fn an_unfinished_file_keeps_the_last_good_profile() {
    let workspace = workspace(&DeepFile::even_odd());
    let (mut server, uri) = start(&workspace);
    let before = server.hints(&uri);
    let mut bytes = DeepFile::even_odd().bytes();
    // The four numbers of nodes, which the program writes at its end.
    let start = bytes.windows(8).position(|bytes| bytes == 5_u64.to_le_bytes()).unwrap();
    bytes[start..start + 32].fill(0);
    workspace.write("Deep.data", bytes);
    server.eventually("a message", |server| {
        server.messages().iter().any(|message| message.contains("still running")).then_some(())
    });
    assert_eq!(server.hints(&uri), before);
}

/// `a` and `b` both call `h`, which calls `k` once below `a` and 8 times below `b`. The contexts tell
/// them apart, so the call tree is exact.
#[test]
fn the_call_tree_follows_contexts() {
    let procs = vec![
        DeepProc::runtime(),
        DeepProc::new("main", 2, 3, vec![site(0, 2, 4), site(0, 3, 5)]),
        DeepProc::new("a", 2, 10, vec![site(0, 4, 12)]),
        DeepProc::new("b", 2, 20, vec![site(0, 4, 22)]),
        DeepProc::new("h", 2, 28, vec![site(0, 5, 29)]),
        DeepProc::new("k", 2, 30, Vec::new()),
    ];
    let mut run = DeepRun::new(9, procs);
    run.call(0, 1);
    for (site, times) in [(0, 1), (1, 8)] {
        run.call(site, 0);
        run.call(0, 0);
        for _ in 0..times {
            run.call(0, 0);
            run.end(0);
        }
        run.end(0);
        run.end(0);
    }
    run.end(0);
    let workspace = workspace(&run.file);
    let (mut server, _) = start(&workspace);
    let tree = server.execute("costline.callTree", json!([{ "depth": 10 }]));
    let mut found = Vec::new();
    let mut open: Vec<(usize, Value)> =
        tree["nodes"].as_array().unwrap().iter().map(|node| (0, node.clone())).collect();
    while let Some((depth, node)) = open.pop() {
        let est = node["est"].as_bool().unwrap();
        found.push((depth, name(&node), node["total"].as_u64().unwrap(), est));
        let children = node["children"].as_array().unwrap().iter().rev();
        open.extend(children.map(|child| (depth + 1, child.clone())));
    }
    let node = |depth, name: &str, total| (depth, format!("m.{name}/2-0"), total, false);
    assert_eq!(
        found[1..],
        [
            node(1, "main", 14),
            node(2, "b", 10),
            node(3, "h", 9),
            node(4, "k", 8),
            node(2, "a", 3),
            node(3, "h", 2),
            node(4, "k", 1),
        ]
    );
    // The same, outward.
    let k = server.root_item("m.k/2-0");
    let [h] = &server.incoming(&k)[..] else { panic!("one caller") };
    let callers: Vec<_> =
        server.incoming(&h["from"]).iter().map(|call| name(&call["from"])).collect();
    assert_eq!(callers, ["8 callseqs m.b/2-0", "1 callseq m.a/2-0"]);
}

/// `p` calls itself through a closure of `q`, in a new context below the first. Its cost counts once.
#[test]
fn a_procedure_below_itself_counts_once() {
    let procs = vec![
        DeepProc::runtime(),
        DeepProc::new("main", 2, 3, vec![site(0, 2, 5)]),
        DeepProc::new("p", 2, 10, vec![site(2, 0, 12)]),
        DeepProc::new("q", 2, 20, vec![site(0, 2, 22)]),
    ];
    let mut run = DeepRun::new(9, procs);
    run.call(0, 1);
    run.call(0, 2);
    run.spend(5, 1);
    run.call(0, 3);
    run.call(0, 2);
    run.spend(5, 4);
    run.file.callseqs += 5;
    (0..4).for_each(|_| run.end(0));
    let workspace = workspace(&run.file);
    let (mut server, uri) = start(&workspace);
    let p = server.root_item("m.p/2-0");
    assert_eq!([&p["data"]["self"], &p["data"]["total"]], [7, 8]);
    let labels = server.labels(&uri);
    let on = |line: u64| labels.get(&(line - 1)).map(String::as_str);
    assert_eq!(on(5), Some("8 callseqs"));
    assert_eq!(on(12), Some("1 callseq + recursion"));
    assert_eq!(on(22), Some("5 callseqs"));
}

/// The rows of `costline.showCallers` in groups: name, place, calls, total, and whether they are
/// recursive. The first element is the sum.
fn grouped(server: &mut Server, function: &str, by: &str) -> Vec<Value> {
    let item = server.root_item(function);
    let options = json!({ "message": false, "groupBy": by });
    let groups = server.execute("costline.showCallers", json!([item, options]))["groups"].clone();
    assert_eq!(groups["groupBy"], by);
    let rows = groups["rows"].as_array().unwrap().iter().map(|row| {
        json!([row["name"], row["placeText"], row["calls"], row["total"], row["recursive"]])
    });
    [groups["sum"].clone()].into_iter().chain(rows).collect()
}

#[test]
fn callers_are_grouped() {
    let workspace = workspace(&DeepFile::even_odd());
    let (mut server, _) = start(&workspace);
    let mut even = |by: &str| grouped(&mut server, "m.even/2-0", by);
    let main = json!(["m.main/2-0", "m.m:5", 1, 12, false]);
    assert_eq!(even("site"), [json!(12), main, json!(["m.odd/2-0", "m.m:22", 2, 2, true])]);
    let main = json!(["m.main/2-0", "m.m:3", 1, 12, false]);
    assert_eq!(
        even("function"),
        [json!(12), main.clone(), json!(["m.odd/2-0", "m.m:20", 2, 2, true])]
    );
    assert_eq!(
        even("module"),
        [json!(12), json!(["m", "", 1, 12, false]), json!(["m", "", 2, 2, true])]
    );
    let recursion = json!(["m.even/2-0, m.odd/2-0", "m.m:10", 2, 2, true]);
    assert_eq!(even("clique"), [json!(12), main, recursion]);
    let item = server.root_item("m.even/2-0");
    let arguments = json!([item, { "groupBy": "crate" }]);
    let error = server.execute_error("costline.showCallers", arguments);
    assert!(error.contains("expected one of `site`, `function`, `module`, `clique`"), "{error}");
}

#[test]
fn a_contour_file_is_applied_by_choice_and_read_again_when_it_changes() {
    let workspace = workspace(&DeepFile::even_odd());
    workspace.write("Deep.contour", "all m\n");
    let (mut server, _) = start(&workspace);
    let runtime = "Mercury runtime.Mercury runtime/0-0";
    // As in Mercury's own tool, the default is off.
    let callers = |server: &mut Server| -> Vec<Value> {
        grouped(server, "m.even/2-0", "module").iter().map(|row| row[0].clone()).collect()
    };
    assert_eq!(callers(&mut server)[1..], ["m", "m"]);
    let view = server.set_view(json!({ "own": true }));
    let choices = view["choices"].as_array().unwrap();
    let choice = choices.iter().find(|choice| choice["key"] == "own").unwrap();
    assert_eq!(choice["value"], true);
    assert_eq!(callers(&mut server)[1..], ["Mercury runtime", "Mercury runtime"]);
    let even = server.root_item("m.even/2-0");
    let incoming = server.incoming(&even);
    let names: Vec<_> = incoming.iter().map(|call| name(&call["from"])).collect();
    assert_eq!(names, [format!("12 callseqs {runtime}"), format!("↻ 2 callseqs {runtime}")]);

    workspace.write("Deep.contour", "internal m\nall io\n");
    server.eventually("a warning", |server| {
        let warnings = server.warnings();
        warnings.iter().any(|warning| warning.ends_with(": `io`")).then_some(())
    });
    // Only `main` is exported. Warnings are logged just before the costs are replaced.
    let exported = ["12 callseqs m.main/2-0", "↻ 2 callseqs m.main/2-0"];
    server.eventually("callers above the new contour", |server| {
        let incoming = server.incoming(&even);
        let names: Vec<_> = incoming.iter().map(|call| name(&call["from"])).collect();
        (names == exported).then_some(())
    });

    workspace.write("Deep.contour", "internal m, io\n");
    server.eventually("a warning", |server| {
        let warnings = server.warnings();
        let broken = |warning: &String| warning.contains("Deep.contour is ignored: line 1");
        warnings.iter().any(broken).then_some(())
    });
    server.eventually("all callers", |server| (callers(server)[1..] == ["m", "m"]).then_some(()));
    let even = server.root_item("m.even/2-0");
    assert_eq!(server.incoming(&even).len(), 2);
}
