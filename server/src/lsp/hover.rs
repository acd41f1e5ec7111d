//! `textDocument/hover`: what a function or line costs, in a few lines.

use super::from_proto;
use answers::{Context, Markup};
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

/// The hover at a position.
pub fn hover(context: &Context, params: &HoverParams, markup: Markup) -> Option<Hover> {
    let at = &params.text_document_position_params;
    let details =
        answers::hover(context, &at.text_document.uri, from_proto::position(at.position))?;
    let kind = match markup {
        Markup::Plain => MarkupKind::PlainText,
        Markup::Markdown { .. } => MarkupKind::Markdown,
    };
    let contents = HoverContents::Markup(MarkupContent { kind, value: details.hover(markup) });
    Some(Hover { contents, range: None })
}
