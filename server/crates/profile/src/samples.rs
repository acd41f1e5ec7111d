//! Threads and their samples.

use crate::ids::NONE;
use crate::times::{Clock, Stretches, Times};
use crate::{LabelSetId, StackId};

/// The weights of one thread's samples in one metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// Every sample weighs 1.
    Ones,
    /// One weight per sample. Weights below zero are legal (freed bytes, differences).
    Each(Vec<f64>),
    /// One weight per sample, all of them counts. Takes half the memory.
    Counts(Vec<u32>),
}

impl Weights {
    /// One weight per sample, in the smallest representation.
    pub fn compact(weights: Vec<f64>) -> Self {
        // Copy: collecting in place would keep the larger allocation.
        let counts: Option<Vec<u32>> = weights.iter().map(|&weight| Self::count(weight)).collect();
        counts.map_or(Self::Each(weights), Self::Counts)
    }

    /// Appends the weight of sample `i`. A column of counts stays one as long as all are counts.
    fn push(&mut self, i: usize, weight: f64) {
        match (&mut *self, Self::count(weight)) {
            (Self::Ones, Some(1)) => {}
            (Self::Counts(column), Some(count)) => column.push(count),
            (Self::Each(column), _) => column.push(weight),
            (Self::Ones | Self::Counts(_), _) => {
                let weights = (0..i).map(|i| self.get(i)).chain([weight]);
                *self = Self::Each(weights.collect());
            }
        }
    }

    /// The weight as a count, if it is one.
    pub fn count(weight: f64) -> Option<u32> {
        #[expect(clippy::cast_sign_loss, reason = "what does not come back the same is not taken")]
        let count = weight as u32;
        (f64::from(count).to_bits() == weight.to_bits()).then_some(count)
    }

    /// The number of weights; `None` if every sample weighs 1.
    pub fn n_rows(&self) -> Option<usize> {
        match self {
            Self::Ones => None,
            Self::Each(column) => Some(column.len()),
            Self::Counts(column) => Some(column.len()),
        }
    }

    /// The weight of sample `i`; 0 past the end of the column.
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Self::Ones => 1.0,
            Self::Each(column) => column.get(i).copied().unwrap_or(0.0),
            Self::Counts(column) => column.get(i).copied().map_or(0.0, f64::from),
        }
    }
}

/// The samples of one thread, in columns.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    pub(crate) stack: Vec<u32>,
    pub(crate) weights: Vec<Weights>,
    pub(crate) calls: Option<Vec<u32>>,
    pub(crate) times: Option<Times>,
    pub(crate) stretches: Option<Stretches>,
    /// `None` if no sample has labels.
    pub(crate) labels: Option<Vec<LabelSetId>>,
}

impl Samples {
    /// Samples from a stack column (`None`: no stack) and one weight column per metric of the
    /// profile.
    pub fn new(stacks: impl IntoIterator<Item = Option<StackId>>, weights: Vec<Weights>) -> Self {
        let stack = stacks.into_iter().map(|stack| stack.map_or(NONE, StackId::raw)).collect();
        Self { stack, weights, ..Self::default() }
    }

    /// No samples yet, with this number of metrics.
    pub fn with_metrics(n_metrics: usize) -> Self {
        Self { weights: vec![Weights::Counts(Vec::new()); n_metrics], ..Self::default() }
    }

    /// Appends a sample (`None`: no stack). `weight` returns its weight in each metric. Only for
    /// samples without calls and times.
    pub fn push(&mut self, stack: Option<StackId>, mut weight: impl FnMut(usize) -> f64) {
        let row = self.stack.len();
        self.stack.push(stack.map_or(NONE, StackId::raw));
        for (metric, column) in self.weights.iter_mut().enumerate() {
            column.push(row, weight(metric));
        }
    }

    /// Sets how many calls of its leaf each sample stands for, in a recording of every call. A call
    /// that runs, calls another function and runs again is one sample per stretch; only the first
    /// counts 1, the others 0.
    #[must_use]
    pub fn with_calls(self, calls: Vec<u32>) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// Sets the time of each sample, in milliseconds of the file's clock; NaN if it is unknown.
    #[must_use]
    pub fn with_times(self, times_ms: Vec<f64>) -> Self {
        Self { times: Some(Times::Stated(times_ms)), ..self }
    }

    /// Sets the labels of each sample.
    #[must_use]
    pub fn with_labels(self, labels: Vec<LabelSetId>) -> Self {
        Self { labels: Some(labels), ..self }
    }

    /// Sets when the self time of recorded calls passed: for each stretch of time the row of the
    /// call, the start and the end, in milliseconds of the file's clock. The time of a row
    /// ([`Self::with_times`]) is then the beginning of the call.
    #[must_use]
    pub fn with_stretches(self, rows: Vec<u32>, starts_ms: Vec<f64>, ends_ms: Vec<f64>) -> Self {
        let (starts, ends) = (Times::Stated(starts_ms), Times::Stated(ends_ms));
        Self { stretches: Some(Stretches { rows: rows.into(), starts, ends }), ..self }
    }

