//! What is shown, what can be chosen instead, and what can be run: clients build their menus from
//! this alone.

use super::profiles::{Shown, problem, runs_found, shown};
use crate::discovery::Candidate;
use crate::overrides::Choices;
use crate::present::{text::plain, units};
use crate::settings::{Implementation, Inlines, Show, Unit};
use crate::snapshot::Snapshot;
use crate::transforms::TransformData;
use crate::world::World;
use analysis::{Thread, ThreadChoice, ThreadId, ThreadTotal};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::path::Path;

/// What is shown, and what can be chosen and run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct View {
    /// What is shown.
    #[serde(flatten)]
    pub shown: Shown,
    /// What can be chosen by `costline.setView`, in the order of menus. What has a single possible
    /// value is left out.
    pub choices: Vec<Choice>,
    /// The transforms, in order.
    pub transforms: Vec<AppliedTransform>,
    /// Commands to run as they are.
    pub actions: Vec<Action>,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Choice {
    /// The key that `costline.setView` takes it under.
    pub key: ChoiceKey,
    /// Its title in menus.
    pub title: String,
    /// Whether several values can be chosen, as a list.
    pub multiple: bool,
    /// What is chosen.
    pub value: Chosen,
    /// What there is to choose, at least two.
    pub options: Vec<ChoiceOption>,
}

/// What can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChoiceKey {
    /// The profile.
    Profile,
    /// The metric.
    Metric,
    /// The threads.
    Threads,
    /// Which functions are visible.
    Implementation,
    /// Where the cost of inlined code is shown.
    Inlines,
    /// The unit of costs.
    Unit,
    /// What hints show.
    Show,
    /// What to compare with.
    Baseline,
}

/// A value of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ChoiceValue {
    /// A name or a path.
    Text(String),
    /// `true`, for a baseline: what is shown now.
    Flag(bool),
    /// Nothing.
    Nothing,
}

/// What is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Chosen {
    /// One value.
    One(ChoiceValue),
    /// Several values; none stands for all.
    Several(Vec<ChoiceValue>),
}

/// A value that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChoiceOption {
    /// The value for `costline.setView`.
    pub value: ChoiceValue,
    /// Its label in menus.
    pub label: String,
    /// A few words more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub description: Option<String>,
    /// And more, for a line of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub detail: Option<String>,
    /// Whether it is chosen.
    pub active: bool,
}

/// A transform that is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppliedTransform {
    /// As text: `merge-function:parse`.
    pub text: String,
    /// As JSON.
    pub transform: TransformData,
}

/// A command to run as it is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Action {
    /// The command.
    pub command: ActionCommand,
    /// Its title in menus.
    pub title: String,
    /// Its arguments.
    pub arguments: Vec<Choices>,
}

/// A command that is offered as an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum ActionCommand {
    /// Reads the profile again.
    #[serde(rename = "costline.reload")]
    Reload,
    /// Draws a flame graph.
    #[serde(rename = "costline.flamegraph")]
    Flamegraph,
    /// Chooses something.
    #[serde(rename = "costline.setView")]
    SetView,
    /// Removes the last transform.
    #[serde(rename = "costline.popTransform")]
    PopTransform,
    /// Removes all transforms.
    #[serde(rename = "costline.clearTransforms")]
    ClearTransforms,
}

impl From<&str> for ChoiceValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&Path> for ChoiceValue {
    fn from(path: &Path) -> Self {
        Self::Text(path.to_string_lossy().into_owned())
    }
}

impl<T> From<Option<T>> for ChoiceValue
where
    Self: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Self::from)
    }
}

/// All of it.
pub fn view(world: &World) -> View {
    let transforms = world.settings.transforms.iter().map(|transform| AppliedTransform {
        text: plain(&transform.to_string()).into_owned(),
        transform: TransformData::from(transform),
    });
    View {
        shown: shown(world),
        choices: choices(world),
        transforms: transforms.collect(),
        actions: actions(world),
    }
}

