//! `workspace/symbol` for queries that begin with `$`: the hottest functions, hottest first.

use super::context::Context;
use super::to_proto;
use crate::present::text::plain;
use crate::present::units;
use lsp_types::{SymbolInformation, SymbolKind, WorkspaceSymbolParams};

/// More are no help in a picker.
const LIMIT: usize = 100;

/// Symbols for `$`, or for `$part` those whose name holds `part`. Other queries belong to language servers.
pub fn symbols(context: &Context, params: &WorkspaceSymbolParams) -> Option<Vec<SymbolInformation>> {
    let wanted = params.query.strip_prefix('$')?.to_lowercase();
    let snapshot = context.world.snapshot()?;
    let scale = context.scale(snapshot);
    let symbols = snapshot.hottest_functions().into_iter().filter_map(|(function, cost)| {
        let this = snapshot.function(function);
        // Clients filter by the query: the name must begin like it.
        let name = format!("${} {}", units::total(cost.total, |weight| scale.weight(weight)), plain(this.name));
        if !name.to_lowercase().contains(&wanted) {
            return None;
        }
        let (file, line) = snapshot.definition(function)?;
        #[expect(deprecated, reason = "the type has the field")]
        Some(SymbolInformation {
            name,
            kind: SymbolKind::FUNCTION,
            tags: None,
            deprecated: None,
            location: to_proto::line_location(context, snapshot, file, line)?,
            container_name: Some(plain(snapshot.file_name(file)).into_owned()),
        })
    });
    Some(symbols.take(LIMIT).collect())
}
