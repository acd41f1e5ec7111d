//! The limits of searches in the files of the workspace.

use std::path::Path;
use std::sync::Arc;

/// The limit for the files that are read.
const MAX_FILES: usize = 20_000;
/// The limit for the files that are read, in bytes together.
const MAX_BYTES: u64 = 64 << 20;
/// The limit for the texts that are parsed, in bytes together. Parsing takes about 0.1 s per MB.
const MAX_PARSED: usize = 16 << 20;

/// What one search may still read and parse.
#[derive(Debug)]
pub struct ReadLimits {
    files_left: usize,
    bytes_left: u64,
    #[cfg_attr(
        not(feature = "grammars"),
        expect(dead_code, reason = "only texts of known languages are parsed")
    )]
    bytes_to_parse: usize,
    is_cut: bool,
}

impl Default for ReadLimits {
    fn default() -> Self {
        let (files_left, bytes_left) = (MAX_FILES, MAX_BYTES);
        Self { files_left, bytes_left, bytes_to_parse: MAX_PARSED, is_cut: false }
    }
}

impl ReadLimits {
    /// Whether a limit was exceeded, so that the search is incomplete.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether this many files may still be read.
    #[cfg(feature = "grammars")]
    pub fn may_read(&self, n_files: usize) -> bool {
        n_files <= self.files_left
    }

    /// The text of a file, as `read` returns it. `None` also if a limit is exceeded.
    pub fn read(
        &mut self,
        path: &Path,
        read: impl FnOnce(&Path) -> Option<Arc<str>>,
    ) -> Option<Arc<str>> {
        let len = std::fs::metadata(path).ok()?.len();
        let (Some(files), Some(bytes)) =
            (self.files_left.checked_sub(1), self.bytes_left.checked_sub(len))
        else {
            self.is_cut = true;
            return None;
        };
        (self.files_left, self.bytes_left) = (files, bytes);
        read(path)
    }

    /// Whether a text may be parsed.
    #[cfg(feature = "grammars")]
    pub fn may_parse(&mut self, text: &str) -> bool {
        match self.bytes_to_parse.checked_sub(text.len()) {
            Some(left) => self.bytes_to_parse = left,
            None => self.is_cut = true,
        }
        !self.is_cut
    }
}
