//! The hottest functions or lines of the whole profile.

use crate::context::Context;
use crate::fields::PlaceFields;
use crate::items::{CostData, Item, Key, root_item};
use crate::settings::Show;
use crate::snapshot::Snapshot;
use crate::weight::Weight;
use analysis::{Cost, FunctionId, LineCost};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many are listed if nothing else is asked for.
const LIMIT: usize = 50;

/// Which hot spots are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "HotSpotsArgument")]
pub struct Question {
    /// What is listed; functions if it is left out.
    pub by: Option<By>,
    /// How many; 50 if it is left out.
    pub limit: Option<usize>,
}

/// What hot spots are.
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
    /// The functions; only where these were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotFunction>")]
    pub functions: Option<Vec<HotFunction>>,
    /// The lines; only where these were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotLine>")]
    pub lines: Option<Vec<HotLine>>,
}

/// A hot function.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotFunction {
    /// Its cost.
    #[serde(flatten)]
    pub cost: CostData,
    /// Its name.
    pub name: String,
    /// Its library's short name.
    pub lib: Option<String>,
    /// What identifies it.
    pub key: Key,
    /// Its item, to ask for callers and callees.
    pub item: Option<Item>,
    /// Where it is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The file of the definition, as the profile spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// The line of the definition, 1-based, as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub line: Option<u32>,
    /// All of its cost, as its lens has it.
    pub text: String,
    /// The inclusive cost alone, as hints have it.
    pub label: String,
}

/// A hot line.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotLine {
    /// Its cost.
    #[serde(flatten)]
    pub cost: CostData,
    /// Where it is.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The file, as the profile spells it.
    pub file: String,
    /// The line, 1-based, as recorded.
    pub line: u32,
    /// All of its cost, worded as that of a function.
    pub text: String,
    /// The inclusive cost alone, as hints have it.
    pub label: String,
}

/// The hottest functions or lines; `None` without a profile.
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
