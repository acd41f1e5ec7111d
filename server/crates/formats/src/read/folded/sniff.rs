//! Detection of folded stacks by the first lines.

use super::line::{self, Separator};
use crate::writer::Dialect;

/// How many lines are examined.
const LINES: usize = 32;

/// Whether most of the first lines are stacks with values. Lines with a single frame prove little
/// (`Chapter 1`): without any other stack, all lines must be like this. Lines with a value and any
/// other text prove nothing, because frames may contain spaces (`<A as B>::go 5`).
pub(crate) fn is_folded(bytes: &[u8]) -> bool {
    let front = bytes.get(..4096).unwrap_or(bytes);
    if front.iter().any(|&b| b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r')) {
        return false;
    }
    let (mut stacks, mut single, mut unclear, mut other) = (0, 0, 0, 0);
    let mut report = false;
    let lines = bytes
        .split_inclusive(|&b| b == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .take(LINES);
    for whole in lines {
        let text = String::from_utf8_lossy(whole);
        let text = text.trim_end();
        if let Some(comment) = line::comment(text) {
            report |= comment.starts_with("Samples: ");
            continue;
        }
        match Kind::of(text, report) {
            Kind::Stack => stacks += 1,
            Kind::Single => single += 1,
            Kind::Neutral => {}
            Kind::Unclear => unclear += 1,
            // The last line of a prefix may be cut anywhere.
            Kind::Other if !whole.ends_with(b"\n") && (stacks > 0 || is_deep(text)) => stacks += 1,
            Kind::Other => other += 1,
        }
    }
    if stacks > 0 { stacks + single > other } else { single > 0 && unclear + other == 0 }
}

enum Kind {
    /// Several frames and a value.
    Stack,
    /// Possibly one frame and a value.
    Single,
    /// An empty stack, or a row of the table that `perf report` prints between stacks.
    Neutral,
    /// A value after words.
    Unclear,
    Other,
}

impl Kind {
    fn of(line: &str, report: bool) -> Self {
        let last = line::value_last(line)
            .map(|(stack, _)| stack)
            .or_else(|| line::values_last(line).map(|(stack, _)| stack));
        let first = || line::value_first(line).map(|(stack, _)| stack);
        match last {
            Some("") => Self::Neutral,
            Some(stack) if is_stack(stack) => Self::Stack,
            _ if first().is_some_and(|stack| report || is_stack(stack)) => Self::Stack,
            _ if report && line.starts_with(' ') && line.contains('%') => Self::Neutral,
            Some(frame) if is_single(frame) => Self::Single,
            Some(_) => Self::Unclear,
            None => Self::Other,
        }
    }
}

/// Whether there are at least two frames and the last one is not empty.
fn is_stack(text: &str) -> bool {
    let is_spaced = line::begins_with_tracing(text) && line::are_spaced([text].into_iter());
    let separator = if is_spaced { Separator::Spaced } else { Separator::Semicolon };
    !text.ends_with(';') && line::frames(text, separator).nth(1).is_some()
}

/// Whether this is one frame: it has a place (and contains no quotes, as lines of logs do), it is a
/// single word that is neither a number nor a key, or it is a name in parentheses.
fn is_single(text: &str) -> bool {
    let is_word = !text.contains([' ', '\t', ',', ';'])
        && text.contains(char::is_alphabetic)
        && !text.ends_with([':', '=']);
    is_word || is_in_parentheses(text) || (!text.contains('"') && Dialect::any(text).is_some())
}

/// Whether this is a name in parentheses, as profilers give to what is no function of the program:
/// `(garbage collector)`.
fn is_in_parentheses(text: &str) -> bool {
    let name = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    name.is_some_and(|name| {
        name.starts_with(char::is_alphabetic)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/'))
    })
}

/// Whether a cut line can only be deep recursion, with the same frames again and again.
fn is_deep(text: &str) -> bool {
    let frames: Vec<&str> = line::frames(text, Separator::Semicolon).take(1000).collect();
    let distinct: rustc_hash::FxHashSet<&str> = frames.iter().copied().collect();
    frames.len() >= 64 && distinct.len() * 4 < frames.len()
}
