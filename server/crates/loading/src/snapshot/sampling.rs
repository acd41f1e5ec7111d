//! How the costs of a profile were sampled, which decides how noisy they are.

use crate::load::stages::grouped::Grouped;
use analysis::{Costs, Metric, SampleWeights, sample_weights};
use formats::Format;

/// What the noise of costs depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// The weight of one sample. `None` if costs are exact, or it is not known which costs are
    /// samples.
    pub weight: Option<f64>,
    /// The number of self costs and totals of functions and lines.
    pub costs: usize,
}

impl Sampling {
    /// The sampling of a recording under a view. `samples` counts its samples.
    pub fn new(
        format: Format,
        grouped: &Grouped,
        costs: &Costs,
        samples: impl FnOnce() -> Option<f64>,
    ) -> Self {
        let n = costs.functions().count() + costs.lines().len();
        Self { weight: weight(format, grouped, costs, samples), costs: 2 * n }
    }
}

/// The weight of one sample in the metric shown.
fn weight(
    format: Format,
    grouped: &Grouped,
    costs: &Costs,
    samples: impl FnOnce() -> Option<f64>,
) -> Option<f64> {
    let metric @ Metric { unit, seconds_per_unit, .. } = &costs.metric;
    // The weights of runs whose mean is shown are divided by their number.
    let runs = f64::from(grouped.runs);
    // Mercury's deep profiler counts ticks of a timer.
    if metric.counts_samples() || unit == "ticks" {
        return Some(1.0 / runs);
    }
    let (recording, is_time) = (&grouped.recording, seconds_per_unit.is_some());
    if is_time && recording.metrics().iter().any(Metric::counts_samples) {
        // Hits of V8 are in no time range.
        let counted = samples().filter(|samples| *samples > 0.0);
        return match counted {
            Some(samples) => Some(costs.base / samples / runs),
            None => sample_weights(recording, &grouped.view).map(|weights| weights.mean),
        };
    }
    let SampleWeights { mean, uniform, repeated } = sample_weights(recording, &grouped.view)?;
    let is_sampled = match format {
        // One row per sample. Bytes are weights of allocations.
        Format::FirefoxProcessed | Format::FirefoxSlabs | Format::Gecko => unit != "bytes",
        Format::PerfData | Format::PerfScript | Format::Simpleperf => true,
        // Converters write one row per stack, with the sum of its samples.
        Format::Speedscope => is_time && uniform && repeated,
        _ => false,
    };
    is_sampled.then_some(mean)
}
