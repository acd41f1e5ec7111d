//! Recordings: sampled stacks or a call graph.

use crate::{
    CallGraph, Clock, Contexts, FrameId, FrameTable, FuncId, GraphTables, LabelTable, Metric,
    MetricId, Samples, SourceId, StackTable, SymbolTables, Thread, ThreadId,
};
use std::sync::Arc;

/// Sampled stacks. Built by [`crate::ProfileBuilder`], which has checked every index.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    pub(crate) symbols: SymbolTables,
    pub(crate) frames: FrameTable,
    /// Shared by all variants of one recording (see [`crate::relocate`]), like the samples, because
    /// they are most of its memory.
    pub(crate) stacks: Arc<StackTable>,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) default_metric: usize,
    pub(crate) threads: Arc<[Thread]>,
    /// The samples of each thread.
    pub(crate) samples: Arc<[Samples]>,
    /// The clock of the samples' times. `None` if there are no times.
    pub(crate) clock: Option<Clock>,
    pub(crate) labels: Arc<LabelTable>,
}

impl Profile {
    /// Strings, libraries, sources and funcs.
    pub fn symbols(&self) -> &SymbolTables {
        &self.symbols
    }

    /// Strings, libraries, sources and funcs, without the rest.
    pub fn into_symbols(self) -> SymbolTables {
        self.symbols
    }

    /// The metrics of the samples.
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// The metric to show if none is selected.
    pub fn default_metric(&self) -> MetricId {
        MetricId::new(self.default_metric as u32)
    }

    /// Threads, in the file's order.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The clock of the samples' times. `None` if there are no times.
    pub fn clock(&self) -> Option<Clock> {
        self.clock
    }
}

/// Access to the tables of sampled stacks, for readers, writers, `symbols` and `analysis`. Crates
/// above `analysis` cannot name this trait: they do not depend on this crate.
pub trait StackAccess: Sized {
    /// The frames.
    fn frames(&self) -> &FrameTable;

    /// The file and the line (1-based) that a frame was executing, where both are known. The file
    /// is the file of the frame's func, unless [`crate::relocate`] found the line in another file:
    /// a compiler can inline code of one file into a function of another.
    ///
    /// # Panics
    /// If `frame` is of another profile.
    fn place(&self, frame: FrameId) -> Option<(SourceId, u32)>;

    /// The stacks.
    fn stacks(&self) -> &StackTable;

    /// The samples of each thread, in the order of [`Profile::threads`].
    fn samples(&self) -> &[Samples];

    /// The labels of the samples.
    fn labels(&self) -> &LabelTable;

    /// Each thread with its samples.
    fn sampled_threads(&self) -> impl ExactSizeIterator<Item = (&Thread, &Samples)>;

    /// The same tables with other samples. `samples` returns those of each thread, or `None` to
    /// leave the thread out. It must derive them from the samples of that thread
    /// ([`crate::Samples::with_stacks`] and the like), so that no index has to be checked again.
    #[must_use]
    fn with_samples(
        &self,
        default_metric: MetricId,
        samples: impl Fn(ThreadId, &Samples) -> Option<Samples>,
    ) -> Self;
}

impl StackAccess for Profile {
    fn frames(&self) -> &FrameTable {
        &self.frames
    }

    fn place(&self, frame: FrameId) -> Option<(SourceId, u32)> {
        if let Some(place) = self.frames.elsewhere(frame) {
            return Some(place);
        }
        let frame = self.frames.get(frame);
        let source = self.symbols.funcs.get(frame.func).source?;
        (frame.line != 0).then_some((source, frame.line))
    }

    fn stacks(&self) -> &StackTable {
        &self.stacks
    }

    fn samples(&self) -> &[Samples] {
        &self.samples
    }

    fn labels(&self) -> &LabelTable {
        &self.labels
    }

    fn sampled_threads(&self) -> impl ExactSizeIterator<Item = (&Thread, &Samples)> {
        self.threads.iter().zip(self.samples.iter())
    }

    fn with_samples(
        &self,
        default_metric: MetricId,
        samples: impl Fn(ThreadId, &Samples) -> Option<Samples>,
    ) -> Self {
        let kept = (0..).map(ThreadId::new).zip(self.sampled_threads());
        let kept = kept.filter_map(|(id, (thread, own))| Some((thread.clone(), samples(id, own)?)));
        let (threads, samples): (Vec<_>, Vec<_>) = kept.unzip();
        Self {
            threads: threads.into(),
            samples: samples.into(),
            symbols: self.symbols.clone(),
            frames: self.frames.clone(),
            stacks: self.stacks.clone(),
            metrics: self.metrics.clone(),
            clock: self.clock,
            labels: Arc::clone(&self.labels),
            default_metric: default_metric.index().min(self.metrics.len().saturating_sub(1)),
        }
    }
}

/// The content of one profile.
#[derive(Debug, Clone)]
pub enum Recording {
    /// Samples with stacks: costs by line, function, edge and path are exact.
    Stacks(Profile),
    /// Sums per line and call, without stacks.
    Graph(CallGraph),
}

impl From<Profile> for Recording {
    fn from(profile: Profile) -> Self {
        Self::Stacks(profile)
    }
}

impl From<GraphTables> for Recording {
    fn from(tables: GraphTables) -> Self {
        Self::Graph(tables.into())
    }
}

impl Recording {
    /// The samples, unless it is a call graph.
    pub fn sampled(&self) -> Option<&Profile> {
        match self {
            Self::Stacks(profile) => Some(profile),
            Self::Graph(_) => None,
        }
    }

