//! Recordings restricted to the threads and samples of a view, or to a maximum depth, for the
//! writers.

use crate::{IdleSamples, View};
use profile::{
    CallGraph, GraphAccess, GraphTables, Profile, Restack, StackAccess, StackId, ThreadId,
    ThreadRows,
};

/// What to do with samples whose stack is truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Truncate {
    /// Charge them to the last frame that is kept. The total does not change.
    #[default]
    Fold,
    /// Leave them out. The total shrinks.
    Drop,
}

/// The threads and samples of `view`. All metrics are kept; the view's metric becomes the default.
pub fn apply(profile: &Profile, view: &View) -> Profile {
    profile.with_samples(view.metric, |thread, samples| {
        let is_kept =
            |stack: StackId| view.idle == IdleSamples::Included || !profile.stacks().is_idle(stack);
        view.includes(thread.index())
            .then(|| samples.with_stacks(|stack| stack.is_none_or(is_kept).then_some(stack)))
    })
}

/// The threads of `view`; the whole call graph if it does not record threads.
pub fn apply_to_graph(graph: &CallGraph, view: &View) -> CallGraph {
    if graph.n_threads() == 0 {
        return graph.clone();
    }
    let graph = graph.tables();
    let mut kept = GraphTables {
        symbols: graph.symbols.clone(),
        metrics: graph.metrics.clone(),
        inner: graph.inner.clone(),
        ..GraphTables::default()
    };
    for (thread, row) in (0..)
        .map(ThreadId::new)
        .zip(&graph.threads)
        .filter(|(thread, _)| view.includes(thread.index()))
    {
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
    kept.into()
}

/// The profile with stacks of at most `max_depth` + 1 frames, counted from the root: depth 0 keeps
/// only the roots. Idle samples stay idle.
pub fn truncate(profile: &Profile, max_depth: usize, mode: Truncate) -> Profile {
    // Parents come before their children in the table, so one pass suffices.
    let stacks = profile.stacks();
    let mut cut = Restack::new(profile);
    let mut depth: Vec<usize> = Vec::with_capacity(stacks.len());
    let mut kept: Vec<StackId> = Vec::with_capacity(stacks.len());
    for stack in stacks.ids() {
        let prefix = stacks.prefix(stack).map(StackId::index);
        depth.push(prefix.map_or(0, |prefix| depth[prefix] + 1));
        let prefix = prefix.map(|prefix| kept[prefix]);
        kept.push(
            prefix
                .filter(|_| depth[stack.index()] > max_depth)
                .unwrap_or_else(|| cut.push(prefix, stacks.frame(stack), stack)),
        );
    }
    cut.finish(|stack| {
        let is_kept = mode == Truncate::Fold || depth[stack.index()] <= max_depth;
        is_kept.then_some(kept[stack.index()])
    })
}
