//! Whether a workspace file is the recorded one, by the functions that the profile names in it.
//!
//! A file whose text is not the recorded one, because it was edited, may have other functions or
//! lines. So a file is refused only if several functions are known and none is there, and chosen
//! among others only if all are on their lines. Without start lines (py-spy), that means around the
//! lines on which they were executing.

use super::identifying::{Change, Identifying};
use crate::functions::file::File;
use crate::functions::function_name::FunctionName;
use crate::load::texts::fit::FunctionEvidence;
use crate::load::texts::reader::Reader;
use analysis::{FuncId, SourceId};
use rustc_hash::FxHashSet;
use sources::{How, Mapping, Reason, SourceIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use texts::Language;

/// The number of functions without which a file is refused. One if the profile has only the last
/// component of its path, which a file of a library may have as well (`random.py`).
const MIN_MISSING: usize = 3;

/// The number of functions by which a file is chosen or kept.
pub(super) const MIN_FOUND: usize = 2;

/// The number of lines below the recorded start of a function in which its name is expected: it may
/// have attributes, decorators, or its return type on lines of their own.
const MAX_BELOW: usize = 3;

/// Names that files of most projects have, or that compilers and macros generate (Rust's derived
/// functions, Lombok's). They prove nothing unless they are on their line.
const COMMON: &[&str] = &[
    "main",
    "new",
    "run",
    "init",
    "get",
    "set",
    "next",
    "from",
    "into",
    "call",
    "invoke",
    "apply",
    "test",
    "setup",
    "start",
    "stop",
    "close",
    "constructor",
    "toString",
    "default",
    "clone",
    "drop",
    "fmt",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "cmp",
    "partial_cmp",
    "hash",
    "serialize",
    "deserialize",
    "equals",
    "hashCode",
    "canEqual",
    "builder",
    "build",
    "MoveNext",
];

/// The recorded functions of a source: the last part of their names, and their start lines
/// (1-based; 0 = unknown).
pub(super) type Recorded = Vec<(String, u32)>;

/// The funcs of a source whose start lines are unknown, each with a line (0-based) on which it was
/// executing.
type Executing = BTreeSet<(FuncId, u32)>;

/// Decides between ambiguous candidates, and unmaps files of another project that were found by
/// another path than their own. Not those whose content is confirmed.
pub fn decide(all: &Identifying<'_>) -> Change {
    let mut change = Change::default();
    let mut folders: BTreeMap<(String, PathBuf), Folder<'_>> = BTreeMap::new();
    for (source, mapping) in all.sources() {
        match mapping {
            Mapping::Ambiguous { candidates } => {
                let path = chosen(all, source, candidates);
                let mapped = path.map(|path| Mapping::Mapped { path, how: How::Suffix });
                change.mappings.extend(mapped.map(|mapped| (source, mapped)));
            }
            Mapping::Mapped { path, how: How::Suffix | How::Module | How::Mount }
                if !all.confirmed.contains(&source) =>
            {
                let Some(Functions { own, is_there }) = Functions::of(all, source, path) else {
                    continue;
                };
                let name = all.name(source);
                let folder = folders.entry(folder(name, path)).or_default();
                folder.is_there |= is_there || own.is_empty();
                let min = if is_base_name(name, path, all.context.index) { 1 } else { MIN_MISSING };
                if own.len() >= min && !is_there {
                    change.mappings.push((source, other_functions(path, &own)));
                } else {
                    folder.files.push((source, path));
                }
                folder.own.extend(own);
            }
            _ => {}
        }
    }
    // Files of few functions, beside others of the same project.
    for Folder { own, files, .. } in
        folders.into_values().filter(|it| !it.is_there && it.own.len() >= MIN_MISSING)
    {
        let refused = files.into_iter().map(|(source, path)| (source, other_functions(path, &own)));
        change.mappings.extend(refused);
    }
    change
}

/// The refusal of a file that has none of the functions.
fn other_functions(path: &Path, own: &BTreeSet<String>) -> Mapping {
    let (candidate, function) = (path.to_owned(), own.iter().next().cloned());
    let function = function.unwrap_or_default();
    Mapping::Unmapped(Reason::OtherFunctions { candidate, function })
}

/// The functions of a source, and the workspace file that it may be.
struct Functions {
    /// Their names that are not common.
    own: BTreeSet<String>,
    /// Whether the file may have one of them.
    is_there: bool,
}

impl Functions {
    /// `None` if the source has no functions that are known well enough.
    fn of(all: &Identifying<'_>, source: SourceId, path: &Path) -> Option<Self> {
        let is_compiled = Language::of_path(path)?.is_compiled();
        let functions = recorded_functions(all, source, |line| line != 0 || !is_compiled);
        if functions.is_empty() {
            return None;
        }
        let is_there = is_there(all.name(source), path, &functions, all.context.reader)
            || n_executing(all, path, &executing_lines(all, source)) > Some(0);
        let names = functions.into_iter().map(|(name, _)| name);
        Some(Self { own: names.filter(|name| !is_common(name)).collect(), is_there })
    }
}

/// The files in a recorded folder that were found in a folder of the workspace.
#[derive(Default)]
struct Folder<'a> {
    /// Those that are not refused.
    files: Vec<(SourceId, &'a Path)>,
    /// The names of the functions of all files that are not common.
    own: BTreeSet<String>,
    /// Whether one of the files may have functions of the profile.
    is_there: bool,
}

/// The candidate that has the functions of a source.
fn chosen(all: &Identifying<'_>, source: SourceId, candidates: &[PathBuf]) -> Option<PathBuf> {
    let functions = recorded_functions(all, source, |line| line != 0);
    if functions.is_empty() {
        return choose_by_lines(all, candidates, &executing_lines(all, source));
    }
    let is_open = !all.confirmed.contains(&source);
    is_open.then(|| choose(candidates, &functions, all.context.reader))?
}

/// The recorded folder and the folder of the workspace that a name and its path have below the parts
/// that they have in common.
fn folder(name: &str, path: &Path) -> (String, PathBuf) {
    let (mut name, mut path) = (name, path);
    while let (Some((folder, last)), Some(parent)) = (name.rsplit_once(['/', '\\']), path.parent())
        && path.file_name().is_some_and(|file| file == last)
    {
        (name, path) = (folder, parent);
    }
    (name.to_owned(), path.to_owned())
}

/// Whether a file has one of the functions that the profile names in it, or had one in a text that is
/// known: a copy, or a version in Git.
fn is_there(name: &str, path: &Path, functions: &Recorded, reader: &Reader<'_>) -> bool {
    let own: FxHashSet<&str> =
        functions.iter().map(|(name, _)| name.as_str()).filter(|name| !is_common(name)).collect();
    let has_one = |text: &str| {
        words(text).any(|word| own.contains(word))
            || functions.iter().any(|(name, line)| *line != 0 && is_on_line(text, name, *line))
    };
    // What cannot be read proves nothing.
    reader.now(path).is_none_or(|now| has_one(&now.text))
        || reader.earlier(path, &[name.to_owned()]).any(|text| has_one(&text))
}

/// Whether a name has no folder, and its file is in a folder below the root. `false` for compiled code,
/// because compilers add functions that are in no text.
pub(super) fn is_base_name(name: &str, path: &Path, index: &SourceIndex) -> bool {
    let is_below = || index.roots().iter().all(|root| path.parent() != Some(&root.path));
    let is_compiled = || Language::of_path(path).is_none_or(Language::is_compiled);
    !name.contains(['/', '\\']) && is_below() && !is_compiled()
}

/// The functions of a source with a plain name and a start line (0 = unknown) that `is_known` accepts.
/// Profilers that do not know inlining give compiled functions the file of their first instruction.
fn recorded_functions(
    all: &Identifying<'_>,
    source: SourceId,
    is_known: impl Fn(u32) -> bool,
) -> Recorded {
    let plain = |(func, function): (FuncId, &FunctionEvidence)| {
        let line = function.start.map_or(0, |(line0, _)| line0 + 1);
        let name = plain_name(all.recording.symbols().func_name(func)).filter(|_| is_known(line));
        Some((name?, line))
    };
    let evidence = all.evidence().of_source(source).into_iter();
    let functions = evidence.flat_map(|evidence| evidence.functions());
    let functions: BTreeSet<(String, u32)> = functions.filter_map(plain).collect();
    functions.into_iter().collect()
}

/// The lines on which the functions of a source were executing if their start lines are unknown.
fn executing_lines(all: &Identifying<'_>, source: SourceId) -> Executing {
    executing(all, source, |function| function.start.is_none())
}

fn executing(
    all: &Identifying<'_>,
    source: SourceId,
    is_wanted: impl Fn(&FunctionEvidence) -> bool,
) -> Executing {
    let symbols = all.recording.symbols();
    let evidence = all.evidence().of_source(source).into_iter();
    let functions = evidence.flat_map(|evidence| evidence.functions());
    let functions = functions.filter(|(func, function)| {
        is_wanted(function) && plain_name(symbols.func_name(*func)).is_some()
    });
    let lines = functions
        .flat_map(|(func, function)| function.lines.iter().map(move |&line0| (func, line0)));
    lines.collect()
}

/// The last part of a name, if source code spells it like this. `None` for closures and for names
/// that compilers mangle or invent.
pub(super) fn plain_name(name: &str) -> Option<String> {
    let name = FunctionName::of(name).name?;
    // C# and Lombok name the functions of a property after it.
    let is_accessor = ["get", "set", "is", "add", "remove", "op"].iter().any(|prefix| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'))
    });
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_plain = name.chars().all(is_word)
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().count() > 1
        && !name.contains("__")
        && !name.starts_with("_Z")
        && !name.starts_with("_R")
        && !is_accessor;
    is_plain.then_some(name)
}

