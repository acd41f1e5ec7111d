//! Costs of a call graph: self is exact; what is inclusive stays unknown until cycles are handled.

use crate::View;
use crate::costs::{Costs, FunctionCost, LineCost, PlaceCost, sorted};
use crate::edges::{Edge, Edges, Site};
use crate::weighted::Sums;
use profile::{CallGraph, Cost, FileId, FunctionId, Groups, Metric, Total};
use std::collections::BTreeMap;

pub(crate) fn costs(graph: &CallGraph, view: &View, groups: &Groups) -> Costs {
    let metric = view.metric.index();
    let weight = |weights: &[f64]| weights.get(metric).copied().unwrap_or(0.0);
    let file_of = |func| graph.symbols.funcs.get(func).source.map(|source| groups.file(source));
    let unknown = |self_| Cost { self_, total: Total::Unknown };

    let mut functions = vec![FunctionCost { cost: unknown(0.0), idle: 0.0, calls: None }; groups.n_functions()];
    let mut lines: BTreeMap<(FileId, u32), f64> = BTreeMap::new();
    let mut places: BTreeMap<(FileId, u32, FunctionId), f64> = BTreeMap::new();
    let mut total = 0.0;
    for own in &graph.own {
        let weight = weight(&own.weights);
        total += weight;
        functions[groups.function(own.func).index()].cost.self_ += weight;
        if let Some(file) = file_of(own.func).filter(|_| own.line != 0) {
            *lines.entry((file, own.line)).or_default() += weight;
            *places.entry((file, own.line, groups.function(own.func))).or_default() += weight;
        }
    }
    let lines = lines.into_iter().map(|((file, line), self_)| LineCost { file, line, cost: unknown(self_) });
    let places =
        places.into_iter().map(|((file, line, function), self_)| PlaceCost { function, file, line, cost: unknown(self_) });

    let mut calls: BTreeMap<(FunctionId, FunctionId), Vec<&profile::Call>> = BTreeMap::new();
    for call in &graph.calls {
        calls.entry((groups.function(call.caller), groups.function(call.callee))).or_default().push(call);
    }
    let mut edges = Edges::default();
    for ((caller, callee), calls) in calls {
        let first = edges.sites.len() as u32;
        edges.sites.extend(
            calls
                .iter()
                .filter(|call| call.line != 0)
                .filter_map(|call| Some(Site { file: file_of(call.caller)?, line: call.line, total: weight(&call.weights) })),
        );
        let count = calls.iter().map(|call| call.count).sum();
        *functions[callee.index()].calls.get_or_insert(0) += count;
        edges.edges.push(Edge {
            caller,
            callee,
            total: calls.iter().map(|call| weight(&call.weights)).sum(),
            calls: Some(count),
            sites: first..edges.sites.len() as u32,
        });
    }
    let metric = graph.metrics.get(metric).cloned().unwrap_or_else(|| Metric::new("events", "events", None));
    Costs::new(metric, &Sums { total, ..Sums::default() }, functions, lines.collect(), sorted(places.collect()), edges)
}
