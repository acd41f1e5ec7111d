//! The third stage: file names of the profile are mapped to workspace files. Source maps are
//! applied to generated code.

use crate::config::settings::SourceSettings;
use crate::functions::definitions::ParsedFiles;
use crate::load::source_maps::{
    self, OriginalLines, Relocated, Script, apply_source_maps, source_names,
};
use crate::load::stages::build_folders;
use crate::load::stages::by_name::{self, AmbiguousFunction, ByName};
use crate::load::stages::checksums::Checksums;
use crate::load::stages::excluded::Excluded;
use crate::load::stages::file_evidence::{self, MIN_FOUND, plain_name, words};
use crate::load::stages::inlined;
use crate::load::stages::line_ends;
use crate::load::stages::symbolicated::Symbolicated;
use crate::recorded_texts::reader::Reader;
use analysis::{FuncId, Recording, SourceId, SymbolTables, Warning, WarningCode, with_files};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{How, Mapping, PackageFolders, Reason, Root, SourceIndex, Walk};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A recording whose file names are mapped.
#[derive(Debug)]
pub struct SourceMapped {
    /// The recording, with the places of generated code moved to the original sources.
    pub recording: Arc<Recording>,
    /// The workspace file of each source, or the reason why it has none.
    pub mappings: Vec<Mapping>,
    /// The functions without a file whose names several definitions in the workspace have.
    pub ambiguous: Vec<AmbiguousFunction>,
    /// The roots that were searched.
    pub roots: Vec<Root>,
    /// The walk that found the workspace files.
    pub walk: Walk,
    /// The packages in the roots.
    pub packages: Arc<PackageFolders>,
    /// The checksums of sources.
    pub checksums: Checksums,
    /// The original lines of each generated source.
    pub generated: FxHashMap<SourceId, OriginalLines>,
    /// The sources that source maps moved functions and lines to.
    pub originals: FxHashSet<SourceId>,
    /// The texts of original files that source maps contain, by canonical path.
    pub original_texts: FxHashMap<PathBuf, Arc<str>>,
    /// The original files of code that was generated again since the recording, by canonical path,
    /// each with the time when it was generated.
    pub rebuilt: FxHashMap<PathBuf, SystemTime>,
    /// The recorded texts of files that were renamed since ([`super::renamed`]), by their canonical
    /// path now.
    pub renamed: FxHashMap<PathBuf, Arc<str>>,
    /// The generated scripts whose source maps were used, as they were recorded.
    pub scripts: Vec<Script>,
    /// Warnings about ambiguous names and unusable source maps.
    pub warnings: Vec<Warning>,
}

