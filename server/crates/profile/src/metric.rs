//! Metrics: what weights count.

/// What a metric records about lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKnowledge {
    /// Every frame may have a line: self and total per line are exact.
    SelfAndTotal,
    /// Calls have lines, and the self cost of a function is on its first line. The lower bound of a
    /// line in recursion is what its calls cost apart from the recursion.
    Calls,
    /// Only leaf frames have lines (V8 `positionTicks`): self is exact, the total of a line is
    /// unknown.
    SelfOnly,
    /// Like [`Self::SelfOnly`], but the self cost of a function was divided among its lines in
    /// proportion to another metric: self is an estimate.
    SelfEstimated,
    /// No lines.
    Nothing,
}

impl LineKnowledge {
    /// Whether lines have a self cost but no total.
    pub fn is_self_alone(self) -> bool {
        matches!(self, Self::SelfOnly | Self::SelfEstimated)
    }
}

/// What a weight column counts. Named as in the format (`samples`, `hits`, `time`, `bytes`, `Ir`
/// …).
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// The name, as in the profile.
    pub name: String,
    /// The unit of a weight: `samples`, `hits`, `ms`, `us`, `ns`, `bytes` …
    pub unit: String,
    /// Seconds per unit, if the file states it by its unit or a sampling interval.
    pub seconds_per_unit: Option<f64>,
    /// What is recorded about lines.
    pub lines: LineKnowledge,
}

impl Metric {
    /// A metric with lines in all frames. `interval_seconds` is the sampling interval, if the file
    /// states it; it converts counts of samples to seconds.
    pub fn new(name: &str, unit: &str, interval_seconds: Option<f64>) -> Self {
        let metric = Self {
            name: name.to_owned(),
            unit: unit.to_owned(),
            seconds_per_unit: seconds_per(unit),
            lines: LineKnowledge::SelfAndTotal,
        };
        // The hits of V8 are no interval apart.
        let is_regular = metric.counts_samples() && unit != "hits";
        let interval = interval_seconds.filter(|seconds| is_regular && *seconds > 0.0);
        Self { seconds_per_unit: metric.seconds_per_unit.or(interval), ..metric }
    }

    /// Whether weights count samples. Other counts of pprof (allocations, contentions) have the same
    /// unit, but another name.
    pub fn counts_samples(&self) -> bool {
        match &*self.unit {
            "samples" | "sample" | "hits" => true,
            "count" => matches!(&*self.name, "samples" | "sample"),
            _ => false,
        }
    }

    /// Whether weights are times. Counts of samples may have a duration, but are none.
    pub fn is_time(&self) -> bool {
        seconds_per(&self.unit).is_some()
    }

    /// Whether weights of both metrics are of one kind, so that they can be compared. Times may have
    /// different units.
    pub fn is_comparable(&self, other: &Self) -> bool {
        // speedscope names a metric after its unit.
        let has_name = |metric: &Self| metric.name != metric.unit;
        let is_one_name = self.name == other.name || !(has_name(self) || has_name(other));
        (&self.name, &self.unit) == (&other.name, &other.unit)
            || (self.is_time() && other.is_time() && is_one_name)
    }

    /// The same metric with different knowledge of lines.
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
