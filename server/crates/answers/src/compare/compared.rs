//! The baseline beside the profile shown.
//!
//! Runs of a baseline are matched one by one, and then averaged (`Compared::before`). Lines and
//! functions may have moved between the runs, so a merged profile of them has no recorded text.

use crate::compare::baseline::Baseline;
use crate::compare::before::Before;
use crate::compare::comparison::Comparison;
use analysis::{Cost, FileId, FunctionId};
use loading::{Snapshot, Spread, SpreadCost};
use std::sync::Arc;

/// The baseline, and how costs are compared with it.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The baseline.
    pub baseline: &'a Arc<Baseline>,
    /// How costs are compared.
    pub by: Comparison,
}

impl Compared<'_> {
    /// The cost of a function of `shown` in the baseline. `None` if it has no unique match.
    pub fn function(&self, shown: &Snapshot, function: FunctionId) -> Option<Before> {
        let costs = self.baseline.runs().map(|run| run.function(shown, function));
        self.before(costs, shown.run_costs().function(function))
    }

    /// The cost in the baseline of a line of `shown` (1-based, as recorded). `None` if it cannot be
    /// matched.
    pub fn recorded_line(&self, shown: &Snapshot, file: FileId, line: u32) -> Option<Before> {
        let costs = self.baseline.runs().map(|run| run.recorded_line(shown, file, line));
        self.before(costs, shown.run_costs().line(file, line))
    }

    /// A cost in the baseline, from its cost in each run ([`Baseline::runs`]). The spreads of these costs
    /// and of the cost shown are not known.
    pub fn before_in(&self, costs: impl IntoIterator<Item = Option<Cost>>) -> Option<Before> {
        self.before(costs.into_iter().map(|cost| Some((cost?, None))), None)
    }

    /// The mean of the costs of runs of the baseline. `None` if the newest run has none.
    /// `spread_now` is the spread of the cost shown.
    pub(crate) fn before(
        &self,
        costs: impl Iterator<Item = Option<SpreadCost>>,
        spread_now: Option<Spread>,
    ) -> Option<Before> {
        let runs = self.baseline.runs().map(|run| &*run.snapshot);
        Before::of_runs(self.by, runs.zip(costs), spread_now)
    }
}
