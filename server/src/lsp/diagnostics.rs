//! Hot lines and functions as diagnostics: off by default, but the one surface that every client redraws unasked.

use super::context::Context;
use crate::present::text::plain;
use crate::session::documents::Document;
use lsp_types::{Diagnostic, DiagnosticSeverity, Position, Range};
use std::sync::Arc;

/// The diagnostics of a document: its hottest lines and functions, in order; none where they are switched off.
pub fn diagnostics(context: &Context, document: &Arc<Document>) -> Vec<Diagnostic> {
    let settings = &context.world.config.diagnostics;
    let Some(open) = context.open_file(&document.uri).filter(|_| settings.enable) else { return Vec::new() };
    let scale = context.scale(&open.snapshot);
    let lines = open.lines();
    let diagnostic = |line0, message| {
        let range = open.document.text.range_of_line(line0);
        Diagnostic {
            range: range.unwrap_or_else(|| Range::new(Position::new(line0, 0), Position::new(line0, 0))),
            severity: Some(DiagnosticSeverity::HINT),
            source: Some("costline".to_owned()),
            message,
            ..Diagnostic::default()
        }
    };
    let hot_lines = lines.costs(0..u32::MAX).into_iter().map(|(line0, line)| {
        let label = scale.hint(line.cost, context.world.config.hints.show, open.line_before(line0));
        (line.cost, diagnostic(line0, format!("{}hot line: {label}", lines.mark())))
    });
    let hot_functions = lines.functions().into_iter().map(|(line0, function)| {
        let cost = open.snapshot.costs.function(function).cost;
        let name = plain(open.snapshot.function(function).name).into_owned();
        let costs = scale.lens(cost, context.function_before(&open.snapshot, function));
        (cost, diagnostic(line0, format!("{}hot function {name}: {costs}", lines.mark())))
    });
    let mut hot: Vec<_> = hot_lines.chain(hot_functions).filter(|(cost, _)| scale.reaches(*cost, settings.min_percent)).collect();
    hot.sort_by(|a, b| b.0.magnitude().total_cmp(&a.0.magnitude()));
    hot.truncate(settings.max_per_file);
    hot.sort_by_key(|(_, diagnostic)| diagnostic.range.start);
    hot.into_iter().map(|(_, diagnostic)| diagnostic).collect()
}
