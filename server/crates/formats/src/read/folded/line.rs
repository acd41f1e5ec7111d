//! The grammar of one line: how its values and frames are separated.
//!
//! `stack SP value`: the value follows the *last* space, since names contain spaces; in `worker 3
//! 10` the frame is `worker 3`. `perf report -g folded` has the value first. The frames of a stack
//! are root first, separated by `;`.

use crate::read::shared::number::fits_counter;

/// Parses a number as profilers write it: digits, optionally with a sign and a fraction.
pub(super) fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let number: f64 = (all_digits(whole) && all_digits(fraction)).then(|| text.parse().ok())??;
    fits_counter(number).then_some(number)
}

/// Splits `stack value`; applied twice, `stack before after`. The stack may be empty: ` 1`.
pub(super) fn value_last(line: &str) -> Option<(&str, f64)> {
    let (stack, value) = last_word(line)?;
    Some((stack, number(value)?))
}

/// Splits `stack time,idle,memory` as written by `austin --full`: microseconds, 0 or 1, bytes.
pub(super) fn values_last(line: &str) -> Option<(&str, [f64; 3])> {
    let (stack, values) = last_word(line)?;
    let mut values = values.split(',').map(number);
    let all = [values.next()??, values.next()??, values.next()??];
    values.next().is_none().then_some((stack, all))
}

/// Splits `count stack` or `percent% stack` as written by `perf report -g folded`.
pub(super) fn value_first(line: &str) -> Option<(&str, f64)> {
    let (value, stack) = line.split_once(' ')?;
    Some((stack.trim(), number(value.strip_suffix('%').unwrap_or(value))?))
}

/// Splits off the last word: `stack` and `word`.
pub(crate) fn last_word(line: &str) -> Option<(&str, &str)> {
    let (stack, word) = line.trim_end().rsplit_once([' ', '\t'])?;
    Some((stack.trim_end(), word))
}

/// The text after the `#` of a comment line.
pub(crate) fn comment(line: &str) -> Option<&str> {
    let text = line.strip_prefix('#')?;
    (text.is_empty() || text.starts_with([' ', '#', '\t', '\r'])).then(|| text.trim())
}

/// Removes the backslash that Costline's own writer puts before a line that would be a comment.
pub(super) fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if rest.trim_start_matches('\\').starts_with('#') => rest,
        _ => line,
    }
}

/// What separates the frames of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// `;`. If a space follows, it belongs to the frame (Rust's `[u8; 8]`, Java signatures).
    Semicolon,
    /// The same, but a frame `L12` belongs to the previous one: Austin before version 3 writes lines
    /// like this.
    JoinsLines,
    /// `; ` outside brackets: tracing-flame up to version 0.2.
    Spaced,
}

/// The frames of a stack, root first, as slices of it.
pub(crate) fn frames(stack: &str, separator: Separator) -> impl Iterator<Item = &str> {
    let mut rest = Some(stack);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = if separator == Separator::Spaced {
            outside_brackets(text).find(|&at| is_before_space(text, at))
        } else {
            let joins_lines = separator == Separator::JoinsLines;
            let separates = |&at: &usize| {
                let behind = text.get(at + 1..).unwrap_or("");
                !(behind.starts_with(' ') || (joins_lines && is_line(behind)))
            };
            memchr::memchr_iter(b';', text.as_bytes()).find(separates)
        };
        let end = end.unwrap_or(text.len());
        rest = text.get(end + 1..);
        let frame = text.get(..end)?;
        Some(if separator == Separator::Spaced { frame.trim_start() } else { frame })
    })
    .filter(|frame| !frame.is_empty())
}

/// Where `text` has a `;` that is not in brackets.
fn outside_brackets(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_u32;
    let is_outside = move |&at: &usize| {
        match bytes.get(at) {
            Some(b'(' | b'[' | b'{' | b'<') => depth += 1,
            // An arrow is not a bracket.
            Some(b'>') if at > 0 && bytes.get(at - 1) == Some(&b'-') => {}
            Some(b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
            Some(b';') => return depth == 0,
            _ => {}
        }
        false
    };
    (0..bytes.len()).filter(is_outside)
}

fn is_before_space(text: &str, at: usize) -> bool {
    text.as_bytes().get(at + 1) == Some(&b' ')
}

/// Whether each `;` outside brackets is followed by a space in all of `stacks`, and there is one.
pub(super) fn are_spaced<'a>(mut stacks: impl Iterator<Item = &'a str>) -> bool {
    let mut has_any = false;
    let all = stacks.all(|stack| {
        outside_brackets(stack).all(|at| {
            has_any = true;
            is_before_space(stack, at)
        })
    });
    all && has_any
}

