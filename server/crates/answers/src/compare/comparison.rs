//! How costs are compared with a baseline: absolutely or by share, and how much of a change may be
//! noise.
//!
//! Costs are compared as they are, as `pprof -diff_base` does: a function that became faster makes no
//! other one slower. Shares of the total are compared on request.
//!
//! The noise of a sampled cost follows a Poisson distribution: the variance of a sum of weights is
//! the sum times the weight of a sample ([`analysis::SampleWeights::mean`]). Where one side has few
//! samples, or none, that says little about its variance, so the change also has at least the
//! variance that it would have if both sides cost the same. The variance of a share follows a
//! binomial distribution. A change is noise if it is within the bound that no cost
//! exceeds with a probability of 99% if nothing changed (Šidák's correction for the number of
//! costs that are compared). What the spread of several runs adds is in [`super::noise`].
//!
//! A delta is shown only if the cost changed by more than noise. Users otherwise explain chance. All
//! surfaces format the same `Change`; `data` has what labels leave out.

use crate::compare::noise::{self, bound};
use analysis::Metric;
use loading::average::mean;
use loading::{Compare, Snapshot};

/// How costs of two snapshots are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub by: By,
    before: Side,
    now: Side,
    /// The bound of noise, in standard deviations.
    bound: f64,
    /// [`Metric::seconds_per_unit`] of the metric shown.
    seconds_per_unit: Option<f64>,
    /// How many units of the metric shown a unit of the baseline is.
    unit: f64,
    /// Whether all functions changed by one factor, which says nothing about each.
    is_common: bool,
}

/// What of two costs is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The weights.
    Weight,
    /// The shares of the total.
    Share,
}

/// What the mean of several runs is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runs {
    /// The number of runs, at least 1.
    n: u32,
    /// The sample standard deviation. `None` if it is not known.
    deviation: Option<f64>,
    /// The number of snapshots: that of the runs, or 1 if it shows their mean.
    snapshots: u32,
}

/// How many units of a metric that lasts `seconds_per_unit` a unit of the metric of `run` is. 1 if one of
/// them has no known duration.
fn unit_of(run: &Snapshot, seconds_per_unit: Option<f64>) -> f64 {
    match (run.costs.metric.seconds_per_unit, seconds_per_unit) {
        (Some(of_run), Some(shown)) if of_run > shown => exact_if_whole(of_run / shown),
        (Some(of_run), Some(shown)) => exact_if_whole(shown / of_run).recip(),
        _ => 1.0,
    }
}

/// A quotient without the error of rounding if it is a whole number: 0.001 / 0.000001 is 1000.
fn exact_if_whole(quotient: f64) -> f64 {
    let whole = quotient.round();
    if rounded(quotient - whole, whole) == 0.0 { whole } else { quotient }
}

impl Default for Runs {
    fn default() -> Self {
        Self::of_mean(1, None)
    }
}

impl Runs {
    /// The mean of the values, one per run, and how they are spread.
    pub fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, Self) {
        let n = values.len().max(1) as u32;
        let (mean, deviation) = mean(values);
        (mean, Self { n, deviation: (n > 1).then_some(deviation), snapshots: n })
    }

    /// How costs with this mean are spread. `sample` is the weight of a sample.
    fn spread(self, mean: f64, sample: Option<f64>) -> noise::Spread {
        noise::Spread {
            n: self.n,
            variance: self.deviation.filter(|_| self.n > 1).map(|deviation| deviation * deviation),
            sampled: sample.map(|sample| mean.abs() * sample),
        }
    }

    /// The runs of a snapshot that shows their mean.
    pub fn of_mean(n: u32, deviation: Option<f64>) -> Self {
        Self { n, deviation, snapshots: 1 }
    }
}

/// The mean of the runs of a side.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Side {
    total: f64,
    base: f64,
    /// The weight of a sample.
    sample: Option<f64>,
    /// The spread of the totals.
    runs: Runs,
}

