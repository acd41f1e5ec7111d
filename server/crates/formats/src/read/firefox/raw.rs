//! A profile as nested objects with decoded columns. Only the members that [`super::schema`] names are
//! kept, a few dozen of hundreds.

use super::columns::{Column, Kind};
use super::rows;
use super::slabs::{ROOT_FIELD, Slab, Slabs, malformed};
use crate::error::{At, ReadError};
use crate::input::{self, Input};
use crate::read::shared::json::{MAX_ELEMENTS, from_json, no_json, too_long};
use crate::read::shared::stream::Stream;
use crate::scan::{Scanned, Stop};
use serde::Deserialize;

/// The deepest nesting of wanted objects; deeper ones are skipped. Processes may be nested without
/// end, but fewer levels of them are read.
const MAX_DEPTH: usize = 32;

/// The members of an object that are wanted, and how.
pub(super) type Members = [(&'static str, Wanted)];

/// How a value is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    /// As JSON, to be decoded with serde.
    Json,
    /// As an object with these members.
    Object(&'static Members),
    /// As a list of objects with these members.
    List(&'static Members),
    /// As a column.
    Column(Kind),
    /// As a table of rows, of which these columns are wanted ([`super::rows`]).
    Rows(&'static [(&'static str, Kind)]),
    /// The same, of rows about allocations only.
    Allocations(&'static [(&'static str, Kind)]),
}

/// A value of the file.
#[derive(Debug, Default)]
pub(super) enum Raw {
    /// `null`, or no value.
    #[default]
    Nothing,
    /// A value as text, without surrounding white space.
    Json(Vec<u8>),
    /// The wanted members of an object; empty for any other value.
    Object(Vec<(&'static str, Raw)>),
    /// The elements of a list.
    List(Vec<Raw>),
    /// A column.
    Column(Column),
}

impl Raw {
    /// Reads an object. Data after it are ignored.
    pub(super) fn read(
        input: &mut Input<'_>,
        members: &'static Members,
    ) -> Result<Self, ReadError> {
        let mut stream = Stream::new(input);
        let mut walk = Walk::default();
        let read = walk.value(&mut stream, Wanted::Object(members));
        read.map_err(|stop| walk.error.unwrap_or_else(|| no_json(stop, stream.stopped_at(stop))))
    }

    /// Parses an object that is in memory.
    pub(super) fn parse(text: &[u8], members: &'static Members) -> Result<Self, ReadError> {
        input::in_memory(text, |input| Self::read(input, members))?
    }

    /// Parses slabs.
    pub(super) fn of_slabs(slabs: Slabs<'_>, members: &'static Members) -> Result<Self, ReadError> {
        let root = slabs.root();
        let mut walk = Walk { slabs: Some(slabs), ..Walk::default() };
        walk.slab(root, ROOT_FIELD, Wanted::Object(members))
            .map_err(|_| walk.error.unwrap_or_else(|| malformed(0, "this is not JSON".to_owned())))
    }

    /// A member; `None` if it is missing or `null`. Of two with the same name, the last one counts,
    /// as in JavaScript.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let found = members.iter().rev().find(|(name, _)| *name == key);
        found.map(|(_, value)| value).filter(|value| !matches!(value, Self::Nothing))
    }

    /// A member, as in [`Raw::get`], to take parts out of it.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Self::Object(members) = self else { return None };
        let found = members.iter_mut().rev().find(|(name, _)| *name == key);
        found.map(|(_, value)| value).filter(|value| !matches!(value, Self::Nothing))
    }

    /// Takes a member out of the object, as in [`Raw::get`].
    pub(super) fn take(&mut self, key: &str) -> Option<Self> {
        self.get_mut(key).map(std::mem::take)
    }

    /// A member that is a column.
    pub(super) fn column(&self, key: &str) -> Option<&Column> {
        match self.get(key)? {
            Self::Column(column) => Some(column),
            _ => None,
        }
    }

    /// Takes a member that is a column out of the object.
    pub(super) fn take_column(&mut self, key: &str) -> Option<Column> {
        match self.take(key)? {
            Self::Column(column) => Some(column),
            _ => None,
        }
    }

    /// Decodes the value with serde; `place` names it in errors.
    pub(super) fn decode<'a, T: Deserialize<'a>>(&'a self, place: &str) -> Result<T, ReadError> {
        let at = || At::Key(place.to_owned());
        let Self::Json(text) = self else {
            return Err(ReadError::malformed(at(), "is a column of numbers, expected JSON"));
        };
        from_json(text).map_err(|reason| ReadError::malformed(at(), reason))
    }

    /// Decodes a member with serde; `T`'s default if it is missing.
    pub(super) fn decode_member<'a, T: Deserialize<'a> + Default>(
        &'a self,
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
    /// The offset in the file of the text that is being parsed.
    base: usize,
    /// How many objects are open.
    depth: usize,
    /// The first error about slabs or the length of lists.
    error: Option<ReadError>,
}

/// An object that refers to a slab.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    #[serde(rename = "$s")]
    slab: u32,
}

