//! Random runs of a program, as the samples of its stacks: what they define.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The functions `f0`, `f1` … of a program.
pub const N_FUNCTIONS: usize = 5;

/// A function, and its line that runs: 1 to 3, in [`file`].
pub type Frame = (usize, u32);

/// A sample: frames from the outermost to the leaf, and a weight.
pub type Sample = (Vec<Frame>, f64);

/// The file of a function. Those with even numbers share one, and lines in it.
pub fn file(function: usize) -> usize {
    function % 2
}

/// Runs in which functions may call each other, or only those with a higher number. All begin in `f0`.
pub fn runs(may_recurse: bool) -> impl Strategy<Value = Vec<Sample>> {
    let frame = (1..N_FUNCTIONS, 1_u32..4);
    let stack =
        (1_u32..4, prop::collection::vec(frame, 0..6)).prop_map(move |(line, mut below)| {
            if !may_recurse {
                below.sort_unstable();
                below.dedup_by_key(|(function, _)| *function);
            }
            [vec![(0, line)], below].concat()
        });
    prop::collection::vec((stack, 1_u32..6), 1..12)
        .prop_map(|samples| samples.into_iter().map(|(it, n)| (it, f64::from(n))).collect())
}

/// The weight of the samples that `has`.
pub fn weight(samples: &[Sample], has: impl Fn(&[Frame]) -> bool) -> f64 {
    samples.iter().filter(|(stack, _)| has(stack)).map(|(_, weight)| weight).sum()
}

/// Self and total cost of each function with a cost.
pub fn functions(samples: &[Sample]) -> BTreeMap<usize, (f64, f64)> {
    let all: BTreeSet<usize> = samples.iter().flat_map(|(it, _)| it).map(|&(f, _)| f).collect();
    let cost = |f: usize| {
        let own = weight(samples, |stack| stack.last().is_some_and(|&(leaf, _)| leaf == f));
        (own, weight(samples, |stack| stack.iter().any(|&(g, _)| g == f)))
    };
    all.into_iter().map(|f| (f, cost(f))).collect()
}

/// Self and total cost of each line, by file and number.
pub fn lines(samples: &[Sample]) -> BTreeMap<(usize, u32), (f64, f64)> {
    let place = |&(f, line): &Frame| (file(f), line);
    let all: BTreeSet<_> = samples.iter().flat_map(|(it, _)| it).map(place).collect();
    let cost = |at| {
        let own = weight(samples, |stack| stack.last().map(place) == Some(at));
        (own, weight(samples, |stack| stack.iter().any(|frame| place(frame) == at)))
    };
    all.into_iter().map(|at| (at, cost(at))).collect()
}

/// The weight of the samples in which functions call each other one after another, as `path` says.
pub fn path(samples: &[Sample], path: &[usize]) -> f64 {
    let is_path = |frames: &[Frame]| frames.iter().map(|&(f, _)| f).eq(path.iter().copied());
    weight(samples, |stack| stack.windows(path.len()).any(is_path))
}

/// Pairs of functions that call each other, as caller and callee.
pub fn edges(samples: &[Sample]) -> BTreeSet<(usize, usize)> {
    let pairs = samples.iter().flat_map(|(stack, _)| stack.windows(2));
    pairs.map(|pair| (pair[0].0, pair[1].0)).collect()
}
