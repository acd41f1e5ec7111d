//! The costs of a recording, whether it has stacks or is a call graph.

use crate::costs::Costs;
use crate::sums::ThreadTotal;
use crate::weighted::weigh;
use crate::{ThreadChoice, View, graph, stacks};
use profile::{GraphAccess, Groups, Recording};

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
