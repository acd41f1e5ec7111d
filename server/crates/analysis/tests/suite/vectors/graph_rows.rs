//! Call graphs written as rows: bounds in cycles, branches, sets of lines, and charges.

use super::{Case, number, render_edges};
use analysis::{Branch, TreeOrder, View};
use profile::{
    Call, FuncId, GraphTables, Groups, Metric, OwnCost, ProfileBuilder, Recording, RowWeights,
    StatedTotal, Total,
};
use std::sync::Arc;

/// A call graph of the file `a.c`, from self costs (`f@3 5`), calls (`f@4>g 7`) and stated totals
/// (`f@4 =9`, `f =9`), one per line. Without `@`, a row has no line. Functions are numbered in the order
/// in which rows begin with them.
fn graph(rows: &str) -> Case {
    let mut builder = ProfileBuilder::default();
    let source = Some(builder.intern_source("a.c").unwrap());
    let mut func = |name: &str| -> FuncId {
        let name = builder.intern_string(name).unwrap();
        builder.intern_func(profile::Func { name, source, lib: None, line: 0, column: 0 }).unwrap()
    };
    let rows: Vec<(&str, u32, &str, &str)> = rows
        .lines()
        .filter_map(|row| row.trim().split_once(' '))
        .map(|(place, weight)| {
            let (place, callee) = place.split_once('>').unwrap_or((place, ""));
            let (name, line) = place.split_once('@').unwrap_or((place, "0"));
            (name, line.parse().unwrap(), callee, weight)
        })
        .collect();
    for (name, ..) in &rows {
        func(name);
    }
    let metrics = vec![Metric::new("Ir", "Ir", None)];
    let mut graph = GraphTables { metrics, ..GraphTables::default() };
    for (name, line, callee, weight) in rows {
        let (of, source) = (func(name), None);
        if let Some(total) = weight.strip_prefix('=') {
            let totals = vec![Total::Exact(total.parse().unwrap())];
            graph.totals.push(StatedTotal { func: of, source, line, totals, calls: None });
            continue;
        }
        let weights = RowWeights::from_slice(&[weight.parse().unwrap()]);
        if callee.is_empty() {
            graph.own.push(OwnCost { func: of, source, line, weights });
        } else {
            let (caller, callee) = (of, func(callee));
            let (count, nested) = (1, false);
            graph.calls.push(Call { caller, source, line, callee, count, weights, nested });
        }
    }
    graph.symbols = builder.build().into_symbols();
    let groups = Arc::new(Groups::identity(&graph.symbols));
    let recording = Recording::from(graph);
    let view = View::of(&recording);
    Case { recording: Arc::new(recording), view, groups }
}

/// The branches below the first branch with a name, each as `name total`.
fn callers(case: &Case, name: &str) -> Vec<String> {
    let tree = case.tree();
    let leaves = tree.branches(TreeOrder::BottomUp, None);
    let leaf = leaves.iter().find(|branch| case.name(branch.function) == name).unwrap();
    let text =
        |branch: &Branch| format!("{} {}", case.name(branch.function), number(branch.as_total()));
    tree.branches(TreeOrder::BottomUp, Some(leaf)).iter().map(text).collect()
}

/// The cost of lines that are shown as one.
fn together(case: &Case, lines: &[u32]) -> String {
    let costs = case.costs();
    let file = costs.lines()[0].file;
    let cost = case.tree().costs_of_sets(&costs, file, &[lines.to_vec()])[0];
    format!("{}/{}", cost.self_, number(cost.total))
}

#[test]
fn bounds_rise_along_all_calls_of_a_cycle() {
    // The outer d spends 1, c 2, b 3 and a 60; a calls d again, which spends 1, c 1, b 1 and a 16. The
    // 85 of the outer d are not less than 83 below c, and these are not less than 80 below b.
    let case = graph(
        "main@1 10
         a@2 76
         b@3 4
         c@4 3
         d@5 2
         main@1>d 85
         d@5>c 102
         c@4>b 99
         b@3>a 95
         a@2>d 19",
    );
    let costs = case.costs();
    let bounds =
        ["a", "b", "c", "d"].map(|name| match costs.function(case.find(name)).cost.total {
            // Some trillionths are left for errors of rounding.
            Total::Bounded { min, max } => (min.round(), max),
            total => (total.exact().unwrap(), total.exact().unwrap()),
        });
    assert_eq!(bounds, [(76.0, 85.0), (80.0, 85.0), (83.0, 85.0), (85.0, 85.0)]);
}

