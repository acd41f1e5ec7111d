//! Raw weights in JSON, and the tiers of costs.

use analysis::{Cost, Total};
use loading::units;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// A raw weight. Serialized as an integer if it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Default, JsonSchema)]
#[schemars(transparent)]
pub struct Weight(pub f64);

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match units::integer(self.0) {
            Some(integer) => serializer.serialize_i64(integer),
            None => serializer.serialize_f64(self.0),
        }
    }
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
