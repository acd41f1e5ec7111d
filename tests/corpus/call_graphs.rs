//! Call graphs with hand-checkable costs, from the text of a callgrind file to the costs.

use analysis::{Branch, CallTree, Cost, Groups, Recording, Total, TreeOrder, View};
use expect_test::{Expect, expect};
use formats::write::callgrind;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

fn read(bytes: Vec<u8>) -> Recording {
    formats::read(bytes, formats::Limits::default(), &mut |_| ControlFlow::Continue(()))
        .unwrap()
        .recording
}

fn fixture(path: &str) -> Recording {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/profiles");
    read(std::fs::read(folder.join(path)).unwrap())
}

/// Self and total of functions and lines, and the costs of calls; `?` marks estimates.
fn costs(recording: &Recording) -> String {
    let (symbols, groups) = (recording.symbols(), Groups::identity(recording.symbols()));
    let costs = analysis::costs(recording, &View::of(recording), &groups);
    let render = |total: Total| match total {
        Total::Exact(total) => total.to_string(),
        Total::Bounded { min, max } => format!("{min}..{max}"),
        total => format!("{total:?}"),
    };
    let name = |function| symbols.func_name(groups.first_func(function));
    let mut out = format!("total {}\n", costs.total);
    for (function, cost) in costs.functions() {
        writeln!(out, "{} {}/{}", name(function), cost.cost.self_, render(cost.cost.total))
            .unwrap();
    }
    for line in costs.lines() {
        let file = symbols.source_name(groups.first_source(line.file));
        writeln!(out, "{file}:{} {}/{}", line.line, line.cost.self_, render(line.cost.total))
            .unwrap();
    }
    let view = View::of(recording);
    let tree = CallTree::new(Arc::new(recording.clone()), view, Arc::new(groups.clone()));
    for edge in tree.edges().all() {
        let sites: Vec<_> = tree
            .edges()
            .sites(edge)
            .iter()
            .map(|site| format!("{}: {}", site.line, site.total))
            .collect();
        let (caller, callee, mark) =
            (name(edge.caller), name(edge.callee), if edge.estimated { "?" } else { "" });
        let calls = edge.calls.map_or_else(String::new, |calls| format!(" {calls}x"));
        writeln!(out, "{caller} > {callee}{calls} {}{mark} ({})", edge.total, sites.join(", "))
            .unwrap();
    }
    out
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&costs(&read(text.as_bytes().to_vec())));
}

