//! `workspace/executeCommand`. Each command takes and returns JSON, so that every client can use it.
//!
//! [`profiles`] and [`view`] word what is shown and what could be; choosing is up to the loader.

pub mod profiles;
pub mod table;
pub mod view;

use self::table::{COMMANDS, SHOW_CALLEES, SHOW_CALLERS};
use super::call_hierarchy::{entry_item, root_item, step};
use super::context::Context;
use super::to_proto::{self, Direction};
use super::{call_tree, explain, flamegraph, from_proto};
use crate::export::{self, Compat, Cut, Options, Target};
use crate::present::{text::plain, units};
use crate::session::chosen::{Change, Pick};
use crate::session::config::Show;
use crate::session::loader::Compare;
use crate::session::transforms;
use lsp_types::{CallHierarchyItem, Url};
use profile::Total;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sources::{How, Mapping};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A command as it is understood.
#[derive(Debug)]
pub enum Command {
    /// Which profiles there are.
    Profiles,
    /// Show this one; `None`: that of the settings, or the newest.
    Select(Option<PathBuf>),
    /// What is shown, and what can be chosen.
    View,
    /// Choose something, and perhaps what to compare with.
    Choose(Change, Option<Compare>),
    /// Read again what is shown.
    Reload,
    /// The hottest functions or lines.
    Hotspots {
        /// Lines instead of functions.
        lines: bool,
        /// How many.
        limit: usize,
    },
    /// One step along a path.
    Show {
        /// Callers or callees.
        direction: Direction,
        /// From here.
        item: Box<CallHierarchyItem>,
        /// Whether to show the user the hottest too.
        message: bool,
    },
    /// Why a line shows what it shows.
    Explain {
        /// The document.
        uri: Url,
        /// The line, 0-based.
        line: u32,
    },
    /// Which files were matched.
    Paths,
    /// Write what is shown in another format.
    Export {
        /// What to write.
        options: Options,
        /// The file; relative to the first workspace folder.
        path: PathBuf,
        /// Whether it may replace one that is there.
        overwrite: bool,
    },
    /// A part of the call tree.
    CallTree(call_tree::Argument),
    /// A flame graph, as a file or for a panel.
    Flamegraph(flamegraph::Argument),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PathArgument {
    Path(PathBuf),
    Object { path: Option<PathBuf> },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Baseline {
    Path(PathBuf),
    Shown(bool),
    Nothing,
}

impl Baseline {
    fn compare(self) -> Compare {
        match self {
            Self::Path(path) => Compare::With(path),
            Self::Shown(true) => Compare::Shown,
            Self::Shown(false) | Self::Nothing => Compare::Nothing,
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct HotspotsArgument {
    by: Option<String>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
struct ExplainArgument {
    uri: Url,
    line: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExportArgument {
    format: Target,
    path: PathBuf,
    compat: Option<Compat>,
    max_depth: Option<usize>,
    #[serde(default)]
    truncate: Cut,
    #[serde(default)]
    overwrite: bool,
}

#[derive(Deserialize)]
struct ShowOptions {
    message: Option<bool>,
}

impl Command {
    /// Understands a command, or says what it should have been.
    pub fn parse(name: &str, arguments: &[Value]) -> Result<Self, String> {
        let first = arguments.first().cloned().unwrap_or(Value::Null);
        let takes = table::takes(name);
        Ok(match name {
            "costline.profiles" => Self::Profiles,
            "costline.reload" => Self::Reload,
            "costline.paths" => Self::Paths,
            "costline.selectProfile" => Self::Select(match argument::<Option<PathArgument>>(name, first, takes)? {
                None => None,
                Some(PathArgument::Path(path)) => Some(path),
                Some(PathArgument::Object { path }) => path,
            }),
            "costline.view" => Self::View,
            "costline.setView" => {
                let mut values: Map<String, Value> = argument(name, first, takes)?;
                let profile = values.remove("profile").map(|path| argument(name, path, "a path or null as `profile`").map(Pick));
                let baseline = values.remove("baseline").map(|baseline| {
                    argument(name, baseline, "a path, true (what is shown now) or null as `baseline`").map(Baseline::compare)
                });
                Self::Choose(Change::Set { profile: profile.transpose()?, values }, baseline.transpose()?)
            }
            "costline.pushTransform" => {
                let text = if let Value::String(text) = first { text } else { first.to_string() };
                let transform = transforms::parse(&text).map_err(|problem| format!("{name}: {problem}"))?;
                Self::Choose(Change::Push(transform), None)
            }
            "costline.popTransform" => Self::Choose(Change::Pop, None),
            "costline.clearTransforms" => Self::Choose(Change::Clear, None),
            "costline.setBaseline" => {
                let baseline = match argument(name, first, takes)? {
                    _ if arguments.is_empty() => Compare::Shown,
                    Some(PathArgument::Path(path) | PathArgument::Object { path: Some(path) }) => Compare::With(path),
                    None | Some(PathArgument::Object { path: None }) => Compare::Nothing,
                };
                Self::Choose(Change::none(), Some(baseline))
            }
            "costline.clearBaseline" => Self::Choose(Change::none(), Some(Compare::Nothing)),
            "costline.hotspots" => {
                let given: HotspotsArgument = optional(name, first, takes)?;
                let lines = match given.by.as_deref() {
                    None | Some("function") => false,
                    Some("line") => true,
                    Some(other) => return Err(format!("{name}: `by` is {other}, expected \"function\" or \"line\"")),
                };
                Self::Hotspots { lines, limit: given.limit.unwrap_or(50) }
            }
            "costline.explain" => {
                let ExplainArgument { uri, line } = argument(name, first, takes)?;
                Self::Explain { uri, line }
            }
            "costline.export" => {
                let given: ExportArgument = argument(name, first, takes)?;
                let ExportArgument { format, path, compat, max_depth, truncate, overwrite } = given;
                Self::Export { options: Options { target: format, compat, max_depth, cut: truncate }, path, overwrite }
            }
            SHOW_CALLERS | SHOW_CALLEES => {
                let direction = if name == SHOW_CALLERS { Direction::Incoming } else { Direction::Outgoing };
                let item = Box::new(argument(name, first, takes)?);
                let options = arguments.get(1).and_then(|options| ShowOptions::deserialize(options).ok());
                Self::Show { direction, item, message: options.and_then(|options| options.message).unwrap_or(true) }
            }
            "costline.callTree" => Self::CallTree(optional(name, first, takes)?),
            "costline.flamegraph" => Self::Flamegraph(optional(name, first, takes)?),
            other => {
                let names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
                return Err(format!("{other}: no such command; there are {}", names.join(", ")));
            }
        })
    }
}

fn argument<T: serde::de::DeserializeOwned>(command: &str, value: Value, expected: &str) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("{command}: expected {expected} as first argument ({error})"))
}

/// An argument that may be absent.
fn optional<T: serde::de::DeserializeOwned + Default>(command: &str, value: Value, expected: &str) -> Result<T, String> {
    if value.is_null() { Ok(T::default()) } else { argument(command, value, expected) }
}

/// The hottest functions or lines of the whole project.
pub fn hotspots(context: &Context, lines: bool, limit: usize) -> Value {
    let Some(snapshot) = context.world.snapshot() else { return Value::Null };
    let scale = context.scale(snapshot);
    let place = |file, line| {
        let location = to_proto::line_location(context, snapshot, file, line);
        let (uri, line0) = location.map(|location| (location.uri, location.range.start.line)).unzip();
        json!({"uri": uri, "line0": line0, "file": snapshot.file_name(file), "line": line})
    };
    let with = |mut object: Map<String, Value>, extra: Value| {
        if let Value::Object(extra) = extra {
            object.extend(extra);
        }
        Value::Object(object)
    };
    // Of a row of its own, and of one with little room.
    let words = |cost, before| {
        [("text".to_owned(), json!(scale.lens(cost, before))), ("label".to_owned(), json!(scale.hint(cost, Show::Total, before)))]
    };
    let rows: Vec<Value> = if lines {
        let lines = snapshot.hottest_lines().into_iter().take(limit);
        let row = |line: analysis::LineCost| {
            let mut object = to_proto::cost_data(snapshot, line.cost);
            object.extend(words(line.cost, context.line_before(snapshot, line.file, line.line)));
            with(object, place(line.file, line.line))
        };
        lines.map(row).collect()
    } else {
        let functions = snapshot.hottest_functions().into_iter().take(limit);
        let row = |(function, cost)| {
            let mut object = to_proto::cost_data(snapshot, cost);
            object.insert("name".to_owned(), json!(snapshot.function(function).name));
            object.insert("lib".to_owned(), json!(snapshot.function(function).lib));
            object.extend(words(cost, context.function_before(snapshot, function)));
            object.insert("item".to_owned(), json!(root_item(context, snapshot, function)));
            match snapshot.definition(function) {
                Some((file, line)) => with(object, place(file, line)),
                None => Value::Object(object),
            }
        };
        functions.map(row).collect()
    };
    let key = if lines { "lines" } else { "functions" };
    json!({
        "metric": snapshot.costs.metric.name,
        "unit": snapshot.costs.metric.unit,
        "total": to_proto::weight(snapshot.costs.total),
        key: rows,
    })
}

/// The callers or callees of an item, with their items, and the item itself with its costs of now; empty for one that is not ours.
pub fn show(context: &Context, direction: Direction, item: &CallHierarchyItem) -> Value {
    let known = context.world.snapshot().and_then(|snapshot| Some((snapshot, from_proto::item_path(snapshot, item, direction)?)));
    let Some((snapshot, (known, path))) = known else { return json!({"entries": []}) };
    let path = match (known, path.last()) {
        (Some(known), Some(&last)) if known != direction => vec![last],
        _ => path,
    };
    let step = step(snapshot, direction, &path);
    let scale = context.scale(snapshot);
    let entries = step.entries.iter().filter_map(|entry| {
        let item = entry_item(context, snapshot, direction, &path, entry)?;
        let name = snapshot.function(entry.function).name;
        let text = format!("{} {}", units::total(entry.known_total(), |weight| scale.both(weight)), plain(name));
        Some(json!({
            "name": name,
            "text": text,
            "self": entry.self_.map(to_proto::weight),
            "total": to_proto::weight(entry.total),
            "est": entry.estimated,
            "recursive": entry.recursive,
            "item": item,
        }))
    });
    let total = if step.estimated { Total::Estimated(step.total) } else { Total::Exact(step.total) };
    let now = match *path.as_slice() {
        [function] => root_item(context, snapshot, function),
        _ => to_proto::item(context, snapshot, Some(direction), &path, step.self_, total, false),
    };
    json!({
        "item": now,
        "direction": direction,
        "metric": snapshot.costs.metric.name,
        "unit": snapshot.costs.metric.unit,
        "self": step.self_.map(to_proto::weight),
        "total": to_proto::weight(step.total),
        "est": step.estimated,
        "entries": entries.collect::<Vec<_>>(),
    })
}

/// Every file that the profile names and what became of it, costliest first.
pub fn paths(context: &Context) -> Value {
    let Some(snapshot) = context.world.snapshot() else { return Value::Null };
    let mut cost: BTreeMap<_, (f64, f64)> = BTreeMap::new();
    for line in snapshot.costs.lines() {
        let slot = cost.entry(line.file).or_default();
        slot.0 += line.cost.self_;
        slot.1 = slot.1.max(if let Total::Exact(total) = line.cost.total { total } else { line.cost.self_ });
    }
    let mut files: Vec<(f64, Value)> = snapshot
        .mappings()
        .map(|(name, file, mapping)| {
            let (self_, hottest) = cost.get(&file).copied().unwrap_or_default();
            let (path, how, reason, candidates) = match mapping {
                Mapping::Mapped { path, how } => (Some(path), how_name(*how), None, None),
                Mapping::Ambiguous { candidates } => (None, "ambiguous", Some("several files could be meant".to_owned()), Some(candidates)),
                Mapping::Unmapped(reason) => (None, "unmapped", Some(reason.to_string()), None),
            };
            let self_ = to_proto::weight(self_);
            let row = json!({"name": name, "path": path, "how": how, "reason": reason, "candidates": candidates, "self": self_, "hottestLine": to_proto::weight(hottest)});
            (hottest, row)
        })
        .collect();
    files.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let index = context.world.index.as_ref();
    json!({
        "roots": context.world.roots,
        "missingRoots": index.map(|index| index.missing().iter().map(|root| root.path.clone()).collect::<Vec<_>>()),
        "mapped": files.iter().filter(|(_, file)| !file["path"].is_null()).count(),
        "files": files.into_iter().map(|(_, file)| file).collect::<Vec<_>>(),
    })
}

fn how_name(how: How) -> &'static str {
    match how {
        How::Rule => "rule",
        How::Exact => "exact",
        How::Suffix => "suffix",
        How::Link => "link",
        How::SourceMap => "sourceMap",
    }
}

/// Why a line shows what it shows.
pub fn explain(context: &Context, uri: &Url, line0: u32) -> Value {
    explain::explain(context, uri, line0)
}

/// Writes what is shown; says where, how much, and what the format could not carry.
pub fn export(context: &Context, options: Options, path: &Path, overwrite: bool) -> Result<Value, String> {
    let snapshot = context.world.snapshot().ok_or("no profile is shown: there is nothing to export")?;
    let path = context.world.roots.first().map_or(path.to_owned(), |root| root.join(path));
    if !path.is_absolute() {
        return Err(format!("{}: expected an absolute path, since no folder is open", path.display()));
    }
    let written = export::export(snapshot, None, options)?;
    export::store(&path, &written.bytes, overwrite).map_err(|error| export::refusal(&path, &error, "\"overwrite\": true"))?;
    Ok(json!({"path": path, "bytes": written.bytes.len(), "lost": written.lost}))
}
