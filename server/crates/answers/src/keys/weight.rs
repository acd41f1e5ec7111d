//! Raw weights in JSON, and the tiers of costs.

use analysis::{Cost, Total};
use loading::units;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A raw weight. Serialized as an integer if it is whole, and without the errors of sums of decimal
/// fractions: 0.3, not 0.30000000000000004.
#[derive(Debug, Clone, Copy, PartialEq, Default, JsonSchema)]
#[schemars(transparent)]
pub struct Weight(pub f64);

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match units::integer(self.0) {
            Some(integer) => serializer.serialize_i64(integer),
            None => serializer.serialize_f64(without_rounding_errors(self.0)),
        }
    }
}

/// The number with the fewest decimals, up to nine (nanoseconds, if a weight is in seconds), that differs
/// from `weight` by no more than sums of binary fractions do. `weight` itself if there is none.
fn without_rounding_errors(weight: f64) -> f64 {
    const POWERS: [f64; 9] = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    /// What thousands of samples of 0.01 s add up to.
    const MAX_ERROR: f64 = 1e-12;
    let decimals = POWERS.map(|power| (weight * power).round() / power);
    let is_close = |decimal: &f64| (weight - decimal).abs() <= MAX_ERROR * weight.abs();
    decimals.into_iter().find(is_close).unwrap_or(weight)
}

impl Weight {
    /// The weight of an exact total. `None` if the total is bounded, estimated or unknown.
    pub fn of_total(total: Total) -> Option<Self> {
        total.exact().map(Self)
    }
}

/// The smallest percentages of tier 1, 2 and 3.
pub const TIERS: [f64; 3] = [1.0, 5.0, 20.0];

/// The tier of a cost, from 0 to 3: the number of [`TIERS`] that it reaches in percent of `base`.
pub fn tier(cost: Cost, base: f64) -> u8 {
    let percent = if base == 0.0 { 0.0 } else { 100.0 * cost.magnitude() / base };
    TIERS.into_iter().filter(|threshold| percent >= *threshold).count() as u8
}

/// The tier of a change, which is a share of the base: 0 for none, 1 below 5%, 2 from 5%, 3 from 20%,
/// negative if the cost fell. Unlike costs, changes of less than 1% have one.
pub fn change_tier(share: f64) -> i8 {
    let [_, warm, hot] = TIERS;
    let percent = 100.0 * share.abs();
    let tier = i8::from(percent > 0.0) + i8::from(percent >= warm) + i8::from(percent >= hot);
    if share < 0.0 { -tier } else { tier }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_direction() {
        let tiers = [-0.2, -0.05, -0.001, 0.0, 0.001, 0.05, 0.2].map(change_tier);
        assert_eq!(tiers, [-3, -2, -1, 0, 1, 2, 3]);
    }

    #[test]
    fn sums_are_written_without_their_rounding_errors() {
        let written = |weight| serde_json::to_string(&Weight(weight)).unwrap();
        assert_eq!(written(std::iter::repeat_n(0.01, 121).sum()), "1.21");
        assert_eq!(written(0.1 + 0.2), "0.3");
        assert_eq!(written(-0.1 - 0.2), "-0.3");
        assert_eq!(written(3.0), "3");
        assert_eq!(written(303_009.394_000_001), "303009.394");
        assert_eq!(written(1.209_999_999_999_974_2), "1.21");
        // Nanoseconds of a quarter of an hour stay.
        assert_eq!(written(900.123_456_789), "900.123456789");
        assert_eq!(written(1.0 / 3.0), "0.3333333333333333");
        assert_eq!(written(1.25e-11), "1.25e-11");
    }
}
