//! Labels of hints, lenses and call hierarchy items.

use crate::compare::before::Before;
use crate::compare::comparison::{By, Change};
use analysis::{Cost, FileId, LineKnowledge, Metric, Total};
use loading::{Show, Snapshot, Unit, units};

/// What percentages are relative to, and in which unit weights are shown.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'a> {
    /// The metric of the weights.
    pub metric: &'a Metric,
    /// [`analysis::Costs::base`] of the view, a raw weight.
    pub base: f64,
    /// The setting `unit`.
    pub unit: Unit,
    /// Whether the weights are those of lines.
    pub of_lines: bool,
    /// Whether they are compared with a baseline.
    pub compares: bool,
}

impl<'a> Scale<'a> {
    /// A scale for the weights of functions.
    pub fn new(metric: &'a Metric, base: f64, unit: Unit) -> Self {
        Self { metric, base, unit, of_lines: false, compares: false }
    }

    /// The same for the weights of lines.
    #[must_use]
    pub fn of_lines(self) -> Self {
        Self { of_lines: true, ..self }
    }

    /// The scale for the costs of a line (1-based) of a snapshot.
    #[must_use]
    pub fn of_line(self, snapshot: &Snapshot, file: FileId, line: u32) -> Self {
        Self { base: snapshot.base_of_line(file, line), ..self.of_lines() }
    }

    /// Whether there is nothing that a weight is a percentage of.
    fn has_no_whole(self) -> bool {
        self.base == 0.0 && !self.metric.lines.has_self()
    }

    /// The self cost. `None` if the metric has none.
    pub fn self_of(self, cost: Cost) -> Option<f64> {
        self.metric.lines.has_self().then_some(cost.self_)
    }

    /// A weight in the unit that the user chose.
    pub fn weight(self, weight: f64) -> String {
        match self.unit {
            _ if self.has_no_whole() => units::absolute(weight, self.metric),
            Unit::Percent => units::percent(weight, self.base),
            Unit::Absolute => units::absolute(weight, self.metric),
            Unit::Both => self.both(weight),
        }
    }

    /// A weight as percentage and absolute value: `12.3% (1.23 s)`.
    pub fn both(self, weight: f64) -> String {
        let percent = units::percent(weight, self.base);
        match units::absolute(weight, self.metric) {
            absolute if self.has_no_whole() => absolute,
            // It would be said twice.
            _ if self.metric.unit == "percent" => percent,
            absolute => format!("{percent} ({absolute})"),
        }
    }

    /// The self cost, formatted by `format`: `4.0%`, or `4.0% est.` for an estimate.
    pub fn own(self, cost: Cost, format: impl Fn(f64) -> String) -> String {
        format(cost.self_) + if self.estimates(cost) { " est." } else { "" }
    }

    /// Whether a self cost is an estimate. Only lines have estimates, and then no total.
    pub fn estimates(self, cost: Cost) -> bool {
        cost.total == Total::Unknown && self.metric.lines == LineKnowledge::SelfEstimated
    }

    /// Whether a cost is not zero and at least `min_percent` of the base.
    pub fn reaches(self, cost: Cost, min_percent: f64) -> bool {
        let magnitude = cost.magnitude();
        magnitude > 0.0 && magnitude * 100.0 >= min_percent * self.base
    }

    /// Whether the part of a cost that hints show is not zero and at least `min_percent` of the base.
    pub fn shows(self, cost: Cost, show: Show, min_percent: f64) -> bool {
        self.reaches(shown(cost, show), min_percent)
    }

    /// The label of a line: `12.3%`, or `12.3% · self 4.0%`. If the total is unknown, the self
    /// cost: `self 4.0%`. With a baseline, the first number has a delta: `12.3% ▲2.1`.
    pub fn hint(self, cost: Cost, show: Show, before: Option<Before>) -> String {
        self.label(cost, show, before, "")
    }

    /// The same with the name of the total: `12.3% total`, `12.3% total ▲2.1 · self 4.0%`.
    pub fn named_hint(self, cost: Cost, show: Show, before: Option<Before>) -> String {
        self.label(cost, show, before, " total")
    }

