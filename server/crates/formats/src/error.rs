//! The error of a read.

use crate::foreign_kind::Foreign;
use profile::BuildError;
use std::path::Path;
use std::{fmt, io};

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// The file as a whole.
    File,
    /// A byte offset, 0-based: in the decompressed data, or, for errors of decompression, in the
    /// compressed data.
    Byte(u64),
    /// A line, 1-based, and a column in bytes, 1-based.
    Line(usize, usize),
    /// A key path in JSON (`threads[2].stackTable.frame[17]`).
    Key(String),
}

/// The kind of failure, for callers that act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The data end too early; perhaps the file is still being written.
    Truncated,
    /// The data contradict the format.
    Malformed,
    /// The format is unknown.
    Unrecognised,
    /// The file is of a kind that is recognized but not read.
    Foreign(&'static Foreign),
    /// The data exceed a limit.
    TooLarge,
    /// The data do not fit into memory.
    NoMemory,
    /// The observer canceled the read.
    Cancelled,
    /// The source of the bytes failed.
    Io,
}

/// Why a file could not be read. The message names the place and what was expected; the caller adds
/// the name of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}{message}")]
pub struct ReadError {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The place in the file.
    pub at: At,
    /// What is wrong, what was expected and what to do, without a full stop at the end.
    pub message: String,
}

impl fmt::Display for At {
    /// Writes the place followed by a colon and a space, or nothing for the whole file.
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
    /// An error of kind [`ErrorKind::Truncated`].
    pub fn truncated(at: At, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Truncated, at, message: message.into() }
    }

    /// An error of kind [`ErrorKind::Malformed`].
    pub fn malformed(at: At, message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Malformed, at, message: message.into() }
    }

    /// An error of kind [`ErrorKind::Unrecognised`].
    pub fn unrecognised(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unrecognised, at: At::File, message: message.into() }
    }

    /// An error of kind [`ErrorKind::Foreign`].
    pub fn foreign(foreign: &'static Foreign) -> Self {
        Self { kind: ErrorKind::Foreign(foreign), at: At::File, message: foreign.sentence() }
    }

    /// The error with the name of its file in the commands of its message.
    #[must_use]
    pub fn of_file(self, path: &Path) -> Self {
        match self.kind {
            ErrorKind::Foreign(foreign) => Self { message: foreign.sentence_of(path), ..self },
            _ => self,
        }
    }

    /// An error of kind [`ErrorKind::TooLarge`]; the message should name the limit.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::TooLarge, at: At::File, message: message.into() }
    }

    /// An error of kind [`ErrorKind::NoMemory`].
    pub(crate) fn no_memory() -> Self {
        let message = "the data do not fit into memory".to_owned();
        Self { kind: ErrorKind::NoMemory, at: At::File, message }
    }

    /// An error of kind [`ErrorKind::Io`].
    pub(crate) fn io(error: &io::Error) -> Self {
        Self { kind: ErrorKind::Io, at: At::File, message: error.to_string() }
    }

    /// An error of kind [`ErrorKind::Cancelled`].
    pub fn cancelled() -> Self {
        Self {
            kind: ErrorKind::Cancelled,
            at: At::File,
            message: "reading was canceled".to_owned(),
        }
    }
}

impl ReadError {
    /// The error with its offset moved: it is one of a part of the file at `offset`.
    pub(crate) fn moved_by(self, offset: u64) -> Self {
        match self.at {
            At::Byte(at) => Self { at: At::Byte(offset + at), ..self },
            _ => self,
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
