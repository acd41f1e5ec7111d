//! The commands that menus offer for the view.

use crate::query::action::{Action, ActionCommand};
use crate::view::given::Given;
use crate::view::node::{Levels, NodeChoice};
use crate::view::options::Choices;
use crate::view::transforms::TransformData;
use crate::world::World;
use analysis::{Name, Transform, TransformKind, label_keys};
use loading::Snapshot;
use loading::text::plain;

/// The maximum number of keys of labels.
const MAX_KEYS: usize = 4;

/// The commands to offer. `caller` is the caller of the chosen call node, `last_transform` the last
/// transform as text.
pub(super) fn actions(
    world: &World,
    caller: Option<&str>,
    last_transform: Option<&str>,
) -> Vec<Action> {
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
    for key in world.snapshot().into_iter().flat_map(|shown| keys_to_split_by(world, shown)) {
        let title = format!("Split call tree and flame graph by label {key}");
        let split = Transform {
            kind: TransformKind::SplitByLabel,
            names: vec![Name::Text(key)],
            implementation: None,
        };
        let transforms = world.settings.transforms.iter().chain([&split]);
        let transforms = Given::Set(transforms.map(TransformData::from).collect());
        let choices = Choices { transforms, ..Choices::default() };
        actions.push(action(ActionCommand::SetView, &title, vec![choices]));
    }
    if !world.pick.is_empty() {
        let title = if world.settings.profile.is_some() {
            "Show the profile in the settings"
        } else {
            "Show the newest profile"
        };
        let newest = Choices { profile: Given::Reset, ..Choices::default() };
        actions.push(action(ActionCommand::SetView, title, vec![newest]));
    }
    if let Some(chosen) = &world.overrides.node {
        let set = |title: &str, node| {
            let choices = Choices { node, ..Choices::default() };
            action(ActionCommand::SetView, title, vec![choices])
        };
        if let Some(caller) = caller {
            let levels = chosen.path().len() - 1;
            let choice = NodeChoice::Caller(Levels { levels });
            actions.push(set(&format!("Show the costs of {caller} again"), Given::Set(choice)));
        }
        actions.push(set("Show the costs of all nodes again", Given::Reset));
    }
    if world.settings.range.is_some() {
        let title = "Show the whole recording";
        let all = Choices { range: Given::Reset, ..Choices::default() };
        actions.push(action(ActionCommand::SetView, title, vec![all]));
    }
    if !world.settings.search.is_empty() {
        let title = format!("Clear the search for {}", world.settings.search);
        let all = Choices { search: Given::Reset, ..Choices::default() };
        actions.push(action(ActionCommand::SetView, &title, vec![all]));
    }
    if let Some(last) = last_transform {
        let title = format!("Remove {last}");
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

/// The keys of labels by which stacks are not split yet, the first few.
fn keys_to_split_by(world: &World, shown: &Snapshot) -> Vec<String> {
    let mut keys = label_keys(&shown.grouped.recording);
    keys.retain(|key| {
        !world.settings.transforms.iter().any(|transform| {
            transform.kind == TransformKind::SplitByLabel
                && transform.names.iter().any(|name| name.text() == key)
        })
    });
    keys.truncate(MAX_KEYS);
    keys
}
