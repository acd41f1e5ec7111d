//! Call nodes: the tree of function paths.
//!
//! A call node is a path of functions from a root, not of frames: frames of one function merge,
//! whatever their line (Firefox Profiler, `computeCallNodeTable`). A part of a function that runs
//! in a frame of its own, directly below the function, is in the function's node. Nodes are stored
//! depth first, siblings by function, so a subtree is a range.

use crate::View;
use crate::activations::Activations;
use crate::frames::Frames;
use crate::jit_tiers::{JitTiers, by_node};
use crate::weighted::{ROOT, WeightedStacks};
use profile::{FunctionId, Groups, JitTier, Profile, StackAccess};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The index of a call node in depth-first order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallNodeId(u32);

impl CallNodeId {
    /// The index, 0-based.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One call node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallNode {
    /// The last function of its path.
    pub function: FunctionId,
    /// The node of the path without its last function.
    pub parent: Option<CallNodeId>,
    /// The number of nodes above it.
    pub depth: u32,
    /// Weight of the samples whose full path of functions this is.
    pub self_: f64,
    /// Weight of the samples whose path of functions begins with this one.
    pub total: f64,
    /// Whether it is a call of a function that is called further up the path, too.
    pub recursive: bool,
    /// Whether any of its frames is a call, not a part of a call further up the path.
    pub(crate) is_call: bool,
    end: u32,
}

/// All call nodes of a profile under a view.
#[derive(Debug, Clone, Default)]
pub struct CallNodes {
    nodes: Vec<CallNode>,
    /// By node, the greatest |self| or |total| of the node and the nodes below it. Empty if no
    /// weight is negative: it is the total then.
    peaks: Vec<f64>,
    /// The tiers of nodes that have any, by index.
    tiers: FxHashMap<u32, JitTiers>,
}

impl CallNodes {
    /// Merges the stacks of a profile by function.
    pub fn new(profile: &Profile, view: &View, groups: &Groups) -> Self {
        let (stacks, stacks_own) = WeightedStacks::with_own(profile, view);
        let frames = Frames::new(profile, groups);
        let activations = Activations::new(&stacks, profile, groups);
        // One node per distinct (parent node, function), in order of first appearance: parents
        // before children.
        let mut ids: FxHashMap<(u32, FunctionId), u32> = FxHashMap::default();
        let mut keys: Vec<(u32, FunctionId)> = Vec::new();
        let mut sums: Vec<Sum> = Vec::new();
        let mut node_of: Vec<u32> = Vec::with_capacity(stacks.len());
        for k in 0..stacks.len() {
            let parent =
                if stacks.parent[k] == ROOT { ROOT } else { node_of[stacks.parent[k] as usize] };
            let node = if activations.joins(k) {
                parent
            } else {
                let key = (parent, frames.function(stacks.frame[k]));
                *ids.entry(key).or_insert_with(|| {
                    keys.push(key);
                    sums.push(Sum::default());
                    keys.len() as u32 - 1
                })
            };
            let sum = &mut sums[node as usize];
            sum.own += stacks_own[k];
            sum.is_call |= !activations.continues(k);
            node_of.push(node);
        }
        drop(ids);
        let (mut nodes, index) = depth_first(&keys, &sums);
        mark_recursive(&mut nodes, groups.n_functions());
        let node_of = node_of.into_iter().map(|node| index[node as usize]);
        let tiers = by_node(&stacks, &activations, profile.frames(), node_of);
        let peaks = peaks(&nodes);
        Self { nodes, peaks, tiers }
    }

    /// A node.
    ///
    /// # Panics
    /// If `id` belongs to another tree.
    pub fn get(&self, id: CallNodeId) -> &CallNode {
        &self.nodes[id.index()]
    }

