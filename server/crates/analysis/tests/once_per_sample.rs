//! Random stacks, checked against the definitions applied to one sample at a time.
#![allow(
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "in tests a panic is the message"
)]

use analysis::{CallTree, View, costs};
use profile::{Groups, Profile, Recording, Total, text_samples};
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

proptest! {
    #[test]
    fn sums_match_the_definitions(samples in stacks()) {
        let mut functions: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        let mut lines: BTreeMap<(String, u32), (f64, f64)> = BTreeMap::new();
        let mut edges: BTreeMap<(String, String), f64> = BTreeMap::new();
        let mut paths: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        for (stack, weight) in &samples {
            let weight = f64::from(*weight);
            let name = |f: usize| format!("f{f}");
            let place = |f: usize, line: u32| (file(f).to_owned(), line);
            let &(leaf, line) = stack.last().unwrap();
            functions.entry(name(leaf)).or_default().0 += weight;
            *paths.entry(stack.iter().map(|&(f, _)| f).collect()).or_default() += weight;
            lines.entry(place(leaf, line)).or_default().0 += weight;
            for f in stack.iter().map(|&(f, _)| f).collect::<BTreeSet<_>>() {
                functions.entry(name(f)).or_default().1 += weight;
            }
            for (file, line) in stack.iter().map(|&(f, line)| place(f, line)).collect::<BTreeSet<_>>() {
                lines.entry((file, line)).or_default().1 += weight;
            }
            for (caller, callee) in stack.windows(2).map(|w| (name(w[0].0), name(w[1].0))).collect::<BTreeSet<_>>() {
                *edges.entry((caller, callee)).or_default() += weight;
            }
        }

        let recording = Arc::new(Recording::Stacks(profile(&samples)));
        let groups = Arc::new(Groups::identity(recording.symbols()));
        let view = View::of(&recording);
        let costs = costs(&recording, &view, &groups);
        let name = |function| recording.symbols().func_name(groups.first_func(function)).to_owned();
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
        let found: BTreeMap<_, _> = costs
            .edges()
            .iter()
            .map(|edge| ((name(edge.caller), name(edge.callee)), edge.total))
            .filter(|(_, total)| *total != 0.0)
            .collect();
        edges.retain(|_, total| *total != 0.0);
        prop_assert_eq!(found, edges);

        // Along a path, the total of an item is the sum of its entries and what stops at it. The
        // total of a root item is that of the function.
        let tree = CallTree::new(recording.clone(), view, groups.clone());
        for root in groups.functions() {
            for step in [CallTree::callees, CallTree::callers] {
                let mut open = vec![vec![root]];
                while let Some(path) = open.pop() {
                    let here = step(&tree, &path);
                    let entries: f64 = here.entries.iter().filter(|e| !e.recursive).map(|e| e.total).sum();
                    prop_assert_eq!(here.total, here.self_.unwrap() + entries);
                    if path.len() == 1 {
                        prop_assert_eq!(here.total, functions.get(&name(root)).map_or(0.0, |cost| cost.1));
                    }
                    for entry in here.entries.iter().filter(|entry| !entry.recursive && path.len() < 3) {
                        let path = [&path[..], &[entry.function]].concat();
                        let below = step(&tree, &path);
                        prop_assert_eq!((below.self_, below.total), (entry.self_, entry.total));
                        open.push(path);
                    }
                }
            }
        }
    }
}
