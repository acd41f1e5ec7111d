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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_is_too_large_is_an_error_and_changes_nothing() {
        let mut sum = i64::MAX - 5;
        assert_eq!(add(&mut sum, 5), Ok(()));
        let error = MergeError("makes a sum larger than 64 bits can hold".to_owned());
        assert_eq!(add(&mut sum, 1), Err(error.clone()));
        assert_eq!(sum, i64::MAX);
        let mut sum = i64::MIN;
        assert_eq!((add(&mut sum, -1), sum), (Err(error), i64::MIN));
    }
}
