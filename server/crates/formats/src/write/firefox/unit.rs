//! The unit of weights and times.

use profile::{Metric, Profile};

/// The metric that is written.
pub(super) fn metric(profile: &Profile) -> Option<&Metric> {
    profile.metrics().get(profile.default_metric().index())
}

/// How weights are written.
pub(super) struct Unit {
    pub(super) weight_type: &'static str,
    /// Weights are multiplied by the first and divided by the second. One of them is 1, so that the
    /// result is rounded only once.
    factors: (f64, f64),
    /// Milliseconds per sample. `None` if it is unknown, or if weights are no samples.
    interval: Option<f64>,
    pub(super) clock: &'static str,
    pub(super) is_kept: bool,
}

impl Unit {
    pub(super) fn of(profile: &Profile) -> Self {
        let counts = Self {
            weight_type: "samples",
            factors: (1.0, 1.0),
            interval: None,
            clock: "ms",
            is_kept: true,
        };
        let Some(metric) = metric(profile) else { return counts };
        match (metric.unit.as_str(), metric.seconds_per_unit) {
            ("samples" | "sample", seconds) => {
                Self { interval: seconds.map(|seconds| rounded(seconds * 1e3)), ..counts }
            }
            ("hits" | "count", _) => counts,
            ("bytes" | "byte", _) => Self { weight_type: "bytes", clock: "bytes", ..counts },
            (_, Some(seconds)) if seconds >= 1e-3 => Self {
                weight_type: "tracing-ms",
                factors: ((seconds * 1e3).round(), 1.0),
                ..counts
            },
            (_, Some(seconds)) => Self {
                weight_type: "tracing-ms",
                factors: (1.0, (1e-3 / seconds).round()),
                ..counts
            },
            (_, None) => Self { is_kept: false, ..counts },
        }
    }

    pub(super) fn weight(&self, weight: f64) -> f64 {
        weight * self.factors.0 / self.factors.1
    }

    /// How much a weight of 1 in the file advances time, in the unit of `sampleUnits.time`.
    pub(super) fn step(&self) -> f64 {
        self.interval.unwrap_or(1.0)
    }

    /// Whether weights are counts of something that has no known length.
    pub(super) fn has_unknown_interval(&self) -> bool {
        self.weight_type == "samples" && self.interval.is_none()
    }

    /// The time between a sample of this weight and the next one.
    pub(super) fn time(&self, weight: f64) -> f64 {
        if weight > 0.0 { weight * self.step() } else { 0.0 }
    }
}

/// Milliseconds without the rounding error of a conversion to seconds and back.
fn rounded(ms: f64) -> f64 {
    (ms * 1e9).round() / 1e9
}
