//! The hottest lines and functions of a document, for diagnostics.

use crate::context::Context;
use crate::present::text::plain;
use crate::text::Range;
use url::Url;

/// A hot line or function.
#[derive(Debug, Clone, PartialEq)]
pub struct HotPlace {
    /// The line, without leading blanks.
    pub range: Range,
    /// The message with the cost.
    pub message: String,
}

/// The hottest lines and functions of a document, in the order of the text. Empty if the setting
/// `diagnostics.enable` is off.
pub fn hot_places(context: &Context, uri: &Url) -> Vec<HotPlace> {
    let settings = &context.world.settings.diagnostics;
    let Some(open) = context.open_file(uri).filter(|_| settings.enable) else { return Vec::new() };
    let scale = context.scale(&open.snapshot);
    let show = context.world.settings.hints.show;
    let lines = open.lines();
    let mark = lines.mark();
    let mut hot = Vec::new();
    for (line0, line) in lines.costs(0..u32::MAX) {
        let label = scale.hint(line.cost, show, open.line_before(line0));
        hot.push((line.cost, line0, format!("{mark}hot line: {label}")));
    }
    for (line0, function) in lines.functions() {
        let cost = open.snapshot.costs.function(function).cost;
        let name = plain(open.snapshot.function(function).name);
        let costs = scale.lens(cost, context.function_before(&open.snapshot, function));
        hot.push((cost, line0, format!("{mark}hot function {name}: {costs}")));
    }
    hot.retain(|(cost, ..)| scale.reaches(*cost, settings.min_percent));
    hot.sort_by(|a, b| b.0.magnitude().total_cmp(&a.0.magnitude()));
    hot.truncate(settings.max_per_file);
    let text = &open.document.text;
    let mut places: Vec<_> = hot
        .into_iter()
        .map(|(_, line0, message)| HotPlace {
            range: text.range_of_line(line0).unwrap_or_else(|| Range::at_line(line0)),
            message,
        })
        .collect();
    places.sort_by_key(|place| place.range.start);
    places
}