/// Whether a stack begins with a thread as tracing-flame names it: `ThreadId(1)-main`, or
/// `all-threads`.
pub(super) fn begins_with_tracing(stack: &str) -> bool {
    let root = stack.split(';').next().unwrap_or("");
    root == "all-threads" || root.starts_with("ThreadId(")
}

/// Whether `text` begins with a frame `L12`.
fn is_line(text: &str) -> bool {
    let digits = text.strip_prefix('L').map(|line| line.split(';').next().unwrap_or(""));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_follows_the_last_space() {
        assert_eq!(value_last("a b;c d 3.7"), Some(("a b;c d", 3.7)));
        assert_eq!(value_last("a;b\t-12\r"), Some(("a;b", -12.0)));
        assert_eq!(
            value_last("a;b 10 5").and_then(|(stack, _)| value_last(stack)),
            Some(("a;b", 10.0))
        );
        assert_eq!(value_last(" 1"), Some(("", 1.0)));
        for bad in ["", "1", "a;b", "a;b ", "a 1.", "a .5", "a -", "a 1e5", "a 1,2,3", "a x1"] {
            assert_eq!(value_last(bad), None, "{bad}");
        }
        assert_eq!(value_last(&format!("a {}", u64::MAX)), Some(("a", u64::MAX as f64)));
        for digits in [21, 31, 400] {
            assert_eq!(value_last(&format!("a {}", "9".repeat(digits))), None, "{digits}");
        }
        assert_eq!(values_last("a;b 10,1,-5"), Some(("a;b", [10.0, 1.0, -5.0])));
        assert_eq!(values_last("a;b 10,1,-5,2"), None);
        assert_eq!(value_first("77 main;a b"), Some(("main;a b", 77.0)));
        assert_eq!(value_first("3.98% main"), Some(("main", 3.98)));
        assert_eq!(value_first("    3.98%  app  [.] main"), None);
    }

    #[test]
    fn frames_end_at_semicolons_but_not_within_types() {
        let split = |stack, separator| frames(stack, separator).collect::<Vec<_>>();
        let plain = |stack| split(stack, Separator::Semicolon);
        assert_eq!(plain("main;f<[u8; 8]>;g"), ["main", "f<[u8; 8]>", "g"]);
        assert_eq!(plain(";a;;b;"), ["a", "b"]);
        assert_eq!(plain(""), [""; 0]);
        assert_eq!(plain("f (m);L12"), ["f (m)", "L12"]);
        assert_eq!(
            split("f (m);L12;g (n);Lx", Separator::JoinsLines),
            ["f (m);L12", "g (n)", "Lx"]
        );
        let spaced = |stack| split(stack, Separator::Spaced);
        assert_eq!(spaced("main; f<[u8; 8]>; g"), ["main", "f<[u8; 8]>", "g"]);
        assert_eq!(spaced("a; ; b; c (d; e) -> f; "), ["a", "b", "c (d; e) -> f"]);
        assert_eq!(spaced("a; f(b -> c; d); g"), ["a", "f(b -> c; d)", "g"]);
        assert_eq!(spaced("a;b"), ["a;b"]);
    }

    #[test]
    fn semicolons_are_spaced_if_all_are() {
        let spaced = |stacks: &[&str]| are_spaced(stacks.iter().copied());
        assert!(spaced(&["a", "a; b", "a; f<[u8; 8]>; [x;y]"]));
        assert!(!spaced(&["a; b", "a; b;c"]));
        assert!(!spaced(&["a", "f<[u8; 8]>", "g(a; b)"]));
        assert!(!spaced(&[]));
    }

    #[test]
    fn comments_have_a_space_after_the_hash() {
        assert_eq!(comment("# mode: wall"), Some("mode: wall"));
        assert_eq!(comment("#"), Some(""));
        assert_eq!(comment("#count/<;f 3"), None);
    }
}
