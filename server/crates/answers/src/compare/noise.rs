//! How much of a change may be noise: quantiles, and what the spread of several runs says.
//!
//! Sampling alone gives the variance of a cost that was recorded once ([`super::comparison`]). Runs of
//! an unchanged program differ by more than that: the machine is busy, memory is laid out differently.
//! The spread of a few runs estimates the variance of one badly, and the quantiles of Student's
//! *t*-distribution that make up for it are so great that two runs would hide what one shows. So a few
//! runs count together with what sampling explains, as if that were known from four more runs (Smyth,
//! "Linear models and empirical Bayes methods", 2004: a moderated variance). If runs are spread by
//! more than sampling explains (a χ² test at 1%), and if costs are exact, the spread counts alone, with
//! the quantile of Student's distribution, with Welch's degrees of freedom and at least four of them.
//!
//! `tests::power` simulates what follows from this.

/// The probability that at least one unchanged cost exceeds its bound.
const ALPHA: f64 = 0.01;
/// How many runs what sampling explains counts as.
const PRIOR_RUNS: f64 = 4.0;
/// The least number of degrees of freedom. With less, hardly any change would be real.
const MIN_FREEDOM: f64 = 4.0;

/// The costs of the runs of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// The number of runs, at least 1.
    pub n: u32,
    /// The sample variance. `None` for one run.
    pub variance: Option<f64>,
    /// The variance of one run that sampling explains. `None` if costs are exact, or it is not known.
    pub sampled: Option<f64>,
}

impl Spread {
    fn runs(self) -> f64 {
        f64::from(self.n)
    }

    /// Degrees of freedom.
    fn freedom(self) -> f64 {
        self.runs() - 1.0
    }

    /// The variance of one run by what sampling explains and by the spread; never less than the former.
    fn moderated(self, variance: f64) -> f64 {
        let Some(sampled) = self.sampled else { return variance };
        let sum = PRIOR_RUNS * sampled + self.freedom() * variance;
        (sum / (PRIOR_RUNS + self.freedom())).max(sampled)
    }
}

/// The greatest difference of the means of two sides that their spread explains. `bound` is that of
/// the changes that are compared together, in standard deviations. `None` if neither spread is known.
pub(super) fn of_spread(bound: f64, [before, now]: [Spread; 2]) -> Option<f64> {
    // A side without a spread is taken to vary as much as the other one.
    let variances = match (before.variance, now.variance) {
        (None, None) => return None,
        (Some(one), None) | (None, Some(one)) => [one; 2],
        (Some(before), Some(now)) => [before, now],
    };
    let [was, is] = variances;
    let moderated = match (before.variance, now.variance) {
        (Some(_), None) => [before.moderated(was), before.moderated(was)],
        (None, Some(_)) => [now.moderated(is), now.moderated(is)],
        _ => [before.moderated(was), now.moderated(is)],
    };
    let deviation = |[was, is]: [f64; 2]| (was / before.runs() + is / now.runs()).sqrt();
    let known = [before, now].into_iter().filter(|side| side.variance.is_some());
    let noise = if before.sampled.is_some() { bound * deviation(moderated) } else { 0.0 };
    if !exceeds_sampling(known.clone()) {
        return Some(noise);
    }
    let freedom = match known.clone().count() {
        1 => known.map(Spread::freedom).sum(),
        _ => welch([was / before.runs(), is / now.runs()], [before, now].map(Spread::freedom)),
    };
    Some(noise.max(bound.max(student(freedom.max(MIN_FREEDOM))) * deviation(variances)))
}

/// Whether runs are spread by more than sampling explains; always if costs are exact.
fn exceeds_sampling(sides: impl Iterator<Item = Spread>) -> bool {
    let (mut statistic, mut freedom) = (0.0, 0.0);
    for side in sides {
        let (Some(variance), Some(sampled)) = (side.variance, side.sampled) else { return true };
        if variance > 0.0 && sampled > 0.0 {
            statistic += side.freedom() * variance / sampled;
        }
        freedom += side.freedom();
    }
    statistic > chi_squared(freedom)
}

