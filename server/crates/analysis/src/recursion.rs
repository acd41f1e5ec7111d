//! The recursion that a function takes part in: which kind, and how deep.
//!
//! Stacks tell how often a function is on one of them, but not how often it was called; a call graph
//! tells how often, but not how deep. Mercury's deep profiler has both by context
//! ([`crate::context_paths`]).

use crate::Edges;
use crate::call_groups::Cliques;
use crate::stack_paths::StackIndex;
use profile::FunctionId;
use rustc_hash::FxHashSet;

/// A recursion: functions that call each other, or one that calls itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionRecursion {
    /// The number of functions that are called within it.
    pub functions: usize,
    /// Where the calls within it are.
    pub sites: RecursiveSites,
    /// How deep it goes.
    pub depth: RecursionDepth,
}

/// Where the calls within a recursion are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecursiveSites {
    /// The number of call sites.
    Calls(usize),
    /// The number of lines on which the function calls itself. A line may have several calls.
    Lines(usize),
}

impl RecursiveSites {
    /// Their number.
    pub fn count(self) -> usize {
        match self {
            Self::Calls(n) | Self::Lines(n) => n,
        }
    }
}

/// A kind of recursion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecursionKind {
    /// A function calls itself at one place.
    Single,
    /// A function calls itself at several places. If one call passes several of them, that is divide and
    /// conquer; they may also exclude each other, which profiles do not tell.
    Several,
    /// Several functions call each other.
    Mutual,
}

/// The least part of the calls within a recursion that must lead through other functions for it to be
/// mutual. Profilers that read stacks while the program runs mix some frames of two calls (Austin).
const MUTUAL: f64 = 0.1;

/// How deep a recursion goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecursionDepth {
    /// Calls per call from outside, including that one.
    Calls(f64),
    /// The calls of the function on a stack that has it: the mean over the samples, and the most.
    OnStack {
        /// The mean.
        mean: f64,
        /// The most.
        most: usize,
    },
    /// It is not recorded.
    Unknown,
}

impl FunctionRecursion {
    /// Its kind.
    pub fn kind(&self) -> RecursionKind {
        match (self.functions, self.sites.count()) {
            (0 | 1, 0 | 1) => RecursionKind::Single,
            (0 | 1, _) => RecursionKind::Several,
            _ => RecursionKind::Mutual,
        }
    }

    /// That of a function on sampled stacks. `None` if no stack has two calls of it.
    pub(crate) fn on_stacks(index: &StackIndex, of: FunctionId) -> Option<Self> {
        let (stacks, activations) = (&index.stacks, index.activations());
        let (mut direct, mut indirect, mut entered, mut most) = (0.0, 0.0, 0.0, 0);
        let (mut functions, mut sites) = (FxHashSet::default(), FxHashSet::default());
        let mut passed: FxHashSet<u32> = FxHashSet::default();
        // Where the calls around a position end.
        let mut around: Vec<u32> = Vec::new();
        for &k in index.positions(of) {
            let (at, weight) = (k as usize, stacks.total[k as usize]);
            if weight == 0.0 || activations.continues(at) {
                continue;
            }
            while around.last().is_some_and(|&end| end <= k) {
                around.pop();
            }
            if around.is_empty() {
                entered += weight;
            } else {
                let mut caller = stacks.parent[at] as usize;
                if index.function[caller] == of {
                    direct += weight;
                    sites.insert(index.line[caller]);
                } else {
                    indirect += weight;
                }
                while index.function[caller] != of && passed.insert(caller as u32) {
                    functions.insert(index.function[caller]);
                    caller = stacks.parent[caller] as usize;
                }
            }
            around.push(stacks.end[at]);
            most = most.max(around.len());
        }
        let mean = (direct + indirect + entered) / entered;
        let is_mutual = indirect >= MUTUAL * (direct + indirect);
        let functions = 1 + if is_mutual { functions.len() } else { 0 };
        let depth = if mean.is_finite() && mean >= 1.0 {
            RecursionDepth::OnStack { mean, most }
        } else {
            RecursionDepth::Unknown
        };
        let sites = RecursiveSites::Lines(sites.len());
        (most > 1).then_some(Self { functions, sites, depth })
    }

