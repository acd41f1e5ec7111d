//! The costs of the lines of a document, for hints.

use crate::compare::before::NO_COST;
use crate::compare::overlay::Overlaid;
use crate::items::CostData;
use crate::keys::weight::tier;
use crate::lines::text::Position;
use crate::present::labels::{Part, Scale, shown};
use crate::query::functions_at::hottest;
use crate::world::context::{Context, OpenFile};
use analysis::{Cost, Total};
use loading::{Hints, Show, units};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use texts::Functions;
use url::Url;

/// The hint of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineHint {
    /// The end of the line.
    pub position: Position,
    /// `12.3%`, on the first line with a hint of each function `12.3% total`, or `3×` for execution
    /// counts. With a leading `~` if the line may have moved since the recording.
    pub label: String,
    /// The data of the hint.
    pub data: HintData,
}

/// The `data` of a hint.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HintData {
    /// The raw cost. A line that only has a count of executions has unknown costs.
    #[serde(flatten)]
    pub cost: CostData,
    /// The line.
    #[serde(flatten)]
    pub line: HintLine,
    /// Whether the recorded text is not known, so that lines may have moved.
    pub stale: bool,
    /// The number of the label in at most seven characters, for a column: `12.3%`, `1.23s`, `12.3k×`.
    /// With `▲` or `▼` before it if it changed since the baseline, else with `≥` if it may be more,
    /// else with `~` if it is an estimate or the line may have moved.
    pub column_text: String,
    /// The tier of the self cost, 0 if it is unknown.
    #[schemars(extend("enum" = [0, 1, 2, 3]))]
    pub self_tier: u8,
    /// With a baseline, the tier of the change of the self cost, as `changeTier`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i8>", extend("enum" = [-3, -2, -1, 0, 1, 2, 3, null]))]
    pub self_change_tier: Option<Option<i8>>,
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
    let scale = context.scale(&open.snapshot).of_lines();
    let labels = if shows_counts(context, &open) {
        executions(&open, lines, scale)
    } else {
        costs(settings, &open, lines, scale)
    };
    let hint = |Labelled { line0, label, column, cost, self_tier, self_change_tier }| {
        let mark = file.mark(line0);
        let has_mark = column.starts_with(['▲', '▼', '≥', '~']);
        let column_text = if has_mark { column } else { format!("{mark}{column}") };
        Some(LineHint {
            position: open.document.text.end_of_line(line0)?,
            label: format!("{mark}{label}"),
            data: HintData {
                cost,
                line: HintLine { line0, uri: uri.clone() },
                stale: file.is_doubtful(line0),
                column_text,
                self_tier,
                self_change_tier,
            },
        })
    };
    labels.into_iter().filter_map(hint).collect()
}

/// The cost of a line, and its labels without marks of lines that may have moved.
struct Labelled {
    line0: u32,
    label: String,
    column: String,
    cost: CostData,
    self_tier: u8,
    #[expect(
        clippy::option_option,
        reason = "unknown, and missing without a baseline, as in `CostFields`"
    )]
    self_change_tier: Option<Option<i8>>,
}

/// How often lines were executed.
fn executions(open: &OpenFile, lines: Range<u32>, scale: Scale<'_>) -> Vec<Labelled> {
    let file = open.lines();
    let costs = file.costs(lines.clone());
    let cost_on = |line0: u32| {
        let found = costs.binary_search_by_key(&line0, |(line0, _)| *line0).ok();
        found.map_or_else(
            || CostData::with_self(scale, None, Total::Unknown, None),
            |found| {
                let line = costs[found].1;
                let scale = scale.of_line(&open.snapshot, line.file, line.line);
                CostData::new(scale, line.cost, open.line_before(line0))
            },
        )
    };
    let counts = file.executions(lines).into_iter();
    counts
        .filter_map(|(line0, count)| {
            let count = count?;
            let label = match count {
                0 => units::executions(0),
                count => open.snapshot.times(count),
            };
            let column = format!("{}×", units::narrow_count(count as f64));
            let (cost, self_tier, self_change_tier) = (cost_on(line0), 0, None);
            Some(Labelled { line0, label, column, cost, self_tier, self_change_tier })
        })
        .collect()
}

