//! Parts of the call tree, or of the bottom-up tree.
//!
//! The numbers are the same as in `costline tree`, because both use
//! [`analysis::CallTree::branches`].

use super::ask::{Ask, Takes};
use crate::compare::before::Before;
use crate::compare::same_nodes::SameNodes;
use crate::items::fields::{CostFields, PlaceFields};
use crate::items::{Item, path as resolve, root_item};
use crate::keys::Key;
use crate::keys::earlier_paths::{Under, branch_at, current};
use crate::keys::weight::Weight;
use crate::present::labels::Scale;
use crate::present::names::NameParts;
use crate::session::marks::Marks;
use crate::view::given::Given;
use crate::world::context::Context;
use analysis::{Branch, Cost, FunctionId, TreeOrder};
use loading::units::jit_tiers;
use loading::{Show, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maximum number of levels of an answer. Each level nests JSON two levels deeper, which some
/// clients limit.
const MAX_DEPTH: usize = 30;
/// The maximum number of keys in all paths of an answer, which limits its size for deep stacks.
const MAX_KEYS: usize = 100_000;
/// The maximum number of nodes of an answer.
const MAX_NODES: usize = 2000;
/// The default number of children of a node.
const LIMIT: usize = 50;
/// The maximum number of nodes of the hot path.
const MAX_HOT_PATH: usize = 200;
/// The maximum number of functions in one node.
const MAX_CHAIN: usize = 1000;

/// What the children of a node are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CallTreeSort")]
pub enum Sort {
    /// Total, highest first.
    #[default]
    Total,
    /// Self cost, highest first. Where it is unknown, total.
    #[serde(rename = "self")]
    Self_,
    /// Name, ignoring case.
    Name,
}

/// The part of the call tree to return.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "CallTreeArgument")]
pub struct Question {
    /// The node whose children to return, as the functions from the top of the tree to the node.
    /// Default: the top.
    pub path: Vec<Key>,
    /// `transforms` of the response that the path is from. The path is then followed through the
    /// transforms that were added since. Without this key, it is only followed if it does not
    /// exist.
    pub transforms: Given<String>,
    /// Return the bottom-up tree, in which callers are below callees, sorted by self cost.
    pub inverted: bool,
    /// What to sort the children of each node by, before the limit. Default: total.
    pub sort: Sort,
    /// The number of levels, at most 30. Default: 1.
    pub depth: Option<usize>,
    /// The maximum number of children of each node. Default: 50. A response has at most 2000 nodes.
    pub limit: Option<usize>,
    /// The number of children of the requested node to leave out, the first ones. Default: 0.
    pub skip: usize,
    /// Also return the hot path below the node.
    pub hot_path: bool,
    /// Make one node of each chain of nodes of which all but the last have one child with the same
    /// total. It is the last of them, with the others in `folded`.
    pub fold: bool,
}

/// A part of the call tree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallTree {
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What is not default about the view, as short labels.
    pub marks: Vec<String>,
    /// The total of the profile.
    pub total: Weight,
    /// Whether callers are below callees.
    pub inverted: bool,
    /// Identifies the transforms that the paths were found under. Null without transforms.
    pub transforms: Option<String>,
    /// Whether costs are estimated, because the recording is a call graph.
    pub est: bool,
    /// The number of children after those in the response.
    pub more: usize,
    /// The children of the requested node, in the requested order. Empty if the profile does not
    /// have the node.
    pub nodes: Vec<TreeNode>,
    /// The hot path, if requested: the hottest child of the requested node, the hottest child of
    /// that and so on, to a node whose self cost is as high as the total of each child.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotNode>")]
    pub hot_path: Option<Vec<HotNode>>,
}

/// A node of the hot path.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotNode {
    /// The function's key.
    pub key: Key,
    /// The number of its siblings before it, in the requested order.
    pub rank: usize,
}

