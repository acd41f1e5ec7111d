//! The call tree branch by branch, from the roots down or, inverted, from where costs arise outwards.
//!
//! Upright, a branch is a call node: a path of functions from a root. Inverted, it is the end of such paths: at the top the
//! functions with self cost, below each its callers, by the self cost that they are the way to. Recursion is not merged in
//! either (Firefox Profiler's call tree and inverted call tree).
//!
//! A call graph has no paths. Its tree is made of calls, along which costs are divided as for callers and callees: guesses
//! wherever a function is reached in several ways. A function that calls itself, if by others, ends its path there: how deep
//! it went is not known.

use crate::call_tree::{callees_in_graph, callers_in_graph, hotter};
use crate::{CallNodeId, CallNodes, CallTree, Costs, PathEntry};
use profile::{FunctionId, Total};
use rustc_hash::FxHashMap;

/// A branch of the call tree: a path of functions, by its last one.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The last function of the path.
    pub function: FunctionId,
    /// Weight of the samples whose whole path this is. Inverted, only the top has it; `None` also where a call graph cannot
    /// tell.
    pub self_: Option<f64>,
    /// Upright: weight of the samples whose path begins so. Inverted: of those whose path ends so.
    pub total: f64,
    /// Whether the weights are guesses.
    pub estimated: bool,
    at: At,
}

impl Branch {
    /// Its weight, and how well it is known.
    pub fn known_total(&self) -> Total {
        if self.estimated { Total::Estimated(self.total) } else { Total::Exact(self.total) }
    }
}

/// From where a branch goes on.
#[derive(Debug, Clone, PartialEq)]
enum At {
    Node(CallNodeId),
    Endings(Vec<Ending>),
    Path(Vec<FunctionId>),
}

/// A call node with self cost, and the one above it up to which its path belongs to a branch.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ending {
    leaf: CallNodeId,
    at: CallNodeId,
}

impl CallTree {
    /// The branches that `parent` divides into, or those at the top; costliest first. What costs nothing is not among them.
    /// Takes time in proportion to what is there, not to the whole tree, but for the top of the inverted one.
    pub fn branches(&self, inverted: bool, parent: Option<&Branch>) -> Vec<Branch> {
        let mut branches = match (self.graph(), self.call_nodes(), parent.map(|parent| &parent.at)) {
            (Some(costs), _, None) => top_of_graph(costs, inverted),
            (Some(costs), _, Some(At::Path(path))) => of_graph(costs, inverted, path),
            (_, Some(nodes), None) if inverted => outward(nodes, all_endings(nodes), true),
            (_, Some(nodes), None) => inward(nodes, None),
            (_, Some(nodes), Some(At::Endings(endings))) => outward(nodes, callers_of(nodes, endings), false),
            (_, Some(nodes), Some(At::Node(id))) => inward(nodes, Some(*id)),
            // A branch of another tree.
            _ => Vec::new(),
        };
        // What adds up to 0 stays where something costs below: negative weights cancel others.
        branches.retain(|branch| match &branch.at {
            At::Node(id) => self.call_nodes().is_some_and(|nodes| nodes.has_cost(*id)),
            At::Endings(_) => true,
            At::Path(_) => branch.total != 0.0,
        });
        branches.sort_unstable_by(|a, b| hotter(a.total, b.total).then(a.function.cmp(&b.function)));
        branches
    }
}

fn inward(nodes: &CallNodes, parent: Option<CallNodeId>) -> Vec<Branch> {
    let branch = |id| {
        let node = nodes.get(id);
        Branch { function: node.function, self_: Some(node.self_), total: node.total, estimated: false, at: At::Node(id) }
    };
    nodes.children(parent).map(branch).collect()
}