    /// The call graph, if it is one.
    pub fn summed(&self) -> Option<&CallGraph> {
        match self {
            Self::Stacks(_) => None,
            Self::Graph(graph) => Some(graph),
        }
    }

    /// Strings, libraries, sources and funcs.
    pub fn symbols(&self) -> &SymbolTables {
        match self {
            Self::Stacks(profile) => &profile.symbols,
            Self::Graph(graph) => &graph.tables.symbols,
        }
    }

    pub(crate) fn symbols_mut(&mut self) -> &mut SymbolTables {
        match self {
            Self::Stacks(profile) => &mut profile.symbols,
            Self::Graph(graph) => &mut graph.tables.symbols,
        }
    }

    /// The metrics that can be selected.
    pub fn metrics(&self) -> &[Metric] {
        match self {
            Self::Stacks(profile) => &profile.metrics,
            Self::Graph(graph) => &graph.tables.metrics,
        }
    }

    /// The metric to show if none is selected.
    pub fn default_metric(&self) -> MetricId {
        match self {
            Self::Stacks(profile) => profile.default_metric(),
            Self::Graph(_) => MetricId::new(0),
        }
    }

    /// Whether it has costs of lines without stacks and calls, so that only self costs, or only totals, are
    /// known.
    pub fn is_line_table(&self) -> bool {
        let knows_one = |metric: &Metric| metric.lines.is_self_alone() || !metric.lines.has_self();
        let graph = self.summed().map(|graph| &graph.tables);
        graph.is_some_and(|graph| graph.calls.is_empty() && graph.metrics.iter().any(knows_one))
    }

    /// Calls `visit` with each func and the file and line (1-based) where it was executing, if they
    /// are known. In no particular order, with duplicates.
    pub fn each_place(&self, mut visit: impl FnMut(FuncId, SourceId, u32)) {
        match self {
            Self::Stacks(profile) => {
                for (id, frame) in (0..).map(FrameId::new).zip(profile.frames.iter()) {
                    if let Some((source, line @ 1..)) = profile.place(id) {
                        visit(frame.func, source, line);
                    }
                }
            }
            Self::Graph(graph) => {
                let graph = &graph.tables;
                let own = graph.own.iter().map(|own| (own.func, own.source, own.line));
                let calls = graph.calls.iter().map(|call| (call.caller, call.source, call.line));
                for (func, source, line) in own.chain(calls).filter(|&(.., line)| line != 0) {
                    if let Some(source) = source.or(graph.symbols.funcs.get(func).source) {
                        visit(func, source, line);
                    }
                }
            }
        }
    }

    /// Calls `visit` with the caller and the callee of each call. In no particular order, with
    /// duplicates.
    pub fn each_call(&self, mut visit: impl FnMut(FuncId, FuncId)) {
        match self {
            Self::Stacks(profile) => {
                let func_at = |stack| profile.frames.get(profile.stacks.frame(stack)).func;
                for stack in profile.stacks.ids() {
                    if let Some(caller) = profile.stacks.prefix(stack) {
                        visit(func_at(caller), func_at(stack));
                    }
                }
            }
            Self::Graph(graph) => {
                for call in &graph.tables.calls {
                    visit(call.caller, call.callee);
                }
            }
        }
    }

    /// Whether it records when samples were taken.
    pub fn knows_times(&self) -> bool {
        self.sampled().is_some_and(|profile| profile.clock.is_some())
    }

    /// Whether it has inlined frames.
    pub fn knows_inlined(&self) -> bool {
        self.sampled().is_some_and(|profile| profile.frames.iter().any(|frame| frame.inlined))
    }

    /// Whether it has stacks and records which funcs are JavaScript.
    pub fn knows_code(&self) -> bool {
        self.sampled().is_some_and(|profile| profile.symbols.funcs.knows_code())
    }

    /// The number of samples of all threads; 0 for a call graph.
    pub fn n_samples(&self) -> usize {
        self.sampled().map_or(0, |profile| profile.samples.iter().map(Samples::len).sum())
    }

    /// The number of contexts, of calls between them, and of cliques, if the recording has contexts.
    pub fn n_contexts(&self) -> Option<[usize; 3]> {
        let contexts = self.summed()?.tables.contexts.as_deref()?;
        Some([contexts.contexts.len(), contexts.calls.len(), contexts.cliques.len()])
    }

    /// The contexts of a call graph, to change them.
    pub fn contexts_mut(&mut self) -> Option<&mut Contexts> {
        let Self::Graph(graph) = self else { return None };
        graph.tables.contexts.as_mut().map(Arc::make_mut)
    }

    /// Whether it has contexts in procedures that a contour file excludes.
    pub fn knows_contour(&self) -> bool {
        let contexts = self.summed().and_then(|graph| graph.tables.contexts.as_deref());
        contexts.is_some_and(|contexts| contexts.modules.iter().any(|module| module.excluded))
    }

    /// Calls `visit` with the func of each context in a procedure that a contour file excludes.
    pub fn each_excluded(&self, visit: impl FnMut(FuncId)) {
        let contexts = self.summed().and_then(|graph| graph.tables.contexts.as_deref());
        let Some(Contexts { contexts, modules, .. }) = contexts else { return };
        let is_excluded = |module: u32| modules[module as usize].excluded;
        let excluded = contexts.iter().filter(|context| context.module.is_some_and(is_excluded));
        excluded.filter_map(|context| context.func).for_each(visit);
    }

    /// Threads, in the file's order. Most call graphs have none.
    pub fn threads(&self) -> &[Thread] {
        match self {
            Self::Stacks(profile) => &profile.threads,
            Self::Graph(graph) => &graph.tables.threads,
        }
    }
}
