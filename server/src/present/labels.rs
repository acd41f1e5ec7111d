//! Labels of hints, lenses and hierarchy items.

use crate::present::units;
use crate::session::baseline::Before;
use crate::session::config::{Show, Unit};
use profile::{Cost, LineKnowledge, Metric, Total};

/// What percentages are of, and how weights are worded.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    /// The metric.
    pub metric: &'a Metric,
    /// [`analysis::Costs::base`] of the view.
    pub base: f64,
    /// The user's choice.
    pub unit: Unit,
}

impl Scale<'_> {
    /// A weight as the user wants it.
    pub fn weight(self, weight: f64) -> String {
        match self.unit {
            Unit::Percent => units::percent(weight, self.base),
            Unit::Absolute => units::absolute(weight, self.metric),
            Unit::Both => self.both(weight),
        }
    }

    /// `12.3% (1.23 s)`.
    pub fn both(self, weight: f64) -> String {
        format!("{} ({})", units::percent(weight, self.base), units::absolute(weight, self.metric))
    }

    /// The self cost, in words of `word`: `4.0%`, `4.0% est.` where it is an estimate.
    pub fn own(self, cost: Cost, word: impl Fn(f64) -> String) -> String {
        word(cost.self_) + if self.estimates(cost) { " est." } else { "" }
    }

    /// Whether a self cost is an estimate: that of a line, which then has no total.
    pub fn estimates(self, cost: Cost) -> bool {
        cost.total == Total::Unknown && self.metric.lines == LineKnowledge::SelfEstimated
    }

    /// Whether a cost reaches a threshold given in percent.
    pub fn reaches(self, cost: Cost, min_percent: f64) -> bool {
        let magnitude = cost.magnitude();
        magnitude > 0.0 && magnitude * 100.0 >= min_percent * self.base
    }

    /// The label of a line: `12.3%`, `12.3% · self 4.0%`. Where no total is known, its self cost: `self 4.0%`. With what it cost
    /// before, how the first number changed: `12.3% ▲2.1`.
    pub fn hint(self, cost: Cost, show: Show, before: Option<Before>) -> String {
        let self_ = || format!("self {}", self.own(cost, |weight| self.weight(weight)));
        let total = || units::total(cost.total, |weight| self.weight(weight));
        let (of_self, of_total) = (self.change(cost, before, own), self.change(cost, before, exact));
        match (cost.total, show) {
            (Total::Unknown, _) | (_, Show::Self_) => self_() + &of_self,
            (_, Show::Total) => total() + &of_total,
            (_, Show::Both) if cost.self_ == 0.0 => total() + &of_total,
            (_, Show::Both) => format!("{}{of_total} · {}", total(), self_()),
        }
    }

    /// The title of a lens: `self 12.3% (1.23 s) · total 45.6% (4.56 s)`, with what it cost before
    /// `self 12.3% (1.23 s) ▲2.1 · total 45.6% (4.56 s) ▼0.4`.
    pub fn lens(self, cost: Cost, before: Option<Before>) -> String {
        let (of_self, of_total) = (self.change(cost, before, own), self.change(cost, before, exact));
        let total = units::total(cost.total, |weight| self.both(weight));
        format!("self {}{of_self} · total {total}{of_total}", self.both(cost.self_))
    }

    /// ` ▲2.1`, ` ▼2.1`, ` ±0.0`: how a part of a cost changed, in points of percent, or in the metric's own terms where that is
    /// what the user wants; nothing where it cannot be told.
    pub fn change(self, now: Cost, before: Option<Before>, part: fn(Cost) -> Option<f64>) -> String {
        let parts = before.and_then(|before| Some((part(now)?, part(before.cost)?, before.of)));
        let Some((now, before, of)) = parts.filter(|_| self.base != 0.0) else { return String::new() };
        let (difference, amount) = if self.unit == Unit::Absolute {
            (now - before, units::absolute((now - before).abs(), self.metric))
        } else {
            let points = 100.0 * (now / self.base - before / of);
            (points, format!("{:.1}", points.abs()))
        };
        match difference {
            _ if amount == "0.0" || difference == 0.0 => format!(" ±{amount}"),
            0.0.. => format!(" ▲{amount}"),
            _ => format!(" ▼{amount}"),
        }
    }
}

