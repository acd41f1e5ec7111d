//! The list of `costline diff` as text or Markdown.

use super::arguments::{DiffArgs, Format};
use super::compared::Compared;
use crate::cli::style::Style;
use answers::text::{markdown, one_line, plain};
use answers::{
    Change, DiffRow as Row, DiffSort, LabelScale as Scale, ListBy, ListedChanges, Sides, units,
};
use std::io::{self, Write};

/// The first line of a comment, by which it can be found.
const MARKER: &str = "<!-- costline diff -->";

/// The row of functions that have neither a file nor a library.
const NO_FILE: &str = "no file";

/// The headings of [`cells`]. Rows of files have self costs only, and an empty last cell.
fn headings(rows: &[(&Row, [String; 4])], sort: DiffSort) -> &'static [&'static str] {
    if rows.iter().all(|(row, _)| row.total.is_none()) {
        &["self before", "self after", "self change"]
    } else if sort == DiffSort::Total {
        &["total before", "total after", "total change", "self change"]
    } else {
        &["self before", "self after", "self change", "total change"]
    }
}

/// The cells of a row: the cost that the list is sorted by before and after, its change, and the change of
/// the other one. A change within noise is blank, an unknown one `?`.
pub(super) fn cells(
    compared: &Compared<'_>,
    row: &Row,
    sort: DiffSort,
    style: Style,
) -> [String; 4] {
    let (base_before, now) = (compared.diff.by.base_before(), &compared.now.costs);
    let by = compared.diff.by.by;
    let scale = |base| Scale::new(&now.metric, base, style.unit);
    let arrow = |change: Option<Change>| match change {
        None => "?".to_owned(),
        Some(change) if change.is_real() => scale(now.base).arrow(by, change).unwrap_or_default(),
        Some(_) => String::new(),
    };
    let costs = |change: Change| {
        [scale(base_before).weight(change.before), scale(now.base).weight(change.now)]
    };
    match (sort, row.total) {
        (DiffSort::Total, Some(total)) => {
            let [before, after] = costs(total);
            [before, after, arrow(Some(total)), arrow(Some(row.self_))]
        }
        (DiffSort::Total, None) if row.function.is_some() => {
            let unknown = || "?".to_owned();
            [unknown(), unknown(), unknown(), arrow(Some(row.self_))]
        }
        _ => {
            let [before, after] = costs(row.self_);
            let total = if row.function.is_none() && row.total.is_none() {
                String::new()
            } else {
                arrow(row.total)
            };
            [before, after, arrow(Some(row.self_)), total]
        }
    }
}

fn note(row: &Row) -> &'static str {
    match row.sides {
        Sides::Both => "",
        Sides::After => " (new)",
        Sides::Before => " (gone)",
    }
}

/// Whether a row that changed is in a list of this format.
fn is_listed(compared: &Compared<'_>, arguments: &DiffArgs, format: Format, row: &Row) -> bool {
    let fails = arguments.fail_above_function.is_some_and(|most| compared.diff.grew(row, most));
    fails || compared.diff.reaches(row, arguments.min_percent(format))
}

/// What the list leaves out. `small` changes are below the minimum of its format.
fn omitted(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    [listed, changed]: [usize; 2],
    (small, format): (usize, Format),
) -> Vec<String> {
    let diff = compared.diff;
    let (rows, noun) = (diff.rows(arguments.by), arguments.noun());
    let count = |n: usize, what: &str| units::counted(n as f64, &format!("{noun}s{what}"));
    let mut notes = Vec::new();
    if listed > arguments.limit {
        notes.push(format!("{} (--limit)", count(listed - arguments.limit, "")));
    }
    if small > 0 {
        let (changed, min) = (count(small, ""), arguments.min_percent(format));
        notes.push(format!(
            "{changed} that changed by less than {min}% of the total (--min-percent)"
        ));
    }
    let unchanged = rows.len() - changed - small;
    if unchanged > 0 {
        let real = if diff.by.bound().is_some() { " beyond noise" } else { "" };
        notes.push(format!("{} without a change{real}", count(unchanged, "")));
    }
    notes.extend(compared.unlisted(arguments.by));
    notes
}

/// The rows that the list leaves out because only their total changed.
fn above_note(arguments: &DiffArgs, above: &[&Row]) -> Option<String> {
    let outermost = above.first()?;
    let n = above.len() as f64;
    Some(match arguments.by {
        ListBy::Function => {
            let callers = units::counted(n, "callers");
            format!("{callers} up to {} (--sort total)", one_line(&outermost.name))
        }
        ListBy::Line | ListBy::File | ListBy::Label => {
            format!("{} of which only the calls changed (--sort total)", units::counted(n, "lines"))
        }
    })
}