impl Side {
    /// The runs, in units that last `seconds_per_unit`.
    fn of(snapshots: &[&Snapshot], seconds_per_unit: Option<f64>) -> Self {
        let in_unit = |run: &Snapshot, value: f64| value * unit_of(run, seconds_per_unit);
        let mean = |value: fn(&Snapshot) -> f64| {
            let values = snapshots.iter().map(|snapshot| in_unit(snapshot, value(snapshot)));
            Runs::mean(values.collect::<Vec<f64>>().into_iter())
        };
        let (total, runs) = match snapshots {
            [one] => {
                let spread = one.run_costs().total().map(|spread| in_unit(one, spread));
                (in_unit(one, one.costs.total), Runs::of_mean(one.grouped.runs, spread))
            }
            _ => mean(|snapshot| snapshot.costs.total),
        };
        let sample = |run: &&Snapshot| Some(in_unit(run, run.sampling().weight?));
        let samples: Option<Vec<f64>> = snapshots.iter().map(sample).collect();
        let sample = samples.filter(|samples| !samples.is_empty());
        Self {
            total,
            base: mean(|snapshot| snapshot.costs.base).0,
            sample: sample.map(|samples| Runs::mean(samples.into_iter()).0),
            runs,
        }
    }
}

/// How a cost changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The cost in the baseline, not scaled, in the unit of the profile shown.
    pub before: f64,
    /// The cost now.
    pub now: f64,
    /// The change, in the metric of the profile shown. 0 if rounding explains it.
    pub change: f64,
    /// The greatest change that may be noise. `None` if costs are exact, or their noise is not
    /// known.
    pub noise: Option<f64>,
}

impl Change {
    /// Whether the cost changed, but not by more than noise.
    pub fn is_noise(&self) -> bool {
        self.change != 0.0 && self.noise.is_some_and(|noise| self.change.abs() <= noise)
    }

    /// Whether the cost changed by more than noise.
    pub fn is_real(&self) -> bool {
        self.change != 0.0 && !self.is_noise()
    }

    /// The change in percent of the cost in the baseline. `None` if that is 0.
    pub fn percent(&self) -> Option<f64> {
        (self.before != 0.0).then(|| 100.0 * (self.now - self.before) / self.before.abs())
    }
}

/// Whether all recordings are of times of the same length, as their source was asked for. Their totals then
/// tell how busy the hosts were, not how long the program took.
fn have_one_duration(before: &[&Snapshot], now: &Snapshot) -> bool {
    let duration = |snapshot: &Snapshot| {
        let [start, end] = snapshot.loaded.fleet.as_deref()?.range_ms?;
        Some(end - start)
    };
    duration(now).is_some() && before.iter().all(|run| duration(run) == duration(now))
}

impl Comparison {
    /// The comparison of the costs of `now` with the mean of those of `before`, which have the same
    /// metric.
    pub fn new(before: &[&Snapshot], now: &Snapshot, compare: Compare) -> Self {
        let by = match compare {
            Compare::Absolute if !have_one_duration(before, now) => By::Weight,
            Compare::Absolute | Compare::Share => By::Share,
        };
        let compared = before.iter().copied().chain([now]).map(|side| side.sampling().costs);
        let bound = bound(compared.max().unwrap_or(1));
        let seconds_per_unit = now.costs.metric.seconds_per_unit;
        let unit = before.first().map_or(1.0, |newest| unit_of(newest, seconds_per_unit));
        let [before, now] = [before, &[now]].map(|side| Side::of(side, seconds_per_unit));
        Self { by, before, now, bound, seconds_per_unit, unit, is_common: false }
    }

    /// The same comparison by something else.
    pub(super) fn with(self, by: By) -> Self {
        Self { by, ..self }
    }

    /// The same comparison if all functions changed by one factor, as the total did.
    pub(super) fn of_common_factor(self) -> Self {
        Self { is_common: true, ..self }
    }

    /// By which factor all functions took longer, if that is all that changed.
    pub fn common_factor(&self) -> Option<f64> {
        (self.is_common && self.before.total != 0.0).then(|| self.now.total / self.before.total)
    }

    /// A comparison of exact costs with these totals.
    #[cfg(test)]
    pub(crate) fn exact(by: By, before: f64, now: f64) -> Self {
        let side = |total| Side { total, base: total, sample: None, runs: Runs::default() };
        Self {
            by,
            before: side(before),
            now: side(now),
            bound: 0.0,
            seconds_per_unit: None,
            unit: 1.0,
            is_common: false,
        }
    }

    /// [`analysis::Costs::base`] of the baseline, in the unit of the profile shown.
    pub fn base_before(&self) -> f64 {
        self.before.base
    }

    /// Whether one of the sides is of several runs, whose spread is noise.
    pub fn has_spread(&self) -> bool {
        self.before.runs.n > 1 || self.now.runs.n > 1
    }

