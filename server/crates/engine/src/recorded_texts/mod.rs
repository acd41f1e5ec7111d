//! The texts that a profile was recorded from. Costs belong to these texts; line maps move them to
//! the text that is shown.
//!
//! The text that the profile contains, or the source map of generated code, is the recorded one, and
//! so is the version in Git that the profile names. Debug info may have a checksum of the text at the
//! time of the build. It then decides which text is the recorded one, and times do not. Without any
//! of these, the text of a source is, in this order: the copy that Costline kept when the profile was
//! first shown; the file on disk if it was not written since the recording; the version in Git that
//! was checked out at the time of the recording, or an earlier one, if the profile fits it; the file
//! on disk if it was written within [`SLACK`] of the profile and the profile fits it. Otherwise the
//! recorded text is not known. The text on disk is then used as a guess, which all labels say. Functions
//! with a recorded start move their lines in it; other lines of functions that are elsewhere have no
//! place.

mod commit;
mod copies;
mod disk;
pub(crate) mod fit;
mod git;
mod inlinable;
pub(crate) mod reader;

pub use commit::{Commit, commit_named};
pub use copies::{Copies, KeptScript};
pub use disk::DiskTexts;

use crate::discovery::stamp::{SLACK, Stamp};
use crate::functions::definitions::{FileDefinitions, ParsedFiles};
use crate::load::source_maps::Script;
use crate::load::stages::checksums::has_checksum;
use crate::load::stages::loaded::Loaded;
use crate::load::stages::source_mapped::SourceMapped;
use analysis::{FuncId, SourceId};
use copies::map_name;
use disk::Version;
use fit::Evidence;
use reader::Reader;
use rustc_hash::FxHashMap;
use sources::{LineMap, Root, Syntax, TextWithFunctions};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use symbols::Md5;

/// The maximum size of the texts of one profile, in bytes: more than the hand-written sources of a
/// project. Further texts are not read.
const MAX_BYTES: usize = 64 << 20;

/// The texts that a profile was recorded from, by the canonical path of the workspace file.
#[derive(Debug)]
pub struct RecordedTexts {
    by_path: FxHashMap<PathBuf, RecordedText>,
    disk: Arc<DiskTexts>,
}

/// The text that a source had when the profile was recorded.
#[derive(Debug)]
pub struct RecordedText {
    /// The text.
    pub text: Arc<str>,
    /// How the text is known.
    pub origin: Origin,
    /// The functions of the text, if costs can be grouped by them: the profile fits the text, and
    /// there is a grammar for it.
    pub definitions: Option<Arc<FileDefinitions>>,
    /// Whether functions that were moved to the file were added, so that lines have other numbers than in
    /// the profile.
    pub is_composed: bool,
    /// If the text is a guess in which functions start elsewhere: its lines for the recorded ones.
    moved: Option<Arc<LineMap>>,
    /// If the text is a guess: the recorded lines (0-based, ascending) that certainly are elsewhere in it;
    /// with `moved`, the lines that these are in it.
    misplaced: Vec<u32>,
    /// The file names of the profile that stand for the file.
    names: Vec<String>,
    /// The line map to the latest version on disk.
    to_disk: Mutex<Option<(Stamp, Arc<LineMap>)>>,
}

/// How the text of a source is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The profile contains it, or the source map of generated code.
    Profile,
    /// A copy that was kept earlier.
    Copy,
    /// The file on disk: it has the recorded checksum, or was not written since the recording.
    Disk,
    /// A version in Git.
    Git,
    /// That of the file that was renamed to this one: a copy, or a version in Git.
    Renamed,
    /// The file on disk. It was written later, so this is a guess.
    Guess,
    /// The file on disk. It was not written since the recording, but the profile has functions or
    /// lines elsewhere: the program was built or started before, or the profile was copied.
    Contradicted,
    /// The text that code was generated from again after the recording.
    Rebuilt,
    /// The file on disk. It has another checksum than the recorded one, so it was edited after the
    /// build.
    Edited,
}

impl Origin {
    /// Why the text may not be the recorded one. `None` if it is.
    pub fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Profile | Self::Copy | Self::Disk | Self::Git | Self::Renamed => None,
            Self::Guess => Some("the file is newer than the profile"),
            Self::Contradicted => Some("the profile has functions or lines of the file elsewhere"),
            Self::Rebuilt => Some("the program was built again since the profile was recorded"),
            Self::Edited => Some("the file was edited after the program was built"),
        }
    }
}

