//! The rows of reports and lists of hot spots: functions, lines, calls, files, modules, packages,
//! libraries, threads, cliques or fields, in an order, down to a limit.

pub(crate) mod accessors;
pub(crate) mod by;
pub(crate) mod by_library;
pub(crate) mod check;
pub(crate) mod groups;
pub(crate) mod kinds;
pub(crate) mod list;
pub(crate) mod order;
pub(crate) mod row;
pub(crate) mod subject;

use crate::functions::charged::charged;
use analysis::FunctionCost;
use list::List;
use loading::Snapshot;
use rustc_hash::FxHashMap;

pub use by::By;
pub use list::{InBaseline, Ranking};
pub use row::{Limits, Omitted, Row, Scope, Sort, magnitude};
pub use subject::{Members, Place, Role, Subject};

/// The rows of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The rows, hottest first.
    pub rows: Vec<Row>,
    /// What they are sorted by.
    pub sort: Sort,
    /// How many rows are omitted.
    pub omitted: Omitted,
    /// What own functions cost together with the libraries that they call, if rows are sorted by that, there
    /// are both, and no filter leaves some out.
    pub charged: Option<f64>,
}

impl Ranking {
    /// What rows are sorted by, unless asked otherwise. What a library does for own code is known neither
    /// per call nor per module.
    fn default_sort(&self) -> Sort {
        match self.by.default_sort() {
            Sort::Charged if self.limits.per_call || self.module.is_some() => Sort::Self_,
            sort => sort,
        }
    }

    /// The rows of a snapshot. The error is a message for users, without a full stop.
    pub fn rows(
        &self,
        snapshot: &Snapshot,
        baseline: Option<InBaseline<'_>>,
    ) -> Result<Ranked, String> {
        let sort = self.sort.unwrap_or_else(|| self.default_sort());
        self.check(sort, snapshot, baseline.is_some())?;
        let charged = (sort == Sort::Charged).then(|| charged(snapshot));
        let list = List { ranking: self, snapshot, baseline, sort, charged: charged.as_ref() };
        let (rows, omitted) = list.rows()?;
        let is_filtered = self.filter.as_deref().is_some_and(|filter| !filter.is_empty());
        let has_both = |own: &FxHashMap<_, _>| {
            let mut functions = snapshot.costs.functions();
            let is_other = |(function, cost): (_, FunctionCost)| {
                cost.cost.self_ != 0.0 && !own.contains_key(&function)
            };
            !is_filtered && !own.is_empty() && functions.any(is_other)
        };
        let charged = charged.filter(has_both).map(|own| own.values().sum());
        Ok(Ranked { rows, sort, omitted, charged })
    }
}
