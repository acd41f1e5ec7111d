//! Applies source maps to recordings of generated JavaScript.
//!
//! Only JavaScript files that a source of the recording is mapped to are searched for source maps, and
//! files without an extension if the recording is one of JavaScript.
//! Maps are read when a profile is loaded, or settings or folders change. A change of a map alone
//! has no effect until then. If a script was generated again since the recording, the copies of the
//! script and its map are used that Costline kept when the profile was first shown.

use crate::discovery::stamp::{Stamp, is_recorded};
use crate::load::stages::identifying::{
    Change, Context, Identifying, OriginalLines, Script, SourceMaps, source_names,
};
use crate::store::copies::KeptScript;
use analysis::{
    Moved, OriginalPlace, PlaceKind, Position, Recording, SourceId, WarningCode, Warnings, relocate,
};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{Executing, How, MapProblem, Mapping, Original, Reason, SourceMap};
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The usable source maps of a recording.
#[derive(Default)]
struct UsableMaps {
    maps: FxHashMap<SourceId, SourceMap>,
    /// The scripts that may have been generated again since the recording, and whose present maps are used.
    rebuilt: FxHashSet<SourceId>,
    scripts: Vec<Script>,
}

/// Moves places of generated scripts to the original files.
pub fn apply(all: &Identifying<'_>) -> Change {
    let recording = &all.recording;
    let mut warnings = Warnings::default();
    let UsableMaps { maps, rebuilt: later, scripts } = usable_maps(all, &mut warnings);
    if maps.is_empty() {
        return Change { warnings: warnings.into_iter().collect(), ..Change::default() };
    }
    let mut lookup = Lookup {
        recording,
        maps: &maps,
        lines: FxHashMap::default(),
        generated: maps.keys().map(|&source| (source, OriginalLines::default())).collect(),
        warnings,
    };
    let relocated = relocate(recording, |kind, position| lookup.find(kind, position));
    let Lookup { generated, warnings, .. } = lookup;

    let paths: FxHashMap<&str, &PathBuf> = maps
        .values()
        .flat_map(SourceMap::originals)
        .filter_map(|original| Some((original.name.as_str(), original.path.as_ref()?)))
        .collect();
    let n_recorded = all.mappings.len();
    let names = source_names(relocated.symbols());
    let originals = (n_recorded as u32..names.len() as u32).map(SourceId::new).collect();
    let with_all = all.context.map(&names).into_iter().skip(n_recorded);
    // The folder that was built may be different from the folder of the recorded files.
    let among_originals = all.context.map(&names[n_recorded..]);
    let new_mappings = with_all.zip(among_originals).zip(&names[n_recorded..]);
    let new_mappings = new_mappings.map(|((mapping, among_originals), name)| match mapping {
        // Rules of the user take precedence over the source map.
        Mapping::Mapped { how: How::Rule, .. } | Mapping::Unmapped(Reason::Rule(_)) => mapping,
        mapping => match paths.get(name) {
            Some(&path) => Mapping::Mapped { path: path.clone(), how: How::SourceMap },
            None if mapping.path().is_none() && among_originals.path().is_some() => among_originals,
            None => mapping,
        },
    });
    let new_sources = (n_recorded as u32..).map(SourceId::new);
    let mappings: Vec<(SourceId, Mapping)> = new_sources.zip(new_mappings).collect();
    let all_mappings = all.mappings.iter().chain(mappings.iter().map(|(_, mapping)| mapping));
    let files: FxHashMap<&str, Option<&Path>> =
        names.iter().copied().zip(all_mappings.map(Mapping::path)).collect();
    let path_of = |original: &Original| {
        files.get(original.name.as_str()).copied().flatten().map(Path::to_owned)
    };
    let (mut texts, mut rebuilt) = (FxHashMap::default(), FxHashSet::default());
    for (source, map) in &maps {
        for original in map.originals() {
            let Some(path) = path_of(original) else { continue };
            if later.contains(source) {
                rebuilt.insert(path.clone());
            }
            texts.extend(original.text.clone().map(|text| (path, text)));
        }
    }
    Change {
        recording: Some(Arc::new(relocated)),
        mappings,
        source_maps: Some(SourceMaps { generated, originals, texts, rebuilt, scripts }),
        warnings: warnings.into_iter().collect(),
        ..Change::default()
    }
}

/// Looks up places in source maps.
struct Lookup<'a> {
    recording: &'a Recording,
    maps: &'a FxHashMap<SourceId, SourceMap>,
    /// The results for lines after a column, which recur often.
    lines: FxHashMap<(SourceId, u32, u32), Executing>,
    generated: FxHashMap<SourceId, OriginalLines>,
    warnings: Warnings,
}

