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
pub(super) struct Rows(HashTable<u32>);

impl Rows {
    /// The row of a place, which is added to `rows` if there is none.
    pub(super) fn row<'r, R: Row>(&mut self, place: Place, rows: &'r mut Vec<R>) -> &'r mut R {
        let hash = |place: Place| FxBuildHasher.hash_one(place);
        let is_it = |&row: &u32| rows.get(row as usize).is_some_and(|row| row.place() == place);
        let known = self.0.find(hash(place), is_it).map(|&row| row as usize);
        let row = known.unwrap_or_else(|| {
            let row = rows.len();
            rows.push(R::at(place));
            self.0.insert_unique(hash(place), row as u32, |&row| hash(rows[row as usize].place()));
            row
        });
        &mut rows[row]
    }
}
