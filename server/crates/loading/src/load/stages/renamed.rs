//! Sources that were renamed, or moved to another folder, since the recording.
//!
//! A recorded file that no longer exists is the only file of its root that has nearly its recorded
//! text, if Git had no such file at the time of the recording. Later stages then see an edited file.

use crate::load::stages::identifying::{Change, Context, Identifying};
use crate::load::stages::recorded_texts::search::TextSearch;
use analysis::SourceId;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use sources::{How, Mapping, Reason, SourceIndex};
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use texts::{LineMap, MIN_TOKENS, Syntax, code_tokens};

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

/// Maps the sources whose files were renamed.
pub fn follow(all: &Identifying<'_>) -> Change {
    // More places become known with each library.
    if !all.context.symbolicated.libraries.is_complete() || !all.context.index.is_complete() {
        return Change::default();
    }
    let was_at = |(source, mapping): (SourceId, &Mapping)| match mapping {
        Mapping::Unmapped(Reason::Gone(path)) => Some((source, path.clone())),
        Mapping::Unmapped(Reason::NotFound) => {
            Some((source, was_at(all.context, all.name(source))?))
        }
        _ => None,
    };
    let mut names: Vec<(SourceId, PathBuf)> = all.sources().filter_map(was_at).collect();
    if names.is_empty() {
        return Change::default();
    }
    names.retain(|(source, _)| all.evidence().of_source(*source).is_some());
    names.truncate(MAX_NAMES);
    let known = names.into_iter().filter_map(|(source, path)| {
        let text = TextSearch::new(all, &path, &[source]).of_gone()?;
        let syntax = Syntax::of_text(&path, &text);
        let is_long = code_tokens(&text, syntax).len() >= MIN_TOKENS;
        let lines = line_hashes(&text).collect();
        is_long.then_some(Gone { source, path, text, lines })
    });
    let known: Vec<Gone> = known.collect();
    let mut change = Change::default();
    for (gone, path) in files(all, &known) {
        change.renamed.insert(path.clone(), gone.text.clone());
        change.mappings.push((gone.source, Mapping::Mapped { path, how: How::Suffix }));
    }
    change
}

/// The path of a file that was checked out at the time of the recording, and has the end of a name of
/// another machine (CI, a container), with a folder at least.
fn was_at(context: &Context<'_>, name: &str) -> Option<PathBuf> {
    // Names of other machines on the network are never asked for, not even below a root.
    if name.starts_with("//") || name.contains("://") || name.contains('\\') {
        return None;
    }
    let mut rest = name;
    while let Some((_, end)) = rest.split_once('/').filter(|(_, end)| end.contains('/')) {
        rest = end;
        // A name must lead nowhere else.
        let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
        if !end.split('/').all(is_plain) {
            continue;
        }
        let mut paths = context.index.roots().iter().map(|root| root.path.join(end));
        if let Some(path) = paths.find(|path| context.reader.was_checked_out(path)) {
            return Some(path);
        }
    }
    None
}

/// The file that each of these sources is now. None if there is too much text to search.
fn files<'g>(all: &Identifying<'_>, known: &'g [Gone]) -> Vec<(&'g Gone, PathBuf)> {
    if known.is_empty() {
        return Vec::new();
    }
    let Context { index, reader, excluded, .. } = all.context;
    let recorded: FxHashSet<&Path> = all.mappings.iter().filter_map(Mapping::path).collect();
    let mut found: Vec<(&Gone, &Path)> = Vec::new();
    for path in index.workspace_files() {
        let mut like = known.iter().filter(|gone| may_be(index, gone, path)).peekable();
        if like.peek().is_none() || recorded.contains(path) || excluded.contains(path) {
            continue;
        }
        let Some(text) = reader.candidate(path) else { continue };
        let lines: Vec<u64> = line_hashes(&text).collect();
        let is_gone = |gone: &&Gone| has_half(gone, &lines) && is_nearly(gone, path, &text);
        found.extend(like.filter(is_gone).map(|gone| (gone, path)));
    }
    if reader.is_cut() {
        return Vec::new();
    }
    let mut n_files: FxHashMap<SourceId, usize> = FxHashMap::default();
    let mut n_sources: FxHashMap<&Path, usize> = FxHashMap::default();
    for (gone, path) in &found {
        *n_files.entry(gone.source).or_default() += 1;
        *n_sources.entry(path).or_default() += 1;
    }
    let is_only = |gone: &Gone, path: &Path| n_files[&gone.source] == 1 && n_sources[path] == 1;
    let is_new = |path: &Path| reader.in_git(path).is_empty();
    let certain = found.into_iter().filter(|(gone, path)| is_only(gone, path) && is_new(path));
    certain.map(|(gone, path)| (gone, path.to_owned())).collect()
}

/// Whether a source may be a file now, by its path and length.
fn may_be(index: &SourceIndex, gone: &Gone, path: &Path) -> bool {
    let root = |path: &Path| index.roots().iter().position(|root| path.starts_with(&root.path));
    let len = gone.text.len() as u64;
    let has_length =
        |metadata: std::fs::Metadata| metadata.len() <= 2 * len && len <= 2 * metadata.len();
    gone.path.extension() == path.extension()
        && root(&gone.path) == root(path)
        && std::fs::metadata(path).is_ok_and(has_length)
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
