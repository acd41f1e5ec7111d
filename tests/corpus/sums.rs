//! What stands beside each other adds up, in every fixture: the roots of the call tree, the callers and the
//! callees of each function, and the two groups of hot spots.

use crate::cases::{self, Case};
use crate::names::{MAX_BYTES, load, load_with};
use answers::{
    Context, HotRow, HotSpots, HotSpotsQuestion as Question, OpenDocuments, PathStep,
    RankScope as Scope, RankSort as Sort, Recursion, Settings, Snapshot, TreeOrder, World,
    hot_spots, hottest_functions,
};
use serde_json::json;
use std::sync::Arc;

/// Sums of fractions are rounded, and some files round the cost of each call.
fn are_equal(a: f64, b: f64, snapshot: &Snapshot) -> bool {
    (a - b).abs() <= 2e-5 * snapshot.costs.base
}

fn cases() -> Vec<Case> {
    let mut cases = cases::fixtures();
    cases.extend(cases::corpus().unwrap_or_default());
    // nytprofcg writes the blocks of `use` in the file of the block, and their calls in that of the caller.
    // These files of cProfile and Yappi lack functions that others call, and that call others.
    let contradict_themselves = ["perl-wordgraph", "cprofile-shapes", "yappi-words"];
    cases.retain(|case| !contradict_themselves.iter().any(|name| case.name.contains(name)));
    cases.retain(|case| case.profile.metadata().unwrap().len() <= MAX_BYTES);
    cases
}

#[test]
fn the_roots_of_the_call_tree_add_up_to_the_total() {
    for case in cases() {
        let snapshot = load(&case);
        let roots = snapshot.tree.branches(TreeOrder::TopDown, None);
        let sum: f64 = roots.iter().map(|root| root.total).sum();
        let total = snapshot.costs.total;
        assert!(are_equal(sum, total, &snapshot), "{}: {sum} of {total}", case.name);
    }
}

/// Whether the rows of a step, with what they leave, are the whole. `None` if that is not known.
fn adds_up(step: &PathStep, snapshot: &Snapshot) -> Option<bool> {
    let entries = step.entries.iter().filter(|entry| !entry.recursive);
    let is_exact = !step.estimated && !step.entries.iter().any(|entry| entry.estimated);
    let rest = step.self_.filter(|_| is_exact)?;
    let sum = entries.map(|entry| entry.total).sum::<f64>() + rest;
    Some(are_equal(sum, step.total, snapshot))
}

#[test]
fn callers_and_callees_add_up_with_what_they_leave() {
    let mut n_checked = 0;
    for case in cases() {
        let snapshot = load(&case);
        if snapshot.tree.edges().all().is_empty() {
            continue;
        }
        for function in hottest_functions(&snapshot).into_iter().take(300) {
            // Bounds are no sums. In a call graph, the costs of calls within a recursion overlap.
            let is_exact = snapshot.costs.function(function).cost.total.exact().is_some();
            let overlaps =
                !snapshot.tree.has_stacks() && snapshot.tree.recursion(function).is_some();
            if !is_exact || overlaps {
                continue;
            }
            let path = [function];
            let callers = snapshot.tree.callers(&path, Recursion::Collapsed);
            let callees = snapshot.tree.callees(&path, Recursion::Collapsed);
            for (what, step) in [("callers", callers), ("callees", callees)] {
                let adds_up = adds_up(&step, &snapshot);
                n_checked += u32::from(adds_up.is_some());
                let name = snapshot.function(function).name;
                assert_ne!(adds_up, Some(false), "{}: {what} of {name}: {step:?}", case.name);
            }
        }
    }
    assert!(n_checked > 1000, "{n_checked}");
}

fn spots(snapshot: Snapshot, case: &Case, question: Question) -> (Arc<Snapshot>, HotSpots) {
    let snapshot = Arc::new(snapshot);
    let world = World {
        shown: Some(snapshot.clone()),
        roots: vec![case.folder.clone()],
        ..World::default()
    };
    let context = Context { world: Arc::new(world), documents: OpenDocuments::default() };
    let question = Question { limit: Some(usize::MAX), ..question };
    (snapshot, hot_spots(&context, question).unwrap().unwrap())
}

/// The view of own code finds the sum of own code in another way: it takes libraries out of the stacks.
#[test]
fn your_code_and_the_rest_add_up_to_the_total() {
    let mut n_grouped = 0;
    for case in cases() {
        let snapshot = load(&case);
        let (total, has_stacks) = (snapshot.costs.total, snapshot.tree.has_stacks());
        let (snapshot, found) = spots(snapshot, &case, Question::default());
        let [own, others] = &found.groups[..] else { continue };
        n_grouped += 1;
        assert!(own.own && !others.own && are_equal(own.sum.0 + others.sum.0, total, &snapshot));
        let weight = |row: &HotRow| row.cost.charged.map_or(0.0, |charged| charged.0);
        let charged: f64 = found.list.rows.iter().map(weight).sum();
        assert!(are_equal(charged, own.sum.0, &snapshot), "{}: {charged}, {own:?}", case.name);
        if has_stacks {
            let (settings, _) = Settings::parse(&json!({ "ownCode": true }));
            let question = Question {
                sort: Some(Sort::Self_),
                scope: Some(Scope::Own),
                ..Question::default()
            };
            let (_, seen) = spots(load_with(&case, &settings.costs()), &case, question);
            let self_ = seen.list.rows.iter().filter_map(|row| row.cost.cost.self_);
            let seen: f64 = self_.map(|own| own.0).sum();
            assert!(are_equal(seen, own.sum.0, &snapshot), "{}: {seen}, {own:?}", case.name);
        }
    }
    assert!(n_grouped > 10, "{n_grouped}");
}
