//! Stacks of ids, kept as a tree until it is known what the ids stand for. Callers that stacks share
//! are kept once.

use hashbrown::HashTable;
use profile::BuildError;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// The parent of a node without one, and the leaf of an empty stack.
const NONE: u32 = u32::MAX;

/// A node of an [`IdTree`]; of an empty stack, none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Node(u32);

impl Node {
    /// The position of the node in [`IdTree::nodes`]. `None` for that of an empty stack.
    pub(crate) fn index(self) -> Option<usize> {
        (self.0 != NONE).then_some(self.0 as usize)
    }
}

/// A tree of ids. Parents come before their children.
#[derive(Debug)]
pub(crate) struct IdTree<I> {
    nodes: Vec<(u32, I)>,
    /// The numbers of nodes by their hash.
    by_node: HashTable<u32>,
    /// The nodes of the last stack, root first.
    last: Vec<u32>,
    /// How many of them are also in the stack that is being added.
    n_shared: usize,
}

impl<I> Default for IdTree<I> {
    fn default() -> Self {
        Self { nodes: Vec::new(), by_node: HashTable::new(), last: Vec::new(), n_shared: 0 }
    }
}

impl<I: Copy + Eq + Hash> IdTree<I> {
    /// Adds the next id of a stack, which begins with its root.
    pub(crate) fn push(&mut self, id: I) -> Result<(), BuildError> {
        // Neighboring stacks often share their callers.
        let next = self.last.get(self.n_shared).and_then(|&node| self.nodes.get(node as usize));
        if next.is_some_and(|&(_, next)| next == id) {
            self.n_shared += 1;
            return Ok(());
        }
        self.last.truncate(self.n_shared);
        let parent = self.last.last().copied().unwrap_or(NONE);
        let node = self.node((parent, id))?;
        self.last.push(node);
        self.n_shared = self.last.len();
        Ok(())
    }

    /// Ends the stack; the leaf.
    pub(crate) fn end(&mut self) -> Node {
        self.last.truncate(std::mem::take(&mut self.n_shared));
        Node(self.last.last().copied().unwrap_or(NONE))
    }

    fn node(&mut self, node: (u32, I)) -> Result<u32, BuildError> {
        let Self { nodes, by_node, .. } = self;
        // The first child that a node had often follows it.
        let next = node.0.wrapping_add(1);
        if nodes.get(next as usize) == Some(&node) {
            return Ok(next);
        }
        let hash = |node: &(u32, I)| FxBuildHasher.hash_one(node);
        let is_it = |&id: &u32| nodes.get(id as usize) == Some(&node);
        if let Some(&id) = by_node.find(hash(&node), is_it) {
            return Ok(id);
        }
        let id = nodes.len() as u32;
        if id == NONE {
            return Err(BuildError::TooLarge("stack"));
        }
        nodes.push(node);
        by_node.insert_unique(hash(&node), id, |&id| hash(&nodes[id as usize]));
        Ok(id)
    }

    /// The nodes, each with its parent and its id.
    pub(crate) fn nodes(&self) -> impl ExactSizeIterator<Item = (Node, I)> {
        self.nodes.iter().map(|&(parent, id)| (Node(parent), id))
    }

    /// The ids of a stack, leaf first.
    pub(crate) fn path(&self, leaf: Node) -> impl Iterator<Item = I> {
        let node = |node: Node| self.nodes.get(node.index()?);
        let above = move |&(parent, _): &(u32, I)| node(Node(parent)).copied();
        std::iter::successors(node(leaf).copied(), above).map(|(_, id)| id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_share_their_callers() {
        let mut tree = IdTree::default();
        let stacks = [&[1, 2, 3][..], &[1, 2], &[], &[1, 2, 4], &[2, 3], &[1, 2, 3]];
        let leaves: Vec<Node> = stacks
            .iter()
            .map(|stack| {
                stack.iter().for_each(|&id| tree.push(id).unwrap());
                tree.end()
            })
            .collect();
        for (stack, &leaf) in stacks.iter().zip(&leaves) {
            let path: Vec<i32> = tree.path(leaf).collect();
            assert!(path.iter().rev().eq(stack.iter()), "{stack:?}");
        }
        let indexes = leaves.iter().map(|leaf| leaf.index()).collect::<Vec<_>>();
        assert_eq!(indexes, [Some(2), Some(1), None, Some(3), Some(5), Some(2)]);
        assert_eq!(tree.nodes().len(), 6);
    }
}
