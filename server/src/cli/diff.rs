//! `costline diff`: what changed between two profiles.

mod findings;
mod json;
mod table;

#[cfg(test)]
pub use json::schema;

use super::current_folder;
use super::style::Style;
use super::{Failure, GREW, Output, USAGE, percentage};
use analysis::Metric;
use clap::ValueEnum;
use engine::compare::comparison::{By, counts_without_time};
use engine::compare::diff::{Diff, ListBy, Row};
use engine::config::settings::{Compare, Unit};
use engine::export;
use engine::present::labels::totals;
use engine::present::text::{one_line, plain};
use engine::snapshot::Snapshot;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// The options of `costline diff`.
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
    /// Another run of BASE (can be repeated). The mean of the runs is compared, and their spread is
    /// noise
    #[arg(long, value_name = "PROFILE")]
    pub(super) base: Vec<PathBuf>,
    /// Another run of NEW (can be repeated)
    #[arg(long, value_name = "PROFILE")]
    pub(super) new: Vec<PathBuf>,
    /// What to list
    #[arg(long, value_enum, default_value = "function")]
    by: ListBy,
    /// How to compare costs
    #[arg(long, value_enum, value_name = "HOW", default_value = "absolute")]
    compare: Compare,
    /// How to write the list
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Also write the list to a file, in this format (can be repeated). A file that exists is
    /// replaced
    #[arg(long, value_name = "FORMAT=FILE", value_parser = format_and_file)]
    write: Vec<(Format, PathBuf)>,
    /// Print all costs as JSON with raw weights (docs/diff.schema.json); ignores --by, --format and
    /// --limit
    #[arg(long)]
    json: bool,
    /// Maximum number of rows
    #[arg(long, default_value_t = 30, value_name = "ROWS")]
    limit: usize,
    /// Exit with code 4 if the total grew by more than this percentage and the growth is not noise;
    /// with code 3 if the profiles do not say how long the program ran
    #[arg(long, value_name = "PERCENT", value_parser = percentage, allow_negative_numbers = true)]
    fail_above: Option<f64>,
    /// Exit with code 4 if a function grew by more than this percentage of the baseline's total and
    /// the growth is not noise
    #[arg(long, value_name = "PERCENT", value_parser = percentage, allow_negative_numbers = true)]
    fail_above_function: Option<f64>,
}

impl DiffArgs {
    /// Fails if two lists are for one file.
    fn check_files(&self) -> Result<(), Failure> {
        let mut files: Vec<PathBuf> = Vec::new();
        for (_, file) in &self.write {
            let path = current_folder::absolute(file);
            if files.contains(&path) {
                let message = format!("--write: {} would be written twice", file.display());
                return Err(Failure { code: USAGE, message });
            }
            files.push(path);
        }
        Ok(())
    }
}

/// One row, for headings and counts.
fn noun(by: ListBy) -> &'static str {
    match by {
        ListBy::Function => "function",
        ListBy::Line => "line",
        ListBy::File => "file",
    }
}

/// How to write a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Text for terminals
    Text,
    /// A table in Markdown
    Markdown,
    /// A comment for pull requests: the table is folded, and the first line is a marker by which
    /// the comment can be found and replaced
    Github,
    /// Workflow commands with which GitHub Actions annotates the lines that cost more
    Annotations,
    /// What costs more as SARIF 2.1.0, for code scanning
    Sarif,
    /// What costs more as a GitLab Code Quality report
    CodeQuality,
}

/// Parses `sarif=costs.sarif`.
fn format_and_file(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("expected FORMAT=FILE")?;
    let format = Format::from_str(format, false).map_err(|_| {
        let formats = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<_> = formats.map(|format| format.get_name().to_owned()).collect();
        format!("FORMAT is one of {}", names.join(", "))
    })?;
    Ok((format, PathBuf::from(file)))
}

/// Two profiles and what changed between them.
struct Compared<'a> {
    before: &'a Snapshot,
    now: &'a Snapshot,
    diff: &'a Diff,
}

