//! Rows with a cost and a number of calls: their order and limits.

use crate::compare::before::Before;
use crate::compare::comparison::Change;
use crate::compare::overlay::{Overlaid, Overlay};
use crate::ranking::order::hotter;
use crate::ranking::subject::Subject;
use analysis::{Cost, Total};
use loading::{Snapshot, Spread};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What rows are sorted and limited by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HotSpotsSort")]
pub enum Sort {
    /// Self cost.
    #[serde(rename = "self")]
    Self_,
    /// Self cost; of own code with that of the libraries that it calls.
    Charged,
    /// Total cost.
    Total,
    /// The number of calls.
    Calls,
    /// The change of the self cost since the baseline, without noise.
    Change,
}

impl Sort {
    /// Whether rows are sorted by self cost, or how it changed.
    pub fn is_of_self(self) -> bool {
        matches!(self, Self::Self_ | Self::Charged | Self::Change)
    }
}

/// Which functions, files and other rows to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HotSpotsScope")]
pub enum Scope {
    /// Your own code: what has a source in the workspace.
    Own,
    /// All, own code first.
    #[default]
    All,
}

/// Rows that are not listed are dropped only once there are more rows in memory than this.
const ROWS_AT_ONCE: usize = 4096;

/// How many rows to list.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Whether costs are divided by the number of calls. Rows without counted calls are omitted.
    pub per_call: bool,
    /// The least value of what rows are sorted by, in percent of the base. Of calls: of all calls.
    pub min_percent: Option<f64>,
    /// The least value of what rows are sorted by, in units of the metric. Of calls: their number.
    pub min: Option<f64>,
    /// The maximum number of rows.
    pub limit: usize,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<T = Subject> {
    /// What it is about.
    pub what: T,
    /// The cost of all calls.
    pub cost: Cost,
    /// Of own functions, if rows are sorted by it: the self cost and that of the libraries that it calls.
    pub charged: Option<Total>,
    /// The number of calls, if they are counted.
    pub calls: Option<u64>,
    /// Whether it is own code.
    pub own: bool,
    /// Whether only the part of a function that is in one of its libraries is counted. Other costs
    /// of the function do not apply to the part.
    pub partial: bool,
    /// Whether it comes after all others, whatever it costs.
    pub(super) last: bool,
    /// The cost in the baseline, if it is known. Boxed, because most rows have none.
    pub before: Option<Box<Before>>,
}

impl<T> Row<T> {
    /// A row that is not own code, without a baseline.
    pub fn new(what: T, cost: Cost, calls: Option<u64>) -> Self {
        Self {
            what,
            cost,
            charged: None,
            calls,
            own: false,
            partial: false,
            last: false,
            before: None,
        }
    }

    /// The same row about something else.
    pub(super) fn about<U>(self, subject: impl FnOnce(T) -> U) -> Row<U> {
        let Self { what, cost, charged, calls, own, partial, last, before } = self;
        Row { what: subject(what), cost, charged, calls, own, partial, last, before }
    }

    /// The cost of one call on average. `None` without counted calls.
    pub fn per_call(&self) -> Option<Cost> {
        let calls = self.calls.filter(|&calls| calls > 0)? as f64;
        let total = match self.cost.total {
            Total::Exact(total) => Total::Exact(total / calls),
            Total::Bounded { min, max } => Total::Bounded { min: min / calls, max: max / calls },
            Total::Estimated(total) => Total::Estimated(total / calls),
            Total::Unknown => Total::Unknown,
        };
        Some(Cost { self_: self.cost.self_ / calls, total })
    }

    /// The cost to show.
    pub fn shown(&self, per_call: bool) -> Cost {
        if per_call { self.per_call().unwrap_or(self.cost) } else { self.cost }
    }

    /// The self cost, of own functions with that of the libraries that they call if rows are sorted by it.
    pub fn charge(&self) -> Total {
        self.charged.unwrap_or(Total::Exact(self.cost.self_))
    }

    /// The size of the cost that a bar or a color shows: the one that rows are sorted by.
    pub fn size(&self, sort: Sort) -> f64 {
        if sort.is_of_self() { magnitude(self.charge()) } else { self.cost.magnitude() }
    }

    /// Whether libraries that it calls cost something.
    pub fn charges_libraries(&self) -> bool {
        let charge = magnitude(self.charge());
        // Sums of fractions are rounded.
        charge - self.cost.self_.abs() > 1e-9 * charge
    }

    fn value(&self, sort: Sort, per_call: bool) -> f64 {
        let cost = self.shown(per_call);
        match sort {
            Sort::Self_ => cost.self_.abs(),
            Sort::Charged => magnitude(self.charge()),
            Sort::Total => cost.magnitude(),
            Sort::Calls => self.calls.unwrap_or(0) as f64,
            Sort::Change => self.self_change(),
        }
    }

