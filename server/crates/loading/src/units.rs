//! Formats weights, durations and counts for people.

use super::text::plain;
use analysis::{JitTier, Metric, Total};
use std::time::Duration;

/// Units whose singular is without the last letter. Other units of profiles may be anything.
const PLURALS: [&str; 26] = [
    "samples",
    "hits",
    "threads",
    "functions",
    "lines",
    "files",
    "rows",
    "fields",
    "modules",
    "cliques",
    "call paths",
    // Mercury's deep profiler.
    "callseqs",
    "ticks",
    "allocs",
    "words",
    "callers",
    "calls",
    "exits",
    "fails",
    "redos",
    "excepts",
    // DHAT, pprof, perf.
    "blocks",
    "objects",
    "units",
    "events",
    "seconds",
];

/// The JIT tiers of a cost, heaviest first: `Ion 62.1%, interpreter 20.0%`. `None` without any.
pub fn jit_tiers(tiers: &[(JitTier, f64)], total: f64) -> Option<String> {
    let share =
        |&(tier, weight): &(JitTier, f64)| format!("{} {}", tier.name(), percent(weight, total));
    let shares: Vec<String> = tiers.iter().map(share).collect();
    (!shares.is_empty()).then(|| shares.join(", "))
}

/// `weight` as a percentage of `base`: `12.3%`, or `–` if `base` is 0. Small shares have two
/// decimals.
pub fn percent(weight: f64, base: f64) -> String {
    if base == 0.0 {
        return "–".to_owned();
    }
    let percent = 100.0 * weight / base;
    if percent != 0.0 && percent.abs() < 0.05 {
        format!("{percent:.2}%")
    } else {
        format!("{percent:.1}%")
    }
}

/// A weight in the unit of the metric: `1.23 s` if the metric states how long one unit is,
/// `4.00 MiB` for bytes, else a count.
pub fn absolute(weight: f64, metric: &Metric) -> String {
    match (metric.seconds_per_unit, metric.unit.as_str()) {
        (Some(seconds), _) => duration(weight * seconds),
        (None, "bytes") => bytes(weight),
        (None, "percent") => percent(weight, 100.0),
        (None, unit) => counted(weight, unit),
    }
}

/// [`percent`] in at most six characters: `100%`, `12.3%`.
pub fn narrow_percent(weight: f64, base: f64) -> String {
    let text = percent(weight, base);
    if text == "100.0%" { "100%".to_owned() } else { text }
}

/// [`absolute`] in at most six characters: `1.23s`, `12.3µs`, `4.00M` for bytes, `12.3k` for counts.
pub fn narrow(weight: f64, metric: &Metric) -> String {
    match (metric.seconds_per_unit, metric.unit.as_str()) {
        (Some(seconds), _) => duration(weight * seconds).replace(' ', ""),
        (None, "bytes") => narrow_number(weight, 1024.0, ["B", "K", "M", "G", "T", "P"]),
        (None, "percent") => narrow_percent(weight, 100.0),
        (None, _) => narrow_count(weight),
    }
}

/// A count in at most five characters, or six below zero: `1395`, `12.3k`, `1.23M`.
pub fn narrow_count(count: f64) -> String {
    narrow_number(count, 1000.0, ["", "k", "M", "G", "T", "P"])
}

/// A number with three significant digits in the largest fitting unit. Whole numbers of the first unit
/// may have four digits.
fn narrow_number(number: f64, step: f64, units: [&str; 6]) -> String {
    let (mut value, mut units) = (number, units.into_iter());
    let mut unit = units.next().unwrap_or_default();
    let limit = if step > 1000.0 { 1023.5 } else { 9999.5 };
    if value.abs() < limit && value.fract() == 0.0 {
        return format!("{value:.0}{unit}");
    }
    while value.abs() >= 999.5
        && let Some(next) = units.next()
    {
        (value, unit) = (value / step, next);
    }
    format!("{}{unit}", significant(value))
}

/// A count with its unit, in the singular for 1: `3 samples`, `1 sample`.
pub fn counted(weight: f64, unit: &str) -> String {
    let singular = || PLURALS.contains(&unit).then(|| unit.strip_suffix('s')).flatten();
    let unit = if weight.abs() == 1.0 { singular().unwrap_or(unit) } else { unit };
    format!("{} {}", count(weight), plain(unit))
}

/// ` · 3 calls`, to append to a name or its costs. Empty if calls were not counted.
pub fn calls(calls: Option<u64>) -> String {
    let counted = counted_calls(calls);
    if counted.is_empty() { counted } else { format!(" · {counted}") }
}

/// `3 calls`. Empty if calls were not counted.
pub fn counted_calls(calls: Option<u64>) -> String {
    match calls {
        None => String::new(),
        Some(1) => "1 call".to_owned(),
        Some(calls) => format!("{} calls", number(calls)),
    }
}

