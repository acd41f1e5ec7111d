//! The search for the text that a source had when it was recorded.

use super::disk::Version;
use super::fit::Evidence;
use super::origin::Origin;
use crate::discovery::stamp::SLACK;
use crate::functions::definitions::FileDefinitions;
use crate::load::stages::identifying::Identifying;
use analysis::SourceId;
use rustc_hash::FxHashMap;
use sources::{LineMap, Mapping};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use symbols::Md5;

/// A text that was found.
pub struct Found {
    /// The text.
    pub text: Arc<str>,
    /// How it is known.
    pub origin: Origin,
    /// Whether the profile fits the text.
    pub fits: bool,
}

/// The search for the recorded texts of one profile.
pub struct TextSearch<'a> {
    all: &'a Identifying<'a>,
    mappings: &'a [Mapping],
    /// The checksums of files in debug info. `None` if the names of a file have different ones.
    checksums: FxHashMap<&'a Path, Option<Md5>>,
    /// Collected on first use: most texts are known without it.
    evidence: OnceCell<Evidence>,
}

impl<'a> TextSearch<'a> {
    /// The search for the texts of sources that are mapped to the files `mappings`.
    pub fn new(all: &'a Identifying<'a>, mappings: &'a [Mapping]) -> Self {
        let mut checksums: FxHashMap<&Path, Option<Md5>> = FxHashMap::default();
        for (mapping, source) in mappings.iter().zip((0..).map(SourceId::new)) {
            if let (Some(path), Some(md5)) = (mapping.path(), all.checksum(source)) {
                let known = checksums.entry(path).or_insert(Some(md5));
                *known = known.filter(|known| *known == md5);
            }
        }
        Self { all, mappings, checksums, evidence: OnceCell::new() }
    }

    /// The recorded text of a file that has `names` in the profile.
    pub fn find(&self, path: &Path, names: &[String]) -> Option<Found> {
        if let Some(text) = self.all.renamed.get(path) {
            return Some(Found { text: text.clone(), origin: Origin::Renamed, fits: true });
        }
        let contained = self.contained(path, names).filter(|text| self.fits(path, text));
        if let Some(&time) = self.all.source_maps.rebuilt.get(path) {
            return self.rebuilt(path, names, contained, time);
        }
        match contained {
            Some(text) => Some(Found { text, origin: Origin::Profile, fits: true }),
            None => self.elsewhere(path, names),
        }
    }

    /// The text of a file that code was generated from again at `time`, after the recording. Lines
    /// are lines of this text. `contained` is the text in the source map.
    fn rebuilt(
        &self,
        path: &Path,
        names: &[String],
        contained: Option<Arc<str>>,
        time: SystemTime,
    ) -> Option<Found> {
        let text = match contained {
            Some(text) => text,
            None => self.all.context.reader.at(path, time)?,
        };
        match self.elsewhere(path, names) {
            Some(same) if same.text == text => Some(same),
            _ => {
                let fits = self.fits(path, &text);
                Some(Found { text, origin: Origin::Rebuilt, fits })
            }
        }
    }

    /// The recorded text of a file that neither the profile nor a source map contains.
    fn elsewhere(&self, path: &Path, names: &[String]) -> Option<Found> {
        let known = |text, origin| Some(Found { text, origin, fits: true });
        if let Some(text) =
            self.all.context.reader.named_version(path, names).filter(|text| self.fits(path, text))
        {
            return known(text, Origin::Git);
        }
        let has_checksum = |text: &str| self.has_checksum(path, text);
        let could_be = |text: &Arc<str>| self.could_be(path, text);
        if let Some(text) = self.all.context.reader.copy(names).filter(could_be) {
            return known(text, Origin::Copy);
        }
        let now = self.all.context.reader.now(path)?;
        let versions = self.all.context.reader.versions_on_disk(path);
        let profile = self.all.context.reader.loaded().stamp.modified;
        let is_older = |version: &&Version| {
            let is_older = version.stamp.modified <= profile;
            has_checksum(&version.text).unwrap_or(is_older)
        };
        let older = versions.iter().rfind(is_older).map(|version| &version.text);
        if let Some(text) = older.filter(|text| could_be(text)) {
            return known(text.clone(), Origin::Disk);
        }
        let is_recorded =
            |text: &&Arc<str>| has_checksum(text).unwrap_or_else(|| self.fits(path, text));
        if let Some(text) = self.all.context.reader.in_git(path).iter().find(is_recorded) {
            return known(text.clone(), Origin::Git);
        }
        if let Some(text) = older {
            let (text, origin) = (text.clone(), Origin::Contradicted);
            return Some(Found { text, origin, fits: false });
        }
        let fits = self.fits(path, &now.text);
        let is_edited = has_checksum(&now.text) == Some(false);
        if fits && !is_edited && now.stamp.modified <= profile + SLACK {
            return known(now.text, Origin::Disk);
        }
        // Edits are followed from the first version that was seen.
        let first = versions.into_iter().next().map_or(now.text.clone(), |version| version.text);
        let fits = fits && (Arc::ptr_eq(&first, &now.text) || self.fits(path, &first));
        let origin = if is_edited { Origin::Edited } else { Origin::Guess };
        Some(Found { text: first, origin, fits })
    }

