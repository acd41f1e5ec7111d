//! Costs of a call graph: self is exact, and so is an inclusive cost that the profiler stated, as far as it goes.
//!
//! Where several funcs are one function, or several functions lie on one line, their totals overlap by an unknown part: then
//! the common total lies between the greatest of them and their sum. What a call from one part to another costs is in both, so
//! the sum goes without it. That makes the usual case exact again: a wrapper and the only function that it calls.

use crate::View;
use crate::costs::{Costs, FunctionCost, LineCost, PlaceCost, sorted};
use crate::edges::{Edge, Edges, Site};
use crate::weighted::Sums;
use profile::{Call, CallGraph, Cost, FileId, FuncId, FunctionId, Groups, Metric, Total};
use std::collections::BTreeMap;

pub(crate) fn costs(graph: &CallGraph, view: &View, groups: &Groups) -> Costs {
    let metric = view.metric.index();
    let weight = |weights: &[f64]| weights.get(metric).copied().unwrap_or(0.0);
    let file_of = |func| graph.symbols.funcs.get(func).source.map(|source| groups.file(source));

    let mut functions = vec![Parts::default(); groups.n_functions()];
    let mut lines: BTreeMap<(FileId, u32), Parts> = BTreeMap::new();
    let mut places: BTreeMap<(FileId, u32, FunctionId), Parts> = BTreeMap::new();
    // What is to be told of a func, and of one of its lines, goes to all that it is part of.
    let mut tell = |func: FuncId, line: u32, whole: bool, tell: &dyn Fn(&mut Parts)| {
        let function = groups.function(func);
        if whole {
            tell(&mut functions[function.index()]);
        }
        if let Some(file) = file_of(func).filter(|_| line != 0) {
            tell(lines.entry((file, line)).or_default());
            tell(places.entry((file, line, function)).or_default());
        }
    };
    for own in &graph.own {
        tell(own.func, own.line, true, &|parts| parts.own += weight(&own.weights));
    }
    for stated in &graph.totals {
        let total = stated.totals.get(metric).copied().unwrap_or(Total::Unknown);
        tell(stated.func, stated.line, stated.line == 0, &|parts| parts.add(total));
    }
    for call in graph.calls.iter().filter(|call| call.caller != call.callee && !call.nested) {
        let function = groups.function(call.caller);
        if function == groups.function(call.callee) {
            let within = &mut functions[function.index()].within;
            *within = within.max(weight(&call.weights));
        }
    }

    let total: f64 = functions.iter().map(|parts| parts.own).sum();
    let functions: Vec<_> = functions.into_iter().map(|parts| FunctionCost { cost: parts.cost(total), idle: 0.0 }).collect();
    let lines = lines.into_iter().map(|((file, line), parts)| LineCost { file, line, cost: parts.cost(total) });
    let places =
        places.into_iter().map(|((file, line, function), parts)| PlaceCost { function, file, line, cost: parts.cost(total) });

    let mut calls: BTreeMap<(FunctionId, FunctionId), Vec<&Call>> = BTreeMap::new();
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
        let stated: f64 = calls.iter().map(|call| weight(&call.weights)).sum();
        let ends = [caller, callee].map(|end| functions[end.index()].cost.total);
        let most = ends.into_iter().filter_map(most).fold(stated, f64::min);
        let is_one = calls.windows(2).all(|pair| (pair[0].caller, pair[0].callee) == (pair[1].caller, pair[1].callee));
        edges.edges.push(Edge {
            caller,
            callee,
            total: most,
            estimated: most < stated || !is_one || calls.iter().any(|call| call.nested),
            calls: Some(calls.iter().map(|call| call.count).sum()).filter(|&calls| calls > 0),
            sites: first..edges.sites.len() as u32,
        });
    }
    let metric = graph.metrics.get(metric).cloned().unwrap_or_else(|| Metric::new("events", "events", None));
    Costs::new(metric, &Sums { total, ..Sums::default() }, functions, lines.collect(), sorted(places.collect()), edges)
}

/// The greatest weight that a total can be.
fn most(total: Total) -> Option<f64> {
    match total {
        Total::Exact(weight) | Total::Estimated(weight) | Total::Bounded { max: weight, .. } => Some(weight),
        Total::Unknown => None,
    }
}

/// What was said of the parts of one function, line or place.
#[derive(Clone, Copy, Default)]
struct Parts {
    own: f64,
    /// How many totals were stated.
    stated: u32,
    /// The last of them.
    only: Option<Total>,
    /// The greatest of what they are at least.
    least: f64,
    /// The sum of what they are at most.
    most: f64,
    /// What one part costs that another one calls. Only the greatest such call: several may be of the same samples.
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
        self.most += most(total).unwrap_or(0.0);
    }

    /// `whole` is the weight of the profile, which no total exceeds.
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
