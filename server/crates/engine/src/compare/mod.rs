//! Comparing a profile with a baseline, with kept runs, or with a second cost.

pub mod average;
pub mod baseline;
mod checkouts;
pub mod comparison;
mod definition_key;
pub mod diff;
mod difference;
pub mod kept_baseline;
pub mod kept_runs;
pub mod overlay;
mod renamed;
pub mod same_nodes;
pub mod sampling;
mod unresolved;
