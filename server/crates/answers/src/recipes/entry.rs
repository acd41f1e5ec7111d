//! A program, test or benchmark, and the commands that record it.

use super::profiler::Profiler;
use std::path::PathBuf;

/// Something in a document that can be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The line of the document, 0-based.
    pub line0: u32,
    /// What is recorded: `words`, `test empty_text`.
    pub name: String,
    /// The profiler.
    pub profiler: Profiler,
    /// The folder in which the commands run. Absolute.
    pub folder: PathBuf,
    /// The commands: each a program and its arguments.
    pub commands: Vec<Vec<String>>,
}

/// A command from its parts, each of which may be several words.
pub fn command(parts: &[&[&str]]) -> Vec<String> {
    parts.iter().flat_map(|words| words.iter()).map(|word| (*word).to_owned()).collect()
}
