//! The costs of the lines of a document, for hints.

use crate::context::Context;
use crate::items::CostData;
use crate::text::Position;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use url::Url;

/// The hint of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineHint {
    /// The end of the line.
    pub position: Position,
    /// `12.3%`, or `~12.3%` if the line may have moved since the recording.
    pub label: String,
    /// The data of the hint.
    pub data: HintData,
}

/// The `data` of a hint.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HintData {
    /// The raw cost.
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
    let mut hints = Vec::new();
    for (line0, line) in file.costs(lines) {
        let Some(position) = open.document.text.end_of_line(line0) else { continue };
        if scale.reaches(line.cost, settings.min_percent) {
            let label = scale.hint(line.cost, settings.show, open.line_before(line0));
            hints.push(LineHint {
                position,
                label: format!("{}{label}", file.mark()),
                data: HintData {
                    cost: CostData::new(scale, line.cost),
                    line: HintLine { line0, uri: uri.clone() },
                    stale: file.stale,
                },
            });
        }
    }
    hints
}