    /// The label of a line. `name` follows the total.
    fn label(self, cost: Cost, show: Show, before: Option<Before>, name: &str) -> String {
        let self_ = || format!("self {}", self.own(cost, |weight| self.weight(weight)));
        let total = || {
            let delta = self.delta(cost, before, Part::Total);
            let total = self.named_total(cost.total, |weight| self.weight(weight), name);
            total + &delta
        };
        match (cost.total, show) {
            _ if self.self_of(cost).is_none() => total(),
            (Total::Unknown, _) | (_, Show::Self_) => {
                self_() + &self.delta(cost, before, Part::Self_)
            }
            (_, Show::Total) => total(),
            (_, Show::Both | Show::Counts) if cost.self_ == 0.0 => total(),
            (_, Show::Both | Show::Counts) => format!("{} · {}", total(), self_()),
        }
    }

    /// The first number of [`Self::hint`] in at most seven characters: `12.3%`, `1.23s`, `≥4.0%`,
    /// `~10.0%` for an estimate; if it changed since the baseline `▲12.3%`.
    pub fn column(self, cost: Cost, show: Show, before: Option<Before>) -> String {
        let total = match self.self_of(cost) {
            Some(_) => shown(cost, show).total,
            None => cost.total,
        };
        let (part, weight, mark) = match total {
            Total::Exact(weight) => (Part::Total, weight, ""),
            Total::Bounded { min, max } => {
                (Part::Total, min, if self.narrow(min) == self.narrow(max) { "" } else { "≥" })
            }
            Total::Estimated(weight) => (Part::Total, weight, "~"),
            Total::Unknown => {
                (Part::Self_, cost.self_, if self.estimates(cost) { "~" } else { "" })
            }
        };
        let change = self.change(cost, before, part).filter(|(_, change)| change.is_real());
        let arrow = change.and_then(|(by, change)| self.arrow(by, change)?.chars().next());
        arrow.map_or_else(|| mark.to_owned(), String::from) + &self.narrow(weight)
    }

    /// A weight in at most six characters. If the unit is both, the percentage.
    fn narrow(self, weight: f64) -> String {
        if self.unit == Unit::Absolute || self.has_no_whole() {
            units::narrow(weight, self.metric)
        } else {
            units::narrow_percent(weight, self.base)
        }
    }

    /// A total, formatted by `format`: `12.3%`, `12.3% to 45.6%`, or `12.3% + recursion` for a line.
    pub fn total(self, total: Total, format: impl Fn(f64) -> String) -> String {
        self.named_total(total, format, "")
    }

    /// A total, followed by `name`.
    fn named_total(self, total: Total, format: impl Fn(f64) -> String, name: &str) -> String {
        match total {
            Total::Bounded { min, .. }
                if self.of_lines && self.metric.lines == LineKnowledge::Calls =>
            {
                format!("{}{name} + recursion", format(min))
            }
            total => units::total(total, format) + name,
        }
    }

    /// Whether a function has a lens: its cost is at least `min_percent` of the base, or was that much
    /// of the baseline, or changed by that much of it.
    pub fn has_lens(self, cost: Cost, before: Option<Before>, min_percent: f64) -> bool {
        let is_much = |share: f64| share != 0.0 && 100.0 * share.abs() >= min_percent;
        let was_much = |before: Before| {
            let by = before.by;
            let changes = [Some(before.self_change(cost)), before.total_change(cost)];
            changes.into_iter().flatten().any(|change| {
                is_much(change.before / by.base_before())
                    || change.is_real() && is_much(by.share(change))
            })
        };
        self.reaches(cost, min_percent) || before.is_some_and(was_much)
    }

    /// The title of a lens: `self 12.3% (1.23 s) · total 45.6% (4.56 s)`, with a baseline
    /// `self 12.3% (1.23 s) ▲2.1 · total 45.6% (4.56 s) ▼0.4`.
    pub fn lens(self, cost: Cost, before: Option<Before>) -> String {
        let self_delta = self.delta(cost, before, Part::Self_);
        let total_delta = self.delta(cost, before, Part::Total);
        let total = self.total(cost.total, |weight| self.both(weight));
        if self.self_of(cost).is_none() {
            return format!("total {total}{total_delta}");
        }
        // A table of lines has no totals at all.
        if cost.total == Total::Unknown && self.metric.lines.is_self_alone() {
            return format!("self {}{self_delta}", self.both(cost.self_));
        }
        format!("self {}{self_delta} · total {total}{total_delta}", self.both(cost.self_))
    }

    /// The delta of one part of a cost, with a leading space: ` ▲2.1`, ` ▼1.20 s`. Empty if one side
    /// is unknown, or the cost did not change by more than noise.
    pub fn delta(self, now: Cost, before: Option<Before>, part: Part) -> String {
        let change = self.change(now, before, part).filter(|(_, change)| change.is_real());
        let text = change.and_then(|(by, change)| self.arrow(by, change));
        text.map_or_else(String::new, |text| format!(" {text}"))
    }