impl SourceMapped {
    /// Maps the file names of `symbolicated` to the files of `index`. `folder` is the absolute
    /// folder of the profile, which relative names may be relative to, `maps` finds source maps, `parsed` has
    /// definitions of texts.
    pub fn new(
        symbolicated: &Symbolicated,
        folder: Option<&Path>,
        settings: &SourceSettings,
        maps: &source_maps::Search<'_>,
        parsed: &ParsedFiles,
    ) -> Self {
        let (index, reader) = (maps.index, maps.reader);
        let mut warnings = Vec::new();
        let home = std::env::home_dir();
        let rules = settings.rules(index.roots(), home.as_deref());
        let map = |names: &[&str]| sources::map_paths(names.iter().copied(), index, &rules, folder);
        let mappings = map(&source_names(symbolicated.recording.symbols()));
        let n_recorded = mappings.len();
        let recording = &symbolicated.recording;
        let recording =
            line_ends::counted_by_line_feeds(recording, &mappings, 0..n_recorded, reader);
        let recording = inlined::with_scripts_of_lines(&recording, &mappings, reader, parsed);
        let relocated = apply_source_maps(&recording, mappings, maps, map, &mut warnings);
        let Relocated { recording, mut mappings, generated, originals, texts, rebuilt, scripts } =
            relocated;
        let originals_at = n_recorded..mappings.len();
        let recording =
            line_ends::counted_by_line_feeds(&recording, &mappings, originals_at, reader);
        let checksums = Checksums::new(&recording, &symbolicated.libraries.checksums());
        let confirmed = checksums.confirm(&mut mappings, reader);
        file_evidence::apply(&mut mappings, &recording, index, &confirmed, parsed, reader);
        build_folders::apply(&mut mappings, &recording, index, reader);
        refuse_short_files(&mut mappings, &recording, index, (reader, parsed), &confirmed);
        let excluded = Excluded::new(settings, index);
        exclude(&mut mappings, &excluded);
        ambiguity_warning(recording.symbols(), &mappings, &mut warnings);
        let mut named = ByName::default();
        // Functions that are still addresses can have files.
        if symbolicated.libraries.is_complete() {
            named = by_name::find(
                &recording,
                index,
                |path| excluded.contains(path),
                parsed,
                |path| reader.candidate(path),
            );
        }
        name_warning(&named, &mut warnings);
        let recording = with_named_files(recording, &named, &mut mappings, index);
        let roots = index.roots().to_vec();
        let ambiguous = named.ambiguous;
        Self {
            recording,
            mappings,
            ambiguous,
            roots,
            walk: index.walk(),
            packages: Arc::new(PackageFolders::of(index)),
            checksums,
            generated,
            originals,
            original_texts: texts,
            rebuilt,
            renamed: FxHashMap::default(),
            scripts,
            warnings,
        }
    }

    /// The same with other places. Its sources start with the sources of this one.
    #[must_use]
    pub fn with_places(&self, recording: Arc<Recording>, mappings: Vec<Mapping>) -> Self {
        Self {
            recording,
            mappings,
            ambiguous: self.ambiguous.clone(),
            roots: self.roots.clone(),
            walk: self.walk.clone(),
            packages: self.packages.clone(),
            checksums: self.checksums.clone(),
            generated: self.generated.clone(),
            originals: self.originals.clone(),
            original_texts: self.original_texts.clone(),
            rebuilt: self.rebuilt.clone(),
            renamed: self.renamed.clone(),
            scripts: self.scripts.clone(),
            warnings: self.warnings.clone(),
        }
    }
}

/// Unmaps files of another project: those that were found by another path than theirs in a root, and have
/// fewer lines than the profile names, today and in all texts that are known. Not those whose content is
/// `confirmed`, and those with all functions that the profile names, or most of them in their places,
/// which were edited since.
fn refuse_short_files(
    mappings: &mut [Mapping],
    recording: &Recording,
    index: &SourceIndex,
    (reader, parsed): (&Reader<'_>, &ParsedFiles),
    confirmed: &FxHashSet<SourceId>,
) {
    let symbols = recording.symbols();
    let mut last_lines = vec![0; mappings.len()];
    recording.each_place(|_, source, line| {
        if let Some(last) = last_lines.get_mut(source.index()) {
            *last = line.max(*last);
        }
    });
    for ((mapping, line), source) in
        mappings.iter_mut().zip(last_lines).zip((0..).map(SourceId::new))
    {
        let Mapping::Mapped { path, how: How::Suffix | How::Module | How::Mount } = mapping else {
            continue;
        };
        let name = Path::new(symbols.source_name(source));
        let is_whole = index.roots().iter().any(|root| root.path.join(name) == *path);
        if line < 2 || confirmed.contains(&source) || is_whole {
            continue;
        }
        let Some(now) = reader.now(path) else { continue };
        let n_lines = count_lines(now.text.as_bytes());
        // Some compilers give the end of the file a line of its own.
        let is_long = |text: &Arc<str>| line <= count_lines(text.as_bytes()).saturating_add(1);
        if is_long(&now.text) {
            continue;
        }
        let funcs = symbols.funcs.ids().filter(|id| symbols.funcs.get(*id).source == Some(source));
        let names = funcs.filter_map(|id| plain_name(symbols.func_name(id)));
        let names: FxHashSet<String> = names.collect();
        let has_all = |text: &Arc<str>| {
            let words: FxHashSet<&str> = words(text).collect();
            names.iter().all(|name| words.contains(name.as_str()))
        };
        let was_recorded = |text: &Arc<str>| is_long(text) && has_all(text);
        let is_edited = names.len() >= MIN_FOUND && has_all(&now.text)
            || file_evidence::has_most(path, source, recording, reader, parsed);
        let recorded_names = [symbols.source_name(source).to_owned()];
        if !is_edited && !reader.earlier(path, &recorded_names).any(|text| was_recorded(&text)) {
            let candidate = std::mem::take(path);
            *mapping = Mapping::Unmapped(Reason::TooShort { candidate, n_lines, line });
        }
    }
}

/// The number of lines as the language with the most line ends counts them (JavaScript).
fn count_lines(text: &[u8]) -> u32 {
    let ends = text.iter().enumerate().filter(|&(at, &byte)| match byte {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        0xe2 => matches!(text.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9])),
        _ => false,
    });
    let ends = u32::try_from(ends.count()).unwrap_or(u32::MAX);
    ends.saturating_add(u32::from(!text.ends_with(b"\n")))
}

