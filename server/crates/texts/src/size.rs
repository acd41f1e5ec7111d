//! Which texts are too large for tokens and syntax trees.
//!
//! A tree takes 22 bytes for each byte of hand-written code, and tokens 8. Minified code takes four times
//! as much, and has nothing that a line of it could be told by.

/// Longer texts are plain.
const MAX_BYTES: usize = 8 << 20;
/// Shorter texts are not plain.
const MIN_BYTES: usize = 256 << 10;
/// The mean length of the lines of a plain text that is shorter than [`MAX_BYTES`].
const MIN_BYTES_PER_LINE: usize = 400;

/// Whether a text is compared line by line, and its functions are not looked for: it is longer than
/// 8 MiB, or longer than 256 KiB with lines of 400 bytes on average.
pub fn is_plain(text: &str) -> bool {
    if text.len() <= MIN_BYTES || text.len() > MAX_BYTES {
        return text.len() > MAX_BYTES;
    }
    let mut line_ends = text.as_bytes().iter().filter(|&&byte| byte == b'\n');
    // No more than are needed to decide.
    line_ends.nth(text.len() / MIN_BYTES_PER_LINE).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_and_those_with_long_lines_are_plain() {
        let lines = |n: usize, len: usize| format!("{}\n", "a".repeat(len)).repeat(n);
        assert!(!is_plain(&lines(1, MIN_BYTES - 1)));
        assert!(is_plain(&lines(1, MIN_BYTES)));
        assert!(!is_plain(&lines(10_000, 100)));
        assert!(is_plain(&lines(1_000, 1_000)));
        assert!(is_plain(&lines(1_000_000, 9)));
    }
}
