//! Costs of a call graph. Self is exact. Totals that the file states are taken as they are; if it
//! states none, they are derived from the calls ([`crate::inclusive`]).
//!
//! If several funcs are one function, or several functions are on one line, their totals overlap by
//! an unknown amount. The common total is then at least the largest of them and at most their sum,
//! without the cost of calls from one part to another, which is in both. That keeps the usual case
//! exact: a wrapper and the only function that it calls.

use crate::View;
use crate::costs::{Costs, LineCost, PlaceCost, sorted};
use crate::function_costs::FunctionCost;
use crate::inclusive::{Inclusive, Nodes};
use crate::sums::{Sums, ThreadTotal};
use profile::{
    Call, Cost, FileId, FuncId, FuncRole, FunctionId, GraphTables, Groups, Metric, PartOfGraph,
    SourceId, ThreadId, Total, both,
};
use std::collections::BTreeMap;

pub(crate) fn costs(graph: &GraphTables, view: &View, groups: &Groups) -> Costs {
    let metric = view.metric.index();
    let (mut threads, mut listed) =
        (vec![None; graph.threads.len()], vec![false; groups.n_functions()]);
    let costs = parts(graph, view).into_iter().map(|(thread, part)| {
        for call in part.calls.iter().filter(|call| is_call(call, groups)) {
            if weight(&call.weights, metric) != 0.0 {
                listed[groups.function(call.caller).index()] = true;
                listed[groups.function(call.callee).index()] = true;
            }
        }
        let costs = PartCosts::of(part, metric, groups);
        if let Some(thread) = thread {
            threads[thread.index()] = Some((costs.total(), part.own.len() as u64));
        }
        costs
    });
    let costs = costs.reduce(PartCosts::plus).unwrap_or_else(|| {
        let nothing = graph.of_thread(ThreadId::new(u32::MAX));
        PartCosts::of(nothing, metric, groups)
    });
    let base = costs.functions.iter().map(|function| function.cost.self_.abs()).sum();
    let sums = Sums { total: costs.total(), base, threads, ..Sums::default() };
    let metric =
        graph.metrics.get(metric).cloned().unwrap_or_else(|| Metric::new("events", "events", None));
    let own_file = |function| groups.file_of(&graph.symbols, function);
    Costs::new(metric, &sums, costs.functions.into(), costs.lines, costs.places, listed, own_file)
}

/// The parts of a call graph that a view includes: its threads, or all of it if it has none.
pub(crate) fn parts<'g>(
    graph: &'g GraphTables,
    view: &View,
) -> Vec<(Option<ThreadId>, PartOfGraph<'g>)> {
    if graph.threads.is_empty() {
        return vec![(None, graph.whole())];
    }
    let threads = (0..graph.threads.len() as u32).map(ThreadId::new);
    let included = threads.filter(|thread| view.includes(thread.index()));
    included.map(|thread| (Some(thread), graph.of_thread(thread))).collect()
}

/// Whether a call is one to the user. A call within a function can be a part of it instead.
pub(crate) fn is_call(call: &Call, groups: &Groups) -> bool {
    call.caller == call.callee
        || groups.function(call.caller) != groups.function(call.callee)
        || groups.role(call.callee) == FuncRole::Whole
}

/// The weight of a metric, which a row may lack.
pub(crate) fn weight(weights: &[f64], metric: usize) -> f64 {
    weights.get(metric).copied().unwrap_or(0.0)
}

/// The self cost of each thread; empty for a call graph without threads.
pub(crate) fn thread_totals(graph: &GraphTables, metric: usize) -> Vec<ThreadTotal> {
    let total = |thread| {
        let own = graph.of_thread(thread).own;
        let total = own
            .iter()
            .filter_map(|own| own.weights.get(metric))
            .fold(0.0, |sum, weight| sum + weight);
        ThreadTotal { thread, total, samples: own.len() as u64 }
    };
    (0..graph.threads.len() as u32).map(ThreadId::new).map(total).collect()
}

/// Costs of a call graph, or of one of its threads.
struct PartCosts {
    functions: Vec<FunctionCost>,
    /// By file and line.
    lines: Vec<LineCost>,
    places: Vec<PlaceCost>,
}

