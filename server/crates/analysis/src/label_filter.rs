//! Filters by labels and their notation.
//!
//! `size=large`, `size!=large` (also samples without the key), `endpoint=~^/api/` (a regular expression),
//! `size` (has the key), `!size` (does not), `bytes=100..200` (from 100 to 200, both included) and
//! `bytes>=1kb`. Units of bytes count in steps of 1024, as in `go tool pprof`.

use crate::names::Unmatched;
use profile::{Label, LabelValue, WarningCode};
use regex::Regex;

/// A filter by labels.
pub(crate) struct LabelFilter<'t> {
    pub(crate) text: &'t str,
    pub(crate) key: &'t str,
    test: Test<'t>,
    /// Whether it keeps the samples without a label that fits.
    is_negated: bool,
}

enum Test<'t> {
    /// There is a label with the key.
    Any,
    Is(&'t str),
    Matches(Regex),
    /// From the first to the second.
    Range(&'t str, Option<Quantity<'t>>, Option<Quantity<'t>>),
    /// One of [`COMPARISONS`] with a number.
    Compared(&'static str, Quantity<'t>),
}

/// Comparisons with a number. A longer one comes first.
const COMPARISONS: [&str; 4] = [">=", "<=", ">", "<"];

impl<'t> LabelFilter<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<Self, Unmatched> {
        let text = text.trim();
        let Some(at) = text.find(['=', '<', '>']) else {
            let key = text.strip_prefix('!').unwrap_or(text);
            return Self::new(text, key, Test::Any, key.len() < text.len());
        };
        let (key, rest) = text.split_at(at);
        if let Some(pattern) = rest.strip_prefix("=~") {
            let regex = Regex::new(pattern).map_err(|error| {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                malformed(format!("`{pattern}` is not a valid regular expression ({why})"))
            })?;
            return Self::new(text, key, Test::Matches(regex), false);
        }
        for sign in COMPARISONS {
            let Some(value) = rest.strip_prefix(sign) else { continue };
            let number = Quantity::parse(value).ok_or_else(|| {
                malformed(format!("`{text}`: expected a number after `{sign}`, such as 512 or 1kb"))
            })?;
            return Self::new(text, key, Test::Compared(sign, number), false);
        }
        let value = rest.get(1..).unwrap_or_default();
        let positive = key.strip_suffix('!');
        let test = range(value).unwrap_or(Test::Is(value));
        Self::new(text, positive.unwrap_or(key), test, positive.is_some())
    }

    fn new(
        text: &'t str,
        key: &'t str,
        test: Test<'t>,
        is_negated: bool,
    ) -> Result<Self, Unmatched> {
        let key = key.trim();
        if key.is_empty() {
            let problem = format!("`{text}` has no key: expected KEY, KEY=VALUE or KEY=~REGEX");
            return Err(malformed(problem));
        }
        Ok(Self { text, key, test, is_negated })
    }

    /// Whether it only asks for a key.
    pub(crate) fn is_of_key(&self) -> bool {
        matches!(self.test, Test::Any)
    }

    /// The value that it asks for.
    pub(crate) fn value(&self) -> Option<&'t str> {
        match self.test {
            Test::Is(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it keeps a sample that has these labels of its key.
    pub(crate) fn keeps<'l>(&self, mut labels: impl Iterator<Item = &'l Label>) -> bool {
        labels.any(|label| self.fits(&label.value)) != self.is_negated
    }

    /// Whether a label with its key has the value that it names.
    pub(crate) fn fits(&self, value: &LabelValue) -> bool {
        match (&self.test, value) {
            (Test::Any, _) => true,
            (Test::Is(wanted) | Test::Range(wanted, ..), LabelValue::Text(text)) => {
                **text == **wanted
            }
            (Test::Is(wanted), LabelValue::Number(number, unit)) => {
                wanted.parse() == Ok(*number)
                    || Quantity::parse(wanted)
                        .is_some_and(|it| it.compare(*number, unit) == Some(0.0))
            }
            (Test::Matches(regex), value) => regex.is_match(&value.to_string()),
            (Test::Range(_, least, most), LabelValue::Number(number, unit)) => {
                let over = |it: &Quantity<'_>| it.compare(*number, unit);
                least.as_ref().is_none_or(|it| over(it).is_some_and(|over| over >= 0.0))
                    && most.as_ref().is_none_or(|it| over(it).is_some_and(|over| over <= 0.0))
            }
            (Test::Compared(sign, bound), LabelValue::Number(number, unit)) => {
                bound.compare(*number, unit).is_some_and(|over| match *sign {
                    ">=" => over >= 0.0,
                    "<=" => over <= 0.0,
                    ">" => over > 0.0,
                    _ => over < 0.0,
                })
            }
            (Test::Compared(..), LabelValue::Text(_)) => false,
        }
    }
}

fn malformed(problem: String) -> Unmatched {
    Unmatched::new(WarningCode::UnknownLabel, problem)
}

/// The range that a value is: `100..200`, `1kb..`. A number without a unit is in that of the label.
fn range(value: &str) -> Option<Test<'_>> {
    let (least, most) = value.split_once("..")?;
    if least.trim().is_empty() && most.trim().is_empty() {
        return None;
    }
    Some(Test::Range(value, end_of_range(least)?, end_of_range(most)?))
}

/// An end of a range; `None` if there is no such end. Fails if it is not a number.
#[expect(clippy::option_option, reason = "an end may be missing, and it may be malformed")]
fn end_of_range(text: &str) -> Option<Option<Quantity<'_>>> {
    match text.trim() {
        "" => Some(None),
        text => Some(Some(Quantity::parse(text)?)),
    }
}

