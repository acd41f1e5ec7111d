//! The weight of samples over time.

use crate::range::last_ns;
use crate::reshape::known_times;
use crate::weighted::{Grid, is_counted};
use crate::{Unmatched, View};
use profile::{Clock, Recording, Samples, StackAccess, ThreadId, WarningCode};

/// The weight of the samples of a view in equal spans of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// When the first bucket starts, in nanoseconds since the first sample of the recording.
    pub start_ns: u64,
    /// When the last bucket ends. A sample at the end of the recording is in the last bucket.
    pub end_ns: u64,
    /// All threads of the view.
    pub all: Activity,
    /// Each thread of the view, if that was requested.
    pub threads: Vec<(ThreadId, Activity)>,
}

impl Timeline {
    /// When bucket `at` of `n` starts, in nanoseconds: the first time that is in it. That of the bucket
    /// after the last one is the end.
    pub fn edge_ns(&self, at: usize, n: usize) -> u64 {
        edge(self.start_ns, self.end_ns, at, n)
    }
}

fn edge(start_ns: u64, end_ns: u64, at: usize, n: usize) -> u64 {
    let since = (u128::from(end_ns - start_ns) * at as u128).div_ceil(n.max(1) as u128);
    start_ns.saturating_add(u64::try_from(since).unwrap_or(u64::MAX))
}

/// The weight of samples over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Activity {
    /// The weight of each bucket.
    pub buckets: Vec<f64>,
    /// The weight of the samples whose time is unknown.
    pub without_time: f64,
}

impl Activity {
    fn new(n: usize) -> Self {
        Self { buckets: vec![0.0; n], without_time: 0.0 }
    }

    fn add(&mut self, other: &Self) {
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(sum, weight)| *sum += weight);
        self.without_time += other.without_time;
    }
}

/// The weight of the samples of `view` in `n` buckets of equal length, from the first sample of
/// `recording` to its last, or over the range of the view. `shown` is `recording` after
/// [`crate::reshape`]. The buckets and the samples without time add up to the total of the view.
pub fn timeline(
    recording: &Recording,
    shown: &Recording,
    view: &View,
    n: usize,
    by_thread: bool,
) -> Result<Timeline, Unmatched> {
    let effect = "no timeline can be shown";
    let (recorded, shown) = recording.sampled().zip(shown.sampled()).ok_or_else(|| {
        let problem = format!("{effect}: this recording is a call graph without samples");
        Unmatched::new(WarningCode::NoStacks, problem)
    })?;
    let clock = known_times(recorded, view.metric, effect)?;
    let last = last_ns(recorded).unwrap_or_default();
    let start_ns = view.range.map_or(0, |range| range.start_ns);
    let end_ns = view.range.map_or(last, |range| range.end_ns.min(last)).max(start_ns);
    let bucket = |ns: u64| {
        let since = u128::from(ns.saturating_sub(start_ns)) * n as u128;
        let bucket = since.checked_div(u128::from(end_ns - start_ns)).unwrap_or_default();
        usize::try_from(bucket).unwrap_or(usize::MAX).min(n.saturating_sub(1))
    };
    let end_of = |bucket: usize| {
        if bucket + 1 >= n {
            return u64::MAX;
        }
        edge(start_ns, end_ns, bucket + 1, n)
    };
    let grid = Grid::of(shown, view);
    let (mut all, mut threads) = (Activity::new(n), Vec::new());
    for (at, samples) in shown.samples().iter().enumerate().filter(|&(at, _)| view.includes(at)) {
        let mut activity = Activity::new(n);
        let weights = samples.weights().get(view.metric.index());
        let weight = |row: usize| grid.round(weights.map_or(0.0, |weights| weights.get(row)));
        let mut passing = Passing::new(samples, clock);
        let mut times = samples.times_ns(clock);
        for (row, stack) in samples.stacks().enumerate() {
            let time = times.as_mut().and_then(Iterator::next).flatten();
            if !is_counted(shown, view, stack) || passing.own_ns(row) > 0 {
                continue;
            }
            let slot = match time {
                Some(ns) => activity.buckets.get_mut(bucket(ns)),
                None => Some(&mut activity.without_time),
            };
            if let Some(slot) = slot {
                *slot += weight(row);
            }
        }
        for (row, mut from, to) in samples.stretches_ns(clock).into_iter().flatten() {
            if !is_counted(shown, view, samples.stack(row)) {
                continue;
            }
            while from < to {
                let at = bucket(from);
                let until = end_of(at).clamp(from + 1, to);
                let of_share = |share| grid.round(weight(row) * share);
                if let Some(slot) = activity.buckets.get_mut(at) {
                    *slot += passing.pass(row, until - from, of_share);
                }
                from = until;
            }
        }
        all.add(&activity);
        threads.extend(by_thread.then(|| (ThreadId::new(at as u32), activity)));
    }
    Ok(Timeline { start_ns, end_ns, all, threads })
}

/// The self time of the recorded calls that has passed, by row. Empty for samples.
pub(crate) struct Passing {
    own_ns: Vec<u64>,
    passed_ns: Vec<u64>,
    /// The weight of the time that has passed.
    given: Vec<f64>,
}

impl Passing {
    pub(crate) fn new(samples: &Samples, clock: Clock) -> Self {
        let stretches = samples.stretches_ns(clock);
        let n = if stretches.is_some() { samples.len() } else { 0 };
        let mut own_ns = vec![0; n];
        for (row, from, to) in stretches.into_iter().flatten() {
            own_ns[row] += to - from;
        }
        Self { own_ns, passed_ns: vec![0; n], given: vec![0.0; n] }
    }

    fn own_ns(&self, row: usize) -> u64 {
        self.own_ns.get(row).copied().unwrap_or_default()
    }

    /// The weight of the next `ns` nanoseconds of a row. `weight` returns the rounded weight of a
    /// share of its self time. The weights of a row add up to the weight of the whole.
    pub(crate) fn pass(&mut self, row: usize, ns: u64, weight: impl Fn(f64) -> f64) -> f64 {
        self.passed_ns[row] += ns;
        let until_now = weight(self.passed_ns[row] as f64 / self.own_ns[row] as f64);
        until_now - std::mem::replace(&mut self.given[row], until_now)
    }
}
