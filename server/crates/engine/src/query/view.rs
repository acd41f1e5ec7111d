//! What is shown, the choices, and the actions. Clients build their menus from this alone.

use super::action::{Action, ActionCommand};
use super::choices::{Choice, ChoiceKey, ChoiceOption, ChoiceValue, Chosen, file_label};
use super::other_profiles::{baseline, overlay};
use super::profiles::{Shown, problem, runs_found, shown};
use crate::config::named_views;
use crate::config::node::{ChosenNode, Levels, NodeChoice};
use crate::config::overrides::{Choices, Overrides, check_own};
use crate::config::settings::{Combine, Compare, Implementation, Inlines, Show, Unit};
use crate::config::transforms::TransformData;
use crate::functions::own_code::is_own;
use crate::items::keys::Key;
use crate::load::stages::grouped::Grouped;
use crate::present::{text::plain, units};
use crate::ranking::By;
use crate::snapshot::Snapshot;
use crate::world::World;
use analysis::{Thread, ThreadChoice, ThreadId, ThreadTotal, Transform, threads_by_run};
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// What is shown, the choices, and the actions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct View {
    /// A summary of what is shown.
    #[serde(flatten)]
    pub shown: Shown,
    /// The choices of `costline.setView`, in the order of menus. Choices with fewer than two
    /// options are omitted.
    pub choices: Vec<Choice>,
    /// The name of the view that is shown, if it is one of the setting `views`.
    pub view: Option<String>,
    /// The range of time that is shown, in milliseconds since the first sample: `2..5 ms`. Null: all.
    pub range: Option<String>,
    /// The search. Only samples whose stack has its terms are shown. Null: all.
    pub search: Option<String>,
    /// The transforms, in order. The focus on the chosen call node is one of them.
    pub transforms: Vec<AppliedTransform>,
    /// The functions from a root of the call tree to the chosen call node. Empty if none is chosen.
    pub node: Vec<NodeFunction>,
    /// What `costline.hotspots` can list of the profile, in the order of menus. Empty without a
    /// profile. Their titles are in `capabilities.experimental.costline`.
    #[serde(rename = "hotSpots")]
    pub hot_spots: Vec<By>,
    /// The commands to offer in menus.
    pub actions: Vec<Action>,
}

/// An applied transform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppliedTransform {
    /// The transform as text: `merge-function:parse`.
    pub text: String,
    /// The transform as JSON.
    pub transform: TransformData,
}

/// A function of the path of the chosen call node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeFunction {
    /// The function's name.
    pub name: String,
    /// The function's key.
    pub key: Key,
    /// The argument of `costline.setView` that chooses this function of the path.
    pub view: NodeOfView,
}

/// The argument of `costline.setView` that chooses a caller of the chosen call node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeOfView {
    /// The caller.
    pub node: Levels,
}

/// What is shown, the choices, and the actions.
pub fn view(world: &World) -> View {
    let transforms = world.settings.transforms.iter().map(|transform| AppliedTransform {
        text: plain(&notation(world, transform)).into_owned(),
        transform: TransformData::from(transform),
    });
    View {
        shown: shown(world),
        choices: choices(world),
        view: named_views::current(world).map(str::to_owned),
        range: world.settings.range.map(|range| range.to_string()),
        search: Some(plain(&world.settings.search).into_owned()).filter(|text| !text.is_empty()),
        transforms: transforms.collect(),
        node: node(world),
        hot_spots: hot_spots(world),
        actions: actions(world),
    }
}

/// What hot spots can be listed by.
fn hot_spots(world: &World) -> Vec<By> {
    let Some(shown) = world.snapshot() else { return Vec::new() };
    By::value_variants().iter().copied().filter(|by| by.is_known_of(shown)).collect()
}

