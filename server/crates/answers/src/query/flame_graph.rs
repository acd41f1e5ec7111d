//! A flame graph for a panel of a client, or for a page: where its frames are, and their costs.

use super::call_tree::text;
use super::flame_chart::{Chart, chart};
pub use super::flame_frames::{Frame, Span};
use super::flame_frames::{FrameCost, Labels, Position};
use crate::compare::before::Before;
use crate::compare::same_nodes::SameNodes;
use crate::keys::Key;
use crate::keys::weight::{TIERS, Weight};
use crate::present::flamegraph;
use crate::present::flamegraph::{Drawn, Graph, Limits};
use crate::present::labels::Scale;
use crate::session::marks::Marks;
use crate::world::context::Context;
use analysis::{Branch, FunctionId, NameSearch, TimeRange, TreeOrder};
use loading::text::plain;
use loading::{Snapshot, units};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Which tree to draw: top-down, or the functions with self cost and their callers below them.
    pub tree_order: TreeOrder,
    /// Draw what this function calls or, bottom-up, who calls it, merged from all its places. It begins
    /// the path of `node`.
    pub function: Option<Key>,
    /// What the order of frames is.
    pub order: Order,
    /// In chronological order: the time to draw. Default: all of it.
    pub range: Option<TimeRange>,
    /// Which frames to mark as found.
    pub search: Option<Search>,
}

/// The order of the frames of a flame graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "FlameGraphOrder")]
pub enum Order {
    /// The hottest first. Frames of one path are one frame, as wide as its cost.
    #[default]
    Cost,
    /// Call by call, in chronological order. The width of a frame is its duration.
    Time,
}

/// A search for functions by their names. Case is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FlameGraphSearch")]
pub struct Search {
    /// A part of the name, or a regular expression.
    pub text: String,
    /// Whether it is a regular expression.
    #[serde(default)]
    pub regex: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FlameGraphFound")]
pub struct Found {
    /// The cost of the samples with at least one function that was found, for display: `12.3%`.
    /// Null for a call graph, in which it is unknown.
    pub text: Option<String>,
    /// Why the text is not a regular expression.
    pub problem: Option<String>,
}

/// A flame graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlameGraph {
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What is not default about the view, as short labels.
    pub marks: Vec<String>,
    /// The total of the profile.
    pub total: Weight,
    /// The total of the profile for display: `1395 samples`.
    pub total_text: String,
    /// The number of frames from the root to the requested node, each as wide as the image. They
    /// come first. If the profile does not have the node, only the existing part of its path.
    pub above: usize,
    /// Whether costs are estimated, because the recording is a call graph.
    pub est: bool,
    /// The number of frames below the node that are too narrow, too deep or too many to draw.
    pub omitted: usize,
    /// Whether `omitted`, and `more` of frames, may be too low: frames below narrow ones are counted in
    /// the top-down tree of stacks only.
    pub at_least: bool,
    /// What was found. Null without a search.
    pub found: Option<Found>,
    /// Whether the profile records times, so that it can be drawn ordered by time.
    pub timed: bool,
    /// The time that is drawn. Null unless frames are ordered by time.
    pub span: Option<Span>,
    /// The meaning of each `changeTier`, from costs that fell to costs that rose. Empty if no frame has one.
    pub legend: Vec<LegendEntry>,
    /// The frames, row by row, callers before callees.
    pub frames: Vec<Frame>,
}

/// What a tier of changes means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FlameGraphLegendEntry")]
pub struct LegendEntry {
    /// The tier. Null stands for frames whose change is unknown.
    pub tier: Option<i8>,
    /// Its meaning for display: `▲ from 5%`.
    pub text: String,
}

/// Draws the profile shown. The error is a message for users.
pub fn flame_graph(context: &Context, question: &Question) -> Result<FlameGraph, String> {
    let snapshot =
        context.world.snapshot().ok_or("there is nothing to draw: no profile is loaded")?;
    snapshot.check_calls()?;
    let (found, functions) = search(context.scale(snapshot), snapshot, question.search.as_ref());
    let labels = Labels::new(context, snapshot, functions);
    let est = snapshot.grouped.recording.summed().is_some();
    let graph = FlameGraph {
        metric: snapshot.costs.metric.name.clone(),
        unit: snapshot.costs.metric.unit.clone(),
        marks: Marks::of_world(&context.world).all(),
        total: Weight(snapshot.costs.total),
        total_text: units::absolute(snapshot.costs.total, &snapshot.costs.metric),
        above: 0,
        est,
        omitted: 0,
        at_least: false,
        found,
        timed: analysis::check_range(&snapshot.loaded.recording, ALL).is_ok(),
        span: None,
        legend: Vec::new(),
        frames: Vec::new(),
    };
    match question.order {
        Order::Cost => by_cost(graph, labels, question),
        Order::Time
            if question.tree_order == TreeOrder::BottomUp || question.function.is_some() =>
        {
            Err("chronological order is only available for the whole call tree: leave out \
                 `inverted` and `function`"
                .to_owned())
        }
        Order::Time => {
            let limit = question.limit.unwrap_or(usize::MAX);
            let Chart { frames, omitted, span } = chart(labels, question.range, limit)?;
            Ok(FlameGraph { frames, omitted, span: Some(span), ..graph })
        }
    }
}

