//! Paths that a client received under transforms other than the snapshot's.
//!
//! A path that a client received is followed through the transforms that were added since. Items and
//! answers name the transforms that their paths were found under, so that no transform is applied to a
//! path twice.

use analysis::{Branch, FunctionId, PathKind, TreeOrder};
use loading::Snapshot;

/// The transforms that a path was found under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Under<'a> {
    /// None.
    Nothing,
    /// Those with this id ([`analysis::Rewrites::id`]).
    Id(&'a str),
    /// Unknown.
    Unknown,
}

/// A path after the transforms that were added since it was found. `None` if they leave nothing of it.
/// If transforms were removed since, or the earlier ones are not known, this applies the last transform,
/// the last two and so on, until the path is one that `exists`.
pub fn current(
    snapshot: &Snapshot,
    path: Vec<FunctionId>,
    kind: PathKind,
    under: Under<'_>,
    exists: impl Fn(&[FunctionId]) -> bool,
) -> Option<Vec<FunctionId>> {
    let rewrites = &snapshot.grouped.rewrites;
    let rewritten = |applied| rewrites.rewrite(&path, kind, applied);
    let applied = match under {
        Under::Nothing => Some(0),
        Under::Id(id) => rewrites.applied(id),
        Under::Unknown => None,
    };
    if path.is_empty() {
        return Some(path);
    }
    if let Some(applied) = applied {
        let found = rewritten(applied)?;
        // A rule that depends on the rest of the stack may not apply to this path.
        return Some(if found != path && !exists(&found) && exists(&path) { path } else { found });
    }
    if exists(&path) {
        return Some(path);
    }
    let mut earlier = (0..rewrites.len()).rev().filter_map(rewritten);
    earlier.find(|found| exists(found)).or(Some(path))
}

/// The node of a call tree at the end of a path. `None` if the tree does not have it, or the path is
/// empty.
pub fn branch_at(snapshot: &Snapshot, order: TreeOrder, path: &[FunctionId]) -> Option<Branch> {
    let mut node = None;
    for &function in path {
        let mut children = snapshot.tree.branches(order, node.as_ref()).into_iter();
        node = Some(children.find(|branch| branch.function == function)?);
    }
    node
}
