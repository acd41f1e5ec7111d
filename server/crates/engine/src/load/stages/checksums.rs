//! The checksums that debug info has of source files, as evidence for files of the workspace.

use analysis::{Recording, SourceId};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{How, Mapping, Reason, regular_file};
use std::io::Read;
use std::path::{Path, PathBuf};
use symbols::Md5;

/// The limit for the files that are read, in bytes together.
const MAX_BYTES: u64 = 64 << 20;

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
    pub fn confirm(&self, mappings: &mut [Mapping]) -> FxHashSet<SourceId> {
        let mut confirmed = FxHashSet::default();
        let mut files = Files { bytes_left: MAX_BYTES, by_path: FxHashMap::default() };
        for (mapping, source) in mappings.iter_mut().zip((0..).map(SourceId::new)) {
            let Some(md5) = self.get(source) else { continue };
            let mut fitting =
                candidates(mapping).iter().filter(|path| files.md5(path) == Some(md5));
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

/// The checksums of files, each read once.
struct Files {
    bytes_left: u64,
    by_path: FxHashMap<PathBuf, Option<Md5>>,
}

impl Files {
    /// `None` if the file is empty, cannot be read, or too much has been read.
    fn md5(&mut self, path: &Path) -> Option<Md5> {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let bytes = self.read(path).filter(|bytes| !bytes.is_empty());
        let md5 = bytes.map(|bytes| md5::compute(bytes).0);
        self.by_path.insert(path.to_owned(), md5);
        md5
    }

    fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        let (file, metadata) = regular_file::open(path).ok()?;
        self.bytes_left = self.bytes_left.checked_sub(metadata.len())?;
        let mut bytes = Vec::new();
        file.take(metadata.len()).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}
