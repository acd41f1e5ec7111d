//! Keeps the lines of functions within them. The comparison of whole texts does not know functions: if
//! they were swapped or moved, it may pair a line with an equal one of another function.

use super::map::LineMap;
use super::syntax::Syntax;
use super::text::without_mark;
use crate::functions::{Arity, Definition, FunctionKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::RangeInclusive;

/// A function that grew by more lines than this may have lines of others.
const MAX_GROWTH: u32 = 2;

/// A text with its functions.
#[derive(Debug, Clone, Copy)]
pub struct TextWithFunctions<'a> {
    /// The text.
    pub text: &'a str,
    /// Its functions, outer before inner.
    pub functions: &'a [Definition],
}

impl LineMap {
    /// The map without lines of a function that are in another function now. A function is the same if
    /// its name, or the line of its name, is unique in both texts. Its lines are compared by themselves
    /// if they may be elsewhere. `open` is not called if the map shows that functions kept their lines.
    #[must_use]
    pub fn within_functions<'a>(
        self,
        recorded: TextWithFunctions<'_>,
        open: impl FnOnce() -> Option<TextWithFunctions<'a>>,
        syntax: Syntax,
    ) -> LineMap {
        if self.keeps_functions(recorded.functions) && self.keeps_scopes(recorded) {
            return self;
        }
        match open() {
            Some(open) => Lines::new(&self, recorded, open).within(recorded, open, syntax),
            None => self,
        }
    }

    /// Whether all lines are in order, and no function lost its name or has more lines. A name may have
    /// been changed in its place.
    fn keeps_functions(&self, functions: &[Definition]) -> bool {
        let in_place = |line0: u32| {
            let above = self.to_open(line0.checked_sub(1)?)?;
            (self.to_open(line0 + 1)? == above + 2).then_some(above + 1)
        };
        let is_kept = |function: &Definition| {
            let name_line0 = function.name_line0;
            let Some(first) = self.to_open(name_line0).or_else(|| in_place(name_line0)) else {
                return false;
            };
            let mut lines = (name_line0..=*function.lines.end()).rev();
            let last = lines.find_map(|line0| Some((line0, self.to_open(line0)?)));
            last.is_none_or(|(line0, last)| {
                last.saturating_sub(first) <= line0 - name_line0 + MAX_GROWTH
            })
        };
        self.is_in_order() && functions.iter().filter(|it| is_function(it)).all(is_kept)
    }

    /// Whether all lines outside of functions that name a class or another scope of a function are
    /// unchanged. Otherwise, equal methods of two classes may have been taken for each other.
    fn keeps_scopes(&self, recorded: TextWithFunctions<'_>) -> bool {
        let functions = || recorded.functions.iter().filter(|it| is_function(it));
        let scopes: FxHashSet<&str> =
            functions().flat_map(|it| &it.scopes).map(String::as_str).collect();
        if scopes.is_empty() {
            return true;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let names_scope =
            |line: &str| line.split(|c| !is_word(c)).any(|word| scopes.contains(word));
        let is_kept = |(line, line0): (&str, u32)| {
            self.to_open(line0).is_some()
                || !names_scope(line)
                || functions().any(|it| it.lines.contains(&line0))
        };
        without_mark(recorded.text).lines().zip(0..).all(is_kept)
    }
}

fn is_function(definition: &Definition) -> bool {
    definition.kind == FunctionKind::Function && !definition.name.is_empty()
}

fn has_words(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

fn lines_of(text: TextWithFunctions<'_>) -> Vec<&str> {
    without_mark(text.text).lines().collect()
}

/// What the function around a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    /// None.
    Nothing,
    /// One that is not in the other text, or not once.
    Other,
    /// One that both texts have: its index in the pairs.
    Pair(usize),
}

/// The lines of two texts, by function.
struct Lines {
    /// The lines of the functions that both texts have: recorded and open.
    pairs: Vec<[RangeInclusive<u32>; 2]>,
    /// By recorded line.
    recorded: Vec<Enclosing>,
    /// By open line.
    open: Vec<Enclosing>,
    /// By recorded line: the open line.
    to_open: Vec<Option<u32>>,
}

