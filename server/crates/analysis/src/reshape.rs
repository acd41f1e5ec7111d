//! Applies the filters by labels, the time range, the choice of own code, transforms, the implementation
//! filter and the search to a recording, in this order. Everything that sums or writes a recording takes the result,
//! so that all surfaces agree.
//!
//! The rules are the Firefox Profiler's (`profile-logic/transforms`). Transforms apply in order and
//! see all frames, or those of own code if only that is chosen: a call node, or the self cost of a
//! function, is then what the user sees. The search sees the frames that the filter keeps. The cost of a
//! removed frame goes to the nearest remaining frame above it, at that frame's line. Of a collapsed recursion the
//! innermost call remains. A part of a function with a frame of its own, directly below the function,
//! is one function with it.
//! Samples without remaining frames are dropped, so percentages refer to the rest. There are two
//! differences: idle samples stay idle if the idle frame is removed, and a transform that names
//! something the recording does not have is ignored with a warning.
//!
//! Each transform is one pass over the stacks, callers first, since the new stack depends only on
//! the old one and the caller's new stack.

use crate::activations::Activations;
use crate::labels::{Labels, labelled, root_name};
use crate::named::{Addresses, find_named, find_path};
use crate::names::{Unmatched, find_category, find_libs};
use crate::problems::{Problems, no_stacks};
use crate::range::{Search, TimeRange, knows_times, last_ns};
use crate::rewrites::{Rewrite, Rewrites};
use crate::transform::{Implementation, Name, Operand, Transform, TransformKind as Kind};
use crate::view::View;
use profile::{
    Clock, Code, FrameId, FuncId, FunctionId, Groups, LabelSetId, LibId, MetricId, Profile,
    Recording, Restack, StackAccess, StackId, ThreadId, Warning, WarningCode,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The result of [`reshape`].
#[derive(Debug)]
pub struct Reshaped {
    /// The recording. Funcs, files and threads keep their ids.
    pub recording: Recording,
    /// The given groups, extended by the functions that stand for collapsed libraries.
    pub groups: Groups,
    /// Transforms and filters that could not be applied.
    pub problems: Problems,
    /// What the transforms and the filter do to paths.
    pub rewrites: Rewrites,
}

/// Applies the filters by labels and the range of `view`, keeps its own code, and applies its transforms, its implementation
/// filter and its search. `None` if it has none of them.
/// Functions are those of `groups`; `addresses` resolves the addresses among the keys of functions.
pub fn reshape(
    recording: &Recording,
    view: &View,
    groups: &Groups,
    addresses: &Addresses,
) -> Option<Reshaped> {
    let search = Search::of(&view.search);
    let chooses_samples = !view.labels.is_empty() || view.range.is_some() || !search.is_empty();
    let needs_stacks = chooses_samples || !view.transforms.is_empty() || view.own.is_some();
    if !needs_stacks && view.implementation == Implementation::All {
        return None;
    }
    let Recording::Stacks(profile) = recording else {
        return Some(unchanged_graph(recording, view, groups, needs_stacks));
    };
    let mut steps = Steps::new(profile, view, groups, addresses);
    steps.choose_labels();
    steps.choose_range();
    steps.keep_own_code();
    steps.transform_all();
    steps.filter_implementation();
    steps.search(&search);
    Some(steps.finish())
}

/// A call graph, which has nothing that the view could be applied to. Only the implementation filter
/// does not count as a choice that matches nothing.
fn unchanged_graph(
    recording: &Recording,
    view: &View,
    groups: &Groups,
    needs_stacks: bool,
) -> Reshaped {
    let mut problems = Problems::default();
    problems.note(no_stacks().warning("it is shown without them"));
    problems.unmatched.extend(needs_stacks.then(no_stacks));
    problems.ignored_transforms.extend(0..view.transforms.len());
    problems.ignored_labels.clone_from(&view.labels);
    Reshaped {
        recording: recording.clone(),
        groups: groups.clone(),
        problems,
        rewrites: Rewrites::default(),
    }
}

/// The profile after the steps so far.
struct Steps<'a> {
    profile: Profile,
    groups: Groups,
    view: &'a View,
    addresses: &'a Addresses,
    /// Whether the profile says which functions are JavaScript.
    knows_code: bool,
    problems: Problems,
    rewrites: Rewrites,
}

/// What happens if a step leaves no samples.
const NOTHING: &str = "nothing is shown";

impl<'a> Steps<'a> {
    fn new(profile: &Profile, view: &'a View, groups: &Groups, addresses: &'a Addresses) -> Self {
        let knows_code = profile.symbols().funcs.knows_code();
        let mut problems = Problems::default();
        if view.implementation != Implementation::All && !knows_code {
            let message =
                "this profile does not record which functions are JavaScript; all of them are shown"
                    .to_owned();
            let code = WarningCode::UnknownImplementation;
            problems.note(Warning { code, message, count: 1 });
        }
        Self {
            profile: profile.clone(),
            groups: groups.clone(),
            view,
            addresses,
            knows_code,
            problems,
            rewrites: Rewrites::of(&view.transforms),
        }
    }

