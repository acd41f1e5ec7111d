//! Callers and callees along a path of a call graph.
//!
//! A call graph records only caller and callee. Beyond one step, the cost that reaches a function
//! along a path is divided among its callees (or callers) in the same proportions as all of its
//! cost. That is an estimate and marked as one.

use crate::graph_edges::edges;
use crate::paths::{PathEntry, PathStep, SiteCost, hotter, rest_of};
use crate::{Costs, Edge, Edges, View, graph};
use profile::{Cost, FunctionId, GraphTables, Groups, Total, both};

/// What queries about a call graph are answered from.
pub(crate) struct GraphIndex {
    pub(crate) costs: Costs,
    pub(crate) edges: Edges,
}

impl GraphIndex {
    pub(crate) fn new(tables: &GraphTables, view: &View, groups: &Groups) -> Self {
        let (costs, edges) =
            both(|| graph::costs(tables, view, groups), || edges(tables, view, groups));
        Self { costs, edges }
    }
}

/// The callees of a path through a call graph.
pub(crate) fn callees_in_graph(
    index: &GraphIndex,
    root: FunctionId,
    rest: &[FunctionId],
) -> PathStep {
    let call_between =
        |caller, callee| index.edges.callees(caller).iter().find(|edge| edge.callee == callee);
    let Some(reach) = Reach::along(&index.costs, root, rest, call_between) else {
        return PathStep::default();
    };
    let entries = index.edges.callees(reach.last).iter().map(|edge| {
        let recursive = edge.recursive;
        let callee = index.costs.function(edge.callee).cost;
        let only_caller =
            !reach.guessed && !edge.estimated && callee.total == Total::Exact(edge.total);
        // A callee without self cost has none on this path either. The self cost of a callee that
        // nothing else calls is all on this path.
        let self_ = (callee.self_ == 0.0 || only_caller).then_some(callee.self_);
        let leaf = index.edges.callees(edge.callee).is_empty();
        let total = edge.total * reach.share;
        PathEntry { recursive, leaf, ..reach.entry(index, edge, edge.callee, self_, total) }
    });
    let self_ = rest.is_empty().then(|| index.costs.function(root).cost.self_);
    reach.step(self_, entries.collect())
}

/// The callers of a path through a call graph.
pub(crate) fn callers_in_graph(
    index: &GraphIndex,
    root: FunctionId,
    rest: &[FunctionId],
) -> PathStep {
    let call_between =
        |callee, caller| index.edges.callers(callee).find(|edge| edge.caller == caller);
    let Some(reach) = Reach::along(&index.costs, root, rest, call_between) else {
        return PathStep::default();
    };
    let entries = index.edges.callers(reach.last).map(|edge| {
        let total = edge.total * reach.share;
        let is_called = index.edges.callers(edge.caller).next().is_some();
        // A function that nothing calls is where samples start.
        let self_ = (!is_called && !reach.guessed && !edge.estimated).then_some(total);
        PathEntry {
            recursive: edge.recursive,
            leaf: !is_called,
            ..reach.entry(index, edge, edge.caller, self_, total)
        }
    });
    let starts_here =
        without_caller(&index.edges, reach.last, index.costs.function(reach.last).cost);
    reach.step(starts_here.map(|weight| weight * reach.share), entries.collect())
}

/// The part of an exact total for which no caller is recorded. `None` if it is not known because of
/// recursion.
pub(crate) fn without_caller(edges: &Edges, function: FunctionId, cost: Cost) -> Option<f64> {
    let total = cost.total.exact()?;
    let mut called = 0.0;
    for edge in edges.callers(function) {
        if edge.estimated || edge.recursive || edge.caller == function {
            return None;
        }
        called += edge.total;
    }
    Some(rest_of(total, called))
}

/// The part of a function's cost that lies on a path through a call graph.
struct Reach {
    last: FunctionId,
    total: f64,
    /// `total` as a fraction of the cost of `last`.
    share: f64,
    /// Whether the share is an estimate. It is exact if all calls of `last` are on the path.
    guessed: bool,
}

impl Reach {
    /// Follows a path; `find` returns the edge between two of its functions. `None` if one of the
    /// edges does not exist.
    fn along<'a>(
        costs: &'a Costs,
        root: FunctionId,
        rest: &[FunctionId],
        find: impl Fn(FunctionId, FunctionId) -> Option<&'a Edge>,
    ) -> Option<Self> {
        let mut reach = Self {
            last: root,
            total: costs.function(root).cost.magnitude(),
            share: 1.0,
            guessed: false,
        };
        for &next in rest {
            let edge = find(reach.last, next)?;
            let (total, whole) = (edge.total * reach.share, costs.function(next).cost);
            let share =
                if whole.magnitude() == 0.0 { 0.0 } else { (total / whole.magnitude()).min(1.0) };
            let guessed = reach.guessed || edge.estimated || whole.total != Total::Exact(total);
            reach = Self { last: next, total, share, guessed };
        }
        Some(reach)
    }

    fn entry(
        &self,
        index: &GraphIndex,
        edge: &Edge,
        function: FunctionId,
        self_: Option<f64>,
        total: f64,
    ) -> PathEntry {
        let sites = index.edges.sites(edge).iter().map(|site| SiteCost {
            file: site.file,
            line: site.line,
            total: site.total * self.share,
        });
        let sites: Vec<SiteCost> = sites.collect();
        // Calls at several sites may be within each other.
        let rest = total - sites.iter().map(|site| site.total).sum::<f64>();
        let without_site = if rest > 1e-9 * total.max(1.0) { rest } else { 0.0 };
        let estimated = edge.estimated || self.guessed;
        PathEntry {
            function,
            self_,
            total,
            estimated,
            sites,
            without_site,
            inlined: edge.inlined,
            recursive: false,
            leaf: false,
        }
    }

    fn step(&self, self_: Option<f64>, mut entries: Vec<PathEntry>) -> PathStep {
        entries.sort_unstable_by(|a, b| {
            a.recursive
                .cmp(&b.recursive)
                .then(hotter(a.total, b.total))
                .then(a.function.cmp(&b.function))
        });
        PathStep { self_, total: self.total, estimated: self.guessed, entries }
    }
}