/// What identifies a function in its text: scopes, trait, name, arity, and the line of its name unless it
/// may have been changed.
type Key<'a> = (&'a [String], Option<&'a str>, &'a str, Option<Arity>, Option<&'a str>);

/// The functions that are the only ones with their key, of those without a pair.
fn unique<'a>(
    functions: &'a [Definition],
    lines: &[&'a str],
    pairs: &[Enclosing],
    with_line: bool,
) -> FxHashMap<Key<'a>, Option<usize>> {
    let mut found = FxHashMap::default();
    let without_pair =
        functions.iter().zip(pairs).zip(0..).filter(|((_, pair), _)| **pair == Enclosing::Other);
    for ((function, _), at) in without_pair.filter(|((function, _), _)| is_function(function)) {
        let Definition { scopes, implements, name, arity, name_line0, .. } = function;
        let line = lines.get(*name_line0 as usize).map(|line| line.trim()).filter(|_| with_line);
        let key = (scopes.as_slice(), implements.as_deref(), name.as_str(), *arity, line);
        found.entry(key).and_modify(|at| *at = None).or_insert(Some(at));
    }
    found
}

impl Lines {
    fn new(map: &LineMap, recorded: TextWithFunctions<'_>, open: TextWithFunctions<'_>) -> Self {
        let mut pairs = Vec::new();
        let [mut recorded_pairs, mut open_pairs] =
            [recorded, open].map(|text| vec![Enclosing::Other; text.functions.len()]);
        let [from_lines, to_lines] = [recorded, open].map(lines_of);
        // Overloads differ in the line of their name.
        for with_line in [true, false] {
            let of_open = unique(open.functions, &to_lines, &open_pairs, with_line);
            for (key, from) in unique(recorded.functions, &from_lines, &recorded_pairs, with_line) {
                let to = of_open.get(&key).copied().flatten();
                let Some((from, to)) = from.zip(to) else { continue };
                recorded_pairs[from] = Enclosing::Pair(pairs.len());
                open_pairs[to] = Enclosing::Pair(pairs.len());
                pairs.push([
                    recorded.functions[from].lines.clone(),
                    open.functions[to].lines.clone(),
                ]);
            }
        }
        let around = |n_lines: u32, functions: &[Definition], pairs: &[Enclosing]| {
            let mut around = vec![Enclosing::Nothing; n_lines as usize];
            for (function, pair) in functions.iter().zip(pairs).filter(|(it, _)| is_function(it)) {
                let lines = *function.lines.start() as usize..=*function.lines.end() as usize;
                around.get_mut(lines).into_iter().flatten().for_each(|line| *line = *pair);
            }
            around
        };
        Self {
            pairs,
            recorded: around(map.n_recorded, recorded.functions, &recorded_pairs),
            open: around(map.n_open, open.functions, &open_pairs),
            to_open: (0..map.n_recorded).map(|line0| map.to_open(line0)).collect(),
        }
    }

    fn around_open(&self, line0: u32) -> Enclosing {
        self.open.get(line0 as usize).copied().unwrap_or(Enclosing::Nothing)
    }

    /// Whether each pair has lines of other functions, or lines in other functions.
    fn mixed(&self) -> Vec<bool> {
        let mut mixed = vec![false; self.pairs.len()];
        for (around, open) in self.recorded.iter().zip(&self.to_open) {
            let Some(open) = open.map(|open| self.around_open(open)) else { continue };
            for pair in [*around, open].into_iter().filter(|_| *around != open) {
                if let Enclosing::Pair(pair) = pair {
                    mixed[pair] = true;
                }
            }
        }
        mixed
    }

    /// Whether each pair has recorded lines with words that are nowhere.
    fn incomplete(&self, from: &[&str]) -> Vec<bool> {
        let mut incomplete = vec![false; self.pairs.len()];
        for ((around, open), line) in self.recorded.iter().zip(&self.to_open).zip(from) {
            if let (Enclosing::Pair(pair), None, true) = (*around, open, has_words(line)) {
                incomplete[pair] = true;
            }
        }
        incomplete
    }

