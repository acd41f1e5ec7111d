//! Applies the filters by labels, the time range, the choice of own code, transforms, the implementation
//! filter and the search to a recording, in this order. Everything that sums or writes a recording takes
//! the result, so that all surfaces agree.
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

use crate::labels::{Labels, labelled};
use crate::named::{Addresses, find_named};
use crate::names::{Unmatched, find_category, find_libs};
use crate::problems::{Problems, no_stacks};
use crate::range::{Search, TimeRange, knows_times, last_ns};
use crate::rewrites::{Rewrite, Rewrites};
use crate::transform::{Implementation, Operand, Transform};
use crate::transformed::{Stacks, transformed};
use crate::view::View;
use profile::{
    Clock, Groups, MetricId, Profile, Recording, StackAccess, StackId, Warning, WarningCode,
};
use rustc_hash::FxHashSet;

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

/// Applies the filters by labels and the range of `view`, keeps its own code, and applies its
/// transforms, its implementation filter and its search. `None` if it has none of them. Functions are those of `groups`; `addresses` resolves the addresses among the keys of functions.
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
