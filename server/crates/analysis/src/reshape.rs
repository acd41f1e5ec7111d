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

use crate::transform::{Implementation, Operand, Transform, TransformKind as Kind};
use crate::view::View;
use profile::{
    CategoryId, Code, FrameId, FunctionId, Groups, LibId, Profile, Recording, Restack, StackId, SymbolTables, Warning,
};
use std::collections::BTreeSet;

/// How many candidates a warning lists.
const MAX_CANDIDATES: usize = 4;

/// What transforms and the filter of a view leave of a recording.
#[derive(Debug)]
pub struct Reshaped {
    /// The recording. Funcs, files and threads have the ids they had.
    pub recording: Recording,
    /// What is one function in it: those that stand for libraries were added.
    pub groups: Groups,
    /// What could not be done.
    pub warnings: Vec<Warning>,
}

/// Applies the transforms of `view` and then its implementation filter, where there are any. Functions are those of `groups`.
pub fn reshape(recording: &Recording, view: &View, groups: &Groups) -> Option<Reshaped> {
    if view.transforms.is_empty() && view.implementation == Implementation::All {
        return None;
    }
    let mut warnings = Vec::new();
    let mut groups = groups.clone();
    let Recording::Stacks(profile) = recording else {
        warnings.push(no_stacks());
        return Some(Reshaped { recording: recording.clone(), groups, warnings });
    };
    let knows_code = profile.symbols().funcs.knows_code();
    if view.implementation != Implementation::All && !knows_code {
        let message = "this profile does not say which functions are JavaScript; all of them are shown".to_owned();
        warnings.push(warning("unknown-implementation", message));
    }
    let filter = |implementation| if knows_code { implementation } else { Implementation::All };

    let mut profile = profile.clone();
    for transform in &view.transforms {
        let implementation = filter(transform.implementation.unwrap_or(view.implementation));
        match transformed(&profile, &mut groups, transform, implementation) {
            Ok(changed) => profile = changed,
            Err(Warning { code, message, .. }) => {
                warnings.push(warning(code, format!("{message}; `{transform}` changes nothing")));
            }
        }
    }
    if filter(view.implementation) != Implementation::All {
        let stacks = Stacks::new(&profile, &groups, view.implementation);
        profile = stacks.merge(|stack| !stacks.passes(stack));
    }
    Some(Reshaped { recording: Recording::Stacks(profile), groups, warnings })
}

/// Whether a recording has what a transform names; if not, the warning that [`reshape`] has for it.
pub fn find_names(recording: &Recording, groups: &Groups, transform: &Transform) -> Result<(), Warning> {
    let profile = recording.sampled().ok_or_else(no_stacks)?;
    transform.names.iter().try_for_each(|name| match transform.kind.operand() {
        Operand::Function | Operand::Path => find_function(profile.symbols(), groups, name).map(drop),
        Operand::Category => find_category(profile, name).map(drop),
        Operand::Resource => find_libs(profile.symbols(), name).map(drop),
    })
}

fn no_stacks() -> Warning {
    warning("no-stacks", "this recording has sums without stacks; it is shown without transforms and filters".to_owned())
}

/// What one transform leaves of a profile, or why it does not apply.
fn transformed(
    profile: &Profile,
    groups: &mut Groups,
    transform: &Transform,
    implementation: Implementation,
) -> Result<Profile, Warning> {
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
            let with_func = profile.with_func(name, libs.first().copied());
            let (profile, frame) = with_func.ok_or_else(|| unknown_library(name))?;
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

/// The function that `text` names: by its name, or by `place::name` where the place is its file, the file and the line that it
/// starts at (`app.rs:12`), or its library. Of a path, the last folders are enough.
fn find_function(symbols: &SymbolTables, groups: &Groups, text: &str) -> Result<FunctionId, Warning> {
    let functions = |is: &dyn Fn(profile::FuncId) -> bool| -> BTreeSet<FunctionId> {
        symbols.funcs.ids().filter(|&func| is(func)).map(|func| groups.function(func)).collect()
    };
    let mut found = functions(&|func| symbols.func_name(func) == text);
    if found.is_empty() {
        let parts: Vec<_> = text.match_indices("::").map(|(at, sign)| (&text[..at], &text[at + sign.len()..])).collect();
        found = functions(&|func| {
            parts.iter().any(|&(place, name)| symbols.func_name(func) == name && lies_in(symbols, func, place))
        });
    }
    if let (Some(&function), 1) = (found.first(), found.len()) {
        return Ok(function);
    }
    match found.len() {
        0 => Err(warning("unknown-function", format!("no function is called `{text}`"))),
        n => {
            let places: Vec<_> = found.iter().take(MAX_CANDIDATES).map(|&function| place(symbols, groups, function)).collect();
            let more = if n > places.len() { ", …" } else { "" };
            Err(warning("ambiguous-function", format!("{n} functions are called `{text}` ({}{more})", places.join(", "))))
        }
    }
}

/// The category called `name`.
fn find_category(profile: &Profile, name: &str) -> Result<CategoryId, Warning> {
    let category = profile.stacks().find_category(name);
    category.ok_or_else(|| warning("unknown-category", format!("no stack is of the category `{name}`")))
}

/// The libraries called `name`; at least one.
fn find_libs(symbols: &SymbolTables, name: &str) -> Result<Vec<LibId>, Warning> {
    let libs = (0..).map(LibId::new).zip(&symbols.libs).filter(|(_, lib)| lib.name == name);
    let libs: Vec<_> = libs.map(|(id, _)| id).collect();
    if libs.is_empty() { Err(unknown_library(name)) } else { Ok(libs) }
}

fn unknown_library(name: &str) -> Warning {
    warning("unknown-library", format!("no library is called `{name}`"))
}

/// Whether a func lies in the file, at the line of the file or in the library that `place` names.
fn lies_in(symbols: &SymbolTables, func: profile::FuncId, place: &str) -> bool {
    let func = symbols.funcs.get(func);
    let ends_with = |path: &str, place: &str| {
        path.strip_suffix(place).is_some_and(|front| !place.is_empty() && (front.is_empty() || front.ends_with(['/', '\\'])))
    };
    let file = func.source.map_or("", |source| symbols.source_name(source));
    let start = place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    ends_with(file, place)
        || start.is_some_and(|(place, line)| func.line == line && ends_with(file, place))
        || func.lib.is_some_and(|lib| symbols.libs[lib.index()].name == place)
}

/// How a function can be told from others of its name.
fn place(symbols: &SymbolTables, groups: &Groups, function: FunctionId) -> String {
    let func = symbols.funcs.get(groups.first_func(function));
    let name = symbols.strings.get(func.name);
    match (func.source.map(|source| symbols.source_name(source)), func.lib) {
        (Some(file), _) if func.line != 0 => format!("{file}:{}::{name}", func.line),
        (Some(file), _) => format!("{file}::{name}"),
        (None, Some(lib)) => format!("{}::{name}", symbols.libs[lib.index()].name),
        (None, None) => name.to_owned(),
    }
}

fn warning(code: &'static str, message: String) -> Warning {
    Warning { code, message, count: 1 }
}
