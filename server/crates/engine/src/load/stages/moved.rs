//! Functions that were moved to another file since the recording.
//!
//! The costs of a definition that is no longer in its file, and is now in exactly one place of one
//! other file of the root, token by token, are shown there. The recorded text of that file then is
//! the text with the definition in it, and the places of the recording are changed accordingly. So
//! every surface shows the same. Only files on disk are compared, once per load.

mod composed;
mod definitions;

pub use definitions::MIN_TOKENS;

use crate::config::settings::SourceSettings;
use crate::functions::definitions::FileDefinitions;
use crate::load::stages::excluded::Excluded;
use crate::load::stages::read_limits::ReadLimits;
use crate::load::stages::source_mapped::SourceMapped;
use crate::recorded_texts::reader::Reader;
use crate::recorded_texts::{RecordedTexts, TextCaches};
use analysis::{FuncId, Moved, OriginalPlace, PlaceKind, Position, SourceId, relocate_with_files};
use composed::{Composed, Insertion};
use definitions::{Code, Found, Missing, missing_definitions, moved_definitions};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{How, Language, Mapping, Reason, SourceIndex, Syntax};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the search for moved functions and renamed files needs.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The sources as they are and as they were.
    pub reader: &'a Reader<'a>,
    /// The files of the roots.
    pub index: &'a SourceIndex,
    /// The settings of sources.
    pub settings: &'a SourceSettings,
    /// The texts on disk, their definitions, and the kept copies.
    pub caches: &'a TextCaches,
}

/// A text with its definitions.
struct Parsed {
    text: Arc<str>,
    syntax: Syntax,
    definitions: Arc<FileDefinitions>,
}

impl Parsed {
    fn new(path: &Path, text: Arc<str>, caches: &TextCaches) -> Option<Self> {
        let definitions = caches.parsed.all([(path, &text)]).remove(path)??;
        let syntax = Syntax::of_text(path, &text);
        Some(Self { text, syntax, definitions })
    }

    fn code(&self) -> Code<'_> {
        Code { text: &self.text, syntax: self.syntax, definitions: &self.definitions }
    }
}

/// Follows the functions that were moved to other files. `None` if there are none.
pub fn follow(
    search: Search<'_>,
    mapped: &SourceMapped,
    texts: &RecordedTexts,
) -> Option<(SourceMapped, RecordedTexts)> {
    // Call graphs cannot be relocated.
    mapped.recording.sampled()?;
    let missing = search.missing(mapped, texts);
    if missing.is_empty() {
        return None;
    }
    let (from, missing): (Vec<&Path>, Vec<Missing>) = missing.into_iter().unzip();
    let candidates = search.candidates(&from, &missing)?;
    let codes: Vec<Code<'_>> = candidates.iter().map(|(_, parsed)| parsed.code()).collect();
    let mut insertions: BTreeMap<usize, Vec<Insertion<'_>>> = BTreeMap::new();
    for ((found, missing), from) in
        moved_definitions(&missing, &codes).into_iter().zip(&missing).zip(from)
    {
        let Found::Once { candidate, at } = found else { continue };
        let (to, _) = &candidates[candidate];
        let root =
            |path: &Path| search.index.roots().iter().position(|r| path.starts_with(&r.path));
        if to != from && root(to) == root(from) {
            insertions.entry(candidate).or_default().push(Insertion { from, missing, at });
        }
    }
    let mut composed: Vec<(PathBuf, Composed)> = Vec::new();
    for (candidate, insertions) in insertions {
        let (path, today) = &candidates[candidate];
        let Ok(before) = search.recorded(path, mapped, texts) else { continue };
        let is_new = before.as_ref().is_none_or(|before| {
            let is_there = |one: &Insertion<'_>| {
                !before.code().equal(&one.missing.name, &one.missing.tokens).is_empty()
            };
            !insertions.iter().any(is_there)
        });
        if !is_new {
            continue;
        }
        let is_source = mapped.mappings.iter().any(|mapping| mapping.path() == Some(path));
        let before = before.filter(|_| is_source);
        let recorded_of = |from: &Path| texts.get(from).map(|recorded| &*recorded.text);
        let compose = |insertions: Vec<Insertion<'_>>| {
            let before = before.as_ref().map(|before| &*before.text);
            Composed::new(path, before, today.code(), insertions, recorded_of)
        };
        let is_certain = |one: &Insertion<'_>| compose(vec![*one]).is_some();
        let found = compose(insertions.clone()).or_else(|| {
            let certain: Vec<_> = insertions.into_iter().filter(is_certain).collect();
            (!certain.is_empty()).then(|| compose(certain)).flatten()
        });
        composed.extend(found.map(|found| (path.clone(), found)));
    }
    if composed.is_empty() {
        return None;
    }
    let texts = texts.replaced(
        composed
            .iter()
            .map(|(path, one)| (path.clone(), one.text.clone(), one.definitions.clone())),
    );
    Some((relocated(mapped, &composed, search.index), texts))
}

