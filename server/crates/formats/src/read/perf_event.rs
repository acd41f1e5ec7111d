//! What perf counts: metrics by the names of events (`cpu-clock`, `cycles:u`), however a recording
//! of them is written down.

use profile::Metric;

/// One event of a recording.
pub(crate) struct PerfEvent<'a> {
    /// As perf prints it, with its modifiers.
    pub(crate) name: &'a str,
    /// Whether its samples say how much they stand for.
    pub(crate) has_periods: bool,
    pub(crate) n_samples: usize,
}

impl<'a> PerfEvent<'a> {
    /// Its name without modifiers: `cycles` of `cycles:u`.
    fn base(&self) -> &'a str {
        let is_modifier =
            |(_, letters): &(&str, &str)| letters.bytes().all(|b| b"ukhIGHpPSDWebR".contains(&b));
        self.name.rsplit_once(':').filter(is_modifier).map_or(self.name, |(base, _)| base)
    }

    fn is_clock(&self) -> bool {
        matches!(self.base(), "cpu-clock" | "task-clock")
    }

    /// Periods of a clock are nanoseconds, those of other events count what the event is.
    pub(crate) fn metric(&self) -> Metric {
        let unit = match self.base() {
            _ if !self.has_periods => "samples",
            _ if self.is_clock() => "ns",
            base if !base.is_empty()
                && base.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)) =>
            {
                base
            }
            _ => "count",
        };
        let name = match self.name {
            "" if self.has_periods => "period",
            "" => "samples",
            name => name,
        };
        Metric::new(name, unit, None)
    }
}

/// Which of them to show first. Time comes before cycles, and both before whatever was sampled
/// most: faults and the like are looked at beside them.
pub(crate) fn default_metric(events: &[PerfEvent<'_>]) -> usize {
    let rank = |event: &PerfEvent<'_>| {
        let base = event.base();
        let is_cycles = matches!(base, "cycles" | "cpu-cycles") || base.ends_with("/cycles/");
        (event.is_clock(), is_cycles, event.n_samples)
    };
    // Of equals the first.
    let ranked = events.iter().enumerate().rev();
    ranked.max_by_key(|(_, event)| rank(event)).map_or(0, |(i, _)| i)
}