    /// The tiers of the total of a node.
    pub fn jit_tiers(&self, id: CallNodeId) -> &[(JitTier, f64)] {
        self.tiers.get(&id.0).map_or(&[], Vec::as_slice)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All of them, depth first.
    pub fn ids(&self) -> impl Iterator<Item = CallNodeId> + use<> {
        (0..self.nodes.len() as u32).map(CallNodeId)
    }

    /// The indexes of the node and of all nodes below it.
    pub fn subtree(&self, id: CallNodeId) -> Range<usize> {
        id.index()..self.get(id).end as usize
    }

    /// Whether the node or any node below it has self cost. With negative weights the total can be
    /// 0 nevertheless.
    pub fn has_cost(&self, id: CallNodeId) -> bool {
        self.get(id).total != 0.0
            || self.nodes[self.subtree(id)].iter().any(|node| node.self_ != 0.0)
    }

    /// The greatest of |self| and |total| of a node and of the nodes below it.
    pub(crate) fn peak(&self, id: CallNodeId) -> f64 {
        self.peaks.get(id.index()).copied().unwrap_or_else(|| self.get(id).total)
    }

    /// Whether weights may cancel each other.
    pub(crate) fn has_negative(&self) -> bool {
        !self.peaks.is_empty()
    }

    /// The number of nodes with cost: the node and those below it.
    pub(crate) fn n_with_cost(&self, id: CallNodeId) -> usize {
        let nodes = self.nodes[self.subtree(id)].iter();
        nodes.filter(|node| node.total != 0.0 || node.self_ != 0.0).count()
    }

    /// The sum of |self| over all nodes.
    pub(crate) fn absolute_self(&self) -> f64 {
        self.nodes.iter().map(|node| node.self_.abs()).sum()
    }

    /// The children of a node, or the roots, sorted by function.
    pub fn children(&self, parent: Option<CallNodeId>) -> impl Iterator<Item = CallNodeId> + '_ {
        let range = parent
            .map_or(0..self.len(), |parent| parent.index() + 1..self.get(parent).end as usize);
        let mut next = range.start;
        std::iter::from_fn(move || {
            let id = CallNodeId((next < range.end).then_some(next)? as u32);
            next = self.get(id).end as usize;
            Some(id)
        })
    }
}

/// Accumulates the frames of a node.
#[derive(Clone, Copy, Default)]
struct Sum {
    own: f64,
    is_call: bool,
}

/// Marks the calls that are below a node of the same function.
fn mark_recursive(nodes: &mut [CallNode], n_functions: usize) {
    // The end of the subtree of the last outermost node of each function.
    let mut covered_until = vec![0; n_functions];
    for (node, k) in nodes.iter_mut().zip(0..) {
        let covered_until = &mut covered_until[node.function.index()];
        if k < *covered_until {
            node.recursive = node.is_call;
        } else {
            *covered_until = node.end;
        }
    }
}

/// [`CallNodes::peaks`] of nodes that are in depth-first order.
fn peaks(nodes: &[CallNode]) -> Vec<f64> {
    if nodes.iter().all(|node| node.self_ >= 0.0) {
        return Vec::new();
    }
    let mut peaks: Vec<f64> =
        nodes.iter().map(|node| node.self_.abs().max(node.total.abs())).collect();
    for (i, node) in nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            peaks[parent.index()] = peaks[parent.index()].max(peaks[i]);
        }
    }
    peaks
}

/// Lays nodes out depth first, siblings sorted by function, and returns the new index of each.
/// `keys` has parents before children.
fn depth_first(keys: &[(u32, FunctionId)], sums: &[Sum]) -> (Vec<CallNode>, Vec<u32>) {
    let n = keys.len();
    let mut size = vec![1_u32; n];
    for i in (0..n).rev() {
        if keys[i].0 != ROOT {
            size[keys[i].0 as usize] += size[i];
        }
    }
    // Sorted by (parent, function), the children of one parent are adjacent and in order. The loop
    // below numbers a parent before it looks for its children here.
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_unstable_by_key(|&i| keys[i as usize]);
    let first_child = |parent: u32| order.partition_point(|&i| keys[i as usize].0 < parent);

    let mut nodes = Vec::with_capacity(n);
    let mut index = vec![0; n];
    // Pending siblings: a range of `order` and the parent's position.
    let mut pending = vec![(first_child(ROOT), None, 0)];
    while let Some((next, parent, depth)) = pending.pop() {
        let Some(&i) = order.get(next) else { continue };
        let (key_parent, function) = keys[i as usize];
        let id = CallNodeId(nodes.len() as u32);
        index[i as usize] = id.0;
        let Sum { own, is_call } = sums[i as usize];
        nodes.push(CallNode {
            function,
            parent,
            depth,
            self_: own,
            total: own,
            recursive: false,
            is_call,
            end: id.0 + size[i as usize],
        });
        if order.get(next + 1).is_some_and(|&sibling| keys[sibling as usize].0 == key_parent) {
            pending.push((next + 1, parent, depth));
        }
        if size[i as usize] > 1 {
            pending.push((first_child(i), Some(id), depth + 1));
        }
    }
    for i in (0..n).rev() {
        if let Some(parent) = nodes[i].parent {
            nodes[parent.index()].total += nodes[i].total;
        }
    }
    (nodes, index)
}
