//! Labels of hints, lenses and hierarchy items.

use crate::present::units;
use crate::session::config::{Show, Unit};
use profile::{Cost, Metric, Total};

/// What percentages are of, and how weights are worded.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    /// The metric.
    pub metric: &'a Metric,
    /// The total of the view.
    pub total: f64,
    /// The user's choice.
    pub unit: Unit,
}

impl Scale<'_> {
    /// A weight as the user wants it.
    pub fn weight(self, weight: f64) -> String {
        match self.unit {
            Unit::Percent => units::percent(weight, self.total),
            Unit::Absolute => units::absolute(weight, self.metric),
            Unit::Both => self.both(weight),
        }
    }

    /// `12.3% (1.23 s)`.
    pub fn both(self, weight: f64) -> String {
        format!("{} ({})", units::percent(weight, self.total), units::absolute(weight, self.metric))
    }

    /// Whether a cost reaches a threshold given in percent.
    pub fn reaches(self, cost: Cost, min_percent: f64) -> bool {
        let magnitude = cost.magnitude();
        magnitude > 0.0 && magnitude * 100.0 >= min_percent * self.total.abs()
    }

    /// The label of a line: `12.3%`, `12.3% · self 4.0%`. Where no total is known, its self cost: `self 4.0%`.
    pub fn hint(self, cost: Cost, show: Show) -> String {
        let self_ = || format!("self {}", self.weight(cost.self_));
        match (cost.total, show) {
            (Total::Unknown, _) | (_, Show::Self_) => self_(),
            (total, Show::Total) => units::total(total, |weight| self.weight(weight)),
            (total, Show::Both) if cost.self_ == 0.0 => units::total(total, |weight| self.weight(weight)),
            (total, Show::Both) => format!("{} · {}", units::total(total, |weight| self.weight(weight)), self_()),
        }
    }

    /// The title of a lens: `self 12.3% (1.23 s) · total 45.6% (4.56 s)`.
    pub fn lens(self, cost: Cost) -> String {
        let total = units::total(cost.total, |weight| self.both(weight));
        format!("self {} · total {total}", self.both(cost.self_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(metric: &Metric) -> Scale<'_> {
        Scale { metric, total: 200.0, unit: Unit::Percent }
    }

    #[test]
    fn hints() {
        let metric = Metric::new("samples", "samples", None);
        let cost = |self_, total| Cost { self_, total };
        let label = |cost, show| scale(&metric).hint(cost, show);
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Total), "12.5%");
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Both), "12.5% · self 4.0%");
        assert_eq!(label(cost(0.0, Total::Exact(25.0)), Show::Both), "12.5%");
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Self_), "self 4.0%");
        assert_eq!(label(cost(8.0, Total::Unknown), Show::Total), "self 4.0%");
        assert_eq!(label(cost(8.0, Total::Bounded { min: 8.0, max: 20.0 }), Show::Total), "4.0% to 10.0%");
        assert_eq!(label(cost(8.0, Total::Estimated(20.0)), Show::Total), "10.0% est.");
    }

    #[test]
    fn lenses_and_thresholds() {
        let metric = Metric::new("samples", "samples", Some(0.01));
        let cost = Cost { self_: 1.0, total: Total::Exact(2.0) };
        assert_eq!(scale(&metric).lens(cost), "self 0.5% (10.0 ms) · total 1.0% (20.0 ms)");
        assert!(scale(&metric).reaches(cost, 1.0));
        assert!(!scale(&metric).reaches(cost, 1.1));
        assert!(!scale(&metric).reaches(Cost { self_: 0.0, total: Total::Exact(0.0) }, 0.0));
    }
}
