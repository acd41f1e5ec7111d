//! Maps lines of the recorded text to lines of the open text and back, by a line diff.
//!
//! Which text was recorded is up to the caller. Time is linear in the number of lines, whatever the
//! texts are, because long texts are compared in pieces of at most `PIECE` lines.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, IndentHeuristic, IndentLevel, InternedInput, Interner, Token};
use rustc_hash::FxHashMap;

/// Maps lines of one text to lines of another. All lines are 0-based.
///
/// Only lines of equal text are mapped, not counting terminators and a byte order mark. The order
/// is kept: of two mapped lines, the later one maps to the later one.
#[derive(Debug, Clone, PartialEq)]
pub struct LineMap {
    /// Ascending in both texts, not empty, and never adjacent in both.
    runs: Vec<Run>,
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

/// Longer differences are compared in pieces of this many lines, because a diff may take quadratic
/// time.
const PIECE: usize = 4096;

impl LineMap {
    /// Maps each of `n_lines` lines to itself.
    pub fn identity(n_lines: u32) -> LineMap {
        let mut map = LineMap { runs: Vec::new(), n_recorded: n_lines, n_open: n_lines };
        map.keep(0, 0, n_lines as usize);
        map
    }

    /// Compares the recorded text with the text that is open now. Changed lines are not mapped.
    pub fn new(recorded: &str, open: &str) -> LineMap {
        if recorded == open {
            return LineMap::identity(lines(open).count() as u32);
        }
        let mut input = InternedInput::default();
        input.update_before(lines(recorded));
        input.update_after(lines(open));
        let (before, after) = (input.before.as_slice(), input.after.as_slice());
        let mut map = LineMap {
            runs: Vec::new(),
            n_recorded: before.len() as u32,
            n_open: after.len() as u32,
        };

        let equal = |(a, b): &(&Token, &Token)| a == b;
        let head = before.iter().zip(after).take_while(equal).count();
        let (before_rest, after_rest) = (&before[head..], &after[head..]);
        let ends = before_rest.iter().rev().zip(after_rest.iter().rev());
        let tail = ends.take_while(equal).count();
        let (before_end, after_end) = (before.len() - tail, after.len() - tail);

        map.keep(0, 0, head);
        for (recorded, open) in pieces(before, after, head..before_end, head..after_end) {
            map.diff(&input.interner, before, after, recorded, open);
        }
        map.keep(before_end, after_end, tail);
        map
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
        let at = self.runs.partition_point(|run| run.open0 <= open_line0);
        let run = self.runs.get(at.checked_sub(1)?)?;
        let offset = open_line0 - run.open0;
        (offset < run.n_lines).then(|| run.recorded0 + offset)
    }

    /// Whether both texts have the same lines.
    pub fn is_identity(&self) -> bool {
        let n_kept: u32 = self.runs.iter().map(|run| run.n_lines).sum();
        n_kept == self.n_recorded && n_kept == self.n_open
    }

    fn keep(&mut self, recorded0: usize, open0: usize, n_lines: usize) {
        let run = Run { recorded0: recorded0 as u32, open0: open0 as u32, n_lines: n_lines as u32 };
        match self.runs.last_mut() {
            _ if n_lines == 0 => {}
            Some(last)
                if last.recorded0 + last.n_lines == run.recorded0
                    && last.open0 + last.n_lines == run.open0 =>
            {
                last.n_lines += run.n_lines;
            }
            _ => self.runs.push(run),
        }
    }

    /// Keeps the common lines of one piece of both texts.
    fn diff(
        &mut self,
        interner: &Interner<&str>,
        before: &[Token],
        after: &[Token],
        recorded: Range<usize>,
        open: Range<usize>,
    ) {
        let indent =
            IndentHeuristic::new(|token| IndentLevel::for_ascii_line(interner[token].bytes(), 8));
        let (before, after) = (&before[recorded.clone()], &after[open.clone()]);
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Histogram, before, after, interner.num_tokens());
        diff.postprocess_with(before, after, indent);

        let (mut from, mut to) = (recorded.start, open.start);
        for hunk in diff.hunks() {
            let start = recorded.start + hunk.before.start as usize;
            self.keep(from, to, start - from);
            from = recorded.start + hunk.before.end as usize;
            to = open.start + hunk.after.end as usize;
        }
        self.keep(from, to, recorded.end - from);
    }
}

/// Lines without terminators. Editors drop a file's byte order mark.
fn lines(text: &str) -> std::str::Lines<'_> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines()
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
mod tests {
    use super::*;

    /// The open line of each recorded line, or `-`.
    fn render(recorded: &str, open: &str) -> String {
        let map = checked(recorded, open);
        let targets = (0..map.n_recorded)
            .map(|line0| map.to_open(line0).map_or("-".into(), |to| to.to_string()));
        targets.collect::<Vec<_>>().join(" ")
    }