/// How often a line was executed, as the label of a hint: `3×`, `never executed`.
pub fn executions(count: u64) -> String {
    if count == 0 { "never executed".to_owned() } else { times(count) }
}

/// A number of executions: `3×`, `0×`.
pub fn times(count: u64) -> String {
    format!("{}×", number(count))
}

/// A number with a comma between groups of three digits, from 10,000 on.
pub fn number(count: u64) -> String {
    grouped(&count.to_string())
}

/// How often a line was executed, in words: `executed 3 times`, `never executed`.
pub fn executed(count: u64) -> String {
    match count {
        0 => "never executed".to_owned(),
        1 => "executed once".to_owned(),
        _ => format!("executed {} times", number(count)),
    }
}

/// A raw weight as an integer, for JSON. `None` if it is fractional or out of range.
pub fn integer(weight: f64) -> Option<i64> {
    // 2^63: every smaller whole `f64` fits into an `i64`.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked: whole and within the range")]
    (weight.fract() == 0.0 && weight.abs() < LIMIT).then_some(weight as i64)
}

/// A total: `45`, `40 to 45`, `45 est.` or `unknown`. `format` formats a weight.
pub fn total(total: Total, format: impl Fn(f64) -> String) -> String {
    match total {
        Total::Exact(weight) => format(weight),
        Total::Bounded { min, max } => match (format(min), format(max)) {
            (min, max) if min == max => min,
            (min, max) => format!("{min} to {max}"),
        },
        Total::Estimated(weight) => format!("{} est.", format(weight)),
        Total::Unknown => "unknown".to_owned(),
    }
}

/// A number with up to two decimals, and groups of three digits from 10,000 on. Sums of fractions
/// such as thirds may miss a whole number by their rounding errors.
fn count(weight: f64) -> String {
    let is_whole = (weight - weight.round()).abs() <= weight.abs() * 1e-12;
    let text = if is_whole && weight.abs() < 1e15 {
        format!("{weight:.0}")
    } else {
        format!("{weight:.2}")
    };
    grouped(&text)
}

/// A number with a comma between groups of three digits, unless it has only four before the point.
fn grouped(number: &str) -> String {
    let (whole, decimals) = number.split_at(number.find('.').unwrap_or(number.len()));
    let (sign, digits) = whole.split_at(whole.len() - whole.trim_start_matches('-').len());
    if digits.len() < 5 {
        return number.to_owned();
    }
    let mut text = sign.to_owned();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + decimals
}

/// Seconds with three significant digits, in the largest fitting unit from ns to h.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds.abs() {
        0.0 => return "0 s".to_owned(),
        // A value that would round to 1000 of a unit is 1.00 of the next unit.
        s if s < 999.5e-9 => (seconds * 1e9, "ns"),
        s if s < 999.5e-6 => (seconds * 1e6, "µs"),
        s if s < 999.5e-3 => (seconds * 1e3, "ms"),
        s if s < 6000.0 => (seconds, "s"),
        s if s < 360_000.0 => (seconds / 60.0, "min"),
        _ => (seconds / 3600.0, "h"),
    };
    format!("{} {unit}", significant(value))
}

/// An age in whole seconds, minutes, hours or days.
pub fn age(age: Duration) -> String {
    match age.as_secs() {
        s @ 0..120 => format!("{s} s"),
        s @ 120..7200 => format!("{} min", s / 60),
        s @ 7200..172_800 => format!("{} h", s / 3600),
        s => format!("{} days", s / 86_400),
    }
}

/// A size in bytes.
pub fn bytes(weight: f64) -> String {
    let mut value = weight;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value.abs() < if unit == "B" { 1024.0 } else { 1023.5 } {
            return if unit == "B" {
                format!("{} B", count(value))
            } else {
                format!("{} {unit}", significant(value))
            };
        }
        value /= 1024.0;
    }
    format!("{} TiB", significant(value))
}

