//! The grammar of one line: how its values and frames are separated.
//!
//! `stack SP value`: the value follows the *last* space, since names contain spaces; in `worker 3
//! 10` the frame is `worker 3`. `perf report -g folded` has the value first. The frames of a stack
//! are root first, separated by `;`.

use crate::read::number::fits_counter;

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

/// The frames of a stack, root first, as slices of it.
///
/// A `;` followed by a space belongs to the frame (Rust's `[u8; 8]`, Java signatures). With
/// `joins_lines`, a frame `L12` belongs to the previous one: Austin before version 3 writes lines
/// like this.
pub(crate) fn frames(stack: &str, joins_lines: bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(stack);
    std::iter::from_fn(move || {
        let text = rest?;
        let separates = |&at: &usize| {
            let behind = text.get(at + 1..).unwrap_or("");
            !(behind.starts_with(' ') || (joins_lines && is_line(behind)))
        };
        let end = memchr::memchr_iter(b';', text.as_bytes()).find(separates).unwrap_or(text.len());
        rest = text.get(end + 1..);
        text.get(..end)
    })
    .filter(|frame| !frame.is_empty())
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
        let split = |stack, joins| frames(stack, joins).collect::<Vec<_>>();
        assert_eq!(split("main;f<[u8; 8]>;g", false), ["main", "f<[u8; 8]>", "g"]);
        assert_eq!(split(";a;;b;", false), ["a", "b"]);
        assert_eq!(split("", false), [""; 0]);
        assert_eq!(split("f (m);L12;g (n);Lx", true), ["f (m);L12", "g (n)", "Lx"]);
        assert_eq!(split("f (m);L12", false), ["f (m)", "L12"]);
    }

    #[test]
    fn comments_have_a_space_after_the_hash() {
        assert_eq!(comment("# mode: wall"), Some("mode: wall"));
        assert_eq!(comment("#"), Some(""));
        assert_eq!(comment("#count/<;f 3"), None);
    }
}
