//! Call graphs of random runs, checked against the samples that they sum: what is called exact is, and bounds
//! hold.

#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]

use crate::programs::{
    Frame, N_FUNCTIONS, Sample, edges, file, functions, lines, path, runs, weight,
};
use analysis::{
    CallGrouping, CallTree, GroupKey, Recursion, ThreadChoice, View, apply_to_graph, costs,
    thread_totals,
};
use profile::{
    Call, Clique, Column, Context, ContextCall, Contexts, FuncId, FunctionId, GraphTables, Groups,
    Metric, OwnCost, ProfileBuilder, Recording, RowWeights, StatedTotal, Thread, ThreadId,
    ThreadRows, Total,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn func(function: usize) -> FuncId {
    FuncId::new(u32::try_from(function).unwrap())
}

fn weights(weight: f64) -> RowWeights {
    RowWeights::from_slice(&[weight])
}

/// The rows that a profiler writes which sums costs by line and by call.
fn tables(samples: &[Sample]) -> GraphTables {
    let mut builder = ProfileBuilder::new(Vec::new(), 0);
    let files = ["a.c", "b.c"].map(|name| builder.intern_source(name).unwrap());
    for f in 0..N_FUNCTIONS {
        let name = builder.intern_string(&format!("f{f}")).unwrap();
        let source = Some(files[file(f)]);
        builder.push_func(profile::Func { name, source, lib: None, line: 0, column: 0 }).unwrap();
    }
    let mut own: BTreeMap<(usize, u32), f64> = BTreeMap::new();
    let mut calls: BTreeMap<(usize, u32, usize), (f64, bool)> = BTreeMap::new();
    for (stack, weight) in samples {
        *own.entry(*stack.last().unwrap()).or_default() += weight;
        for (k, pair) in stack.windows(2).enumerate() {
            let ((caller, line), (callee, _)) = (pair[0], pair[1]);
            let (sum, nested) = calls.entry((caller, line, callee)).or_default();
            *sum += weight;
            *nested |= stack[..=k].iter().any(|&(f, _)| f == callee);
        }
    }
    GraphTables {
        symbols: builder.build().into_symbols(),
        metrics: vec![Metric::new("samples", "samples", None)],
        own: own
            .into_iter()
            .map(|((f, line), sum)| OwnCost {
                func: func(f),
                source: None,
                line,
                weights: weights(sum),
            })
            .collect(),
        calls: calls
            .into_iter()
            .map(|((caller, line, callee), (sum, nested))| Call {
                caller: func(caller),
                source: None,
                line,
                callee: func(callee),
                count: 1,
                weights: weights(sum),
                nested,
            })
            .collect(),
        ..GraphTables::default()
    }
}

/// Samples whose outermost function, like Mercury's runtime, spends nothing itself.
fn below_the_runtime(mut samples: Vec<Sample>) -> Vec<Sample> {
    for (stack, _) in samples.iter_mut().filter(|(stack, _)| stack.len() == 1) {
        stack.push((1, 1));
    }
    samples
}

/// The rows of several threads.
fn of_threads(threads: &[&[Sample]]) -> GraphTables {
    let mut all = GraphTables::default();
    for (thread, samples) in (1..).zip(threads) {
        let part = tables(samples);
        let (own, calls) = (all.own.len(), all.calls.len());
        all.own.extend(part.own);
        all.calls.extend(part.calls);
        all.threads.push(Thread { tid: Some(thread.to_string()), ..Thread::default() });
        all.rows.push(ThreadRows {
            own: own..all.own.len(),
            calls: calls..all.calls.len(),
            totals: 0..0,
        });
        (all.symbols, all.metrics) = (part.symbols, part.metrics);
    }
    all
}

/// The costs and the calls of a recording.
struct Summed {
    costs: analysis::Costs,
    tree: CallTree,
}

impl Summed {
    fn new(tables: GraphTables) -> Self {
        let groups = Arc::new(Groups::identity(&tables.symbols));
        let recording = Arc::new(Recording::from(tables));
        let view = View::of(&recording);
        let costs = costs(&recording, &view, &groups);
        Self { costs, tree: CallTree::new(recording, view, groups) }
    }

    fn function(&self, f: usize) -> profile::Cost {
        self.costs.function(id(f)).cost
    }
}

fn id(f: usize) -> FunctionId {
    FunctionId::new(u32::try_from(f).unwrap())
}

/// Whether a total says nothing that is not so.
fn holds(total: Total, truth: f64) -> bool {
    match total {
        Total::Exact(exact) => exact == truth,
        Total::Bounded { min, max } => min <= truth && truth <= max && min < max,
        Total::Estimated(_) => true,
        Total::Unknown => false,
    }
}

fn is_recursive(samples: &[Sample]) -> bool {
    samples.iter().any(|(stack, _)| {
        stack.iter().map(|&(f, _)| f).collect::<BTreeSet<_>>().len() < stack.len()
    })
}

/// Functions that call each other in circles, across all samples.
fn circles(samples: &[Sample]) -> Vec<BTreeSet<usize>> {
    let all: Vec<_> = edges(samples).into_iter().collect();
    let reached = |from: usize| {
        let mut found = BTreeSet::from([from]);
        for _ in 0..N_FUNCTIONS {
            let more: Vec<_> = all.iter().filter(|(a, _)| found.contains(a)).collect();
            found.extend(more.into_iter().map(|&(_, callee)| callee));
        }
        found
    };
    let members: BTreeSet<BTreeSet<usize>> = functions(samples)
        .into_keys()
        .map(|f| reached(f).into_iter().filter(|&g| reached(g).contains(&f)).collect())
        .collect();
    members.into_iter().collect()
}

proptest! {
    #[test]
    fn totals_without_recursion_are_exact(samples in runs(false)) {
        let summed = Summed::new(tables(&samples));
        for (f, (own, total)) in functions(&samples) {
            let cost = summed.function(f);
            prop_assert_eq!((cost.self_, cost.total), (own, Total::Exact(total)), "f{}", f);
        }
        for (caller, callee) in edges(&samples) {
            let edge = summed.tree.edges().all().iter()
                .find(|edge| (edge.caller, edge.callee) == (id(caller), id(callee))).unwrap();
            prop_assert_eq!(edge.total, path(&samples, &[caller, callee]));
            prop_assert!(!edge.recursive || caller == callee);
        }
    }

    #[test]
    fn bounds_hold_with_recursion(samples in runs(true)) {
        let summed = Summed::new(tables(&samples));
        prop_assert_eq!(summed.costs.total, weight(&samples, |_| true));
        for (f, (own, total)) in functions(&samples) {
            let cost = summed.function(f);
            prop_assert_eq!(cost.self_, own);
            prop_assert!(holds(cost.total, total), "f{}: {:?}, {}", f, cost.total, total);
        }
        let expected = lines(&samples);
        prop_assert_eq!(summed.costs.lines().len(), expected.len());
        for line in summed.costs.lines() {
            let (own, total) = expected[&(line.file.index(), line.line)];
            prop_assert_eq!(line.cost.self_, own);
            prop_assert!(holds(line.cost.total, total), "{:?}, {}", line, total);
        }
        for edge in summed.tree.edges().all() {
            let [caller, callee] = [edge.caller, edge.callee].map(FunctionId::index);
            let truth = path(&samples, &[caller, callee]);
            prop_assert!(edge.estimated || edge.total == truth, "{:?}, {}", edge, truth);
            prop_assert!(edge.total >= truth);
        }
    }

    /// Most profilers that sum samples state totals that count each sample once.
    #[test]
    fn stated_totals_bound_calls(samples in runs(true)) {
        let mut graph = tables(&samples);
        graph.totals = functions(&samples).into_iter().map(|(f, (_, total))| StatedTotal {
            func: func(f), source: None, line: 0, totals: vec![Total::Exact(total)], calls: None,
        }).collect();
        let summed = Summed::new(graph);
        for (f, (own, total)) in functions(&samples) {
            let cost = summed.function(f);
            prop_assert_eq!((cost.self_, cost.total), (own, Total::Exact(total)));
        }
        for edge in summed.tree.edges().all() {
            let [caller, callee] = [edge.caller, edge.callee].map(FunctionId::index);
            let truth = path(&samples, &[caller, callee]);
            prop_assert!(edge.estimated || edge.total == truth, "{:?}, {}", edge, truth);
            let least = |f| functions(&samples)[&f].1;
            prop_assert!(edge.total >= truth && edge.total <= least(caller).min(least(callee)));
        }
    }

    #[test]
    fn cliques_are_the_circles_of_calls(samples in runs(true)) {
        let summed = Summed::new(tables(&samples));
        let cliques = summed.tree.cliques().unwrap();
        let members = |clique: &analysis::CliqueCost| {
            clique.functions.iter().map(|it| it.index()).collect::<BTreeSet<_>>()
        };
        let found: BTreeSet<_> = cliques.iter().map(members).collect();
        prop_assert_eq!(found, circles(&samples).into_iter().collect::<BTreeSet<_>>());
        for clique in &cliques {
            let members = members(clique);
            let own: f64 = functions(&samples).iter().filter(|(f, _)| members.contains(f)).map(|(_, cost)| cost.0).sum();
            let total = weight(&samples, |stack| stack.iter().any(|(f, _)| members.contains(f)));
            prop_assert_eq!(clique.self_, own);
            prop_assert!(holds(clique.total, total), "{:?}, {}", clique, total);
            let calls_itself = edges(&samples).iter().any(|(a, b)| members.contains(a) && members.contains(b));
            prop_assert_eq!(clique.recursive, calls_itself);
        }
    }

    /// Each function is a clique of its own, as nothing calls back.
    #[test]
    fn cliques_of_contexts_cost_what_their_functions_do(samples in runs(false)) {
        let samples = below_the_runtime(samples);
        let summed = Summed::new(with_contexts(&samples));
        let cliques = summed.tree.cliques().unwrap();
        let costs = functions(&samples);
        let found: BTreeMap<_, _> = cliques.iter().map(|clique| {
            (clique.functions[0].index(), (clique.self_, clique.total, clique.recursive))
        }).collect();
        let expected: BTreeMap<_, _> =
            costs.iter().map(|(&f, &(own, total))| (f, (own, Total::Exact(total), false))).collect();
        prop_assert_eq!(found, expected);
    }

    /// The rows of threads are those of the whole, and those of one are its own.
    #[test]
    fn threads_add_up(first in runs(true), second in runs(true)) {
        let graph = of_threads(&[&first, &second]);
        let recording = Arc::new(Recording::from(graph));
        let groups = Groups::identity(recording.symbols());
        let both = View::of(&recording);
        let all = |samples: &[Sample]| weight(samples, |_| true);
        for (thread, samples) in [(0, &first), (1, &second)] {
            let view = View { threads: ThreadChoice::Only(vec![ThreadId::new(thread)]), ..both.clone() };
            let alone = costs(&recording, &view, &groups);
            let applied = apply_to_graph(recording.summed().unwrap(), &view);
            let applied = Recording::Graph(applied);
            let again = costs(&applied, &View::of(&applied), &groups);
            for (f, (own, total)) in functions(samples) {
                let cost = alone.function(id(f)).cost;
                prop_assert!(cost.self_ == own && holds(cost.total, total));
                prop_assert_eq!(again.function(id(f)).cost, cost);
            }
            prop_assert_eq!(alone.total, all(samples));
            // The totals of threads are of all threads, whichever are shown.
            let totals: Vec<_> = thread_totals(&recording, &view).iter().map(|it| it.total).collect();
            prop_assert_eq!(totals, [all(&first), all(&second)]);
        }
        let sum = costs(&recording, &both, &groups);
        let samples = [first, second].concat();
        for (f, (own, total)) in functions(&samples) {
            let cost = sum.function(id(f)).cost;
            prop_assert!(cost.self_ == own && holds(cost.total, total));
        }
    }

    /// Without recursion, contexts are the nodes of the call tree, and paths are exact both ways.
    #[test]
    fn paths_through_contexts_are_exact(samples in runs(false)) {
        let summed = Summed::new(with_contexts(&samples));
        for (f, _) in functions(&samples) {
            let mut open = vec![vec![f]];
            while let Some(known) = open.pop() {
                let ids: Vec<_> = known.iter().map(|&f| id(f)).collect();
                let step = summed.tree.callees(&ids, Recursion::Collapsed);
                prop_assert_eq!(step.total, path(&samples, &known));
                let mut rest = step.total - step.self_.unwrap();
                for entry in step.entries {
                    let longer = [&known[..], &[entry.function.index()]].concat();
                    let truth = path(&samples, &longer);
                    prop_assert!(!entry.estimated && entry.total == truth, "{:?} {:?}", longer, entry);
                    let leaf = weight(&samples, |stack| {
                        let stack: Vec<_> = stack.iter().map(|&(f, _)| f).collect();
                        stack.ends_with(&longer)
                    });
                    // Calls of a function with several callers are only followed from there on.
                    prop_assert!(entry.self_ == Some(leaf) || known.len() == 1 && entry.self_.is_none());
                    rest -= entry.total;
                    open.push(longer);
                }
                prop_assert_eq!(rest, 0.0);
            }
            let mut open = vec![vec![f]];
            while let Some(known) = open.pop() {
                let outward: Vec<_> = known.iter().rev().copied().collect();
                let ids: Vec<_> = known.iter().map(|&f| id(f)).collect();
                let step = summed.tree.callers(&ids, Recursion::Collapsed);
                prop_assert_eq!(step.total, path(&samples, &outward));
                for entry in &step.entries {
                    let longer = [&[entry.function.index()], &outward[..]].concat();
                    let truth = path(&samples, &longer);
                    prop_assert!(!entry.recursive && entry.total == truth && !entry.estimated);
                    prop_assert_eq!(entry.leaf, entry.function == id(0));
                    let starts = entry.leaf && known.len() == 1;
                    prop_assert_eq!(entry.self_, starts.then_some(truth));
                    let sites: f64 = entry.sites.iter().map(|site| site.total).sum();
                    prop_assert_eq!((sites, entry.without_site), (truth, 0.0));
                    open.push(longer.into_iter().rev().collect());
                }
                let group = |by| summed.tree.grouped_callers(&ids, Recursion::Collapsed, by, &|it| file(it.index()).to_string());
                for by in [CallGrouping::Site, CallGrouping::Function, CallGrouping::Module, CallGrouping::Clique] {
                    let grouped = group(by);
                    let called = step.entries.iter().map(|entry| entry.total).sum::<f64>();
                    prop_assert_eq!(grouped.sum, called);
                    for row in grouped.groups {
                        let is_of_row = |caller: usize, line: u32| match &row.key {
                            GroupKey::Site(function, place) => (function.index(), place.map(|it| it.1)) == (caller, Some(line)),
                            GroupKey::Function(function) => function.index() == caller,
                            GroupKey::Module(name) => *name == file(caller).to_string(),
                            GroupKey::Clique(functions) => functions[..] == [id(caller)],
                        };
                        let truth = weight(&samples, |stack| stack.windows(outward.len() + 1).any(|frames| {
                            let names = frames[1..].iter().map(|&(f, _)| f);
                            names.eq(outward.iter().copied()) && is_of_row(frames[0].0, frames[0].1)
                        }));
                        prop_assert_eq!((row.total, row.recursive), (truth, false));
                        let sites: BTreeSet<_> = samples.iter().flat_map(|(stack, _)| stack.windows(outward.len() + 1))
                            .filter(|frames| frames[1].0 == outward[0] && is_of_row(frames[0].0, frames[0].1)).collect();
                        prop_assert!(known.len() > 1 || row.calls.is_some_and(|calls| calls as usize >= usize::from(!sites.is_empty())));
                    }
                }
            }
        }
    }
}

/// The same rows with contexts, as Mercury's deep profiler records them: a node of the call tree each. Only
/// for runs without recursion.
fn with_contexts(samples: &[Sample]) -> GraphTables {
    assert!(!is_recursive(samples));
    let mut graph = tables(samples);
    // A call from another line leads to another context.
    let context_of = |stack: &[Frame]| -> Vec<Frame> {
        let (&(leaf, _), above) = stack.split_last().unwrap();
        [above, &[(leaf, 0)]].concat()
    };
    let nodes =
        samples.iter().flat_map(|(stack, _)| (1..=stack.len()).map(|k| context_of(&stack[..k])));
    let mut order: Vec<_> = nodes.collect::<BTreeSet<_>>().into_iter().collect();
    // Cliques that a clique calls have lower numbers: the deepest nodes come first.
    order.sort_by_key(|frames| std::cmp::Reverse(frames.len()));
    let number = |stack: &[Frame]| {
        let node = context_of(stack);
        u32::try_from(order.iter().position(|it| *it == node).unwrap()).unwrap()
    };
    let mut contexts = Contexts::default();
    let mut entries = vec![None; order.len()];
    let mut sums: BTreeMap<(u32, u32, u32), (f64, f64)> = BTreeMap::new();
    for (stack, weight) in samples {
        for k in 1..stack.len() {
            let call = (func(stack[k - 1].0), stack[k - 1].1, func(stack[k].0));
            let is_row = |row: &Call| (row.caller, row.line, row.callee) == call;
            let row = u32::try_from(graph.calls.iter().position(is_row).unwrap()).unwrap();
            let ends = (number(&stack[..k]), number(&stack[..=k]), row);
            let (own, below) = sums.entry(ends).or_default();
            *(if k + 1 == stack.len() { own } else { below }) += weight;
        }
    }
    let mut column = Column::default();
    for ((caller, callee, row), (own, below)) in sums {
        entries[callee as usize] = Some(u32::try_from(contexts.calls.len()).unwrap());
        contexts.calls.push(ContextCall { caller, callee, row, count: 1 });
        column.own.push(own);
        column.below.push(below);
    }
    let context = |(frames, clique): (&Vec<Frame>, u32)| Context {
        func: frames.last().map(|&(f, _)| func(f)),
        clique,
        module: None,
    };
    contexts.contexts = order.iter().zip(0..).map(context).collect();
    contexts.cliques = entries.into_iter().map(|entry| Clique { entry }).collect();
    contexts.columns = vec![column];
    graph.contexts = Some(Arc::new(contexts));
    graph
}

#[test]
fn all_of_a_cost_is_of_the_only_caller() {
    // 23 times 13/23 is less than 13.
    let samples = [(vec![(0, 3), (2, 1), (3, 1)], 13.0), (vec![(0, 3), (2, 1)], 10.0)];
    let summed = Summed::new(with_contexts(&samples));
    let step = summed.tree.callers(&[id(3), id(2)], Recursion::Collapsed);
    let callers = step.entries.iter().map(|it| (it.function, it.total, it.estimated));
    assert_eq!(callers.collect::<Vec<_>>(), [(id(0), 13.0, false)]);
}

#[test]
fn calls_into_one_context_reach_its_callees_once() {
    let samples = [
        (vec![(0, 1), (1, 1)], 1.0),
        (vec![(0, 1), (1, 2), (2, 3)], 4.0),
        (vec![(0, 2), (1, 1)], 2.0),
    ];
    let mut graph = tables(&samples);
    // From the innermost context: f2, f1 and f0. The rows are f0 at lines 1 and 2, and f1.
    let call = |caller, callee, row| ContextCall { caller, callee, row, count: 1 };
    let context = |f: usize, clique| Context { func: Some(func(f)), clique, module: None };
    graph.contexts = Some(Arc::new(Contexts {
        contexts: vec![context(2, 0), context(1, 1), context(0, 2)],
        calls: vec![call(1, 0, 2), call(2, 1, 0), call(2, 1, 1)],
        cliques: [Some(0), Some(1), None].map(|entry| Clique { entry }).to_vec(),
        columns: vec![Column { own: vec![4.0, 1.0, 2.0], below: vec![0.0, 4.0, 0.0] }],
        ..Contexts::default()
    }));
    let step = Summed::new(graph).tree.callees(&[id(0), id(1)], Recursion::Collapsed);
    assert_eq!((step.self_, step.total), (Some(3.0), 7.0));
    let callees = step.entries.iter().map(|it| (it.function, it.self_, it.total));
    assert_eq!(callees.collect::<Vec<_>>(), [(id(2), Some(4.0), 4.0)]);
}

/// f0 calls f1 at line 2, and f1 calls f2; f3 calls f1, too. Of the 12 that f1 costs, 2 are in f2.
#[test]
fn own_code_is_charged_for_a_part_of_each_call_of_a_library() {
    let samples = [
        (vec![(0, 1)], 1.0),
        (vec![(0, 2), (1, 5)], 4.0),
        (vec![(3, 7), (1, 5)], 6.0),
        (vec![(3, 7), (1, 6), (2, 9)], 2.0),
        (vec![(3, 8)], 3.0),
    ];
    let summed = Summed::new(tables(&samples));
    let charges =
        |own: &[usize]| summed.tree.charges(&summed.costs, &own.iter().map(|&f| id(f)).collect());
    let functions = |own: &[usize]| {
        let charges = charges(own).functions.into_iter();
        charges.map(|(f, charge)| (f.index(), charge)).collect::<BTreeMap<_, _>>()
    };
    // All that f1 and f2 cost is of libraries.
    assert_eq!(functions(&[0, 3]), BTreeMap::from([(0, 5.0), (3, 11.0)]));
    // 10 of 12 of f1, which is 4 for f0: it is not known that f0 never reaches f2.
    let expected = BTreeMap::from([(0, 1.0 + 4.0 * 10.0 / 12.0), (2, 2.0)]);
    assert_eq!(functions(&[0, 2]), expected);
    let lines = |own: &[usize]| {
        let lines = charges(own).lines.into_iter();
        lines.map(|((_, line), charge)| (line, charge)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(lines(&[0, 3]), BTreeMap::from([(1, 1.0), (2, 4.0), (7, 8.0), (8, 3.0)]));
    assert_eq!(lines(&[0, 2]), BTreeMap::from([(1, 1.0), (2, 4.0 * 10.0 / 12.0), (9, 2.0)]));
    assert!(charges(&[]).functions.is_empty());
}