    /// When the self time of recorded calls passed: row, start and end of each stretch, in
    /// nanoseconds since the first sample of the profile. `None` for samples. `clock` is the
    /// profile's clock.
    pub fn stretches_ns(&self, clock: Clock) -> Option<impl Iterator<Item = (usize, u64, u64)>> {
        Some(self.stretches.as_ref()?.iter_ns(clock))
    }

    /// The last time of a sample, or end of a call, in nanoseconds since the first sample of the
    /// profile. `None` if it is unknown. `clock` is the profile's clock.
    pub fn last_ns(&self, clock: Clock) -> Option<u64> {
        let times = self.times_ns(clock).into_iter().flatten().flatten();
        let ends = self.stretches_ns(clock).into_iter().flatten().map(|(_, _, end)| end);
        times.chain(ends).max()
    }

    /// The columns with the first and the last time.
    pub(crate) fn time_columns(&self) -> impl Iterator<Item = &Times> {
        self.times.iter().chain(self.stretches.as_ref().map(|stretches| &stretches.ends))
    }

    /// These samples with their times in milliseconds, later by `start_ms`.
    #[must_use]
    pub(crate) fn stated(self, clock: Clock, start_ms: f64) -> Self {
        let times = self.times.map(|times| times.stated(clock, start_ms));
        let stretches = self.stretches.map(|stretches| stretches.stated(clock, start_ms));
        Self { times, stretches, ..self }
    }

    /// The time of each sample in nanoseconds since the first sample of the profile, if times were
    /// recorded. `clock` is the profile's clock.
    pub fn times_ns(&self, clock: Clock) -> Option<impl ExactSizeIterator<Item = Option<u64>>> {
        match &self.times {
            Some(Times::Ticks(ticks)) => Some(ticks.iter().map(move |&tick| clock.ns(tick))),
            Some(Times::Stated(_)) | None => None,
        }
    }

    /// How many calls of its leaf each sample stands for, if calls were recorded.
    pub fn calls(&self) -> Option<&[u32]> {
        self.calls.as_deref()
    }

    /// The labels of sample `i`.
    pub fn label_set(&self, i: usize) -> LabelSetId {
        let labels = self.labels.as_ref().and_then(|labels| labels.get(i));
        labels.copied().unwrap_or(LabelSetId::NONE)
    }

    /// The samples for which `stack` returns `Some`, with that stack. A sample that moves to
    /// another stack counts as no call of its new leaf.
    #[must_use]
    pub fn with_stacks(&self, stack: impl Fn(Option<StackId>) -> Option<Option<StackId>>) -> Self {
        self.filtered(|i| stack(self.stack(i)))
    }

    /// The samples whose labels fulfil a condition.
    #[must_use]
    pub fn labelled(&self, is_kept: impl Fn(LabelSetId) -> bool) -> Self {
        self.filtered(|i| is_kept(self.label_set(i)).then(|| self.stack(i)))
    }

    /// The samples from `start` to before `end`, in nanoseconds since the first sample of the
    /// profile, and none whose time is unknown. Of recorded calls the self time in the range; calls
    /// that began before do not count again. `clock` is the profile's clock.
    #[must_use]
    pub fn within(&self, start: u64, end: u64, clock: Clock) -> Self {
        let Some(Times::Ticks(ticks)) = &self.times else { return self.filtered(|_| None) };
        let begins_within = |i: usize| {
            let at = ticks.get(i).and_then(|&tick| clock.ns(tick));
            at.is_some_and(|at| (start..end).contains(&at))
        };
        let Some(stretches) = &self.stretches else {
            return self.filtered(|i| begins_within(i).then(|| self.stack(i)));
        };
        let (mut own, mut own_within) = (vec![0_u64; self.len()], vec![0_u64; self.len()]);
        let mut parts = Vec::new();
        for (row, from, to) in stretches.iter_ns(clock) {
            own[row] += to - from;
            let (from, to) = (from.max(start), to.min(end));
            if from < to {
                own_within[row] += to - from;
                parts.push((row as u32, from, to));
            }
        }
        let share = |i: usize| {
            if own[i] == 0 { 1.0 } else { own_within[i] as f64 / own[i] as f64 }
        };
        let cut = |weights: &Weights| {
            Weights::compact((0..self.len()).map(|i| weights.get(i) * share(i)).collect())
        };
        let calls = self.calls.as_ref().map(|calls| {
            calls.iter().enumerate().map(|(i, &n)| if begins_within(i) { n } else { 0 }).collect()
        });
        let weights = self.weights.iter().map(cut).collect();
        let stretches = Some(Stretches::from_ns(&parts, clock));
        let cut = Self { weights, calls, stretches, ..self.clone() };
        cut.filtered(|i| (begins_within(i) || own_within[i] > 0).then(|| self.stack(i)))
    }

