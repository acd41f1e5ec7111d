//! The choices of the view: their options, and which of these is chosen.

use super::labels::labels;
use super::threads::threads;
use crate::query::choices::{Choice, ChoiceKey, ChoiceOption, ChoiceValue, Chosen, file_label};
use crate::query::other_profiles::{baseline, overlay};
use crate::query::profiles::{problem, runs_found};
use crate::session::named_views;
use crate::view::options::Overrides;
use crate::world::World;
use analysis::threads_by_run;
use loading::preference::better_beside;
use loading::text::plain;
use loading::{Combine, Compare, Implementation, Inlines, Show, Snapshot, Unit, units};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn choices(world: &World) -> Vec<Choice> {
    let settings = &world.settings;
    let mut choices = vec![profile(world)];
    if let Some(shown) = world.snapshot() {
        if threads_by_run(&shown.loaded.recording, &shown.grouped.view.threads).len() > 1 {
            choices.push(combine(settings.combine));
        }
        choices.push(metric(shown));
        choices.push(threads(shown));
        choices.push(labels(shown));
        if shown.grouped.recording.knows_code() {
            choices.push(implementation(settings.implementation));
        }
        if shown.grouped.recording.knows_inlined() {
            choices.push(inlines(settings.inlines));
        }
        let mut functions = shown.costs.functions();
        let has_libraries = functions.any(|(function, _)| !shown.is_own(function));
        let may_be_own = || has_libraries && shown.grouped.no_own_code.is_none();
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

/// A choice of one of several fixed values. `options` has the value, label and description of each.
fn one_of<T: PartialEq + Serialize, const N: usize>(
    key: ChoiceKey,
    title: &str,
    chosen: &T,
    options: [(T, &str, &str); N],
) -> Choice {
    let options = options.map(|(option, label, description)| ChoiceOption {
        value: fixed(&option),
        label: label.to_owned(),
        description: Some(description.to_owned()),
        detail: None,
        active: option == *chosen,
    });
    Choice {
        key,
        title: title.to_owned(),
        multiple: false,
        value: Chosen::One(fixed(chosen)),
        options: options.into(),
    }
}

/// A fixed value, as `costline.setView` takes it.
fn fixed(value: &impl Serialize) -> ChoiceValue {
    match json!(value) {
        Value::String(name) => ChoiceValue::Text(name),
        Value::Bool(flag) => ChoiceValue::Flag(flag),
        _ => ChoiceValue::Nothing,
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
    let nothing = option(ChoiceValue::Nothing, "The view in the settings", is_default);
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
        (Combine::Sum, "Sum", "of all runs"),
        (Combine::Average, "Mean", "of the runs, with its spread"),
    ];
    one_of(ChoiceKey::Combine, "Several runs", &chosen, options)
}

fn implementation(chosen: Implementation) -> Choice {
    let options = [
        (Implementation::All, "All code", "JavaScript and native functions"),
        (
            Implementation::Js,
            "JavaScript",
            "native code is charged to the JavaScript that calls it",
        ),
        (Implementation::Native, "Native code", "JavaScript is charged to the engine that runs it"),
    ];
    one_of(ChoiceKey::Implementation, "Code", &chosen, options)
}

fn inlines(chosen: Inlines) -> Choice {
    let options = [
        (Inlines::Body, "Where it is defined", "on the lines of the inlined function"),
        (Inlines::CallSite, "Where it is called", "on the line of the outermost call"),
    ];
    one_of(ChoiceKey::Inlines, "Inlined code", &chosen, options)
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
    one_of(ChoiceKey::Own, "Own code", &chosen, options)
}

fn unit(chosen: Unit) -> Choice {
    let options = [
        (Unit::Percent, "Percent", "share of the total"),
        (Unit::Absolute, "Absolute", "time, bytes or samples"),
        (Unit::Both, "Both", "percent and absolute"),
    ];
    one_of(ChoiceKey::Unit, "Unit", &chosen, options)
}

fn compare(chosen: Compare) -> Choice {
    let options = [
        (Compare::Absolute, "Absolutely", "times, bytes and counts as they are"),
        (Compare::Share, "By share", "percentages of the total"),
    ];
    one_of(ChoiceKey::Compare, "Comparison", &chosen, options)
}

/// Execution counts are an option if the profile has them, or if they were chosen.
fn show(chosen: Show, shown: Option<&Snapshot>) -> Choice {
    let options = [
        (Show::Total, "Total", "including callees"),
        (Show::Self_, "Self", "without callees"),
        (Show::Both, "Both", "total and self"),
        (Show::Counts, "Executions", "how often lines were executed"),
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
    let shown = world.snapshot().map(|shown| shown.loaded.files.iter());
    let shown: Vec<&Path> = shown.into_iter().flatten().map(|(file, _)| &**file).collect();
    let better = better_beside(&world.candidates, &shown).map(|file| &file.path);
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
        let is_better = better.is_some_and(|better| run.files.contains(better));
        let better = is_better.then_some("tells where time goes; the one that is shown does not");
        let detail = problem(world, path).or(better).or((!folder.is_empty()).then_some(&*folder));
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