/// A node of the call tree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
pub struct TreeNode {
    /// The function's name.
    pub name: String,
    /// The name in parts.
    #[serde(flatten)]
    pub parts: NameParts,
    /// The short name, or of a chain `clone3 › … 12 frames › work`.
    pub title: String,
    /// The names of the functions that were folded into the node, outermost first. Missing if there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// The node's cost: `45.6% · self 4.0%`, with a baseline `45.6% ▲1.20 s · self 4.0%`. In
    /// profiles with JIT tiers, the tiers of the total follow: `45.6% · self 4.0% · Ion 62.1%`.
    pub text: String,
    /// The node's self cost. Null if it is unknown, and below the first level of the bottom-up
    /// tree.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The node's total.
    pub total: Weight,
    /// `total` as a percentage of the base. Null if the base is 0.
    pub percent: Option<f64>,
    /// Whether the cost is estimated.
    pub est: bool,
    /// Whether the node's function is also on the path above the node.
    pub recursive: bool,
    /// Whether the node has no children.
    pub leaf: bool,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The function's key.
    pub key: Key,
    /// The functions from the top of the tree to the node, to request its children with.
    pub path: Vec<Key>,
    /// The function's item, to request callers and callees with.
    pub item: Option<Item>,
    /// Whether the node has children, in the response or not.
    pub has_children: bool,
    /// The number of children that are not in the response.
    pub more: usize,
    /// The children, in the requested order.
    pub children: Vec<TreeNode>,
}

/// A node of an answer. Parents precede their children.
struct Node {
    branch: Branch,
    /// From the top of the tree.
    path: Vec<FunctionId>,
    parent: Option<usize>,
    level: usize,
    /// The functions before the last of `path` that are folded into the node.
    n_folded: usize,
    /// The number of children that are not in the response.
    more: usize,
}

impl Node {
    /// The functions that the node adds to the path of its parent.
    fn own_path(&self) -> &[FunctionId] {
        self.path.get(self.path.len() - 1 - self.n_folded..).unwrap_or_default()
    }
}

impl Ask for Question {
    const NAME: &'static str = "callTree";
    const DESCRIPTION: &'static str = "Return the descendants of a call node down to a depth: callees, \
                                       or callers in the bottom-up tree. Null without a profile.";
    const TAKES: Takes = Takes::Options;
    const OF_ANY_PROFILE: bool = true;
    type Answer = Option<CallTree>;

    fn answer(self, context: &Context) -> Result<Self::Answer, String> {
        context.world.snapshot().map_or(Ok(()), |shown| shown.check_calls())?;
        Ok(call_tree(context, &self))
    }
}

/// The children of a node, and theirs to the requested depth. `None` without a profile.
pub fn call_tree(context: &Context, question: &Question) -> Option<CallTree> {
    let snapshot = context.world.snapshot()?;
    let order = TreeOrder::from_inverted(question.inverted);
    let given = given(snapshot, question, order);
    let hot_path = question.hot_path.then(|| {
        let path = given.clone().map(|(_, node)| hot_path(snapshot, question, order, node));
        path.unwrap_or_default()
    });
    let below =
        given.map(|(path, branch)| below(snapshot, question, order, &path, branch.as_ref()));
    let (nodes, more) = below.unwrap_or_default();
    let before = before(context, snapshot, order, &nodes);

    let mut top = Vec::new();
    let mut children: Vec<Vec<TreeNode>> = nodes.iter().map(|_| Vec::new()).collect();
    for (i, node) in nodes.iter().enumerate().rev() {
        let mut below = std::mem::take(&mut children[i]);
        below.reverse();
        let before = before.get(i).copied().flatten();
        let node_and_below = tree_node(context, snapshot, order, (node, before), below);
        node.parent.map_or(&mut top, |parent| &mut children[parent]).push(node_and_below);
    }
    top.reverse();
    Some(CallTree {
        metric: snapshot.costs.metric.name.clone(),
        unit: snapshot.costs.metric.unit.clone(),
        marks: Marks::of_world(&context.world).all(),
        total: Weight(snapshot.costs.total),
        inverted: question.inverted,
        transforms: snapshot.grouped.rewrites.id().map(str::to_owned),
        est: snapshot.grouped.recording.summed().is_some(),
        more,
        nodes: top,
        hot_path,
    })
}

