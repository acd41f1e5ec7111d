//! Collects samples by thread, for readers of formats that mix threads or list samples one by one.

use profile::{BuildError, LabelSetId, ProfileBuilder, Samples, StackId, Thread, ThreadId};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The largest number of metrics: each is a column as long as all samples.
pub(crate) const MAX_METRICS: usize = 64;

/// The samples of all threads, in columns. Threads are in order of their first sample and have keys
/// of the reader's choice.
pub(crate) struct Rows<K> {
    n_metrics: usize,
    threads: Vec<ThreadRows>,
    ids: FxHashMap<K, usize>,
}

struct ThreadRows {
    thread: Thread,
    samples: Samples,
    /// In milliseconds. Shorter than `samples` if the times of the last samples are unknown.
    times: Vec<f64>,
    /// Shorter than `samples` if the last samples have no labels.
    labels: Vec<LabelSetId>,
}

impl<K: Hash + Eq> Rows<K> {
    /// No samples, with this number of metrics.
    pub(crate) fn new(n_metrics: usize) -> Self {
        Self { n_metrics, threads: Vec::new(), ids: FxHashMap::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Adds a sample to the thread `key`; `thread` describes the thread if it is new. `weight`
    /// returns the weight in each metric. Returns the thread and the row of the sample in it.
    pub(crate) fn push(
        &mut self,
        key: K,
        thread: impl FnOnce() -> Thread,
        stack: Option<StackId>,
        weight: impl FnMut(usize) -> f64,
    ) -> (ThreadId, usize) {
        let next = self.threads.len();
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.threads.push(ThreadRows {
                thread: thread(),
                samples: Samples::with_metrics(self.n_metrics),
                times: Vec::new(),
                labels: Vec::new(),
            });
        }
        let mut sample = 0;
        if let Some(rows) = self.threads.get_mut(id) {
            sample = rows.samples.len();
            rows.samples.push(stack, weight);
        }
        (ThreadId::new(id as u32), sample)
    }

    /// Names a thread that has no name yet.
    pub(crate) fn name(&mut self, thread: ThreadId, name: &str) {
        if let Some(rows) = self.threads.get_mut(thread.index())
            && rows.thread.name.is_empty()
        {
            name.clone_into(&mut rows.thread.name);
        }
    }

    /// Sets the time of a sample that [`Rows::push`] added last to its thread, in milliseconds of
    /// any clock.
    pub(crate) fn taken_at(&mut self, (thread, sample): (ThreadId, usize), time_ms: f64) {
        if let Some(rows) = self.threads.get_mut(thread.index()) {
            rows.times.resize(sample, f64::NAN);
            rows.times.push(time_ms);
        }
    }

    /// Sets the labels of a sample that [`Rows::push`] added last to its thread.
    pub(crate) fn labelled(&mut self, (thread, sample): (ThreadId, usize), labels: LabelSetId) {
        if let Some(rows) = self.threads.get_mut(thread.index())
            && labels != LabelSetId::NONE
        {
            rows.labels.resize(sample, LabelSetId::NONE);
            rows.labels.push(labels);
        }
    }

    /// Adds the threads to the profile.
    pub(crate) fn finish(self, builder: &mut ProfileBuilder) -> Result<(), BuildError> {
        for ThreadRows { thread, mut samples, mut times, mut labels } in self.threads {
            if !times.is_empty() {
                times.resize(samples.len(), f64::NAN);
                samples = samples.with_times(times);
            }
            if !labels.is_empty() {
                labels.resize(samples.len(), LabelSetId::NONE);
                samples = samples.with_labels(labels);
            }
            builder.push_thread(thread, samples)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Label, Metric, StackAccess};

    #[test]
    fn times_and_labels_are_of_their_samples() {
        let mut builder = ProfileBuilder::new(vec![Metric::new("samples", "samples", None)], 0);
        let web = builder.intern_labels([Label::text("cgroup", "/web")]).unwrap();
        let mut rows = Rows::new(1);
        let samples = [0, 1, 2].map(|_| rows.push((), Thread::default, None, |_| 1.0));
        rows.taken_at(samples[1], 5.0);
        rows.labelled(samples[0], LabelSetId::NONE);
        rows.labelled(samples[1], web);
        rows.finish(&mut builder).unwrap();
        let profile = builder.build();
        let samples = &profile.samples()[0];
        let labels = (0..3).map(|row| samples.label_set(row));
        assert_eq!(labels.collect::<Vec<_>>(), [LabelSetId::NONE, web, LabelSetId::NONE]);
        let times = samples.times_ns(profile.clock().unwrap()).unwrap();
        assert_eq!(times.collect::<Vec<_>>(), [None, Some(0), None]);
    }
}