/// The degrees of freedom of a sum of variances (Welch and Satterthwaite).
fn welch(variances: [f64; 2], freedoms: [f64; 2]) -> f64 {
    let sum: f64 = variances.iter().sum();
    let parts =
        variances.iter().zip(freedoms).map(|(variance, freedom)| variance.powi(2) / freedom);
    let parts: f64 = parts.sum();
    if parts > 0.0 { sum * sum / parts } else { freedoms.iter().sum() }
}

/// The bound that none of `n` costs exceeds with a probability of 1 - [`ALPHA`], in standard
/// deviations. Šidák: each of them has the probability 1 - (1 - α)^(1/n).
pub(super) fn bound(n: usize) -> f64 {
    let each = -(f64::ln_1p(-ALPHA) / n.max(1) as f64).exp_m1();
    upper_quantile(each / 2.0)
}

/// The value that a variable with Student's t-distribution exceeds with a probability of
/// [`ALPHA`], in both directions, by degrees of freedom from 4 on.
fn student(freedom: f64) -> f64 {
    const TABLE: [f64; 16] = [
        4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
        2.898, 2.878, 2.861,
    ];
    let rows = TABLE.iter().zip(4_u32..);
    let row = rows.take_while(|&(_, of)| f64::from(of) <= freedom).last();
    row.map_or(TABLE[0], |(quantile, _)| *quantile)
}

