//! Call graphs as written for callgrind: lines of callees, and what is lost.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::common::read;
use formats::write::{Written, callgrind};
use profile::{Call, CallGraph, Func, GraphAccess, GraphTables};

/// What Callgrind writes: `main` calls `work`, which starts at line 10, and `work` calls itself and
/// `log`, which has costs in an included file only. Lines behind `calls=` may be relative to the line
/// before.
const CALLGRIND: &str = "\
# callgrind format
positions: line
events: Ir
fl=a.c
fn=main
20 5
cfn=work
calls=1 10
21 4000
fn=work
10 600
+1 300
cfn=work
calls=300 -1
11 2900
cfi=b.c
cfn=log
calls=2 0
12 200
fl=b.c
fn=log
fi=b.h
3 200
";

fn graph(text: &str) -> CallGraph {
    read(text.as_bytes().to_vec()).unwrap().recording.summed().unwrap().clone()
}

/// The lines with counts of calls, and what each is about.
fn calls(written: &Written) -> String {
    let text = String::from_utf8(written.bytes.clone()).unwrap();
    let calls = text.lines().filter_map(|line| line.strip_prefix("calls="));
    calls.collect::<Vec<_>>().join(", ")
}

#[test]
fn calls_have_the_first_line_of_the_callee() {
    // `work` by `main`, `work` by itself, `log`.
    assert_eq!(calls(&callgrind::write(&graph(CALLGRIND))), "1 10, 300 10, 2 0");
    // A line without a cost does not count; a line that only calls does.
    let text = "events: Ir\nfl=a.c\nfn=main\n1 5\ncfn=f\ncalls=1 0\n2 90\n\
                fn=f\n3 0\n7 10\ncfn=g\ncalls=1 0\n6 80\nfn=g\n9 80\n";
    assert_eq!(calls(&callgrind::write(&graph(text))), "1 9, 1 6");
}

#[test]
fn a_recorded_start_comes_before_lines_with_costs() {
    let mut graph = graph(CALLGRIND).tables().clone();
    let work = graph.calls[0].callee;
    let before = std::mem::take(&mut graph.symbols.funcs);
    for id in before.ids() {
        let func = before.get(id);
        graph.symbols.funcs.push(Func { line: if id == work { 8 } else { 0 }, ..func });
    }
    assert_eq!(calls(&callgrind::write(&graph.into())), "1 8, 300 8, 2 0");
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_lines() {
    let text = "events: Ir\nfl=a.c\nfn=f\n3 1\nfn=g\n3 2\nfn=h\n9 4\n";
    let mut graph = graph(text).tables().clone();
    let before = std::mem::take(&mut graph.symbols.funcs);
    let name = before.get(graph.own[0].func).name;
    for (id, line) in before.ids().zip([3, 3, 9]) {
        graph.symbols.funcs.push(Func { name, line, ..before.get(id) });
    }
    let written = String::from_utf8(callgrind::write(&graph.into()).bytes).unwrap();
    let names = written.lines().filter_map(|line| line.strip_prefix("fn="));
    assert_eq!(names.collect::<Vec<_>>(), ["(1) f:3", "(1)", "(2) f:9"]);
}

/// 10 · 0.4 and 5 · 1.3 samples were 4 and 7 of 11.
#[test]
fn fractions_are_written_in_a_smaller_unit() {
    let with_weights = |weights: [f64; 2]| {
        let mut graph = graph("events: samples\nfl=a.c\nfn=f\n1 4\nfn=g\n2 7\n").tables().clone();
        for (own, weight) in graph.own.iter_mut().zip(weights) {
            own.weights = [weight].into_iter().collect();
        }
        let written = callgrind::write(&graph.into());
        let text = String::from_utf8(written.bytes).unwrap();
        let event = text.lines().find(|line| line.starts_with("event: ")).unwrap().to_owned();
        let cost = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
        let costs: Vec<_> = text.lines().filter(cost).map(str::to_owned).collect();
        (event, costs.join(", "), written.lost)
    };
    let (event, costs, lost) = with_weights([4.0, 6.5]);
    assert!(event.contains("(millisamples)"), "{event}");
    assert_eq!((costs.as_str(), lost), ("1 4000, 2 6500", vec![]));
    let (event, costs, lost) = with_weights([0.0004, 1.0]);
    assert!(event.contains("(microsamples)"), "{event}");
    assert_eq!((costs.as_str(), lost), ("1 400, 2 1000000", vec![]));
    assert_eq!(with_weights([2.5e-7, 1.0]).2, ["fractions of weights"]);
}

#[test]
fn stacks_are_lost_only_if_there_are_some() {
    let recorded = graph(CALLGRIND);
    assert_eq!(callgrind::write(&recorded).lost, [""; 0]);
    let tables = recorded.tables().clone();
    let nested = |nested: fn(&Call) -> bool| -> CallGraph {
        let calls = tables.calls.iter().map(|call| Call { nested: nested(call), ..call.clone() });
        GraphTables { calls: calls.collect(), ..tables.clone() }.into()
    };
    // As the calls on stacks are summed.
    let summed = nested(|_| true);
    let lost = ["stacks (it only has single calls)"];
    assert_eq!(callgrind::write(&summed).lost, lost);
    assert_eq!(callgrind::write_as_rbspy(&summed).lost, lost);
    // As Python and Ruby record calls, of which some may be nested.
    assert_eq!(callgrind::write(&nested(|call| call.caller == call.callee)).lost, [""; 0]);
}
