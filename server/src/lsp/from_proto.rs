//! The protocol's values as ours. Whatever a client made up, or another server, is `None` here, never an error.

use super::to_proto::{Direction, Key};
use crate::session::snapshot::Snapshot;
use lsp_types::{CallHierarchyItem, Url};
use percent_encoding::percent_decode_str;
use profile::{FuncKey, FunctionId};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct ItemData {
    v: u32,
    dir: Option<Direction>,
    path: Vec<Key>,
}

/// The path of a hierarchy item of ours, and the direction it was walked in.
pub fn item_path(snapshot: &Snapshot, item: &CallHierarchyItem) -> Option<(Option<Direction>, Vec<FunctionId>)> {
    data_path(snapshot, item.data.as_ref()?)
}

/// The path in the `data` of an item or lens.
fn data_path(snapshot: &Snapshot, data: &Value) -> Option<(Option<Direction>, Vec<FunctionId>)> {
    let data = ItemData::deserialize(data).ok().filter(|data| data.v == 1 && !data.path.is_empty())?;
    let path = data.path.iter().map(|key| function(snapshot, key)).collect::<Option<_>>()?;
    Some((data.dir, path))
}

/// The function that a key means in this profile.
pub fn function(snapshot: &Snapshot, key: &Key) -> Option<FunctionId> {
    let found = snapshot.find(&FuncKey::new(&key.name, key.file.as_deref(), key.lib.as_deref()));
    let starts_there = |&&function: &&FunctionId| {
        let this = snapshot.function(function);
        key.start == Some((this.line, this.column))
    };
    found.iter().find(starts_there).or(found.first()).copied()
}

/// The function that a `costline:` document is about.
pub fn function_key(uri: &Url) -> Option<Key> {
    let data = percent_decode_str(uri.query().filter(|_| uri.scheme() == "costline")?).decode_utf8().ok()?;
    serde_json::from_str(&data).ok()
}
