//! `workspace/symbol`: the hottest functions, for queries that begin with `$`.

use super::to_proto;
use answers::{Context, HotSymbol};
use lsp_types::{Location, SymbolInformation, SymbolKind, WorkspaceSymbolParams};

/// The symbols for a query.
pub fn symbols(
    context: &Context,
    params: &WorkspaceSymbolParams,
) -> Option<Vec<SymbolInformation>> {
    let symbols = answers::symbols(context, &params.query)?;
    Some(symbols.into_iter().map(symbol).collect())
}

#[expect(deprecated, reason = "the type has the field")]
fn symbol(HotSymbol { name, place, file }: HotSymbol) -> SymbolInformation {
    SymbolInformation {
        name,
        kind: SymbolKind::FUNCTION,
        tags: None,
        deprecated: None,
        location: Location { uri: place.uri, range: to_proto::range(place.range) },
        container_name: Some(file),
    }
}
