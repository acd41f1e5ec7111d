//! The call node whose costs are shown: a focus on its subtree that can be changed and removed.
//!
//! The chosen call node is a focus on its subtree among the transforms, so no surface has rules of its
//! own for it.

use crate::keys::Key;
use crate::keys::earlier_paths::{Under, branch_at, current};
use analysis::{FunctionId, Name, Operand, PathKind, Transform, TransformKind, TreeOrder};
use loading::Snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A choice of a call node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a list of function keys, `{\"levels\": N}` or null")]
pub enum NodeChoice {
    /// The path of a node, as `costline.callTree` returns it now.
    Path(Vec<Key>),
    /// A caller of the chosen node.
    Caller(Levels),
}

/// A caller of the chosen node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// The number of functions of the chosen path to keep, at least 1.
    pub levels: usize,
}

/// The chosen call node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenNode {
    /// The functions from a root of the call tree to the node; at least one.
    path: Vec<Key>,
    /// The number of transforms that precede the focus on its subtree.
    after: usize,
}

impl ChosenNode {
    /// The functions from a root of the call tree to the node.
    pub fn path(&self) -> &[Key] {
        &self.path
    }

    fn focus(&self) -> Transform {
        let names = self.path.iter().map(|key| Name::Key(key.clone().into()));
        let kind = TransformKind::FocusSubtree;
        Transform { kind, names: names.collect(), implementation: None }
    }
}

/// The transforms of a view with a chosen node.
pub fn with_node(transforms: &[Transform], node: Option<&ChosenNode>) -> Vec<Transform> {
    let mut all = transforms.to_vec();
    if let Some(node) = node {
        all.insert(node.after.min(all.len()), node.focus());
    }
    all
}

/// Chooses a node. If transforms follow the focus on the node chosen before, that stays as one of
/// them. The error is a message for users.
pub fn choose(
    choice: NodeChoice,
    node: &mut Option<ChosenNode>,
    transforms: &mut Vec<Transform>,
    shown: Option<&Snapshot>,
) -> Result<(), String> {
    let path = match choice {
        NodeChoice::Path(path) => path,
        NodeChoice::Caller(Levels { levels }) => {
            let node = node.as_mut().ok_or("no call node is chosen, so it has no callers")?;
            if levels == 0 || levels > node.path.len() {
                let n = node.path.len();
                return Err(format!("`node.levels` is {levels}, expected a number from 1 to {n}"));
            }
            node.path.truncate(levels);
            return Ok(());
        }
    };
    if path.is_empty() {
        return Err("the path of `node` is empty: use null to show all nodes".to_owned());
    }
    let path = match shown {
        Some(shown) => found(shown, &path)?,
        None => path,
    };
    *node = Some(match node.take() {
        // The tree begins at the node chosen before.
        Some(ChosenNode { path: mut callers, after }) if after == transforms.len() => {
            callers.pop();
            ChosenNode { path: [callers, path].concat(), after }
        }
        before => {
            *transforms = with_node(transforms, before.as_ref());
            ChosenNode { path, after: transforms.len() }
        }
    });
    Ok(())
}

/// Shows all nodes again. The paths of transforms that follow the focus begin at the node, so they
/// are extended by its callers.
pub fn remove(node: &mut Option<ChosenNode>, transforms: &mut [Transform]) {
    let Some(ChosenNode { mut path, after }) = node.take() else { return };
    path.pop();
    let mut callers: Vec<Name> = path.into_iter().map(|key| Name::Key(key.into())).collect();
    for transform in transforms.iter_mut().skip(after) {
        let is_inverted = transform.kind == TransformKind::FocusSubtreeInverted;
        if transform.kind.operand() == Operand::Path && !is_inverted {
            transform.names.splice(0..0, callers.iter().cloned());
        }
        match transform.kind {
            // The paths of further transforms do not begin at the node.
            TransformKind::FocusSubtree
            | TransformKind::FocusFunction
            | TransformKind::FocusSelf => break,
            TransformKind::MergeFunction => callers.retain(|name| !transform.names.contains(name)),
            _ => {}
        }
    }
}

/// Removes the last transform, which may be the focus on the chosen node.
pub fn pop(node: &mut Option<ChosenNode>, transforms: &mut Vec<Transform>) {
    match node.take_if(|node| node.after >= transforms.len()) {
        Some(_) => {}
        None => drop(transforms.pop()),
    }
}