    /// The bound of noise in standard deviations. `None` if costs are exact, or their noise is not
    /// known.
    pub fn bound(&self) -> Option<f64> {
        self.samples().map(|_| self.bound)
    }

    /// The weight of a sample of both sides.
    fn samples(&self) -> Option<(f64, f64)> {
        self.before.sample.zip(self.now.sample)
    }

    /// How many units of the metric shown a unit of a run is.
    pub fn unit_of_run(&self, run: &Snapshot) -> f64 {
        unit_of(run, self.seconds_per_unit)
    }

    /// How much the costs of a run are scaled before the mean of several runs is computed. `base` is
    /// [`analysis::Costs::base`] of the run, in the unit of the profile shown, as its costs are.
    pub fn scale_of_run(&self, base: f64) -> f64 {
        if self.by == By::Weight || base == 0.0 { 1.0 } else { self.before.base / base }
    }

    /// How much costs of the baseline are scaled before they are compared.
    pub fn scale(&self) -> f64 {
        match self.by {
            By::Weight => 1.0,
            By::Share if self.before.base != 0.0 => self.now.base / self.before.base,
            By::Share => 0.0,
        }
    }

    /// How a cost changed.
    #[cfg(test)]
    pub fn change(&self, before: f64, now: f64) -> Change {
        self.change_of_spread([before, now], [None; 2])
    }

    /// How a cost changed. `before` is the mean of `runs`, `now` has this spread, if it is known.
    pub fn change_of(&self, before: f64, runs: Runs, now: f64, spread_now: Option<f64>) -> Change {
        self.change_of_means(before, runs, now, Runs { deviation: spread_now, ..self.now.runs })
    }

    /// The runs of a cost that one snapshot of the baseline has, with this spread.
    pub fn runs_before(&self, spread: Option<f64>) -> Runs {
        match self.before.runs.snapshots {
            1 => Runs { deviation: spread, ..self.before.runs },
            _ => Runs::default(),
        }
    }

    /// How a cost changed, with the sample standard deviations of the runs whose mean is shown on
    /// each side, as far as they are known. The baseline's are as recorded.
    pub fn change_of_spread(
        &self,
        [before, now]: [f64; 2],
        [spread_before, spread_now]: [Option<f64>; 2],
    ) -> Change {
        let runs = self.runs_before(spread_before.map(|spread| spread * self.unit));
        self.change_of(before * self.unit, runs, now, spread_now)
    }

    fn change_of_means(&self, before: f64, runs: Runs, now: f64, runs_now: Runs) -> Change {
        let scale = self.scale();
        let scaled = before * scale;
        let change = rounded(now - scaled, now.abs().max(scaled.abs()));
        let sampled =
            self.samples().map(|samples| self.sampling_noise(before, runs.snapshots, now, samples));
        let scaled_runs = Runs { deviation: runs.deviation.map(|of| of * scale), ..runs };
        let [sample_before, sample_now] =
            self.samples().map_or([None; 2], |(was, is)| [Some(was), Some(is)]);
        let was = scaled_runs.spread(scaled, sample_before.map(|sample| sample * scale));
        let spread = noise::of_spread(self.bound, [was, runs_now.spread(now, sample_now)]);
        let common = self.is_common.then(|| change.abs());
        let noise = [sampled, spread, common].into_iter().flatten().reduce(f64::max);
        Change { before, now, change, noise }
    }

    /// The noise of a change that sampling explains. `before` is the mean of `n_runs` runs.
    fn sampling_noise(
        &self,
        before: f64,
        n_runs: u32,
        now: f64,
        (sample_before, sample_now): (f64, f64),
    ) -> f64 {
        let (base, n_runs) = (self.now.base, f64::from(n_runs));
        let variance = if self.by == By::Weight {
            let (before, now, sample_before) = (before.abs(), now.abs(), sample_before / n_runs);
            let of_both = sample_before * before + sample_now * now;
            // If nothing changed, the cost is that of the samples of both sides, which is the sum
            // of the costs, each times the weight of a sample of the other side, by the sum of the
            // two weights. This times the sum of the weights is the variance.
            let if_unchanged = sample_now * before + sample_before * now;
            of_both.max(if_unchanged)
        } else if base == 0.0 {
            0.0
        } else {
            // Both sides estimate the same share: that of the samples of both.
            let n = base / sample_now;
            let n_before = n_runs * self.before.base / sample_before;
            let of = now.abs() / sample_now;
            let of_before = n_runs * before.abs() / sample_before;
            let share = ((of + of_before) / (n + n_before)).clamp(0.0, 1.0);
            base * base * share * (1.0 - share) * (1.0 / n + 1.0 / n_before)
        };
        self.bound * variance.sqrt()
    }