    /// The change of one part of a cost. `None` if one side is unknown.
    pub fn change(self, now: Cost, before: Option<Before>, part: Part) -> Option<(By, Change)> {
        let before = before.filter(|_| self.base != 0.0 || self.has_no_whole())?;
        let change = match part {
            Part::Self_ => before.self_change(now),
            Part::Total => before.total_change(now)?,
        };
        Some((before.by.by, change))
    }

    /// A spread over runs, with a leading space: ` ±40.0 ms`. Empty if it is unknown.
    pub fn spread(self, deviation: Option<f64>) -> String {
        let text = deviation.map(|deviation| units::absolute(deviation, self.metric));
        text.map_or_else(String::new, |text| format!(" ±{text}"))
    }

    /// A change as text: `▲1.20 s`, or `▲2.1` in percentage points if shares are compared. `None` if
    /// there is no change.
    pub fn arrow(self, by: By, change: Change) -> Option<String> {
        let amount = match by {
            By::Share => format!("{:.1}", (100.0 * change.change / self.base).abs()),
            By::Weight => units::absolute(change.change.abs(), self.metric),
        };
        let is_zero = change.change == 0.0 || amount == "0.0" || amount.starts_with("0 ");
        let arrow = if change.change > 0.0 { '▲' } else { '▼' };
        (!is_zero).then(|| format!("{arrow}{amount}"))
    }
}

/// The part of a cost that hints show, without the other.
pub fn shown(cost: Cost, show: Show) -> Cost {
    match show {
        Show::Self_ => Cost { total: Total::Unknown, ..cost },
        Show::Total | Show::Both | Show::Counts => cost,
    }
}

/// A change in percent of the cost before: `−41%`, `+5.2%`. `None` if there is no change, or the cost was 0.
pub fn percent_change(change: Change) -> Option<String> {
    let percent = change.percent().filter(|_| change.change != 0.0)?;
    let sign = if percent < 0.0 { '−' } else { '+' };
    let digits = usize::from(percent.abs() < 9.95);
    Some(format!("{sign}{:.digits$}%", percent.abs()))
}

/// The text of a change of the total: `1.98 s → 1.17 s −41%`. Without a percentage if it did not
/// change, or was 0.
pub fn totals(change: Change, metric: &Metric) -> String {
    if !metric.lines.has_self() {
        return "functions contain each other, so there is no total".to_owned();
    }
    let weight = |weight| units::absolute(weight, metric);
    let amount = percent_change(change).map(|percent| format!(" {percent}"));
    let noise = if change.is_noise() { " (within noise)" } else { "" };
    format!(
        "{} → {}{}{noise}",
        weight(change.before),
        weight(change.now),
        amount.unwrap_or_default()
    )
}

/// A part of a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The self cost.
    Self_,
    /// The total.
    Total,
}

