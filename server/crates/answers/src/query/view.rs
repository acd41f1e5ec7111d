//! What is shown, the choices, and the actions. Clients build their menus from this alone.

pub(crate) mod actions;
pub(crate) mod choices;
pub(crate) mod labels;
pub(crate) mod threads;

use super::action::Action;
use super::choices::Choice;
use super::profiles::{Shown, shown};
use crate::keys::Key;
use crate::query::health::is_resolving;
use crate::ranking::By;
use crate::session::named_views;
use crate::values::values;
use crate::view::node::{ChosenNode, Levels};
use crate::view::transforms::TransformData;
use crate::world::World;
use actions::actions;
use analysis::Transform;
use choices::choices;
use loading::Grouped;
use loading::text::plain;
use schemars::JsonSchema;
use serde::Serialize;

/// What is shown, the choices, and the actions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct View {
    /// A summary of what is shown.
    #[serde(flatten)]
    pub shown: Shown,
    /// Whether addresses of the profile are still being resolved. Until then, names and lines may be
    /// missing, and `health` says nothing about them.
    pub resolving: bool,
    /// The choices of `costline.setView`, in the order of menus. Choices with fewer than two
    /// options are omitted.
    pub choices: Vec<Choice>,
    /// The name of the view that is shown, if it is one of the setting `views`.
    pub view: Option<String>,
    /// The time range that is shown, in milliseconds since the first sample: `2..5 ms`. Null: all.
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
    let last_transform = world.settings.transforms.last().map(|last| notation(world, last));
    let node = node(world);
    let caller = match node.as_slice() {
        [.., caller, _] => Some(caller.name.as_str()),
        _ => None,
    };
    View {
        shown: shown(world),
        resolving: world.snapshot().is_some_and(|shown| is_resolving(shown)),
        choices: choices(world),
        view: named_views::current(world).map(str::to_owned),
        range: world.settings.range.map(|range| range.to_string()),
        search: Some(plain(&world.settings.search).into_owned()).filter(|text| !text.is_empty()),
        transforms: transforms.collect(),
        hot_spots: hot_spots(world),
        actions: actions(world, caller, last_transform.as_deref()),
        node,
    }
}

/// What hot spots can be listed by.
fn hot_spots(world: &World) -> Vec<By> {
    let Some(shown) = world.snapshot() else { return Vec::new() };
    values::<By>().into_iter().map(|by| by.value).filter(|by| by.is_known_of(shown)).collect()
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
