//! The lines in which two texts differ. Only these are lexed when a text is compared again.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};

use super::text::{common_prefix, common_suffix};

/// The minimum number of equal lines between two hunks.
const MIN_SAME: usize = 8;
/// How many lines of each text are searched for the end of a hunk, one after the other. If it is
/// not found, the hunk has all lines up to the equal ones at the end.
const WINDOWS: [usize; 4] = [4, 64, 1024, 16_384];

/// Lines of the recorded text, and the lines of the open text in their place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hunk {
    pub(super) recorded: Range<usize>,
    pub(super) open: Range<usize>,
}

/// The lines of a text. They are counted as by [`str::lines`].
#[derive(Debug, Default)]
pub(super) struct TextLines {
    /// Where each line starts, in bytes.
    starts: Vec<u32>,
    /// Stands for the text of each line, without white space at its end.
    hashes: Vec<u64>,
    /// The number of lines with each hash.
    counts: FxHashMap<u64, u32>,
}

impl TextLines {
    pub(super) fn new(text: &str) -> Self {
        let mut lines = Self::default();
        lines.replace(0..0, text, 0);
        lines
    }

    /// Turns the lines of `before` into the lines of `text`, of which only those that changed are
    /// read.
    pub(super) fn update(&mut self, before: &str, text: &str) {
        let prefix = common_prefix(before.as_bytes(), text.as_bytes());
        let suffix = common_suffix(&before.as_bytes()[prefix..], &text.as_bytes()[prefix..]);
        let same_from = before.len() - suffix;
        let line_after = |at: usize| self.starts.partition_point(|&start| start as usize <= at);
        let lines = line_after(prefix).saturating_sub(1)..line_after(same_from);
        let start_of = |line: usize| self.starts.get(line).map_or(before.len(), |&at| at as usize);
        let (start, end) =
            (start_of(lines.start), text.len() - (before.len() - start_of(lines.end)));
        let n_after = self.starts.len() - lines.end;
        self.replace(lines, &text[start..end], start);
        let first_after = self.starts.len() - n_after;
        for start in &mut self.starts[first_after..] {
            // The sum does not overflow: it is the start of a line of `text`.
            *start = (*start as usize + text.len() - before.len()) as u32;
        }
    }

    /// Replaces lines with the lines of a part of a text, which starts at a byte offset.
    fn replace(&mut self, lines: Range<usize>, part: &str, start: usize) {
        for hash in &self.hashes[lines.clone()] {
            match self.counts.get_mut(hash) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(self.counts.remove(hash)),
            }
        }
        let mut at = start as u32;
        let (mut starts, mut hashes) = (Vec::new(), Vec::new());
        for line in part.split_inclusive('\n') {
            let mut hash = FxHasher::default();
            hash.write(line.trim_end().as_bytes());
            let hash = hash.finish();
            *self.counts.entry(hash).or_default() += 1;
            starts.push(at);
            hashes.push(hash);
            at += line.len() as u32;
        }
        self.starts.splice(lines.clone(), starts);
        self.hashes.splice(lines, hashes);
    }

    pub(super) fn unique(&self) -> UniqueLines {
        let lines = self.hashes.iter().copied().zip(0..);
        lines.filter(|&(_, line)| self.is_unique(line)).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The text of some lines of `text`, which these are the lines of.
    pub(super) fn slice<'a>(&self, text: &'a str, lines: &Range<usize>) -> &'a str {
        let start_of = |line: usize| self.starts.get(line).map_or(text.len(), |&at| at as usize);
        &text[start_of(lines.start)..start_of(lines.end)]
    }

    fn is_unique(&self, line: usize) -> bool {
        self.counts.get(&self.hashes[line]) == Some(&1)
    }
}

/// The lines that are unique in a text, by hash.
pub(super) type UniqueLines = FxHashMap<u64, usize>;

/// The lines in which two texts differ, ascending. Between hunks there are at least [`MIN_SAME`]
/// equal lines. The first of these is unique in both texts, so they are no other copy of the code.
/// `unique` are the unique lines of the recorded text.
pub(super) fn hunks(recorded: &TextLines, unique: &UniqueLines, open: &TextLines) -> Vec<Hunk> {
    let n_head = common_prefix(&recorded.hashes, &open.hashes);
    let n_tail = common_suffix(&recorded.hashes[n_head..], &open.hashes[n_head..]);
    let tail = (recorded.len() - n_tail..recorded.len()).zip(open.len() - n_tail..);
    let is_unique = |&(from, to): &(usize, usize)| recorded.is_unique(from) && open.is_unique(to);
    let ends = tail.into_iter().find(is_unique).unwrap_or((recorded.len(), open.len()));
    let texts = Texts { recorded, unique, open, ends };
    let mut hunks = Vec::new();
    let mut start = (n_head, n_head);
    while start != texts.ends {
        let end = WINDOWS.iter().find_map(|&window| texts.end_of_hunk(start, window));
        let end = end.unwrap_or(texts.ends);
        hunks.push(Hunk { recorded: start.0..end.0, open: start.1..end.1 });
        let n_same = texts.n_same(end, usize::MAX);
        start = (end.0 + n_same, end.1 + n_same);
    }
    hunks
}

struct Texts<'a> {
    recorded: &'a TextLines,
    unique: &'a UniqueLines,
    open: &'a TextLines,
    /// Where the equal lines at the end start.
    ends: (usize, usize),
}

impl Texts<'_> {
    /// The number of equal lines from these on, at most `max`.
    fn n_same(&self, (from, to): (usize, usize), max: usize) -> usize {
        let recorded = &self.recorded.hashes[from..self.ends.0.min(from.saturating_add(max))];
        common_prefix(recorded, &self.open.hashes[to..self.ends.1])
    }

    /// The nearest equal lines among the first lines from `start` on.
    fn end_of_hunk(&self, start: (usize, usize), n_lines: usize) -> Option<(usize, usize)> {
        let near = start.0..self.ends.0.min(start.0 + n_lines);
        let unique = (start.1..self.ends.1).take(n_lines).filter(|&to| self.open.is_unique(to));
        let pairs = unique
            .filter_map(|to| Some((*self.unique.get(&self.open.hashes[to])?, to)))
            .filter(|(from, _)| near.contains(from))
            .filter(|&(from, to)| {
                let n_same = self.n_same((from, to), MIN_SAME);
                n_same == MIN_SAME || (from + n_same, to + n_same) == self.ends
            });
        pairs.min_by_key(|(from, to)| from + to)
    }
}
