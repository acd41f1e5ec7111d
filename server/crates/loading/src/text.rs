//! Sanitizes and escapes untrusted text. Names and paths come from profiles, and anyone may have
//! written the profile.

use sources::without_version;
use std::borrow::Cow;

/// The maximum number of characters of a name in labels and messages. Machine-readable output has
/// the full name.
const MAX_SHOWN: usize = 200;

/// Sanitizes text for one line of output, and truncates it to `MAX_SHOWN` characters.
pub fn plain(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        None => one_line(text),
        Some((end, _)) => Cow::Owned(format!("{}…", one_line(&text[..end]))),
    }
}

/// Sanitizes text without truncating it, for sentences that quote names. Control, bidi and
/// invisible characters become U+FFFD.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(needs_replacement) {
        Cow::Owned(text.replace(needs_replacement, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// ` (3 times)` to follow a message that stands for several, or nothing.
pub fn times(count: u64) -> String {
    if count > 1 { format!(" ({count} times)") } else { String::new() }
}

/// A sanitized address, without the user and password that it may have.
pub fn address(text: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = text.split_once("://") else { return plain(text) };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match host.rfind('@') {
        Some(at) => Cow::Owned(plain(&format!("{scheme}://…{}", &rest[at..])).into_owned()),
        None => plain(text),
    }
}

/// The sanitized name of a file, without the version that repositories have in names.
pub fn file_name(name: &str) -> Cow<'_, str> {
    plain(without_version(name))
}

/// A place in a file as short text: `app.py:12`, or `app.py` without a line (1-based).
pub fn place(file: &str, line: Option<u32>) -> String {
    match line {
        Some(line) => format!("{}:{line}", file_name(file)),
        None => file_name(file).into_owned(),
    }
}

/// The sanitized name of a library in brackets. Names of the kernel and its modules already have
/// brackets.
pub fn library(name: &str) -> String {
    let name = plain(name);
    if name.starts_with('[') { name.into_owned() } else { format!("[{name}]") }
}

/// Sanitizes text and escapes what Markdown would interpret, so that the text is shown literally:
/// without links, markup, HTML or table cells. The text may begin a line. Only characters that are
/// markup where they stand are escaped, because some editors show the escapes (`CommonMark` 0.31).
pub fn markdown(text: &str) -> String {
    let text = plain(text);
    let text = text.trim_start();
    let marker = line_marker(text);
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_marker = at < marker && c.is_ascii_punctuation();
        if is_marker || is_markup(c, &text[..at], &text[at + c.len_utf8()..]) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The length in bytes of what begins a heading, list, quote or rule at the start of a line.
fn line_marker(text: &str) -> usize {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let first = text.chars().next();
    match first {
        Some('>') => 1,
        Some(c @ ('#' | '-' | '+' | '=')) => {
            let run = text.len() - text.trim_start_matches(c).len();
            if run > 1 || ends(&text[run..]) { run } else { 0 }
        }
        Some('0'..='9') if text[digits..].starts_with(['.', ')']) && ends(&text[digits + 1..]) => {
            digits + 1
        }
        _ => 0,
    }
}

/// Whether a character between the texts `before` and `rest` is markup within a line.
fn is_markup(c: char, before: &str, rest: &str) -> bool {
    let (last, next) = (before.chars().next_back(), rest.chars().next());
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    match c {
        '`' | '|' => true,
        // A link, or what one refers to.
        ']' => next.is_some_and(|next| "([:".contains(next)),
        '\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
        '*' => !(is_space(last) && is_space(next)) || last.is_none(),
        // Within a word, underscores are no emphasis.
        '_' => {
            let before = before.trim_end_matches('_').chars().next_back();
            let after = rest.trim_start_matches('_').chars().next();
            !(is_word(before) && is_word(after))
        }
        '~' => next == Some('~') || last == Some('~'),
        '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
        '&' => is_word(next) || next == Some('#'),
        // Addresses become links.
        ':' => rest.starts_with("//"),
        '.' => before.ends_with("www") && is_word(next),
        _ => false,
    }
}

fn needs_replacement(c: char) -> bool {
    c.is_control() || is_bidi_control(c) || is_invisible(c)
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Line separators that are not control characters, and characters without width: the format
/// characters of Unicode (general category Cf), fillers, and the plane of tags. Without the variation
/// selectors of emoji.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{2028}' | '\u{2029}'
        | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}'
        | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_password() {
        assert_eq!(address("http://me:s3@cret@host:1/@a?b"), "http://…@host:1/@a?b");
        assert_eq!(address("http://host/me@here"), "http://host/me@here");
        assert_eq!(address("../me@here\n"), "../me@here\u{fffd}");
    }

    #[test]
    fn control_bidi_and_invisible_characters_are_replaced() {
        assert_eq!(plain("a\u{1b}[31mb\n\u{202e}c"), "a\u{fffd}[31mb\u{fffd}\u{fffd}c");
        assert_eq!(plain("a\u{2028}b\u{200b}c"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(plain("a\u{200d}b\u{e0041}c\u{2060}d"), "a\u{fffd}b\u{fffd}c\u{fffd}d");
        assert!(matches!(plain("Vec<T>::push é😀"), Cow::Borrowed(_)));
        assert_eq!(
            one_line(&format!("{}\u{1b}", "x".repeat(300))),
            format!("{}\u{fffd}", "x".repeat(300))
        );
        assert_eq!(plain(&"x".repeat(300)).chars().count(), 201);
    }

    #[test]
    fn libraries_have_one_pair_of_brackets() {
        assert_eq!(
            ["libc.so.6", "[kernel.kallsyms]"].map(library),
            ["[libc.so.6]", "[kernel.kallsyms]"]
        );
    }

    #[test]
    fn only_markup_is_escaped() {
        for plain in [
            "100.0% (10 samples)",
            "build_carve, a-b, f(x) = -1.5 + 2 / 3",
            "a * b",
            "x < y & z > 1",
            "wordstat::count_words at main.rs:42",
            "operator~",
            "2.0% of 3)",
            "#define",
            "-x",
        ] {
            assert_eq!(markdown(plain), plain);
        }
        for (text, escaped) in [
            ("<T>[x](command:y)|`z`", r"\<T>[x\](command:y)\|\`z\`"),
            ("build.<locals>.carve", r"build.\<locals>.carve"),
            ("__init__", r"\_\_init\_\_"),
            ("*p **q", r"\*p \*\*q"),
            ("~~gone~~", r"\~\~gone\~\~"),
            ("# title", r"\# title"),
            ("- item", r"\- item"),
            ("---", r"\-\-\-"),
            ("> quote", r"\> quote"),
            ("12. item", r"12\. item"),
            ("http://a.b", r"http\://a.b"),
            ("www.a.b", r"www\.a.b"),
            ("&lt;", r"\&lt;"),
            (r"C:\[x]", r"C:\\[x]"),
            ("    code", "code"),
        ] {
            assert_eq!(markdown(text), escaped);
        }
    }
}