/// What recorded texts are found with.
#[derive(Debug, Default)]
pub struct TextCaches {
    /// The versions of files on disk.
    pub disk: Arc<DiskTexts>,
    /// The user's copies.
    copies: Option<Copies>,
    /// The definitions of texts.
    pub parsed: ParsedFiles,
}

impl TextCaches {
    /// Empty caches. Texts are kept in `copies`.
    pub fn new(copies: Option<Copies>) -> Self {
        Self { disk: Arc::default(), copies, parsed: ParsedFiles::default() }
    }

    /// A reader of files in `roots` for the profile `loaded`. `uses_copies` is the setting `keepSources`.
    pub(crate) fn reader<'a>(
        &'a self,
        loaded: &'a Loaded,
        roots: &'a [Root],
        uses_copies: bool,
    ) -> Reader<'a> {
        Reader::new(loaded, roots, &self.disk, self.copies.as_ref().filter(|_| uses_copies))
    }
}

impl RecordedTexts {
    /// Finds the recorded text of each workspace file of a profile.
    pub fn new(mapped: &SourceMapped, caches: &TextCaches, reader: &Reader<'_>) -> Self {
        let symbols = mapped.recording.symbols();
        let mut names: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
        for (mapping, source) in mapped.mappings.iter().zip(0..) {
            if let Some(path) = mapping.path() {
                let name = symbols.source_name(SourceId::new(source));
                names.entry(path).or_default().push(name.to_owned());
            }
        }
        let search = Search::new(mapped, &caches.parsed, reader);
        let mut bytes_left = MAX_BYTES;
        let mut found: Vec<(&Path, Found, Vec<String>)> = Vec::new();
        for (path, names) in names {
            let Some(text) = search.find(path, &names) else { continue };
            let Some(left) = bytes_left.checked_sub(text.text.len()) else { continue };
            bytes_left = left;
            found.push((path, text, names));
        }
        let has_functions = paths_of_functions(mapped);
        let parsed = caches.parsed.all(found.iter().filter_map(|(path, found, _)| {
            let fits = found.fits || search.fits_functions(path, &found.text);
            (fits && has_functions.contains(path)).then_some((*path, &found.text))
        }));
        let texts = found.into_iter().map(|(path, Found { text, origin, fits }, names)| {
            let definitions = parsed.get(path).cloned().flatten();
            let is_contradicted = origin.doubt().is_some() && !fits;
            let (moved, misplaced) =
                if is_contradicted { search.misplaced(path, &text) } else { Default::default() };
            let recorded = RecordedText {
                text,
                origin,
                definitions,
                is_composed: false,
                moved,
                misplaced,
                names,
                to_disk: Mutex::default(),
            };
            (path.to_owned(), recorded)
        });
        Self { by_path: texts.collect(), disk: caches.disk.clone() }
    }

    /// The recorded text of a workspace file, given by its canonical path. `None` if the file is
    /// not part of the profile, cannot be read, or is too large.
    pub fn get(&self, path: &Path) -> Option<&RecordedText> {
        self.by_path.get(path)
    }

    /// The recorded texts that are not guesses, each with its path.
    pub fn known(&self) -> impl Iterator<Item = (&Path, &RecordedText)> {
        let all = self.by_path.iter().map(|(path, text)| (path.as_path(), text));
        all.filter(|(_, text)| !text.is_guess())
    }

    /// The text that a file which the profile does not name had at the time of the recording, if it
    /// is known.
    pub fn of_other_file(
        mapped: &SourceMapped,
        parsed: &ParsedFiles,
        reader: &Reader<'_>,
        path: &Path,
    ) -> Option<Arc<str>> {
        let found = Search::new(mapped, parsed, reader).find(path, &[])?;
        matches!(found.origin, Origin::Disk | Origin::Git).then_some(found.text)
    }

