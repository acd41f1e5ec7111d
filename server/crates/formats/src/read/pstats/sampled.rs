//! Files of Python's sampling profiler (`python -m profiling.sampling`, since Python 3.15).
//!
//! A key has the line that executes, not the first one of its function, so a function has a row for
//! each of its lines that was seen. The counts of a row are samples: those with the line on top of
//! the stack, and those with it anywhere, each once. That of a caller is how often the line called,
//! in all samples; recursion counts each time.
//!
//! Source: `Lib/profiling/sampling/pstats_collector.py` of CPython.

use super::rows::{Caller, Place, Row, own_cost, stated};
use profile::{Call, FuncId, GraphTables, RowWeights, StatedTotal, Total};

/// Adds the rows of a file with at most `n_funcs` functions.
pub(super) fn add(rows: &[Row], n_funcs: usize, graph: &mut GraphTables) {
    let mut functions = Functions::new(n_funcs);
    for row in rows {
        functions.add(row);
        graph.own.push(own_cost(row.place, row.own));
        // Without a line, it is a function without lines.
        if row.place.line != 0 {
            graph.totals.push(stated(row.place, None, Total::Exact(row.cumulative)));
        }
    }
    let cycles = functions.cycles();
    graph.totals.extend(functions.totals(&cycles));
    for row in rows {
        let call = |caller| call(row, caller, &cycles);
        graph.calls.extend(row.callers.iter().map(call));
    }
}

/// The samples of a caller. Calls of functions in one cycle may be nested in each other.
fn call(row: &Row, caller: &Caller, cycles: &[u32]) -> Call {
    let cycle = |func: FuncId| cycles.get(func.index());
    Call {
        caller: caller.place.func,
        source: None,
        line: caller.place.line,
        callee: row.place.func,
        count: 0,
        weights: RowWeights::from_slice(&[seconds(row, caller)]),
        nested: cycle(caller.place.func) == cycle(row.place.func),
    }
}

/// The time of the samples of a caller, from the time of each sample.
fn seconds(row: &Row, caller: &Caller) -> f64 {
    if row.calls > 0 { row.cumulative / row.calls as f64 * caller.calls as f64 } else { 0.0 }
}

/// Sums by function, by its id.
struct Functions(Vec<Function>);

#[derive(Clone, Default)]
struct Function {
    own: f64,
    /// The time of its calls of other functions.
    called: f64,
    /// The sum and the maximum of the totals of its lines.
    lines: f64,
    costliest: f64,
    /// The other functions that it calls.
    callees: Vec<u32>,
    is_listed: bool,
}

impl Functions {
    fn new(n: usize) -> Self {
        Self(vec![Function::default(); n])
    }

    fn add(&mut self, row: &Row) {
        let func = row.place.func;
        if let Some(function) = self.0.get_mut(func.index()) {
            function.is_listed = true;
            function.own += row.own;
            function.lines += row.cumulative;
            function.costliest = function.costliest.max(row.cumulative);
        }
        for caller in row.callers.iter().filter(|caller| caller.place.func != func) {
            if let Some(function) = self.0.get_mut(caller.place.func.index()) {
                function.called += seconds(row, caller);
                function.callees.push(func.raw());
            }
        }
    }

    /// The cycle of each function.
    fn cycles(&self) -> Vec<u32> {
        profile::cycles(self.0.len(), |func, i| self.0.get(func as usize)?.callees.get(i).copied())
    }

    /// The totals of functions. Where a function is on a stack, its innermost activation either is
    /// on top or calls another function; the latter happens once, unless that leads back to it.
    fn totals(&self, cycles: &[u32]) -> Vec<StatedTotal> {
        let mut sizes = vec![0_u32; cycles.len()];
        for &cycle in cycles {
            sizes[cycle as usize] += 1;
        }
        let whole: f64 = self.0.iter().map(|function| function.own).sum();
        let mut totals = Vec::new();
        for ((func, function), &cycle) in (0..).zip(&self.0).zip(cycles) {
            let Function { own, called, lines, costliest, .. } = *function;
            let (min, max) = if sizes[cycle as usize] == 1 {
                let total = costliest.max(own + called);
                (total, total)
            } else {
                (costliest, costliest.max(lines.min(whole)))
            };
            let total = if min < max { Total::Bounded { min, max } } else { Total::Exact(max) };
            if function.is_listed {
                let place = Place { func: FuncId::new(func), line: 0 };
                totals.push(stated(place, None, total));
            }
        }
        totals
    }
}
