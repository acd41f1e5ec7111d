//! The checksums that debug info has of source files, as evidence for files of the workspace.

use crate::recorded_texts::reader::Reader;
use analysis::{Recording, SourceId};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{How, Mapping, Reason};
use std::path::{Path, PathBuf};
use symbols::Md5;

/// The checksums of sources at the time of the build.
#[derive(Debug, Default, Clone)]
pub struct Checksums(FxHashMap<SourceId, Md5>);

impl Checksums {
    /// The checksums of the sources of a recording. `by_name` has those of their names.
    pub fn new(recording: &Recording, by_name: &FxHashMap<&str, Md5>) -> Self {
        if by_name.is_empty() {
            return Self::default();
        }
        let symbols = recording.symbols();
        let sources = (0..symbols.sources.len() as u32).map(SourceId::new);
        let md5 = |source| by_name.get(symbols.source_name(source)).copied();
        Self(sources.filter_map(|source| Some((source, md5(source)?))).collect())
    }

    /// The checksum of a source.
    pub fn get(&self, source: SourceId) -> Option<Md5> {
        self.0.get(&source).copied()
    }

    /// Maps each source with a checksum to the only one of its candidates with this content, and
    /// returns the sources whose file has it. Other content refutes no file, because it may have
    /// been edited.
    pub fn confirm(&self, mappings: &mut [Mapping], reader: &Reader<'_>) -> FxHashSet<SourceId> {
        let mut confirmed = FxHashSet::default();
        let has = |path: &Path, md5| {
            let version = reader.now(path).filter(|version| !version.text.is_empty());
            version.is_some_and(|version| version.has_checksum(md5))
        };
        for (mapping, source) in mappings.iter_mut().zip((0..).map(SourceId::new)) {
            let Some(md5) = self.get(source) else { continue };
            let mut fitting = candidates(mapping).iter().filter(|path| has(path, md5));
            if let (Some(path), None) = (fitting.next().cloned(), fitting.next()) {
                if !matches!(mapping, Mapping::Mapped { .. }) {
                    *mapping = Mapping::Mapped { path, how: How::Suffix };
                }
                confirmed.insert(source);
            }
        }
        confirmed
    }
}

/// Whether a text has a checksum. `None` if that is not known, because bytes of the file that were
/// not UTF-8 were replaced.
pub fn has_checksum(text: &str, md5: Md5) -> Option<bool> {
    (!text.contains(char::REPLACEMENT_CHARACTER)).then(|| md5::compute(text).0 == md5)
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