impl Search<'_> {
    /// The missing definitions of all files of the profile whose recorded text is known.
    fn missing<'t>(
        &self,
        mapped: &SourceMapped,
        texts: &'t RecordedTexts,
    ) -> Vec<(&'t Path, Missing)> {
        let changed = texts.known().filter_map(|(path, recorded)| {
            let definitions = recorded.definitions.clone()?;
            let now = self.reader.now(path)?.text;
            (now != recorded.text).then_some((path, recorded.text.clone(), definitions, now))
        });
        let changed: Vec<_> = changed.collect();
        if changed.is_empty() {
            return Vec::new();
        }
        let mut lines: FxHashMap<&Path, FxHashSet<u32>> = FxHashMap::default();
        mapped.recording.each_place(|_, source, line| {
            if let Some(path) = mapped.mappings.get(source.index()).and_then(Mapping::path) {
                lines.entry(path).or_default().insert(line - 1);
            }
        });
        let symbols = mapped.recording.symbols();
        for func in symbols.funcs.ids().map(|id| symbols.funcs.get(id)) {
            let source = func.source.filter(|_| func.line != 0);
            let mapping = source.and_then(|source| mapped.mappings.get(source.index()));
            if let Some(path) = mapping.and_then(Mapping::path) {
                lines.entry(path).or_default().insert(func.line - 1);
            }
        }
        let mut missing = Vec::new();
        for (path, text, definitions, now) in changed {
            let (Some(lines), Some(today)) = (lines.get(path), Parsed::new(path, now, self.caches))
            else {
                continue;
            };
            let recorded = Parsed { syntax: Syntax::of_text(path, &text), text, definitions };
            let has_cost = |range: &std::ops::RangeInclusive<u32>| {
                lines.iter().any(|line| range.contains(line))
            };
            let found = missing_definitions(recorded.code(), today.code(), has_cost);
            missing.extend(found.into_iter().map(|one| (path, one)));
        }
        missing
    }

    /// The files that can have one of the missing definitions, which were in `from`. `None` if there
    /// is too much code to search.
    fn candidates(&self, from: &[&Path], missing: &[Missing]) -> Option<Vec<(PathBuf, Parsed)>> {
        let languages: Vec<_> = from.iter().map(|path| Language::of_path(path)).collect();
        let excluded = Excluded::new(self.settings, self.index);
        let (mut limits, mut candidates) = (ReadLimits::default(), Vec::new());
        for path in self.index.workspace_files() {
            let language = Language::of_path(path);
            if language.is_none() || !languages.contains(&language) || excluded.contains(path) {
                continue;
            }
            let Some(text) = limits.read(path, |path| self.reader.candidate(path)) else {
                continue;
            };
            let may_have = missing.iter().zip(&languages).any(|(one, of)| {
                *of == language && text.contains(&one.word) && text.contains(&one.name)
            });
            if may_have && limits.may_parse(&text) {
                let parsed = Parsed::new(path, text, self.caches);
                candidates.extend(parsed.map(|parsed| (path.to_owned(), parsed)));
            }
        }
        (!limits.is_cut() && self.index.is_complete()).then_some(candidates)
    }

    /// The text that a file had at the time of the recording. `None` if the profile does not name
    /// the file, and its text is not known; it then has no costs of its own. Fails if the profile
    /// names it, and its text is not known.
    fn recorded(
        &self,
        path: &Path,
        mapped: &SourceMapped,
        texts: &RecordedTexts,
    ) -> Result<Option<Parsed>, ()> {
        let known = if mapped.mappings.iter().any(|mapping| mapping.path() == Some(path)) {
            let recorded = texts.get(path).filter(|recorded| !recorded.is_guess()).ok_or(())?;
            Some(recorded.text.clone())
        } else {
            RecordedTexts::of_other_file(mapped, &self.caches.parsed, self.reader, path)
        };
        let Some(text) = known else { return Ok(None) };
        Parsed::new(path, text, self.caches).map(Some).ok_or(())
    }
}

