//! The files of names that are relative to the folder of a build, which is not known: `./src/a.c`, as
//! compilers write with `-ffile-prefix-map=$PWD=.`, or `build/src/a.c`.
//!
//! Libraries that were built elsewhere have such names as well (`./nptl/pthread_create.c`), and may be
//! linked into the program. So a folder of the workspace is only taken for the one of the build if
//! several functions of one library are on their lines in its files. Each file needs such a function
//! itself, or must have all of its functions if it was edited since.

use super::file_evidence::{Recorded, is_common, is_on_line, plain_name, words};
use super::identifying::{Change, Context, Identifying};
use crate::load::debug_info::is_system;
use crate::load::texts::reader::Reader;
use analysis::{LibId, Recording, SourceId};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{EndsLike, How, Mapping, Reason, SourceIndex, ends_like};
use std::collections::BTreeMap;
use std::path::Path;

/// The number of functions by which a folder is chosen.
const MIN_FOUND: usize = 2;

/// The number of functions on their lines for each one that is elsewhere. Compilers and macros
/// generate functions whose names are not in the text.
const FOUND_PER_MISSING: usize = 3;

/// A name that is relative to the folder of a build.
#[derive(Default)]
struct Relative {
    /// The libraries with code of the file.
    libs: FxHashSet<LibId>,
    functions: Recorded,
    files: Vec<EndsLike>,
}

/// Maps the names that have no file yet.
pub fn find(all: &Identifying<'_>) -> Change {
    let Context { index, reader, .. } = all.context;
    let names = relative_names(&all.mappings, &all.recording, index);
    let folders = folders(&names, reader);
    Change::mappings(names.iter().filter_map(|(&source, name)| {
        let is_in_folder = |file: &&EndsLike| {
            let folder = |lib: &LibId| folders.get(&(*lib, file.recorded.as_str()));
            name.libs.iter().filter_map(folder).any(|folder| *folder == file.folder)
        };
        let mut files = name.files.iter().filter(is_in_folder).filter(|file| {
            reader.now(&file.file).is_some_and(|now| {
                let text = &now.text;
                !on_their_lines(text, &name.functions).is_empty() || has_all(text, &name.functions)
            })
        });
        let path = files.next().filter(|_| files.next().is_none())?.file.clone();
        Some((source, Mapping::Mapped { path, how: How::Suffix }))
    }))
}

/// The names without a file that a folder of a build may have. Not those that a library of the system
/// has, which was built elsewhere.
fn relative_names(
    mappings: &[Mapping],
    recording: &Recording,
    index: &SourceIndex,
) -> BTreeMap<SourceId, Relative> {
    let symbols = recording.symbols();
    let mut names: BTreeMap<SourceId, Relative> = BTreeMap::new();
    let mut others: FxHashSet<SourceId> = FxHashSet::default();
    for func in symbols.funcs.ids().map(|id| symbols.funcs.get(id)) {
        let Some(source) = func.source else { continue };
        let Some(Mapping::Unmapped(Reason::Dotted(_) | Reason::NotFound | Reason::Gone(_))) =
            mappings.get(source.index())
        else {
            continue;
        };
        let Some(lib) = func.lib.filter(|lib| !is_system(&symbols.libs[lib.index()])) else {
            others.insert(source);
            continue;
        };
        let name = names.entry(source).or_default();
        name.libs.insert(lib);
        let function = plain_name(symbols.strings.get(func.name)).filter(|_| func.line != 0);
        name.functions.extend(function.map(|function| (function, func.line)));
    }
    names.retain(|source, name| !others.contains(source) && !name.functions.is_empty());
    for (source, name) in &mut names {
        name.functions.sort_unstable();
        name.functions.dedup();
        name.files = ends_like(symbols.source_name(*source), index);
    }
    names
}

/// The folder of the workspace that each recorded folder of a library is: the one with the most
/// functions on their lines.
fn folders<'n>(
    names: &'n BTreeMap<SourceId, Relative>,
    reader: &Reader<'_>,
) -> FxHashMap<(LibId, &'n str), &'n Path> {
    type Found<'n> = FxHashMap<&'n Path, FxHashSet<&'n str>>;
    let mut found: FxHashMap<(LibId, &str), Found<'n>> = FxHashMap::default();
    for name in names.values() {
        for file in &name.files {
            let Some(now) = reader.now(&file.file) else { continue };
            let functions = on_their_lines(&now.text, &name.functions);
            for &lib in &name.libs {
                let folders = found.entry((lib, &file.recorded)).or_default();
                folders.entry(&file.folder).or_default().extend(&functions);
            }
        }
    }
    let best = |folders: Found<'n>| {
        let most = folders.values().map(FxHashSet::len).max()?;
        let mut best = folders.into_iter().filter(|(_, functions)| functions.len() == most);
        let (Some((folder, functions)), None) = (best.next(), best.next()) else { return None };
        let is_evidence = most >= MIN_FOUND && !functions.iter().all(|name| is_common(name));
        is_evidence.then_some(folder)
    };
    found.into_iter().filter_map(|(recorded, folders)| Some((recorded, best(folders)?))).collect()
}

/// The functions on their lines. Empty if too many others are elsewhere.
fn on_their_lines<'f>(text: &str, functions: &'f Recorded) -> Vec<&'f str> {
    let found = functions.iter().filter(|(name, line)| is_on_line(text, name, *line));
    let found: Vec<&str> = found.map(|(name, _)| name.as_str()).collect();
    let n_missing = functions.len() - found.len();
    if found.len() < FOUND_PER_MISSING * n_missing { Vec::new() } else { found }
}

/// Whether a text has the names of all functions, of which one is not common.
fn has_all(text: &str, functions: &Recorded) -> bool {
    let words: FxHashSet<&str> = words(text).collect();
    functions.iter().all(|(name, _)| words.contains(name.as_str()))
        && !functions.iter().all(|(name, _)| is_common(name))
}
