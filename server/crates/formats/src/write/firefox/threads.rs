//! The threads, their samples, and the markers for the labels of samples.

use super::schema::{Markers, Number, Samples, ThreadRow, Tid, has_labels, name_of_labels};
use super::unit::Unit;
use profile::{Clock, LabelSetId, Profile, StackAccess, StackId, Thread, Weights};

impl<'p> ThreadRow<'p> {
    pub(super) fn new(profile: &'p Profile, i: usize, unit: &Unit) -> Self {
        let threads = profile.threads();
        let Thread { name, process_name, tid, .. } = &threads[i];
        let (samples, markers) = Samples::new(profile, i, unit);
        let number = |tid: &str| {
            tid.parse().ok().filter(|number: &u64| number.to_string() == tid).map(Tid::Number)
        };
        let pid = pid_of(&threads[i]);
        Self {
            name: if name.is_empty() { "(unnamed)" } else { name },
            process_name,
            pid,
            tid: tid
                .as_deref()
                .map_or(Tid::Number(i as u64 + 1), |tid| number(tid).unwrap_or(Tid::Text(tid))),
            is_main_thread: threads.iter().position(|thread| pid_of(thread) == pid) == Some(i),
            process_type: "default",
            process_startup_time: 0,
            process_shutdown_time: None,
            register_time: 0,
            unregister_time: None,
            paused_ranges: [],
            samples,
            markers,
        }
    }
}

/// The process id of a thread. It is required; threads without one are in process 0.
fn pid_of(thread: &Thread) -> &str {
    thread.pid.as_deref().unwrap_or("0")
}

impl Samples {
    /// The samples of a thread, and the markers for their labels.
    fn new(profile: &Profile, thread: usize, unit: &Unit) -> (Self, Markers) {
        let samples = &profile.samples()[thread];
        let weights = samples.weights().get(profile.default_metric().index());
        let timed = profile.clock().and_then(|clock| by_time(samples, weights, clock));
        let (rows, time): (Vec<usize>, Option<Vec<Number>>) = match timed {
            Some(timed) => {
                let (rows, time) = timed.into_iter().unzip();
                (rows, Some(time))
            }
            None => ((0..samples.len()).collect(), None),
        };
        let n = rows.len();
        let weight = |i| unit.weight(weights.map_or(0.0, |weights| weights.get(i)));
        let previous =
            |i: usize| i.checked_sub(1).map_or(0.0, |previous| unit.time(weight(previous)));
        let time_deltas = || (0..n).map(|i| Number(previous(i))).collect();
        let time_deltas: Option<Vec<Number>> = time.is_none().then(time_deltas);
        let labels = has_labels(profile).then(|| rows.iter().map(|&row| samples.label_set(row)));
        let labels: Vec<LabelSetId> = labels.into_iter().flatten().collect();
        let is_labelled = labels.iter().any(|set| *set != LabelSetId::NONE);
        let is_plain = weights == Some(&Weights::Ones) && unit.weight(1.0) == 1.0;
        let written = Self {
            length: n,
            stack: rows.iter().map(|&row| samples.stack(row).map(StackId::raw)).collect(),
            time_deltas,
            time,
            weight: (!is_plain).then(|| rows.iter().map(|&row| Number(weight(row))).collect()),
            weight_type: unit.weight_type,
            labels: is_labelled.then(|| labels.iter().map(|set| set.raw()).collect()),
        };
        let labelled: Vec<_> = labels.into_iter().zip(written.times()).collect();
        let markers = markers(profile, unit, &labelled);
        (written, markers)
    }

    /// The time of each sample.
    fn times(&self) -> Vec<f64> {
        let numbers = |numbers: &Option<Vec<Number>>| -> Vec<f64> {
            numbers.iter().flatten().map(|number| number.0).collect()
        };
        let mut at = 0.0;
        let sums = numbers(&self.time_deltas).into_iter().map(|delta| {
            at += delta;
            at
        });
        numbers(&self.time).into_iter().chain(sums).collect()
    }
}

/// An interval for each stretch of samples with the same labels, from its first sample to the next one
/// after it. The Firefox Profiler selects the samples from the start of an interval to before its end.
fn markers(profile: &Profile, unit: &Unit, samples: &[(LabelSetId, f64)]) -> Markers {
    let stretches = || samples.chunk_by(|a, b| a.0 == b.0).map(|stretch| stretch[0]);
    let last = samples.last().map(|(_, time)| time + unit.step());
    let ends = stretches().skip(1).map(|(_, next)| next).chain(last);
    let mut markers = Markers::default();
    for ((set, start), end) in stretches().zip(ends) {
        if set != LabelSetId::NONE && start < end {
            markers.push(name_of_labels(profile, set), start, end);
        }
    }
    markers
}

/// The rows of samples in order of their times, with the times in milliseconds since the first
/// sample of the recording. Rows without time are left out if they have no weight; others stay behind
/// the row before them. `None` if no time is known, or none of a row with weight.
fn by_time(
    samples: &profile::Samples,
    weights: Option<&Weights>,
    clock: Clock,
) -> Option<Vec<(usize, Number)>> {
    let weighs = |row: usize| weights.is_some_and(|weights| weights.get(row) != 0.0);
    let times: Vec<Option<u64>> = samples.times_ns(clock)?.collect();
    let mut with_weight = times.iter().enumerate().filter(|&(row, _)| weighs(row)).peekable();
    if with_weight.peek().is_some() && with_weight.all(|(_, time)| time.is_none()) {
        return None;
    }
    let mut at = times.iter().flatten().copied().next()?;
    let mut rows: Vec<(usize, u64)> = Vec::with_capacity(times.len());
    for (row, time) in times.into_iter().enumerate() {
        if time.is_some() || weighs(row) {
            at = time.unwrap_or(at);
            rows.push((row, at));
        }
    }
    // Stable: rows with the same time keep their order.
    rows.sort_by_key(|&(_, ns)| ns);
    Some(rows.into_iter().map(|(row, ns)| (row, Number(ns as f64 / 1e6))).collect())
}

/// Whether some samples have times and others have none.
pub(super) fn lacks_times(profile: &Profile) -> bool {
    let Some(clock) = profile.clock() else { return false };
    let metric = profile.default_metric().index();
    profile.samples().iter().any(|samples| {
        let weighs = |row| samples.weights().get(metric).is_some_and(|own| own.get(row) != 0.0);
        let mut times = samples.times_ns(clock);
        (0..samples.len()).any(|row| {
            let time = times.as_mut().and_then(Iterator::next).flatten();
            time.is_none() && weighs(row)
        })
    })
}
