//! Columns, decoded into dense vectors with a value for "absent" as they are scanned.
//!
//! Decoding cells directly is several times as fast as decoding each with serde, and errors can name
//! the row. An error of a column counts only if the column is used.

use crate::error::{At, ReadError};
use crate::read::shared::stream::{BadColumn, Stream};
use crate::scan::Scanned;
use crate::scan::cells::{Cell, each_cell, to_number};
use profile::Weights;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The value for `null` and negative numbers in a decoded column of indexes.
pub(super) const ABSENT: u32 = u32::MAX;

/// What the cells of a column mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Indexes, lines or flags, below 2^32 - 1. In rows of raw profiles also booleans, as 1 and 0.
    Id,
    /// Booleans, which some writers write as numbers.
    Truth,
    /// Measurements; `null` becomes NaN, which means "unknown" in slabs.
    Number,
    /// Weights, nearly always 1; `null` and NaN become 0.
    Weight,
    /// Measurements; unknown and negative ones become 0.
    Measure,
    /// Anything, as text.
    Json,
}

/// A column that was scanned.
#[derive(Debug)]
pub(super) struct Column(Result<Cells, Bad>);

/// Why a column cannot be used.
#[derive(Debug, Clone)]
enum Bad {
    NoArray,
    /// The schema of its table of rows cannot be read.
    Schema(String),
    /// This row is no list of cells.
    Row(usize),
    /// The cell in this row.
    Cell(usize, String),
}

/// The cells of a column.
#[derive(Debug)]
enum Cells {
    Ids(Vec<u32>),
    Truths(Vec<bool>),
    Numbers(Vec<f64>),
    /// The first ones are 1; from the first other one on, all are in the vector.
    Weights(usize, Vec<f64>),
    Measures(Measures),
    Json(Vec<Vec<u8>>),
}

/// Measurements: counts, as long as all of them are.
#[derive(Debug, Default)]
struct Measures {
    counts: Vec<u32>,
    others: Vec<f64>,
    /// Whether any cell is a number.
    is_known: bool,
}

/// The type of the cells of a slab, little endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellType {
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

impl Column {
    /// Scans a JSON array.
    pub(super) fn scan(kind: Kind, stream: &mut Stream<'_, '_>) -> Scanned<Self> {
        let mut cells = Cells::new(kind);
        let scanned = stream.column(&mut |text| cells.extend(text))?;
        Ok(Self(match scanned {
            Ok(()) => Ok(cells),
            Err(BadColumn::NoArray) => Err(Bad::NoArray),
            Err(BadColumn::Cell(cell)) => Err(Bad::Cell(cells.len(), cell)),
        }))
    }

    /// Decodes a slab. Numbers above 2^53 lose their last bits, as in JSON.
    pub(super) fn of_slab(kind: Kind, bytes: &[u8], cells: CellType) -> Self {
        fn each<const BYTES: usize>(
            kind: Kind,
            bytes: &[u8],
            number: impl Fn([u8; BYTES]) -> f64,
        ) -> Column {
            let mut cells = Cells::new(kind);
            let (numbers, _) = bytes.as_chunks::<BYTES>();
            let bad = numbers.iter().map(|&cell| number(cell)).find(|&number| !cells.push(number));
            Column(
                bad.map_or(Ok(()), Err)
                    .map_err(|bad| Bad::Cell(cells.len(), bad.to_string()))
                    .map(|()| cells),
            )
        }
        match cells {
            CellType::I8 => each(kind, bytes, |cell| f64::from(i8::from_le_bytes(cell))),
            CellType::U8 => each(kind, bytes, |cell| f64::from(u8::from_le_bytes(cell))),
            CellType::I16 => each(kind, bytes, |cell| f64::from(i16::from_le_bytes(cell))),
            CellType::U16 => each(kind, bytes, |cell| f64::from(u16::from_le_bytes(cell))),
            CellType::I32 => each(kind, bytes, |cell| f64::from(i32::from_le_bytes(cell))),
            CellType::U32 => each(kind, bytes, |cell| f64::from(u32::from_le_bytes(cell))),
            CellType::F32 => each(kind, bytes, |cell| f64::from(f32::from_le_bytes(cell))),
            CellType::F64 => each(kind, bytes, f64::from_le_bytes),
            CellType::I64 => each(kind, bytes, |cell| i64::from_le_bytes(cell) as f64),
            CellType::U64 => each(kind, bytes, |cell| u64::from_le_bytes(cell) as f64),
        }
    }

