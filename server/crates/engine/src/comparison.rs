//! How costs are compared with those of a baseline: absolutely or by share, and how much of a change
//! may be noise.
//!
//! Times, bytes and exact counts are compared absolutely, as `pprof -diff_base` does. Counts of
//! samples without a sampling interval say nothing about how long a program ran, so they are scaled
//! to the total of the profile shown, which compares shares.
//!
//! The noise of a sampled cost follows a Poisson distribution: the variance of a sum of weights is
//! the sum times the weight of a sample ([`analysis::SampleWeights::mean`]). The variance of a share
//! is that of a binomial distribution. A change is noise if it is within the bound that no cost
//! exceeds with a probability of 99 % if nothing changed (Šidák's correction for the number of costs
//! that are compared).

use crate::sampling::counts_samples;
use crate::settings::Compare;
use crate::snapshot::Snapshot;
use analysis::Metric;

/// The probability that at least one unchanged cost exceeds its bound.
const ALPHA: f64 = 0.01;

/// How costs of two snapshots are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub by: By,
    before: Side,
    now: Side,
    /// The bound of noise, in standard deviations.
    bound: f64,
}

/// What of two costs is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The weights.
    Weight,
    /// The weights, after those of the baseline were scaled to the total of the profile shown.
    Scaled,
    /// The shares of the total.
    Share,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Side {
    total: f64,
    base: f64,
    sample: Option<f64>,
}

impl Side {
    fn of(snapshot: &Snapshot) -> Self {
        let costs = &snapshot.costs;
        Self { total: costs.total, base: costs.base, sample: snapshot.sampling().weight }
    }
}

/// How a cost changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The cost in the baseline, as recorded.
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

impl Comparison {
    /// The comparison of the costs of `now` with those of `before`, which have the same metric.
    pub fn new(before: &Snapshot, now: &Snapshot, compare: Compare) -> Self {
        let Metric { unit, seconds_per_unit, .. } = &now.costs.metric;
        let by = match compare {
            Compare::Share => By::Share,
            Compare::Absolute if counts_samples(unit) && seconds_per_unit.is_none() => By::Scaled,
            Compare::Absolute => By::Weight,
        };
        let compared = before.sampling().costs.max(now.sampling().costs);
        Self { by, before: Side::of(before), now: Side::of(now), bound: bound(compared) }
    }

    /// A comparison of exact costs with these totals.
    #[cfg(test)]
    pub(crate) fn exact(by: By, before: f64, now: f64) -> Self {
        let side = |total| Side { total, base: total, sample: None };
        Self { by, before: side(before), now: side(now), bound: 0.0 }
    }

    /// [`analysis::Costs::base`] of the baseline.
    pub fn base_before(&self) -> f64 {
        self.before.base
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

    /// How a cost changed.
    pub fn change(&self, before: f64, now: f64) -> Change {
        let Side { base, .. } = self.now;
        let scale = match self.by {
            By::Weight => 1.0,
            By::Scaled | By::Share if self.before.base != 0.0 => base / self.before.base,
            By::Scaled | By::Share => 0.0,
        };
        let scaled = before * scale;
        let change = rounded(now - scaled, now.abs().max(scaled.abs()));
        let noise = self.samples().map(|(sample_before, sample_now)| {
            let variance = if self.by == By::Weight {
                sample_before * before.abs() + sample_now * now.abs()
            } else if base == 0.0 {
                0.0
            } else {
                // Both sides estimate the same share: that of the samples of both.
                let (n, n_before) = (base / sample_now, self.before.base / sample_before);
                let (of, of_before) = (now.abs() / sample_now, before.abs() / sample_before);
                let share = ((of + of_before) / (n + n_before)).clamp(0.0, 1.0);
                base * base * share * (1.0 - share) * (1.0 / n + 1.0 / n_before)
            };
            self.bound * variance.sqrt()
        });
        Change { before, now, change, noise }
    }

    /// A change as a share of the baseline's total. If shares are compared, it is the difference of
    /// the shares.
    pub fn share(&self, change: Change) -> f64 {
        let of = if self.by == By::Weight { self.before.base } else { self.now.base };
        if of == 0.0 { 0.0 } else { change.change / of }
    }

    /// How the total changed. It is always compared absolutely.
    pub fn total(&self) -> Change {
        let (before, now) = (self.before.total, self.now.total);
        let absolute = Self { by: By::Weight, bound: bound(1), ..*self };
        absolute.change(before, now)
    }
}

/// `change`, or 0 if it is an error of rounding a number of this magnitude.
fn rounded(change: f64, magnitude: f64) -> f64 {
    if change.abs() <= magnitude * 1e-12 { 0.0 } else { change }
}

/// The bound that none of `n` costs exceeds with a probability of 1 - [`ALPHA`], in standard
/// deviations. Šidák: each of them has the probability 1 - (1 - α)^(1/n).
fn bound(n: usize) -> f64 {
    let each = -(f64::ln_1p(-ALPHA) / n.max(1) as f64).exp_m1();
    upper_quantile(each / 2.0)
}

/// The value that a standard normal variable exceeds with probability `p`, from 0 to 0.5.
///
/// Abramowitz and Stegun, formula 26.2.23; the error is below 4.5e-4.
fn upper_quantile(p: f64) -> f64 {
    let t = (-2.0 * p.max(f64::MIN_POSITIVE).ln()).sqrt();
    let numerator = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let denominator = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - numerator / denominator
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(by: By, before: (f64, f64), now: (f64, f64)) -> Comparison {
        let side = |(base, sample)| Side { total: base, base, sample: Some(sample) };
        Comparison { by, before: side(before), now: side(now), bound: 2.0 }
    }

    #[test]
    fn bounds_grow_with_the_number_of_costs() {
        // From a table of the normal distribution: 1 % and 0.1 % of both sides are beyond these.
        let near = |n, expected: f64| assert!((bound(n) - expected).abs() < 0.005, "{}", bound(n));
        near(1, 2.576);
        near(10, 3.289);
        near(1000, 4.416);
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
    fn shares_have_the_noise_of_a_binomial_distribution() {
        for by in [By::Scaled, By::Share] {
            let by = comparison(by, (100.0, 1.0), (300.0, 1.0));
            // 20 % of 100 and 60 % of 300 samples: 50 % of all. 300 · √(0.25 · (1/300 + 1/100)).
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
        let by = comparison(By::Scaled, (3.0, 1.0), (1.0, 1.0));
        assert_eq!(by.change(0.3, 0.1).change, 0.0);
    }
}
