//! Finds the files of functions for which the profile has names only, as in most folded stacks.
//!
//! A function is found if exactly one definition in the workspace folders has its full name: the
//! crate, package or namespace, the modules, types and functions around it, and its trait. Names
//! without any of these are only looked for in C and C++, in Python, and among the functions that Rust
//! exports, and only if the workspace defines enough of the program's names. Anything else would give
//! the costs of a library's `read` to the user's.
//!
//! A function without a file is matched only by its whole name, and only if one definition in the
//! workspace folders has it. Names without a path need others: the workspace must define enough of the
//! program's, or a library's `read` is taken for the user's. The search is limited, reads own files
//! only, and runs while loading.

#[cfg(feature = "grammars")]
pub(crate) mod search;

use super::identifying::{Change, Identifying};
use crate::load::stages::found_by_name::ByName;
use analysis::{FuncId, SourceId, Warning, WarningCode, with_files};
use rustc_hash::FxHashMap;
use sources::{How, Mapping};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Gives functions without a file the file that they were found in. Not while addresses are not resolved:
/// those functions can have files.
pub fn find_files(all: &Identifying<'_>) -> Change {
    if !all.context.symbolicated.libraries.is_complete() {
        return Change::default();
    }
    let named = find(all);
    let warnings = warning(&named).into_iter().collect();
    let ByName { files, ambiguous, programs, .. } = named;
    let change = Change { ambiguous, programs, warnings, ..Change::default() };
    if files.is_empty() {
        return change;
    }
    let given = |path| all.context.index.as_given(path).to_string_lossy().into_owned();
    let names: FxHashMap<FuncId, String> =
        files.iter().map(|(&func, path)| (func, given(path))).collect();
    let recording = with_files(&all.recording, |func| names.get(&func).map(String::as_str));
    let symbols = recording.symbols();
    let mappings: BTreeMap<SourceId, Mapping> = files
        .iter()
        .filter_map(|(&func, path)| {
            let source = symbols.funcs.get(func).source?;
            let known = all.mappings.get(source.index());
            let is_open = matches!(known, None | Some(Mapping::Unmapped(_)));
            let mapping = Mapping::Mapped { path: path.to_path_buf(), how: How::Name };
            is_open.then_some((source, mapping))
        })
        .collect();
    let mappings = mappings.into_iter().collect();
    Change { mappings, recording: Some(Arc::new(recording)), ..change }
}

#[cfg(feature = "grammars")]
fn find(all: &Identifying<'_>) -> ByName {
    let context = all.context;
    let found = search::find(
        &all.recording,
        context.index,
        |path| context.excluded.contains(path),
        context.parsed,
        |path| context.reader.candidate(path),
    );
    if context.reader.is_cut() { ByName { is_cut: true, ..ByName::default() } } else { found }
}

/// Finds nothing: without the feature `grammars`, no definitions are known.
#[cfg(not(feature = "grammars"))]
fn find(_: &Identifying<'_>) -> ByName {
    ByName::default()
}

fn warning(named: &ByName) -> Option<Warning> {
    let message = if named.is_cut {
        "the profile names no files for some functions, and the workspace is too large to search for \
         them; they are shown without a source"
            .to_owned()
    } else {
        named.ambiguous.first()?.message()
    };
    let count = named.ambiguous.len().max(1) as u64;
    Some(Warning { code: WarningCode::UnmatchedFunction, message, count })
}
