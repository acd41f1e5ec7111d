//! Recorded texts, each lexed once for all versions of a document.

use std::borrow::Cow;
use std::hash::Hasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::by_text::ByText;

use super::calls::is_call;
use super::compare::compare;
use super::gaps::TokenPairs;
use super::hunks::{Hunk, TextLines, UniqueLines, hunks};
use super::lexer::{Token, lex};
use super::map::LineMap;
use super::moved;
use super::pairs::Run;
use super::syntax::Syntax;
use super::text::without_mark;
use super::units::{Unit, Units};

/// A text that lines are mapped from.
#[derive(Debug)]
struct LexedText {
    text: Arc<str>,
    syntax: Syntax,
    units: Units,
    /// By line: the number of units that start on it or above.
    n_units: Vec<u32>,
    lines: TextLines,
    unique_lines: UniqueLines,
}

/// The minimum number of letters and digits of a line that is the same wherever it is.
const MIN_ALNUM: u32 = 10;

/// What was found out about the texts of a document, to compare its next version faster. It does
/// not change the line maps.
#[derive(Debug, Default)]
pub struct LexedTexts(Mutex<Texts>);

#[derive(Debug, Default)]
struct Texts {
    recorded: ByText<LexedText>,
    /// The last version of the document, with its lines.
    open: Option<(Arc<str>, TextLines)>,
}

impl LexedTexts {
    /// Compares a recorded text with the text that is open now.
    pub fn map(&self, recorded: &Arc<str>, open: &Arc<str>, syntax: Syntax) -> LineMap {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Texts { recorded: lexed, open: last } = &mut *texts;
        let syntax = syntax.with(open);
        let new = || LexedText::new(recorded.clone(), syntax);
        let lexed = lexed.get(recorded, |lexed| lexed.syntax == syntax, new);
        let code = without_mark(open);
        let lines = match last.take() {
            Some((before, mut lines)) => {
                lines.update(without_mark(&before), code);
                lines
            }
            None => TextLines::new(code),
        };
        let map = lexed.map_to(code, &lines);
        *last = Some((open.clone(), lines));
        map
    }
}

impl LineMap {
    /// Compares the recorded text with the text that is open now. Changed lines are not mapped.
    pub fn new(recorded: &str, open: &str, syntax: Syntax) -> LineMap {
        let (lines, syntax) = (TextLines::new(without_mark(open)), syntax.with(open));
        LexedText::new(recorded.into(), syntax).map_to(without_mark(open), &lines)
    }
}

impl LexedText {
    fn new(text: Arc<str>, syntax: Syntax) -> Self {
        let code = without_mark(&text);
        let (units, lines) = (Units::new(lex(code, syntax, 0), syntax, &[]), TextLines::new(code));
        let unique_lines = lines.unique();
        let n_units = units.by_line(lines.len());
        Self { text, syntax, units, n_units, lines, unique_lines }
    }

    /// Compares the text with the text that is open now, which has `lines`.
    fn map_to(&self, open: &str, lines: &TextLines) -> LineMap {
        let hunks = self.of_whole_units(hunks(&self.lines, &self.unique_lines, lines));
        let parts = |text, lines, range: fn(&Hunk) -> &Range<usize>| {
            let parts = hunks.iter().map(|(hunk, brackets)| (range(hunk).clone(), &**brackets));
            Parts::new(text, lines, parts, self.syntax)
        };
        let is_all = matches!(&*hunks, [(hunk, _)] if hunk.recorded.len() == self.lines.len());
        let recorded = without_mark(&self.text);
        let from = if is_all {
            Parts::all(recorded, &self.units)
        } else {
            parts(recorded, &self.lines, |hunk| &hunk.recorded)
        };
        let to = parts(open, lines, |hunk| &hunk.open);
        let changed = Lines { from: &from, to: &to, syntax: self.syntax }.pairs();
        let changed = changed.into_iter().zip(0..).filter_map(|(open, recorded)| {
            Some((from.line_of_text(recorded)?, to.line_of_text(open? as usize)?))
        });

        let mut unchanged = Vec::with_capacity(hunks.len() + 1);
        let mut start = (0, 0);
        let ends = (self.lines.len()..self.lines.len(), lines.len()..lines.len());
        let end = Hunk { recorded: ends.0, open: ends.1 };
        for Hunk { recorded, open } in hunks.iter().map(|(hunk, _)| hunk).chain([&end]) {
            let n_lines = (recorded.start - start.0) as u32;
            unchanged.push(Run { recorded0: start.0 as u32, open0: start.1 as u32, n_lines });
            start = (recorded.end, open.end);
        }
        LineMap::of_parts(unchanged, changed, self.lines.len() as u32, lines.len() as u32)
    }

