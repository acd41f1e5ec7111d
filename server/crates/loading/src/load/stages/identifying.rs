//! What the third stage knows of the sources so far, and what a step of it adds.

use crate::functions::definitions::ParsedFiles;
use crate::load::stages::excluded::Excluded;
use crate::load::stages::found_by_name::{AmbiguousFunction, Program};
use crate::load::stages::symbolicated::Symbolicated;
use crate::load::texts::fit::Evidence;
use crate::load::texts::reader::Reader;
use crate::settings::SourceSettings;
use analysis::{Recording, SourceId, SymbolTables, Warning};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::{Mapping, Reason, SourceIndex};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symbols::Md5;

/// What sources are identified with. It does not change during a load.
pub struct Context<'a> {
    /// The profile with functions and lines.
    pub symbolicated: &'a Symbolicated,
    /// The absolute folder of the profile, which names may be relative to.
    pub folder: Option<PathBuf>,
    /// The settings of sources.
    pub settings: &'a SourceSettings,
    /// The files of the roots.
    pub index: &'a SourceIndex,
    /// The sources as they are and as they were.
    pub reader: &'a Reader<'a>,
    /// The definitions of texts.
    pub parsed: &'a ParsedFiles,
    /// The files that show no costs.
    pub excluded: Excluded<'a>,
    /// The checksums that debug info has of source files, by their names.
    pub checksums: FxHashMap<&'a str, Md5>,
}

impl<'a> Context<'a> {
    /// The context of a load.
    pub fn new(
        symbolicated: &'a Symbolicated,
        settings: &'a SourceSettings,
        index: &'a SourceIndex,
        reader: &'a Reader<'a>,
        parsed: &'a ParsedFiles,
    ) -> Self {
        let folder = reader.loaded().folder();
        let excluded = Excluded::new(settings, index);
        let checksums = symbolicated.libraries.checksums();
        Self { symbolicated, folder, settings, index, reader, parsed, excluded, checksums }
    }

    /// The files of names, by the rules of the user and their paths alone.
    pub fn map(&self, names: &[&str]) -> Vec<Mapping> {
        let home = std::env::home_dir();
        let rules = self.settings.rules(self.index.roots(), home.as_deref());
        sources::map_paths(names.iter().copied(), self.index, &rules, self.folder.as_deref())
    }
}

/// The original place of each executed line (1-based) of a generated file: a file name and a line
/// (1-based).
pub type OriginalLines = FxHashMap<u32, (String, u32)>;

/// The source maps of a recording.
#[derive(Debug, Default)]
pub struct SourceMaps {
    /// The lines that were moved, of each source with a usable source map.
    pub generated: FxHashMap<SourceId, OriginalLines>,
    /// The sources that source maps moved functions and lines to.
    pub originals: FxHashSet<SourceId>,
    /// The texts of original files that source maps contain, by canonical path.
    pub texts: FxHashMap<PathBuf, Arc<str>>,
    /// The original files of code that may have been generated again since the recording, by canonical
    /// path.
    pub rebuilt: FxHashSet<PathBuf>,
    /// The scripts whose source maps were used, as they were recorded.
    pub scripts: Vec<Script>,
}

/// A generated script on disk that was not written since the recording.
#[derive(Debug, Clone)]
pub struct Script {
    /// Its name in the profile.
    pub name: String,
    /// Its canonical path.
    pub path: PathBuf,
    /// The path of its source map, if that is another file.
    pub map: Option<PathBuf>,
}

/// The sources of a profile, as far as they are identified.
pub struct Identifying<'a> {
    /// What they are identified with.
    pub context: &'a Context<'a>,
    /// The recording, with the places known so far.
    pub recording: Arc<Recording>,
    /// What the recording says about each source; collected on first use.
    evidence: OnceCell<Evidence>,
    /// The workspace file of each source, or the reason why it has none.
    pub mappings: Vec<Mapping>,
    /// The sources whose file has the recorded checksum.
    pub confirmed: FxHashSet<SourceId>,
    /// The source maps that were applied.
    pub source_maps: SourceMaps,
    /// The recorded texts of files that were renamed since, by their canonical path now.
    pub renamed: FxHashMap<PathBuf, Arc<str>>,
    /// The functions without a file whose names several definitions in the workspace have.
    pub ambiguous: Vec<AmbiguousFunction>,
    /// The programs with names without a file that the workspace defines some of.
    pub programs: Vec<Program>,
    /// Warnings about ambiguous names and unusable source maps.
    pub warnings: Vec<Warning>,
}

