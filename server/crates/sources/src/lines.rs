//! Maps lines of the recorded text to lines of the open text and back, by a line diff that ignores
//! white space and follows moved blocks.
//!
//! Which text was recorded is up to the caller. Time is linear in the number of lines, whatever the
//! texts are, because long texts are compared in pieces of at most `PIECE` lines.

mod moved;
mod text;

use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Interner, Token};
use rustc_hash::FxHashMap;
use text::{Line, has_words, lines};

/// Maps lines of one text to lines of another. All lines are 0-based.
///
/// A line is mapped if its text is the same but for white space. Lines keep their order, except
/// that a block of lines may have moved as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct LineMap {
    /// Ascending in the recorded text, not empty, and never adjacent in both texts.
    runs: Vec<Run>,
    /// Indexes of `runs`, ascending in the open text.
    by_open: Vec<u32>,
    n_recorded: u32,
    n_open: u32,
}

/// Consecutive lines that both texts contain.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Run {
    recorded0: u32,
    open0: u32,
    n_lines: u32,
}

impl Run {
    fn new(recorded0: usize, open0: usize, n_lines: usize) -> Self {
        Self { recorded0: recorded0 as u32, open0: open0 as u32, n_lines: n_lines as u32 }
    }

    /// The lines after its last one: recorded and open.
    fn end(&self) -> (u32, u32) {
        (self.recorded0 + self.n_lines, self.open0 + self.n_lines)
    }

    /// Whether `next` continues this run in both texts.
    fn is_continued_by(&self, next: &Self) -> bool {
        self.end() == (next.recorded0, next.open0)
    }
}

/// Longer differences are compared in pieces of this many lines, because a diff may take quadratic
/// time.
const PIECE: usize = 4096;

impl LineMap {
    /// Maps each of `n_lines` lines to itself.
    pub fn identity(n_lines: u32) -> LineMap {
        LineMap::of_runs(vec![Run { recorded0: 0, open0: 0, n_lines }], n_lines, n_lines)
    }

    /// Compares the recorded text with the text that is open now. Changed lines are not mapped.
    pub fn new(recorded: &str, open: &str) -> LineMap {
        if recorded == open {
            return LineMap::identity(lines(open).count() as u32);
        }
        let (recorded, open): (Vec<_>, Vec<_>) = (lines(recorded).collect(), lines(open).collect());
        let equal = |(a, b): &(&&str, &&str)| a == b;
        let head = recorded.iter().zip(&open).take_while(equal).count();
        let (recorded_rest, open_rest) = (&recorded[head..], &open[head..]);
        let ends = recorded_rest.iter().rev().zip(open_rest.iter().rev());
        let tail = ends.take_while(equal).count();
        // A closing bracket belongs to the lines above it, which have changed.
        let n_closing =
            recorded[recorded.len() - tail..].iter().take_while(|line| !has_words(line));
        let tail = tail - n_closing.count();
        let (recorded_end, open_end) = (recorded.len() - tail, open.len() - tail);

        let mut runs = vec![Run::new(0, 0, head)];
        let changed = (&recorded[head..recorded_end], &open[head..open_end]);
        runs.extend(compare(changed.0, changed.1).into_iter().map(|run| Run {
            recorded0: run.recorded0 + head as u32,
            open0: run.open0 + head as u32,
            ..run
        }));
        runs.push(Run::new(recorded_end, open_end, tail));
        LineMap::of_runs(runs, recorded.len() as u32, open.len() as u32)
    }

    /// The map of runs that do not overlap.
    fn of_runs(mut runs: Vec<Run>, n_recorded: u32, n_open: u32) -> LineMap {
        runs.retain(|run| run.n_lines > 0);
        runs.sort_unstable_by_key(|run| run.recorded0);
        runs.dedup_by(|next, run| {
            let is_continued = run.is_continued_by(next);
            if is_continued {
                run.n_lines += next.n_lines;
            }
            is_continued
        });
        let mut by_open: Vec<u32> = (0..runs.len() as u32).collect();
        by_open.sort_unstable_by_key(|&at| runs[at as usize].open0);
        LineMap { runs, by_open, n_recorded, n_open }
    }

    /// The current line of a recorded line; `None` if it was changed or removed, or does not exist.
    pub fn to_open(&self, recorded_line0: u32) -> Option<u32> {
        let at = self.runs.partition_point(|run| run.recorded0 <= recorded_line0);
        let run = self.runs.get(at.checked_sub(1)?)?;
        let offset = recorded_line0 - run.recorded0;
        (offset < run.n_lines).then(|| run.open0 + offset)
    }

