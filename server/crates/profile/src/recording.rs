//! What one profile file says: sampled stacks or a call graph.

use crate::{CallGraph, FrameTable, Metric, MetricId, Samples, StackTable, SymbolTables, Thread, ThreadId};

/// Sampled stacks. Built by [`crate::ProfileBuilder`], which has checked every index.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    pub(crate) symbols: SymbolTables,
    pub(crate) frames: FrameTable,
    pub(crate) stacks: StackTable,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) default_metric: usize,
    pub(crate) threads: Vec<Thread>,
}

impl Profile {
    /// Names.
    pub fn symbols(&self) -> &SymbolTables {
        &self.symbols
    }

    /// Names, without the rest.
    pub fn into_symbols(self) -> SymbolTables {
        self.symbols
    }

    /// Frames.
    pub fn frames(&self) -> &FrameTable {
        &self.frames
    }

    /// Stacks.
    pub fn stacks(&self) -> &StackTable {
        &self.stacks
    }

    /// Threads, in the file's order.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The metrics that samples are weighed by.
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// The metric to show when nobody chose one.
    pub fn default_metric(&self) -> MetricId {
        MetricId::new(self.default_metric as u32)
    }

    /// The same tables with other samples: `samples` gives those of each thread, `None` to leave the thread out. They must be
    /// made of the thread's own ([`crate::Samples::with_stacks`] and its like), so that nothing needs to be checked again.
    #[must_use]
    pub fn with_samples(&self, default_metric: MetricId, samples: impl Fn(ThreadId, &Samples) -> Option<Samples>) -> Self {
        let threads = (0..).map(ThreadId::new).zip(&self.threads);
        let threads = threads.filter_map(|(id, thread)| {
            let Thread { name, process_name, pid, tid, samples: own } = thread;
            let samples = samples(id, own)?;
            let (name, process_name, pid, tid) = (name.clone(), process_name.clone(), pid.clone(), tid.clone());
            Some(Thread { name, process_name, pid, tid, samples })
        });
        Self {
            threads: threads.collect(),
            symbols: self.symbols.clone(),
            frames: self.frames.clone(),
            stacks: self.stacks.clone(),
            metrics: self.metrics.clone(),
            default_metric: default_metric.index().min(self.metrics.len().saturating_sub(1)),
        }
    }
}

/// What one profile file says.
#[derive(Debug, Clone)]
pub enum Recording {
    /// Samples with stacks: costs by line, function, edge and path are exact.
    Stacks(Profile),
    /// Sums per line and call, no stacks.
    Graph(CallGraph),
}

impl Recording {
    /// The samples, where there are any.
    pub fn sampled(&self) -> Option<&Profile> {
        match self {
            Self::Stacks(profile) => Some(profile),
            Self::Graph(_) => None,
        }
    }

    /// Names.
    pub fn symbols(&self) -> &SymbolTables {
        match self {
            Self::Stacks(profile) => &profile.symbols,
            Self::Graph(graph) => &graph.symbols,
        }
    }

    /// The metrics that can be chosen.
    pub fn metrics(&self) -> &[Metric] {
        match self {
            Self::Stacks(profile) => &profile.metrics,
            Self::Graph(graph) => &graph.metrics,
        }
    }

    /// The metric to show when nobody chose one.
    pub fn default_metric(&self) -> MetricId {
        match self {
            Self::Stacks(profile) => profile.default_metric(),
            Self::Graph(_) => MetricId::new(0),
        }
    }

    /// The metric called `wanted`, by name or else by unit.
    pub fn find_metric(&self, wanted: &str) -> Option<MetricId> {
        let metrics = self.metrics();
        let by_name = metrics.iter().position(|metric| metric.name == wanted);
        by_name.or_else(|| metrics.iter().position(|metric| metric.unit == wanted)).map(|i| MetricId::new(i as u32))
    }

    /// Threads, in the file's order; none for a call graph.
    pub fn threads(&self) -> &[Thread] {
        match self {
            Self::Stacks(profile) => &profile.threads,
            Self::Graph(_) => &[],
        }
    }
}
