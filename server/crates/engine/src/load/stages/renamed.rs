//! Sources that were renamed, or moved to another folder, since the recording.
//!
//! A recorded file that no longer exists is the only file of its root that has nearly its recorded
//! text, if that file was not there at the time of the recording. Later stages then see an edited
//! file.

use crate::load::stages::excluded::Excluded;
use crate::load::stages::moved::{MIN_TOKENS, Search};
use crate::load::stages::read_limits::ReadLimits;
use crate::load::stages::source_mapped::SourceMapped;
use crate::recorded_texts::GoneTexts;
use analysis::SourceId;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use sources::{How, LineMap, Mapping, Reason, Syntax, code_tokens};
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The limit for the names whose recorded text is searched.
const MAX_NAMES: usize = 200;

/// In each text, at most one line of this many may be missing in the other.
const LINES_PER_CHANGE: usize = 5;

/// A source that is no longer at its path, with its recorded text.
struct Gone {
    source: SourceId,
    path: PathBuf,
    text: Arc<str>,
    /// The [hashes](line_hashes) of its lines.
    lines: FxHashSet<u64>,
}

/// The same with the files that were renamed. `None` if there are none.
pub fn follow(search: Search<'_>, mapped: &SourceMapped) -> Option<SourceMapped> {
    let is_gone = |mapping: &Mapping| {
        matches!(mapping, Mapping::Unmapped(Reason::Gone(_) | Reason::NotFound))
    };
    if !mapped.mappings.iter().any(is_gone) || !search.index.is_complete() {
        return None;
    }
    let symbols = mapped.recording.symbols();
    let used = used_sources(mapped);
    let mut mappings = mapped.mappings.clone();
    let mut names = Vec::new();
    for (mapping, source) in mappings.iter_mut().zip((0..).map(SourceId::new)) {
        if !is_gone(mapping) || !used.contains(&source) || names.len() >= MAX_NAMES {
            continue;
        }
        let path = match mapping {
            Mapping::Unmapped(Reason::Gone(path)) => Some(std::mem::take(path)),
            _ => search.was_at(symbols.source_name(source)),
        };
        if let Some(path) = path {
            names.push((source, path.clone()));
            // The evidence for recorded texts is that of the files that sources are mapped to.
            *mapping = Mapping::Mapped { path, how: How::Exact };
        }
    }
    let there = mapped.with_places(mapped.recording.clone(), mappings);
    let texts = GoneTexts::new(&there, &search.caches.parsed, search.reader);
    let known = names.into_iter().filter_map(|(source, path)| {
        let text = texts.of(&path, symbols.source_name(source))?;
        let syntax = Syntax::of_text(&path, &text);
        let is_long = code_tokens(&text, syntax).len() >= MIN_TOKENS;
        let lines = line_hashes(&text).collect();
        is_long.then_some(Gone { source, path, text, lines })
    });
    let known: Vec<Gone> = known.collect();
    let found = search.files(&known, mapped, |path| texts.was_there(path))?;
    let mut renamed = mapped.with_places(mapped.recording.clone(), mapped.mappings.clone());
    for (gone, path) in found {
        renamed.renamed.insert(path.clone(), gone.text.clone());
        renamed.mappings[gone.source.index()] = Mapping::Mapped { path, how: How::Suffix };
    }
    (!renamed.renamed.is_empty()).then_some(renamed)
}

/// The sources that functions or lines of a recording are in.
fn used_sources(mapped: &SourceMapped) -> FxHashSet<SourceId> {
    let symbols = mapped.recording.symbols();
    let funcs = symbols.funcs.ids().filter_map(|id| symbols.funcs.get(id).source);
    let mut used: FxHashSet<SourceId> = funcs.collect();
    mapped.recording.each_place(|_, source, _| _ = used.insert(source));
    used
}

