//! `costline.view`: what is shown, what can be chosen instead, and what can be run. Clients build their menus from this alone.
//!
//! What a choice does is up to the loader and to `session::chosen`, whose keys these are.

use super::profiles::{entries, facts, file_name, problem};
use crate::present::{text::plain, units};
use crate::session::chosen::KEYS;
use crate::session::config::{Implementation, Inlines, Show, Unit};
use crate::session::snapshot::Snapshot;
use crate::session::transforms;
use crate::session::world::World;
use analysis::{ThreadChoice, ThreadTotal};
use profile::{Thread, ThreadId};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::PathBuf;

/// All of it.
pub fn view(world: &World) -> Value {
    let transforms = world
        .config
        .transforms
        .iter()
        .map(|transform| json!({"text": plain(&transform.to_string()), "transform": transforms::to_json(transform)}));
    let mut view = facts(world);
    view.insert("choices".to_owned(), Value::Array(choices(world)));
    view.insert("transforms".to_owned(), transforms.collect());
    view.insert("actions".to_owned(), Value::Array(actions(world)));
    Value::Object(view)
}

/// What there is to choose, in the order of menus. What has a single possible value is left out.
fn choices(world: &World) -> Vec<Value> {
    let config = &world.config;
    let mut choices = vec![profile(world)];
    if let Some(shown) = world.snapshot() {
        choices.push(metric(shown));
        choices.push(threads(shown));
        if shown.recording.knows_code() {
            let options = [
                (Implementation::All, "All code", "JavaScript and what runs it"),
                (Implementation::Js, "JavaScript", "what it calls is its own cost"),
                (Implementation::Native, "Native code", "the cost of JavaScript is that of what runs it"),
            ];
            choices.push(one_of("implementation", "Code", &config.implementation, options));
        }
        if shown.recording.knows_inlined() {
            let options = [
                (Inlines::Body, "Where it is written", "at the lines of the inlined function"),
                (Inlines::CallSite, "Where it is called", "at the line of the outermost call"),
            ];
            choices.push(one_of("inlines", "Inlined code", &config.inlines, options));
        }
    }
    let units = [
        (Unit::Percent, "Percent", "share of the total"),
        (Unit::Absolute, "Absolute", "time, bytes or samples"),
        (Unit::Both, "Both", "percent and absolute"),
    ];
    choices.push(one_of("unit", "Unit", &config.unit, units));
    let shows = [
        (Show::Total, "Total", "with what is called from there"),
        (Show::Self_, "Self", "without what is called from there"),
        (Show::Both, "Both", "total and self"),
    ];
    choices.push(one_of("show", "Hints", &config.hints.show, shows));
    choices.extend(world.snapshot().map(|shown| baseline(world, shown)));
    choices.retain(|choice| choice["options"].as_array().is_some_and(|options| options.len() > 1));
    choices
}

fn one_of<T: Serialize + PartialEq, const N: usize>(key: &str, title: &str, value: &T, options: [(T, &str, &str); N]) -> Value {
    let options = options.map(|(option, label, description)| {
        json!({"value": option, "label": label, "description": description, "active": option == *value})
    });
    json!({"key": key, "title": title, "multiple": false, "value": value, "options": options.as_slice()})
}

/// One option per run.
fn profile(world: &World) -> Value {
    let options = entries(world).into_iter().map(|entry| {
        let (path, format) = (&entry.file.path, entry.file.format.title());
        let files = if entry.files.len() > 1 { format!(" · {} files", entry.files.len()) } else { String::new() };
        let folder = path.parent().unwrap_or(path);
        let folder = world.roots.iter().find_map(|root| folder.strip_prefix(root).ok()).unwrap_or(folder).to_string_lossy();
        json!({
            "value": path,
            "label": plain(&file_name(path)),
            "description": format!("{format}, written {} ago{files}", units::age(entry.file.stamp.age())),
            "detail": problem(world, path).map(plain).or_else(|| (!folder.is_empty()).then(|| plain(&folder))),
            "active": entry.shown,
        })
    });
    let shown = world.snapshot().map(|shown| &shown.loaded.path);
    json!({"key": "profile", "title": "Profile", "multiple": false, "value": shown, "options": options.map(without_nulls).collect::<Vec<_>>()})
}

/// Nothing, what is shown now, or another run.
fn baseline(world: &World, shown: &Snapshot) -> Value {
    let known = world.baseline.as_ref().map(|baseline| &baseline.snapshot.loaded);
    let is_known = |path: &PathBuf| known.is_some_and(|known| known.path == *path);
    let of_shown = known.filter(|known| known.path == shown.loaded.path);
    let was = of_shown.map(|known| format!("now that which was written {} ago", units::age(known.stamp.age())));
    let mut options = vec![
        json!({"value": null, "label": "Nothing", "active": known.is_none()}),
        json!({
            "value": true,
            "label": "What is shown now",
            "description": was.unwrap_or_else(|| "and stays so when the profile is rewritten".to_owned()),
            "active": of_shown.is_some(),
        }),
    ];
    let others = entries(world).into_iter().filter(|entry| !entry.shown).map(|entry| entry.file);
    options.extend(others.map(|file| {
        json!({
            "value": file.path,
            "label": plain(&file_name(&file.path)),
            "description": format!("{}, written {} ago", file.format.name(), units::age(file.stamp.age())),
            "active": is_known(&file.path),
        })
    }));
    let value = if of_shown.is_some() { json!(true) } else { json!(known.map(|known| &known.path)) };
    json!({"key": "baseline", "title": "Compare with", "multiple": false, "value": value, "options": options})
}

