//! Random stacks against the definitions of the transforms.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub type Stack = Vec<(usize, u32)>;

/// Functions `f0`…`f3`, lines 1 to 3; odd ones are scripts.
pub fn stacks() -> impl Strategy<Value = Vec<Stack>> {
    prop::collection::vec(prop::collection::vec((0_usize..4, 1_u32..4), 1..9), 1..12)
}

pub fn text(samples: &[Stack]) -> String {
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
pub fn expected(
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

/// The stacks of all samples that have one.
fn found(recording: &Recording) -> Vec<Stack> {
    let profile = recording.sampled().unwrap();
    let stack = |leaf| {
        let callers = std::iter::successors(leaf, |&stack| profile.stacks().prefix(stack));
        let frames = callers.map(|stack| {
            let frame = profile.frames().get(profile.stacks().frame(stack));
            (profile.symbols().func_name(frame.func)[1..].parse().unwrap(), frame.line)
        });
        let mut stack: Stack = frames.collect();
        stack.reverse();
        stack
    };
    profile.samples()[0].stacks().map(stack).collect()
}

/// The operations of a session: adding a transform of a node or of its function, or removing the
/// last one.
#[derive(Debug, Clone)]
enum Step {
    /// The kind, the sample and the depth of the node.
    Push(usize, usize, usize),
    Pop,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let push = (0_usize..14, 0_usize..12, 0_usize..9);
    let step = prop_oneof![
        3 => push.prop_map(|(kind, sample, depth)| Step::Push(kind, sample, depth)),
        1 => Just(Step::Pop),
    ];
    prop::collection::vec(step, 1..8)
}

/// The functions of a path by their keys.
pub fn keys(path: &[usize]) -> Vec<analysis::Name> {
    let key = |f: &usize| {
        let (name, file, lib) = (format!("f{f}"), format!("{}.c", f / 2), (f / 2).to_string());
        let func = analysis::FuncKey::new(&name, Some(&file), Some(&lib));
        analysis::Name::Key(analysis::FunctionKey { func, start: None })
    };
    path.iter().map(key).collect()
}

proptest! {
    /// Each node is one that the stacks have after the transforms before. Some functions may be own code, to
    /// which the others are charged first.
    #[test]
    fn sequences_of_transforms_match_the_definitions(
        samples in stacks(),
        steps in steps(),
        own in prop::option::of(prop::collection::btree_set(0_usize..4, 1..4)),
    ) {
        let profile = text_samples::profile(&text(&samples));
        let groups = Groups::identity(profile.symbols());
        let recording = Recording::Stacks(profile);
        let mut view = View::of(&recording);
        let mut samples = samples;
        if let Some(own) = own {
            let symbols = recording.symbols();
            let number = |func| symbols.func_name(func)[1..].parse::<usize>().unwrap();
            let funcs = symbols.funcs.ids().filter(|&func| own.contains(&number(func)));
            view.own = Some(Arc::new(funcs.map(|func| groups.function(func)).collect()));
            for stack in &mut samples {
                stack.retain(|(f, _)| own.contains(f));
            }
            samples.retain(|stack| !stack.is_empty());
        }
        // The stacks before each transform, and now.
        let mut before: Vec<Vec<Stack>> = Vec::new();
        let mut now = samples;
        for step in steps {
            match step {
                Step::Push(kind, sample, depth) => {
                    let kind = TransformKind::ALL[kind];
                    let is_of_functions = matches!(kind.operand(), Operand::Function | Operand::Path);
                    let Some(stack) = now.get(sample % now.len().max(1)).filter(|_| is_of_functions) else {
                        continue;
                    };
                    let mut path: Vec<usize> = stack.iter().map(|&(f, _)| f).collect();
                    if kind == TransformKind::FocusSubtreeInverted {
                        path.reverse();
                    }
                    path.truncate(1 + depth % path.len());
                    if kind.operand() == Operand::Function {
                        path.drain(..path.len() - 1);
                    }
                    let after = now.iter().map(|stack| expected(kind.name(), &path, |_| false, stack));
                    let after = after.filter(|stack| !stack.is_empty()).collect();
                    before.push(std::mem::replace(&mut now, after));
                    view.transforms.push(Transform { kind, names: keys(&path), implementation: None });
                }
                Step::Pop => {
                    view.transforms.pop();
                    now = before.pop().unwrap_or(now);
                }
            }
            let reshaped = reshape(&recording, &view, &groups, &Addresses::default());
            let shown = reshaped.as_ref().map_or(&recording, |reshaped| &reshaped.recording);
            prop_assert_eq!(&found(shown), &now, "{:?}", &view.transforms);
            prop_assert_eq!(costs(shown, &view, &groups).total, now.len() as f64);
        }
    }

    /// A sample that begins with a path begins with the rewritten path after the transform, if it
    /// is kept.
    #[test]
    fn rewritten_paths_lead_to_the_same_samples(
        samples in stacks(),
        kind in 0..TransformKind::ALL.len(),
        named in (0_usize..12, 0_usize..9),
        followed in (0_usize..12, 0_usize..9),
    ) {
        let kind = TransformKind::ALL[kind];
        prop_assume!(matches!(kind.operand(), Operand::Function | Operand::Path));
        // Whether the rest of the stack calls the function again, or ends with a path, is not known.
        prop_assume!(!matches!(kind, TransformKind::CollapseRecursion | TransformKind::FocusSelf | TransformKind::FocusSubtreeInverted));
        let path = |(sample, depth): (usize, usize)| -> Vec<usize> {
            let stack = &samples[sample % samples.len()];
            stack.iter().take(1 + depth % stack.len()).map(|&(f, _)| f).collect()
        };
        let (mut named, followed) = (path(named), path(followed));
        if kind.operand() == Operand::Function {
            named.drain(..named.len() - 1);
        }
        let profile = text_samples::profile(&text(&samples));
        let groups = Groups::identity(profile.symbols());
        let recording = Recording::Stacks(profile);
        let transform = Transform { kind, names: keys(&named), implementation: None };
        let view = View { transforms: vec![transform], ..View::of(&recording) };
        let reshaped = reshape(&recording, &view, &groups, &Addresses::default()).unwrap();
        let name = |function| recording.symbols().func_name(groups.first_func(function)).to_owned();
        let ids: Vec<FunctionId> = followed.iter()
            .map(|f| groups.functions().find(|&it| name(it) == format!("f{f}")).unwrap())
            .collect();
        let after = reshaped.rewrites.rewrite(&ids, analysis::PathKind::Node, 0);
        let after = after.map(|path| path.into_iter().map(name).collect::<Vec<_>>());
        let functions = |stack: &Stack| stack.iter().map(|(f, _)| format!("f{f}")).collect::<Vec<_>>();
        let followed: Vec<_> = followed.iter().map(|f| format!("f{f}")).collect();
        for stack in samples.iter().filter(|stack| functions(stack).starts_with(&followed)) {
            let left = functions(&expected(kind.name(), &named, |_| false, stack));
            match &after {
                Some(after) => prop_assert!(left.is_empty() || left.starts_with(after), "{left:?} {after:?}"),
                // The path was dropped with its samples, cut off or merged to nothing.
                None => prop_assert!(
                    left.is_empty()
                        || matches!(kind, TransformKind::FocusFunction | TransformKind::FocusSubtree)
                        || matches!(kind, TransformKind::MergeFunction | TransformKind::MergeNode),
                    "{left:?}"
                ),
            }
        }
    }

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
        let nothing = format!("no stack is left by `{transform}`; nothing is shown");
        let is_said = case.warnings == [nothing] && left.is_empty();
        let no_path = format!(
            "no stack begins with the path of `{transform}`; `{transform}` is ignored"
        );
        // Nothing is to be removed then.
        let is_ignored = case.warnings == [no_path] && ["merge-node", "merge-subtree", "drop-node"].contains(&kind);
        prop_assert!(case.warnings.is_empty() || is_said || is_ignored, "{:?}", case.warnings);
        prop_assert_eq!(&found(&case.recording), &left, "{}", transform);

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
