//! `source.costline`: the commands for the function at a line with costs and for the view, so that
//! editors without a plug-in can pass their arguments.

use crate::lsp::command::{
    CLEAR_BASELINE, POP_TRANSFORM, PUSH_TRANSFORM, SELECT_PROFILE, SET_BASELINE, SET_VIEW,
    SHOW_CALLEES, SHOW_CALLERS,
};
use answers::text::{one_line, plain};
use answers::{
    Choice, ChoiceKey, ChoiceOption, Context, Key, Position, View, functions_at, name_with_place,
    root_item, view,
};
use lsp_types::{Command, Url};
use serde_json::{Value, json};

/// The kind.
pub const KIND: &str = "source.costline";

/// The maximum number of functions, other metrics and other profiles that have actions.
const MAX_OPTIONS: usize = 3;

/// The actions for a line with costs. None for other lines.
pub fn actions(context: &Context, uri: &Url, position: Position) -> Vec<Command> {
    let Some(open) = context.open_file(uri) else { return Vec::new() };
    let snapshot = &open.snapshot;
    let functions = functions_at(&open, position);
    let line0 = position.line0;
    if functions.is_empty() && open.lines().costs(line0..line0 + 1).is_empty() {
        return Vec::new();
    }
    let mut actions = Vec::new();
    for &function in functions.iter().take(MAX_OPTIONS) {
        let name = match functions.len() {
            1 => snapshot.function(function).name.to_owned(),
            _ => name_with_place(context, snapshot, function),
        };
        let name = plain(&name);
        if let Some(item) = root_item(context, snapshot, function) {
            let item = json!([item]);
            actions.push(action(&format!("callers of {name}"), SHOW_CALLERS, item.clone()));
            actions.push(action(&format!("callees of {name}"), SHOW_CALLEES, item));
        }
        if snapshot.grouped.recording.sampled().is_some() {
            let key = Key::of(snapshot, function);
            let transform = |kind: &str| json!([{ "type": kind, "function": key }]);
            let focus = transform("focus-function");
            actions.push(action(&format!("focus on {name}"), PUSH_TRANSFORM, focus));
            let merge = transform("merge-function");
            actions.push(action(&format!("merge {name} into its callers"), PUSH_TRANSFORM, merge));
        }
    }
    actions.extend(of_view(&view(&context.world)));
    actions
}

/// The actions that change what is shown.
fn of_view(view: &View) -> Vec<Command> {
    let mut actions = Vec::new();
    if let Some(last) = view.transforms.last() {
        actions.push(action(&format!("remove {}", last.text), POP_TRANSFORM, json!([])));
    }
    actions.push(match &view.shown.baseline {
        None => action("compare with the profile shown now", SET_BASELINE, json!([])),
        Some(baseline) => {
            let title = format!("stop comparing with {}", plain(&baseline.name));
            action(&title, CLEAR_BASELINE, json!([]))
        }
    });
    for option in others(view, ChoiceKey::Metric) {
        let title = format!("show the metric {}", option.label);
        actions.push(action(&title, SET_VIEW, json!([{ "metric": option.value }])));
    }
    for option in others(view, ChoiceKey::Profile) {
        let title = format!("show {}", option.label);
        actions.push(action(&title, SELECT_PROFILE, json!([option.value])));
    }
    actions
}

/// The first options of a choice that are not chosen.
fn others(view: &View, key: ChoiceKey) -> impl Iterator<Item = &ChoiceOption> {
    let choice = view.choices.iter().find(move |choice: &&Choice| choice.key == key);
    let options = choice.map_or(&[][..], |choice| &choice.options).iter();
    options.filter(|option| !option.active).take(MAX_OPTIONS)
}

fn action(what: &str, command: &str, arguments: Value) -> Command {
    let arguments = match arguments {
        Value::Array(arguments) => arguments,
        one => vec![one],
    };
    Command {
        title: one_line(&format!("Costline: {what}")).into_owned(),
        command: command.to_owned(),
        arguments: Some(arguments),
    }
}