/// The functions of the path of the chosen call node.
fn node(world: &World) -> Vec<NodeFunction> {
    let path = world.overrides.node.iter().flat_map(ChosenNode::path).zip(1..);
    let function = |(key, levels): (&Key, usize)| {
        let found = world.snapshot().and_then(|shown| Some((shown, key.function(shown)?)));
        let name = found.map_or(key.name.as_str(), |(shown, found)| shown.function(found).name);
        let view = NodeOfView { node: Levels { levels } };
        NodeFunction { name: name.to_owned(), key: key.clone(), view }
    };
    path.map(function).collect()
}

/// A transform as text. The functions of the profile shown decide which need their place.
fn notation(world: &World, transform: &Transform) -> String {
    world.snapshot().map_or_else(
        || transform.to_string(),
        |shown| {
            let Grouped { recording, groups, .. } = &shown.grouped;
            analysis::notation(recording.symbols(), groups, transform)
        },
    )
}

fn choices(world: &World) -> Vec<Choice> {
    let settings = &world.settings;
    let mut choices = vec![profile(world)];
    if let Some(shown) = world.snapshot() {
        if threads_by_run(&shown.loaded.recording, &shown.grouped.view.threads).len() > 1 {
            choices.push(combine(settings.combine));
        }
        choices.push(metric(shown));
        choices.push(threads(shown));
        if shown.grouped.recording.knows_code() {
            choices.push(implementation(settings.implementation));
        }
        if shown.grouped.recording.knows_inlined() {
            choices.push(inlines(settings.inlines));
        }
        if shown.grouped.recording.knows_contour() {
            choices.push(contour(settings.contour));
        }
        let mut functions = shown.costs.functions();
        let has_libraries = functions.any(|(function, _)| !is_own(shown, function));
        let may_be_own = || has_libraries && check_own(true, Some(shown)).is_ok();
        if settings.own_code || may_be_own() {
            choices.push(own(settings.own_code));
        }
    }
    choices.push(unit(settings.unit));
    choices.push(show(settings.hints.show, world.snapshot().map(AsRef::as_ref)));
    choices.extend(world.snapshot().map(|shown| overlay(world, shown)));
    choices.extend(world.snapshot().map(|shown| baseline(world, shown)));
    choices.push(named_view(world));
    choices.extend(world.baseline.as_ref().map(|_| compare(settings.compare)));
    choices.retain(|choice| choice.options.len() > 1);
    choices
}

/// A choice of one of several fixed values. `options` has the value, name, label and description of
/// each.
fn one_of<T: PartialEq, const N: usize>(
    key: ChoiceKey,
    title: &str,
    chosen: &T,
    options: [(T, &str, &str, &str); N],
) -> Choice {
    let mut value = ChoiceValue::Nothing;
    let options = options.map(|(option, name, label, description)| {
        let active = option == *chosen;
        if active {
            value = name.into();
        }
        ChoiceOption {
            value: name.into(),
            label: label.to_owned(),
            description: Some(description.to_owned()),
            detail: None,
            active,
        }
    });
    Choice {
        key,
        title: title.to_owned(),
        multiple: false,
        value: Chosen::One(value),
        options: options.into(),
    }
}

/// The options are the view of the settings, and the views of the setting `views`.
fn named_view(world: &World) -> Choice {
    let current = named_views::current(world);
    let option = |value: ChoiceValue, label: &str, active| ChoiceOption {
        value,
        label: plain(label).into_owned(),
        description: None,
        detail: None,
        active,
    };
    let is_default =
        Overrides { baseline: None, ..world.overrides.clone() } == Overrides::default();
    let nothing = option(ChoiceValue::Nothing, "That of the settings", is_default);
    let views = world.settings.views.iter().flatten();
    let views =
        views.map(|(name, _)| option(name.as_str().into(), name, current == Some(name.as_str())));
    Choice {
        key: ChoiceKey::View,
        title: "View".to_owned(),
        multiple: false,
        value: Chosen::One(current.into()),
        options: std::iter::once(nothing).chain(views).collect(),
    }
}

fn combine(chosen: Combine) -> Choice {
    let options = [
        (Combine::Sum, "sum", "Sum", "of all runs"),
        (Combine::Average, "average", "Mean", "of the runs, with its spread"),
    ];
    one_of(ChoiceKey::Combine, "Several runs", &chosen, options)
}

