//! What the profiler measures, as metrics.

use super::costs::Cost;
use super::nodes::{Counts, Header};
use profile::{LineKnowledge, Metric};

/// A metric of deep profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Call sequence numbers: how many calls were made, including those below.
    Callseqs,
    /// Clock ticks.
    Quanta,
    /// Allocations of memory.
    Allocs,
    /// Words of memory.
    Words,
    /// Bytes of memory.
    Bytes,
    /// Calls.
    Calls,
    Exits,
    Fails,
    Redos,
    Excepts,
}

impl Measure {
    /// All measures; the first is the default, as in Mercury's own tool. Ticks are too few to rank
    /// by in short runs.
    pub(super) const ALL: [Self; 10] = [
        Self::Callseqs,
        Self::Quanta,
        Self::Allocs,
        Self::Words,
        Self::Bytes,
        Self::Calls,
        Self::Exits,
        Self::Fails,
        Self::Redos,
        Self::Excepts,
    ];

    pub(super) fn metric(self, header: &Header) -> Metric {
        /// Mercury's own tool hides times below this number of ticks.
        const MIN_TICKS: u64 = 10;
        let (name, unit) = match self {
            Self::Callseqs => ("callseqs", "callseqs"),
            Self::Quanta => ("quanta", "ticks"),
            Self::Allocs => ("allocs", "allocs"),
            Self::Words => ("words", "words"),
            Self::Bytes => ("bytes", "bytes"),
            Self::Calls => ("calls", "calls"),
            Self::Exits => ("exits", "exits"),
            Self::Fails => ("fails", "fails"),
            Self::Redos => ("redos", "redos"),
            Self::Excepts => ("excepts", "excepts"),
        };
        let mut metric = Metric::new(name, unit, None).with_lines(LineKnowledge::Calls);
        if self == Self::Quanta && header.ticks_per_second > 0 && header.user_ticks > MIN_TICKS {
            metric.seconds_per_unit = Some(1.0 / header.ticks_per_second as f64);
        }
        metric
    }

    /// What the callee consumed itself.
    pub(super) fn own(self, counts: &Counts, header: &Header) -> f64 {
        let own = match self {
            Self::Callseqs => counts.callseqs,
            Self::Quanta => counts.quanta,
            Self::Allocs => counts.allocs,
            Self::Words => counts.words,
            Self::Bytes => counts.words.saturating_mul(u64::from(header.bytes_per_word)),
            Self::Calls => counts.calls(),
            Self::Exits => counts.exits,
            Self::Fails => counts.fails,
            Self::Redos => counts.redos,
            Self::Excepts => counts.exceptions,
        };
        own as f64
    }

    /// An inclusive cost; `None` for measures that do not add up along calls.
    pub(super) fn inclusive(self, cost: Cost, header: &Header) -> Option<f64> {
        let cost = match self {
            Self::Callseqs => cost.callseqs,
            Self::Quanta => cost.quanta,
            Self::Allocs => cost.allocs,
            Self::Words => cost.words,
            Self::Bytes => cost.words.saturating_mul(u64::from(header.bytes_per_word)),
            Self::Calls | Self::Exits | Self::Fails | Self::Redos | Self::Excepts => return None,
        };
        Some(cost as f64)
    }
}