    /// A change as a share of the baseline's total. If shares are compared, it is the difference of
    /// the shares.
    pub fn share(&self, change: Change) -> f64 {
        let of = if self.by == By::Weight { self.before.base } else { self.now.base };
        if of == 0.0 { 0.0 } else { change.change / of }
    }

    /// The smallest change of the total that is more than noise, in percent of the baseline's, with the
    /// number of samples of each side and the bound in standard deviations. `None` if costs are exact, or
    /// their noise is not known.
    pub(super) fn visible(&self) -> Option<(f64, [f64; 2], f64)> {
        let (sample_before, sample_now) = self.samples()?;
        let (total, absolute) = (self.before.total, self.of_total());
        if total == 0.0 {
            return None;
        }
        let unchanged = absolute.change_of_means(total, self.before.runs, total, self.now.runs);
        let n_before = f64::from(self.before.runs.n) * total / sample_before;
        let n_now = f64::from(self.now.runs.n) * self.now.total / sample_now;
        Some((100.0 * unchanged.noise? / total, [n_before, n_now], absolute.bound))
    }

    /// How the total changed. It is always compared absolutely.
    pub fn total(&self) -> Change {
        let (before, now) = (self.before.total, self.now.total);
        self.of_total().change_of_means(before, self.before.runs, now, self.now.runs)
    }

    /// The comparison of the totals alone.
    fn of_total(&self) -> Self {
        Self { by: By::Weight, bound: bound(1), is_common: false, ..*self }
    }
}

/// Whether costs are counts of samples that say nothing about how long a program ran.
pub fn counts_without_time(metric: &Metric) -> bool {
    metric.counts_samples() && metric.seconds_per_unit.is_none()
}

