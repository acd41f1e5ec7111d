//! Untrusted text made harmless: names and paths come from profiles, and anybody may have written those.

use std::borrow::Cow;

/// Longer names are cut in what people see; data keep them whole.
const MAX_SHOWN: usize = 200;

/// One line of plain text: no control characters, nothing that turns the direction of writing, of bounded length.
pub fn plain(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        None => one_line(text),
        Some((end, _)) => Cow::Owned(format!("{}…", one_line(&text[..end]))),
    }
}

/// The same of any length, for sentences that quote names.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| c.is_control() || is_bidi_control(c) || is_unseen(c);
    if text.contains(is_harmful) { Cow::Owned(text.replace(is_harmful, "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// A library in brackets, in which the names of the kernel and its modules stand already.
pub fn library(name: &str) -> String {
    let name = plain(name);
    if name.starts_with('[') { name.into_owned() } else { format!("[{name}]") }
}

/// Plain text as Markdown that shows it literally: no links, no markup, no HTML, no table cells.
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

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Ends of lines that are no control characters, and what has no width.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_direction_marks_become_visible() {
        assert_eq!(plain("a\u{1b}[31mb\n\u{202e}c"), "a\u{fffd}[31mb\u{fffd}\u{fffd}c");
        assert_eq!(plain("a\u{2028}b\u{200b}c"), "a\u{fffd}b\u{fffd}c");
        assert!(matches!(plain("Vec<T>::push é😀"), Cow::Borrowed(_)));
        assert_eq!(one_line(&format!("{}\u{1b}", "x".repeat(300))), format!("{}\u{fffd}", "x".repeat(300)));
        assert_eq!(plain(&"x".repeat(300)).chars().count(), 201);
    }

    #[test]
    fn libraries_have_one_pair_of_brackets() {
        assert_eq!(["libc.so.6", "[kernel.kallsyms]"].map(library), ["[libc.so.6]", "[kernel.kallsyms]"]);
    }

    #[test]
    fn markdown_shows_names_literally() {
        assert_eq!(markdown("<T>[x](command:y)|`z`"), r"\<T\>\[x\]\(command\:y\)\|\`z\`");
    }
}