#[test]
fn a_call_costs_no_more_than_its_callee() {
    // d calls c for 10, whatever is recorded. Of the 50 of d, 35 are neither its own nor of c.
    let case = graph(
        "main@1 1
         d@2 5
         e@3 20
         c@4 10
         main@1>d 50
         d@2>c 30
         d@2>e 40
         e@3>d 8",
    );
    let costs = case.costs();
    let total = |name| costs.function(case.find(name)).cost.total;
    assert_eq!((total("c"), total("e")), (Total::Exact(10.0), Total::Exact(28.0)));
}

#[test]
fn a_line_of_two_functions_counts_what_is_nested_once() {
    // The calls of g, which is on the line of its only caller, are all within the call of g.
    let case = graph(
        "main@1 90
         f@5>g 10
         g@5 4
         g@5>h 6
         h@9 6",
    );
    assert_eq!(together(&case, &[5]), "4/10");
}

#[test]
fn cost_that_no_caller_accounts_for_is_of_none() {
    // f starts with 4 of its 10, and main calls it with 6.
    let case = graph(
        "main@1 1
         main@2>f 6
         f@5 10",
    );
    assert_eq!(callers(&case, "f"), ["main Estimated(6.0)"]);
}

#[test]
fn callers_of_a_recursion_share_all_of_it_as_an_estimate() {
    // Of the 3 of f, main calls 2; how much of the rest is nested is unknown.
    let case = graph(
        "main@1 1
         main@2>f 2
         f@5 3
         f@6>f 1",
    );
    assert_eq!(callers(&case, "f"), ["main Estimated(3.0)"]);
    // All of it comes from main.
    let case = graph(
        "main@1 1
         main@2>f 3
         f@5 3
         f@6>f 1",
    );
    assert_eq!(callers(&case, "f"), ["main 3"]);
}

#[test]
fn several_calls_between_functions_may_be_nested() {
    // Two funcs of one function, such as instances of a template.
    let rows = "main 1
         x@1 5
         x@9 5
         x@1>g 3
         x@2>g 4
         g 7
         x =20
         g =20";
    let mut case = graph(rows);
    assert_eq!(render_edges(&case), "x > g 7 (2: 4, 1: 3)\n");
    let other = graph(&rows.replace("x@2", "y@2").replace("x@9", "y@9"));
    case.recording = other.recording;
    let symbols = case.recording.symbols();
    let groups = Groups::identity(symbols).with_functions(symbols, |func| {
        let name = symbols.func_name(func);
        Some(if name == "y" { "x" } else { name }.to_owned())
    });
    case.groups = Arc::new(groups);
    assert_eq!(render_edges(&case), "x > g Estimated(7.0) (2: 4, 1: 3)\n");
}

#[test]
fn lines_that_are_shown_as_one_add_up_if_they_are_not_nested() {
    let rows = "main@1 1
         main@2>f 4
         main@3>g 6
         f@10 4
         g@20 6";
    assert_eq!(together(&graph(rows), &[2, 3]), "0/10");
    // In a recursion, one of the calls may be within the other.
    let case = graph(&format!("{rows}\nf@11>main 1"));
    assert_eq!(together(&case, &[2, 3]), "0/Bounded { min: 6.0, max: 10.0 }");
}

#[test]
fn lines_that_are_shown_as_one_are_unknown_if_one_of_them_is() {
    let case = graph(
        "f@7 2
         f@8 3
         f =5
         f@7 =2",
    );
    assert_eq!(together(&case, &[7]), "2/2");
    assert_eq!(together(&case, &[7, 8]), "5/Unknown");
}

#[test]
fn what_a_library_calls_of_itself_is_charged_once() {
    // Of the 10 of lib, 4 are its own; call is own code.
    let case = graph(
        "main@1 1
         main@2>lib 10
         lib@5 4
         lib@6>lib 3
         lib@7>call 6
         call@9 6",
    );
    let own = case.path("main call").into_iter().collect();
    let charges = case.tree().charges(&case.costs(), &own).functions;
    let charge = |name| charges[&case.find(name)];
    assert_eq!((charge("main"), charge("call")), (5.0, 6.0));
}