    /// The samples for whose row `stack` returns `Some`, with that stack.
    fn filtered(&self, stack: impl Fn(usize) -> Option<Option<StackId>>) -> Self {
        let kept = (0..self.len()).filter_map(|i| Some((i, stack(i)?)));
        let (rows, stacks): (Vec<usize>, Vec<Option<StackId>>) = kept.unzip();
        let weights = self.weights.iter().map(|weights| match weights {
            Weights::Ones => Weights::Ones,
            Weights::Each(_) => Weights::Each(rows.iter().map(|&i| weights.get(i)).collect()),
            Weights::Counts(column) => {
                Weights::Counts(rows.iter().filter_map(|&i| column.get(i).copied()).collect())
            }
        });
        let calls = self.calls.as_ref().map(|calls| {
            let calls = |(&i, &stack): (&usize, &Option<StackId>)| {
                if stack == self.stack(i) { calls[i] } else { 0 }
            };
            rows.iter().zip(&stacks).map(calls).collect()
        });
        let times = self.times.as_ref().map(|times| times.rows(&rows));
        let stretches = self.stretches.as_ref().map(|stretches| {
            let mut new = vec![None; self.len()];
            for (row, &old) in (0..).zip(&rows) {
                new[old] = Some(row);
            }
            stretches.at(|old| new.get(old as usize).copied().flatten())
        });
        let labels = self.labels.as_ref();
        let labels = labels.map(|_| rows.iter().map(|&i| self.label_set(i)).collect());
        Self { calls, times, stretches, labels, ..Self::new(stacks, weights.collect()) }
    }

    /// The same samples with other stacks, one per sample. Call counts stay, so the leaf of each
    /// sample must still be the same function.
    #[must_use]
    pub(crate) fn at_stacks(&self, stacks: impl IntoIterator<Item = Option<StackId>>) -> Self {
        let new = Self::new(stacks, Vec::new());
        Self { stack: new.stack, ..self.clone() }
    }

    /// The same samples with other sets of labels.
    #[must_use]
    pub(crate) fn with_label_sets(self, new: impl Fn(LabelSetId) -> LabelSetId) -> Self {
        let labels = self.labels.map(|sets| sets.into_iter().map(new).collect());
        Self { labels, ..self }
    }

    /// The same samples with the weights of a mean. The number of calls is then unknown.
    #[must_use]
    pub(crate) fn with_mean(&self, weights: Vec<Weights>) -> Self {
        Self { weights, calls: None, ..self.clone() }
    }

    /// These samples followed by `more`, which must have the same metrics. Times are kept if they
    /// come from [`Samples::with_times`].
    #[must_use]
    pub(crate) fn followed_by(self, more: Self) -> Self {
        if self.is_empty() {
            return more;
        }
        let has_labels = self.labels.is_some() || more.labels.is_some();
        let labels = has_labels.then(|| {
            let before = (0..self.stack.len()).map(|i| self.label_set(i));
            before.chain((0..more.stack.len()).map(|i| more.label_set(i))).collect()
        });
        let join = |(first, second): (Weights, &Weights)| match (first, second) {
            (Weights::Ones, Weights::Ones) => Weights::Ones,
            (first, second) => {
                let first = (0..self.stack.len()).map(|i| first.get(i));
                Weights::compact(
                    first.chain((0..more.stack.len()).map(|i| second.get(i))).collect(),
                )
            }
        };
        let weights = self.weights.into_iter().zip(&more.weights).map(join).collect();
        let calls = self.calls.zip(more.calls).map(|(first, second)| [first, second].concat());
        let times = self.times.zip(more.times);
        let times = times.and_then(|(first, second)| first.followed_by(&second));
        let n_before = self.stack.len() as u32;
        let stretches = self.stretches.zip(more.stretches).and_then(|(first, second)| {
            let second_rows = second.rows.iter().map(|row| row + n_before);
            Some(Stretches {
                rows: first.rows.iter().copied().chain(second_rows).collect(),
                starts: first.starts.followed_by(&second.starts)?,
                ends: first.ends.followed_by(&second.ends)?,
            })
        });
        Self { stack: [self.stack, more.stack].concat(), weights, calls, times, stretches, labels }
    }

    /// The stack of sample `i`.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn stack(&self, i: usize) -> Option<StackId> {
        let stack = self.stack[i];
        (stack != NONE).then(|| StackId::new(stack))
    }

    /// The stack of each sample.
    pub fn stacks(&self) -> impl ExactSizeIterator<Item = Option<StackId>> + '_ {
        self.stack.iter().map(|&stack| (stack != NONE).then(|| StackId::new(stack)))
    }

    /// The weights in each metric.
    pub fn weights(&self) -> &[Weights] {
        &self.weights
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}

