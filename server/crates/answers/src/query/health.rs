//! What is wrong with what is shown, and how to fix it.

use super::action::{Action, ActionCommand};
use crate::advice::{Advice, advice};
use crate::compare::baseline::Baseline;
use crate::compare::overlay::view_problem;
use crate::present::labels::totals;
use crate::query::path_rules;
use crate::ranking::order::hottest_line_of_files;
use crate::session::marks::Marks;
use crate::view::given::Given;
use crate::view::options::Choices;
use crate::world::World;
use analysis::{FileId, Implementation, Warning, WarningCode};
use loading::text::{one_line, times};
use loading::units::percent;
use loading::{Candidate, Combine, PathMapping, Snapshot};
use schemars::JsonSchema;
use serde::Serialize;
use sources::{Mapping, Reason, SourceIndex};
use std::collections::BTreeMap;
use std::path::Path;

/// With fewer samples, a profile has too few.
const FEW_SAMPLES: f64 = 10.0;

/// With a larger share of self cost in functions without names, the profile has too few names.
const NAMELESS_SHARE: f64 = 0.1;

analysis::codes! {
    /// The kind of a [`HealthEntry`] that is no warning about the profile. Names and meanings are
    /// stable; kinds are added, never renamed.
    pub enum HealthCode {
        /// The setting `profile` names no file, or one of several selected profiles was deleted.
        ProfileMissing = "profile-missing",
        /// A setting names a file or folder that does not exist, or no profile has a name that the
        /// setting `profiles` allows.
        SettingWithoutEffect = "setting-without-effect",
        /// A setting is ignored: there is none with this name, or its value is wrong.
        SettingIgnored = "setting-ignored",
        /// A profile cannot be read.
        ProfileUnreadable = "profile-unreadable",
        /// The profile that is shown was deleted. Its costs stay.
        ProfileDeleted = "profile-deleted",
        /// The operating system does not report changes of files, or there are too many folders to
        /// watch, so changes are noticed late.
        Polling = "polling",
        /// No function has a cost: the profile is empty, or its samples are idle or have no stacks.
        NoSamples = "no-samples",
        /// The profile has fewer than ten samples.
        FewSamples = "few-samples",
        /// Your functions have no cost of their own, because JavaScript ends in native functions.
        NativeLeaves = "native-leaves",
        /// No cost is on a line.
        NoLines = "no-lines",
        /// More than a tenth of the cost is in functions without names.
        NoNames = "no-names",
        /// None of the files of the profile was found, or the setting `exclude` hides them.
        NoSources = "no-sources",
        /// The baseline cannot be read, has another metric, or lacks what the view shows.
        BaselineNotComparable = "baseline-not-comparable",
        /// The overlay is neither a profile that can be read nor a metric of the profile shown, or a
        /// choice of the view matches nothing in it.
        OverlayMissing = "overlay-missing",
        /// Costs are compared with a baseline.
        Comparison = "comparison",
        /// Not the whole profile is shown.
        View = "view",
    }
}

/// A problem with what is shown, or a part of the view that is not the default.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HealthEntry {
    /// The kind: the code of a warning, or another code (docs/reference/warnings.md).
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What happened, to which file, and what to do.
    pub message: String,
    /// A command that fixes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(default, with = "Action")]
    pub fix: Option<Action>,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing can be shown, or not what the user chose.
    Error,
    /// Costs are missing, or could be better.
    Warning,
    /// Useful to know.
    Info,
}

impl HealthEntry {
    fn new(severity: Severity, code: HealthCode, message: &str) -> Self {
        let message = one_line(message).into_owned();
        Self { code: code.as_str(), severity, message, fix: None }
    }

    fn of_warning(warning: &Warning) -> Self {
        let message = format!("{}{}", warning.message, times(warning.count));
        let message = one_line(&message).into_owned();
        let code = warning.code.as_str();
        Self { code, severity: severity(warning.code), message, fix: None }
    }

    fn with_fix(self, title: &str, command: ActionCommand, arguments: Vec<Choices>) -> Self {
        let title = one_line(title).into_owned();
        Self { fix: Some(Action { command, title, arguments }), ..self }
    }
}

