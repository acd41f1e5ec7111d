//! Which rows to list, and their order and limits, which are the same for all kinds.

use super::by::By;
use super::row::{Limits, Omitted, Row, Scope, Sort};
use crate::compare::before::Before;
use crate::compare::compared::Compared;
use analysis::{Charges, FileId};
use loading::Snapshot;

/// Which rows to list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What to list.
    pub by: By,
    /// The key of the labels to list. Default: all.
    pub label: Option<String>,
    /// The order. Default: by self cost; calls, cliques and fields by total.
    pub sort: Option<Sort>,
    /// Whether to list only your own code.
    pub scope: Scope,
    /// Whether to list functions that have idle cost only.
    pub idle: bool,
    /// The module or library of the functions. Default: all.
    pub module: Option<String>,
    /// A part of the name or file of each row, ignoring case. Default: all.
    pub filter: Option<String>,
    /// How many rows to list.
    pub limits: Limits,
}

impl Ranking {
    /// Whether a text contains the filter, ignoring case. Without a filter, every text does.
    pub fn has_filter(&self) -> impl Fn(&str) -> bool {
        let part = self.filter.as_deref().unwrap_or_default().to_lowercase();
        move |text| text.to_lowercase().contains(&part)
    }
}

/// The baseline of rows.
#[derive(Clone, Copy)]
pub struct InBaseline<'a> {
    /// The baseline.
    pub compared: Compared<'a>,
    /// The cost in the baseline of a line (1-based, as recorded). `None` if it cannot be matched.
    pub line: &'a dyn Fn(FileId, u32) -> Option<Before>,
}

/// Sorts and limits the rows of a list.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    pub ranking: &'a Ranking,
    pub snapshot: &'a Snapshot,
    pub baseline: Option<InBaseline<'a>>,
    pub sort: Sort,
    /// What own code costs with the libraries that it calls, if rows are sorted by that.
    pub charges: Option<&'a Charges>,
}

impl List<'_> {
    /// The rows to list, own code first, and how many are omitted. `before` returns the cost of a row
    /// in the baseline, `matches` whether one of its texts has a property.
    pub fn select<T>(
        &self,
        rows: impl IntoIterator<Item = Row<T>>,
        before: &dyn Fn(&T) -> Option<Before>,
        matches: impl Fn(&T, &dyn Fn(&str) -> bool) -> bool,
    ) -> Result<(Vec<Row<T>>, Omitted), String> {
        let Ranking { by, scope, filter, limits, .. } = self.ranking;
        let has_filter = self.ranking.has_filter();
        let before =
            |row: &Row<T>| if row.partial { None } else { before(&row.what).map(Box::new) };
        let rows = rows.into_iter().map(|mut row| {
            if self.sort == Sort::Change {
                row.before = before(&row);
            }
            row
        });
        let is_filtered = filter.as_deref().is_some_and(|filter| !filter.is_empty());
        let is_listed = |row: &Row<T>| {
            (*scope == Scope::All || row.own) && (!is_filtered || matches(&row.what, &has_filter))
        };
        let base = self.snapshot.costs.base;
        let (mut rows, omitted) = limits.select(rows, is_listed, self.sort, base, by.plural())?;
        for row in &mut rows {
            row.before = row.before.take().or_else(|| before(row));
        }
        Ok((rows, omitted))
    }
}
