//! Firefox processed profiles: what samply, Firefox, Vernier and many exporters write.
//!
//! Read by the columns that are present, not by the version number (upstream's changes it several times a year): tables per
//! thread or shared, `prefix` or `prefixOffset`, nulls and -1 or a `flags` column, `fileName` or `source`. The rules are
//! those of the Firefox Profiler's `line-timings` and `profile-data`; [`schema`] has the columns, [`columns`] their encoding.

mod columns;
mod convert;
mod raw;
mod schema;

use crate::{Format, Read, ReadError};
use profile::{Recording, Warnings};

/// The versions whose layout is known. Others are read the same way, with a warning.
const KNOWN_VERSIONS: std::ops::RangeInclusive<u32> = 41..=75;

pub(crate) fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let file = raw::Raw::new(bytes)?;
    let meta: schema::Meta = file.decode_member("meta", "")?;
    let mut warnings = Warnings::default();
    let version = meta.version.unwrap_or(0);
    if !KNOWN_VERSIONS.contains(&version) {
        let (first, last) = (KNOWN_VERSIONS.start(), KNOWN_VERSIONS.end());
        warnings.add("unknown-version", || {
            format!("processed profile version {version} is not one of {first} to {last}; read by the columns that are present")
        });
    }
    let (profile, span_seconds) = convert::convert(&file, meta, &mut warnings)?;
    Ok(Read {
        recording: Recording::Stacks(profile),
        format: Format::FirefoxProcessed,
        version: Some(version.to_string()),
        span_seconds,
        warnings,
    })
}

pub(crate) fn read_slabs(_bytes: &[u8]) -> Result<Read, ReadError> {
    Err(ReadError::not_read(Format::FirefoxSlabs))
}
