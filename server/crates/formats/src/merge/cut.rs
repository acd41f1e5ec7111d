//! What is left out of a merged file, so that it is smaller. The weight stays at the caller, or is in the
//! function [`CUT`]: totals stay as they are.
//!
//! What a call costs is decided by functions, not by lines or addresses: a call is a function that is
//! called on a path of functions. `work` on four lines with 4% each is one call that costs 16%. What
//! remains keeps its lines and addresses.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The name of the function that has the weight of stacks that were left out.
pub const CUT: &str = "(cut)";

/// What to leave out. By default nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cuts {
    /// Calls that cost less than this share of the total, in percent.
    pub min_percent: Option<f64>,
    /// Frames below this many from the root.
    pub max_depth: Option<u32>,
    /// All stacks except this many, those that cost the most.
    pub max_stacks: Option<u64>,
}

impl Cuts {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depth = self.max_depth.map(|n| format!("{n} frames of each stack"));
        let percent =
            self.min_percent.map(|percent| format!("calls from {percent}% of the total on"));
        let stacks = self.max_stacks.map(|n| format!("the {n} stacks that cost most"));
        let parts: Vec<String> = [depth, percent, stacks].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// A stack, root first, as ids of frames, and its weight.
pub(super) type Stack = (Vec<u64>, i64);

/// What is known about frames. A frame has a line and an address; calls have not.
pub(super) trait Frames {
    /// The functions of a frame, root first: several if calls were inlined, never none.
    fn functions(&self, frame: u64) -> &[u64];

