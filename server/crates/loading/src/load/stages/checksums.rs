//! The checksums that debug info has of source files, as evidence for files of the workspace.

use super::identifying::{Change, Identifying};
use sources::{How, Mapping, Reason};
use std::path::{Path, PathBuf};

/// Maps each source with a checksum to the only one of its candidates with this content. Other content
/// refutes no file, because it may have been edited.
pub fn confirm(all: &Identifying<'_>) -> Change {
    let mut change = Change::default();
    let has = |path: &Path, md5| {
        let version = all.context.reader.now(path).filter(|version| !version.text.is_empty());
        version.is_some_and(|version| version.has_checksum(md5))
    };
    for (source, mapping) in all.sources() {
        let Some(md5) = all.checksum(source) else { continue };
        let mut fitting = candidates(mapping).iter().filter(|path| has(path, md5));
        if let (Some(path), None) = (fitting.next().cloned(), fitting.next()) {
            if !matches!(mapping, Mapping::Mapped { .. }) {
                change.mappings.push((source, Mapping::Mapped { path, how: How::Suffix }));
            }
            change.confirmed.insert(source);
        }
    }
    change
}

/// The files that a source may be.
fn candidates(mapping: &Mapping) -> &[PathBuf] {
    match mapping {
        Mapping::Mapped { path, how: How::Suffix | How::Module | How::Mount }
        | Mapping::Unmapped(
            Reason::BaseName(path)
            | Reason::PrefixDisputed(path)
            | Reason::IndexCut(path)
            | Reason::Beside { candidate: path, .. },
        ) => std::slice::from_ref(path),
        Mapping::Ambiguous { candidates }
        | Mapping::Unmapped(
            Reason::PrefixDiffers { candidates, .. } | Reason::Dotted(candidates),
        ) => candidates,
        Mapping::Mapped { .. } | Mapping::Unmapped(_) => &[],
    }
}
