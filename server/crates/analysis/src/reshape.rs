//! Recordings as transforms and the implementation filter leave them. Whatever sums or writes takes what comes out, so all see
//! the same.
//!
//! The rules are the Firefox Profiler's (`profile-logic/transforms`): transforms see all frames, in their order, and the filter
//! comes last. A frame that goes leaves its cost to the nearest frame above it that stays, at that frame's line; of a recursion
//! that collapses the innermost frame stays. Samples of which nothing is left are left out, so percentages are of what remains.
//! Unlike there, idle samples stay idle when the frame goes at which they were noticed, and a transform that names what the
//! recording does not have changes nothing, with a warning.
//!
//! Each transform is a pass over the stacks, callers first: what became of its caller is all that a stack needs to know.

use crate::names::{Unmatched, find_category, find_function, find_libs};
use crate::transform::{Implementation, Operand, Transform, TransformKind as Kind};
use crate::view::View;
use profile::{Code, FrameId, FunctionId, Groups, LibId, Profile, Recording, Restack, StackId, Warning};

/// What transforms and the filter of a view leave of a recording.
#[derive(Debug)]
pub struct Reshaped {
    /// The recording. Funcs, files and threads have the ids they had.
    pub recording: Recording,
    /// What is one function in it: those that stand for libraries were added.
    pub groups: Groups,
    /// What could not be done.
    pub warnings: Vec<Warning>,
    /// The names among them that the recording has nothing for.
    pub unmatched: Vec<Unmatched>,
}

/// Applies the transforms of `view` and then its implementation filter, where there are any. Functions are those of `groups`.
pub fn reshape(recording: &Recording, view: &View, groups: &Groups) -> Option<Reshaped> {
    if view.transforms.is_empty() && view.implementation == Implementation::All {
        return None;
    }
    let (mut warnings, mut unmatched) = (Vec::new(), Vec::new());
    let mut groups = groups.clone();
    let Recording::Stacks(profile) = recording else {
        warnings.push(no_stacks().warning("it is shown without them"));
        unmatched.extend((!view.transforms.is_empty()).then(no_stacks));
        return Some(Reshaped { recording: recording.clone(), groups, warnings, unmatched });
    };
    let knows_code = profile.symbols().funcs.knows_code();
    if view.implementation != Implementation::All && !knows_code {
        let message = "this profile does not say which functions are JavaScript; all of them are shown".to_owned();
        warnings.push(Warning { code: "unknown-implementation", message, count: 1 });
    }
    let filter = |implementation| if knows_code { implementation } else { Implementation::All };

    let mut profile = profile.clone();
    for transform in &view.transforms {
        let implementation = filter(transform.implementation.unwrap_or(view.implementation));
        match transformed(&profile, &mut groups, transform, implementation) {
            Ok(changed) => profile = changed,
            Err(nothing) => {
                warnings.push(nothing.warning(&format!("`{transform}` changes nothing")));
                unmatched.push(nothing);
            }
        }
    }
    if filter(view.implementation) != Implementation::All {
        let stacks = Stacks::new(&profile, &groups, view.implementation);
        profile = stacks.merge(|stack| !stacks.passes(stack));
    }
    Some(Reshaped { recording: Recording::Stacks(profile), groups, warnings, unmatched })
}

/// Whether a recording has what a transform names.
pub fn find_names(recording: &Recording, groups: &Groups, transform: &Transform) -> Result<(), Unmatched> {
    let profile = recording.sampled().ok_or_else(no_stacks)?;
    transform.names.iter().try_for_each(|name| match transform.kind.operand() {
        Operand::Function | Operand::Path => find_function(profile.symbols(), groups, name).map(drop),
        Operand::Category => find_category(profile, name).map(drop),
        Operand::Resource => find_libs(profile.symbols(), name).map(drop),
    })
}

fn no_stacks() -> Unmatched {
    Unmatched::new("no-stacks", "this recording has sums without stacks, which no transform or filter can change".to_owned())
}

