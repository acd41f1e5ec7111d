//! Documents, and their costs by line.

pub(crate) mod document;
pub(crate) mod file_lines;
pub(crate) mod text;