fn choices(world: &World) -> Vec<Choice> {
    let settings = &world.settings;
    let mut choices = vec![profile(world)];
    if let Some(shown) = world.snapshot() {
        choices.push(metric(shown));
        choices.push(threads(shown));
        if shown.grouped.recording.knows_code() {
            choices.push(implementation(settings.implementation));
        }
        if shown.grouped.recording.knows_inlined() {
            choices.push(inlines(settings.inlines));
        }
    }
    choices.push(unit(settings.unit));
    choices.push(show(settings.hints.show));
    choices.extend(world.snapshot().map(|shown| baseline(world, shown)));
    choices.retain(|choice| choice.options.len() > 1);
    choices
}

/// A choice of one among fixed values: value, name, label and description of each.
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

fn implementation(chosen: Implementation) -> Choice {
    let options = [
        (Implementation::All, "all", "All code", "JavaScript and what runs it"),
        (Implementation::Js, "js", "JavaScript", "what it calls is its own cost"),
        (
            Implementation::Native,
            "native",
            "Native code",
            "the cost of JavaScript is that of what runs it",
        ),
    ];
    one_of(ChoiceKey::Implementation, "Code", &chosen, options)
}

fn inlines(chosen: Inlines) -> Choice {
    let options = [
        (Inlines::Body, "body", "Where it is written", "at the lines of the inlined function"),
        (Inlines::CallSite, "callSite", "Where it is called", "at the line of the outermost call"),
    ];
    one_of(ChoiceKey::Inlines, "Inlined code", &chosen, options)
}

fn unit(chosen: Unit) -> Choice {
    let options = [
        (Unit::Percent, "percent", "Percent", "share of the total"),
        (Unit::Absolute, "absolute", "Absolute", "time, bytes or samples"),
        (Unit::Both, "both", "Both", "percent and absolute"),
    ];
    one_of(ChoiceKey::Unit, "Unit", &chosen, options)
}