    /// The size of the change of the self cost. 0 if it is unknown or may be noise.
    fn self_change(&self) -> f64 {
        size(self.before.as_ref().map(|before| before.self_change(self.cost)))
    }

    /// The size of the change of the total. 0 if it is unknown or may be noise.
    fn total_change(&self) -> f64 {
        size(self.before.as_ref().and_then(|before| before.total_change(self.cost)))
    }
}

impl Row {
    /// How the cost of a function or line is spread over runs. `None` for other rows, for a part of a
    /// function, and for a single run.
    pub fn spread(&self, snapshot: &Snapshot) -> Option<Spread> {
        match (self.what.function(), self.what.line()) {
            _ if self.partial => None,
            (Some(function), _) => snapshot.run_costs().function(function),
            (None, Some((file, line))) => snapshot.run_costs().line(file, line),
            (None, None) => None,
        }
    }

    /// The cost of a function or line in the overlay of `snapshot`. `None` for other rows, and for a part
    /// of a function.
    pub fn overlaid<'o>(
        &self,
        snapshot: &'o Snapshot,
        overlay: Overlay<'o>,
    ) -> Option<Overlaid<'o>> {
        match (self.what.function(), self.what.line()) {
            _ if self.partial => None,
            (Some(function), _) => overlay.function(snapshot, function),
            (None, Some((file, line))) => overlay.recorded_line(snapshot, file, line),
            (None, None) => None,
        }
    }
}

/// The size of a total. 0 if it is unknown.
pub fn magnitude(total: Total) -> f64 {
    Cost { self_: 0.0, total }.magnitude()
}

/// The size of a change. 0 if it is unknown or may be noise.
fn size(change: Option<Change>) -> f64 {
    change.filter(Change::is_real).map_or(0.0, |change| change.change.abs())
}

/// The numbers of rows that are not listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Those that [`Limits::per_call`] omits, because their calls are not counted.
    pub without_calls: usize,
    /// Those beyond [`Limits::limit`].
    pub beyond_limit: usize,
}

impl Limits {
    /// The rows to list that reach the limits, own code first, and how many are omitted. Rows of the
    /// same value keep their order. `base` is that of costs. The error is a message for users;
    /// `plural` names the rows.
    pub(super) fn select<T>(
        &self,
        rows: impl IntoIterator<Item = Row<T>>,
        is_listed: impl Fn(&Row<T>) -> bool,
        sort: Sort,
        base: f64,
        plural: &str,
    ) -> Result<(Vec<Row<T>>, Omitted), String> {
        let percentage = |whole: f64| {
            let percent = self.min_percent.map_or(0.0, |percent| percent / 100.0 * whole);
            percent.max(self.min.unwrap_or(0.0))
        };
        // Percentages of calls are relative to all calls, whose number is known at the end.
        let least = match (sort, self.min_percent) {
            (Sort::Calls, Some(_)) => None,
            _ => Some(percentage(base)),
        };
        let reaches = |row: &Row<T>, least: f64| row.value(sort, self.per_call) >= least;
        let (mut selected, mut omitted) = (Vec::new(), Omitted::default());
        let mut n_reaching = 0;
        let (mut is_empty, mut n_calls) = (true, None);
        for row in rows {
            is_empty = false;
            if let Some(calls) = row.calls {
                *n_calls.get_or_insert(0.0) += calls as f64;
            }
            if !is_listed(&row) {
                continue;
            }
            if self.per_call && row.per_call().is_none() {
                omitted.without_calls += 1;
                continue;
            }
            if least.is_none_or(|least| reaches(&row, least)) {
                n_reaching += 1;
                selected.push(row);
            }
            // Rows take much more memory than what they are made of, and few of them are listed.
            if least.is_some() && selected.len() >= self.limit.saturating_mul(2).max(ROWS_AT_ONCE) {
                self.sort(&mut selected, sort);
                selected.truncate(self.limit);
            }
        }
        if !is_empty && n_calls.is_none() && (self.per_call || sort == Sort::Calls) {
            return Err(format!("the profile does not count calls of {plural}"));
        }
        if least.is_none() {
            let least = percentage(n_calls.unwrap_or(0.0));
            selected.retain(|row| reaches(row, least));
            n_reaching = selected.len();
        }
        self.sort(&mut selected, sort);
        selected.truncate(self.limit);
        omitted.beyond_limit = n_reaching - selected.len();
        Ok((selected, omitted))
    }

