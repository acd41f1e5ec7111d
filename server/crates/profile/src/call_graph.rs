//! The other kind of recording: sums per line and call, no stacks.

use crate::{FuncId, Metric, SourceId, SymbolTables, Total};

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
    /// Whether calls may lie within each other and their weights count the same thing several times.
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
}

/// A call graph, as profilers write it that count calls or sum samples.
#[derive(Debug, Clone, Default)]
pub struct CallGraph {
    /// Names.
    pub symbols: SymbolTables,
    /// What weights count; the first is the default.
    pub metrics: Vec<Metric>,
    /// Costs of lines.
    pub own: Vec<OwnCost>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Inclusive costs: of all functions or of none, and likewise of lines. What has none here is unknown; if there are none
    /// at all, they follow from the calls.
    pub totals: Vec<StatedTotal>,
    /// Funcs that stand for calls of a function within itself: they run only while another func of the function does.
    pub inner: Vec<FuncId>,
}
