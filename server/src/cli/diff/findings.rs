//! What costs more or is new, at its place in the repository, for the pages of code hosts: commands of
//! GitHub Actions, SARIF, and GitLab's Code Quality.
//!
//! Paths are relative to the Git repository around the root, or else to the root.

use super::arguments::{DiffArgs, Format};
use super::compared::Compared;
use super::table::cells;
use crate::cli::source_roots::source_roots;
use crate::cli::style::Style;
use crate::cli::view::ViewArgs;
use answers::text::one_line;
use answers::{Change, DiffRow as Row, DiffSort, ListBy, Sides};
use lsp_types::Url;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The rules.
const COSTS_MORE: &str = "costs-more";
const NEW: &str = "new";

/// A function, line or file that costs more, or that is new.
#[derive(Debug)]
pub(super) struct Finding {
    place: Place,
    /// 1-based. `None` for files.
    line: Option<u32>,
    /// `parse costs more: 600 ms → 900 ms of cpu (▲300 ms, self ▲300 ms)` or `parse is new: 900 ms of
    /// cpu`.
    message: String,
    /// Whether the baseline does not have it.
    is_new: bool,
    /// Names the row in this and later comparisons.
    fingerprint: String,
    /// Whether it is the reason why `costline diff` fails.
    fails: bool,
}

/// The rows with a source in the repository that cost more by more than noise and by at least the
/// minimum of the format, the greatest change first and at most as many as the list may have.
pub(super) fn of(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    format: Format,
    style: Style,
) -> Vec<Finding> {
    let min = arguments.min_percent(format);
    let top = repository(&arguments.view);
    let rows = compared.diff.rows(arguments.by);
    let culprits = match (arguments.by, arguments.fail_above_function) {
        (ListBy::Function, Some(most)) => compared.diff.culprits(most),
        _ => Vec::new(),
    };
    let is_culprit = |row: &Row| culprits.iter().any(|culprit| std::ptr::eq(*culprit, row));
    let mut grew = compared.diff.listed(arguments.by, arguments.sort, |_| true).rows;
    grew.retain(|row| is_culprit(row) || grown(arguments, row).change > 0.0);
    let findings = grew.into_iter().filter_map(|row| {
        let place = Place::new(&top, row.path.as_deref()?)?;
        let fails = is_culprit(row);
        let row_of = (row, n_above(rows, row));
        let finding = finding(compared, arguments, style, row_of, place, fails);
        (fails || compared.diff.percent(grown(arguments, row)) >= min).then_some(finding)
    });
    findings.take(arguments.limit).collect()
}

/// The Git repository around the first root, or else the root.
fn repository(view: &ViewArgs) -> PathBuf {
    let profile = view.profiles.first().map_or(Path::new(""), PathBuf::as_path);
    let roots = source_roots(&view.root, profile, &[]);
    let root = roots.first().and_then(|root| root.canonicalize().ok()).unwrap_or_default();
    let top = root.ancestors().find(|folder| folder.join(".git").exists());
    top.unwrap_or(&root).to_owned()
}

/// A file of the repository.
#[derive(Debug)]
struct Place {
    /// The path in the repository, with `/`.
    path: String,
    /// The same as a relative URI.
    uri: String,
}

impl Place {
    /// `None` if the file is not below `top`, or is not there.
    fn new(top: &Path, path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok()?;
        let parts = path.strip_prefix(top).ok()?.components();
        let parts = parts.map(|part| part.as_os_str().to_string_lossy());
        let parts: Vec<_> = parts.collect();
        let uri =
            Url::from_directory_path(top).ok()?.make_relative(&Url::from_file_path(&path).ok()?);
        Some(Self { path: parts.join("/"), uri: uri? })
    }
}

/// What grew of a row: what the list is sorted by, if that is more than noise.
fn grown(arguments: &DiffArgs, row: &Row) -> Change {
    let is_self = arguments.sort == DiffSort::Self_ && row.self_.is_real();
    if is_self { row.self_ } else { row.main() }
}

/// The number of functions of the new profile with the same name in the same file that are above
/// a row. It tells them apart, and stays the same if lines are added above.
fn n_above(rows: &[Row], row: &Row) -> usize {
    let at = rows.iter().position(|it| std::ptr::eq(it, row)).unwrap_or(rows.len());
    let is_above = |(index, other): &(usize, &Row)| {
        !row.name.is_empty()
            && other.sides != Sides::Before
            && (&other.path, &other.name) == (&row.path, &row.name)
            && (other.line, *index) < (row.line, at)
    };
    rows.iter().enumerate().filter(is_above).count()
}