    fn sort<T>(&self, rows: &mut [Row<T>], sort: Sort) {
        rows.sort_by(|a, b| {
            let (own, other) = (a.shown(self.per_call), b.shown(self.per_call));
            let by_value = || match sort {
                Sort::Total => hotter(own, other),
                Sort::Change => b
                    .value(sort, false)
                    .total_cmp(&a.value(sort, false))
                    .then_with(|| b.total_change().total_cmp(&a.total_change()))
                    .then_with(|| hotter(own, other)),
                Sort::Self_ | Sort::Charged | Sort::Calls => b
                    .value(sort, self.per_call)
                    .total_cmp(&a.value(sort, self.per_call))
                    .then_with(|| hotter(own, other)),
            };
            (a.last, !a.own).cmp(&(b.last, !b.own)).then_with(by_value)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(what: &str, self_: f64, total: f64, calls: Option<u64>) -> Row<&str> {
        Row::new(what, Cost { self_, total: Total::Exact(total) }, calls)
    }

    /// The rows of a program with a base of 13.
    fn select(sort: Sort, limits: Limits) -> (Vec<String>, usize) {
        let rows = vec![
            row("main", 1.0, 13.0, Some(1)),
            row("even", 3.0, 9.0, Some(3)),
            row("leaf", 6.0, 6.0, Some(6)),
            row("odd", 3.0, 3.0, None),
        ];
        let (rows, omitted) = limits.select(rows, |_| true, sort, 13.0, "functions").unwrap();
        (rows.iter().map(|row| row.what.to_owned()).collect(), omitted.without_calls)
    }

    #[test]
    fn rows_have_an_order_and_limits() {
        let all = Limits { limit: 9, ..Limits::default() };
        let names = |sort, limits| select(sort, limits).0.join(" ");
        assert_eq!(names(Sort::Total, all), "main even leaf odd");
        assert_eq!(names(Sort::Self_, all), "leaf even odd main");
        assert_eq!(names(Sort::Calls, all), "leaf even main odd");
        let min = |min| Limits { min: Some(min), ..all };
        assert_eq!(names(Sort::Total, min(6.0)), "main even leaf");
        assert_eq!(names(Sort::Self_, min(3.5)), "leaf");
        assert_eq!(names(Sort::Calls, min(3.0)), "leaf even");
        let percent = |percent| Limits { min_percent: Some(percent), ..all };
        // 9 of 13 are 69.2%, 3 of 10 calls are 30%.
        assert_eq!(names(Sort::Total, percent(69.0)), "main even");
        assert_eq!(names(Sort::Total, percent(70.0)), "main");
        assert_eq!(names(Sort::Calls, percent(30.0)), "leaf even");
    }

    #[test]
    fn costs_per_call_need_calls() {
        let per_call = Limits { per_call: true, limit: 9, ..Limits::default() };
        // 13, 3 and 1 per call; 1 each.
        let (names, without) = select(Sort::Total, per_call);
        assert_eq!((names.join(" "), without), ("main even leaf".to_owned(), 1));
        let at_least = Limits { min: Some(3.0), ..per_call };
        assert_eq!(select(Sort::Total, at_least).0.join(" "), "main even");
        let one = row("f", 3.0, 9.0, Some(3)).per_call().unwrap();
        assert_eq!((one.self_, one.total), (1.0, Total::Exact(3.0)));
        let uncounted = vec![row("f", 1.0, 1.0, None)];
        let error =
            per_call.select(uncounted, |_| true, Sort::Total, 1.0, "functions").unwrap_err();
        assert_eq!(error, "the profile does not count calls of functions");
    }
    #[test]
    fn the_first_of_many_rows_are_the_same_as_of_all() {
        let n = 3 * ROWS_AT_ONCE;
        let weight = |i: usize| (i * 7919 % 1000) as f64;
        let rows = || {
            (0..n).map(|i| {
                let cost = Cost { self_: weight(i), total: Total::Exact(weight(i)) };
                Row {
                    own: i.is_multiple_of(3),
                    last: i.is_multiple_of(5),
                    ..Row::new(i, cost, Some(1))
                }
            })
        };
        let mut sorted: Vec<usize> = (0..n).collect();
        sorted.sort_by(|&a, &b| {
            let key = |i: usize| (i.is_multiple_of(5), !i.is_multiple_of(3));
            key(a).cmp(&key(b)).then(weight(b).total_cmp(&weight(a)))
        });
        for limit in [0, 1, 100, n] {
            let limits = Limits { limit, ..Limits::default() };
            let selected = limits.select(rows(), |_| true, Sort::Self_, 1.0, "rows").unwrap().0;
            let selected: Vec<_> = selected.into_iter().map(|row| row.what).collect();
            assert_eq!(selected, sorted[..limit]);
        }
    }
}