/// What a step found out. Nothing by default.
#[derive(Default)]
pub struct Change {
    /// The recording with other places. Its sources begin with those of the one before.
    pub recording: Option<Arc<Recording>>,
    /// The sources with another mapping.
    pub mappings: Vec<(SourceId, Mapping)>,
    /// See [`Identifying::confirmed`].
    pub confirmed: FxHashSet<SourceId>,
    /// See [`Identifying::source_maps`].
    pub source_maps: Option<SourceMaps>,
    /// See [`Identifying::renamed`].
    pub renamed: FxHashMap<PathBuf, Arc<str>>,
    /// See [`Identifying::ambiguous`].
    pub ambiguous: Vec<AmbiguousFunction>,
    /// See [`Identifying::programs`].
    pub programs: Vec<Program>,
    /// New warnings.
    pub warnings: Vec<Warning>,
}

impl Change {
    /// Other places.
    pub fn places(recording: Recording) -> Self {
        Self { recording: Some(Arc::new(recording)), ..Self::default() }
    }

    /// Other files.
    pub fn mappings(mappings: impl IntoIterator<Item = (SourceId, Mapping)>) -> Self {
        Self { mappings: mappings.into_iter().collect(), ..Self::default() }
    }

    /// Whether the step found out nothing about files and places.
    pub fn is_empty(&self) -> bool {
        self.mappings.is_empty() && self.recording.is_none() && self.confirmed.is_empty()
    }
}

impl<'a> Identifying<'a> {
    /// The sources of a recording, with the files that their paths lead to.
    pub fn new(context: &'a Context<'a>) -> Self {
        let recording = context.symbolicated.recording.clone();
        let mappings = context.map(&source_names(recording.symbols()));
        Self {
            context,
            recording,
            evidence: OnceCell::new(),
            mappings,
            confirmed: FxHashSet::default(),
            source_maps: SourceMaps::default(),
            renamed: FxHashMap::default(),
            ambiguous: Vec::new(),
            programs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The same with what a step found out.
    #[must_use]
    pub fn with(self, change: Change) -> Self {
        let mut this = self;
        if let Some(recording) = change.recording {
            (this.recording, this.evidence) = (recording, OnceCell::new());
        }
        let n_sources = this.recording.symbols().sources.len();
        this.mappings.resize(n_sources, Mapping::Unmapped(Reason::NoFile));
        for (source, mapping) in change.mappings {
            this.mappings[source.index()] = mapping;
        }
        this.confirmed.extend(change.confirmed);
        this.source_maps = change.source_maps.unwrap_or(this.source_maps);
        this.renamed.extend(change.renamed);
        this.ambiguous.extend(change.ambiguous);
        this.programs.extend(change.programs);
        this.warnings.extend(change.warnings);
        this
    }

    /// What the recording says about each source.
    pub fn evidence(&self) -> &Evidence {
        self.evidence.get_or_init(|| Evidence::of(&self.recording))
    }

    /// The sources of each workspace file.
    pub fn by_path(&self) -> BTreeMap<&Path, Vec<SourceId>> {
        let mut files: BTreeMap<&Path, Vec<SourceId>> = BTreeMap::new();
        for (source, mapping) in self.sources() {
            if let Some(path) = mapping.path() {
                files.entry(path).or_default().push(source);
            }
        }
        files
    }

    /// All sources, each with its mapping.
    pub fn sources(&self) -> impl Iterator<Item = (SourceId, &Mapping)> {
        (0..).map(SourceId::new).zip(&self.mappings)
    }

    /// The name of a source in the profile.
    pub fn name(&self, source: SourceId) -> &str {
        self.recording.symbols().source_name(source)
    }

    /// The workspace file of a source.
    pub fn path(&self, source: SourceId) -> Option<&Path> {
        self.mappings.get(source.index())?.path()
    }

    /// The checksum that debug info has of a source.
    pub fn checksum(&self, source: SourceId) -> Option<Md5> {
        self.context.checksums.get(self.name(source)).copied()
    }
}

/// The names of all sources, in their order.
pub fn source_names(symbols: &SymbolTables) -> Vec<&str> {
    let sources = (0..symbols.sources.len() as u32).map(SourceId::new);
    sources.map(|source| symbols.source_name(source)).collect()
}