    /// Extends hunks to whole units. Returns each with the brackets around it, outermost first.
    fn of_whole_units(&self, hunks: Vec<Hunk>) -> Vec<(Hunk, Vec<char>)> {
        let units = &self.units.units;
        let line_of = |unit: usize| self.units.line_of(&units[unit]);
        let mut whole: Vec<(Hunk, Vec<char>)> = Vec::with_capacity(hunks.len());
        for Hunk { recorded, open } in hunks {
            let n_before =
                self.n_units.get(recorded.start).map_or(units.len(), |&n_units| n_units as usize);
            let first = (0..n_before).rev().find(|&unit| units[unit].starts_line);
            // A closing bracket belongs to the units above it, which have changed.
            let end = (n_before.saturating_sub(1)..units.len()).find(|&unit| {
                let Unit { starts_line, n_alnum, .. } = units[unit];
                starts_line && n_alnum > 0 && line_of(unit) >= recorded.end
            });
            let start = first.map_or(0, line_of);
            let end = end.map_or(self.lines.len(), line_of);
            if let Some((last, _)) = whole.last_mut()
                && last.recorded.end >= start
            {
                last.recorded.end = last.recorded.end.max(end);
                last.open.end = open.end + (last.recorded.end - recorded.end);
                continue;
            }
            let brackets = first.map_or(Vec::new(), |unit| self.units.brackets_around(unit));
            let open = open.start - (recorded.start - start)..open.end + (end - recorded.end);
            whole.push((Hunk { recorded: start..end, open }, brackets));
        }
        whole
    }
}

/// Parts of a text, one after the other, with an empty line between two parts.
struct Parts<'a> {
    /// The units of all parts. There is a unit for the line between two parts.
    units: Cow<'a, Units>,
    lines: Vec<&'a str>,
    ranges: Vec<Part>,
}

struct Part {
    /// As indexes into [`Parts::units`].
    units: Range<usize>,
    /// As indexes into [`Parts::lines`].
    lines: Range<usize>,
    /// The first line in the text.
    line0: usize,
}

impl<'a> Parts<'a> {
    /// A text as one part.
    fn all(text: &'a str, units: &'a Units) -> Self {
        let lines: Vec<_> = text.lines().collect();
        let part = Part { units: 0..units.units.len(), lines: 0..lines.len(), line0: 0 };
        Self { units: Cow::Borrowed(units), lines, ranges: vec![part] }
    }

    /// The parts of a text with these lines, each with the brackets around it.
    fn new<'b>(
        text: &'a str,
        lines: &TextLines,
        parts: impl Iterator<Item = (Range<usize>, &'b [char])>,
        syntax: Syntax,
    ) -> Self {
        let mut units = Units::default();
        let mut this =
            Self { units: Cow::Owned(Units::default()), lines: Vec::new(), ranges: Vec::new() };
        for (range, brackets) in parts {
            if !this.ranges.is_empty() {
                units.add_separator(this.lines.len() as u32, this.ranges.len());
                this.lines.push("");
            }
            let (first_unit, first_line) = (units.units.len(), this.lines.len());
            let part = lines.slice(text, &range);
            units.append(Units::new(lex(part, syntax, first_line as u32), syntax, brackets));
            this.lines.extend(part.lines());
            this.ranges.push(Part {
                units: first_unit..units.units.len(),
                lines: first_line..this.lines.len(),
                line0: range.start,
            });
        }
        this.units = Cow::Owned(units);
        this
    }

