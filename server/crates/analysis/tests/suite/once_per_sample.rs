//! Random stacks, checked against the definitions applied to one sample at a time.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "in tests a panic is the message"
)]

use analysis::{CallTree, PathStep, Recursion, View, costs};
use profile::{FuncRole, FunctionId, Groups, Profile, Recording, Total, text_samples};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Stack = Vec<(usize, u32)>;

/// Functions `f0`…`f3` in two files, lines 1 to 3.
fn stacks() -> impl Strategy<Value = Vec<(Stack, i32)>> {
    let frame = (0_usize..4, 1_u32..4);
    prop::collection::vec((prop::collection::vec(frame, 1..9), -3_i32..6), 1..12)
}

fn file(function: usize) -> &'static str {
    ["a.c", "b.c"][function % 2]
}

fn profile(samples: &[(Stack, i32)]) -> Profile {
    let depth = samples.iter().map(|(stack, _)| stack.len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..depth {
        for (stack, _) in samples {
            let cell = stack.get(row).map(|&(f, line)| format!("f{f}@{line}[file:{}]", file(f)));
            text.push_str(&format!("{:24}", cell.unwrap_or_default()));
        }
        text.push('\n');
    }
    text_samples::weighted(
        &text,
        &samples.iter().map(|&(_, weight)| f64::from(weight)).collect::<Vec<_>>(),
    )
}

/// The role of each function. With parts, `f2` is a block of `f0` and `f3` the body of `f1`.
fn role(f: usize, with_parts: bool) -> FuncRole {
    match f {
        2 if with_parts => FuncRole::Block,
        3 if with_parts => FuncRole::Body,
        _ => FuncRole::Whole,
    }
}

/// The functions of the call nodes of one stack, each with whether it is a call.
fn nodes(stack: &[(usize, u32)], with_parts: bool) -> Vec<(usize, bool)> {
    let function = |f: usize| if with_parts { f % 2 } else { f };
    // For each frame the frame that is the call it belongs to.
    let mut calls: Vec<usize> = Vec::new();
    let mut nodes: Vec<(usize, bool)> = Vec::new();
    for (k, &(f, _)) in stack.iter().enumerate() {
        let is_same = |&other: &usize| function(stack[other].0) == function(f);
        let outer = (0..k).rev().find(is_same).map(|other| calls[other]);
        let continued = outer.filter(|&call| match role(f, with_parts) {
            FuncRole::Whole => false,
            FuncRole::Block => true,
            FuncRole::Body => !(0..k).any(|other| calls[other] == call && stack[other].0 == f),
        });
        calls.push(continued.unwrap_or(k));
        if continued.is_none() || !is_same(&(k - 1)) {
            nodes.push((function(f), continued.is_none()));
        }
    }
    nodes
}

proptest! {
    #[test]
    fn sums_match_the_definitions(samples in stacks(), with_parts in any::<bool>()) {
        let mut functions: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        let mut lines: BTreeMap<(String, u32), (f64, f64)> = BTreeMap::new();
        let mut edges: BTreeMap<(String, String), f64> = BTreeMap::new();
        let mut paths: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        let mut by_stack: BTreeMap<&Stack, f64> = BTreeMap::new();
        for (stack, weight) in &samples {
            let weight = f64::from(*weight);
            let name = |f: usize| format!("f{}", if with_parts { f % 2 } else { f });
            let place = |f: usize, line: u32| (file(f).to_owned(), line);
            let &(leaf, line) = stack.last().unwrap();
            functions.entry(name(leaf)).or_default().0 += weight;
            let nodes = nodes(stack, with_parts);
            *paths.entry(nodes.iter().map(|&(f, _)| f).collect()).or_default() += weight;
            *by_stack.entry(stack).or_default() += weight;
            lines.entry(place(leaf, line)).or_default().0 += weight;
            for function in stack.iter().map(|&(f, _)| name(f)).collect::<BTreeSet<_>>() {
                functions.entry(function).or_default().1 += weight;
            }
            for (file, line) in stack.iter().map(|&(f, line)| place(f, line)).collect::<BTreeSet<_>>() {
                lines.entry((file, line)).or_default().1 += weight;
            }
            for (caller, callee) in nodes.windows(2).map(|w| (name(w[0].0), name(w[1].0))).collect::<BTreeSet<_>>() {
                *edges.entry((caller, callee)).or_default() += weight;
            }
        }

        let recording = Arc::new(Recording::Stacks(profile(&samples)));
        let symbols = recording.symbols();
        let number = |func| symbols.func_name(func)[1..].parse::<usize>().unwrap();
        let groups = Groups::identity(symbols)
            .with_functions(symbols, |func| with_parts.then(|| number(func) % 2))
            .with_roles(|func| role(number(func), with_parts));
        let groups = Arc::new(groups);
        let view = View::of(&recording);
        let costs = costs(&recording, &view, &groups);
        let number = |function| {
            let number = number(groups.first_func(function));
            if with_parts { number % 2 } else { number }
        };
        let name = |function| format!("f{}", number(function));
        let exact = |total: Total| total.exact().unwrap();

        prop_assert_eq!(costs.base, paths.values().map(|weight| weight.abs()).sum::<f64>());

        let mut found: BTreeMap<_, _> =
            costs.functions().map(|(f, cost)| (name(f), (cost.cost.self_, exact(cost.cost.total)))).collect();
        functions.retain(|_, cost| *cost != (0.0, 0.0));
        // Functions whose costs cancel out are listed as well.
        found.retain(|_, cost| *cost != (0.0, 0.0));
        prop_assert_eq!(&found, &functions);
        let found: BTreeMap<_, _> = costs
            .lines()
            .iter()
            .map(|line| {
                let file = recording.symbols().source_name(groups.first_source(line.file)).to_owned();
                ((file, line.line), (line.cost.self_, exact(line.cost.total)))
            })
            .collect();
        lines.retain(|_, cost| *cost != (0.0, 0.0));
        prop_assert_eq!(found, lines);
        let tree = CallTree::new(recording.clone(), view.clone(), groups.clone());
        let found: BTreeMap<_, _> = tree
            .edges()
            .all()
            .iter()
            .map(|edge| ((name(edge.caller), name(edge.callee)), edge.total))
            .filter(|(_, total)| *total != 0.0)
            .collect();
        edges.retain(|_, total| *total != 0.0);
        prop_assert_eq!(found, edges);

        let mut recursions: BTreeMap<Vec<usize>, bool> = BTreeMap::new();
        for (stack, _) in by_stack.into_iter().filter(|&(_, weight)| weight != 0.0) {
            let nodes = nodes(stack, with_parts);
            for (k, &(f, is_call)) in nodes.iter().enumerate() {
                let recursive = is_call && nodes[..k].iter().any(|&(other, _)| other == f);
                let path = nodes[..=k].iter().map(|&(f, _)| f).collect();
                *recursions.entry(path).or_default() |= recursive;
            }
        }
        let call_nodes = tree.call_nodes().unwrap();
        for id in call_nodes.ids() {
            let up = std::iter::successors(Some(id), |&id| call_nodes.get(id).parent);
            let mut path: Vec<_> = up.map(|id| number(call_nodes.get(id).function)).collect();
            path.reverse();
            let node = call_nodes.get(id);
            prop_assert_eq!(node.self_, paths.get(&path).copied().unwrap_or(0.0));
            prop_assert_eq!(node.recursive, recursions[&path]);
        }

        // Along a path, the total of an item is the sum of its entries and what stops at it. The
        // total of a root item is that of the function.
        for root in groups.functions() {
            for (step, recursion) in [
                (CallTree::callees as fn(&CallTree, &[FunctionId], Recursion) -> PathStep, Recursion::Exact),
                (CallTree::callees, Recursion::Collapsed),
                (CallTree::callers, Recursion::Exact),
                (CallTree::callers, Recursion::Collapsed),
            ] {
                let mut open = vec![vec![root]];
                while let Some(path) = open.pop() {
                    let here = step(&tree, &path, recursion);
                    let entries: f64 = here.entries.iter().filter(|e| !e.recursive).map(|e| e.total).sum();
                    prop_assert_eq!(here.total, here.self_.unwrap() + entries);
                    if path.len() == 1 {
                        prop_assert_eq!(here.total, functions.get(&name(root)).map_or(0.0, |cost| cost.1));
                    }
                    for entry in here.entries.iter().filter(|entry| !entry.recursive && path.len() < 3) {
                        let path = [&path[..], &[entry.function]].concat();
                        let below = step(&tree, &path, recursion);
                        prop_assert_eq!((below.self_, below.total), (entry.self_, entry.total));
                        open.push(path);
                    }
                }
            }
        }
    }
}