impl Compared<'_> {
    /// `old.pb.gz → new.pb.gz`.
    fn names(&self) -> String {
        let [mut before, mut now] = [self.before, self.now].map(|snapshot| snapshot.loaded.name());
        if before == now {
            [before, now] = [self.before, self.now]
                .map(|snapshot| current_folder::relative(&snapshot.loaded.path));
        }
        format!("{} → {}", plain(&before), plain(&now))
    }

    /// ` of cpu`. Empty if the unit says it.
    fn of_metric(&self) -> String {
        let Metric { name, unit, .. } = &self.now.costs.metric;
        if name == unit { String::new() } else { format!(" of {}", plain(name)) }
    }

    /// `1.98 s → 1.17 s −41 % of cpu`.
    fn totals(&self) -> String {
        format!("{}{}", totals(self.diff.by.total(), &self.now.costs.metric), self.of_metric())
    }

    /// The change of a row in percent of the baseline's total.
    fn percent(&self, row: &Row) -> f64 {
        100.0 * self.diff.by.share(row.main())
    }

    /// Whether a row grew by more than `most` percent of the baseline's total, and by more than
    /// noise.
    fn grew(&self, row: &Row, most: f64) -> bool {
        row.main().is_real() && self.percent(row) > most
    }

    /// How costs are compared, and which changes are omitted.
    fn method(&self) -> String {
        let how = match self.diff.by.by {
            By::Weight => "Costs are compared as they are",
            By::Scaled => "Samples are scaled to the same total",
            By::Share => "Shares of the total are compared",
        };
        match self.diff.by.bound() {
            _ if self.diff.by.has_spread() => {
                format!("{how}. Changes within the spread of the runs are omitted.")
            }
            Some(bound) => format!(
                "{how}. Changes within noise ({bound:.1} standard deviations of the samples) are \
                 omitted."
            ),
            None => format!("{how}. The noise of these costs is not known, or they are exact."),
        }
    }
}

/// Writes the changes from `before` to `now`. Fails if costs grew by more than the options allow,
/// after it has written them.
pub(super) fn diff(
    before: &Arc<Snapshot>,
    now: &Arc<Snapshot>,
    arguments: &DiffArgs,
    style: impl Fn(Unit) -> Style,
    out: &mut Output,
) -> Result<(), Failure> {
    if arguments.fail_above.is_some() && counts_without_time(&now.costs.metric) {
        let message = "--fail-above: the number of samples does not say how long the program ran; use \
                       --fail-above-function or a profile with times";
        return Err(Failure::no_output(message));
    }
    arguments.check_files()?;
    let diff = Diff::new(before, now, arguments.compare);
    let compared = Compared { before, now, diff: &diff };
    // Percentages of shares, weights of weights.
    let unit = if diff.by.by == By::Weight { Unit::Absolute } else { Unit::Percent };
    if arguments.json {
        json::write(&compared, out)?;
    } else {
        write(&compared, arguments, arguments.format, style(unit), out)?;
    }
    for (format, file) in &arguments.write {
        let mut text = Vec::new();
        write(&compared, arguments, *format, style(unit).plain(), &mut text)?;
        export::store(file, &text, true).map_err(|error| {
            Failure::no_output(format!("cannot write {}: {error}", file.display()))
        })?;
    }
    let problems = [
        arguments.fail_above.and_then(|most| total_grew(&compared, most)),
        arguments.fail_above_function.and_then(|most| function_grew(&compared, most)),
    ];
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure { code: GREW, message: problems.join("; ") })
}

/// Writes the list.
fn write(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    format: Format,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text | Format::Markdown | Format::Github => {
            table::write(compared, arguments, format, style, out)
        }
        Format::Annotations => {
            findings::annotations(&findings::of(compared, arguments, style), out)
        }
        Format::Sarif => findings::sarif(&findings::of(compared, arguments, style), out),
        Format::CodeQuality => {
            findings::code_quality(&findings::of(compared, arguments, style), out)
        }
    }
}

/// A message if the total grew by more than `most` percent.
fn total_grew(compared: &Compared<'_>, most: f64) -> Option<String> {
    let change = compared.diff.by.total();
    let percent = change.percent().filter(|_| change.is_real())?;
    let totals = totals(change, &compared.now.costs.metric);
    (percent > most).then(|| format!("the total grew by more than {most} %: {totals}"))
}

/// A message if functions grew by more than `most` percent of the total.
fn function_grew(compared: &Compared<'_>, most: f64) -> Option<String> {
    /// With more functions than this, only these are named.
    const MAX_NAMED: usize = 3;
    let grew = compared.diff.functions.iter().filter(|row| compared.grew(row, most));
    let grew: Vec<String> = grew
        .map(|row| format!("{} +{:.1} %", one_line(&row.name), compared.percent(row)))
        .collect();
    let named = grew.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = match grew.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!grew.is_empty())
        .then(|| format!("functions grew by more than {most} % of the total: {named}{more}"))
}
