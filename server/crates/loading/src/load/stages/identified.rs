//! The third stage: which workspace file each recorded file is, on which lines its places are, and what
//! its text was.
//!
//! Each step is a pure function of what the steps before it found out. Steps that move
//! places, such as source maps, come before those that decide about files, which need the lines of their
//! functions. The texts come last: they need all names and places of a file.

use crate::load::stages::found_by_name::{AmbiguousFunction, Program};
use crate::load::stages::identifying::{Change, Context, Identifying, SourceMaps};
use crate::load::stages::recorded_texts::RecordedTexts;
use crate::load::stages::{
    base_names, build_folders, by_name, checksums, class_files, file_evidence, inlined, line_ends,
    renamed, short_files, source_maps, transpiled,
};
use analysis::{Recording, Warning, WarningCode};
use sources::{Mapping, PackageFolders, Reason, Root, Walk};
use std::sync::Arc;

/// Finds out something about the sources.
type Step = fn(&Identifying<'_>) -> Change;

/// All steps, in their order, each with its name.
const STEPS: [(&str, Step); 14] = [
    ("line-ends", line_ends::of_recorded),
    ("inlined", inlined::of_other_scripts),
    ("source-maps", source_maps::apply),
    ("line-ends-of-originals", line_ends::of_originals),
    ("checksums", checksums::confirm),
    ("class-files", class_files::find),
    ("file-evidence", file_evidence::decide),
    ("build-folders", build_folders::find),
    ("short-files", short_files::refuse),
    ("exclude", exclude),
    ("by-name", by_name::find_files),
    ("renamed", renamed::follow),
    ("transpiled", transpiled::without_lines),
    ("base-names", base_names::refuse),
];

/// A recording whose sources are identified.
#[derive(Debug)]
pub struct Identified {
    /// The recording, with the places of generated code moved to the original sources.
    pub recording: Arc<Recording>,
    /// The workspace file of each source, or the reason why it has none.
    pub mappings: Vec<Mapping>,
    /// The text of each workspace file when it was recorded.
    pub texts: Arc<RecordedTexts>,
    /// The functions without a file whose names several definitions in the workspace have.
    pub ambiguous: Vec<AmbiguousFunction>,
    /// The programs with names without a file that the workspace defines some of.
    pub programs: Vec<Program>,
    /// The roots that were searched.
    pub roots: Vec<Root>,
    /// The walk that found the workspace files.
    pub walk: Walk,
    /// The packages in the roots.
    pub packages: Arc<PackageFolders>,
    /// The source maps that were applied.
    pub source_maps: SourceMaps,
    /// The names of the steps that found out something, each with the number of sources that it gave another
    /// file; 0 if it only moved places or confirmed files.
    pub steps: Vec<(&'static str, usize)>,
    /// Warnings about ambiguous names and unusable source maps.
    pub warnings: Vec<Warning>,
}

impl Identified {
    /// Takes a recording through all steps.
    pub fn new(context: &Context<'_>) -> Self {
        let mut all = Identifying::new(context);
        let mut steps = Vec::new();
        for (name, step) in STEPS {
            let change = step(&all);
            if !change.is_empty() {
                steps.push((name, change.mappings.len()));
            }
            all = all.with(change);
        }
        let texts = Arc::new(RecordedTexts::new(&all));
        let ambiguity = ambiguity_warning(&all);
        let Identifying {
            recording, mappings, source_maps, ambiguous, programs, mut warnings, ..
        } = all;
        warnings.extend(ambiguity);
        let index = context.index;
        Self {
            recording,
            mappings,
            texts,
            ambiguous,
            programs,
            roots: index.roots().to_vec(),
            walk: index.walk(),
            packages: Arc::new(PackageFolders::of(index)),
            source_maps,
            steps,
            warnings,
        }
    }
}

/// Unmaps the files that match the setting `exclude`.
fn exclude(all: &Identifying<'_>) -> Change {
    Change::mappings(all.sources().filter_map(|(source, mapping)| {
        let path = mapping.path().filter(|path| all.context.excluded.contains(path))?;
        Some((source, Mapping::Unmapped(Reason::Excluded(path.to_owned()))))
    }))
}

/// A warning about the files that are not mapped because several may be meant.
fn ambiguity_warning(all: &Identifying<'_>) -> Option<Warning> {
    let mut ambiguous = all.sources().filter_map(|(source, mapping)| match mapping {
        Mapping::Ambiguous { candidates } => Some((all.name(source), candidates)),
        Mapping::Mapped { .. } | Mapping::Unmapped(_) => None,
    });
    let (name, first) = ambiguous.next()?;
    let candidates: Vec<_> = first.iter().take(4).map(|path| path.display().to_string()).collect();
    let message = format!(
        "{name} could be any of {}, so it has no costs: choose one with `pathMappings` (`--map`)",
        candidates.join(", ")
    );
    let count = 1 + ambiguous.count() as u64;
    Some(Warning { code: WarningCode::AmbiguousFile, message, count })
}