impl Part {
    /// The part of a cost. `None` if the total is not exact.
    pub fn of(self, cost: Cost) -> Option<f64> {
        match self {
            Self::Self_ => Some(cost.self_),
            Self::Total => cost.total.exact(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::comparison::Comparison;

    fn scale(metric: &Metric) -> Scale<'_> {
        Scale::new(metric, 200.0, Unit::Percent)
    }

    #[test]
    fn without_self_costs_there_are_totals_only() {
        let metric = Metric::new("time", "ms", None).with_lines(LineKnowledge::TotalOnly);
        let cost = Cost { self_: 0.0, total: Total::Exact(50.0) };
        // Lines are a part of their function, which is a part of nothing.
        assert_eq!(scale(&metric).hint(cost, Show::Self_, None), "25.0%");
        assert_eq!(scale(&metric).named_hint(cost, Show::Both, None), "25.0% total");
        let whole = Scale::new(&metric, 0.0, Unit::Percent);
        assert_eq!(whole.lens(cost, None), "total 50.0 ms");
        assert_eq!(
            (whole.hint(cost, Show::Total, None), whole.both(50.0)),
            ("50.0 ms".into(), "50.0 ms".into())
        );
        assert_eq!(whole.self_of(cost), None);
        let slower = Before::mean(
            &[(Cost { total: Total::Exact(80.0), ..cost }, None)],
            None,
            Comparison::exact(By::Weight, 0.0, 0.0),
        );
        assert_eq!(whole.lens(cost, slower), "total 50.0 ms ▼30.0 ms");
    }

    #[test]
    fn percent_is_not_said_twice_and_tables_of_lines_have_no_total() {
        let metric = Metric::new("cpu", "percent", None).with_lines(LineKnowledge::SelfOnly);
        let cost = Cost { self_: 50.0, total: Total::Unknown };
        assert_eq!(scale(&metric).lens(cost, None), "self 25.0%");
        let memory = Metric::new("allocated", "bytes", None).with_lines(LineKnowledge::SelfOnly);
        assert_eq!(scale(&memory).lens(cost, None), "self 25.0% (50 B)");
    }

    #[test]
    fn hint_labels() {
        let metric = Metric::new("samples", "samples", None);
        let cost = |self_, total| Cost { self_, total };
        let label = |cost, show| scale(&metric).hint(cost, show, None);
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Total), "12.5%");
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Both), "12.5% · self 4.0%");
        // Without counts, the costs are shown.
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Counts), "12.5% · self 4.0%");
        assert_eq!(label(cost(0.0, Total::Exact(25.0)), Show::Both), "12.5%");
        assert_eq!(label(cost(8.0, Total::Exact(25.0)), Show::Self_), "self 4.0%");
        let named = |cost, show| scale(&metric).named_hint(cost, show, None);
        assert_eq!(named(cost(8.0, Total::Exact(25.0)), Show::Total), "12.5% total");
        assert_eq!(named(cost(8.0, Total::Exact(25.0)), Show::Both), "12.5% total · self 4.0%");
        assert_eq!(named(cost(8.0, Total::Unknown), Show::Total), "self 4.0%");
        assert_eq!(label(cost(8.0, Total::Unknown), Show::Total), "self 4.0%");
        assert_eq!(
            label(cost(8.0, Total::Bounded { min: 8.0, max: 20.0 }), Show::Total),
            "4.0% to 10.0%"
        );
        let same = Total::Bounded { min: 8.0, max: 8.001 };
        assert_eq!(label(cost(8.0, same), Show::Total), "4.0%");
        assert_eq!(label(cost(8.0, Total::Estimated(20.0)), Show::Total), "10.0% est.");
        let calls = metric.clone().with_lines(LineKnowledge::Calls);
        let bounds = cost(0.0, Total::Bounded { min: 8.0, max: 20.0 });
        assert_eq!(scale(&calls).of_lines().hint(bounds, Show::Both, None), "4.0% + recursion");
        assert_eq!(scale(&calls).hint(bounds, Show::Both, None), "4.0% to 10.0%");
    }

    #[test]
    fn columns_have_one_number_and_one_mark() {
        let metric = Metric::new("samples", "samples", None);
        let cost = |total| Cost { self_: 8.0, total };
        let text = |total, show| scale(&metric).column(cost(total), show, None);
        assert_eq!(text(Total::Exact(25.0), Show::Both), "12.5%");
        assert_eq!(text(Total::Exact(200.0), Show::Total), "100%");
        assert_eq!(text(Total::Exact(25.0), Show::Self_), "4.0%");
        assert_eq!(text(Total::Unknown, Show::Total), "4.0%");
        assert_eq!(text(Total::Estimated(20.0), Show::Total), "~10.0%");
        assert_eq!(text(Total::Bounded { min: 8.0, max: 20.0 }, Show::Total), "≥4.0%");
        let absolute = Scale { unit: Unit::Absolute, ..scale(&metric) };
        assert_eq!(absolute.column(cost(Total::Exact(12_345.0)), Show::Total, None), "12.3k");
        let slower = Before::mean(
            &[(cost(Total::Exact(5.0)), None)],
            None,
            Comparison::exact(By::Weight, 0.0, 0.0),
        );
        let compared = scale(&metric).column(cost(Total::Exact(25.0)), Show::Total, slower);
        assert_eq!(compared, "▲12.5%");
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
    fn lens_titles_and_thresholds() {
        let metric = Metric::new("samples", "samples", Some(0.01));
        let cost = Cost { self_: 1.0, total: Total::Exact(2.0) };
        assert_eq!(scale(&metric).lens(cost, None), "self 0.5% (10.0 ms) · total 1.0% (20.0 ms)");
        assert!(scale(&metric).reaches(cost, 1.0));
        assert!(!scale(&metric).reaches(cost, 1.1));
        assert!(!scale(&metric).reaches(Cost { self_: 0.0, total: Total::Exact(0.0) }, 0.0));
    }

    #[test]
    fn the_number_that_hints_show_decides_which_are_shown() {
        let metric = Metric::new("samples", "samples", None);
        let cost = Cost { self_: 1.0, total: Total::Exact(100.0) };
        let shows = |show, min_percent| scale(&metric).shows(cost, show, min_percent);
        // 1 of 200 and 100 of 200.
        assert!(shows(Show::Self_, 0.5) && !shows(Show::Self_, 0.6));
        assert!(shows(Show::Total, 50.0) && shows(Show::Both, 50.0));
        let none = Cost { self_: 0.0, ..cost };
        assert!(!scale(&metric).shows(none, Show::Self_, 0.0));
    }

    #[test]
    fn deltas() {
        let (samples, times) = (
            Metric::new("samples", "samples", None),
            Metric::new("samples", "samples", Some(0.01)),
        );
        let cost = |self_, total| Cost { self_, total };
        // 25 of 200 is 12.5%, 8 of 200 is 4%. In the baseline, 10 of 100 is 10%, 5 of 100 is 5%.
        let now = cost(8.0, Total::Exact(25.0));
        let before = |by, self_, total| {
            let by = Comparison::exact(by, 100.0, 200.0);
            Before::mean(&[(cost(self_, total), None)], None, by)
        };
        let exact = |by| before(by, 5.0, Total::Exact(10.0));
        let by = By::Share;
        let label = |show, before| scale(&samples).hint(now, show, before);
        assert_eq!(label(Show::Total, exact(by)), "12.5% ▲2.5");
        assert_eq!(label(Show::Self_, exact(by)), "self 4.0% ▼1.0");
        assert_eq!(label(Show::Both, exact(by)), "12.5% ▲2.5 · self 4.0%");
        let named = scale(&samples).named_hint(now, Show::Total, exact(by));
        assert_eq!(named, "12.5% total ▲2.5");
        // Less than a tenth of a point is no change.
        assert_eq!(label(Show::Total, before(by, 5.0, Total::Exact(12.52))), "12.5%");
        assert_eq!(label(Show::Total, before(by, 5.0, Total::Unknown)), "12.5%");
        assert_eq!(
            scale(&times).lens(now, exact(by)),
            "self 4.0% (80.0 ms) ▼1.0 · total 12.5% (250 ms) ▲2.5"
        );
        let label =
            |metric, unit, by| Scale { unit, ..scale(metric) }.hint(now, Show::Total, exact(by));
        assert_eq!(label(&times, Unit::Percent, By::Weight), "12.5% ▲150 ms");
        assert_eq!(label(&times, Unit::Absolute, By::Weight), "250 ms ▲150 ms");
        assert_eq!(label(&samples, Unit::Percent, By::Weight), "12.5% ▲15 samples");
        assert_eq!(label(&samples, Unit::Absolute, By::Share), "25 samples ▲2.5");
        let unchanged = before(By::Weight, 8.0, Total::Exact(25.0));
        assert_eq!(scale(&times).hint(now, Show::Total, unchanged), "12.5%");
    }

    #[test]
    fn a_function_that_was_hot_or_changed_much_has_a_lens() {
        let metric = Metric::new("time", "us", None);
        let cost = |weight| Cost { self_: weight, total: Total::Exact(weight) };
        let has_lens = |now, before, min_percent| {
            // The totals are 100, and 200 now.
            let by = Comparison::exact(By::Weight, 100.0, 200.0);
            let before = Before::mean(&[(cost(before), None)], None, by);
            scale(&metric).has_lens(cost(now), before, min_percent)
        };
        assert!(!scale(&metric).has_lens(cost(1.0), None, 1.0));
        // It was 10%, and has 9% less.
        assert!(has_lens(1.0, 10.0, 10.0) && !has_lens(1.0, 10.0, 10.1));
        // It was 1%, and has 29% more: 15% of the new total.
        assert!(has_lens(30.0, 1.0, 28.9) && !has_lens(30.0, 1.0, 29.1));
    }

    #[test]
    fn totals_have_both_sides_and_the_percentage() {
        let metric = Metric::new("cpu", "ms", None);
        let text = |before, now| {
            let change = Comparison::exact(By::Weight, before, now).total();
            totals(change, &metric)
        };
        assert_eq!(text(1980.0, 1170.0), "1.98 s → 1.17 s −41%");
        assert_eq!(text(1000.0, 1042.0), "1.00 s → 1.04 s +4.2%");
        assert_eq!(text(1000.0, 3500.0), "1.00 s → 3.50 s +250%");
        assert_eq!(text(1000.0, 1000.0), "1.00 s → 1.00 s");
        assert_eq!(text(0.0, 1000.0), "0 s → 1.00 s");
    }
}