/// What is wrong with what is shown in a workspace folder, the most severe first. Empty if a
/// profile is shown, nothing is wrong with it, and the view is the default.
pub fn health(world: &World) -> Vec<HealthEntry> {
    let mut entries: Vec<HealthEntry> = of_files(world);
    if let Some(shown) = world.snapshot() {
        if let Some(index) = world.index.as_deref() {
            let mut found = of_snapshot(shown, index, Some(&world.settings.path_mappings));
            if is_resolving(shown) {
                found.retain(|entry| !UNTIL_RESOLVED.contains(&entry.code));
            }
            entries.extend(found);
        }
        entries
            .extend(world.baseline.as_deref().map(|baseline| of_baseline(world, shown, baseline)));
        entries.extend(world.baseline_problem.as_deref().map(of_unread_baseline));
        let overlay = world.overlay.as_deref();
        let unmatched = overlay.and_then(|overlay| view_problem(&overlay.snapshot));
        entries.extend(world.overlay_problem.iter().chain(&unmatched).map(|it| of_overlay(it)));
        entries.extend(of_view(world, shown));
    }
    for entry in &mut entries {
        entry.message = without_options(&entry.message);
    }
    entries.sort_by_key(|entry| entry.severity);
    entries
}

/// What is not known while addresses are resolved: they may have names, lines and sources yet.
const UNTIL_RESOLVED: [&str; 8] = [
    HealthCode::NoLines.as_str(),
    HealthCode::NoNames.as_str(),
    HealthCode::NoSources.as_str(),
    HealthCode::NativeLeaves.as_str(),
    WarningCode::Unsymbolicated.as_str(),
    WarningCode::OneLinePerFunction.as_str(),
    WarningCode::FunctionLines.as_str(),
    WarningCode::UnmatchedFunction.as_str(),
];

/// Whether addresses of a profile are still being resolved.
pub fn is_resolving(shown: &Snapshot) -> bool {
    !shown.symbolicated.libraries.is_complete()
}

/// Profiles that are missing or cannot be read.
fn of_files(world: &World) -> Vec<HealthEntry> {
    let shown = world.snapshot();
    let mut entries = Vec::new();
    // Until the next search, it may be one that is no longer wanted.
    if let Some(path) = world.missing.as_ref().filter(|path| world.wanted_paths().contains(path)) {
        let message = missing(world, path);
        let entry = HealthEntry::new(Severity::Error, HealthCode::ProfileMissing, &message);
        let is_readable = |candidate: &&Candidate| {
            !world.problems.iter().any(|(path, _)| *path == candidate.path)
        };
        entries.push(match world.candidates.iter().find(is_readable) {
            Some(newest) => {
                let name = newest.path.file_name().unwrap_or_default().to_string_lossy();
                let path = Given::Set(newest.path.clone());
                let choices = Choices { profile: path, ..Choices::default() };
                entry.with_fix(&format!("Show {name}"), ActionCommand::SetView, vec![choices])
            }
            None => entry,
        });
    }
    for (messages, code) in [
        (&world.absent, HealthCode::SettingWithoutEffect),
        (&world.ignored, HealthCode::SettingIgnored),
    ] {
        let entry = |message: &String| HealthEntry::new(Severity::Warning, code, message);
        entries.extend(messages.iter().map(entry));
    }
    for (path, problem) in &world.problems {
        let (severity, consequence) = match shown {
            Some(shown) if shown.loaded.path == *path => {
                (Severity::Warning, "; the previous version is still shown".to_owned())
            }
            Some(shown) => (Severity::Warning, format!("; {} is shown", shown.loaded.name())),
            None => (Severity::Error, String::new()),
        };
        let message = format!("{problem}{consequence}");
        let entry = HealthEntry::new(severity, HealthCode::ProfileUnreadable, &message);
        entries.push(entry.with_fix("Read it again", ActionCommand::Reload, Vec::new()));
    }
    if let Some(shown) = shown.filter(|_| world.deleted) {
        let message = deleted(world, &shown.loaded.path);
        entries.push(HealthEntry::new(Severity::Info, HealthCode::ProfileDeleted, &message));
    }
    if let Some(problem) = &world.unwatched {
        let message = format!("changed profiles are noticed only after a few seconds: {problem}");
        entries.push(HealthEntry::new(Severity::Info, HealthCode::Polling, &message));
    }
    entries
}

/// The message about a profile of the setting `profile`, or one of several that were selected, which
/// does not exist.
pub fn missing(world: &World, profile: &Path) -> String {
    let profile = profile.display();
    if world.pick.is_empty() {
        format!("costline.profile: {profile} does not exist")
    } else {
        format!("{profile} was selected but does not exist; its costs are missing")
    }
}

