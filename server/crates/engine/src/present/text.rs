//! Sanitizes and escapes untrusted text. Names and paths come from profiles, and anyone may have
//! written the profile.

use std::borrow::Cow;

/// The maximum number of characters of a name in labels and messages. Machine-readable output has
/// the whole name.
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

/// The sanitized name of a library in brackets. Names of the kernel and its modules already have
/// brackets.
pub fn library(name: &str) -> String {
    let name = plain(name);
    if name.starts_with('[') { name.into_owned() } else { format!("[{name}]") }
}

/// A cost for Markdown. It is escaped only if its unit has characters that Markdown interprets.
pub fn markdown_cost(text: &str) -> Cow<'_, str> {
    let is_special = |c: char| c.is_ascii_punctuation() && !"%.,()+-:".contains(c);
    if text.contains(is_special) { markdown(text).into() } else { text.into() }
}

/// Sanitizes text and escapes it for Markdown, where it is then shown literally: without links,
/// markup, HTML or table cells.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
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
    fn markdown_is_escaped() {
        assert_eq!(markdown("<T>[x](command:y)|`z`"), r"\<T\>\[x\]\(command\:y\)\|\`z\`");
    }
}
