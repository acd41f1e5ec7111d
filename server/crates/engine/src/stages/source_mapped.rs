//! The third stage: file names of the profile are mapped to workspace files. Source maps are
//! applied to generated code.

use crate::settings::{SourceSettings, glob_set};
use crate::source_maps::{OriginalLines, Relocated, apply_source_maps};
use crate::stages::symbolicated::Symbolicated;
use analysis::{Recording, SourceId, Warning, WarningCode};
use rustc_hash::FxHashMap;
use sources::{Mapping, Reason, Root, SourceIndex};
use std::path::Path;
use std::sync::Arc;

/// A recording whose file names are mapped.
#[derive(Debug)]
pub struct SourceMapped {
    /// The recording, with the places of generated code moved to the original sources.
    pub recording: Arc<Recording>,
    /// The workspace file of each source, or the reason why it has none.
    pub mappings: Vec<Mapping>,
    /// The roots that were searched.
    pub roots: Vec<Root>,
    /// The original lines of each generated source.
    pub generated: FxHashMap<SourceId, OriginalLines>,
    /// Warnings about ambiguous names and unusable source maps.
    pub warnings: Vec<Warning>,
}

impl SourceMapped {
    /// Maps the file names of `symbolicated` to the files of `index`. `folder` is the profile's
    /// folder, which relative names may be relative to.
    pub fn new(
        symbolicated: &Symbolicated,
        folder: Option<&Path>,
        settings: &SourceSettings,
        index: &SourceIndex,
    ) -> Self {
        let mut warnings = Vec::new();
        let home = std::env::home_dir();
        let rules = settings.rules(index.roots(), home.as_deref());
        let map = |recording: &Recording| {
            let symbols = recording.symbols();
            let names = (0..symbols.sources.len() as u32)
                .map(|source| symbols.source_name(SourceId::new(source)));
            sources::map_paths(names, index, &rules, folder)
        };
        let mappings = map(&symbolicated.recording);
        let Relocated { recording, mut mappings, generated } =
            apply_source_maps(&symbolicated.recording, mappings, index, map, &mut warnings);
        exclude(&mut mappings, settings, index);
        ambiguity_warning(&mappings, &mut warnings);
        let roots = index.roots().to_vec();
        Self { recording, mappings, roots, generated, warnings }
    }
}

/// Unmaps the files that match the setting `exclude`.
fn exclude(mappings: &mut [Mapping], settings: &SourceSettings, index: &SourceIndex) {
    if settings.exclude.is_empty() {
        return;
    }
    let excluded = glob_set(settings.exclude.iter().map(String::as_str));
    for mapping in mappings {
        let Mapping::Mapped { path, .. } = mapping else { continue };
        let relative = index.roots().iter().find_map(|root| path.strip_prefix(&root.path).ok());
        if relative.is_some_and(|relative| excluded.is_match(relative)) {
            *mapping = Mapping::Unmapped(Reason::Excluded(path.clone()));
        }
    }
}

fn ambiguity_warning(mappings: &[Mapping], warnings: &mut Vec<Warning>) {
    let mut ambiguous = mappings.iter().filter_map(|mapping| match mapping {
        Mapping::Ambiguous { candidates } => Some(candidates),
        Mapping::Mapped { .. } | Mapping::Unmapped(_) => None,
    });
    if let Some(first) = ambiguous.next() {
        let candidates: Vec<_> =
            first.iter().take(4).map(|path| path.display().to_string()).collect();
        let message = format!(
            "a file name could be any of {}; no costs are shown there: add a rule to `pathMappings` to choose one",
            candidates.join(", ")
        );
        warnings.push(Warning {
            code: WarningCode::AmbiguousFile,
            message,
            count: 1 + ambiguous.count() as u64,
        });
    }
}