    /// The frame with only the first `n` of its functions.
    fn outer(&mut self, frame: u64, n: usize) -> u64;
}

/// Shortens stacks at the leaf. Returns the weight that is not where it was spent.
pub(super) fn cut(stacks: &mut [Stack], cuts: &Cuts, frames: &mut impl Frames) -> u128 {
    let mut is_moved = vec![false; stacks.len()];
    if let Some(percent) = cuts.min_percent {
        let total: u128 = stacks.iter().map(|(_, weight)| u128::from(weight.unsigned_abs())).sum();
        let depths = expensive_depths(stacks, total as f64 * percent / 100.0, frames);
        for (((stack, _), depth), is_moved) in stacks.iter_mut().zip(depths).zip(&mut is_moved) {
            *is_moved |= keep_functions(stack, depth, frames);
        }
    }
    let depth = cuts.max_depth.map_or(usize::MAX, |depth| depth as usize);
    for ((stack, _), is_moved) in stacks.iter_mut().zip(&mut is_moved) {
        *is_moved |= stack.len() > depth;
        stack.truncate(depth);
    }
    if let Some(n) = cuts.max_stacks {
        let mut weights: BTreeMap<&[u64], u128> = BTreeMap::new();
        for (stack, weight) in &*stacks {
            *weights.entry(stack).or_default() += u128::from(weight.unsigned_abs());
        }
        let mut ranked: Vec<_> = weights.into_iter().collect();
        ranked.sort_by_key(|&(stack, weight)| (Reverse(weight), stack));
        let dropped = ranked.into_iter().skip(usize::try_from(n).unwrap_or(usize::MAX));
        let dropped: BTreeSet<&[u64]> = dropped.map(|(stack, _)| stack).collect();
        let is_dropped: Vec<bool> =
            stacks.iter().map(|(stack, _)| dropped.contains(&**stack)).collect();
        for (((stack, _), is_dropped), is_moved) in
            stacks.iter_mut().zip(is_dropped).zip(&mut is_moved)
        {
            if is_dropped {
                *is_moved |= !stack.is_empty();
                stack.clear();
            }
        }
    }
    let moved = stacks.iter().zip(is_moved).filter(|(_, is_moved)| *is_moved);
    moved.map(|((_, weight), _)| u128::from(weight.unsigned_abs())).sum()
}

/// Shortens a stack to its first `n` functions. Returns whether there were more.
fn keep_functions(stack: &mut Vec<u64>, n: usize, frames: &mut impl Frames) -> bool {
    let mut left = n;
    for at in 0..stack.len() {
        let Some(frame) = stack.get_mut(at) else { break };
        let n_functions = frames.functions(*frame).len();
        if n_functions <= left {
            left -= n_functions;
            continue;
        }
        if left > 0 {
            *frame = frames.outer(*frame, left);
        }
        stack.truncate(at + usize::from(left > 0));
        return true;
    }
    false
}

/// The functions of the frames of a stack, root first.
fn path<'a>(stack: &'a [u64], frames: &'a impl Frames) -> impl Iterator<Item = u64> + 'a {
    stack.iter().flat_map(|&frame| frames.functions(frame).iter().copied())
}

/// The order of the paths of two stacks. Equal frames have equal functions, which saves most of the
/// work.
fn by_path(a: &[u64], b: &[u64], frames: &impl Frames) -> Ordering {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = |stack| path(<[u64]>::get(stack, common..).unwrap_or_default(), frames);
    rest(a).cmp(rest(b))
}

/// For each stack the number of functions, from the root, whose calls cost at least so much. Stacks
/// with the same functions on other lines are the same call.
fn expensive_depths(stacks: &[Stack], least: f64, frames: &impl Frames) -> Vec<usize> {
    let mut order: Vec<usize> = (0..stacks.len()).collect();
    let stack_at = |at: usize| stacks.get(at).map_or(&[][..], |(stack, _)| stack.as_slice());
    order.sort_by(|&a, &b| by_path(stack_at(a), stack_at(b), frames));
    let mut depths = vec![0; stacks.len()];
    // For each call that is open: where its stacks begin in `order`, and its weight.
    let mut open: Vec<(usize, u128)> = Vec::new();
    let mut close = |open: &mut Vec<(usize, u128)>, depth: usize, end: usize| {
        while open.len() > depth {
            let Some((start, weight)) = open.pop() else { break };
            if weight as f64 >= least {
                for &stack in order.get(start..end).unwrap_or_default() {
                    if let Some(known) = depths.get_mut(stack) {
                        *known = (open.len() + 1).max(*known);
                    }
                }
            }
            if let Some((_, outer)) = open.last_mut() {
                *outer += weight;
            }
        }
    };
    let mut before: &[u64] = &[];
    for (at, &stack) in order.iter().enumerate() {
        let now = stack_at(stack);
        let both = path(before, frames).zip(path(now, frames));
        close(&mut open, both.take_while(|(a, b)| a == b).count(), at);
        open.resize(path(now, frames).count(), (at, 0));
        let weight = stacks.get(stack).map_or(0, |(_, weight)| weight.unsigned_abs());
        if let Some((_, own)) = open.last_mut() {
            *own += u128::from(weight);
        }
        before = now;
    }
    close(&mut open, 0, order.len());
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of one function each, which is the frame divided by 10, except for 99: function 1 and,
    /// inlined, 9. Without its inner function it is 98.
    struct Tens(Vec<[u64; 1]>);

    impl Frames for Tens {
        fn functions(&self, frame: u64) -> &[u64] {
            let function = &self.0[usize::try_from(frame).unwrap()];
            if frame == 99 { &[1, 9] } else { function }
        }

        fn outer(&mut self, frame: u64, n: usize) -> u64 {
            assert_eq!((frame, n), (99, 1));
            98
        }
    }

    fn tens() -> Tens {
        Tens((0..100).map(|frame| [frame / 10]).collect())
    }

    /// `1`: 50 and below it `1 2`: 30, `1 2 3`: 5, `1 4`: 10; `5`: 5.
    fn stacks() -> Vec<Stack> {
        vec![
            (vec![10], 50),
            (vec![10, 20, 30], 5),
            (vec![50], 5),
            (vec![10, 20], 30),
            (vec![10, 40], 10),
        ]
    }

    fn kept(
        min_percent: Option<f64>,
        max_depth: Option<u32>,
        max_stacks: Option<u64>,
    ) -> (Vec<usize>, u128) {
        let mut stacks = stacks();
        let moved = cut(&mut stacks, &Cuts { min_percent, max_depth, max_stacks }, &mut tens());
        (stacks.iter().map(|(stack, _)| stack.len()).collect(), moved)
    }

    #[test]
    fn what_remains_of_stacks() {
        assert_eq!(kept(None, None, None), (vec![1, 3, 1, 2, 2], 0));
        assert_eq!(kept(None, Some(1), None), (vec![1, 1, 1, 1, 1], 45));
        // Of the total of 100, `1 2` has 35, `1 4` has 10, the others 5.
        assert_eq!(kept(Some(10.0), None, None), (vec![1, 2, 0, 2, 2], 10));
        assert_eq!(kept(Some(10.1), None, None), (vec![1, 2, 0, 2, 1], 20));
        assert_eq!(kept(Some(5.0), None, None), (vec![1, 3, 1, 2, 2], 0));
        assert_eq!(kept(None, None, Some(2)), (vec![1, 0, 0, 2, 0], 20));
        assert_eq!(kept(Some(10.0), Some(1), Some(1)), (vec![1, 1, 0, 1, 1], 50));
    }

    fn cut_by_percent(mut stacks: Vec<Stack>, percent: f64) -> (Vec<Vec<u64>>, u128) {
        let cuts = Cuts { min_percent: Some(percent), ..Cuts::default() };
        let moved = cut(&mut stacks, &cuts, &mut tens());
        (stacks.into_iter().map(|(stack, _)| stack).collect(), moved)
    }

    #[test]
    fn lines_of_a_function_are_one_call() {
        // `1 2` has 16 on four lines, called from two lines of `1`; `1 3` has 2 on two lines.
        let stacks = vec![
            (vec![10, 20], 4),
            (vec![10, 21], 4),
            (vec![11, 22], 4),
            (vec![11, 23], 4),
            (vec![10, 30], 1),
            (vec![11, 31], 1),
            (vec![12], 82),
        ];
        let all = |stacks: &[Stack]| stacks.iter().map(|(stack, _)| stack.clone()).collect();
        assert_eq!(cut_by_percent(stacks.clone(), 2.0), (all(&stacks), 0));
        let mut expected: Vec<Vec<u64>> = all(&stacks);
        expected[4].pop();
        expected[5].pop();
        assert_eq!(cut_by_percent(stacks, 5.0), (expected, 2));
    }

    #[test]
    fn a_frame_loses_inlined_calls_only() {
        // `1` has 100 and, inlined in it, `1 9` has 4. `1 9 2` is called from there.
        let stacks = vec![(vec![10], 96), (vec![99], 3), (vec![99, 20], 1)];
        let expected = |last: &[u64]| vec![vec![10], last.to_vec(), last.to_vec()];
        assert_eq!(cut_by_percent(stacks.clone(), 5.0), (expected(&[98]), 4));
        assert_eq!(cut_by_percent(stacks, 4.0), (expected(&[99]), 1));
    }

    #[test]
    fn cuts_are_said() {
        let cuts = Cuts { min_percent: Some(0.1), max_depth: Some(20), max_stacks: Some(3) };
        assert_eq!(
            cuts.to_string(),
            "20 frames of each stack, calls from 0.1% of the total on, the 3 stacks that cost most"
        );
    }
}
