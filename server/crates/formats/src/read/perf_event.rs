//! Metrics of perf by the names of events (`cpu-clock`, `cycles:u`), for all formats with such
//! names; and what is said of samples that perf lost.

use profile::{Metric, WarningCode, Warnings};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// One event of a recording.
pub(crate) struct PerfEvent<'a> {
    /// The name as perf prints it, with modifiers.
    pub(crate) name: &'a str,
    /// Whether its samples have periods.
    pub(crate) has_periods: bool,
    pub(crate) n_samples: usize,
}

impl<'a> PerfEvent<'a> {
    /// The name without modifiers and processor: `cycles` for `cycles:u` and `cpu_core/cycles/P`.
    fn base(&self) -> &'a str {
        let terms = self.name.split_once('/').and_then(|(_, rest)| rest.rsplit_once('/'));
        if let Some((terms, _)) = terms {
            return terms.split(',').next().unwrap_or(terms);
        }
        let is_modifier =
            |(_, letters): &(&str, &str)| letters.bytes().all(|b| b"ukhIGHpPSDWebR".contains(&b));
        self.name.rsplit_once(':').filter(is_modifier).map_or(self.name, |(base, _)| base)
    }

    fn is_clock(&self) -> bool {
        matches!(self.base(), "cpu-clock" | "task-clock")
    }

    /// The metric. Periods of a clock event are nanoseconds; periods of other events are counts of
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

/// The name of each event's metric. On hybrid processors, perf records an event for each kind of core
/// (`cpu_core/cycles/P`, `cpu_atom/cycles/P`). These are one metric, with the name that perf gives the
/// event elsewhere (`cycles:P`). Each sample is of one kind, so none counts twice. Any other metric has
/// the name of its event.
pub(crate) fn metric_names<'a>(events: &[&'a str]) -> Vec<Cow<'a, str>> {
    let mut cores = FxHashMap::default();
    let mut shared = FxHashSet::default();
    for (core, event) in events.iter().filter_map(|event| core_and_event(event)) {
        if *cores.entry(event).or_insert(core) != core {
            shared.insert(event);
        }
    }
    let name = |event: &&'a str| match core_and_event(event) {
        Some((_, (terms, ""))) if shared.contains(&(terms, "")) => Cow::Borrowed(terms),
        Some((_, (terms, modifiers))) if shared.contains(&(terms, modifiers)) => {
            Cow::Owned(format!("{terms}:{modifiers}"))
        }
        _ => Cow::Borrowed(*event),
    };
    events.iter().map(name).collect()
}

/// The metrics of events, of which those with the same name are one, and the metric of each event.
pub(crate) fn merged<'a>(
    events: impl Iterator<Item = PerfEvent<'a>>,
) -> (Vec<PerfEvent<'a>>, Vec<usize>) {
    let mut metrics: Vec<PerfEvent<'a>> = Vec::new();
    let mut metric_of = Vec::new();
    for event in events {
        let known = metrics.iter().position(|metric| metric.name == event.name);
        metric_of.push(known.unwrap_or(metrics.len()));
        match known.and_then(|known| metrics.get_mut(known)) {
            Some(metric) => {
                metric.has_periods |= event.has_periods;
                metric.n_samples += event.n_samples;
            }
            None => metrics.push(event),
        }
    }
    (metrics, metric_of)
}

/// Splits an event of one kind of core: `cpu_core/cycles/P` is `cycles` with the modifier `P` of
/// `cpu_core`. `None` for raw numbers (`event=0x3c`), which mean something else on each kind.
fn core_and_event(event: &str) -> Option<(&str, (&str, &str))> {
    const CORES: [&str; 3] = ["cpu_", "armv", "apple_"];
    let (core, rest) = event.split_once('/')?;
    let (terms, modifiers) = rest.rsplit_once('/')?;
    let is_raw = terms.split(',').next().is_none_or(|first| first.contains('='));
    (CORES.iter().any(|start| core.starts_with(start)) && !is_raw)
        .then_some((core, (terms, modifiers)))
}

/// The default metric: a clock event, else cycles, else the event with the most samples. Faults and
/// similar events are seldom the main interest.
pub(crate) fn default_metric(events: &[PerfEvent<'_>]) -> usize {
    let rank = |event: &PerfEvent<'_>| {
        let is_cycles = matches!(event.base(), "cycles" | "cpu-cycles");
        (event.is_clock(), is_cycles, event.n_samples)
    };
    // `max_by_key` returns the last maximum; reversed, that is the first event.
    let ranked = events.iter().enumerate().rev();
    ranked.max_by_key(|(_, event)| rank(event)).map_or(0, |(i, _)| i)
}

/// A smaller share of lost samples is not worth a warning: shares are shown with one decimal.
const LEAST_LOST: f64 = 0.001;

