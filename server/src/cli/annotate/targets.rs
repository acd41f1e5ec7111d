//! What `costline annotate` shows: files, or parts of files.

use crate::cli::exit::Failure;
use crate::cli::left_out::{not_found, weights};
use analysis::{FileId, FunctionId};
use engine::present::text::{file_name, plain};
use engine::present::units;
use engine::query::path_rules;
use engine::ranking::order::hottest_functions;
use engine::snapshot::Snapshot;
use sources::{Mapping, SourceIndex};
use std::path::{Path, PathBuf};

/// The number of files to show if the user names none.
const DEFAULT_FILES: usize = 3;

/// A file to show.
pub(in crate::cli) struct Target {
    /// The file of the profile.
    pub file: FileId,
    /// The source.
    pub path: PathBuf,
    /// What to show of it. Empty: all of it.
    pub parts: Vec<Part>,
}

/// A part of a file to show.
pub(in crate::cli) enum Part {
    /// A line, 1-based, and those around it.
    Line(u32),
    /// A function.
    Function(FunctionId),
}

/// The files with the highest costs that were found, hottest first.
pub(super) fn hottest(snapshot: &Snapshot, index: &SourceIndex) -> Result<Vec<Target>, Failure> {
    let files = files_with_cost(snapshot);
    if files.is_empty() {
        let no_lines = if snapshot.costs.lines().is_empty() {
            "the profile has no lines (run `costline check`)".to_owned()
        } else if let Some(name) = snapshot.mappings().find_map(is_found) {
            format!("the profile has no cost on a line of a file that was found, such as {name}")
        } else if let Some(ambiguous) = ambiguous(snapshot, index) {
            format!("none of the files in the profile was found: {ambiguous}")
        } else if let Some(not_found) = not_found(snapshot, index) {
            format!("none of the files in the profile was found; {not_found}")
        } else {
            "none of the files in the profile was found (run `costline check`, or pass --root or --map)".to_owned()
        };
        let reason = snapshot.no_debug_info().unwrap_or(no_lines);
        return Err(Failure::no_output(format!(
            "{}: nothing to show: {reason}",
            snapshot.loaded.path.display()
        )));
    }
    Ok(files.into_iter().take(DEFAULT_FILES).collect())
}

/// The files with costs on lines that were found, hottest first.
fn files_with_cost(snapshot: &Snapshot) -> Vec<Target> {
    let mut files: Vec<_> = weights(snapshot)
        .into_iter()
        .filter_map(|(file, weight)| Some((weight, file, snapshot.path_of(file)?.to_owned())))
        .collect();
    files.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    files.into_iter().map(|(_, file, path)| Target { file, path, parts: Vec::new() }).collect()
}

/// The name of a file in the profile, if its source was found.
fn is_found((name, _, mapping): (&str, FileId, &Mapping)) -> Option<String> {
    mapping.path().map(|_| plain(name).into_owned())
}

/// The first name that matches several files, and the options that select each of them.
fn ambiguous(snapshot: &Snapshot, index: &SourceIndex) -> Option<String> {
    let (name, _, mapping) =
        snapshot.mappings().find(|(_, _, mapping)| matches!(mapping, Mapping::Ambiguous { .. }))?;
    let options = path_rules::as_options(&path_rules::for_mapping(name, mapping, index));
    Some(format!("{} matches several files; pass {options}", plain(name)))
}

/// What `names` select, and a message for each name without cost. Parts of one file are united.
pub(in crate::cli) fn named(
    snapshot: &Snapshot,
    index: &SourceIndex,
    names: &[PathBuf],
) -> (Vec<Target>, Vec<Failure>) {
    let (mut targets, mut failures) = (Vec::new(), Vec::new());
    for name in names {
        match select(snapshot, index, name) {
            Ok(found) => found.into_iter().for_each(|target| add(&mut targets, target)),
            Err(failure) => failures.push(failure),
        }
    }
    (targets, failures)
}

/// Adds a target, to the one of the same file if there is one.
fn add(targets: &mut Vec<Target>, target: Target) {
    match targets.iter_mut().find(|other| other.file == target.file) {
        // All of the file is shown already, or from now on.
        Some(same) if same.parts.is_empty() || target.parts.is_empty() => same.parts.clear(),
        Some(same) => same.parts.extend(target.parts),
        None => targets.push(target),
    }
}

