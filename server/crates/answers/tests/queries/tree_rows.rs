//! Rows of the call tree, and which of them are left out.

use crate::support::Project;
use analysis::TreeOrder;
use answers::{
    Snapshot, TreeOmitted, TreeProblem, TreeRow, TreeRowsQuestion as Question, tree_rows,
};
use profile::text_samples;

/// Everything, top-down.
const ALL: Question = Question {
    order: TreeOrder::TopDown,
    hot: false,
    occurrences: false,
    limit: None,
    depth: 100,
    min_percent: 0.0,
};

fn snapshot(samples: &str, weights: &[f64]) -> Snapshot {
    Project::new(&[]).load(text_samples::weighted(samples, weights))
}

/// The rows as lines of name, total and the index of the parent, and what is left out.
fn rows(snapshot: &Snapshot, question: Question) -> (Vec<String>, TreeOmitted) {
    let found = tree_rows(snapshot, question, None).unwrap();
    let row = |TreeRow { branch, depth, parent, .. }: &TreeRow| {
        let (name, indent) = (snapshot.function(branch.function).name, "  ".repeat(*depth));
        let parent = parent.map_or(String::new(), |parent| format!(" ^{parent}"));
        format!("{indent}{name} {}{parent}", branch.total)
    };
    (found.rows.iter().map(row).collect(), found.omitted)
}

fn program() -> Snapshot {
    let samples = "
main  main  main  idle
parse parse write
scan        flush";
    snapshot(samples, &[1.0, 4.0, 2.0, 1.0])
}

#[test]
fn parents_precede_children_and_hot_siblings_others() {
    let (rows, omitted) = rows(&program(), ALL);
    let all =
        ["main 7", "  parse 5 ^0", "    scan 1 ^1", "  write 2 ^0", "    flush 2 ^3", "idle 1"];
    assert_eq!(rows, all);
    assert_eq!(omitted, TreeOmitted::default());
}

#[test]
fn a_limit_keeps_the_hottest_rows_and_their_parents() {
    let limited = |limit| rows(&program(), Question { limit: Some(limit), ..ALL });
    let (rows, omitted) = limited(4);
    assert_eq!(rows, ["main 7", "  parse 5 ^0", "  write 2 ^0", "    flush 2 ^2"]);
    assert_eq!(omitted.limit, 2);
    // Of rows that are as hot, the first.
    assert_eq!(limited(3).0, ["main 7", "  parse 5 ^0", "  write 2 ^0"]);
    assert_eq!(limited(0), (Vec::new(), TreeOmitted { limit: 6, ..TreeOmitted::default() }));
}

#[test]
fn a_row_is_as_hot_as_those_below_it() {
    let samples = "
main main other
less more";
    let snapshot = snapshot(samples, &[-4.0, 5.0, 3.0]);
    let (rows, _) = rows(&snapshot, Question { limit: Some(2), ..ALL });
    assert_eq!(rows, ["main 1", "  more 5 ^0"]);
}

#[test]
fn the_minimum_and_the_depth_leave_rows_out() {
    let program = program();
    let (hot, omitted) = rows(&program, Question { min_percent: 20.0, ..ALL });
    assert_eq!(hot, ["main 7", "  parse 5 ^0", "  write 2 ^0", "    flush 2 ^2"]);
    assert_eq!(omitted, TreeOmitted { min_percent: 2, ..TreeOmitted::default() });
    let (tops, omitted) = rows(&program, Question { depth: 0, ..ALL });
    assert_eq!(tops, ["main 7", "idle 1"]);
    assert_eq!(omitted, TreeOmitted { depth: 2, ..TreeOmitted::default() });
    let (hottest, omitted) = rows(&program, Question { hot: true, ..ALL });
    assert_eq!(hottest, ["main 7", "  parse 5 ^0", "    scan 1 ^1"]);
    assert_eq!(omitted, TreeOmitted::default());
}

#[test]
fn phases_need_times() {
    let problem = tree_rows(&program(), Question { occurrences: true, ..ALL }, None).unwrap_err();
    assert!(matches!(problem, TreeProblem::NoPhases(_)), "{problem:?}");
}
