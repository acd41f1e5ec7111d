//! Recorded texts, each lexed once for all versions of a document.

use std::hash::Hasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};

use super::compare::compare;
use super::gaps::TokenPairs;
use super::lexer::{Kind, Token, lex};
use super::map::LineMap;
use super::moved;
use super::syntax::Syntax;
use super::text::{common_prefix, common_suffix, n_lines, n_newlines, start_of_line, without_mark};
use super::units::{Unit, Units};

/// A text that lines are mapped from.
#[derive(Debug)]
pub struct LexedText {
    text: Arc<str>,
    syntax: Syntax,
    units: Units,
    n_lines: u32,
}

/// The maximum number of texts that are kept: those of the profile shown and of the baseline, before
/// and after they were rewritten.
const MAX_TEXTS: usize = 4;

/// The minimum number of letters and digits of a line that is the same wherever it is.
const MIN_ALNUM: u32 = 10;

/// A cache of lexed texts, for one document. The oldest is evicted first.
#[derive(Debug, Default)]
pub struct LexedTexts(Mutex<Vec<Arc<LexedText>>>);

impl LexedTexts {
    /// The lexed text, which is lexed by the first call.
    pub fn get(&self, text: &Arc<str>, syntax: Syntax) -> Arc<LexedText> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same =
            |lexed: &&Arc<LexedText>| lexed.syntax == syntax && Arc::ptr_eq(&lexed.text, text);
        if let Some(lexed) = texts.iter().find(is_same) {
            return lexed.clone();
        }
        let lexed = Arc::new(LexedText::new(text.clone(), syntax));
        if texts.len() == MAX_TEXTS {
            texts.remove(0);
        }
        texts.push(lexed.clone());
        lexed
    }
}

impl LineMap {
    /// Compares the recorded text with the text that is open now. Changed lines are not mapped.
    pub fn new(recorded: &str, open: &str, syntax: Syntax) -> LineMap {
        LexedText::new(recorded.into(), syntax).map_to(open)
    }
}

/// The parts of both texts that differ, in bytes. They consist of whole lines and whole units.
struct Changed {
    recorded: Range<usize>,
    open: Range<usize>,
    /// The brackets around them.
    brackets: Vec<char>,
    /// The first line, which is the same in both.
    line0: u32,
}

impl LexedText {
    /// Lexes a text.
    pub fn new(text: Arc<str>, syntax: Syntax) -> Self {
        let code = without_mark(&text);
        let units = Units::new(lex(code, syntax, 0), syntax, &[]);
        let n_lines = n_lines(code);
        Self { text, syntax, units, n_lines }
    }

    /// Compares the text with the text that is open now.
    pub fn map_to(&self, open: &str) -> LineMap {
        let (recorded, open) = (without_mark(&self.text), without_mark(open));
        if recorded == open {
            return LineMap::identity(self.n_lines);
        }
        let changed = self.changed(recorded, open);
        let Changed { recorded: before, open: after, brackets, line0 } = &changed;
        let tokens = |text: &str| lex(text, self.syntax, 0);
        let units = |text: &str| Units::new(tokens(text), self.syntax, brackets);
        let (from_text, to_text) = (&recorded[before.clone()], &open[after.clone()]);
        let is_all = before.len() == recorded.len();
        let from_part = if is_all { None } else { Some(units(from_text)) };
        let from = from_part.as_ref().unwrap_or(&self.units);
        let to = units(to_text);
        let lines = Lines { from, to: &to, from_text, to_text }.pairs();

        let (n_before, n_after) = (
            n_newlines_or_lines(from_text, recorded.len() > before.end),
            n_newlines_or_lines(to_text, open.len() > after.end),
        );
        let tail = (line0 + n_before, line0 + n_after, self.n_lines - (line0 + n_before));
        LineMap::of_parts(*line0, &lines, tail)
    }

    fn start_of(&self, unit: &Unit) -> usize {
        self.units.tokens[unit.tokens.start as usize].start as usize
    }

