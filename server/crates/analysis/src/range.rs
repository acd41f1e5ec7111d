//! Ranges of time and searches: which samples of a recording to sum.

use profile::{FuncId, Groups, MetricId, Profile, StackAccess, SymbolTables};
use std::fmt;
use std::str::FromStr;

/// A half-open time range since the first sample of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeRange {
    /// The start, in nanoseconds.
    pub start_ns: u64,
    /// The end, in nanoseconds. A sample at the end is not in the range.
    pub end_ns: u64,
}

impl FromStr for TimeRange {
    type Err = String;

    /// Parses `A..B`. Times are in milliseconds, or have a unit: `1s`, `2.5s`, `300us`. Without `A`
    /// the range begins with the recording, without `B` it ends with it.
    fn from_str(text: &str) -> Result<Self, String> {
        let problem =
            || format!("`{text}` is not a valid range; expected A..B in milliseconds, or 1s..2.5s");
        let (start, end) = text.split_once("..").ok_or_else(problem)?;
        let time = |text: &str, default: u64| match text.trim() {
            "" => Ok(default),
            text => nanoseconds(text).ok_or_else(problem),
        };
        let (start_ns, end_ns) = (time(start, 0)?, time(end, u64::MAX)?);
        if start_ns >= end_ns {
            return Err(format!("the range `{text}` is empty: it must end after it starts"));
        }
        Ok(Self { start_ns, end_ns })
    }
}

/// A time in nanoseconds. `None` if it is malformed or negative.
fn nanoseconds(text: &str) -> Option<u64> {
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let with_unit =
        units.into_iter().find_map(|(unit, ns)| Some((text.strip_suffix(unit)?.trim(), ns)));
    let (number, ns) = with_unit.unwrap_or((text, 1e6));
    let is_decimal = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = number.parse().ok().filter(|_| is_decimal)?;
    #[expect(clippy::cast_sign_loss, reason = "no sign is accepted")]
    (value * ns < 1.8e19).then(|| (value * ns).round() as u64)
}

impl fmt::Display for TimeRange {
    /// In milliseconds: `2..5 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |ns: u64| ns as f64 / 1e6;
        write!(f, "{}..", ms(self.start_ns))?;
        if self.end_ns < u64::MAX {
            write!(f, "{}", ms(self.end_ns))?;
        }
        write!(f, " ms")
    }
}

/// The terms of a search. A sample matches if each term is in the name, file or library of some
/// function on its stack, in any case.
#[derive(Debug, Clone)]
pub(crate) struct Search(Vec<String>);

impl Search {
    /// The terms of a text: they are separated by commas.
    pub(crate) fn of(text: &str) -> Self {
        let terms = text.split(',').map(|term| term.trim().to_lowercase());
        Self(terms.filter(|term| !term.is_empty()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// For each term, whether each func matches it. A name or file matches all funcs of its function.
    /// A library matches only its own funcs, because a function may be compiled into several.
    pub(crate) fn funcs(&self, profile: &Profile, groups: &Groups) -> Vec<Vec<bool>> {
        let symbols = profile.symbols();
        let of_term = |term: &String| {
            let mut functions = vec![false; groups.n_functions()];
            for func in symbols.funcs.ids() {
                if let Some(matched) = functions.get_mut(groups.function(func).index()) {
                    *matched |= is_in_name_or_file(symbols, func, term);
                }
            }
            let matches = |func: FuncId| {
                let of_function = functions.get(groups.function(func).index());
                of_function == Some(&true) || is_in_library(symbols, func, term)
            };
            symbols.funcs.ids().map(matches).collect()
        };
        self.0.iter().map(of_term).collect()
    }
}

/// Whether a term, in lower case, is in the name or file of a func.
fn is_in_name_or_file(symbols: &SymbolTables, func: FuncId, term: &str) -> bool {
    contains(symbols.func_name(func), term)
        || symbols
            .funcs
            .get(func)
            .source
            .is_some_and(|source| contains(symbols.source_name(source), term))
}

/// Whether a term, in lower case, is in the library of a func.
fn is_in_library(symbols: &SymbolTables, func: FuncId, term: &str) -> bool {
    let lib = symbols.funcs.get(func).lib;
    lib.is_some_and(|lib| contains(&symbols.libs[lib.index()].name, term))
}

fn contains(text: &str, term: &str) -> bool {
    text.to_lowercase().contains(term)
}

/// The time of the last sample, in nanoseconds since the first. `None` if times are unknown.
pub(crate) fn last_ns(profile: &Profile) -> Option<u64> {
    let clock = profile.clock()?;
    profile.samples().iter().filter_map(|samples| samples.last_ns(clock)).max()
}

/// Whether the times of samples with a weight in this metric are known.
pub(crate) fn knows_times(profile: &Profile, metric: MetricId) -> bool {
    let Some(clock) = profile.clock() else { return false };
    let mut any_weight = false;
    for samples in profile.samples() {
        let Some(weights) = samples.weights().get(metric.index()) else { continue };
        let mut times = samples.times_ns(clock);
        for row in 0..samples.len() {
            let time = times.as_mut().and_then(Iterator::next).flatten();
            if weights.get(row) != 0.0 {
                if time.is_some() {
                    return true;
                }
                any_weight = true;
            }
        }
    }
    !any_weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_milliseconds_or_have_units() {
        for (text, start_ns, end_ns, shown) in [
            ("2..5", 2_000_000, 5_000_000, "2..5 ms"),
            ("1s..2.5s", 1_000_000_000, 2_500_000_000, "1000..2500 ms"),
            ("0.1 .. 0.3ms", 100_000, 300_000, "0.1..0.3 ms"),
            ("300us..1", 300_000, 1_000_000, "0.3..1 ms"),
            ("..5", 0, 5_000_000, "0..5 ms"),
            ("1s..", 1_000_000_000, u64::MAX, "1000.. ms"),
        ] {
            let range: TimeRange = text.parse().unwrap();
            assert_eq!((range.start_ns, range.end_ns), (start_ns, end_ns), "{text}");
            assert_eq!(range.to_string(), shown);
        }
        for text in ["", "5", "a..b", "-1..2", "1e3..2e3", "1..2min", "1..inf"] {
            let error = text.parse::<TimeRange>().unwrap_err();
            assert!(error.contains("is not a valid range; expected A..B"), "{error}");
        }
        assert!("5..5".parse::<TimeRange>().unwrap_err().contains("must end after it starts"));
    }

    #[test]
    fn times_are_known_if_a_sample_with_a_weight_has_one() {
        let is_known = |weights: &[f64], times: &[f64]| {
            let profile = profile::text_samples::timed_at("f f", weights, times);
            knows_times(&profile, MetricId::new(0))
        };
        assert!(is_known(&[0.0, 5.0], &[0.0, 1.0]));
        // The time is that of a sample of another metric.
        assert!(!is_known(&[0.0, 5.0], &[0.0, f64::NAN]));
        assert!(is_known(&[0.0, 0.0], &[0.0, f64::NAN]));
    }

    #[test]
    fn terms_are_separated_by_commas() {
        assert_eq!(Search::of(" Main, lib.RS ,, ").0, ["main", "lib.rs"]);
        assert!(Search::of(" , ").is_empty());
    }
}
