//! The mean of several runs: their sum, divided by their number.

use crate::call_graph::{CallGraph, GraphTables, ThreadRows};
use crate::{
    Column, ContextCall, Contexts, FuncId, Profile, Recording, Samples, SourceId, StackAccess,
    StackId, Total, Weights,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Recording {
    /// The recording of several runs with costs divided by the number of `runs`. Call counts are
    /// rounded; those of recorded calls become unknown. `is_shown` says for each thread whether it
    /// is in the view: summed over these threads, the mean of equal runs is exactly each of them.
    #[must_use]
    pub fn divided_by(&self, runs: u32, is_shown: impl Fn(usize) -> bool) -> Self {
        match self {
            Self::Stacks(profile) => Self::Stacks(samples_divided_by(profile, runs, is_shown)),
            Self::Graph(graph) => Self::Graph(graph_divided_by(&graph.tables, runs, is_shown)),
        }
    }
}

/// The step between weights of which every sum up to `sum` is exact in any order: it needs no more
/// than the 53 bits of an `f64`.
pub fn exact_step(sum: f64) -> f64 {
    2_f64.powi((sum.log2().ceil() as i32).saturating_sub(51)).max(f64::MIN_POSITIVE)
}

/// Divides weights by the number of runs, so that their sum is the rounded mean of their sum. If
/// each weight were rounded by itself, three thirds would not be one.
#[derive(Clone, Copy)]
struct Mean {
    runs: f64,
    /// Weights are multiples of it.
    step: f64,
}

impl Mean {
    fn of(runs: u32, weights: impl Iterator<Item = f64>) -> Self {
        Self { runs: f64::from(runs), step: exact_step(weights.map(f64::abs).sum()) }
    }

    fn of_sum(self, sum: f64) -> f64 {
        (sum / self.runs / self.step).round() * self.step
    }

    /// What `weight` adds to the mean, after weights with the sum `so_far`.
    fn part(self, so_far: &mut f64, weight: f64) -> f64 {
        let before = self.of_sum(*so_far);
        *so_far += weight;
        self.of_sum(*so_far) - before
    }
}

/// The weights of one stack are divided together.
fn samples_divided_by(profile: &Profile, runs: u32, is_shown: impl Fn(usize) -> bool) -> Profile {
    let threads = profile.samples();
    let n_stacks = profile.stacks().len();
    let mut divided: Vec<Vec<Weights>> = vec![Vec::new(); threads.len()];
    for metric in 0..profile.metrics().len() {
        let weights = |samples: &Samples| {
            let column = samples.weights().get(metric).cloned();
            (0..samples.len()).map(move |i| column.as_ref().map_or(0.0, |column| column.get(i)))
        };
        let mean = Mean::of(runs, threads.iter().flat_map(weights));
        // By stack. The last one is for samples without a stack.
        let mut shown = vec![0.0; n_stacks + 1];
        let mut hidden = shown.clone();
        for (thread, (samples, divided)) in threads.iter().zip(&mut divided).enumerate() {
            let so_far = if is_shown(thread) { &mut shown } else { &mut hidden };
            let parts = samples.stacks().zip(weights(samples)).map(|(stack, weight)| {
                mean.part(&mut so_far[stack.map_or(n_stacks, StackId::index)], weight)
            });
            divided.push(Weights::compact(parts.collect()));
        }
    }
    profile.with_samples(profile.default_metric(), |thread, samples| {
        Some(samples.with_mean(divided[thread.index()].clone()))
    })
}

/// Whether its thread is shown, the func, a callee, the file and the line of a row.
type Place = (bool, FuncId, Option<FuncId>, Option<SourceId>, u32);

/// Divides the weights of rows. Those of one place are divided together.
struct Rows<'m> {
    means: &'m [Mean],
    /// By place and metric.
    so_far: FxHashMap<(Place, usize), f64>,
}

impl<'m> Rows<'m> {
    fn new(means: &'m [Mean]) -> Self {
        Self { means, so_far: FxHashMap::default() }
    }

