//! The language server protocol.

/// Serves.
pub fn main() -> i32 {
    1
}
