//! The codes and samples of a file, in either form.

use super::code::Codes;

/// A file in either form.
pub(super) struct File {
    pub(super) codes: Codes,
    pub(super) ticks: Vec<Tick>,
    /// Whether the end of the recording is in the file.
    pub(super) is_complete: bool,
}

/// A sample.
pub(super) struct Tick {
    /// Since the start of the program.
    pub(super) microseconds: u64,
    pub(super) state: usize,
    /// The leaf first: the number of a code and the offset in it, `None` for an address in no code.
    pub(super) stack: Vec<Option<(usize, u64)>>,
}
