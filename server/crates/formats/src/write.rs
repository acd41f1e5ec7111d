//! Recordings to bytes, one writer per format.
//!
//! A writer takes a profile that was reshaped already (threads chosen, idle samples dropped: `analysis::apply`) and puts
//! down what it says; it computes no costs. What a format has no room for is said, not dropped in silence: see
//! [`Written::lost`].

pub mod callgrind;
pub mod firefox;
pub mod flamegraph;
pub mod folded;
pub mod pprof;
pub mod speedscope;

/// A file, ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its content.
    pub bytes: Vec<u8>,
    /// What the recording has and this format cannot carry: nouns for one sentence (`thread names`).
    pub lost: Vec<&'static str>,
}
