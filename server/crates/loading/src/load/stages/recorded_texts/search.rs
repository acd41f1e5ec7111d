//! The search for the text that a source had when it was recorded.

use crate::discovery::stamp::SLACK;
use crate::functions::definitions::FileDefinitions;
use crate::load::stages::identifying::Identifying;
use crate::load::texts::disk::Version;
use crate::load::texts::fit::FileEvidence;
use crate::load::texts::origin::Origin;
use analysis::SourceId;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use symbols::Md5;
use texts::{LineMap, Syntax};

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

/// The search for the recorded text of one file.
pub struct TextSearch<'a> {
    all: &'a Identifying<'a>,
    path: &'a Path,
    /// The names of the file in the profile.
    names: Vec<String>,
    /// The checksum of the file in debug info. `None` if its names have different ones.
    checksum: Option<Md5>,
    evidence: Rc<FileEvidence>,
}

impl<'a> TextSearch<'a> {
    /// The search for the text of a file that `sources` are mapped to.
    pub fn new(all: &'a Identifying<'a>, path: &'a Path, sources: &[SourceId]) -> Self {
        let names = sources.iter().map(|&source| all.name(source).to_owned()).collect();
        let mut checksums = sources.iter().filter_map(|&source| all.checksum(source));
        let checksum = checksums.next().filter(|first| checksums.all(|other| other == *first));
        Self { all, path, names, checksum, evidence: all.evidence().of_file(sources) }
    }

    /// The same search without lines as evidence, which may be those of other files.
    #[must_use]
    pub fn of_starts(self) -> Self {
        Self { evidence: Rc::new(self.evidence.of_starts()), ..self }
    }

    /// The names of the file in the profile.
    pub fn into_names(self) -> Vec<String> {
        self.names
    }

    /// The recorded text.
    pub fn find(&self) -> Option<Found> {
        if let Some(text) = self.all.renamed.get(self.path) {
            return Some(Found::known(text.clone(), Origin::Renamed));
        }
        let contained = self.contained().filter(|text| self.fits(text));
        let was_rebuilt = self.all.source_maps.rebuilt.contains(self.path);
        match contained {
            Some(text) if !was_rebuilt => Some(Found::known(text, Origin::Profile)),
            contained => {
                let found = self.stated_or_kept().or_else(|| self.on_disk_or_in_git())?;
                Some(if was_rebuilt { rebuilt(found, contained) } else { found })
            }
        }
    }

    /// The recorded text of a file that is no longer at its path: that in the profile, in a copy or in Git.
    pub fn of_gone(&self) -> Option<Arc<str>> {
        let contained = self.contained().filter(|text| self.fits(text));
        let known = contained.or_else(|| Some(self.stated_or_kept()?.text));
        let was_there = || self.all.context.reader.was_checked_out(self.path);
        known.or_else(|| if was_there() { self.in_git() } else { None })
    }

    /// The text in the profile, or in a source map.
    fn contained(&self) -> Option<Arc<str>> {
        let symbols = self.all.recording.symbols();
        let is_named =
            |source: SourceId| self.names.iter().any(|n| n == symbols.source_name(source));
        let text = symbols.texts.iter().find(|(source, _)| is_named(**source));
        text.map(|(_, text)| text).or_else(|| self.all.source_maps.texts.get(self.path)).cloned()
    }

    /// The version in Git that the profile names, or else the copy that was kept.
    fn stated_or_kept(&self) -> Option<Found> {
        let reader = self.all.context.reader;
        let stated = reader.named_version(self.path, &self.names).filter(|text| self.fits(text));
        if let Some(text) = stated {
            return Some(Found::known(text, Origin::Git));
        }
        let copy = reader.copy(&self.names).filter(|text| self.could_be(text))?;
        Some(Found::known(copy, Origin::Copy))
    }

    /// The newest version in Git that is the recorded one by its checksum or, without one, fits.
    fn in_git(&self) -> Option<Arc<str>> {
        let versions = self.all.context.reader.in_git(self.path);
        versions.iter().find(|text| self.is_recorded(text)).cloned()
    }