impl Search<'_> {
    /// The path of a file that was checked out at the time of the recording, and has the end of a name of
    /// another machine (CI, a container), with a folder at least.
    fn was_at(&self, name: &str) -> Option<PathBuf> {
        // Names of other machines on the network are never asked for, not even below a root.
        if name.starts_with("//") || name.contains("://") || name.contains('\\') {
            return None;
        }
        let mut rest = name;
        while let Some((_, end)) = rest.split_once('/').filter(|(_, end)| end.contains('/')) {
            rest = end;
            // A name must lead nowhere else.
            let is_plain =
                |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
            if !end.split('/').all(is_plain) {
                continue;
            }
            let mut paths = self.index.roots().iter().map(|root| root.path.join(end));
            if let Some(path) = paths.find(|path| self.reader.was_checked_out(path)) {
                return Some(path);
            }
        }
        None
    }

    /// The file that each of these sources is now. `None` if there is too much text to search.
    fn files<'g>(
        &self,
        known: &'g [Gone],
        mapped: &SourceMapped,
        was_there: impl Fn(&Path) -> bool,
    ) -> Option<Vec<(&'g Gone, PathBuf)>> {
        if known.is_empty() {
            return None;
        }
        let recorded: FxHashSet<&Path> = mapped.mappings.iter().filter_map(Mapping::path).collect();
        let excluded = Excluded::new(self.settings, self.index);
        let mut limits = ReadLimits::default();
        let mut found: Vec<(&Gone, &Path)> = Vec::new();
        for path in self.index.workspace_files() {
            let mut like = known.iter().filter(|gone| self.may_be(gone, path)).peekable();
            if like.peek().is_none() || recorded.contains(path) || excluded.contains(path) {
                continue;
            }
            let Some(text) = limits.read(path, |path| self.reader.candidate(path)) else {
                continue;
            };
            let lines: Vec<u64> = line_hashes(&text).collect();
            let is_gone = |gone: &&Gone| has_half(gone, &lines) && is_nearly(gone, path, &text);
            found.extend(like.filter(is_gone).map(|gone| (gone, path)));
        }
        if limits.is_cut() {
            return None;
        }
        let mut n_files: FxHashMap<SourceId, usize> = FxHashMap::default();
        let mut n_sources: FxHashMap<&Path, usize> = FxHashMap::default();
        for (gone, path) in &found {
            *n_files.entry(gone.source).or_default() += 1;
            *n_sources.entry(path).or_default() += 1;
        }
        let is_only = |gone: &Gone, path: &Path| n_files[&gone.source] == 1 && n_sources[path] == 1;
        let certain = found
            .into_iter()
            .filter(|(gone, path)| is_only(gone, path) && self.is_new(path) && !was_there(path));
        Some(certain.map(|(gone, path)| (gone, path.to_owned())).collect())
    }

    /// Whether a source may be a file now, by its path and length.
    fn may_be(&self, gone: &Gone, path: &Path) -> bool {
        let root =
            |path: &Path| self.index.roots().iter().position(|root| path.starts_with(&root.path));
        let len = gone.text.len() as u64;
        let has_length =
            |metadata: std::fs::Metadata| metadata.len() <= 2 * len && len <= 2 * metadata.len();
        gone.path.extension() == path.extension()
            && root(&gone.path) == root(path)
            && std::fs::metadata(path).is_ok_and(has_length)
    }

    /// Whether a file may have got its name after the recording.
    fn is_new(&self, path: &Path) -> bool {
        let time = self.reader.loaded().stamp.modified;
        self.reader.now(path).is_some_and(|now| now.stamp.changed_after(time))
    }
}

/// The hashes of the lines of a text that are not blank, without the white space around them.
fn line_hashes(text: &str) -> impl Iterator<Item = u64> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| {
        let mut hasher = FxHasher::default();
        hasher.write(line.trim().as_bytes());
        hasher.finish()
    })
}

/// Whether half of the lines are in the recorded text. Line maps take much longer.
fn has_half(gone: &Gone, lines: &[u64]) -> bool {
    2 * lines.iter().filter(|line| gone.lines.contains(line)).count() >= lines.len()
}

/// Whether nearly all lines of the recorded text are in a text, and the other way round.
fn is_nearly(gone: &Gone, path: &Path, text: &str) -> bool {
    let map = LineMap::new(&gone.text, text, Syntax::of_text(path, text));
    let is_most = |text: &str, is_in_other: &dyn Fn(u32) -> bool| {
        let lines = text.lines().zip(0..).filter(|(line, _)| !line.trim().is_empty());
        let lines: Vec<u32> = lines.map(|(_, line0)| line0).collect();
        let n_changed = lines.iter().filter(|&&line0| !is_in_other(line0)).count();
        n_changed * LINES_PER_CHANGE <= lines.len()
    };
    is_most(&gone.text, &|line0| map.to_open(line0).is_some())
        && is_most(text, &|line0| map.to_recorded(line0).is_some())
}
