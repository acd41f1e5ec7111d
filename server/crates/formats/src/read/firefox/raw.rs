//! A profile as nested objects whose columns are still text. Of a hundred columns a dozen bear on costs: only those are read.

use crate::scan::{Scanned, Scanner, Stop};
use crate::{At, ReadError};
use serde::Deserialize;

/// Objects and lists of objects are taken apart to this depth: file, threads, thread, table. Below are columns.
const DEPTH: u32 = 4;

/// A value of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw<'a> {
    /// As the file has it, without blanks around it.
    pub(super) text: &'a [u8],
    /// Of an object: its members.
    members: Vec<(&'a [u8], Raw<'a>)>,
    /// Of a list of objects: its elements.
    pub(super) elements: Vec<Raw<'a>>,
}

impl<'a> Raw<'a> {
    /// Takes a file apart. What follows its object is not looked at.
    pub(super) fn new(file: &'a [u8]) -> Result<Self, ReadError> {
        let mut scanner = Scanner::new(file);
        value(&mut scanner, DEPTH).map_err(|stop| match stop {
            Stop::End => {
                let message = "the JSON ends in the middle; expected the rest of the profile";
                ReadError::truncated(At::Byte(file.len() as u64), message)
            }
            Stop::Broken | Stop::Enough => ReadError::malformed(At::Byte(scanner.at() as u64), "this is not JSON"),
        })
    }

    /// A member. `None` where it is missing or `null`. Of two with one name the last counts, as in JavaScript.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let found = self.members.iter().rev().find(|(name, _)| *name == key.as_bytes());
        found.map(|(_, value)| value).filter(|value| value.text != b"null")
    }

    /// The value, read by serde; `place` names it in errors.
    pub(super) fn decode<T: Deserialize<'a>>(&self, place: &str) -> Result<T, ReadError> {
        serde_json::from_slice(self.text).map_err(|error| {
            let message = error.to_string();
            let reason = message.rfind(" at line ").and_then(|at| message.get(..at)).unwrap_or(&message);
            ReadError::malformed(At::Key(place.to_owned()), reason)
        })
    }

    /// A member, read by serde; `T`'s default where it is missing.
    pub(super) fn decode_member<T: Deserialize<'a> + Default>(&self, key: &str, place: &str) -> Result<T, ReadError> {
        self.get(key).map_or(Ok(T::default()), |value| value.decode(&join(place, key)))
    }
}

/// The path of a member.
pub(super) fn join(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

fn value<'a>(scanner: &mut Scanner<'a>, depth: u32) -> Scanned<Raw<'a>> {
    let first = scanner.peek()?;
    let start = scanner.at();
    let mut raw = Raw::default();
    if depth > 0 && first == b'{' {
        scanner.object(&mut |scanner, key| {
            raw.members.push((key, value(scanner, depth - 1)?));
            Ok(())
        })?;
    } else if depth > 0 && scanner.is_array_of(b'{')? {
        scanner.array(&mut |scanner| {
            raw.elements.push(value(scanner, depth - 1)?);
            Ok(())
        })?;
    } else {
        scanner.skip()?;
    }
    raw.text = scanner.since(start);
    Ok(raw)
}
