//! The cost of several lines or functions together, as if they were one.

use crate::call_tree::{CallTree, Index};
use crate::costs::{Costs, LineCost};
use crate::edges::Edges;
use crate::stack_paths::StackIndex;
use profile::{Cost, FileId, FunctionId, Total};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::PoisonError;

impl CallTree {
    /// The cost of each set of lines (1-based, ascending) of a file, as if the lines of a set were
    /// one line: a sample counts once. `costs` are those of the same recording and view.
    pub fn costs_of_sets(&self, costs: &Costs, file: FileId, sets: &[Vec<u32>]) -> Vec<Cost> {
        let mut known = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new: Vec<&Vec<u32>> =
            sets.iter().filter(|set| !known.contains_key(&(file, (*set).clone()))).collect();
        new.sort_unstable();
        new.dedup();
        if !new.is_empty() {
            let totals = match self.index() {
                Index::Stacks(index) => totals_on_stacks(index, file, &new),
                Index::Contexts(_) | Index::Graph(_) => new.iter().map(|_| None).collect(),
            };
            for (set, total) in new.iter().zip(totals) {
                known.insert((file, (*set).clone()), cost(self, costs, file, set, total));
            }
        }
        sets.iter()
            .map(|set| known.get(&(file, set.clone())).copied())
            .map(|cost| cost.unwrap_or(Cost { self_: 0.0, total: Total::Unknown }))
            .collect()
    }
}

impl CallTree {
    /// The total of each of `n` sets of functions, as if the functions of a set were one function: a
    /// sample counts once. `set_of` returns the set of a function. `None` for a call graph, which
    /// does not record which calls are within others.
    pub fn totals_of_functions(
        &self,
        n: usize,
        set_of: impl Fn(FunctionId) -> Option<usize>,
    ) -> Option<Vec<f64>> {
        let Index::Stacks(index) = self.index() else { return None };
        let mut sums = vec![(0_u32, 0.0); n];
        for k in 0..index.len() {
            let set = set_of(index.function[k]).and_then(|set| sums.get_mut(set));
            let Some((covered_until, total)) = set else { continue };
            if k as u32 >= *covered_until {
                *covered_until = index.stacks.end[k];
                *total += index.stacks.total[k];
            }
        }
        Some(sums.into_iter().map(|(_, total)| total).collect())
    }
}

/// The weight of the samples with at least one of the lines of each set.
fn totals_on_stacks(index: &StackIndex, file: FileId, sets: &[&Vec<u32>]) -> Vec<Option<f64>> {
    // Lines may be in several sets, so a set is found by each of its lines.
    let mut sets_of: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (at, set) in sets.iter().enumerate() {
        for &line in *set {
            if let Ok(line) = index.lines.binary_search(&(file, line)) {
                sets_of.entry(line as u32).or_default().push(at);
            }
        }
    }
    let mut sums = vec![(0_u32, 0.0); sets.len()];
    for k in 0..index.stacks.len() {
        for &at in sets_of.get(&index.line[k]).into_iter().flatten() {
            let (covered_until, total) = &mut sums[at];
            if k as u32 >= *covered_until {
                *covered_until = index.stacks.end[k];
                *total += index.stacks.total[k];
            }
        }
    }
    sums.into_iter().map(|(_, total)| Some(total)).collect()
}

/// The cost of a set of lines. `total` is `None` for a call graph, which has no stacks.
fn cost(tree: &CallTree, costs: &Costs, file: FileId, set: &[u32], total: Option<f64>) -> Cost {
    let lines: Vec<&LineCost> =
        set.iter().flat_map(|&line| costs.lines_of(file, line..line + 1)).collect();
    if let [line] = lines[..] {
        return line.cost;
    }
    let self_ = lines.iter().map(|line| line.cost.self_).sum();
    let is_unknown = lines.iter().any(|line| line.cost.total == Total::Unknown);
    let total = match total {
        _ if is_unknown => Total::Unknown,
        Some(total) => Total::Exact(total),
        None => total_in_graph(tree, costs, file, set, &lines),
    };
    Cost { self_, total }
}

/// The total of several lines of a call graph. Totals add up if nothing on one line can run within
/// another: all lines are of one function, which does not call itself, not even indirectly.
fn total_in_graph(
    tree: &CallTree,
    costs: &Costs,
    file: FileId,
    set: &[u32],
    lines: &[&LineCost],
) -> Total {
    let mut functions: Vec<FunctionId> = set
        .iter()
        .flat_map(|&line| costs.functions_on(file, line))
        .map(|place| place.function)
        .collect();
    functions.sort_unstable();
    functions.dedup();
    let is_disjoint = matches!(functions[..], [function] if !is_recursive(tree.edges(), function));
    let own: f64 = lines.iter().map(|line| line.cost.self_).sum();
    let (mut least, mut most, mut is_estimated) = (own, 0.0, false);
    let mut sum_of_least = 0.0;
    for line in lines {
        let (min, max) = match line.cost.total {
            Total::Exact(total) => (total, total),
            Total::Bounded { min, max } => (min, max),
            Total::Estimated(total) => {
                is_estimated = true;
                (0.0, total)
            }
            Total::Unknown => (0.0, 0.0),
        };
        least = least.max(min);
        sum_of_least += min;
        most += max;
    }
    if is_disjoint {
        least = sum_of_least.max(own);
    }
    let most = most.min(costs.total).max(least);
    if is_estimated {
        Total::Estimated(most)
    } else if least < most {
        Total::Bounded { min: least, max: most }
    } else {
        Total::Exact(most)
    }
}

/// Whether calls from a function lead back to it.
fn is_recursive(edges: &Edges, function: FunctionId) -> bool {
    let (mut open, mut found) = (vec![function], FxHashSet::default());
    while let Some(caller) = open.pop() {
        for edge in edges.callees(caller) {
            if edge.callee == function {
                return true;
            }
            if found.insert(edge.callee) {
                open.push(edge.callee);
            }
        }
    }
    false
}
