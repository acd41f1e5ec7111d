//! `textDocument/inlayHint`: what each line costs, at its end.

use super::context::Context;
use super::{hover, to_proto};
use lsp_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip, MarkupContent, MarkupKind, Url};
use serde::Deserialize;
use serde_json::{Value, json};

/// The hints of the lines asked for.
pub fn hints(context: &Context, params: &InlayHintParams) -> Vec<InlayHint> {
    let settings = &context.world.config.hints;
    let Some(open) = context.open_file(&params.text_document.uri).filter(|_| settings.enable) else { return Vec::new() };
    let lines = open.lines();
    let scale = context.scale(&open.snapshot);
    let asked = params.range.start.line..params.range.end.line.saturating_add(1);
    let costs = lines.costs(asked).into_iter().filter(|(_, line)| scale.reaches(line.cost, settings.min_percent));
    let hints = costs.filter_map(|(line0, line)| {
        let mut data = to_proto::cost_data(&open.snapshot, line.cost);
        data.insert("line0".to_owned(), json!(line0));
        data.insert("uri".to_owned(), json!(params.text_document.uri));
        let label = scale.hint(line.cost, settings.show, open.line_before(line0));
        Some(InlayHint {
            position: open.document.text.end_of_line(line0)?,
            label: InlayHintLabel::String(format!("{}{label}", lines.mark())),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: Some(Value::Object(data)),
        })
    });
    hints.collect()
}

#[derive(Deserialize)]
struct HintData {
    v: u32,
    line0: u32,
    uri: Url,
}

/// A hint with its tooltip. One that is not ours, or whose line has no cost any more, comes back as it is.
pub fn resolve(context: &Context, mut hint: InlayHint) -> InlayHint {
    let data = hint.data.as_ref().and_then(|data| HintData::deserialize(data).ok()).filter(|data| data.v == 1);
    let details = data.and_then(|data| hover::line_details(context, &context.open_file(&data.uri)?, data.line0));
    if let Some(details) = details {
        hint.tooltip =
            Some(InlayHintTooltip::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: details.markdown() }));
    }
    hint
}
