//! The stages of a load: loaded → symbolicated → source-mapped → grouped → costed.
//!
//! Each stage is an immutable struct that is computed from the stage before it and its own
//! settings. If the input of a stage changes, that stage and all later ones are computed again.
//! [`crate::snapshot::Snapshot`] holds all of them.

pub mod base_names;
mod build_folders;
pub mod by_name;
pub mod checksums;
pub mod costed;
mod excluded;
mod file_evidence;
pub mod grouped;
mod inlined;
mod line_ends;
pub mod loaded;
pub mod moved;
mod read_limits;
pub mod renamed;
pub mod source_mapped;
pub mod symbolicated;
pub mod transpiled;
