//! A load in stages: loaded → symbolicated → source-mapped → grouped → costed.
//!
//! Each stage is one struct, made by one function from the stage before and the settings that
//! concern it, and never changed afterwards. When more is known, the stages from there on are
//! computed again: [`crate::snapshot::Snapshot`] collects them.

pub mod costed;
pub mod grouped;
pub mod loaded;
pub mod source_mapped;
pub mod symbolicated;
