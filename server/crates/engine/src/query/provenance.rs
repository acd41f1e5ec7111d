//! How the cost of a line got there: the metric, the code, the file, its text and the line.

use crate::present::text::one_line;
use crate::recorded_texts::Origin;
use crate::snapshot::Snapshot;
use crate::world::context::OpenFile;
use analysis::{Lib, LibId, PlaceCost};
use sources::{How, Mapping};
use std::collections::BTreeSet;

/// The steps from the profile to a line (0-based) of an open document, one sentence each. Empty if no
/// recorded line is there.
pub fn provenance(open: &OpenFile, line0: u32) -> Vec<String> {
    let recorded: Vec<u32> = open.lines().all_recorded(line0).collect();
    if recorded.is_empty() {
        return Vec::new();
    }
    let metric = &open.snapshot.costs.metric.name;
    let profile = open.snapshot.loaded.path.file_name().unwrap_or_default().to_string_lossy();
    let samples = format!("the metric `{metric}` of {profile}");
    let steps = [vec![samples], of_code(open, &recorded), of_files(open)];
    let steps = steps.into_iter().flatten().chain([of_text(open), of_line(&recorded, line0)]);
    steps.map(|step| one_line(&step).into_owned()).collect()
}

/// The libraries of the functions that were executing on recorded lines (1-based).
fn of_code(open: &OpenFile, recorded: &[u32]) -> Vec<String> {
    let snapshot = &open.snapshot;
    let symbols = snapshot.grouped.recording.symbols();
    let places = recorded.iter().flat_map(|&line| snapshot.costs.functions_on(open.file, line));
    let func = |place: &PlaceCost| symbols.funcs.get(snapshot.grouped.func(place.function));
    let libs: BTreeSet<LibId> = places.filter_map(|place| func(place).lib).collect();
    libs.into_iter().flat_map(|lib| of_library(snapshot, lib)).collect()
}

fn of_library(snapshot: &Snapshot, lib: LibId) -> Vec<String> {
    let Lib { name, code_id, .. } = &snapshot.grouped.recording.symbols().libs[lib.index()];
    let mut resolved = snapshot.symbolicated.libraries.all().iter();
    let is_resolved = resolved.any(|it| it.unresolved.lib == lib && it.symbols.is_some());
    let id = if code_id.is_empty() { String::new() } else { format!(", build id {code_id}") };
    let mut steps = vec![format!("code of {name}{id}")];
    if is_resolved {
        steps.push(format!("functions and lines of {name} from debug info on this machine"));
    }
    steps
}

/// The recorded names of the file, each with the rule by which it is this file.
fn of_files(open: &OpenFile) -> Vec<String> {
    let mappings = open.snapshot.mappings();
    let names = mappings.filter_map(|(name, file, mapping)| match mapping {
        Mapping::Mapped { how, .. } if file == open.file => Some(of_file(name, *how)),
        _ => None,
    });
    names.collect()
}

fn of_file(name: &str, how: How) -> String {
    let found = match how {
        How::Rule => "by a path mapping",
        How::Exact => "at that path",
        How::Suffix => "by the end of its path",
        How::Module => "by its module or package",
        How::Mount => "by the mounts of a dev container",
        How::Link => "through a symbolic link",
        How::SourceMap => "by a source map",
        How::Name => return "no file in the profile; the function is defined only here".to_owned(),
    };
    format!("{name} in the profile, found {found}")
}

fn of_text(open: &OpenFile) -> String {
    let recorded = open.snapshot.texts().get(&open.document.path);
    let origin = recorded.map_or(Origin::Guess, |recorded| recorded.origin);
    let text = match origin {
        Origin::Profile => "the recorded text is in the profile or in a source map",
        Origin::Copy => {
            "the recorded text is the copy that was kept when the profile was first shown"
        }
        Origin::Disk => "the recorded text is the file on disk",
        Origin::Git => "the recorded text is a version in Git",
        Origin::Renamed => "the recorded text is that of the file that was renamed to this one",
        Origin::Guess | Origin::Contradicted | Origin::Rebuilt | Origin::Edited => {
            let why = origin.doubt().unwrap_or_default();
            return format!("the recorded text is not known: {why}");
        }
    };
    text.to_owned()
}

/// Where recorded lines (1-based) are now.
fn of_line(recorded: &[u32], line0: u32) -> String {
    match *recorded {
        [line] if line == line0 + 1 => format!("line {line}, as recorded"),
        [line] => format!("recorded as line {line}, which is line {} now", line0 + 1),
        _ => {
            let lines: Vec<String> = recorded.iter().map(u32::to_string).collect();
            format!(
                "recorded as lines {}, which are joined in line {} now",
                lines.join(", "),
                line0 + 1
            )
        }
    }
}
