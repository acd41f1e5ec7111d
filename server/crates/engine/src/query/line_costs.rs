//! The costs of the lines of a document, for hints.

use crate::baseline::NO_COST;
use crate::context::{Context, OpenFile};
use crate::items::CostData;
use crate::overlay::Overlaid;
use crate::present::labels::{Scale, shown};
use crate::present::units;
use crate::settings::Show;
use crate::text::Position;
use crate::weight::tier;
use analysis::{Cost, Total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use url::Url;

/// The hint of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineHint {
    /// The end of the line.
    pub position: Position,
    /// `12.3%`, or `3×` for counts of executions. With a leading `~` if the line may have moved since
    /// the recording.
    pub label: String,
    /// The data of the hint.
    pub data: HintData,
}

/// The `data` of a hint.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HintData {
    /// The raw cost. A line that only has a count of executions has unknown costs.
    #[serde(flatten)]
    pub cost: CostData,
    /// The line.
    #[serde(flatten)]
    pub line: HintLine,
    /// Whether the recorded text is not known, so that lines may have moved.
    pub stale: bool,
}

/// The line of a hint. Clients return it when they request the tooltip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HintLine {
    /// The line, 0-based.
    pub line0: u32,
    /// The document.
    pub uri: Url,
}

/// The hints of a range of lines (0-based) of a document, in the order of the text.
pub fn line_costs(context: &Context, uri: &Url, lines: Range<u32>) -> Vec<LineHint> {
    let settings = &context.world.settings.hints;
    let Some(open) = context.open_file(uri).filter(|_| settings.enable) else { return Vec::new() };
    let file = open.lines();
    let scale = context.scale(&open.snapshot);
    let costs = file.costs(lines.clone());
    let labels: Vec<(u32, String, CostData)> = if shows_counts(context, &open) {
        let cost_on = |line0: u32| {
            let found = costs.binary_search_by_key(&line0, |(line0, _)| *line0).ok();
            found.map_or_else(
                || CostData::with_self(scale, None, Total::Unknown, None),
                |found| CostData::new(scale, costs[found].1.cost, open.line_before(line0)),
            )
        };
        let counts = file.executions(lines).into_iter();
        counts
            .filter_map(|(line0, count)| Some((line0, units::executions(count?), cost_on(line0))))
            .collect()
    } else {
        let mut overlay = open.overlaid_lines(lines);
        let shown_lines =
            costs.into_iter().map(|(line0, line)| (line0, line.cost, overlay.remove(&line0)));
        let mut shown_lines: Vec<(u32, Cost, Option<Overlaid<'_>>)> = shown_lines.collect();
        shown_lines.extend(overlay.into_iter().map(|(line0, cost)| (line0, NO_COST, Some(cost))));
        shown_lines.sort_unstable_by_key(|(line0, ..)| *line0);
        let beside = open.overlay_lines().map_or(0.0, |lines| lines.snapshot.costs.base);
        let labelled = |(line0, cost, overlaid): (u32, Cost, Option<Overlaid<'_>>)| {
            let reaches_beside = overlaid.is_some_and(|Overlaid { cost, metric }| {
                Scale { metric, base: beside, ..scale }.shows(
                    cost,
                    settings.show,
                    settings.min_percent,
                )
            });
            if !reaches_beside && !scale.shows(cost, settings.show, settings.min_percent) {
                return None;
            }
            let before = open.line_before(line0);
            let beside = overlaid.map(|overlaid| overlaid.hint(settings.show)).unwrap_or_default();
            let label = scale.hint(cost, settings.show, before) + &beside;
            let mut data = CostData::new(scale, cost, before).beside(overlaid);
            data.fields.tier = tier(shown(cost, settings.show), scale.base);
            Some((line0, label, data))
        };
        shown_lines.into_iter().filter_map(labelled).collect()
    };
    let hint = |(line0, label, cost)| {
        Some(LineHint {
            position: open.document.text.end_of_line(line0)?,
            label: format!("{}{label}", file.mark()),
            data: HintData { cost, line: HintLine { line0, uri: uri.clone() }, stale: file.stale },
        })
    };
    labels.into_iter().filter_map(hint).collect()
}

/// Whether hints are how often lines were executed: that was chosen, and the profile tells it.
pub(super) fn shows_counts(context: &Context, open: &OpenFile) -> bool {
    context.world.settings.hints.show == Show::Counts && !open.snapshot.line_counts.is_empty()
}