/// What one transform leaves of a profile, or why it does not apply.
fn transformed(
    profile: &Profile,
    groups: &mut Groups,
    transform: &Transform,
    implementation: Implementation,
) -> Result<Profile, Unmatched> {
    let name = transform.names.first().map_or("", String::as_str);
    let stacks = Stacks::new(profile, groups, implementation);
    let function = || find_function(profile.symbols(), groups, name);
    // How far each stack has come along the path, and how far it must come.
    let along = || {
        let path: Vec<_> =
            transform.names.iter().map(|name| find_function(profile.symbols(), groups, name)).collect::<Result<_, _>>()?;
        Ok((stacks.along(&path), path.len()))
    };
    Ok(match transform.kind {
        Kind::MergeFunction => {
            let function = function()?;
            stacks.merge(|stack| stacks.function(stack) == function)
        }
        Kind::MergeNode => {
            let (reached, end) = along()?;
            stacks.merge(|stack| reached[stack.index()] == Some(end))
        }
        Kind::MergeSubtree => {
            let (reached, end) = along()?;
            stacks.merge(|stack| reached[stack.index()] >= Some(end))
        }
        Kind::DropFunction => {
            let within = stacks.within(function()?);
            stacks.keep(|stack| !within[stack.index()])
        }
        Kind::DropNode => {
            let (reached, end) = along()?;
            stacks.keep(|stack| reached[stack.index()] < Some(end))
        }
        Kind::FocusFunction => {
            let within = stacks.within(function()?);
            stacks.keep(|stack| within[stack.index()])
        }
        Kind::FocusSubtree => {
            let (reached, end) = along()?;
            stacks.keep(|stack| reached[stack.index()] >= Some(end))
        }
        Kind::FocusSubtreeInverted => {
            let path = transform.names.iter().map(|name| find_function(profile.symbols(), groups, name));
            stacks.ending_with(&path.collect::<Result<Vec<_>, _>>()?)
        }
        Kind::FocusSelf => stacks.self_of(function()?),
        Kind::FocusCategory => {
            let category = find_category(profile, name)?;
            stacks.merge(|stack| profile.stacks().category(stack) != category)
        }
        Kind::CollapseResource => {
            let libs = find_libs(profile.symbols(), name)?;
            let called = libs.first().map_or(name, |lib| profile.symbols().libs[lib.index()].name.as_str());
            let Some((profile, frame)) = profile.with_func(called, libs.first().copied()) else {
                return Err(Unmatched::new("too-many-functions", format!("there is no room for a function called `{called}`")));
            };
            *groups = groups.extended(profile.symbols());
            Stacks::new(&profile, groups, implementation).collapse_libs(&libs, frame)
        }
        Kind::CollapseRecursion => stacks.collapse_recursion(function()?, |_| false),
        Kind::CollapseDirectRecursion => stacks.collapse_recursion(function()?, |stack| stacks.passes(stack)),
        Kind::CollapseFunctionSubtree => {
            let within = stacks.within(function()?);
            stacks.merge(|stack| profile.stacks().prefix(stack).is_some_and(|prefix| within[prefix.index()]))
        }
    })
}

/// What becomes of a stack.
enum Fate {
    /// A stack with this frame, called from this new one.
    Stack(Option<StackId>, FrameId),
    /// This new one, or nothing.
    Other(Option<StackId>),
}

/// The stacks of a profile, and what their frames mean.
struct Stacks<'p> {
    profile: &'p Profile,
    /// The function of each frame.
    function: Vec<FunctionId>,
    /// Whether the implementation filter lets each frame through.
    passes: Vec<bool>,
}

impl<'p> Stacks<'p> {
    fn new(profile: &'p Profile, groups: &Groups, implementation: Implementation) -> Self {
        let symbols = profile.symbols();
        let passes = |frame: profile::Frame| match (implementation, symbols.funcs.code(frame.func)) {
            (Implementation::All, _) | (Implementation::Js, Code::JavaScript | Code::Label) => true,
            (Implementation::Js, Code::Native) | (Implementation::Native, Code::JavaScript) => false,
            // An address in no library is code that was made while it ran.
            (Implementation::Native, Code::Label | Code::Native) => {
                symbols.funcs.get(frame.func).lib.is_some() || !symbols.func_name(frame.func).starts_with("0x")
            }
        };
        Self {
            profile,
            function: profile.frames().iter().map(|frame| groups.function(frame.func)).collect(),
            passes: profile.frames().iter().map(passes).collect(),
        }
    }

    fn frame(&self, stack: StackId) -> FrameId {
        self.profile.stacks().frame(stack)
    }

    fn function(&self, stack: StackId) -> FunctionId {
        self.function[self.frame(stack).index()]
    }

    fn passes(&self, stack: StackId) -> bool {
        self.passes[self.frame(stack).index()]
    }

    /// The profile with other stacks. `fate` is asked for each stack, callers first, and told what became of its caller.
    fn rebuild(&self, fate: impl FnMut(StackId, Option<StackId>) -> Fate) -> Profile {
        let (restack, new) = self.rebuilt(fate);
        restack.finish(|stack| new[stack.index()])
    }

