//! Our values as the protocol has them. The only place where 1-based lines of profiles become 0-based ones.

use super::context::Context;
use crate::present::text::{library, plain};
use crate::present::units;
use crate::session::snapshot::Snapshot;
use crate::session::source_functions::SourceFunction;
use lsp_types::{CallHierarchyItem, Location, Position, Range, SymbolKind, Url};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use profile::{Cost, FileId, FunctionId, Total};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// A function in the `data` of items and lenses: what identifies it after a rewrite too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its file, as the profile spells it.
    pub file: Option<String>,
    /// Its library's short name.
    pub lib: Option<String>,
    /// Its start, 1-based line and column, where the profile has several functions of the same name, file and library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<(u32, u32)>,
}

/// The key of a function.
pub fn key(snapshot: &Snapshot, function: FunctionId) -> Key {
    let key = snapshot.key(function);
    let this = snapshot.function(function);
    let start = (snapshot.find(&key).len() > 1).then_some((this.line, this.column));
    Key { name: key.name, file: key.file, lib: key.lib, start }
}

/// Raw weights: integers where they are, `null` where nothing exact is known.
pub fn weight(weight: f64) -> Value {
    units::integer(weight).map_or_else(|| json!(weight), |integer| json!(integer))
}

/// A total as a raw weight.
pub fn total(total: Total) -> Value {
    total.exact().map_or(Value::Null, weight)
}

