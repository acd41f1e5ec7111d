//! Call paths in the form that clients keep. They stay valid when the profile is
//! rewritten.

pub(crate) mod fields;
pub(crate) mod places;

use crate::compare::before::Before;
use crate::compare::overlay::{Overlaid, OverlayData};
use crate::items::fields::{CostFields, PlaceFields};
use crate::items::places::{Place, function_place};
use crate::keys::Key;
use crate::keys::earlier_paths::{Under, current};
use crate::keys::weight::Weight;
use crate::lines::text::Range;
use crate::present::labels::{Part, Scale};
use crate::present::names::NameParts;
use crate::world::context::Context;
use analysis::{Around, Cost, FunctionId, PathKind, PathStep, Recursion, Total};
use loading::text::plain;
use loading::{Snapshot, units};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use url::Url;

/// The direction in which calls are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// To callers.
    Incoming,
    /// To callees.
    Outgoing,
}

impl From<Around> for Direction {
    fn from(around: Around) -> Self {
        match around {
            Around::Callers => Self::Incoming,
            Around::Callees => Self::Outgoing,
        }
    }
}

/// The functions of a path that is followed in `direction`. `None` if the profile does not have all
/// of them.
pub fn path(snapshot: &Snapshot, keys: &[Key], direction: Direction) -> Option<Vec<FunctionId>> {
    let mut path = Vec::new();
    for key in keys {
        let mut functions = key.functions(snapshot);
        if functions.is_empty() {
            return None;
        }
        // `functions` goes from the physical function to inlined ones, that is, to callees.
        if direction == Direction::Incoming {
            functions.reverse();
        }
        path.append(&mut functions);
    }
    Some(path)
}

/// The raw cost of a hint, lens or item, in addition to its label.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CostData {
    /// The version of this object: 1.
    pub v: u32,
    /// The self cost. Null if it is unknown.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// The total. Null if it is not exact.
    pub total: Option<Weight>,
    /// The unit of both.
    pub unit: String,
    /// The metric of both.
    pub metric: String,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// The cost in the overlay. Missing without an overlay, and if it is zero or not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "OverlayData")]
    pub overlay: Option<OverlayData>,
}

impl CostData {
    /// The data with the cost in the overlay.
    #[must_use]
    pub fn beside(self, overlaid: Option<Overlaid<'_>>) -> Self {
        Self { overlay: overlaid.map(OverlayData::from), ..self }
    }

    /// The data of a cost.
    pub fn new(scale: Scale<'_>, cost: Cost, before: Option<Before>) -> Self {
        Self::with_self(scale, scale.self_of(cost), cost.total, before)
    }

    /// The data of a cost whose self cost may be unknown.
    pub fn with_self(
        scale: Scale<'_>,
        self_: Option<f64>,
        total: Total,
        before: Option<Before>,
    ) -> Self {
        Self {
            v: 1,
            self_: self_.map(Weight),
            total: Weight::of_total(total),
            unit: scale.metric.unit.clone(),
            metric: scale.metric.name.clone(),
            fields: CostFields::new(scale, self_, total, before),
            overlay: None,
        }
    }
}

/// A function at the end of a call path, serialized as an LSP `CallHierarchyItem`. Clients pass it
/// to the call hierarchy and to commands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The function's cost and name: `45.6% parse_value`, with a baseline `45.6% ▲1.20 s
    /// parse_value`.
    pub name: String,
    /// The LSP symbol kind: 12, a function.
    pub kind: u32,
    /// `costline`, and `detail` of the data.
    pub detail: String,
    /// The file, or a `costline:` document.
    pub uri: Url,
    /// The line of the definition.
    pub range: Range,
    /// The name in that line.
    pub selection_range: Range,
    /// The data that the server needs to follow calls.
    pub data: ItemData,
}

