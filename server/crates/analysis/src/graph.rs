//! Costs of a call graph. Self is exact. Totals that the file states are taken as they are; if it
//! states none, they are derived from the calls ([`crate::inclusive`]).
//!
//! If several funcs are one function, or several functions are on one line, their totals overlap by
//! an unknown amount. The common total is then at least the largest of them and at most their sum,
//! without the cost of calls from one part to another, which is in both. That keeps the usual case
//! exact: a wrapper and the only function that it calls.

use crate::View;
use crate::both::both;
use crate::costs::{Costs, LineCost, PlaceCost, sorted};
use crate::edges::{Edge, Edges};
use crate::function_costs::FunctionCost;
use crate::inclusive::Inclusive;
use crate::sums::{Sums, ThreadTotal};
use profile::{
    Call, Cost, FileId, FuncId, FuncRole, FunctionId, GraphTables, Groups, Metric, PartOfGraph,
    SourceId, ThreadId, Total,
};
use std::collections::BTreeMap;

pub(crate) fn costs(graph: &GraphTables, view: &View, groups: &Groups) -> Costs {
    let metric = view.metric.index();
    let mut threads = vec![None; graph.threads.len()];
    let mut sums: Option<GraphCosts> = None;
    for thread in
        (0..).map(ThreadId::new).take(threads.len()).filter(|thread| view.includes(thread.index()))
    {
        let costs = GraphCosts::of(graph.of_thread(thread), metric, groups);
        threads[thread.index()] = Some((costs.total(), graph.of_thread(thread).own.len() as u64));
        sums = Some(match sums {
            Some(sums) => sums.plus(costs),
            None => costs,
        });
    }
    let costs = sums.unwrap_or_else(|| {
        let rest = if graph.threads.is_empty() {
            graph.whole()
        } else {
            graph.of_thread(ThreadId::new(u32::MAX))
        };
        GraphCosts::of(rest, metric, groups)
    });
    let base = costs.functions.iter().map(|function| function.cost.self_.abs()).sum();
    let sums = Sums { total: costs.total(), base, threads, ..Sums::default() };
    let metric =
        graph.metrics.get(metric).cloned().unwrap_or_else(|| Metric::new("events", "events", None));
    let n_functions = costs.functions.len();
    let mut listed = vec![false; n_functions];
    for edge in costs.edges.all().iter().filter(|edge| edge.total != 0.0) {
        listed[edge.caller.index()] = true;
        listed[edge.callee.index()] = true;
    }
    let edges = costs.edges.by_callee(n_functions);
    Costs::new(metric, &sums, costs.functions.into(), costs.lines, costs.places, listed, edges)
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
struct GraphCosts {
    functions: Vec<FunctionCost>,
    /// By file and line.
    lines: Vec<LineCost>,
    places: Vec<PlaceCost>,
    edges: Edges,
}

impl GraphCosts {
    fn of(part: PartOfGraph<'_>, metric: usize, groups: &Groups) -> Self {
        if !part.totals.is_empty() {
            let (mut functions, (lines, places)) = stated(part, metric, groups);
            let edges = edges(part, metric, groups, &mut functions, None);
            return Self { functions, lines, places, edges };
        }
        let derived = Inclusive::new(part, metric, groups);
        let mut functions = derived.functions();
        let ((lines, places), edges) = both(
            || derived.lines(),
            || edges(part, metric, groups, &mut functions, Some(&derived)),
        );
        Self { functions, lines, places, edges }
    }

    fn total(&self) -> f64 {
        self.functions.iter().map(|function| function.cost.self_).sum()
    }

    /// Adds the costs of another thread. Totals add up because no thread runs within another. Each
    /// thread has its own bounds, so recursion in one does not widen those of the other.
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
            edges: plus_edges(&self.edges, &other.edges),
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

/// The cost of the calls from each line.
type SiteTotals = BTreeMap<(FileId, u32), f64>;

fn plus_edges(one: &Edges, other: &Edges) -> Edges {
    let mut sums: BTreeMap<(FunctionId, FunctionId), (Edge, SiteTotals)> = BTreeMap::new();
    for (edges, edge) in
        [one, other].into_iter().flat_map(|edges| edges.all().iter().map(move |edge| (edges, edge)))
    {
        let (sum, sites) = sums.entry((edge.caller, edge.callee)).or_insert_with(|| {
            (
                Edge { total: 0.0, estimated: false, calls: None, inlined: true, ..edge.clone() },
                SiteTotals::new(),
            )
        });
        sum.total += edge.total;
        sum.estimated |= edge.estimated;
        sum.inlined &= edge.inlined;
        sum.recursive &= edge.recursive;
        sum.calls = sum
            .calls
            .map_or(edge.calls, |calls| Some(calls.saturating_add(edge.calls.unwrap_or(0))));
        for site in edges.sites(edge) {
            *sites.entry((site.file, site.line)).or_default() += site.total;
        }
    }
    let mut edges = Edges::default();
    for (edge, sites) in sums.into_values() {
        edges.push(edge, sites);
    }
    edges
}

/// The edges by caller and callee. Sets the call counts of the callees, unless the file states
/// them.
fn edges(
    part: PartOfGraph<'_>,
    metric: usize,
    groups: &Groups,
    functions: &mut [FunctionCost],
    derived: Option<&Inclusive<'_>>,
) -> Edges {
    let weight = |call: &Call| call.weights.get(metric).copied().unwrap_or(0.0);
    let recursive_rows = part
        .graph
        .contexts
        .as_ref()
        .map(|contexts| contexts.recursive_rows(part.graph.calls.len()))
        .unwrap_or_default();
    let mut rows: Vec<((FunctionId, FunctionId), usize)> = Vec::with_capacity(part.calls.len());
    for (i, call) in part.calls.iter().enumerate() {
        let ends = (groups.function(call.caller), groups.function(call.callee));
        let is_part = groups.role(call.callee) != FuncRole::Whole;
        // A call within a function can be a part of it rather than a call.
        if ends.0 != ends.1 || call.caller == call.callee || !is_part {
            rows.push((ends, i));
        }
    }
    rows.sort_unstable();
    let derived = derived.filter(|_| part.graph.contexts.is_none());
    let derived = derived.map(|derived| derived.edges(rows.iter().map(|&(_, i)| &part.calls[i])));
    let mut edges = Edges::default();
    let has_stated_counts = part.totals.iter().any(|stated| stated.calls.is_some());
    let mut calls: Vec<&Call> = Vec::new();
    let mut sites: Vec<((FileId, u32), f64)> = Vec::new();
    for (i, rows) in rows.chunk_by(|(ends, _), (next, _)| ends == next).enumerate() {
        let (caller, callee) = rows[0].0;
        let is_recursive = |row| recursive_rows.get(part.first_call + row).copied();
        let recursive =
            caller == callee || rows.iter().all(|&(_, row)| is_recursive(row).unwrap_or(false));
        calls.clear();
        calls.extend(rows.iter().map(|&(_, row)| &part.calls[row]));
        let sum: f64 = calls.iter().map(|call| weight(call)).sum();
        let (total, estimated) = if part.graph.contexts.is_some() {
            (sum, false)
        } else if let Some(derived) = &derived {
            derived[i]
        } else {
            let ends = [caller, callee].map(|end| functions[end.index()].cost.total);
            let upper = ends.into_iter().filter_map(upper_bound).fold(sum, f64::min);
            let is_one_call = calls
                .windows(2)
                .all(|pair| (pair[0].caller, pair[0].callee) == (pair[1].caller, pair[1].callee));
            (upper, upper < sum || !is_one_call || calls.iter().any(|call| call.nested))
        };
        for call in calls.iter().filter(|call| call.line != 0) {
            if let Some(source) = call.source.or(part.graph.symbols.funcs.get(call.caller).source) {
                sites.push(((groups.file(source), call.line), weight(call)));
            }
        }
        sites.sort_by_key(|&(site, _)| site);
        sites.dedup_by(|next, sum| {
            let is_same = next.0 == sum.0;
            if is_same {
                sum.1 += next.1;
            }
            is_same
        });
        let count = Some(calls.iter().fold(0, |sum: u64, call| sum.saturating_add(call.count)))
            .filter(|&count| count > 0);
        if let Some(count) = count.filter(|_| !has_stated_counts) {
            let sum = functions[callee.index()].calls.get_or_insert(0);
            *sum = sum.saturating_add(count);
        }
        let (inlined, calls) = (false, count);
        edges.push(
            Edge { caller, callee, total, estimated, calls, inlined, recursive, sites: 0..0 },
            sites.drain(..).map(|(site, cost)| (site, cost.min(total))),
        );
    }
    edges
}

/// Costs of a call graph whose file states totals.
fn stated(
    part: PartOfGraph<'_>,
    metric: usize,
    groups: &Groups,
) -> (Vec<FunctionCost>, (Vec<LineCost>, Vec<PlaceCost>)) {
    let weight = |weights: &[f64]| weights.get(metric).copied().unwrap_or(0.0);
    let mut functions = vec![Parts::default(); groups.n_functions()];
    let mut on_lines = PartsOnLines::default();
    let mut calls: Vec<Option<u64>> = vec![None; functions.len()];
    for own in part.own {
        let weight = weight(&own.weights);
        functions[groups.function(own.func).index()].own += weight;
        if let Some(place) = place(part, groups, own.func, own.source, own.line) {
            on_lines.each(place, |parts| parts.own += weight);
        }
    }
    for stated in part.totals {
        let total = stated.totals.get(metric).copied().unwrap_or(Total::Unknown);
        if let Some(place) = place(part, groups, stated.func, stated.source, stated.line) {
            on_lines.each(place, |parts| parts.add(total));
        }
        if stated.line == 0 {
            let function = groups.function(stated.func).index();
            functions[function].add(total);
            let sum = &mut calls[function];
            *sum =
                sum.map_or(stated.calls, |sum| Some(sum.saturating_add(stated.calls.unwrap_or(0))));
        }
    }
    for call in part.calls.iter().filter(|call| call.caller != call.callee && !call.nested) {
        let function = groups.function(call.caller);
        if function == groups.function(call.callee) {
            let within = &mut functions[function.index()].within;
            *within = within.max(weight(&call.weights));
        }
    }
    let total: f64 = functions.iter().map(|parts| parts.own).sum();
    let functions = functions.into_iter().zip(calls).map(|(parts, calls)| FunctionCost {
        cost: parts.cost(total),
        idle: 0.0,
        calls,
    });
    (functions.collect(), on_lines.costs(total))
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

/// Accumulates the costs of lines, and of each function on each line.
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
        (lines.collect(), sorted(places.collect()))
    }
}

/// The largest weight that a total can have; `None` if it is unknown.
fn upper_bound(total: Total) -> Option<f64> {
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
