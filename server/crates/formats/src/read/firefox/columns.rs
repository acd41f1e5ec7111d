//! Columns and their encodings, decoded into dense vectors with a value for "absent".
//!
//! Columns are JSON text or slabs ([`super::raw`]). Only those that are needed are decoded,
//! directly into a vector of the right size. That is several times as fast as decoding each number
//! with serde, and errors can name the row.

use crate::error::{At, ReadError};
use profile::Weights;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The value for `null` and negative numbers in a decoded column of indexes.
pub(super) const ABSENT: u32 = u32::MAX;

/// A column as in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) cells: Cells,
}

/// The encoding of the cells of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Cells {
    /// A JSON array.
    #[default]
    Json,
    /// Numbers of this type, little endian.
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
    I64,
    U64,
}

impl<'a> Column<'a> {
    /// Decodes indexes, lines or flags; `place` names the column in errors.
    pub(super) fn ids(self, place: &str) -> Result<Vec<u32>, ReadError> {
        match self.cells {
            Cells::Json => json_cells(self.text(place)?, place, |id| id, to_id),
            _ => self.slab_cells(place, id_of),
        }
    }

    /// Decodes booleans, which some writers write as numbers.
    pub(super) fn truths(self, place: &str) -> Result<Vec<bool>, ReadError> {
        match self.cells {
            Cells::Json => {
                let word = |cell: &str| match cell {
                    "true" => Some(true),
                    "false" | "null" => Some(false),
                    _ => to_number(cell).map(|number| number != 0.0),
                };
                json_cells(self.text(place)?, place, |number| number != 0, word)
            }
            _ => self.slab_cells(place, |number| Some(number != 0.0)),
        }
    }

    /// Decodes measurements; `null` becomes NaN, which means "unknown" in slabs.
    pub(super) fn numbers(self, place: &str) -> Result<Vec<f64>, ReadError> {
        match self.cells {
            Cells::Json => json_cells(self.text(place)?, place, f64::from, |cell| {
                to_number(cell).or((cell == "null").then_some(f64::NAN))
            }),
            _ => self.slab_cells(place, Some),
        }
    }

    /// Decodes measurements into the smallest type that fits; unknown and negative ones become 0.
    pub(super) fn measures(self, place: &str) -> Result<Weights, ReadError> {
        let measure = |number: f64| or_zero(number).max(0.0);
        if self.cells == Cells::Json {
            let count = |cell: &str| {
                if cell == "null" {
                    Some(0)
                } else {
                    to_number(cell).map(measure).and_then(Weights::count)
                }
            };
            if let Ok(counts) = json_cells(self.text(place)?, place, |count| count, count) {
                return Ok(Weights::Counts(counts));
            }
        }
        Ok(Weights::compact(self.numbers(place)?.into_iter().map(measure).collect()))
    }

    /// Decodes weights: all 1, or one per sample; `null` and NaN become 0.
    pub(super) fn weights(self, place: &str) -> Result<Weights, ReadError> {
        if self.cells != Cells::Json {
            let weights = self
                .slab_cells(place, |weight| (!weight.is_infinite()).then_some(or_zero(weight)))?;
            return Ok(if weights.iter().all(|&weight| weight == 1.0) {
                Weights::Ones
            } else {
                Weights::Each(weights)
            });
        }
        let bytes = self.text(place)?;
        let mut weights = Vec::new();
        let (mut at, mut n_ones) = (0, 0);
        while at < bytes.len() {
            if bytes[at] == b'1'
                && bytes.get(at + 1).is_none_or(|&byte| byte == b',')
                && weights.is_empty()
            {
                n_ones += 1;
                at += 2;
                continue;
            }
            if weights.is_empty() {
                weights = vec![1.0; n_ones];
            }
            let (weight, end) = slow_cell(bytes, at, place, weights.len(), |cell| {
                to_number(cell).or((cell == "null").then_some(0.0))
            })?;
            weights.push(weight);
            at = end + 1;
        }
        Ok(if weights.is_empty() { Weights::Ones } else { Weights::Each(weights) })
    }

    /// Whether the column has no cells.
    pub(super) fn is_empty(self) -> bool {
        self.text("").is_ok_and(<[u8]>::is_empty)
    }

    /// Whether any cell is a number.
    pub(super) fn has_numbers(self) -> bool {
        match self.cells {
            Cells::Json => self.bytes.iter().any(u8::is_ascii_digit),
            _ => self.numbers("").is_ok_and(|cells| cells.iter().any(|cell| !cell.is_nan())),
        }
    }