impl PartCosts {
    fn of(part: PartOfGraph<'_>, metric: usize, groups: &Groups) -> Self {
        let (mut functions, (lines, places)) = if part.totals.is_empty() {
            let nodes = Nodes::new(part, metric, groups);
            let (derived, rows) = both(|| Inclusive::new(&nodes), || nodes.rows());
            (derived.functions(), derived.lines(&rows))
        } else {
            (stated_functions(part, metric, groups), stated_lines(part, metric, groups))
        };
        if part.totals.iter().all(|stated| stated.calls.is_none()) {
            count_calls(part, groups, &mut functions);
        }
        Self { functions, lines, places }
    }

    fn total(&self) -> f64 {
        self.functions.iter().map(|function| function.cost.self_).sum()
    }

    /// Adds the costs of another thread. Totals add up because no thread runs within another. Each
    /// thread has its own bounds, so recursion in one thread does not widen the bounds of another.
    fn plus(self, other: Self) -> Self {
        let functions =
            self.functions.into_iter().zip(other.functions).map(|(one, other)| FunctionCost {
                cost: plus(one.cost, other.cost),
                idle: one.idle + other.idle,
                calls: one.calls.map_or(other.calls, |calls| {
                    Some(calls.saturating_add(other.calls.unwrap_or(0)))
                }),
            });
        let mut lines: BTreeMap<(FileId, u32), Cost> = BTreeMap::new();
        for LineCost { file, line, cost } in self.lines.into_iter().chain(other.lines) {
            let sum = lines.entry((file, line));
            sum.and_modify(|sum| *sum = plus(*sum, cost)).or_insert(cost);
        }
        let mut places: BTreeMap<(FileId, u32, FunctionId), PlaceCost> = BTreeMap::new();
        for place in self.places.into_iter().chain(other.places) {
            let PlaceCost { function, file, line, cost, inlined } = place;
            places
                .entry((file, line, function))
                .and_modify(|sum| {
                    sum.cost = plus(sum.cost, cost);
                    sum.inlined &= inlined;
                })
                .or_insert(place);
        }
        Self {
            functions: functions.collect(),
            lines: lines
                .into_iter()
                .map(|((file, line), cost)| LineCost { file, line, cost })
                .collect(),
            places: sorted(places.into_values().collect()),
        }
    }
}

/// The sum of one function's or line's costs in two threads.
fn plus(one: Cost, other: Cost) -> Cost {
    let total = match (is_absent(one), is_absent(other)) {
        (true, _) => other.total,
        (_, true) => one.total,
        _ => one.total.plus(other.total),
    };
    Cost { self_: one.self_ + other.self_, total }
}

/// Whether a thread does not contain the function at all. Its total is 0 then, not unknown.
fn is_absent(cost: Cost) -> bool {
    cost.self_ == 0.0 && cost.total == Total::Unknown
}

/// Sets the number of calls of each function that is called.
fn count_calls(part: PartOfGraph<'_>, groups: &Groups, functions: &mut [FunctionCost]) {
    for call in part.calls.iter().filter(|call| call.count > 0 && is_call(call, groups)) {
        let sum = functions[groups.function(call.callee).index()].calls.get_or_insert(0);
        *sum = sum.saturating_add(call.count);
    }
}

/// The costs of the functions of a call graph whose file states totals.
pub(crate) fn stated_functions(
    part: PartOfGraph<'_>,
    metric: usize,
    groups: &Groups,
) -> Vec<FunctionCost> {
    let mut functions = vec![Parts::default(); groups.n_functions()];
    let mut calls: Vec<Option<u64>> = vec![None; functions.len()];
    for own in part.own {
        functions[groups.function(own.func).index()].own += weight(&own.weights, metric);
    }
    for stated in part.totals.iter().filter(|stated| stated.line == 0) {
        let function = groups.function(stated.func).index();
        functions[function].add(stated.totals.get(metric).copied().unwrap_or(Total::Unknown));
        let sum = &mut calls[function];
        *sum = sum.map_or(stated.calls, |sum| Some(sum.saturating_add(stated.calls.unwrap_or(0))));
    }
    for call in part.calls.iter().filter(|call| call.caller != call.callee && !call.nested) {
        let function = groups.function(call.caller);
        if function == groups.function(call.callee) {
            let within = &mut functions[function.index()].within;
            *within = within.max(weight(&call.weights, metric));
        }
    }
    let total: f64 = functions.iter().map(|parts| parts.own).sum();
    let functions = functions.into_iter().zip(calls).map(|(parts, calls)| FunctionCost {
        cost: parts.cost(total),
        idle: 0.0,
        calls,
    });
    functions.collect()
}