fn metric(shown: &Snapshot) -> Value {
    let current = &shown.costs.metric.name;
    let mut names: Vec<&str> = Vec::new();
    let mut options = Vec::new();
    for metric in shown.recording.metrics() {
        // Of several of one name only the first can be chosen.
        if !names.contains(&metric.name.as_str()) {
            names.push(&metric.name);
            let unit = (metric.unit != metric.name).then(|| plain(&metric.unit));
            let active = metric.name == *current;
            let option = json!({"value": metric.name, "label": plain(&metric.name), "description": unit, "active": active});
            options.push(without_nulls(option));
        }
    }
    json!({"key": "metric", "title": "Metric", "multiple": false, "value": current, "options": options})
}

/// One option per thread that can be told from the others, else one for those that cannot. No value: all of them.
fn threads(shown: &Snapshot) -> Value {
    let (threads, totals) = (shown.recording.threads(), analysis::thread_totals(&shown.recording, &shown.view));
    let all: f64 = totals.iter().map(|thread| thread.total).sum();
    let names = |thread: &'_ Thread| [Some(thread.name.clone()), thread.tid.clone(), thread.pid.clone()].into_iter().flatten();
    let mut named: HashMap<String, Vec<ThreadId>> = HashMap::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(threads) {
        for name in names(thread) {
            let known = named.entry(name).or_default();
            known.extend((known.last() != Some(&id)).then_some(id));
        }
    }
    // What is called exactly so is meant, whatever signs the name contains.
    let means = |value: &str| named.get(value).cloned().unwrap_or_default();
    let mut options: Vec<(Vec<ThreadId>, Value)> = Vec::new();
    for (id, thread) in (0..).map(ThreadId::new).zip(threads) {
        let alone = names(thread).find(|value| means(value) == [id]);
        let value = alone.unwrap_or_else(|| thread.name.clone());
        let meant = means(&value);
        if options.iter().any(|(known, _)| *known == meant) {
            continue;
        }
        let total: f64 = totals.iter().filter(|total| meant.contains(&total.thread)).map(|ThreadTotal { total, .. }| total).sum();
        let count = if meant.len() > 1 { format!(" · {} threads", meant.len()) } else { String::new() };
        let part = |what: &str, name: Option<&String>| {
            name.filter(|name| meant.len() == 1 && !name.is_empty()).map(|name| format!("{what} {}", plain(name)))
        };
        let process = Some(&thread.process_name).filter(|name| **name != thread.name);
        let detail = [part("process", process), part("pid", thread.pid.as_ref()), part("tid", thread.tid.as_ref())];
        let detail: Vec<_> = detail.into_iter().flatten().collect();
        let active = match &shown.view.threads {
            ThreadChoice::All => true,
            ThreadChoice::Only(chosen) => meant.iter().all(|thread| chosen.contains(thread)),
        };
        let option = json!({
            "value": value,
            "label": if thread.name.is_empty() { plain(&value) } else { plain(&thread.name) },
            "description": format!("{}{count}", units::percent(total, all)),
            "detail": (!detail.is_empty()).then(|| detail.join(" · ")),
            "active": active,
        });
        options.push((meant, without_nulls(option)));
    }
    let options: Vec<_> = options.into_iter().map(|(_, option)| option).collect();
    let value: Vec<_> = match &shown.view.threads {
        ThreadChoice::All => Vec::new(),
        ThreadChoice::Only(_) => {
            options.iter().filter(|option| option["active"] == true).map(|option| &option["value"]).collect()
        }
    };
    json!({"key": "threads", "title": "Threads", "multiple": true, "value": value, "options": options})
}

/// What is run as it is.
fn actions(world: &World) -> Vec<Value> {
    let action =
        |command: &str, title: &str, arguments: Value| json!({"command": command, "title": title, "arguments": arguments});
    let mut actions = Vec::new();
    if world.snapshot().is_some() {
        actions.push(action("costline.reload", "Read the profile again", json!([])));
    }
    if world.snapshot().is_some_and(|shown| shown.recording.summed().is_none()) {
        actions.push(action("costline.flamegraph", "Flame graph in the browser", json!([])));
    }
    if world.pick.is_some() {
        let whose = if world.config.profile.is_some() { "Show the profile of the settings" } else { "Show the newest profile" };
        actions.push(action("costline.setView", whose, json!([{"profile": null}])));
    }
    if let Some(last) = world.config.transforms.last() {
        actions.push(action("costline.popTransform", &plain(&format!("Take back {last}")), json!([])));
        actions.push(action("costline.clearTransforms", "Take back all transforms", json!([])));
    }
    if world.chosen.overrides() {
        let keys: Map<_, _> = KEYS.iter().map(|(key, _)| ((*key).to_owned(), Value::Null)).collect();
        actions.push(action("costline.setView", "View by the settings", json!([keys])));
    }
    actions
}

/// An option without the parts that it does not have.
fn without_nulls(mut option: Value) -> Value {
    if let Some(parts) = option.as_object_mut() {
        parts.retain(|_, part| !part.is_null());
    }
    option
}
