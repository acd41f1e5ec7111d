//! The path mappings that a document without costs may need.

use crate::query::path_rules;
use crate::world::context::Context;
use loading::{PathMapping, Snapshot};
use sources::{Mapping, Reason, SourceIndex};
use std::path::{Path, PathBuf};
use url::Url;

/// The limit for the mappings of a document.
const MAX_MAPPINGS: usize = 8;

/// The entries of `pathMappings` for each workspace file that a recorded file may be, if the
/// document is one of these files. Those that give the document costs come first. Empty for a
/// document that is a file of the profile already.
pub fn possible_mappings(context: &Context, uri: &Url) -> Vec<PathMapping> {
    let mappings = || {
        let path = &context.documents.get(uri)?.path;
        let (snapshot, index) = (context.world.snapshot()?, context.world.index.as_deref()?);
        Some(of_file(snapshot, path, index))
    };
    mappings().unwrap_or_default()
}

fn of_file(snapshot: &Snapshot, path: &Path, index: &SourceIndex) -> Vec<PathMapping> {
    if snapshot.file_at(path).is_some() {
        return Vec::new();
    }
    let (mut own, mut others) = (Vec::new(), Vec::new());
    let is_candidate = |candidates: &[PathBuf]| candidates.iter().any(|file| file == path);
    for (name, _, mapping) in snapshot.mappings() {
        let may_be_path = match mapping {
            Mapping::Ambiguous { candidates } => is_candidate(candidates),
            // The profile names lines or functions that the file does not have.
            Mapping::Mapped { .. }
            | Mapping::Unmapped(Reason::TooShort { .. } | Reason::OtherFunctions { .. }) => false,
            Mapping::Unmapped(reason) => is_candidate(reason.candidates()),
        };
        if may_be_path {
            own.extend(path_rules::for_file(name, path, index));
            others.extend(path_rules::for_mapping(name, mapping, index));
        }
    }
    let mut mappings: Vec<PathMapping> = Vec::new();
    for mapping in own.into_iter().chain(others) {
        if !mappings.contains(&mapping) {
            mappings.push(mapping);
        }
    }
    mappings.truncate(MAX_MAPPINGS);
    mappings
}
