//! The list of `costline diff` as text or Markdown.

use super::arguments::{DiffArgs, Format};
use super::compared::Compared;
use crate::cli::style::Style;
use answers::text::{markdown, one_line, plain};
use answers::{Change, CompareBy as By, DiffRow as Row, LabelScale as Scale, Sides, units};
use std::io::{self, Write};

/// The first line of a comment, by which it can be found.
const MARKER: &str = "<!-- costline diff -->";

/// The row of functions that have neither a file nor a library.
const NO_FILE: &str = "no file";

/// The headings of [`cells`]. Rows of files have self costs only, and an empty last cell.
fn headings(rows: &[(&Row, [String; 4])]) -> &'static [&'static str] {
    if rows.iter().all(|(row, _)| row.total.is_none()) {
        &["self before", "self after", "change"]
    } else {
        &["before", "after", "change", "self"]
    }
}

/// The cells of a row: the cost before and after, its change, and the change of the self cost if
/// the first three are of the total.
pub(super) fn cells(compared: &Compared<'_>, row: &Row, style: Style) -> [String; 4] {
    let (base_before, now) = (compared.diff.by.base_before(), &compared.now.costs);
    let by = compared.diff.by.by;
    let scale = |base| Scale::new(&now.metric, base, style.unit);
    let arrow = |change: Change| {
        let text = scale(now.base).arrow(by, change).filter(|_| change.is_real());
        text.unwrap_or_default()
    };
    let main = row.main();
    let own = row.total.map(|_| arrow(row.self_)).unwrap_or_default();
    [scale(base_before).weight(main.before), scale(now.base).weight(main.now), arrow(main), own]
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
    let fails = arguments.fail_above_function.is_some_and(|most| compared.grew(row, most));
    fails || compared.reaches(row, arguments.min_percent(format))
}

/// What the list leaves out. `small` changes are below the minimum of its format.
fn omitted(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    changed: usize,
    (small, format): (usize, Format),
) -> Vec<String> {
    let diff = compared.diff;
    let (rows, noun) = (diff.rows(arguments.by), arguments.noun());
    let count = |n: usize, what: &str| units::counted(n as f64, &format!("{noun}s{what}"));
    let mut notes = Vec::new();
    if changed > arguments.limit {
        notes.push(format!("{} (--limit)", count(changed - arguments.limit, "")));
    }
    if small > 0 {
        let (changed, min) = (count(small, ""), arguments.min_percent(format));
        notes.push(format!(
            "{changed} that changed by less than {min} % of the total (--min-percent)"
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

/// Writes the list.
pub(super) fn write(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    format: Format,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = compared.diff.rows(arguments.by).iter();
    let (changed, small): (Vec<&Row>, Vec<&Row>) = all
        .filter(|row| row.is_changed())
        .partition(|row| is_listed(compared, arguments, format, row));
    let omitted = omitted(compared, arguments, changed.len(), (small.len(), format));
    let shown = &changed[..changed.len().min(arguments.limit)];
    let rows: Vec<_> = shown.iter().map(|row| (*row, cells(compared, row, style))).collect();
    if format == Format::Text {
        return text(compared, arguments, &rows, &omitted, style, out);
    }
    let (noun, n) = (arguments.noun(), changed.len());
    let not_compared = compared.not_compared(arguments.by);
    // Rows that are not listed may have changed.
    let none = match compared.unlisted(arguments.by) {
        None if small.is_empty() => format!("No {noun} changed"),
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
        table(&rows, noun, format, out)?;
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
    noun: &str,
    format: Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    let headings = headings(rows);
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
    writeln!(out, "{}", style.dim(&compared.method()))?;
    if let Some(not_compared) = compared.not_compared(arguments.by) {
        writeln!(out, "{not_compared}")?;
    }
    let headings = headings(rows).iter().map(|&heading| match heading {
        "self" if compared.diff.by.by != By::Weight => "self share",
        heading => heading,
    });
    let headings: Vec<&str> = headings.collect();
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
        writeln!(out, "{}", line(&headings))?;
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
        writeln!(out, "{}  {what}{}", style.change(&cells, row.main().change), note(row))?;
    }
    for note in omitted {
        writeln!(out, "{}", style.dim(&format!("omitted: {note}")))?;
    }
    Ok(())
}