/// The line costs.
fn costs<'a>(
    settings: &Hints,
    open: &'a OpenFile,
    lines: Range<u32>,
    scale: Scale<'a>,
) -> Vec<Labelled> {
    let functions = open.document.recorded_functions(&open.snapshot);
    let around = |&(line0, ..): &ShownLine<'_>| function_around(open, functions.as_deref(), line0);
    let shown_here = shown_lines(settings, open, lines.clone(), scale);
    // The first hint of a function says what its number is, whichever lines are asked for.
    let start_of = |line: &ShownLine<'_>| match around(line) {
        Some(start0) if functions.is_some() => open.lines().map.to_open(start0).unwrap_or(0),
        _ => 0,
    };
    let start = shown_here.iter().map(start_of).min().unwrap_or(lines.start);
    let above = shown_lines(settings, open, start..lines.start.max(start), scale);
    let mut named: FxHashSet<_> = above.iter().map(around).collect();
    let labelled = |line| {
        let is_first = named.insert(around(&line));
        let (line0, scale, cost, overlaid) = line;
        let before = open.line_before(line0);
        let label = if is_first {
            scale.named_hint(cost, settings.show, before)
        } else {
            scale.hint(cost, settings.show, before)
        };
        let beside = overlaid.map(|overlaid| overlaid.hint(settings.show)).unwrap_or_default();
        let mut data = CostData::new(scale, cost, before).beside(overlaid);
        data.fields.tier = tier(shown(cost, settings.show), scale.base);
        let self_change_tier = data.fields.change_tier_of(scale, Part::Self_);
        if settings.show == Show::Self_ {
            data.fields.change_tier = self_change_tier;
        }
        Labelled {
            line0,
            label: label + &beside,
            column: scale.column(cost, settings.show, before),
            self_tier: if data.self_.is_some() {
                tier(shown(cost, Show::Self_), scale.base)
            } else {
                0
            },
            self_change_tier,
            cost: data,
        }
    };
    shown_here.into_iter().map(labelled).collect()
}

/// A line (0-based), the scale of its cost, the cost, and its cost in the overlay.
type ShownLine<'a> = (u32, Scale<'a>, Cost, Option<Overlaid<'a>>);

/// The lines in a range (0-based) whose cost, or cost in the overlay, reaches the threshold.
fn shown_lines<'a>(
    settings: &Hints,
    open: &'a OpenFile,
    range: Range<u32>,
    scale: Scale<'a>,
) -> Vec<ShownLine<'a>> {
    let mut overlay = open.overlaid_lines(range.clone());
    let costs = open.lines().costs(range).into_iter();
    let mut lines: Vec<ShownLine<'_>> = costs
        .map(|(line0, line)| {
            let scale = scale.of_line(&open.snapshot, line.file, line.line);
            (line0, scale, line.cost, overlay.remove(&line0))
        })
        .collect();
    lines.extend(overlay.into_iter().map(|(line0, cost)| (line0, scale, NO_COST, Some(cost))));
    lines.sort_unstable_by_key(|(line0, ..)| *line0);
    let base = open.overlay_lines().map_or(0.0, |lines| lines.snapshot.costs.base);
    lines.retain(|(_, scale, cost, overlaid)| {
        scale.shows(*cost, settings.show, settings.min_percent)
            || overlaid.is_some_and(|Overlaid { cost, metric }| {
                let scale = Scale { metric, base, ..*scale };
                scale.shows(cost, settings.show, settings.min_percent)
            })
    });
    lines
}

/// What tells the functions around lines apart: the line on which the function starts in the text
/// that lines are mapped from, or without a grammar the hottest function on the line. `None` outside
/// of functions.
fn function_around(open: &OpenFile, functions: Option<&Functions>, line0: u32) -> Option<u32> {
    let Some(functions) = functions else {
        return hottest(open, line0).map(|function| function.index() as u32);
    };
    let recorded0 = open.lines().map.to_recorded(line0)?;
    let outwards = std::iter::successors(functions.at_line(recorded0), |definition| {
        functions.all().get(definition.parent?)
    });
    outwards.filter(|it| !it.name.is_empty()).map(|it| *it.lines.start()).next()
}

/// Whether hints are how often lines were executed: that was chosen, and the profile tells it.
pub(super) fn shows_counts(context: &Context, open: &OpenFile) -> bool {
    context.world.settings.hints.show == Show::Counts && !open.snapshot.line_counts.is_empty()
}
