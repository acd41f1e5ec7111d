//! Firefox profiles: processed ones, as written by samply, Firefox, Vernier and many exporters, as
//! JSON or in JSON slabs; and raw ones, as written by Firefox itself.
//!
//! Processed profiles are read by the columns that are present, not by the version number, which
//! changes several times a year: tables per thread or shared, `prefix` or `prefixOffset`, nulls and
//! -1 or a `flags` column, `fileName` or `source`. The rules come from the Firefox Profiler's
//! `line-timings` and `profile-data`. [`schema`] lists the columns, [`columns`] decodes them while
//! the file arrives, [`raw`] keeps them. [`processed`] and [`gecko`] each read one layout,
//! [`tables`], [`pages`] and [`samples`] build a profile from either.

mod columns;
mod gecko;
mod location;
mod pages;
mod processed;
mod raw;
mod return_addresses;
mod rows;
mod samples;
mod schema;
mod slabs;
mod tables;

pub(crate) use gecko::read as read_gecko;

use crate::error::ReadError;
use crate::format::Format;
use crate::input::Input;
use crate::read::result::Read;
use crate::writer::{Producer, Writer};
use profile::{Recording, WarningCode, Warnings};
use raw::Raw;

/// The versions with a known layout. Others are read the same way, with a warning.
const KNOWN_VERSIONS: std::ops::RangeInclusive<u32> = 41..=75;

/// Reads a processed profile in JSON.
pub(crate) fn read(input: &mut Input<'_>) -> Result<Read, ReadError> {
    read_processed(Raw::read(input, schema::PROCESSED)?, Format::FirefoxProcessed)
}

/// Reads a processed profile in JSON slabs.
pub(crate) fn read_slabs(bytes: &[u8]) -> Result<Read, ReadError> {
    let file = Raw::of_slabs(slabs::Slabs::new(bytes)?, schema::PROCESSED)?;
    read_processed(file, Format::FirefoxSlabs)
}

fn read_processed(file: Raw, format: Format) -> Result<Read, ReadError> {
    let meta: schema::Meta = file.decode_member("meta", "")?;
    let mut warnings = Warnings::default();
    let version = meta.preprocessed_profile_version.unwrap_or(0);
    if !KNOWN_VERSIONS.contains(&version) {
        let (first, last) = (KNOWN_VERSIONS.start(), KNOWN_VERSIONS.end());
        warnings.add(WarningCode::UnknownVersion, || {
            format!("processed profile version {version} is not one of {first} to {last}; it is read by the columns that are present")
        });
    }
    let (profile, span_seconds) = processed::convert(file, &meta, &mut warnings)?;
    Ok(Read {
        version: Some(version.to_string()),
        writer: Writer::of_producer(meta.imported_from.as_deref().map(Producer::parse)),
        span_seconds,
        ..Read::new(format, Recording::Stacks(profile), warnings)
    })
}
