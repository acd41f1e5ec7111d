//! Costs of a call graph: self is exact, and so is an inclusive cost that the profiler stated, as far as it goes. Where it
//! stated none, they follow from the calls ([`crate::inclusive`]).
//!
//! Where several funcs are one function, or several functions lie on one line, their totals overlap by an unknown part: then
//! the common total lies between the greatest of them and their sum. What a call from one part to another costs is in both, so
//! the sum goes without it. That makes the usual case exact again: a wrapper and the only function that it calls.

use crate::View;
use crate::costs::{Costs, FunctionCost, LineCost, PlaceCost, sorted};
use crate::edges::{Edge, Edges, Site};
use crate::inclusive::Inclusive;
use crate::weighted::Sums;
use profile::{Call, CallGraph, Cost, FileId, FuncId, FunctionId, Groups, Metric, SourceId, Total};
use std::collections::BTreeMap;

pub(crate) fn costs(graph: &CallGraph, view: &View, groups: &Groups) -> Costs {
    let metric = view.metric.index();
    let mut derived = graph.totals.is_empty().then(|| Inclusive::new(graph, metric, groups));
    let (mut functions, (lines, places)) = match &mut derived {
        Some(derived) => (derived.functions(), derived.lines()),
        None => stated(graph, metric, groups),
    };
    let total = functions.iter().map(|function| function.cost.self_).sum();

    let weight = |call: &Call| call.weights.get(metric).copied().unwrap_or(0.0);
    let mut calls: BTreeMap<(FunctionId, FunctionId), Vec<&Call>> = BTreeMap::new();
    for call in &graph.calls {
        calls.entry((groups.function(call.caller), groups.function(call.callee))).or_default().push(call);
    }
    let mut edges = Edges::default();
    for ((caller, callee), calls) in calls {
        let stated: f64 = calls.iter().map(|call| weight(call)).sum();
        let (total, estimated) = if let Some(derived) = &mut derived {
            derived.edge(&calls)
        } else {
            let ends = [caller, callee].map(|end| functions[end.index()].cost.total);
            let most = ends.into_iter().filter_map(most).fold(stated, f64::min);
            let is_one = calls.windows(2).all(|pair| (pair[0].caller, pair[0].callee) == (pair[1].caller, pair[1].callee));
            (most, most < stated || !is_one || calls.iter().any(|call| call.nested))
        };
        let mut sites: BTreeMap<(FileId, u32), f64> = BTreeMap::new();
        for call in calls.iter().filter(|call| call.line != 0) {
            if let Some(source) = call.source.or(graph.symbols.funcs.get(call.caller).source) {
                *sites.entry((groups.file(source), call.line)).or_default() += weight(call);
            }
        }
        let mut sites: Vec<_> =
            sites.into_iter().map(|((file, line), site)| Site { file, line, total: site.min(total) }).collect();
        sites.sort_by(|a, b| b.total.total_cmp(&a.total));
        let first = edges.sites.len() as u32;
        edges.sites.append(&mut sites);
        let count = Some(calls.iter().map(|call| call.count).sum()).filter(|&count| count > 0);
        if let Some(count) = count {
            *functions[callee.index()].calls.get_or_insert(0) += count;
        }
        let sites = first..edges.sites.len() as u32;
        edges.edges.push(Edge { caller, callee, total, estimated, calls: count, inlined: false, sites });
    }
    let metric = graph.metrics.get(metric).cloned().unwrap_or_else(|| Metric::new("events", "events", None));
    Costs::new(metric, &Sums { total, ..Sums::default() }, functions, lines, places, edges)
}

/// Costs of a call graph whose file states inclusive ones.
fn stated(graph: &CallGraph, metric: usize, groups: &Groups) -> (Vec<FunctionCost>, (Vec<LineCost>, Vec<PlaceCost>)) {
    let weight = |weights: &[f64]| weights.get(metric).copied().unwrap_or(0.0);
    let mut functions = vec![Parts::default(); groups.n_functions()];
    let mut lines: BTreeMap<(FileId, u32), Parts> = BTreeMap::new();
    let mut places: BTreeMap<(FileId, u32, FunctionId), Parts> = BTreeMap::new();
    // What is to be told of a func, and of one of its lines, goes to all that it is part of.
    let mut tell = |func: FuncId, source: Option<SourceId>, line: u32, whole: bool, tell: &dyn Fn(&mut Parts)| {
        let function = groups.function(func);
        if whole {
            tell(&mut functions[function.index()]);
        }
        let source = source.or(graph.symbols.funcs.get(func).source).filter(|_| line != 0);
        if let Some(file) = source.map(|source| groups.file(source)) {
            tell(lines.entry((file, line)).or_default());
            tell(places.entry((file, line, function)).or_default());
        }
    };
    for own in &graph.own {
        tell(own.func, own.source, own.line, true, &|parts| parts.own += weight(&own.weights));
    }
    for stated in &graph.totals {
        let total = stated.totals.get(metric).copied().unwrap_or(Total::Unknown);
        tell(stated.func, None, stated.line, stated.line == 0, &|parts| parts.add(total));
    }
    for call in graph.calls.iter().filter(|call| call.caller != call.callee && !call.nested) {
        let function = groups.function(call.caller);
        if function == groups.function(call.callee) {
            let within = &mut functions[function.index()].within;
            *within = within.max(weight(&call.weights));
        }
    }
    let total: f64 = functions.iter().map(|parts| parts.own).sum();
    let functions = functions.into_iter().map(|parts| FunctionCost { cost: parts.cost(total), idle: 0.0, calls: None });
    let lines = lines.into_iter().map(|((file, line), parts)| LineCost { file, line, cost: parts.cost(total) });
    let places = places.into_iter().map(|((file, line, function), parts)| PlaceCost {
        function,
        file,
        line,
        cost: parts.cost(total),
        inlined: false,
    });
    (functions.collect(), (lines.collect(), sorted(places.collect())))
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