/// The requested node and its path; the top of the tree has no node. `None` if the profile does not
/// have it.
fn given(
    snapshot: &Snapshot,
    question: &Question,
    order: TreeOrder,
) -> Option<(Vec<FunctionId>, Option<Branch>)> {
    let path = resolve(snapshot, &question.path, order.toward().into())?;
    let node = |path: &[FunctionId]| branch_at(snapshot, order, path);
    let under = match &question.transforms {
        Given::Unchanged => Under::Unknown,
        Given::Reset => Under::Nothing,
        Given::Set(id) => Under::Id(id),
    };
    let path = current(snapshot, path, order.path_kind(), under, |path| node(path).is_some())?;
    let branch = node(&path);
    (path.is_empty() || branch.is_some()).then_some((path, branch))
}

/// Sorts branches, which are in the order of their totals.
fn sort(snapshot: &Snapshot, branches: &mut [Branch], sort: Sort) {
    let own = |branch: &Branch| branch.self_.unwrap_or_default().abs();
    match sort {
        Sort::Total => {}
        Sort::Self_ => branches.sort_by(|a, b| own(b).total_cmp(&own(a))),
        Sort::Name => branches.sort_by_cached_key(|branch| {
            let name = snapshot.function(branch.function).name;
            (name.to_lowercase(), name)
        }),
    }
}

/// The nodes of an answer below the given one, level by level, and the number of children of the
/// given node after those that are in it.
fn below(
    snapshot: &Snapshot,
    question: &Question,
    order: TreeOrder,
    path: &[FunctionId],
    given: Option<&Branch>,
) -> (Vec<Node>, usize) {
    let branches = |parent: Option<&Branch>| {
        let mut branches = snapshot.tree.branches(order, parent);
        sort(snapshot, &mut branches, question.sort);
        branches
    };
    let depth = question.depth.unwrap_or(1).min(MAX_DEPTH);
    let limit = question.limit.unwrap_or(LIMIT);
    let most = (MAX_KEYS / (path.len() + depth).max(1)).clamp(1, MAX_NODES);
    let (mut nodes, mut more_at_top): (Vec<Node>, _) = (Vec::new(), 0);
    let mut parent = None;
    loop {
        let (found, level, path, skip) = match parent.and_then(|at: usize| nodes.get(at)) {
            Some(node) => (branches(Some(&node.branch)), node.level + 1, node.path.as_slice(), 0),
            None => (branches(given), 0, path, question.skip),
        };
        let shown = if level < depth { limit.min(most - nodes.len()) } else { 0 };
        let more = found.len().saturating_sub(skip).saturating_sub(shown);
        let extended = |branch: Branch| {
            let (branch, chain) = chain(snapshot, question, order, branch);
            let path = [path, &chain].concat();
            Node { branch, path, parent, level, n_folded: chain.len() - 1, more: 0 }
        };
        let new: Vec<_> = found.into_iter().skip(skip).take(shown).map(extended).collect();
        *parent
            .and_then(|parent| nodes.get_mut(parent))
            .map_or(&mut more_at_top, |node| &mut node.more) = more;
        nodes.extend(new);
        let next = parent.map_or(0, |parent| parent + 1);
        if next == nodes.len() {
            return (nodes, more_at_top);
        }
        parent = Some(next);
    }
}

/// The last node of the chain that begins with a branch, and the functions of the chain. Without
/// folding, the branch is a chain of its own.
fn chain(
    snapshot: &Snapshot,
    question: &Question,
    order: TreeOrder,
    mut end: Branch,
) -> (Branch, Vec<FunctionId>) {
    let mut functions = vec![end.function];
    while question.fold && functions.len() < MAX_CHAIN {
        let mut below = snapshot.tree.branches(order, Some(&end));
        match below.pop() {
            Some(only) if below.is_empty() && only.total == end.total => end = only,
            _ => break,
        }
        functions.push(end.function);
    }
    (end, functions)
}

/// The short name, or of a chain the first and last one and how many are between.
fn title(folded: &[String], name: &str) -> String {
    let last = NameParts::of(name).short_name;
    let Some((first, between)) = folded.split_first() else { return last };
    let first = NameParts::of(first).short_name;
    match between.len() {
        0 => format!("{first} › {last}"),
        1 => format!("{first} › … 1 frame › {last}"),
        n => format!("{first} › … {n} frames › {last}"),
    }
}

