//! The mean of several runs: their sum, divided by their number.

use crate::call_graph::{CallGraph, GraphTables};
use crate::{Call, Column, ContextCall, Contexts, OwnCost, Profile, Recording, StackAccess};
use crate::{StatedTotal, Total};
use std::sync::Arc;

impl Recording {
    /// The recording of several runs with costs divided by the number of `runs`. Call counts are
    /// rounded; those of recorded calls become unknown.
    #[must_use]
    pub fn divided_by(&self, runs: u32) -> Self {
        match self {
            Self::Stacks(profile) => Self::Stacks(samples_divided_by(profile, runs)),
            Self::Graph(graph) => Self::Graph(graph_divided_by(&graph.tables, runs)),
        }
    }
}

fn samples_divided_by(profile: &Profile, runs: u32) -> Profile {
    profile.with_samples(profile.default_metric(), |_, samples| Some(samples.divided_by(runs)))
}

fn graph_divided_by(graph: &GraphTables, runs: u32) -> CallGraph {
    let mut graph = graph.clone();
    let divide = |weight: &mut f64| *weight /= f64::from(runs);
    let count = |count: u64| rounded_mean(count, runs);
    for OwnCost { weights, .. } in &mut graph.own {
        weights.iter_mut().for_each(divide);
    }
    for Call { count: calls, weights, .. } in &mut graph.calls {
        *calls = count(*calls);
        weights.iter_mut().for_each(divide);
    }
    for StatedTotal { totals, calls, .. } in &mut graph.totals {
        *calls = calls.map(count);
        for total in totals {
            match total {
                Total::Exact(weight) | Total::Estimated(weight) => divide(weight),
                Total::Bounded { min, max } => [min, max].into_iter().for_each(divide),
                Total::Unknown => {}
            }
        }
    }
    if let Some(contexts) = &mut graph.contexts {
        let Contexts { calls, columns, .. } = Arc::make_mut(contexts);
        for ContextCall { count: calls, .. } in calls {
            *calls = count(*calls);
        }
        for Column { own, below } in columns {
            own.iter_mut().chain(below).for_each(divide);
        }
    }
    graph.into()
}

/// A count per run, rounded to the nearest whole number.
fn rounded_mean(count: u64, runs: u32) -> u64 {
    let runs = u64::from(runs).max(1);
    count / runs + u64::from(count % runs * 2 >= runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_rounded_to_the_nearest() {
        let mean = |count| rounded_mean(count, 3);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(mean), [0, 0, 1, 1, 1, 2, 2]);
        assert_eq!(rounded_mean(3, 2), 2);
        assert_eq!(rounded_mean(u64::MAX, 1), u64::MAX);
    }
}
