//! Callers and callees along a path of a call graph with contexts.
//!
//! The first step is that of any call graph ([`crate::graph_paths`]). Beyond it, the contexts say
//! which calls a path leads to. Inward, the calls that a function makes below a caller are exact: a
//! clique is entered by one call, and all calls of its members are below it. Outward, the cost of a
//! context with several callers is divided among them in proportion, which is an estimate.

use crate::Costs;
use crate::group::group;
use crate::paths::{PathEntry, PathStep, SiteCost, hotter};
use profile::{Column, Contexts, FileId, FunctionId, GraphTables, Groups};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Contexts with the functions of a view, for queries.
pub(crate) struct ContextIndex {
    pub(crate) costs: Costs,
    contexts: Arc<Contexts>,
    metric: usize,
    function_of: Vec<Option<FunctionId>>,
    /// The file and line of each row of [`GraphTables::calls`].
    sites: Vec<Option<(FileId, u32)>>,
    /// Calls by callee: those of context `c` are from `by_callee_start[c]` to
    /// `by_callee_start[c + 1]`.
    by_callee_start: Vec<u32>,
    by_callee: Vec<u32>,
    /// The first call of each context, and one past the last call.
    first: Vec<usize>,
}

/// A recursion: functions that call each other, or one that calls itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CliqueRecursion {
    /// The number of functions that are called within it.
    pub functions: usize,
    /// The number of call sites within it.
    pub sites: usize,
    /// Calls per call from outside, including that one.
    pub depth: f64,
}

/// A function on a path: its contexts there, with the part of their cost that is on the path.
struct Reached {
    shares: FxHashMap<u32, f64>,
    estimated: bool,
    self_: Option<f64>,
    total: f64,
}

impl ContextIndex {
    /// `None` if the graph has no contexts, or its metric has no inclusive costs.
    pub(crate) fn new(
        graph: &GraphTables,
        metric: usize,
        groups: &Groups,
        costs: &Costs,
    ) -> Option<Self> {
        let contexts = graph.contexts.clone()?;
        contexts.columns.get(metric).filter(|column| !column.own.is_empty())?;
        let function = |func: Option<_>| Some(groups.function(func?));
        let function_of = contexts.contexts.iter().map(|context| function(context.func)).collect();
        let site = |call: &profile::Call| {
            let source = call.source.or(graph.symbols.funcs.get(call.caller).source)?;
            (call.line != 0).then(|| (groups.file(source), call.line))
        };
        let n = contexts.contexts.len();
        let callees = contexts.calls.iter().map(|call| call.callee as usize);
        let (by_callee_start, by_callee) = group(n, callees);
        let starts =
            |context| contexts.calls.partition_point(|call| (call.caller as usize) < context);
        Some(Self {
            costs: costs.clone(),
            metric,
            function_of,
            sites: graph.calls.iter().map(site).collect(),
            by_callee_start,
            by_callee,
            first: (0..=n).map(starts).collect(),
            contexts,
        })
    }

    fn column(&self) -> &Column {
        &self.contexts.columns[self.metric]
    }

    fn cost(&self, call: usize) -> f64 {
        self.column().own[call] + self.column().below[call]
    }

    fn is_recursive(&self, call: usize) -> bool {
        let call = self.contexts.calls[call];
        let clique = |context: u32| self.contexts.contexts[context as usize].clique;
        clique(call.caller) == clique(call.callee)
    }

    fn calls_of(&self, context: u32) -> std::ops::Range<usize> {
        self.first[context as usize]..self.first[context as usize + 1]
    }

    fn calls_into(&self, context: u32) -> impl Iterator<Item = usize> {
        let context = context as usize;
        let range =
            self.by_callee_start[context] as usize..self.by_callee_start[context + 1] as usize;
        self.by_callee[range].iter().map(|&call| call as usize)
    }

    /// All contexts of a function.
    fn root(&self, function: FunctionId) -> Reached {
        let of = (0..).zip(&self.function_of).filter(|(_, of)| **of == Some(function));
        let shares = of.map(|(context, _)| (context, 1.0)).collect();
        let cost = self.costs.function(function).cost;
        Reached { shares, estimated: false, self_: Some(cost.self_), total: cost.magnitude() }
    }

    /// The callees of a path of at least two functions.
    pub(crate) fn callees(&self, root: FunctionId, rest: &[FunctionId]) -> PathStep {
        let mut reached = self.root(root);
        for &next in rest {
            let mut shares: FxHashMap<u32, f64> = FxHashMap::default();
            let (mut estimated, mut self_, mut total) = (reached.estimated, 0.0, 0.0);
            for (&context, &share) in &reached.shares {
                for call in self.calls_of(context) {
                    let callee = self.contexts.calls[call].callee;
                    if self.function_of[callee as usize] != Some(next) {
                        continue;
                    }
                    self_ += self.column().own[call] * share;
                    total += self.cost(call) * share;
                    // Within a clique, the callee has other callers, too.
                    estimated |= self.is_recursive(call);
                    let known = shares.entry(callee).or_default();
                    *known = known.max(share);
                }
            }
            reached = Reached { shares, estimated, self_: Some(self_), total };
        }
        let mut entries = Entries::default();
        for (&context, &share) in &reached.shares {
            for call in self.calls_of(context) {
                let callee = self.contexts.calls[call].callee;
                let function = self.function_of[callee as usize];
                entries.add(self, function, call, share);
            }
        }
        entries.step(&reached, |function| self.costs.callees(function).is_empty())
    }