/// A number with a unit, which may be empty.
struct Quantity<'t> {
    number: f64,
    unit: &'t str,
}

impl<'t> Quantity<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let end = text.find(|sign: char| sign.is_alphabetic() || sign == '%').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number: f64 = number.trim().parse().ok()?;
        number.is_finite().then_some(Self { number, unit })
    }

    /// How much more a number in a unit is. `None` if the units measure different things.
    fn compare(&self, number: i64, unit: &str) -> Option<f64> {
        let number = number as f64;
        if self.unit.is_empty() || self.unit == unit {
            return Some(number - self.number);
        }
        let ((own, own_scale), (other, scale)) = (scale(self.unit)?, scale(unit)?);
        (own == other).then_some(number * scale - self.number * own_scale)
    }
}

/// What a unit measures, and how many bytes or nanoseconds it is.
fn scale(unit: &str) -> Option<(&'static str, f64)> {
    let unit = unit.to_ascii_lowercase();
    let kb = 1024.0_f64;
    Some(match unit.as_str() {
        "b" | "byte" | "bytes" => ("bytes", 1.0),
        "kb" | "kib" | "kilobyte" | "kilobytes" => ("bytes", kb),
        "mb" | "mib" | "megabyte" | "megabytes" => ("bytes", kb.powi(2)),
        "gb" | "gib" | "gigabyte" | "gigabytes" => ("bytes", kb.powi(3)),
        "ns" | "nanosecond" | "nanoseconds" => ("time", 1.0),
        "us" | "µs" | "microsecond" | "microseconds" => ("time", 1e3),
        "ms" | "millisecond" | "milliseconds" => ("time", 1e6),
        "s" | "sec" | "second" | "seconds" => ("time", 1e9),
        "min" | "minute" | "minutes" => ("time", 60e9),
        "h" | "hr" | "hour" | "hours" => ("time", 3600e9),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(filter: &str, value: &LabelValue) -> bool {
        LabelFilter::parse(filter).unwrap().fits(value)
    }

    #[test]
    fn a_filter_is_a_key_an_operator_and_the_rest() {
        for (text, key) in [
            ("size=large", "size"),
            ("size!=large", "size"),
            ("endpoint=~^/a=b", "endpoint"),
            (" size ", "size"),
            ("!size", "size"),
            ("bytes>=1kb", "bytes"),
            ("bytes<2", "bytes"),
            ("bytes = 100..200", "bytes"),
        ] {
            assert_eq!(LabelFilter::parse(text).unwrap().key, key, "{text}");
        }
        for (text, problem) in [
            ("", "`` has no key: expected KEY, KEY=VALUE or KEY=~REGEX"),
            ("=large", "`=large` has no key: expected KEY, KEY=VALUE or KEY=~REGEX"),
            ("bytes>=x", "`bytes>=x`: expected a number after `>=`, such as 512 or 1kb"),
            ("a=~(", "`(` is not a valid regular expression (unclosed group)"),
        ] {
            let error = LabelFilter::parse(text).err().unwrap();
            assert_eq!(error.problem, problem);
        }
    }

    #[test]
    fn texts_are_equal_or_match() {
        let text = |text: &str| LabelValue::Text(text.into());
        assert!(fits("size=large", &text("large")) && !fits("size=large", &text("larger")));
        assert!(fits("size=", &text("")) && !fits("size=", &text("a")));
        assert!(fits("url=~^/api/", &text("/api/x")) && !fits("url=~^/api/", &text("x/api/")));
        // A text that looks like a range, and a number in a text.
        assert!(fits("range=1..2", &text("1..2")) && !fits("range=1..2", &text("1")));
        assert!(!fits("size>1", &text("2")));
        assert!(fits("size", &text("large")) && fits("!size", &text("large")));
    }

    #[test]
    fn numbers_have_ranges_and_units() {
        let bytes = |number| LabelValue::Number(number, "bytes".into());
        for (filter, fitting) in [
            ("bytes=1024", &[1024][..]),
            ("bytes=1kb", &[1024]),
            ("bytes=100..1024", &[100, 512, 1024]),
            ("bytes=..512", &[99, 100, 512]),
            ("bytes=1kb..", &[1024, 1025]),
            ("bytes=512..1kb", &[512, 1024]),
            ("bytes>=1kb", &[1024, 1025]),
            ("bytes>1kb", &[1025]),
            ("bytes<100", &[99]),
            ("bytes<=100", &[99, 100]),
            ("bytes=5ms", &[]),
        ] {
            let all = [99, 100, 512, 1024, 1025];
            let found: Vec<_> = all.into_iter().filter(|&it| fits(filter, &bytes(it))).collect();
            assert_eq!(found, fitting, "{filter}");
        }
        let took = LabelValue::Number(250, "milliseconds".into());
        assert!(fits("took=250 milliseconds", &took) && fits("took=0.25s", &took));
        assert!(fits("took>200ms", &took) && !fits("took>1s", &took));
        // A unit of its own.
        assert!(fits("n=5 requests", &LabelValue::Number(5, "requests".into())));
    }

    #[test]
    fn negated_filters_keep_what_has_no_such_key() {
        let labels = [Label::text("size", "small"), Label::text("size", "large")];
        for (filter, of_both, of_small, of_none) in [
            ("size=large", true, false, false),
            ("size!=large", false, true, true),
            ("size", true, true, false),
            ("!size", false, false, true),
        ] {
            let filter = LabelFilter::parse(filter).unwrap();
            assert_eq!(filter.keeps(labels.iter()), of_both);
            assert_eq!(filter.keeps(labels[..1].iter()), of_small);
            assert_eq!(filter.keeps([].iter()), of_none);
        }
    }
}
