//! Metrics: what the weights of samples count.

/// How much a metric says about lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKnowledge {
    /// Every frame may have a line: self and total per line are exact.
    SelfAndTotal,
    /// Only leaf frames have executing lines (V8 `positionTicks`): self is exact, the total of a
    /// line is unknown.
    SelfOnly,
    /// As [`Self::SelfOnly`], but what a function costs itself was divided among its lines by what
    /// another metric counted there: self is an estimate.
    SelfEstimated,
    /// No executing lines at all.
    Nothing,
}

impl LineKnowledge {
    /// Whether lines have a self cost and no total.
    pub fn is_self_alone(self) -> bool {
        matches!(self, Self::SelfOnly | Self::SelfEstimated)
    }
}

/// One thing that samples weigh, under the name of its field (`samples`, `hits`, `time`, `bytes`,
/// `Ir` …).
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name, as the profiler has it.
    pub name: String,
    /// The unit of one weight: `samples`, `hits`, `ms`, `us`, `ns`, `bytes` …
    pub unit: String,
    /// How many seconds one unit stands for, where the file says so: by its unit or by a sampling
    /// interval.
    pub seconds_per_unit: Option<f64>,
    /// What is known of lines.
    pub lines: LineKnowledge,
}

impl Metric {
    /// A metric whose lines are fully known. `interval_seconds` is the sampling interval that the
    /// file states, if any; it makes seconds out of a unit that only counts samples.
    pub fn new(name: &str, unit: &str, interval_seconds: Option<f64>) -> Self {
        let counts_samples = matches!(unit, "samples" | "sample");
        let seconds_per_unit =
            seconds_per(unit).or(interval_seconds.filter(|s| counts_samples && *s > 0.0));
        Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            seconds_per_unit,
            lines: LineKnowledge::SelfAndTotal,
        }
    }

    /// The same metric with less known about lines.
    #[must_use]
    pub fn with_lines(self, lines: LineKnowledge) -> Self {
        Self { lines, ..self }
    }
}

fn seconds_per(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" | "nanoseconds" => 1e-9,
        "us" | "µs" | "microseconds" => 1e-6,
        "ms" | "milliseconds" | "tracing-ms" => 1e-3,
        "s" | "seconds" => 1.0,
        _ => return None,
    })
}
