//! The times of samples and the stretches of recorded calls, for formats that state them. Each time
//! takes 4 bytes: decimal ticks since the first sample.

use std::sync::Arc;

/// The time of a sample that is unknown.
const UNKNOWN: u32 = u32::MAX;

/// The longest recording, 292 years. Nanoseconds beyond it do not fit.
const MAX_SPAN_NS: f64 = i64::MAX as f64;

/// The times of a thread's samples.
#[derive(Debug, Clone)]
pub(crate) enum Times {
    /// While a profile is being built: milliseconds of the file's clock. NaN: unknown.
    Stated(Vec<f64>),
    /// In a profile: ticks since the first sample of all threads. See [`Clock`].
    Ticks(Arc<[u32]>),
}

/// The clock of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// The time of the first sample of all threads, in milliseconds of the file's clock.
    pub(crate) start_ms: f64,
    /// The length of a tick in nanoseconds: a power of ten, so that milliseconds are whole numbers
    /// of ticks in recordings of up to 49 days. 1 in recordings of up to 4 seconds.
    pub(crate) tick_ns: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { start_ms: 0.0, tick_ns: 1 }
    }
}

impl Clock {
    /// The clock for these columns of times. `None` if no time is known, or if they are centuries
    /// apart, so that some must be of another clock.
    pub(crate) fn of<'t>(columns: impl Iterator<Item = &'t [f64]>) -> Option<Self> {
        let known = columns.flatten().copied().filter(|time| time.is_finite());
        let (first, last) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| {
            (first.min(at), last.max(at))
        });
        let span_ns = (last - first) * 1e6;
        if !(0.0..=MAX_SPAN_NS).contains(&span_ns) {
            return None;
        }
        let mut tick_ns = 1_u64;
        while span_ns / tick_ns as f64 >= f64::from(UNKNOWN) {
            tick_ns *= 10;
        }
        Some(Self { start_ms: first, tick_ns })
    }

    /// The tick of a time in milliseconds of the file's clock.
    pub(crate) fn tick(self, time_ms: f64) -> u32 {
        if !time_ms.is_finite() {
            return UNKNOWN;
        }
        // Decimal fractions of milliseconds are not exact in binary.
        let ns = ((time_ms - self.start_ms) * 1e6).round();
        #[expect(clippy::cast_sign_loss, reason = "no time is before the first")]
        let tick = (ns / self.tick_ns as f64).floor() as u32;
        tick.min(UNKNOWN - 1)
    }

    /// A tick in nanoseconds since the first sample. `None` if the time is unknown.
    pub(crate) fn ns(self, tick: u32) -> Option<u64> {
        (tick != UNKNOWN).then(|| u64::from(tick).saturating_mul(self.tick_ns))
    }
}

/// When the self time of recorded calls passed: the stretches of time between the calls that they
/// made. Parallel columns. Rows without any have no self time.
#[derive(Debug, Clone)]
pub(crate) struct Stretches {
    /// The row of the call.
    pub(crate) rows: Arc<[u32]>,
    pub(crate) starts: Times,
    pub(crate) ends: Times,
}

impl Stretches {
    /// Stretches in nanoseconds since the first sample of the profile: row, start and end.
    pub(crate) fn from_ns(stretches: &[(u32, u64, u64)], clock: Clock) -> Self {
        let tick = |ns: u64| u32::try_from(ns / clock.tick_ns).unwrap_or(UNKNOWN - 1);
        Self {
            rows: stretches.iter().map(|&(row, ..)| row).collect(),
            starts: Times::Ticks(stretches.iter().map(|&(_, start, _)| tick(start)).collect()),
            ends: Times::Ticks(stretches.iter().map(|&(.., end)| tick(end)).collect()),
        }
    }

    /// Those of other rows. `row` returns the new row of an old one, if it is kept.
    pub(crate) fn at(&self, row: impl Fn(u32) -> Option<u32>) -> Self {
        let kept = self.rows.iter().enumerate().filter_map(|(i, &old)| Some((i, row(old)?)));
        let (kept, rows): (Vec<usize>, Vec<u32>) = kept.unzip();
        Self { rows: rows.into(), starts: self.starts.rows(&kept), ends: self.ends.rows(&kept) }
    }

    /// These with their times in ticks.
    pub(crate) fn in_ticks(self, clock: Clock) -> Self {
        let (starts, ends) = (self.starts.in_ticks(clock), self.ends.in_ticks(clock));
        Self { starts, ends, ..self }
    }

