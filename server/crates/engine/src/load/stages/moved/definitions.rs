//! Finds the definitions that are no longer in a file, and where they are now.

use crate::functions::definitions::FileDefinitions;
use sources::{Definition, FunctionKind, Syntax, code_tokens};
use std::ops::{Range, RangeInclusive};

/// A definition must have this many tokens to be recognized elsewhere. Shorter ones can be equal by
/// chance.
pub const MIN_TOKENS: usize = 20;

/// A text and its definitions.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    /// The text.
    pub text: &'a str,
    /// How it is divided into tokens.
    pub syntax: Syntax,
    /// Its definitions.
    pub definitions: &'a FileDefinitions,
}

impl<'a> Code<'a> {
    fn tokens(&self, definition: &Definition) -> Vec<u64> {
        code_tokens(self.text_of(definition), self.syntax)
    }

    fn text_of(&self, definition: &Definition) -> &'a str {
        self.text.get(definition.bytes.clone()).unwrap_or_default()
    }

    /// The definitions with this name and these tokens, as indexes.
    pub fn equal(&self, name: &str, tokens: &[u64]) -> Vec<usize> {
        let all = self.definitions.all.iter().enumerate();
        let named = all.filter(|(_, definition)| definition.name == name);
        named
            .filter(|(_, definition)| self.tokens(definition) == tokens)
            .map(|(at, _)| at)
            .collect()
    }

    /// The lines of a definition, with its attributes, 0-based. `None` if it shares a line with
    /// other code.
    pub fn own_lines(&self, at: usize) -> Option<RangeInclusive<u32>> {
        let definition = self.definitions.all.get(at)?;
        let Range { start, end } = definition.bytes;
        let (before, after) = (self.text.get(..start)?, self.text.get(end..)?);
        let before = before.rsplit('\n').next().unwrap_or_default();
        let after = after.split('\n').next().unwrap_or_default();
        let is_alone = before.trim().is_empty() && after.chars().all(|c| " \t\r;,".contains(c));
        let start0 = *self.definitions.starts.get(at)?;
        is_alone.then(|| start0..=*definition.lines.end())
    }
}

/// A definition that is no longer in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its lines in the recorded text, 0-based.
    pub lines: RangeInclusive<u32>,
    /// Its name.
    pub name: String,
    /// Its longest word. A text without it cannot have the definition.
    pub word: String,
    /// Its tokens.
    pub tokens: Vec<u64>,
}

/// The definitions in `recorded` that are not in `today`. Only those on lines with costs, of which
/// there is only one in `recorded`, and that are not part of another one.
pub fn missing_definitions(
    recorded: Code<'_>,
    today: Code<'_>,
    has_cost: impl Fn(&RangeInclusive<u32>) -> bool,
) -> Vec<Missing> {
    let mut missing: Vec<Missing> = Vec::new();
    for (at, definition) in recorded.definitions.all.iter().enumerate() {
        if definition.kind != FunctionKind::Function || definition.name.is_empty() {
            continue;
        }
        let Some(lines) = recorded.own_lines(at).filter(&has_cost) else { continue };
        if missing.iter().any(|outer| outer.lines.contains(lines.start())) {
            continue;
        }
        let name = definition.name.clone();
        let tokens = recorded.tokens(definition);
        let is_unique = || recorded.equal(&name, &tokens).len() == 1;
        if tokens.len() < MIN_TOKENS || !today.equal(&name, &tokens).is_empty() || !is_unique() {
            continue;
        }
        let text = recorded.text_of(definition);
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let word = words.max_by_key(|word| word.len()).unwrap_or_default().to_owned();
        missing.push(Missing { lines, name, word, tokens });
    }
    missing
}

/// Where a definition is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// In no file.
    Nowhere,
    /// In this candidate only, as the index of the definition in it.
    Once {
        /// The candidate, as an index.
        candidate: usize,
        /// The definition, as an index.
        at: usize,
    },
    /// Several times.
    Several,
}