    /// The same with composed texts for some files, each with its definitions.
    #[must_use]
    pub fn replaced(
        &self,
        texts: impl IntoIterator<Item = (PathBuf, Arc<str>, Arc<FileDefinitions>)>,
    ) -> Self {
        let mut by_path: FxHashMap<PathBuf, RecordedText> = FxHashMap::default();
        for (path, text) in &self.by_path {
            by_path
                .insert(path.clone(), text.with_text(text.text.clone(), text.definitions.clone()));
        }
        for (path, text, definitions) in texts {
            let new = match by_path.get(&path) {
                Some(old) => {
                    let new = old.with_text(text, Some(definitions));
                    RecordedText { is_composed: true, ..new }
                }
                None => RecordedText {
                    text,
                    origin: Origin::Disk,
                    definitions: Some(definitions),
                    is_composed: true,
                    moved: None,
                    misplaced: Vec::new(),
                    names: Vec::new(),
                    to_disk: Mutex::default(),
                },
            };
            by_path.insert(path, new);
        }
        Self { by_path, disk: self.disk.clone() }
    }

    /// The same without doubt about some texts on disk: what contradicted them was removed from the
    /// recording.
    #[must_use]
    pub fn without_doubt(&self, paths: &[&Path], parsed: &ParsedFiles) -> Self {
        let mut this = self.replaced([]);
        for &path in paths {
            if let Some(recorded) = this.by_path.get_mut(path) {
                recorded.origin = Origin::Disk;
                recorded.moved = None;
                recorded.misplaced.clear();
                recorded.definitions = parsed.all([(path, &recorded.text)]).remove(path).flatten();
            }
        }
        this
    }

    /// The text of a file on disk. `None` as for [`DiskTexts::now`].
    pub fn now(&self, path: &Path) -> Option<Arc<str>> {
        Some(self.disk.now(path)?.text)
    }

    /// The line map from the recorded text of a file to the file on disk, with the text on disk.
    /// `None` if one of them is not known.
    pub fn to_disk(&self, path: &Path) -> Option<(Arc<LineMap>, Arc<str>)> {
        let recorded = self.get(path)?;
        let now = self.disk.now(path)?;
        let mut cached = recorded.to_disk.lock().unwrap_or_else(PoisonError::into_inner);
        let map = match &*cached {
            Some((stamp, map)) if *stamp == now.stamp => map.clone(),
            _ => {
                let parse = || Some(Arc::new(FileDefinitions::of_text(path, now.text.clone())?));
                let map = recorded.map_to(path, &now.text, parse);
                Arc::new(recorded.placed(map))
            }
        };
        *cached = Some((now.stamp, map.clone()));
        Some((map, now.text))
    }

    /// Keeps copies of the texts that are known because the files were not written since the
    /// recording, and of the generated scripts and source maps of `mapped`.
    pub fn keep(&self, loaded: &Loaded, mapped: &SourceMapped, caches: &TextCaches) {
        let Some(copies) = &caches.copies else { return };
        let known = self.by_path.values().filter(|text| text.origin == Origin::Disk);
        let texts = known.flat_map(|text| text.names.iter().map(|name| (&**name, &*text.text)));
        let manifest = copies.manifest(loaded.content);
        let scripts: Vec<(String, Arc<str>)> = mapped
            .scripts
            .iter()
            .filter(|script| !manifest.has(&script.name))
            .filter_map(script_texts)
            .flatten()
            .collect();
        let scripts = scripts.iter().map(|(name, text)| (&**name, &**text));
        // Without the copies, nothing is lost but the lines of sources that are edited later.
        let _ = copies.keep(loaded.content, texts.chain(scripts));
    }
}

/// The texts to keep of a script: its own, and that of its source map if that is another file. `None` if
/// one of them cannot be read or is too large.
fn script_texts(script: &Script) -> Option<Vec<(String, Arc<str>)>> {
    let mut texts = vec![(script.name.clone(), disk::read(&script.path)?.text)];
    if let Some(map) = &script.map {
        texts.push((map_name(&script.name), disk::read(map)?.text));
    }
    Some(texts)
}

impl RecordedText {
    fn with_text(&self, text: Arc<str>, definitions: Option<Arc<FileDefinitions>>) -> Self {
        Self {
            text,
            origin: self.origin,
            definitions,
            is_composed: self.is_composed,
            moved: self.moved.clone(),
            misplaced: self.misplaced.clone(),
            names: self.names.clone(),
            to_disk: Mutex::default(),
        }
    }

