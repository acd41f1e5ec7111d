//! The call tree, expanded branch by branch: top-down or bottom-up.
//!
//! Top-down, a branch is a call node: a path of functions from a root. Bottom-up, it is a suffix of
//! such paths: the functions with self cost at the top, their callers below, each with the self
//! cost that it leads to. Neither collapses recursion, like the Firefox Profiler's call tree and
//! inverted call tree.
//!
//! Around a function, branches are merged from all places in the tree that have the function: what
//! it calls, or what calls it. As for callers and callees, a sample is charged once, at the
//! outermost call.
//!
//! A call graph has no paths. Its tree follows the calls and divides costs in proportion, as for
//! callers and callees, so weights are estimates wherever a function can be reached in several
//! ways. A path ends where a function occurs on it for the second time, because a call graph does
//! not say how deep the recursion went.
//!
//! Every view of the call tree uses `CallTree::branches`: `costline tree`, `costline.callTree` and the
//! flame graph panels. They then cannot disagree.

use crate::call_tree::Index;
use crate::function_costs::FunctionCost;
use crate::graph_paths::{GraphIndex, without_caller};
use crate::paths::{PathEntry, PathStep, Recursion, hotter, rest_of};
use crate::tree_order::{Around, TreeOrder};
use crate::{CallNode, CallNodeId, CallNodes, CallTree, Costs};
use profile::{FunctionId, JitTier, Total};
use rustc_hash::{FxHashMap, FxHashSet};

/// A branch of the call tree: a path of functions, represented by its last function.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The last function of the path.
    pub function: FunctionId,
    /// Weight of the samples whose whole path this is. Bottom-up, only top branches have it. `None`
    /// also if a call graph does not tell.
    pub self_: Option<f64>,
    /// Weight of the samples whose path begins with this one or, bottom-up, ends with it.
    pub total: f64,
    /// Whether the weights are estimates.
    pub estimated: bool,
    at: At,
}

impl Branch {
    /// The total, marked as exact or estimated.
    pub fn as_total(&self) -> Total {
        if self.estimated { Total::Estimated(self.total) } else { Total::Exact(self.total) }
    }

    /// Frees the data that the branches below are computed from, if it may be large. Afterwards,
    /// there are no branches below.
    pub fn release(&mut self) {
        if !matches!(self.at, At::Node(_)) {
            self.at = At::Merged(Vec::new());
        }
    }
}

/// What the branches below are computed from.
#[derive(Debug, Clone, PartialEq)]
enum At {
    Node(CallNodeId),
    /// Nodes, none of which is below another.
    Merged(Vec<CallNodeId>),
    Endings(Vec<Ending>),
    Path(Vec<FunctionId>),
}

/// A call node, and the ancestor that the branch has reached. Bottom-up, the node contributes its
/// self cost. Around a function, it is an outermost call of that function and contributes its
/// total.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ending {
    leaf: CallNodeId,
    at: CallNodeId,
}

impl CallTree {
    /// The branches below `parent`, or the top ones, costliest first. Branches without any cost are
    /// left out. Takes time in proportion to the result, except for the top of the bottom-up tree,
    /// which visits all call nodes.
    pub fn branches(&self, order: TreeOrder, parent: Option<&Branch>) -> Vec<Branch> {
        let mut branches = match (self.call_nodes(), self.graph()) {
            (Some(nodes), _) => branches_in_stacks(nodes, order, parent),
            (None, Some(graph)) => self.branches_in_graph(graph, order, parent),
            (None, None) => Vec::new(),
        };
        self.finish(&mut branches);
        branches
    }

    fn branches_in_graph(
        &self,
        graph: &GraphIndex,
        order: TreeOrder,
        parent: Option<&Branch>,
    ) -> Vec<Branch> {
        match (parent.map(|parent| (parent, &parent.at)), order) {
            (None, TreeOrder::TopDown) => roots_of_graph(graph),
            (None, TreeOrder::BottomUp) => leaves_of_graph(&graph.costs),
            (Some((_, At::Path(path))), TreeOrder::TopDown) => self.callees_in_graph(path),
            (Some((parent, At::Path(path))), TreeOrder::BottomUp) => {
                self.callers_in_graph(&graph.costs, path, parent)
            }
            // The branch belongs to another tree.
            _ => Vec::new(),
        }
    }

