//! Recordings without stacks: costs by function and call, with the totals that the file states.

use super::{Case, number, render, render_calls, render_edges, render_step};
use analysis::{PathStep, Recursion, TreeOrder, View};
use expect_test::expect;
use profile::{GraphAccess, Groups, Recording, Total, text_samples};
use std::fmt::Write;
use std::sync::Arc;

#[test]
fn derives_totals_from_calls() {
    let tables = text_samples::profile("main@1[file:a.c]\nwork@5[file:a.c]");
    let symbols = tables.symbols().clone();
    let own = |func, line, weight| profile::OwnCost {
        func: profile::FuncId::new(func),
        source: None,
        line,
        weights: profile::RowWeights::from_slice(&[weight]),
    };
    let call = profile::Call {
        caller: profile::FuncId::new(0),
        source: None,
        line: 2,
        callee: profile::FuncId::new(1),
        count: 3,
        weights: profile::RowWeights::from_slice(&[40.0]),
        nested: false,
    };
    let graph = profile::GraphTables {
        symbols,
        metrics: vec![profile::Metric::new("Ir", "Ir", None)],
        own: vec![own(0, 1, 10.0), own(1, 5, 30.0), own(1, 0, 10.0)],
        calls: vec![call],
        ..profile::GraphTables::default()
    };
    let groups = Groups::identity(&graph.symbols);
    let recording = Recording::from(graph);
    let view = View::of(&recording);
    let case = Case { recording: Arc::new(recording), view, groups: Arc::new(groups) };
    expect![[r#"
        total 50, no line 10
        main 10/50
        work 40/40
        a.c:1 10/10
        a.c:2 0/40
        a.c:5 30/30
    "#]]
    .assert_eq(&render(&case));
    assert_eq!(render_edges(&case), "main > work 40 (2: 40)\n");
    assert_eq!(render_calls(&case), "work 3, main > work 3");
    assert_eq!(
        render_step(&case, &case.tree().callers(&case.path("work"), Recursion::Collapsed)),
        "0 of 40: main 40 (2: 40)"
    );
}

/// Functions `names` of the file `a.rb` with their self costs, calls (caller, callee, weight,
/// nested) and stated totals (function, line, total).
fn call_graph(
    names: &[&str],
    own: &[f64],
    calls: &[(u32, u32, f64, bool)],
    totals: &[(u32, u32, Total)],
) -> Case {
    let mut builder = profile::ProfileBuilder::new(Vec::new(), 0);
    let source = builder.intern_source("a.rb").unwrap();
    for name in names {
        let name = builder.intern_string(name).unwrap();
        builder
            .push_func(profile::Func { name, source: Some(source), lib: None, line: 0, column: 0 })
            .unwrap();
    }
    let func = profile::FuncId::new;
    let symbols = builder.build().into_symbols();
    let graph = profile::GraphTables {
        metrics: vec![profile::Metric::new("samples", "samples", None)],
        own: (0..)
            .zip(own)
            .map(|(i, &w)| profile::OwnCost {
                func: func(i),
                source: None,
                line: 0,
                weights: profile::RowWeights::from_slice(&[w]),
            })
            .collect(),
        calls: calls
            .iter()
            .map(|&(caller, callee, weight, nested)| {
                let (caller, callee) = (func(caller), func(callee));
                profile::Call {
                    caller,
                    source: None,
                    line: 0,
                    callee,
                    count: 0,
                    weights: profile::RowWeights::from_slice(&[weight]),
                    nested,
                }
            })
            .collect(),
        totals: totals
            .iter()
            .map(|&(i, line, total)| profile::StatedTotal {
                func: func(i),
                source: None,
                line,
                totals: vec![total],
                calls: None,
            })
            .collect(),
        symbols,
        ..profile::GraphTables::default()
    };
    let groups = Groups::identity(&graph.symbols);
    let recording = Recording::from(graph);
    let view = View::of(&recording);
    Case { recording: Arc::new(recording), view, groups: Arc::new(groups) }
}

#[test]
fn uses_stated_totals() {
    // 20 samples: main > each > f 5, main > each > f > each > f 4, main > g > f 3, main > h 2, main
    // > h > h 1, main 5.
    let exact = Total::Exact;
    let case = call_graph(
        &["main", "each", "f", "g", "h"],
        &[5.0, 0.0, 12.0, 0.0, 3.0],
        &[
            (0, 1, 9.0, false),
            (1, 2, 13.0, true),
            (2, 1, 4.0, true),
            (0, 3, 3.0, false),
            (3, 2, 3.0, false),
            (0, 4, 3.0, false),
            (4, 4, 1.0, true),
        ],
        &[
            (0, 0, exact(20.0)),
            (1, 0, exact(9.0)),
            (2, 0, exact(12.0)),
            (3, 0, exact(3.0)),
            (4, 0, exact(3.0)),
            (0, 7, exact(9.0)),
            (2, 9, Total::Bounded { min: 3.0, max: 12.0 }),
            (4, 12, Total::Estimated(3.0)),
            // Two functions on one line.
            (1, 4, exact(9.0)),
            (3, 4, exact(3.0)),
        ],
    );
    expect![[r#"
        total 20, no line 20
        main 5/20
        each 0/9
        f 12/12
        g 0/3
        h 3/3
        a.rb:4 0/Bounded { min: 9.0, max: 12.0 }
        a.rb:7 0/9
        a.rb:9 0/Bounded { min: 3.0, max: 12.0 }
        a.rb:12 0/Estimated(3.0)
    "#]]
    .assert_eq(&render(&case));
    // The cost of nested calls is at most that of either end.
    assert_eq!(
        render_edges(&case),
        "main > each 9 ()\nmain > g 3 ()\nmain > h 3 ()\neach > f Estimated(9.0) ()\nf > each Estimated(4.0) ()\ng > f 3 ()\nh > h Estimated(1.0) ()\n"
    );
    let callees = |path: &str| {
        render_step(&case, &case.tree().callees(&case.path(path), Recursion::Collapsed))
    };
    let callers = |path: &str| {
        render_step(&case, &case.tree().callers(&case.path(path), Recursion::Collapsed))
    };
    assert_eq!(callees("main"), "5 of 20: each 9 () g 3 () h 3 ()");
    assert_eq!(callers("f"), "? of 12: each Estimated(9.0) () g 3 ()");
    assert_eq!(callers("h"), "? of 3: main 3 () ↻ h Estimated(1.0) ()");
    // All of `g` is below `main`, so one more step is exact. A quarter of `f` is below `g`, so the
    // calls of `f` are divided.
    assert_eq!(callees("main g"), "? of 3: f 3 ()");
    assert_eq!(callees("main g f"), "? of 3: ↻ each Estimated(1.0) ()");
    assert_eq!(callers("f g"), "0 of 3: main 3 ()");
    assert_eq!(callers("main"), "20 of 20:");
    assert_eq!(callees("g h"), "? of 0:");

    let own = |path: &str| {
        case.tree()
            .callees(&case.path(path), Recursion::Collapsed)
            .entries
            .iter()
            .map(|entry| entry.self_)
            .collect::<Vec<_>>()
    };
    assert_eq!(own("main"), [Some(0.0), Some(0.0), Some(3.0)]);
    // `f` has another caller.
    assert_eq!(own("g"), [None]);
    let starts = |path: &str| {
        case.tree()
            .callers(&case.path(path), Recursion::Collapsed)
            .entries
            .iter()
            .map(|entry| entry.self_)
            .collect::<Vec<_>>()
    };
    assert_eq!(starts("f"), [None, None]);
    assert_eq!(starts("g"), [Some(3.0)]);
    let line = case.costs().lines()[0];
    assert_eq!(case.tree().callers_of_lines(line.file, &[line.line]), PathStep::default());
    assert!(case.tree().call_nodes().is_none());

    let tree = case.tree();
    let render = |order: TreeOrder| {
        let mut out = String::new();
        let mut open: Vec<_> =
            tree.branches(order, None).into_iter().rev().map(|branch| (0, branch)).collect();
        while let Some((depth, branch)) = open.pop() {
            let (indent, name) = ("  ".repeat(depth), case.name(branch.function));
            let own = branch.self_.map_or_else(|| "?".to_owned(), |own| own.to_string());
            writeln!(out, "{indent}{name} {own}/{}", number(branch.as_total())).unwrap();
            open.extend(
                tree.branches(order, Some(&branch)).into_iter().rev().map(|next| (depth + 1, next)),
            );
        }
        out
    };
    // Three quarters of `f`, and of its callees, are below `each`. A path ends at its first
    // recursive function.
    expect![[r#"
        main 5/20
          each 0/9
            f ?/Estimated(9.0)
              each 0/Estimated(3.0)
          g 0/3
            f ?/3
              each 0/Estimated(1.0)
                f ?/Estimated(1.0)
          h 3/3
            h ?/Estimated(1.0)
    "#]]
    .assert_eq(&render(TreeOrder::TopDown));
    expect![[r#"
        f 12/12
          each ?/Estimated(9.0)
            main ?/Estimated(9.0)
          g ?/Estimated(3.0)
            main ?/Estimated(3.0)
        main 5/5
        h 3/3
          main ?/3
    "#]]
    .assert_eq(&render(TreeOrder::BottomUp));
}

#[test]
fn bounds_the_total_of_funcs_that_are_one_function() {
    // Ruby's <main> calls the <main> of the file; other funcs only share a name.
    let same = |[first, second]: [Total; 2], calls: &[(u32, u32, f64, bool)]| {
        let case = call_graph(
            &["x", "x", "rest"],
            &[1.0, 2.0, 17.0],
            calls,
            &[(0, 0, first), (1, 0, second)],
        );
        let (_, cost) = case.costs().functions().next().unwrap();
        (cost.cost.self_, cost.cost.total)
    };
    let exact = [Total::Exact(9.0), Total::Exact(8.0)];
    assert_eq!(same(exact, &[(0, 1, 8.0, false)]), (3.0, Total::Exact(9.0)));
    assert_eq!(same(exact, &[(0, 1, 6.0, false)]), (3.0, Total::Bounded { min: 9.0, max: 11.0 }));
    assert_eq!(same(exact, &[(0, 1, 8.0, true)]), (3.0, Total::Bounded { min: 9.0, max: 17.0 }));
    assert_eq!(same([Total::Exact(19.0); 2], &[]), (3.0, Total::Bounded { min: 19.0, max: 20.0 }));
    assert_eq!(
        same([Total::Exact(9.0), Total::Estimated(5.0)], &[]),
        (3.0, Total::Estimated(14.0))
    );
    assert_eq!(same([Total::Exact(9.0), Total::Unknown], &[]), (3.0, Total::Unknown));
}

/// The threads `1` and `2` of one call graph.
fn threads(parts: &[Case; 2]) -> Case {
    let thread = |i: usize| profile::Thread {
        name: i.to_string(),
        pid: Some("7".to_owned()),
        ..profile::Thread::default()
    };
    let parts = (1..)
        .zip(parts)
        .map(|(i, case)| profile::Part { recording: (*case.recording).clone(), thread: thread(i) });
    let recording = profile::merge(&parts.collect::<Vec<_>>()).unwrap();
    let groups = Groups::identity(recording.symbols());
    let view = View::of(&recording);
    Case { recording: Arc::new(recording), view, groups: Arc::new(groups) }
}

#[test]
fn totals_that_are_exact_in_each_thread_are_exact_in_all_threads() {
    // f > g in one thread, g > f in the other: there is no cycle.
    let mut case = threads(&[
        call_graph(&["f", "g"], &[1.0, 2.0], &[(0, 1, 2.0, false)], &[]),
        call_graph(&["g", "f"], &[10.0, 20.0], &[(0, 1, 20.0, false)], &[]),
    ]);
    expect![[r#"
        total 33, no line 33
        f 21/23
        g 12/32
    "#]]
    .assert_eq(&render(&case));
    assert_eq!(render_edges(&case), "f > g 2 ()\ng > f 20 ()\n");
    let of = |view: &View, case: &Case| analysis::costs(&case.recording, view, &case.groups);
    let totals = |costs: &analysis::Costs| {
        costs.threads.iter().map(|thread| thread.total).collect::<Vec<_>>()
    };
    assert_eq!(totals(&of(&case.view, &case)), [3.0, 30.0]);
    case.view.threads = analysis::ThreadChoice::Only(vec![profile::ThreadId::new(1)]);
    expect![[r#"
        total 30, no line 30
        f 20/20
        g 10/30
    "#]]
    .assert_eq(&render(&case));
    assert_eq!(totals(&of(&case.view, &case)), [30.0]);
    let all = analysis::thread_totals(&case.recording, &case.view)
        .iter()
        .map(|thread| thread.total)
        .collect::<Vec<_>>();
    assert_eq!(all, [3.0, 30.0]);
    let graph = case.recording.summed().expect("expected a call graph");
    let kept = analysis::apply_to_graph(graph, &case.view);
    let kept = kept.tables();
    assert_eq!((kept.threads.len(), kept.own.len(), kept.calls.len()), (1, 2, 1));
}

#[test]
fn a_function_of_one_thread_does_not_widen_the_bounds_of_another() {
    // Without calls, totals are unknown unless a thread has only one function.
    let case = threads(&[
        call_graph(&["main"], &[90.0], &[], &[]),
        call_graph(&["work"], &[10.0], &[], &[]),
    ]);
    expect![[r#"
        total 100, no line 100
        main 90/90
        work 10/10
    "#]]
    .assert_eq(&render(&case));
    let exact = Total::Exact;
    let case = threads(&[
        call_graph(
            &["main", "f"],
            &[1.0, 2.0],
            &[],
            &[(0, 0, exact(3.0)), (1, 0, exact(2.0)), (1, 7, exact(2.0))],
        ),
        call_graph(&["f", "g"], &[4.0, 0.0], &[], &[(0, 0, exact(4.0)), (0, 7, exact(4.0))]),
    ]);
    expect![[r#"
        total 7, no line 7
        main 1/3
        f 6/6
        a.rb:7 0/6
    "#]]
    .assert_eq(&render(&case));
}

#[test]
fn a_line_in_a_cycle_costs_at_least_what_its_function_does_not_spend_elsewhere() {
    // `main` calls `step`, which calls `exec`, which calls `step` again. The outer `step` spends 3
    // and calls `exec` for 82, of which the inner `step` is 20 (2, and 18 of `exec`). So `exec` is
    // on the stack of 82 of 95, and so is line 11. The graph adds up both calls of `exec`, to 100.
    let tables = text_samples::profile("main@1[file:a.c]\nstep@10[file:a.c]\nexec@20[file:a.c]");
    let func = profile::FuncId::new;
    let own = |of, line, weight| profile::OwnCost {
        func: func(of),
        source: None,
        line,
        weights: profile::RowWeights::from_slice(&[weight]),
    };
    let call = |caller, line, callee, weight| profile::Call {
        caller: func(caller),
        source: None,
        line,
        callee: func(callee),
        count: 1,
        weights: profile::RowWeights::from_slice(&[weight]),
        nested: false,
    };
    let graph = profile::GraphTables {
        symbols: tables.symbols().clone(),
        metrics: vec![profile::Metric::new("Ir", "Ir", None)],
        own: vec![own(0, 1, 10.0), own(1, 10, 5.0), own(2, 20, 80.0)],
        calls: vec![call(0, 2, 1, 85.0), call(1, 11, 2, 100.0), call(2, 21, 1, 20.0)],
        ..profile::GraphTables::default()
    };
    let groups = Groups::identity(&graph.symbols);
    let recording = Recording::from(graph);
    let view = View::of(&recording);
    let case = Case { recording: Arc::new(recording), view, groups: Arc::new(groups) };
    expect![[r#"
        total 95
        main 10/95
        step 5/85
        exec 80/Bounded { min: 80.0, max: 85.0 }
        a.c:1 10/10
        a.c:2 0/85
        a.c:10 5/5
        a.c:11 0/Bounded { min: 80.0, max: 85.0 }
        a.c:20 80/80
        a.c:21 0/Bounded { min: 0.0, max: 20.0 }
    "#]]
    .assert_eq(&render(&case));
}