/// `change`, or 0 if it is an error of rounding a number of this magnitude.
fn rounded(change: f64, magnitude: f64) -> f64 {
    if change.abs() <= magnitude * 1e-12 { 0.0 } else { change }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(by: By, before: (f64, f64), now: (f64, f64)) -> Comparison {
        let side = |(base, sample)| Side {
            total: base,
            base,
            sample: Some(sample),
            runs: Runs::default(),
        };
        Comparison {
            by,
            before: side(before),
            now: side(now),
            bound: 2.0,
            seconds_per_unit: None,
            unit: 1.0,
            is_common: false,
        }
    }

    #[test]
    fn weights_are_compared_absolutely() {
        // Samples of 10: 25 of 100 before, 64 of 200 now.
        let by = comparison(By::Weight, (1000.0, 10.0), (2000.0, 10.0));
        let change = by.change(250.0, 640.0);
        // 2 · √(10 · 250 + 10 · 640).
        assert_eq!((change.change, change.noise), (390.0, Some(2.0 * 8900.0_f64.sqrt())));
        assert!(change.is_real() && !change.is_noise());
        assert!(by.change(250.0, 300.0).is_noise());
        let same = by.change(250.0, 250.0);
        assert!(!same.is_noise() && !same.is_real());
        assert_eq!((same.percent(), by.change(0.0, 5.0).percent()), (Some(0.0), None));
    }

    #[test]
    fn no_sample_of_a_long_interval_is_no_proof_that_there_is_no_cost() {
        // An expected sample of 20 was not taken: 20 samples of 1 are no proof of a change.
        let by = comparison(By::Weight, (1000.0, 20.0), (1000.0, 1.0));
        // 2 · √(20 · 20), not 2 · √(1 · 20).
        assert_eq!(by.change(0.0, 20.0).noise, Some(40.0));
        assert_eq!(by.change(20.0, 0.0).noise, Some(40.0));
        let other_way = comparison(By::Weight, (1000.0, 1.0), (1000.0, 20.0));
        assert_eq!(other_way.change(20.0, 0.0).noise, Some(40.0));
        // 30 samples of 1 in one of 10 runs, and none now: the mean of the runs is 3. If they are
        // unchanged, 30 of 11 runs are 2.7 in each: 2 · √(2.7 · (1 + 1/10)) = 2 · √3.
        let by = comparison(By::Weight, (100.0, 1.0), (100.0, 1.0));
        let runs = Runs { n: 10, deviation: None, snapshots: 10 };
        let noise = by.change_of(3.0, runs, 0.0, None).noise.unwrap();
        assert!((noise - 2.0 * 3.0_f64.sqrt()).abs() < 1e-9, "{noise}");
    }

    #[test]
    fn the_spread_of_several_runs_is_noise() {
        // 90, 100 and 110: the variance is (100 + 0 + 100) / 2.
        let (mean, runs) = Runs::mean([90.0, 100.0, 110.0].into_iter());
        assert_eq!((mean, runs), (100.0, Runs { n: 3, deviation: Some(10.0), snapshots: 3 }));
        let by = comparison(By::Weight, (1000.0, 1.0), (2000.0, 1.0));
        let close = |noise: Option<f64>, expected: f64| {
            assert!((noise.unwrap() - expected).abs() < 1e-9, "{noise:?}, not {expected}");
        };
        // They are spread no more than by sampling: the noise of 3 · 100 samples before and 200 now.
        let sampled = 2.0 * (100.0_f64 / 3.0 + 200.0).sqrt();
        let change = by.change_of(100.0, runs, 200.0, None);
        assert_eq!(change.change, 100.0);
        close(change.noise, sampled);
        assert!(change.is_real() && by.change_of(100.0, runs, 120.0, None).is_noise());
        let (mean, equal) = Runs::mean([100.0; 3].into_iter());
        close(by.change_of(mean, equal, 200.0, None).noise, sampled);
        // By more: 2 · 900 / 100 is beyond the 9.2 of 1% of a χ² with 2 degrees of freedom.
        let wide = Runs { deviation: Some(30.0), ..runs };
        let spread = 4.604 * 30.0 * (1.0 + 1.0 / 3.0_f64).sqrt();
        close(by.change_of(100.0, wide, 200.0, None).noise, spread);
        // Exact costs have the noise of the runs only.
        let exact = Comparison { before: Side { sample: None, ..by.before }, ..by };
        close(exact.change_of(100.0, wide, 200.0, None).noise, spread);
        assert_eq!(exact.change_of(mean, equal, 101.0, None).noise, Some(0.0));
        assert!(exact.change_of(mean, equal, 101.0, None).is_real());
        // Shares of a profile of twice the weight.
        let by = Comparison { by: By::Share, ..exact };
        let change = by.change_of(100.0, wide, 300.0, None);
        assert_eq!(change.change, 100.0);
        close(change.noise, 4.604 * (3600.0 / 3.0 + 3600.0_f64).sqrt());
        let by = comparison(By::Share, (1000.0, 1.0), (2000.0, 1.0));
        assert_eq!((by.scale_of_run(500.0), by.scale_of_run(0.0)), (2.0, 1.0));
    }

    #[test]
    fn shares_have_the_noise_of_a_binomial_distribution() {
        {
            let by = comparison(By::Share, (100.0, 1.0), (300.0, 1.0));
            // 20% of 100 and 60% of 300 samples: 50% of all. 300 · √(0.25 · (1/300 + 1/100)).
            let change = by.change(20.0, 180.0);
            assert_eq!((change.before, change.change), (20.0, 120.0));
            assert!((change.noise.unwrap() - 2.0 * 300.0 * (1.0_f64 / 300.0).sqrt()).abs() < 1e-9);
            // All samples on both sides: no doubt, and no change.
            assert_eq!(by.change(100.0, 300.0).noise, Some(0.0));
            assert_eq!(by.change(100.0, 300.0).change, 0.0);
        }
    }

    #[test]
    fn exact_costs_have_no_noise() {
        let mut by = comparison(By::Weight, (1000.0, 1.0), (1001.0, 1.0));
        by.now.sample = None;
        let change = by.change(500.0, 501.0);
        assert_eq!((change.change, change.noise, change.is_real()), (1.0, None, true));
        assert_eq!(by.bound(), None);
    }

    #[test]
    fn errors_of_rounding_are_no_change() {
        let by = comparison(By::Share, (3.0, 1.0), (1.0, 1.0));
        assert_eq!(by.change(0.3, 0.1).change, 0.0);
    }
}
