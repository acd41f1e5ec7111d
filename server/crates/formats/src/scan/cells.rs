//! The cells of arrays of numbers.
//!
//! Decoding them directly is several times as fast as decoding each with serde.

/// A cell of a JSON array.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    /// A number of at most eight digits.
    Digits(u32),
    /// A number with a fraction.
    Decimal(f64),
    /// Any other text, without surrounding white space.
    Text(&'a [u8]),
}

impl Cell<'_> {
    /// The number; NaN for `null`.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Digits(number) => Some(f64::from(number)),
            Self::Decimal(number) => Some(number),
            Self::Text(b"null") => Some(f64::NAN),
            Self::Text(text) => to_number(text),
        }
    }
}

/// Calls `push` for each cell in the text of an array. A comma may follow the last one. The error is
/// the first cell for which `push` returns `None`.
pub(crate) fn each_cell(
    text: &[u8],
    mut push: impl FnMut(Cell<'_>) -> Option<()>,
) -> Result<(), String> {
    if text.trim_ascii().is_empty() {
        return Ok(());
    }
    let mut rest = text;
    while !rest.is_empty() {
        // Nearly all cells are a few digits, perhaps with a fraction, and a comma.
        let (number, n_digits) = few_digits(rest);
        let (cell, len) = match rest.get(n_digits) {
            Some(b',') | None if n_digits > 0 => (Cell::Digits(number), n_digits),
            Some(b'.') if n_digits > 0 => with_fraction(rest, number, n_digits),
            _ => text_of(rest),
        };
        if push(cell).is_none() {
            let cell = rest.get(..len).unwrap_or_default().trim_ascii();
            return Err(String::from_utf8_lossy(cell).into_owned());
        }
        rest = rest.get(len + 1..).unwrap_or_default();
    }
    Ok(())
}

/// A cell that begins with this many digits and a point, and its length.
fn with_fraction(rest: &[u8], whole: u32, n_whole: usize) -> (Cell<'_>, usize) {
    let fraction = rest.get(n_whole + 1..).unwrap_or_default();
    let (digits, n_digits) = few_digits(fraction);
    let is_whole_cell = matches!(fraction.get(n_digits), Some(b',') | None);
    if is_whole_cell && n_digits > 0 && n_whole + n_digits <= MAX_EXACT {
        (Cell::Decimal(decimal(whole, digits, n_digits)), n_whole + 1 + n_digits)
    } else {
        text_of(rest)
    }
}

/// The text of the first cell, and its length.
fn text_of(rest: &[u8]) -> (Cell<'_>, usize) {
    let len = memchr::memchr(b',', rest).unwrap_or(rest.len());
    (Cell::Text(rest.get(..len).unwrap_or_default().trim_ascii()), len)
}

/// How many digits a double has exactly.
const MAX_EXACT: usize = 15;

/// The powers of ten.
const POWERS: [f64; 9] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];

/// The number `whole.fraction`, with at most [`MAX_EXACT`] digits in all. The digits and the power of
/// ten are exact, so their quotient is rounded once, and correctly.
fn decimal(whole: u32, fraction: u32, n_fraction: usize) -> f64 {
    let scale = POWERS.get(n_fraction).copied().unwrap_or(f64::NAN);
    (f64::from(whole) * scale + f64::from(fraction)) / scale
}

/// Parses a number. JSON has no infinities and no NaN, unlike Rust's parser.
pub(crate) fn to_number(cell: &[u8]) -> Option<f64> {
    let parsed = std::str::from_utf8(cell).ok()?.parse().ok();
    parsed.filter(|number: &f64| number.is_finite())
}

/// The number in the first digits, at most eight of them, and how many there are. Has no branch per
/// digit, because the length of numbers is hard to predict for a processor.
pub(crate) fn few_digits(bytes: &[u8]) -> (u32, usize) {
    let mut eight = [0; 8];
    match bytes.first_chunk() {
        Some(chunk) => eight = *chunk,
        None => eight[..bytes.len()].copy_from_slice(bytes),
    }
    // Digits become 0 to 9; for any other byte, `others` has the highest bit set.
    let digits = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let n = (others.trailing_zeros() / 8) as usize;
    if n == 0 {
        return (0, 0);
    }
    // Shift the digits to the end, with zeros before them; then add up pairs, groups of four and
    // all eight.
    let digits = digits << (64 - 8 * n);
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let all = fours.wrapping_mul(10_000).wrapping_add(fours >> 32);
    (all as u32, n)
}
