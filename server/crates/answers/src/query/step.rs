//! The callers or callees of an item, with the data for a list of them.

use super::call_groups::Grouped;
use super::calls::{entries_before, entry_item, step};
use crate::compare::before::Before;
use crate::items::fields::{CostFields, PlaceFields};
use crate::items::{
    CallPath, Direction, GivenItem, Item, PathCost, item, rest_item, rest_name, root_item,
};
use crate::keys::weight::Weight;
use crate::present::labels::Part;
use crate::present::recursion::recursion;
use crate::world::context::Context;
use analysis::{
    Cost, FunctionRecursion, PathEntry, PathStep, Recursion, RecursionDepth, RecursionKind, Total,
};
use loading::text::plain;
use loading::{Snapshot, units};
use schemars::JsonSchema;
use serde::Serialize;

/// The callers or callees of an item, hottest first. Empty if the item is not in this profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "CallStep")]
pub struct Step {
    /// The callers or callees, then what is without one (for callees `self`, for callers the samples whose
    /// stack begins at the item), whose item has an empty path, and last recursive calls.
    pub entries: Vec<Entry>,
    /// The item that they call, or that calls them.
    #[serde(flatten)]
    pub of: Option<StepOf>,
    /// The callers or callees by the option `groupBy`. Missing without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Grouped")]
    pub groups: Option<Grouped>,
}

/// The item of a list of callers or callees.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepOf {
    /// The item with its current costs.
    pub item: Option<Item>,
    /// Whether the entries are callers or callees.
    pub direction: Direction,
    /// Whether each recursive call is a function of the path. Otherwise consecutive calls of one
    /// function are one.
    pub exact: bool,
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// For callees, the item's self cost on this path. For callers, the weight of the samples in
    /// which it has no caller. Null if it is unknown.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The total of the path.
    pub total: Weight,
    /// Whether costs are estimated, because the recording is a call graph.
    pub est: bool,
    /// The recursion that the function takes part in. Null if there is none.
    pub recursion: Option<RecursionFields>,
}

/// The recursion that a function takes part in.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Recursion")]
pub struct RecursionFields {
    /// Whether the function calls itself at one call site (a line, where calls are not told apart) or at
    /// several, or several functions call each other. If one call passes several call sites, that is divide
    /// and conquer.
    #[schemars(extend("enum" = ["single", "several", "mutual"]))]
    pub kind: &'static str,
    /// The number of functions in it.
    pub functions: usize,
    /// The number of call sites, or of lines with some.
    pub sites: usize,
    /// Calls per call from outside, including that one. Null if calls are not counted.
    pub calls_per_entry: Option<f64>,
    /// The mean number of its calls on a stack that has one. Null if there are no stacks.
    pub mean_depth: Option<f64>,
    /// The most of its calls on a stack. Null if there are no stacks.
    pub max_depth: Option<usize>,
    /// All of this as text: `recursion at one line: 2.0 calls deep on average, at most 3`.
    pub text: String,
}

impl From<FunctionRecursion> for RecursionFields {
    fn from(of: FunctionRecursion) -> Self {
        let (calls_per_entry, mean_depth, max_depth) = match of.depth {
            RecursionDepth::Calls(calls) => (Some(calls), None, None),
            RecursionDepth::OnStack { mean, most } => (None, Some(mean), Some(most)),
            RecursionDepth::Unknown => (None, None, None),
        };
        let kind = match of.kind() {
            RecursionKind::Single => "single",
            RecursionKind::Several => "several",
            RecursionKind::Mutual => "mutual",
        };
        let FunctionRecursion { functions, sites, .. } = of;
        let (sites, text) = (sites.count(), recursion(of));
        Self { kind, functions, sites, calls_per_entry, mean_depth, max_depth, text }
    }
}

