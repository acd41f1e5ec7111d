//! Lines of a text, and what makes two of them equal.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use imara_diff::{Interner, Token};
use rustc_hash::FxHashMap;

/// Lines without terminators. Editors drop a file's byte order mark.
pub(super) fn lines(text: &str) -> std::str::Lines<'_> {
    text.strip_prefix('\u{feff}').unwrap_or(text).lines()
}

/// A line, compared by [`Self::key`].
#[derive(Debug, Default)]
pub(super) struct Line<'a> {
    /// The line as it is in the text.
    pub(super) raw: &'a str,
    /// The line without the white space that separates no words. White space between quotes stays.
    pub(super) key: Cow<'a, str>,
}

impl<'a> Line<'a> {
    pub(super) fn new(raw: &'a str) -> Self {
        let trimmed = raw.trim();
        let is_key = !trimmed.contains(char::is_whitespace);
        let key = if is_key { Cow::Borrowed(trimmed) } else { Cow::Owned(key(trimmed)) };
        Self { raw, key }
    }
}

impl PartialEq for Line<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Line<'_> {}

impl Hash for Line<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// Two texts as interned lines.
pub(super) struct Texts<'a> {
    pub(super) before: &'a [Token],
    pub(super) after: &'a [Token],
    pub(super) interner: &'a Interner<Line<'a>>,
}

impl Texts<'_> {
    pub(super) fn has_words(&self, token: Token) -> bool {
        has_words(&self.interner[token].key)
    }
}

/// The position of each token; `None` for tokens that occur more than once.
pub(super) fn unique_places(tokens: &[Token]) -> FxHashMap<Token, Option<usize>> {
    let mut places = FxHashMap::default();
    for (place, &token) in tokens.iter().enumerate() {
        places.entry(token).and_modify(|place| *place = None).or_insert(Some(place));
    }
    places
}

/// Removes white space, but leaves one space between two words: `let  n = 0` is `let n=0`. After a
/// quote nothing is removed until its end, because white space in a string is part of it. A quote
/// without an end (an apostrophe in a comment, a lifetime) only makes the comparison stricter.
fn key(line: &str) -> String {
    let mut key = String::with_capacity(line.len());
    let mut quote = None;
    let mut is_escaped = false;
    let mut has_space = false;
    for char in line.chars() {
        if quote.is_none() && char.is_whitespace() {
            has_space = true;
            continue;
        }
        if has_space && key.ends_with(is_word) && is_word(char) {
            key.push(' ');
        }
        has_space = false;
        key.push(char);
        quote = match quote {
            Some(end) if char == end && !is_escaped => None,
            None if matches!(char, '"' | '\'' | '`') => Some(char),
            quote => quote,
        };
        is_escaped = char == '\\' && !is_escaped;
    }
    key
}

/// Whether a line contains letters or digits, so that it is more than brackets.
pub(super) fn has_words(line: &str) -> bool {
    line.contains(is_word)
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(line: &str) -> String {
        Line::new(line).key.into_owned()
    }

    #[test]
    fn white_space_that_separates_no_words_does_not_count() {
        assert_eq!(key_of("\t\tlet  mut n = f( a,b );  "), "let mut n=f(a,b);");
        assert_eq!(key_of("n=f(a , b)"), key_of("  n = f(a, b)"));
        assert_ne!(key_of("a b"), key_of("ab"));
        assert_eq!(key_of("   "), "");
    }

    #[test]
    fn white_space_in_strings_counts() {
        assert_ne!(key_of(r#"f("a b")"#), key_of(r#"f("a  b")"#));
        assert_ne!(key_of("f('a, b')"), key_of("f('a,b')"));
        assert_eq!(key_of(r#"f( "a b" , c )"#), r#"f("a b",c)"#);
        assert_eq!(key_of(r#"f("a \" b", c )"#), r#"f("a \" b",c)"#);
    }
}
