//! A flame graph for a panel of a client, or for a page: where its frames are, and their costs.

use super::call_tree::text;
use crate::baseline::Before;
use crate::context::Context;
use crate::fields::{CostFields, PlaceFields};
use crate::keys::Key;
use crate::marks::Marks;
use crate::present::flamegraph::{self, Drawn, Graph, Limits};
use crate::present::labels::Scale;
use crate::present::text::plain;
use crate::present::units;
use crate::same_nodes::SameNodes;
use crate::snapshot::Snapshot;
use crate::weight::{TIERS, Weight};
use analysis::{Branch, FunctionId, NameSearch};
use rustc_hash::{FxHashMap, FxHashSet};
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
    /// Draw the bottom-up tree: the functions with self cost, and their callers below them.
    pub inverted: bool,
    /// Draw what this function calls or, inverted, who calls it, merged from all its places. It begins
    /// the path of `node`.
    pub function: Option<Key>,
    /// Which frames to mark as found.
    pub search: Option<Search>,
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
    /// The cost of the samples with at least one function that was found, for display: `12.3%`. Null for
    /// a call graph, which does not tell.
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
    /// The number of frames below the node that are too narrow, too deep or too many to draw.
    pub omitted: usize,
    /// Whether `omitted`, and `more` of frames, may be too low: frames below narrow ones are counted in
    /// the top-down tree of stacks only.
    pub at_least: bool,
    /// What was found. Null without a search.
    pub found: Option<Found>,
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

/// A frame of a flame graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
    /// The change of the total since the baseline as a share of the base, from -1 to 1. 0 if there is none
    /// that is more than noise. Null if it is unknown.
    pub difference: Option<f64>,
    /// The tier of `difference`: 0 if it is 0, 1 below 5 %, 2 from 5 %, 3 from 20 %, negative if the cost
    /// fell. Null if it is unknown.
    pub change_tier: Option<i8>,
    /// Whether the search finds the function.
    pub found: bool,
    /// Whether the function is also one of its callers.
    pub recursive: bool,
    /// Whether the frame has nothing below it, drawn or not.
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
    let function = match &question.function {
        None => None,
        Some(key) => Some(key.functions(snapshot).first().copied().ok_or_else(|| {
            format!("there is nothing to draw: the profile has no costs of {}", plain(&key.name))
        })?),
    };
    let drawn = Drawn { tree: &snapshot.tree, inverted: question.inverted, function };
    let above = nodes_to(snapshot, drawn, &question.node);
    let n_above = above.len();
    let limits = Limits {
        rows: question.depth.unwrap_or(usize::MAX),
        frames: question.limit.unwrap_or(usize::MAX),
        skip: question.skip,
    };
    let graph = flamegraph::layout(drawn, above, limits);
    if graph.frames.is_empty() {
        return Err(
            "there is nothing to draw: no sample has a stack and a cost above zero".to_owned()
        );
    }
    let (found, functions) = search(context.scale(snapshot), snapshot, question.search.as_ref());
    let est = snapshot.grouped.recording.summed().is_some();
    let frames = frames(context, snapshot, drawn, &graph, &functions);
    Ok(FlameGraph {
        metric: snapshot.costs.metric.name.clone(),
        unit: snapshot.costs.metric.unit.clone(),
        marks: Marks::of_world(&context.world).all(),
        total: Weight(snapshot.costs.total),
        total_text: units::absolute(snapshot.costs.total, &snapshot.costs.metric),
        above: n_above,
        est,
        omitted: graph.omitted,
        at_least: est || question.inverted || function.is_some(),
        found,
        legend: legend(&frames),
        frames,
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
fn before(
    context: &Context,
    snapshot: &Snapshot,
    drawn: Drawn<'_>,
    graph: &Graph,
) -> Vec<Option<Before>> {
    match context.compared(snapshot) {
        Some(compared) if drawn.function.is_none() => {
            let mut same = SameNodes::new(compared, snapshot, drawn.inverted);
            let frames = graph.frames.iter();
            frames.map(|frame| same.add(frame.parent, frame.branch.function).1).collect()
        }
        _ => vec![None; graph.frames.len()],
    }
}

fn frames(
    context: &Context,
    snapshot: &Snapshot,
    drawn: Drawn<'_>,
    graph: &Graph,
    found: &FxHashSet<FunctionId>,
) -> Vec<Frame> {
    let scale = context.scale(snapshot);
    let mut places: FxHashMap<FunctionId, PlaceFields> = FxHashMap::default();
    let frame = |(frame, before): (&flamegraph::Frame, Option<Before>)| {
        let function = frame.branch.function;
        let place = places
            .entry(function)
            .or_insert_with(|| PlaceFields::of_function(context, snapshot, function));
        let fields = CostFields::new(scale, frame.branch.self_, frame.branch.as_total(), before);
        Frame {
            name: snapshot.function(function).name.to_owned(),
            text: text(scale, &frame.branch, drawn.inverted, before),
            key: Key::of(snapshot, function),
            place: place.clone(),
            self_: frame.branch.self_.map(Weight),
            total: Weight(frame.branch.total),
            difference: difference(scale, &fields),
            change_tier: difference(scale, &fields).map(change_tier),
            fields,
            found: found.contains(&function),
            recursive: frame.recursive,
            leaf: frame.leaf,
            more: frame.more,
            parent: frame.parent,
            depth: frame.depth,
            left: frame.left,
            width: frame.width,
        }
    };
    graph.frames.iter().zip(before(context, snapshot, drawn, graph)).map(frame).collect()
}

/// The change of the total as a share of the base.
fn difference(scale: Scale<'_>, fields: &CostFields) -> Option<f64> {
    let change = fields.change.as_ref()?.total.as_ref()?;
    let share = if change.noise { 0.0 } else { change.change.0 / scale.base };
    Some(share.clamp(-1.0, 1.0))
}

/// The tier of a change, which is a share of the base. Unlike costs, changes of less than 1 % have one.
fn change_tier(difference: f64) -> i8 {
    let [_, warm, hot] = TIERS;
    let percent = 100.0 * difference.abs();
    let tier = i8::from(percent > 0.0) + i8::from(percent >= warm) + i8::from(percent >= hot);
    if difference < 0.0 { -tier } else { tier }
}

fn legend(frames: &[Frame]) -> Vec<LegendEntry> {
    if frames.iter().all(|frame| frame.change_tier.is_none()) {
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
