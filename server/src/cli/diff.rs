//! `costline diff`: what changed between two profiles.

mod arguments;
mod compared;
mod findings;
mod json;
mod table;

pub(super) use arguments::DiffArgs;
#[cfg(test)]
pub use json::schema;

use super::compare;
use super::exit::{Failure, GREW, warn};
use super::output::Output;
use super::read::check_standard_input;
use super::style::Style;
use answers::labels::totals;
use answers::text::one_line;
use answers::{
    Baseline, Combine, CompareBy as By, Diff, DiffRow as Row, DiffSort, ListBy, Sides, Snapshot,
    Unit, counts_without_time,
};
use arguments::Format;
use compared::Compared;
use std::io::{self, Write};
use std::sync::Arc;

/// If functions without a known match have more than this part of the self cost, the functions of the
/// profiles cannot be compared.
const MAX_UNMATCHED: f64 = 0.5;

impl DiffArgs {
    pub fn run(mut self, out: &mut Output) -> Result<(), Failure> {
        let Some(base) = (self.view.profiles.len() == 2).then(|| self.view.profiles.remove(0))
        else {
            return Err(Failure::usage("diff needs two profiles: costline diff BASE NEW"));
        };
        let base = [&[base], self.base.as_slice()].concat();
        self.view.profiles.extend_from_slice(&self.new);
        check_standard_input(&[&base, &self.view.profiles])?;
        self.check_files(&base)?;
        if self.view.combine.replace(Combine::Average) == Some(Combine::Sum) {
            return Err(Failure::usage("diff compares the mean of several runs, not their sum"));
        }
        let now = Arc::new(self.view.load_with(&[])?.0);
        // Changes of totals are all that there is.
        if !now.costs.metric.lines.has_self() {
            self.sort = DiffSort::Total;
        }
        let before = compare::load_baseline(&self.view, base, &now)?;
        self.view.warn_of_unused_rules(&[&before, &now]);
        let before = Arc::new(before);
        compare::check(&Baseline::new(before.clone()), &now)?;
        diff(&before, &now, &self, out)
    }
}

/// Writes the changes from `before` to `now`. Fails if costs grew by more than the options allow,
/// after it has written them.
fn diff(
    before: &Arc<Snapshot>,
    now: &Arc<Snapshot>,
    arguments: &DiffArgs,
    out: &mut Output,
) -> Result<(), Failure> {
    if arguments.fail_above.is_some() && counts_without_time(&now.costs.metric) {
        let message = "--fail-above: a sample count does not say how long the program ran; use \
                       --fail-above-function or a profile with times";
        return Err(Failure::no_output(message));
    }
    if arguments.fail_above.is_some() && !now.costs.metric.lines.has_self() {
        let message = "--fail-above: the profile has no total, because functions contain each other; use \
                       --fail-above-function";
        return Err(Failure::no_output(message));
    }
    let diff = Diff::new(before, now, arguments.compare);
    let compared = Compared { before, now, diff: &diff };
    // Percentages of shares, weights of weights.
    let unit = if diff.by.by == By::Weight { Unit::Absolute } else { Unit::Percent };
    let style = arguments.style.style(unit);
    if arguments.json {
        json::write(&compared, out)?;
    } else {
        write(&compared, arguments, arguments.format, style, out)?;
    }
    for (format, file) in &arguments.write {
        let mut text = Vec::new();
        write(&compared, arguments, *format, style.plain(), &mut text)?;
        answers::store_export(file, &text, true).map_err(|error| {
            Failure::no_output(format!("cannot write {}: {error}", file.display()))
        })?;
    }
    if let Some(option) = arguments.fails_above()
        && compared.is_cut()
    {
        let cut = compared.warnings().swap_remove(0);
        let message =
            format!("{option}: costs are missing, so it is not known how much they grew: {cut}");
        return Err(Failure::no_output(message));
    }
    if let Some(most) = arguments.fail_above
        && let Some(message) = compared.too_few_samples(most)
    {
        let message = format!("--fail-above: {message}");
        if arguments.require_power && diff.total_grew(most).is_none() {
            return Err(Failure::no_output(message));
        }
        warn(&message);
    }
    let problems = [
        arguments.fail_above.and_then(|most| total_grew(&compared, most)),
        arguments.fail_above_function.and_then(|most| function_grew(&compared, most)),
    ];
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    if !problems.is_empty() {
        return Err(Failure { code: GREW, message: problems.join("; ") });
    }
    match compared
        .not_compared(ListBy::Function)
        .filter(|_| arguments.fail_above_function.is_some())
    {
        Some(message) if compared.unmatched() > MAX_UNMATCHED => {
            Err(Failure::no_output(format!("--fail-above-function: {message}")))
        }
        Some(message) => {
            warn(&format!("--fail-above-function: {message}"));
            Ok(())
        }
        None => Ok(()),
    }
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
            let findings = findings::of(compared, arguments, format, style);
            let unlisted = match arguments.by {
                ListBy::Function => compared.not_compared(arguments.by),
                ListBy::Line | ListBy::File | ListBy::Label => {
                    compared.unlisted(arguments.by).map(|what| format!("Omitted: {what}."))
                }
            };
            findings::annotations(&compared.warnings(), unlisted.as_deref(), &findings, out)
        }
        Format::Sarif => findings::sarif(&findings::of(compared, arguments, format, style), out),
        Format::CodeQuality => {
            findings::code_quality(&findings::of(compared, arguments, format, style), out)
        }
    }
}

/// A message if the total grew by more than `most` percent.
fn total_grew(compared: &Compared<'_>, most: f64) -> Option<String> {
    let totals = totals(compared.diff.total_grew(most)?, &compared.now.costs.metric);
    let common = compared.diff.by.common_factor().and_then(|_| compared.verdict(true));
    let common = common.map_or_else(String::new, |verdict| format!(". {verdict}"));
    Some(format!("the total grew by more than {most}%: {totals}{common}"))
}

/// A message if functions grew by more than `most` percent of the total. It names those to blame.
fn function_grew(compared: &Compared<'_>, most: f64) -> Option<String> {
    /// With more functions than this, only these are named.
    const MAX_NAMED: usize = 3;
    let rows = compared.diff.culprits(most);
    let grown = |row: &Row| if row.self_.is_real() { row.self_ } else { row.main() };
    let names = rows.iter().take(MAX_NAMED).map(|row| {
        let new = if row.sides == Sides::After { " (new)" } else { "" };
        let percent = compared.diff.percent(grown(row));
        format!("{}{new} +{percent:.1}%", one_line(&row.name))
    });
    let names: Vec<_> = names.collect();
    let more = match rows.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = format!("{}{more}", names.join(", "));
    (!rows.is_empty()).then(|| format!("functions grew by more than {most}% of the total: {names}"))
}
