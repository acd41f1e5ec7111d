//! The callers or callees of a function, grouped by call site, function, module or clique.

use crate::items::fields::{CostFields, PlaceFields};
use crate::items::{CallPath, Direction, GivenItem, rest_name};
use crate::keys::weight::Weight;
use crate::present::labels::Scale;
use crate::query::calls::step;
use crate::world::context::Context;
use analysis::{CallGroup, CallGrouping, CallGroups, FileId, FunctionId, GroupKey, Total};
use loading::text::plain;
use loading::{Snapshot, units};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What callers or callees are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GroupBy {
    /// The line of the call.
    Site,
    /// The function.
    Function,
    /// The module of a Mercury procedure; the file of other functions, or else the library.
    Module,
    /// The functions that call each other, directly or not; most functions are alone.
    Clique,
}

impl GroupBy {
    /// The title in menus.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Site => "Call Site",
            Self::Function => "Function",
            Self::Module => "Module",
            Self::Clique => "Clique",
        }
    }

    fn grouping(self) -> CallGrouping {
        match self {
            Self::Site => CallGrouping::Site,
            Self::Function => CallGrouping::Function,
            Self::Module => CallGrouping::Module,
            Self::Clique => CallGrouping::Clique,
        }
    }
}

/// The callers or callees of an item, grouped.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CallGroups")]
pub struct Grouped {
    /// What they are grouped by.
    pub group_by: GroupBy,
    /// Whether callers that the contour file excludes are replaced by their nearest callers that
    /// are not excluded.
    pub contour: bool,
    /// The weight of the calls that are not recursive. It is the same for each `groupBy`.
    pub sum: Weight,
    /// The rows, hottest first, then what is without a caller or callee, and last recursive calls.
    pub rows: Vec<Row>,
}

/// Callers or callees that have a call site, a function, a module or a clique in common.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CallGroup")]
pub struct Row {
    /// The name of the caller, callee or module, or the function names of a clique, separated by
    /// commas.
    pub name: String,
    /// The cost, the name and the number of calls, after a mark for recursion:
    /// `↻ 15.4% (2 callseqs) m.odd/2-0 · 2 calls`.
    pub text: String,
    /// The number of calls. Null if the profile does not record it.
    pub calls: Option<u64>,
    /// The total of the calls.
    pub total: Weight,
    /// Whether the cost is estimated.
    pub est: bool,
    /// Whether the calls are recursive. Their cost is then not part of the sum.
    pub recursive: bool,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// The call site, or where the function or the first function of the clique is defined. For a
    /// module, `placeText` is empty.
    #[serde(flatten)]
    pub place: PlaceFields,
}

/// The callers or callees of an item, grouped. `None` if it is not in this profile.
pub fn grouped(
    context: &Context,
    direction: Direction,
    given: &GivenItem,
    by: GroupBy,
) -> Option<Grouped> {
    let snapshot = context.world.snapshot()?;
    let path = given.path()?.resolve(snapshot, direction)?;
    let CallGroups { sum, groups } = groups(snapshot, direction, &path, by);
    let scale = context.scale(snapshot);
    let rows = groups.into_iter().map(|group| {
        let place = match &group.key {
            GroupKey::Site(_, Some((file, line))) => {
                PlaceFields::of_line(context, snapshot, *file, *line)
            }
            GroupKey::Site(function, None) | GroupKey::Function(function) => {
                PlaceFields::of_function(context, snapshot, *function)
            }
            GroupKey::Clique(members) if !members.is_empty() => {
                PlaceFields::of_function(context, snapshot, members[0])
            }
            GroupKey::Clique(_) | GroupKey::Module(_) => nowhere(),
        };
        row(snapshot, scale, &group, place)
    });
    let mut rows: Vec<Row> = rows.collect();
    let step = step(snapshot, direction, &path);
    if let Some(rest) = step.rest() {
        let name = rest_name(snapshot, direction);
        let row = Row {
            text: format!("{} {name}", units::total(rest, |weight| scale.both(weight))),
            name: name.to_owned(),
            calls: None,
            total: Weight(step.self_.unwrap_or_default()),
            est: step.estimated,
            recursive: false,
            fields: CostFields::new(scale, None, rest, None),
            place: nowhere(),
        };
        rows.insert(rows.partition_point(|row| !row.recursive), row);
    }
    let contour = direction == Direction::Incoming && snapshot.tree.has_contour();
    Some(Grouped { group_by: by, contour, sum: Weight(sum), rows })
}

/// The callers or callees of the last function of a path, grouped.
pub fn groups(
    snapshot: &Snapshot,
    direction: Direction,
    path: &CallPath,
    by: GroupBy,
) -> CallGroups {
    let (tree, by) = (&snapshot.tree, by.grouping());
    let module = |function| module(snapshot, function);
    match direction {
        Direction::Incoming => tree.grouped_callers(&path.functions, path.recursion, by, &module),
        Direction::Outgoing => tree.grouped_callees(&path.functions, path.recursion, by, &module),
    }
}

fn row(snapshot: &Snapshot, scale: Scale<'_>, group: &CallGroup, place: PlaceFields) -> Row {
    let name = name(snapshot, &group.key);
    let total = total(group);
    let cost = units::total(total, |weight| scale.both(weight));
    let mark = if group.recursive { "↻ " } else { "" };
    Row {
        text: format!("{mark}{cost} {}{}", plain(&name), units::calls(group.calls)),
        name,
        calls: group.calls,
        total: Weight(group.total),
        est: group.estimated,
        recursive: group.recursive,
        fields: CostFields::new(scale, None, total, None),
        place,
    }
}

/// The place of a row that is no function.
fn nowhere() -> PlaceFields {
    PlaceFields { uri: None, line0: None, place_text: String::new() }
}

/// The total of a row, marked as exact or estimated.
pub fn total(group: &CallGroup) -> Total {
    if group.estimated { Total::Estimated(group.total) } else { Total::Exact(group.total) }
}

/// The name of a row.
pub fn name(snapshot: &Snapshot, key: &GroupKey) -> String {
    let function = |function: &FunctionId| snapshot.function(*function).name;
    match key {
        GroupKey::Site(of, _) | GroupKey::Function(of) => function(of).to_owned(),
        GroupKey::Module(name) => name.clone(),
        GroupKey::Clique(members) => members.iter().map(function).collect::<Vec<_>>().join(", "),
    }
}

/// The recorded call site of a row: its file and line (1-based).
pub fn site(key: &GroupKey) -> Option<(FileId, u32)> {
    if let GroupKey::Site(_, site) = key { *site } else { None }
}

/// The file of a function, or else its library.
fn module(snapshot: &Snapshot, function: FunctionId) -> String {
    let this = snapshot.function(function);
    match (this.file, this.lib) {
        (Some(file), _) => snapshot.file_name(file).to_owned(),
        (None, Some(lib)) => lib.to_owned(),
        (None, None) => "unknown".to_owned(),
    }
}
