//! What a reader makes of one file.

use crate::format::Format;
use crate::writer::Writer;
use profile::{RawStacks, Recording, Warnings};

/// What came out of one file.
#[derive(Debug)]
pub struct Read {
    /// What it says.
    pub recording: Recording,
    /// Which format it was in.
    pub format: Format,
    /// The version of the format, where the file states one (`49`).
    pub version: Option<String>,
    /// What kind of costs was recorded, where the file states it and the metrics do not show it
    /// (`wall` of stackprof, `heap` of DHAT).
    pub mode: Option<String>,
    /// The program that wrote the file, and the dialect of the format that it uses.
    pub writer: Writer,
    /// From the first to the last sample, in seconds, where the file has times.
    pub span_seconds: Option<f64>,
    /// Recoverable oddities.
    pub warnings: Warnings,
    /// Stacks that were recorded as they lay in memory: samples have their leaves, callers are to
    /// be found.
    pub raw_stacks: Option<RawStacks>,
}

impl Read {
    /// A recording of which the file says nothing else.
    pub(crate) fn new(format: Format, recording: Recording, warnings: Warnings) -> Self {
        Self {
            recording,
            format,
            version: None,
            mode: None,
            writer: Writer::default(),
            span_seconds: None,
            warnings,
            raw_stacks: None,
        }
    }
}
