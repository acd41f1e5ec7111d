//! `costline.callTree`: the call tree, or the inverted one, as far as a client shows it.
//!
//! Numbers are those of `costline tree`: both ask [`analysis::CallTree::branches`].

use super::call_hierarchy::root_item;
use super::context::Context;
use super::from_proto;
use super::to_proto::{self, Direction, Key};
use crate::present::labels::Scale;
use crate::session::config::Show;
use crate::session::snapshot::Snapshot;
use analysis::Branch;
use profile::{Cost, FunctionId};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the command takes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Argument {
    /// The node whose children are wanted, from the top; none: the top.
    path: Vec<Key>,
    /// Callers below callees, by self cost.
    inverted: bool,
    /// How many levels.
    depth: Option<usize>,
    /// How many children of each node.
    limit: Option<usize>,
}

/// Levels in one answer: JSON is nested two deep for each, and many clients read only so deep.
const MAX_DEPTH: usize = 30;
/// Functions that the paths in one answer may have together, which bounds it on deep stacks.
const MAX_KEYS: usize = 100_000;
/// Nodes in one answer.
const MAX_NODES: usize = 2000;

/// A node of an answer. Parents stand before their children.
struct Node {
    branch: Branch,
    /// From the top.
    path: Vec<FunctionId>,
    parent: Option<usize>,
    level: usize,
    /// Children that are not in the answer.
    more: usize,
}

/// The children of a node, with theirs down to the wanted depth; none of a node that this profile does not have.
pub fn call_tree(context: &Context, argument: &Argument) -> Value {
    let Some(snapshot) = context.world.snapshot() else { return Value::Null };
    let inverted = argument.inverted;
    let (nodes, more) = below(snapshot, argument).unwrap_or_default();

    let mut top = Vec::new();
    let mut children: Vec<Vec<Value>> = nodes.iter().map(|_| Vec::new()).collect();
    for (i, node) in nodes.iter().enumerate().rev() {
        let mut below = std::mem::take(&mut children[i]);
        below.reverse();
        let mut value = value(context, snapshot, inverted, node);
        value["hasChildren"] = json!(!below.is_empty() || node.more > 0);
        value["children"] = Value::Array(below);
        node.parent.map_or(&mut top, |parent| &mut children[parent]).push(value);
    }
    top.reverse();
    let mut answer = json!({
        "metric": snapshot.costs.metric.name,
        "unit": snapshot.costs.metric.unit,
        "total": to_proto::weight(snapshot.costs.total),
        "inverted": inverted,
        "est": snapshot.recording.summed().is_some(),
        "more": more,
    });
    answer["nodes"] = Value::Array(top);
    answer
}

/// What is wanted of the tree, level by level, and how many children of the given node are left out. `None` where there is no
/// such node.
fn below(snapshot: &Snapshot, argument: &Argument) -> Option<(Vec<Node>, usize)> {
    let direction = if argument.inverted { Direction::Incoming } else { Direction::Outgoing };
    let path = from_proto::path(snapshot, &argument.path, direction)?;
    let branches = |parent: Option<&Branch>| snapshot.tree.branches(argument.inverted, parent);
    let mut given = None;
    for &function in &path {
        given = Some(branches(given.as_ref()).into_iter().find(|branch| branch.function == function)?);
    }

    let depth = argument.depth.unwrap_or(1).min(MAX_DEPTH);
    let limit = argument.limit.unwrap_or(50);
    let most = (MAX_KEYS / (path.len() + depth).max(1)).clamp(1, MAX_NODES);
    let (mut nodes, mut more_at_top): (Vec<Node>, _) = (Vec::new(), 0);
    let mut parent = None;
    loop {
        let (found, level, path) = match parent.and_then(|parent: usize| nodes.get(parent)) {
            Some(node) => (branches(Some(&node.branch)), node.level + 1, node.path.as_slice()),
            None => (branches(given.as_ref()), 0, path.as_slice()),
        };
        let shown = if level < depth { limit.min(most - nodes.len()) } else { 0 };
        let more = found.len().saturating_sub(shown);
        let extended = |branch: Branch| {
            let path = [path, &[branch.function]].concat();
            Node { branch, path, parent, level, more: 0 }
        };
        let new: Vec<_> = found.into_iter().take(shown).map(extended).collect();
        *parent.and_then(|parent| nodes.get_mut(parent)).map_or(&mut more_at_top, |node| &mut node.more) = more;
        nodes.extend(new);
        let next = parent.map_or(0, |parent| parent + 1);
        if next == nodes.len() {
            return Some((nodes, more_at_top));
        }
        parent = Some(next);
    }
}

/// A node without its children.
fn value(context: &Context, snapshot: &Snapshot, inverted: bool, node: &Node) -> Value {
    let Branch { function, self_, total, estimated, .. } = node.branch;
    let scale = context.scale(snapshot);
    let (uri, line0) = place(context, snapshot, function).unzip();
    let percent = (scale.base != 0.0).then(|| 100.0 * total / scale.base);
    let key = |&function: &FunctionId| to_proto::key(snapshot, function);
    json!({
        "name": snapshot.function(function).name,
        "text": text(scale, &node.branch, inverted),
        "self": self_.map(to_proto::weight),
        "total": to_proto::weight(total),
        "percent": percent,
        "est": estimated,
        "recursive": node.path.split_last().is_some_and(|(last, above)| above.contains(last)),
        "key": key(&function),
        "path": node.path.iter().map(key).collect::<Vec<_>>(),
        "uri": uri,
        "line0": line0,
        "item": root_item(context, snapshot, function),
        "more": node.more,
    })
}

/// `45.6% · self 4.0%`, in the user's unit. Inverted, costs are all of one kind.
pub fn text(scale: Scale<'_>, branch: &Branch, inverted: bool) -> String {
    let self_ = branch.self_.filter(|_| !inverted).unwrap_or_default();
    scale.hint(Cost { self_, total: branch.known_total() }, Show::Both, None)
}

/// Where a function stands in the workspace, its line 0-based.
pub fn place(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Option<(lsp_types::Url, u32)> {
    let (uri, _, selection) = to_proto::source_location(context, snapshot, function)?;
    Some((uri, selection.start.line))
}
