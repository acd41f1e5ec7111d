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
    /// A part of the answer came: the bytes so far, and the size of the response if the host states
    /// it.
    Received(u64, Option<u64>),
    /// A file of a folder was added: how many so far, and how many there are.
    Merged(usize, usize),
}
