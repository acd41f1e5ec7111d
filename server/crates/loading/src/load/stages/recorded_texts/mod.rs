//! The texts that a profile was recorded from. Costs belong to these texts; line maps move them to
//! the text that is shown.
//!
//! The text that the profile contains, or the source map of generated code, is the recorded one, and
//! so is the version in Git that the profile names. Debug info may have a checksum of the text at the
//! time of the build, which then decides. Without any of these, the text of a source is, in this order:
//! the copy that Costline kept when the profile was first shown; the file on disk, if the profile fits it;
//! the version in Git that was checked out at the time of the recording, or an earlier one, if the
//! profile fits it. Otherwise the text on disk is a guess: functions with a recorded start move their
//! lines in it, and other lines of functions that are elsewhere have no place.
//!
//! The time of a file does not change which text it is. It only says whether that is certain: a file that
//! was written since the recording may have been edited within its functions. If Git has another text
//! that the profile fits, the lines that both have are certain, and else those of functions that have the
//! length that they were recorded with. Labels mark the others with `~`.

pub(crate) mod commit;
pub(crate) mod search;

pub use crate::load::texts::disk::DiskTexts;
pub use crate::load::texts::origin::Origin;
pub use commit::{Commit, commit_named};

use crate::discovery::stamp::Stamp;
use crate::functions::definitions::{FileDefinitions, ParsedFiles};
use crate::load::loaded::Loaded;
use crate::load::stages::identifying::{Identifying, Script};
use crate::load::texts::reader::Reader;
use crate::store::copies::Copies;
use crate::store::copies::map_name;
use analysis::{FuncId, SourceId};
use rustc_hash::FxHashMap;
use search::{Found, TextSearch};
use sources::Root;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use texts::{LineMap, Syntax, TextWithFunctions};

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
    /// If the text is a guess in which functions start elsewhere: its lines for the recorded ones.
    moved: Option<Arc<LineMap>>,
    /// If the text is a guess: the recorded lines (0-based, ascending) that certainly are elsewhere in it;
    /// with `moved`, the lines that these are in it.
    misplaced: Vec<u32>,
    /// If the text is a guess: the recorded lines (0-based) that are where it has them all the same.
    certain: Vec<Range<u32>>,
    /// The file names of the profile that stand for the file.
    names: Vec<String>,
    /// The line map to the latest version on disk.
    to_disk: Mutex<Option<(Stamp, Arc<LineMap>)>>,
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

    /// The user's copies.
    pub(crate) fn copies(&self) -> Option<&Copies> {
        self.copies.as_ref()
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
    pub fn new(all: &Identifying<'_>) -> Self {
        let found = all.by_path().into_iter().filter_map(|(path, sources)| {
            let search = TextSearch::new(all, path, &sources);
            Some((path, search.find()?, search))
        });
        let found: Vec<(&Path, Found, TextSearch<'_>)> = found.collect();
        let has_functions = paths_of_functions(all);
        let parsed = all.context.parsed.all(found.iter().filter_map(|(path, found, search)| {
            let fits = found.fits || search.has_functions(&found.text);
            (fits && has_functions.contains(path)).then_some((*path, &found.text))
        }));
        let texts = found.into_iter().map(|(path, found, search)| {
            let definitions = parsed.get(path).cloned().flatten();
            let is_guess = found.origin.doubt().is_some();
            let (moved, misplaced) = if is_guess && !found.fits {
                search.misplaced(&found.text)
            } else {
                Default::default()
            };
            let may_be_certain = is_guess && found.origin != Origin::Rebuilt;
            let certain = if may_be_certain { search.certain(&found) } else { Vec::new() };
            let Found { text, origin, .. } = found;
            let (names, to_disk) = (search.into_names(), Mutex::default());
            let recorded = RecordedText {
                text,
                origin,
                definitions,
                moved,
                misplaced,
                certain,
                names,
                to_disk,
            };
            (path.to_owned(), recorded)
        });
        Self { by_path: texts.collect(), disk: all.context.reader.disk().clone() }
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

    /// Keeps copies of the texts that are known because the files were not written since the recording, and
    /// of generated scripts with their source maps.
    pub fn keep(&self, content: u128, scripts: &[Script], copies: &Copies) {
        let known = self.by_path.values().filter(|text| text.origin == Origin::Disk);
        let texts = known.flat_map(|text| text.names.iter().map(|name| (&**name, &*text.text)));
        let manifest = copies.manifest(content);
        let scripts = scripts.iter().filter(|script| !manifest.has(&script.name));
        let scripts: Vec<(String, Arc<str>)> = scripts.filter_map(script_texts).flatten().collect();
        let scripts = scripts.iter().map(|(name, text)| (&**name, &**text));
        // Without the copies, nothing is lost but the lines of sources that are edited later.
        let _ = copies.keep(content, texts.chain(scripts));
    }
}

/// The texts to keep of a script: its own, and that of its source map if that is another file. `None` if
/// one of them cannot be read or is too large.
fn script_texts(script: &Script) -> Option<Vec<(String, Arc<str>)>> {
    let mut texts = vec![(script.name.clone(), crate::load::texts::disk::read(&script.path)?.text)];
    if let Some(map) = &script.map {
        texts.push((map_name(&script.name), crate::load::texts::disk::read(map)?.text));
    }
    Some(texts)
}

impl RecordedText {
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

    /// Whether a recorded line (0-based) may be another line of this text, which is a guess.
    pub fn is_doubtful(&self, recorded0: u32) -> bool {
        self.is_guess() && !self.certain.iter().any(|lines| lines.contains(&recorded0))
    }
}

/// The workspace files that the functions of a recording may be in: the recorded ones and, as some
/// profilers name the file of the first instruction, those with lines of functions without a start.
fn paths_of_functions<'a>(all: &'a Identifying<'_>) -> HashSet<&'a Path> {
    let symbols = all.recording.symbols();
    let path_of = |source: SourceId| all.path(source);
    let sources = symbols.funcs.ids().filter_map(|func| symbols.funcs.get(func).source);
    let mut paths: HashSet<&Path> = sources.filter_map(path_of).collect();
    let has_no_start = |func: FuncId| symbols.funcs.get(func).line == 0;
    let mut all_sources = (0..symbols.sources.len() as u32).map(SourceId::new);
    if all_sources.any(|source| path_of(source).is_some()) && symbols.funcs.ids().any(has_no_start)
    {
        all.recording.each_place(|func, source, _| {
            if has_no_start(func) {
                paths.extend(path_of(source));
            }
        });
    }
    paths
}
