//! How the cost of a line got there: the metric, the code, the file, its text and the line.

use crate::world::context::OpenFile;
use analysis::{Lib, LibId, PlaceCost};
use loading::text::one_line;
use loading::{Origin, RecordedText};
use sources::{How, Mapping, Root};
use std::collections::BTreeSet;
use std::path::Path;
use symbols::{Generics, LibStatus, LibSymbols};

/// The number of addresses that are listed.
const MAX_ADDRESSES: usize = 4;

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

/// Where the cost of a line (0-based) was recorded, if that is not this line of this text at its path:
/// `recorded as /ci/app.py:12, in a version of Git`.
pub fn recorded_as(open: &OpenFile, line0: u32) -> Option<String> {
    let line = open.lines().all_recorded(line0).next()?;
    let is_whole = |name: &str| open.document.path.ends_with(name.trim_start_matches("./"));
    let other = open.snapshot.mappings().find_map(|(name, file, mapping)| match mapping {
        // The profile has the generated script, or no file.
        Mapping::Mapped { how: How::SourceMap | How::Name, .. } => None,
        _ => (file == open.file && !is_whole(name)).then_some(name),
    });
    let recorded = open.snapshot.texts().get(&open.document.path);
    let is_other = |it: &&RecordedText| *it.text != *open.document.text.as_str();
    let text = match recorded.filter(is_other).map(|recorded| recorded.origin) {
        Some(Origin::Git) => ", in a version of Git",
        Some(Origin::Copy) => ", in the copy that was kept",
        Some(Origin::Profile) => ", in the text of the profile",
        _ => "",
    };
    let is_moved = line != line0 + 1;
    let place = match other {
        Some(name) => format!("{name}:{line}"),
        None if is_moved || !text.is_empty() => format!("line {line}"),
        None => return None,
    };
    Some(one_line(&format!("recorded as {place}{text}")).into_owned())
}

/// The libraries of the functions that were executing on recorded lines (1-based).
fn of_code(open: &OpenFile, recorded: &[u32]) -> Vec<String> {
    let snapshot = &open.snapshot;
    let symbols = snapshot.grouped.recording.symbols();
    let places = recorded.iter().flat_map(|&line| snapshot.costs.functions_on(open.file, line));
    let func = |place: &PlaceCost| symbols.funcs.get(snapshot.grouped.func(place.function));
    let libs: BTreeSet<LibId> = places.filter_map(|place| func(place).lib).collect();
    libs.into_iter().flat_map(|lib| of_library(open, lib, recorded)).collect()
}

/// The addresses of a library on recorded lines (1-based), and where its functions and lines are from.
fn of_library(open: &OpenFile, lib: LibId, recorded: &[u32]) -> Vec<String> {
    let snapshot = &open.snapshot;
    let Lib { name, code_id, .. } = &snapshot.grouped.recording.symbols().libs[lib.index()];
    let mut libraries = snapshot.symbolicated.libraries.all().iter();
    let library = libraries.find(|it| it.unresolved.lib == lib);
    let symbols = library.and_then(|library| library.symbols.as_deref());
    let addresses = match (library, symbols) {
        (Some(library), Some(symbols)) => {
            on_lines(open, symbols, &library.unresolved.addresses, recorded)
        }
        _ => Vec::new(),
    };
    let id = if code_id.is_empty() { String::new() } else { format!(", build id {code_id}") };
    let code = format!("code of {name}{id}");
    let addresses = (!addresses.is_empty()).then(|| listed(&addresses));
    let from = symbols.and_then(|symbols| from(symbols.status(), &snapshot.identified.roots));
    let from = from.map(|from| format!("functions and lines of {name} from {from}"));
    [code].into_iter().chain(addresses).chain(from).collect()
}

/// The addresses on recorded lines (1-based) of a file.
fn on_lines(
    open: &OpenFile,
    symbols: &LibSymbols,
    addresses: &[u64],
    recorded: &[u32],
) -> Vec<u64> {
    let mappings = open.snapshot.mappings().filter(|(_, file, _)| *file == open.file);
    let names: BTreeSet<&str> = mappings.map(|(name, ..)| name).collect();
    let is_on = |address: &u64| {
        let mut levels = symbols.levels(*address, Generics::Keep);
        levels.any(|it| recorded.contains(&it.line) && it.file.is_some_and(|it| names.contains(it)))
    };
    addresses.iter().copied().filter(is_on).collect()
}

/// The first addresses.
fn listed(addresses: &[u64]) -> String {
    let shown: Vec<String> =
        addresses.iter().take(MAX_ADDRESSES).map(|address| format!("{address:#x}")).collect();
    let more = addresses.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let noun = if addresses.len() == 1 { "address" } else { "addresses" };
    format!("{noun} {}{more}", shown.join(", "))
}

/// Where symbols are from; files in a root without its path. `None` if none were found.
fn from(status: &LibStatus, roots: &[Root]) -> Option<String> {
    let shown = |path: &Path| {
        let mut inside = roots.iter().filter_map(|root| path.strip_prefix(&root.path).ok());
        inside.next().unwrap_or(path).display().to_string()
    };
    Some(match status {
        LibStatus::DebugInfo { path, .. } => format!("the debug info in {}", shown(path)),
        LibStatus::NamesOnly { path, .. }
        | LibStatus::Kernel { path }
        | LibStatus::PerfMap { path } => shown(path),
        LibStatus::Sidecar { .. } => "the file of symbols beside the profile".to_owned(),
        _ => return None,
    })
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
        How::SourceMap => return format!("{name} in the source map of the script that ran"),
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
