//! The stages of a load: loaded → symbolicated → identified → grouped → costed.
//!
//! Each stage is an immutable struct that is computed from the stage before it and its own
//! settings. If the input of a stage changes, that stage and all later ones are computed again.
//! [`crate::snapshot::Snapshot`] holds all of them.

mod base_names;
mod build_folders;
pub mod by_name;
mod checksums;
mod class_files;
pub mod costed;
mod excluded;
mod file_evidence;
pub mod grouped;
pub mod identified;
pub mod identifying;
mod inlined;
mod line_ends;
pub mod loaded;
mod renamed;
mod short_files;
mod source_maps;
pub mod symbolicated;
mod transpiled;