/// The costs of the lines of a call graph whose file states totals, and of each function on them.
fn stated_lines(
    part: PartOfGraph<'_>,
    metric: usize,
    groups: &Groups,
) -> (Vec<LineCost>, Vec<PlaceCost>) {
    let mut on_lines = PartsOnLines::default();
    let mut whole = 0.0;
    for own in part.own {
        let weight = weight(&own.weights, metric);
        whole += weight;
        if let Some(place) = place(part, groups, own.func, own.source, own.line) {
            on_lines.each(place, |parts| parts.own += weight);
        }
    }
    for stated in part.totals {
        let total = stated.totals.get(metric).copied().unwrap_or(Total::Unknown);
        if let Some(place) = place(part, groups, stated.func, stated.source, stated.line) {
            on_lines.each(place, |parts| parts.add(total));
        }
    }
    on_lines.costs(whole)
}

/// The file, line and function of a row; `None` for a row without a line.
fn place(
    part: PartOfGraph<'_>,
    groups: &Groups,
    func: FuncId,
    source: Option<SourceId>,
    line: u32,
) -> Option<(FileId, u32, FunctionId)> {
    let source = source.or(part.graph.symbols.funcs.get(func).source).filter(|_| line != 0)?;
    Some((groups.file(source), line, groups.function(func)))
}

/// Accumulates the line costs, and of each function on each line.
#[derive(Default)]
struct PartsOnLines {
    lines: BTreeMap<(FileId, u32), Parts>,
    places: BTreeMap<(FileId, u32, FunctionId), Parts>,
}

impl PartsOnLines {
    fn each(&mut self, place: (FileId, u32, FunctionId), change: impl Fn(&mut Parts)) {
        let (file, line, _) = place;
        change(self.lines.entry((file, line)).or_default());
        change(self.places.entry(place).or_default());
    }

    /// `total` is the weight of the profile.
    fn costs(self, total: f64) -> (Vec<LineCost>, Vec<PlaceCost>) {
        let lines = self.lines.into_iter().map(|((file, line), parts)| LineCost {
            file,
            line,
            cost: parts.cost(total),
        });
        let places = self.places.into_iter().map(|((file, line, function), parts)| PlaceCost {
            function,
            file,
            line,
            cost: parts.cost(total),
            inlined: false,
        });
        // What has a cost in another metric only.
        let has_cost = |cost: Cost| cost.self_ != 0.0 || cost.total != Total::Unknown;
        let lines = lines.filter(|line| has_cost(line.cost));
        (lines.collect(), sorted(places.filter(|place| has_cost(place.cost)).collect()))
    }
}

/// The largest weight that a total can have; `None` if it is unknown.
pub(crate) fn upper_bound(total: Total) -> Option<f64> {
    match total {
        Total::Exact(weight) | Total::Estimated(weight) | Total::Bounded { max: weight, .. } => {
            Some(weight)
        }
        Total::Unknown => None,
    }
}

/// Accumulates the stated costs of the funcs of one function, line or place.
#[derive(Clone, Copy, Default)]
struct Parts {
    own: f64,
    /// The number of stated totals.
    stated: u32,
    /// The last of them; the total if there is only one.
    only: Option<Total>,
    /// The largest of their lower bounds.
    least: f64,
    /// The sum of their upper bounds.
    most: f64,
    /// The cost of the calls from one part to another. Only the costliest of these calls counts,
    /// because several may belong to the same samples.
    within: f64,
    estimated: bool,
    unknown: bool,
}

impl Parts {
    fn add(&mut self, total: Total) {
        self.stated += 1;
        self.only = Some(total);
        self.estimated |= matches!(total, Total::Estimated(_));
        self.unknown |= total == Total::Unknown;
        let least = match total {
            Total::Exact(weight) | Total::Bounded { min: weight, .. } => weight,
            Total::Estimated(_) | Total::Unknown => 0.0,
        };
        self.least = self.least.max(least);
        self.most += upper_bound(total).unwrap_or(0.0);
    }

    /// `whole` is the weight of the profile, which no total can exceed.
    fn cost(self, whole: f64) -> Cost {
        let (min, max) = (self.least.max(self.own), (self.most - self.within).min(whole));
        let total = match self.only {
            _ if self.unknown => Total::Unknown,
            Some(total) if self.stated == 1 => total,
            Some(_) if self.estimated => Total::Estimated(max.max(min)),
            Some(_) if min < max => Total::Bounded { min, max },
            Some(_) => Total::Exact(min),
            None => Total::Unknown,
        };
        Cost { self_: self.own, total }
    }
}
