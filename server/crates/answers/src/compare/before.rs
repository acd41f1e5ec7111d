//! The cost of a line, function or path in the baseline: that of one run, or the mean of several.

use crate::compare::comparison::{Change, Comparison, Runs};
use analysis::{Cost, Total};
use loading::{Snapshot, Spread, SpreadCost};

/// The cost of a line, function or path in the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Before {
    /// The raw cost, or the mean of several runs.
    pub cost: Cost,
    /// How the cost is compared.
    pub by: Comparison,
    /// The runs that the self cost and the total were computed from.
    runs: [Runs; 2],
    /// The spread of the cost shown, if that cost is a mean.
    spread_now: Option<Spread>,
}

impl Before {
    /// The mean of the costs of runs, newest first. `None` if the newest run has none. `spread_now` is the
    /// spread of the cost shown.
    pub(super) fn of_runs<'a>(
        by: Comparison,
        mut runs: impl Iterator<Item = (&'a Snapshot, Option<SpreadCost>)>,
        spread_now: Option<Spread>,
    ) -> Option<Self> {
        let (newest, cost) = runs.next()?;
        let mut known = vec![scaled(cost?, by, newest)];
        known.extend(runs.filter_map(|(run, cost)| Some(scaled(cost?, by, run))));
        Self::mean(&known, spread_now, by)
    }

    /// The mean of the costs of several runs. `None` if there are no runs. `spread_now` is the
    /// spread of the cost shown.
    pub fn mean(costs: &[SpreadCost], spread_now: Option<Spread>, by: Comparison) -> Option<Self> {
        let (&(newest, spread), earlier) = costs.split_first()?;
        if earlier.is_empty() {
            let parts = [spread.map(|spread| spread.self_), spread.and_then(|spread| spread.total)];
            let runs = parts.map(|part| by.runs_before(part));
            return Some(Self { cost: newest, by, runs, spread_now });
        }
        let (self_, self_runs) = Runs::mean(costs.iter().map(|(cost, _)| cost.self_));
        let totals: Option<Vec<f64>> = costs.iter().map(|(cost, _)| cost.total.exact()).collect();
        let (total, total_runs) = totals.map_or((newest.total, Runs::default()), |totals| {
            let (total, runs) = Runs::mean(totals.into_iter());
            (Total::Exact(total), runs)
        });
        let runs = [self_runs, total_runs];
        Some(Self { cost: Cost { self_, total }, by, runs, spread_now })
    }

    /// How the self cost changed.
    pub fn self_change(&self, now: Cost) -> Change {
        let spread = self.spread_now.map(|spread| spread.self_);
        self.by.change_of(self.cost.self_, self.runs[0], now.self_, spread)
    }

    /// How the total changed. `None` if one of them is not exact.
    pub fn total_change(&self, now: Cost) -> Option<Change> {
        let (before, now) = self.cost.total.exact().zip(now.total.exact())?;
        let spread = self.spread_now.and_then(|spread| spread.total);
        Some(self.by.change_of(before, self.runs[1], now, spread))
    }
}

/// The cost of a run in the unit of the profile shown, scaled such that the mean of several runs can be
/// computed.
fn scaled((cost, spread): SpreadCost, by: Comparison, run: &Snapshot) -> SpreadCost {
    let unit = by.unit_of_run(run);
    let scale = unit * by.scale_of_run(run.costs.base * unit);
    let total = cost.total.scaled(scale);
    let spread = spread.map(|spread| Spread {
        self_: spread.self_ * scale,
        total: spread.total.map(|total| total * scale),
    });
    (Cost { self_: cost.self_ * scale, total }, spread)
}

/// The cost of what the baseline does not have.
pub const NO_COST: Cost = Cost { self_: 0.0, total: Total::Exact(0.0) };
