//! The rows of costs and calls by place. A file has millions of them, so the places are only in the
//! rows.

use hashbrown::HashTable;
use profile::{Call, FuncId, OwnCost, RowWeights, SourceId};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Function, file if it is not the function's, line, and callee.
type Place = (FuncId, Option<SourceId>, u32, Option<FuncId>);

/// A row of costs or calls.
pub(super) trait Row {
    fn at(place: Place) -> Self;
    fn place(&self) -> Place;
}

impl Row for OwnCost {
    fn at((func, source, line, _): Place) -> Self {
        Self { func, source, line, weights: RowWeights::new() }
    }

    fn place(&self) -> Place {
        (self.func, self.source, self.line, None)
    }
}

impl Row for Call {
    fn at((caller, source, line, callee): Place) -> Self {
        let (callee, weights) = (callee.unwrap_or(caller), RowWeights::new());
        Self { caller, source, line, callee, count: 0, weights, nested: false }
    }

    fn place(&self) -> Place {
        (self.caller, self.source, self.line, Some(self.callee))
    }
}

/// The numbers of rows, by the hash of their place.
#[derive(Default)]
pub(super) struct Rows(HashTable<Entry>);

/// A row and the hash of its place. With the hash, the rows are not read when the table grows.
struct Entry {
    hash: u32,
    row: u32,
}

impl Rows {
    /// The row of a place, which is added to `rows` if there is none.
    pub(super) fn row<'r, R: Row>(&mut self, place: Place, rows: &'r mut Vec<R>) -> &'r mut R {
        let hash = FxBuildHasher.hash_one(place) as u32;
        let is_it = |entry: &Entry| {
            entry.hash == hash
                && rows.get(entry.row as usize).is_some_and(|row| row.place() == place)
        };
        let known = self.0.find(spread(hash), is_it).map(|entry| entry.row as usize);
        let row = known.unwrap_or_else(|| {
            let row = rows.len();
            rows.push(R::at(place));
            let entry = Entry { hash, row: row as u32 };
            self.0.insert_unique(spread(hash), entry, |entry| spread(entry.hash));
            row
        });
        &mut rows[row]
    }
}

/// A hash for the table, which uses the first and the last bits of 64.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}
