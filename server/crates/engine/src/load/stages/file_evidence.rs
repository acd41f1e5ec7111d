//! Whether a workspace file is the recorded one, by the functions that the profile names in it.
//!
//! A file whose text is not the recorded one, because it was edited, may have other functions or
//! lines. So a file is refused only if several functions are known and none is there, and chosen
//! among others only if all are on their lines. Without start lines (py-spy), that means around the
//! lines on which they were executing.

use crate::discovery::stamp::{Stamp, is_recorded};
use crate::functions::definitions::ParsedFiles;
use crate::functions::function_name::FunctionName;
use crate::functions::source_functions::File;
use analysis::{FuncId, Recording, SourceId, SymbolTables};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{How, Language, Mapping, Reason, SourceIndex};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The limit for the files that are read, in bytes together.
const MAX_BYTES: u64 = 64 << 20;

/// The number of functions without which a file is refused. One if the profile has only the last
/// component of its path, which a file of a library may have as well (`random.py`).
const MIN_MISSING: usize = 3;

/// The number of functions by which a file is chosen.
const MIN_FOUND: usize = 2;

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
/// another path than their own. Not those whose content is `confirmed`.
pub fn apply(
    mappings: &mut [Mapping],
    recording: &Recording,
    index: &SourceIndex,
    profile: &Stamp,
    confirmed: &FxHashSet<SourceId>,
    parsed: &ParsedFiles,
) {
    let mut recorded = recorded_functions(mappings, recording, index);
    let executing = executing_lines(mappings, recording);
    let mut texts = Texts::default();
    for (mapping, source) in mappings.iter_mut().zip(0..) {
        if let (Mapping::Ambiguous { candidates }, Some(executing)) =
            (&*mapping, executing.get(&source).filter(|_| !recorded.contains_key(&source)))
            && let Some(path) =
                choose_by_lines(candidates, executing, recording.symbols(), &mut texts, parsed)
        {
            *mapping = Mapping::Mapped { path, how: How::Suffix };
        }
        let Some(functions) = recorded.remove(&source) else { continue };
        if confirmed.contains(&SourceId::new(source as u32)) {
            continue;
        }
        match mapping {
            Mapping::Ambiguous { candidates } => {
                if let Some(path) = choose(candidates, &functions, &mut texts) {
                    *mapping = Mapping::Mapped { path, how: How::Suffix };
                }
            }
            Mapping::Mapped { path, how: How::Suffix | How::Module | How::Mount } => {
                let name = recording.symbols().source_name(SourceId::new(source as u32));
                let min = if is_base_name(name, path, index) { 1 } else { MIN_MISSING };
                let Some(function) = missing(path, &functions, min, profile, &mut texts) else {
                    continue;
                };
                let (candidate, function) = (std::mem::take(path), function.to_owned());
                *mapping = Mapping::Unmapped(Reason::OtherFunctions { candidate, function });
            }
            _ => {}
        }
    }
}

/// Whether a name has no folder, and its file is in a folder below the root. `false` for compiled code,
/// because compilers add functions that are in no text.
pub(super) fn is_base_name(name: &str, path: &Path, index: &SourceIndex) -> bool {
    let is_below = || index.roots().iter().all(|root| path.parent() != Some(&root.path));
    let is_compiled = || Language::of_path(path).is_none_or(Language::is_compiled);
    !name.contains(['/', '\\']) && is_below() && !is_compiled()
}

/// The functions with a plain name and, unless their source is a base name, a start line, by the index
/// of their source. Only of sources that this may decide.
fn recorded_functions(
    mappings: &[Mapping],
    recording: &Recording,
    index: &SourceIndex,
) -> FxHashMap<usize, Recorded> {
    let symbols = recording.symbols();
    let mut functions: FxHashMap<usize, Recorded> = FxHashMap::default();
    for id in symbols.funcs.ids() {
        let func = symbols.funcs.get(id);
        let Some(source) = func.source else { continue };
        let is_open = match mappings.get(source.index()) {
            Some(Mapping::Ambiguous { .. }) => func.line != 0,
            Some(Mapping::Mapped { path, how: How::Suffix | How::Module | How::Mount }) => {
                let is_base_name = || is_base_name(symbols.source_name(source), path, index);
                Language::of_path(path).is_some() && (func.line != 0 || is_base_name())
            }
            _ => false,
        };
        if !is_open {
            continue;
        }
        if let Some(name) = plain_name(symbols.strings.get(func.name)) {
            functions.entry(source.index()).or_default().push((name, func.line));
        }
    }
    for named in functions.values_mut() {
        named.sort_unstable();
        named.dedup();
    }
    functions
}