impl Walk<'_> {
    /// Parses a value or the slab that it refers to.
    fn value(&mut self, stream: &mut Stream<'_, '_>, wanted: Wanted) -> Scanned<Raw> {
        match stream.peek()? {
            _ if self.depth == MAX_DEPTH => {
                stream.skip()?;
                Ok(Raw::Nothing)
            }
            b'n' => {
                stream.skip()?;
                Ok(Raw::Nothing)
            }
            b'{' if self.slabs.is_some() => {
                let start = self.base + stream.offset() as usize;
                let text = stream.value()?.to_vec();
                match serde_json::from_slice(&text) {
                    Ok(Reference { slab }) => self.slab(slab, start, wanted),
                    Err(_) => self.text(&text, start, wanted),
                }
            }
            _ => self.parts(stream, wanted),
        }
    }

    fn parts(&mut self, stream: &mut Stream<'_, '_>, wanted: Wanted) -> Scanned<Raw> {
        Ok(match wanted {
            Wanted::Json => Raw::Json(stream.value()?.to_vec()),
            Wanted::Column(kind) => Raw::Column(Column::scan(kind, stream)?),
            Wanted::Rows(columns) => of_rows(rows::scan(stream, columns, b"")?),
            Wanted::Allocations(columns) => of_rows(rows::scan(stream, columns, rows::ALLOCATION)?),
            Wanted::Object(members) => {
                let mut found = Vec::new();
                self.depth += 1;
                stream.object(&mut |stream, key| {
                    let wanted = members.iter().find(|(name, _)| name.as_bytes() == key);
                    let Some(&(name, wanted)) = wanted else { return stream.skip() };
                    found.push((name, self.value(stream, wanted)?));
                    Ok(())
                })?;
                self.depth -= 1;
                Raw::Object(found)
            }
            Wanted::List(members) if stream.peek()? == b'[' => {
                let mut elements = Vec::new();
                let start = At::Byte((self.base as u64) + stream.offset());
                stream.array(&mut |stream| {
                    if elements.len() == MAX_ELEMENTS {
                        let error = ReadError::malformed(start.clone(), too_long());
                        return self.fail(Some(error));
                    }
                    elements.push(self.value(stream, Wanted::Object(members))?);
                    Ok(())
                })?;
                Raw::List(elements)
            }
            Wanted::List(_) => {
                stream.skip()?;
                Raw::Object(Vec::new())
            }
        })
    }

    /// Parses a slab; `at` is the offset of the reference to it.
    fn slab(&mut self, mut slab: u32, mut at: usize, wanted: Wanted) -> Scanned<Raw> {
        loop {
            let Slab { bytes, offset, cells, .. } =
                match self.slabs.as_mut().map(|slabs| slabs.refer(slab, at)) {
                    Some(Ok(slab)) => slab,
                    failed => return self.fail(failed.and_then(Result::err)),
                };
            return match (cells, wanted) {
                (Some(cells), Wanted::Column(kind)) => {
                    Ok(Raw::Column(Column::of_slab(kind, bytes, cells)))
                }
                (Some(cells), _) => Ok(Raw::Column(Column::of_slab(Kind::Number, bytes, cells))),
                (None, _) => match serde_json::from_slice(bytes) {
                    Ok(Reference { slab: next }) => {
                        (slab, at) = (next, offset);
                        continue;
                    }
                    Err(_) => self.text(bytes, offset, wanted),
                },
            };
        }
    }

    /// Parses text at `offset` in a file of slabs.
    fn text(&mut self, text: &[u8], offset: usize, wanted: Wanted) -> Scanned<Raw> {
        let outer = std::mem::replace(&mut self.base, offset);
        let parsed = input::in_memory(text, |input| {
            let mut stream = Stream::new(input);
            let parsed = self.parts(&mut stream, wanted);
            (parsed, stream.offset() as usize)
        });
        self.base = outer;
        match parsed {
            Ok((Ok(raw), _)) => Ok(raw),
            Ok((Err(stop), at)) => {
                let what = if stop == Stop::End {
                    "the JSON of this slab ends in the middle"
                } else {
                    "this is not JSON"
                };
                self.fail(Some(malformed(offset + at, what.to_owned())))
            }
            Err(error) => self.fail(Some(error)),
        }
    }

    /// Stops parsing; only the first error is kept.
    fn fail<T>(&mut self, error: Option<ReadError>) -> Scanned<T> {
        self.error = self.error.take().or(error);
        Err(Stop::Enough)
    }
}

/// An object whose members are the columns of a table of rows.
fn of_rows(columns: Vec<(&'static str, Column)>) -> Raw {
    Raw::Object(columns.into_iter().map(|(name, column)| (name, Raw::Column(column))).collect())
}