/// Where each definition is in the candidates. A definition that is missing in several files is
/// found several times.
pub fn moved_definitions(missing: &[Missing], candidates: &[Code<'_>]) -> Vec<Found> {
    let find = |one: &Missing| {
        let is_same = |other: &&Missing| (&other.name, &other.tokens) == (&one.name, &one.tokens);
        if missing.iter().filter(is_same).count() > 1 {
            return Found::Several;
        }
        let places = candidates.iter().enumerate().flat_map(|(candidate, code)| {
            let equal = code.equal(&one.name, &one.tokens);
            equal.into_iter().map(move |at| Found::Once { candidate, at })
        });
        let mut places = places;
        match (places.next(), places.next()) {
            (None, _) => Found::Nowhere,
            (Some(only), None) => only,
            (Some(_), Some(_)) => Found::Several,
        }
    };
    missing.iter().map(find).collect()
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use std::path::Path;

    const SPIN: &str = "def spin(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n";
    /// The same tokens.
    const FORMATTED: &str = "def spin(n):\n    # sum\n    total = 0\n    for i in range(\n        n\n    ):\n        total += i\n\n    return total\n";
    const OTHER: &str = "def other(n):\n    return n\n";

    /// The lines of each missing definition, and where it is.
    #[expect(clippy::unwrap_used, reason = "it is a part of tests")]
    fn found(
        recorded: &str,
        today: &str,
        candidates: &[&str],
    ) -> Vec<(RangeInclusive<u32>, Found)> {
        let parse = |text: &str| FileDefinitions::of_text(Path::new("a.py"), text).unwrap();
        let syntax = Syntax::Python;
        let (was, is) = (parse(recorded), parse(today));
        let parsed: Vec<_> = candidates.iter().map(|text| parse(text)).collect();
        let recorded = Code { text: recorded, syntax, definitions: &was };
        let today = Code { text: today, syntax, definitions: &is };
        let candidates: Vec<_> = candidates
            .iter()
            .zip(&parsed)
            .map(|(text, definitions)| Code { text, syntax, definitions })
            .collect();
        let missing = missing_definitions(recorded, today, |lines| lines.contains(&3));
        let found = moved_definitions(&missing, &candidates);
        missing.into_iter().map(|one| one.lines).zip(found).collect()
    }

    #[test]
    fn a_definition_is_found_if_it_is_in_one_place() {
        let both = format!("{SPIN}\n{OTHER}");
        let twice = format!("{SPIN}\nclass A:\n    {}", SPIN.replace('\n', "\n    "));
        let once = Found::Once { candidate: 1, at: 0 };
        for (candidates, expected) in [
            (vec![OTHER, SPIN], once),
            (vec![OTHER, FORMATTED], once),
            (vec![OTHER, &both], once),
            (vec![OTHER], Found::Nowhere),
            (vec![SPIN, FORMATTED], Found::Several),
            (vec![OTHER, &twice], Found::Several),
        ] {
            assert_eq!(found(&both, OTHER, &candidates), [(0..=4, expected)], "{candidates:?}");
        }
        let edited = SPIN.replace("+= i", "+= 2");
        assert_eq!(found(&both, OTHER, &[&edited]), [(0..=4, Found::Nowhere)]);
    }

    #[test]
    fn only_long_definitions_with_cost_that_are_gone_are_missing() {
        let both = format!("{OTHER}\n{OTHER}");
        assert_eq!(found(&both, "", &[]), [], "too short, and twice");
        assert_eq!(found(SPIN, FORMATTED, &[SPIN]), [], "still there");
        let below = format!("{OTHER}\n\n\n{SPIN}");
        assert_eq!(found(&below, OTHER, &[SPIN]), [], "without cost on its lines");
        assert_eq!(found(&format!("{SPIN}{SPIN}"), OTHER, &[SPIN]), [], "two of them");
    }

    #[test]
    fn a_definition_beside_other_code_has_no_own_lines() {
        let text = "x = 1; f = lambda: 2\ndef g(): pass; y = 3\n";
        let definitions = FileDefinitions::of_text(Path::new("a.py"), text).unwrap();
        let code = Code { text, syntax: Syntax::Python, definitions: &definitions };
        let lambda = definitions.all.iter().position(|one| one.lines == (0..=0)).unwrap();
        assert_eq!(code.own_lines(lambda), None);
    }
}
