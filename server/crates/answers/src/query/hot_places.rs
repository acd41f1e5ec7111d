//! The hottest lines and functions of a document, and the lines that were never executed, for
//! diagnostics.

use crate::lines::text::Range;
use crate::query::line_costs::shows_counts;
use crate::world::context::Context;
use loading::text::plain;
use loading::units;
use url::Url;

/// A hot line or function, or a line that was never executed.
#[derive(Debug, Clone, PartialEq)]
pub struct HotPlace {
    /// The line, without leading blanks.
    pub range: Range,
    /// The message with the cost.
    pub message: String,
    /// Whether it was never executed.
    pub never_executed: bool,
}

/// The hottest lines and functions of a document and, if hints are execution counts, the lines that
/// were never executed; in the order of the text. Empty if the setting `diagnostics.enable` is off.
pub fn hot_places(context: &Context, uri: &Url) -> Vec<HotPlace> {
    let settings = &context.world.settings.diagnostics;
    let Some(open) = context.open_file(uri).filter(|_| settings.enable) else { return Vec::new() };
    let scale = context.scale(&open.snapshot);
    let show = context.world.settings.hints.show;
    let lines = open.lines();
    let mut hot = Vec::new();
    for (line0, line) in lines.costs(0..u32::MAX) {
        let scale = scale.of_line(&open.snapshot, line.file, line.line);
        let label = scale.hint(line.cost, show, open.line_before(line0));
        let message = format!("{}hot line: {label}", lines.mark(line0));
        hot.push((scale.reaches(line.cost, settings.min_percent), line.cost, line0, message));
    }
    for (line0, function) in lines.functions() {
        let cost = open.snapshot.costs.function(function).cost;
        let name = plain(open.snapshot.function(function).name);
        let costs = scale.lens(cost, context.function_before(&open.snapshot, function));
        let mark = lines.function_mark(function);
        let message = format!("{mark}hot function {name}: {costs}");
        hot.push((scale.reaches(cost, settings.min_percent), cost, line0, message));
    }
    hot.retain(|(is_hot, ..)| *is_hot);
    hot.sort_by(|a, b| b.1.magnitude().total_cmp(&a.1.magnitude()));
    hot.truncate(settings.max_per_file);
    let text = &open.document.text;
    let place = |line0, message, never_executed| HotPlace {
        range: text.range_of_line(line0).unwrap_or_else(|| Range::at_line(line0)),
        message,
        never_executed,
    };
    let hot = hot.into_iter();
    let mut places: Vec<_> =
        hot.map(|(_, _, line0, message)| place(line0, message, false)).collect();
    if shows_counts(context, &open) {
        let counts = lines.executions(0..u32::MAX).into_iter();
        let never = counts.filter(|(_, count)| *count == Some(0));
        let message = |line0| format!("{}{}", lines.mark(line0), units::executions(0));
        places.extend(never.map(|(line0, _)| place(line0, message(line0), true)));
    }
    places.sort_by_key(|place| place.range.start);
    places
}
