//! Recorded runs of one program: without a change nothing is shown, and a slower function is shown
//! with its callers only.

use crate::support::Project;
use answers::{Baseline, Compare, Compared, Diff, DiffRow as Row, Loaded, Snapshot};
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The slower function and its callers.
const SLOWER: [&str; 6] =
    ["__libc_start_call_main", "digest", "main", "round_trip", "run", "verify"];

/// The line of the work in `digest`, and the calls that lead there.
const SLOWER_LINES: [u32; 5] = [64, 74, 111, 119, 126];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/repeated/ledger")
}

fn project() -> Project {
    let source = fs::read_to_string(folder().join("ledger.c")).unwrap();
    Project::new(&[("ledger.c", &source)])
}

/// The runs of a kind, in the order of their recording.
fn runs(project: &Project, kind: &str) -> Vec<Arc<Snapshot>> {
    let names = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> =
        names.filter(|name| name.to_str().is_some_and(|name| name.starts_with(kind))).collect();
    names.sort();
    let load = |name| {
        let path = project.path("run.perf.gz");
        fs::copy(folder().join(name), &path).unwrap();
        let loaded = Loaded::read(&path, u64::MAX, &mut |_| ControlFlow::Continue(())).unwrap();
        Arc::new(project.load_all(vec![loaded]))
    };
    names.into_iter().map(load).collect()
}

/// The functions and lines that differ between two runs by more than noise, and `total` if that
/// does.
fn changes(before: &Arc<Snapshot>, now: &Arc<Snapshot>) -> BTreeSet<String> {
    let diff = Diff::new(before, now, Compare::Absolute);
    assert!(diff.by.bound().is_some());
    let rows = diff.functions.iter().chain(&diff.lines).chain(&diff.files);
    let name = |row: &Row| match &row.name {
        name if name.is_empty() => row.place(),
        name => name.clone(),
    };
    let changed = rows.filter(|row| row.is_changed()).map(name);
    changed.chain(diff.by.total().is_real().then(|| "total".to_owned())).collect()
}

/// The functions that differ from the mean of several runs by more than noise, and `total` if that
/// does.
fn changes_of_mean(before: &[Arc<Snapshot>], now: &Snapshot) -> BTreeSet<String> {
    let (newest, earlier) = before.split_last().unwrap();
    let baseline = Arc::new(Baseline::of_runs(newest.clone(), earlier.to_vec()));
    let by = baseline.comparison(now, Compare::Absolute);
    let compared = Compared { baseline: &baseline, by };
    let changed = now.costs.functions().filter_map(|(function, cost)| {
        let before = compared.function(now, function)?;
        let total = before.total_change(cost.cost);
        let is_real =
            before.self_change(cost.cost).is_real() || total.is_some_and(|total| total.is_real());
        is_real.then(|| now.function(function).name.to_owned())
    });
    changed.chain(by.total().is_real().then(|| "total".to_owned())).collect()
}

/// The runs without this one.
fn others(runs: &[Arc<Snapshot>], but: usize) -> Vec<Arc<Snapshot>> {
    let others = runs.iter().enumerate().filter(|(run, _)| *run != but);
    others.map(|(_, run)| run.clone()).collect()
}

#[test]
fn unchanged_runs_show_no_change_in_95_of_100_comparisons() {
    let project = project();
    let runs = runs(&project, "unchanged");
    assert_eq!(runs.len(), 10);
    assert!(runs[0].costs.functions().count() >= 20 && runs[0].costs.lines().len() >= 20);
    // Each with each other, and each with the mean of the others.
    let pairs = (0..10).flat_map(|before| (0..10).map(move |now| (before, now)));
    let mut all: Vec<_> = pairs
        .filter(|(before, now)| before != now)
        .map(|(before, now)| changes(&runs[before], &runs[now]))
        .collect();
    all.extend((0..10).map(|now| changes_of_mean(&others(&runs, now), &runs[now])));
    assert_eq!(all.len(), 100);
    let differ: Vec<_> = all.into_iter().filter(|changed| !changed.is_empty()).collect();
    assert!(differ.len() <= 5, "{differ:?}");
}

#[test]
fn a_slower_function_is_shown_with_its_callers_only() {
    let project = project();
    let (runs, slower) = (runs(&project, "unchanged"), runs(&project, "slower"));
    assert_eq!(slower.len(), 3);
    let expected: BTreeSet<_> = SLOWER.into_iter().chain(["total"]).map(str::to_owned).collect();
    let lines = SLOWER_LINES.map(|line| format!("ledger.c:{line}"));
    let with_lines: BTreeSet<_> =
        expected.iter().cloned().chain(lines).chain(["ledger.c".to_owned()]).collect();
    for now in &slower {
        assert_eq!(changes_of_mean(&runs, now), expected);
        for before in &runs {
            assert_eq!(changes(before, now), with_lines);
        }
    }
}
