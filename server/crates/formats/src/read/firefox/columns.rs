//! How columns are encoded, and their decoding into dense vectors with a mark for "absent".
//!
//! Columns come as text ([`super::raw`]); only those that costs need are decoded, straight into a vector of the right size.
//! That is several times as fast as a number at a time through serde, and an error knows its row.

use crate::{At, ReadError};
use profile::Weights;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;

/// What a decoded column of indexes holds for `null` and for numbers below zero.
pub(super) const ABSENT: u32 = u32::MAX;

/// A column as the file has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column<'a>(pub(super) &'a [u8]);

impl<'a> Column<'a> {
    /// Indexes, lines or flags; `place` names the column in errors.
    pub(super) fn ids(self, place: &str) -> Result<Vec<u32>, ReadError> {
        let bytes = self.cells(place)?;
        let mut ids = Vec::with_capacity(memchr::memchr_iter(b',', bytes).count() + 1);
        let mut at = 0;
        while at < bytes.len() {
            // Nearly all cells are a few digits and a comma.
            let (id, n_digits) = few_digits(&bytes[at..]);
            let plain = n_digits > 0 && bytes.get(at + n_digits).is_none_or(|&byte| byte == b',');
            let (cell, end) = if plain { (id, at + n_digits) } else { slow_cell(bytes, at, place, ids.len(), to_id)? };
            ids.push(cell);
            at = end + 1;
        }
        Ok(ids)
    }

    /// Weights: all 1, or one per sample; `null` weighs nothing.
    pub(super) fn weights(self, place: &str) -> Result<Weights, ReadError> {
        let bytes = self.cells(place)?;
        let mut weights = Vec::new();
        let (mut at, mut n_ones) = (0, 0);
        while at < bytes.len() {
            if bytes[at] == b'1' && bytes.get(at + 1).is_none_or(|&byte| byte == b',') && weights.is_empty() {
                n_ones += 1;
                at += 2;
                continue;
            }
            if weights.is_empty() {
                weights = vec![1.0; n_ones];
            }
            let (weight, end) =
                slow_cell(bytes, at, place, weights.len(), |cell| to_number(cell).or((cell == "null").then_some(0.0)))?;
            weights.push(weight);
            at = end + 1;
        }
        Ok(if weights.is_empty() { Weights::Ones } else { Weights::Each(weights) })
    }

    /// Whether it has no cells.
    pub(super) fn is_empty(self) -> bool {
        self.cells("").is_ok_and(<[u8]>::is_empty)
    }

    /// The first and the last cell, as numbers.
    pub(super) fn ends(self) -> Option<(f64, f64)> {
        let cells = self.text()?;
        to_number(cells.split(',').next()?.trim()).zip(to_number(cells.rsplit(',').next()?.trim()))
    }

    /// The sum of all cells that are numbers.
    pub(super) fn sum(self) -> f64 {
        self.text().unwrap_or_default().split(',').filter_map(|cell| to_number(cell.trim())).sum()
    }

    fn text(self) -> Option<&'a str> {
        std::str::from_utf8(self.cells("").ok()?).ok()
    }

    /// What stands between the brackets.
    fn cells(self, place: &str) -> Result<&'a [u8], ReadError> {
        let array = self.0.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
        let array =
            array.ok_or_else(|| ReadError::malformed(At::Key(place.to_owned()), "expected a column: an array of numbers"))?;
        Ok(array.trim_ascii())
    }
}

/// The number that the first digits make, at most eight of them, and how many they are. Without a branch per digit: the length
/// of numbers is what a processor cannot guess.
fn few_digits(bytes: &[u8]) -> (u32, usize) {
    let mut eight = [0; 8];
    match bytes.first_chunk() {
        Some(chunk) => eight = *chunk,
        None => eight[..bytes.len()].copy_from_slice(bytes),
    }
    // Digits become 0 to 9; of any other byte the highest bit is set in `others`.
    let digits = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let n = (others.trailing_zeros() / 8) as usize;
    if n == 0 {
        return (0, 0);
    }
    // The digits at the end, zeros before them; then pairs, fours and all eight are added up.
    let digits = digits << (64 - 8 * n);
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let all = fours.wrapping_mul(10_000).wrapping_add(fours >> 32);
    (all as u32, n)
}

