//! A recording of generated JavaScript, told in the files that were written: which source maps
//! there are, what they move, and what is said where one cannot be used.
//!
//! Only files that a source of the recording was mapped to are looked at, and of these only
//! JavaScript: other recordings pay a look at the ends of their files' names. Maps are read when a
//! profile is seen (loaded, reloaded, under other settings or folders), not when they change.

use analysis::{
    Asked, Moved, Place, Position, Recording, SourceId, Warning, WarningCode, Warnings, relocate,
};
use rustc_hash::FxHashMap;
use sources::{Executing, How, MapProblem, Mapping, Reason, SourceIndex, SourceMap};
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where lines of one file that ran were written: by line (1-based) the name of a file and a line
/// of it.
pub type Written = FxHashMap<u32, (String, u32)>;

/// A recording in the places where it was written.
pub struct Originals {
    /// Its sources are those of the recording as it was read, then the files that were written.
    pub recording: Arc<Recording>,
    /// Where its sources are.
    pub mappings: Vec<Mapping>,
    /// Of each source that a source map was used for, the lines that it moved.
    pub written: FxHashMap<SourceId, Written>,
}

/// Applies the source maps of the files that a recording was mapped to. `map` does for all names
/// what `mappings` is for those of `recording`.
pub fn originals(
    recording: &Arc<Recording>,
    mut mappings: Vec<Mapping>,
    index: &SourceIndex,
    map: impl FnOnce(&Recording) -> Vec<Mapping>,
    warnings: &mut Vec<Warning>,
) -> Originals {
    let mut told = Warnings::default();
    let maps = maps(recording, &mappings, index, &mut told);
    let mut written: FxHashMap<_, _> =
        maps.keys().map(|&source| (source, Written::default())).collect();
    let mut result = recording.clone();
    if !maps.is_empty() {
        let name = |source| recording.symbols().source_name(source);
        // Frames without a column ask for the same line over and over.
        let mut lines: FxHashMap<_, Executing> = FxHashMap::default();
        let relocated = relocate(recording, |asked, Position { source, line, column }| {
            let Some(map) = maps.get(&source) else { return Moved::Stays };
            let found = match asked {
                Asked::Start => map.start(line, column).map_or(Executing::Generated, Executing::At),
                Asked::Executing if column == 0 => {
                    *lines.entry((source, line)).or_insert_with(|| {
                        let found = map.executing(line, 0);
                        if found == Executing::Packed {
                            told.add(WarningCode::SourceMapPackedLine, || {
                                packed(name(source), line)
                            });
                        }
                        found
                    })
                }
                Asked::Executing => map.executing(line, column),
            };
            match found {
                Executing::Generated => Moved::Stays,
                Executing::Packed => Moved::Unknown,
                Executing::At(place) => {
                    let file = map.originals()[place.original].name.as_str();
                    if asked == Asked::Executing
                        && let Some(Entry::Vacant(slot)) =
                            written.get_mut(&source).map(|lines| lines.entry(line))
                    {
                        slot.insert((file.to_owned(), place.line));
                    }
                    Moved::To(Place { file, line: place.line, column: place.column })
                }
            }
        });
        let paths: FxHashMap<&str, &PathBuf> = maps
            .values()
            .flat_map(SourceMap::originals)
            .filter_map(|original| Some((original.name.as_str(), original.path.as_ref()?)))
            .collect();
        let new = map(&relocated).into_iter().zip(0..).skip(mappings.len());
        mappings.extend(new.map(|(mapping, source)| match mapping {
            // The user's word counts more than the map's.
            Mapping::Mapped { how: How::Rule, .. } | Mapping::Unmapped(Reason::Rule(_)) => mapping,
            mapping => match paths.get(relocated.symbols().source_name(SourceId::new(source))) {
                Some(&path) => Mapping::Mapped { path: path.clone(), how: How::SourceMap },
                None => mapping,
            },
        }));
        result = Arc::new(relocated);
    }
    warnings.extend(told);
    Originals { recording: result, mappings, written }
}

/// The source maps that can be used.
fn maps(
    recording: &Recording,
    mappings: &[Mapping],
    index: &SourceIndex,
    told: &mut Warnings,
) -> FxHashMap<SourceId, SourceMap> {
    let symbols = recording.symbols();
    let mut maps = FxHashMap::default();
    for (mapping, source) in mappings.iter().zip(0..) {
        let Mapping::Mapped { path, .. } = mapping else { continue };
        if !is_javascript(path) {
            continue;
        }
        let source = SourceId::new(source);
        match SourceMap::of(path, symbols.source_name(source), index) {
            Ok(Some(map)) => _ = maps.insert(source, map),
            Ok(None) => {}
            // Packages name maps that they do not bring; nothing can be done about it here.
            Err(MapProblem::Missing(_))
                if path.components().any(|component| component.as_os_str() == "node_modules") => {}
            Err(problem) => {
                let (code, advice) = advice(&problem);
                told.add(code, || format!("{} {problem}; {advice}", symbols.source_name(source)));
            }
        }
    }
    if maps.is_empty() {
        return maps;
    }
    for func in symbols.funcs.ids().map(|id| symbols.funcs.get(id)).filter(|func| func.line != 0) {
        let Some(source) = func.source else { continue };
        if maps.get(&source).is_some_and(|map| !map.could_start_at(func.line, func.column)) {
            maps.remove(&source);
            let (name, file) = (symbols.strings.get(func.name), symbols.source_name(source));
            told.add(WarningCode::SourceMapStale, || {
                format!(
                    "{file} is not the text that was profiled: nothing begins at {}:{}, where {name} does in the profile; its source \
                     map is not used: record again",
                    func.line, func.column
                )
            });
        }
    }
    maps
}

fn is_javascript(path: &Path) -> bool {
    path.extension().is_some_and(|end| {
        ["js", "mjs", "cjs"].iter().any(|script| end.eq_ignore_ascii_case(script))
    })
}

/// The code of a problem and what to do about it.
fn advice(problem: &MapProblem) -> (WarningCode, &'static str) {
    match problem {
        MapProblem::Missing(_) => (
            WarningCode::SourceMapMissing,
            "build with source maps beside the output or inside it, to see costs in the text that was written",
        ),
        MapProblem::Broken(..) => (WarningCode::SourceMapBroken, "build again"),
        MapProblem::Stale { .. } => (WarningCode::SourceMapStale, "build and record again"),
        MapProblem::TooLarge => {
            (WarningCode::SourceMapTooLarge, "costs are shown as they are in the file that ran")
        }
    }
}

fn packed(file: &str, line: u32) -> String {
    format!(
        "{file}:{line} holds several statements, and the profile has no columns: functions are shown where they were written, lines \
         are not; build without minifying to see lines"
    )
}
