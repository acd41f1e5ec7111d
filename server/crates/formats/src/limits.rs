//! Limits of a read.

/// Limits on untrusted data.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The largest allowed size after decompression, in bytes.
    pub max_inflated_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_inflated_bytes: 2 << 30 }
    }
}
