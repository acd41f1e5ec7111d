//! Files of another project that have fewer lines than the profile names.

use super::file_evidence;
use super::file_evidence::{MIN_FOUND, plain_name, words};
use super::identifying::{Change, Identifying};
use analysis::SourceId;
use rustc_hash::FxHashSet;
use sources::{How, Mapping, Reason};
use std::path::Path;
use std::sync::Arc;

/// Unmaps files that were found by another path than theirs in a root, and have fewer lines than the
/// profile names, today and in all texts that are known. Not those whose content is confirmed, and those
/// with all functions that the profile names, or most of them in their places, which were edited since.
pub fn refuse(all: &Identifying<'_>) -> Change {
    Change::mappings(all.sources().filter_map(|(source, mapping)| {
        let Mapping::Mapped { path, how: How::Suffix | How::Module | How::Mount } = mapping else {
            return None;
        };
        let name = Path::new(all.name(source));
        let is_whole = all.context.index.roots().iter().any(|root| root.path.join(name) == *path);
        let line = all.evidence().of_source(source).map_or(0, |evidence| evidence.last_line());
        if line < 2 || is_whole || all.confirmed.contains(&source) {
            return None;
        }
        let n_lines = n_lines_if_short(all, source, path, line)?;
        let candidate = path.clone();
        Some((source, Mapping::Unmapped(Reason::TooShort { candidate, n_lines, line })))
    }))
}

/// The number of lines that a file has today, if it cannot have had `line` (1-based) when it was recorded.
fn n_lines_if_short(
    all: &Identifying<'_>,
    source: SourceId,
    path: &Path,
    line: u32,
) -> Option<u32> {
    let (symbols, reader) = (all.recording.symbols(), all.context.reader);
    let now = reader.now(path)?;
    // Some compilers give the end of the file a line of its own.
    let is_long = |text: &Arc<str>| line <= count_lines(text.as_bytes()).saturating_add(1);
    if is_long(&now.text) {
        return None;
    }
    let funcs = symbols.funcs.ids().filter(|id| symbols.funcs.get(*id).source == Some(source));
    let names: FxHashSet<String> =
        funcs.filter_map(|id| plain_name(symbols.func_name(id))).collect();
    let has_all = |text: &Arc<str>| {
        let words: FxHashSet<&str> = words(text).collect();
        names.iter().all(|name| words.contains(name.as_str()))
    };
    let is_edited = names.len() >= MIN_FOUND && has_all(&now.text)
        || file_evidence::has_most(all, path, source);
    let was_recorded = |text: &Arc<str>| is_long(text) && has_all(text);
    let is_known = is_edited
        || reader.earlier(path, &[all.name(source).to_owned()]).any(|text| was_recorded(&text));
    (!is_known).then(|| count_lines(now.text.as_bytes()))
}

/// The number of lines as the language with the most line ends counts them (JavaScript).
fn count_lines(text: &[u8]) -> u32 {
    let ends = text.iter().enumerate().filter(|&(at, &byte)| match byte {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        0xe2 => matches!(text.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9])),
        _ => false,
    });
    let ends = u32::try_from(ends.count()).unwrap_or(u32::MAX);
    ends.saturating_add(u32::from(!text.ends_with(b"\n")))
}
