//! The headings of the two groups of hot spots: your code, and libraries with the runtime.

use crate::keys::weight::Weight;
use crate::present::labels::Scale;
use crate::ranking::{Charged, Ranked};
use analysis::Total;
use loading::{Snapshot, units};
use schemars::JsonSchema;
use serde::Serialize;

/// A group of hot spots, which begins with the first row whose `own` is the same.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotGroup {
    /// Whether it has your code.
    pub own: bool,
    /// Its sum. Your code: its cost with the libraries that it calls. Others: what no own code calls.
    pub sum: Weight,
    /// Its name and sum, in the unit of the setting `unit`: `Your code 92.4%`.
    pub text: String,
    /// How its rows relate to its sum. Empty if they add up to it.
    pub note: String,
}

/// The groups of rows that are sorted by the cost of own code with libraries. Empty for other rows. The sums
/// are those of all functions, also of those that are not listed or have no known line.
pub fn hot_groups(snapshot: &Snapshot, scale: Scale<'_>, ranked: &Ranked) -> Vec<HotGroup> {
    let Some(Charged { sum, not_listed }) = ranked.charged else { return Vec::new() };
    let is_line_table = snapshot.grouped.recording.is_line_table();
    let text = |sum: f64| {
        let is_exact = snapshot.tree.has_stacks() || is_line_table;
        let total = if is_exact { Total::Exact(sum) } else { Total::Estimated(sum) };
        units::total(total, |weight| scale.weight(weight))
    };
    let group = |own, name: &str, sum: f64, note: String| HotGroup {
        own,
        sum: Weight(sum),
        text: format!("{name} {}", text(sum)),
        note,
    };
    // Less is an error of rounding or of an estimate.
    let has_rest = not_listed > sum.abs() / 1000.0;
    let rest = has_rest.then(|| format!("{} of it on unknown lines", text(not_listed)));
    let note = if is_line_table {
        "the profile does not say what calls them"
    } else {
        "not called by your code; the rows also count what your code calls"
    };
    vec![
        group(true, "Your code", sum, rest.unwrap_or_default()),
        group(false, "Libraries and runtime", snapshot.costs.total - sum, note.to_owned()),
    ]
}
