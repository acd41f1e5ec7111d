//! Functions and call paths as clients hold them: valid after the profile was rewritten.

use crate::context::Context;
use crate::fields::{CostFields, PlaceFields};
use crate::places::{Place, function_place};
use crate::present::labels::Scale;
use crate::present::text::plain;
use crate::present::units;
use crate::snapshot::Snapshot;
use crate::text::Range;
use crate::weight::Weight;
use analysis::{Cost, FuncKey, FunctionId, Total};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

/// What identifies a function, in this recording and in the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FunctionKey")]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its file, as the profile spells it.
    pub file: Option<String>,
    /// Its library's short name.
    pub lib: Option<String>,
    /// Its start, 1-based line and column, where the profile has several functions of the same
    /// name, file and library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<(u32, u32)>,
}

impl Key {
    /// The key of a function.
    pub fn of(snapshot: &Snapshot, function: FunctionId) -> Self {
        let key = snapshot.key(function);
        let this = snapshot.function(function);
        let start = (snapshot.find(&key).len() > 1).then_some((this.line, this.column));
        Self { name: key.name, file: key.file, lib: key.lib, start }
    }

    fn func_key(&self) -> FuncKey {
        FuncKey::new(&self.name, self.file.as_deref(), self.lib.as_deref())
    }

    /// The function with this key. For an address that was resolved since, the physical function.
    pub fn function(&self, snapshot: &Snapshot) -> Option<FunctionId> {
        if let Some(&physical) = snapshot.resolved(&self.func_key()).first() {
            return Some(physical);
        }
        let found = snapshot.find(&self.func_key());
        let starts_there = |&&function: &&FunctionId| {
            let this = snapshot.function(function);
            self.start == Some((this.line, this.column))
        };
        found.iter().find(starts_there).or(found.first()).copied()
    }

    /// The functions with this key: one, or for an address that was resolved since, the physical
    /// function and then what is inlined into it.
    fn functions(&self, snapshot: &Snapshot) -> Vec<FunctionId> {
        let resolved = snapshot.resolved(&self.func_key());
        if resolved.is_empty() {
            self.function(snapshot).into_iter().collect()
        } else {
            resolved.to_vec()
        }
    }

    /// The document that describes a function without a source: `costline:///NAME?{key as JSON}`.
    #[expect(clippy::missing_panics_doc, reason = "never panics")]
    pub fn uri(&self) -> Url {
        let name = utf8_percent_encode(&self.name, SEGMENT);
        let data = serde_json::to_string(self).unwrap_or_default();
        let data = utf8_percent_encode(&data, SEGMENT);
        #[expect(clippy::expect_used, reason = "percent-encoded text always parses")]
        Url::parse(&format!("costline:///{name}?{data}")).expect("percent-encoded text")
    }

    /// The key in the URI of a document that [`Key::uri`] made.
    pub fn from_uri(uri: &Url) -> Option<Self> {
        let query = uri.query().filter(|_| uri.scheme() == "costline")?;
        serde_json::from_str(&percent_decode_str(query).decode_utf8().ok()?).ok()
    }
}

/// Everything but what a path segment can hold unescaped.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// In which direction calls are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// To callers.
    Incoming,
    /// To callees.
    Outgoing,
}

/// The functions of a path that is followed in `direction`; `None` if this profile lacks one.
pub fn path(snapshot: &Snapshot, keys: &[Key], direction: Direction) -> Option<Vec<FunctionId>> {
    let mut path = Vec::new();
    for key in keys {
        let mut functions = key.functions(snapshot);
        if functions.is_empty() {
            return None;
        }
        // Inlined functions lie within the one before them, and paths outward go the other way.
        if direction == Direction::Incoming {
            functions.reverse();
        }
        path.append(&mut functions);
    }
    Some(path)
}

/// The raw cost that hints, lenses and items carry beside their labels.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CostData {
    /// The version of this object: 1.
    pub v: u32,
    /// Self cost; null where it is not known.
    #[serde(rename = "self")]
    pub self_: Option<Weight>,
    /// Inclusive cost; null where no exact number is known.
    pub total: Option<Weight>,
    /// The unit of both.
    pub unit: String,
    /// The metric of both.
    pub metric: String,
    /// The same as clients show it.
    #[serde(flatten)]
    pub fields: CostFields,
}

impl CostData {
    /// The cost of something, in the terms of `scale`.
    pub fn new(scale: Scale<'_>, cost: Cost) -> Self {
        Self::with_self(scale, Some(cost.self_), cost.total)
    }

    /// The same where self may be unknown.
    pub fn with_self(scale: Scale<'_>, self_: Option<f64>, total: Total) -> Self {
        Self {
            v: 1,
            self_: self_.map(Weight),
            total: Weight::of_total(total),
            unit: scale.metric.unit.clone(),
            metric: scale.metric.name.clone(),
            fields: CostFields::new(scale, self_, total),
        }
    }
}

/// A function at the end of a call path, serialized as an LSP `CallHierarchyItem`: clients pass it
/// back to the call hierarchy and to commands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Its cost and name: `45.6% parse_value`.
    pub name: String,
    /// The LSP symbol kind: 12, a function.
    pub kind: u32,
    /// Place and self cost, for clients that show them.
    pub detail: String,
    /// The file, or a `costline:` document.
    pub uri: Url,
    /// The line of the definition.
    pub range: Range,
    /// The name in it.
    pub selection_range: Range,
    /// What the server needs to follow its calls.
    pub data: ItemData,
}