/// One cell that is not just digits: the value and where its comma is.
fn slow_cell<T>(
    bytes: &[u8],
    start: usize,
    place: &str,
    row: usize,
    convert: impl FnOnce(&str) -> Option<T>,
) -> Result<(T, usize), ReadError> {
    let end = memchr::memchr(b',', &bytes[start..]).map_or(bytes.len(), |at| start + at);
    let cell = String::from_utf8_lossy(bytes[start..end].trim_ascii());
    if let Some(value) = convert(&cell) {
        return Ok((value, end));
    }
    let shown: String = cell.chars().take(40).collect();
    let at = At::Key(format!("{place}[{row}]"));
    Err(ReadError::malformed(at, format!("is {shown}, expected a number below 4294967295, -1 or null")))
}

fn to_id(cell: &str) -> Option<u32> {
    if cell == "null" {
        return Some(ABSENT);
    }
    let number = to_number(cell)?;
    if number < 0.0 {
        return Some(ABSENT);
    }
    #[expect(clippy::cast_sign_loss, reason = "checked in the same breath")]
    (number.fract() == 0.0 && number < f64::from(ABSENT)).then_some(number as u32)
}

/// JSON has no infinities and no NaN; Rust's parser would take them.
fn to_number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A string that borrows from the file unless it has escapes.
#[derive(Debug)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_unit<E: Error>(self) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed("")))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A process or thread id: a number or a string, as the writer likes.
#[derive(Debug)]
pub(super) struct IdText(pub(super) Option<String>);

impl<'de> Deserialize<'de> for IdText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdTextVisitor;
        impl Visitor<'_> for IdTextVisitor {
            type Value = IdText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an id: a string or a number")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<IdText, E> {
                Ok(IdText(Some(text.to_owned())))
            }

            fn visit_u64<E: Error>(self, id: u64) -> Result<IdText, E> {
                Ok(IdText(Some(id.to_string())))
            }

            fn visit_i64<E: Error>(self, id: i64) -> Result<IdText, E> {
                Ok(IdText(Some(id.to_string())))
            }

            fn visit_f64<E: Error>(self, id: f64) -> Result<IdText, E> {
                Ok(IdText(Some(id.to_string())))
            }

            fn visit_unit<E: Error>(self) -> Result<IdText, E> {
                Ok(IdText(None))
            }
        }
        deserializer.deserialize_any(IdTextVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Result<Vec<u32>, String> {
        Column(text.as_bytes()).ids("t.c").map_err(|error| error.to_string())
    }

    #[test]
    fn cells_of_every_length_and_form() {
        let numbers = [0, 1, 9, 10, 99, 12_345, 1_234_567, 12_345_678, 99_999_999, 123_456_789, 4_294_967_294];
        let text = numbers.map(|number: u32| number.to_string()).join(",");
        assert_eq!(ids(&format!("[{text}]")), Ok(numbers.to_vec()));
        assert_eq!(ids(&format!("[ {} ]", text.replace(',', " , "))), Ok(numbers.to_vec()));
        for number in numbers {
            assert_eq!(ids(&format!("[{number}]")), Ok(vec![number]), "{number} at the end of its column");
        }
        assert_eq!(ids("[null,-1,7.0,-0.5,1e2,null]"), Ok(vec![ABSENT, ABSENT, 7, ABSENT, 100, ABSENT]));
        assert_eq!(ids("[]"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_index_is_named_with_its_row() {
        for (text, row, cell) in [
            ("[1,2.5]", 1, "2.5"),
            ("[\"x\"]", 0, "\"x\""),
            ("[1,,2]", 1, ""),
            ("[4294967295]", 0, "4294967295"),
            ("[12a,3]", 0, "12a"),
        ] {
            let expected = format!("t.c[{row}]: is {cell}, expected a number below 4294967295, -1 or null");
            assert_eq!(ids(text), Err(expected), "{text}");
        }
        assert!(ids("7").is_err_and(|error| error.contains("expected a column")));
    }

    #[test]
    fn weights() {
        let weights = |text: &str| Column(text.as_bytes()).weights("t.w").map_err(|error| error.to_string());
        assert_eq!(weights("[1,1,1]"), Ok(Weights::Ones));
        assert_eq!(weights("[1, 1]"), Ok(Weights::Each(vec![1.0, 1.0])));
        assert_eq!(weights("[1,2.5,-3,null]"), Ok(Weights::Each(vec![1.0, 2.5, -3.0, 0.0])));
        assert!(weights("[1,x]").is_err());
    }
}