/// Whether files of most projects have a function of this name.
pub(super) fn is_common(name: &str) -> bool {
    COMMON.contains(&name)
}

/// The only candidate with all functions on their lines, if no other one has any of them there.
fn choose(candidates: &[PathBuf], functions: &Recorded, reader: &Reader<'_>) -> Option<PathBuf> {
    let names: FxHashSet<&str> = functions.iter().map(|(name, _)| name.as_str()).collect();
    if names.len() < MIN_FOUND {
        return None;
    }
    only_with_all(candidates, functions.len(), |path| {
        let text = reader.now(path)?.text;
        Some(functions.iter().filter(|(name, line)| is_on_line(&text, name, *line)).count())
    })
}

/// The only candidate with all functions around their executing lines, if no other one has any of
/// them there. A function may be long, so one of the names must not be common.
fn choose_by_lines(
    all: &Identifying<'_>,
    candidates: &[PathBuf],
    executing: &Executing,
) -> Option<PathBuf> {
    let name = |func: FuncId| FunctionName::of(all.recording.symbols().func_name(func));
    let names: FxHashSet<String> =
        executing.iter().filter_map(|&(func, _)| name(func).name).collect();
    if names.len() < MIN_FOUND || names.iter().all(|name| is_common(name)) {
        return None;
    }
    only_with_all(candidates, executing.len(), |path| n_executing(all, path, executing))
}

