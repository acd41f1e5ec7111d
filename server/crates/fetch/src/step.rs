//! The steps of a fetch, to be shown as progress.

use url::Url;

/// What happens during a fetch.
#[derive(Debug, Clone)]
pub enum Step {
    /// The answer is awaited.
    Asking(Url),
    /// Another try begins.
    Again {
        /// Why the last one failed.
        reason: String,
    },
    /// A part of the answer came: its bytes so far, and those of all if the host says so.
    Received(u64, Option<u64>),
    /// A file of a folder was added: how many so far, and how many there are.
    Merged(usize, usize),
}