    /// The line of the text; `None` if it is between two parts.
    fn line_of_text(&self, line: usize) -> Option<u32> {
        let part = self.ranges.partition_point(|part| part.lines.end <= line);
        let Part { lines, line0, .. } = self.ranges.get(part)?;
        Some((line0 + line.checked_sub(lines.start)?) as u32)
    }
}

/// The lines with at least [`MIN_ALNUM`] letters and digits, by a hash of their tokens. `None` if
/// several lines have the same tokens.
fn unique_lines(tokens: &[Token]) -> FxHashMap<u64, Option<u32>> {
    let on_lines = tokens.chunk_by(|a, b| a.line0 == b.line0);
    let long = on_lines
        .filter(|line| line.iter().map(|token| token.n_alnum).sum::<u32>() >= MIN_ALNUM)
        .map(|line| {
            let mut hash = FxHasher::default();
            for token in line {
                hash.write_u64(token.hash);
            }
            (hash.finish(), line[0].line0)
        });
    let mut unique = FxHashMap::default();
    for (hash, line0) in long {
        unique.entry(hash).and_modify(|line| *line = None).or_insert(Some(line0));
    }
    unique
}

/// The lines with words, each with a hash of its strong tokens.
fn hashes_of_lines(units: &Units) -> impl Iterator<Item = (u32, u64)> {
    let mut weak = units.weak.iter();
    let on_lines = units.tokens.chunk_by(|a, b| a.line0 == b.line0);
    on_lines.filter_map(move |line| {
        let mut hash = FxHasher::default();
        for (token, _) in line.iter().zip(&mut weak).filter(|(_, weak)| !**weak) {
            hash.write_u64(token.hash);
        }
        let has_words = line.iter().any(|token| token.n_alnum > 0);
        has_words.then(|| (line[0].line0, hash.finish()))
    })
}

/// Two texts to map lines between.
struct Lines<'a> {
    from: &'a Parts<'a>,
    to: &'a Parts<'a>,
    syntax: Syntax,
}