/// The message about a deleted profile.
pub fn deleted(world: &World, profile: &Path) -> String {
    let is_chosen = !world.pick.is_empty() || world.settings.profile.is_some();
    let until = if is_chosen {
        "it is written again or another profile is selected"
    } else {
        "there is a newer one"
    };
    format!("{} was deleted; its costs are shown until {until}", profile.display())
}

/// What is wrong with a profile, the most severe first. `mapped` is the setting `pathMappings`, if commands
/// can change it.
pub fn of_snapshot(
    shown: &Snapshot,
    index: &SourceIndex,
    mapped: Option<&[PathMapping]>,
) -> Vec<HealthEntry> {
    let mut entries: Vec<HealthEntry> =
        shown.warnings.iter().map(HealthEntry::of_warning).collect();
    let has = |code: WarningCode| shown.warnings.iter().any(|warning| warning.code == code);
    let name = shown.loaded.name();
    entries.splice(..0, only_native_leaves(shown));
    let samples = shown.sampling().weight.map(|weight| (shown.costs.base / weight).round());
    let is_empty = shown.is_empty();
    match advice(shown) {
        // The warning says it.
        _ if is_empty && has(WarningCode::NoSamplesInView) => {}
        Some(Advice::Record(advice)) if is_empty || shown.costs.lines().is_empty() => {
            let code = if is_empty { HealthCode::NoSamples } else { HealthCode::NoLines };
            let says_why = [
                WarningCode::Unsymbolicated,
                WarningCode::OneLinePerFunction,
                WarningCode::FunctionLines,
            ];
            if is_empty || !says_why.into_iter().any(has) {
                let message = format!("{name}: {advice}");
                entries.push(HealthEntry::new(Severity::Warning, code, &message));
            }
        }
        Some(Advice::FindFiles) => entries.extend(no_sources(shown, index, mapped)),
        Some(Advice::Record(_)) | None => {}
    }
    if !has(WarningCode::Unsymbolicated) {
        entries.extend(without_names(shown));
    }
    if let Some(samples) = samples.filter(|samples| 0.0 < *samples && *samples < FEW_SAMPLES) {
        let samples =
            if samples == 1.0 { "1 sample".to_owned() } else { format!("{samples} samples") };
        let message = format!("{name} has only {samples}: record for longer");
        entries.push(HealthEntry::new(Severity::Info, HealthCode::FewSamples, &message));
    }
    entries.sort_by_key(|entry| entry.severity);
    entries
}

/// The entry that says that none of the files was found or may be shown, with the command that maps the
/// hottest file if only one rule does so. `mapped` are the present rules, if commands can change them.
fn no_sources(
    shown: &Snapshot,
    index: &SourceIndex,
    mapped: Option<&[PathMapping]>,
) -> Option<HealthEntry> {
    let (file, mapping) = hottest_unmapped(shown)?;
    let name = shown.loaded.name();
    if let Mapping::Unmapped(reason) = mapping
        && let Some(advice) = hidden(reason)
    {
        let what = match shown.mappings().count() {
            1 => format!("the only source file in {name} is not shown: {file}"),
            n => format!("none of the {n} source files in {name} is shown; the hottest, {file},"),
        };
        let message = format!("{what} {reason}; {advice}");
        return Some(HealthEntry::new(Severity::Warning, HealthCode::NoSources, &message));
    }
    let rules = rules(file, mapping, index);
    let rule = match rules.as_slice() {
        [] => "; open the folder with the sources, or add a rule to `pathMappings`".to_owned(),
        rules => format!("; add {} to `pathMappings`", path_rules::as_settings(rules)),
    };
    let what = match shown.mappings().count() {
        1 => format!("the only source file in {name} was not found: {file}"),
        n => format!("none of the {n} source files in {name} was found; the hottest is {file}"),
    };
    let message = format!("{what}{rule}");
    let entry = HealthEntry::new(Severity::Warning, HealthCode::NoSources, &message);
    Some(match (mapped, rules.as_slice()) {
        (Some(mapped), [rule]) => {
            let all = mapped.iter().chain([rule]).cloned().collect();
            let choices = Choices { path_mappings: Given::Set(all), ..Choices::default() };
            let title = format!("Map {} to {}", rule.from, rule.to);
            entry.with_fix(&title, ActionCommand::SetView, vec![choices])
        }
        _ => entry,
    })
}