fn show(chosen: Show) -> Choice {
    let options = [
        (Show::Total, "total", "Total", "with what is called from there"),
        (Show::Self_, "self", "Self", "without what is called from there"),
        (Show::Both, "both", "Both", "total and self"),
    ];
    one_of(ChoiceKey::Show, "Hints", &chosen, options)
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
        let folder = path.parent().unwrap_or(path);
        let folder = world.roots.iter().find_map(|root| folder.strip_prefix(root).ok());
        let folder = folder.unwrap_or(path.parent().unwrap_or(path)).to_string_lossy();
        let detail = problem(world, path).or((!folder.is_empty()).then_some(&*folder));
        ChoiceOption {
            value: path.as_path().into(),
            label: file_label(path),
            description: Some(format!("{format}, written {age} ago{files}")),
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

fn file_label(path: &Path) -> String {
    plain(&path.file_name().unwrap_or_default().to_string_lossy()).into_owned()
}

/// Nothing, what is shown now, or another run.
fn baseline(world: &World, shown: &Snapshot) -> Choice {
    let known = world.baseline.as_ref().map(|baseline| &baseline.snapshot.loaded);
    let of_shown = known.filter(|known| known.path == shown.loaded.path);
    let written = of_shown
        .map(|known| format!("now that which was written {} ago", units::age(known.stamp.age())));
    let kept = || "and stays so when the profile is rewritten".to_owned();
    let nothing = ChoiceOption {
        value: ChoiceValue::Nothing,
        label: "Nothing".to_owned(),
        description: None,
        detail: None,
        active: known.is_none(),
    };
    let now = ChoiceOption {
        value: ChoiceValue::Flag(true),
        label: "What is shown now".to_owned(),
        description: Some(written.unwrap_or_else(kept)),
        detail: None,
        active: of_shown.is_some(),
    };
    let others = runs_found(world).into_iter().filter(|run| !run.shown);
    let others = others.map(|run| {
        let is_known = known.is_some_and(|known| known.path == run.file.path);
        other_baseline(&run.file, is_known)
    });
    let value = match known {
        Some(_) if of_shown.is_some() => ChoiceValue::Flag(true),
        known => known.map(|known| known.path.as_path()).into(),
    };
    Choice {
        key: ChoiceKey::Baseline,
        title: "Compare with".to_owned(),
        multiple: false,
        value: Chosen::One(value),
        options: [nothing, now].into_iter().chain(others).collect(),
    }
}

fn other_baseline(file: &Candidate, active: bool) -> ChoiceOption {
    let age = units::age(file.stamp.age());
    ChoiceOption {
        value: file.path.as_path().into(),
        label: file_label(&file.path),
        description: Some(format!("{}, written {age} ago", file.format.name())),
        detail: None,
        active,
    }
}

fn metric(shown: &Snapshot) -> Choice {
    let current = shown.costs.metric.name.as_str();
    let mut names: Vec<&str> = Vec::new();
    let mut options = Vec::new();
    for metric in shown.grouped.recording.metrics() {
        // Of several of one name only the first can be chosen.
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

/// One option per thread that can be told from the others, else one for those that cannot.
fn threads(shown: &Snapshot) -> Choice {
    let totals = analysis::thread_totals(&shown.grouped.recording, &shown.grouped.view);
    let all: f64 = totals.iter().map(|thread| thread.total).sum();
    let named = by_name(shown.grouped.recording.threads());
    // What is called exactly so is meant, whatever signs the name contains.
    let means = |value: &str| named.get(value).map_or(&[][..], Vec::as_slice);
    let mut known: Vec<&[ThreadId]> = Vec::new();
    let mut options = Vec::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(shown.grouped.recording.threads()) {
        let alone = names(thread).find(|value| means(value) == [id]);
        let value = alone.unwrap_or(&thread.name);
        let meant = means(value);
        if known.contains(&meant) {
            continue;
        }
        known.push(meant);
        let total: f64 = totals
            .iter()
            .filter(|total| meant.contains(&total.thread))
            .map(|ThreadTotal { total, .. }| total)
            .sum();
        let active = match &shown.grouped.view.threads {
            ThreadChoice::All => true,
            ThreadChoice::Only(chosen) => meant.iter().all(|thread| chosen.contains(thread)),
        };
        let share = units::percent(total, all);
        options.push(thread_option(thread, value, meant.len(), &share, active));
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

/// What a thread can be called by.
fn names(thread: &Thread) -> impl Iterator<Item = &str> {
    [Some(thread.name.as_str()), thread.tid.as_deref(), thread.pid.as_deref()].into_iter().flatten()
}

/// Which threads each name stands for.
fn by_name(threads: &[Thread]) -> HashMap<&str, Vec<ThreadId>> {
    let mut named: HashMap<&str, Vec<ThreadId>> = HashMap::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(threads) {
        for name in names(thread) {
            let known = named.entry(name).or_default();
            known.extend((known.last() != Some(&id)).then_some(id));
        }
    }
    named
}

/// The option for the `count` threads that `value` stands for, of which `thread` is the first.
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
        actions.push(action(ActionCommand::Reload, "Read the profile again", Vec::new()));
        if shown.grouped.recording.summed().is_none() {
            let title = "Flame graph in the browser";
            actions.push(action(ActionCommand::Flamegraph, title, Vec::new()));
        }
    }
    if world.pick.is_some() {
        let title = if world.settings.profile.is_some() {
            "Show the profile of the settings"
        } else {
            "Show the newest profile"
        };
        let newest = Choices { profile: Some(None), ..Choices::default() };
        actions.push(action(ActionCommand::SetView, title, vec![newest]));
    }
    if let Some(last) = world.settings.transforms.last() {
        let title = format!("Take back {last}");
        actions.push(action(ActionCommand::PopTransform, &title, Vec::new()));
        let title = "Take back all transforms";
        actions.push(action(ActionCommand::ClearTransforms, title, Vec::new()));
    }
    if world.overrides.overrides() {
        let title = "View by the settings";
        actions.push(action(ActionCommand::SetView, title, vec![Choices::all_back()]));
    }
    actions
}
