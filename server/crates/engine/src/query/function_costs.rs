//! The costs of the functions of a document, for lenses.
//!
//! A lens does not contain the function's name, so each line has lenses of named functions only. If
//! all functions that start on a line are nameless closures, the hottest one has a lens.

use crate::context::{Context, OpenFile};
use crate::fields::PlaceFields;
use crate::items::{CostData, Item, Key, root_item};
use crate::present::units;
use crate::snapshot::hotter;
use crate::source_functions::SourceFunction;
use analysis::{Cost, FunctionCost, FunctionId};
use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

/// The lens of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionLens {
    /// The line of the function's name, 0-based.
    pub line0: u32,
    /// `self 12.3% (1.23 s) · total 45.6% (4.56 s)`.
    pub title: String,
    /// The function's item, to request callers with.
    pub item: Item,
    /// The data of the lens.
    pub data: LensData,
}

/// The `data` of a lens.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LensData {
    /// The raw cost.
    #[serde(flatten)]
    pub cost: CostData,
    /// The function's key.
    pub func: Key,
    /// The function's name.
    pub name: String,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
}

/// The lenses of a document, in the order of the text.
pub fn function_costs(context: &Context, uri: &Url) -> Vec<FunctionLens> {
    let settings = &context.world.settings.lenses;
    let Some(open) = context.open_file(uri).filter(|_| settings.enable) else { return Vec::new() };
    let scale = context.scale(&open.snapshot);
    let functions = open.lines().functions();
    let mut lenses = Vec::new();
    for on_line in functions.chunk_by(|a, b| a.0 == b.0) {
        for (line0, function) in shown(&open, on_line) {
            if scale.reaches(cost(&open, function), settings.min_percent) {
                lenses.extend(lens(context, &open, line0, function));
            }
        }
    }
    lenses
}

/// The functions of a line that have a lens.
fn shown(open: &OpenFile, on_line: &[(u32, FunctionId)]) -> Vec<(u32, FunctionId)> {
    let named = on_line.iter().copied().filter(|&(_, function)| !is_nameless(open, function));
    let named: Vec<_> = named.collect();
    if !named.is_empty() {
        return named;
    }
    let hottest = on_line.iter().copied().min_by(|a, b| hotter(cost(open, a.1), cost(open, b.1)));
    hottest.into_iter().collect()
}

fn cost(open: &OpenFile, function: FunctionId) -> Cost {
    open.snapshot.costs.function(function).cost
}

fn is_nameless(open: &OpenFile, function: FunctionId) -> bool {
    let definition = open.snapshot.source_function(function).map(SourceFunction::definition);
    definition.is_some_and(|definition| definition.name.is_empty())
}

fn lens(
    context: &Context,
    open: &OpenFile,
    line0: u32,
    function: FunctionId,
) -> Option<FunctionLens> {
    let snapshot = &*open.snapshot;
    let FunctionCost { cost, calls, .. } = snapshot.costs.function(function);
    let scale = context.scale(snapshot);
    let costs = scale.lens(cost, context.function_before(snapshot, function));
    Some(FunctionLens {
        line0,
        title: format!("{}{costs}{}", open.lines().mark(), units::calls(calls)),
        item: root_item(context, snapshot, function)?,
        data: LensData {
            cost: CostData::new(scale, cost),
            func: Key::of(snapshot, function),
            name: snapshot.function(function).name.to_owned(),
            place: PlaceFields::of_function(context, snapshot, function),
        },
    })
}
