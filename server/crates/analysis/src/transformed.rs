//! Applies one transform to the stacks of a recording, by the rules in [`mod@crate::reshape`].
//!
//! Each transform is one pass over the stacks, callers first, since the new stack depends only on the old
//! one and the caller's new stack. Only the division by labels depends on the samples.

use crate::activations::Activations;
use crate::labels::{Labels, root_name};
use crate::named::{Addresses, find_path};
use crate::names::{Unmatched, find_category, find_libs};
use crate::rewrites::Rewrite;
use crate::transform::{Implementation, Name, Operand, Transform, TransformKind as Kind};
use profile::{
    Code, FrameId, FuncId, FunctionId, Groups, LabelSetId, LibId, Profile, Restack, StackAccess,
    StackId, ThreadId, WarningCode,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Applies one transform. Also returns what it does to paths.
pub(crate) fn transformed(
    profile: &Profile,
    groups: &mut Groups,
    addresses: &Addresses,
    transform: &Transform,
    implementation: Implementation,
) -> Result<(Profile, Rewrite), Unmatched> {
    let name = transform.names.first().map_or("", Name::text);
    let path = find_path(profile.symbols(), groups, addresses, transform)?;
    // An address stands for the physical function, which comes first.
    let function = path.first().copied().unwrap_or(FunctionId::new(0));
    let stacks = Stacks::new(profile, groups, implementation);
    let named = match transform.kind.operand() {
        Operand::Path => path.clone(),
        _ => vec![function],
    };
    let profile = match transform.kind {
        Kind::MergeFunction => stacks.merge(|stack| stacks.function(stack) == function),
        Kind::MergeNode => {
            let matched = matched(&stacks, &path, transform)?;
            stacks.merge(|stack| matched[stack.index()] == Some(path.len()))
        }
        Kind::MergeSubtree => {
            let matched = matched(&stacks, &path, transform)?;
            stacks.merge(|stack| matched[stack.index()] >= Some(path.len()))
        }
        Kind::DropFunction => {
            let within = stacks.within(function);
            stacks.keep(|stack| !within[stack.index()])
        }
        Kind::DropNode => {
            let matched = matched(&stacks, &path, transform)?;
            stacks.keep(|stack| matched[stack.index()] < Some(path.len()))
        }
        Kind::FocusFunction => {
            let within = stacks.within(function);
            stacks.keep(|stack| within[stack.index()])
        }
        Kind::FocusSubtree => {
            let matched = stacks.matched(&path);
            stacks.keep(|stack| matched[stack.index()] >= Some(path.len()))
        }
        Kind::FocusSubtreeInverted => stacks.ending_with(&path),
        Kind::FocusSelf => stacks.self_of(function),
        Kind::FocusCategory => {
            let category = find_category(profile, name)?;
            let kept = |stack| profile.stacks().category(stack) == category;
            let rewrite = Rewrite::Kept(stacks.functions(kept));
            return Ok((stacks.merge(|stack| !kept(stack)), rewrite));
        }
        Kind::CollapseResource => return collapse_library(profile, groups, name, implementation),
        Kind::SplitByLabel => return split_by_label(profile, groups, name),
        Kind::CollapseRecursion => stacks.collapse_recursion(function, |_| false),
        Kind::CollapseDirectRecursion => {
            stacks.collapse_recursion(function, |stack| stacks.passes(stack))
        }
        Kind::CollapseFunctionSubtree => stacks.collapse_subtree(function),
    };
    Ok((profile, Rewrite::Named(transform.kind, named)))
}

/// Replaces the frames of the libraries with this name with one function, which is added.
fn collapse_library(
    profile: &Profile,
    groups: &mut Groups,
    name: &str,
    implementation: Implementation,
) -> Result<(Profile, Rewrite), Unmatched> {
    let libs = find_libs(profile.symbols(), name)?;
    let lib_name =
        libs.first().map_or(name, |lib| profile.symbols().libs[lib.index()].name.as_str());
    let added = profile.with_funcs([lib_name], libs.first().copied());
    let added = added.and_then(|(profile, frames)| Some((profile, *frames.first()?)));
    let Some((profile, frame)) = added else {
        return Err(Unmatched::new(
            WarningCode::TooManyFunctions,
            format!("the profile has too many functions to add one for `{lib_name}`"),
        ));
    };
    *groups = groups.extended(profile.symbols());
    let funcs = &profile.symbols().funcs;
    let of_libs = |func: &FuncId| funcs.get(*func).lib.is_some_and(|lib| libs.contains(&lib));
    let replaced = funcs.ids().filter(of_libs).map(|func| groups.function(func));
    let by = groups.function(profile.frames().get(frame).func);
    let rewrite = Rewrite::Replaced(replaced.collect(), by);
    Ok((Stacks::new(&profile, groups, implementation).collapse_libs(&libs, frame), rewrite))
}

/// Puts a function with the label of this key under the root of each stack: `size=large`, or `no size`.
fn split_by_label(
    profile: &Profile,
    groups: &mut Groups,
    key: &str,
) -> Result<(Profile, Rewrite), Unmatched> {
    let labels = Labels::of(profile);
    let key = labels.find_key(key)?;
    let name_of = |thread, set| root_name(key, labels.of_sample(key, thread, set));
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut root_of: FxHashMap<(ThreadId, LabelSetId), usize> = FxHashMap::default();
    for (thread, samples) in (0..).map(ThreadId::new).zip(profile.samples()) {
        for set in (0..samples.len()).map(|i| samples.label_set(i)) {
            root_of.entry((thread, set)).or_insert_with(|| {
                let next = numbers.len();
                *numbers.entry(name_of(thread, set)).or_insert(next)
            });
        }
    }
    let mut names: Vec<(&str, usize)> = numbers.iter().map(|(name, &at)| (&**name, at)).collect();
    names.sort_unstable_by_key(|(_, at)| *at);
    let names = names.into_iter().map(|(name, _)| name);
    let Some((extended, roots)) = profile.with_funcs(names, None) else {
        let problem = format!("the profile has too many functions to add one for each `{key}`");
        return Err(Unmatched::new(WarningCode::TooManyFunctions, problem));
    };
    *groups = groups.extended(extended.symbols());
    let stacks = extended.stacks();
    // The new stack of each old one below the root of a label; of `None`, that root.
    let mut split: FxHashMap<(usize, Option<StackId>), StackId> = FxHashMap::default();
    let new = Restack::new(&extended).finish_by_labels(|restack, thread, leaf, set| {
        let root = root_of[&(thread, set)];
        let (mut missing, mut known) = (Vec::new(), Some(leaf));
        while let Some(stack) = known.filter(|_| !split.contains_key(&(root, known))) {
            missing.push(stack);
            known = stacks.prefix(stack);
        }
        let mut at =
            *split.entry((root, known)).or_insert_with(|| restack.push(None, roots[root], leaf));
        for stack in missing.into_iter().rev() {
            at = restack.push(Some(at), stacks.frame(stack), stack);
            split.insert((root, Some(stack)), at);
        }
        at
    });
    Ok((new, Rewrite::Split))
}

/// [`Stacks::matched`] of a path that at least one stack begins with.
fn matched(
    stacks: &Stacks<'_>,
    path: &[FunctionId],
    transform: &Transform,
) -> Result<Vec<Option<usize>>, Unmatched> {
    let matched = stacks.matched(path);
    if matched.iter().any(|reached| *reached >= Some(path.len())) {
        return Ok(matched);
    }
    let problem = format!("no stack begins with the path of `{transform}`");
    Err(Unmatched::new(WarningCode::UnknownPath, problem))
}

/// What a stack is replaced with.
enum Fate {
    /// A new stack with this frame, called from this new stack.
    Stack(Option<StackId>, FrameId),
    /// This new stack, or none.
    Other(Option<StackId>),
}

/// The stacks of a profile, with the function of each frame and whether the filter keeps it.
pub(crate) struct Stacks<'p> {
    profile: &'p Profile,
    /// The function of each frame.
    function: Vec<FunctionId>,
    /// Whether the implementation filter lets each frame through.
    passes: Vec<bool>,
    /// By stack: whether its leaf is a part of a call further up.
    activations: Activations,
}