/// Whether a file has functions of the source around most of the lines on which these were executing.
pub(super) fn has_most(all: &Identifying<'_>, path: &Path, source: SourceId) -> bool {
    let executing = executing(all, source, |_| true);
    let n_right = n_executing(all, path, &executing).unwrap_or(0);
    n_right >= MIN_FOUND && 2 * n_right > executing.len()
}

/// The number of places in which a file has a function of that name around the executing line.
fn n_executing(all: &Identifying<'_>, path: &Path, executing: &Executing) -> Option<usize> {
    let symbols = all.recording.symbols();
    let text = all.context.reader.now(path)?.text;
    let definitions = all.context.parsed.one(path, &text)?;
    let file = File::new(&definitions);
    let is_there = |&&(func, line0): &&(FuncId, u32)| {
        file.may_contain(&FunctionName::of(symbols.func_name(func)), &[line0])
    };
    Some(executing.iter().filter(is_there).count())
}

/// The only candidate in which all of `n_all` places are found, if none is found in the others.
/// `None` if it is unknown for one.
fn only_with_all(
    candidates: &[PathBuf],
    n_all: usize,
    mut n_found: impl FnMut(&Path) -> Option<usize>,
) -> Option<PathBuf> {
    let mut chosen = None;
    for path in candidates {
        let n_found = n_found(path)?;
        if n_found == n_all && chosen.is_none() {
            chosen = Some(path.clone());
        } else if n_found > 0 {
            return None;
        }
    }
    chosen
}

/// Whether a function's name is on its start line (1-based), or shortly below.
pub(super) fn is_on_line(text: &str, name: &str, line: u32) -> bool {
    let lines = text.lines().skip(line.saturating_sub(1) as usize);
    lines.take(MAX_BELOW + 1).any(|line| words(line).any(|word| word == name))
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_source_code_spells_are_evidence() {
        let table = [
            ("app::Tree<u8>::walk", Some("walk")),
            ("main.(*Index).Add", Some("Add")),
            ("Ledger#post", Some("post")),
            ("_ZN3app4walkE", None),
            ("Shop.get_Total", None),
            ("Shop.setTotal", None),
            ("Shop.settle", Some("settle")),
            ("camlWords__count_12", None),
            ("<module>", None),
            ("(anonymous)", None),
            ("f", None),
        ];
        for (name, expected) in table {
            assert_eq!(plain_name(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_name_is_expected_on_its_line_or_shortly_below() {
        let text = "@cached\n@slow\ndef count(words):\n    pass\n";
        for (line, expected) in [(1, true), (3, true), (4, false), (9, false)] {
            assert_eq!(is_on_line(text, "count", line), expected, "{line}");
        }
        assert!(!is_on_line(text, "cou", 3));
    }
}