#[test]
fn the_example_of_the_callgrind_manual() {
    check(
        "events: Ir\nfl=file1.c\nfn=main\n16 20\ncfn=func1\ncalls=1 50\n16 400\ncfi=file2.c\ncfn=func2\ncalls=3 20\n16 400\n\
         fn=func1\n51 100\ncfi=file2.c\ncfn=func2\ncalls=2 20\n51 300\nfl=file2.c\nfn=func2\n20 700\n",
        &expect![[r#"
            total 820
            main 20/820
            func1 100/400
            func2 700/700
            file1.c:16 20/820
            file1.c:51 100/400
            file2.c:20 700/700
            main > func1 1x 400 (16: 400)
            main > func2 3x 400 (16: 400)
            func1 > func2 2x 300 (51: 300)
        "#]],
    );
}

#[test]
fn direct_recursion_adds_nothing_to_the_total() {
    // Calls of `fib` by itself are nested in the call by `main`.
    check(
        "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=fib\ncalls=1 5\n2 100\nfn=fib\n5 100\ncfn=fib\ncalls=4 5\n6 150\n",
        &expect![[r#"
            total 110
            main 10/110
            fib 100/100
            a.c:1 10/10
            a.c:2 0/100
            a.c:5 100/100
            a.c:6 0/0..100
            main > fib 1x 100 (2: 100)
            fib > fib 4x 100? (6: 100)
        "#]],
    );
}

#[test]
fn a_cycle_gives_bounds() {
    // The total of `a` is the cost of the call into the cycle. `b` spends 30 itself and 20 in `c`,
    // and up to 15 more in `a`.
    check(
        "events: Ir\nfl=x.c\nfn=main\n1 10\ncfn=a\ncalls=1 0\n2 70\nfn=a\n11 20\ncfn=b\ncalls=5 0\n12 65\n\
         fn=b\n21 30\ncfn=a\ncalls=4 0\n22 15\ncfn=c\ncalls=1 0\n23 20\nfn=c\n31 20\n",
        &expect![[r#"
            total 80
            main 10/80
            a 20/70
            b 30/50..65
            c 20/20
            x.c:1 10/10
            x.c:2 0/70
            x.c:11 20/20
            x.c:12 0/50..65
            x.c:21 30/30
            x.c:22 0/0..15
            x.c:23 0/20
            x.c:31 20/20
            main > a 1x 70 (2: 70)
            a > b 5x 65? (12: 65)
            b > a 4x 15? (22: 15)
            b > c 1x 20 (23: 20)
        "#]],
    );
}

#[test]
fn levels_of_recursion_make_totals_exact() {
    // The same cycle, but the file separates calls of `a` within `a`.
    check(
        "events: Ir\nfl=x.c\nfn=main\n1 10\ncfn=a\ncalls=1 0\n2 70\nfn=a\n11 15\ncfn=b\ncalls=1 0\n12 55\n\
         fn=b\n21 25\ncfn=a'2\ncalls=1 0\n22 15\ncfn=c\ncalls=1 0\n23 15\nfn=a'2\n11 5\ncfn=b'2\ncalls=1 0\n12 10\n\
         fn=b'2\n21 5\ncfn=c\ncalls=1 0\n23 5\nfn=c\n31 20\n",
        &expect![[r#"
            total 80
            main 10/80
            a 20/70
            b 30/55
            c 20/20
            x.c:1 10/10
            x.c:2 0/70
            x.c:11 20/20
            x.c:12 0/55..65
            x.c:21 30/30
            x.c:22 0/15
            x.c:23 0/20
            x.c:31 20/20
            main > a 1x 70 (2: 70)
            a > b 2x 55 (12: 55)
            b > a 1x 15 (22: 15)
            b > c 2x 20 (23: 20)
        "#]],
    );
}

#[test]
fn inlined_code_counts_for_its_line_and_its_function() {
    check(
        "events: Ir\nfl=a.c\nfn=f\n10 5\nfi=b.h\n3 7\nfe=a.c\n11 1\n",
        &expect![[r#"
            total 13
            f 13/13
            b.h:3 7/7
            a.c:10 5/5
            a.c:11 1/1
        "#]],
    );
}

#[test]
fn several_functions_on_one_line() {
    // All calls of `block` are nested in the call from its own line.
    check(
        "events: Ir\nfl=a.rb\nfn=f\n4 1\ncfn=block\ncalls=3 4\n4 6\nfn=block\n4 6\nfn=g\n9 2\ncfn=f\ncalls=1 4\n9 7\n",
        &expect![[r#"
            total 9
            f 1/7
            block 6/6
            g 2/9
            a.rb:4 7/7
            a.rb:9 2/9
            f > block 3x 6 (4: 6)
            g > f 1x 7 (9: 7)
        "#]],
    );
    // With another function in between, the graph does not tell how much of the line is nested in
    // the line.
    check(
        "events: Ir\nfl=a.rb\nfn=f\n4 1\ncfn=each\ncalls=1 20\n4 8\nfn=each\n20 2\ncfn=block\ncalls=3 4\n20 6\nfn=block\n4 6\n\
         fn=g\n9 2\ncfn=f\ncalls=1 4\n9 9\n",
        &expect![[r#"
            total 11
            f 1/9
            each 2/8
            block 6/6
            g 2/11
            a.rb:4 7/9..11
            a.rb:9 2/11
            a.rb:20 2/8
            f > each 1x 8 (4: 8)
            each > block 3x 6 (20: 6)
            g > f 1x 9 (9: 9)
        "#]],
    );
}

#[test]
fn totals_are_unknown_without_calls() {
    check(
        "desc: I1 cache: 32768 B\ncmd: ls\nevents: Ir\nfl=a.c\nfn=main\n1 10\nfn=g\n5 3\nsummary: 13\n",
        &expect![[r#"
            total 13
            main 10/Unknown
            g 3/Unknown
            a.c:1 10/Unknown
            a.c:5 3/Unknown
        "#]],
    );
}

/// The lines of a text, sorted, because ids and their order differ.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_call_graph_survives_writing_and_reading() {
    for path in [
        "c-jsonlite/callgrind.out.instr.gz",
        "ruby-ledger-rbspy/rbspy.callgrind",
        "perl-wordgraph/callgrind.out.nytprof",
    ] {
        let recording = fixture(&format!("callgrind/{path}"));
        let Recording::Graph(graph) = &recording else { panic!("expected a graph") };
        let again = read(callgrind::write(graph).bytes);
        assert_eq!(sorted(&costs(&again)), sorted(&costs(&recording)), "{path}");
    }
}

#[test]
fn stacks_written_as_a_call_graph_have_the_same_costs() {
    type Lines = BTreeMap<(String, u32), Cost>;
    let lines = |recording: &Recording| -> (f64, Lines) {
        let (symbols, groups) = (recording.symbols(), Groups::identity(recording.symbols()));
        let costs = analysis::costs(recording, &View::of(recording), &groups);
        let file = |file| symbols.source_name(groups.first_source(file)).to_owned();
        (
            costs.total,
            costs.lines().iter().map(|line| ((file(line.file), line.line), line.cost)).collect(),
        )
    };
    for path in [
        "pprof/go-indexer-cpu/cpu.pb.gz",
        "firefox/rust-wordstat-v70/profile.json.gz",
        "rbspy/ruby-ledger/rbspy.raw.gz",
    ] {
        let recording = fixture(path);
        let Recording::Stacks(profile) = &recording else { panic!("expected stacks") };
        let again = read(callgrind::write(&analysis::call_graph(profile)).bytes);
        let ((total, expected), (total_again, actual)) = (lines(&recording), lines(&again));
        assert_eq!(total_again, total, "{path}");
        assert!(actual.keys().eq(expected.keys()), "{path}");
        let mut n_exact = 0;
        for (line, cost) in actual {
            let Cost { self_, total } = expected[&line];
            let total = total.exact().unwrap();
            let (min, max) = match cost.total {
                Total::Exact(total) => (total, total),
                Total::Bounded { min, max } => (min, max),
                total => panic!("{path}: {line:?}: {total:?}"),
            };
            assert!(
                cost.self_ == self_ && min <= total && total <= max,
                "{path}: {line:?}: {cost:?}, expected {self_}, {total}"
            );
            n_exact += usize::from(min == max);
        }
        assert!(n_exact >= 5, "{path}: only {n_exact} lines have an exact total");
    }
}

#[test]
fn the_formats_of_rbspy_have_the_same_lines_for_one_recording() {
    let lines = |name: &str| -> BTreeMap<(String, u32), (f64, f64)> {
        let recording = fixture(&format!("rbspy/ruby-ledger/{name}"));
        let (symbols, groups) = (recording.symbols(), Groups::identity(recording.symbols()));
        let costs = analysis::costs(&recording, &View::of(&recording), &groups);
        let file = |file| {
            symbols
                .source_name(groups.first_source(file))
                .trim_start_matches("/srv/demo/ruby-ledger/")
                .to_owned()
        };
        let percent = |weight: f64| (10_000.0 * weight / costs.total).round() / 100.0;
        let most = |total: Total| match total {
            Total::Exact(total) => total,
            Total::Bounded { max, .. } => max,
            total => panic!("{name}: {total:?}"),
        };
        let line = |line: &analysis::LineCost| {
            (
                (file(line.file), line.line),
                (percent(line.cost.self_), percent(most(line.cost.total))),
            )
        };
        // Ruby's own files have different names in the formats.
        costs
            .lines()
            .iter()
            .map(line)
            .filter(|((file, _), _)| file.starts_with("lib/") || file == "main.rb")
            .collect()
    };
    let near = |a: f64, b: f64| (a - b).abs() < 0.02;
    let (raw, folded) = (lines("rbspy.raw.gz"), lines("rbspy.collapsed"));
    assert_eq!(raw, folded);
    // These two skip C functions without a name and charge their self cost to the caller.
    let (summary, callgrind) = (lines("rbspy.summary"), lines("rbspy.callgrind"));
    assert!(raw.keys().eq(summary.keys()) && raw.keys().eq(callgrind.keys()) && raw.len() == 20);
    for (line, &(own, total)) in &summary {
        assert!(near(callgrind[line].0, own) && near(raw[line].1, total), "{line:?}");
        assert!(raw[line].0 <= own && total <= callgrind[line].1 + 0.02, "{line:?}");
    }
    // These weigh samples by the time between them.
    let (speedscope, pprof) = (lines("rbspy.speedscope.json"), lines("rbspy.pprof"));
    assert_eq!(speedscope, pprof);
    for (line, &(own, total)) in &raw {
        let timed = speedscope.get(line).copied().unwrap_or_default();
        assert!(
            (timed.0 - own).abs() < 0.5 && (timed.1 - total).abs() < 0.5,
            "{line:?}: {timed:?}, {own} {total}"
        );
    }
}

/// The inverted tree to three levels; `?` marks estimates.
fn inverted(recording: Recording) -> String {
    let recording = Arc::new(recording);
    let groups = Arc::new(Groups::identity(recording.symbols()));
    let tree = CallTree::new(Arc::clone(&recording), View::of(&recording), Arc::clone(&groups));
    let mut out = String::new();
    let rows = |level, parent: Option<&Branch>| {
        tree.branches(TreeOrder::BottomUp, parent)
            .into_iter()
            .rev()
            .map(move |branch| (level, branch))
    };
    let mut open: Vec<_> = rows(0, None).collect();
    while let Some((level, branch)) = open.pop() {
        let name = recording.symbols().func_name(groups.first_func(branch.function));
        let mark = if branch.estimated { "?" } else { "" };
        writeln!(out, "{}{name} {}{mark}", "  ".repeat(level), branch.total).unwrap();
        if level < 2 {
            open.extend(rows(level + 1, Some(&branch)));
        }
    }
    out
}

#[test]
fn the_inverted_tree_of_a_recursion_divides_self() {
    // Calls of `a` cost 30 and 10.
    let text = "events: Ir\nfn=main\n1 0\ncfn=a\ncalls=1 0\n1 30\nfn=a\n5 20\ncfn=b\ncalls=2 0\n6 12\nfn=b\n9 10\ncfn=a\ncalls=2 0\n9 10\n";
    expect![[r"
        a 20
          main 15?
          b 5?
        b 10
          a 10?
            main 10?
    "]]
    .assert_eq(&inverted(read(text.as_bytes().to_vec())));
    // Mercury records what a function spends for each of its callers.
    let tree = inverted(fixture("mercury/change/Deep.data"));
    let callers_of_payments = "\
change.payments/5-0 2709
  change.payments/5-0 1354
  change.pay_with/6-0 1354
  change.main/2-0 1
    Mercury runtime.Mercury runtime/0-0 1?
";
    assert!(tree.starts_with(callers_of_payments), "{tree}");
}
