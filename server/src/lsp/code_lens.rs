//! `textDocument/codeLens`: the cost of each function, above the line of its name. Lenses are not
//! resolved later, because some clients show unresolved lenses as blank rows.

use super::command::SHOW_CALLERS;
use engine::context::Context;
use engine::query::function_costs::{FunctionLens, function_costs};
use lsp_types::{CodeLens, CodeLensParams, Command, Position, Range};

/// The lenses of a document.
pub fn lenses(context: &Context, params: &CodeLensParams) -> Vec<CodeLens> {
    function_costs(context, &params.text_document.uri).into_iter().filter_map(lens).collect()
}

fn lens(FunctionLens { line0, title, item, data }: FunctionLens) -> Option<CodeLens> {
    let item = serde_json::to_value(item).ok()?;
    let command = SHOW_CALLERS.to_owned();
    Some(CodeLens {
        range: Range::new(Position::new(line0, 0), Position::new(line0, 0)),
        command: Some(Command { title, command, arguments: Some(vec![item]) }),
        data: serde_json::to_value(data).ok(),
    })
}
