//! The phases of a thread: what it calls one after another, below the calls that all its stacks have
//! in common.

use crate::functions_of_stacks::FunctionsOfStacks;
use crate::names::listed_threads;
use crate::range::TimeRange;
use crate::reshape::known_times;
use crate::weighted::is_counted;
use crate::{Unmatched, View};
use profile::{Clock, FunctionId, Groups, Recording, Samples, StackAccess, StackId, WarningCode};

/// The phases of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phases {
    /// The functions that all stacks have in common, outermost first.
    pub above: Vec<FunctionId>,
    /// The phases, in chronological order.
    pub phases: Vec<Phase>,
}

/// The time during which a thread called one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// The function.
    pub function: FunctionId,
    /// Of recorded calls the time until they end, of samples from the first one of this phase to the
    /// first one of the next phase.
    pub range: TimeRange,
}

/// The phases of the only thread of `view`. `shown` is `recording` after [`crate::reshape`]. Samples
/// in the common functions themselves are part of the phase around them; of recorded calls, their own
/// time ends it. The error says why there are no phases.
pub fn phases(
    recording: &Recording,
    shown: &Recording,
    view: &View,
    groups: &Groups,
) -> Result<Phases, Unmatched> {
    let effect = "no occurrences can be shown";
    let none = |problem: &str| Unmatched::new(WarningCode::NoTimes, format!("{effect}: {problem}"));
    let (recorded, shown) = recording
        .sampled()
        .zip(shown.sampled())
        .ok_or_else(|| none("this recording is a call graph without samples"))?;
    let clock = known_times(recorded, view.metric, effect)?;
    let is_sampled =
        |samples: &Samples| samples.stacks().any(|stack| is_counted(shown, view, stack));
    let threads = shown.samples().iter().enumerate();
    let threads: Vec<_> =
        threads.filter(|(at, samples)| view.includes(*at) && is_sampled(samples)).collect();
    let samples = match threads[..] {
        [(_, samples)] => samples,
        [] => return Err(none("there are no samples")),
        [..] => {
            let chosen = threads.iter().map(|(at, _)| *at);
            let labels = listed_threads(shown.threads(), chosen);
            let problem = format!("there are several threads; choose one with --thread: {labels}");
            return Err(none(&problem));
        }
    };
    let timed = timed(samples, clock, |stack| is_counted(shown, view, stack));
    let paths = FunctionsOfStacks::new(shown, groups);
    let (mut above, mut deepest): (Option<Vec<FunctionId>>, usize) = (None, 0);
    let mut last = None;
    for &Timed { stack, .. } in timed.iter().filter(|it| last.replace(it.stack) != Some(it.stack)) {
        let path = paths.of(stack);
        deepest = deepest.max(path.len());
        above = Some(match above {
            None => path,
            Some(above) => {
                let same = above.iter().zip(&path).take_while(|(a, b)| a == b).count();
                above[..same].to_vec()
            }
        });
    }
    let mut above = above.unwrap_or_default();
    // If all stacks are the same, their innermost call is the only phase.
    if deepest == above.len() {
        above.pop();
    }
    let mut found: Vec<Phase> = Vec::new();
    let end_ns = view.range.map_or(u64::MAX, |range| range.end_ns);
    for Timed { from, to, stack } in timed {
        let Some(&function) = paths.of(stack).get(above.len()) else { continue };
        let last = found.last_mut();
        match (last, to) {
            // The common functions may have run in between.
            (Some(phase), Some(to)) if phase.function == function && phase.range.end_ns == from => {
                phase.range.end_ns = to;
                continue;
            }
            (Some(phase), None) if phase.function == function => continue,
            (Some(phase), None) => phase.range.end_ns = from,
            (Some(_) | None, _) => {}
        }
        let range = TimeRange { start_ns: from, end_ns: to.unwrap_or(end_ns) };
        found.push(Phase { function, range });
    }
    Ok(Phases { above, phases: found })
}

/// When a thread had a stack, in nanoseconds.
struct Timed {
    from: u64,
    /// The end, if calls were recorded. A sample says nothing about the time until the next one.
    to: Option<u64>,
    stack: StackId,
}

/// The stacks of a thread that `is_counted`, in chronological order.
fn timed(
    samples: &Samples,
    clock: Clock,
    is_counted: impl Fn(Option<StackId>) -> bool,
) -> Vec<Timed> {
    let timed = |row: usize, from: u64, to: Option<u64>| {
        let stack = samples.stack(row);
        is_counted(stack).then_some(Timed { from, to, stack: stack? })
    };
    let mut all: Vec<Timed> = if let Some(stretches) = samples.stretches_ns(clock) {
        let stretches = stretches.filter(|(_, from, to)| from < to);
        stretches.filter_map(|(row, from, to)| timed(row, from, Some(to))).collect()
    } else {
        let times = samples.times_ns(clock).into_iter().flatten().enumerate();
        times.filter_map(|(row, from)| timed(row, from?, None)).collect()
    };
    all.sort_by_key(|it| it.from);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::text_samples::taken_at;

    /// The names of the common functions, and of the phases with their ranges.
    fn shown(text: &str, times: &[f64]) -> (String, Vec<String>) {
        let recording = Recording::from(taken_at(text, times));
        let groups = Groups::identity(recording.symbols());
        let view = View::of(&recording);
        let Phases { above, phases } = phases(&recording, &recording, &view, &groups).unwrap();
        let symbols = recording.symbols();
        let name = |function| symbols.func_name(groups.first_func(function));
        let above: Vec<_> = above.into_iter().map(name).collect();
        let phase = |Phase { function, range }: Phase| format!("{} {range}", name(function));
        (above.join(">"), phases.into_iter().map(phase).collect())
    }

    #[test]
    fn phases_follow_each_other_below_the_common_calls() {
        let (above, phases) = shown(
            "main  main  main  main  main  main\n\
             run   run   run   run   run   run\n\
             load  load        load  work  load\n\
             read  parse",
            &[0.0, 10.0, 20.0, 30.0, 40.0, 50.0],
        );
        assert_eq!(above, "main>run");
        // A sample in `run` itself does not end the first phase.
        assert_eq!(phases, ["load 0..40 ms", "work 40..50 ms", "load 50.. ms"]);
    }
}
