//! A profile as nested objects whose columns are still text, or slabs. Of a hundred columns a dozen
//! bear on costs: only those are read.

use super::columns::{Cells, Column};
use super::slabs::{ROOT_FIELD, Slab, Slabs, malformed};
use crate::error::{At, ReadError};
use crate::scan::{Scanned, Scanner, Stop};
use serde::Deserialize;

/// Objects and lists of objects are taken apart to this depth: file, threads, thread, table. Below
/// are columns.
const DEPTH: u32 = 4;

/// A value of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw<'a> {
    /// As the file has it, without blanks around it.
    pub(super) text: &'a [u8],
    /// What `text` is, if not JSON: a slab.
    cells: Cells,
    /// Of an object: its members.
    members: Vec<(&'a [u8], Raw<'a>)>,
    /// Of a list of objects: its elements.
    elements: Vec<Raw<'a>>,
}

impl<'a> Raw<'a> {
    /// Takes a file apart. What follows its object is not looked at.
    pub(super) fn new(file: &'a [u8]) -> Result<Self, ReadError> {
        let mut scanner = Scanner::new(file);
        Walk::default().value(&mut scanner, DEPTH).map_err(|stop| match stop {
            Stop::End => {
                let message = "the JSON ends in the middle; expected the rest of the profile";
                ReadError::truncated(At::Byte(file.len() as u64), message)
            }
            Stop::Broken | Stop::Enough => {
                ReadError::malformed(At::Byte(scanner.at() as u64), "this is not JSON")
            }
        })
    }

    /// Takes slabs apart.
    pub(super) fn of_slabs(slabs: Slabs<'a>) -> Result<Self, ReadError> {
        let root = slabs.root();
        let mut walk = Walk { slabs: Some(slabs), ..Walk::default() };
        walk.slab(root, ROOT_FIELD, DEPTH)
            .map_err(|_| walk.error.unwrap_or_else(|| malformed(0, "this is not JSON".to_owned())))
    }

    /// A member. `None` where it is missing or `null`. Of two with one name the last counts, as in
    /// JavaScript.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let found = self.members.iter().rev().find(|(name, _)| *name == key.as_bytes());
        found.map(|(_, value)| value).filter(|value| value.text != b"null")
    }

    /// The elements, if this is a list; all of them if it is one of objects.
    pub(super) fn list(&self) -> Option<&[Self]> {
        (self.cells == Cells::Json && self.text.starts_with(b"[")).then_some(&self.elements)
    }

    /// The value as a column of numbers.
    pub(super) fn column(&self) -> Column<'a> {
        Column { bytes: self.text, cells: self.cells }
    }

    /// The value, read by serde; `place` names it in errors.
    pub(super) fn decode<T: Deserialize<'a>>(&self, place: &str) -> Result<T, ReadError> {
        let at = || At::Key(place.to_owned());
        if self.cells != Cells::Json {
            return Err(ReadError::malformed(at(), "is a column of numbers, expected JSON"));
        }
        serde_json::from_slice(self.text).map_err(|error| {
            let message = error.to_string();
            let reason =
                message.rfind(" at line ").and_then(|at| message.get(..at)).unwrap_or(&message);
            ReadError::malformed(at(), reason)
        })
    }

    /// A member, read by serde; `T`'s default where it is missing.
    pub(super) fn decode_member<T: Deserialize<'a> + Default>(
        &self,
        key: &str,
        place: &str,
    ) -> Result<T, ReadError> {
        self.get(key).map_or(Ok(T::default()), |value| value.decode(&join(place, key)))
    }
}

/// The path of a member.
pub(super) fn join(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

/// Taking a file apart.
#[derive(Default)]
struct Walk<'a> {
    /// What `{"$s": N}` stands for, where it stands for anything.
    slabs: Option<Slabs<'a>>,
    /// Where the slab that is being taken apart begins in the file.
    base: usize,
    /// Why slabs could not be taken apart.
    error: Option<ReadError>,
}

/// An object that stands for a slab.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    #[serde(rename = "$s")]
    slab: u32,
}

impl<'a> Walk<'a> {
    /// A value, or the slab that it stands for.
    fn value(&mut self, scanner: &mut Scanner<'a>, depth: u32) -> Scanned<Raw<'a>> {
        scanner.peek()?;
        let start = self.base + scanner.at();
        let raw = self.parts(scanner, depth)?;
        match self.referred(raw.text) {
            Some(slab) => self.slab(slab, start, depth),
            None => Ok(raw),
        }
    }

    fn parts(&mut self, scanner: &mut Scanner<'a>, depth: u32) -> Scanned<Raw<'a>> {
        let first = scanner.peek()?;
        let start = scanner.at();
        let mut raw = Raw::default();
        if depth > 0 && first == b'{' {
            scanner.object(&mut |scanner, key| {
                raw.members.push((key, self.value(scanner, depth - 1)?));
                Ok(())
            })?;
        } else if depth > 0 && scanner.is_array_of(b'{')? {
            scanner.array(&mut |scanner| {
                raw.elements.push(self.value(scanner, depth - 1)?);
                Ok(())
            })?;
        } else {
            scanner.skip()?;
        }
        raw.text = scanner.since(start);
        Ok(raw)
    }

    /// The slab that a value stands for.
    fn referred(&self, text: &[u8]) -> Option<u32> {
        let may_refer = self.slabs.is_some() && text.starts_with(b"{");
        may_refer
            .then(|| serde_json::from_slice(text).ok())
            .flatten()
            .map(|Reference { slab }| slab)
    }

    /// A slab that is referred to `at` a place in the file.
    fn slab(&mut self, mut slab: u32, mut at: usize, depth: u32) -> Scanned<Raw<'a>> {
        loop {
            let Slab { bytes, offset, cells, .. } =
                match self.slabs.as_mut().map(|slabs| slabs.refer(slab, at)) {
                    Some(Ok(slab)) => slab,
                    failed => return self.fail(failed.and_then(Result::err)),
                };
            if cells != Cells::Json {
                return Ok(Raw { text: bytes, cells, ..Raw::default() });
            }
            if let Some(next) = self.referred(bytes.trim_ascii()) {
                (slab, at) = (next, offset);
                continue;
            }
            let outer = std::mem::replace(&mut self.base, offset);
            let mut scanner = Scanner::new(bytes);
            let raw = self.parts(&mut scanner, depth);
            self.base = outer;
            return raw.or_else(|stop| {
                let what = if stop == Stop::End {
                    "the JSON of this slab ends in the middle"
                } else {
                    "this is not JSON"
                };
                self.fail(Some(malformed(offset + scanner.at(), what.to_owned())))
            });
        }
    }

    /// Stops; the first reason is the one that is told.
    fn fail<T>(&mut self, error: Option<ReadError>) -> Scanned<T> {
        self.error = self.error.take().or(error);
        Err(Stop::Enough)
    }
}
