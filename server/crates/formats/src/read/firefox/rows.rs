//! Tables of rows, as raw profiles have them: `{schema: {name: column}, data: [rows]}`. The schema gives
//! the positions of columns, and rows may be shorter.

use super::columns::{Column, Kind};
use crate::input;
use crate::read::shared::json::from_json;
use crate::read::shared::stream::Stream;
use crate::scan::{Scanned, Scanner};
use rustc_hash::FxHashMap;

/// What every row about an allocation contains. Few recordings have any, but markers are most of a file.
pub(super) const ALLOCATION: &[u8] = b" allocation\"";

/// The largest number of wanted columns.
const MAX_COLUMNS: usize = 8;

/// The position of each column, or why it is unknown.
type Schema = Result<FxHashMap<String, usize>, String>;

/// The columns of a table, in the order in which they are wanted, with their positions in rows.
struct Columns {
    found: Vec<(&'static str, Column)>,
    positions: Vec<Option<usize>>,
    /// Only rows that contain this text are read.
    part: &'static [u8],
}

/// Scans a table for rows with the text `part`. The result is the wanted columns. Any other value
/// has none of them.
pub(super) fn scan(
    stream: &mut Stream<'_, '_>,
    wanted: &[(&'static str, Kind)],
    part: &'static [u8],
) -> Scanned<Vec<(&'static str, Column)>> {
    let mut schema: Option<Schema> = None;
    let mut unread: Option<Vec<u8>> = None;
    let mut found = Vec::new();
    stream.object(&mut |stream, key| match (key, &schema) {
        (b"schema", _) => {
            schema = Some(from_json(stream.value()?));
            Ok(())
        }
        (b"data", Some(schema)) if stream.peek()? == b'[' => {
            found = Columns::new(wanted, part, schema).scan(stream)?;
            Ok(())
        }
        // Nobody writes data before their schema.
        (b"data", None) => {
            unread = Some(stream.value()?.to_vec());
            Ok(())
        }
        _ => stream.skip(),
    })?;
    if let (Some(text), Some(schema)) = (unread, &schema) {
        let columns = Columns::new(wanted, part, schema);
        let read = input::in_memory(&text, |input| columns.scan(&mut Stream::new(input)));
        found = read.unwrap_or(Ok(Vec::new())).unwrap_or_default();
    }
    Ok(found)
}

impl Columns {
    fn new(wanted: &[(&'static str, Kind)], part: &'static [u8], schema: &Schema) -> Self {
        let column = |&(name, kind): &(&'static str, Kind)| match schema {
            Ok(_) => (name, Column::new(kind)),
            Err(reason) => (name, Column::without_schema(reason.clone())),
        };
        let position = |(name, _): &(&str, Kind)| schema.as_ref().ok()?.get(*name).copied();
        Self {
            found: wanted.iter().map(column).collect(),
            positions: wanted.iter().map(position).collect(),
            part,
        }
    }

    fn scan(mut self, stream: &mut Stream<'_, '_>) -> Scanned<Vec<(&'static str, Column)>> {
        let mut row = 0;
        stream.array(&mut |stream| {
            let text = stream.value()?;
            if self.part.is_empty() || memchr::memmem::find(text, self.part).is_some() {
                self.push(row, text);
            }
            row += 1;
            Ok(())
        })?;
        Ok(self.found)
    }

    fn push(&mut self, row: usize, text: &[u8]) {
        let mut cells = [None; MAX_COLUMNS];
        let mut scanner = Scanner::new(text);
        let mut position = 0;
        let scanned = scanner.array(&mut |scanner| {
            scanner.peek()?;
            let start = scanner.at();
            scanner.skip()?;
            for (cell, wanted) in cells.iter_mut().zip(&self.positions) {
                if *wanted == Some(position) {
                    *cell = Some(scanner.since(start));
                }
            }
            position += 1;
            Ok(())
        });
        for ((_, column), cell) in self.found.iter_mut().zip(cells) {
            match scanned {
                Ok(()) => column.push(cell),
                Err(_) => column.break_at(row),
            }
        }
    }
}