fn implementation(chosen: Implementation) -> Choice {
    let options = [
        (Implementation::All, "all", "All code", "JavaScript and native functions"),
        (
            Implementation::Js,
            "js",
            "JavaScript",
            "native code is charged to the JavaScript that calls it",
        ),
        (
            Implementation::Native,
            "native",
            "Native code",
            "JavaScript is charged to the engine that runs it",
        ),
    ];
    one_of(ChoiceKey::Implementation, "Code", &chosen, options)
}

fn inlines(chosen: Inlines) -> Choice {
    let options = [
        (Inlines::Body, "body", "Where it is defined", "on the lines of the inlined function"),
        (Inlines::CallSite, "callSite", "Where it is called", "on the line of the outermost call"),
    ];
    one_of(ChoiceKey::Inlines, "Inlined code", &chosen, options)
}

fn contour(chosen: bool) -> Choice {
    let options = [
        (false, "As recorded", "all callers"),
        (true, "Above the contour", "without the procedures of the contour file"),
    ];
    flag(ChoiceKey::Contour, "Callers", chosen, options)
}

fn own(chosen: bool) -> Choice {
    let options = [
        (false, "All code", "libraries and the runtime too"),
        (
            true,
            "Own code",
            "libraries and the runtime are charged to the own code that called them",
        ),
    ];
    flag(ChoiceKey::Own, "Own code", chosen, options)
}

/// A choice between no and yes. `options` has the value, label and description of each.
fn flag(key: ChoiceKey, title: &str, chosen: bool, options: [(bool, &str, &str); 2]) -> Choice {
    let options = options.map(|(value, label, description)| ChoiceOption {
        value: ChoiceValue::Flag(value),
        label: label.to_owned(),
        description: Some(description.to_owned()),
        detail: None,
        active: value == chosen,
    });
    Choice {
        key,
        title: title.to_owned(),
        multiple: false,
        value: Chosen::One(ChoiceValue::Flag(chosen)),
        options: options.into(),
    }
}

fn unit(chosen: Unit) -> Choice {
    let options = [
        (Unit::Percent, "percent", "Percent", "share of the total"),
        (Unit::Absolute, "absolute", "Absolute", "time, bytes or samples"),
        (Unit::Both, "both", "Both", "percent and absolute"),
    ];
    one_of(ChoiceKey::Unit, "Unit", &chosen, options)
}

fn compare(chosen: Compare) -> Choice {
    let options = [
        (Compare::Absolute, "absolute", "Absolutely", "times, bytes and counts as they are"),
        (Compare::Share, "share", "By share", "percentages of the total"),
    ];
    one_of(ChoiceKey::Compare, "Comparison", &chosen, options)
}

/// Counts of executions are an option if the profile has them, or if they were chosen.
fn show(chosen: Show, shown: Option<&Snapshot>) -> Choice {
    let options = [
        (Show::Total, "total", "Total", "including callees"),
        (Show::Self_, "self", "Self", "without callees"),
        (Show::Both, "both", "Both", "total and self"),
        (Show::Counts, "counts", "Executions", "how often lines were executed"),
    ];
    let mut choice = one_of(ChoiceKey::Show, "Hints", &chosen, options);
    let unknown = shown.map(Snapshot::no_line_counts);
    if chosen == Show::Counts {
        let counts = choice.options.last_mut();
        if let (Some(counts), Some(Some(unknown))) = (counts, unknown) {
            counts.detail = Some(plain(&unknown).into_owned());
        }
    } else if unknown != Some(None) {
        choice.options.pop();
    }
    choice
}

