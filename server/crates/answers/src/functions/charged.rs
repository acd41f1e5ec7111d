//! What own code costs together with the libraries that it calls.

use crate::functions::own_code::{file_of, own_files};
use analysis::{CallNodes, Cost, FunctionId};
use loading::Snapshot;
use rustc_hash::{FxHashMap, FxHashSet};

/// How often shares are computed again, at most. Cycles of libraries are rare and short.
const ROUNDS: usize = 32;

/// What each own function costs, and no other: its self cost, and that of the libraries that it calls, down
/// to the next own function. In a call graph it is an estimate: of each call of a library function the same
/// part is charged, that which is not own code in the function's total.
pub fn charged(snapshot: &Snapshot) -> FxHashMap<FunctionId, f64> {
    let mut is_own = own_files(snapshot);
    let own: FxHashSet<FunctionId> = snapshot
        .costs
        .functions()
        .map(|(function, _)| function)
        .filter(|&function| file_of(snapshot, function).is_some_and(&mut is_own))
        .collect();
    if own.is_empty() {
        return FxHashMap::default();
    }
    match snapshot.tree.call_nodes() {
        Some(nodes) => by_nodes(nodes, &own),
        None => by_calls(snapshot, &own),
    }
}

/// [`charged`] with stacks.
fn by_nodes(nodes: &CallNodes, own: &FxHashSet<FunctionId>) -> FxHashMap<FunctionId, f64> {
    let n_functions = own.iter().map(|function| function.index() + 1).max().unwrap_or(0);
    // By function; `None` for what is not own code.
    let mut charged: Vec<Option<f64>> = vec![None; n_functions];
    for function in own {
        charged[function.index()] = Some(0.0);
    }
    // Callers come before callees.
    let mut charged_to: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    for id in nodes.ids() {
        let node = nodes.get(id);
        let function = node.function.index();
        let is_own = charged.get(function).is_some_and(Option::is_some);
        let above = || node.parent.and_then(|parent| charged_to[parent.index()]);
        let to = if is_own { Some(function) } else { above() };
        charged_to.push(to);
        if let Some(cost) = to.and_then(|to| charged[to].as_mut()) {
            *cost += node.self_;
        }
    }
    own.iter().map(|&function| (function, charged[function.index()].unwrap_or(0.0))).collect()
}

/// [`charged`] in a call graph.
fn by_calls(snapshot: &Snapshot, own: &FxHashSet<FunctionId>) -> FxHashMap<FunctionId, f64> {
    let mut libraries: Vec<(FunctionId, Cost)> = snapshot
        .costs
        .functions()
        .filter(|(function, _)| !own.contains(function))
        .map(|(function, cost)| (function, cost.cost))
        .collect();
    // Most callees come before their callers.
    libraries.sort_by(|(_, a), (_, b)| a.magnitude().total_cmp(&b.magnitude()));
    // The part of each library function's total that is not own code.
    let mut shares: FxHashMap<FunctionId, f64> = FxHashMap::default();
    let of_libraries = |function: FunctionId, shares: &FxHashMap<FunctionId, f64>| -> f64 {
        let callees = snapshot.tree.edges().callees(function).iter();
        let callees = callees.filter(|edge| edge.callee != function);
        callees.map(|edge| edge.total * shares.get(&edge.callee).unwrap_or(&0.0)).sum()
    };
    for _ in 0..ROUNDS {
        let mut changed = false;
        for &(function, cost) in libraries.iter().filter(|(_, cost)| cost.magnitude() > 0.0) {
            let part = cost.self_ + of_libraries(function, &shares);
            let share = (part / cost.magnitude()).min(1.0);
            let was = shares.insert(function, share).unwrap_or(0.0);
            changed |= (share - was).abs() > 1e-6;
        }
        if !changed {
            break;
        }
    }
    let charge = |function: &FunctionId| {
        let cost = snapshot.costs.function(*function).cost;
        (cost.self_ + of_libraries(*function, &shares)).min(cost.magnitude())
    };
    own.iter().map(|function| (*function, charge(function))).collect()
}
