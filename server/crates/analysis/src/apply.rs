//! Recordings reshaped: what a view leaves of one, as a recording again. Writers put down what comes out.

use crate::{IdleSamples, View};
use profile::{CallGraph, Profile, StackId, ThreadId, ThreadRows};

/// What becomes of samples that are cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Truncate {
    /// Their cost goes to the last frame that is kept, so that the total stays what it was.
    #[default]
    Fold,
    /// They are left out, and the total shrinks.
    Drop,
}

/// The threads and samples that `view` looks at, its metric being the default. All metrics stay.
pub fn apply(profile: &Profile, view: &View) -> Profile {
    profile.with_samples(view.metric, |thread, samples| {
        let is_kept = |stack: StackId| view.idle == IdleSamples::Counted || !profile.stacks().is_idle(stack);
        view.includes(thread.index()).then(|| samples.with_stacks(|stack| stack.is_none_or(is_kept).then_some(stack)))
    })
}

/// The threads of a call graph that `view` looks at; all of it where it has none.
pub fn apply_to_graph(graph: &CallGraph, view: &View) -> CallGraph {
    if graph.threads.is_empty() {
        return graph.clone();
    }
    let mut kept = CallGraph {
        symbols: graph.symbols.clone(),
        metrics: graph.metrics.clone(),
        inner: graph.inner.clone(),
        ..CallGraph::default()
    };
    for (thread, row) in (0..).map(ThreadId::new).zip(&graph.threads).filter(|(thread, _)| view.includes(thread.index())) {
        let part = graph.of_thread(thread);
        let (own, calls, totals) = (kept.own.len(), kept.calls.len(), kept.totals.len());
        kept.own.extend_from_slice(part.own);
        kept.calls.extend_from_slice(part.calls);
        kept.totals.extend_from_slice(part.totals);
        kept.threads.push(row.clone());
        kept.rows.push(ThreadRows {
            own: own..kept.own.len(),
            calls: calls..kept.calls.len(),
            totals: totals..kept.totals.len(),
        });
    }
    kept
}

/// The same with stacks of at most `max_depth` + 1 frames, counted from the root: depth 0 keeps the roots only.
pub fn truncate(profile: &Profile, max_depth: usize, mode: Truncate) -> Profile {
    // Parents stand before their children, so each stack knows what became of its parent.
    let stacks = profile.stacks();
    let mut depth: Vec<usize> = Vec::with_capacity(stacks.len());
    let mut kept: Vec<StackId> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let prefix = stacks.prefix(stack).map(StackId::index);
        depth.push(prefix.map_or(0, |prefix| depth[prefix] + 1));
        kept.push(prefix.filter(|_| depth[stack.index()] > max_depth).map_or(stack, |prefix| kept[prefix]));
    }
    profile.with_samples(profile.default_metric(), |_, samples| {
        Some(samples.with_stacks(|stack| match (stack, mode) {
            (Some(stack), Truncate::Drop) if depth[stack.index()] > max_depth => None,
            (stack, _) => Some(stack.map(|stack| kept[stack.index()])),
        }))
    })
}
