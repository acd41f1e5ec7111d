//! The hottest functions as symbols of the workspace.

use crate::context::Context;
use crate::places::{Place, line_place};
use crate::present::text::plain;
use crate::present::units;

/// More are no help in a picker.
const LIMIT: usize = 100;

/// A hot function.
#[derive(Debug, Clone, PartialEq)]
pub struct HotSymbol {
    /// `$12.3% parse_value`.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// The file, as the profile spells it.
    pub file: String,
}

/// The hottest functions for the query `$`; for `$part` those whose name contains `part`. `None`
/// for other queries, which belong to language servers.
pub fn symbols(context: &Context, query: &str) -> Option<Vec<HotSymbol>> {
    let part = query.strip_prefix('$')?.to_lowercase();
    let snapshot = context.world.snapshot()?;
    let scale = context.scale(snapshot);
    let symbols = snapshot.hottest_functions().into_iter().filter_map(|(function, cost)| {
        let total = units::total(cost.total, |weight| scale.weight(weight));
        // Clients filter by the query: the name must begin with it.
        let name = format!("${total} {}", plain(snapshot.function(function).name));
        if !name.to_lowercase().contains(&part) {
            return None;
        }
        let (file, line) = snapshot.definition(function)?;
        let place = line_place(context, snapshot, file, line)?;
        Some(HotSymbol { name, place, file: plain(snapshot.file_name(file)).into_owned() })
    });
    Some(symbols.take(LIMIT).collect())
}