/// One thread of one process.
#[derive(Debug, Clone, Default)]
pub struct Thread {
    /// The name; empty if unknown.
    pub name: String,
    /// The name of its process; empty if unknown.
    pub process_name: String,
    /// The process id, as spelled in the profile.
    pub pid: Option<String>,
    /// The thread id, as spelled in the profile.
    pub tid: Option<String>,
    /// The index of its run, if profiles of several runs are merged.
    pub run: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_recording_are_those_of_all_threads() {
        let mut samples = Samples::with_metrics(1);
        assert!(samples.is_empty());
        samples.push(None, |_| 1.0);
        assert_eq!((samples.is_empty(), samples.len()), (false, 1));
        let text = "a b[thread:2]\nc";
        let recording = crate::Recording::from(crate::text_samples::profile(text));
        assert_eq!(recording.n_samples(), 2);
        assert_eq!(crate::Recording::from(crate::GraphTables::default()).n_samples(), 0);
    }

    #[test]
    fn pushed_weights_are_counts_as_long_as_they_can_be() {
        let mut samples = Samples::with_metrics(2);
        let rows = [[3.0, 0.0], [1.0, 0.5], [-2.0, 4.0]];
        let mut columns = Vec::new();
        for row in rows {
            samples.push(Some(StackId::new(7)), |metric| row[metric]);
            columns.push(samples.weights().to_vec());
        }
        let (counts, each) = (|c: &[u32]| Weights::Counts(c.to_vec()), Weights::Each);
        assert_eq!(columns[0], [counts(&[3]), counts(&[0])]);
        assert_eq!(columns[1], [counts(&[3, 1]), each(vec![0.0, 0.5])]);
        assert_eq!(columns[2], [each(vec![3.0, 1.0, -2.0]), each(vec![0.0, 0.5, 4.0])]);
        assert_eq!(samples.stacks().collect::<Vec<_>>(), [Some(StackId::new(7)); 3]);
        let mut ones = Samples::new([None, None], vec![Weights::Ones]);
        ones.push(None, |_| 1.0);
        assert_eq!(ones.weights(), [Weights::Ones]);
        ones.push(None, |_| 2.0);
        assert_eq!(ones.weights(), [Weights::Each(vec![1.0, 1.0, 1.0, 2.0])]);
    }

    #[test]
    fn only_counts_take_half_the_memory() {
        assert_eq!(
            Weights::compact(vec![0.0, 7.0, 4_294_967_295.0]),
            Weights::Counts(vec![0, 7, u32::MAX])
        );
        for other in [-1.0, -0.0, 0.5, 4_294_967_296.0, f64::NAN] {
            let Weights::Each(column) = Weights::compact(vec![1.0, other]) else {
                panic!("{other} is no count")
            };
            assert_eq!(column[1].to_bits(), other.to_bits());
        }
        assert_eq!((Weights::Counts(vec![3]).get(0), Weights::Counts(vec![3]).get(1)), (3.0, 0.0));
    }

    /// Three calls: one with self time from 0 to 4 ns and from 6 to 8, one without self time at 5, and
    /// one from 9 to 10.
    #[test]
    fn a_range_cuts_calls_by_their_self_time_and_keeps_those_without() {
        let clock = Clock::default();
        let stretches = [(0, 0, 4), (0, 6, 8), (2, 9, 10)];
        let stacks = [1, 2, 3].map(|id| Some(StackId::new(id)));
        let samples = Samples {
            times: Some(Times::Ticks([0, 5, 9].into())),
            stretches: Some(Stretches::from_ns(&stretches, clock)),
            ..Samples::new(stacks, vec![Weights::Each(vec![12.0, 0.5, 1.0])]).with_calls(vec![1; 3])
        };
        let within = |start, end| {
            let cut = samples.within(start, end, clock);
            let stacks = cut.stacks().map(|stack| stack.unwrap().raw());
            let weights = (0..cut.len()).map(|i| cut.weights()[0].get(i));
            let calls = cut.calls().unwrap().iter().copied();
            stacks
                .zip(weights)
                .zip(calls)
                .map(|((stack, weight), n)| (stack, weight, n))
                .collect::<Vec<_>>()
        };
        assert_eq!(within(0, 10), [(1, 12.0, 1), (2, 0.5, 1), (3, 1.0, 1)]);
        // Four of six nanoseconds, then two that belong to a call that began before.
        assert_eq!(within(0, 5), [(1, 8.0, 1)]);
        assert_eq!(within(5, 9), [(1, 4.0, 0), (2, 0.5, 1)]);
        assert_eq!(within(4, 5), []);
    }
}