    /// The recorded line of a current line; `None` if it is new or changed.
    pub fn to_recorded(&self, open_line0: u32) -> Option<u32> {
        let at = self.by_open.partition_point(|&at| self.runs[at as usize].open0 <= open_line0);
        let run = self.run_by_open(at.checked_sub(1)?);
        let offset = open_line0 - run.open0;
        (offset < run.n_lines).then(|| run.recorded0 + offset)
    }

    /// The recorded line that a changed current line replaced. `None` if the line was not changed,
    /// or if it cannot be told: the lines between the nearest unchanged ones must be as many in both
    /// texts.
    pub fn replaced(&self, open_line0: u32) -> Option<u32> {
        if open_line0 >= self.n_open || self.to_recorded(open_line0).is_some() {
            return None;
        }
        let next = self.by_open.partition_point(|&at| self.runs[at as usize].open0 <= open_line0);
        let (recorded_start, open_start) =
            next.checked_sub(1).map_or((0, 0), |before| self.run_by_open(before).end());
        let (recorded_end, open_end) =
            self.by_open.get(next).map_or((self.n_recorded, self.n_open), |_| {
                (self.run_by_open(next).recorded0, self.run_by_open(next).open0)
            });
        let n_recorded = recorded_end.checked_sub(recorded_start)?;
        let replaced = recorded_start + (open_line0 - open_start);
        (n_recorded == open_end - open_start && self.to_open(replaced).is_none())
            .then_some(replaced)
    }

    fn run_by_open(&self, at: usize) -> Run {
        self.runs[self.by_open[at] as usize]
    }
}

/// The runs that two texts have in common, apart from white space.
fn compare(recorded: &[&str], open: &[&str]) -> Vec<Run> {
    let mut input = InternedInput::default();
    input.update_before(recorded.iter().map(|line| Line::new(line)));
    input.update_after(open.iter().map(|line| Line::new(line)));
    let texts = Texts { before: &input.before, after: &input.after, interner: &input.interner };
    let mut pairs = Pairs::new(recorded.len(), open.len());
    for (recorded, open) in pieces(texts.before, texts.after, 0..recorded.len(), 0..open.len()) {
        texts.diff(&mut pairs, recorded, open);
    }
    moved::pair_blocks(&texts, &mut pairs);
    pairs.runs()
}

/// Two texts as interned lines.
struct Texts<'a> {
    before: &'a [Token],
    after: &'a [Token],
    interner: &'a Interner<Line<'a>>,
}

impl Texts<'_> {
    fn has_words(&self, token: Token) -> bool {
        has_words(&self.interner[token].key)
    }

    /// Pairs the common lines of one piece of both texts.
    fn diff(&self, pairs: &mut Pairs, recorded: Range<usize>, open: Range<usize>) {
        let indent = IndentHeuristic::new(|token| {
            IndentLevel::for_ascii_line(self.interner[token].raw.bytes(), 8)
        });
        let (before, after) = (&self.before[recorded.clone()], &self.after[open.clone()]);
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Histogram, before, after, self.interner.num_tokens());
        diff.postprocess_with(before, after, indent);

        let hunks: Vec<_> = diff.hunks().collect();
        let (mut from, mut to) = (0, 0);
        for (at, hunk) in hunks.iter().enumerate() {
            let end = hunks.get(at + 1).map_or(before.len(), |next| next.before.start as usize);
            let [removed, added] =
                [&hunk.before, &hunk.after].map(|range| range.start as usize..range.end as usize);
            let n_closing = self.n_closing(before, after, &removed, &added, end - removed.end);
            let n_lines = removed.start - from + n_closing;
            pairs.add(recorded.start + from, open.start + to, n_lines);
            (from, to) = (removed.end + n_closing, added.end + n_closing);
        }
        pairs.add(recorded.start + from, open.start + to, before.len() - from);
    }

    /// How many closing brackets and empty lines at the start of an insertion or removal belong to
    /// the lines above it, because the same lines follow it. At most `n_following`.
    fn n_closing(
        &self,
        before: &[Token],
        after: &[Token],
        removed: &Range<usize>,
        added: &Range<usize>,
        n_following: usize,
    ) -> usize {
        let (text, changed) = match (removed.is_empty(), added.is_empty()) {
            (true, false) => (after, added),
            (false, true) => (before, removed),
            _ => return 0,
        };
        let is_closing = |n: &usize| {
            let line = text[changed.start + n];
            line == text[changed.end + n] && !self.has_words(line)
        };
        (0..n_following).take_while(is_closing).count()
    }
}

