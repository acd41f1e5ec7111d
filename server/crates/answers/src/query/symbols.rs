//! The hottest functions, for workspace symbols, in the default order of hot spots.

use crate::items::places::{Place, line_place};
use crate::ranking::{By, Limits, Ranking, Scope};
use crate::world::context::Context;
use loading::Show;
use loading::text::{file_name, plain};

/// The maximum number of symbols.
const LIMIT: usize = 100;

/// A hot function.
#[derive(Debug, Clone, PartialEq)]
pub struct HotSymbol {
    /// `$12.3% · self 4.0% parse_value`, with a baseline `$12.3% ▲1.20 s · self 4.0% parse_value`.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// The name of the file in the profile.
    pub file: String,
}

/// The hottest functions for the query `$`, or for `$part` those whose name contains `part`. `None`
/// for other queries, which language servers answer.
pub fn symbols(context: &Context, query: &str) -> Option<Vec<HotSymbol>> {
    let part = query.strip_prefix('$')?.to_lowercase();
    let snapshot = context.world.snapshot()?;
    let scale = context.scale(snapshot);
    let ranking = Ranking {
        by: By::Function,
        label: None,
        sort: None,
        scope: Scope::All,
        idle: false,
        module: None,
        filter: None,
        limits: Limits { limit: usize::MAX, ..Limits::default() },
    };
    let rows = ranking.rows(snapshot, None).ok()?.rows;
    let symbols = rows.into_iter().filter_map(|row| {
        let (function, cost) = (row.what.function()?, row.cost);
        // Clients filter symbols by the query, so the name must begin with `$`.
        let before = context.function_before(snapshot, function);
        let costs = scale.hint(cost, Show::Both, before);
        let name = format!("${costs} {}", plain(snapshot.function(function).name));
        if !name.to_lowercase().contains(&part) {
            return None;
        }
        let (file, line) = snapshot.definition(function)?;
        let place = line_place(context, snapshot, file, line)?;
        Some(HotSymbol { name, place, file: file_name(snapshot.file_name(file)).into_owned() })
    });
    Some(symbols.take(LIMIT).collect())
}
