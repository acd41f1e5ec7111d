//! `costline diff --json`: all costs of two profiles with their changes. The format is stable
//! (`docs/diff.schema.json`).

use super::compared::Compared;
use crate::cli::json_changes::{JsonChange, JsonCompare};
use crate::cli::output::Output;
use answers::{DiffRow as Row, Sides, Snapshot, Weight};
use schemars::JsonSchema;
#[cfg(test)]
use schemars::Schema;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// The changes between two profiles. Weights are in `unit`s of `metric`, as in the profiles.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "costline diff --json")]
struct JsonDiff<'a> {
    /// The version of this format.
    version: u32,
    /// The version of Costline that wrote it.
    costline: &'static str,
    /// The path of the baseline, as given on the command line.
    baseline: &'a Path,
    /// The path of the new profile, as given on the command line.
    profile: &'a Path,
    /// The metric of all weights.
    metric: &'a str,
    /// The unit of the metric.
    unit: &'a str,
    /// What `change` compares.
    compare: JsonCompare,
    /// The total of the baseline.
    before: Weight,
    /// The total of the new profile.
    after: Weight,
    /// `after` - `before`.
    change: Weight,
    /// The greatest change of the total that may be noise. Null if costs are exact, or their noise
    /// is not known.
    noise: Option<Weight>,
    /// The bound of noise of each function, line and file in standard deviations. It accounts for
    /// their number.
    bound: Option<f64>,
    /// The functions, the greatest change first. Unchanged ones are listed, too.
    functions: Vec<JsonRow<'a>>,
    /// The lines of the files whose recorded texts are known on both sides.
    lines: Vec<JsonRow<'a>>,
    /// The files, with the self cost of their functions.
    files: Vec<JsonRow<'a>>,
    /// The labels of samples: `size=large`, and `no size` for samples without one of the key.
    labels: Vec<JsonRow<'a>>,
    /// The number of functions that are not listed, because it is not known which function of the
    /// baseline they are.
    #[serde(rename = "unmatchedFunctions")]
    unmatched_functions: usize,
    /// The number of functions of the baseline that are not listed, because it is not known which
    /// function of the profile they are.
    #[serde(rename = "unmatchedBefore")]
    unmatched_before: usize,
    /// The number of files whose lines are not listed, because a recorded text is not known, or
    /// because the functions of their library are known in one of the profiles only.
    #[serde(rename = "unmatchedFiles")]
    unmatched_files: usize,
    /// The number of files and libraries that are not listed, because it is not known which of the
    /// other profile they are, or because their functions are known in one of the profiles only.
    #[serde(rename = "unresolvedFiles")]
    unresolved_files: usize,
    /// Problems of both profiles.
    warnings: Vec<JsonWarning<'a>>,
}

/// A problem of a profile.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Warning")]
struct JsonWarning<'a> {
    /// The path of the profile: `baseline` or `profile`.
    profile: &'a Path,
    /// The kind: `truncated`, `partial-line` …
    code: &'static str,
    /// A sentence for users, about the first occurrence.
    message: &'a str,
    /// The number of occurrences.
    count: u64,
    /// Whether costs of the profile are, or may be, missing, so that changes may be wrong.
    missing: bool,
}

fn warnings(snapshot: &Snapshot) -> impl Iterator<Item = JsonWarning<'_>> {
    snapshot.warnings.iter().map(|warning| JsonWarning {
        profile: &snapshot.loaded.path,
        code: warning.code.as_str(),
        message: &warning.message,
        count: warning.count,
        missing: warning.code.may_miss_costs(),
    })
}

/// A function, line, file or label.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
struct JsonRow<'a> {
    /// The function's name, or the label. Empty for lines and files.
    name: &'a str,
    /// The name of the file in the profile.
    file: Option<&'a str>,
    /// The path of the file on this machine; null if it was not found.
    path: Option<Cow<'a, str>>,
    /// The short name of the library.
    lib: Option<&'a str>,
    /// The recorded line, 1-based.
    line: Option<u32>,
    /// The total in the baseline; the self cost if the total is not exact. 0 if only the new profile
    /// has it.
    before: Weight,
    /// The same in the new profile. 0 if only the baseline has it.
    after: Weight,
    /// The change, in weights of the new profile.
    change: Weight,
    /// The greatest change that may be noise. Null if costs are exact, or their noise is not known.
    noise: Option<Weight>,
    /// Whether the change is greater than noise.
    changed: bool,
    /// Which profiles have it.
    sides: JsonSides,
    /// The self cost.
    #[serde(rename = "self")]
    self_: JsonChange,
}

/// Which profiles have a function, line or file, even if it has no cost there.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Sides")]
enum JsonSides {
    /// Both.
    Both,
    /// The new profile only.
    After,
    /// The baseline only.
    Before,
}

impl<'a> From<&'a Row> for JsonRow<'a> {
    fn from(row: &'a Row) -> Self {
        let JsonChange { before, after, change, noise, changed } = row.main().into();
        Self {
            name: &row.name,
            file: row.file.as_deref(),
            path: row.path.as_deref().map(Path::to_string_lossy),
            lib: row.lib.as_deref(),
            line: row.line,
            before,
            after,
            change,
            noise,
            changed,
            sides: match row.sides {
                Sides::Both => JsonSides::Both,
                Sides::After => JsonSides::After,
                Sides::Before => JsonSides::Before,
            },
            self_: row.self_.into(),
        }
    }
}

fn rows(rows: &[Row]) -> Vec<JsonRow<'_>> {
    rows.iter().map(JsonRow::from).collect()
}

/// Writes the changes as JSON.
pub(super) fn write(compared: &Compared<'_>, out: &mut Output) -> io::Result<()> {
    let Compared { before, now, diff } = compared;
    let JsonChange { before: total_before, after, change, noise, .. } = diff.by.total().into();
    let json = JsonDiff {
        version: 1,
        costline: env!("CARGO_PKG_VERSION"),
        baseline: &before.loaded.path,
        profile: &now.loaded.path,
        metric: &now.costs.metric.name,
        unit: &now.costs.metric.unit,
        compare: diff.by.by.into(),
        before: total_before,
        after,
        change,
        noise,
        bound: diff.by.bound(),
        functions: rows(&diff.functions),
        lines: rows(&diff.lines),
        files: rows(&diff.files),
        labels: rows(&diff.labels),
        unmatched_functions: diff.unmatched.n_now,
        unmatched_before: diff.unmatched.n_before,
        unmatched_files: diff.unmatched_files,
        unresolved_files: diff.unresolved_files,
        warnings: [*before, *now].into_iter().flat_map(warnings).collect(),
    };
    serde_json::to_writer(&mut *out, &json)?;
    writeln!(out)
}

/// The JSON Schema of the output.
#[cfg(test)]
pub fn schema() -> Schema {
    schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<JsonDiff<'static>>()
}