    /// That of a function of a call graph with `n` functions. `None` if no calls lead back to it.
    pub(crate) fn in_graph(edges: &Edges, n: usize, of: FunctionId) -> Option<Self> {
        let itself = edges.callees(of).iter().find(|edge| edge.callee == of);
        let members = Cliques::of(edges, n).members(of);
        if members.len() < 2 && itself.is_none() {
            return None;
        }
        let is_member = |function| members.binary_search(&function).is_ok();
        let (mut all, mut entering) = (Some(0), Some(0));
        for edge in members.iter().flat_map(|&member| edges.callers(member)) {
            let add = |sum: Option<u64>| Some(sum?.saturating_add(edge.calls?));
            all = add(all);
            entering = if is_member(edge.caller) { entering } else { add(entering) };
        }
        let depth = match (all, entering) {
            (Some(all), Some(entering)) if entering > 0 => {
                RecursionDepth::Calls(all as f64 / entering as f64)
            }
            _ => RecursionDepth::Unknown,
        };
        let sites = RecursiveSites::Lines(itself.map_or(0, |edge| edges.sites(edge).len()));
        Some(Self { functions: members.len(), sites, depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CallTree, Recording, View, find_function};
    use profile::{Groups, text_samples};
    use std::sync::Arc;

    fn of_samples(samples: &str, name: &str) -> Option<FunctionRecursion> {
        let recording = Arc::new(Recording::Stacks(text_samples::profile(samples)));
        let groups = Arc::new(Groups::identity(recording.symbols()));
        let function = find_function(recording.symbols(), &groups, name).unwrap();
        CallTree::new(recording.clone(), View::of(&recording), groups).recursion(function)
    }

    #[test]
    fn the_depth_is_the_mean_over_samples() {
        // One, two and three calls of f; each sample counts once.
        let samples = "
            main main main main
            f@1  f@1  f@1  g
                 f@1  f@1
                      f@1
        ";
        let found = of_samples(samples, "f").unwrap();
        assert_eq!(found.kind(), RecursionKind::Single);
        assert_eq!((found.functions, found.sites), (1, RecursiveSites::Lines(1)));
        assert_eq!(found.depth, RecursionDepth::OnStack { mean: 2.0, most: 3 });
        assert_eq!((of_samples(samples, "main"), of_samples(samples, "g")), (None, None));
    }

    #[test]
    fn calls_at_several_lines_are_told_from_one() {
        let found = of_samples("f@1[file:a.rs] f@2\nf@9            f@9", "f").unwrap();
        assert_eq!((found.kind(), found.sites), (RecursionKind::Several, RecursiveSites::Lines(2)));
        let found = of_samples("f@1[file:a.rs] f@1\nf@2            f@9", "f").unwrap();
        assert_eq!((found.kind(), found.sites), (RecursionKind::Single, RecursiveSites::Lines(1)));
    }

    #[test]
    fn a_mixed_stack_makes_no_mutual_recursion() {
        // Eleven direct calls within others, and one through `log`.
        let stacks = format!("f@1[file:a.rs] f@1\n{}", "f@1            log@5\n");
        let stacks = format!("{stacks}{}", "f@1            f@1\n".repeat(10));
        let found = of_samples(&stacks, "f").unwrap();
        assert_eq!((found.kind(), found.functions), (RecursionKind::Single, 1));
        let found = of_samples("f@1[file:a.rs] f@1\nf@1            log@5\n               f@1", "f");
        assert_eq!(found.unwrap().kind(), RecursionKind::Mutual);
    }

    #[test]
    fn all_functions_between_two_calls_take_part() {
        let samples = "
            main main main
            even even even
            odd  odd  log
            even help
            log  even
        ";
        let found = of_samples(samples, "even").unwrap();
        assert_eq!((found.kind(), found.functions), (RecursionKind::Mutual, 3));
        assert_eq!(found.depth, RecursionDepth::OnStack { mean: 5.0 / 3.0, most: 2 });
        assert_eq!((of_samples(samples, "log"), of_samples(samples, "odd")), (None, None));
    }
}
