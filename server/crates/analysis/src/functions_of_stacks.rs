//! The functions of single stacks. Queries about time read samples one by one, not summed.

use crate::activations::Activations;
use profile::{FunctionId, Groups, Profile, StackAccess, StackId};

/// The functions of the stacks of a profile.
pub(crate) struct FunctionsOfStacks<'p> {
    profile: &'p Profile,
    groups: &'p Groups,
    parts: Activations,
}

impl<'p> FunctionsOfStacks<'p> {
    pub(crate) fn new(profile: &'p Profile, groups: &'p Groups) -> Self {
        Self { profile, groups, parts: Activations::by_stack(profile, groups) }
    }

    /// The functions of a stack, outermost first. A part directly below its function is one with it.
    pub(crate) fn of(&self, stack: StackId) -> Vec<FunctionId> {
        self.calls(stack).into_iter().map(|(function, _)| function).collect()
    }

    /// The functions of a stack, outermost first, and whether each is a call, not a part of a call
    /// further up.
    pub(crate) fn calls(&self, stack: StackId) -> Vec<(FunctionId, bool)> {
        let (stacks, frames) = (self.profile.stacks(), self.profile.frames());
        let up = std::iter::successors(Some(stack), |&stack| stacks.prefix(stack));
        let call = |stack: StackId| {
            let function = self.groups.function(frames.get(stacks.frame(stack)).func);
            (function, !self.parts.continues(stack.index()))
        };
        let mut calls: Vec<_> =
            up.filter(|stack| !self.parts.joins(stack.index())).map(call).collect();
        calls.reverse();
        calls
    }
}