/// The hot path below `end`, which is the given node.
fn hot_path(
    snapshot: &Snapshot,
    question: &Question,
    order: TreeOrder,
    mut end: Option<Branch>,
) -> Vec<HotNode> {
    let mut path = Vec::new();
    while path.len() < MAX_HOT_PATH {
        let mut siblings = snapshot.tree.branches(order, end.as_ref());
        let Some(hottest) = siblings.first().cloned() else { break };
        let own = end.as_ref().map(|end| end.self_.unwrap_or_default().abs());
        if own.is_some_and(|own| own >= hottest.total.abs()) {
            break;
        }
        sort(snapshot, &mut siblings, question.sort);
        let before = siblings.iter().take_while(|branch| branch.function != hottest.function);
        let rank = before.count();
        let (last, _) = chain(snapshot, question, order, hottest);
        path.push(HotNode { key: Key::of(snapshot, last.function), rank });
        end = Some(last);
    }
    path
}

/// The cost of each node in the baseline, if it is known.
fn before(
    context: &Context,
    snapshot: &Snapshot,
    order: TreeOrder,
    nodes: &[Node],
) -> Vec<Option<Before>> {
    let Some(compared) = context.compared(snapshot) else { return Vec::new() };
    let mut same = SameNodes::new(compared, snapshot, order);
    // The nodes above the answer come first: the path of each node at its top without its end.
    let above =
        nodes.first().map_or(&[][..], |node| &node.path[..node.path.len() - node.own_path().len()]);
    let mut top = None;
    for &function in above {
        top = Some(same.add(top, function).0);
    }
    let mut added: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    let mut found = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut last = node.parent.map_or(top, |parent| added.get(parent).copied().flatten());
        let mut before = None;
        for &function in node.own_path() {
            let (index, same_before) = same.add(last, function);
            (last, before) = (Some(index), same_before);
        }
        added.push(last);
        found.push(before);
    }
    found
}

fn tree_node(
    context: &Context,
    snapshot: &Snapshot,
    order: TreeOrder,
    (node, before): (&Node, Option<Before>),
    children: Vec<TreeNode>,
) -> TreeNode {
    let Branch { function, self_, total, estimated, .. } = node.branch;
    let scale = context.scale(snapshot);
    let key = |&function: &FunctionId| Key::of(snapshot, function);
    let name = |function| snapshot.function(function).name.to_owned();
    let (_, folded) = node.own_path().split_last().unwrap_or((&function, &[]));
    let folded: Vec<String> = folded.iter().map(|&function| name(function)).collect();
    let has_children = !children.is_empty() || node.more > 0;
    TreeNode {
        title: title(&folded, snapshot.function(function).name),
        name: name(function),
        parts: NameParts::of(snapshot.function(function).name),
        folded,
        text: [text(scale, &node.branch, order, before)]
            .into_iter()
            .chain(jit_tiers(snapshot.tree.jit_tiers_of_branch(&node.branch), total))
            .collect::<Vec<_>>()
            .join(" · "),
        self_: self_.map(Weight),
        total: Weight(total),
        percent: (scale.base != 0.0).then(|| 100.0 * total / scale.base),
        est: estimated,
        recursive: node.path.split_last().is_some_and(|(last, above)| above.contains(last))
            && snapshot.tree.is_recursive(&node.branch),
        leaf: !has_children,
        fields: CostFields::new(scale, self_, node.branch.as_total(), before),
        place: PlaceFields::of_function(context, snapshot, function),
        key: key(&function),
        path: node.path.iter().map(key).collect(),
        item: root_item(context, snapshot, function),
        has_children,
        more: node.more,
        children,
    }
}

/// `45.6% · self 4.0%`, in the unit of the setting `unit`. The bottom-up tree has one cost per
/// node.
pub fn text(scale: Scale<'_>, branch: &Branch, order: TreeOrder, before: Option<Before>) -> String {
    let self_ = branch.self_.filter(|_| order == TreeOrder::TopDown).unwrap_or_default();
    scale.hint(Cost { self_, total: branch.as_total() }, Show::Both, before)
}
