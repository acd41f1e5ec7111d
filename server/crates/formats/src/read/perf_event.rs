//! Metrics of perf by the names of events (`cpu-clock`, `cycles:u`), for all formats with such
//! names.

use profile::Metric;

/// One event of a recording.
pub(crate) struct PerfEvent<'a> {
    /// The name as perf prints it, with modifiers.
    pub(crate) name: &'a str,
    /// Whether its samples have periods.
    pub(crate) has_periods: bool,
    pub(crate) n_samples: usize,
}

impl<'a> PerfEvent<'a> {
    /// The name without modifiers: `cycles` for `cycles:u`.
    fn base(&self) -> &'a str {
        let is_modifier =
            |(_, letters): &(&str, &str)| letters.bytes().all(|b| b"ukhIGHpPSDWebR".contains(&b));
        self.name.rsplit_once(':').filter(is_modifier).map_or(self.name, |(base, _)| base)
    }

    fn is_clock(&self) -> bool {
        matches!(self.base(), "cpu-clock" | "task-clock")
    }

    /// The metric. Periods of a clock event are nanoseconds, those of other events are counts of
    /// the event.
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

/// The default metric: a clock event, else cycles, else the event with the most samples. Faults and
/// similar events are seldom the main interest.
pub(crate) fn default_metric(events: &[PerfEvent<'_>]) -> usize {
    let rank = |event: &PerfEvent<'_>| {
        let base = event.base();
        let is_cycles = matches!(base, "cycles" | "cpu-cycles") || base.ends_with("/cycles/");
        (event.is_clock(), is_cycles, event.n_samples)
    };
    // `max_by_key` returns the last maximum; reversed, that is the first event.
    let ranked = events.iter().enumerate().rev();
    ranked.max_by_key(|(_, event)| rank(event)).map_or(0, |(i, _)| i)
}
