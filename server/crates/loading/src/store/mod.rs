//! What is kept on disk between sessions.

pub(crate) mod copies;
pub(crate) mod private_files;