/// What to do about a file that exists, but is not shown. `None` if it was not found.
fn hidden(reason: &Reason) -> Option<&'static str> {
    match reason {
        Reason::Excluded(_) => Some("remove it from that setting"),
        Reason::Outside => Some("list the folder that the symlink points to in `sourceRoots`"),
        _ => None,
    }
}

/// An entry if own functions have no self cost, because all JavaScript ends in native functions. Recordings of
/// Firefox are like this.
fn only_native_leaves(shown: &Snapshot) -> Option<HealthEntry> {
    /// Self costs of own code below this share of all are none.
    const FEW: f64 = 0.01;
    let view = &shown.grouped.view;
    let recording = &shown.grouped.recording;
    if view.implementation != Implementation::All || view.own.is_some() || !recording.knows_code() {
        return None;
    }
    let own = shown.costs.functions().filter(|&(function, _)| shown.is_own(function));
    let (mut own_self, mut own_total) = (0.0, 0.0_f64);
    for (_, cost) in own {
        own_self += cost.cost.self_.abs();
        own_total = own_total.max(cost.cost.magnitude());
    }
    let base = shown.costs.base;
    if own_self >= FEW * base || own_total < FEW * base {
        return None;
    }
    let message = format!(
        "{}: your functions have no cost of their own, because what they spend is in native functions: \
         show JavaScript only, so that it is charged to your lines",
        shown.loaded.name()
    );
    let entry = HealthEntry::new(Severity::Warning, HealthCode::NativeLeaves, &message);
    let js =
        Choices { implementation: Given::Set(loading::Implementation::Js), ..Choices::default() };
    Some(entry.with_fix("Show JavaScript only", ActionCommand::SetView, vec![js]))
}

/// A message without Costline's own options, which stand after the settings of the same meaning. Those of
/// recorders remain.
fn without_options(message: &str) -> String {
    let without = |text: String, option: &str| text.replace(&format!(" (`{option}`)"), "");
    ["--symbols", "--map"].into_iter().fold(message.to_owned(), without)
}

/// An entry if much self cost is in functions that have only an address, or not even that.
fn without_names(shown: &Snapshot) -> Option<HealthEntry> {
    let mut by_lib: BTreeMap<&str, f64> = BTreeMap::new();
    for (function, cost) in shown.costs.functions() {
        let this = shown.function(function);
        if this.name == "[unknown]" || this.name.starts_with("0x") {
            *by_lib.entry(this.lib.unwrap_or_default()).or_default() += cost.cost.self_.abs();
        }
    }
    let nameless: f64 = by_lib.values().sum();
    let (lib, _) = by_lib.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if nameless < NAMELESS_SHARE * shown.costs.base || nameless == 0.0 {
        return None;
    }
    let share = percent(nameless, shown.costs.base);
    let most = match lib {
        "" => String::new(),
        lib => format!(", most of it in {lib}"),
    };
    let message = format!(
        "{share} of {} is in functions without names{most}: convert or export the profile again on \
         the machine where it was recorded, with symbols installed",
        shown.loaded.name()
    );
    Some(HealthEntry::new(Severity::Warning, HealthCode::NoNames, &message))
}

/// The rules that map a file. None if the workspace file lacks lines or functions that the profile
/// has.
fn rules(file: &str, mapping: &Mapping, index: &SourceIndex) -> Vec<PathMapping> {
    match mapping {
        Mapping::Unmapped(Reason::TooShort { .. } | Reason::OtherFunctions { .. }) => Vec::new(),
        mapping => path_rules::for_mapping(file, mapping, index),
    }
}

/// The hottest file of a profile that was not found.
fn hottest_unmapped(shown: &Snapshot) -> Option<(&str, &Mapping)> {
    let hottest = hottest_line_of_files(shown);
    let heat = |file: &FileId| hottest.get(file).map_or(0.0, |line| line.cost.magnitude());
    let unmapped =
        shown.mappings().filter(|(.., mapping)| !matches!(mapping, Mapping::Mapped { .. }));
    let (name, _, mapping) = unmapped.max_by(|a, b| heat(&a.1).total_cmp(&heat(&b.1)))?;
    Some((name, mapping))
}

