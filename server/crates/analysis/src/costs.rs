//! The costs of a recording: of its functions, lines, places and edges.
//!
//! Percentages are relative to `Costs::base`, never to the net total. With negative weights the net
//! total can be close to zero.

use crate::function_costs::{FunctionCost, FunctionCosts};
use crate::sums::{Sums, ThreadTotal};
use profile::{Cost, FileId, FunctionId, Metric};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Costs of one line of one file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineCost {
    /// The file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Self and total.
    pub cost: Cost,
}

/// Costs of one function on one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaceCost {
    /// The function.
    pub function: FunctionId,
    /// The file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Self and total of the function's frames on this line.
    pub cost: Cost,
    /// Whether all of these frames were inlined into their callers.
    pub inlined: bool,
}

/// Costs of a recording under one view, in raw weights of the view's metric.
#[derive(Debug, Clone)]
pub struct Costs {
    /// The metric whose weights are summed.
    pub metric: Metric,
    /// Weight of all samples that have a stack and are not idle.
    pub total: f64,
    /// What percentages refer to: the sum of |self| over all call nodes, or over all functions of a
    /// call graph. Equal to `total` unless some weights are negative (Firefox Profiler,
    /// `rootTotalSummary`).
    pub base: f64,
    /// Weight of idle samples.
    pub idle: f64,
    /// Weight of samples without a stack.
    pub no_stack: f64,
    /// Self cost without a line.
    pub no_line: f64,
    /// The threads of the view.
    pub threads: Vec<ThreadTotal>,
    functions: FunctionCosts,
    /// By function, whether the function or one of its edges has any cost. With negative weights
    /// both self and total of such a function can be 0.
    listed: Vec<bool>,
    lines: Vec<LineCost>,
    /// By file and line, costliest function first.
    places: Vec<PlaceCost>,
    /// The first line with cost of each function, in its own file if it has lines there. Empty if no
    /// lines are known.
    first_lines: Vec<Option<(FileId, u32)>>,
}

impl Costs {
    pub(crate) fn new(
        metric: Metric,
        sums: &Sums,
        functions: FunctionCosts,
        lines: Vec<LineCost>,
        places: Vec<PlaceCost>,
        mut listed: Vec<bool>,
        own_file: impl Fn(FunctionId) -> Option<FileId>,
    ) -> Self {
        let on_lines: f64 = lines.iter().map(|line| line.cost.self_).sum();
        for (listed, cost) in listed.iter_mut().zip(functions.iter()) {
            *listed |= cost.cost.magnitude() > 0.0 || cost.idle != 0.0;
        }
        let n_with_lines = if places.is_empty() { 0 } else { functions.len() };
        let mut first_lines = vec![None; n_with_lines];
        for place in places.iter().rev() {
            first_lines[place.function.index()] = Some((place.file, place.line));
        }
        // Inlined code of other files may be before it.
        for place in places.iter().rev().filter(|it| own_file(it.function) == Some(it.file)) {
            first_lines[place.function.index()] = Some((place.file, place.line));
        }
        Self {
            metric,
            total: sums.total,
            base: sums.base,
            idle: sums.idle,
            no_stack: sums.no_stack,
            no_line: rest(functions.iter().map(|function| function.cost.self_), on_lines),
            threads: sums.thread_totals(),
            functions,
            listed,
            lines,
            places,
            first_lines,
        }
    }

    /// The costs of a function.
    ///
    /// # Panics
    /// If `function` belongs to other groups.
    pub fn function(&self, function: FunctionId) -> FunctionCost {
        self.functions.get(function)
    }

    /// The functions that occur on a stack with weight, idle stacks included, in table order. With
    /// negative weights both self and total of such a function can be 0.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, FunctionCost)> + '_ {
        let listed = self.functions.iter().zip(&self.listed);
        (0..)
            .map(FunctionId::new)
            .zip(listed)
            .filter(|&(_, (_, &listed))| listed)
            .map(|(function, (cost, _))| (function, cost))
    }

    /// All lines with cost, by file and line.
    pub fn lines(&self) -> &[LineCost] {
        &self.lines
    }

    /// The lines of one file in `range` (1-based), in order.
    pub fn lines_of(&self, file: FileId, range: Range<u32>) -> &[LineCost] {
        let from = self.lines.partition_point(|line| (line.file, line.line) < (file, range.start));
        let to = self
            .lines
            .partition_point(|line| (line.file, line.line) < (file, range.end.max(range.start)));
        &self.lines[from..to]
    }

    /// The costs of functions on lines, by file and line.
    pub(crate) fn places(&self) -> &[PlaceCost] {
        &self.places
    }

    /// The functions with cost on one line (1-based), costliest first.
    pub fn functions_on(&self, file: FileId, line: u32) -> &[PlaceCost] {
        let from = self.places.partition_point(|place| (place.file, place.line) < (file, line));
        let to = self.places.partition_point(|place| (place.file, place.line) <= (file, line));
        &self.places[from..to]
    }

    /// The first line (1-based) of a function that has cost, in its own file if it has cost there;
    /// `None` if none of its lines is known.
    pub fn first_line(&self, function: FunctionId) -> Option<(FileId, u32)> {
        self.first_lines.get(function.index()).copied().flatten()
    }
}

/// The costs of sets of lines of a file.
pub(crate) type JoinedCosts = FxHashMap<(FileId, Vec<u32>), Cost>;

/// Sorts by file and line, costliest function first.
pub(crate) fn sorted(mut places: Vec<PlaceCost>) -> Vec<PlaceCost> {
    places.sort_unstable_by(|a, b| {
        let hotter = b.cost.magnitude().total_cmp(&a.cost.magnitude());
        (a.file, a.line).cmp(&(b.file, b.line)).then(hotter).then(a.function.cmp(&b.function))
    });
    places
}

/// The part of a sum of fractions (seconds) by which it may be wrong. Sums of whole weights are exact.
const MAX_ERROR: f64 = 1e-9;

/// What is left of a sum. Exactly zero if it is only an error of rounding.
fn rest(costs: impl Iterator<Item = f64>, known: f64) -> f64 {
    let (sum, magnitude) =
        costs.fold((0.0, 0.0), |(sum, all), cost| (sum + cost, all + cost.abs()));
    let rest: f64 = sum - known;
    let is_error = rest.fract() != 0.0 && rest.abs() <= MAX_ERROR * magnitude;
    if is_error { 0.0 } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_rounding_are_no_rest() {
        assert_eq!(rest([0.1, 0.2].into_iter(), 0.3), 0.0);
        assert_eq!(rest([0.5, 0.25].into_iter(), 0.5), 0.25);
        // A sample of many, and a profile of freed memory.
        assert_eq!(rest([1e12, 1.0].into_iter(), 1e12), 1.0);
        assert_eq!(rest([5.0, -7.0].into_iter(), 0.0), -2.0);
    }
}