    fn choose_labels(&mut self) {
        for filter in &self.view.labels {
            match labelled(&self.profile, filter) {
                Ok(part) => {
                    if is_emptied(&self.profile, &part, self.view) {
                        let all = self.view.labels.join("`, `");
                        let problem = format!("no sample has labels that fit `{all}`");
                        self.problems.unmatched(none_left(problem), NOTHING);
                    }
                    self.profile = part;
                }
                Err(error) => {
                    self.problems.unmatched(error, "the filter is ignored");
                    self.problems.ignored_labels.push(filter.clone());
                }
            }
        }
    }

    fn choose_range(&mut self) {
        let Some(range) = self.view.range else { return };
        match in_range(&self.profile, range, self.view.metric) {
            Ok(part) => {
                if is_emptied(&self.profile, &part, self.view) {
                    self.problems.unmatched(no_samples_in(range, &self.profile), NOTHING);
                }
                self.profile = part;
            }
            Err(error) => self.problems.unmatched(error, "the range is ignored"),
        }
    }

    fn transform_all(&mut self) {
        for (at, transform) in self.view.transforms.iter().enumerate() {
            match self.transform(transform) {
                Ok(rewrite) => self.rewrites.transforms.push(Some(rewrite)),
                Err(error) => {
                    self.rewrites.transforms.push(None);
                    self.problems.unmatched(error, &format!("`{transform}` is ignored"));
                    self.problems.ignored_transforms.push(at);
                }
            }
        }
    }

    fn transform(&mut self, transform: &Transform) -> Result<Rewrite, Unmatched> {
        let implementation =
            self.known(transform.implementation.unwrap_or(self.view.implementation));
        let (changed, rewrite) = transformed(
            &self.profile,
            &mut self.groups,
            self.addresses,
            transform,
            implementation,
        )?;
        if is_emptied(&self.profile, &changed, self.view) {
            let none = none_left(format!("no stack is left by `{transform}`"));
            // A function that is dropped was found, and nothing else was asked for.
            if transform.kind.is_focus() {
                self.problems.unmatched(none, NOTHING);
            } else {
                self.problems.note(none.warning(NOTHING));
            }
        }
        self.profile = changed;
        Ok(rewrite)
    }

    fn filter_implementation(&mut self) {
        let implementation = self.known(self.view.implementation);
        if implementation == Implementation::All {
            return;
        }
        let stacks = Stacks::new(&self.profile, &self.groups, implementation);
        let kept = |stack| stacks.passes(stack);
        self.rewrites.filter = Some(Rewrite::Kept(stacks.functions(kept)));
        self.profile = stacks.merge(|stack| !kept(stack));
    }

    fn search(&mut self, search: &Search) {
        if search.is_empty() {
            return;
        }
        let found = searched(&self.profile, &self.groups, search);
        if is_emptied(&self.profile, &found, self.view) {
            let problem = format!("no stack has functions that match `{}`", self.view.search);
            self.problems.unmatched(none_left(problem), NOTHING);
        }
        self.profile = found;
    }

    fn keep_own_code(&mut self) {
        let Some(own) = &self.view.own else { return };
        let stacks = Stacks::new(&self.profile, &self.groups, Implementation::All);
        self.rewrites.own = Some(Rewrite::Kept(FxHashSet::clone(own)));
        let kept = stacks.merge(|stack| !own.contains(&stacks.function(stack)));
        if is_emptied(&self.profile, &kept, self.view) {
            self.problems.unmatched(none_left("no stack has own code".to_owned()), NOTHING);
        }
        self.profile = kept;
    }

    fn finish(self) -> Reshaped {
        let Self { profile, groups, problems, rewrites, .. } = self;
        Reshaped { recording: Recording::Stacks(profile), groups, problems, rewrites }
    }

    /// `wanted`, or all functions if the profile does not tell them apart.
    fn known(&self, wanted: Implementation) -> Implementation {
        if self.knows_code { wanted } else { Implementation::All }
    }
}

/// Checks that a recording has everything that a transform names.
pub fn find_names(
    recording: &Recording,
    groups: &Groups,
    addresses: &Addresses,
    transform: &Transform,
) -> Result<(), Unmatched> {
    let profile = recording.sampled().ok_or_else(no_stacks)?;
    transform.names.iter().try_for_each(|name| match transform.kind.operand() {
        Operand::Function | Operand::Path => {
            find_named(profile.symbols(), groups, addresses, name).map(drop)
        }
        Operand::Category => find_category(profile, name.text()).map(drop),
        Operand::Label => Labels::of(profile).find_key(name.text()).map(drop),
        Operand::Resource => find_libs(profile.symbols(), name.text()).map(drop),
    })
}

/// Checks that a recording has samples in a time range.
pub fn check_range(recording: &Recording, range: TimeRange) -> Result<(), Unmatched> {
    let profile = recording.sampled().ok_or_else(no_stacks)?;
    let part = in_range(profile, range, profile.default_metric())?;
    let is_outside = is_emptied(profile, &part, &View::of(recording));
    if is_outside { Err(no_samples_in(range, profile)) } else { Ok(()) }
}

