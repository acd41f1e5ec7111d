//! The threads and their samples.

use super::schema::{Markers, Number, Samples, ThreadRow, Tid};
use super::unit::Unit;
use profile::{Clock, Profile, StackAccess, StackId, Thread, Weights};

impl<'p> ThreadRow<'p> {
    pub(super) fn new(profile: &'p Profile, i: usize, unit: &Unit) -> Self {
        let threads = profile.threads();
        let Thread { name, process_name, tid, .. } = &threads[i];
        let samples = &profile.samples()[i];
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
            samples: Samples::new(
                samples,
                samples.weights().get(profile.default_metric().index()),
                unit,
                profile.clock(),
            ),
            markers: Markers::default(),
        }
    }
}

/// The process id of a thread. It is required; threads without one are in process 0.
fn pid_of(thread: &Thread) -> &str {
    thread.pid.as_deref().unwrap_or("0")
}

impl Samples {
    fn new(
        samples: &profile::Samples,
        weights: Option<&Weights>,
        unit: &Unit,
        clock: Option<Clock>,
    ) -> Self {
        let timed = clock.and_then(|clock| by_time(samples, weights, clock));
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
        let is_plain = weights == Some(&Weights::Ones) && unit.weight(1.0) == 1.0;
        Self {
            length: n,
            stack: rows.iter().map(|&row| samples.stack(row).map(StackId::raw)).collect(),
            time_deltas: time.is_none().then(time_deltas),
            time,
            weight: (!is_plain).then(|| rows.iter().map(|&row| Number(weight(row))).collect()),
            weight_type: unit.weight_type,
        }
    }
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
