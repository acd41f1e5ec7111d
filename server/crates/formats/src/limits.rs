//! Limits of a read.

/// Bounds on what is believed of a file.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// More inflated bytes than this are refused.
    pub max_inflated_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_inflated_bytes: 2 << 30 }
    }
}
