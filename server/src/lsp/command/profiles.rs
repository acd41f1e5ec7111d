//! Which profiles there are, and what is known of the one shown.

use crate::lsp::to_proto;
use crate::session::discovery::Candidate;
use crate::session::snapshot::{Loaded, Stamp};
use crate::session::world::World;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

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
    profile.insert("picked".to_owned(), json!(world.pick.as_ref() == Some(&loaded.path)));
    profile
}

/// A file as it was when it was read.
fn file(loaded: &Loaded) -> Map<String, Value> {
    Map::from_iter([
        ("path".to_owned(), json!(loaded.path)),
        ("name".to_owned(), json!(file_name(&loaded.path))),
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
    /// Whether one of them is shown.
    pub shown: bool,
    /// That one, else the newest.
    pub file: Candidate,
    /// All of them, newest first.
    pub files: Vec<PathBuf>,
}

/// All runs, newest first; at the end what is shown though it was not found.
pub fn entries(world: &World) -> Vec<Entry> {
    let shown = world.snapshot().map(|shown| &shown.loaded);
    // What is shown stays in the list when its bytes are no profile at the moment.
    let missing = shown.filter(|loaded| !world.candidates.iter().any(|known| known.path == loaded.path));
    let missing = missing.map(|loaded| Candidate { path: loaded.path.clone(), stamp: loaded.stamp, format: loaded.format });
    let runs = runs(&world.candidates).into_iter().chain(missing.as_slice().chunks(1).map(|run| run.iter().collect()));
    runs.map(|run: Vec<&Candidate>| {
        let is_shown = |candidate: &&Candidate| shown.is_some_and(|shown| shown.path == candidate.path);
        let shown = run.iter().copied().find(is_shown);
        Entry {
            shown: shown.is_some(),
            file: shown.unwrap_or(run[0]).clone(),
            files: run.iter().map(|candidate| candidate.path.clone()).collect(),
        }
    })
    .collect()
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