    /// The callers of a path of at least two functions.
    pub(crate) fn callers(&self, root: FunctionId, rest: &[FunctionId]) -> PathStep {
        let mut reached = self.root(root);
        // What each context spends on the path, not which share of it.
        for (context, cost) in &mut reached.shares {
            *cost = self.calls_into(*context).map(|call| self.cost(call)).sum();
        }
        for &next in rest {
            let mut shares: FxHashMap<u32, f64> = FxHashMap::default();
            let (mut estimated, mut total) = (reached.estimated, 0.0);
            self.each_caller(&reached, |call, cost, shared| {
                let caller = self.contexts.calls[call].caller;
                if self.function_of[caller as usize] == Some(next) {
                    *shares.entry(caller).or_default() += cost;
                    total += cost;
                    estimated |= shared;
                }
            });
            reached = Reached { shares, estimated, self_: None, total };
        }
        let (mut entries, mut estimated) = (Entries::default(), reached.estimated);
        self.each_caller(&reached, |call, cost, shared| {
            let caller = self.contexts.calls[call].caller;
            estimated |= shared;
            let whole = self.cost(call);
            let share = if whole == 0.0 { 0.0 } else { cost / whole };
            entries.add(self, self.function_of[caller as usize], call, share);
        });
        let reached = Reached { estimated, ..reached };
        let mut step =
            entries.step(&reached, |function| self.costs.callers(function).next().is_none());
        step.entries.iter_mut().for_each(|entry| entry.self_ = None);
        step
    }

    /// What a function spends itself when each of its callers calls it.
    pub(crate) fn own_by_caller(&self, function: FunctionId) -> BTreeMap<FunctionId, f64> {
        let mut own = BTreeMap::new();
        for (i, call) in self.contexts.calls.iter().enumerate() {
            if self.function_of[call.callee as usize] == Some(function)
                && let Some(caller) = self.function_of[call.caller as usize]
            {
                *own.entry(caller).or_default() += self.column().own[i];
            }
        }
        own
    }

    /// The recursion that a function takes part in; `None` if it never calls back to itself.
    pub(crate) fn recursion(&self, function: FunctionId) -> Option<CliqueRecursion> {
        let clique = |context: u32| self.contexts.contexts[context as usize].clique as usize;
        let mut is_of_function = vec![false; self.contexts.cliques.len()];
        for (context, _) in (0..).zip(&self.function_of).filter(|(_, of)| **of == Some(function)) {
            is_of_function[clique(context)] = true;
        }
        let (mut functions, mut sites) = (BTreeSet::new(), BTreeSet::new());
        let (mut entered, mut calls) = (0_u64, 0_u64);
        for (i, call) in self.contexts.calls.iter().enumerate() {
            if !is_of_function[clique(call.callee)] {
                continue;
            }
            calls += call.count;
            if self.is_recursive(i) {
                functions.extend(self.function_of[call.callee as usize]);
                sites.insert(call.row);
            } else {
                entered += call.count;
            }
        }
        let (functions, sites) = (functions.len(), sites.len());
        let depth = calls as f64 / entered as f64;
        (functions > 0 && entered > 0).then_some(CliqueRecursion { functions, sites, depth })
    }

    /// Calls `visit` with each call into the contexts, its part of their cost, and whether that is
    /// an estimate.
    fn each_caller(&self, reached: &Reached, mut visit: impl FnMut(usize, f64, bool)) {
        for (&context, &cost) in &reached.shares {
            let whole: f64 = self.calls_into(context).map(|call| self.cost(call)).sum();
            let shared = self.calls_into(context).nth(1).is_some();
            for call in self.calls_into(context).filter(|_| whole > 0.0) {
                visit(call, cost * self.cost(call) / whole, shared);
            }
        }
    }
}

/// The entries of a step, by function.
#[derive(Default)]
struct Entries(BTreeMap<FunctionId, Sum>);

struct Sum {
    self_: f64,
    total: f64,
    recursive: bool,
    sites: BTreeMap<(FileId, u32), f64>,
}

impl Entries {
    /// Adds a part of the cost of a call.
    fn add(&mut self, index: &ContextIndex, function: Option<FunctionId>, call: usize, share: f64) {
        let Some(function) = function else { return };
        let new = || Sum { self_: 0.0, total: 0.0, recursive: true, sites: BTreeMap::new() };
        let sum = self.0.entry(function).or_insert_with(new);
        let total = index.cost(call) * share;
        sum.self_ += index.column().own[call] * share;
        sum.total += total;
        sum.recursive &= index.is_recursive(call);
        if let Some(site) = index.sites[index.contexts.calls[call].row as usize] {
            *sum.sites.entry(site).or_default() += total;
        }
    }

    fn step(self, reached: &Reached, is_leaf: impl Fn(FunctionId) -> bool) -> PathStep {
        let entry = |(function, sum): (FunctionId, Sum)| {
            let site = |((file, line), total)| SiteCost { file, line, total };
            let mut sites: Vec<SiteCost> = sum.sites.into_iter().map(site).collect();
            sites.sort_by(|a, b| hotter(a.total, b.total));
            PathEntry {
                function,
                self_: Some(sum.self_),
                total: sum.total,
                estimated: reached.estimated,
                sites,
                inlined: false,
                recursive: sum.recursive,
                leaf: is_leaf(function),
            }
        };
        let mut entries: Vec<PathEntry> = self.0.into_iter().map(entry).collect();
        entries.sort_by(|a, b| {
            a.recursive
                .cmp(&b.recursive)
                .then(hotter(a.total, b.total))
                .then(a.function.cmp(&b.function))
        });
        let Reached { self_, total, estimated, .. } = *reached;
        PathStep { self_, total, estimated, entries }
    }
}