    /// Leaves out the lines at both ends that are the same.
    fn changed(&self, recorded: &str, open: &str) -> Changed {
        let prefix = common_prefix(recorded.as_bytes(), open.as_bytes());
        let suffix = common_suffix(&recorded.as_bytes()[prefix..], &open.as_bytes()[prefix..]);
        let units = &self.units.units;
        let line_of = |unit: usize| start_of_line(recorded, self.start_of(&units[unit]));
        let n_same = units.partition_point(|unit| self.start_of(unit) <= prefix);
        let first =
            (0..n_same).rev().find(|&unit| units[unit].starts_line && line_of(unit) <= prefix);
        let (start, line0, brackets) = first.map_or((0, 0, Vec::new()), |unit| {
            let line0 = self.units.tokens[units[unit].tokens.start as usize].line0;
            (line_of(unit), line0, self.units.brackets_around(unit))
        });
        // A closing bracket belongs to the units above it, which have changed.
        let same_from = recorded.len() - suffix;
        let end = (n_same.saturating_sub(1)..units.len()).find(|&unit| {
            units[unit].starts_line && units[unit].n_alnum > 0 && line_of(unit) > same_from
        });
        let end = end.map_or(recorded.len(), line_of).max(start);
        let open_end = open.len() - (recorded.len() - end);
        Changed { recorded: start..end, open: start..open_end, brackets, line0 }
    }
}

/// The number of lines of a part of a text; `has_more` if it is followed by another line.
fn n_newlines_or_lines(text: &str, has_more: bool) -> u32 {
    if has_more { n_newlines(text) } else { n_lines(text) }
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

/// Two texts to map lines between.
struct Lines<'a> {
    from: &'a Units,
    to: &'a Units,
    from_text: &'a str,
    to_text: &'a str,
}

impl Lines<'_> {
    /// Per recorded line the open line that it is now.
    fn pairs(&self) -> Vec<Option<u32>> {
        let mut in_order = Vec::new();
        let pairs = compare(&self.from.units, &self.to.units, |texts, pairs| {
            in_order.clone_from(&pairs.open);
            moved::pair_blocks(texts, pairs);
        });
        let tokens = TokenPairs::new(self.from, self.to, &pairs, &in_order).to_open;
        let mut lines = vec![None; n_lines(self.from_text) as usize];
        let mut at = 0;
        for on_line in self.from.tokens.chunk_by(|a, b| a.line0 == b.line0) {
            let range = at..at + on_line.len();
            at = range.end;
            if let Some(line) = lines.get_mut(on_line[0].line0 as usize) {
                *line = self.line(range, &tokens);
            }
        }
        self.add_unique(&mut lines);
        self.add_empty(&mut lines);
        lines
    }

    /// Maps lines that are unique in both texts. A bracket without its partner makes one statement
    /// of all that follows it, so that statements tell nothing about the lines in it.
    fn add_unique(&self, lines: &mut [Option<u32>]) {
        let [from, to] = [self.from, self.to].map(|units| unique_lines(&units.tokens));
        let mut is_taken = vec![false; n_lines(self.to_text) as usize];
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
    /// text. If they are on several lines, it is the line of the first call, or else of the first
    /// word or token.
    fn line(&self, range: Range<usize>, tokens: &[Option<u32>]) -> Option<u32> {
        let has_strong = range.clone().any(|at| !self.from.weak[at]);
        let (mut first, mut first_word, mut first_call) = (None, None, None);
        for at in range {
            if self.from.weak[at] && (has_strong || tokens[at].is_none()) {
                continue;
            }
            let line0 = self.to.tokens[tokens[at]? as usize].line0;
            first.get_or_insert(line0);
            if self.from.tokens[at].n_alnum > 0 {
                first_word.get_or_insert(line0);
            }
            let next = self.from.tokens.get(at + 1);
            let is_name = self.from.tokens[at].kind == Kind::Word;
            if is_name && next.is_some_and(|next| next.is('(')) {
                first_call.get_or_insert(line0);
            }
        }
        first_call.or(first_word).or(first)
    }

    /// Maps empty lines and comments beside lines that are mapped.
    fn add_empty(&self, lines: &mut [Option<u32>]) {
        let [from, to] = [self.from_text, self.to_text]
            .map(|text| text.lines().map(str::trim).collect::<Vec<_>>());
        let has_tokens = |units: &Units, n: usize| {
            let mut has = vec![false; n];
            for token in &units.tokens {
                if let Some(has) = has.get_mut(token.line0 as usize) {
                    *has = true;
                }
            }
            has
        };
        let (from_has, to_has) = (has_tokens(self.from, from.len()), has_tokens(self.to, to.len()));
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
