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
    /// Lines and functions have totals, but no self costs, and totals of functions do not add up
    /// (line_profiler).
    TotalOnly,
    /// No lines.
    Nothing,
}

impl LineKnowledge {
    /// Whether lines have a self cost but no total.
    pub fn is_self_alone(self) -> bool {
        matches!(self, Self::SelfOnly | Self::SelfEstimated)
    }

    /// Whether there are self costs.
    pub fn has_self(self) -> bool {
        self != Self::TotalOnly
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_say_what_weights_are() {
        let is = |name: &str, unit: &str| {
            let metric = Metric::new(name, unit, None);
            (metric.counts_samples(), metric.is_time())
        };
        for unit in ["samples", "sample", "hits"] {
            assert_eq!(is("x", unit), (true, false), "{unit}");
        }
        assert_eq!(is("samples", "count"), (true, false));
        assert_eq!(is("alloc_objects", "count"), (false, false));
        for unit in ["s", "ms", "us", "ns"] {
            assert_eq!(is("cpu", unit), (false, true), "{unit}");
        }
        assert_eq!(is("alloc_space", "bytes"), (false, false));
    }

    #[test]
    fn an_interval_makes_counts_of_samples_seconds() {
        let seconds = |unit, interval| Metric::new("samples", unit, interval).seconds_per_unit;
        assert_eq!(seconds("samples", Some(0.01)), Some(0.01));
        assert_eq!(seconds("samples", None), None);
        assert_eq!(seconds("samples", Some(0.0)), None);
        assert_eq!(seconds("hits", Some(0.01)), None);
        assert_eq!(seconds("bytes", Some(0.01)), None);
        // The unit is more certain than an interval.
        assert_eq!(seconds("ms", Some(0.01)), Some(0.001));
    }

    #[test]
    fn metrics_of_one_name_and_unit_and_times_can_be_compared() {
        let metric = |(name, unit): (&str, &str)| Metric::new(name, unit, None);
        let can = |a, b| metric(a).is_comparable(&metric(b));
        assert!(can(("cpu", "ns"), ("cpu", "ms")));
        assert!(can(("ms", "ms"), ("us", "us")), "names of speedscope are units");
        assert!(!can(("cpu", "ns"), ("wall", "ns")));
        assert!(!can(("cpu", "ns"), ("ms", "ms")));
        assert!(!can(("samples", "samples"), ("samples", "ms")));
        assert!(can(("space", "bytes"), ("space", "bytes")));
        assert!(!can(("space", "bytes"), ("objects", "bytes")));
    }

    #[test]
    fn lines_with_a_self_cost_alone_have_no_total() {
        use LineKnowledge::{Calls, Nothing, SelfAndTotal, SelfEstimated, SelfOnly};
        let alone: Vec<_> = [SelfAndTotal, Calls, SelfOnly, SelfEstimated, Nothing]
            .into_iter()
            .filter(|lines| lines.is_self_alone())
            .collect();
        assert_eq!(alone, [SelfOnly, SelfEstimated]);
    }
}
