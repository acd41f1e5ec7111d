//! Runs the real binary on every profile with independently computed costs, and compares each
//! number of `report --json` with `expected.json`, exactly.
//!
//! The cases are the folders in `fixtures/profiles`, and those of a larger corpus beside the
//! project (`../shared/corpus`) if there is one. The README of each case describes what
//! `expected.json` counts.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]
#![allow(clippy::print_stderr, reason = "the log shows what was compared")]

mod call_graphs;
mod cases;
mod compare;
mod cross_format;
mod invariants;
mod layouts;
mod names;
mod numbers;
mod report;
#[path = "../skip.rs"]
mod skip;
mod slabs;
mod sums;
mod touched;

use cases::Case;

#[test]
fn fixtures() {
    let cases = cases::fixtures();
    assert!(cases.len() >= 40, "found only {} cases below fixtures/profiles", cases.len());
    check(&cases);
}

#[test]
fn corpus_beside_the_project() {
    let Some(cases) = cases::corpus() else {
        return skip::skip("there is no corpus beside the project");
    };
    assert!(!cases.is_empty(), "the corpus has no case in a format that is read");
    check(&cases);
}

/// Checks all cases and lists those that fail. `COSTLINE_CASE` selects those whose name contains
/// it.
fn check(cases: &[Case]) {
    let filter = std::env::var("COSTLINE_CASE").unwrap_or_default();
    // Cases with debug info need a build that reads it.
    let is_readable = |case: &&Case| cfg!(feature = "symbols") || case.module.is_none();
    let selected = cases.iter().filter(|case| case.name.contains(&filter)).filter(is_readable);
    let failed: Vec<_> = selected
        .filter(|case| std::panic::catch_unwind(|| check_one(case)).is_err())
        .map(|case| &case.name)
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

fn check_one(case: &Case) {
    let mut arguments = vec!["--root", case.folder.to_str().unwrap()];
    arguments.extend(case.metric.iter().flat_map(|metric| ["--metric", *metric]));
    let report = report::report(&case.profile, &arguments);
    assert_eq!(report["format"], case.format.as_str(), "{}", case.name);
    let by_report = compare::with_report(case, &report);
    if case.module.is_some() {
        eprintln!("{}: {by_report}", case.name);
        return;
    }
    let by_crates = compare::with_crates(case, &report);
    eprintln!("{}: {by_report}; with idle samples: {by_crates}", case.name);
}
