//! The protocol's values as ours. Whatever a client made up, or another server, is `None` here, never an error.

use super::to_proto::{Direction, Key};
use crate::session::snapshot::Snapshot;
use lsp_types::{CallHierarchyItem, Url};
use percent_encoding::percent_decode_str;
use profile::{FuncKey, FunctionId};
use serde::Deserialize;

#[derive(Deserialize)]
struct ItemData {
    v: u32,
    dir: Option<Direction>,
    path: Vec<Key>,
}

/// The path of a hierarchy item of ours, and the direction it was walked in, if any was: `walked` is the one it is walked in now.
pub fn item_path(
    snapshot: &Snapshot,
    item: &CallHierarchyItem,
    walked: Direction,
) -> Option<(Option<Direction>, Vec<FunctionId>)> {
    let data = ItemData::deserialize(item.data.as_ref()?).ok().filter(|data| data.v == 1 && !data.path.is_empty())?;
    let path = path(snapshot, &data.path, data.dir.unwrap_or(walked))?;
    Some((data.dir, path))
}

/// The functions of a path that is walked in `direction`.
pub fn path(snapshot: &Snapshot, keys: &[Key], direction: Direction) -> Option<Vec<FunctionId>> {
    let functions = keys.iter().map(|key| {
        let mut functions = functions(snapshot, key);
        // Inlined functions lie within the one before them, and paths outward go the other way.
        if direction == Direction::Incoming {
            functions.reverse();
        }
        Some(functions).filter(|functions| !functions.is_empty())
    });
    let path: Vec<Vec<FunctionId>> = functions.collect::<Option<_>>()?;
    Some(path.concat())
}

/// What a key means in this profile: one function, or for an address that was resolved since, the physical function and then
/// what is inlined into it.
fn functions(snapshot: &Snapshot, key: &Key) -> Vec<FunctionId> {
    let became = snapshot.became(&func_key(key));
    if became.is_empty() { function(snapshot, key).into_iter().collect() } else { became.to_vec() }
}

fn func_key(key: &Key) -> FuncKey {
    FuncKey::new(&key.name, key.file.as_deref(), key.lib.as_deref())
}

/// The function that a key means in this profile.
pub fn function(snapshot: &Snapshot, key: &Key) -> Option<FunctionId> {
    if let Some(&physical) = snapshot.became(&func_key(key)).first() {
        return Some(physical);
    }
    let found = snapshot.find(&func_key(key));
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