/// The raw cost that hints, lenses and items carry beside their own fields.
pub fn cost_data(snapshot: &Snapshot, cost: Cost) -> serde_json::Map<String, Value> {
    let metric = &snapshot.costs.metric;
    [
        ("v", json!(1)),
        ("self", weight(cost.self_)),
        ("total", total(cost.total)),
        ("unit", json!(metric.unit)),
        ("metric", json!(metric.name)),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into_iter()
    .collect()
}

/// The URI of a workspace file (canonical path): that of its document if it is open, else as the user spells its folder.
pub fn uri(context: &Context, path: &Path) -> Option<Url> {
    if let Some(document) = context.documents.at(path) {
        return Some(document.uri.clone());
    }
    let given = context.world.index.as_ref().map_or_else(|| path.to_owned(), |index| index.as_given(path));
    Url::from_file_path(given).ok()
}

/// A line of a file (1-based, as recorded) where it is now: in the open document if there is one.
pub fn line_location(context: &Context, snapshot: &Snapshot, file: FileId, line: u32) -> Option<Location> {
    let path = snapshot.path_of(file)?;
    Some(Location { uri: uri(context, path)?, range: line_range(context, snapshot, path, line) })
}

fn line_range(context: &Context, snapshot: &Snapshot, path: &Path, line: u32) -> Range {
    let recorded0 = line.saturating_sub(1);
    let open = context.documents.at(path).and_then(|document| {
        let mapped = document.mapped(context.world.revision, snapshot);
        let line0 = (0..=recorded0).rev().find_map(|line0| mapped.map.to_open(line0))?;
        document.text.range_of_line(line0)
    });
    open.unwrap_or_else(|| Range::new(Position::new(recorded0, 0), Position::new(recorded0, 0)))
}

/// Where a function stands: a range and in it the name if it can be seen, else all of the line. Functions without a file of
/// the workspace are at a `costline:` document that says why.
fn function_location(context: &Context, snapshot: &Snapshot, function: FunctionId) -> (Url, Range, Range) {
    source_location(context, snapshot, function)
        .unwrap_or_else(|| (function_uri(&key(snapshot, function)), Range::default(), Range::default()))
}

/// The same, only for those in files of the workspace.
pub fn source_location(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Option<(Url, Range, Range)> {
    let (file, line) = snapshot.definition(function)?;
    let path = snapshot.path_of(file)?;
    let uri = uri(context, path)?;
    let name = match snapshot.source_function(function).map(SourceFunction::definition) {
        Some(definition) if !definition.name.is_empty() => definition.name.as_str(),
        _ => last_segment(snapshot.function(function).name),
    };
    let open = context.open_file(&uri).and_then(|open| {
        let line0 = open.lines().place(function, line);
        let range = open.document.text.range_of_line(line0)?;
        let selection = open.document.text.find_in_line(line0, name);
        let selection = selection.filter(|name| name.start >= range.start && name.end <= range.end);
        Some((range, selection.unwrap_or(range)))
    });
    let (range, selection) = open.unwrap_or_else(|| {
        let range = line_range(context, snapshot, path, line);
        (range, range)
    });
    Some((uri, range, selection))
}

/// What is searched for in a text when a function is called `name` in the profile: `parse` of `app::parse<T>(x)`.
pub fn last_segment(name: &str) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (mut depth, mut start, mut segment) = (0_i32, None, "");
    for (at, c) in name.char_indices() {
        if depth == 0 && is_word(c) {
            let from = *start.get_or_insert(at);
            segment = &name[from..at + c.len_utf8()];
            continue;
        }
        start = None;
        match c {
            // What follows are parameters and qualifiers.
            '(' if depth == 0 && !segment.is_empty() => break,
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    if segment.is_empty() { name } else { segment }
}

/// Everything but what may stand in a path segment as it is.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The document that describes a function without a file: `costline:///NAME?{key as JSON}`.
pub fn function_uri(key: &Key) -> Url {
    let name = utf8_percent_encode(&key.name, SEGMENT);
    let data = serde_json::to_string(key).unwrap_or_default();
    let data = utf8_percent_encode(&data, SEGMENT);
    #[expect(clippy::expect_used, reason = "a fixed scheme and percent-encoded text always parse")]
    Url::parse(&format!("costline:///{name}?{data}")).expect("percent-encoded text")
}

/// In which direction a hierarchy is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Callers.
    Incoming,
    /// Callees.
    Outgoing,
}

/// A hierarchy item for the last function of `path`; `self_` is `None` where it is not known.
pub fn item(
    context: &Context,
    snapshot: &Snapshot,
    direction: Option<Direction>,
    path: &[FunctionId],
    self_: Option<f64>,
    total: Total,
    recursive: bool,
) -> Option<CallHierarchyItem> {
    let function = *path.last()?;
    let this = snapshot.function(function);
    let (uri, range, selection_range) = function_location(context, snapshot, function);
    let scale = context.scale(snapshot);
    let word = |weight| scale.weight(weight);
    let mark = if recursive { "↻ " } else { "" };

    let place = match snapshot.definition(function) {
        Some((file, line)) => {
            let name = snapshot.file_name(file);
            let short = name.rsplit(['/', '\\']).next().unwrap_or(name);
            format!("{}:{line}", plain(short))
        }
        None => this.lib.map_or_else(|| "no source".to_owned(), library),
    };
    let stops = match direction {
        Some(Direction::Incoming) => self_.filter(|&own| own != 0.0).map(|own| format!(" · starts here {}", word(own))),
        _ => self_.map(|own| format!(" · self {}", word(own))),
    };
    let stops = stops.unwrap_or_default();
    let mut data = cost_data(snapshot, Cost { self_: self_.unwrap_or_default(), total });
    if self_.is_none() {
        data.insert("self".to_owned(), Value::Null);
    }
    data.insert("dir".to_owned(), json!(direction));
    data.insert("path".to_owned(), json!(path.iter().map(|&function| key(snapshot, function)).collect::<Vec<_>>()));
    Some(CallHierarchyItem {
        name: format!("{mark}{} {}", units::total(total, word), plain(this.name)),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: Some(format!("costline · {place}{stops}")),
        uri,
        range,
        selection_range,
        data: Some(Value::Object(data)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_to_search_for_in_a_text() {
        let cases = [
            ("main", "main"),
            ("wordstat::count", "count"),
            ("Scene::trace(Ray const&, int) const", "trace"),
            ("app::parse<T>", "parse"),
            ("<alloc::boxed::Box<T> as core::ops::FnOnce<()>>::call_once", "call_once"),
            ("build.<locals>.carve", "carve"),
            ("Matrix.multiply", "multiply"),
            ("#count", "count"),
            ("(anonymous)", "(anonymous)"),
            ("wordstat::main::{{closure}}", "main"),
            ("0x1174", "0x1174"),
        ];
        for (name, expected) in cases {
            assert_eq!(last_segment(name), expected, "{name}");
        }
    }

    #[test]
    fn a_function_without_a_file_has_a_document_that_leads_back_to_it() {
        let key = Key { name: "<T>::f ß/x".to_owned(), file: None, lib: Some("libc.so.6".to_owned()), start: None };
        let uri = function_uri(&key);
        assert_eq!(uri.scheme(), "costline");
        assert_eq!(crate::lsp::from_proto::function_key(&uri), Some(key));
    }
}
