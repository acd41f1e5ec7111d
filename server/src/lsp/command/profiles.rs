//! Which profiles there are, and what is known of the one shown.

use crate::lsp::to_proto;
use crate::session::discovery::Candidate;
use crate::session::runs::runs;
use crate::session::snapshot::{Loaded, Stamp};
use crate::session::world::World;
use formats::Origin;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What is shown, in short.
pub fn facts(world: &World) -> Map<String, Value> {
    let shown = world.snapshot();
    let metric = shown.map(|shown| &shown.costs.metric);
    Map::from_iter([
        ("revision".to_owned(), json!(world.revision)),
        ("profile".to_owned(), json!(shown.map(|shown| profile(world, &shown.loaded)))),
        ("baseline".to_owned(), json!(world.baseline.as_ref().map(|baseline| file(&baseline.snapshot.loaded)))),
        ("metric".to_owned(), json!(metric.map(|metric| &metric.name))),
        ("unit".to_owned(), json!(metric.map(|metric| &metric.unit))),
        ("total".to_owned(), json!(shown.map(|shown| to_proto::weight(shown.costs.total)))),
        ("base".to_owned(), json!(shown.map(|shown| to_proto::weight(shown.costs.base)))),
        ("loading".to_owned(), json!(world.loading)),
    ])
}

/// The file of the profile shown.
fn profile(world: &World, loaded: &Loaded) -> Map<String, Value> {
    let mut profile = file(loaded);
    profile.insert("deleted".to_owned(), json!(world.deleted));
    profile.insert(
        "picked".to_owned(),
        json!(world.pick.as_ref().is_some_and(|pick| loaded.files.iter().any(|(file, _)| file == pick))),
    );
    profile
}

/// A file as it was when it was read.
fn file(loaded: &Loaded) -> Map<String, Value> {
    Map::from_iter([
        ("path".to_owned(), json!(loaded.path)),
        ("name".to_owned(), json!(loaded.name())),
        ("format".to_owned(), json!(loaded.format.name())),
        ("modified".to_owned(), json!(milliseconds(&loaded.stamp))),
    ])
}

/// The last part of a path.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn milliseconds(stamp: &Stamp) -> u64 {
    stamp.modified.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_millis() as u64)
}

/// Which profiles there are and which is shown.
pub fn profiles(world: &World) -> Value {
    let entries = entries(world).into_iter().map(|Entry { shown, file, files }| {
        json!({
            "path": file.path,
            "format": file.format.name(),
            "modified": milliseconds(&file.stamp),
            "bytes": file.stamp.len,
            "active": shown,
            "problem": problem(world, &file.path),
            "files": files,
        })
    });
    let active = world.snapshot().map(|shown| {
        let metrics = shown.recording.metrics().iter().map(|metric| json!({"name": metric.name, "unit": metric.unit}));
        let mut active = profile(world, &shown.loaded);
        active.insert("version".to_owned(), json!(shown.loaded.version.as_ref().or(shown.loaded.producer.as_ref())));
        active.insert("producer".to_owned(), json!(shown.loaded.producer));
        active.insert("metrics".to_owned(), metrics.collect());
        active.extend(facts(world).into_iter().filter(|(key, _)| matches!(key.as_str(), "metric" | "unit" | "total")));
        active
    });
    json!({"revision": world.revision, "active": active, "profiles": entries.collect::<Vec<_>>()})
}

/// Why a profile could not be read.
pub fn problem<'w>(world: &'w World, path: &Path) -> Option<&'w str> {
    world.problems.iter().find(|(known, _)| known == path).map(|(_, problem)| problem.as_str())
}

/// The files of one run.
#[derive(Debug)]
pub struct Entry {
    /// Whether it is shown.
    pub shown: bool,
    /// The file that stands for it: the first.
    pub file: Candidate,
    /// All of them.
    pub files: Vec<PathBuf>,
}

/// All runs, newest first; at the end what is shown though it was not found.
pub fn entries(world: &World) -> Vec<Entry> {
    let shown = world.snapshot().map(|shown| &shown.loaded);
    let is_shown = |path: &Path| shown.is_some_and(|shown| shown.files.iter().any(|(file, _)| file == path));
    let mut entries: Vec<Entry> = Vec::new();
    for run in runs(&world.candidates) {
        let is_shown = run.iter().any(|file| is_shown(&file.path));
        let mut files: Vec<_> = run.iter().map(|file| file.path.clone()).collect();
        match entries.iter_mut().find(|entry| is_shown && entry.shown) {
            // Written at another time than the rest of the run that is shown.
            Some(entry) => entry.files.append(&mut files),
            None => entries.push(Entry { shown: is_shown, file: run[0].clone(), files }),
        }
    }
    // What is shown stays in the list when its bytes are no profile at the moment.
    if let Some(shown) = shown.filter(|_| !entries.iter().any(|entry| entry.shown)) {
        let (path, stamp, format) = (shown.path.clone(), shown.stamp, shown.format);
        let file = Candidate { path, stamp, format, origin: Origin::default(), born: None };
        entries.push(Entry { shown: true, file, files: shown.files.iter().map(|(path, _)| path.clone()).collect() });
    }
    entries
}