    /// The lines of the chosen pairs, compared by themselves.
    fn compared(
        &self,
        chosen: &[bool],
        from: &[&str],
        to: &[&str],
        syntax: Syntax,
    ) -> Vec<Option<u32>> {
        let mut compared = vec![None; self.to_open.len()];
        for (pair, lines) in self.pairs.iter().enumerate().filter(|(pair, _)| chosen[*pair]) {
            let part = |text: &[&str], lines: &RangeInclusive<u32>| {
                let lines = text.get(*lines.start() as usize..=*lines.end() as usize);
                lines.unwrap_or_default().join("\n")
            };
            let map = LineMap::new(&part(from, &lines[0]), &part(to, &lines[1]), syntax);
            for line0 in lines[0].clone() {
                let open = map.to_open(line0 - lines[0].start());
                let open = open.map(|open| lines[1].start() + open);
                let is_own = |open: &u32| {
                    self.recorded[line0 as usize] == Enclosing::Pair(pair)
                        && self.around_open(*open) == Enclosing::Pair(pair)
                };
                if let Some(open) = open.filter(is_own) {
                    compared[line0 as usize] = Some(open);
                }
            }
        }
        compared
    }

    fn within(
        self,
        recorded: TextWithFunctions<'_>,
        open: TextWithFunctions<'_>,
        syntax: Syntax,
    ) -> LineMap {
        let [from, to] = [recorded, open].map(lines_of);
        let mixed = self.mixed();
        let mut lines = self.compared(&mixed, &from, &to, syntax);
        let taken: FxHashSet<u32> = lines.iter().flatten().copied().collect();
        let is_free = |at: usize| {
            let open = self.to_open.get(at).copied().flatten();
            open.filter(|open| lines[at].is_none() && !taken.contains(open))
        };
        // Statements that moved into another function; a single line may only look like another one.
        let has_words = |at: usize| from.get(at).is_some_and(|line| has_words(line));
        let is_in_block = |at: usize, open: u32| {
            let is_below = has_words(at + 1) && is_free(at + 1) == Some(open + 1);
            let is_above =
                |above: usize| has_words(above) && is_free(above).map(|it| it + 1) == Some(open);
            is_below || at.checked_sub(1).is_some_and(is_above)
        };
        let is_mixed = |around: Enclosing| matches!(around, Enclosing::Pair(pair) if mixed[pair]);
        let kept: Vec<Option<u32>> = (0..lines.len())
            .map(|at| {
                let open = is_free(at)?;
                let (before, now) = (self.recorded[at], self.around_open(open));
                let may_be_other = is_mixed(before) || is_mixed(now);
                let is_kept = !may_be_other || before != now && is_in_block(at, open);
                is_kept.then_some(open)
            })
            .collect();
        lines.iter_mut().zip(kept).for_each(|(line, kept)| *line = line.or(kept));
        // In the whole text, a short line that moved with its function may only look like another one.
        let taken: FxHashSet<u32> = lines.iter().flatten().copied().collect();
        let own = self.compared(&self.incomplete(&from), &from, &to, syntax);
        for (line, own) in lines.iter_mut().zip(own) {
            *line = line.or(own.filter(|own| !taken.contains(own)));
        }
        let pairs = lines.iter().zip(0..).filter_map(|(open, line0)| Some((line0, (*open)?)));
        let [n_recorded, n_open] = [self.recorded.len(), self.open.len()].map(|n| n as u32);
        LineMap::of_parts(Vec::new(), pairs, n_recorded, n_open)
    }
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use crate::functions::{Functions, Language};

    const LOAD: &str = "def load(n):\n    while n > 1:\n        n //= 2\n    return n\n\n";
    const MERGE: &str = "def merge(a):\n    return sorted(a)\n\n";
    const STORE: &str = "def store(n):\n    s = 0\n    while n > 1:\n        n //= 2\n        s += n\n    return s\n\n";

