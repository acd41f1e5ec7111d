//! The costs of a recording, whether it has stacks or is a call graph.

use crate::costs::Costs;
use crate::sums::ThreadTotal;
use crate::weighted::weigh;
use crate::{ThreadChoice, View, graph, stacks};
use profile::{GraphAccess, Groups, Recording, StackAccess};

/// Sums `recording` under `view`; funcs and files that `groups` unites count as one.
pub fn costs(recording: &Recording, view: &View, groups: &Groups) -> Costs {
    match recording {
        Recording::Stacks(profile) => stacks::costs(profile, view, groups),
        Recording::Graph(graph) => graph::costs(graph.tables(), view, groups),
    }
}

/// The total of each thread under a view of all threads; empty for a recording without threads.
pub fn thread_totals(recording: &Recording, view: &View) -> Vec<ThreadTotal> {
    let view = View { threads: ThreadChoice::All, ..view.clone() };
    match recording {
        Recording::Stacks(profile) => weigh(profile, &view).1.thread_totals(),
        Recording::Graph(graph) => graph::thread_totals(graph.tables(), view.metric.index()),
    }
}

/// The most memory that a recording's costs, its call tree and another view take, in bytes.
pub fn max_memory(recording: &Recording) -> u64 {
    // Per func, frame, stack, sample and metric, and row of a call graph. Measured with stacks and
    // graphs of millions of rows, and doubled.
    let [func, frame, stack, sample, row] = [512, 128, 128, 32, 256];
    let n = |rows: usize| rows as u64;
    let symbols = recording.symbols();
    n(symbols.funcs.len()) * func
        + match recording {
            Recording::Stacks(profile) => {
                let cells = n(recording.n_samples()) * n(recording.metrics().len());
                n(profile.frames().len()) * frame
                    + n(profile.stacks().len()) * stack
                    + cells * sample
            }
            Recording::Graph(graph) => {
                let tables = graph.tables();
                n(tables.own.len() + tables.calls.len()) * row
            }
        }
}
