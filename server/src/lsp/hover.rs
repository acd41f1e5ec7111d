//! `textDocument/hover`: the details of a function or line.

use super::from_proto;
use engine::context::Context;
use engine::query::hover;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

/// The hover at a position, as Markdown or as plain text.
pub fn hover(context: &Context, params: &HoverParams, markup: MarkupKind) -> Option<Hover> {
    let at = &params.text_document_position_params;
    let details = hover::hover(context, &at.text_document.uri, from_proto::position(at.position))?;
    let value = match markup {
        MarkupKind::Markdown => details.markdown(),
        MarkupKind::PlainText => details.plain(),
    };
    let contents = HoverContents::Markup(MarkupContent { kind: markup, value });
    Some(Hover { contents, range: None })
}
