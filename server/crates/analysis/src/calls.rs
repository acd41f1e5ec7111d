//! Call counts, for recordings that saw every call instead of sampling.

use crate::View;
use crate::activations::Activations;
use crate::frames::Frames;
use profile::{FunctionId, Groups, Profile, StackAccess};
use rustc_hash::FxHashMap;

/// Call counts under one view.
pub(crate) struct CallCounts {
    /// Per function.
    pub(crate) functions: Vec<u64>,
    /// By caller and callee; direct calls only.
    pub(crate) edges: FxHashMap<(FunctionId, FunctionId), u64>,
}

impl CallCounts {
    /// Counts the calls in the threads of `view`; `None` if one of them was sampled. A part of a
    /// function with a frame of its own is not a call of the function.
    pub(crate) fn of(
        profile: &Profile,
        view: &View,
        groups: &Groups,
        frames: &Frames,
    ) -> Option<Self> {
        let threads: Vec<_> = profile
            .samples()
            .iter()
            .enumerate()
            .filter(|(thread, samples)| view.includes(*thread) && !samples.is_empty())
            .map(|(_, samples)| samples)
            .collect();
        if threads.is_empty() || threads.iter().any(|samples| samples.calls().is_none()) {
            return None;
        }
        let stacks = profile.stacks();
        let mut by_stack = vec![0_u64; stacks.len()];
        for samples in threads {
            for (stack, &calls) in samples.stacks().zip(samples.calls().unwrap_or_default()) {
                if let Some(stack) = stack {
                    by_stack[stack.index()] += u64::from(calls);
                }
            }
        }
        let mut counts =
            Self { functions: vec![0; groups.n_functions()], edges: FxHashMap::default() };
        let activations = Activations::by_stack(profile, groups);
        for (stack, calls) in stacks
            .ids()
            .zip(by_stack)
            .filter(|&(stack, calls)| calls != 0 && !activations.continues(stack.index()))
        {
            let callee = frames.function(stacks.frame(stack));
            counts.functions[callee.index()] += calls;
            if let Some(caller) = stacks.prefix(stack) {
                *counts
                    .edges
                    .entry((frames.function(stacks.frame(caller)), callee))
                    .or_default() += calls;
            }
        }
        Some(counts)
    }
}