    /// The text on disk, or in Git if only that fits. The time of a file has no influence on which text it
    /// is, only on whether that is certain.
    fn on_disk_or_in_git(&self) -> Option<Found> {
        let reader = self.all.context.reader;
        let now = reader.now(self.path)?;
        let profile = reader.loaded().stamp.modified;
        let versions = reader.versions_on_disk(self.path);
        let is_older = |version: &&Version| {
            self.has_checksum(&version.text).unwrap_or(version.stamp.modified <= profile)
        };
        // Edits are followed from the first version that was seen.
        let older = versions.iter().rfind(is_older);
        let seen = older.or(versions.first()).unwrap_or(&now);
        let is_seen = self.is_recorded(&seen.text) || !self.is_recorded(&now.text);
        let seen = if is_seen { seen } else { &now };
        let (text, is_older) = (seen.text.clone(), is_older(&seen));
        let is_known = is_older || seen.stamp.modified <= profile + SLACK;
        let fits_disk = self.is_recorded(&text);
        if fits_disk && is_known {
            return Some(Found::known(text, Origin::Disk));
        }
        match self.in_git() {
            Some(committed) if committed == text => Some(Found::known(text, Origin::Git)),
            Some(committed) if !fits_disk || self.is_better(&committed, &text) => {
                Some(Found::known(committed, Origin::Git))
            }
            committed if fits_disk => {
                Some(Found { text, origin: Origin::Guess, fits: true, committed })
            }
            _ => {
                let is_edited = self.has_checksum(&text) == Some(false);
                let fits = if is_edited { self.fits(&text) } else { !self.contradicts(&text) };
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
    fn is_better(&self, text: &Arc<str>, other: &Arc<str>) -> bool {
        let found = |text: &Arc<str>| {
            let n_functions = self.definitions(text).map(|it| self.evidence.n_found(&it));
            (n_functions, self.evidence.n_lines_of_code(text))
        };
        found(text) > found(other)
    }

    /// Whether a text has the checksum in debug info. `None` if there is none, or it cannot be compared.
    fn has_checksum(&self, text: &str) -> Option<bool> {
        has_checksum(text, self.checksum?)
    }

    /// Whether a text has the checksum in debug info or, without one, fits.
    fn is_recorded(&self, text: &Arc<str>) -> bool {
        self.has_checksum(text).unwrap_or_else(|| self.fits(text))
    }

    /// Whether a text has the checksum in debug info or, without one, is not contradicted.
    fn could_be(&self, text: &Arc<str>) -> bool {
        self.has_checksum(text).unwrap_or_else(|| !self.contradicts(text))
    }

    fn fits(&self, text: &Arc<str>) -> bool {
        self.evidence.fits(text, self.definitions(text).as_deref())
    }

    /// Whether the functions of the profile are where a text has them.
    pub fn has_functions(&self, text: &Arc<str>) -> bool {
        self.definitions(text).is_some_and(|it| self.evidence.has_functions(text, &it))
    }

    fn contradicts(&self, text: &Arc<str>) -> bool {
        self.evidence.contradicts(text, self.definitions(text).as_deref())
    }

    /// The recorded lines (0-based) that certainly are where a text has them, which is a guess.
    pub fn certain(&self, found: &Found) -> Vec<Range<u32>> {
        match &found.committed {
            Some(committed) => {
                let syntax = Syntax::of_text(self.path, &found.text);
                let map = LineMap::new(committed, &found.text, syntax);
                let n_lines = committed.lines().count() as u32;
                let stays = |line0: &u32| map.to_open(*line0) == Some(*line0);
                (0..n_lines).filter(stays).map(|line0| line0..line0 + 1).collect()
            }
            None => match self.definitions(&found.text) {
                Some(definitions) => self.evidence.certain(&found.text, &definitions),
                None => Vec::new(),
            },
        }
    }

    /// Where functions moved their lines in a text that is a guess, and which lines are elsewhere.
    pub fn misplaced(&self, text: &Arc<str>) -> (Option<Arc<LineMap>>, Vec<u32>) {
        let Some(definitions) = self.definitions(text) else { return Default::default() };
        let moved = self.evidence.moved(text, &definitions);
        let misplaced = self.evidence.misplaced(&definitions, moved.as_deref());
        (moved, misplaced)
    }

    fn definitions(&self, text: &Arc<str>) -> Option<Arc<FileDefinitions>> {
        self.all.context.parsed.one(self.path, text)
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
