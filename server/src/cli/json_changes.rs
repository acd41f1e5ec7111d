//! Changes of costs in the JSON of `diff`, `report` and `tree`.

use answers::{Before, Change, CompareBy as By, Compared, Cost, Total, Weight};
use schemars::JsonSchema;
use serde::Serialize;

/// What a change compares.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Compare")]
pub(super) enum JsonCompare {
    /// Weights.
    Absolute,
    /// Shares of the total, times the total of the new profile.
    Share,
}

impl From<By> for JsonCompare {
    fn from(by: By) -> Self {
        match by {
            By::Weight => Self::Absolute,
            By::Share => Self::Share,
        }
    }
}

/// The change of a cost.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub(super) struct JsonChange {
    /// The cost in the baseline.
    pub before: Weight,
    /// The cost in the new profile.
    pub after: Weight,
    /// The change, in weights of the new profile.
    pub change: Weight,
    /// The greatest change that may be noise.
    pub noise: Option<Weight>,
    /// Whether the change is greater than noise.
    pub changed: bool,
}

impl From<Change> for JsonChange {
    fn from(change: Change) -> Self {
        Self {
            before: Weight(change.before),
            after: Weight(change.now),
            change: Weight(change.change),
            noise: change.noise.map(Weight),
            changed: change.is_real(),
        }
    }
}

/// How the profile is compared with the baseline, and the change of the total.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Comparison")]
pub(super) struct JsonComparison {
    /// The path of the baseline; the first of several.
    baseline: String,
    /// The number of baselines. Costs before are their mean.
    runs: usize,
    /// What `change` compares.
    compare: JsonCompare,
    /// The bound of noise of each row in standard deviations. It accounts for their number.
    bound: Option<f64>,
    #[serde(flatten)]
    total: JsonChange,
}

impl From<Compared<'_>> for JsonComparison {
    fn from(Compared { baseline, by }: Compared<'_>) -> Self {
        Self {
            baseline: baseline.snapshot.loaded.path.to_string_lossy().into_owned(),
            runs: baseline.runs().count(),
            compare: by.by.into(),
            bound: by.bound(),
            total: by.total().into(),
        }
    }
}

/// The changes of the costs of a row.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Changes")]
pub(super) struct JsonChanges {
    /// The change of the self cost. Null if it is not known.
    #[serde(rename = "self")]
    self_: Option<JsonChange>,
    /// The change of the total. Null if it is not exact on both sides.
    total: Option<JsonChange>,
}

impl JsonChanges {
    /// The changes since the baseline.
    pub fn new(before: Before, now: Cost) -> Self {
        let total = before.total_change(now).map(JsonChange::from);
        Self { self_: Some(before.self_change(now).into()), total }
    }

    /// The same if the self cost may be unknown.
    pub fn of_parts(before: Before, self_: Option<f64>, total: Total) -> Self {
        let changes = Self::new(before, Cost { self_: self_.unwrap_or_default(), total });
        Self { self_: changes.self_.filter(|_| self_.is_some()), ..changes }
    }
}