/// The value that a variable with a χ²-distribution exceeds with a probability of [`ALPHA`] (Wilson and
/// Hilferty; the error is below 3% for one degree of freedom, and falls with more).
fn chi_squared(freedom: f64) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + 2.326 * part.sqrt()).powi(3)
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

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a}, not {b}");
    }

    fn exact(n: u32, variance: Option<f64>) -> Spread {
        Spread { n, variance, sampled: None }
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        let near = |found: f64, expected: f64, by: f64| {
            assert!((found - expected).abs() < by, "{found}, not {expected}");
        };
        // 1% and 0.1% of both sides are beyond these.
        for (n, expected) in [(1, 2.576), (10, 3.289), (1000, 4.416)] {
            near(bound(n), expected, 0.005);
        }
        for (freedom, expected) in [(1.0, 6.635), (4.0, 13.277), (9.0, 21.666)] {
            near(chi_squared(freedom), expected, 0.03 * expected);
        }
        for (freedom, expected) in [(4.0, 4.604), (4.9, 4.604), (9.0, 3.25), (99.0, 2.861)] {
            near(student(freedom), expected, 0.0005);
        }
    }

    #[test]
    fn the_spread_of_exact_costs_is_noise() {
        assert_eq!(of_spread(2.0, [exact(1, None); 2]), None);
        // Two runs before, one now: a variance of 100 · (1/2 + 1), and at least four degrees of freedom.
        let one = of_spread(2.0, [exact(2, Some(100.0)), exact(1, None)]);
        close(one.unwrap(), 4.604 * 150.0_f64.sqrt());
        // The same the other way.
        assert_eq!(of_spread(2.0, [exact(1, None), exact(2, Some(100.0))]), one);
        // Ten runs and ten: Welch has (10 + 40)² / (10² / 9 + 40² / 9) = 13.2 degrees of freedom.
        let both = of_spread(2.0, [exact(10, Some(100.0)), exact(10, Some(400.0))]);
        close(both.unwrap(), 3.012 * 50.0_f64.sqrt());
        // The bound of many costs.
        let many = of_spread(9.0, [exact(10, Some(100.0)), exact(10, Some(400.0))]);
        close(many.unwrap(), 9.0 * 50.0_f64.sqrt());
        assert_eq!(of_spread(2.0, [exact(3, Some(0.0)), exact(1, None)]), Some(0.0));
    }

    #[test]
    fn a_few_runs_count_together_with_what_sampling_explains() {
        let sampled = |n, variance| Spread { n, variance, sampled: Some(100.0) };
        // (4 · 100 + 1 · 200) / 5 = 120, for two runs before and one now.
        let noise = of_spread(2.0, [sampled(2, Some(200.0)), sampled(1, None)]);
        close(noise.unwrap(), 2.0 * (120.0_f64 * 1.5).sqrt());
        // It is never less than what sampling explains.
        let noise = of_spread(2.0, [sampled(2, Some(1.0)), sampled(1, None)]);
        close(noise.unwrap(), 2.0 * 150.0_f64.sqrt());
        // Four degrees of freedom and 4 · 400 / 100 = 16 are beyond the 13.3 of 1%: the runs vary by
        // themselves.
        let noise = of_spread(2.0, [sampled(5, Some(400.0)), sampled(1, None)]);
        close(noise.unwrap(), 4.604 * (400.0_f64 * 1.2).sqrt());
    }

    /// What runs of a program show, simulated.
    mod power {
        use super::*;
        use proptest::prelude::Rng as _;
        use proptest::test_runner::{RngAlgorithm, TestRng};
        use std::fmt::Write as _;

        /// How often each case is simulated. `cargo xtask long simulation` asks for more.
        fn n_trials() -> u32 {
            let wanted = std::env::var("COSTLINE_TRIALS").ok();
            wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(2000)
        }

        const RUNS: [u32; 5] = [1, 2, 3, 5, 10];

        /// A normal variable, as the sum of twelve uniform ones.
        fn normal(rng: &mut TestRng, mean: f64, variance: f64) -> f64 {
            let sum: f64 = (0..12).map(|_| f64::from(rng.next_u32()) / f64::from(u32::MAX)).sum();
            mean + (sum - 6.0) * variance.sqrt()
        }

        /// The percentage of comparisons that find a change, of `n` runs of a cost of `mean` samples, with
        /// one of `factor` times as many. Besides sampling, each run varies by `machine` of its cost.
        fn found(rng: &mut TestRng, n: u32, mean: f64, factor: f64, machine: f64) -> f64 {
            let mut run = |mean: f64| normal(rng, mean, mean + (machine * mean).powi(2));
            let mut n_found = 0_u32;
            for _ in 0..n_trials() {
                let runs: Vec<f64> = (0..n).map(|_| run(mean)).collect();
                let now = run(mean * factor);
                let before = runs.iter().sum::<f64>() / f64::from(n);
                let squares = runs.iter().map(|it| (it - before).powi(2)).sum::<f64>();
                let variance = (n > 1).then(|| squares / f64::from(n - 1));
                let was = Spread { n, variance, sampled: Some(before) };
                let is = Spread { n: 1, variance: None, sampled: Some(now) };
                let sampling = bound(1) * (before / f64::from(n) + now).sqrt();
                let noise = of_spread(bound(1), [was, is]).map_or(sampling, |it| it.max(sampling));
                n_found += u32::from((now - before).abs() > noise);
            }
            100.0 * f64::from(n_found) / f64::from(n_trials())
        }

        #[test]
        fn more_runs_show_more_and_raise_no_more_false_alarms() {
            let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            let mut table = String::new();
            for machine in [0.0, 0.01, 0.03] {
                for factor in [1.0, 1.03, 1.05, 1.1] {
                    let row = RUNS.map(|n| found(&mut rng, n, 10_000.0, factor, machine));
                    writeln!(table, "{machine:>5} {factor:>5} {row:6.1?}").unwrap();
                    let pairs = row.windows(2);
                    if factor == 1.0 {
                        // Sampling alone raises one in a hundred; a machine that varies by as much again
                        // or more raises fewer with each run.
                        assert!(machine > 0.0 || row.iter().all(|&it| it <= 1.5), "{table}");
                        assert!(pairs.clone().all(|it| it[1] <= it[0] + 0.5), "{table}");
                    } else if machine == 0.0 {
                        assert!(pairs.clone().all(|it| it[1] >= it[0] - 1.5), "{table}");
                    }
                }
            }
            println!("machine factor found with {RUNS:?} runs, %\n{table}");
        }
    }
}
