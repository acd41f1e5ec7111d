//! A profile as nested objects whose columns are still text or slabs. Only a dozen of a hundred
//! columns are needed; the others are never decoded.

use super::columns::{Cells, Column};
use super::slabs::{ROOT_FIELD, Slab, Slabs, malformed};
use crate::error::{At, ReadError};
use crate::scan::{Scanned, Scanner, Stop};
use serde::Deserialize;

/// Objects and lists of objects are parsed to this depth: file, threads, thread, table. Deeper
/// values are columns.
const DEPTH: u32 = 4;

/// A value of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw<'a> {
    /// The text as in the file, without surrounding white space.
    pub(super) text: &'a [u8],
    /// The encoding of `text`, if it is a slab and not JSON.
    cells: Cells,
    /// The members, if this is an object.
    members: Vec<(&'a [u8], Raw<'a>)>,
    /// The elements, if this is a list of objects.
    elements: Vec<Raw<'a>>,
}

impl<'a> Raw<'a> {
    /// Parses a file. Data after its object are ignored.
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

    /// Parses slabs.
    pub(super) fn of_slabs(slabs: Slabs<'a>) -> Result<Self, ReadError> {
        let root = slabs.root();
        let mut walk = Walk { slabs: Some(slabs), ..Walk::default() };
        walk.slab(root, ROOT_FIELD, DEPTH)
            .map_err(|_| walk.error.unwrap_or_else(|| malformed(0, "this is not JSON".to_owned())))
    }

    /// A member; `None` if it is missing or `null`. Of two with the same name, the last one counts,
    /// as in JavaScript.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let found = self.members.iter().rev().find(|(name, _)| *name == key.as_bytes());
        found.map(|(_, value)| value).filter(|value| value.text != b"null")
    }

    /// The elements, if this is a list. Only elements that are objects are kept.
    pub(super) fn list(&self) -> Option<&[Self]> {
        (self.cells == Cells::Json && self.text.starts_with(b"[")).then_some(&self.elements)
    }

    /// The value as a column of numbers.
    pub(super) fn column(&self) -> Column<'a> {
        Column { bytes: self.text, cells: self.cells }
    }

    /// Decodes the value with serde; `place` names it in errors.
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

    /// Decodes a member with serde; `T`'s default if it is missing.
    pub(super) fn decode_member<T: Deserialize<'a> + Default>(
        &self,
        key: &str,
        place: &str,
    ) -> Result<T, ReadError> {
        self.get(key).map_or(Ok(T::default()), |value| value.decode(&join(place, key)))
    }
}

/// The key path of a member.
pub(super) fn join(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

/// The parser of a file.
#[derive(Default)]
struct Walk<'a> {
    /// The slabs that `{"$s": N}` refers to, if the file has slabs.
    slabs: Option<Slabs<'a>>,
    /// The offset in the file of the slab that is being parsed.
    base: usize,
    /// The first error about slabs.
    error: Option<ReadError>,
}

/// An object that refers to a slab.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    #[serde(rename = "$s")]
    slab: u32,
}

impl<'a> Walk<'a> {
    /// Parses a value or the slab that it refers to.
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

    /// The slab that a value refers to.
    fn referred(&self, text: &[u8]) -> Option<u32> {
        let may_refer = self.slabs.is_some() && text.starts_with(b"{");
        may_refer
            .then(|| serde_json::from_slice(text).ok())
            .flatten()
            .map(|Reference { slab }| slab)
    }

    /// Parses a slab; `at` is the offset of the reference to it.
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

    /// Stops parsing; only the first error is kept.
    fn fail<T>(&mut self, error: Option<ReadError>) -> Scanned<T> {
        self.error = self.error.take().or(error);
        Err(Stop::Enough)
    }
}
