//! Rows by id, strings by index, and errors about them.

use crate::error::{At, ReadError};
use profile::{WarningCode, Warnings};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

pub(crate) fn malformed(at: u64, error: &prost::DecodeError) -> ReadError {
    ReadError::malformed(At::Byte(at), error.to_string())
}

pub(crate) fn at_key(key: String, message: String) -> ReadError {
    ReadError::malformed(At::Key(key), message)
}

/// A reference without a target. Tables are in any order and the file has no end mark, so this is
/// the only sign of a file that was cut between two fields.
pub(crate) fn dangling(key: String, what: &str, number: impl std::fmt::Display) -> ReadError {
    ReadError::truncated(
        At::Key(key),
        format!("there is no {what} {number}; the file may be cut off"),
    )
}

/// Rows by id. Ids are unique and not 0.
pub(super) struct ById<T> {
    /// The name of the table, for errors.
    name: &'static str,
    pub(super) rows: FxHashMap<u64, T>,
}

impl<T> ById<T> {
    pub(super) fn new(name: &'static str) -> Self {
        Self { name, rows: FxHashMap::default() }
    }

    pub(super) fn insert(&mut self, row: usize, id: u64, value: T) -> Result<(), ReadError> {
        if id == 0 || self.rows.insert(id, value).is_some() {
            let key = format!("{}[{row}].id", self.name);
            return Err(at_key(
                key,
                format!("expected an id above 0 that no other {} has, found {id}", self.name),
            ));
        }
        Ok(())
    }

    pub(super) fn get(&self, id: u64, key: impl FnOnce() -> String) -> Result<&T, ReadError> {
        self.rows.get(&id).ok_or_else(|| dangling(key(), self.name, id))
    }
}

/// The table of strings.
pub(super) struct Strings<'a>(pub(super) Vec<Cow<'a, str>>);

impl<'a> Strings<'a> {
    pub(super) fn of(table: &'a [Vec<u8>], warnings: &mut Warnings) -> Self {
        let strings: Vec<_> = table.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect();
        for (row, _) in
            strings.iter().enumerate().filter(|(_, string)| matches!(string, Cow::Owned(_)))
        {
            warnings.add(WarningCode::InvalidUtf8, || {
                format!("string_table[{row}] is not UTF-8; such bytes are shown as \u{fffd}")
            });
        }
        Self(strings)
    }

    pub(super) fn get(&self, index: i64, key: impl FnOnce() -> String) -> Result<&str, ReadError> {
        match usize::try_from(index).ok().and_then(|index| self.0.get(index)) {
            Some(string) => Ok(string),
            None if index == 0 => Ok(""),
            None => Err(dangling(key(), "string", index)),
        }
    }
}