    fn divide(&mut self, place: Place, metric: usize, weight: &mut f64) {
        let so_far = self.so_far.entry((place, metric)).or_default();
        *weight = self.means[metric].part(so_far, *weight);
    }
}

fn graph_divided_by(graph: &GraphTables, runs: u32, is_shown: impl Fn(usize) -> bool) -> CallGraph {
    let mut graph = graph.clone();
    let mean = |metric: usize| {
        Mean::of(runs, graph.own.iter().filter_map(|own| own.weights.get(metric).copied()))
    };
    let means: Vec<Mean> = (0..graph.metrics.len()).map(mean).collect();
    let (n_own, n_calls, n_totals) = (graph.own.len(), graph.calls.len(), graph.totals.len());
    let whole = ThreadRows { own: 0..n_own, calls: 0..n_calls, totals: 0..n_totals };
    let threads = if graph.threads.is_empty() { vec![whole] } else { graph.rows.clone() };
    let count = |count: u64| rounded_mean(count, runs);
    let (mut own, mut calls) = (Rows::new(&means), Rows::new(&means));
    let (mut totals, mut maxima) = (Rows::new(&means), Rows::new(&means));
    for (thread, rows) in threads.into_iter().enumerate() {
        let shown = is_shown(thread);
        for row in &mut graph.own[rows.own] {
            let place = (shown, row.func, None, row.source, row.line);
            for (metric, weight) in row.weights.iter_mut().enumerate() {
                own.divide(place, metric, weight);
            }
        }
        for row in &mut graph.calls[rows.calls] {
            row.count = count(row.count);
            let place = (shown, row.caller, Some(row.callee), row.source, row.line);
            for (metric, weight) in row.weights.iter_mut().enumerate() {
                calls.divide(place, metric, weight);
            }
        }
        for row in &mut graph.totals[rows.totals] {
            row.calls = row.calls.map(count);
            let place = (shown, row.func, None, row.source, row.line);
            for (metric, total) in row.totals.iter_mut().enumerate() {
                match total {
                    Total::Exact(weight) | Total::Estimated(weight) => {
                        totals.divide(place, metric, weight);
                    }
                    Total::Bounded { min, max } => {
                        totals.divide(place, metric, min);
                        maxima.divide(place, metric, max);
                    }
                    Total::Unknown => {}
                }
            }
        }
    }
    if let Some(contexts) = &mut graph.contexts {
        let Contexts { calls, columns, .. } = Arc::make_mut(contexts);
        for ContextCall { count: calls, .. } in calls {
            *calls = count(*calls);
        }
        for Column { own, below } in columns {
            own.iter_mut().chain(below).for_each(|weight| *weight /= f64::from(runs));
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

    #[test]
    fn sums_of_steps_are_exact_even_if_all_weights_are_rounded_up() {
        let step = exact_step(1.0);
        let n_steps = (1.0 / 7.0 / step).round();
        let sum: f64 = [n_steps * step; 7].iter().sum();
        assert_eq!((sum / step) as i64, 7 * n_steps as i64);
    }

    #[test]
    fn contexts_have_the_mean_of_their_calls_and_costs() {
        let column = Column { own: vec![6.0, 3.0], below: vec![4.0, 0.0] };
        let call = |count| ContextCall { caller: 0, callee: 0, row: 0, count };
        let contexts = Contexts {
            calls: vec![call(4), call(5)],
            columns: vec![column],
            ..Contexts::default()
        };
        let contexts = Some(Arc::new(contexts));
        let runs = Recording::from(GraphTables { contexts, ..GraphTables::default() });
        let mut mean = runs.divided_by(2, |_| true);
        let Contexts { calls, columns, .. } = mean.contexts_mut().unwrap();
        assert_eq!(calls[..], [call(2), call(3)]);
        assert_eq!(columns[..], [Column { own: vec![3.0, 1.5], below: vec![2.0, 0.0] }]);
    }
}
