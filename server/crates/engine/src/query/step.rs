//! One step along a path, with all that a list of callers or callees shows.

use super::calls::{entry_item, step};
use crate::context::Context;
use crate::fields::{CostFields, PlaceFields};
use crate::items::{Direction, GivenItem, Item, PathCost, item, root_item};
use crate::present::text::plain;
use crate::present::units;
use crate::snapshot::Snapshot;
use crate::weight::Weight;
use analysis::{FunctionId, PathEntry, Total};
use schemars::JsonSchema;
use serde::Serialize;

/// The callers or callees of an item, costliest first; of an item that is not of this profile there
/// are none, and nothing else is known of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "CallStep")]
pub struct Step {
    /// The callers or callees. Recursive ones come last.
    pub entries: Vec<Entry>,
    /// What they are of.
    #[serde(flatten)]
    pub of: Option<StepOf>,
}

/// What callers or callees are of.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepOf {
    /// The item itself, with its costs as they are now.
    pub item: Option<Item>,
    /// Whether the entries are callers or callees.
    pub direction: Direction,
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What stops at the item: for callees its self cost on this path, for callers the samples that
    /// start there. Null where it is not known.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The cost of the path.
    pub total: Weight,
    /// Whether costs are estimated, as in recordings without stacks.
    pub est: bool,
}

/// A caller or callee.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CallEntry")]
pub struct Entry {
    /// The function's name.
    pub name: String,
    /// Its cost and name: `33.3% (2 samples) parse`.
    pub text: String,
    /// Its self cost on this path; null where it is not known.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The cost of the path extended by it.
    pub total: Weight,
    /// Whether the cost is estimated.
    pub est: bool,
    /// Whether it is a recursive call, whose cost is outside the sum.
    pub recursive: bool,
    /// Whether it has no callers or callees of its own.
    pub leaf: bool,
    /// The cost as clients show it.
    #[serde(flatten)]
    pub fields: CostFields,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// Its item, to go on from.
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
    let now = if let [function] = *path.as_slice() {
        root_item(context, snapshot, function)
    } else {
        let leaf = Some(step.entries.is_empty());
        let cost = PathCost { self_: step.self_, total, recursive: false, leaf };
        item(context, snapshot, Some(direction), &path, cost)
    };
    let entries =
        step.entries.iter().filter_map(|one| entry(context, snapshot, direction, &path, one));
    Step {
        entries: entries.collect(),
        of: Some(StepOf {
            item: now,
            direction,
            metric: snapshot.costs.metric.name.clone(),
            unit: snapshot.costs.metric.unit.clone(),
            self_: step.self_.map(Weight),
            total: Weight(step.total),
            est: step.estimated,
        }),
    }
}

fn entry(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &[FunctionId],
    entry: &PathEntry,
) -> Option<Entry> {
    let scale = context.scale(snapshot);
    let name = snapshot.function(entry.function).name;
    let total = units::total(entry.as_total(), |weight| scale.both(weight));
    Some(Entry {
        name: name.to_owned(),
        text: format!("{total} {}", plain(name)),
        self_: entry.self_.map(Weight),
        total: Weight(entry.total),
        est: entry.estimated,
        recursive: entry.recursive,
        leaf: entry.leaf,
        fields: CostFields::new(scale, entry.self_, entry.as_total()),
        place: PlaceFields::of_function(context, snapshot, entry.function),
        item: entry_item(context, snapshot, direction, path, entry)?,
    })
}
