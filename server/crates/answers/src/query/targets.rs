//! What a name selects of the sources: a file, a folder, a line of a file, or functions.

use crate::functions::own_code::charges;
use crate::query::annotated::{Part, Shown};
use crate::query::path_rules;
use crate::ranking::order::{hottest_functions, hottest_line_of_files};
use analysis::{FileId, FunctionId};
use loading::text::{file_name, one_line, plain};
use loading::{Snapshot, units};
use sources::{Mapping, SourceIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A file to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The file of the profile.
    pub file: FileId,
    /// The source.
    pub path: PathBuf,
    /// What to show of it.
    pub shown: Shown,
}

/// Why a name selects nothing, as a message for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetProblem {
    /// It is neither a file nor a function, or several files.
    Unmatched(String),
    /// What it names has no cost, or its source cannot be shown.
    NoCost(String),
}

impl TargetProblem {
    /// The message.
    pub fn into_message(self) -> String {
        match self {
            Self::Unmatched(message) | Self::NoCost(message) => message,
        }
    }
}

/// The weight of each file with costs on lines: the sum of their self costs, or the total of its
/// hottest line if that is greater. The lines of some files only call others.
pub fn weights_of_files(snapshot: &Snapshot) -> BTreeMap<FileId, f64> {
    let mut files: BTreeMap<FileId, f64> = BTreeMap::new();
    for line in snapshot.costs.lines() {
        *files.entry(line.file).or_default() += line.cost.self_.abs();
    }
    for (file, line) in hottest_line_of_files(snapshot) {
        let weight = files.entry(file).or_default();
        *weight = weight.max(line.cost.magnitude());
    }
    files
}

/// The files with costs that were found. Own files come first, by what their functions cost together with
/// the libraries that they call; the others are those with costs on lines, hottest first.
pub fn hottest_files(snapshot: &Snapshot) -> Vec<Target> {
    let mut own: BTreeMap<FileId, f64> = BTreeMap::new();
    let lines = weights_of_files(snapshot);
    // A file without lines has lenses if the definition of a function is known.
    let mut with_lens: BTreeSet<FileId> = BTreeSet::new();
    let charges = charges(snapshot).functions.into_iter();
    for (function, weight) in charges.filter(|(_, weight)| *weight > 0.0) {
        if let Some(file) = snapshot.file_of(function) {
            *own.entry(file).or_default() += weight;
            if snapshot.source_function(function).is_some() {
                with_lens.insert(file);
            }
        }
    }
    own.retain(|file, _| lines.contains_key(file) || with_lens.contains(file));
    let lines = lines.into_iter();
    let others = lines.filter(|(file, _)| !own.contains_key(file)).collect::<Vec<_>>();
    let found = |is_own: bool| {
        move |(file, weight): (FileId, f64)| {
            Some((!is_own, weight, file, snapshot.path_of(file)?.to_owned()))
        }
    };
    let mut files: Vec<_> = own.into_iter().filter_map(found(true)).collect();
    files.extend(others.into_iter().filter_map(found(false)));
    files.sort_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| b.1.total_cmp(&a.1)).then_with(|| a.3.cmp(&b.3))
    });
    files.into_iter().map(|(.., file, path)| Target { file, path, shown: Shown::Whole }).collect()
}

/// What `names` select, and why the other names select nothing. Parts of one file are united.
pub fn named(
    snapshot: &Snapshot,
    index: &SourceIndex,
    names: &[PathBuf],
) -> (Vec<Target>, Vec<TargetProblem>) {
    let (mut targets, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match select(snapshot, index, name) {
            Ok(found) => found.into_iter().for_each(|target| add(&mut targets, target)),
            Err(problem) => problems.push(problem),
        }
    }
    (targets, problems)
}

/// Adds a target, to the one of the same file if there is one.
fn add(targets: &mut Vec<Target>, target: Target) {
    match targets.iter_mut().find(|other| other.file == target.file) {
        Some(same) => match (&mut same.shown, target.shown) {
            (Shown::Parts(parts), Shown::Parts(others)) => parts.extend(others),
            (shown, _) => *shown = Shown::Whole,
        },
        None => targets.push(target),
    }
}

