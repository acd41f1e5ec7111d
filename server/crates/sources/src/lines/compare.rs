//! Compares two texts by line.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Token};

use super::moved;
use super::pairs::{Pairs, Run};
use super::text::{Line, Texts, unique_places};

/// Longer differences are compared in pieces of this many lines, because a diff may take quadratic
/// time.
pub(super) const PIECE: usize = 4096;

/// The runs that two texts have in common, apart from white space.
pub(super) fn compare(recorded: &[&str], open: &[&str]) -> Vec<Run> {
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

impl Texts<'_> {
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