impl<'a> Lookup<'a> {
    /// The original place of a recorded place. Executed lines are added to `generated`.
    fn find(&mut self, kind: PlaceKind, position: Position) -> Moved<'a> {
        let Position { source, line, column } = position;
        let Some(map) = self.maps.get(&source) else { return Moved::Stays };
        let found = match kind {
            PlaceKind::Start => map.start(line, column).map_or(Executing::Generated, Executing::At),
            PlaceKind::Executing if column != 0 => map.executing(line, column),
            PlaceKind::Executing | PlaceKind::ExecutingAfter => {
                self.executing_after(map, source, line, column)
            }
        };
        match found {
            Executing::Generated => Moved::Stays,
            Executing::Packed => Moved::Unknown,
            Executing::At(place) => {
                let file = map.originals()[place.original].name.as_str();
                let lines =
                    self.generated.get_mut(&source).filter(|_| kind == PlaceKind::Executing);
                if let Some(Entry::Vacant(slot)) = lines.map(|lines| lines.entry(line)) {
                    slot.insert((file.to_owned(), place.line));
                }
                Moved::To(OriginalPlace { file, line: place.line, column: place.column })
            }
        }
    }

    fn executing_after(
        &mut self,
        map: &SourceMap,
        source: SourceId,
        line: u32,
        column: u32,
    ) -> Executing {
        let Self { recording, lines, warnings, .. } = self;
        *lines.entry((source, line, column)).or_insert_with(|| {
            let found = map.executing_after(line, column);
            if found == Executing::Packed {
                warnings.add(WarningCode::SourceMapPackedLine, || {
                    packed_line(recording.symbols().source_name(source), line)
                });
            }
            found
        })
    }
}

/// The source maps that can be used, with warnings about the others.
fn usable_maps(all: &Identifying<'_>, warnings: &mut Warnings) -> UsableMaps {
    let (recording, symbols) = (&all.recording, all.recording.symbols());
    let mut usable = UsableMaps::default();
    for (source, mapping) in all.sources() {
        let Mapping::Mapped { path, .. } = mapping else { continue };
        // Programs that scripts are installed as have no extension.
        let may_be_script = path.extension().is_none() && recording.knows_code();
        if !may_be_script && !is_javascript(path) {
            continue;
        }
        let name = all.name(source);
        let kept = kept_map(all.context, path, name);
        let is_kept = kept.is_some();
        match kept.map_or_else(|| map(all.context, path, name), |map| Ok(Some(map))) {
            Ok(Some(map)) => {
                if !is_kept && is_later(all.context, path) {
                    usable.rebuilt.insert(source);
                } else if !is_kept {
                    usable.scripts.push(Script {
                        name: name.to_owned(),
                        path: path.clone(),
                        map: map.path().map(Path::to_owned),
                    });
                }
                usable.maps.insert(source, map);
            }
            Ok(None) => {}
            // Packages often name maps that they do not contain. The user can do nothing about it.
            Err(MapProblem::Missing(_))
                if path.components().any(|component| component.as_os_str() == "node_modules") => {}
            Err(problem) => {
                let (code, advice) = advice(&problem);
                warnings.add(code, || format!("{name} {problem}; {advice}"));
            }
        }
    }
    if usable.maps.is_empty() {
        return usable;
    }
    for func in symbols.funcs.ids().map(|id| symbols.funcs.get(id)).filter(|func| func.line != 0) {
        let Some(source) = func.source else { continue };
        let map = usable.maps.get(&source);
        if map.is_some_and(|map| !map.could_start_at(func.line, func.column)) {
            usable.maps.remove(&source);
            let (name, file) = (symbols.strings.get(func.name), symbols.source_name(source));
            usable.scripts.retain(|script| script.name != file);
            warnings.add(WarningCode::SourceMapStale, || {
                format!(
                    "{file} has changed since it was recorded: no function starts at {}:{}, where {name} starts in the profile; its source \
                     map is not used: record again",
                    func.line, func.column
                )
            });
        }
    }
    usable
}

/// Whether a script was written after the recording.
fn is_later(context: &Context<'_>, path: &Path) -> bool {
    let profile = &context.reader.loaded().stamp;
    Stamp::of(path).is_ok_and(|stamp| !is_recorded(&stamp, profile))
}

/// The source map of a script on disk.
fn map(context: &Context<'_>, path: &Path, name: &str) -> Result<Option<SourceMap>, MapProblem> {
    match context.reader.now(path) {
        Some(now) => SourceMap::of_script(&now.text, path, name, context.index),
        // Bundles may be larger than sources.
        None => SourceMap::of(path, name, context.index),
    }
}

/// The source map of the copy of a script.
fn kept_map(context: &Context<'_>, path: &Path, name: &str) -> Option<SourceMap> {
    let KeptScript { text, map } = context.reader.kept_script(name)?;
    SourceMap::of_texts(&text, map.as_deref(), path, name, context.index).ok().flatten()
}

fn is_javascript(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["js", "mjs", "cjs"].iter().any(|script| extension.eq_ignore_ascii_case(script))
    })
}

/// The code of a problem, and what to do about it.
fn advice(problem: &MapProblem) -> (WarningCode, &'static str) {
    match problem {
        MapProblem::Missing(_) => (
            WarningCode::SourceMapMissing,
            "build with source maps, beside the output or inline, to see costs in the original files",
        ),
        MapProblem::Broken(..) => (WarningCode::SourceMapBroken, "build again"),
        MapProblem::Stale { .. } => (WarningCode::SourceMapStale, "build and record again"),
        MapProblem::TooLarge => {
            (WarningCode::SourceMapTooLarge, "costs are shown in the generated file")
        }
    }
}

fn packed_line(file: &str, line: u32) -> String {
    format!(
        "{file}:{line} contains several statements, and the profile has no columns: functions are mapped to the original files, lines \
         are not; build without minification to see lines"
    )
}