/// The recording with the places of moved definitions in the composed texts.
fn relocated(
    mapped: &SourceMapped,
    composed: &[(PathBuf, Composed)],
    index: &SourceIndex,
) -> SourceMapped {
    let symbols = mapped.recording.symbols();
    let path_of = |source: SourceId| mapped.mappings.get(source.index()).and_then(Mapping::path);
    let sources = || (0..symbols.sources.len() as u32).map(SourceId::new);
    // The name of each composed file.
    let names: Vec<String> = composed
        .iter()
        .map(|(path, _)| {
            let own = sources().find(|&source| path_of(source) == Some(path));
            own.map_or_else(
                || index.as_given(path).to_string_lossy().into_owned(),
                |own| symbols.source_name(own).to_owned(),
            )
        })
        .collect();
    // The composed file that a line (0-based) of a file was moved to.
    let destination = |path: &Path, line0: u32| {
        composed.iter().position(|(_, composed)| composed.is_from(path, line0))
    };
    // Whether all lines of a func without a start are moved to the same file.
    let mut files: FxHashMap<FuncId, Option<usize>> = FxHashMap::default();
    mapped.recording.each_place(|func, source, line| {
        if symbols.funcs.get(func).source == Some(source) {
            let to = path_of(source).and_then(|path| destination(path, line - 1));
            let same = files.entry(func).or_insert(to);
            *same = same.filter(|same| Some(*same) == to);
        }
    });
    let file_of = |func: FuncId| Some(names[(*files.get(&func)?)?].as_str());
    let find = |_: PlaceKind, Position { source, line, column }: Position| {
        let Some(path) = path_of(source) else { return Moved::Stays };
        let line0 = line - 1;
        if let Some(to) = destination(path, line0) {
            let file = names[to].as_str();
            return match composed[to].1.moved(path, line0) {
                Some((line0, is_same)) => {
                    let column = if is_same { column } else { 0 };
                    Moved::To(OriginalPlace { file, line: line0 + 1, column })
                }
                None => Moved::Unknown,
            };
        }
        match composed.iter().find(|(composed, _)| composed == path) {
            Some((_, composed)) => {
                let file = symbols.source_name(source);
                let line = composed.shifted(line0) + 1;
                Moved::To(OriginalPlace { file, line, column })
            }
            None => Moved::Stays,
        }
    };
    let recording = relocate_with_files(&mapped.recording, file_of, find);
    let n_sources = recording.symbols().sources.len();
    let mut mappings = mapped.mappings.clone();
    for source in (mappings.len() as u32..n_sources as u32).map(SourceId::new) {
        let name = recording.symbols().source_name(source);
        let at = names.iter().position(|of| of == name);
        mappings.push(match at.and_then(|at| composed.get(at)) {
            Some((path, _)) => Mapping::Mapped { path: path.clone(), how: How::Exact },
            None => Mapping::Unmapped(Reason::NoFile),
        });
    }
    mapped.with_places(Arc::new(recording), mappings)
}
