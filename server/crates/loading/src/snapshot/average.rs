//! The mean of several runs that are shown as one, and how they are spread.

use analysis::{Cost, Costs, FileId, FunctionId, Groups, Recording, Total, View, threads_by_run};

/// The costs of each run, if the mean of several is shown.
#[derive(Debug, Default)]
pub struct RunCosts {
    runs: Vec<Costs>,
}

/// How a cost is spread over the runs: the sample standard deviations, raw weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The spread of the self cost.
    pub self_: f64,
    /// That of the total. `None` if it is not exact in all runs.
    pub total: Option<f64>,
}

/// A cost, and how it is spread over the runs if their mean is shown.
pub type SpreadCost = (Cost, Option<Spread>);

/// The mean of values, and their sample standard deviation: 0 for a single value.
pub fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.len().max(1);
    let mean = values.clone().sum::<f64>() / n as f64;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 })
}

impl RunCosts {
    /// The costs of the runs in a recording of their mean.
    pub fn of_mean(recording: &Recording, view: &View, groups: &Groups) -> Self {
        let runs = threads_by_run(recording, &view.threads).into_iter().map(|threads| {
            let threads = analysis::ThreadChoice::Only(threads);
            analysis::costs(recording, &View { threads, ..view.clone() }, groups)
        });
        Self { runs: runs.collect() }
    }

    /// The spread of weights, one per run. Each run has its share of the mean.
    fn spread(&self, shares: &[f64]) -> f64 {
        mean(shares.iter().map(|share| share * self.runs.len() as f64)).1
    }

    fn spread_of_costs(&self, cost: impl Fn(&Costs) -> Cost) -> Option<Spread> {
        let costs: Vec<Cost> = self.runs.iter().map(cost).collect();
        let totals: Option<Vec<f64>> = costs.iter().map(|cost| cost.total.exact()).collect();
        let own: Vec<f64> = costs.iter().map(|cost| cost.self_).collect();
        (costs.len() > 1).then(|| Spread {
            self_: self.spread(&own),
            total: totals.map(|totals| self.spread(&totals)),
        })
    }

    /// The self cost of a function in each run. Empty if the mean of several runs is not shown.
    pub fn own(&self, function: FunctionId) -> impl ExactSizeIterator<Item = f64> {
        let n = self.runs.len() as f64;
        self.runs.iter().map(move |run| run.function(function).cost.self_ * n)
    }

    /// The spread of the total. `None` if the mean of several runs is not shown.
    pub fn total(&self) -> Option<f64> {
        let totals: Vec<f64> = self.runs.iter().map(|run| run.total).collect();
        (totals.len() > 1).then(|| self.spread(&totals))
    }

    /// The spread of a function's costs.
    pub fn function(&self, function: FunctionId) -> Option<Spread> {
        self.spread_of_costs(|run| run.function(function).cost)
    }

    /// The spread of the costs of a line (1-based).
    pub fn line(&self, file: FileId, line: u32) -> Option<Spread> {
        let no_cost = Cost { self_: 0.0, total: Total::Exact(0.0) };
        self.spread_of_costs(|run| {
            run.lines_of(file, line..line + 1).first().map_or(no_cost, |line| line.cost)
        })
    }
}
