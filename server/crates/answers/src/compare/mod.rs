//! Comparing a profile with a baseline, with kept runs, or with a second cost.

pub(crate) mod baseline;
pub(crate) mod before;
pub(crate) mod checkouts;
pub(crate) mod common_factor;
pub(crate) mod compared;
pub(crate) mod comparison;
pub(crate) mod definition_key;
pub(crate) mod diff;
pub(crate) mod difference;
pub(crate) mod gate;
pub(crate) mod kept_baseline;
pub(crate) mod noise;
pub(crate) mod overlay;
pub(crate) mod renamed;
pub(crate) mod same_nodes;
pub(crate) mod unresolved;
