//! The threads and their samples.

use super::schema::{Markers, Number, Samples, ThreadRow, Tid};
use super::unit::Unit;
use profile::{Profile, StackAccess, StackId, Thread, Weights};

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
    fn new(samples: &profile::Samples, weights: Option<&Weights>, unit: &Unit) -> Self {
        let n = samples.len();
        let weight = |i| unit.weight(weights.map_or(0.0, |weights| weights.get(i)));
        let previous =
            |i: usize| i.checked_sub(1).map_or(0.0, |previous| unit.time(weight(previous)));
        let is_plain = weights == Some(&Weights::Ones) && unit.weight(1.0) == 1.0;
        Self {
            length: n,
            stack: samples.stacks().map(|stack| stack.map(StackId::raw)).collect(),
            time_deltas: (0..n).map(|i| Number(previous(i))).collect(),
            weight: (!is_plain).then(|| (0..n).map(|i| Number(weight(i))).collect()),
            weight_type: unit.weight_type,
        }
    }
}