/// The `data` of an item.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ItemData {
    /// Its cost on this path.
    #[serde(flatten)]
    pub cost: CostData,
    /// The function's name, of any length.
    pub name: String,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// Whether it is a recursive call, whose cost is outside the sum of its siblings.
    pub recursive: bool,
    /// Whether it has no calls in the direction of `dir`. Null for a root.
    pub leaf: Option<bool>,
    /// In which direction the path was followed; null for a root.
    pub dir: Option<Direction>,
    /// The path from the root to this function.
    pub path: Vec<Key>,
    /// Call sites in other files than the caller's own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<CallSite>,
}

/// A line that calls.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CallSite {
    /// The file, as the profile spells it.
    pub file: String,
    /// The line, 0-based, as recorded.
    pub line0: u32,
    /// The weight of the calls from there.
    pub total: Weight,
}

/// An item as a client passes it back. Everything but `data` is what the protocol wants of an item;
/// `data` of another server's item can be anything.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ItemArgument")]
pub struct GivenItem {
    /// As in the item.
    pub name: String,
    /// As in the item.
    pub kind: u32,
    /// As in the item.
    #[serde(default)]
    pub tags: Option<Vec<u32>>,
    /// As in the item.
    #[serde(default)]
    pub detail: Option<String>,
    /// As in the item.
    pub uri: String,
    /// As in the item.
    pub range: Range,
    /// As in the item.
    pub selection_range: Range,
    /// What the server put into the item.
    #[serde(default)]
    pub data: serde_json::Value,
}

impl GivenItem {
    /// Its path; `None` for an item of another server.
    pub fn path(&self) -> Option<ItemPath> {
        ItemPath::deserialize(&self.data).ok()
    }
}

/// The part of an item that comes back from a client.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ItemPath {
    v: u32,
    dir: Option<Direction>,
    path: Vec<Key>,
}

impl ItemPath {
    /// The functions of the path, to be followed in `direction`. Turning round starts again at the
    /// item's own function. `None` for an item of another server, or of another profile.
    pub fn resolve(&self, snapshot: &Snapshot, direction: Direction) -> Option<Vec<FunctionId>> {
        if self.v != 1 || self.path.is_empty() {
            return None;
        }
        let path = path(snapshot, &self.path, self.dir.unwrap_or(direction))?;
        let turned = self.dir.is_some_and(|dir| dir != direction);
        Some(if turned { path.last().copied().into_iter().collect() } else { path })
    }
}

/// What is known of the last function of a path.
#[derive(Debug, Clone, Copy)]
pub struct PathCost {
    /// Self cost; `None` where it is not known.
    pub self_: Option<f64>,
    /// Inclusive cost.
    pub total: Total,
    /// Whether it is a recursive call, outside the sum.
    pub recursive: bool,
    /// Whether it has no calls in the direction of the path; `None` where that is not known.
    pub leaf: Option<bool>,
}

/// The item of the last function of `path`.
pub fn item(
    context: &Context,
    snapshot: &Snapshot,
    direction: Option<Direction>,
    path: &[FunctionId],
    cost: PathCost,
) -> Option<Item> {
    let function = *path.last()?;
    let this = snapshot.function(function);
    let key = Key::of(snapshot, function);
    let Place { uri, range, selection } = function_place(context, snapshot, function)
        .unwrap_or_else(|| Place {
            uri: key.uri(),
            range: Range::default(),
            selection: Range::default(),
        });
    let place = PlaceFields::of_function(context, snapshot, function);
    let scale = context.scale(snapshot);
    let word = |weight| scale.weight(weight);
    let mark = if cost.recursive { "↻ " } else { "" };
    let own = match (direction, cost.self_) {
        (_, None) | (Some(Direction::Incoming), Some(0.0)) => String::new(),
        (Some(Direction::Incoming), Some(own)) => format!(" · starts here {}", word(own)),
        (_, Some(own)) => format!(" · self {}", word(own)),
    };
    Some(Item {
        name: format!("{mark}{} {}", units::total(cost.total, word), plain(this.name)),
        kind: 12,
        detail: format!("costline · {}{own}", place.place_text),
        uri,
        range,
        selection_range: selection,
        data: ItemData {
            cost: CostData::with_self(scale, cost.self_, cost.total),
            name: this.name.to_owned(),
            place,
            recursive: cost.recursive,
            leaf: cost.leaf,
            dir: direction,
            path: path.iter().map(|&function| Key::of(snapshot, function)).collect(),
            sites: Vec::new(),
        },
    })
}

/// The item of a function by itself.
pub fn root_item(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Option<Item> {
    let Cost { self_, total } = snapshot.costs.function(function).cost;
    let cost = PathCost { self_: Some(self_), total, recursive: false, leaf: None };
    item(context, snapshot, None, &[function], cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uri_of_a_function_without_a_source_leads_back_to_it() {
        let key = Key {
            name: "<T>::f ß/x".to_owned(),
            file: None,
            lib: Some("libc.so.6".to_owned()),
            start: None,
        };
        let uri = key.uri();
        assert_eq!(uri.scheme(), "costline");
        assert_eq!(Key::from_uri(&uri), Some(key));
    }
}
