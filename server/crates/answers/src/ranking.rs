//! The rows of reports and lists of hot spots: functions, lines, calls, files, modules, packages,
//! libraries, threads, labels, cliques or fields, in an order, down to a limit.

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

use crate::functions::own_code::charges;
use analysis::{Charges, FunctionCost, FunctionId};
use list::List;
use loading::Snapshot;

pub use by::{By, Listing};
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
    /// What own code costs together with the libraries that it calls, if rows are sorted by that, there are
    /// both, and no filter leaves some out.
    pub charged: Option<Charged>,
}

/// What own code costs together with the libraries that it calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Charged {
    /// All of it.
    pub sum: f64,
    /// What of that no row has: if lines are listed, the cost whose line is not known.
    pub not_listed: f64,
}

impl Ranking {
    /// What rows are sorted by, unless asked otherwise. What a library does for own code is known neither
    /// per call nor per module. Modules and libraries tell where code is, so they have what it costs there,
    /// unless only own code is listed.
    fn default_sort(&self, snapshot: &Snapshot) -> Sort {
        match self.by {
            _ if !snapshot.costs.metric.lines.has_self() => Sort::Total,
            By::Edge | By::Clique | By::Field => Sort::Total,
            By::Thread | By::Label => Sort::Self_,
            _ if self.limits.per_call || self.module.is_some() => Sort::Self_,
            By::Module | By::Library if self.scope == Scope::All => Sort::Self_,
            By::Function | By::Line | By::File | By::Package | By::Module | By::Library => {
                Sort::Charged
            }
        }
    }

    fn charged(&self, charges: &Charges) -> Charged {
        let sum: f64 = charges.functions.values().sum();
        let on_lines = || charges.lines.values().sum::<f64>();
        Charged { sum, not_listed: if self.by == By::Line { sum - on_lines() } else { 0.0 } }
    }

    /// The rows of a snapshot. The error is a message for users, without a full stop.
    pub fn rows(
        &self,
        snapshot: &Snapshot,
        baseline: Option<InBaseline<'_>>,
    ) -> Result<Ranked, String> {
        let sort = self.sort.unwrap_or_else(|| self.default_sort(snapshot));
        self.check(sort, snapshot, baseline.is_some())?;
        let charges = (sort == Sort::Charged).then(|| charges(snapshot));
        let list = List { ranking: self, snapshot, baseline, sort, charges: charges.as_ref() };
        let (rows, omitted) = list.rows()?;
        let is_filtered = self.filter.as_deref().is_some_and(|filter| !filter.is_empty());
        let charged = charges
            .filter(|charges| !is_filtered && has_libraries(snapshot, charges))
            .map(|charges| self.charged(&charges));
        Ok(Ranked { rows, sort, omitted, charged })
    }
}

/// Whether there is own code, and other code with self costs.
fn has_libraries(snapshot: &Snapshot, charges: &Charges) -> bool {
    let is_library = |(function, cost): (FunctionId, FunctionCost)| {
        cost.cost.self_ != 0.0 && !snapshot.is_own(function)
    };
    !charges.functions.is_empty() && snapshot.costs.functions().any(is_library)
}