/// How to lose fewer samples with perf.
pub(crate) const LOSE_LESS: &str = "record with a lower `-F`, a smaller copy of the stack (`--call-graph dwarf,4096`) or a larger `-m`";

/// Warns of samples that were lost while recording, beside the `n_samples` of the file.
pub(crate) fn warn_of_lost_samples(
    n_lost: u64,
    n_samples: usize,
    lose_less: &str,
    warnings: &mut Warnings,
) {
    let share = n_lost as f64 / (n_lost as f64 + n_samples as f64);
    if n_lost == 0 || share < LEAST_LOST {
        return;
    }
    warnings.add(WarningCode::LostSamples, || {
        let share = format!(" ({:.1}%)", share * 100.0);
        format!("{}, so costs are too low; {lose_less}", lost(n_lost, &share))
    });
}

/// That a file has no samples, and why if they were lost; else what was expected.
pub(crate) fn no_sample(n_lost: u64, lose_less: &str, expected: &str) -> String {
    if n_lost == 0 {
        return format!("there is no sample; expected {expected}");
    }
    format!("there is no sample: {}; {lose_less}", lost(n_lost, ""))
}

fn lost(n: u64, share: &str) -> String {
    let (samples, were) = if n == 1 { ("sample", "was") } else { ("samples", "were") };
    format!("{n} {samples}{share} {were} lost while recording")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hybrid processors have events of their own for each kind of core.
    #[test]
    fn events_of_a_processor_have_its_name_around_theirs() {
        let events = |names: &[&'static str]| -> Vec<PerfEvent<'_>> {
            let event = |(i, &name)| PerfEvent { name, has_periods: true, n_samples: 10 - i };
            names.iter().enumerate().map(event).collect()
        };
        let unit = |name| events(&[name])[0].metric().unit;
        assert_eq!(unit("cpu_core/cycles/P"), "cycles");
        assert_eq!(unit("cpu_atom/cpu-cycles,period=1000/u"), "cpu-cycles");
        assert_eq!(unit("cpu/event=0x3c,umask=0x0/"), "count");
        assert_eq!(unit("intel_pt//u"), "count");
        assert_eq!(unit("software/cpu-clock/"), "ns");
        for cycles in ["cpu_core/cycles/P", "cpu_core/cycles/", "cycles:u", "cpu/cpu-cycles/pp"] {
            assert_eq!(default_metric(&events(&["page-faults", cycles, "faults"])), 1, "{cycles}");
        }
        let both = ["cpu_atom/cycles/P", "cpu_core/cycles/P"];
        assert_eq!(default_metric(&events(&both)), 0, "the one with more samples");
    }

    #[test]
    fn an_event_of_each_kind_of_core_is_one_metric() {
        let names = |events: &[&'static str]| -> Vec<String> {
            metric_names(events).into_iter().map(Cow::into_owned).collect()
        };
        let [core, atom] = ["cpu_core/cycles/P", "cpu_atom/cycles/P"];
        assert_eq!(names(&[core, "page-faults", atom]), ["cycles:P", "page-faults", "cycles:P"]);
        assert_eq!(names(&["cpu_core/cycles/", "cpu_atom/cycles/"]), ["cycles", "cycles"]);
        assert_eq!(
            names(&["armv8_cortex_a53/cycles/u", "armv8_cortex_a72/cycles/u"]),
            ["cycles:u", "cycles:u"]
        );
        for apart in [
            // Other modifiers, one kind of core only, raw numbers, and other devices.
            [core, "cpu_atom/cycles/u"],
            [core, core],
            ["cpu_core/event=0x3c/", "cpu_atom/event=0x3c/"],
            ["uncore_imc_0/cas_count_read/", "uncore_imc_1/cas_count_read/"],
        ] {
            assert_eq!(names(&apart), apart);
        }
    }

    #[test]
    fn lost_samples_are_said_with_their_share() {
        let said = |n_lost, n_samples| {
            let mut warnings = Warnings::default();
            warn_of_lost_samples(n_lost, n_samples, LOSE_LESS, &mut warnings);
            let warning = warnings.into_iter().next();
            warning.map(|warning| warning.message.split(',').next().unwrap_or("").to_owned())
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(said(0, 0), None);
        assert_eq!(said(0, 1000), None);
        assert_eq!(said(1, 1000), None);
        assert_eq!(said(1, 999), text("1 sample (0.1%) was lost while recording"));
        assert_eq!(said(40, 60), text("40 samples (40.0%) were lost while recording"));
        assert_eq!(
            no_sample(0, LOSE_LESS, "a recording"),
            "there is no sample; expected a recording"
        );
        let lost = no_sample(7, LOSE_LESS, "a recording");
        assert!(
            lost.starts_with(
                "there is no sample: 7 samples were lost while recording; record with"
            ),
            "{lost}"
        );
    }
}
