//! The costs of all functions, in columns. A profile can have millions of functions, so a column
//! that says nothing takes no memory.

use profile::{Cost, FunctionId, Total};

/// Costs of one function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionCost {
    /// Self and total, without idle samples.
    pub cost: Cost,
    /// Weight of the idle samples whose leaf it is.
    pub idle: f64,
    /// The number of calls, if the recording counts calls.
    pub calls: Option<u64>,
}

/// The function costs, by [`FunctionId`].
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionCosts {
    own: Vec<f64>,
    totals: Totals,
    /// Empty if no sample is idle.
    idle: Vec<f64>,
    /// Empty if no calls are counted.
    calls: Vec<Option<u64>>,
}

#[derive(Debug, Clone)]
enum Totals {
    /// All are exact.
    Exact(Vec<f64>),
    Any(Vec<Total>),
}

impl Default for Totals {
    fn default() -> Self {
        Self::Exact(Vec::new())
    }
}

impl FunctionCosts {
    /// Functions with exact totals, without idle samples and counted calls. The columns have the
    /// same length.
    pub(crate) fn exact(own: Vec<f64>, totals: Vec<f64>) -> Self {
        Self { own, totals: Totals::Exact(totals), ..Self::default() }
    }

    /// Adds the weight of idle samples whose leaf is `function`.
    pub(crate) fn add_idle(&mut self, function: FunctionId, weight: f64) {
        self.idle.resize(self.own.len(), 0.0);
        self.idle[function.index()] += weight;
    }

    /// Sets the number of calls of each function.
    pub(crate) fn set_calls(&mut self, calls: Vec<u64>) {
        self.calls = calls.into_iter().map(Some).collect();
    }

    /// The number of functions.
    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// The costs of a function.
    ///
    /// # Panics
    /// If `function` belongs to other groups.
    pub(crate) fn get(&self, function: FunctionId) -> FunctionCost {
        let i = function.index();
        let total = match &self.totals {
            Totals::Exact(totals) => Total::Exact(totals[i]),
            Totals::Any(totals) => totals[i],
        };
        FunctionCost {
            cost: Cost { self_: self.own[i], total },
            idle: self.idle.get(i).copied().unwrap_or(0.0),
            calls: self.calls.get(i).copied().flatten(),
        }
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = FunctionCost> {
        (0..self.len() as u32).map(|i| self.get(FunctionId::new(i)))
    }
}

impl From<Vec<FunctionCost>> for FunctionCosts {
    fn from(costs: Vec<FunctionCost>) -> Self {
        let all = costs.iter();
        let exact: Option<_> = all.clone().map(|function| function.cost.total.exact()).collect();
        let any = || all.clone().map(|function| function.cost.total).collect();
        let mut columns = Self {
            own: all.clone().map(|function| function.cost.self_).collect(),
            totals: exact.map_or_else(|| Totals::Any(any()), Totals::Exact),
            ..Self::default()
        };
        if all.clone().any(|function| function.idle != 0.0) {
            columns.idle = all.clone().map(|function| function.idle).collect();
        }
        if all.clone().any(|function| function.calls.is_some()) {
            columns.calls = all.clone().map(|function| function.calls).collect();
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_give_back_what_they_were_made_of() {
        let cost = |self_, total| Cost { self_, total };
        let plain = |total| FunctionCost { cost: cost(1.0, total), idle: 0.0, calls: None };
        let exact = plain(Total::Exact(3.0));
        let bounded = plain(Total::Bounded { min: 2.0, max: 4.0 });
        let idle = FunctionCost { idle: 5.0, ..exact };
        let called = FunctionCost { calls: Some(7), ..exact };
        for costs in [
            vec![exact, plain(Total::Exact(-2.0))],
            vec![exact, bounded, plain(Total::Unknown)],
            vec![idle, exact],
            vec![exact, called],
        ] {
            let columns = FunctionCosts::from(costs.clone());
            assert_eq!(columns.iter().collect::<Vec<_>>(), costs);
        }
        let mut columns = FunctionCosts::exact(vec![1.0, 1.0], vec![3.0, 3.0]);
        columns.add_idle(FunctionId::new(1), 2.0);
        columns.add_idle(FunctionId::new(1), 3.0);
        assert_eq!(columns.iter().collect::<Vec<_>>(), [exact, idle]);
    }
}
