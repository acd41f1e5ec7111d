//! The nodes of the baseline's call tree that have the same path as nodes of the tree shown.

use crate::compare::baseline::{Baseline, Same};
use crate::compare::before::{Before, NO_COST};
use crate::compare::compared::Compared;
use analysis::{Branch, Cost, FunctionId, TreeOrder};
use loading::Snapshot;
use rustc_hash::FxHashMap;

/// The nodes found so far. Nodes have to be added after their parents.
#[derive(Debug)]
pub struct SameNodes<'a> {
    compared: Compared<'a>,
    shown: &'a Snapshot,
    /// The nodes of each run of the baseline.
    runs: Vec<NodesOfRun<'a>>,
}

/// The nodes of a run.
#[derive(Debug)]
struct NodesOfRun<'a> {
    run: &'a Baseline,
    order: TreeOrder,
    nodes: Vec<Node>,
    /// The children by the index of the parent; `None` for the top.
    children: FxHashMap<Option<usize>, Vec<Branch>>,
}

/// A node of the baseline's call tree.
#[derive(Debug, Clone)]
enum Node {
    Same(Branch),
    /// The baseline has no cost on this path.
    NoCost,
    /// A function of the path has no match.
    Unknown,
}

impl<'a> SameNodes<'a> {
    /// For nodes of a call tree of `shown`.
    pub fn new(compared: Compared<'a>, shown: &'a Snapshot, order: TreeOrder) -> Self {
        let nodes =
            |run| NodesOfRun { run, order, nodes: Vec::new(), children: FxHashMap::default() };
        Self { compared, shown, runs: compared.baseline.runs().map(nodes).collect() }
    }

    /// Adds the child of `parent` for a function of the tree shown. Returns its index, and its cost
    /// in the baseline if that is known.
    pub fn add(&mut self, parent: Option<usize>, function: FunctionId) -> (usize, Option<Before>) {
        let shown = self.shown;
        let costs: Vec<_> =
            self.runs.iter_mut().map(|run| run.add(shown, parent, function)).collect();
        let index = self.runs.first().map_or(0, |run| run.nodes.len().saturating_sub(1));
        (index, self.compared.before_in(costs))
    }
}

impl NodesOfRun<'_> {
    fn add(
        &mut self,
        shown: &Snapshot,
        parent: Option<usize>,
        function: FunctionId,
    ) -> Option<Cost> {
        let node = self.child(shown, parent, function);
        let cost = match &node {
            Node::Same(branch) => {
                let self_ = branch.self_.unwrap_or_default();
                Some(Cost { self_, total: branch.as_total() })
            }
            Node::NoCost => Some(NO_COST),
            Node::Unknown => None,
        };
        self.nodes.push(node);
        cost
    }

    fn child(&mut self, shown: &Snapshot, parent: Option<usize>, function: FunctionId) -> Node {
        let above = match parent.and_then(|parent| self.nodes.get(parent)) {
            None => None,
            Some(Node::Same(branch)) => Some(branch),
            Some(node) => return node.clone(),
        };
        let same = match self.run.same(shown, function) {
            Same::Function(same) => same,
            Same::NoCost => return Node::NoCost,
            Same::Absent | Same::Unknown => return Node::Unknown,
        };
        let tree = &self.run.snapshot.tree;
        let children =
            self.children.entry(parent).or_insert_with(|| tree.branches(self.order, above));
        let found = children.iter().find(|branch| branch.function == same);
        found.map_or(Node::NoCost, |branch| Node::Same(branch.clone()))
    }
}
