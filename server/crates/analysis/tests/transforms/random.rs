//! Random stacks against the definitions of the transforms.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Stack = Vec<(usize, u32)>;

/// Functions `f0`…`f3`, lines 1 to 3; odd ones are scripts.
fn stacks() -> impl Strategy<Value = Vec<Stack>> {
    prop::collection::vec(prop::collection::vec((0_usize..4, 1_u32..4), 1..9), 1..12)
}

fn text(samples: &[Stack]) -> String {
    let depth = samples.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..depth {
        for stack in samples {
            let cell = |&(f, line): &(usize, u32)| {
                let (js, category) =
                    if f % 2 == 1 { ("[js]", "[cat:JavaScript]") } else { ("", "") };
                format!("f{f}@{line}[file:{}.c][lib:{}]{js}{category}", f / 2, f / 2)
            };
            text.push_str(&format!("{:48}", stack.get(row).map(cell).unwrap_or_default()));
        }
        text.push('\n');
    }
    text
}

/// A stack after a transform, computed frame by frame. `hides` tells which functions the filter
/// hides.
fn expected(
    kind: &str,
    path: &[usize],
    hides: impl Fn(usize) -> bool,
    stack: &[(usize, u32)],
) -> Stack {
    let of = |&(f, _): &(usize, u32)| f == path[0];
    // The number of frames that the path takes from one end; `None` if it does not match.
    let along = |frames: &mut dyn Iterator<Item = usize>| {
        let mut rest = path;
        for (n, f) in frames.enumerate() {
            match rest.split_first() {
                Some((&next, more)) if next == f => rest = more,
                Some(_) if hides(f) => continue,
                _ => return None,
            }
            if rest.is_empty() {
                return Some(n + 1);
            }
        }
        None
    };
    let begins = along(&mut stack.iter().map(|&(f, _)| f));
    let without =
        |range: std::ops::Range<usize>| [&stack[..range.start], &stack[range.end..]].concat();
    let (first, last) = (stack.iter().position(of), stack.iter().rposition(of));
    match kind {
        "merge-function" => stack.iter().filter(|frame| !of(frame)).copied().collect(),
        "drop-function" => {
            if first.is_some() {
                Vec::new()
            } else {
                stack.to_vec()
            }
        }
        "focus-function" => first.map_or_else(Vec::new, |first| stack[first..].to_vec()),
        "collapse-function-subtree" => {
            first.map_or(stack.to_vec(), |first| stack[..=first].to_vec())
        }
        "collapse-recursion" => {
            first.zip(last).map_or(stack.to_vec(), |(first, last)| without(first..last))
        }
        "collapse-direct-recursion" => {
            let mut left: Stack = Vec::new();
            // The first frame of the current run of recursion.
            let mut run: Option<usize> = None;
            for &(f, line) in stack {
                match run {
                    Some(start) if f == path[0] => left.truncate(start),
                    None if f == path[0] => run = Some(left.len()),
                    Some(_) if !hides(f) => run = None,
                    _ => {}
                }
                left.push((f, line));
            }
            left
        }
        "focus-self" => {
            let last = last.filter(|&last| stack[last + 1..].iter().all(|&(f, _)| hides(f)));
            last.map_or_else(Vec::new, |last| stack[last..].to_vec())
        }
        "merge-node" => begins.map_or(stack.to_vec(), |n| without(n - 1..n)),
        "merge-subtree" => begins.map_or(stack.to_vec(), |n| stack[..n - 1].to_vec()),
        "drop-node" => {
            if begins.is_some() {
                Vec::new()
            } else {
                stack.to_vec()
            }
        }
        "focus-subtree" => begins.map_or_else(Vec::new, |n| stack[n - 1..].to_vec()),
        "focus-subtree-inverted" => {
            let n = along(&mut stack.iter().rev().map(|&(f, _)| f));
            n.map_or_else(Vec::new, |n| stack[..=stack.len() - n].to_vec())
        }
        _ => unreachable!("{kind}"),
    }
}

proptest! {
    #[test]
    fn stacks_match_the_definitions(
        samples in stacks(),
        kind in 0..TransformKind::ALL.len(),
        path in prop::collection::vec(0_usize..4, 1..4),
        filter in 0_usize..3,
    ) {
        let kind: TransformKind = TransformKind::ALL[kind];
        // Categories and libraries have tests of their own.
        prop_assume!(matches!(kind.operand(), Operand::Function | Operand::Path));
        let path = if kind.operand() == Operand::Path { &path[..] } else { &path[..1] };
        let kind = kind.name();
        let implementation = [Implementation::All, Implementation::Js, Implementation::Native][filter];
        let hides = |f: usize| implementation != Implementation::All && (f % 2 == 1) == (implementation == Implementation::Native);
        let present: BTreeSet<usize> = samples.iter().flatten().map(|&(f, _)| f).collect();
        // Without a script the filter is ignored, and so are names that do not occur.
        prop_assume!(path.iter().all(|f| present.contains(f)) && (filter == 0 || present.iter().any(|f| f % 2 == 1)));

        let names: Vec<_> = path.iter().map(|f| format!("f{f}")).collect();
        let transform = format!("{kind}:{}", names.join(">"));
        // First the transform, then the filter of the view.
        let left: Vec<Stack> = samples
            .iter()
            .map(|stack| expected(kind, path, hides, stack))
            .map(|stack| stack.into_iter().filter(|&(f, _)| !hides(f)).collect::<Stack>())
            .filter(|stack| !stack.is_empty())
            .collect();

        let case = Case::new(text_samples::profile(&text(&samples)), implementation, &[(&transform, None)]);
        prop_assert!(case.warnings.is_empty(), "{:?}", case.warnings);
        let profile = case.recording.sampled().unwrap();
        let found: Vec<Stack> = profile.samples()[0].stacks().map(|leaf| {
            let mut stack: Stack = std::iter::successors(leaf, |&stack| profile.stacks().prefix(stack)).map(|stack| {
                let frame = profile.frames().get(profile.stacks().frame(stack));
                (profile.symbols().func_name(frame.func)[1..].parse().unwrap(), frame.line)
            }).collect();
            stack.reverse();
            stack
        }).collect();
        prop_assert_eq!(&found, &left, "{}", transform);

        // No total exceeds that of the profile, and self costs add up to it.
        let costs = case.costs();
        prop_assert_eq!(costs.total, left.len() as f64);
        let mut own: BTreeMap<String, f64> = BTreeMap::new();
        for (function, cost) in costs.functions() {
            prop_assert!(cost.cost.total.exact().unwrap() <= costs.total);
            *own.entry(case.name(function).to_owned()).or_default() += cost.cost.self_;
        }
        prop_assert_eq!(own.values().sum::<f64>(), costs.total);
    }
}
