//! Why a file could not be read: where, what was expected, what to do.

use crate::foreign::Foreign;
use profile::BuildError;
use std::fmt;

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// The file as a whole.
    File,
    /// A byte offset, 0-based: in the inflated data, or in the compressed ones while they are being
    /// inflated.
    Byte(u64),
    /// A line, 1-based, and a column in bytes, 1-based.
    Line(usize, usize),
    /// A key path in JSON (`threads[2].stackTable.frame[17]`).
    Key(String),
}

/// What kind of failure it is: what callers decide by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The data end too early: perhaps it is still being written.
    Truncated,
    /// The data contradict the format.
    Malformed,
    /// No profile that is known here.
    Unrecognised,
    /// A file of another kind, which is known but not read.
    Foreign(&'static Foreign),
    /// A limit was reached.
    TooLarge,
    /// The observer asked to stop.
    Cancelled,
}

/// Why a file could not be read. The message names the place and the expectation; the caller adds
/// the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}{message}")]
pub struct ReadError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// Where.
    pub at: At,
    /// What was expected and what to do, without trailing dot.
    pub message: String,
}

impl fmt::Display for At {
    /// The place followed by a colon and a blank, or nothing for the whole file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Byte(offset) => write!(f, "byte {offset}: "),
            Self::Line(line, column) => write!(f, "line {line}, column {column}: "),
            Self::Key(path) => write!(f, "{path}: "),
        }
    }
}

impl ReadError {
    /// A file that ends too early.
    pub fn truncated(at: At, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Truncated, at, message: message.into() }
    }

    /// A file that contradicts its format.
    pub fn malformed(at: At, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Malformed, at, message: message.into() }
    }

    /// A file that is no profile known here.
    pub fn unrecognised(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unrecognised, at: At::File, message: message.into() }
    }

    /// A file of another kind.
    pub fn foreign(foreign: &'static Foreign) -> Self {
        Self { kind: ErrorKind::Foreign(foreign), at: At::File, message: foreign.sentence() }
    }

    /// A file beyond a limit; the message names the limit.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::TooLarge, at: At::File, message: message.into() }
    }

    /// A read that was asked to stop.
    pub fn cancelled() -> Self {
        Self {
            kind: ErrorKind::Cancelled,
            at: At::File,
            message: "reading was cancelled".to_owned(),
        }
    }
}

impl From<BuildError> for ReadError {
    fn from(error: BuildError) -> Self {
        let kind = match error {
            BuildError::TooLarge(_) | BuildError::Categories => ErrorKind::TooLarge,
            BuildError::Dangling { .. } | BuildError::Shape { .. } => ErrorKind::Malformed,
        };
        Self { kind, at: At::File, message: error.to_string() }
    }
}
