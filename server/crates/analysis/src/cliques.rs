//! The cliques of a call graph, by their functions: functions that call each other, directly or
//! through others.
//!
//! Within a clique, a call costs what the callee spends itself. Mercury's own tool shows the same
//! numbers. For a line with such calls, that cost is the lower bound on its total, because the cost of
//! deeper calls is not recorded by line.

use crate::context_paths::ContextIndex;
use crate::graph_paths::GraphIndex;
use profile::{FunctionId, Total, cycles};
use rustc_hash::FxHashMap;

/// All cliques with the same functions.
#[derive(Debug, Clone, PartialEq)]
pub struct CliqueCost {
    /// The functions, in table order. Never empty.
    pub functions: Vec<FunctionId>,
    /// Whether they call each other, or themselves.
    pub recursive: bool,
    /// What the functions spend themselves.
    pub self_: f64,
    /// What the calls that enter the clique cost.
    pub total: Total,
    /// The number of calls that enter the clique, if calls are counted.
    pub calls: Option<u64>,
}

/// The cliques of a call graph without contexts: its cycles. Calls that may be nested make the
/// total an estimate.
pub(crate) fn cliques_of_graph(index: &GraphIndex) -> Vec<CliqueCost> {
    let GraphIndex { costs, edges } = index;
    let functions: Vec<_> = costs.functions().collect();
    // A function that is called for nothing, as at the end of a file that is cut, has no costs.
    let ends = edges.all().iter().flat_map(|edge| [edge.caller, edge.callee]);
    let all = functions.iter().map(|(function, _)| *function).chain(ends);
    let n = all.map(|function| function.index() + 1).max().unwrap_or(0);
    let callee = |caller: u32, i: usize| {
        let edge = edges.callees(FunctionId::new(caller)).get(i)?;
        Some(edge.callee.raw())
    };
    let cycle_of = cycles(n, callee);
    let is_within = |caller: FunctionId, callee: FunctionId| {
        cycle_of[caller.index()] == cycle_of[callee.index()]
    };
    let mut members: FxHashMap<u32, Vec<FunctionId>> = FxHashMap::default();
    for &(function, _) in &functions {
        members.entry(cycle_of[function.index()]).or_default().push(function);
    }
    let clique = |functions: Vec<FunctionId>| {
        let of = |function: &FunctionId| costs.function(*function);
        let leaving = || {
            let callees = functions.iter().flat_map(|&function| edges.callees(function));
            callees.filter(|edge| !is_within(edge.caller, edge.callee))
        };
        let entering = functions.iter().flat_map(|&function| edges.callers(function));
        let entering = entering.filter(|edge| !is_within(edge.caller, edge.callee));
        let self_: f64 = functions.iter().map(|function| of(function).cost.self_).sum();
        let below: f64 = leaving().map(|edge| edge.total).sum();
        let is_unknown = functions.iter().any(|function| of(function).cost.total == Total::Unknown);
        let recursive = functions.len() > 1
            || edges.callees(functions[0]).iter().any(|edge| edge.callee == functions[0]);
        let total = match functions[..] {
            [function] => costs.function(function).cost.total,
            _ if is_unknown => Total::Unknown,
            _ if leaving().any(|edge| edge.estimated) => {
                Total::Estimated((self_ + below).min(costs.base))
            }
            _ => Total::Exact(self_ + below),
        };
        let calls = match functions[..] {
            [function] if !recursive => costs.function(function).calls,
            _ => of(&functions[0]).calls.and(entering.map(|edge| edge.calls).sum()),
        };
        CliqueCost { functions, recursive, self_, total, calls }
    };
    let mut cliques: Vec<_> = members.into_values().map(clique).collect();
    cliques.sort_unstable_by(|a, b| a.functions.cmp(&b.functions));
    cliques
}

/// The cliques of a call graph with contexts. A clique below another one with the same functions
/// is part of its total already.
pub(crate) fn cliques_of_contexts(index: &ContextIndex) -> Vec<CliqueCost> {
    let contexts = index.contexts();
    let n = contexts.cliques.len();
    let clique_of = |context: u32| contexts.contexts[context as usize].clique as usize;
    let mut functions: Vec<Vec<FunctionId>> = vec![Vec::new(); n];
    for (context, function) in (0..).zip(index.functions()) {
        functions[clique_of(context)].extend(*function);
    }
    for functions in &mut functions {
        functions.sort_unstable();
        functions.dedup();
    }
    let mut rows: Vec<CliqueCost> = Vec::new();
    let mut row_of: FxHashMap<&[FunctionId], u32> = FxHashMap::default();
    let row_of: Vec<u32> = functions
        .iter()
        .map(|functions| {
            *row_of.entry(functions).or_insert_with(|| {
                let (self_, total) = (0.0, Total::Exact(0.0));
                let (functions, calls) = (functions.clone(), Some(0));
                rows.push(CliqueCost { functions, recursive: false, self_, total, calls });
                rows.len() as u32 - 1
            })
        })
        .collect();
    let mut total = vec![0.0; n];
    for (i, call) in contexts.calls.iter().enumerate() {
        let (caller, callee) = (clique_of(call.caller), clique_of(call.callee));
        let row = &mut rows[row_of[callee] as usize];
        let own = index.own(i);
        row.self_ += own;
        total[callee] += own;
        if caller == callee {
            row.recursive = true;
        } else {
            row.calls = row.calls.map(|calls| calls.saturating_add(call.count));
            total[caller] += index.cost(i);
        }
    }
    let outermost = outermost(&row_of, |clique| {
        let entry = contexts.cliques[clique].entry?;
        Some(clique_of(contexts.calls[entry as usize].caller))
    });
    for (clique, _) in outermost.into_iter().enumerate().filter(|(_, is)| *is) {
        let row = &mut rows[row_of[clique] as usize];
        row.total = row.total.plus(Total::Exact(total[clique]));
    }
    rows.retain(|row| !row.functions.is_empty());
    rows.sort_unstable_by(|a, b| a.functions.cmp(&b.functions));
    rows
}

/// Whether no clique around a clique has the same row. `parent` returns the clique that calls a
/// clique.
fn outermost(row_of: &[u32], parent: impl Fn(usize) -> Option<usize>) -> Vec<bool> {
    let n = row_of.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut open = Vec::new();
    for clique in 0..n {
        match parent(clique).filter(|&parent| parent != clique) {
            Some(parent) => children[parent].push(clique),
            None => open.push((clique, false)),
        }
    }
    let mut around: FxHashMap<u32, usize> = FxHashMap::default();
    let mut outermost = vec![false; n];
    while let Some((clique, is_left)) = open.pop() {
        let same = around.entry(row_of[clique]).or_default();
        if is_left {
            *same -= 1;
            continue;
        }
        outermost[clique] = *same == 0;
        *same += 1;
        open.push((clique, true));
        open.extend(children[clique].iter().map(|&child| (child, false)));
    }
    outermost
}
