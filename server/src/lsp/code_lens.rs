//! `textDocument/codeLens`: what each function costs, above the line of its name. Complete at once: some clients show unresolved
//! lenses as blank rows.
//!
//! A lens names no function: the line does. So where closures without a name begin on a line that has a lens, they have none,
//! and of several that begin on one line the costliest has it.

use super::context::Context;
use super::{command::table::SHOW_CALLERS, to_proto};
use crate::present::units;
use crate::session::snapshot::{Snapshot, hotter};
use analysis::FunctionCost;
use lsp_types::{CodeLens, CodeLensParams, Command, Position, Range};
use profile::FunctionId;
use serde_json::{Value, json};

/// The lenses of a document.
pub fn lenses(context: &Context, params: &CodeLensParams) -> Vec<CodeLens> {
    let settings = &context.world.config.lenses;
    let Some(open) = context.open_file(&params.text_document.uri).filter(|_| settings.enable) else { return Vec::new() };
    let lines = open.lines();
    let scale = context.scale(&open.snapshot);
    let cost = |function| open.snapshot.costs.function(function).cost;
    let is_nameless =
        |function| open.snapshot.source_function(function).is_some_and(|function| function.definition().name.is_empty());
    let functions = lines.functions();
    let on_lines = functions.chunk_by(|a, b| a.0 == b.0).flat_map(|on_line| {
        let mut shown: Vec<_> = on_line.iter().copied().filter(|&(_, function)| !is_nameless(function)).collect();
        if shown.is_empty() {
            shown.extend(on_line.iter().copied().min_by(|a, b| hotter(cost(a.1), cost(b.1))));
        }
        shown
    });
    let on_lines = on_lines.filter(|&(_, function)| scale.reaches(cost(function), settings.min_percent));
    on_lines.filter_map(|(line0, function)| lens(context, &open.snapshot, line0, function, lines.mark())).collect()
}

fn lens(context: &Context, snapshot: &Snapshot, line0: u32, function: FunctionId, mark: &str) -> Option<CodeLens> {
    let FunctionCost { cost, calls, .. } = snapshot.costs.function(function);
    let item = to_proto::item(context, snapshot, None, &[function], Some(cost.self_), cost.total, false)?;
    let mut data = to_proto::cost_data(snapshot, cost);
    data.insert("func".to_owned(), json!(to_proto::key(snapshot, function)));
    let costs = context.scale(snapshot).lens(cost, context.function_before(snapshot, function));
    let title = format!("{mark}{costs}{}", units::calls(calls));
    Some(CodeLens {
        range: Range::new(Position::new(line0, 0), Position::new(line0, 0)),
        command: Some(Command {
            title,
            command: SHOW_CALLERS.to_owned(),
            arguments: Some(vec![serde_json::to_value(item).ok()?]),
        }),
        data: Some(Value::Object(data)),
    })
}
