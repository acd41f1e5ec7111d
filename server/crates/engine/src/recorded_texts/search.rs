//! The search for the text that a source had when it was recorded.

use super::disk::Version;
use super::fit::Evidence;
use super::origin::Origin;
use crate::discovery::stamp::SLACK;
use crate::functions::definitions::FileDefinitions;
use crate::load::stages::identifying::Identifying;
use analysis::SourceId;
use rustc_hash::FxHashMap;
use sources::{LineMap, Mapping, Syntax};
use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use symbols::Md5;

/// A text that was found.
pub struct Found {
    /// The text.
    pub text: Arc<str>,
    /// How it is known.
    pub origin: Origin,
    /// Whether the profile fits the text.
    pub fits: bool,
    /// A version in Git that the profile fits as well, if the text may have been edited since the recording.
    pub committed: Option<Arc<str>>,
}

impl Found {
    fn known(text: Arc<str>, origin: Origin) -> Self {
        Self { text, origin, fits: true, committed: None }
    }
}

/// The search for the recorded texts of one profile.
pub struct TextSearch<'a> {
    all: &'a Identifying<'a>,
    mappings: &'a [Mapping],
    /// The checksums of files in debug info. `None` if the names of a file have different ones.
    checksums: FxHashMap<&'a Path, Option<Md5>>,
    /// Collected on first use.
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
            return Some(Found::known(text.clone(), Origin::Renamed));
        }
        let contained = self.contained(path, names).filter(|text| self.fits(path, text));
        let was_rebuilt = self.all.source_maps.rebuilt.contains(path);
        match contained {
            Some(text) if !was_rebuilt => Some(Found::known(text, Origin::Profile)),
            contained => {
                let found = self.elsewhere(path, names)?;
                Some(if was_rebuilt { rebuilt(found, contained) } else { found })
            }
        }
    }

    /// The recorded text of a file that neither the profile nor a source map contains. The time of a file
    /// has no influence on which text it is, only on whether that is certain.
    fn elsewhere(&self, path: &Path, names: &[String]) -> Option<Found> {
        let reader = self.all.context.reader;
        if let Some(text) = reader.named_version(path, names).filter(|it| self.fits(path, it)) {
            return Some(Found::known(text, Origin::Git));
        }
        if let Some(text) = reader.copy(names).filter(|text| self.could_be(path, text)) {
            return Some(Found::known(text, Origin::Copy));
        }
        let has_checksum = |text: &str| self.has_checksum(path, text);
        let fits = |text: &Arc<str>| has_checksum(text).unwrap_or_else(|| self.fits(path, text));
        let now = reader.now(path)?;
        let profile = reader.loaded().stamp.modified;
        let versions = reader.versions_on_disk(path);
        let is_older = |version: &&Version| {
            has_checksum(&version.text).unwrap_or(version.stamp.modified <= profile)
        };
        // Edits are followed from the first version that was seen.
        let older = versions.iter().rfind(is_older);
        let seen = older.or(versions.first()).unwrap_or(&now);
        let seen = if fits(&seen.text) || !fits(&now.text) { seen } else { &now };
        let (text, is_older) = (seen.text.clone(), is_older(&seen));
        let is_known = is_older || seen.stamp.modified <= profile + SLACK;
        let fits_disk = fits(&text);
        if fits_disk && is_known {
            return Some(Found::known(text, Origin::Disk));
        }
        let versions = reader.in_git(path);
        let committed = versions.iter().find(|text| fits(text)).cloned();
        match committed {
            Some(committed) if committed == text => Some(Found::known(text, Origin::Git)),
            Some(committed) if !fits_disk || self.is_better(path, &committed, &text) => {
                Some(Found::known(committed, Origin::Git))
            }
            committed if fits_disk => {
                Some(Found { text, origin: Origin::Guess, fits: true, committed })
            }
            _ => {
                let is_edited = has_checksum(&text) == Some(false);
                let fits =
                    if is_edited { self.fits(path, &text) } else { !self.contradicts(path, &text) };
                let origin = match () {
                    () if is_edited => Origin::Edited,
                    () if is_older && fits => Origin::Disk,
                    () if is_older => Origin::Contradicted,
                    () => Origin::Guess,
                };
                Some(Found { text, origin, fits, committed: None })
            }
        }
    }

    /// Whether a text has more of the recorded functions than another one or, if it has as many, more of the
    /// lines with costs are code.
    fn is_better(&self, path: &Path, text: &Arc<str>, other: &Arc<str>) -> bool {
        let found = |text: &Arc<str>| {
            let definitions = self.definitions(path, text);
            let n_functions = definitions.map(|it| self.evidence().n_found(path, &it));
            (n_functions, self.evidence().n_lines_of_code(path, text))
        };
        found(text) > found(other)
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

    /// The recorded lines (0-based) that certainly are where a text has them, which is a guess.
    pub fn certain(&self, path: &Path, found: &Found) -> Vec<Range<u32>> {
        match &found.committed {
            Some(committed) => {
                let map = LineMap::new(committed, &found.text, Syntax::of_text(path, &found.text));
                let n_lines = committed.lines().count() as u32;
                let stays = |line0: &u32| map.to_open(*line0) == Some(*line0);
                (0..n_lines).filter(stays).map(|line0| line0..line0 + 1).collect()
            }
            None => match self.definitions(path, &found.text) {
                Some(definitions) => self.evidence().certain(path, &found.text, &definitions),
                None => Vec::new(),
            },
        }
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

/// The text of a file that code may have been generated from again since the recording. Lines are lines of
/// the text that the source map contains, if it does. They are certain if the text has not changed.
fn rebuilt(found: Found, contained: Option<Arc<str>>) -> Found {
    let is_known = found.origin.doubt().is_none();
    match contained {
        Some(text) if !is_known || found.text != text => {
            Found { text, origin: Origin::Rebuilt, fits: true, committed: None }
        }
        None if !is_known => Found { origin: Origin::Rebuilt, ..found },
        _ => found,
    }
}

/// Whether a text has a checksum. `None` if that is not known, because bytes of the file that were
/// not UTF-8 were replaced.
fn has_checksum(text: &str, md5: Md5) -> Option<bool> {
    (!text.contains(char::REPLACEMENT_CHARACTER)).then(|| md5::compute(text).0 == md5)
}