    /// The branches below `parent` around a function, costliest first: at the top the function
    /// itself, then what it calls or what calls it.
    pub fn branches_around(
        &self,
        function: FunctionId,
        around: Around,
        parent: Option<&Branch>,
    ) -> Vec<Branch> {
        let mut branches = match (self.call_nodes(), parent.map(|parent| &parent.at), around) {
            (None, None, _) => {
                let step = self.callees(&[function], Recursion::Exact);
                let at = At::Path(vec![function]);
                let (self_, total) = (step.self_, step.total);
                vec![Branch { function, self_, total, estimated: false, at }]
            }
            (None, Some(At::Path(path)), Around::Callees) => self.callees_in_graph(path),
            (None, Some(At::Path(path)), Around::Callers) => self.paths_to_callers(path),
            (Some(nodes), None, _) => outermost(nodes, function, around),
            (Some(nodes), Some(At::Merged(ids)), _) => {
                merged(nodes, ids.iter().flat_map(|&id| nodes.children(Some(id))))
            }
            (Some(nodes), Some(At::Endings(endings)), _) => {
                outward(nodes, callers_of(nodes, endings), |node| node.total)
            }
            // The branch belongs to another tree.
            _ => Vec::new(),
        };
        self.finish(&mut branches);
        branches
    }

    /// The weight of the samples with at least one function that `is_wanted`. `None` for a call
    /// graph, which does not record this.
    pub fn weight_with(&self, is_wanted: impl Fn(FunctionId) -> bool) -> Option<f64> {
        let nodes = self.call_nodes()?;
        let mut end = 0;
        let outermost = nodes.ids().filter(|&id| {
            let is_outermost = id.index() >= end && is_wanted(nodes.get(id).function);
            if is_outermost {
                end = nodes.subtree(id).end;
            }
            is_outermost
        });
        Some(outermost.fold(0.0, |sum, id| sum + nodes.get(id).total))
    }

    /// Removes branches without cost and sorts the others.
    fn finish(&self, branches: &mut Vec<Branch>) {
        // A node whose total is 0 is kept if something below it has a cost: negative weights may
        // cancel out.
        branches.retain(|branch| match &branch.at {
            At::Node(id) => self.call_nodes().is_some_and(|nodes| nodes.has_cost(*id)),
            At::Merged(ids) => {
                self.call_nodes().is_some_and(|nodes| ids.iter().any(|&id| nodes.has_cost(id)))
            }
            At::Endings(_) => true,
            At::Path(_) => branch.total != 0.0,
        });
        branches
            .sort_unstable_by(|a, b| hotter(a.total, b.total).then(a.function.cmp(&b.function)));
    }

    /// Whether the self cost or the total of a branch, or of a branch below it, is at least
    /// `least`: negative weights may cancel out. In a call graph, only the branch itself is
    /// checked.
    pub fn reaches(&self, branch: &Branch, least: f64) -> bool {
        let own = branch.self_.unwrap_or_default();
        if own.abs().max(branch.total.abs()) >= least {
            return true;
        }
        let Some(nodes) = self.call_nodes().filter(|nodes| nodes.has_negative()) else {
            return false;
        };
        match &branch.at {
            At::Node(id) => nodes.peak(*id) >= least,
            At::Merged(ids) => ids.iter().any(|&id| nodes.peak(id) >= least),
            At::Endings(endings) => callers_reach(nodes, endings, least),
            At::Path(_) => false,
        }
    }