    fn rebuilt(&self, mut fate: impl FnMut(StackId, Option<StackId>) -> Fate) -> (Restack<'p>, Vec<Option<StackId>>) {
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

    /// Without the frames for which `goes` holds: their cost is that of what called them.
    fn merge(&self, goes: impl Fn(StackId) -> bool) -> Profile {
        self.rebuild(|stack, caller| if goes(stack) { Fate::Other(caller) } else { Fate::Stack(caller, self.frame(stack)) })
    }

    /// The stacks for which `stays` holds, without callers for which it does not.
    fn keep(&self, stays: impl Fn(StackId) -> bool) -> Profile {
        self.rebuild(|stack, caller| if stays(stack) { Fate::Stack(caller, self.frame(stack)) } else { Fate::Other(None) })
    }

    /// What `state` makes of each stack and of what it made of its caller.
    fn states<T: Copy>(&self, state: impl Fn(StackId, Option<T>) -> T) -> Vec<T> {
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

    /// How many functions of a path each stack begins with, one more than all below its last; `None` off the path.
    fn along(&self, path: &[FunctionId]) -> Vec<Option<usize>> {
        self.states(|stack, caller| {
            let reached = caller.unwrap_or(Some(0))?;
            match path.get(reached) {
                None => Some(path.len() + 1),
                Some(&next) if self.function(stack) == next => Some(reached + 1),
                Some(_) => (!self.passes(stack)).then_some(reached),
            }
        })
    }

    /// The samples that end with a path, leaf first, up to its last function, which becomes their leaf.
    fn ending_with(&self, path: &[FunctionId]) -> Profile {
        let stacks = self.profile.stacks();
        // The stack itself or the nearest above it that is no mere bystander: there may be any number of those.
        let nearest: Vec<Option<StackId>> = self.states(|stack, caller| {
            let matters = self.passes(stack) || path.contains(&self.function(stack));
            if matters { Some(stack) } else { caller.flatten() }
        });
        let found = |leaf: StackId| {
            let (mut at, mut path) = (nearest[leaf.index()]?, path.iter().peekable());
            loop {
                if path.next_if(|&&next| next == self.function(at)).is_some() {
                    if path.peek().is_none() {
                        return Some(at);
                    }
                } else if self.passes(at) {
                    return None;
                }
                at = nearest[stacks.prefix(at)?.index()]?;
            }
        };
        let (restack, new) = self.rebuilt(|stack, caller| Fate::Stack(caller, self.frame(stack)));
        restack.finish(|leaf| found(leaf).and_then(|stack| new[stack.index()]))
    }

    /// The samples with nothing but hidden frames below the innermost occurrence of a function, which becomes their root.
    fn self_of(&self, function: FunctionId) -> Profile {
        self.rebuild(|stack, caller| match caller {
            _ if self.function(stack) == function => Fate::Stack(None, self.frame(stack)),
            Some(_) if !self.passes(stack) => Fate::Stack(caller, self.frame(stack)),
            _ => Fate::Other(None),
        })
    }

    /// One call of a function where it recurs: the innermost, called from where the outermost was. What `ends` holds for and is
    /// called in between ends the recursion.
    fn collapse_recursion(&self, function: FunctionId, ends: impl Fn(StackId) -> bool) -> Profile {
        let stacks = self.profile.stacks();
        // Within a recursion, what called the outermost occurrence.
        let mut outer: Vec<Option<Option<StackId>>> = Vec::with_capacity(stacks.len());
        self.rebuild(|stack, caller| {
            let is_function = self.function(stack) == function;
            let within = stacks.prefix(stack).and_then(|prefix| outer[prefix.index()]);
            let within = within.filter(|_| is_function || !ends(stack));
            outer.push(within.or(is_function.then_some(caller)));
            Fate::Stack(if is_function { within.unwrap_or(caller) } else { caller }, self.frame(stack))
        })
    }

    /// `frame` instead of each run of frames of these libraries, hidden frames between them included.
    fn collapse_libs(&self, libs: &[LibId], frame: FrameId) -> Profile {
        let (stacks, frames, funcs) = (self.profile.stacks(), self.profile.frames(), &self.profile.symbols().funcs);
        let mut collapsed: Vec<bool> = Vec::with_capacity(stacks.len());
        self.rebuild(|stack, caller| {
            let lib = funcs.get(frames.get(self.frame(stack)).func).lib;
            let of_libs = lib.is_some_and(|lib| libs.contains(&lib));
            let below = stacks.prefix(stack).is_some_and(|prefix| collapsed[prefix.index()]);
            let goes_on = below && (of_libs || !self.passes(stack));
            collapsed.push(of_libs || goes_on);
            match (goes_on, of_libs) {
                (true, _) => Fate::Other(caller),
                (false, true) => Fate::Stack(caller, frame),
                (false, false) => Fate::Stack(caller, self.frame(stack)),
            }
        })
    }
}
