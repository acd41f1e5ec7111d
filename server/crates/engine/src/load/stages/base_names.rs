//! Scripts of another project that were found by their base name alone: py-spy says `utils.py` for
//! `site-packages/utils.py`, too. Their functions are on other lines than the profile names.

use super::file_evidence::{is_base_name, plain_name};
use super::identifying::{Change, Identifying};
use crate::functions::definitions::ParsedFiles;
use crate::functions::file::File;
use crate::functions::function_name::FunctionName;
use crate::recorded_texts::search::TextSearch;
use analysis::{FuncId, SourceId};
use rustc_hash::FxHashMap;
use sources::{How, Mapping, Reason};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The executing lines (0-based) of each func.
type Lines = BTreeMap<FuncId, Vec<u32>>;

/// Unmaps files found by their base name of which no known text fits, and that have all functions that the
/// profile names on other lines.
pub fn refuse(all: &Identifying<'_>) -> Change {
    let (symbols, search) = (all.recording.symbols(), TextSearch::new(all, &all.mappings));
    let mut scripts: FxHashMap<SourceId, (&Path, Arc<str>)> = FxHashMap::default();
    for (source, mapping) in all.sources() {
        let Mapping::Mapped { path, how: How::Suffix } = mapping else { continue };
        let name = all.name(source);
        if !is_base_name(name, path, all.context.index) {
            continue;
        }
        let found = search.find(path, &[name.to_owned()]);
        if let Some(found) = found.filter(|found| !found.fits) {
            scripts.insert(source, (path, found.text));
        }
    }
    if scripts.is_empty() {
        return Change::default();
    }
    let mut lines: FxHashMap<SourceId, Lines> = FxHashMap::default();
    all.recording.each_place(|func, source, line| {
        if scripts.contains_key(&source) && symbols.funcs.get(func).source == Some(source) {
            lines.entry(source).or_default().entry(func).or_default().push(line - 1);
        }
    });
    let mut mappings = all.mappings.clone();
    for (source, (path, text)) in scripts {
        let functions = lines.get(&source).into_iter().flatten();
        let functions = functions.map(|(func, lines)| (symbols.func_name(*func), &**lines));
        if let Some(function) = elsewhere(path, &text, functions, all.context.parsed) {
            let (candidate, function) = (path.to_owned(), function.to_owned());
            mappings[source.index()] =
                Mapping::Unmapped(Reason::OtherFunctions { candidate, function });
        }
    }
    Change::mappings(mappings)
}

/// The name of a function that the text has on other lines, if it has no function on its lines.
fn elsewhere<'n>(
    path: &Path,
    text: &Arc<str>,
    functions: impl Iterator<Item = (&'n str, &'n [u32])>,
    parsed: &ParsedFiles,
) -> Option<&'n str> {
    let definitions = parsed.one(path, text)?;
    let file = File::new(&definitions);
    let mut found = None;
    for (recorded, lines) in functions {
        let name = FunctionName::of(recorded);
        if plain_name(recorded).is_none() || !file.has(&name) {
            continue;
        }
        if lines.iter().any(|&line0| file.may_contain(&name, &[line0])) {
            return None;
        }
        found = Some(recorded);
    }
    found
}