    /// The JIT tiers of a branch's total. Empty if the recording has no tiers, and in the bottom-up
    /// tree.
    pub fn jit_tiers_of_branch(&self, branch: &Branch) -> &[(JitTier, f64)] {
        match (&branch.at, self.call_nodes()) {
            (At::Node(id), Some(nodes)) => nodes.jit_tiers(*id),
            _ => &[],
        }
    }

    fn callees_in_graph(&self, path: &[FunctionId]) -> Vec<Branch> {
        if path.split_last().is_some_and(|(last, above)| above.contains(last)) {
            return Vec::new();
        }
        let entries = self.callees(path, Recursion::Exact).entries.into_iter();
        entries
            .map(|PathEntry { function, self_, total, estimated, .. }| {
                let at = At::Path([path, &[function]].concat());
                Branch { function, self_, total, estimated, at }
            })
            .collect()
    }

    fn paths_to_callers(&self, path: &[FunctionId]) -> Vec<Branch> {
        if path.split_last().is_some_and(|(last, below)| below.contains(last)) {
            return Vec::new();
        }
        let entries = self.callers(path, Recursion::Exact).entries.into_iter();
        entries
            .filter(|entry| !entry.recursive)
            .map(|PathEntry { function, total, estimated, .. }| {
                let at = At::Path([path, &[function]].concat());
                Branch { function, self_: None, total, estimated, at }
            })
            .collect()
    }

    /// Divides the self cost that comes through `parent` among its callers. Contexts record which
    /// call the self cost of a function belongs to. Without contexts, the self cost is divided in
    /// proportion to the totals, without callers that are already on the path, which would be
    /// recursion of unknown depth.
    fn callers_in_graph(&self, costs: &Costs, path: &[FunctionId], parent: &Branch) -> Vec<Branch> {
        let at = |function| At::Path([path, &[function]].concat());
        if let (Index::Contexts(index), [function]) = (self.index(), path) {
            let own = index.own_by_caller(*function).into_iter();
            let branch = |(function, total)| Branch {
                function,
                self_: None,
                total,
                estimated: false,
                at: at(function),
            };
            return own.map(branch).collect();
        }
        let Some((last, below)) = path.split_last() else { return Vec::new() };
        if below.contains(last) {
            return Vec::new();
        }
        let PathStep { total: reached, mut entries, .. } = self.callers(path, Recursion::Exact);
        let is_recursive = entries.iter().any(|entry| entry.recursive || entry.estimated);
        entries.retain(|entry| !path.contains(&entry.function));
        let sum: f64 = entries.iter().map(|entry| entry.total).sum();
        // Cost that no caller accounts for starts at the function itself. Within a recursion, the
        // totals of the calls do not add up to the function's total.
        let is_exact = !is_recursive && costs.function(*last).cost.total.exact().is_some();
        let whole = if is_exact { sum.max(reached) } else { sum };
        let is_whole = is_exact || rest_of(reached, sum) == 0.0;
        entries
            .into_iter()
            .map(|PathEntry { function, total, estimated, .. }| {
                let share = if whole == 0.0 { 0.0 } else { total / whole };
                Branch {
                    function,
                    self_: None,
                    total: parent.total * share,
                    estimated: estimated || parent.estimated || share != 1.0 || !is_whole,
                    at: at(function),
                }
            })
            .collect()
    }

    /// The number of branches with cost at and below a branch of the top-down tree of stacks. 1 for
    /// other branches.
    pub fn n_branches(&self, branch: &Branch) -> usize {
        match (&branch.at, self.call_nodes()) {
            (At::Node(id), Some(nodes)) => nodes.n_with_cost(*id),
            _ => 1,
        }
    }