    /// Creates the map and checks its invariants.
    fn checked(recorded: &str, open: &str) -> LineMap {
        let map = LineMap::new(recorded, open);
        let (before, after): (Vec<_>, Vec<_>) = (lines(recorded).collect(), lines(open).collect());
        assert_eq!((map.n_recorded as usize, map.n_open as usize), (before.len(), after.len()));
        let mut last = None;
        for (line0, text) in before.iter().enumerate() {
            let Some(to) = map.to_open(line0 as u32) else { continue };
            assert_eq!(after[to as usize], *text, "equal lines only");
            assert_eq!(map.to_recorded(to), Some(line0 as u32), "back again");
            assert!(last < Some(to), "in order");
            last = Some(to);
        }
        let mapped = |n: u32, f: &dyn Fn(u32) -> Option<u32>| (0..n).filter_map(f).count();
        assert_eq!(
            mapped(map.n_recorded, &|line0| map.to_open(line0)),
            mapped(map.n_open, &|line0| map.to_recorded(line0)),
        );
        assert_eq!(map.is_identity(), before == after);
        assert_eq!((map.to_open(map.n_recorded), map.to_recorded(map.n_open)), (None, None));
        map
    }

    #[test]
    fn maps_equal_texts_to_themselves() {
        assert_eq!(render("a\nb\n", "a\nb\n"), "0 1");
        assert_eq!(LineMap::new("a\nb\n", "a\nb\n"), LineMap::identity(2));
    }

    #[test]
    fn moves_lines_below_an_insertion() {
        assert_eq!(render("a\nb\nc\n", "a\nnew\nb\nc\n"), "0 2 3");
    }

    #[test]
    fn does_not_map_removed_lines() {
        assert_eq!(render("a\nb\nc\n", "a\nc\n"), "0 - 1");
        assert_eq!(checked("a\nb\nc\n", "a\nc\n").to_recorded(1), Some(2));
    }

    #[test]
    fn does_not_map_changed_lines_in_either_direction() {
        assert_eq!(render("a\nb\nc\n", "a\nB\nc\n"), "0 - 2");
        assert_eq!(checked("a\nb\nc\n", "a\nB\nc\n").to_recorded(1), None);
    }

    #[test]
    fn a_changed_space_is_a_change() {
        assert_eq!(render("a\nb", "a\n b"), "0 -");
    }

    #[test]
    fn ignores_terminators() {
        assert!(checked("a\r\nb\r\n", "a\nb\n").is_identity());
        assert!(checked("a\nb", "a\nb\n").is_identity());
        assert_eq!(render("a\r\nb\r\n", "x\na\nb"), "1 2");
    }

    #[test]
    fn ignores_a_byte_order_mark() {
        assert!(checked("\u{feff}a\nb\n", "a\nb\n").is_identity());
    }

    #[test]
    fn empty_texts_have_no_lines() {
        assert!(checked("", "").is_identity());
        assert_eq!(render("", "a\n"), "");
        assert_eq!(render("a\nb\n", ""), "- -");
        assert!(LineMap::identity(0).is_identity());
        assert_eq!(LineMap::identity(0).to_open(0), None);
    }

    #[test]
    fn accepts_the_largest_line_number() {
        assert_eq!(LineMap::identity(3).to_open(u32::MAX), None);
        assert_eq!(LineMap::identity(3).to_recorded(u32::MAX), None);
    }

    #[test]
    fn an_inserted_function_leaves_its_neighbours_mapped() {
        let recorded = "fn a() {\n    x();\n}\n\nfn c() {\n    z();\n}\n";
        let open = "fn a() {\n    x();\n}\n\nfn b() {\n    y();\n}\n\nfn c() {\n    z();\n}\n";
        assert_eq!(render(recorded, open), "0 1 2 3 8 9 10");
    }

    #[test]
    fn keeps_its_invariants_for_all_short_texts() {
        let mut texts = vec![String::new()];
        for len in 0..5 {
            let longer: Vec<String> = texts
                .iter()
                .filter(|text| text.len() == 2 * len)
                .flat_map(|text| ["a\n", "b\n", "c\n"].map(|line| format!("{text}{line}")))
                .collect();
            texts.extend(longer);
        }
        for recorded in &texts {
            for open in &texts {
                checked(recorded, open);
            }
        }
    }

    fn text(n_lines: usize, line: impl Fn(usize) -> String) -> String {
        (0..n_lines).map(|at| line(at) + "\n").collect()
    }

    #[test]
    fn long_texts_lose_nothing_to_pieces() {
        let n = 10 * PIECE;
        let recorded = text(n, |at| format!("line {at}"));
        let open =
            text(n, |at| if at % 3 == 0 { format!("new {at}") } else { format!("line {at}") });
        let map = checked(&recorded, &format!("first\n{open}last\n"));
        for at in 0..n as u32 {
            assert_eq!(map.to_open(at), (at % 3 != 0).then_some(at + 1));
        }
    }

    #[test]
    fn a_line_that_moves_far_does_not_affect_others() {
        let n = 3 * PIECE;
        let recorded = text(n, |at| format!("line {at}"));
        let open = text(n, |at| format!("line {}", (at + 1) % n));
        let map = checked(&recorded, &open);
        assert_eq!(
            (map.to_open(0), map.to_open(1), map.to_open(n as u32 - 1)),
            (None, Some(0), Some(n as u32 - 2))
        );
    }

    #[test]
    fn skips_long_stretches_without_unique_lines() {
        let n = 20 * PIECE;
        let recorded = format!("{}mark\nend\n", text(n, |at| (at * 7919 % 10007 % 10).to_string()));
        let open = format!("{}mark\nEND\n", text(n, |at| (at * 104_729 % 10009 % 10).to_string()));
        let map = checked(&recorded, &open);
        assert_eq!(map.to_open(n as u32), Some(n as u32), "the unique line is found");
        assert_eq!(map.to_open(n as u32 + 1), None);
    }
}