    /// The first and the last cell, as numbers.
    pub(super) fn ends(self) -> Option<(f64, f64)> {
        if self.cells != Cells::Json {
            let cells = self.numbers("").ok()?;
            return cells
                .first()
                .copied()
                .zip(cells.last().copied())
                .filter(|(first, last)| (last - first).is_finite());
        }
        let cells = std::str::from_utf8(self.text("").ok()?).ok()?;
        to_number(cells.split(',').next()?.trim()).zip(to_number(cells.rsplit(',').next()?.trim()))
    }

    /// The sum of all cells that are numbers.
    pub(super) fn sum(self) -> f64 {
        if self.cells != Cells::Json {
            return self
                .numbers("")
                .unwrap_or_default()
                .into_iter()
                .filter(|cell| cell.is_finite())
                .sum();
        }
        let cells = self
            .text("")
            .ok()
            .and_then(|cells| std::str::from_utf8(cells).ok())
            .unwrap_or_default();
        cells.split(',').filter_map(|cell| to_number(cell.trim())).sum()
    }

    /// The text between the brackets, or a whole slab.
    fn text(self, place: &str) -> Result<&'a [u8], ReadError> {
        if self.cells != Cells::Json {
            return Ok(self.bytes);
        }
        let array = self.bytes.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
        let array = array.ok_or_else(|| {
            ReadError::malformed(
                At::Key(place.to_owned()),
                "expected a column: an array of numbers",
            )
        })?;
        Ok(array.trim_ascii())
    }

    /// Decodes the cells of a slab. Numbers above 2^53 lose their last bits, as in JSON.
    fn slab_cells<T>(
        self,
        place: &str,
        convert: impl Fn(f64) -> Option<T>,
    ) -> Result<Vec<T>, ReadError> {
        let Self { bytes, cells } = self;
        match cells {
            Cells::Json => Ok(Vec::new()),
            Cells::I8 => {
                slab_cells(bytes, place, |cell| f64::from(i8::from_le_bytes(cell)), convert)
            }
            Cells::U8 => {
                slab_cells(bytes, place, |cell| f64::from(u8::from_le_bytes(cell)), convert)
            }
            Cells::I16 => {
                slab_cells(bytes, place, |cell| f64::from(i16::from_le_bytes(cell)), convert)
            }
            Cells::U16 => {
                slab_cells(bytes, place, |cell| f64::from(u16::from_le_bytes(cell)), convert)
            }
            Cells::I32 => {
                slab_cells(bytes, place, |cell| f64::from(i32::from_le_bytes(cell)), convert)
            }
            Cells::U32 => {
                slab_cells(bytes, place, |cell| f64::from(u32::from_le_bytes(cell)), convert)
            }
            Cells::F32 => {
                slab_cells(bytes, place, |cell| f64::from(f32::from_le_bytes(cell)), convert)
            }
            Cells::F64 => slab_cells(bytes, place, f64::from_le_bytes, convert),
            Cells::I64 => slab_cells(bytes, place, |cell| i64::from_le_bytes(cell) as f64, convert),
            Cells::U64 => slab_cells(bytes, place, |cell| u64::from_le_bytes(cell) as f64, convert),
        }
    }
}

/// Decodes the cells of a slab of numbers with this many bytes.
fn slab_cells<const BYTES: usize, T>(
    bytes: &[u8],
    place: &str,
    number: impl Fn([u8; BYTES]) -> f64,
    convert: impl Fn(f64) -> Option<T>,
) -> Result<Vec<T>, ReadError> {
    let (cells, _) = bytes.as_chunks::<BYTES>();
    let converted = cells.iter().enumerate().map(|(row, &cell)| {
        let number = number(cell);
        convert(number).ok_or_else(|| no_number(place, row, &number.to_string()))
    });
    converted.collect()
}

