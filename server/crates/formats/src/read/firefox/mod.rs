//! Firefox processed profiles: what samply, Firefox, Vernier and many exporters write.
//!
//! Read by the columns that are present, not by the version number (upstream's changes it several times a year): tables per
//! thread or shared, `prefix` or `prefixOffset`, nulls and -1 or a `flags` column, `fileName` or `source`. The rules are
//! those of the Firefox Profiler's `line-timings` and `profile-data`; [`schema`] has the columns, [`columns`] their encoding.

mod columns;
mod convert;
mod schema;

use crate::{At, ErrorKind, Format, Read, ReadError};
use profile::{Recording, Warnings};

/// The versions whose layout is known. Others are read the same way, with a warning.
const KNOWN_VERSIONS: std::ops::RangeInclusive<u32> = 41..=75;

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let file: schema::File<'_> = serde_json::from_slice(bytes).map_err(|error| explain(bytes, &error))?;
    let mut warnings = Warnings::default();
    let version = file.meta.version.unwrap_or(0);
    if !KNOWN_VERSIONS.contains(&version) {
        let (first, last) = (KNOWN_VERSIONS.start(), KNOWN_VERSIONS.end());
        warnings.add("unknown-version", || {
            format!("processed profile version {version} is not one of {first} to {last}; read by the columns that are present")
        });
    }
    let (profile, span_seconds) = convert::convert(file, &mut warnings)?;
    Ok(Read {
        recording: Recording::Stacks(profile),
        format: Format::FirefoxProcessed,
        version: Some(version.to_string()),
        span_seconds,
        warnings,
    })
}

/// Parses once more to learn which key was at fault: the fast path does not keep track.
fn explain(bytes: &[u8], error: &serde_json::Error) -> ReadError {
    let place = format!("line {}, column {}", error.line(), error.column());
    if error.is_eof() {
        return ReadError::truncated(
            At::Byte(bytes.len() as u64),
            "the JSON ends in the middle; expected the rest of the profile",
        );
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let key = serde_path_to_error::deserialize::<_, schema::File<'_>>(&mut json).err().map(|error| error.path().to_string());
    let at = match key {
        Some(key) if key != "." => At::Key(key),
        _ => At::Line(error.line(), error.column()),
    };
    ReadError { kind: ErrorKind::Malformed, at, message: format!("{} ({place})", reason(error)) }
}

/// What serde says, without the place that it appends.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]).to_owned()
}