fn outward(nodes: &CallNodes, endings: impl Iterator<Item = Ending>, top: bool) -> Vec<Branch> {
    let mut callers: FxHashMap<FunctionId, (f64, Vec<Ending>)> = FxHashMap::default();
    for ending in endings {
        let (total, endings) = callers.entry(nodes.get(ending.at).function).or_default();
        *total += nodes.get(ending.leaf).self_;
        endings.push(ending);
    }
    let branch = |(function, (total, endings))| {
        let self_ = top.then_some(total);
        Branch { function, self_, total, estimated: false, at: At::Endings(endings) }
    };
    callers.into_iter().map(branch).collect()
}

fn all_endings(nodes: &CallNodes) -> impl Iterator<Item = Ending> {
    nodes.ids().filter(|&leaf| nodes.get(leaf).self_ != 0.0).map(|leaf| Ending { leaf, at: leaf })
}

fn callers_of(nodes: &CallNodes, endings: &[Ending]) -> impl Iterator<Item = Ending> {
    endings.iter().filter_map(|&Ending { leaf, at }| Some(Ending { leaf, at: nodes.get(at).parent? }))
}

/// Inverted, the functions with self cost. Upright, those that nobody calls and then, of those that these do not reach, the
/// costliest and so on: cycles of which no caller was recorded.
fn top_of_graph(costs: &Costs, inverted: bool) -> Vec<Branch> {
    let functions = costs.functions().map(|(function, cost)| (function, cost.cost));
    if inverted {
        let branch = |(function, cost): (FunctionId, profile::Cost)| {
            let (self_, at) = (Some(cost.self_), At::Path(vec![function]));
            Branch { function, self_, total: cost.self_, estimated: false, at }
        };
        return functions.map(branch).collect();
    }
    let mut candidates: Vec<_> = functions.collect();
    let is_called = |callee| costs.callers(callee).any(|edge| edge.caller != callee);
    candidates.sort_by_cached_key(|&(function, _)| is_called(function));
    let n_roots = candidates.partition_point(|&(function, _)| !is_called(function));
    candidates[n_roots..].sort_by(|a, b| hotter(a.1.magnitude(), b.1.magnitude()));
    let mut reached = vec![false; candidates.iter().map(|(function, _)| function.index() + 1).max().unwrap_or(0)];
    let mut branches = Vec::new();
    let mut open = Vec::new();
    for (function, cost) in candidates {
        if std::mem::replace(&mut reached[function.index()], true) {
            continue;
        }
        let (total, estimated) = (cost.magnitude(), cost.total.exact().is_none());
        branches.push(Branch { function, self_: Some(cost.self_), total, estimated, at: At::Path(vec![function]) });
        open.push(function);
        while let Some(caller) = open.pop() {
            let callees = costs.callees(caller).iter().map(|edge| edge.callee);
            open.extend(callees.filter(|callee| reached.get_mut(callee.index()).is_some_and(|r| !std::mem::replace(r, true))));
        }
    }
    branches
}

fn of_graph(costs: &Costs, inverted: bool, path: &[FunctionId]) -> Vec<Branch> {
    let Some((&root, rest)) = path.split_first() else { return Vec::new() };
    if path.split_last().is_some_and(|(last, above)| above.contains(last)) {
        return Vec::new();
    }
    let step = if inverted { callers_in_graph(costs, root, rest) } else { callees_in_graph(costs, root, rest) };
    let cost = costs.function(root).cost;
    let whole = cost.magnitude();
    let branch = |entry: PathEntry| {
        let PathEntry { function, self_, total, estimated, .. } = entry;
        let at = At::Path([path, &[function]].concat());
        if !inverted {
            return Branch { function, self_, total, estimated, at };
        }
        // Self cost comes by the callers that all of the cost comes by.
        let share = if whole == 0.0 { 0.0 } else { total / whole };
        Branch { function, self_: None, total: cost.self_ * share, estimated: estimated || share != 1.0, at }
    };
    // What calls itself, if by others, is no way to itself.
    step.entries.into_iter().filter(|entry| !(inverted && path.contains(&entry.function))).map(branch).collect()
}