fn significant(value: f64) -> String {
    match value.abs() {
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_percentages_have_two_decimals() {
        let shown = [(1.0, 8.0), (1.0, 100_000.0), (0.0, 5.0), (-1.0, 4.0), (3.0, 0.0)]
            .map(|(w, base)| percent(w, base));
        assert_eq!(shown, ["12.5%", "0.00%", "0.0%", "-25.0%", "–"]);
        assert_eq!(percent(3.0, 10_000.0), "0.03%");
    }

    #[test]
    fn narrow_texts_have_at_most_six_characters() {
        let seconds = Metric::new("time", "s", Some(1.0));
        let times = [0.0, 1.5e-8, 12.34e-6, 0.81, 1.234, 5999.0, 6001.0, 4e6];
        let shown = times.map(|time| narrow(time, &seconds));
        assert_eq!(shown, ["0s", "15.0ns", "12.3µs", "810ms", "1.23s", "5999s", "100min", "1111h"]);
        let bytes = Metric::new("bytes", "bytes", None);
        let shown = [17.0, 1023.0, 4_194_304.0, 1.5e15].map(|size| narrow(size, &bytes));
        assert_eq!(shown, ["17B", "1023B", "4.00M", "1.33P"]);
        let shown = [3.0, 0.333, 1395.0, -1395.0, 12_345.0, 999_900.0, 4e9].map(narrow_count);
        assert_eq!(shown, ["3", "0.33", "1395", "-1395", "12.3k", "1.00M", "4.00G"]);
        let shown = [(1.0, 1.0), (1.0, 8.0), (1.0, 9999.0)].map(|(w, b)| narrow_percent(w, b));
        assert_eq!(shown, ["100%", "12.5%", "0.01%"]);
    }

    #[test]
    fn weights_have_the_unit_of_the_metric() {
        assert_eq!(absolute(12.0, &Metric::new("samples", "samples", None)), "12 samples");
        assert_eq!(absolute(1234.0, &Metric::new("samples", "samples", Some(0.001))), "1.23 s");
        assert_eq!(absolute(4_329_625.0, &Metric::new("wall", "us", None)), "4.33 s");
        assert_eq!(absolute(4.0, &Metric::new("hits", "hits", Some(0.1))), "4 hits");
        assert_eq!(absolute(1.0, &Metric::new("hits", "hits", None)), "1 hit");
        assert_eq!(absolute(-1.0, &Metric::new("samples", "samples", None)), "-1 sample");
        assert_eq!(absolute(1.0, &Metric::new("Ir", "Ir", None)), "1 Ir");
        assert_eq!(absolute(1.0, &Metric::new("callseqs", "callseqs", None)), "1 callseq");
        assert_eq!(absolute(2.0, &Metric::new("quanta", "ticks", None)), "2 ticks");
        assert_eq!(absolute(1.0, &Metric::new("L1 miss", "miss", None)), "1 miss");
        assert_eq!(absolute(5_242_880.0, &Metric::new("bytes", "bytes", None)), "5.00 MiB");
        assert_eq!(absolute(-3.0, &Metric::new("bytes", "bytes", None)), "-3 B");
        assert_eq!(absolute(9999.0, &Metric::new("Ir", "Ir", None)), "9999 Ir");
        assert_eq!(absolute(928_069.0, &Metric::new("Ir", "Ir", None)), "928,069 Ir");
        assert_eq!(absolute(-12_345.5, &Metric::new("Ir", "Ir", None)), "-12,345.50 Ir");
        assert_eq!(
            absolute(5.0, &Metric::new("x", "\u{1b}[31m", None)),
            "5 \u{fffd}[31m",
            "units are sanitized"
        );
        assert_eq!(absolute(3.7, &Metric::new("samples", "samples", None)), "3.70 samples");
        let misses = [511.999_999_999_999_9, 512.001, 1e-9].map(bytes);
        assert_eq!(misses, ["512 B", "512.00 B", "0.00 B"]);
    }

    #[test]
    fn calls_are_formatted_if_they_were_counted() {
        assert_eq!(
            [None, Some(0), Some(1), Some(2)].map(calls),
            ["", " · 0 calls", " · 1 call", " · 2 calls"]
        );
    }

    #[test]
    fn executions_are_counted() {
        assert_eq!([0, 1, 100_956_624].map(executions), ["never executed", "1×", "100,956,624×"]);
        assert_eq!(
            [0, 1, 100_956_624].map(executed),
            ["never executed", "executed once", "executed 100,956,624 times"]
        );
    }

    #[test]
    fn ages_are_in_whole_units() {
        let shown = [0, 119, 120, 7199, 7200, 172_799, 172_800]
            .map(|seconds| age(Duration::from_secs(seconds)));
        assert_eq!(shown, ["0 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 days"]);
    }

    #[test]
    fn durations_have_three_significant_digits() {
        let shown =
            [0.0, 3e-9, 0.000_25, 0.0999, 0.9994, 0.9996, 1.0, 59.96, 125.0, 6000.0].map(duration);
        let expected = [
            "0 s", "3.00 ns", "250 µs", "99.9 ms", "999 ms", "1.00 s", "1.00 s", "60.0 s", "125 s",
            "100 min",
        ];
        assert_eq!(shown, expected);
        let mebibyte = Metric::new("bytes", "bytes", None);
        assert_eq!(
            [1_047_552.0, 1_048_300.0].map(|bytes| absolute(bytes, &mebibyte)),
            ["1023 KiB", "1.00 MiB"]
        );
    }
}