    /// The recorded text of a file that is no longer at its path and has `name` in the profile: that in the
    /// profile, in a copy or in Git.
    pub fn of_gone(&self, path: &Path, name: &str) -> Option<Arc<str>> {
        let (names, reader) = ([name.to_owned()], self.all.context.reader);
        let fits = |text: &Arc<str>| self.fits(path, text);
        let contained = self.contained(path, &names);
        let stated = contained.into_iter().chain(reader.named_version(path, &names)).find(&fits);
        let copy = || reader.copy(&names).filter(|text| self.could_be(path, text));
        if let Some(text) = stated.or_else(copy) {
            return Some(text);
        }
        let is_recorded =
            |text: &&Arc<str>| self.has_checksum(path, text).unwrap_or_else(|| fits(text));
        let was_there = reader.was_checked_out(path);
        was_there.then(|| reader.in_git(path).iter().find(is_recorded).cloned()).flatten()
    }

    /// Whether a text has the checksum in debug info. `None` if there is none, or it cannot be compared.
    fn has_checksum(&self, path: &Path, text: &str) -> Option<bool> {
        has_checksum(text, self.checksums.get(path).copied().flatten()?)
    }

    /// Whether a text has the checksum in debug info or, without one, is not contradicted.
    fn could_be(&self, path: &Path, text: &Arc<str>) -> bool {
        self.has_checksum(path, text).unwrap_or_else(|| !self.contradicts(path, text))
    }

    /// The text in the profile, or in a source map.
    fn contained(&self, path: &Path, names: &[String]) -> Option<Arc<str>> {
        let symbols = self.all.recording.symbols();
        let is_named = |source: SourceId| names.iter().any(|n| n == symbols.source_name(source));
        let text = symbols.texts.iter().find(|(source, _)| is_named(**source));
        text.map(|(_, text)| text).or_else(|| self.all.source_maps.texts.get(path)).cloned()
    }

    fn fits(&self, path: &Path, text: &Arc<str>) -> bool {
        self.evidence().fits(path, text, self.definitions(path, text).as_deref())
    }

    /// See [`Evidence::fits_functions`].
    pub fn fits_functions(&self, path: &Path, text: &Arc<str>) -> bool {
        let definitions = self.definitions(path, text);
        definitions.is_some_and(|it| self.evidence().fits_functions(path, text, &it))
    }

    fn contradicts(&self, path: &Path, text: &Arc<str>) -> bool {
        self.evidence().contradicts(path, text, self.definitions(path, text).as_deref())
    }

    /// Where functions moved their lines in a text that is a guess, and which lines are elsewhere.
    pub fn misplaced(&self, path: &Path, text: &Arc<str>) -> (Option<Arc<LineMap>>, Vec<u32>) {
        let Some(definitions) = self.definitions(path, text) else { return Default::default() };
        let moved = self.evidence().moved(path, text, &definitions);
        let misplaced = self.evidence().misplaced(path, &definitions, moved.as_deref());
        (moved, misplaced)
    }

    fn evidence(&self) -> &Evidence {
        self.evidence.get_or_init(|| Evidence::of(&self.all.recording, self.mappings))
    }

    fn definitions(&self, path: &Path, text: &Arc<str>) -> Option<Arc<FileDefinitions>> {
        self.all.context.parsed.one(path, text)
    }
}

/// Whether a text has a checksum. `None` if that is not known, because bytes of the file that were
/// not UTF-8 were replaced.
fn has_checksum(text: &str, md5: Md5) -> Option<bool> {
    (!text.contains(char::REPLACEMENT_CHARACTER)).then(|| md5::compute(text).0 == md5)
}
