//! Recordings that are call graphs: sums per line and call, without stacks.

use crate::{Contexts, FuncId, Metric, SourceId, SymbolTables, Thread, ThreadId, Total};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The weights of a row, one per metric. Most graphs have one or two metrics and millions of rows.
pub type RowWeights = SmallVec<[f64; 2]>;

/// The self cost of one line of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnCost {
    /// The function.
    pub func: FuncId,
    /// The file of the line, if it differs from the function's because the code was inlined.
    pub source: Option<SourceId>,
    /// The line, 1-based; 0 if unknown.
    pub line: u32,
    /// One weight per metric.
    pub weights: RowWeights,
}

/// All calls from one line of one function to another function.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The caller.
    pub caller: FuncId,
    /// The file of the line, if it differs from the caller's because the code was inlined.
    pub source: Option<SourceId>,
    /// The line of the call, 1-based; 0 if unknown.
    pub line: u32,
    /// The callee.
    pub callee: FuncId,
    /// The number of calls.
    pub count: u64,
    /// The inclusive cost of the calls, one weight per metric.
    pub weights: RowWeights,
    /// Whether the calls may be nested, so that `weights` may count the same cost several times.
    pub nested: bool,
}

/// An inclusive cost computed by the profiler, in which each sample counts once.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedTotal {
    /// The function.
    pub func: FuncId,
    /// The file of the line, if it differs from the function's because the code was inlined.
    pub source: Option<SourceId>,
    /// One of its lines, 1-based; 0 for the whole function.
    pub line: u32,
    /// One total per metric, as precise as the file states it.
    pub totals: Vec<Total>,
    /// The number of calls of the function, if the file states it apart from its calls. It can
    /// exceed their sum, because some callers may be unknown.
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
    /// The number of threads; 0 if costs are not recorded by thread.
    pub fn n_threads(&self) -> usize {
        self.tables.threads.len()
    }
}

/// The rows of a call graph.
#[derive(Debug, Clone, Default)]
pub struct GraphTables {
    /// Strings, libraries, sources and funcs.
    pub symbols: SymbolTables,
    /// The metrics; the first is the default.
    pub metrics: Vec<Metric>,
    /// Self line costs.
    pub own: Vec<OwnCost>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Inclusive costs, of all functions or of none; likewise of lines. If there are some, a
    /// function or line without an entry is unknown. If there are none, inclusive costs are derived
    /// from the calls.
    pub totals: Vec<StatedTotal>,
    /// Funcs that stand for recursive calls of a function. They run only while another func of the
    /// same function runs.
    pub inner: Vec<FuncId>,
    /// The threads; empty if costs are not recorded by thread.
    pub threads: Vec<Thread>,
    /// The rows of each thread. Together they are all rows.
    pub rows: Vec<ThreadRows>,
    /// The contexts in which functions ran, if the file has them. Their calls refer to `calls`.
    pub contexts: Option<Arc<Contexts>>,
}

/// The rows of one thread in a call graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThreadRows {
    /// Rows of [`GraphTables::own`].
    pub own: Range<usize>,
    /// Rows of [`GraphTables::calls`].
    pub calls: Range<usize>,
    /// Rows of [`GraphTables::totals`].
    pub totals: Range<usize>,
}

/// A call graph, or the part of it that belongs to one thread.
#[derive(Debug, Clone, Copy)]
pub struct PartOfGraph<'g> {
    /// The whole call graph, for its names.
    pub graph: &'g GraphTables,
    /// Self line costs.
    pub own: &'g [OwnCost],
    /// Calls.
    pub calls: &'g [Call],
    /// The row of the first of them in [`GraphTables::calls`].
    pub first_call: usize,
    /// Stated inclusive costs.
    pub totals: &'g [StatedTotal],
}

impl GraphTables {
    /// The whole call graph.
    pub fn whole(&self) -> PartOfGraph<'_> {
        PartOfGraph {
            graph: self,
            own: &self.own,
            calls: &self.calls,
            first_call: 0,
            totals: &self.totals,
        }
    }

    /// The part of one thread; empty for a thread that is not in this call graph.
    pub fn of_thread(&self, thread: ThreadId) -> PartOfGraph<'_> {
        let rows = self.rows.get(thread.index()).cloned().unwrap_or_default();
        PartOfGraph {
            graph: self,
            own: self.own.get(rows.own).unwrap_or_default(),
            first_call: rows.calls.start,
            calls: self.calls.get(rows.calls).unwrap_or_default(),
            totals: self.totals.get(rows.totals).unwrap_or_default(),
        }
    }
}
