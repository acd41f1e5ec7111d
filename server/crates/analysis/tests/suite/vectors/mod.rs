//! Hand-checkable vectors: text samples in, rendered costs out.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "in tests a panic is the message"
)]

mod call_graphs;
mod graph_rows;
mod negative;
mod rounding;

use analysis::{
    CallNodes, CallTree, Costs, IdleSamples, PathStep, Recursion, ThreadChoice, TreeOrder, View,
    costs,
};
use expect_test::{Expect, expect};
use profile::{
    FunctionId, Groups, LineKnowledge, Profile, Recording, ThreadId, Total, text_samples,
};
use std::fmt::Write;
use std::sync::Arc;

/// Two files, calls on several lines, direct recursion, a leaf reached from two callers.
const V1: &str = "
    main@10[file:app.rs]   main@10    main@12               main@12                main@12    main@13
    parse@22[file:app.rs]  parse@23   eval@31[file:app.rs]  eval@31                eval@32
    hash@5[file:lib.rs]               eval@33               eval@31                parse@22
                                      hash@5                eval@34                hash@6
";

struct Case {
    recording: Arc<Recording>,
    view: View,
    groups: Arc<Groups>,
}

impl Case {
    fn new(profile: Profile) -> Self {
        let groups = Groups::identity(profile.symbols());
        let recording = Recording::Stacks(profile);
        let view = View::of(&recording);
        Self { recording: Arc::new(recording), view, groups: Arc::new(groups) }
    }

    fn costs(&self) -> Costs {
        costs(&self.recording, &self.view, &self.groups)
    }

    fn tree(&self) -> CallTree {
        CallTree::new(self.recording.clone(), self.view.clone(), self.groups.clone())
    }

    fn name(&self, function: FunctionId) -> &str {
        self.recording.symbols().func_name(self.groups.first_func(function))
    }

    fn find(&self, name: &str) -> FunctionId {
        self.groups.functions().find(|&function| self.name(function) == name).unwrap()
    }

    fn path(&self, names: &str) -> Vec<FunctionId> {
        names.split_whitespace().map(|name| self.find(name)).collect()
    }

    fn nodes(&self) -> CallNodes {
        self.tree().call_nodes().unwrap().clone()
    }
}

fn number(total: Total) -> String {
    match total {
        Total::Exact(weight) => weight.to_string(),
        other => format!("{other:?}"),
    }
}

fn render(case: &Case) -> String {
    let costs = case.costs();
    let mut out = format!("total {}", costs.total);
    for (what, weight) in
        [("idle", costs.idle), ("no stack", costs.no_stack), ("no line", costs.no_line)]
    {
        if weight != 0.0 {
            write!(out, ", {what} {weight}").unwrap();
        }
    }
    out.push('\n');
    for (function, cost) in costs.functions() {
        write!(out, "{} {}/{}", case.name(function), cost.cost.self_, number(cost.cost.total))
            .unwrap();
        if cost.idle != 0.0 {
            write!(out, " idle {}", cost.idle).unwrap();
        }
        out.push('\n');
    }
    for line in costs.lines() {
        let file = case.recording.symbols().source_name(case.groups.first_source(line.file));
        writeln!(out, "{file}:{} {}/{}", line.line, line.cost.self_, number(line.cost.total))
            .unwrap();
    }
    out
}

fn render_edges(case: &Case) -> String {
    let tree = case.tree();
    let edges = tree.edges();
    let mut out = String::new();
    for edge in edges.all() {
        let total = number(edge.as_total());
        write!(out, "{} > {} {total}", case.name(edge.caller), case.name(edge.callee)).unwrap();
        let sites: Vec<_> =
            edges.sites(edge).iter().map(|site| format!("{}: {}", site.line, site.total)).collect();
        writeln!(out, " ({})", sites.join(", ")).unwrap();
    }
    out
}

