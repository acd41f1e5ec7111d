//! What Austin's text format ([`super::folded`]) and its binary format ([`super::mojo`]) share:
//! modes, values, threads.

use crate::writer::Producer;
use profile::{LineKnowledge, Metric, Thread};

/// The library of frames in the kernel.
pub(crate) const KERNEL: &str = "kernel";

/// What was recorded, by the metadata `mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Wall,
    Cpu,
    Memory,
    /// Time, memory, and whether the thread was idle.
    Full,
    /// Time of an unknown kind.
    Time,
}

impl Mode {
    pub(crate) fn of(mode: &str) -> Option<Self> {
        Some(match mode {
            "wall" => Self::Wall,
            "cpu" => Self::Cpu,
            "memory" => Self::Memory,
            "full" => Self::Full,
            _ => return None,
        })
    }

    /// Names and units of the metrics.
    pub(crate) fn metrics(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Wall => &[("wall", "us")],
            Self::Cpu => &[("cpu", "us")],
            Self::Memory => &[("memory", "bytes")],
            Self::Full => &[("wall", "us"), ("cpu", "us"), ("memory", "bytes")],
            Self::Time => &[("time", "us")],
        }
    }
}

/// Metrics with these names and units.
pub(crate) fn metrics(metrics: &[(&str, &str)], lines: LineKnowledge) -> Vec<Metric> {
    metrics.iter().map(|(name, unit)| Metric::new(name, unit, None).with_lines(lines)).collect()
}

/// The values of one sample.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Values {
    pub(crate) time_us: f64,
    pub(crate) idle: bool,
    /// Negative if memory was freed.
    pub(crate) memory_bytes: f64,
}

impl Values {
    /// The weight in the metric with this index among [`Mode::metrics`].
    pub(crate) fn weight(self, mode: Mode, metric: usize) -> f64 {
        match (mode, metric) {
            (Mode::Memory, _) | (Mode::Full, 2) => self.memory_bytes,
            // An idle thread uses no processor time.
            (Mode::Full, 1) if self.idle => 0.0,
            _ => self.time_us,
        }
    }
}

/// The thread at the beginning of a stack: `P<pid>;T<interpreter>:<tid>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadPrefix<'a> {
    /// The whole prefix, which is the thread's name.
    pub(crate) text: &'a str,
    pub(crate) pid: &'a str,
    pub(crate) tid: &'a str,
}

impl ThreadPrefix<'_> {
    pub(crate) fn to_thread(self) -> Thread {
        let Self { text, pid, tid } = self;
        Thread {
            name: text.to_owned(),
            pid: Some(pid.to_owned()),
            tid: Some(tid.to_owned()),
            ..Thread::default()
        }
    }
}

/// Splits a stack into its thread, if it begins with one, and its frames.
pub(crate) fn thread(stack: &str) -> (Option<ThreadPrefix<'_>>, &str) {
    let parse = || {
        let (pid, rest) = stack.strip_prefix('P')?.split_once(";T")?;
        let (thread, frames) = rest.split_once(';').unwrap_or((rest, ""));
        let known = pid.bytes().all(|b| b.is_ascii_digit())
            && thread.starts_with(|first: char| first.is_ascii_digit())
            && thread.bytes().all(|b| b.is_ascii_alphanumeric() || b == b':');
        let tid = thread.rsplit(':').next()?;
        let text = stack.get(..pid.len() + thread.len() + 3)?;
        known.then_some((ThreadPrefix { text, pid, tid }, frames))
    };
    parse().map_or((None, stack), |(thread, frames)| (Some(thread), frames))
}

/// The producer, by the metadata `austin`.
pub(crate) fn producer(version: &str) -> Producer {
    Producer::new("austin", version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_precedes_its_frames() {
        let prefix = ThreadPrefix { text: "P16575;T0:16577", pid: "16575", tid: "16577" };
        assert_eq!(thread("P16575;T0:16577;a;b"), (Some(prefix), "a;b"));
        assert_eq!(thread("P16575;T0:16577"), (Some(prefix), ""));
        assert_eq!(thread("P1;T7;a").0.map(|thread| thread.tid), Some("7"));
        for frames in ["Parse;Text", "P1;Text", "P1", "a;P1;T0:1", ""] {
            assert_eq!(thread(frames), (None, frames));
        }
    }

    #[test]
    fn idle_time_is_wall_time_only() {
        let values = Values { time_us: 10.0, idle: true, memory_bytes: -5.0 };
        assert_eq!([0, 1, 2].map(|metric| values.weight(Mode::Full, metric)), [10.0, 0.0, -5.0]);
        assert_eq!(
            [Mode::Wall, Mode::Cpu, Mode::Memory, Mode::Time].map(|mode| values.weight(mode, 0)),
            [10.0, 10.0, -5.0, 10.0]
        );
    }
}
