//! The times of samples, in 4 bytes each.

use std::sync::Arc;

/// The time of a sample that is unknown.
const UNKNOWN: u32 = u32::MAX;

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
    /// The clock for these columns of times. `None` if no time is known.
    pub(crate) fn of<'t>(columns: impl Iterator<Item = &'t [f64]>) -> Option<Self> {
        let known = columns.flatten().copied().filter(|time| time.is_finite());
        let (first, last) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| {
            (first.min(at), last.max(at))
        });
        let span_ns = (last - first) * 1e6;
        let mut tick_ns = 1_u64;
        while span_ns / tick_ns as f64 >= f64::from(UNKNOWN) && tick_ns < u64::MAX / 10 {
            tick_ns *= 10;
        }
        (first <= last).then_some(Self { start_ms: first, tick_ns })
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
        (tick != UNKNOWN).then(|| u64::from(tick) * self.tick_ns)
    }
}

impl Times {
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
}
