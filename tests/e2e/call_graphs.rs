//! Call graphs in callgrind's format: what hints, lenses and lists say of hand-checkable files.

use crate::support::requests::{costs, text};
use crate::support::{Server, Workspace};
use serde_json::{Value, json};

const HEADER: &str = "int\ng(void) {\n    return 1;\n}\n";

/// A server that shows `profile`, with the C file `name`, whose functions start on `functions`.
fn start(profile: &str, name: &str, functions: &[(u32, &str)]) -> (Workspace, Server, String) {
    let last = functions.iter().map(|(line, _)| line + 30).max().unwrap();
    let source = (1..=last).map(|line| {
        let function = functions.iter().find(|(start, _)| *start == line);
        let ends = functions.iter().any(|(start, _)| *start == line + 1) || line == last;
        match function {
            Some((_, name)) => format!("void {name}(void) {{\n"),
            None if ends && line > 1 => "}\n".to_owned(),
            None => "    ;\n".to_owned(),
        }
    });
    let workspace = Workspace::with([(name, source.collect::<String>().as_str()), ("b.h", HEADER)]);
    workspace.write("callgrind.out.1", profile);
    let options =
        json!({ "hints": { "minPercent": 0 }, "lenses": { "minPercent": 0 }, "unit": "absolute" });
    let mut server = Server::builder(&workspace).options(options).start();
    server.wait_profile();
    let uri = server.open_file(&workspace.path(name), "c");
    (workspace, server, uri)
}

/// Self and total of the functions, by name.
fn functions(server: &mut Server) -> Vec<(String, Value, Value)> {
    let rows = server.execute("costline.hotspots", json!([{ "limit": 100 }]));
    let rows = rows["functions"].as_array().unwrap().iter();
    let mut rows: Vec<_> =
        rows.map(|row| (text(&row["name"]), row["self"].clone(), row["total"].clone())).collect();
    rows.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    rows
}

fn function(name: &str, own: u64, total: u64) -> (String, Value, Value) {
    (name.to_owned(), json!(own), json!(total))
}

/// The example of callgrind's manual, and the same with compressed names and positions.
#[test]
fn the_example_of_the_manual_with_and_without_compression() {
    let plain = "events: Instructions\n\nfl=file1.c\nfn=main\n16 20\ncfn=func1\ncalls=1 50\n16 400\n\
        cfi=file2.c\ncfn=func2\ncalls=3 20\n16 400\n\nfn=func1\n51 100\ncfi=file2.c\ncfn=func2\n\
        calls=2 20\n51 300\n\nfl=file2.c\nfn=func2\n20 700\n";
    let compressed = "events: Instructions\n\nfl=(1) file1.c\nfn=(1) main\n16 20\ncfn=(2) func1\n\
        calls=1 50\n* 400\ncfi=(2) file2.c\ncfn=(3) func2\ncalls=3 20\n* 400\n\nfn=(2)\n+35 100\n\
        cfi=(2)\ncfn=(3)\ncalls=2 20\n* 300\n\nfl=(2)\nfn=(3)\n-31 700\n";
    for profile in [plain, compressed] {
        let starts = [(15, "main"), (50, "func1")];
        let (_workspace, mut server, uri) = start(profile, "file1.c", &starts);
        assert_eq!(server.line_costs(&uri), costs([(16, 20, 820), (51, 100, 400)]));
        assert_eq!(
            functions(&mut server),
            [function("func1", 100, 400), function("func2", 700, 700), function("main", 20, 820)]
        );
    }
}

/// Instructions and lines as positions, two events, and a third that is computed from them.
#[test]
fn every_event_is_a_metric() {
    let profile = "positions: instr line\nevents: Ir Dr\nevent: S = Ir + 2 Dr : Sum\nfl=a.c\nfn=f\n\
        0x80001234 5 10 3\n";
    let (_workspace, mut server, uri) = start(profile, "a.c", &[(4, "f")]);
    for (metric, cost) in [("Ir", 10), ("Dr", 3), ("S", 16)] {
        server.set_view(json!({ "metric": metric }));
        assert_eq!(server.line_costs(&uri), costs([(5, cost, cost)]), "{metric}");
    }
}

