//! Which frames are calls of their function, and which are parts of a call further up the stack.
//!
//! A frame of a part ([`FuncRole`]) belongs to the nearest outer call of its function. All other
//! frames are calls. Only a call within another call of the same function is recursion.
//!
//! A frame of a part starts no activation if one of its function is on the stack. Frames of one
//! function that are adjacent on the stack are otherwise recursion, so a function with a comprehension
//! would call itself.

use crate::weighted::{ROOT, WeightedStacks};
use profile::{FuncId, FuncRole, FunctionId, Groups, Profile, StackAccess};
use rustc_hash::FxHashMap;

/// The frames of stacks that are parts of a call. Indexes are positions of [`WeightedStacks`], or
/// stacks of a profile.
#[derive(Debug, Default)]
pub(crate) struct Activations {
    /// Whether a frame is a part of a call further up. Empty if all frames are calls.
    continued: Vec<bool>,
    /// Whether in addition the frame above it belongs to the same function. The two are one call
    /// node.
    joined: Vec<bool>,
}

impl Activations {
    pub(crate) fn new(stacks: &WeightedStacks, profile: &Profile, groups: &Groups) -> Self {
        if !groups.has_parts() {
            return Self::default();
        }
        let mut has_parts = vec![false; groups.n_functions()];
        for func in profile.symbols().funcs.ids() {
            has_parts[groups.function(func).index()] |= groups.role(func) != FuncRole::Whole;
        }
        let func_at = |k: usize| profile.frames().get(stacks.frame[k]).func;
        let (mut continued, mut joined) = (vec![false; stacks.len()], vec![false; stacks.len()]);
        // The calls on the current stack, and the bodies that run on it.
        let mut calls: FxHashMap<FunctionId, Vec<u32>> = FxHashMap::default();
        let mut bodies: FxHashMap<FuncId, Vec<u32>> = FxHashMap::default();
        for k in 0..stacks.len() {
            let func = func_at(k);
            let function = groups.function(func);
            if !has_parts[function.index()] {
                continue;
            }
            let calls = calls.entry(function).or_default();
            let call = innermost(calls, k, stacks);
            let continues = match groups.role(func) {
                FuncRole::Whole => false,
                FuncRole::Block => call.is_some(),
                FuncRole::Body => {
                    let bodies = bodies.entry(func).or_default();
                    let body = innermost(bodies, k, stacks);
                    bodies.push(k as u32);
                    call.is_some_and(|call| body.is_none_or(|body| body < call))
                }
            };
            if !continues {
                calls.push(k as u32);
            }
            continued[k] = continues;
            joined[k] = continues
                && stacks.parent[k] != ROOT
                && groups.function(func_at(stacks.parent[k] as usize)) == function;
        }
        Self { continued, joined }
    }

    /// The frames at the leaves of all stacks of a profile, by stack.
    pub(crate) fn by_stack(profile: &Profile, groups: &Groups) -> Self {
        if !groups.has_parts() {
            return Self::default();
        }
        let (stacks, position) = WeightedStacks::placed(profile, vec![1.0; profile.stacks().len()]);
        let Self { continued, joined } = Self::new(&stacks, profile, groups);
        let by_stack = |column: Vec<bool>| position.iter().map(|&k| column[k as usize]).collect();
        Self { continued: by_stack(continued), joined: by_stack(joined) }
    }

    /// Whether all frames are calls.
    pub(crate) fn is_empty(&self) -> bool {
        self.continued.is_empty()
    }

    /// Whether a frame is a part of a call further up the stack.
    pub(crate) fn continues(&self, k: usize) -> bool {
        self.continued.get(k) == Some(&true)
    }

    /// Whether a frame is in the same call node as the frame above it.
    pub(crate) fn joins(&self, k: usize) -> bool {
        self.joined.get(k) == Some(&true)
    }
}

/// The innermost of `open` whose subtree contains position `k`. Removes those that have ended.
fn innermost(open: &mut Vec<u32>, k: usize, stacks: &WeightedStacks) -> Option<u32> {
    while open.last().is_some_and(|&at| stacks.end[at as usize] as usize <= k) {
        open.pop();
    }
    open.last().copied()
}