    /// Whether the path above the last function of a branch contains another call of that function.
    /// A part of a function is not another call.
    pub fn is_recursive(&self, branch: &Branch) -> bool {
        match (&branch.at, self.call_nodes()) {
            (At::Node(id), Some(nodes)) => nodes.get(*id).recursive,
            (At::Merged(ids), Some(nodes)) => ids.iter().any(|&id| nodes.get(id).recursive),
            (At::Endings(endings), Some(nodes)) => endings.iter().any(|ending| {
                std::iter::successors(Some(ending.leaf), |&id| nodes.get(id).parent)
                    .take_while(|&id| id != ending.at)
                    .any(|id| nodes.get(id).function == branch.function && nodes.get(id).is_call)
            }),
            (At::Path(path), _) => {
                path.split_last().is_some_and(|(last, above)| above.contains(last))
            }
            // The branch belongs to another tree.
            _ => false,
        }
    }
}

fn branches_in_stacks(nodes: &CallNodes, order: TreeOrder, parent: Option<&Branch>) -> Vec<Branch> {
    match (parent.map(|parent| &parent.at), order) {
        (None, TreeOrder::TopDown) => inward(nodes, None),
        (None, TreeOrder::BottomUp) => leaves(nodes),
        (Some(At::Node(id)), _) => inward(nodes, Some(*id)),
        (Some(At::Endings(endings)), _) => {
            outward(nodes, callers_of(nodes, endings), |node| node.self_)
        }
        // The branch belongs to another tree.
        _ => Vec::new(),
    }
}

fn inward(nodes: &CallNodes, parent: Option<CallNodeId>) -> Vec<Branch> {
    let children = nodes.children(parent);
    children
        .map(|id| {
            let node = nodes.get(id);
            Branch {
                function: node.function,
                self_: Some(node.self_),
                total: node.total,
                estimated: false,
                at: At::Node(id),
            }
        })
        .collect()
}

/// The nodes by function.
fn merged(nodes: &CallNodes, ids: impl Iterator<Item = CallNodeId>) -> Vec<Branch> {
    let mut functions: FxHashMap<FunctionId, (f64, f64, Vec<CallNodeId>)> = FxHashMap::default();
    for id in ids {
        let node = nodes.get(id);
        let (self_, total, ids) = functions.entry(node.function).or_default();
        *self_ += node.self_;
        *total += node.total;
        ids.push(id);
    }
    functions
        .into_iter()
        .map(|(function, (self_, total, ids))| Branch {
            function,
            self_: Some(self_),
            total,
            estimated: false,
            at: At::Merged(ids),
        })
        .collect()
}

/// The outermost calls of a function, as one branch.
fn outermost(nodes: &CallNodes, function: FunctionId, around: Around) -> Vec<Branch> {
    let mut end = 0;
    let calls = nodes.ids().filter(|&id| {
        let is_outermost = id.index() >= end && nodes.get(id).function == function;
        if is_outermost {
            end = nodes.subtree(id).end;
        }
        is_outermost
    });
    let mut branches = merged(nodes, calls);
    for branch in &mut branches {
        if let (Around::Callers, At::Merged(ids)) = (around, &branch.at) {
            branch.at = At::Endings(ids.iter().map(|&id| Ending { leaf: id, at: id }).collect());
        }
    }
    branches
}

/// The top of the bottom-up tree: the functions with self cost.
fn leaves(nodes: &CallNodes) -> Vec<Branch> {
    let with_self = nodes.ids().filter(|&leaf| nodes.get(leaf).self_ != 0.0);
    let endings = with_self.map(|leaf| Ending { leaf, at: leaf });
    let mut leaves = outward(nodes, endings, |node| node.self_);
    for leaf in &mut leaves {
        leaf.self_ = Some(leaf.total);
    }
    leaves
}

/// The endings by the function that they have reached. Only [`leaves`] have self cost.
fn outward(
    nodes: &CallNodes,
    endings: impl Iterator<Item = Ending>,
    weight: impl Fn(&CallNode) -> f64,
) -> Vec<Branch> {
    let mut callers: FxHashMap<FunctionId, (f64, Vec<Ending>)> = FxHashMap::default();
    for ending in endings {
        let (total, endings) = callers.entry(nodes.get(ending.at).function).or_default();
        *total += weight(nodes.get(ending.leaf));
        endings.push(ending);
    }
    callers
        .into_iter()
        .map(|(function, (total, endings))| Branch {
            function,
            self_: None,
            total,
            estimated: false,
            at: At::Endings(endings),
        })
        .collect()
}