    /// The line map to another text of the file, whose functions `parse` returns.
    pub fn map_to(
        &self,
        path: &Path,
        text: &str,
        parse: impl FnOnce() -> Option<Arc<FileDefinitions>>,
    ) -> LineMap {
        let syntax = Syntax::of_text(path, text);
        let map = LineMap::new(&self.text, text, syntax);
        let Some(functions) = &self.definitions else { return map };
        let mut parsed = None;
        let recorded = TextWithFunctions { text: &self.text, functions: &functions.all };
        let open = || {
            let functions = &parsed.insert(parse()?).all;
            Some(TextWithFunctions { text, functions })
        };
        map.within_functions(recorded, open, syntax)
    }

    /// Whether a recorded line (0-based) certainly is another line of this text, which is a guess.
    pub fn is_misplaced(&self, recorded_line0: u32) -> bool {
        let line0 = match &self.moved {
            Some(moved) => moved.to_open(recorded_line0),
            None => Some(recorded_line0),
        };
        line0.is_none_or(|line0| self.misplaced.binary_search(&line0).is_ok())
    }

    /// A line map from this text, as one from the recorded lines: functions that start elsewhere move
    /// their lines, and those that certainly are elsewhere are left out.
    pub fn placed(&self, map: LineMap) -> LineMap {
        let map = if self.misplaced.is_empty() { map } else { map.without(&self.misplaced) };
        match &self.moved {
            Some(moved) => map.after(moved),
            None => map,
        }
    }

    /// Whether the text is a guess.
    pub fn is_guess(&self) -> bool {
        self.origin.doubt().is_some()
    }
}

/// The texts of files that are no longer at their recorded path.
#[derive(Debug)]
pub struct GoneTexts<'a>(Search<'a>);

impl<'a> GoneTexts<'a> {
    /// The texts of the sources that `mapped` has these paths for.
    pub fn new(mapped: &'a SourceMapped, parsed: &'a ParsedFiles, reader: &'a Reader<'a>) -> Self {
        Self(Search::new(mapped, parsed, reader))
    }

    /// The recorded text of a file that has `name` in the profile: that in the profile, in a copy or in
    /// Git.
    pub fn of(&self, path: &Path, name: &str) -> Option<Arc<str>> {
        let Self(search) = self;
        let names = [name.to_owned()];
        let fits = |text: &Arc<str>| search.fits(path, text);
        if let Some(text) = search.contained(path, &names).filter(&fits) {
            return Some(text);
        }
        if let Some(text) = search.reader.named_version(path, &names).filter(&fits) {
            return Some(text);
        }
        let md5 = search.checksums.get(path).copied().flatten();
        let has_checksum = |text: &str| md5.and_then(|md5| has_checksum(text, md5));
        let could_be =
            |text: &Arc<str>| has_checksum(text).unwrap_or_else(|| !search.contradicts(path, text));
        if let Some(text) = search.reader.copy(&names).filter(could_be) {
            return Some(text);
        }
        if !search.reader.was_checked_out(path) {
            return None;
        }
        let is_recorded = |text: &&Arc<str>| has_checksum(text).unwrap_or_else(|| fits(text));
        search.reader.in_git(path).iter().find(is_recorded).cloned()
    }

    /// Whether Git has the file in a commit that was made before the recording.
    pub fn was_there(&self, path: &Path) -> bool {
        !self.0.reader.in_git(path).is_empty()
    }
}

/// A text that was found.
struct Found {
    text: Arc<str>,
    origin: Origin,
    /// Whether the profile fits the text.
    fits: bool,
}

/// The search for the recorded texts of one profile.
#[derive(Debug)]
struct Search<'a> {
    mapped: &'a SourceMapped,
    parsed: &'a ParsedFiles,
    reader: &'a Reader<'a>,
    /// The checksums of files in debug info. `None` if the names of a file have different ones.
    checksums: FxHashMap<&'a Path, Option<Md5>>,
    /// Collected on first use: most texts are known without it.
    evidence: OnceCell<Evidence>,
}