/// The `data` of an item.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ItemData {
    /// The cost of the path.
    #[serde(flatten)]
    pub cost: CostData,
    /// The function's full name.
    pub name: String,
    /// The name in parts.
    #[serde(flatten)]
    pub parts: NameParts,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The place and the self cost for display: `app.py:12 · self 4.0%`. Of a caller, the cost of
    /// the samples that start there: `app.py:12 · starts here 4.0%`.
    pub detail: String,
    /// Whether it is a recursive call. Its cost is then not part of the sum of its siblings.
    pub recursive: bool,
    /// Whether it has no calls in the direction of `dir`. Null for a root.
    pub leaf: Option<bool>,
    /// The direction in which the path was followed. Null for a root.
    pub dir: Option<Direction>,
    /// The path from the root to this function. Empty for what no caller or callee accounts for, which
    /// has no calls.
    pub path: Vec<Key>,
    /// Whether each recursive call is a function of the path. Otherwise consecutive calls of one
    /// function are one.
    pub exact: bool,
    /// Identifies the transforms that the path was found under. Missing without transforms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub transforms: Option<String>,
    /// The workspace folder whose profile has the cost. Missing if there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PathBuf")]
    pub folder: Option<PathBuf>,
    /// Call sites that are not within the definition of the caller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<CallSite>,
}

/// A call site.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CallSite {
    /// The name of the file in the profile.
    pub file: String,
    /// The line, 0-based: in the current text if the file is in the workspace, or else as recorded.
    pub line0: u32,
    /// The weight of its calls.
    pub total: Weight,
}

/// An item that a client passes to the server. It may come from another server, with any `data`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ItemArgument")]
pub struct GivenItem {
    /// The name of the item.
    pub name: String,
    /// The LSP symbol kind.
    pub kind: u32,
    /// The LSP symbol tags.
    #[serde(default)]
    pub tags: Option<Vec<u32>>,
    /// The detail of the item.
    #[serde(default)]
    pub detail: Option<String>,
    /// The URI of the item.
    pub uri: String,
    /// The range of the item.
    pub range: Range,
    /// The selection range of the item.
    pub selection_range: Range,
    /// The data of the item.
    #[serde(default)]
    pub data: serde_json::Value,
}

impl GivenItem {
    /// The path of the item. `None` if it comes from another server.
    pub fn path(&self) -> Option<ItemPath> {
        ItemPath::deserialize(&self.data).ok()
    }
}

/// The path in the `data` of an item.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ItemPath {
    v: u32,
    dir: Option<Direction>,
    path: Vec<Key>,
    /// `None` stands for false: Emacs's lsp-mode returns it as null.
    exact: Option<bool>,
    /// The id of the transforms that the path was found under. `None` if there were none.
    #[serde(default)]
    transforms: Option<String>,
    /// The workspace folder whose profile the item is of. `None` if there was only one.
    #[serde(default)]
    pub folder: Option<PathBuf>,
}

/// A path of functions whose callers or callees are requested.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPath {
    /// The functions, beginning at the root.
    pub functions: Vec<FunctionId>,
    /// Whether consecutive calls of one function are one function of the path.
    pub recursion: Recursion,
}

impl ItemPath {
    /// The functions of the path, to follow in `direction`. If that is not the direction of the
    /// path, a new path starts at the item's function. A path that was found under other transforms
    /// is rewritten. `None` if the item comes from another server or another profile, or if
    /// transforms leave nothing of it.
    pub fn resolve(&self, snapshot: &Snapshot, direction: Direction) -> Option<CallPath> {
        if self.v != 1 || self.path.is_empty() {
            return None;
        }
        let recursion =
            if self.exact == Some(true) { Recursion::Exact } else { Recursion::Collapsed };
        let dir = self.dir.unwrap_or(direction);
        let functions = path(snapshot, &self.path, dir)?;
        let under = self.transforms.as_deref().map_or(Under::Nothing, Under::Id);
        let kind = match dir {
            Direction::Incoming => PathKind::Callers(recursion),
            Direction::Outgoing => PathKind::Callees(recursion),
        };
        let exists = |path: &[FunctionId]| {
            let step = match dir {
                Direction::Incoming => snapshot.tree.callers(path, recursion),
                Direction::Outgoing => snapshot.tree.callees(path, recursion),
            };
            step.total != 0.0 || !step.entries.is_empty()
        };
        let functions = current(snapshot, functions, kind, under, exists)?;
        if dir != direction {
            let functions = functions.last().copied().into_iter().collect();
            return Some(CallPath { functions, recursion: Recursion::Collapsed });
        }
        Some(CallPath { functions, recursion })
    }
}

