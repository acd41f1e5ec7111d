//! Numbers in profiles.

/// A 1-based line or column from a JSON number. Anything that is not a position becomes 0
/// (unknown).
pub(crate) fn position(number: f64) -> u32 {
    // Casts saturate: negative numbers become 0, too large ones `u32::MAX`, which is no position.
    #[expect(clippy::cast_sign_loss, reason = "saturating is what is meant")]
    let position = number as u32;
    if position == u32::MAX { 0 } else { position }
}

/// Whether a counter of 64 bits can have this value.
pub(crate) fn fits_counter(number: f64) -> bool {
    const MOST: f64 = 18_446_744_073_709_551_616.0;
    number.abs() <= MOST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_positions_are_unknown() {
        let numbers = [7.0, 0.0, -1.0, 1e20, 4_294_967_295.0, f64::NAN];
        assert_eq!(numbers.map(position), [7, 0, 0, 0, 0, 0]);
    }
}
