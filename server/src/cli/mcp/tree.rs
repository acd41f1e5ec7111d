//! `call_tree`: a part of the call tree.

use super::answers::{At, Of};
use super::fit::{fits, short};
use super::project::{Opened, Project};
use super::tool::Query;
use super::view::View;
use answers::{Key, TreeNode, Weight, call_tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The default number of levels.
const DEPTH: usize = 4;

/// `call_tree`.
pub struct ShowCallTree;

/// The part of the call tree to return.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Question {
    /// The names of the functions from the top of the tree to the node whose children to return.
    /// Default: the top.
    #[serde(default)]
    path: Vec<String>,
    /// Return the bottom-up tree: functions by self cost, with their callers below them.
    #[serde(default)]
    inverted: bool,
    /// The number of levels, at most 30. Default: 4.
    depth: Option<usize>,
}

/// A part of the call tree.
#[derive(Debug, Serialize)]
pub struct Tree {
    #[serde(flatten)]
    of: Of,
    /// Whether costs are estimated, because the recording is a call graph.
    est: bool,
    /// The number of children that are not in the response.
    more: usize,
    /// The children, hottest first.
    nodes: Vec<Node>,
}

/// A node of the call tree.
#[derive(Debug, Serialize)]
struct Node {
    /// The function's name.
    name: String,
    #[serde(flatten)]
    place: At,
    /// The self cost of the path. Null if it is unknown.
    #[serde(rename = "self")]
    self_: Option<Weight>,
    /// The total of the path.
    total: Weight,
    /// Both as text.
    cost: String,
    /// The number of children that are not in the response.
    more: usize,
    /// The children, hottest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Node>,
}

impl Query for ShowCallTree {
    const NAME: &'static str = "call_tree";
    const DESCRIPTION: &'static str = "Return the hottest call paths as a tree, from the top or \
                                       below a path; `limit` applies to the children of each node.";
    const LIMIT: usize = 8;
    type Arguments = Question;
    type Answer = Tree;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        most: usize,
    ) -> Result<Tree, String> {
        let opened = project.open(view)?;
        opened.snapshot.check_calls()?;
        let key = |name: &String| Ok(Key::of(&opened.snapshot, opened.function(name)?));
        let path: Vec<Key> = question.path.iter().map(key).collect::<Result<_, String>>()?;
        let engine_question = answers::CallTreeQuestion {
            path,
            inverted: question.inverted,
            depth: Some(question.depth.unwrap_or(DEPTH)),
            limit: Some(most),
            ..answers::CallTreeQuestion::default()
        };
        let found = call_tree(&opened.context, &engine_question).ok_or("no profile")?;
        if found.nodes.is_empty() && !question.path.is_empty() {
            return Err(format!("nothing is called on the path {}", question.path.join(" > ")));
        }
        let nodes = found.nodes.into_iter().map(|below| node(&opened, below)).collect();
        let mut tree = Tree { of: Of::new(&opened), est: found.est, more: found.more, nodes };
        tree.shorten();
        Ok(tree)
    }
}

impl Tree {
    /// Leaves out the nodes with the lowest totals until the answer is short enough, or has only nodes
    /// with the highest one.
    fn shorten(&mut self) {
        let mut totals = Vec::new();
        for node in &self.nodes {
            node.add_totals(&mut totals);
        }
        totals.sort_by(|a, b| b.total_cmp(a));
        while !fits(self) {
            let Some(&lowest) = totals.last() else { return };
            totals.retain(|total| *total > lowest);
            totals.truncate((totals.len() * 7 / 8).max(1));
            let Some(&least) = totals.last() else { return };
            keep(&mut self.nodes, &mut self.more, least);
        }
    }
}

/// Removes nodes with a lower total, and counts those whose parent is left. Negative costs may cancel
/// each other, so a node can cost less than one below it.
fn keep(nodes: &mut Vec<Node>, more: &mut usize, least: f64) {
    for node in &mut *nodes {
        keep(&mut node.children, &mut node.more, least);
    }
    let n = nodes.len();
    nodes.retain(|node| node.total.0.abs() >= least || !node.children.is_empty());
    *more += n - nodes.len();
}

impl Node {
    fn add_totals(&self, totals: &mut Vec<f64>) {
        totals.push(self.total.0.abs());
        for child in &self.children {
            child.add_totals(totals);
        }
    }
}

/// At most 30 levels deep.
fn node(opened: &Opened, found: TreeNode) -> Node {
    Node {
        name: short(&found.name),
        place: At::new(opened, &found.place),
        self_: found.self_,
        total: found.total,
        cost: found.text,
        more: found.more,
        children: found.children.into_iter().map(|below| node(opened, below)).collect(),
    }
}