/// Decodes the cells of a JSON array: with `plain` those that are only digits, with `convert` all
/// others.
fn json_cells<T>(
    bytes: &[u8],
    place: &str,
    plain: impl Fn(u32) -> T,
    convert: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, ReadError> {
    let mut cells = Vec::with_capacity(memchr::memchr_iter(b',', bytes).count() + 1);
    let mut at = 0;
    while at < bytes.len() {
        // Nearly all cells are a few digits and a comma.
        let (number, n_digits) = few_digits(&bytes[at..]);
        let is_plain = n_digits > 0 && bytes.get(at + n_digits).is_none_or(|&byte| byte == b',');
        let (cell, end) = if is_plain {
            (plain(number), at + n_digits)
        } else {
            slow_cell(bytes, at, place, cells.len(), &convert)?
        };
        cells.push(cell);
        at = end + 1;
    }
    Ok(cells)
}

/// A measurement, or 0 if it is unknown.
pub(super) fn or_zero(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// The number in the first digits, at most eight of them, and how many there are. Has no branch per
/// digit, because the length of numbers is hard to predict for a processor.
fn few_digits(bytes: &[u8]) -> (u32, usize) {
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

/// Decodes one cell that is not only digits; returns the value and the offset of its comma.
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
    Err(no_number(place, row, &cell))
}

pub(super) fn no_number(place: &str, row: usize, cell: &str) -> ReadError {
    let shown: String = cell.chars().take(40).collect();
    let at = At::Key(format!("{place}[{row}]"));
    ReadError::malformed(at, format!("is {shown}, expected a number below 4294967295, -1 or null"))
}

/// Parses a single index, line or flag.
pub(super) fn to_id(cell: &str) -> Option<u32> {
    if cell == "null" { Some(ABSENT) } else { id_of(to_number(cell)?) }
}

fn id_of(number: f64) -> Option<u32> {
    if number < 0.0 || number.is_nan() {
        return Some(ABSENT);
    }
    #[expect(clippy::cast_sign_loss, reason = "checked in the same breath")]
    (number.fract() == 0.0 && number < f64::from(ABSENT)).then_some(number as u32)
}

/// Parses a number. JSON has no infinities and no NaN, unlike Rust's parser.
pub(super) fn to_number(cell: &str) -> Option<f64> {
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

/// A process or thread id: a number or a string.
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

    fn json(text: &str) -> Column<'_> {
        Column { bytes: text.as_bytes(), cells: Cells::Json }
    }

    fn ids(text: &str) -> Result<Vec<u32>, String> {
        json(text).ids("t.c").map_err(|error| error.to_string())
    }

    #[test]
    fn cells_of_every_length_and_form() {
        let numbers = [
            0,
            1,
            9,
            10,
            99,
            12_345,
            1_234_567,
            12_345_678,
            99_999_999,
            123_456_789,
            4_294_967_294,
        ];
        let text = numbers.map(|number: u32| number.to_string()).join(",");
        assert_eq!(ids(&format!("[{text}]")), Ok(numbers.to_vec()));
        assert_eq!(ids(&format!("[ {} ]", text.replace(',', " , "))), Ok(numbers.to_vec()));
        for number in numbers {
            assert_eq!(
                ids(&format!("[{number}]")),
                Ok(vec![number]),
                "{number} at the end of its column"
            );
        }
        assert_eq!(
            ids("[null,-1,7.0,-0.5,1e2,null]"),
            Ok(vec![ABSENT, ABSENT, 7, ABSENT, 100, ABSENT])
        );
        assert_eq!(ids("[]"), Ok(Vec::new()));
    }

    #[test]
    fn invalid_indexes_are_errors_with_their_row() {
        for (text, row, cell) in [
            ("[1,2.5]", 1, "2.5"),
            ("[\"x\"]", 0, "\"x\""),
            ("[1,,2]", 1, ""),
            ("[4294967295]", 0, "4294967295"),
            ("[12a,3]", 0, "12a"),
        ] {
            let expected =
                format!("t.c[{row}]: is {cell}, expected a number below 4294967295, -1 or null");
            assert_eq!(ids(text), Err(expected), "{text}");
        }
        assert!(ids("7").is_err_and(|error| error.contains("expected a column")));
    }

    #[test]
    fn weights() {
        let weights = |text: &str| json(text).weights("t.w").map_err(|error| error.to_string());
        assert_eq!(weights("[1,1,1]"), Ok(Weights::Ones));
        assert_eq!(weights("[1, 1]"), Ok(Weights::Each(vec![1.0, 1.0])));
        assert_eq!(weights("[1,2.5,-3,null]"), Ok(Weights::Each(vec![1.0, 2.5, -3.0, 0.0])));
        assert!(weights("[1,x]").is_err());
    }

    #[test]
    fn truths() {
        let truths = |text: &str| json(text).truths("t.j").map_err(|error| error.to_string());
        assert_eq!(
            truths("[true,false, true,null,1,0]"),
            Ok(vec![true, false, true, false, true, false])
        );
        assert!(truths("[maybe]").is_err());
        assert_eq!(
            Column { bytes: &[1, 0], cells: Cells::U8 }.truths("t.j").ok(),
            Some(vec![true, false])
        );
    }

    #[test]
    fn measurements() {
        let numbers = json("[12,null,1.5e3,-2]").numbers("t.n").unwrap();
        assert_eq!(
            (numbers[0], numbers[1].is_nan(), &numbers[2..]),
            (12.0, true, [1500.0, -2.0].as_slice())
        );
        assert!(json("[null,null]").numbers("t.n").unwrap().iter().all(|number| number.is_nan()));
        assert_eq!(json("[12,null,-2]").measures("t.n"), Ok(Weights::Counts(vec![12, 0, 0])));
        assert_eq!(
            json("[12,null,1.5,-2]").measures("t.n"),
            Ok(Weights::Each(vec![12.0, 0.0, 1.5, 0.0]))
        );
        assert!(json("[12,x]").measures("t.n").is_err());
        assert!(json("[null,0]").has_numbers() && !json("[null,null]").has_numbers());
    }

    #[test]
    fn slabs_of_every_type() {
        let ids = |cells, bytes: &[u8]| {
            Column { bytes, cells }.ids("t.c").map_err(|error| error.to_string())
        };
        assert_eq!(ids(Cells::I8, &[1, 0xff, 0x7f]), Ok(vec![1, ABSENT, 127]));
        assert_eq!(ids(Cells::U8, &[1, 0xff]), Ok(vec![1, 255]));
        assert_eq!(ids(Cells::I16, &[0, 1, 0xff, 0xff]), Ok(vec![256, ABSENT]));
        assert_eq!(ids(Cells::U16, &[0xff, 0xff]), Ok(vec![65_535]));
        assert_eq!(
            ids(Cells::I32, &[7, 0, 1, 0, 0xff, 0xff, 0xff, 0xff]),
            Ok(vec![65_543, ABSENT])
        );
        assert_eq!(ids(Cells::U32, &4_294_967_294_u32.to_le_bytes()), Ok(vec![4_294_967_294]));
        assert_eq!(
            ids(Cells::F32, &[3.0_f32, f32::NAN].map(f32::to_le_bytes).concat()),
            Ok(vec![3, ABSENT])
        );
        assert_eq!(
            ids(Cells::F64, &[3.0_f64, -1.0, f64::NAN].map(f64::to_le_bytes).concat()),
            Ok(vec![3, ABSENT, ABSENT])
        );
        assert_eq!(
            ids(Cells::I64, &[9_i64, -1].map(i64::to_le_bytes).concat()),
            Ok(vec![9, ABSENT])
        );
        assert_eq!(ids(Cells::U64, &9_u64.to_le_bytes()), Ok(vec![9]));
        let message = |shown: &str| {
            Err(format!("t.c[1]: is {shown}, expected a number below 4294967295, -1 or null"))
        };
        assert_eq!(ids(Cells::F64, &[1.0, 2.5].map(f64::to_le_bytes).concat()), message("2.5"));
        assert_eq!(
            ids(Cells::F64, &[1.0, f64::INFINITY].map(f64::to_le_bytes).concat()),
            message("inf")
        );
        assert_eq!(
            ids(Cells::U32, &[1, u32::MAX].map(u32::to_le_bytes).concat()),
            message("4294967295")
        );

        let bytes = [1.0, f64::NAN, -2.5].map(f64::to_le_bytes).concat();
        let column = Column { bytes: &bytes, cells: Cells::F64 };
        assert_eq!(column.weights("t.w").ok(), Some(Weights::Each(vec![1.0, 0.0, -2.5])));
        assert_eq!(
            (column.sum(), column.ends(), column.has_numbers()),
            (-1.5, Some((1.0, -2.5)), true)
        );
        assert_eq!(
            Column { bytes: &[1, 1], cells: Cells::U8 }.weights("t.w").ok(),
            Some(Weights::Ones)
        );
        assert!(
            Column { bytes: &f64::NEG_INFINITY.to_le_bytes(), cells: Cells::F64 }
                .weights("t.w")
                .is_err()
        );
    }
}
