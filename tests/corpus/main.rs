//! Every profile that comes with independently computed costs, through the real binary: each number of `report --json` against
//! `expected.json`, exactly.
//!
//! The cases are the folders below `fixtures/profiles`, and those of a larger corpus where one lies beside the project
//! (`../shared/corpus`). What `expected.json` counts is in each case's README.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]
#![allow(clippy::print_stderr, reason = "what was compared is worth reading")]

mod call_graphs;
mod cases;
mod compare;
mod cross_format;
mod invariants;
mod layouts;
mod report;
mod slabs;

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
        eprintln!("no corpus beside the project: the fixtures alone were compared");
        return;
    };
    assert!(!cases.is_empty(), "the corpus has no case in a format that is read");
    check(&cases);
}

/// Checks all of them and names those that fail. `COSTLINE_CASE` restricts them to names that contain it.
fn check(cases: &[Case]) {
    let wanted = std::env::var("COSTLINE_CASE").unwrap_or_default();
    // Names that only debug info knows are no part of a build that does not read it.
    let is_readable = |case: &&Case| cfg!(feature = "symbols") || case.module.is_none();
    let chosen = cases.iter().filter(|case| case.name.contains(&wanted)).filter(is_readable);
    let failed: Vec<_> =
        chosen.filter(|case| std::panic::catch_unwind(|| check_one(case)).is_err()).map(|case| &case.name).collect();
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
    eprintln!("{}: {by_report}; all counted: {by_crates}", case.name);
}
