//! What is left out of a merged file, so that it is smaller. The weight stays at the caller, or is in the
//! function [`CUT`]: totals stay as they are.

use std::cmp::Reverse;
use std::collections::BTreeMap;
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
    /// All but so many stacks, those that cost the most.
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
            self.min_percent.map(|percent| format!("calls from {percent} % of the total on"));
        let stacks = self.max_stacks.map(|n| format!("the {n} stacks that cost most"));
        let parts: Vec<String> = [depth, percent, stacks].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// How many frames remain of each stack, from the root, and the weight that is not where it was spent.
/// Stacks are given root first, with their weights.
pub(super) fn cut(stacks: &[(Vec<u64>, i64)], cuts: &Cuts) -> (Vec<usize>, u128) {
    let depth = cuts.max_depth.map_or(usize::MAX, |depth| depth as usize);
    let mut kept: Vec<usize> = stacks.iter().map(|(stack, _)| stack.len().min(depth)).collect();
    if let Some(percent) = cuts.min_percent {
        let total: u128 = stacks.iter().map(|(_, weight)| u128::from(weight.unsigned_abs())).sum();
        let least = total as f64 * percent / 100.0;
        for (kept, expensive) in kept.iter_mut().zip(expensive_depths(stacks, least)) {
            *kept = (*kept).min(expensive);
        }
    }
    if let Some(n) = cuts.max_stacks {
        let mut weights: BTreeMap<&[u64], u128> = BTreeMap::new();
        for ((stack, weight), &kept) in stacks.iter().zip(&kept) {
            let weight = u128::from(weight.unsigned_abs());
            *weights.entry(stack.get(..kept).unwrap_or_default()).or_default() += weight;
        }
        let mut ranked: Vec<_> = weights.into_iter().collect();
        ranked.sort_by_key(|&(stack, weight)| (Reverse(weight), stack));
        let dropped = ranked.into_iter().skip(usize::try_from(n).unwrap_or(usize::MAX));
        let dropped: std::collections::BTreeSet<&[u64]> = dropped.map(|(stack, _)| stack).collect();
        for ((stack, _), kept) in stacks.iter().zip(&mut kept) {
            if dropped.contains(stack.get(..*kept).unwrap_or_default()) {
                *kept = 0;
            }
        }
    }
    let moved = stacks.iter().zip(&kept).filter(|((stack, _), kept)| stack.len() > **kept);
    let moved = moved.map(|((_, weight), _)| u128::from(weight.unsigned_abs())).sum();
    (kept, moved)
}

/// For each stack the number of frames, from the root, whose calls cost at least so much.
fn expensive_depths(stacks: &[(Vec<u64>, i64)], least: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..stacks.len()).collect();
    let frames = |at: usize| stacks.get(at).map_or(&[][..], |(stack, _)| stack.as_slice());
    order.sort_by(|&a, &b| frames(a).cmp(frames(b)));
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
        let now = frames(stack);
        let common = before.iter().zip(now).take_while(|(a, b)| a == b).count();
        close(&mut open, common, at);
        open.resize(now.len(), (at, 0));
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

    /// `1`: 50 and below it `1 2`: 30, `1 2 3`: 5, `1 4`: 10; `5`: 5.
    fn stacks() -> Vec<(Vec<u64>, i64)> {
        vec![(vec![1], 50), (vec![1, 2, 3], 5), (vec![5], 5), (vec![1, 2], 30), (vec![1, 4], 10)]
    }

    fn kept(
        min_percent: Option<f64>,
        max_depth: Option<u32>,
        max_stacks: Option<u64>,
    ) -> (Vec<usize>, u128) {
        cut(&stacks(), &Cuts { min_percent, max_depth, max_stacks })
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

    #[test]
    fn cuts_are_said() {
        let cuts = Cuts { min_percent: Some(0.1), max_depth: Some(20), max_stacks: Some(3) };
        assert_eq!(
            cuts.to_string(),
            "20 frames of each stack, calls from 0.1 % of the total on, the 3 stacks that cost most"
        );
    }
}
