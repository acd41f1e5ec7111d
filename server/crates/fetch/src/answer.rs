//! A profile as it came, after it was read as a whole.

use crate::error::FetchError;
use formats::{Fleet, Format, Limits};
use std::ops::ControlFlow;

/// A profile that was fetched, and can be read.
#[derive(Debug)]
pub struct Fetched {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its format.
    pub format: Format,
    /// What it was merged of; `None` for a profile that came as it is.
    pub merged: Option<Merged>,
    /// What the source says about it, which is in the file too.
    pub fleet: Option<Fleet>,
    /// What could not be found out, as sentences.
    pub notes: Vec<String>,
}

/// What a source has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The types of profiles.
    pub types: Vec<String>,
    /// The labels with their values.
    pub labels: Vec<(String, Vec<String>)>,
}

/// What a profile was merged of.
#[derive(Debug, Default)]
pub struct Merged {
    /// How many files are in it.
    pub n_files: usize,
    /// The files that are not, and why.
    pub unread: Vec<(String, String)>,
}

impl Fetched {
    /// A profile that is not checked yet.
    pub(crate) fn unread(bytes: Vec<u8>, format: Format) -> Self {
        Self { bytes, format, merged: None, fleet: None, notes: Vec::new() }
    }

    /// Reads a profile to check it. `from` is its address or folder, for the message.
    pub(crate) fn checked(bytes: Vec<u8>, from: &str) -> Result<Self, FetchError> {
        // Reading consumes the bytes, and profiles are small beside what is made of them.
        let read =
            formats::read(bytes.clone(), Limits::default(), &mut |_| ControlFlow::Continue(()));
        match read {
            Ok(read) => Ok(Self::unread(bytes, read.format)),
            Err(error) => Err(FetchError::NoProfile { from: from.to_owned(), error }),
        }
    }
}