fn callers_of(nodes: &CallNodes, endings: &[Ending]) -> impl Iterator<Item = Ending> {
    endings
        .iter()
        .filter_map(|&Ending { leaf, at }| Some(Ending { leaf, at: nodes.get(at).parent? }))
}

/// Whether the total of a branch above these endings, in the bottom-up tree, is at least `least`.
fn callers_reach(nodes: &CallNodes, endings: &[Ending], least: f64) -> bool {
    let callers =
        |endings: &[Ending]| outward(nodes, callers_of(nodes, endings), |node| node.self_);
    let mut pending = callers(endings);
    while let Some(branch) = pending.pop() {
        if branch.total.abs() >= least {
            return true;
        }
        let At::Endings(endings) = &branch.at else { continue };
        let most: f64 = endings.iter().map(|ending| nodes.get(ending.leaf).self_.abs()).sum();
        if most >= least {
            pending.extend(callers(endings));
        }
    }
    false
}

/// The top of the bottom-up tree: the functions with self cost.
fn leaves_of_graph(costs: &Costs) -> Vec<Branch> {
    costs
        .functions()
        .map(|(function, FunctionCost { cost, .. })| Branch {
            function,
            self_: Some(cost.self_),
            total: cost.self_,
            estimated: false,
            at: At::Path(vec![function]),
        })
        .collect()
}

/// The top of the top-down tree: the functions without callers. Cycles whose callers were not recorded
/// are reached from none of these: of what is left, the costliest function becomes a root, until all
/// functions are reached. A function that is called for less than it costs, as the first one of a thread
/// of callgrind, is a root for the rest. Without any calls, as in rbspy's summaries, each function is a root
/// for what it spends itself: its total is in those of its callers, which are not recorded.
fn roots_of_graph(graph: &GraphIndex) -> Vec<Branch> {
    let GraphIndex { costs, edges } = graph;
    let mut candidates: Vec<_> =
        costs.functions().map(|(function, cost)| (function, cost.cost)).collect();
    let is_called = |callee| edges.callers(callee).any(|edge| edge.caller != callee);
    candidates.sort_by_cached_key(|&(function, _)| is_called(function));
    let n_roots = candidates.partition_point(|&(function, _)| !is_called(function));
    candidates[n_roots..].sort_by(|a, b| hotter(a.1.magnitude(), b.1.magnitude()));
    let mut reached =
        vec![false; candidates.iter().map(|(function, _)| function.index() + 1).max().unwrap_or(0)];
    let mut branches = Vec::new();
    let mut open = Vec::new();
    for (function, cost) in candidates {
        if std::mem::replace(&mut reached[function.index()], true) {
            continue;
        }
        let (total, estimated) = if edges.all().is_empty() {
            (cost.self_, false)
        } else {
            (cost.magnitude(), cost.total.exact().is_none())
        };
        branches.push(Branch {
            function,
            self_: Some(cost.self_),
            total,
            estimated,
            at: At::Path(vec![function]),
        });
        open.push(function);
        while let Some(caller) = open.pop() {
            let callees = edges.callees(caller).iter().map(|edge| edge.callee);
            open.extend(callees.filter(|callee| {
                reached.get_mut(callee.index()).is_some_and(|r| !std::mem::replace(r, true))
            }));
        }
    }
    let is_root: FxHashSet<FunctionId> = branches.iter().map(|branch| branch.function).collect();
    let others = costs.functions().filter(|(function, _)| !is_root.contains(function));
    branches.extend(others.filter_map(|(function, cost)| {
        let total = without_caller(edges, function, cost.cost).filter(|rest| *rest != 0.0)?;
        // What the function spends itself is divided among its callers and this root.
        let at = At::Path(vec![function]);
        Some(Branch { function, self_: None, total, estimated: true, at })
    }));
    branches
}
