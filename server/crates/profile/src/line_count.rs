//! How often one line was executed.

use crate::SourceId;

/// The number of times that a line was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCount {
    /// The file.
    pub source: SourceId,
    /// The line, 1-based.
    pub line: u32,
    /// `None` if not recorded.
    pub count: Option<u64>,
}
