//! The lines at the top of text output.

use answers::labels::totals;
use answers::text::plain;
use answers::{Compared, Marks, Metric, Overlay, Snapshot, Thread, units};

/// The first line of all text output: profile, total, threads, what the total excludes, and what
/// is not default about the view.
pub fn headline(snapshot: &Snapshot) -> String {
    let costs = &snapshot.costs;
    // "2344 hits", but "4.33 s of wall".
    let Metric { name: metric, unit, .. } = &costs.metric;
    let of = if metric == unit { String::new() } else { format!(" of {}", plain(metric)) };
    let sampled = costs.threads.iter().filter(|thread| thread.samples > 0).count();
    // The metric is in front.
    let Marks { threads: chosen, parts, .. } = Marks::of(snapshot);
    // Most call graphs have no threads, and folded stacks do not tell them apart.
    let is_nameless =
        |thread: &Thread| thread.name.is_empty() && thread.pid.is_none() && thread.tid.is_none();
    let threads = match (snapshot.loaded.recording.threads(), chosen) {
        ([], _) => String::new(),
        ([only], _) if is_nameless(only) => String::new(),
        (_, Some(chosen)) => format!(" in {chosen}"),
        (_, None) => format!(" in {}", units::counted(sampled as f64, "threads")),
    };
    let marks =
        if parts.is_empty() { String::new() } else { format!(" · {}", parts.join(" · ")) };
    let excluded: Vec<String> = [(costs.idle, "idle"), (costs.no_stack, "without a stack")]
        .into_iter()
        .filter(|(weight, _)| *weight != 0.0)
        .map(|(weight, what)| format!("{} {what}", units::absolute(weight, &costs.metric)))
        .collect();
    let excluded = match excluded.join(" and ") {
        none if none.is_empty() => none,
        weights => format!(", excluding {weights}"),
    };
    let spread = snapshot.run_costs().total();
    let spread = spread.map(|spread| format!(" ±{}", units::absolute(spread, &costs.metric)));
    let name = plain(&snapshot.loaded.name()).into_owned();
    if !costs.metric.lines.has_self() {
        return format!("{name}: {} of each line with what it calls{marks}", plain(metric));
    }
    format!(
        "{name}: {}{}{of}{threads}{excluded}{marks}",
        units::absolute(costs.total, &costs.metric),
        spread.unwrap_or_default(),
    )
}

/// The line below the headline if costs are compared: the baseline, and how the total changed.
pub fn compared_with(before: Compared<'_>, now: &Snapshot) -> String {
    let name = before.baseline.name();
    format!("compared with {}: {}", plain(&name), totals(before.by.total(), &now.costs.metric))
}

/// The line below the headline if there is an overlay: its name and total.
pub fn beside_overlay(overlay: Overlay<'_>) -> String {
    let costs = &overlay.snapshot().costs;
    let total = units::absolute(costs.total, &costs.metric);
    format!("beside {}: {total}", plain(&overlay.name()))
}