/// The samples in a time range. Fails if the times of samples with a weight in `metric` are
/// unknown.
fn in_range(profile: &Profile, range: TimeRange, metric: MetricId) -> Result<Profile, Unmatched> {
    let clock = known_times(profile, metric, "no time range can be chosen")?;
    Ok(profile.with_samples(profile.default_metric(), |_, samples| {
        Some(samples.within(range.start_ns, range.end_ns, clock))
    }))
}

/// The clock of the times of samples with a weight in `metric`. Fails if they are unknown; `effect`
/// says what cannot be done then.
pub(crate) fn known_times(
    profile: &Profile,
    metric: MetricId,
    effect: &str,
) -> Result<Clock, Unmatched> {
    let problem = match profile.clock() {
        Some(clock) if knows_times(profile, metric) => return Ok(clock),
        Some(_) => {
            let name = profile.metrics().get(metric.index()).map_or("", |metric| &metric.name);
            format!("{effect}: this profile does not record the times of `{name}`")
        }
        None => format!("{effect}: the times of the samples of this profile are unknown"),
    };
    Err(Unmatched::new(WarningCode::NoTimes, problem))
}

/// Whether the times of the samples of the default metric are known.
pub fn has_times(profile: &Profile) -> bool {
    known_times(profile, profile.default_metric(), "").is_ok()
}

fn no_samples_in(range: TimeRange, profile: &Profile) -> Unmatched {
    let last_ms = last_ns(profile).unwrap_or_default() as f64 / 1e6;
    none_left(format!("no sample is in {range}: the last one was taken at {last_ms} ms"))
}

fn none_left(problem: String) -> Unmatched {
    Unmatched::new(WarningCode::NoSamplesInView, problem)
}

/// The samples that match a search. Those without a stack stay.
fn searched(profile: &Profile, groups: &Groups, search: &Search) -> Profile {
    let mut found = profile.clone();
    let stacks = Stacks::new(profile, groups, Implementation::All);
    for matches in search.funcs(profile, groups) {
        let within = stacks.states(|stack, caller| {
            let func = profile.frames().get(stacks.frame(stack)).func;
            caller == Some(true) || matches.get(func.index()) == Some(&true)
        });
        let is_kept = |stack: StackId| within.get(stack.index()).copied().unwrap_or_default();
        found = found.with_samples(found.default_metric(), |_, samples| {
            Some(samples.with_stacks(|stack| stack.is_none_or(is_kept).then_some(stack)))
        });
    }
    found
}

/// Whether the threads shown had samples with stacks before a step, and have none after it.
fn is_emptied(before: &Profile, after: &Profile, view: &View) -> bool {
    is_empty(after, view) && !is_empty(before, view)
}

/// Whether the threads shown have no sample with a stack.
fn is_empty(profile: &Profile, view: &View) -> bool {
    let mut threads = profile.samples().iter().enumerate();
    !threads.any(|(thread, samples)| {
        view.includes(thread) && samples.stacks().any(|stack| stack.is_some())
    })
}

/// Applies one transform. Also returns what it does to paths.
fn transformed(
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
    let mut split: FxHashMap<(usize, Option<StackId>), StackId> = FxHashMap::default();
    let new = Restack::new(&extended).finish_by_labels(|restack, thread, leaf, set| {
        let root = root_of.get(&(thread, set)).copied().unwrap_or_default();
        let mut missing = vec![leaf];
        let known = loop {
            let caller = missing.last().and_then(|&stack| stacks.prefix(stack));
            let last = missing.last().copied();
            match (last.and_then(|last| split.get(&(root, Some(last)))), caller) {
                (Some(&known), _) => {
                    missing.pop();
                    break Some(known);
                }
                (None, Some(caller)) => missing.push(caller),
                (None, None) => break None,
            }
        };
        let mut at = known.unwrap_or_else(|| {
            let frame = roots.get(root).copied().unwrap_or_else(|| stacks.frame(leaf));
            *split.entry((root, None)).or_insert_with(|| restack.push(None, frame, leaf))
        });
        while let Some(stack) = missing.pop() {
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
struct Stacks<'p> {
    profile: &'p Profile,
    /// The function of each frame.
    function: Vec<FunctionId>,
    /// Whether the implementation filter lets each frame through.
    passes: Vec<bool>,
    /// By stack: whether its leaf is a part of a call further up.
    activations: Activations,
}

impl<'p> Stacks<'p> {
    fn new(profile: &'p Profile, groups: &Groups, implementation: Implementation) -> Self {
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

    fn frame(&self, stack: StackId) -> FrameId {
        self.profile.stacks().frame(stack)
    }

    fn function(&self, stack: StackId) -> FunctionId {
        self.function[self.frame(stack).index()]
    }

    fn passes(&self, stack: StackId) -> bool {
        self.passes[self.frame(stack).index()]
    }

    /// The functions of the leaves of the stacks for which `kept` holds.
    fn functions(&self, kept: impl Fn(StackId) -> bool) -> FxHashSet<FunctionId> {
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
    fn merge(&self, removed: impl Fn(StackId) -> bool) -> Profile {
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
