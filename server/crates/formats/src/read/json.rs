//! JSON decoding with errors that name the key.

use crate::error::{At, ErrorKind, ReadError};
use crate::scan::Stop;
use serde::Deserialize;
use std::borrow::Cow;

/// Text that may be null or missing. Serde borrows an `Option<Text>`, but not an
/// `Option<Cow<str>>`.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

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