    /// These with their times in milliseconds, later by `start_ms`.
    pub(crate) fn stated(&self, clock: Clock, start_ms: f64) -> Self {
        let stated = |times: &Times| times.stated(clock, start_ms);
        Self { rows: self.rows.clone(), starts: stated(&self.starts), ends: stated(&self.ends) }
    }

    /// Row, start and end of each, in nanoseconds since the first sample of the profile. Empty
    /// while the profile is being built.
    pub(crate) fn iter_ns(&self, clock: Clock) -> impl Iterator<Item = (usize, u64, u64)> {
        let (starts, ends) = (self.starts.ticks(), self.ends.ticks());
        let times = starts.iter().zip(ends);
        self.rows.iter().zip(times).filter_map(move |(&row, (&start, &end))| {
            Some((row as usize, clock.ns(start)?, clock.ns(end)?))
        })
    }
}

impl Times {
    /// These times in ticks.
    pub(crate) fn in_ticks(self, clock: Clock) -> Self {
        match self {
            Self::Stated(times) => {
                Self::Ticks(times.into_iter().map(|time| clock.tick(time)).collect())
            }
            ticks @ Self::Ticks(_) => ticks,
        }
    }

    /// These times in milliseconds, later by `start_ms`.
    pub(crate) fn stated(&self, clock: Clock, start_ms: f64) -> Self {
        let ms = |&tick: &u32| clock.ns(tick).map_or(f64::NAN, |ns| start_ms + ns as f64 / 1e6);
        match self {
            Self::Stated(times) => Self::Stated(times.clone()),
            Self::Ticks(ticks) => Self::Stated(ticks.iter().map(ms).collect()),
        }
    }

    /// The ticks; empty while the profile is being built.
    fn ticks(&self) -> &[u32] {
        match self {
            Self::Stated(_) => &[],
            Self::Ticks(ticks) => ticks,
        }
    }

    /// The milliseconds; empty in a profile.
    pub(crate) fn milliseconds(&self) -> &[f64] {
        match self {
            Self::Stated(times) => times,
            Self::Ticks(_) => &[],
        }
    }

    /// These followed by `more`. `None` unless both are milliseconds.
    pub(crate) fn followed_by(self, more: &Self) -> Option<Self> {
        match (self, more) {
            (Self::Stated(first), Self::Stated(second)) => {
                Some(Self::Stated([first.as_slice(), second].concat()))
            }
            _ => None,
        }
    }

    /// The number of times.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Stated(times) => times.len(),
            Self::Ticks(ticks) => ticks.len(),
        }
    }

    /// The times of these rows.
    pub(crate) fn rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::Stated(times) => {
                Self::Stated(rows.iter().filter_map(|&row| times.get(row).copied()).collect())
            }
            Self::Ticks(ticks) => {
                Self::Ticks(rows.iter().filter_map(|&row| ticks.get(row).copied()).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_whole_ticks() {
        for (last, tick_ns) in [(4_294.0, 1), (4_296.0, 10), (3_600_000.0, 1000)] {
            let times = [0.1, f64::NAN, last];
            let clock = Clock::of([times.as_slice()].into_iter()).unwrap();
            assert_eq!(clock.tick_ns, tick_ns, "{last}");
            let ns = |time: f64| clock.ns(clock.tick(time));
            assert_eq!((ns(0.1), ns(f64::NAN)), (Some(0), None));
            assert_eq!(ns(2.1), Some(2_000_000));
            assert_eq!(ns(2.0999), Some(1_999_900 / tick_ns * tick_ns));
        }
        assert_eq!(Clock::of([[f64::NAN].as_slice()].into_iter()), None);
    }

    #[test]
    fn times_that_are_centuries_apart_are_unknown() {
        let clock = |times: &[f64]| Clock::of([times].into_iter());
        // 1 and 1000 years.
        let year_ms = 365.0 * 86_400.0 * 1e3;
        let year = clock(&[0.0, year_ms]).unwrap();
        assert_eq!(year.ns(year.tick(year_ms)), Some(365 * 86_400 * 1_000_000_000));
        assert_eq!(clock(&[0.0, 1e3 * year_ms]), None);
        assert_eq!(clock(&[-f64::MAX, f64::MAX]), None);
    }
}
