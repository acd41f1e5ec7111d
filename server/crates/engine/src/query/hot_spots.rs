//! The hottest functions or lines of a profile.

use crate::context::Context;
use crate::fields::PlaceFields;
use crate::items::{CostData, Item, Key, root_item};
use crate::settings::Show;
use crate::snapshot::Snapshot;
use crate::weight::Weight;
use analysis::{Cost, FunctionId, LineCost};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The default number of hot spots.
const LIMIT: usize = 50;

/// The hot spots to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "HotSpotsArgument")]
pub struct Question {
    /// What to list. Default: functions.
    pub by: Option<By>,
    /// The maximum number. Default: 50.
    pub limit: Option<usize>,
}

/// The kind of hot spots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HotSpotsBy")]
pub enum By {
    /// Functions.
    #[default]
    Function,
    /// Lines.
    Line,
}

/// The hot spots of a profile, hottest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotSpots {
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// The total of the profile.
    pub total: Weight,
    /// The functions. Missing if lines were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotFunction>")]
    pub functions: Option<Vec<HotFunction>>,
    /// The lines. Missing if functions were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotLine>")]
    pub lines: Option<Vec<HotLine>>,
}

/// A hot function.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotFunction {
    /// The function's cost.
    #[serde(flatten)]
    pub cost: CostData,
    /// The function's name.
    pub name: String,
    /// The short name of its library.
    pub lib: Option<String>,
    /// The function's key.
    pub key: Key,
    /// The function's item, to request callers and callees with.
    pub item: Option<Item>,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The name of the definition's file in the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// The recorded line of the definition, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub line: Option<u32>,
    /// Self and total cost, formatted as in lenses.
    pub text: String,
    /// The total, formatted as in hints.
    pub label: String,
}

/// A hot line.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotLine {
    /// The line's cost.
    #[serde(flatten)]
    pub cost: CostData,
    /// The line's place.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The name of the file in the profile.
    pub file: String,
    /// The recorded line, 1-based.
    pub line: u32,
    /// Self and total cost, formatted as in lenses.
    pub text: String,
    /// The total, formatted as in hints.
    pub label: String,
}

/// The hottest functions or lines. `None` without a profile.
pub fn hot_spots(context: &Context, question: Question) -> Option<HotSpots> {
    let snapshot = context.world.snapshot()?;
    let limit = question.limit.unwrap_or(LIMIT);
    let (mut functions, mut lines) = (None, None);
    match question.by.unwrap_or_default() {
        By::Function => {
            let hottest = snapshot.hottest_functions().into_iter().take(limit);
            let rows =
                hottest.map(|(function, cost)| hot_function(context, snapshot, function, cost));
            functions = Some(rows.collect());
        }
        By::Line => {
            let hottest = snapshot.hottest_lines().into_iter().take(limit);
            lines = Some(hottest.map(|line| hot_line(context, snapshot, &line)).collect());
        }
    }
    let metric = &snapshot.costs.metric;
    let (metric, unit) = (metric.name.clone(), metric.unit.clone());
    Some(HotSpots { metric, unit, total: Weight(snapshot.costs.total), functions, lines })
}

fn hot_function(
    context: &Context,
    snapshot: &Snapshot,
    function: FunctionId,
    cost: Cost,
) -> HotFunction {
    let scale = context.scale(snapshot);
    let this = snapshot.function(function);
    let before = context.function_before(snapshot, function);
    let (file, line) = snapshot.definition(function).unzip();
    HotFunction {
        cost: CostData::new(scale, cost),
        name: this.name.to_owned(),
        lib: this.lib.map(str::to_owned),
        key: Key::of(snapshot, function),
        item: root_item(context, snapshot, function),
        place: PlaceFields::of_function(context, snapshot, function),
        file: file.map(|file| snapshot.file_name(file).to_owned()),
        line,
        text: scale.lens(cost, before),
        label: scale.hint(cost, Show::Total, before),
    }
}

fn hot_line(context: &Context, snapshot: &Snapshot, line: &LineCost) -> HotLine {
    let scale = context.scale(snapshot);
    let before = context.line_before(snapshot, line.file, line.line);
    HotLine {
        cost: CostData::new(scale, line.cost),
        place: PlaceFields::of_line(context, snapshot, line.file, line.line),
        file: snapshot.file_name(line.file).to_owned(),
        line: line.line,
        text: scale.lens(line.cost, before),
        label: scale.hint(line.cost, Show::Total, before),
    }
}