impl<'p> Stacks<'p> {
    pub(crate) fn new(
        profile: &'p Profile,
        groups: &Groups,
        implementation: Implementation,
    ) -> Self {
        let symbols = profile.symbols();
        let passes = |frame: profile::Frame| match (implementation, symbols.funcs.code(frame.func))
        {
            (Implementation::All, _) | (Implementation::Js, Code::JavaScript | Code::Label) => true,
            (Implementation::Js, Code::Native) | (Implementation::Native, Code::JavaScript) => {
                false
            }
            // An address in no library is code that was generated at run time.
            (Implementation::Native, Code::Label | Code::Native) => {
                symbols.funcs.get(frame.func).lib.is_some()
                    || !symbols.func_name(frame.func).starts_with("0x")
            }
        };
        Self {
            profile,
            function: profile.frames().iter().map(|frame| groups.function(frame.func)).collect(),
            passes: profile.frames().iter().map(passes).collect(),
            activations: Activations::by_stack(profile, groups),
        }
    }

    /// Whether the leaf of a stack is a part of a call further up.
    fn continues(&self, stack: StackId) -> bool {
        self.activations.continues(stack.index())
    }

    /// Whether the leaf of a stack is in the same call node as the frame above it.
    fn joins(&self, stack: StackId) -> bool {
        self.activations.joins(stack.index())
    }