/// The self cost, for [`Scale::change`].
#[expect(clippy::unnecessary_wraps, reason = "a part that is always known")]
pub fn own(cost: Cost) -> Option<f64> {
    Some(cost.self_)
}

/// The total, where it is known, for [`Scale::change`].
pub fn exact(cost: Cost) -> Option<f64> {
    cost.total.exact()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(metric: &Metric) -> Scale<'_> {
        Scale { metric, base: 200.0, unit: Unit::Percent }
    }

    #[test]
    fn hints() {
        let metric = Metric::new("samples", "samples", None);
        let cost = |self_, total| Cost { self_, total };
        let label = |cost, show| scale(&metric).hint(cost, show, None);
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Total), "12.5%");
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Both), "12.5% · self 4.0%");
        assert_eq!(label(cost(0.0, Total::Exact(25.0)), Show::Both), "12.5%");
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Self_), "self 4.0%");
        assert_eq!(label(cost(8.0, Total::Unknown), Show::Total), "self 4.0%");
        assert_eq!(label(cost(8.0, Total::Bounded { min: 8.0, max: 20.0 }), Show::Total), "4.0% to 10.0%");
        assert_eq!(label(cost(8.0, Total::Estimated(20.0)), Show::Total), "10.0% est.");
    }

    #[test]
    fn estimates_of_lines_are_marked() {
        let metric = Metric::new("time", "us", None).with_lines(LineKnowledge::SelfEstimated);
        let line = Cost { self_: 8.0, total: Total::Unknown };
        assert_eq!(scale(&metric).hint(line, Show::Total, None), "self 4.0% est.");
        let function = Cost { self_: 8.0, total: Total::Exact(25.0) };
        assert_eq!(scale(&metric).hint(function, Show::Both, None), "12.5% · self 4.0%");
    }

    #[test]
    fn lenses_and_thresholds() {
        let metric = Metric::new("samples", "samples", Some(0.01));
        let cost = Cost { self_: 1.0, total: Total::Exact(2.0) };
        assert_eq!(scale(&metric).lens(cost, None), "self 0.5% (10.0 ms) · total 1.0% (20.0 ms)");
        assert!(scale(&metric).reaches(cost, 1.0));
        assert!(!scale(&metric).reaches(cost, 1.1));
        assert!(!scale(&metric).reaches(Cost { self_: 0.0, total: Total::Exact(0.0) }, 0.0));
    }

    #[test]
    fn changes() {
        let metric = Metric::new("samples", "samples", Some(0.01));
        let cost = |self_, total| Cost { self_, total };
        // 25 of 200 are 12.5 %, 8 of 200 4 %; before they were 10 % and 5 % of 100.
        let now = cost(8.0, Total::Exact(25.0));
        let before = |self_, total| Some(Before { cost: cost(self_, total), of: 100.0 });
        let label = |show, before| scale(&metric).hint(now, show, before);
        let known = before(5.0, Total::Exact(10.0));
        assert_eq!(label(Show::Total, known), "12.5% ▲2.5");
        assert_eq!(label(Show::Self_, known), "self 4.0% ▼1.0");
        assert_eq!(label(Show::Both, known), "12.5% ▲2.5 · self 4.0%");
        assert_eq!(label(Show::Total, before(5.0, Total::Exact(12.52))), "12.5% ±0.0");
        assert_eq!(label(Show::Total, before(5.0, Total::Unknown)), "12.5%");
        assert_eq!(scale(&metric).lens(now, known), "self 4.0% (80.0 ms) ▼1.0 · total 12.5% (250 ms) ▲2.5");
        let absolute = Scale { unit: Unit::Absolute, ..scale(&metric) };
        assert_eq!(absolute.hint(now, Show::Total, known), "250 ms ▲150 ms");
    }
}