fn render_step(case: &Case, step: &PathStep) -> String {
    let mut out = format!(
        "{} of {}:",
        step.self_.map_or("?".to_owned(), |self_| self_.to_string()),
        step.total
    );
    for entry in &step.entries {
        let mark = if entry.recursive { "↻ " } else { "" };
        let sites: Vec<_> =
            entry.sites.iter().map(|site| format!("{}: {}", site.line, site.total)).collect();
        let total = number(entry.as_total());
        write!(out, " {mark}{} {total} ({})", case.name(entry.function), sites.join(", ")).unwrap();
    }
    out
}

#[track_caller]
fn check(profile: Profile, expected: &Expect) {
    expected.assert_eq(&render(&Case::new(profile)));
}

#[test]
fn v1_functions_and_lines() {
    check(
        text_samples::profile(V1),
        &expect![[r#"
            total 6
            main 1/6
            parse 1/3
            hash 3/3
            eval 1/3
            app.rs:10 0/2
            app.rs:12 0/3
            app.rs:13 1/1
            app.rs:22 0/2
            app.rs:23 1/1
            app.rs:31 0/2
            app.rs:32 0/1
            app.rs:33 0/1
            app.rs:34 1/1
            lib.rs:5 2/2
            lib.rs:6 1/1
        "#]],
    );
}

#[test]
fn v1_tree_and_inverted_tree() {
    let case = Case::new(text_samples::profile(V1));
    let nodes = case.nodes();
    let mut out = String::new();
    let mut open: Vec<_> = nodes.children(None).collect();
    open.reverse();
    while let Some(id) = open.pop() {
        let node = nodes.get(id);
        writeln!(
            out,
            "{}{} {}/{}",
            "  ".repeat(node.depth as usize),
            case.name(node.function),
            node.self_,
            node.total
        )
        .unwrap();
        let at = open.len();
        open.extend(nodes.children(Some(id)));
        open[at..].reverse();
    }
    expect![[r#"
        main 1/6
          parse 1/2
            hash 1/1
          eval 0/3
            parse 0/1
              hash 1/1
            eval 0/2
              hash 1/1
              eval 1/1
    "#]]
    .assert_eq(&out);
    assert_eq!(nodes.subtree(nodes.children(None).next().unwrap()), 0..9);

    let (tree, mut out) = (case.tree(), String::new());
    let mut open: Vec<_> = tree
        .branches(TreeOrder::BottomUp, None)
        .into_iter()
        .rev()
        .map(|branch| (0, branch))
        .collect();
    while let Some((depth, branch)) = open.pop() {
        writeln!(out, "{}{} {}", "  ".repeat(depth), case.name(branch.function), branch.total)
            .unwrap();
        open.extend(
            tree.branches(TreeOrder::BottomUp, Some(&branch))
                .into_iter()
                .rev()
                .map(|caller| (depth + 1, caller)),
        );
    }
    expect![[r#"
        hash 3
          parse 2
            main 1
            eval 1
              main 1
          eval 1
            eval 1
              main 1
        main 1
        parse 1
          main 1
        eval 1
          eval 1
            eval 1
              main 1
    "#]]
    .assert_eq(&out);
}

#[test]
fn v1_edges_count_a_sample_once_and_keep_their_call_sites() {
    expect![[r#"
        main > parse 2 (10: 2)
        main > eval 3 (12: 3)
        parse > hash 2 (22: 2)
        eval > parse 1 (32: 1)
        eval > hash 1 (33: 1)
        eval > eval 2 (31: 2)
    "#]]
    .assert_eq(&render_edges(&Case::new(text_samples::profile(V1))));
}

#[test]
fn v1_callers_and_callees_along_exact_paths() {
    let case = Case::new(text_samples::profile(V1));
    let tree = case.tree();
    let mut out = String::new();
    for path in ["parse", "hash", "hash parse", "hash eval", "eval", "hash parse eval", "main"] {
        let step = tree.callers(&case.path(path), Recursion::Exact);
        writeln!(out, "callers of {path}: {}", render_step(&case, &step)).unwrap();
    }
    for path in ["eval", "eval eval", "eval eval eval", "main", "main parse", "parse main"] {
        let step = tree.callees(&case.path(path), Recursion::Exact);
        writeln!(out, "callees of {path}: {}", render_step(&case, &step)).unwrap();
    }
    expect![[r#"
        callers of parse: 0 of 3: main 2 (10: 2) eval 1 (32: 1)
        callers of hash: 0 of 3: parse 2 (22: 2) eval 1 (33: 1)
        callers of hash parse: 0 of 2: main 1 (10: 1) eval 1 (32: 1)
        callers of hash eval: 0 of 1: eval 1 (31: 1)
        callers of eval: 0 of 3: main 3 (12: 3) ↻ eval 2 (31: 2)
        callers of hash parse eval: 0 of 1: main 1 (12: 1)
        callers of main: 6 of 6:
        callees of eval: 0 of 3: eval 2 (31: 2) parse 1 (32: 1)
        callees of eval eval: 0 of 2: hash 1 (33: 1) eval 1 (31: 1)
        callees of eval eval eval: 1 of 1:
        callees of main: 1 of 6: eval 3 (12: 3) parse 2 (10: 2)
        callees of main parse: 1 of 2: hash 1 (22: 1)
        callees of parse main: 0 of 0:
    "#]]
    .assert_eq(&out);
}

#[test]
fn v1_callers_and_callees_with_recursion_collapsed() {
    let case = Case::new(text_samples::profile(V1));
    let tree = case.tree();
    let mut out = String::new();
    for path in ["parse", "hash", "hash parse", "hash eval", "eval", "hash eval main"] {
        let step = tree.callers(&case.path(path), Recursion::Collapsed);
        writeln!(out, "callers of {path}: {}", render_step(&case, &step)).unwrap();
    }
    for path in ["eval", "main", "main eval", "main eval hash", "eval eval"] {
        let step = tree.callees(&case.path(path), Recursion::Collapsed);
        writeln!(out, "callees of {path}: {}", render_step(&case, &step)).unwrap();
    }
    expect![[r#"
        callers of parse: 0 of 3: main 2 (10: 2) eval 1 (32: 1)
        callers of hash: 0 of 3: parse 2 (22: 2) eval 1 (33: 1)
        callers of hash parse: 0 of 2: main 1 (10: 1) eval 1 (32: 1)
        callers of hash eval: 0 of 1: main 1 (12: 1) ↻ eval 1 (31: 1)
        callers of eval: 0 of 3: main 3 (12: 3) ↻ eval 2 (31: 2)
        callers of hash eval main: 1 of 1:
        callees of eval: 1 of 3: parse 1 (32: 1) hash 1 (33: 1) ↻ eval 2 (31: 2)
        callees of main: 1 of 6: eval 3 (12: 3) parse 2 (10: 2)
        callees of main eval: 1 of 3: parse 1 (32: 1) hash 1 (33: 1) ↻ eval 2 (31: 2)
        callees of main eval hash: 1 of 1:
        callees of eval eval: 0 of 0:
    "#]]
    .assert_eq(&out);
}

/// `b` calls `a` from outside of the recursion in two samples, and within it in two others.
#[test]
fn a_recursive_caller_has_the_samples_of_its_inner_calls_alone() {
    let case = Case::new(text_samples::profile(
        "
    root@1[file:r.py]  root@1  root@1  root@1  root@1
    a@2[file:r.py]     b@5     b@5     a@3     a@2
    b@5[file:r.py]     a@2     a@3             b@5
    a@3                                        a@2
                                               b@5
                                               a@3
    ",
    ));
    let callers = case.tree().callers(&case.path("a"), Recursion::Collapsed);
    let expected = "0 of 5: root 3 (1: 3) b 2 (5: 2) ↻ b 2 (5: 2)";
    assert_eq!(render_step(&case, &callers), expected);
}

#[test]
fn v1_callers_of_a_line() {
    let case = Case::new(text_samples::profile(V1));
    let app = case.groups.file(profile::SourceId::new(0));
    let step = case.tree().callers_of_lines(app, &[31]);
    assert_eq!(render_step(&case, &step), "0 of 2: main 2 (12: 2)");
    assert_eq!(case.tree().callers_of_lines(app, &[99]), PathStep::default());
}

#[test]
fn v1_a_sample_on_several_lines_counts_once() {
    let case = Case::new(text_samples::profile(V1));
    let app = case.groups.file(profile::SourceId::new(0));
    let costs = case.costs();
    let sets = [vec![12, 31], vec![31, 32], vec![10, 12], vec![33], vec![10, 12]];
    let joined = case.tree().costs_of_sets(&costs, app, &sets);
    // Line 12 is on the stacks of three samples, line 31 on two of these.
    // Line 32 is on the third, and line 10 on two others.
    let totals = [3.0, 3.0, 5.0, 1.0, 5.0].map(Total::Exact);
    assert_eq!(joined.iter().map(|cost| cost.total).collect::<Vec<_>>(), totals);
}

#[test]
fn v4_inlined_frames_are_ordinary_frames() {
    check(
        text_samples::profile(
            "
            run@4[file:run.rs]          run@4         run@6    run
            fold@90[inl][file:iter.rs]  fold@92[inl]  step@12
            step@12[inl][file:run.rs]
            ",
        ),
        &expect![[r#"
            total 4, no line 1
            run 1/4
            fold 1/2
            step 2/2
            run.rs:4 0/2
            run.rs:6 0/1
            run.rs:12 2/2
            iter.rs:90 0/1
            iter.rs:92 1/1
        "#]],
    );
}

#[test]
fn v5_one_function_on_two_lines_of_one_stack() {
    check(
        text_samples::profile(
            "
            a@1[file:m.c]  a@1  a@1  a  y
            b@5[file:n.c]  b@5  x
            a@2            a@1
            ",
        ),
        &expect![[r#"
            total 5, no line 3
            a 3/4
            b 0/2
            x 1/1
            y 1/1
            m.c:1 1/3
            m.c:2 1/1
            n.c:5 0/2
        "#]],
    );
}

#[test]
fn functions_on_a_line_are_in_the_order_of_their_cost() {
    let case = Case::new(text_samples::profile(
        "
        main@1[file:a.c]  main@1           main@1
        cold@5[file:a.c]  hot@5[file:a.c]  hot@5
        ",
    ));
    let costs = case.costs();
    let file = costs.lines()[0].file;
    let names = costs.functions_on(file, 5).iter().map(|place| case.name(place.function));
    assert_eq!(names.collect::<Vec<_>>(), ["hot", "cold"]);
}

#[test]
fn files_and_functions_of_one_group_count_once_per_sample() {
    let profile = text_samples::profile(
        "
        sort@3[file:/w/sort.rs]  sort@3
        less@9[file:sort.rs]     sort@4
        sort@3[file:sort.rs]
        ",
    );
    // The builder remembers the last file of a name, so `sort` is two funcs, in `/w/sort.rs` and in
    // `sort.rs`.
    let symbols = profile.symbols();
    let apart = Groups::identity(symbols);
    assert_eq!((apart.n_files(), apart.n_functions()), (2, 3));
    let together = Groups::new(symbols, |source| {
        symbols.source_name(source).trim_start_matches("/w/").to_owned()
    });
    assert_eq!((together.n_files(), together.n_functions()), (1, 2));
    let mut case = Case::new(profile);
    case.groups = Arc::new(together);
    expect![[r#"
        total 2
        sort 2/2
        less 0/1
        /w/sort.rs:3 1/2
        /w/sort.rs:4 1/1
        /w/sort.rs:9 0/1
    "#]]
    .assert_eq(&render(&case));
}

#[test]
fn idle_samples_are_outside_the_total_by_default() {
    let mut case = Case::new(text_samples::profile(
        "
        main@1[file:a.c]       main@1  main@2
        poll@5[idle][file:a.c] poll@6
        ",
    ));
    expect![[r#"
        total 2, idle 1
        main 1/2
        poll 1/1 idle 1
        a.c:1 0/1
        a.c:2 1/1
        a.c:6 1/1
    "#]]
    .assert_eq(&render(&case));
    case.view.idle = IdleSamples::Included;
    expect![[r#"
        total 3
        main 1/3
        poll 2/2
        a.c:1 0/2
        a.c:2 1/1
        a.c:5 1/1
        a.c:6 1/1
    "#]]
    .assert_eq(&render(&case));
}

#[test]
fn sums_only_the_selected_threads() {
    let mut case = Case::new(text_samples::build(&[
        ("main", "main@1[file:a.c]  main@2\nhelp@9[file:a.c]", None),
        ("worker", "work@5[file:a.c]", Some(&[7.0])),
    ]));
    case.view.threads = ThreadChoice::Only(vec![ThreadId::new(1)]);
    expect![[r#"
        total 7
        work 7/7
        a.c:5 7/7
    "#]]
    .assert_eq(&render(&case));
    assert_eq!((case.nodes().len(), render_edges(&case)), (1, String::new()));
    assert_eq!(
        render_step(&case, &case.tree().callees(&case.path("main"), Recursion::Exact)),
        "0 of 0:"
    );
    assert_eq!(case.costs().threads.len(), 1);
}

#[test]
fn a_metric_without_calling_lines_has_no_line_totals() {
    let metric = profile::Metric::new("hits", "hits", None).with_lines(LineKnowledge::SelfOnly);
    let mut builder = profile::ProfileBuilder::new(vec![metric], 0);
    let name = builder.intern_string("f").unwrap();
    let source = builder.intern_source("f.js").unwrap();
    let func = builder
        .intern_func(profile::Func { name, source: Some(source), lib: None, line: 1, column: 1 })
        .unwrap();
    let frame = builder.intern_frame(profile::Frame::new(func, 3)).unwrap();
    let stack = builder.intern_stack(None, frame).unwrap();
    let samples =
        profile::Samples::new([Some(stack), None], vec![profile::Weights::Each(vec![4.0, 2.0])]);
    builder.push_thread(profile::Thread::default(), samples).unwrap();
    check(
        builder.build(),
        &expect![[r#"
            total 4, no stack 2
            f 4/4
            f.js:3 4/Unknown
        "#]],
    );
}

/// Threads with the paths and self costs of their calls. A path is a list of `name` or `name@file`.
/// The flag says whether the thread counts calls.
fn called(threads: &[(bool, &[(&str, f64)])]) -> Case {
    let metric = profile::Metric::new("us", "us", None);
    let mut builder = profile::ProfileBuilder::new(vec![metric], 0);
    for (counted, calls) in threads {
        let stacks = calls.iter().map(|(path, _)| {
            path.split_whitespace().fold(None, |stack, cell| {
                let (name, file) =
                    cell.split_once('@').map_or((cell, None), |(name, file)| (name, Some(file)));
                let name = builder.intern_string(name).unwrap();
                let source = file.map(|file| builder.intern_source(file).unwrap());
                let func = profile::Func { name, source, lib: None, line: 0, column: 0 };
                let func = builder.intern_func(func).unwrap();
                let frame = profile::Frame::new(func, 0);
                let frame = builder.intern_frame(frame).unwrap();
                Some(builder.intern_stack(stack, frame).unwrap())
            })
        });
        let stacks: Vec<_> = stacks.collect();
        let own = profile::Weights::Each(calls.iter().map(|call| call.1).collect());
        let n_calls = stacks.iter().map(|stack| u32::from(stack.is_some())).collect();
        let samples = profile::Samples::new(stacks, vec![own]);
        let samples = if *counted { samples.with_calls(n_calls) } else { samples };
        builder.push_thread(profile::Thread::default(), samples).unwrap();
    }
    Case::new(builder.build())
}

/// Functions and edges with their call counts, if they have any.
fn render_calls(case: &Case) -> String {
    let costs = case.costs();
    let functions = costs
        .functions()
        .filter_map(|(function, cost)| Some(format!("{} {}", case.name(function), cost.calls?)));
    let ends =
        |edge: &analysis::Edge| format!("{} > {}", case.name(edge.caller), case.name(edge.callee));
    let tree = case.tree();
    let edges = tree.edges().all().iter();
    let edges = edges.filter_map(|edge| Some(format!("{} {}", ends(edge), edge.calls?)));
    functions.chain(edges).collect::<Vec<_>>().join(", ")
}

#[test]
fn counts_calls_by_function_and_edge() {
    let phases = [
        ("decode", 5.0),
        ("link", 3.0),
        ("init", 7.0),
        ("kernel_run", 30.0),
        ("kernel_run f", 10.0),
        ("kernel_run f", 15.0),
        ("kernel_run f g", 5.0),
        ("", 9.0),
    ];
    assert_eq!(
        render_calls(&called(&[(true, &phases)])),
        "decode 1, link 1, init 1, kernel_run 1, f 2, g 1, kernel_run > f 2, f > g 1"
    );
    let recursion = [("f", 5.0), ("f f", 3.0), ("f f f", 1.0), ("f f f", 1.0), ("f", 2.0)];
    assert_eq!(render_calls(&called(&[(true, &recursion)])), "f 5, f > f 3");
    // A call without self cost counts as well.
    let two_callers = [("a", 0.0), ("a c", 2.0), ("b", 1.0), ("b c", 4.0), ("b c", 0.0)];
    assert_eq!(render_calls(&called(&[(true, &two_callers)])), "a 1, c 3, b 1, a > c 1, b > c 2");
}

#[test]
fn calls_are_counted_only_if_all_selected_threads_count_them() {
    let mut case = called(&[
        (true, &[("a b", 1.0)]),
        (true, &[("a b", 1.0), ("a", 1.0)]),
        (true, &[]),
        (false, &[]),
    ]);
    assert_eq!(render_calls(&case), "a 1, b 2, a > b 2");
    case.view.threads = ThreadChoice::Only(vec![ThreadId::new(0)]);
    assert_eq!(render_calls(&case), "a 0, b 1, a > b 1");

    let mut case = called(&[(true, &[("a b", 1.0)]), (false, &[("a b", 1.0)])]);
    assert_eq!(render_calls(&case), "");
    case.view.threads = ThreadChoice::Only(vec![ThreadId::new(0)]);
    assert_eq!(render_calls(&case), "a 0, b 1, a > b 1");
    assert_eq!(render_calls(&Case::new(text_samples::profile(V1))), "");
}

#[test]
fn adds_the_calls_of_grouped_functions() {
    let mut case = called(&[(
        true,
        &[("f@/w/a.rs", 1.0), ("f@/w/a.rs g", 2.0), ("f@a.rs", 1.0), ("f@a.rs g", 3.0)],
    )]);
    assert_eq!(render_calls(&case), "f 1, g 2, f 1, f > g 1, f > g 1");
    let symbols = case.recording.symbols();
    let groups = Groups::new(symbols, |source| {
        symbols.source_name(source).trim_start_matches("/w/").to_owned()
    });
    case.groups = Arc::new(groups);
    assert_eq!(render_calls(&case), "f 2, g 2, f > g 2");
}

#[test]
fn handles_a_stack_of_100_000_frames() {
    let mut builder =
        profile::ProfileBuilder::new(vec![profile::Metric::new("samples", "samples", None)], 0);
    let source = builder.intern_source("deep.c").unwrap();
    let mut frames = Vec::new();
    for name in ["even", "odd"] {
        let name = builder.intern_string(name).unwrap();
        let func = builder
            .intern_func(profile::Func {
                name,
                source: Some(source),
                lib: None,
                line: 0,
                column: 0,
            })
            .unwrap();
        frames.push(builder.intern_frame(profile::Frame::new(func, 7)).unwrap());
    }
    let mut stack = None;
    for depth in 0..100_000 {
        stack = Some(builder.intern_stack(stack, frames[depth % 2]).unwrap());
    }
    let samples = profile::Samples::new([stack], vec![profile::Weights::Ones]);
    builder.push_thread(profile::Thread::default(), samples).unwrap();
    let case = Case::new(builder.build());
    expect![[r#"
        total 1
        even 0/1
        odd 1/1
        deep.c:7 1/1
    "#]]
    .assert_eq(&render(&case));
    assert_eq!(case.nodes().len(), 100_000);
    assert_eq!(
        render_step(&case, &case.tree().callers(&case.path("odd"), Recursion::Exact)),
        "0 of 1: even 1 (7: 1) ↻ even 1 (7: 1)"
    );
}
