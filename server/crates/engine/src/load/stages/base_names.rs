//! Scripts of another project that were found by their base name alone: py-spy says `utils.py` for
//! `site-packages/utils.py`, too. Their functions are on other lines than the profile names.

use super::file_evidence::{is_base_name, plain_name};
use super::source_mapped::SourceMapped;
use crate::functions::definitions::ParsedFiles;
use crate::functions::file::File;
use crate::functions::function_name::FunctionName;
use crate::recorded_texts::{Origin, RecordedTexts};
use analysis::{FuncId, SourceId};
use rustc_hash::FxHashMap;
use sources::{How, Mapping, Reason, SourceIndex};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The executing lines (0-based) of each func.
type Lines = BTreeMap<FuncId, Vec<u32>>;

/// Unmaps files found by their base name that were not written since the recording, and have all
/// functions that the profile names on other lines. `None` if there are none.
pub fn refuse(
    mapped: &SourceMapped,
    texts: &RecordedTexts,
    index: &SourceIndex,
    parsed: &ParsedFiles,
) -> Option<SourceMapped> {
    let symbols = mapped.recording.symbols();
    let mut scripts: FxHashMap<SourceId, (&Path, &Arc<str>)> = FxHashMap::default();
    for (mapping, source) in mapped.mappings.iter().zip((0..).map(SourceId::new)) {
        let Mapping::Mapped { path, how: How::Suffix } = mapping else { continue };
        let text = texts.get(path).filter(|text| text.origin == Origin::Contradicted);
        let name = symbols.source_name(source);
        if let Some(text) = text.filter(|_| is_base_name(name, path, index)) {
            scripts.insert(source, (path, &text.text));
        }
    }
    if scripts.is_empty() {
        return None;
    }
    let mut lines: FxHashMap<SourceId, Lines> = FxHashMap::default();
    mapped.recording.each_place(|func, source, line| {
        if scripts.contains_key(&source) && symbols.funcs.get(func).source == Some(source) {
            lines.entry(source).or_default().entry(func).or_default().push(line - 1);
        }
    });
    let mut mappings = mapped.mappings.clone();
    for (source, (path, text)) in scripts {
        let functions = lines.get(&source).into_iter().flatten();
        let functions = functions.map(|(func, lines)| (symbols.func_name(*func), &**lines));
        if let Some(function) = elsewhere(path, text, functions, parsed) {
            let (candidate, function) = (path.to_owned(), function.to_owned());
            mappings[source.index()] =
                Mapping::Unmapped(Reason::OtherFunctions { candidate, function });
        }
    }
    (mappings != mapped.mappings).then(|| mapped.with_places(mapped.recording.clone(), mappings))
}

/// The name of a function that the text has on other lines, if it has no function on its lines.
fn elsewhere<'n>(
    path: &Path,
    text: &Arc<str>,
    functions: impl Iterator<Item = (&'n str, &'n [u32])>,
    parsed: &ParsedFiles,
) -> Option<&'n str> {
    let definitions = parsed.all([(path, text)]).remove(path)??;
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
