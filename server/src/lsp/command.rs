//! `workspace/executeCommand`. Each command takes and returns JSON, so that every client can use it.

use super::call_hierarchy::{entry_item, root_item, step};
use super::context::Context;
use super::to_proto::{self, Direction};
use super::{call_tree, explain, flamegraph, from_proto};
use crate::export::{self, Compat, Cut, Options, Target};
use crate::present::{text::plain, units};
use crate::session::discovery::Candidate;
use crate::session::world::World;
use lsp_types::{CallHierarchyItem, Url};
use profile::Total;
use serde::Deserialize;
use serde_json::{Value, json};
use sources::{How, Mapping};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// What the lens runs.
pub const SHOW_CALLERS: &str = "costline.showCallers";
const SHOW_CALLEES: &str = "costline.showCallees";

/// All commands.
pub const NAMES: [&str; 11] = [
    "costline.profiles",
    "costline.selectProfile",
    "costline.reload",
    "costline.hotspots",
    SHOW_CALLERS,
    SHOW_CALLEES,
    "costline.explain",
    "costline.paths",
    "costline.export",
    "costline.callTree",
    "costline.flamegraph",
];

/// A command as it is understood.
#[derive(Debug)]
pub enum Command {
    /// Which profiles there are.
    Profiles,
    /// Show this one; `None`: the newest again.
    Select(Option<PathBuf>),
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
        Ok(match name {
            "costline.profiles" => Self::Profiles,
            "costline.reload" => Self::Reload,
            "costline.paths" => Self::Paths,
            "costline.selectProfile" => {
                Self::Select(match argument::<Option<PathArgument>>(name, first, "a path, {\"path\": …} or null")? {
                    None => None,
                    Some(PathArgument::Path(path)) => Some(path),
                    Some(PathArgument::Object { path }) => path,
                })
            }
            "costline.hotspots" => {
                let given: HotspotsArgument = optional(name, first, "{\"by\": \"function\" or \"line\", \"limit\": number}")?;
                let lines = match given.by.as_deref() {
                    None | Some("function") => false,
                    Some("line") => true,
                    Some(other) => return Err(format!("{name}: `by` is {other}, expected \"function\" or \"line\"")),
                };
                Self::Hotspots { lines, limit: given.limit.unwrap_or(50) }
            }
            "costline.explain" => {
                let ExplainArgument { uri, line } = argument(name, first, "{\"uri\": …, \"line\": 0-based number}")?;
                Self::Explain { uri, line }
            }
            "costline.export" => {
                let expected =
                    "{\"format\": …, \"path\": …, \"overwrite\"?: …, \"maxDepth\"?: …, \"truncate\"?: …, \"compat\"?: …}";
                let given: ExportArgument = argument(name, first, expected)?;
                let ExportArgument { format, path, compat, max_depth, truncate, overwrite } = given;
                Self::Export { options: Options { target: format, compat, max_depth, cut: truncate }, path, overwrite }
            }
            SHOW_CALLERS | SHOW_CALLEES => {
                let direction = if name == SHOW_CALLERS { Direction::Incoming } else { Direction::Outgoing };
                let item = Box::new(argument(name, first, "a call hierarchy item")?);
                let options = arguments.get(1).and_then(|options| ShowOptions::deserialize(options).ok());
                Self::Show { direction, item, message: options.and_then(|options| options.message).unwrap_or(true) }
            }
            "costline.callTree" => Self::CallTree(optional(name, first, call_tree::EXPECTED)?),
            "costline.flamegraph" => Self::Flamegraph(optional(name, first, flamegraph::EXPECTED)?),
            other => return Err(format!("{other}: no such command; there are {}", NAMES.join(", "))),
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

/// Which profiles there are and which is shown.
pub fn profiles(world: &World) -> Value {
    let shown = world.snapshot();
    let milliseconds = |time: std::time::SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_millis() as u64);
    let problem = |path: &PathBuf| world.problems.iter().find(|(known, _)| known == path).map(|(_, problem)| problem);
    // What is shown stays in the list when its bytes are no profile at the moment.
    let missing =
        shown.map(|shown| &shown.loaded).filter(|loaded| !world.candidates.iter().any(|known| known.path == loaded.path));
    let missing = missing.map(|loaded| Candidate { path: loaded.path.clone(), stamp: loaded.stamp, format: loaded.format });
    let runs = runs(&world.candidates).into_iter().chain(missing.as_slice().chunks(1).map(|run| run.iter().collect()));
    let profiles: Vec<Value> = runs
        .map(|run: Vec<&Candidate>| {
            let is_shown = |candidate: &&Candidate| shown.is_some_and(|shown| shown.loaded.path == candidate.path);
            let shown = run.iter().copied().find(is_shown);
            let candidate = shown.unwrap_or(run[0]);
            json!({
                "path": candidate.path,
                "format": candidate.format.name(),
                "modified": milliseconds(candidate.stamp.modified),
                "bytes": candidate.stamp.len,
                "active": shown.is_some(),
                "problem": problem(&candidate.path),
                "files": run.iter().map(|candidate| &candidate.path).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "revision": world.revision,
        "active": shown.map(|shown| json!({
            "path": shown.loaded.path,
            "format": shown.loaded.format.name(),
            "version": shown.loaded.version,
            "metric": shown.costs.metric.name,
            "unit": shown.costs.metric.unit,
            "metrics": shown.recording.metrics().iter().map(|metric| json!({"name": metric.name, "unit": metric.unit})).collect::<Vec<_>>(),
            "total": to_proto::weight(shown.costs.total),
            "modified": milliseconds(shown.loaded.stamp.modified),
            "deleted": world.deleted,
            "picked": world.pick.as_ref() == Some(&shown.loaded.path),
        })),
        "profiles": profiles,
    })
}

/// Files that one run wrote side by side are one entry: their names differ only in numbers (process, thread, sequence), and
/// they were written within this time of each other.
const SIDE_BY_SIDE: Duration = Duration::from_secs(5);

/// The files of each run; none is empty. Newest first, as the candidates are.
fn runs(candidates: &[Candidate]) -> Vec<Vec<&Candidate>> {
    let kin = |candidate: &Candidate| {
        let name = candidate.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let words: Vec<_> = name.split(|c: char| c.is_ascii_digit()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let has_number = name.contains(|c: char| c.is_ascii_digit());
        has_number.then(|| (candidate.path.parent().map(Path::to_owned), candidate.format, words))
    };
    let mut runs: Vec<Vec<&Candidate>> = Vec::new();
    // By kin, the run that was added to last: candidates come newest first, so older runs of a kin are closed.
    let mut last: HashMap<_, usize> = HashMap::new();
    for candidate in candidates {
        let kin = kin(candidate);
        let apart = |newer: &Candidate| newer.stamp.modified.duration_since(candidate.stamp.modified).unwrap_or_default();
        let open = kin.as_ref().and_then(|kin| last.get(kin).copied());
        if let Some(run) = open.filter(|&run| runs[run].last().is_some_and(|newer| apart(newer) <= SIDE_BY_SIDE)) {
            runs[run].push(candidate);
            continue;
        }
        if let Some(kin) = kin {
            last.insert(kin, runs.len());
        }
        runs.push(vec![candidate]);
    }
    runs
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
    let with = |mut object: serde_json::Map<String, Value>, extra: Value| {
        if let Value::Object(extra) = extra {
            object.extend(extra);
        }
        Value::Object(object)
    };
    let rows: Vec<Value> = if lines {
        let lines = snapshot.hottest_lines().into_iter().take(limit);
        let row = |line: analysis::LineCost| {
            let text = format!(
                "self {} · total {}",
                scale.both(line.cost.self_),
                units::total(line.cost.total, |weight| scale.both(weight))
            );
            let object = with(to_proto::cost_data(snapshot, line.cost), place(line.file, line.line));
            with(object.as_object().cloned().unwrap_or_default(), json!({"text": text}))
        };
        lines.map(row).collect()
    } else {
        let functions = snapshot.hottest_functions().into_iter().take(limit);
        let row = |(function, cost)| {
            let mut object = to_proto::cost_data(snapshot, cost);
            object.insert("name".to_owned(), json!(snapshot.function(function).name));
            object.insert("lib".to_owned(), json!(snapshot.function(function).lib));
            object.insert("text".to_owned(), json!(scale.lens(cost)));
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

/// The callers or callees of an item, with their items; empty for one that is not ours.
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
    json!({
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
