//! The phases of a read.

/// What a long read is doing. Handed to the observer of [`read()`] at the start of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Decompressing; so many bytes have come out.
    Inflating(u64),
    /// Decoding so many bytes.
    Decoding(u64),
}
