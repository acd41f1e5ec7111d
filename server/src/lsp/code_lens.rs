//! `textDocument/codeLens`: the cost of each function, above the line of its name, and what can be
//! recorded. Lenses are not resolved later, because some clients show unresolved lenses as blank rows.

use super::command::SHOW_CALLERS;
use answers::{Context, FunctionLens, Recipe, function_costs, recipes};
use lsp_types::{CodeLens, CodeLensParams, Command, Position, Range};

/// The command of lenses that record a profile. Clients that have it announce
/// `experimental.costline.record`.
const RECORD: &str = "costline.ui.record";

/// The lenses of a document. `records`: whether the client has the command [`RECORD`].
pub fn lenses(context: &Context, params: &CodeLensParams, records: bool) -> Vec<CodeLens> {
    let uri = &params.text_document.uri;
    let mut lenses: Vec<_> =
        function_costs(context, uri).into_iter().filter_map(cost_lens).collect();
    let settings = &context.world.settings.lenses;
    if records && settings.enable && settings.record {
        lenses.extend(recipes(context, uri).into_iter().filter_map(record_lens));
    }
    lenses
}

fn cost_lens(FunctionLens { line0, title, item, data }: FunctionLens) -> Option<CodeLens> {
    let item = serde_json::to_value(item).ok()?;
    let command = SHOW_CALLERS.to_owned();
    Some(CodeLens {
        range: at(line0),
        command: Some(Command { title, command, arguments: Some(vec![item]) }),
        data: serde_json::to_value(data).ok(),
    })
}

fn record_lens(recipe: Recipe) -> Option<CodeLens> {
    let (title, command) = ("Profile".to_owned(), RECORD.to_owned());
    let range = at(recipe.line0);
    let arguments = Some(vec![serde_json::to_value(recipe).ok()?]);
    Some(CodeLens { range, command: Some(Command { title, command, arguments }), data: None })
}

/// The start of a line (0-based).
fn at(line0: u32) -> Range {
    Range::new(Position::new(line0, 0), Position::new(line0, 0))
}