/// Writes the list.
pub(super) fn write(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    format: Format,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sort = arguments.sort;
    let all = compared.diff.rows(arguments.by).iter().filter(|row| row.is_changed());
    let n_small = all.filter(|row| !is_listed(compared, arguments, format, row)).count();
    let ListedChanges { rows: changed, above } =
        compared.diff.listed(arguments.by, sort, |row| is_listed(compared, arguments, format, row));
    let n_changed = changed.len() + above.len();
    let mut omitted = omitted(compared, arguments, [changed.len(), n_changed], (n_small, format));
    omitted.splice(..0, above_note(arguments, &above));
    let shown = &changed[..changed.len().min(arguments.limit)];
    let rows: Vec<_> = shown.iter().map(|row| (*row, cells(compared, row, sort, style))).collect();
    if format == Format::Text {
        return text(compared, arguments, &rows, &omitted, style, out);
    }
    let (noun, n) = (arguments.noun(), n_changed);
    let not_compared = compared.not_compared(arguments.by);
    // Rows that are not listed may have changed.
    let none = match compared.unlisted(arguments.by) {
        None if n_small == 0 => format!("No {noun} changed"),
        _ => format!("No {noun} is listed"),
    };
    let is_folded = format == Format::Github;
    if is_folded {
        writeln!(out, "{MARKER}")?;
    }
    writeln!(
        out,
        "### {}\n\n{}\n",
        escaped(&compared.names(), format),
        markdown(&compared.totals())
    )?;
    for warning in compared.warnings() {
        writeln!(out, "**Warning:** {}\n", escaped(&warning, format))?;
    }
    if let Some(verdict) = compared.verdict(true) {
        writeln!(out, "**{}**\n", escaped(&verdict, format))?;
    }
    if let Some(not_compared) = &not_compared {
        writeln!(out, "{not_compared}\n")?;
    }
    if is_folded {
        let changed = units::counted(n as f64, &format!("{noun}s"));
        let summary = if n == 0 { none.clone() } else { format!("{changed} changed") };
        writeln!(out, "<details><summary>{summary}</summary>\n")?;
    }
    if rows.is_empty() {
        writeln!(out, "{none}.\n")?;
    } else {
        table(&rows, (noun, sort), format, out)?;
    }
    for note in &omitted {
        writeln!(out, "Omitted: {note}.\n")?;
    }
    writeln!(out, "{}", compared.method())?;
    if is_folded {
        writeln!(out, "\n</details>")?;
    }
    Ok(())
}

/// Writes a table in Markdown.
fn table(
    rows: &[(&Row, [String; 4])],
    (noun, sort): (&str, DiffSort),
    format: Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    let headings = headings(rows, sort);
    let right = "---:|".repeat(headings.len());
    writeln!(out, "| {} | {noun} |\n|{right}---|", headings.join(" | "))?;
    for (row, cells) in rows {
        let cells = cells.each_ref().map(|cell| markdown(cell));
        let cells = cells[..headings.len()].join(" | ");
        let name = [row.name.clone(), row.place()].map(|text| escaped(&text, format));
        let name = name.iter().filter(|text| !text.is_empty()).map(String::as_str);
        let name: Vec<_> = name.collect();
        let name = if name.is_empty() { NO_FILE.to_owned() } else { name.join(" · ") };
        writeln!(out, "| {cells} | {name}{} |", note(row))?;
    }
    writeln!(out)
}

/// A text of the profile in Markdown. In a comment on GitHub, it mentions no user, team or issue: GitHub
/// ignores what a comment of HTML divides.
fn escaped(text: &str, format: Format) -> String {
    let text = markdown(text);
    match format {
        Format::Github => text.replace('@', "@<!-- -->").replace('#', "#<!-- -->"),
        _ => text,
    }
}

/// The change that a row is sorted by.
fn shown_change(arguments: &DiffArgs, row: &Row) -> f64 {
    let is_total = arguments.sort == DiffSort::Total || !row.self_.is_real();
    if is_total { row.main().change } else { row.self_.change }
}

/// Writes text for a terminal.
fn text(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    rows: &[(&Row, [String; 4])],
    omitted: &[String],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}: {}", compared.names(), compared.totals())?;
    for warning in compared.warnings() {
        writeln!(out, "warning: {}", one_line(&warning))?;
    }
    if let Some(verdict) = compared.verdict(rows.is_empty()) {
        writeln!(out, "{verdict}")?;
    }
    writeln!(out, "{}", style.dim(&compared.method()))?;
    if let Some(not_compared) = compared.not_compared(arguments.by) {
        writeln!(out, "{not_compared}")?;
    }
    let headings = headings(rows, arguments.sort);
    let width = |(column, heading): (usize, &&str)| {
        let cells = rows.iter().map(|(_, cells)| cells[column].chars().count());
        cells.chain([heading.len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = headings.iter().enumerate().map(width).collect();
    let line = |cells: &[&str]| {
        let cells = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        cells.collect::<Vec<_>>().join("  ")
    };
    if !rows.is_empty() {
        writeln!(out, "{}", line(headings))?;
    }
    for (row, cells) in rows {
        let cells = line(&cells.each_ref().map(String::as_str));
        let used = cells.chars().count() + 2 + note(row).len();
        let place = plain(&row.place()).into_owned();
        let (name, place) = match row.name.as_str() {
            "" if place.is_empty() => (NO_FILE.to_owned(), place),
            "" => (place, String::new()),
            name => (plain(name).into_owned(), place),
        };
        let what = style.name_and_place(used, &name, &place);
        writeln!(
            out,
            "{}  {what}{}",
            style.change(&cells, shown_change(arguments, row)),
            note(row)
        )?;
    }
    for note in omitted {
        writeln!(out, "{}", style.dim(&format!("omitted: {note}")))?;
    }
    Ok(())
}