/// What a name selects: a file, a folder, a line of a file, or functions.
fn select(
    snapshot: &Snapshot,
    index: &SourceIndex,
    name: &Path,
) -> Result<Vec<Target>, TargetProblem> {
    if name.is_dir() {
        return in_folder(snapshot, name);
    }
    if let Some(file) = existing_file(snapshot, index, name) {
        return Ok(vec![named_file(snapshot, index, &file)?]);
    }
    let text = name.to_string_lossy();
    if let Some(target) = ending_with(snapshot, index, &text) {
        return Ok(vec![target?]);
    }
    if let Some((file, line)) = text.rsplit_once(':')
        && let Ok(line) = line.parse()
        && let Some(target) = existing_file(snapshot, index, Path::new(file))
            .map(|file| named_file(snapshot, index, &file))
            .or_else(|| ending_with(snapshot, index, file))
    {
        let target = target?;
        let n_lines = snapshot.texts().to_disk(&target.path).map(|(_, text)| text.lines().count());
        if line == 0 || n_lines.is_some_and(|n_lines| line as usize > n_lines) {
            let n_lines = n_lines.map(|n| units::counted(n as f64, "lines"));
            let has = n_lines.map_or_else(String::new, |n| format!(": the file has {n}"));
            return Err(TargetProblem::NoCost(format!("{text}: no such line{has}")));
        }
        return Ok(vec![Target { shown: Shown::Parts(vec![Part::Line(line)]), ..target }]);
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

/// The only file of the profile whose path ends with `name`. `None` if there is no such file, or if
/// `name` is a single word, such as the name of a function.
fn ending_with(
    snapshot: &Snapshot,
    index: &SourceIndex,
    name: &str,
) -> Option<Result<Target, TargetProblem>> {
    if !name.contains(['/', '\\', '.']) {
        return None;
    }
    // By file, because several names can be mapped to one.
    let mut files: BTreeMap<FileId, (&str, &Mapping)> = BTreeMap::new();
    for (recorded, file, mapping) in snapshot.mappings() {
        let source = mapping.path().map(Path::to_string_lossy);
        if ends_with(recorded, name) || source.is_some_and(|source| ends_with(&source, name)) {
            files.entry(file).or_insert((recorded, mapping));
        }
    }
    if files.keys().any(|&file| has_cost(snapshot, file)) {
        files.retain(|&file, _| has_cost(snapshot, file));
    }
    if files.keys().any(|&file| snapshot.path_of(file).is_some()) {
        files.retain(|&file, _| snapshot.path_of(file).is_some());
    }
    let mut found = files.values();
    Some(match (found.next()?, found.next()) {
        ((_, Mapping::Mapped { path, .. }), None) => named_file(snapshot, index, path),
        ((recorded, mapping), None) => Err(not_mapped(name, recorded, mapping, index)),
        _ => Err(several(name, files.values().copied())),
    })
}

/// Whether the last components of a path are `end`.
fn ends_with(path: &str, end: &str) -> bool {
    let separators = ['/', '\\'];
    let mut path = path.rsplit(separators);
    end.rsplit(separators).all(|component| path.next() == Some(component))
}

/// The problem that a file of the profile has no source.
fn not_mapped(name: &str, recorded: &str, mapping: &Mapping, index: &SourceIndex) -> TargetProblem {
    let why = match mapping {
        Mapping::Unmapped(reason) => one_line(&reason.to_string()).into_owned(),
        Mapping::Ambiguous { .. } | Mapping::Mapped { .. } => {
            "could be any of several files".to_owned()
        }
    };
    let options = match path_rules::for_mapping(recorded, mapping, index) {
        rules if rules.is_empty() => "its project with --root, or --map FROM=TO".to_owned(),
        rules => path_rules::as_options(&rules),
    };
    let recorded = plain(recorded);
    TargetProblem::NoCost(format!("{name}: the profile's {recorded} {why}; pass {options}"))
}

/// The problem that a name is the end of several files.
fn several<'s>(
    name: &str,
    files: impl ExactSizeIterator<Item = (&'s str, &'s Mapping)>,
) -> TargetProblem {
    /// With more files than this, the others are counted.
    const MAX_LISTED: usize = 8;
    let n = files.len();
    let path = |(recorded, mapping): (&str, &Mapping)| match mapping.path() {
        Some(path) => plain(&path.to_string_lossy()).into_owned(),
        None => plain(recorded).into_owned(),
    };
    let mut listed: Vec<String> = files.take(MAX_LISTED).map(path).collect();
    if n > MAX_LISTED {
        listed.push(format!("and {} more", n - MAX_LISTED));
    }
    let listed = listed.join(", ");
    TargetProblem::Unmatched(format!(
        "{name}: {n} files of the profile end like this ({listed}); pass more of the path"
    ))
}

/// Whether a line or function of a file has a cost.
fn has_cost(snapshot: &Snapshot, file: FileId) -> bool {
    !snapshot.costs.lines_of(file, 1..u32::MAX).is_empty() || !snapshot.defined_in(file).is_empty()
}

/// The files with cost in a folder, hottest first.
fn in_folder(snapshot: &Snapshot, folder: &Path) -> Result<Vec<Target>, TargetProblem> {
    let fail = |why: &str| TargetProblem::NoCost(format!("{}: {why}", folder.display()));
    let real = folder.canonicalize().map_err(|error| fail(&error.to_string()))?;
    let mut targets = hottest_files(snapshot);
    targets.retain(|target| target.path.starts_with(&real));
    if targets.is_empty() {
        return Err(fail("no file in this folder has a cost in this profile"));
    }
    Ok(targets)
}

/// The functions that a name or `/regex/` matches, in the order of their costs.
pub fn functions(snapshot: &Snapshot, name: &str) -> Result<Vec<Target>, TargetProblem> {
    let found = snapshot.named(name).map_err(|unmatched| {
        TargetProblem::Unmatched(format!(
            "{name}: no file with this name, and {}",
            unmatched.problem
        ))
    })?;
    let has_cost =
        |&function: &FunctionId| snapshot.costs.function(function).cost.magnitude() > 0.0;
    let hottest = hottest_functions(snapshot).into_iter().filter(has_cost);
    let found: Vec<FunctionId> = hottest.filter(|function| found.contains(function)).collect();
    let target = |&function: &FunctionId| {
        let (file, _) = snapshot.definition(function)?;
        let path = snapshot.path_of(file)?.to_owned();
        Some(Target { file, path, shown: Shown::Parts(vec![Part::Function(function)]) })
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
    Err(TargetProblem::NoCost(format!("{name}: {why}")))
}

fn named_file(
    snapshot: &Snapshot,
    index: &SourceIndex,
    source: &Path,
) -> Result<Target, TargetProblem> {
    let fail = |why: &str| TargetProblem::NoCost(format!("{}: {why}", source.display()));
    let path = source.canonicalize().map_err(|error| fail(&error.to_string()))?;
    if let Some(file) = snapshot.file_at(&path) {
        return if has_cost(snapshot, file) {
            Ok(Target { file, path, shown: Shown::Whole })
        } else {
            Err(fail("the profile names this file, but it has no cost in this view"))
        };
    }
    if let Some(reason) = snapshot.no_debug_info() {
        return Err(fail(&format!("no line costs in this profile: {reason}")));
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
