//! A flame graph for a panel of a client: an SVG image, and data for each of its frames.

use super::call_tree::text;
use crate::baseline::Before;
use crate::context::Context;
use crate::fields::{CostFields, PlaceFields};
use crate::keys::Key;
use crate::marks::Marks;
use crate::present::flamegraph::{self, Graph, Limits};
use crate::present::units;
use crate::same_nodes::SameNodes;
use crate::snapshot::Snapshot;
use crate::weight::Weight;
use analysis::{Branch, FunctionId};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

/// The maximum number of keys in the path of a node.
const MAX_PATH: usize = 10_000;

/// The part of the call tree to draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The node at the top, as the functions from the root to it. Empty for the whole tree.
    pub node: Vec<Key>,
    /// The maximum number of rows below the node.
    pub depth: Option<usize>,
    /// The maximum number of frames; the widest are kept.
    pub limit: Option<usize>,
    /// The number of callees of the node to leave out, the hottest.
    pub skip: Option<usize>,
}

/// A flame graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlameGraph {
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What is not default about the view, in short words.
    pub marks: Vec<String>,
    /// The total of the profile.
    pub total: Weight,
    /// The total of the profile for display: `1395 samples`.
    pub total_text: String,
    /// The number of frames from the root to the node in the question, each as wide as the image. They
    /// come first. If the profile does not have the node, those of its path that it has.
    pub above: usize,
    /// Whether costs are estimated, because the recording is a call graph.
    pub est: bool,
    /// The number of frames below the node that are too narrow, too deep or too many to draw. In a call
    /// graph, callees of narrow frames are not counted.
    pub omitted: usize,
    /// The SVG image. It has no scripts, styles or links. Each frame is a `<g data-frame="17">`
    /// whose number is its index in `frames`.
    pub svg: String,
    /// The frames, row by row, callers before callees.
    pub frames: Vec<Frame>,
}

/// A frame of a flame graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FlameGraphFrame")]
pub struct Frame {
    /// The function's name.
    pub name: String,
    /// The frame's cost: `45.6% · self 4.0%`.
    pub text: String,
    /// The function's key. The keys of all parents and of the frame are its path.
    pub key: Key,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The self cost. Null if it is unknown.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The total.
    pub total: Weight,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// Whether the function is also one of its callers.
    pub recursive: bool,
    /// Whether the frame has no callees, drawn or not.
    pub leaf: bool,
    /// The number of frames that are not drawn below this frame and are not below another that is
    /// drawn. Request the frame's node to get them.
    pub more: usize,
    /// The index of the caller's frame, which precedes this one. Null for a root.
    pub parent: Option<usize>,
    /// The number of callers above the frame.
    pub depth: usize,
    /// The left edge, as a share of the width of the image.
    pub left: f64,
    /// The width, as a share of the width of the image.
    pub width: f64,
}

/// Draws the profile shown. The error is a message for users.
pub fn flame_graph(context: &Context, question: &Question) -> Result<FlameGraph, String> {
    let snapshot =
        context.world.snapshot().ok_or("there is nothing to draw: no profile is loaded")?;
    let above = nodes_to(snapshot, &question.node);
    let n_above = above.len();
    let limits = Limits {
        rows: question.depth.unwrap_or(usize::MAX),
        frames: question.limit.unwrap_or(usize::MAX),
        skip: question.skip,
    };
    let graph = flamegraph::layout(&snapshot.tree, above, limits);
    if graph.frames.is_empty() {
        return Err(
            "there is nothing to draw: no sample has a stack and a cost above zero".to_owned()
        );
    }
    let scale = context.scale(snapshot);
    let before = before(context, snapshot, &graph);
    let text_of = |(frame, before): (&flamegraph::Frame, &Option<Before>)| {
        text(scale, &frame.branch, false, *before)
    };
    let texts: Vec<_> = graph.frames.iter().zip(&before).map(text_of).collect();
    let labels = |i: usize| match (graph.frames.get(i), texts.get(i)) {
        (Some(frame), Some(text)) => (snapshot.function(frame.branch.function).name, text.as_str()),
        _ => ("", ""),
    };
    let profile = snapshot.loaded.path.file_name().unwrap_or_default().to_string_lossy();
    let est = snapshot.grouped.recording.summed().is_some();
    let title = if est {
        format!("Flame graph of {profile}, estimated from its call graph")
    } else {
        format!("Flame graph of {profile}")
    };
    let marks = Marks::of_world(&context.world).all();
    let title = [title].into_iter().chain(marks.clone()).collect::<Vec<_>>().join(" · ");
    let svg = flamegraph::svg(&title, &graph.frames, labels);
    Ok(FlameGraph {
        metric: snapshot.costs.metric.name.clone(),
        unit: snapshot.costs.metric.unit.clone(),
        marks,
        total: Weight(snapshot.costs.total),
        total_text: units::absolute(snapshot.costs.total, &snapshot.costs.metric),
        above: n_above,
        est,
        omitted: graph.omitted,
        svg,
        frames: frames(context, snapshot, &graph, texts.into_iter().zip(before)),
    })
}

/// The nodes from the root to the one at the end of a path, as far as the profile has them.
fn nodes_to(snapshot: &Snapshot, path: &[Key]) -> Vec<Branch> {
    let mut nodes: Vec<Branch> = Vec::new();
    for function in path.iter().take(MAX_PATH).flat_map(|key| key.functions(snapshot)) {
        let children = snapshot.tree.branches(false, nodes.last());
        let Some(node) = children.into_iter().find(|branch| branch.function == function) else {
            break;
        };
        nodes.push(node);
    }
    nodes
}

/// The cost of each frame in the baseline, if it is known.
fn before(context: &Context, snapshot: &Snapshot, graph: &Graph) -> Vec<Option<Before>> {
    let Some(compared) = context.compared(snapshot) else { return vec![None; graph.frames.len()] };
    let mut same = SameNodes::new(compared, snapshot, false);
    graph.frames.iter().map(|frame| same.add(frame.parent, frame.branch.function).1).collect()
}

fn frames(
    context: &Context,
    snapshot: &Snapshot,
    graph: &Graph,
    texts: impl Iterator<Item = (String, Option<Before>)>,
) -> Vec<Frame> {
    let scale = context.scale(snapshot);
    let mut places: FxHashMap<FunctionId, PlaceFields> = FxHashMap::default();
    let frame = |(frame, (text, before)): (&flamegraph::Frame, (String, Option<Before>))| {
        let function = frame.branch.function;
        let place = places
            .entry(function)
            .or_insert_with(|| PlaceFields::of_function(context, snapshot, function));
        Frame {
            name: snapshot.function(function).name.to_owned(),
            text,
            key: Key::of(snapshot, function),
            place: place.clone(),
            self_: frame.branch.self_.map(Weight),
            total: Weight(frame.branch.total),
            fields: CostFields::new(scale, frame.branch.self_, frame.branch.as_total(), before),
            recursive: snapshot.tree.is_recursive(&frame.branch),
            leaf: frame.leaf,
            more: frame.more,
            parent: frame.parent,
            depth: frame.depth,
            left: frame.left,
            width: frame.width,
        }
    };
    graph.frames.iter().zip(texts).map(frame).collect()
}
