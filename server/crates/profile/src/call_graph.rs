//! The other kind of recording: exact counts per line and call, no stacks.

use crate::{FuncId, Metric, SymbolTables};

/// What a function spent on one of its lines, not counting calls.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnCost {
    /// The function.
    pub func: FuncId,
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
    /// At which of its lines, 1-based; 0 = unknown.
    pub line: u32,
    /// Who is called.
    pub callee: FuncId,
    /// How often.
    pub count: u64,
    /// What the calls cost, callee's callees included: one weight per metric.
    pub weights: Vec<f64>,
}

/// A call graph as instrumenting profilers write it. Its readers do not exist yet, so it holds only what its costs need.
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
}