impl<'a> Search<'a> {
    fn new(mapped: &'a SourceMapped, parsed: &'a ParsedFiles, reader: &'a Reader<'a>) -> Self {
        let mut checksums: FxHashMap<&Path, Option<Md5>> = FxHashMap::default();
        for (mapping, source) in mapped.mappings.iter().zip((0..).map(SourceId::new)) {
            if let (Some(path), Some(md5)) = (mapping.path(), mapped.checksums.get(source)) {
                let known = checksums.entry(path).or_insert(Some(md5));
                *known = known.filter(|known| *known == md5);
            }
        }
        Self { mapped, parsed, reader, checksums, evidence: OnceCell::new() }
    }

    /// The recorded text of a file that has `names` in the profile.
    fn find(&self, path: &Path, names: &[String]) -> Option<Found> {
        if let Some(text) = self.mapped.renamed.get(path) {
            return Some(Found { text: text.clone(), origin: Origin::Renamed, fits: true });
        }
        let contained = self.contained(path, names).filter(|text| self.fits(path, text));
        if let Some(&time) = self.mapped.rebuilt.get(path) {
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
            None => self.reader.at(path, time)?,
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
            self.reader.named_version(path, names).filter(|text| self.fits(path, text))
        {
            return known(text, Origin::Git);
        }
        let md5 = self.checksums.get(path).copied().flatten();
        let has_checksum = |text: &str| md5.and_then(|md5| has_checksum(text, md5));
        let could_be =
            |text: &Arc<str>| has_checksum(text).unwrap_or_else(|| !self.contradicts(path, text));
        if let Some(text) = self.reader.copy(names).filter(could_be) {
            return known(text, Origin::Copy);
        }
        let now = self.reader.now(path)?;
        let versions = self.reader.versions_on_disk(path);
        let profile = self.reader.loaded().stamp.modified;
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
        if let Some(text) = self.reader.in_git(path).iter().find(is_recorded) {
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

    /// The text in the profile, or in a source map.
    fn contained(&self, path: &Path, names: &[String]) -> Option<Arc<str>> {
        let symbols = self.mapped.recording.symbols();
        let is_named = |source: SourceId| names.iter().any(|n| n == symbols.source_name(source));
        let text = symbols.texts.iter().find(|(source, _)| is_named(**source));
        text.map(|(_, text)| text).or_else(|| self.mapped.original_texts.get(path)).cloned()
    }

    fn fits(&self, path: &Path, text: &Arc<str>) -> bool {
        self.evidence().fits(path, text, self.definitions(path, text).as_deref())
    }

    fn fits_functions(&self, path: &Path, text: &Arc<str>) -> bool {
        let definitions = self.definitions(path, text);
        definitions.is_some_and(|it| self.evidence().fits_functions(path, text, &it))
    }

    fn contradicts(&self, path: &Path, text: &Arc<str>) -> bool {
        self.evidence().contradicts(path, text, self.definitions(path, text).as_deref())
    }

    /// Where functions moved their lines in a text that is a guess, and which lines are elsewhere.
    fn misplaced(&self, path: &Path, text: &Arc<str>) -> (Option<Arc<LineMap>>, Vec<u32>) {
        let Some(definitions) = self.definitions(path, text) else { return Default::default() };
        let moved = self.evidence().moved(path, text, &definitions);
        let misplaced = self.evidence().misplaced(path, &definitions, moved.as_deref());
        (moved, misplaced)
    }

    fn evidence(&self) -> &Evidence {
        self.evidence.get_or_init(|| Evidence::of(&self.mapped.recording, &self.mapped.mappings))
    }

    fn definitions(&self, path: &Path, text: &Arc<str>) -> Option<Arc<FileDefinitions>> {
        self.parsed.all([(path, text)]).remove(path)?
    }
}

/// The workspace files that the functions of a recording may be in: the recorded ones and, as some
/// profilers name the file of the first instruction, those with lines of functions without a start.
fn paths_of_functions(mapped: &SourceMapped) -> HashSet<&Path> {
    let symbols = mapped.recording.symbols();
    let path_of = |source: SourceId| mapped.mappings.get(source.index())?.path();
    let sources = symbols.funcs.ids().filter_map(|func| symbols.funcs.get(func).source);
    let mut paths: HashSet<&Path> = sources.filter_map(path_of).collect();
    let has_no_start = |func: FuncId| symbols.funcs.get(func).line == 0;
    if symbols.funcs.ids().any(has_no_start) {
        mapped.recording.each_place(|func, source, _| {
            if has_no_start(func) {
                paths.extend(path_of(source));
            }
        });
    }
    paths
}
