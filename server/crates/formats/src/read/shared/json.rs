//! JSON decoding with errors that name the key, and limits for lists.

use crate::error::{At, ErrorKind, ReadError};
use crate::scan::Stop;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The largest number of elements of lists that are short in real files: of threads, libraries,
/// categories. Each takes some hundred bytes in memory, but only two in the file.
pub(crate) const MAX_ELEMENTS: usize = 1 << 16;

/// Text that may be null or missing. Serde borrows an `Option<Text>`, but not an
/// `Option<Cow<str>>`.
#[derive(serde::Deserialize, Clone)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A list of at most [`MAX_ELEMENTS`].
#[derive(Debug)]
pub(crate) struct ShortList<T>(pub(crate) Vec<T>);

impl<T> Default for ShortList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ShortList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

struct Elements<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
    type Value = ShortList<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX_ELEMENTS} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            if elements.len() == MAX_ELEMENTS {
                return Err(Error::custom(too_long()));
            }
            elements.push(element);
        }
        Ok(ShortList(elements))
    }
}

/// What is wrong with a list of more than [`MAX_ELEMENTS`].
pub(crate) fn too_long() -> String {
    format!("this list is too long, expected a list of at most {MAX_ELEMENTS} elements")
}

/// Decodes a whole file.
///
/// # Errors
/// The file ends early, is not JSON, or a key has an unexpected value. To find that key, the file
/// is decoded a second time, so that valid files do not pay for tracking keys.
pub(crate) fn decode<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, ReadError> {
    serde_json::from_slice(bytes).map_err(|error| {
        // A truncated number as a key is another kind of error, at the end of the data.
        let last_line = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(bytes.len(), |newline| bytes.len() - newline - 1);
        let is_last_line = || memchr::memchr_iter(b'\n', bytes).count() + 1 == error.line();
        if error.is_eof() || (error.column() >= last_line && is_last_line()) {
            let message = "the JSON ends in the middle; expected the rest of the profile";
            return ReadError::truncated(At::Byte(bytes.len() as u64), message);
        }
        let mut again = serde_json::Deserializer::from_slice(bytes);
        let path = serde_path_to_error::deserialize::<_, T>(&mut again)
            .err()
            .map(|error| error.path().to_string());
        let reason = reason(&error);
        let (line, column) = (error.line(), error.column());
        match path {
            Some(path) if path != "." => ReadError {
                kind: ErrorKind::Malformed,
                at: At::Key(path),
                message: format!("{reason} (line {line}, column {column})"),
            },
            _ => ReadError::malformed(At::Line(line, column), reason),
        }
    })
}

/// Decodes JSON. The error is the reason, without a place in the text.
pub(crate) fn from_json<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| reason(&error))
}

/// Why it is not what was expected, without the place in the text.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let mut text = error.to_string();
    text.truncate(text.rfind(" at line ").unwrap_or(text.len()));
    text
}

/// The error for a profile whose scan stopped too early.
pub(crate) fn no_json(stop: Stop, at: At) -> ReadError {
    match stop {
        Stop::End => {
            let message = "the JSON ends in the middle; expected the rest of the profile";
            ReadError::truncated(at, message)
        }
        Stop::Broken | Stop::Enough => ReadError::malformed(at, "this is not JSON"),
    }
}

/// Decodes a value of a file that is not in memory as a whole; `place` is its key path.
///
/// # Errors
/// A key has an unexpected value.
pub(crate) fn decode_part<'de, T: Deserialize<'de>>(
    text: &'de [u8],
    place: impl FnOnce() -> String,
) -> Result<T, ReadError> {
    serde_json::from_slice(text).map_err(|error| {
        let mut again = serde_json::Deserializer::from_slice(text);
        let within = serde_path_to_error::deserialize::<_, T>(&mut again)
            .err()
            .map(|error| error.path().to_string())
            .filter(|path| path != ".");
        let dot = if within.as_ref().is_some_and(|path| !path.starts_with('[')) { "." } else { "" };
        let place = format!("{}{dot}{}", place(), within.unwrap_or_default());
        let reason = reason(&error);
        ReadError::malformed(At::Key(place), reason)
    })
}
