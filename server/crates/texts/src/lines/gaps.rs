//! Pairs the tokens of statements that are not the same in both texts: statements with some changed
//! lines, and statements that formatters divide in different ways.

use std::hash::Hasher;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use rustc_hash::FxHasher;

use super::compare::anchors;
use super::pairs::Pairs;
use super::units::Units;

/// Longer lists of tokens are not compared by token, because a diff may take quadratic time.
const MAX_TOKENS: usize = 1 << 14;

/// Per recorded token the open token that it is now.
pub(super) struct TokenPairs<'a> {
    recorded: &'a Units,
    open: &'a Units,
    pub(super) to_open: Vec<Option<u32>>,
}

/// A strong token of a gap: its index, line and hash.
#[derive(Clone, Copy)]
struct Strong {
    at: u32,
    line0: u32,
    hash: u64,
}

/// The strong tokens of one line of a gap, as positions in the gap.
struct Line {
    strong: Range<usize>,
    hash: u64,
}

impl<'a> TokenPairs<'a> {
    /// Pairs the tokens of paired units, and tokens of others. `in_order` are the pairs of units
    /// without those that moved.
    pub(super) fn new(
        recorded: &'a Units,
        open: &'a Units,
        pairs: &Pairs,
        in_order: &[Option<usize>],
    ) -> Self {
        let mut this = Self { recorded, open, to_open: vec![None; recorded.tokens.len()] };
        for (from, to) in pairs.open.iter().enumerate() {
            if let Some(to) = *to {
                this.pair_units(from, to);
            }
        }
        let is_in_order =
            |&from: &usize| in_order[from].is_some() && in_order[from] == pairs.open[from];
        let mut start = (0, 0);
        for from in (0..pairs.open.len()).filter(is_in_order) {
            let Some(to) = pairs.open[from] else { continue };
            this.gap(pairs, start.0..from, start.1..to);
            start = (from + 1, to + 1);
        }
        this.gap(pairs, start.0..pairs.open.len(), start.1..pairs.recorded.len());
        this
    }

