//! What transforms do to paths of functions, so that a path from before a transform still leads to
//! the same calls.
//!
//! The rules come from the Firefox Profiler (`applyTransformToCallNodePath`) and, for the
//! transforms that it does not implement, from its documentation. A path that begins at a root must
//! match the path of a transform from its first function. Other paths do not begin at a root, or it
//! is not known whether they do: a transform that they do not match leaves them as they are.

use crate::paths::Recursion;
use crate::transform::{Transform, TransformKind as Kind};
use profile::FunctionId;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// What a path consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// A call node: from a root of the call tree.
    Node,
    /// A node of the bottom-up tree: from a leaf to its callers.
    InvertedNode,
    /// A function, and its callees along a path.
    Callees(Recursion),
    /// A function, and its callers along a path.
    Callers(Recursion),
}

/// What one transform does to paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rewrite {
    /// A transform with the function, or the path, that it names.
    Named(Kind, Vec<FunctionId>),
    /// One function replaces these.
    Replaced(FxHashSet<FunctionId>, FunctionId),
    /// Only these functions are kept.
    Kept(FxHashSet<FunctionId>),
    /// Stacks begin with functions that stand for labels.
    Split,
}

/// What own code, the transforms of a view and then its filter do to paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewrites {
    /// The choice of own code.
    pub(crate) own: Option<Rewrite>,
    /// By transform. `None` if it was ignored.
    pub(crate) transforms: Vec<Option<Rewrite>>,
    /// The filter by implementation.
    pub(crate) filter: Option<Rewrite>,
    /// For each number of transforms from 1, an id of the first ones.
    ids: Vec<String>,
}

impl Rewrites {
    /// Those of these transforms, to be filled in.
    pub(crate) fn of(transforms: &[Transform]) -> Self {
        let mut hasher = FxHasher::default();
        let id = |transform: &Transform| {
            transform.hash(&mut hasher);
            format!("{:016x}", hasher.finish())
        };
        Self { ids: transforms.iter().map(id).collect(), ..Self::default() }
    }

    /// Identifies the transforms: equal ones have the same id in each session. `None` without
    /// transforms.
    pub fn id(&self) -> Option<&str> {
        self.ids.last().map(String::as_str)
    }

    /// How many of the transforms have this id. `None` if it is that of other transforms.
    pub fn applied(&self, id: &str) -> Option<usize> {
        self.ids.iter().position(|it| it == id).map(|at| at + 1)
    }

    /// The number of transforms.
    pub fn len(&self) -> usize {
        self.transforms.len()
    }

    /// Whether there is no transform.
    pub fn is_empty(&self) -> bool {
        self.transforms.is_empty()
    }

    /// A path as the transforms after the first `applied` ones leave it. `None` if nothing of it is
    /// left.
    pub fn rewrite(
        &self,
        path: &[FunctionId],
        kind: PathKind,
        applied: usize,
    ) -> Option<Vec<FunctionId>> {
        let is_inward = matches!(kind, PathKind::Node | PathKind::Callees(_));
        let mut path = path.to_vec();
        if !is_inward {
            path.reverse();
        }
        // A path from under transforms is of own code, and may have functions that a transform added.
        let own = self.own.iter().filter(|_| applied == 0);
        let transforms = self.transforms.iter().skip(applied).flatten();
        for rewrite in own.chain(transforms).chain(&self.filter) {
            path = rewrite.apply(path, kind)?;
            if matches!(kind, PathKind::Callees(it) | PathKind::Callers(it) if it == Recursion::Collapsed)
            {
                path.dedup();
            }
            if path.is_empty() {
                return None;
            }
        }
        if !is_inward {
            path.reverse();
        }
        Some(path)
    }
}

impl Rewrite {
    /// A path, callers before callees, as this transform leaves it. `None` if it is dropped.
    fn apply(&self, mut path: Vec<FunctionId>, kind: PathKind) -> Option<Vec<FunctionId>> {
        let (transform, named) = match self {
            Self::Kept(functions) => {
                path.retain(|function| functions.contains(function));
                return Some(path);
            }
            Self::Replaced(functions, by) => {
                path.iter_mut().filter(|it| functions.contains(it)).for_each(|it| *it = *by);
                path.dedup_by(|next, last| next == by && last == by);
                return Some(path);
            }
            // A call node becomes several.
            Self::Split => return (kind != PathKind::Node).then_some(path),
            Self::Named(transform, named) => (*transform, collapsed(named, kind)),
        };
        let function = *named.first()?;
        let first = path.iter().position(|&it| it == function);
        let last = path.iter().rposition(|&it| it == function);
        let is_node = kind == PathKind::Node;
        match transform {
            Kind::MergeFunction => path.retain(|&it| it != function),
            Kind::DropFunction => return first.is_none().then_some(path),
            Kind::FocusFunction => match first {
                Some(first) => drop(path.drain(..first)),
                None if is_node => return None,
                None => {}
            },
            Kind::FocusSelf => match first {
                Some(_) => path = vec![function],
                None if is_node => return None,
                None => {}
            },
            Kind::CollapseRecursion => {
                if let (Some(first), Some(last)) = (first, last) {
                    path.drain(first..last);
                }
            }
            Kind::CollapseDirectRecursion => {
                path.dedup_by(|next, last| *next == function && *last == function);
            }
            Kind::CollapseFunctionSubtree => path.truncate(first.map_or(path.len(), |at| at + 1)),
            Kind::FocusSubtreeInverted => {
                let outward: Vec<_> = named.iter().rev().copied().collect();
                if path.ends_with(&outward) {
                    path.truncate(path.len() + 1 - named.len());
                } else if kind == PathKind::InvertedNode {
                    return None;
                }
            }
            Kind::MergeNode | Kind::MergeSubtree | Kind::DropNode | Kind::FocusSubtree => {
                match (transform, path.starts_with(&named)) {
                    (Kind::MergeNode, true) => drop(path.remove(named.len() - 1)),
                    (Kind::MergeSubtree, true) => path.truncate(named.len() - 1),
                    (Kind::DropNode, true) => return None,
                    (Kind::FocusSubtree, true) => drop(path.drain(..named.len() - 1)),
                    (Kind::FocusSubtree, false) if is_node => return None,
                    _ => {}
                }
            }
            // These name no function.
            Kind::FocusCategory | Kind::CollapseResource | Kind::SplitByLabel => {}
        }
        Some(path)
    }
}

/// The path of a transform, as a path of this kind has it.
fn collapsed(named: &[FunctionId], kind: PathKind) -> Vec<FunctionId> {
    let mut named = named.to_vec();
    if matches!(kind, PathKind::Callees(it) | PathKind::Callers(it) if it == Recursion::Collapsed) {
        named.dedup();
    }
    named
}
