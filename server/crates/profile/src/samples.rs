//! Threads and their samples.

use crate::StackId;
use crate::ids::NONE;
use crate::times::{Clock, Times};

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
}

impl Samples {
    /// Samples from a stack column (`None`: no stack) and one weight column per metric of the
    /// profile.
    pub fn new(stacks: impl IntoIterator<Item = Option<StackId>>, weights: Vec<Weights>) -> Self {
        let stack = stacks.into_iter().map(|stack| stack.map_or(NONE, StackId::raw)).collect();
        Self { stack, weights, calls: None, times: None }
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

    /// The time of each sample in nanoseconds since the first sample of the profile, if times were
    /// recorded. `clock` is that of the profile.
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

    /// The samples for which `stack` returns `Some`, with that stack. A sample that moves to
    /// another stack counts as no call of its new leaf.
    #[must_use]
    pub fn with_stacks(&self, stack: impl Fn(Option<StackId>) -> Option<Option<StackId>>) -> Self {
        self.filtered(|i| stack(self.stack(i)))
    }

    /// The samples from `start` to before `end`, in nanoseconds since the first sample of the
    /// profile, and none whose time is unknown. `clock` is that of the profile.
    #[must_use]
    pub fn within(&self, start: u64, end: u64, clock: Clock) -> Self {
        let Some(Times::Ticks(ticks)) = &self.times else { return self.filtered(|_| None) };
        self.filtered(|i| {
            let at = ticks.get(i).and_then(|&tick| clock.ns(tick))?;
            (start..end).contains(&at).then(|| self.stack(i))
        })
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
        Self { calls, times, ..Self::new(stacks, weights.collect()) }
    }

    /// The same samples with other stacks, one per sample. Counts of calls stay, so the leaf of
    /// each sample must still be the same function.
    #[must_use]
    pub(crate) fn at_stacks(&self, stacks: impl IntoIterator<Item = Option<StackId>>) -> Self {
        let (calls, times) = (self.calls.clone(), self.times.clone());
        Self { calls, times, ..Self::new(stacks, self.weights.clone()) }
    }

    /// The same samples with their weights divided by `runs`. The number of calls is then unknown.
    #[must_use]
    pub(crate) fn divided_by(&self, runs: u32) -> Self {
        let divided = |weights: &Weights| {
            let rows = 0..self.len();
            Weights::compact(rows.map(|i| weights.get(i) / f64::from(runs)).collect())
        };
        let weights = self.weights.iter().map(divided).collect();
        Self { stack: self.stack.clone(), weights, calls: None, times: self.times.clone() }
    }

    /// These samples followed by `more`, which must have the same metrics. Times are kept if they
    /// are those of [`Samples::with_times`].
    #[must_use]
    pub(crate) fn followed_by(self, more: Self) -> Self {
        if self.is_empty() {
            return more;
        }
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
        let times = match (self.times, more.times) {
            (Some(Times::Stated(first)), Some(Times::Stated(second))) => {
                Some(Times::Stated([first, second].concat()))
            }
            _ => None,
        };
        Self { stack: [self.stack, more.stack].concat(), weights, calls, times }
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
}
