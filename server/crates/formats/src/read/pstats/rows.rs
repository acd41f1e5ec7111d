//! The rows of a file of pstats: functions or lines with their numbers and callers.

use profile::{FuncId, OwnCost, RowWeights, StatedTotal, Total};

/// A function, or one of its lines.
#[derive(Clone, Copy)]
pub struct Place {
    pub func: FuncId,
    /// The line that executes, if the file was sampled; otherwise 0.
    pub line: u32,
}

/// A function or line with its numbers.
pub struct Row {
    pub place: Place,
    /// Negative = not counted.
    pub calls: i64,
    pub own: f64,
    pub cumulative: f64,
    pub callers: Vec<Caller>,
}

/// A function or line that calls another one.
pub struct Caller {
    pub place: Place,
    pub calls: i64,
    /// The cumulative time when called from this caller, if the file has it.
    pub cumulative: Option<f64>,
}

/// The own cost of a function or line.
pub fn own_cost(place: Place, seconds: f64) -> OwnCost {
    let Place { func, line } = place;
    OwnCost { func, source: None, line, weights: RowWeights::from_slice(&[seconds]) }
}

/// A total that the file states, with a number of calls.
pub fn stated(place: Place, calls: Option<u64>, total: Total) -> StatedTotal {
    let Place { func, line } = place;
    StatedTotal { func, source: None, line, totals: vec![total], calls }
}
