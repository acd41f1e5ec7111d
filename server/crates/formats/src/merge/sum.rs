//! Sums that are exact, and why there is none.

/// Why a file does not go with those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MergeError(pub(super) String);

/// Adds to a sum.
pub(super) fn add(sum: &mut i64, value: i64) -> Result<(), MergeError> {
    *sum = sum
        .checked_add(value)
        .ok_or_else(|| MergeError("makes a sum larger than 64 bits can hold".to_owned()))?;
    Ok(())
}
