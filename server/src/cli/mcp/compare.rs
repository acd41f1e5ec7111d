//! `compare`: what changed since another profile.

use super::answers::{Of, relative};
use super::fit::short;
use super::project::{Opened, Project};
use super::tool::Query;
use super::view::View;
use crate::cli::warnings;
use answers::labels::totals;
use answers::{
    Baseline, Change, Compare as How, Diff, DiffRow as Row, DiffSort, ListBy, ListedChanges, Sides,
    Weight,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// `compare`.
pub struct Compare;

/// What to compare.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Question {
    /// The path of the profile to compare with, as in the answer of `profiles`.
    baseline: PathBuf,
    /// How to compare costs. Default: absolute.
    #[serde(default)]
    compare: How,
    /// What to list. Default: functions.
    #[serde(default)]
    by: ListBy,
}

/// The changes since the baseline, the greatest first.
#[derive(Debug, Serialize)]
pub struct Difference {
    #[serde(flatten)]
    of: Of,
    /// The path of the baseline.
    baseline: String,
    /// How the total changed: `1.98 s → 1.17 s −41%`.
    text: String,
    /// The change of the total.
    change: ChangeOf,
    /// The rows that changed by more than noise: those whose self cost changed first, your own code first,
    /// then those that call them.
    changes: Vec<Changed>,
    /// The number of rows that are not listed.
    more: usize,
    /// The number of functions that are not compared, because it is not known which function of the
    /// baseline they are.
    #[serde(rename = "unmatchedFunctions")]
    unmatched_functions: usize,
    /// Their self cost.
    #[serde(rename = "unmatchedSelf")]
    unmatched_self: Weight,
    /// The number of functions of the baseline that are not compared, because it is not known which
    /// function of the profile they are.
    #[serde(rename = "unmatchedBefore")]
    unmatched_before: usize,
    /// Why costs of one of the profiles are, or may be, missing, so that changes may be wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// The change of a cost.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeOf {
    /// The weight in the baseline.
    before: Weight,
    /// The weight now.
    after: Weight,
    /// The change, in weights of the new profile.
    change: Weight,
    /// Whether it may be noise.
    may_be_noise: bool,
}

impl From<Change> for ChangeOf {
    fn from(change: Change) -> Self {
        Self {
            before: Weight(change.before),
            after: Weight(change.now),
            change: Weight(change.change),
            may_be_noise: change.is_noise(),
        }
    }
}

/// A function, line or file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    /// The function's name. Empty for lines and files.
    name: String,
    /// The name of the file in the profile, relative to the project's folder if it was found.
    file: Option<String>,
    /// The recorded line, 1-based.
    line: Option<u32>,
    /// Which profiles have it: `both`, `after` or `before`.
    sides: &'static str,
    /// The change of the self cost.
    #[serde(rename = "self")]
    self_: ChangeOf,
    /// The change of the total. Null if it is not exact.
    total: Option<ChangeOf>,
}

impl Query for Compare {
    const NAME: &'static str = "compare";
    const DESCRIPTION: &'static str = "List what changed since another profile, for example one \
                                       recorded before an edit: functions, lines or files, without \
                                       what may be noise.";
    const LIMIT: usize = 20;
    type Arguments = Question;
    type Answer = Difference;

    fn answer(
        project: &mut Project,
        view: &View,
        question: &Question,
        most: usize,
    ) -> Result<Difference, String> {
        let before_view = view.of(&question.baseline);
        let now = project.open(view)?;
        let before = project.open(&before_view)?;
        if let Some(problem) = Baseline::new(before.snapshot.clone()).problem(&now.snapshot) {
            return Err(problem);
        }
        let diff = Diff::new(&before.snapshot, &now.snapshot, question.compare);
        let ListedChanges { rows, above } = diff.listed(question.by, DiffSort::Self_, |_| true);
        let changed = [rows, above].concat();
        let total = diff.by.total();
        let both = [&*before.snapshot, &*now.snapshot].into_iter();
        Ok(Difference {
            of: Of::new(&now),
            baseline: relative(&now, &before.snapshot.loaded.path),
            text: totals(total, &now.snapshot.costs.metric),
            change: total.into(),
            more: changed.len().saturating_sub(most),
            unmatched_functions: diff.unmatched.n_now,
            unmatched_self: Weight(diff.unmatched.own),
            unmatched_before: diff.unmatched.n_before,
            changes: changed.into_iter().take(most).map(|row| changed_row(&now, row)).collect(),
            warnings: both.flat_map(warnings::of_missing_costs).collect(),
        })
    }
}

fn changed_row(now: &Opened, row: &Row) -> Changed {
    let found = |name: &str| {
        let mut files = now.snapshot.mappings();
        let (_, file, _) = files.find(|(file, ..)| *file == name)?;
        Some(relative(now, now.snapshot.path_of(file)?))
    };
    Changed {
        name: short(&row.name),
        file: row.file.as_ref().map(|file| found(file).unwrap_or_else(|| short(file))),
        line: row.line,
        sides: match row.sides {
            Sides::Both => "both",
            Sides::After => "after",
            Sides::Before => "before",
        },
        self_: row.self_.into(),
        total: row.total.map(ChangeOf::from),
    }
}