fn of_baseline(world: &World, shown: &Snapshot, baseline: &Baseline) -> HealthEntry {
    let name = baseline.name_beside(shown);
    if let Some(problem) = baseline.problem(shown) {
        let message = format!("the baseline {name} cannot be compared: {problem}");
        let code = HealthCode::BaselineNotComparable;
        return without_baseline(HealthEntry::new(Severity::Warning, code, &message));
    }
    if let Some(problem) = baseline.sum_problem(shown) {
        let entry = HealthEntry::new(Severity::Warning, HealthCode::Comparison, &problem);
        let mean = Choices { combine: Given::Set(Combine::Average), ..Choices::default() };
        return entry.with_fix("Show the mean", ActionCommand::SetView, vec![mean]);
    }
    let change = baseline.comparison(shown, world.settings.compare).total();
    let message = format!("compared with {name}: {}", totals(change, &shown.costs.metric));
    without_baseline(HealthEntry::new(Severity::Info, HealthCode::Comparison, &message))
}

/// The entry about a baseline of the settings that cannot be read.
fn of_unread_baseline(problem: &str) -> HealthEntry {
    let message = format!("the baseline in the settings cannot be read: {problem}");
    let code = HealthCode::BaselineNotComparable;
    without_baseline(HealthEntry::new(Severity::Warning, code, &message))
}

/// Adds the command that clears the baseline.
fn without_baseline(entry: HealthEntry) -> HealthEntry {
    let nothing = Choices { baseline: Given::Reset, ..Choices::default() };
    entry.with_fix("Stop comparing", ActionCommand::SetView, vec![nothing])
}

/// The entry about an overlay that is not shown.
fn of_overlay(problem: &str) -> HealthEntry {
    let message = format!("the overlay is not shown: {problem}");
    HealthEntry::new(Severity::Warning, HealthCode::OverlayMissing, &message)
}

/// What is not default about the view.
fn of_view(world: &World, shown: &Snapshot) -> Option<HealthEntry> {
    let marks = Marks::of(shown).all();
    if marks.is_empty() {
        return None;
    }
    let message = format!("the view is not the default: {}", marks.join(" · "));
    let entry = HealthEntry::new(Severity::Info, HealthCode::View, &message);
    Some(if world.overrides.override_settings() {
        let all = vec![Choices::reset_all()];
        entry.with_fix("Reset to the settings", ActionCommand::SetView, all)
    } else if world.settings.transforms.is_empty() {
        entry
    } else {
        entry.with_fix("Remove all transforms", ActionCommand::ClearTransforms, Vec::new())
    })
}

/// How bad what a warning reports is. Warnings about single records, and about what a format cannot
/// express, are only information.
fn severity(code: WarningCode) -> Severity {
    match code {
        WarningCode::OpenEnd
        | WarningCode::PartialLine
        | WarningCode::InvalidUtf8
        | WarningCode::Renamed
        | WarningCode::NegativeCost
        | WarningCode::SamplesWithoutStack
        | WarningCode::NoHitCount
        | WarningCode::DropFrames
        | WarningCode::OverlappingCall
        | WarningCode::UnwoundCall
        | WarningCode::UnmatchedEnd
        | WarningCode::UnfinishedCall
        | WarningCode::AsyncOperations
        | WarningCode::BrowserPage
        | WarningCode::Differential
        | WarningCode::FunctionLines
        | WarningCode::OneLinePerFunction
        | WarningCode::SampledAtCalls
        | WarningCode::ApproximateLines
        | WarningCode::UnmatchedFunction
        | WarningCode::SourceMapMissing => Severity::Info,
        _ => Severity::Warning,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_editors_name_settings_alone() {
        let message =
            "add it to symbols.paths (`--symbols`), or map it with pathMappings (`--map`)";
        let expected = "add it to symbols.paths, or map it with pathMappings";
        assert_eq!(without_options(message), expected);
        let recorders =
            "py-spy (`--format raw`) writes lines (`--call-graph dwarf,65528` records more)";
        assert_eq!(without_options(recorders), recorders);
    }

    /// The world is published after a pick and before the next search.
    #[test]
    fn a_file_that_is_no_longer_wanted_is_not_missing() {
        let missing = |pick: &str| {
            let gone = Some("/w/gone.folded".into());
            of_files(&World { missing: gone, pick: vec![pick.into()], ..World::default() })
        };
        assert_eq!(missing("/w/gone.folded").len(), 1);
        assert_eq!(missing("/w/other.folded").len(), 0);
    }
}