/// One option per run.
fn profile(world: &World) -> Choice {
    let options = runs_found(world).into_iter().map(|run| {
        let (path, format) = (&run.file.path, run.file.format.title());
        let age = units::age(run.file.stamp.age());
        let files = match run.files.len() {
            0 | 1 => String::new(),
            several => format!(" · {several} files"),
        };
        let total = run.total(world);
        let total = total.map(|total| format!("{} · ", total.with_metric())).unwrap_or_default();
        let folder = path.parent().unwrap_or(path);
        let folder = world.roots.iter().find_map(|root| folder.strip_prefix(root).ok());
        let folder = folder.unwrap_or(path.parent().unwrap_or(path)).to_string_lossy();
        let detail = problem(world, path).or((!folder.is_empty()).then_some(&*folder));
        ChoiceOption {
            value: path.as_path().into(),
            label: file_label(path),
            description: Some(format!("{total}{format}, written {age} ago{files}")),
            detail: detail.map(|detail| plain(detail).into_owned()),
            active: run.shown,
        }
    });
    let path = world.snapshot().map(|shown| shown.loaded.path.as_path());
    Choice {
        key: ChoiceKey::Profile,
        title: "Profile".to_owned(),
        multiple: false,
        value: Chosen::One(path.into()),
        options: options.collect(),
    }
}

fn metric(shown: &Snapshot) -> Choice {
    let current = shown.costs.metric.name.as_str();
    let mut names: Vec<&str> = Vec::new();
    let mut options = Vec::new();
    for metric in shown.grouped.recording.metrics() {
        // If several metrics have the same name, only the first can be chosen.
        if names.contains(&metric.name.as_str()) {
            continue;
        }
        names.push(&metric.name);
        let unit = (metric.unit != metric.name).then(|| plain(&metric.unit).into_owned());
        options.push(ChoiceOption {
            value: metric.name.as_str().into(),
            label: plain(&metric.name).into_owned(),
            description: unit,
            detail: None,
            active: metric.name == current,
        });
    }
    Choice {
        key: ChoiceKey::Metric,
        title: "Metric".to_owned(),
        multiple: false,
        value: Chosen::One(current.into()),
        options,
    }
}

/// One option per thread. Threads that have no unique name or id share one.
fn threads(shown: &Snapshot) -> Choice {
    let totals = analysis::thread_totals(&shown.grouped.recording, &shown.grouped.view);
    let all: f64 = totals.iter().map(|thread| thread.total).sum();
    let named = by_name(shown.grouped.recording.threads());
    // A name that a thread has literally is not interpreted as a glob or regular expression.
    let threads_named = |value: &str| named.get(value).map_or(&[][..], Vec::as_slice);
    let mut listed: Vec<&[ThreadId]> = Vec::new();
    let mut options = Vec::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(shown.grouped.recording.threads()) {
        let unique = names(thread).into_iter().find(|value| threads_named(value) == [id]);
        let value = unique.as_deref().unwrap_or(&thread.name);
        let group = threads_named(value);
        if listed.contains(&group) {
            continue;
        }
        listed.push(group);
        let total: f64 = totals
            .iter()
            .filter(|total| group.contains(&total.thread))
            .map(|ThreadTotal { total, .. }| total)
            .sum();
        let active = match &shown.grouped.view.threads {
            ThreadChoice::All => true,
            ThreadChoice::Only(chosen) => group.iter().all(|thread| chosen.contains(thread)),
        };
        let share = units::percent(total, all);
        options.push(thread_option(thread, value, group.len(), &share, active));
    }
    let value = match &shown.grouped.view.threads {
        ThreadChoice::All => Vec::new(),
        ThreadChoice::Only(_) => {
            let chosen = options.iter().filter(|option| option.active);
            chosen.map(|option| option.value.clone()).collect()
        }
    };
    Choice {
        key: ChoiceKey::Threads,
        title: "Threads".to_owned(),
        multiple: true,
        value: Chosen::Several(value),
        options,
    }
}

/// The name and ids of a thread. The id of a process may be that of one of its threads, too.
fn names(thread: &Thread) -> Vec<Cow<'_, str>> {
    let tid = thread.tid.as_ref().map(|tid| Cow::Owned(format!("tid:{tid}")));
    let ids = [&thread.tid, &thread.pid].map(|id| id.as_deref().map(Cow::Borrowed));
    let name = Cow::Borrowed(thread.name.as_str());
    [name].into_iter().chain(ids.into_iter().flatten()).chain(tid).collect()
}

