//! The costs of the functions of a document, for lenses.
//!
//! A lens contains the function's name only if it is not on the line of the function's definition.
//! Nameless closures have lenses only if the setting `lenses.closures` is on, and then only the
//! hottest one of a line on which no named function starts.

use crate::compare::overlay::Overlaid;
use crate::items::fields::PlaceFields;
use crate::items::{CostData, Item, root_item};
use crate::keys::Key;
use crate::ranking::order::hotter;
use crate::world::context::{Context, OpenFile};
use analysis::{Cost, FunctionCost, FunctionId};
use loading::text::plain;
use loading::{FunctionName, SourceFunction, units};
use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

/// The maximum number of lenses of a document. Only in stacks that are thousands of calls deep, more
/// functions can have a share that is worth one.
const MAX_LENSES: usize = 2000;

/// The lens of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionLens {
    /// The line of the function's name, 0-based.
    pub line0: u32,
    /// `self 12.3% (1.23 s) · total 45.6% (4.56 s)`. Begins with the function's name and a colon if
    /// the line is not the line of its definition.
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

/// The lenses of a document, in the order of the text: those of the hottest functions, at most `MAX_LENSES`.
pub fn function_costs(context: &Context, uri: &Url) -> Vec<FunctionLens> {
    let settings = &context.world.settings.lenses;
    let Some(open) = context.open_file(uri).filter(|_| settings.enable) else { return Vec::new() };
    let scale = context.scale(&open.snapshot);
    let functions = open.lines().functions();
    let on_lines = functions.chunk_by(|a, b| a.0 == b.0);
    let shown = on_lines.flat_map(|on_line| shown(&open, on_line, settings.closures));
    let mut shown: Vec<_> = shown
        .filter(|&(_, function)| {
            let before = context.function_before(&open.snapshot, function);
            scale.has_lens(cost(&open, function), before, settings.min_percent)
        })
        .collect();
    if shown.len() > MAX_LENSES {
        shown.sort_by(|a, b| hotter(cost(&open, a.1), cost(&open, b.1)));
        shown.truncate(MAX_LENSES);
        shown.sort_by_key(|&(line0, _)| line0);
    }
    let lens = |(line0, function)| lens(context, &open, line0, function);
    shown.into_iter().filter_map(lens).collect()
}

/// The functions of a line that have a lens.
fn shown(open: &OpenFile, on_line: &[(u32, FunctionId)], closures: bool) -> Vec<(u32, FunctionId)> {
    let named = on_line.iter().copied().filter(|&(_, function)| !is_nameless(open, function));
    let named: Vec<_> = named.collect();
    if !named.is_empty() || !closures {
        return named;
    }
    let hottest = on_line.iter().copied().min_by(|a, b| hotter(cost(open, a.1), cost(open, b.1)));
    hottest.into_iter().collect()
}

fn cost(open: &OpenFile, function: FunctionId) -> Cost {
    open.snapshot.costs.function(function).cost
}

fn is_nameless(open: &OpenFile, function: FunctionId) -> bool {
    if let Some(defined) = open.snapshot.source_function(function) {
        return defined.definition().name.is_empty();
    }
    let this = open.snapshot.function(function);
    let name = FunctionName::of(this.name);
    // V8 names a script like a closure. It starts at the first character.
    let is_script = (this.line, this.column) == (1, 1);
    name.name.is_none() && (name.closure || name.block) && !is_script
}

/// Whether a function is defined on a line of the document. Without a grammar, its recorded start
/// line counts as its definition.
fn is_defined_on(open: &OpenFile, line0: u32, function: FunctionId) -> bool {
    let snapshot = &*open.snapshot;
    let defined = snapshot.source_function(function).map(SourceFunction::definition);
    let Some(functions) = open.document.functions() else {
        return snapshot.start_line(function).is_some();
    };
    // The current syntax may be broken, so an unchanged line needs no definition.
    if defined
        .is_some_and(|definition| open.lines().recorded(line0) == Some(definition.name_line0 + 1))
    {
        return true;
    }
    let name = FunctionName::of(snapshot.function(function).name);
    let mut here = functions.all().iter().filter(|definition| {
        let (start, name) = (*definition.lines.start(), definition.name_line0);
        (start.min(name)..=start.max(name)).contains(&line0)
    });
    here.any(|now| match defined {
        Some(definition) => definition.name == now.name,
        None => name.agrees(now, None),
    })
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
    let before = context.function_before(snapshot, function);
    let costs = scale.lens(cost, before);
    let overlay = context.overlay(snapshot);
    let overlaid = overlay.and_then(|overlay| overlay.function(snapshot, function));
    let beside = overlaid.map(Overlaid::lens).unwrap_or_default();
    let name = if is_defined_on(open, line0, function) {
        String::new()
    } else {
        format!("{}: ", plain(snapshot.function(function).name))
    };
    let lines = open.lines();
    let mark = lines.function_mark(function);
    Some(FunctionLens {
        line0,
        title: format!("{mark}{name}{costs}{}{beside}", units::calls(calls)),
        item: root_item(context, snapshot, function)?,
        data: LensData {
            cost: CostData::new(scale, cost, before).beside(overlaid),
            func: Key::of(snapshot, function),
            name: snapshot.function(function).name.to_owned(),
            place: PlaceFields::of_function(context, snapshot, function),
        },
    })
}