/// A caller or callee.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CallEntry")]
pub struct Entry {
    /// The function's name.
    pub name: String,
    /// The function's cost and name: `33.3% (2 samples) parse`.
    pub text: String,
    /// The self cost on this path. Null if it is unknown.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The total of the path that the function extends.
    pub total: Weight,
    /// Whether the cost is estimated.
    pub est: bool,
    /// Whether it is a recursive call. Its cost is then not part of the sum.
    pub recursive: bool,
    /// Whether it has no callers or callees itself.
    pub leaf: bool,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The item of the extended path, to request its callers or callees with.
    pub item: Item,
}

/// The callers or callees of an item.
pub fn show(context: &Context, direction: Direction, given: &GivenItem) -> Step {
    let resolved = context.world.snapshot().and_then(|snapshot| {
        let path = given.path()?.resolve(snapshot, direction)?;
        Some((snapshot, path))
    });
    let Some((snapshot, path)) = resolved else { return Step::default() };
    let step = step(snapshot, direction, &path);
    let total =
        if step.estimated { Total::Estimated(step.total) } else { Total::Exact(step.total) };
    let exact = path.recursion == Recursion::Exact;
    let now = if let [function] = *path.functions.as_slice() {
        root_item(context, snapshot, function).map(|mut item| {
            item.data.exact = exact;
            item
        })
    } else {
        let leaf = Some(step.entries.is_empty());
        let cost = PathCost { self_: step.self_, total, recursive: false, leaf, before: None };
        item(context, snapshot, Some(direction), &path, &cost)
    };
    let before = entries_before(context, snapshot, direction, &path, &step.entries);
    let entries = step.entries.iter().zip(before);
    let entries = entries.filter_map(|one| entry(context, snapshot, direction, &path, one));
    let mut entries: Vec<Entry> = entries.collect();
    if let Some(rest) = rest(context, snapshot, direction, &path, &step) {
        entries.insert(entries.partition_point(|entry| !entry.recursive), rest);
    }
    let recursion = path.functions.last().and_then(|&last| snapshot.tree.recursion(last));
    Step {
        entries,
        of: Some(StepOf {
            item: now,
            direction,
            exact,
            metric: snapshot.costs.metric.name.clone(),
            unit: snapshot.costs.metric.unit.clone(),
            self_: step.self_.map(Weight),
            total: Weight(step.total),
            est: step.estimated,
            recursion: recursion.map(RecursionFields::from),
        }),
        groups: None,
    }
}

/// What the entries of a step do not account for.
fn rest(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &CallPath,
    step: &PathStep,
) -> Option<Entry> {
    let (total, scale) = (step.rest()?, context.scale(snapshot));
    let item = rest_item(context, snapshot, direction, path, step)?;
    let name = rest_name(snapshot, direction);
    Some(Entry {
        name: name.to_owned(),
        text: format!("{} {name}", units::total(total, |weight| scale.both(weight))),
        self_: None,
        total: Weight(step.self_.unwrap_or_default()),
        est: step.estimated,
        recursive: false,
        leaf: true,
        fields: CostFields::new(scale, None, total, None),
        place: item.data.place.clone(),
        item,
    })
}

fn entry(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &CallPath,
    (entry, before): (&PathEntry, Option<Before>),
) -> Option<Entry> {
    let scale = context.scale(snapshot);
    let name = snapshot.function(entry.function).name;
    let total = units::total(entry.as_total(), |weight| scale.both(weight));
    let cost = Cost { self_: entry.self_.unwrap_or_default(), total: entry.as_total() };
    let delta = scale.delta(cost, before, Part::Total);
    Some(Entry {
        name: name.to_owned(),
        text: format!("{total}{delta} {}", plain(name)),
        self_: entry.self_.map(Weight),
        total: Weight(entry.total),
        est: entry.estimated,
        recursive: entry.recursive,
        leaf: entry.leaf,
        fields: CostFields::new(scale, entry.self_, entry.as_total(), before),
        place: PlaceFields::of_function(context, snapshot, entry.function),
        item: entry_item(context, snapshot, direction, path, (entry, before))?,
    })
}
