//! The nodes of the baseline's call tree that have the same path as those of the tree shown.

use crate::baseline::{Before, NO_COST, Same};
use crate::context::Compared;
use crate::snapshot::Snapshot;
use analysis::{Branch, Cost, FunctionId};
use rustc_hash::FxHashMap;

/// The nodes found so far. Nodes have to be added after their parents.
#[derive(Debug)]
pub struct SameNodes<'a> {
    compared: Compared<'a>,
    shown: &'a Snapshot,
    inverted: bool,
    nodes: Vec<Node>,
    /// The children in the baseline by the index of the parent; `None` for the top.
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
    /// The call tree of `shown`, or its bottom-up tree.
    pub fn new(compared: Compared<'a>, shown: &'a Snapshot, inverted: bool) -> Self {
        Self { compared, shown, inverted, nodes: Vec::new(), children: FxHashMap::default() }
    }

    /// Adds the child of `parent` for a function of the tree shown. Returns its index, and its cost
    /// in the baseline if that is known.
    pub fn add(&mut self, parent: Option<usize>, function: FunctionId) -> (usize, Option<Before>) {
        let node = self.child(parent, function);
        let cost = match &node {
            Node::Same(branch) => {
                let self_ = branch.self_.unwrap_or_default();
                Some(Cost { self_, total: branch.as_total() })
            }
            Node::NoCost => Some(NO_COST),
            Node::Unknown => None,
        };
        self.nodes.push(node);
        (self.nodes.len() - 1, cost.map(|cost| self.compared.before(cost)))
    }

    fn child(&mut self, parent: Option<usize>, function: FunctionId) -> Node {
        let baseline = self.compared.baseline;
        let above = match parent.and_then(|parent| self.nodes.get(parent)) {
            None => None,
            Some(Node::Same(branch)) => Some(branch),
            Some(node) => return node.clone(),
        };
        let same = match baseline.same(self.shown, function) {
            Same::Function(same) => same,
            Same::NoCost => return Node::NoCost,
            Same::Absent | Same::Unknown => return Node::Unknown,
        };
        let tree = &baseline.snapshot.tree;
        let children =
            self.children.entry(parent).or_insert_with(|| tree.branches(self.inverted, above));
        let found = children.iter().find(|branch| branch.function == same);
        found.map_or(Node::NoCost, |branch| Node::Same(branch.clone()))
    }
}
