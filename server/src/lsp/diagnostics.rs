//! `textDocument/publishDiagnostics`: hot lines and functions, and lines that were never executed, as
//! diagnostics. Disabled by default.
//! They are for clients without hints and lenses, or that do not redraw them.

use super::to_proto;
use engine::context::Context;
use engine::query::hot_places::{HotPlace, hot_places};
use lsp_types::{Diagnostic, DiagnosticSeverity, DiagnosticTag, Url};

/// The diagnostics of a document.
pub fn diagnostics(context: &Context, uri: &Url) -> Vec<Diagnostic> {
    hot_places(context, uri).into_iter().map(diagnostic).collect()
}

fn diagnostic(HotPlace { range, message, never_executed }: HotPlace) -> Diagnostic {
    Diagnostic {
        range: to_proto::range(range),
        severity: Some(DiagnosticSeverity::HINT),
        source: Some("costline".to_owned()),
        message,
        tags: never_executed.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}