/// Unmaps the files that match the setting `exclude`.
fn exclude(mappings: &mut [Mapping], excluded: &Excluded<'_>) {
    for mapping in mappings {
        let Mapping::Mapped { path, .. } = mapping else { continue };
        if excluded.contains(path) {
            *mapping = Mapping::Unmapped(Reason::Excluded(path.clone()));
        }
    }
}

/// The recording with the files of the functions that were found by name.
fn with_named_files(
    recording: Arc<Recording>,
    named: &ByName,
    mappings: &mut Vec<Mapping>,
    index: &SourceIndex,
) -> Arc<Recording> {
    if named.files.is_empty() {
        return recording;
    }
    let names: FxHashMap<FuncId, String> = named
        .files
        .iter()
        .map(|(&func, path)| (func, index.as_given(path).to_string_lossy().into_owned()))
        .collect();
    let recording = with_files(&recording, |func| names.get(&func).map(String::as_str));
    let symbols = recording.symbols();
    for (&func, path) in &named.files {
        let Some(source) = symbols.funcs.get(func).source else { continue };
        if mappings.len() <= source.index() {
            mappings.resize(symbols.sources.len(), Mapping::Unmapped(Reason::NoFile));
        }
        if matches!(mappings[source.index()], Mapping::Unmapped(_)) {
            let path = path.to_path_buf();
            mappings[source.index()] = Mapping::Mapped { path, how: How::Name };
        }
    }
    Arc::new(recording)
}

fn name_warning(named: &ByName, warnings: &mut Vec<Warning>) {
    let message = match named.ambiguous.first() {
        _ if named.is_cut => {
            "the profile names no files for some functions, and the workspace has too much code to search for them; they are shown without a source".to_owned()
        }
        Some(first) => first.message(),
        None => return,
    };
    let count = named.ambiguous.len().max(1) as u64;
    warnings.push(Warning { code: WarningCode::UnmatchedFunction, message, count });
}

fn ambiguity_warning(symbols: &SymbolTables, mappings: &[Mapping], warnings: &mut Vec<Warning>) {
    let names = (0..).map(|source| symbols.source_name(SourceId::new(source)));
    let mut ambiguous = mappings.iter().zip(names).filter_map(|(mapping, name)| match mapping {
        Mapping::Ambiguous { candidates } => Some((name, candidates)),
        Mapping::Mapped { .. } | Mapping::Unmapped(_) => None,
    });
    if let Some((name, first)) = ambiguous.next() {
        let candidates: Vec<_> =
            first.iter().take(4).map(|path| path.display().to_string()).collect();
        let message = format!(
            "{name} could be any of {}, so it has no costs: choose one with `pathMappings` (`--map`)",
            candidates.join(", ")
        );
        warnings.push(Warning {
            code: WarningCode::AmbiguousFile,
            message,
            count: 1 + ambiguous.count() as u64,
        });
    }
}