/// Pairs of equal lines, by the index of a line in each text.
struct Pairs {
    open: Vec<Option<usize>>,
    recorded: Vec<Option<usize>>,
}

impl Pairs {
    fn new(n_recorded: usize, n_open: usize) -> Self {
        Self { open: vec![None; n_recorded], recorded: vec![None; n_open] }
    }

    /// Pairs `n_lines` lines, and separates them from others.
    fn add(&mut self, recorded: usize, open: usize, n_lines: usize) {
        for (recorded, open) in (recorded..).zip(open..).take(n_lines) {
            if let Some(other) = self.open[recorded].replace(open) {
                self.recorded[other] = None;
            }
            if let Some(other) = self.recorded[open].replace(recorded) {
                self.open[other] = None;
            }
            self.open[recorded] = Some(open);
        }
    }

    /// Whether the line before is paired with the line before.
    fn continues(&self, recorded: usize, open: usize) -> bool {
        recorded > 0 && open > 0 && self.open[recorded - 1] == Some(open - 1)
    }

    fn runs(&self) -> Vec<Run> {
        let pairs = self.open.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?)));
        pairs.map(|(from, to)| Run::new(from, to, 1)).collect()
    }
}

/// Splits two ranges into pairs of pieces, each at most [`PIECE`] long on both sides. They are
/// split at lines that are unique in both texts. A longer stretch without such a line is left out
/// and counts as changed.
fn pieces(
    before: &[Token],
    after: &[Token],
    recorded: Range<usize>,
    open: Range<usize>,
) -> Vec<(Range<usize>, Range<usize>)> {
    if recorded.len() <= PIECE && open.len() <= PIECE {
        return vec![(recorded, open)];
    }
    let mut anchors = anchors(&before[recorded.clone()], &after[open.clone()]);
    for (i, j) in &mut anchors {
        *i += recorded.start;
        *j += open.start;
    }
    anchors.push((recorded.end, open.end));

    let fits =
        |from: (usize, usize), to: (usize, usize)| to.0 - from.0 <= PIECE && to.1 - from.1 <= PIECE;
    let mut pieces = Vec::new();
    let mut piece = |from: (usize, usize), to: (usize, usize)| {
        if fits(from, to) {
            pieces.push((from.0..to.0, from.1..to.1));
        }
    };
    let mut start = (recorded.start, open.start);
    let mut end = start;
    for anchor in anchors {
        if !fits(start, anchor) {
            piece(start, end);
            start = end;
        }
        end = anchor;
    }
    piece(start, end);
    pieces
}

/// Positions of lines that are unique in each text. Returns the longest list that ascends in both
/// (the longest increasing subsequence, as in Bram Cohen's patience diff).
fn anchors(before: &[Token], after: &[Token]) -> Vec<(usize, usize)> {
    let places = unique_places(after);
    let unique = unique_places(before);
    let mut pairs: Vec<(usize, usize)> = unique
        .into_iter()
        .filter_map(|(token, place)| Some((place?, *places.get(&token)?.as_ref()?)))
        .collect();
    pairs.sort_unstable();

    // `piles[k]` ends the best chain of k + 1 pairs so far; `previous` has the predecessor of each
    // pair.
    let mut piles: Vec<usize> = Vec::new();
    let mut previous = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|&top| pairs[top].1 < pair.1);
        previous.push(pile.checked_sub(1).map(|below| piles[below]));
        match piles.get_mut(pile) {
            Some(top) => *top = at,
            None => piles.push(at),
        }
    }
    let mut chain: Vec<_> = std::iter::successors(piles.last().copied(), |&at| previous[at])
        .map(|at| pairs[at])
        .collect();
    chain.reverse();
    chain
}

/// The position of each token; `None` for tokens that occur more than once.
fn unique_places(tokens: &[Token]) -> FxHashMap<Token, Option<usize>> {
    let mut places = FxHashMap::default();
    for (place, &token) in tokens.iter().enumerate() {
        places.entry(token).and_modify(|place| *place = None).or_insert(Some(place));
    }
    places
}

#[cfg(test)]
mod tests;