#[test]
fn inlined_code_has_hints_in_its_own_file() {
    let profile = "events: Ir\nfl=a.c\nfn=f\n10 5\nfi=b.h\n3 7\nfe=a.c\n11 1\n";
    let (workspace, mut server, uri) = start(profile, "a.c", &[(9, "f")]);
    let header = server.open_file(&workspace.path("b.h"), "c");
    assert_eq!(server.line_costs(&uri), costs([(10, 5, 5), (11, 1, 1)]));
    assert_eq!(server.line_costs(&header), costs([(3, 7, 7)]));
    // The profile has no start lines, so the lens needs the definition.
    if cfg!(feature = "grammars") {
        let lenses = server.lenses(&uri);
        assert_eq!(lenses.iter().map(|lens| &lens["data"]["self"]).collect::<Vec<_>>(), [13]);
    }
}

/// A function that calls itself has the total of the call from outside. A cycle of two functions
/// has the cost of the call that enters it.
#[test]
fn recursion_counts_once() {
    let direct = "events: Ir\nfl=a.c\nfn=main\n2 10\ncfn=fib\ncalls=1 5\n3 100\nfn=fib\n42 100\ncfn=fib\n\
        calls=4 5\n43 150\n";
    let (_workspace, mut server, uri) = start(direct, "a.c", &[(1, "main"), (41, "fib")]);
    assert_eq!(functions(&mut server), [function("fib", 100, 100), function("main", 10, 110)]);
    let fib = server.root_item("fib");
    let callers = server.incoming(&fib);
    let names: Vec<_> = callers.iter().map(|call| text(&call["from"]["name"])).collect();
    assert_eq!(names, ["100 Ir main", "↻ 100 Ir est. fib"]);
    assert_eq!(server.labels(&uri)[&2], "100 Ir");

    let cycle = "events: Ir\nfl=a.c\nfn=main\n2 10\ncfn=a\ncalls=1 0\n3 70\nfn=a\n42 20\ncfn=b\ncalls=5 0\n\
        43 65\nfn=b\n82 30\ncfn=a\ncalls=4 0\n83 15\ncfn=c\ncalls=1 0\n84 20\nfn=c\n122 20\n";
    let starts = [(1, "main"), (41, "a"), (81, "b"), (121, "c")];
    let (_workspace, mut server, _) = start(cycle, "a.c", &starts);
    let rows = functions(&mut server);
    assert_eq!(rows[0], function("a", 20, 70));
    // `b` spends 30 itself and 20 in `c`, and up to 15 more in `a`.
    assert_eq!(rows[1], ("b".to_owned(), json!(30), Value::Null));
    assert_eq!(rows[2..], [function("c", 20, 20), function("main", 10, 80)]);
    let cliques = server.execute("costline.hotspots", json!([{ "by": "clique" }]));
    let cliques = cliques["cliques"].as_array().unwrap();
    let cycle: Vec<_> = cliques.iter().filter(|clique| clique["recursive"] == true).collect();
    assert_eq!(cycle.len(), 1);
    assert_eq!([&cycle[0]["self"], &cycle[0]["total"]], [50, 70]);
}

/// Two parts, both notations of conditional jumps, and a function that is called without `calls=`.
/// Jumps have no cost and do not move positions.
#[test]
fn parts_add_up_and_jumps_move_nothing() {
    let part = |part, cost| {
        format!(
            "version: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: ./a\npart: {part}\n\npositions: line\n\
             events: Ir\n\nfl=a.c\nfn=f\n5 {cost}\njump=2 8\n6\njcnd=1/3 9\n+1\njcnd=3 1 9\n+1\n+1 4\n\
             cfn=g\n10 1\n\ntotals: {}\n",
            cost + 5
        )
    };
    let profile = format!("# callgrind format\n{}\n{}", part(1, 100), part(2, 20));
    let (_workspace, mut server, uri) = start(&profile, "a.c", &[(4, "f")]);
    assert_eq!(server.line_costs(&uri), costs([(5, 120, 120), (9, 8, 8), (10, 2, 2)]));
    assert_eq!(server.warnings(), Vec::<String>::new());
    assert_eq!(server.profiles()["active"]["total"], 130);
}
