//! The call tree as indented text.

use crate::cli::heading::{compared_with, headline};
use crate::cli::output::Output;
use crate::cli::style::Style;
use answers::text::{place, plain};
use answers::{
    Compared, LabelPart as Part, LabelScale as Scale, Snapshot, TreeOmitted, TreeOrder, TreeRow,
    TreeRows, units,
};
use std::io::{self, Write};

/// Writes the tree.
pub(super) fn write(
    snapshot: &Snapshot,
    order: TreeOrder,
    found: &TreeRows,
    before: Option<Compared<'_>>,
    style: Style,
    out: &mut Output,
) -> io::Result<()> {
    heading(snapshot, order, found, before, out)?;
    let scale = Scale::new(&snapshot.costs.metric, snapshot.costs.base, style.unit);
    let costs: Vec<[String; 2]> = found.rows.iter().map(|row| cells(scale, row)).collect();
    let headings = ["total", if order == TreeOrder::TopDown { "self" } else { "" }];
    let width = |column: usize| {
        let cells = costs.iter().map(|cells| cells[column].chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or_default()
    };
    let (total_width, own_width) = (width(0), width(1));
    writeln!(out, "{:>total_width$} {:>own_width$}", headings[0], headings[1])?;
    for (row, [total, own]) in found.rows.iter().zip(&costs) {
        let cells = format!("{total:>total_width$} {own:>own_width$}");
        let share = row.branch.total.abs() / snapshot.costs.base;
        let cells = style.costs(&cells, share, before.is_some());
        let used = total_width + 1 + own_width + 2;
        writeln!(out, "{cells}  {}", name_and_place(snapshot, row, style, used))?;
    }
    omitted(found.omitted, style, out)
}

/// The lines above the columns.
fn heading(
    snapshot: &Snapshot,
    order: TreeOrder,
    found: &TreeRows,
    before: Option<Compared<'_>>,
    out: &mut Output,
) -> io::Result<()> {
    writeln!(out, "{}", headline(snapshot))?;
    if let Some(before) = before {
        writeln!(out, "{}", compared_with(before, snapshot))?;
    }
    if snapshot.grouped.recording.summed().is_some() {
        let others = if order == TreeOrder::TopDown { "callees" } else { "callers" };
        writeln!(
            out,
            "The profile is a call graph without stacks. Costs marked `est.` are divided among \
             {others} in proportion to all their calls."
        )?;
    }
    if found.rows.iter().any(|row| row.recursive) {
        writeln!(out, "Functions marked ↻ call each other or themselves.")?;
    }
    Ok(())
}

/// The total and the self cost of a row.
fn cells(scale: Scale<'_>, row: &TreeRow) -> [String; 2] {
    let delta = |part| scale.delta(row.cost(), row.before, part);
    let total = units::total(row.branch.as_total(), |weight| scale.weight(weight));
    let own = row.branch.self_.filter(|own| *own != 0.0);
    let own = own.map(|own| scale.weight(own) + &delta(Part::Self_));
    [total + &delta(Part::Total), own.unwrap_or_default()]
}

/// What is behind the costs of a row, which take `used` characters.
fn name_and_place(snapshot: &Snapshot, row: &TreeRow, style: Style, used: usize) -> String {
    let function = row.branch.function;
    let this = snapshot.function(function);
    let place = match this.file {
        Some(file) => place(&snapshot.shown_file(file), snapshot.start_line(function)),
        None => this.lib.map(|lib| plain(lib).into_owned()).unwrap_or_default(),
    };
    let range = row.range.map(|range| range.to_string());
    let tiers = snapshot.tree.jit_tiers_of_branch(&row.branch);
    let tiers = units::jit_tiers(tiers, row.branch.total).map(|tiers| format!("[{tiers}]"));
    let place = [Some(place).filter(|place| !place.is_empty()), range, tiers];
    let place = place.into_iter().flatten().collect::<Vec<_>>().join("  ");
    let indent = "  ".repeat(row.depth);
    let mark = if row.recursive { "↻ " } else { "" };
    let what = style.name_and_place(used + indent.len() + 2, &plain(this.name), &place);
    format!("{indent}{mark}{what}")
}

fn omitted(omitted: TreeOmitted, style: Style, out: &mut Output) -> io::Result<()> {
    for (n, what) in [
        (omitted.limit, "(--limit)"),
        (omitted.min_percent, "and all below them (--min-percent)"),
        (omitted.depth, "and all below them (--depth)"),
    ] {
        if n > 0 {
            let paths = units::counted(n as f64, "call paths");
            writeln!(out, "{}", style.dim(&format!("omitted: {paths} {what}")))?;
        }
    }
    Ok(())
}