/// The threads with each name or id.
fn by_name(threads: &[Thread]) -> HashMap<Cow<'_, str>, Vec<ThreadId>> {
    let mut named: HashMap<Cow<'_, str>, Vec<ThreadId>> = HashMap::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(threads) {
        for name in names(thread) {
            let ids = named.entry(name).or_default();
            ids.extend((ids.last() != Some(&id)).then_some(id));
        }
    }
    named
}

/// The option for the `count` threads with the name or id `value`. `thread` is the first of them.
fn thread_option(
    thread: &Thread,
    value: &str,
    count: usize,
    share: &str,
    active: bool,
) -> ChoiceOption {
    let threads = if count > 1 { format!(" · {count} threads") } else { String::new() };
    let part = |what: &str, name: Option<&String>| {
        name.filter(|name| count == 1 && !name.is_empty())
            .map(|name| format!("{what} {}", plain(name)))
    };
    let process = Some(&thread.process_name).filter(|name| **name != thread.name);
    let parts = [
        part("process", process),
        part("pid", thread.pid.as_ref()),
        part("tid", thread.tid.as_ref()),
    ];
    let detail: Vec<_> = parts.into_iter().flatten().collect();
    let label = if thread.name.is_empty() { value } else { &thread.name };
    ChoiceOption {
        value: value.into(),
        label: plain(label).into_owned(),
        description: Some(format!("{share}{threads}")),
        detail: (!detail.is_empty()).then(|| detail.join(" · ")),
        active,
    }
}

fn actions(world: &World) -> Vec<Action> {
    let action = |command, title: &str, arguments| Action {
        command,
        title: plain(title).into_owned(),
        arguments,
    };
    let mut actions = Vec::new();
    if let Some(shown) = world.snapshot() {
        actions.push(action(ActionCommand::Reload, "Reload the profile", Vec::new()));
        if shown.grouped.recording.summed().is_none() {
            let title = "Flame graph in the browser";
            actions.push(action(ActionCommand::Flamegraph, title, Vec::new()));
        }
    }
    if !world.pick.is_empty() {
        let title = if world.settings.profile.is_some() {
            "Show the profile of the settings"
        } else {
            "Show the newest profile"
        };
        let newest = Choices { profile: Some(None), ..Choices::default() };
        actions.push(action(ActionCommand::SetView, title, vec![newest]));
    }
    if let Some(chosen) = &world.overrides.node {
        let set = |title: &str, node| {
            let choices = Choices { node: Some(node), ..Choices::default() };
            action(ActionCommand::SetView, title, vec![choices])
        };
        if let [.., caller, _] = node(world).as_slice() {
            let levels = chosen.path().len() - 1;
            let choice = NodeChoice::Caller(Levels { levels });
            actions.push(set(&format!("Show the costs of {} again", caller.name), Some(choice)));
        }
        actions.push(set("Show the costs of all nodes again", None));
    }
    if world.settings.range.is_some() {
        let title = "Show the whole recording";
        let all = Choices { range: Some(None), ..Choices::default() };
        actions.push(action(ActionCommand::SetView, title, vec![all]));
    }
    if !world.settings.search.is_empty() {
        let title = format!("Clear the search for {}", world.settings.search);
        let all = Choices { search: Some(None), ..Choices::default() };
        actions.push(action(ActionCommand::SetView, &title, vec![all]));
    }
    if let Some(last) = world.settings.transforms.last() {
        let title = format!("Remove {}", notation(world, last));
        actions.push(action(ActionCommand::PopTransform, &title, Vec::new()));
        let title = "Remove all transforms";
        actions.push(action(ActionCommand::ClearTransforms, title, Vec::new()));
    }
    if world.overrides.override_settings() {
        let title = "Reset to the settings";
        actions.push(action(ActionCommand::SetView, title, vec![Choices::reset_all()]));
    }
    actions
}
