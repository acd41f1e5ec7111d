//! `textDocument/inlayHint`: the cost of each line, at its end.

use super::to_proto;
use answers::{Context, HintLine, LineHint, line_costs, line_details};
use lsp_types::{
    InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip, MarkupContent, MarkupKind, Url,
};
use serde::Deserialize;

/// The hints of a range of a document.
pub fn hints(context: &Context, params: &InlayHintParams) -> Vec<InlayHint> {
    let lines = params.range.start.line..params.range.end.line.saturating_add(1);
    line_costs(context, &params.text_document.uri, lines).into_iter().map(hint).collect()
}

fn hint(LineHint { position, label, data }: LineHint) -> InlayHint {
    InlayHint {
        position: to_proto::position(position),
        label: InlayHintLabel::String(label),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: serde_json::to_value(data).ok(),
    }
}

/// The document of a hint of this server.
pub fn uri(hint: &InlayHint) -> Option<Url> {
    let data = hint.data.as_ref()?;
    HintLine::deserialize(data).ok().map(|HintLine { uri, .. }| uri)
}

/// `inlayHint/resolve`: adds the tooltip. A hint of another server, or of a line that no longer has
/// a cost, is returned unchanged.
pub fn resolve(context: &Context, mut hint: InlayHint) -> InlayHint {
    if let Some(data) = &hint.data
        && let Ok(HintLine { line0, uri }) = HintLine::deserialize(data)
        && let Some(open) = context.open_file(&uri)
        && let Some(details) = line_details(context, &open, line0)
    {
        hint.tooltip = Some(InlayHintTooltip::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: details.markdown(),
        }));
    }
    hint
}