fn finding(
    compared: &Compared<'_>,
    arguments: &DiffArgs,
    style: Style,
    (row, n_above): (&Row, usize),
    place: Place,
    fails: bool,
) -> Finding {
    let [before, after, change, other] = cells(compared, row, arguments.sort, style);
    let noun = arguments.noun();
    let what = match arguments.by {
        ListBy::Function | ListBy::Label => one_line(&row.name).into_owned(),
        ListBy::Line | ListBy::File => format!("this {noun}"),
    };
    let of = compared.of_metric();
    let is_new = row.sides == Sides::After;
    let message = if is_new {
        format!("{what} is new: {after}{of}")
    } else {
        let (part, rest) = match (arguments.sort, row.total) {
            (_, None) => ("self ", String::new()),
            (DiffSort::Total, Some(_)) => ("", named(", self ", &other)),
            (DiffSort::Self_ | DiffSort::Name, Some(_)) => ("self ", named(", total ", &other)),
        };
        format!("{what} costs more: {part}{before} → {after}{of} ({change}{rest})")
    };
    let line = row.line.filter(|_| arguments.by != ListBy::File);
    let name = match line {
        Some(line) if row.name.is_empty() => line.to_string(),
        _ => row.name.clone(),
    };
    let number = if n_above == 0 { String::new() } else { format!(" {}", n_above + 1) };
    Finding {
        message,
        is_new,
        fingerprint: format!("costline {noun} {} {name}{number}", place.path),
        place,
        line,
        fails,
    }
}

/// A change with what it is of, if there is one.
fn named(name: &str, change: &str) -> String {
    if change.is_empty() { String::new() } else { format!("{name}{change}") }
}

/// The id of the rule that a finding is of.
fn rule(finding: &Finding) -> &'static str {
    if finding.is_new { NEW } else { COSTS_MORE }
}

/// Escapes a text for a command of GitHub Actions. In a property, `:` and `,` are escaped, too.
fn escaped(text: &str, is_property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if is_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

/// Writes a command of GitHub Actions for each warning, for what is not known, and for each finding.
pub(super) fn annotations(
    warnings: &[String],
    unlisted: Option<&str>,
    findings: &[Finding],
    out: &mut dyn Write,
) -> io::Result<()> {
    for warning in warnings {
        writeln!(out, "::warning title=Costline::{}", escaped(&one_line(warning), false))?;
    }
    if let Some(unlisted) = unlisted {
        writeln!(out, "::notice title=Costline::{}", escaped(&one_line(unlisted), false))?;
    }
    for finding in findings {
        let level = if finding.fails { "error" } else { "warning" };
        let path = escaped(&finding.place.path, true);
        let line = finding.line.map_or_else(String::new, |line| format!(",line={line}"));
        let message = escaped(&finding.message, false);
        writeln!(out, "::{level} file={path}{line},title=Costline::{message}")?;
    }
    Ok(())
}

/// Writes the findings as SARIF 2.1.0.
pub(super) fn sarif(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let result = |finding: &Finding| {
        let place = json!({
            "artifactLocation": { "uri": finding.place.uri, "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": finding.line.unwrap_or(1) },
        });
        json!({
            "ruleId": rule(finding),
            "ruleIndex": usize::from(finding.is_new),
            "level": if finding.fails { "error" } else { "warning" },
            "message": { "text": finding.message },
            "locations": [{ "physicalLocation": place }],
            "partialFingerprints": { "costline/v1": finding.fingerprint },
        })
    };
    let rule_of = |id: &str, name: &str, short: &str, full: &str| {
        json!({
            "id": id,
            "name": name,
            "shortDescription": { "text": short },
            "fullDescription": { "text": full },
            "help": { "text": "Open both profiles in the editor to see the callers and callees that changed." },
            "defaultConfiguration": { "level": "warning" },
        })
    };
    let costs_more = rule_of(
        COSTS_MORE,
        "CostsMore",
        "Costs more than in the baseline.",
        "This code costs more than in the baseline, by more than noise.",
    );
    let new = rule_of(
        NEW,
        "IsNew",
        "Is not in the baseline.",
        "This code has costs and is not in the baseline. It may be there under another name.",
    );
    let driver = json!({
        "name": "Costline",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": [costs_more, new],
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    write_json(&log, out)
}

/// Writes the findings as a report of GitLab's Code Quality.
pub(super) fn code_quality(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let issue = |finding: &Finding| {
        json!({
            "check_name": rule(finding),
            "description": finding.message,
            "fingerprint": finding.fingerprint,
            "severity": if finding.fails { "major" } else { "minor" },
            "location": { "path": finding.place.path, "lines": { "begin": finding.line.unwrap_or(1) } },
        })
    };
    write_json(&findings.iter().map(issue).collect(), out)
}

fn write_json(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}
