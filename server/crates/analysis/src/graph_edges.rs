//! The edges of a call graph: the calls from each function to each other one.
//!
//! Queries need them; the costs of functions and lines do not.

use crate::View;
use crate::edges::{Edge, Edges};
use crate::function_costs::FunctionCost;
use crate::graph::{is_call, parts, stated_functions, upper_bound, weight};
use crate::inclusive::{Inclusive, Nodes};
use profile::{Call, FileId, FunctionId, GraphTables, Groups, PartOfGraph};
use std::collections::BTreeMap;

/// The edges of the part of a call graph that a view includes.
pub(crate) fn edges(graph: &GraphTables, view: &View, groups: &Groups) -> Edges {
    let edges = parts(graph, view)
        .into_iter()
        .map(|(_, part)| edges_of(part, view.metric.index(), groups))
        .reduce(|one, other| plus(&one, &other));
    edges.unwrap_or_default().by_callee(groups.n_functions())
}

/// The edges of one part, by caller and callee.
fn edges_of(part: PartOfGraph<'_>, metric: usize, groups: &Groups) -> Edges {
    let recursive_rows = part
        .graph
        .contexts
        .as_ref()
        .map(|contexts| contexts.recursive_rows(part.graph.calls.len()))
        .unwrap_or_default();
    let is_recursive = |row| recursive_rows.get(part.first_call + row).copied().unwrap_or(false);
    let mut rows: Vec<((FunctionId, FunctionId), usize)> = part
        .calls
        .iter()
        .enumerate()
        .filter(|(_, call)| is_call(call, groups))
        .map(|(i, call)| ((groups.function(call.caller), groups.function(call.callee)), i))
        .collect();
    rows.sort_unstable();
    let calls: Vec<&Call> = rows.iter().map(|&(_, row)| &part.calls[row]).collect();
    let mut rest = &calls[..];
    let sets = rows.chunk_by(|(ends, _), (next, _)| ends == next).map(|rows| {
        let (calls, others) = rest.split_at(rows.len());
        rest = others;
        (rows[0].0, rows.iter().all(|&(_, row)| is_recursive(row)), calls)
    });
    let sets: Vec<_> = sets.collect();
    // With the upper bounds of the totals of functions; without any for contexts, whose recursive calls are
    // known.
    let (totals, most): (Vec<(f64, bool)>, Vec<Option<f64>>) = if part.graph.contexts.is_some() {
        (sets.iter().map(|(_, _, calls)| (sum(calls, metric), false)).collect(), Vec::new())
    } else if part.totals.is_empty() {
        let nodes = Nodes::new(part, metric, groups);
        let inclusive = Inclusive::new(&nodes);
        (inclusive.edges(&calls), upper_bounds(&inclusive.functions()))
    } else {
        let most = upper_bounds(&stated_functions(part, metric, groups));
        let upper = |end: FunctionId| most[end.index()];
        let total = |&((caller, callee), _, calls): &(_, _, &[&Call])| {
            bounded(calls, metric, [upper(caller), upper(callee)])
        };
        (sets.iter().map(total).collect(), most)
    };
    let ends: Vec<_> = sets.iter().map(|(ends, ..)| *ends).collect();
    let within = within_cycles(&ends, &totals, &most);
    let mut edges = Edges::default();
    for ((((caller, callee), within_recursion, calls), (total, estimated)), within_cycle) in
        sets.into_iter().zip(totals).zip(within)
    {
        let count = calls.iter().fold(0, |sum: u64, call| sum.saturating_add(call.count));
        edges.push(
            Edge {
                caller,
                callee,
                total,
                estimated,
                calls: (count > 0).then_some(count),
                inlined: false,
                recursive: caller == callee || within_recursion || within_cycle,
                sites: 0..0,
            },
            sites(part, metric, groups, calls).map(|(site, cost)| (site, cost.min(total))),
        );
    }
    edges
}

fn upper_bounds(functions: &[FunctionCost]) -> Vec<Option<f64>> {
    functions.iter().map(|function| upper_bound(function.cost.total)).collect()
}

/// For each caller and callee, sorted by caller, whether the calls are certainly within others:
/// both functions are on one cycle, and the calls from outside the cycle make up the whole total of
/// the callee. `most` are the upper bounds of the totals of functions; if there are none, nothing
/// is certain.
fn within_cycles(
    ends: &[(FunctionId, FunctionId)],
    totals: &[(f64, bool)],
    most: &[Option<f64>],
) -> Vec<bool> {
    let first = |caller: FunctionId| ends.partition_point(|(other, _)| *other < caller);
    let cycle = profile::cycles(most.len(), |function, i| {
        let caller = FunctionId::new(function);
        let (_, callee) = ends.get(first(caller) + i).filter(|(other, _)| *other == caller)?;
        Some(callee.raw())
    });
    let is_in_cycle = |(caller, callee): (FunctionId, FunctionId)| {
        most.get(caller.index()).is_some() && cycle[caller.index()] == cycle[callee.index()]
    };
    let mut entering = vec![0.0; most.len()];
    for (&(caller, callee), (total, _)) in ends.iter().zip(totals) {
        if !most.is_empty() && !is_in_cycle((caller, callee)) {
            entering[callee.index()] += total;
        }
    }
    let is_within = |&(caller, callee): &(FunctionId, FunctionId)| {
        is_in_cycle((caller, callee))
            && most[callee.index()]
                .is_some_and(|most| most > 0.0 && entering[callee.index()] >= most * (1.0 - 1e-9))
    };
    ends.iter().map(is_within).collect()
}

/// The cost of the calls from one function to another if the file states totals, `upper` of both
/// functions: whether it is an estimate, too.
fn bounded(calls: &[&Call], metric: usize, upper: [Option<f64>; 2]) -> (f64, bool) {
    let sum = sum(calls, metric);
    let total = upper.into_iter().flatten().fold(sum, f64::min);
    let ends = |call: &Call| (call.caller, call.callee);
    let is_one_call = calls.windows(2).all(|pair| ends(pair[0]) == ends(pair[1]));
    (total, total < sum || !is_one_call || calls.iter().any(|call| call.nested))
}

fn sum(calls: &[&Call], metric: usize) -> f64 {
    calls.iter().map(|call| weight(&call.weights, metric)).sum()
}

/// The lines of calls, each with the cost of the calls there.
fn sites(
    part: PartOfGraph<'_>,
    metric: usize,
    groups: &Groups,
    calls: &[&Call],
) -> impl Iterator<Item = ((FileId, u32), f64)> {
    let mut sites: Vec<((FileId, u32), f64)> = Vec::new();
    for call in calls.iter().filter(|call| call.line != 0) {
        if let Some(source) = call.source.or(part.graph.symbols.funcs.get(call.caller).source) {
            sites.push(((groups.file(source), call.line), weight(&call.weights, metric)));
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
    sites.into_iter()
}

/// The cost of the calls from each line.
type SiteTotals = BTreeMap<(FileId, u32), f64>;

/// The sum of the edges of two threads.
fn plus(one: &Edges, other: &Edges) -> Edges {
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
