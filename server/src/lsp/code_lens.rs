//! `textDocument/codeLens`: what each function costs, above its first line. Complete at once: some clients show unresolved
//! lenses as blank rows.

use super::context::Context;
use super::{command, to_proto};
use crate::present::units;
use crate::session::snapshot::Snapshot;
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
    let functions = lines.functions().into_iter();
    let functions =
        functions.filter(|&(_, function)| scale.reaches(open.snapshot.costs.function(function).cost, settings.min_percent));
    functions.filter_map(|(line0, function)| lens(context, &open.snapshot, line0, function, lines.mark())).collect()
}

fn lens(context: &Context, snapshot: &Snapshot, line0: u32, function: FunctionId, mark: &str) -> Option<CodeLens> {
    let FunctionCost { cost, calls, .. } = snapshot.costs.function(function);
    let item = to_proto::item(context, snapshot, None, &[function], Some(cost.self_), cost.total, false)?;
    let mut data = to_proto::cost_data(snapshot, cost);
    data.insert("func".to_owned(), json!(to_proto::key(snapshot, function)));
    let title = format!("{mark}{}{}", context.scale(snapshot).lens(cost), units::calls(calls));
    Some(CodeLens {
        range: Range::new(Position::new(line0, 0), Position::new(line0, 0)),
        command: Some(Command {
            title,
            command: command::SHOW_CALLERS.to_owned(),
            arguments: Some(vec![serde_json::to_value(item).ok()?]),
        }),
        data: Some(Value::Object(data)),
    })
}
