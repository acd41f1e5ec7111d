//! Ranges of time, as people give them.

use crate::error::FetchError;
use crate::options::Options;
use jiff::Timestamp;
use std::fmt;

/// The default start, relative to now.
const SINCE: &str = "1h";

/// A time range in milliseconds since 1970, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Where it begins.
    pub from_ms: i64,
    /// Where it ends.
    pub until_ms: i64,
}

impl Range {
    /// The range that options ask for. `now_ms` is now.
    pub(crate) fn of(options: &Options, now_ms: i64) -> Result<Self, FetchError> {
        let from_ms = point("since", options.since.as_deref().unwrap_or(SINCE), now_ms)?;
        let until = options.until.as_deref();
        let until_ms = until.map_or(Ok(now_ms), |until| point("until", until, now_ms))?;
        if from_ms >= until_ms {
            return Err(FetchError::Usage("`since` is not before `until`".to_owned()));
        }
        Ok(Self { from_ms, until_ms })
    }

    /// The earlier range of the same length, if options ask for one.
    pub(crate) fn baseline(
        self,
        options: &Options,
        now_ms: i64,
    ) -> Result<Option<Self>, FetchError> {
        let Some(since) = &options.baseline_since else { return Ok(None) };
        let from_ms = point("baseline-since", since, now_ms)?;
        let until_ms = from_ms.saturating_add(self.until_ms - self.from_ms);
        if until_ms > self.from_ms {
            return Err(FetchError::Usage(format!(
                "baseline-since {since}: the second range has the same length as the first and \
                 would overlap it; let it begin earlier"
            )));
        }
        Ok(Some(Self { from_ms, until_ms }))
    }

    /// Its ends in seconds; parts of the last one count.
    pub(crate) fn seconds(self) -> [i64; 2] {
        [self.from_ms.div_euclid(1000), (self.until_ms + 999).div_euclid(1000)]
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, until] = self.seconds().map(|second| {
            Timestamp::from_second(second).map_or_else(|_| second.to_string(), |it| it.to_string())
        });
        write!(f, "{from} to {until}")
    }
}

/// A point in time: so long ago, or a time with its zone.
fn point(option: &str, text: &str, now_ms: i64) -> Result<i64, FetchError> {
    if let Some(ago) = duration_ms(text) {
        return Ok(now_ms.saturating_sub(ago));
    }
    text.parse::<Timestamp>().map(Timestamp::as_millisecond).map_err(|_| {
        FetchError::Usage(format!(
            "{option} {text}: expected how long ago, `15m`, `1h` or `7d`, or a time like \
             `2026-11-24T10:00:00Z`"
        ))
    })
}

/// A number and a unit.
fn duration_ms(text: &str) -> Option<i64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    let number = number.parse::<u32>().ok()?;
    Some(i64::from(number) * seconds * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_764_000_000_000;

    fn options(since: &str, until: Option<&str>, baseline: Option<&str>) -> Options {
        Options {
            since: Some(since.to_owned()),
            until: until.map(str::to_owned),
            baseline_since: baseline.map(str::to_owned),
            ..Options::default()
        }
    }

    #[test]
    fn ranges_end_now_or_where_they_are_told_to() {
        let range = |options: &Options| Range::of(options, NOW).map(|it| [it.from_ms, it.until_ms]);
        assert_eq!(range(&Options::default()).unwrap(), [NOW - 3_600_000, NOW]);
        assert_eq!(
            range(&options("2w", Some("7d"), None)).unwrap(),
            [NOW - 14 * 86_400_000, NOW - 7 * 86_400_000]
        );
        let exact = options("2025-11-24T15:00:00Z", Some("2025-11-24T17:00:00+01:00"), None);
        assert_eq!(range(&exact).unwrap(), [1_763_996_400_000, 1_764_000_000_000]);
        let message = |options: Options| range(&options).unwrap_err().to_string();
        assert_eq!(message(options("1h", Some("2h"), None)), "`since` is not before `until`");
        assert!(message(options("yesterday", None, None)).starts_with("since yesterday: expected"));
        assert!(message(options("é", None, None)).starts_with("since é: expected"));
    }

    #[test]
    fn the_baseline_is_as_long_and_earlier() {
        let baseline = |options: Options| {
            let range = Range::of(&options, NOW).unwrap();
            range.baseline(&options, NOW).map(|it| it.map(|it| [it.from_ms, it.until_ms]))
        };
        assert_eq!(baseline(options("7d", None, None)).unwrap(), None);
        let last_week = [NOW - 14 * 86_400_000, NOW - 7 * 86_400_000];
        assert_eq!(baseline(options("7d", None, Some("2w"))).unwrap(), Some(last_week));
        let message = baseline(options("7d", None, Some("8d"))).unwrap_err().to_string();
        assert!(message.starts_with("baseline-since 8d: the second range has the same length"));
    }
}
