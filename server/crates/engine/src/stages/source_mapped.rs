//! The third stage: the file names of the profile become workspace files, through source maps where
//! code was generated.

use crate::settings::{SourceSettings, glob_set};
use crate::source_maps::{Originals, Written, originals};
use crate::stages::symbolicated::Symbolicated;
use analysis::{Recording, SourceId, Warning, WarningCode};
use rustc_hash::FxHashMap;
use sources::{Mapping, Root, SourceIndex};
use std::path::Path;
use std::sync::Arc;

/// A recording whose file names are mapped.
#[derive(Debug)]
pub struct SourceMapped {
    /// The recording, with the places of generated code moved to the original sources.
    pub recording: Arc<Recording>,
    /// The workspace file of each source, or why it has none.
    pub mappings: Vec<Mapping>,
    /// The roots that they were looked for in.
    pub roots: Vec<Root>,
    /// Of each generated source, where its lines were written.
    pub generated: FxHashMap<SourceId, Written>,
    /// Ambiguous names and source maps that could not be used.
    pub warnings: Vec<Warning>,
}

impl SourceMapped {
    /// Maps the file names of `symbolicated` to the files of `index`. Relative names may be meant
    /// from `folder`, that of the profile.
    pub fn new(
        symbolicated: &Symbolicated,
        folder: Option<&Path>,
        settings: &SourceSettings,
        index: &SourceIndex,
    ) -> Self {
        let mut warnings = Vec::new();
        let rules = settings.rules();
        let map = |recording: &Recording| {
            let symbols = recording.symbols();
            let names = (0..symbols.sources.len() as u32)
                .map(|source| symbols.source_name(SourceId::new(source)));
            sources::map_paths(names, index, &rules, folder)
        };
        let mappings = map(&symbolicated.recording);
        let Originals { recording, mut mappings, written } =
            originals(&symbolicated.recording, mappings, index, map, &mut warnings);
        exclude(&mut mappings, settings, index);
        ambiguity_warning(&mappings, &mut warnings);
        let roots = index.roots().to_vec();
        Self { recording, mappings, roots, generated: written, warnings }
    }
}

/// Takes mapped files that the user excluded out again.
fn exclude(mappings: &mut [Mapping], settings: &SourceSettings, index: &SourceIndex) {
    if settings.exclude.is_empty() {
        return;
    }
    let excluded = glob_set(settings.exclude.iter().map(String::as_str));
    for mapping in mappings {
        let Mapping::Mapped { path, .. } = mapping else { continue };
        let relative = index.roots().iter().find_map(|root| path.strip_prefix(&root.path).ok());
        if relative.is_some_and(|relative| excluded.is_match(relative)) {
            *mapping = Mapping::Unmapped(sources::Reason::NoFile);
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
            "several files could be meant by one name ({}); no costs are shown there: a path mapping can decide",
            candidates.join(", ")
        );
        warnings.push(Warning {
            code: WarningCode::AmbiguousFile,
            message,
            count: 1 + ambiguous.count() as u64,
        });
    }
}
