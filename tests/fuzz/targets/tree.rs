//! The call tree, and callers and callees, add up to the costs.

use super::numbers::has_negative_weights;
use analysis::{CallTree, Costs, Groups, Recording, Recursion, Total, TreeOrder, View};
use std::sync::Arc;

/// How many nodes and functions are looked at.
const MAX_NODES: usize = 400;

/// Panics if the branches of a call tree, or the callers and callees of a function, do not add up.
/// Those of a call graph are estimates.
pub fn check_tree(recording: &Recording, view: &View, groups: &Groups) {
    let costs = analysis::costs(recording, view, groups);
    let tree = CallTree::new(Arc::new(recording.clone()), view.clone(), Arc::new(groups.clone()));
    if recording.sampled().is_none() {
        return;
    }
    let is_negative = has_negative_weights(recording, view.metric);
    for order in [TreeOrder::TopDown, TreeOrder::BottomUp] {
        let mut open = tree.branches(order, None);
        assert_sum(&costs, open.iter().map(|branch| branch.total), costs.total, "branches");
        let mut n_nodes = 0;
        while let Some(branch) = open.pop().filter(|_| n_nodes < MAX_NODES) {
            n_nodes += 1;
            let below = tree.branches(order, Some(&branch));
            let sum: f64 = below.iter().map(|branch| branch.total).sum();
            if order == TreeOrder::TopDown {
                assert_sum(&costs, [branch.self_.unwrap_or(0.0), sum], branch.total, "a branch");
            } else if !is_negative {
                assert!(sum <= branch.total + slack(&costs), "{sum} below {branch:?}");
            }
            open.extend(below);
        }
    }
    for (function, cost) in costs.functions().take(MAX_NODES / 10) {
        for recursion in [Recursion::Collapsed, Recursion::Exact] {
            let steps =
                [tree.callees(&[function], recursion), tree.callers(&[function], recursion)];
            for step in steps {
                let entries = step.entries.iter().filter(|entry| !entry.recursive);
                let sums = entries.map(|entry| entry.total).chain(step.self_);
                assert_sum(&costs, sums, step.total, "callers or callees");
                if let Total::Exact(total) = cost.cost.total {
                    assert_sum(&costs, [step.total], total, "the root of a hierarchy");
                }
            }
        }
    }
    for edge in tree.edges().all().iter().filter(|_| !is_negative) {
        let totals = [edge.caller, edge.callee].map(|function| costs.function(function).cost.total);
        for total in totals.into_iter().filter_map(Total::exact) {
            assert!(edge.total <= total + slack(&costs), "{edge:?} of {total}");
        }
    }
}

fn slack(costs: &Costs) -> f64 {
    1e-9 * costs.base
}

fn assert_sum(costs: &Costs, terms: impl IntoIterator<Item = f64>, total: f64, of: &str) {
    let sum: f64 = terms.into_iter().sum();
    assert!((sum - total).abs() <= slack(costs), "{of} add up to {sum}, not {total}");
}
