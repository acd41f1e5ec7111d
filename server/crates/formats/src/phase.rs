//! The phases of a read.

/// A phase of a read. The observer of [`read()`](crate::read()) gets each at its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Decompressing; the number of bytes decompressed so far.
    Inflating(u64),
    /// Decoding; the number of decompressed bytes.
    Decoding(u64),
}