/// What a name selects: a file, a folder, a line of a file, or functions.
fn select(snapshot: &Snapshot, index: &SourceIndex, name: &Path) -> Result<Vec<Target>, Failure> {
    if name.is_dir() {
        return in_folder(snapshot, name);
    }
    if let Some(file) = existing_file(snapshot, index, name) {
        return Ok(vec![named_file(snapshot, index, &file)?]);
    }
    let text = name.to_string_lossy();
    if let Some((file, line)) = text.rsplit_once(':')
        && let Ok(line) = line.parse()
        && let Some(file) = existing_file(snapshot, index, Path::new(file))
    {
        let target = named_file(snapshot, index, &file)?;
        let n_lines = snapshot.texts.to_disk(&target.path).map(|(_, text)| text.lines().count());
        if line == 0 || n_lines.is_some_and(|n_lines| line as usize > n_lines) {
            let n_lines = n_lines.map(|n| units::counted(n as f64, "lines"));
            let has = n_lines.map_or_else(String::new, |n| format!(": the file has {n}"));
            return Err(Failure::no_output(format!("{text}: no such line{has}")));
        }
        return Ok(vec![Target { parts: vec![Part::Line(line)], ..target }]);
    }
    functions(snapshot, &text)
}

/// The file that a path names: as it is, in one of the roots, or as the profile has it.
fn existing_file(snapshot: &Snapshot, index: &SourceIndex, name: &Path) -> Option<PathBuf> {
    if name.exists() {
        return Some(name.to_owned());
    }
    let in_root = index.roots().iter().map(|root| root.path.join(name)).find(|path| path.is_file());
    let recorded = |(recorded, _, mapping): (&str, FileId, &Mapping)| {
        let path = mapping.path()?;
        (Path::new(recorded) == name).then(|| path.to_owned())
    };
    in_root.or_else(|| snapshot.mappings().find_map(recorded))
}

/// The files with cost in a folder, hottest first.
fn in_folder(snapshot: &Snapshot, folder: &Path) -> Result<Vec<Target>, Failure> {
    let fail = |why: &str| Failure::no_output(format!("{}: {why}", folder.display()));
    let real = folder.canonicalize().map_err(|error| fail(&error.to_string()))?;
    let mut targets = files_with_cost(snapshot);
    targets.retain(|target| target.path.starts_with(&real));
    if targets.is_empty() {
        return Err(fail("no file in this folder has cost in this profile"));
    }
    Ok(targets)
}

/// The functions that a name or `/regex/` matches, in the order of their costs.
fn functions(snapshot: &Snapshot, name: &str) -> Result<Vec<Target>, Failure> {
    let found = snapshot.named(name).map_err(|unmatched| {
        Failure::usage(format!("{name}: no file of this name, and {}", unmatched.problem))
    })?;
    let has_cost =
        |&function: &FunctionId| snapshot.costs.function(function).cost.magnitude() > 0.0;
    let hottest = hottest_functions(snapshot).into_iter().filter(has_cost);
    let found: Vec<FunctionId> = hottest.filter(|function| found.contains(function)).collect();
    let target = |&function: &FunctionId| {
        let (file, _) = snapshot.definition(function)?;
        let path = snapshot.path_of(file)?.to_owned();
        Some(Target { file, path, parts: vec![Part::Function(function)] })
    };
    let targets: Vec<Target> = found.iter().filter_map(target).collect();
    if !targets.is_empty() {
        return Ok(targets);
    }
    let why = match found.first() {
        Some(&first) => match snapshot.function(first).file {
            Some(file) => format!("its file {} was not found", file_name(snapshot.file_name(file))),
            None => "the profile does not record its file".to_owned(),
        },
        None => "it has no cost in this view".to_owned(),
    };
    Err(Failure::no_output(format!("{name}: {why}")))
}

fn named_file(snapshot: &Snapshot, index: &SourceIndex, source: &Path) -> Result<Target, Failure> {
    let fail = |why: &str| Failure::no_output(format!("{}: {why}", source.display()));
    let path = source.canonicalize().map_err(|error| fail(&error.to_string()))?;
    if let Some(file) = snapshot.file_at(&path) {
        let has_cost = !snapshot.costs.lines_of(file, 1..u32::MAX).is_empty()
            || !snapshot.defined_in(file).is_empty();
        return if has_cost {
            Ok(Target { file, path, parts: Vec::new() })
        } else {
            Err(fail("the profile names this file, but without cost in this view"))
        };
    }
    if let Some(reason) = snapshot.no_debug_info() {
        return Err(fail(&format!("no cost on lines in this profile: {reason}")));
    }
    let rule = path_rules::same_name(snapshot, &path)
        .filter(|(_, mapping)| !matches!(mapping, Mapping::Mapped { .. }))
        .and_then(|(name, _)| Some((name, path_rules::for_file(name, &path, index)?)));
    Err(fail(&match rule {
        Some((name, rule)) => format!(
            "no cost in this profile; if this is its file {}, pass {}",
            plain(name),
            path_rules::as_options(&[rule])
        ),
        None => {
            "no cost in this profile; if the profile has the file under another name, pass --map"
                .to_owned()
        }
    }))
}