/// The cost of a path.
#[derive(Debug, Clone, Copy)]
pub struct PathCost {
    /// The self cost of its last function. `None` if it is unknown.
    pub self_: Option<f64>,
    /// The total.
    pub total: Total,
    /// Whether its last function is a recursive call, which is not part of the sum of its siblings.
    pub recursive: bool,
    /// Whether its last function has no calls in the direction of the path. `None` if that is
    /// unknown.
    pub leaf: Option<bool>,
    /// The cost of the path in the baseline.
    pub before: Option<Before>,
}

/// The item of the last function of `path`.
pub fn item(
    context: &Context,
    snapshot: &Snapshot,
    direction: Option<Direction>,
    path: &CallPath,
    cost: &PathCost,
) -> Option<Item> {
    let function = *path.functions.last()?;
    let this = snapshot.function(function);
    let key = Key::of(snapshot, function);
    let folder = context.world.root.clone().filter(|_| context.world.roots.len() > 1);
    let Place { uri, range, selection } = function_place(context, snapshot, function)
        .unwrap_or_else(|| Place {
            uri: key.uri(folder.as_deref()),
            range: Range::default(),
            selection: Range::default(),
        });
    let place = PlaceFields::of_function(context, snapshot, function);
    let scale = context.scale(snapshot);
    let format = |weight| scale.weight(weight);
    let mark = if cost.recursive { "↻ " } else { "" };
    let compared = Cost { self_: cost.self_.unwrap_or_default(), total: cost.total };
    let delta = scale.delta(compared, cost.before, Part::Total);
    let own = match (direction, cost.self_) {
        (_, None) | (Some(Direction::Incoming), Some(0.0)) => String::new(),
        (Some(Direction::Incoming), Some(own)) => format!(" · starts here {}", format(own)),
        (_, Some(own)) => format!(" · self {}", format(own)),
    };
    let detail = format!("{}{own}", place.place_text);
    let stated = match (cost.total, cost.self_) {
        (Total::Unknown, Some(own)) => format!("self {}", format(own)),
        (total, _) => units::total(total, format),
    };
    Some(Item {
        name: format!("{mark}{stated}{delta} {}", plain(this.name)),
        kind: 12,
        detail: format!("costline · {detail}"),
        uri,
        range,
        selection_range: selection,
        data: ItemData {
            cost: CostData::with_self(scale, cost.self_, cost.total, cost.before),
            name: this.name.to_owned(),
            parts: NameParts::of(this.name),
            place,
            detail,
            recursive: cost.recursive,
            leaf: cost.leaf,
            dir: direction,
            path: path.functions.iter().map(|&function| Key::of(snapshot, function)).collect(),
            exact: path.recursion == Recursion::Exact,
            transforms: snapshot.grouped.rewrites.id().map(str::to_owned),
            folder,
            sites: Vec::new(),
        },
    })
}

/// The name of what the callers or callees of a path do not account for.
pub fn rest_name(snapshot: &Snapshot, direction: Direction) -> &'static str {
    match direction {
        Direction::Outgoing => "self",
        Direction::Incoming if snapshot.tree.has_stacks() => "no caller: the stack begins here",
        Direction::Incoming => "no recorded caller",
    }
}

/// The item of what the callers or callees of `path` do not account for. It has no path itself. `None` if
/// that is nothing, or not known.
pub fn rest_item(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &CallPath,
    step: &PathStep,
) -> Option<Item> {
    let total = step.rest()?;
    let (leaf, before) = (Some(true), None);
    let cost = PathCost { self_: None, total, recursive: false, leaf, before };
    let item = item(context, snapshot, Some(direction), path, &cost)?;
    let scale = context.scale(snapshot);
    let name = rest_name(snapshot, direction);
    Some(Item {
        name: format!("{} {name}", units::total(total, |weight| scale.weight(weight))),
        data: ItemData {
            name: name.to_owned(),
            parts: NameParts { short_name: name.to_owned(), qualifier: None },
            path: Vec::new(),
            ..item.data
        },
        ..item
    })
}

/// The item of a function as the root of a path.
pub fn root_item(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Option<Item> {
    let Cost { self_, total } = snapshot.costs.function(function).cost;
    let before = context.function_before(snapshot, function);
    let cost = PathCost { self_: Some(self_), total, recursive: false, leaf: None, before };
    let path = CallPath { functions: vec![function], recursion: Recursion::Collapsed };
    item(context, snapshot, None, &path, &cost)
}
