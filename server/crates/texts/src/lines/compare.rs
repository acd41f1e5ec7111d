//! Compares two texts by unit.

use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Token};
use rustc_hash::FxHashMap;

use super::pairs::Pairs;
use super::units::Unit;

/// Longer differences are compared in pieces of this many units, because a diff may take quadratic
/// time.
pub(super) const PIECE: usize = 4096;

/// Two texts as interned units.
pub(super) struct Texts<'a> {
    pub(super) before: &'a [Token],
    pub(super) after: &'a [Token],
    infos: Vec<Info>,
}

/// What equal units have in common.
#[derive(Clone, Copy)]
struct Info {
    n_alnum: u32,
    /// The indentation of the first of them, in columns.
    indent: u32,
}

/// Pairs the units that two texts have in common, in the same order within each of `parts`, which
/// are separated by one unit in each text. `pair_more` pairs others.
pub(super) fn compare(
    recorded: &[Unit],
    open: &[Unit],
    parts: impl Iterator<Item = (Range<usize>, Range<usize>)>,
    pair_more: impl FnOnce(&Texts<'_>, &mut Pairs),
) -> Pairs {
    let mut input: InternedInput<u64> = InternedInput::default();
    input.update_before(recorded.iter().map(|unit| unit.key));
    input.update_after(open.iter().map(|unit| unit.key));
    let mut infos: Vec<Option<Info>> = vec![None; input.interner.num_tokens() as usize];
    let tokens = input.before.iter().zip(recorded).chain(input.after.iter().zip(open));
    for (token, unit) in tokens {
        let Unit { n_alnum, indent, .. } = *unit;
        infos[token.0 as usize].get_or_insert(Info { n_alnum, indent });
    }
    let infos = infos.into_iter().flatten().collect();
    let texts = Texts { before: &input.before, after: &input.after, infos };
    let mut pairs = Pairs::new(recorded.len(), open.len());
    for (from, to) in parts {
        let separators = (from.end, to.end);
        for (from, to) in pieces(texts.before, texts.after, from, to) {
            texts.diff(&mut pairs, from, to);
        }
        if separators.0 < recorded.len() && separators.1 < open.len() {
            pairs.add(separators.0, separators.1, 1);
        }
    }
    pair_more(&texts, &mut pairs);
    pairs
}

impl Texts<'_> {
    /// Whether a unit has letters or digits, so that it is more than brackets.
    pub(super) fn has_words(&self, token: Token) -> bool {
        self.n_alnum(token) > 0
    }

    /// The number of letters and digits of a unit.
    pub(super) fn n_alnum(&self, token: Token) -> u32 {
        self.infos[token.0 as usize].n_alnum
    }

    /// Pairs the common units of one piece of both texts.
    fn diff(&self, pairs: &mut Pairs, recorded: Range<usize>, open: Range<usize>) {
        let indent = IndentHeuristic::new(|token: Token| {
            let indent = self.infos[token.0 as usize].indent as usize;
            IndentLevel::for_ascii_line(std::iter::repeat_n(b' ', indent).chain([b'x']), 8)
        });
        let (before, after) = (&self.before[recorded.clone()], &self.after[open.clone()]);
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Histogram, before, after, self.infos.len() as u32);
        diff.postprocess_with(before, after, indent);

        let hunks: Vec<_> = diff.hunks().collect();
        let (mut from, mut to) = (0, 0);
        for (at, hunk) in hunks.iter().enumerate() {
            let end = hunks.get(at + 1).map_or(before.len(), |next| next.before.start as usize);
            let [removed, added] =
                [&hunk.before, &hunk.after].map(|range| range.start as usize..range.end as usize);
            let n_closing = self.n_closing(before, after, &removed, &added, end - removed.end);
            let n_units = removed.start - from + n_closing;
            pairs.add(recorded.start + from, open.start + to, n_units);
            (from, to) = (removed.end + n_closing, added.end + n_closing);
        }
        pairs.add(recorded.start + from, open.start + to, before.len() - from);
    }

    /// How many closing brackets and empty lines at the start of an insertion or removal belong to
    /// the units above it, because the same units follow it. At most `n_following`.
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
/// split at units that are unique in both texts. A longer stretch without such a line is left out
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

/// Positions of units that are unique in each text. Returns the longest list that ascends in both
/// (the longest increasing subsequence, as in Bram Cohen's patience diff).
pub(super) fn anchors<T: Copy + Eq + Hash>(before: &[T], after: &[T]) -> Vec<(usize, usize)> {
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
pub(super) fn unique_places<T: Copy + Eq + Hash>(tokens: &[T]) -> FxHashMap<T, Option<usize>> {
    let mut places = FxHashMap::default();
    for (place, &token) in tokens.iter().enumerate() {
        places.entry(token).and_modify(|place| *place = None).or_insert(Some(place));
    }
    places
}