    pub(crate) fn frame(&self, stack: StackId) -> FrameId {
        self.profile.stacks().frame(stack)
    }

    pub(crate) fn function(&self, stack: StackId) -> FunctionId {
        self.function[self.frame(stack).index()]
    }

    pub(crate) fn passes(&self, stack: StackId) -> bool {
        self.passes[self.frame(stack).index()]
    }

    /// The functions of the leaves of the stacks for which `kept` holds.
    pub(crate) fn functions(&self, kept: impl Fn(StackId) -> bool) -> FxHashSet<FunctionId> {
        let stacks = self.profile.stacks().ids();
        stacks.filter(|&stack| kept(stack)).map(|stack| self.function(stack)).collect()
    }

    /// The profile with new stacks. `fate` gets each stack, callers first, with the new stack of
    /// its caller.
    fn rebuild(&self, fate: impl FnMut(StackId, Option<StackId>) -> Fate) -> Profile {
        let (restack, new) = self.rebuilt(fate);
        restack.finish(|stack| new[stack.index()])
    }

    fn rebuilt(
        &self,
        mut fate: impl FnMut(StackId, Option<StackId>) -> Fate,
    ) -> (Restack<'p>, Vec<Option<StackId>>) {
        let stacks = self.profile.stacks();
        let mut restack = Restack::new(self.profile);
        let mut new: Vec<Option<StackId>> = Vec::with_capacity(stacks.len());
        for stack in stacks.ids() {
            let caller = stacks.prefix(stack).and_then(|prefix| new[prefix.index()]);
            new.push(match fate(stack, caller) {
                Fate::Stack(caller, frame) => Some(restack.push(caller, frame, stack)),
                Fate::Other(other) => other,
            });
        }
        (restack, new)
    }

    /// Removes the frames for which `removed` holds. Their callers get their cost.
    pub(crate) fn merge(&self, removed: impl Fn(StackId) -> bool) -> Profile {
        self.rebuild(|stack, caller| {
            if removed(stack) {
                Fate::Other(caller)
            } else {
                Fate::Stack(caller, self.frame(stack))
            }
        })
    }

    /// Keeps the stacks for which `kept` returns `true`, and removes their other callers.
    fn keep(&self, kept: impl Fn(StackId) -> bool) -> Profile {
        self.rebuild(|stack, caller| {
            if kept(stack) { Fate::Stack(caller, self.frame(stack)) } else { Fate::Other(None) }
        })
    }

    /// Computes a value for each stack from the stack and the value of its caller.
    pub(crate) fn states<T: Copy>(&self, state: impl Fn(StackId, Option<T>) -> T) -> Vec<T> {
        let stacks = self.profile.stacks();
        let mut states: Vec<T> = Vec::with_capacity(stacks.len());
        for stack in stacks.ids() {
            let caller = stacks.prefix(stack).map(|prefix| states[prefix.index()]);
            states.push(state(stack, caller));
        }
        states
    }

    /// Whether each stack contains a function.
    fn within(&self, function: FunctionId) -> Vec<bool> {
        self.states(|stack, caller| caller == Some(true) || self.function(stack) == function)
    }

    /// The number of leading functions of a path that each stack matches from its root: one more
    /// than the length of the path below its last function, `None` off the path.
    fn matched(&self, path: &[FunctionId]) -> Vec<Option<usize>> {
        self.states(|stack, caller| {
            let reached: usize = caller.unwrap_or(Some(0))?;
            let last = reached.checked_sub(1).and_then(|last| path.get(last));
            if last == Some(&self.function(stack)) && self.continues(stack) {
                return Some(reached);
            }
            match path.get(reached) {
                None => Some(path.len() + 1),
                Some(&next) if self.function(stack) == next => Some(reached + 1),
                Some(_) => (!self.passes(stack)).then_some(reached),
            }
        })
    }

