//! A profile as it came, after it was read as a whole.

use crate::error::FetchError;
use formats::{Format, Limits};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A profile that was fetched, and can be read.
#[derive(Debug)]
pub struct Fetched {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its format.
    pub format: Format,
    /// What it was merged of; `None` for a profile that came as it is.
    pub merged: Option<Merged>,
}

/// What a profile was merged of.
#[derive(Debug, Default)]
pub struct Merged {
    /// How many files are in it.
    pub n_files: usize,
    /// The files that are not, and why.
    pub unread: Vec<(PathBuf, String)>,
}

impl Fetched {
    /// Reads a profile to check it. `from` is its address or folder, for the message.
    pub(crate) fn checked(bytes: Vec<u8>, from: &str) -> Result<Self, FetchError> {
        // Reading consumes the bytes, and profiles are small beside what is made of them.
        let read =
            formats::read(bytes.clone(), Limits::default(), &mut |_| ControlFlow::Continue(()));
        match read {
            Ok(read) => Ok(Self { bytes, format: read.format, merged: None }),
            Err(error) => Err(FetchError::NoProfile { from: from.to_owned(), error }),
        }
    }

    /// The extension of its file, by which profiles are found elsewhere too.
    pub(crate) fn extension(&self) -> &'static str {
        match (self.format, self.bytes.starts_with(b"\x1f\x8b")) {
            (Format::Pprof, true) => "pb.gz",
            (Format::Pprof, false) => "pb",
            (Format::Folded, _) => "folded",
            (Format::CpuProfile, _) => "cpuprofile",
            (Format::HeapProfile, _) => "heapprofile",
            (Format::Speedscope, _) => "speedscope.json",
            _ => "profile",
        }
    }
}
