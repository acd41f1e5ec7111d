//! Random sequences of view changes against sums over the list of samples.

use super::random::{Stack, expected, keys, stacks, text};
use super::*;
use analysis::ThreadChoice;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A change of the view.
#[derive(Debug, Clone)]
enum Change {
    /// All threads, or one of them.
    Threads(Option<u32>),
    /// In milliseconds.
    Range(Option<(u64, u64)>),
    /// The number of a function.
    Search(Option<usize>),
    /// Which functions are own code.
    Own(Option<[bool; 4]>),
    Filter(Implementation),
    /// The kind, the sample and the depth of the node.
    Push(usize, usize, usize),
    /// Back to the view before the last change that was not undone.
    Undo,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let filters = [Implementation::All, Implementation::Js, Implementation::Native];
    let change = prop_oneof![
        1 => prop::option::of(0_u32..2).prop_map(Change::Threads),
        1 => prop::option::of((0_u64..8, 1_u64..8)).prop_map(Change::Range),
        1 => prop::option::of(0_usize..4).prop_map(Change::Search),
        1 => prop::option::of(prop::array::uniform4(any::<bool>())).prop_map(Change::Own),
        1 => (0_usize..3).prop_map(move |filter| Change::Filter(filters[filter])),
        4 => (0..TransformKind::ALL.len(), 0_usize..12, 0_usize..9)
            .prop_map(|(kind, sample, depth)| Change::Push(kind, sample, depth)),
        3 => Just(Change::Undo),
    ];
    prop::collection::vec(change, 1..12)
}

/// The choices that the reference has in its own words.
#[derive(Debug, Clone, Default)]
struct Naive {
    thread: Option<u32>,
    range: Option<(u64, u64)>,
    search: Option<usize>,
    own: Option<[bool; 4]>,
    transforms: Vec<(TransformKind, Vec<usize>, Implementation)>,
    filter: Implementation,
}

fn hides(filter: Implementation, function: usize) -> bool {
    let is_js = function % 2 == 1;
    filter != Implementation::All && is_js == (filter == Implementation::Native)
}

impl Naive {
    /// The stacks after the range, the choice of own code and the transforms. Sample `i` is of thread `i % 2` and was taken
    /// at `i` ms.
    fn transformed(&self, samples: &[Stack]) -> Vec<(u32, Stack)> {
        let in_range = |i: u64| self.range.is_none_or(|(start, end)| (start..end).contains(&i));
        let chosen = samples.iter().zip(0_u64..).filter(|(_, i)| in_range(*i));
        let changed = chosen.map(|(stack, i)| {
            let apply = |stack: Stack, (kind, path, filter): &(TransformKind, Vec<usize>, _)| {
                expected(kind.name(), path, |f| hides(*filter, f), &stack)
            };
            let mut stack = stack.clone();
            stack.retain(|&(f, _)| self.own.is_none_or(|own| own[f]));
            ((i % 2) as u32, self.transforms.iter().fold(stack, apply))
        });
        changed.filter(|(_, stack)| !stack.is_empty()).collect()
    }

    /// The stacks of the threads shown.
    fn shown(&self, samples: &[Stack]) -> Vec<Stack> {
        let stacks = self.transformed(samples).into_iter();
        let stacks = stacks.filter(|(thread, _)| self.thread.is_none_or(|it| it == *thread));
        let stacks = stacks.map(|(_, mut stack)| {
            stack.retain(|&(f, _)| !hides(self.filter, f));
            if self.search.is_some_and(|wanted| stack.iter().all(|&(f, _)| f != wanted)) {
                stack.clear();
            }
            stack
        });
        stacks.filter(|stack| !stack.is_empty()).collect()
    }
}

/// Self and total by what a frame is; each sample counts once for a total.
fn sums<K: Ord>(stacks: &[Stack], key: impl Fn(&(usize, u32)) -> K) -> BTreeMap<K, (f64, f64)> {
    let mut sums: BTreeMap<K, (f64, f64)> = BTreeMap::new();
    for stack in stacks {
        let once: std::collections::BTreeSet<K> = stack.iter().map(&key).collect();
        for place in once {
            sums.entry(place).or_default().1 += 1.0;
        }
        if let Some(leaf) = stack.last() {
            sums.entry(key(leaf)).or_default().0 += 1.0;
        }
    }
    sums
}

