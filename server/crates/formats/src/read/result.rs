//! The result of reading a file.

use crate::error::ReadError;
use crate::fleet::Fleet;
use crate::format::Format;
use crate::read::deep::contour;
use crate::read::deep::executions::Executions;
use crate::writer::Writer;
use profile::{RawStacks, Recording, Warnings};

/// The result of reading a file.
#[derive(Debug)]
pub struct Read {
    /// The recording.
    pub recording: Recording,
    /// The format of the file.
    pub format: Format,
    /// The version of the format, if the file states one (`49`).
    pub version: Option<String>,
    /// What was recorded, if the file states it and the metrics do not show it (`wall` for
    /// stackprof, `heap` for DHAT).
    pub mode: Option<String>,
    /// The program that wrote the file, and its dialect of the format.
    pub writer: Writer,
    /// The time from the first to the last sample, in seconds, if the file has times.
    pub span_seconds: Option<f64>,
    /// Whether the file is truncated. `None` if this cannot be known: a part of such a file is a
    /// valid file.
    pub truncated: Option<bool>,
    /// Recoverable problems.
    pub warnings: Warnings,
    /// Copies of stack memory, which have to be unwound: the samples have only their leaves.
    pub raw_stacks: Option<RawStacks>,
    /// Counts whose lines are in another file ([`Read::add_line_counts`]).
    pub executions: Option<Executions>,
    /// Where the profile comes from, if `costline fetch` wrote it.
    pub fleet: Option<Box<Fleet>>,
    /// What may name the revision that the program was built from, the most certain first: labels, and
    /// the build id of the program.
    pub revisions: Vec<String>,
}

impl Read {
    /// A result with defaults for everything else.
    pub(crate) fn new(format: Format, recording: Recording, warnings: Warnings) -> Self {
        Self {
            recording,
            format,
            version: None,
            mode: None,
            writer: Writer::default(),
            span_seconds: None,
            truncated: None,
            warnings,
            raw_stacks: None,
            executions: None,
            fleet: None,
            revisions: Vec::new(),
        }
    }

    /// Adds how often lines were executed, from the representation of the program that Mercury
    /// writes beside its deep profiles (`.procrep`). Does nothing for other profiles.
    ///
    /// # Errors
    /// If the representation cannot be read.
    pub fn add_line_counts(&mut self, procrep: &[u8]) -> Result<(), ReadError> {
        let Some(executions) = self.executions.take() else { return Ok(()) };
        executions.add_to(&mut self.recording, &mut self.warnings, procrep)
    }

    /// Marks the procedures that a contour file excludes, which users write beside the deep profiles
    /// of Mercury (`.contour`). Modules that the profile does not have are reported. Does nothing
    /// for other profiles.
    ///
    /// # Errors
    /// If the file is malformed, or the profile has none of its modules.
    pub fn add_contour(&mut self, contour: &[u8]) -> Result<(), ReadError> {
        let Some(contexts) = self.recording.contexts_mut() else { return Ok(()) };
        contour::add_to(contexts, &mut self.warnings, contour)
    }
}