/// A transform whose path, which a client received, is followed through the transforms that were added
/// since.
pub fn followed(shown: &Snapshot, mut transform: Transform) -> Transform {
    let order = match transform.kind {
        TransformKind::FocusSubtreeInverted => TreeOrder::BottomUp,
        kind if kind.operand() == Operand::Path => TreeOrder::TopDown,
        _ => return transform,
    };
    let keys = transform.names.iter().map(|name| match name {
        Name::Key(key) => Some(Key::from(key)),
        Name::Text(_) => None,
    });
    let path = keys.collect::<Option<Vec<Key>>>();
    if let Some(path) = path.and_then(|path| current_path(shown, &path, order)) {
        transform.names = path.into_iter().map(|key| Name::Key(key.into())).collect();
    }
    transform
}

/// The keys of a path that the call tree has. The error is a message for users.
fn found(shown: &Snapshot, path: &[Key]) -> Result<Vec<Key>, String> {
    if shown.grouped.recording.sampled().is_none() {
        return Err(
            "this recording is a call graph without stacks, so it has no call nodes to show the \
             costs of"
                .to_owned(),
        );
    }
    current_path(shown, path, TreeOrder::TopDown).ok_or_else(|| {
        let names: Vec<_> = path.iter().map(|key| key.name.as_str()).collect();
        format!("the call tree has no node {}", names.join(" > "))
    })
}

/// A path that the tree has, after the transforms that were added since it was received.
fn current_path(shown: &Snapshot, path: &[Key], order: TreeOrder) -> Option<Vec<Key>> {
    let exists = |path: &[FunctionId]| path.is_empty() || branch_at(shown, order, path).is_some();
    let mut functions = Vec::new();
    for key in path {
        let of_key = key.functions(shown);
        functions.extend((!of_key.is_empty()).then_some(of_key)?);
    }
    let kind = match order {
        TreeOrder::TopDown => PathKind::Node,
        TreeOrder::BottomUp => PathKind::InvertedNode,
    };
    let path = current(shown, functions, kind, Under::Unknown, exists)?;
    exists(&path).then(|| path.into_iter().map(|function| Key::of(shown, function)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<Key> {
        let key =
            |name: &&str| Key { name: (*name).to_owned(), file: None, lib: None, start: None };
        names.iter().map(key).collect()
    }

    /// The transforms of the view as text.
    fn text(node: Option<&ChosenNode>, transforms: &[Transform]) -> String {
        let all = with_node(transforms, node);
        all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_node_below_the_chosen_one_extends_its_path() {
        let (mut node, mut transforms) = (None, vec!["drop-function:gc".parse().unwrap()]);
        let mut set = |choice| {
            let chosen = choose(choice, &mut node, &mut transforms, None);
            chosen.map(|()| text(node.as_ref(), &transforms))
        };
        let path = |names: &[&str]| NodeChoice::Path(keys(names));
        let caller = |levels| NodeChoice::Caller(Levels { levels });
        assert!(set(caller(1)).unwrap_err().contains("no call node is chosen"));
        assert_eq!(set(path(&["a", "b"])).unwrap(), "drop-function:gc focus-subtree:a>b");
        assert_eq!(set(path(&["b", "c"])).unwrap(), "drop-function:gc focus-subtree:a>b>c");
        assert_eq!(set(caller(1)).unwrap(), "drop-function:gc focus-subtree:a");
        assert!(set(caller(2)).unwrap_err().contains("expected a number from 1 to 1"));
        assert!(set(path(&[])).unwrap_err().contains("use null"));
    }

    #[test]
    fn without_the_node_later_transforms_apply_to_the_same_calls() {
        let (mut node, mut transforms) = (None, Vec::new());
        choose(NodeChoice::Path(keys(&["a", "b"])), &mut node, &mut transforms, None).unwrap();
        for later in ["merge-node:b>c", "merge-function:d", "focus-subtree:b>e", "drop-node:e>f"] {
            transforms.push(later.parse().unwrap());
        }
        remove(&mut node, &mut transforms);
        assert_eq!(
            text(node.as_ref(), &transforms),
            "merge-node:a>b>c merge-function:d focus-subtree:a>b>e drop-node:e>f"
        );
    }

    #[test]
    fn the_focus_is_undone_in_its_turn() {
        let (mut node, mut transforms) = (None, vec!["drop-function:gc".parse().unwrap()]);
        choose(NodeChoice::Path(keys(&["a"])), &mut node, &mut transforms, None).unwrap();
        transforms.push("merge-function:d".parse().unwrap());
        let mut undo = || {
            pop(&mut node, &mut transforms);
            text(node.as_ref(), &transforms)
        };
        assert_eq!(undo(), "drop-function:gc focus-subtree:a");
        assert_eq!(undo(), "drop-function:gc");
        assert_eq!(undo(), "");
    }
}
