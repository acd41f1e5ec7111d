//! What `perf report -g folded` prints around the stacks: a header for each event, and a row of a
//! table for each symbol.

use super::{dialect, line};
use crate::error::ReadError;
use crate::read::perf_event::{PerfEvent, merged, metric_names};
use crate::read::shared::rows::MAX_METRICS;
use crate::writer::Dialect;
use profile::Metric;
use std::borrow::Cow;

/// How the heading of a `perf report` begins that lists each stack with every function on it.
pub(super) const CHILDREN: &str = "Children ";

/// Parses `Samples: 1K of event 'cpu-clock'`.
pub(super) fn event_of(comment: &str) -> Option<&str> {
    let (_, event) = comment.strip_prefix("Samples: ")?.split_once('\'')?;
    event.rsplit_once('\'').map(|(event, _)| event)
}

/// Whether a line is a row of the table that `perf report` prints between stacks: ` 8.95% command
/// object [.] symbol`.
pub(super) fn is_report_row(line: &str) -> bool {
    line.starts_with(' ') && line.split_whitespace().next().is_some_and(|word| word.ends_with('%'))
}

/// Whether stacks have the leaf first: the symbol of a table row, which is the leaf, begins the
/// stacks below it more often than it ends them.
pub(super) fn prints_leaf_first(lines: &[&str]) -> bool {
    let mut symbol = None;
    let (mut first, mut last) = (0, 0);
    for line in lines {
        if is_report_row(line) {
            symbol = line
                .split_once("[.] ")
                .or_else(|| line.split_once("[k] "))
                .map(|(_, symbol)| dialect::without_suffix(symbol.trim()).0);
        } else if let (Some(symbol), Some((stack, _))) = (symbol, line::value_first(line)) {
            let frames: Vec<&str> = line::frames(stack, line::Separator::Semicolon).collect();
            if frames.len() > 1 {
                first += usize::from(begin_with(frames.iter().copied(), symbol));
                last += usize::from(begin_with(frames.iter().rev().copied(), symbol));
            }
        }
    }
    first > last
}

/// Whether frames begin with a symbol, perhaps after functions that are inlined into it.
fn begin_with<'a>(frames: impl Iterator<Item = &'a str>, symbol: &str) -> bool {
    for frame in frames {
        let (text, suffix) = dialect::without_suffix(frame);
        let is_same = match Dialect::PerfSrcline.parse(text) {
            Some(place) => is_same_symbol(symbol, &place.name),
            None => is_same_symbol(symbol, text),
        };
        if is_same || !suffix.inlined {
            return is_same;
        }
    }
    false
}

/// Whether a row and a frame may have the same symbol. An unresolved symbol is an address in the
/// file in the row, and one in the process in the frame. Both have the same offset in their page,
/// which is the last three digits: `0x2380` and `0x55380` may be the same.
fn is_same_symbol(row: &str, frame: &str) -> bool {
    let offset = |symbol: &str| {
        symbol
            .strip_prefix("0x")
            .and_then(|hex| hex.get(hex.len().checked_sub(3)?..))
            .map(str::to_owned)
    };
    row == frame || (offset(row).is_some() && offset(row) == offset(frame))
}

/// What the header of an event states, and the sum of the values below it.
struct Section<'a> {
    event: &'a str,
    n_samples: usize,
    /// What the event counted in all samples: nanoseconds, cycles, faults.
    count: f64,
    sum: f64,
}

/// Events and the metric of each.
pub(super) type Events = Vec<(String, usize)>;

/// The metrics of a report, and its events.
pub(super) fn metrics(text: &str) -> Result<(Vec<Metric>, Events), ReadError> {
    let (sections, has_percents) = sections(text)?;
    let names: Vec<&str> = sections.iter().map(|section| section.event).collect();
    if has_percents {
        // Each event has its own whole.
        let metrics = names.iter().map(|name| Metric::new(name, "percent", None)).collect();
        let events = names.iter().enumerate().map(|(i, &name)| (name.to_owned(), i)).collect();
        return Ok((metrics, events));
    }
    let names = metric_names(&names);
    let event = |(section, name): (&Section<'_>, _)| PerfEvent {
        name,
        has_periods: section.has_periods(),
        n_samples: section.n_samples,
    };
    let named = sections.iter().zip(names.iter().map(Cow::as_ref));
    let (metrics, metric_of) = merged(named.map(event));
    let events = sections.iter().map(|section| section.event.to_owned()).zip(metric_of);
    Ok((metrics.iter().map(PerfEvent::metric).collect(), events.collect()))
}

impl Section<'_> {
    /// Whether the values are sums of periods (`-g folded,period`) rather than numbers of samples
    /// (`-g folded,count`): whether they add up to the count rather than the number of samples. Both
    /// are approximate, because rare stacks are left out and numbers rounded.
    fn has_periods(&self) -> bool {
        let factor = |whole: f64| (self.sum / whole).ln().abs();
        self.n_samples > 0 && self.count > 0.0 && factor(self.count) < factor(self.n_samples as f64)
    }
}

/// The sections of each event, and whether their values are percentages.
fn sections(text: &str) -> Result<(Vec<Section<'_>>, bool), ReadError> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let (mut current, mut has_percents) = (0, false);
    for line in text.lines() {
        let comment = line::comment(line);
        if let Some(event) = comment.and_then(event_of) {
            let known = sections.iter().position(|section| section.event == event);
            current = known.unwrap_or(sections.len());
            if known.is_none() {
                sections.push(Section { event, n_samples: 0, count: 0.0, sum: 0.0 });
            }
            if sections.len() > MAX_METRICS {
                return Err(ReadError::too_large(format!(
                    "there are more than {MAX_METRICS} events; report fewer of them"
                )));
            }
        }
        let Some(section) = sections.get_mut(current) else { continue };
        if let Some(comment) = comment {
            section.n_samples = section.n_samples.saturating_add(n_samples(comment).unwrap_or(0));
            let count = comment.strip_prefix("Event count (approx.): ");
            section.count += count.and_then(line::number).unwrap_or(0.0);
        } else if let Some((_, value)) = line::value_first(line) {
            section.sum += value;
            has_percents |= line.split(' ').next().is_some_and(|value| value.ends_with('%'));
        }
    }
    Ok((sections, has_percents))
}

/// Parses the number in `Samples: 1K of event 'cpu-clock'`.
fn n_samples(comment: &str) -> Option<usize> {
    let word = comment.strip_prefix("Samples: ")?.split(' ').next()?;
    let units = [("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];
    let scaled =
        units.into_iter().find_map(|(unit, factor)| Some((word.strip_suffix(unit)?, factor)));
    let (digits, factor) = scaled.unwrap_or((word, 1));
    digits.parse::<usize>().ok()?.checked_mul(factor)
}