    /// Pairs the tokens of two equal units.
    fn pair_units(&mut self, from: usize, to: usize) {
        let (from, to) = (&self.recorded.units[from].tokens, &self.open.units[to].tokens);
        let strong = |units: &'a Units, tokens: &Range<u32>| {
            tokens.clone().filter(|&at| !units.weak[at as usize])
        };
        for (from, to) in strong(self.recorded, from).zip(strong(self.open, to)) {
            self.to_open[from as usize] = Some(to);
        }
        // The brace at the end: on a line of its own it may have a cost.
        let brace = |units: &Units, tokens: &Range<u32>| {
            let last = tokens.end.checked_sub(1)?;
            units.tokens[last as usize].is('{').then_some(last)
        };
        let last = self.open_last(to);
        if let Some(from) = brace(self.recorded, from) {
            self.to_open[from as usize] = brace(self.open, to).or(last);
        }
    }

    fn open_last(&self, tokens: &Range<u32>) -> Option<u32> {
        tokens.clone().rev().find(|&at| !self.open.weak[at as usize])
    }

    /// Pairs tokens of units that are not paired, between two units that are.
    fn gap(&mut self, pairs: &Pairs, recorded: Range<usize>, open: Range<usize>) {
        let before = strong(self.recorded, recorded.filter(|&unit| pairs.open[unit].is_none()));
        let after = strong(self.open, open.filter(|&unit| pairs.recorded[unit].is_none()));
        if before.is_empty() || after.is_empty() || self.pair_equal(&before, &after) {
            return;
        }
        let (lines, open_lines) = (by_line(&before), by_line(&after));
        let hashes = |lines: &[Line]| lines.iter().map(|line| line.hash).collect::<Vec<_>>();
        let mut start = (0, 0);
        for (from, to) in anchors(&hashes(&lines), &hashes(&open_lines)) {
            let (from, to) = (lines[from].strong.clone(), open_lines[to].strong.clone());
            self.pair_changed(&before[start.0..from.start], &after[start.1..to.start]);
            self.pair_equal(&before[from.clone()], &after[to.clone()]);
            start = (from.end, to.end);
        }
        self.pair_changed(&before[start.0..], &after[start.1..]);
    }

    /// Pairs all tokens, if they are the same.
    fn pair_equal(&mut self, before: &[Strong], after: &[Strong]) -> bool {
        let is_equal = before.len() == after.len()
            && before.iter().zip(after).all(|(from, to)| from.hash == to.hash);
        if is_equal {
            for (from, to) in before.iter().zip(after) {
                self.to_open[from.at as usize] = Some(to.at);
            }
        }
        is_equal
    }

    /// Pairs the tokens of lines that were only divided or joined, among lines that were changed.
    fn pair_changed(&mut self, before: &[Strong], after: &[Strong]) {
        if before.is_empty() || after.is_empty() || self.pair_equal(before, after) {
            return;
        }
        if before.len() > MAX_TOKENS || after.len() > MAX_TOKENS {
            return;
        }
        let pairs = diff(before, after);
        let mut from_open = vec![None; after.len()];
        for (from, to) in pairs.iter().enumerate() {
            if let Some(to) = *to {
                from_open[to] = Some(from);
            }
        }
        // The lines whose tokens are all in the other text, one after the other.
        let whole = |lines: &[Line], pairs: &[Option<usize>]| {
            let mut is_whole = vec![false; pairs.len()];
            for line in lines {
                let pairs = &pairs[line.strong.clone()];
                let continues = |two: &[Option<usize>]| two[0].map(|at| at + 1) == two[1];
                if pairs.iter().all(Option::is_some) && pairs.windows(2).all(continues) {
                    is_whole[line.strong.clone()].fill(true);
                }
            }
            is_whole
        };
        let lines = by_line(before);
        let is_whole = whole(&lines, &pairs);
        let is_open_whole = whole(&by_line(after), &from_open);
        for line in lines {
            let is_kept = line
                .strong
                .clone()
                .all(|from| is_whole[from] && pairs[from].is_some_and(|to| is_open_whole[to]));
            for from in line.strong.filter(|_| is_kept) {
                self.to_open[before[from].at as usize] = pairs[from].map(|to| after[to].at);
            }
        }
    }
}

/// The strong tokens of units.
fn strong(units: &Units, list: impl Iterator<Item = usize>) -> Vec<Strong> {
    let tokens = list.flat_map(|unit| units.units[unit].tokens.clone());
    tokens
        .filter(|&at| !units.weak[at as usize] && !units.tokens[at as usize].is('}'))
        .map(|at| {
            let token = &units.tokens[at as usize];
            Strong { at, line0: token.line0, hash: token.hash }
        })
        .collect()
}

fn by_line(tokens: &[Strong]) -> Vec<Line> {
    let mut start = 0;
    let lines = tokens.chunk_by(|a, b| a.line0 == b.line0).map(|line| {
        let strong = start..start + line.len();
        start = strong.end;
        let mut hash = FxHasher::default();
        for token in line {
            hash.write_u64(token.hash);
        }
        Line { strong, hash: hash.finish() }
    });
    lines.collect()
}

/// Per token of `before` its place in `after`.
fn diff(before: &[Strong], after: &[Strong]) -> Vec<Option<usize>> {
    let mut input: InternedInput<u64> = InternedInput::default();
    input.update_before(before.iter().map(|token| token.hash));
    input.update_after(after.iter().map(|token| token.hash));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let mut pairs = vec![None; before.len()];
    let mut to = 0;
    for (from, pair) in pairs.iter_mut().enumerate() {
        if diff.is_removed(from as u32) {
            continue;
        }
        while diff.is_added(to) {
            to += 1;
        }
        *pair = Some(to as usize);
        to += 1;
    }
    pairs
}