    /// Keeps the samples that end with a path, which begins with the leaf. The path's last function
    /// becomes their leaf.
    fn ending_with(&self, path: &[FunctionId]) -> Profile {
        let stacks = self.profile.stacks();
        // The nearest stack upwards, itself included, that is not a hidden frame off the path.
        // There may be many hidden frames, so compute this once for all leaves.
        let nearest: Vec<Option<StackId>> = self.states(|stack, caller| {
            let is_relevant = self.passes(stack) || path.contains(&self.function(stack));
            if is_relevant { Some(stack) } else { caller.flatten() }
        });
        let new_leaf = |leaf: StackId| {
            let (mut at, mut path) = (nearest[leaf.index()]?, path.iter().peekable());
            loop {
                if path.next_if(|&&next| next == self.function(at)).is_some() {
                    if path.peek().is_none() {
                        return Some(at);
                    }
                    while self.joins(at) {
                        at = stacks.prefix(at)?;
                    }
                } else if self.passes(at) {
                    return None;
                }
                at = nearest[stacks.prefix(at)?.index()]?;
            }
        };
        let (restack, new) = self.rebuilt(|stack, caller| Fate::Stack(caller, self.frame(stack)));
        restack.finish(|leaf| new_leaf(leaf).and_then(|stack| new[stack.index()]))
    }

    /// Keeps the samples with only hidden frames below the innermost occurrence of a function,
    /// which becomes their root.
    fn self_of(&self, function: FunctionId) -> Profile {
        self.rebuild(|stack, caller| match caller {
            _ if self.function(stack) == function => {
                Fate::Stack(caller.filter(|_| self.joins(stack)), self.frame(stack))
            }
            Some(_) if !self.passes(stack) => Fate::Stack(caller, self.frame(stack)),
            _ => Fate::Other(None),
        })
    }

    /// Collapses the recursion of a function to its innermost call, called from where the outermost
    /// was. A call in between for which `ends` holds ends the recursion.
    fn collapse_recursion(&self, function: FunctionId, ends: impl Fn(StackId) -> bool) -> Profile {
        let stacks = self.profile.stacks();
        // Within a recursion, the caller of the outermost occurrence.
        let mut outer: Vec<Option<Option<StackId>>> = Vec::with_capacity(stacks.len());
        self.rebuild(|stack, caller| {
            let is_function = self.function(stack) == function;
            let within = stacks
                .prefix(stack)
                .and_then(|prefix| outer[prefix.index()])
                .filter(|_| is_function || !ends(stack));
            outer.push(within.or(is_function.then_some(caller)));
            let is_call = is_function && !self.continues(stack);
            Fate::Stack(if is_call { within.unwrap_or(caller) } else { caller }, self.frame(stack))
        })
    }

    /// Removes what the outermost calls of a function call, which get its cost.
    fn collapse_subtree(&self, function: FunctionId) -> Profile {
        let cut = self.states(|stack, caller| match caller {
            Some(Some(false)) if self.joins(stack) => Some(false),
            Some(Some(_)) => Some(true),
            _ => (self.function(stack) == function).then_some(false),
        });
        self.merge(|stack| cut[stack.index()] == Some(true))
    }

    /// Replaces each run of frames of these libraries, including hidden frames in between, with
    /// `frame`.
    fn collapse_libs(&self, libs: &[LibId], frame: FrameId) -> Profile {
        let (stacks, frames, funcs) =
            (self.profile.stacks(), self.profile.frames(), &self.profile.symbols().funcs);
        let mut collapsed: Vec<bool> = Vec::with_capacity(stacks.len());
        self.rebuild(|stack, caller| {
            let lib = funcs.get(frames.get(self.frame(stack)).func).lib;
            let of_libs = lib.is_some_and(|lib| libs.contains(&lib));
            let is_below = stacks.prefix(stack).is_some_and(|prefix| collapsed[prefix.index()]);
            let continues = is_below && (of_libs || !self.passes(stack));
            collapsed.push(of_libs || continues);
            match (continues, of_libs) {
                (true, _) => Fate::Other(caller),
                (false, true) => Fate::Stack(caller, frame),
                (false, false) => Fate::Stack(caller, self.frame(stack)),
            }
        })
    }
}
