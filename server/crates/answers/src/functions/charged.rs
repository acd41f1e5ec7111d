//! What own code costs together with the libraries that it calls.

use crate::functions::own_code::is_own;
use analysis::FunctionId;
use loading::Snapshot;
use rustc_hash::{FxHashMap, FxHashSet};

/// What each own function costs: its self cost, and that of the libraries that it calls, down to the next
/// own function. In a call graph, calls of libraries count whole, at most up to the function's total.
pub fn charged(snapshot: &Snapshot) -> FxHashMap<FunctionId, f64> {
    let own: FxHashSet<FunctionId> = snapshot
        .costs
        .functions()
        .map(|(function, _)| function)
        .filter(|&function| is_own(snapshot, function))
        .collect();
    let mut charged: FxHashMap<FunctionId, f64> = FxHashMap::default();
    let Some(nodes) = snapshot.tree.call_nodes() else {
        for (function, cost) in snapshot.costs.functions().filter(|(it, _)| own.contains(it)) {
            let callees = snapshot.tree.edges().callees(function).iter();
            let libraries = callees.filter(|edge| !own.contains(&edge.callee));
            let called: f64 = libraries.map(|edge| edge.total).sum();
            let most = cost.cost.magnitude().max(cost.cost.self_);
            charged.insert(function, (cost.cost.self_ + called).min(most));
        }
        return charged;
    };
    // Callers come before callees.
    let mut charged_to: Vec<Option<FunctionId>> = Vec::new();
    for id in nodes.ids() {
        let node = nodes.get(id);
        let above = node.parent.and_then(|parent| charged_to[parent.index()]);
        let to = if own.contains(&node.function) { Some(node.function) } else { above };
        charged_to.push(to);
        if let Some(function) = to {
            *charged.entry(function).or_default() += node.self_;
        }
    }
    charged
}