    /// A column without cells, for [`Column::push`].
    pub(super) fn new(kind: Kind) -> Self {
        Self(Ok(Cells::new(kind)))
    }

    /// Adds the cell of a row as it is in the file, or none if the row has none.
    pub(super) fn push(&mut self, cell: Option<&[u8]>) {
        let Ok(cells) = &mut self.0 else { return };
        let text = cell.unwrap_or(b"null");
        let pushed = match (&mut *cells, text) {
            (Cells::Ids(ids), b"true") => {
                ids.push(1);
                Ok(())
            }
            (Cells::Ids(ids), b"false") => {
                ids.push(0);
                Ok(())
            }
            // An unknown measurement is no error here.
            (Cells::Numbers(numbers), text) => {
                numbers.push(to_number(text).unwrap_or(f64::NAN));
                Ok(())
            }
            (Cells::Json(texts), text) => {
                texts.push(text.to_vec());
                Ok(())
            }
            (cells, text) => cells.extend(text),
        };
        if let Err(cell) = pushed {
            self.0 = Err(Bad::Cell(cells.len(), cell));
        }
    }

    /// A column that cannot be used, because the schema of its table of rows cannot be read.
    pub(super) fn without_schema(reason: String) -> Self {
        Self(Err(Bad::Schema(reason)))
    }

    /// Makes the column unusable, because a row is no list of cells.
    pub(super) fn break_at(&mut self, row: usize) {
        if self.0.is_ok() {
            self.0 = Err(Bad::Row(row));
        }
    }

    /// Indexes, lines or flags; `place` names the column in errors.
    pub(super) fn ids(self, place: &str) -> Result<Vec<u32>, ReadError> {
        self.cells(place, |cells| match cells {
            Cells::Ids(ids) => Some(ids),
            _ => None,
        })
    }

    /// Booleans.
    pub(super) fn truths(self, place: &str) -> Result<Vec<bool>, ReadError> {
        self.cells(place, |cells| match cells {
            Cells::Truths(truths) => Some(truths),
            _ => None,
        })
    }

    /// Measurements; unknown ones are NaN.
    pub(super) fn numbers(self, place: &str) -> Result<Vec<f64>, ReadError> {
        self.cells(place, |cells| match cells {
            Cells::Numbers(numbers) => Some(numbers),
            _ => None,
        })
    }

    /// Weights: all 1, or one per sample.
    pub(super) fn weights(self, place: &str) -> Result<Weights, ReadError> {
        self.cells(place, |cells| match cells {
            Cells::Weights(_, weights) if weights.is_empty() => Some(Weights::Ones),
            Cells::Weights(_, weights) => Some(Weights::Each(weights)),
            _ => None,
        })
    }

    /// Measurements in the smallest type that fits.
    pub(super) fn measures(self, place: &str) -> Result<Weights, ReadError> {
        self.cells(place, |cells| match cells {
            Cells::Measures(Measures { others, .. }) if !others.is_empty() => {
                Some(Weights::compact(others))
            }
            Cells::Measures(Measures { counts, .. }) => Some(Weights::Counts(counts)),
            _ => None,
        })
    }

    /// The texts of cells; `null` if a row has none.
    pub(super) fn texts(&self, place: &str) -> Result<&[Vec<u8>], ReadError> {
        match &self.0 {
            Ok(Cells::Json(texts)) => Ok(texts),
            Ok(_) => Err(Bad::NoArray.error(place)),
            Err(bad) => Err(bad.error(place)),
        }
    }

    /// Whether the column has no cells.
    pub(super) fn is_empty(&self) -> bool {
        self.0.as_ref().is_ok_and(|cells| cells.len() == 0)
    }

    /// Whether any cell of measurements is a number.
    pub(super) fn has_numbers(&self) -> bool {
        match &self.0 {
            Ok(Cells::Measures(measures)) => measures.is_known,
            Ok(_) => false,
            // The error shows when it is used.
            Err(_) => true,
        }
    }