    /// The open line of each recorded line that is not blank, or `-`.
    fn mapped(recorded: &str, open: &str) -> String {
        let parse = |text: &str| Functions::parse(Language::Python, text.to_owned());
        let (Some(before), Some(now)) = (parse(recorded), parse(open)) else {
            return String::new();
        };
        let map = LineMap::new(recorded, open, Syntax::Python).within_functions(
            TextWithFunctions { text: recorded, functions: before.all() },
            || Some(TextWithFunctions { text: open, functions: now.all() }),
            Syntax::Python,
        );
        let lines = recorded.lines().zip(0..).filter(|(line, _)| !line.is_empty());
        let open =
            lines.map(|(_, line0)| map.to_open(line0).map_or("-".into(), |it| it.to_string()));
        open.collect::<Vec<String>>().join(" ")
    }

    #[test]
    fn swapped_functions_keep_their_lines() {
        let (before, after) = (format!("{LOAD}{MERGE}{STORE}"), format!("{STORE}{MERGE}{LOAD}"));
        assert_eq!(mapped(&before, &after), "10 11 12 13 7 8 0 1 2 3 4 5");
        assert_eq!(mapped(&after, &before), "8 9 10 11 12 13 5 6 0 1 2 3");
    }

    #[test]
    fn a_line_of_a_function_is_not_an_equal_one_of_another() {
        // The loop of `store` is gone; that of the new function is not it.
        let without = "def store(n):\n    s = 0\n    return s\n\n";
        let new = "def fresh(n):\n    while n > 1:\n        n = half(n)\n";
        assert_eq!(mapped(STORE, &format!("{without}{new}")), "0 1 - - - 2");
    }

    #[test]
    fn statements_that_moved_to_another_function_keep_their_lines() {
        let loop_ = "    while n > 1:\n        n //= 2\n        s += n\n";
        let before = format!("def store(n):\n    s = 0\n{loop_}    return s\n\n");
        let after = format!(
            "def halves(n, s):\n{loop_}    return s\n\ndef store(n):\n    return halves(n, 0)\n"
        );
        assert_eq!(mapped(&before, &after), "6 - 1 2 3 4");
    }

    #[test]
    fn a_short_line_of_a_moved_function_stays_if_one_is_inserted_above_it() {
        let edited = STORE.replace("    return s", "    log(s)\n    return s");
        let (before, after) = (format!("{LOAD}{STORE}"), format!("{edited}{LOAD}"));
        assert_eq!(mapped(&before, &after), "8 9 10 11 0 1 2 3 4 6");
    }

    #[test]
    fn swapped_overloads_keep_their_lines() {
        let int = "@overload\ndef total(n: int):\n    s = 0\n    while n > 1:\n        n //= 2\n    return s\n\n";
        let list =
            "@overload\ndef total(n: list):\n    while n > 1:\n        n //= 2\n    return n\n\n";
        let (before, after) = (format!("{int}{list}"), format!("{list}{int}"));
        assert_eq!(mapped(&before, &after), "6 7 8 9 10 11 0 1 2 3 4");
    }

    #[test]
    fn equal_methods_of_swapped_classes_keep_their_lines() {
        let class = |name: &str| {
            format!("class {name}:\n    def run(self, n):\n        x = n + 1\n        return x\n\n")
        };
        let (before, after) =
            ([class("A"), class("B")].concat(), [class("B"), class("A")].concat());
        let lines = mapped(&before, &after);
        let lines: Vec<&str> = lines.split(' ').collect();
        assert_eq!((&lines[1..4], &lines[5..8]), (&["6", "7", "8"][..], &["1", "2", "3"][..]));
    }

    #[test]
    fn functions_of_the_open_text_are_only_needed_after_larger_changes() {
        let functions = Functions::parse(Language::Python, STORE.to_owned()).unwrap();
        let recorded = TextWithFunctions { text: STORE, functions: functions.all() };
        let edited = STORE.replace("s += n", "s += 2 * n\n        n -= 1");
        let map = LineMap::new(STORE, &edited, Syntax::Python);
        let same = map.clone().within_functions(recorded, || unreachable!(), Syntax::Python);
        assert_eq!(same, map);
    }
}
