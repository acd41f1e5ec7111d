//! How a command ends: its exit code, and its messages on standard error.

use answers::text::one_line;
use answers::{LoadError, regular_file};
use std::io::{self, Write};

/// The exit code if the profile cannot be read.
pub(super) const UNREADABLE: i32 = 1;
/// The exit code for a usage error. clap uses the same.
pub(super) const USAGE: i32 = 2;
/// The exit code if there is nothing to show, or the output cannot be written.
pub(super) const NO_OUTPUT: i32 = 3;
/// The exit code if costs grew by more than the user allows.
pub(super) const GREW: i32 = 4;

/// The exit codes and what they mean.
pub const EXIT_CODES: [(i32, &str); 5] = [
    (0, "success"),
    (UNREADABLE, "the profile cannot be read or fetched"),
    (USAGE, "usage error, or nothing matches an argument such as a metric, thread or root"),
    (
        NO_OUTPUT,
        "the output cannot be written, profiles cannot be compared, or there is no cost to show",
    ),
    (GREW, "diff: costs grew by more than --fail-above or --fail-above-function allow"),
];

/// A command that failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// The exit code.
    pub code: i32,
    /// For standard error; nothing is printed if it is empty.
    pub message: String,
}

impl Failure {
    /// The profile cannot be read.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self { code: UNREADABLE, message: message.into() }
    }

    /// The arguments are wrong, or match nothing.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: message.into() }
    }

    /// There is nothing to show, or it cannot be written.
    pub fn no_output(message: impl Into<String>) -> Self {
        Self { code: NO_OUTPUT, message: message.into() }
    }

    pub fn print(&self) {
        if !self.message.is_empty() {
            let _ = writeln!(io::stderr(), "costline: {}", one_line(&self.message));
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        let mut message = error.to_string();
        if let LoadError::Io { source, .. } = &error
            && source.to_string() == regular_file::NOT_REGULAR
        {
            message.push_str("; to read a pipe, pass `-` and redirect the pipe to standard input");
        }
        Self::unreadable(message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // The reader stopped early (`| head`), which is not an error.
            io::ErrorKind::BrokenPipe => Self { code: 0, message: String::new() },
            _ => Self::no_output(format!("cannot write the output: {error}")),
        }
    }
}

/// Prints a warning.
pub(super) fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "costline: warning: {}", one_line(message));
}
