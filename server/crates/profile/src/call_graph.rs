//! The other kind of recording: sums per line and call, no stacks.

use crate::{FuncId, Metric, SourceId, SymbolTables, Thread, ThreadId, Total};
use std::ops::Range;

/// What a function spent on one of its lines, not counting calls.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnCost {
    /// The function.
    pub func: FuncId,
    /// The file of the line, where it is another than the function's: inlined code.
    pub source: Option<SourceId>,
    /// The line, 1-based; 0 = unknown.
    pub line: u32,
    /// One weight per metric.
    pub weights: Vec<f64>,
}

/// All calls from one line of one function to another function.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Who calls.
    pub caller: FuncId,
    /// The file of the line, where it is another than the caller's: inlined code.
    pub source: Option<SourceId>,
    /// At which of its lines, 1-based; 0 = unknown.
    pub line: u32,
    /// Who is called.
    pub callee: FuncId,
    /// How often.
    pub count: u64,
    /// What the calls cost, callee's callees included: one weight per metric.
    pub weights: Vec<f64>,
    /// Whether calls may lie within each other and their weights count the same thing several
    /// times.
    pub nested: bool,
}

/// An inclusive cost that the profiler itself summed, each sample once.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedTotal {
    /// The function.
    pub func: FuncId,
    /// One of its lines, 1-based; 0 = the function as a whole.
    pub line: u32,
    /// One total per metric, as well as the file tells.
    pub totals: Vec<Total>,
    /// How often the function was called, where the file counts that beside its calls: callers need
    /// not all be known.
    pub calls: Option<u64>,
}

/// A call graph, as written by profilers that count calls or sum samples. Its rows are behind
/// [`GraphAccess`].
#[derive(Debug, Clone, Default)]
pub struct CallGraph {
    pub(crate) tables: GraphTables,
}

/// Access to the rows of a call graph, for readers, writers and `analysis`. Crates above `analysis`
/// cannot name this trait: they do not depend on this crate.
pub trait GraphAccess {
    /// The rows.
    fn tables(&self) -> &GraphTables;
}

impl GraphAccess for CallGraph {
    fn tables(&self) -> &GraphTables {
        &self.tables
    }
}

impl From<GraphTables> for CallGraph {
    fn from(tables: GraphTables) -> Self {
        Self { tables }
    }
}

impl CallGraph {
    /// How many threads it records; 0 if costs are not recorded by thread.
    pub fn n_threads(&self) -> usize {
        self.tables.threads.len()
    }
}

/// The rows of a call graph.
#[derive(Debug, Clone, Default)]
pub struct GraphTables {
    /// Names.
    pub symbols: SymbolTables,
    /// What weights count; the first is the default.
    pub metrics: Vec<Metric>,
    /// Costs of lines.
    pub own: Vec<OwnCost>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Inclusive costs: of all functions or of none, and likewise of lines. What has none here is
    /// unknown; if there are none at all, they follow from the calls.
    pub totals: Vec<StatedTotal>,
    /// Funcs that stand for calls of a function within itself: they run only while another func of
    /// the function does.
    pub inner: Vec<FuncId>,
    /// The threads; none where costs are not recorded by thread.
    pub threads: Vec<Thread>,
    /// One per thread; together they are all rows.
    pub rows: Vec<ThreadRows>,
}

/// Which rows of a call graph are one thread's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadRows {
    /// Of [`GraphTables::own`].
    pub own: Range<usize>,
    /// Of [`GraphTables::calls`].
    pub calls: Range<usize>,
    /// Of [`GraphTables::totals`].
    pub totals: Range<usize>,
}

/// A call graph, or as much of it as one thread did.
#[derive(Debug, Clone, Copy)]
pub struct PartOfGraph<'g> {
    /// The whole, for its names.
    pub graph: &'g GraphTables,
    /// Costs of lines.
    pub own: &'g [OwnCost],
    /// Calls.
    pub calls: &'g [Call],
    /// Stated inclusive costs.
    pub totals: &'g [StatedTotal],
}

impl GraphTables {
    /// All of it.
    pub fn whole(&self) -> PartOfGraph<'_> {
        PartOfGraph { graph: self, own: &self.own, calls: &self.calls, totals: &self.totals }
    }

    /// What one thread did; nothing for a thread of another graph.
    pub fn of_thread(&self, thread: ThreadId) -> PartOfGraph<'_> {
        let rows = self.rows.get(thread.index()).cloned().unwrap_or_default();
        PartOfGraph {
            graph: self,
            own: self.own.get(rows.own).unwrap_or_default(),
            calls: self.calls.get(rows.calls).unwrap_or_default(),
            totals: self.totals.get(rows.totals).unwrap_or_default(),
        }
    }
}