proptest! {
    #[test]
    fn any_sequence_of_changes_equals_sums_over_the_samples(
        samples in stacks(),
        changes in changes(),
    ) {
        // The filter needs a script; each function occurs, so that each can be searched.
        let mut samples = samples;
        samples.push(vec![(0, 1), (1, 1), (2, 1), (3, 1)]);
        let of = |thread: usize| -> (Vec<Stack>, Vec<f64>) {
            let own = samples.iter().enumerate().filter(|(i, _)| i % 2 == thread);
            own.map(|(i, stack)| (stack.clone(), i as f64)).unzip()
        };
        let ((even, even_times), (odd, odd_times)) = (of(0), of(1));
        let profile = text_samples::threads_taken_at(&[
            ("even", &text(&even), &even_times),
            ("odd", &text(&odd), &odd_times),
        ]);
        let groups = Groups::identity(profile.symbols());
        let recording = Recording::Stacks(profile);
        let number = |function: FunctionId| -> usize {
            recording.symbols().func_name(groups.first_func(function))[1..].parse().unwrap()
        };

        let mut history = vec![(View::of(&recording), Naive::default())];
        for change in changes {
            let (mut view, mut naive) = history.last().unwrap().clone();
            match change {
                Change::Threads(thread) => {
                    naive.thread = thread;
                    view.threads = thread.map_or(ThreadChoice::All, |thread| {
                        ThreadChoice::Only(vec![profile::ThreadId::new(thread)])
                    });
                }
                Change::Range(range) => {
                    let range = range.map(|(start, length)| (start, start + length));
                    naive.range = range;
                    view.range = range.map(|(start, end)| format!("{start}..{end}").parse().unwrap());
                }
                Change::Search(function) => {
                    naive.search = function;
                    view.search = function.map(|f| format!("f{f}")).unwrap_or_default();
                }
                Change::Own(own) => {
                    naive.own = own;
                    view.own = own.map(|own| {
                        Arc::new(groups.functions().filter(|&it| own[number(it)]).collect())
                    });
                }
                Change::Filter(filter) => (naive.filter, view.implementation) = (filter, filter),
                Change::Push(kind, sample, depth) => {
                    let kind = TransformKind::ALL[kind];
                    let now = naive.transformed(&samples);
                    let Some((_, stack)) = now.get(sample % now.len().max(1)) else { continue };
                    let mut path: Vec<usize> = stack.iter().map(|&(f, _)| f).collect();
                    if kind == TransformKind::FocusSubtreeInverted {
                        path.reverse();
                    }
                    path.truncate(1 + depth % path.len());
                    match kind.operand() {
                        Operand::Path => {}
                        Operand::Function => drop(path.drain(..path.len() - 1)),
                        // They have tests of their own.
                        Operand::Category | Operand::Resource | Operand::Label => continue,
                    }
                    let implementation = Some(view.implementation);
                    view.transforms.push(Transform { kind, names: keys(&path), implementation });
                    naive.transforms.push((kind, path, view.implementation));
                }
                Change::Undo => {
                    if history.len() > 1 {
                        history.pop();
                    }
                    (view, naive) = history.pop().unwrap();
                }
            }
            let reshaped = reshape(&recording, &view, &groups, &Addresses::default());
            let shown = reshaped.as_ref().map_or(&recording, |reshaped| &reshaped.recording);
            let costs = costs(shown, &view, &groups);
            let expected = naive.shown(&samples);
            prop_assert_eq!(costs.total, expected.len() as f64, "{:?}", &view);

            let found = |cost: &analysis::Cost| (cost.self_, cost.total.exact().unwrap());
            let functions: BTreeMap<_, _> = costs
                .functions()
                .map(|(function, cost)| (number(function), found(&cost.cost)))
                .filter(|(_, cost)| *cost != (0.0, 0.0))
                .collect();
            prop_assert_eq!(&functions, &sums(&expected, |&(f, _)| f), "{:?}", &view);
            let symbols = recording.symbols();
            let lines: BTreeMap<_, _> = costs
                .lines()
                .iter()
                .map(|it| {
                    let file = symbols.source_name(groups.first_source(it.file)).to_owned();
                    ((file, it.line), found(&it.cost))
                })
                .collect();
            let line = |&(f, line): &(usize, u32)| (format!("{}.c", f / 2), line);
            prop_assert_eq!(&lines, &sums(&expected, line), "{:?}", &view);

            // The roots of the call tree add up to the total.
            let nodes = CallNodes::new(shown.sampled().unwrap(), &view, &groups);
            let roots: f64 = nodes.children(None).map(|id| nodes.get(id).total).sum();
            prop_assert_eq!(roots, costs.total);
            history.push((view, naive));
        }
    }
}
