//! The callers or callees of an item, with the data for a list of them.

use super::call_groups::Grouped;
use super::calls::{entries_before, entry_item, step};
use crate::compare::before::Before;
use crate::items::fields::{CostFields, PlaceFields};
use crate::items::{CallPath, Direction, GivenItem, Item, PathCost, item, root_item};
use crate::keys::weight::Weight;
use crate::present::labels::Part;
use crate::world::context::Context;
use analysis::{Cost, PathEntry, Recursion, Total};
use loading::text::plain;
use loading::{Snapshot, units};
use schemars::JsonSchema;
use serde::Serialize;

/// The callers or callees of an item, hottest first. Empty if the item is not in this profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "CallStep")]
pub struct Step {
    /// The callers or callees. Recursive calls come last.
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
    Step {
        entries: entries.collect(),
        of: Some(StepOf {
            item: now,
            direction,
            exact,
            metric: snapshot.costs.metric.name.clone(),
            unit: snapshot.costs.metric.unit.clone(),
            self_: step.self_.map(Weight),
            total: Weight(step.total),
            est: step.estimated,
        }),
        groups: None,
    }
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
