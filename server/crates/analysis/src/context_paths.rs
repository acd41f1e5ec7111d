//! Callers and callees along a path of a call graph with contexts.
//!
//! The callees of one function are found as in any call graph ([`crate::graph_paths`]). Beyond
//! them, the contexts say which calls a path leads to. Inward, the calls that a function makes
//! below a caller are exact: a clique is entered by one call, and all calls of its members are
//! below it. Outward, the cost of a context with several callers is divided among them in
//! proportion, which is an estimate.
//!
//! With a *contour*, callers in excluded procedures are replaced by the nearest ones outside of the
//! contour: from an excluded caller, the next is the caller of its clique. The costs are still the
//! costs of the call itself (`deep_profiler/exclude.m` of Mercury).
//!
//! A recording with contexts keeps them (`profile::Contexts`), and call paths follow them. Summed by
//! function, as in callgrind files, a path would only be an estimate.

use crate::View;
use crate::call_groups::{CallGrouping, CallGroups, GroupKey, GroupSums};
use crate::graph_paths::GraphIndex;
use crate::group::group;
use crate::paths::{PathEntry, PathStep, SiteCost, hotter, rest_of};
use crate::recursion::{FunctionRecursion, RecursionDepth, RecursiveSites};
use profile::{Column, Contexts, FileId, FunctionId, GraphTables, Groups, MetricId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Contexts with the functions of a view, for queries.
pub(crate) struct ContextIndex {
    pub(crate) graph: GraphIndex,
    contexts: Arc<Contexts>,
    metric: usize,
    function_of: Vec<Option<FunctionId>>,
    /// Contexts by function: those of function `f` are from `by_function_start[f]` to
    /// `by_function_start[f + 1]`.
    by_function_start: Vec<u32>,
    by_function: Vec<u32>,
    /// By call: the call whose caller is shown as the caller. Empty without a contour.
    shown: Vec<u32>,
    /// The file and line of each row of [`GraphTables::calls`].
    sites: Vec<Option<(FileId, u32)>>,
    /// Calls by callee: those of context `c` are from `by_callee_start[c]` to
    /// `by_callee_start[c + 1]`.
    by_callee_start: Vec<u32>,
    by_callee: Vec<u32>,
    /// The first call of each context, and one past the last call.
    first: Vec<usize>,
}

/// What is on a path.
struct Reached {
    estimated: bool,
    self_: Option<f64>,
    total: f64,
}

impl ContextIndex {
    /// Whether there are contexts with costs in a metric.
    pub(crate) fn is_in(tables: &GraphTables, metric: MetricId) -> bool {
        let contexts = tables.contexts.as_ref();
        let column = contexts.and_then(|contexts| contexts.columns.get(metric.index()));
        column.is_some_and(|column| !column.own.is_empty())
    }

    /// The contexts of `tables`, whose edges and costs `graph` has.
    pub(crate) fn new(
        tables: &GraphTables,
        view: &View,
        groups: &Groups,
        graph: GraphIndex,
    ) -> Self {
        let (contexts, metric) = (tables.contexts.clone().unwrap_or_default(), view.metric.index());
        let function = |func: Option<_>| Some(groups.function(func?));
        let function_of: Vec<_> =
            contexts.contexts.iter().map(|context| function(context.func)).collect();
        // Contexts without a function come last.
        let n_functions = groups.n_functions();
        let keys = function_of.iter().map(|of| of.map_or(n_functions, FunctionId::index));
        let (by_function_start, by_function) = group(n_functions + 1, keys);
        let has_contour = view.contour && contexts.modules.iter().any(|part| part.excluded);
        let site = |call: &profile::Call| {
            let source = call.source.or(tables.symbols.funcs.get(call.caller).source)?;
            (call.line != 0).then(|| (groups.file(source), call.line))
        };
        let n = contexts.contexts.len();
        let callees = contexts.calls.iter().map(|call| call.callee as usize);
        let (by_callee_start, by_callee) = group(n, callees);
        let starts =
            |context| contexts.calls.partition_point(|call| (call.caller as usize) < context);
        Self {
            graph,
            metric,
            function_of,
            by_function_start,
            by_function,
            shown: if has_contour { shown_callers(&contexts) } else { Vec::new() },
            sites: tables.calls.iter().map(site).collect(),
            by_callee_start,
            by_callee,
            first: (0..=n).map(starts).collect(),
            contexts,
        }
    }

    fn column(&self) -> &Column {
        &self.contexts.columns[self.metric]
    }

    pub(crate) fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The function of each context.
    pub(crate) fn functions(&self) -> &[Option<FunctionId>] {
        &self.function_of
    }

    /// What the callee spends itself in a call, a row of [`Contexts::calls`].
    pub(crate) fn own(&self, call: usize) -> f64 {
        self.column().own[call]
    }

    /// What a call costs. Within a clique, that is what the callee spends itself.
    pub(crate) fn cost(&self, call: usize) -> f64 {
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

    fn clique(&self, context: u32) -> u32 {
        self.contexts.contexts[context as usize].clique
    }

    /// The call whose caller is shown as the caller of a call: that call, unless a contour excludes
    /// its caller.
    fn shown(&self, call: usize) -> usize {
        self.shown.get(call).map_or(call, |&shown| shown as usize)
    }

    pub(crate) fn has_contour(&self) -> bool {
        !self.shown.is_empty()
    }

    fn contexts_of(&self, function: FunctionId) -> &[u32] {
        let range = match self.by_function_start.get(function.index()..) {
            Some([from, to, ..]) => *from as usize..*to as usize,
            _ => 0..0,
        };
        &self.by_function[range]
    }

    /// What is on the path of one function.
    fn root(&self, function: FunctionId) -> Reached {
        let cost = self.graph.costs.function(function).cost;
        Reached { estimated: false, self_: Some(cost.self_), total: cost.magnitude() }
    }

    /// The callees of a path of at least two functions.
    pub(crate) fn callees(&self, root: FunctionId, rest: &[FunctionId]) -> PathStep {
        let mut reached = self.root(root);
        let mut contexts = self.contexts_of(root).to_vec();
        for &next in rest {
            let (mut own, mut total, mut callees) = (0.0, 0.0, Vec::new());
            for call in contexts.iter().flat_map(|&context| self.calls_of(context)) {
                let callee = self.contexts.calls[call].callee;
                if self.function_of[callee as usize] != Some(next) {
                    continue;
                }
                own += self.own(call);
                total += self.cost(call);
                // Within a clique, the callee has other callers, too.
                reached.estimated |= self.is_recursive(call);
                callees.push(callee);
            }
            (reached.self_, reached.total) = (Some(own), total);
            // Several calls may lead to one context.
            callees.sort_unstable();
            callees.dedup();
            contexts = callees;
        }
        let mut entries = Entries::default();
        for call in contexts.iter().flat_map(|&context| self.calls_of(context)) {
            let callee = self.contexts.calls[call].callee;
            let function = self.function_of[callee as usize];
            let (total, recursive) = (self.cost(call), self.is_recursive(call));
            let call = CallOnPath { call, shown: call, total, recursive };
            entries.add(self, function, &call, false);
        }
        entries.step(&reached, |function| self.graph.edges.callees(function).is_empty())
    }

    /// The callers of a path.
    pub(crate) fn callers(&self, root: FunctionId, rest: &[FunctionId]) -> PathStep {
        let (reached, calls) = self.calls_to(root, rest);
        let mut entries = Entries::default();
        for call in &calls {
            // Recursive calls are rows of their own, outside the sum.
            let apart = rest.is_empty() && call.recursive;
            entries.add(self, self.shown_caller(call.shown).1, call, apart);
        }
        let is_called = |function| self.graph.edges.callers(function).next().is_some();
        let mut step = entries.step(&reached, |function| !is_called(function));
        for entry in &mut step.entries {
            // A function that nothing calls is where the program starts.
            let starts = rest.is_empty() && entry.leaf;
            entry.self_ = starts.then_some(entry.total);
        }
        let entering = step.entries.iter().filter(|entry| !entry.recursive);
        let called = entering.map(|entry| entry.total).sum();
        step.self_ = Some(rest_of(step.total, called)).filter(|_| !step.estimated);
        step
    }

    /// The callers of a path, grouped. `module` returns the module of a function whose context has
    /// none.
    pub(crate) fn grouped_callers(
        &self,
        root: FunctionId,
        rest: &[FunctionId],
        by: CallGrouping,
        module: &dyn Fn(FunctionId) -> String,
    ) -> CallGroups {
        let (reached, calls) = self.calls_to(root, rest);
        let callers = calls.iter().map(|call| self.contexts.calls[call.shown].caller);
        let members = match by {
            CallGrouping::Clique => self.members(callers.map(|caller| self.clique(caller))),
            _ => FxHashMap::default(),
        };
        let mut sums = GroupSums::default();
        for call in &calls {
            let shown = self.contexts.calls[call.shown];
            let Some(function) = self.function_of[shown.caller as usize] else { continue };
            let key = match by {
                CallGrouping::Site => GroupKey::Site(function, self.sites[shown.row as usize]),
                CallGrouping::Function => GroupKey::Function(function),
                CallGrouping::Module => {
                    let name = self.module_of_context(shown.caller);
                    GroupKey::Module(name.unwrap_or_else(|| module(function)))
                }
                CallGrouping::Clique => {
                    let members = members.get(&self.clique(shown.caller));
                    GroupKey::Clique(members.cloned().unwrap_or_default())
                }
            };
            let count = self.contexts.calls[call.call].count;
            let calls = rest.is_empty().then_some(count);
            sums.add(key, call.recursive, calls, call.total, reached.estimated);
        }
        sums.finish()
    }

    /// The module of a function.
    pub(crate) fn module(&self, function: FunctionId) -> Option<String> {
        self.contexts_of(function).first().and_then(|&context| self.module_of_context(context))
    }

    fn module_of_context(&self, context: u32) -> Option<String> {
        let part = self.contexts.contexts[context as usize].module?;
        Some(self.contexts.modules.get(part as usize)?.name.clone())
    }

    /// The functions of some cliques, sorted.
    fn members(&self, cliques: impl Iterator<Item = u32>) -> FxHashMap<u32, Vec<FunctionId>> {
        let mut members: FxHashMap<u32, Vec<FunctionId>> =
            cliques.map(|clique| (clique, Vec::new())).collect();
        for (context, function) in (0..).zip(&self.function_of) {
            if let Some(members) = members.get_mut(&self.clique(context)) {
                members.extend(*function);
            }
        }
        for members in members.values_mut() {
            members.sort_unstable();
            members.dedup();
        }
        members
    }

    /// All calls of a function. Calls within one of its cliques, or of an inner one, are recursive.
    fn calls_of_root(&self, root: FunctionId) -> Vec<CallOnPath> {
        let inner_cliques = self.inner_cliques(root);
        let mut calls = Vec::new();
        for &context in self.contexts_of(root) {
            let inner = inner_cliques.contains(&self.clique(context));
            calls.extend(self.calls_into(context).map(|call| {
                let caller = self.contexts.calls[call].caller;
                let calls_itself = self.function_of[caller as usize] == Some(root);
                let recursive = inner || calls_itself || self.is_recursive(call);
                let (shown, total) = (self.shown(call), self.cost(call));
                CallOnPath { call, shown, total, recursive }
            }));
        }
        calls
    }

    /// The context and the function of the caller of a call.
    fn shown_caller(&self, shown: usize) -> (u32, Option<FunctionId>) {
        let caller = self.contexts.calls[shown].caller;
        (caller, self.function_of[caller as usize])
    }

    /// The last calls of a path outward, and what is on it.
    fn calls_to(&self, root: FunctionId, rest: &[FunctionId]) -> (Reached, Vec<CallOnPath>) {
        let mut reached = Reached { self_: None, ..self.root(root) };
        let mut calls = self.calls_of_root(root);
        let Some((&first, rest)) = rest.split_first() else { return (reached, calls) };
        calls.retain(|call| self.shown_caller(call.shown).1 == Some(first));
        if calls.iter().any(|call| !call.recursive) {
            calls.retain(|call| !call.recursive);
        }
        // What each context spends on the path.
        let mut costs: FxHashMap<u32, f64> = FxHashMap::default();
        reached.total = 0.0;
        for CallOnPath { call, shown, total, .. } in calls.drain(..) {
            *costs.entry(self.shown_caller(shown).0).or_default() += total;
            reached.total += total;
            let callee = self.contexts.calls[call].callee;
            reached.estimated |= total > 0.0 && self.calls_into(callee).nth(1).is_some();
        }
        for &next in rest {
            let mut next_costs: FxHashMap<u32, f64> = FxHashMap::default();
            reached.total = 0.0;
            self.each_caller(&costs, |call, cost, shared| {
                let (caller, function) = self.shown_caller(self.shown(call));
                if function == Some(next) {
                    *next_costs.entry(caller).or_default() += cost;
                    reached.total += cost;
                    reached.estimated |= shared;
                }
            });
            costs = next_costs;
        }
        self.each_caller(&costs, |call, total, shared| {
            reached.estimated |= shared;
            let (shown, recursive) = (self.shown(call), self.is_recursive(call));
            calls.push(CallOnPath { call, shown, total, recursive });
        });
        (reached, calls)
    }

    /// The cliques with contexts of a function that are below another clique with some: the
    /// function was called again through a closure. Their cost is part of that of the outer one.
    fn inner_cliques(&self, function: FunctionId) -> FxHashSet<u32> {
        let contexts = self.contexts_of(function);
        let cliques: FxHashSet<u32> =
            contexts.iter().map(|&context| self.clique(context)).collect();
        let parent = |clique: u32| {
            let entry = self.contexts.cliques[clique as usize].entry?;
            Some(self.clique(self.contexts.calls[entry as usize].caller))
        };
        // Whether each clique on the way to the root, or one above it, has contexts of the function.
        let mut is_below: FxHashMap<u32, bool> = FxHashMap::default();
        let is_inner = |&clique: &u32| {
            let (mut above, mut path) = (parent(clique), Vec::new());
            let found = loop {
                match above {
                    None => break false,
                    Some(clique) if cliques.contains(&clique) => break true,
                    Some(clique) => match is_below.get(&clique) {
                        Some(&known) => break known,
                        None => path.push(clique),
                    },
                }
                above = above.and_then(parent);
            };
            is_below.extend(path.into_iter().map(|clique| (clique, found)));
            found
        };
        let mut is_inner = is_inner;
        cliques.iter().copied().filter(|clique| is_inner(clique)).collect()
    }

    /// What a function spends itself when each of its callers calls it.
    pub(crate) fn own_by_caller(&self, function: FunctionId) -> BTreeMap<FunctionId, f64> {
        let mut own = BTreeMap::new();
        for &context in self.contexts_of(function) {
            for call in self.calls_into(context) {
                if let (_, Some(caller)) = self.shown_caller(self.shown(call)) {
                    *own.entry(caller).or_default() += self.column().own[call];
                }
            }
        }
        own
    }

    /// The recursion that a function takes part in; `None` if it never calls back to itself.
    pub(crate) fn recursion(&self, function: FunctionId) -> Option<FunctionRecursion> {
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
        let (functions, sites) = (functions.len(), RecursiveSites::Calls(sites.len()));
        let depth = RecursionDepth::Calls(calls as f64 / entered as f64);
        (functions > 0 && entered > 0).then_some(FunctionRecursion { functions, sites, depth })
    }

    /// Calls `visit` with each call into the contexts, its part of their costs, and whether that is
    /// an estimate. All of a cost is of the only call.
    fn each_caller(&self, costs: &FxHashMap<u32, f64>, mut visit: impl FnMut(usize, f64, bool)) {
        for (&context, &cost) in costs {
            let whole: f64 = self.calls_into(context).map(|call| self.cost(call)).sum();
            let shared = self.calls_into(context).nth(1).is_some();
            for call in self.calls_into(context).filter(|_| whole > 0.0) {
                visit(call, cost * (self.cost(call) / whole), shared);
            }
        }
    }
}

/// A call at the end of a path outward.
struct CallOnPath {
    call: usize,
    /// The call whose caller is shown as the caller.
    shown: usize,
    /// What it costs on the path.
    total: f64,
    recursive: bool,
}

/// The call whose caller is shown as the caller of each call, under the contour of the modules.
fn shown_callers(contexts: &Contexts) -> Vec<u32> {
    let is_excluded = |context: u32| {
        let module = contexts.contexts[context as usize].module;
        let part = module.and_then(|module| contexts.modules.get(module as usize));
        part.is_some_and(|part| part.excluded)
    };
    let caller = |call: u32| contexts.calls[call as usize].caller;
    // The call that enters each clique, or that which is shown instead. Callers have higher numbers.
    let mut entry: Vec<Option<u32>> = vec![None; contexts.cliques.len()];
    let shown = |call: u32, entry: &[Option<u32>]| {
        let clique = contexts.contexts[caller(call) as usize].clique;
        let outer = if is_excluded(caller(call)) { entry[clique as usize] } else { None };
        // The outermost caller stays, even if it is excluded.
        outer.unwrap_or(call)
    };
    for clique in (0..contexts.cliques.len()).rev() {
        entry[clique] = contexts.cliques[clique].entry.map(|call| shown(call, &entry));
    }
    (0..contexts.calls.len() as u32).map(|call| shown(call, &entry)).collect()
}

/// The entries of a step, by function. Those with `true` are apart from the others.
#[derive(Default)]
struct Entries(BTreeMap<(FunctionId, bool), Sum>);

struct Sum {
    self_: f64,
    total: f64,
    recursive: bool,
    sites: BTreeMap<Option<(FileId, u32)>, f64>,
}

impl Entries {
    /// Adds a part of the cost of a call on a path. `function` is its caller or callee.
    fn add(
        &mut self,
        index: &ContextIndex,
        function: Option<FunctionId>,
        call: &CallOnPath,
        apart: bool,
    ) {
        let Some(function) = function else { return };
        let &CallOnPath { call, shown, total, recursive } = call;
        let new = || Sum { self_: 0.0, total: 0.0, recursive: true, sites: BTreeMap::new() };
        let sum = self.0.entry((function, apart)).or_insert_with(new);
        sum.self_ += index.own(call);
        sum.total += total;
        sum.recursive &= recursive;
        let site = index.sites[index.contexts.calls[shown].row as usize];
        *sum.sites.entry(site).or_default() += total;
    }

    fn step(self, reached: &Reached, is_leaf: impl Fn(FunctionId) -> bool) -> PathStep {
        let entry = |((function, _), sum): ((FunctionId, bool), Sum)| {
            let without_site = sum.sites.get(&None).copied().unwrap_or_default();
            let site = |(site, total): (Option<_>, f64)| {
                site.map(|(file, line)| SiteCost { file, line, total })
            };
            let mut sites: Vec<SiteCost> = sum.sites.into_iter().filter_map(site).collect();
            sites.sort_by(|a, b| hotter(a.total, b.total));
            PathEntry {
                function,
                self_: Some(sum.self_),
                total: sum.total,
                estimated: reached.estimated,
                sites,
                without_site,
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
        let Reached { self_, total, estimated } = *reached;
        PathStep { self_, total, estimated, entries }
    }
}