impl Lines<'_> {
    /// Per recorded line the open line that it is now.
    fn pairs(&self) -> Vec<Option<u32>> {
        let mut in_order = Vec::new();
        let [from, to] = [self.from, self.to].map(|parts| &*parts.units);
        let parts = self.from.ranges.iter().zip(&self.to.ranges);
        let parts = parts.map(|(from, to)| (from.units.clone(), to.units.clone()));
        let pairs = compare(&from.units, &to.units, parts, |texts, pairs| {
            in_order.clone_from(&pairs.open);
            moved::pair_blocks(texts, pairs);
        });
        let tokens = TokenPairs::new(from, to, &pairs, &in_order).to_open;
        let mut lines = vec![None; self.from.lines.len()];
        let mut at = 0;
        for on_line in from.tokens.chunk_by(|a, b| a.line0 == b.line0) {
            let range = at..at + on_line.len();
            at = range.end;
            if let Some(line) = lines.get_mut(on_line[0].line0 as usize) {
                *line = self.line(range, &tokens);
            }
        }
        self.add_unique(&mut lines);
        for line in self.ambiguous(&lines) {
            lines[line] = None;
        }
        self.add_empty(&mut lines);
        lines
    }

    /// The lines that were divided or joined, although a line with their tokens is in the open text
    /// and no such line is mapped to it. One of the two is a copy.
    fn ambiguous(&self, lines: &[Option<u32>]) -> Vec<usize> {
        let [from, to] = [self.from, self.to].map(|parts| {
            let mut hashes = vec![None; parts.lines.len()];
            for (line0, hash) in hashes_of_lines(&parts.units) {
                hashes[line0 as usize] = Some(hash);
            }
            hashes
        });
        let mut is_free = vec![true; to.len()];
        let mut divided = Vec::new();
        for (line, (hash, open)) in from.iter().zip(lines).enumerate() {
            let (Some(hash), Some(open)) = (*hash, *open) else { continue };
            if to[open as usize] == Some(hash) {
                is_free[open as usize] = false;
            } else {
                divided.push((line, hash));
            }
        }
        let free = to.into_iter().zip(is_free).filter(|&(_, is_free)| is_free);
        let free: FxHashSet<u64> = free.filter_map(|(hash, _)| hash).collect();
        let ambiguous = divided.into_iter().filter(|(_, hash)| free.contains(hash));
        ambiguous.map(|(line, _)| line).collect()
    }

    /// Maps lines that are unique in both texts. A bracket without its partner makes one statement
    /// of all that follows it, so that statements tell nothing about the lines in it.
    fn add_unique(&self, lines: &mut [Option<u32>]) {
        let [from, to] = [self.from, self.to].map(|parts| unique_lines(&parts.units.tokens));
        let mut is_taken = vec![false; self.to.lines.len()];
        for open in lines.iter().flatten() {
            is_taken[*open as usize] = true;
        }
        for (hash, line) in from {
            if let Some((line, open)) = line.zip(to.get(&hash).copied().flatten())
                && lines[line as usize].is_none()
                && !is_taken[open as usize]
            {
                lines[line as usize] = Some(open);
            }
        }
    }

    /// The open line of a recorded line with these tokens. `None` if one of them is not in the open
    /// text, or if they are not one after the other there: then they are parts of several lines. If
    /// they are on several lines, it is the line of the first call, or else of the first word or
    /// token.
    fn line(&self, range: Range<usize>, tokens: &[Option<u32>]) -> Option<u32> {
        let (from, to) = (&self.from.units, &self.to.units);
        let has_strong = range.clone().any(|at| !from.weak[at]);
        let (mut first, mut first_word, mut first_call) = (None, None, None);
        let mut before = None;
        for at in range {
            if from.weak[at] && (has_strong || tokens[at].is_none()) {
                continue;
            }
            let open = tokens[at]? as usize;
            if before.is_some_and(|before| !to.is_next(before, open)) {
                return None;
            }
            before = Some(open);
            let line0 = to.tokens[open].line0;
            first.get_or_insert(line0);
            if from.tokens[at].n_alnum > 0 {
                first_word.get_or_insert(line0);
            }
            if is_call(&from.tokens, at, self.syntax) {
                first_call.get_or_insert(line0);
            }
        }
        first_call.or(first_word).or(first)
    }

    /// Maps empty lines and comments beside lines that are mapped.
    fn add_empty(&self, lines: &mut [Option<u32>]) {
        let [from, to] = [self.from, self.to]
            .map(|parts| parts.lines.iter().map(|line| line.trim()).collect::<Vec<_>>());
        let has_tokens = |units: &Units, n: usize| {
            let mut has = vec![false; n];
            for token in &units.tokens {
                if let Some(has) = has.get_mut(token.line0 as usize) {
                    *has = true;
                }
            }
            has
        };
        let (from_has, to_has) =
            (has_tokens(&self.from.units, from.len()), has_tokens(&self.to.units, to.len()));
        let is_same = |line: usize, open: usize| {
            !from_has[line] && to_has.get(open) == Some(&false) && from.get(line) == to.get(open)
        };
        let mut is_taken = vec![false; to.len()];
        for line in 0..lines.len() {
            let before = line
                .checked_sub(1)
                .map_or(Some(0), |before| lines[before].map(|open| open as usize + 1));
            if let Some(open) = before.filter(|&open| is_same(line, open)) {
                lines[line] = Some(open as u32);
                is_taken[open] = true;
            }
        }
        for line in (0..lines.len()).rev().filter(|&line| !from_has[line]) {
            let after = match lines.get(line + 1) {
                Some(after) => after.and_then(|open| (open as usize).checked_sub(1)),
                None => to.len().checked_sub(1),
            };
            if lines[line].is_none()
                && let Some(open) = after.filter(|&open| is_same(line, open) && !is_taken[open])
            {
                lines[line] = Some(open as u32);
                is_taken[open] = true;
            }
        }
    }
}