    /// The measurements, if they can be read.
    pub(super) fn known_numbers(&self) -> &[f64] {
        match &self.0 {
            Ok(Cells::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// The cells, if they are of the kind that `pick` picks.
    fn cells<T>(self, place: &str, pick: impl FnOnce(Cells) -> Option<T>) -> Result<T, ReadError> {
        match self.0 {
            Ok(cells) => pick(cells).ok_or(Bad::NoArray),
            Err(bad) => Err(bad),
        }
        .map_err(|bad| bad.error(place))
    }
}

impl Bad {
    fn error(&self, place: &str) -> ReadError {
        match self {
            Self::NoArray => ReadError::malformed(
                At::Key(place.to_owned()),
                "expected a column: an array of numbers",
            ),
            Self::Schema(reason) => {
                let table = place.strip_suffix(".data").unwrap_or(place);
                ReadError::malformed(At::Key(format!("{table}.schema")), reason.clone())
            }
            Self::Row(row) => ReadError::malformed(
                At::Key(format!("{place}[{row}]")),
                "expected a row: a list of values",
            ),
            Self::Cell(row, cell) => no_number(place, *row, cell),
        }
    }
}

impl Cells {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Id => Self::Ids(Vec::new()),
            Kind::Truth => Self::Truths(Vec::new()),
            Kind::Number => Self::Numbers(Vec::new()),
            Kind::Weight => Self::Weights(0, Vec::new()),
            Kind::Measure => Self::Measures(Measures::default()),
            Kind::Json => Self::Json(Vec::new()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Ids(ids) => ids.len(),
            Self::Truths(truths) => truths.len(),
            Self::Numbers(numbers) => numbers.len(),
            Self::Weights(n_ones, weights) => weights.len().max(*n_ones),
            Self::Measures(measures) => measures.len(),
            Self::Json(texts) => texts.len(),
        }
    }

    /// Adds the cells in the text of an array. The error is the first cell that is not of this kind.
    fn extend(&mut self, text: &[u8]) -> Result<(), String> {
        match self {
            Self::Ids(ids) => each_cell(text, |cell| {
                ids.push(match cell {
                    Cell::Digits(id) => id,
                    Cell::Text(b"null") => ABSENT,
                    Cell::Decimal(_) | Cell::Text(_) => id_of(cell.number()?)?,
                });
                Some(())
            }),
            Self::Truths(truths) => each_cell(text, |cell| {
                truths.push(match cell {
                    Cell::Digits(number) => number != 0,
                    Cell::Text(b"true") => true,
                    Cell::Text(b"false" | b"null") => false,
                    Cell::Decimal(_) | Cell::Text(_) => cell.number()? != 0.0,
                });
                Some(())
            }),
            Self::Numbers(numbers) => each_cell(text, |cell| {
                numbers.push(cell.number()?);
                Some(())
            }),
            Self::Weights(n_ones, weights) => each_cell(text, |cell| {
                push_weight(n_ones, weights, cell.number()?);
                Some(())
            }),
            Self::Measures(measures) => each_cell(text, |cell| {
                match cell {
                    Cell::Digits(count) => measures.push_count(count),
                    Cell::Decimal(_) | Cell::Text(_) => measures.push(cell.number()?),
                }
                Some(())
            }),
            Self::Json(_) => Ok(()),
        }
    }

    /// Adds a cell of a slab. `false` if it is not of this kind.
    fn push(&mut self, number: f64) -> bool {
        match self {
            Self::Ids(ids) => {
                let Some(id) = id_of(number) else { return false };
                ids.push(id);
            }
            Self::Truths(truths) => truths.push(number != 0.0),
            Self::Numbers(numbers) => numbers.push(number),
            Self::Weights(..) if number.is_infinite() => return false,
            Self::Weights(n_ones, weights) => push_weight(n_ones, weights, number),
            Self::Measures(measures) => measures.push(number),
            Self::Json(_) => return false,
        }
        true
    }
}

fn push_weight(n_ones: &mut usize, weights: &mut Vec<f64>, weight: f64) {
    if weight == 1.0 && weights.is_empty() {
        *n_ones += 1;
        return;
    }
    if weights.is_empty() {
        *weights = vec![1.0; *n_ones];
    }
    weights.push(or_zero(weight));
}

impl Measures {
    fn len(&self) -> usize {
        self.counts.len().max(self.others.len())
    }

    fn push_count(&mut self, count: u32) {
        self.is_known = true;
        if self.others.is_empty() {
            self.counts.push(count);
        } else {
            self.others.push(f64::from(count));
        }
    }

    fn push(&mut self, number: f64) {
        let measure = or_zero(number).max(0.0);
        match Weights::count(measure) {
            Some(count) if self.others.is_empty() => self.counts.push(count),
            _ => {
                if self.others.is_empty() {
                    let counts = std::mem::take(&mut self.counts);
                    self.others = counts.into_iter().map(f64::from).collect();
                }
                self.others.push(measure);
            }
        }
        self.is_known |= !number.is_nan();
    }
}

/// A measurement, or 0 if it is unknown.
pub(super) fn or_zero(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

fn no_number(place: &str, row: usize, cell: &str) -> ReadError {
    let shown: String = cell.chars().take(40).collect();
    let at = At::Key(format!("{place}[{row}]"));
    ReadError::malformed(at, format!("is {shown}, expected a number below 4294967295, -1 or null"))
}

fn id_of(number: f64) -> Option<u32> {
    if number < 0.0 || number.is_nan() {
        return Some(ABSENT);
    }
    #[expect(clippy::cast_sign_loss, reason = "checked in the same breath")]
    (number.fract() == 0.0 && number < f64::from(ABSENT)).then_some(number as u32)
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
    use crate::input::{self, Source};
    use crate::limits::Limits;
    use std::ops::ControlFlow;

    fn scan(kind: Kind, text: &str) -> Column {
        // A number ends before another character.
        let source = Source::from(format!("{text},").into_bytes());
        let go_on = &mut |_| ControlFlow::Continue(());
        input::open(source, Limits::default(), go_on, |input| {
            Column::scan(kind, &mut Stream::new(input)).unwrap()
        })
        .unwrap()
    }

    fn ids(text: &str) -> Result<Vec<u32>, String> {
        scan(Kind::Id, text).ids("t.c").map_err(|error| error.to_string())
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
        let weights =
            |text: &str| scan(Kind::Weight, text).weights("t.w").map_err(|error| error.to_string());
        assert_eq!(weights("[1,1, 1]"), Ok(Weights::Ones));
        assert_eq!(weights("[1,1,2]"), Ok(Weights::Each(vec![1.0, 1.0, 2.0])));
        assert_eq!(weights("[1,2.5,-3,null]"), Ok(Weights::Each(vec![1.0, 2.5, -3.0, 0.0])));
        assert!(weights("[1,x]").is_err());
    }

    #[test]
    fn truths() {
        let truths =
            |text: &str| scan(Kind::Truth, text).truths("t.j").map_err(|error| error.to_string());
        assert_eq!(
            truths("[true,false, true,null,1,0]"),
            Ok(vec![true, false, true, false, true, false])
        );
        assert!(truths("[maybe]").is_err());
        assert_eq!(
            Column::of_slab(Kind::Truth, &[1, 0], CellType::U8).truths("t.j").ok(),
            Some(vec![true, false])
        );
    }

    #[test]
    fn measurements() {
        let numbers = scan(Kind::Number, "[12,null,1.5e3,-2]").numbers("t.n").unwrap();
        assert_eq!(
            (numbers[0], numbers[1].is_nan(), &numbers[2..]),
            (12.0, true, [1500.0, -2.0].as_slice())
        );
        let measures = |text: &str| scan(Kind::Measure, text);
        assert_eq!(measures("[12,null,-2]").measures("t.n"), Ok(Weights::Counts(vec![12, 0, 0])));
        assert_eq!(
            measures("[12,null,1.5,-2,7]").measures("t.n"),
            Ok(Weights::Each(vec![12.0, 0.0, 1.5, 0.0, 7.0]))
        );
        assert!(measures("[12,x]").measures("t.n").is_err());
        assert!(measures("[null,0]").has_numbers() && !measures("[null,null]").has_numbers());
    }

    /// Each number is the one that Rust's parser finds, which rounds correctly.
    #[test]
    fn decimals_are_exact() {
        let numbers = [
            "0.1",
            "2000.000826",
            "99999999.9999999",
            "123456.123456789",
            "0.000000000000001",
            "12345678.12345678",
            "123456789.5",
            "1.",
            "3.0",
            "0.30000000000000004",
            "9007199254740993.0",
            "1234567890123456.7",
        ];
        let scanned = scan(Kind::Number, &format!("[{}]", numbers.join(","))).numbers("t.n");
        let expected: Vec<f64> = numbers.iter().map(|number| number.parse().unwrap()).collect();
        assert_eq!(scanned, Ok(expected));
        for bad in [".5", "1.5.5", "1.5x", "1 .5", "0x1.5"] {
            let known = bad.parse::<f64>().ok();
            let scanned = scan(Kind::Number, &format!("[{bad}]")).numbers("t.n");
            assert_eq!(scanned.ok(), known.map(|number| vec![number]), "{bad}");
        }
    }

    #[test]
    fn slabs_of_every_type() {
        let ids = |cells, bytes: &[u8]| {
            Column::of_slab(Kind::Id, bytes, cells).ids("t.c").map_err(|error| error.to_string())
        };
        assert_eq!(ids(CellType::I8, &[1, 0xff, 0x7f]), Ok(vec![1, ABSENT, 127]));
        assert_eq!(ids(CellType::U8, &[1, 0xff]), Ok(vec![1, 255]));
        assert_eq!(ids(CellType::I16, &[0, 1, 0xff, 0xff]), Ok(vec![256, ABSENT]));
        assert_eq!(ids(CellType::U16, &[0xff, 0xff]), Ok(vec![65_535]));
        assert_eq!(
            ids(CellType::I32, &[7, 0, 1, 0, 0xff, 0xff, 0xff, 0xff]),
            Ok(vec![65_543, ABSENT])
        );
        assert_eq!(ids(CellType::U32, &4_294_967_294_u32.to_le_bytes()), Ok(vec![4_294_967_294]));
        assert_eq!(
            ids(CellType::F32, &[3.0_f32, f32::NAN].map(f32::to_le_bytes).concat()),
            Ok(vec![3, ABSENT])
        );
        assert_eq!(
            ids(CellType::F64, &[3.0_f64, -1.0, f64::NAN].map(f64::to_le_bytes).concat()),
            Ok(vec![3, ABSENT, ABSENT])
        );
        assert_eq!(
            ids(CellType::I64, &[9_i64, -1].map(i64::to_le_bytes).concat()),
            Ok(vec![9, ABSENT])
        );
        assert_eq!(ids(CellType::U64, &9_u64.to_le_bytes()), Ok(vec![9]));
        let message = |shown: &str| {
            Err(format!("t.c[1]: is {shown}, expected a number below 4294967295, -1 or null"))
        };
        assert_eq!(ids(CellType::F64, &[1.0, 2.5].map(f64::to_le_bytes).concat()), message("2.5"));
        assert_eq!(
            ids(CellType::F64, &[1.0, f64::INFINITY].map(f64::to_le_bytes).concat()),
            message("inf")
        );
        assert_eq!(
            ids(CellType::U32, &[1, u32::MAX].map(u32::to_le_bytes).concat()),
            message("4294967295")
        );

        let bytes = [1.0, f64::NAN, -2.5].map(f64::to_le_bytes).concat();
        let slab = |kind, bytes: &[u8]| Column::of_slab(kind, bytes, CellType::F64);
        assert_eq!(
            slab(Kind::Weight, &bytes).weights("t.w").ok(),
            Some(Weights::Each(vec![1.0, 0.0, -2.5]))
        );
        let measures = slab(Kind::Measure, &bytes);
        assert!(measures.has_numbers());
        assert_eq!(measures.measures("t.m"), Ok(Weights::Counts(vec![1, 0, 0])));
        let ones = Column::of_slab(Kind::Weight, &[1, 1], CellType::U8);
        assert_eq!(ones.weights("t.w").ok(), Some(Weights::Ones));
        assert!(slab(Kind::Weight, &f64::NEG_INFINITY.to_le_bytes()).weights("t.w").is_err());
    }

    #[test]
    fn cells_of_rows_may_be_missing_or_boolean() {
        let mut column = Column::new(Kind::Id);
        for cell in [Some(&b"7"[..]), None, Some(b"true"), Some(b"false"), Some(b"null")] {
            column.push(cell);
        }
        assert_eq!(column.ids("t.c"), Ok(vec![7, ABSENT, 1, 0, ABSENT]));
        let mut column = Column::new(Kind::Id);
        column.push(Some(b"7"));
        column.push(Some(b"\"x\""));
        column.push(Some(b"8"));
        let error = column.ids("t.c").unwrap_err().to_string();
        assert!(error.starts_with("t.c[1]: is \"x\""), "{error}");
    }
}