/// All times.
const ALL: TimeRange = TimeRange { start_ns: 0, end_ns: u64::MAX };

/// `graph` with its frames, the hottest first.
fn by_cost(
    graph: FlameGraph,
    labels: Labels<'_>,
    question: &Question,
) -> Result<FlameGraph, String> {
    let snapshot = labels.snapshot;
    let function = match &question.function {
        None => None,
        Some(key) => Some(key.functions(snapshot).first().copied().ok_or_else(|| {
            format!("there is nothing to draw: the profile has no costs of {}", plain(&key.name))
        })?),
    };
    let drawn = Drawn { tree: &snapshot.tree, order: question.tree_order, function };
    let above = nodes_to(snapshot, drawn, &question.node);
    let n_above = above.len();
    let limits = Limits {
        rows: question.depth.unwrap_or(usize::MAX),
        frames: question.limit.unwrap_or(usize::MAX),
        skip: question.skip,
    };
    let laid_out = flamegraph::layout(drawn, above, limits);
    if laid_out.frames.is_empty() {
        return Err(
            "there is nothing to draw: no sample has a stack and a cost above zero".to_owned()
        );
    }
    let frames = frames(labels, drawn, &laid_out);
    Ok(FlameGraph {
        above: n_above,
        omitted: laid_out.omitted,
        at_least: graph.est || question.tree_order == TreeOrder::BottomUp || function.is_some(),
        legend: legend(&frames),
        frames,
        ..graph
    })
}

/// What a search finds, and the functions that it finds.
fn search(
    scale: Scale<'_>,
    snapshot: &Snapshot,
    search: Option<&Search>,
) -> (Option<Found>, FxHashSet<FunctionId>) {
    let Some(search) = search else { return (None, FxHashSet::default()) };
    let names = if search.regex {
        NameSearch::regex(&search.text)
    } else {
        Ok(NameSearch::part(&search.text))
    };
    match names {
        Err(problem) => (Some(Found { text: None, problem: Some(problem) }), FxHashSet::default()),
        Ok(names) => {
            let all = snapshot.costs.functions().map(|(function, _)| function);
            let functions: FxHashSet<_> =
                all.filter(|&function| names.finds(snapshot.function(function).name)).collect();
            let weight = snapshot.tree.weight_with(|function| functions.contains(&function));
            let text = weight.map(|weight| scale.weight(weight));
            (Some(Found { text, problem: None }), functions)
        }
    }
}

/// The nodes from the root to the one at the end of a path, as far as the profile has them.
fn nodes_to(snapshot: &Snapshot, drawn: Drawn<'_>, path: &[Key]) -> Vec<Branch> {
    let mut nodes: Vec<Branch> = Vec::new();
    for function in path.iter().take(MAX_PATH).flat_map(|key| key.functions(snapshot)) {
        let children = drawn.branches(nodes.last());
        let Some(node) = children.into_iter().find(|branch| branch.function == function) else {
            break;
        };
        nodes.push(node);
    }
    nodes
}

/// The cost of each frame in the baseline, if it is known. Around a function it is not.
fn before(labels: &Labels<'_>, drawn: Drawn<'_>, graph: &Graph) -> Vec<Option<Before>> {
    match labels.context.compared(labels.snapshot) {
        Some(compared) if drawn.function.is_none() => {
            let mut same = SameNodes::new(compared, labels.snapshot, drawn.order);
            let frames = graph.frames.iter();
            frames.map(|frame| same.add(frame.parent, frame.branch.function).1).collect()
        }
        _ => vec![None; graph.frames.len()],
    }
}

fn frames(mut labels: Labels<'_>, drawn: Drawn<'_>, graph: &Graph) -> Vec<Frame> {
    let scale = labels.scale();
    let before = before(&labels, drawn, graph);
    let frame = |(frame, before): (&flamegraph::Frame, Option<Before>)| {
        let flamegraph::Frame { branch, parent, depth, left, width, leaf, recursive, more } = frame;
        let at = Position { parent: *parent, depth: *depth, left: *left, width: *width };
        let text = text(scale, branch, drawn.order, before);
        let Branch { function, self_, total, estimated, .. } = *branch;
        let cost = FrameCost { self_, total, estimated, before };
        let drawn = labels.frame(Some(function), at, text, &cost);
        Frame { leaf: *leaf, recursive: *recursive, more: *more, ..drawn }
    };
    graph.frames.iter().zip(before).map(frame).collect()
}

fn legend(frames: &[Frame]) -> Vec<LegendEntry> {
    if frames.iter().all(|frame| frame.fields.change_tier.flatten().is_none()) {
        return Vec::new();
    }
    let [_, warm, hot] = TIERS;
    let of = |tier: i8| {
        let arrow = if tier < 0 { '▼' } else { '▲' };
        let text = match tier.abs() {
            0 => "no change".to_owned(),
            1 => format!("{arrow} below {warm}%"),
            2 => format!("{arrow} from {warm}%"),
            _ => format!("{arrow} from {hot}%"),
        };
        LegendEntry { tier: Some(tier), text }
    };
    let unknown = LegendEntry { tier: None, text: "unknown".to_owned() };
    (-3..=3).map(of).chain([unknown]).collect()
}