/// The lines on which the functions of ambiguous sources were executing if their start lines are
/// unknown, by the index of the source.
fn executing_lines(mappings: &[Mapping], recording: &Recording) -> FxHashMap<usize, Executing> {
    let symbols = recording.symbols();
    let mut lines: FxHashMap<usize, Executing> = FxHashMap::default();
    if !mappings.iter().any(|mapping| matches!(mapping, Mapping::Ambiguous { .. })) {
        return lines;
    }
    recording.each_place(|id, source, line| {
        let func = symbols.funcs.get(id);
        let is_open = matches!(mappings.get(source.index()), Some(Mapping::Ambiguous { .. }))
            && (func.source, func.line) == (Some(source), 0);
        if is_open && plain_name(symbols.strings.get(func.name)).is_some() {
            lines.entry(source.index()).or_default().insert((id, line - 1));
        }
    });
    lines
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
fn choose(candidates: &[PathBuf], functions: &Recorded, texts: &mut Texts) -> Option<PathBuf> {
    let names: FxHashSet<&str> = functions.iter().map(|(name, _)| name.as_str()).collect();
    if names.len() < MIN_FOUND {
        return None;
    }
    only_with_all(candidates, functions.len(), |path| {
        let text = texts.of(path)?;
        Some(functions.iter().filter(|(name, line)| is_on_line(text, name, *line)).count())
    })
}

/// The only candidate with all functions around their executing lines, if no other one has any of
/// them there. A function may be long, so one of the names must not be common.
fn choose_by_lines(
    candidates: &[PathBuf],
    executing: &Executing,
    symbols: &SymbolTables,
    texts: &mut Texts,
    parsed: &ParsedFiles,
) -> Option<PathBuf> {
    let name = |func: FuncId| FunctionName::of(symbols.func_name(func));
    let names: FxHashSet<String> =
        executing.iter().filter_map(|&(func, _)| name(func).name).collect();
    if names.len() < MIN_FOUND || names.iter().all(|name| is_common(name)) {
        return None;
    }
    only_with_all(candidates, executing.len(), |path| {
        let text: Arc<str> = texts.of(path)?.into();
        let definitions = parsed.all([(path, &text)]).remove(path)??;
        let file = File::new(&definitions);
        let is_there = |&&(func, line0): &&(FuncId, u32)| file.may_contain(&name(func), &[line0]);
        Some(executing.iter().filter(is_there).count())
    })
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

/// The name of a function that is missing in the file, if `min` are known and none is there.
fn missing<'f>(
    path: &Path,
    functions: &'f Recorded,
    min: usize,
    profile: &Stamp,
    texts: &mut Texts,
) -> Option<&'f str> {
    let own: FxHashSet<&str> =
        functions.iter().map(|(name, _)| name.as_str()).filter(|name| !is_common(name)).collect();
    // The file may have been edited since.
    if own.len() < min || !Stamp::of(path).is_ok_and(|stamp| is_recorded(&stamp, profile)) {
        return None;
    }
    let text = texts.of(path)?;
    let is_there = words(text).any(|word| own.contains(word))
        || functions.iter().any(|(name, line)| is_on_line(text, name, *line));
    let first = functions.iter().map(|(name, _)| name.as_str()).find(|name| own.contains(name));
    first.filter(|_| !is_there)
}

/// Whether a function's name is on its start line (1-based), or shortly below.
pub(super) fn is_on_line(text: &str, name: &str, line: u32) -> bool {
    let lines = text.lines().skip(line.saturating_sub(1) as usize);
    lines.take(MAX_BELOW + 1).any(|line| words(line).any(|word| word == name))
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The texts of files, each read once.
pub(super) struct Texts {
    bytes_left: u64,
    texts: FxHashMap<PathBuf, Option<String>>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { bytes_left: MAX_BYTES, texts: FxHashMap::default() }
    }
}

impl Texts {
    /// `None` if the file cannot be read, or too much has been read.
    pub(super) fn of(&mut self, path: &Path) -> Option<&str> {
        if !self.texts.contains_key(path) {
            let stamp = Stamp::of(path).ok().filter(|stamp| stamp.len <= self.bytes_left);
            let text = stamp.and_then(|stamp| sources::regular_file::read(path, stamp.len).ok());
            self.bytes_left -= stamp.map_or(0, |stamp| stamp.len);
            let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            self.texts.insert(path.to_owned(), text);
        }
        self.texts.get(path)?.as_deref()
    }
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
