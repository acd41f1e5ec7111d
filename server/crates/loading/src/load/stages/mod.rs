//! The stages of a load: loaded → symbolicated → identified → grouped → costed.
//!
//! Each stage is an immutable struct that is computed from the stage before it and its own
//! settings. If the input of a stage changes, that stage and all later ones are computed again.
//! [`crate::snapshot::Snapshot`] holds all of them.

pub(crate) mod found_by_name;
pub(crate) mod recorded_texts;

pub(crate) mod base_names;
pub(crate) mod build_folders;
pub(crate) mod by_name;
pub(crate) mod checksums;
pub(crate) mod class_files;
pub(crate) mod costed;
pub(crate) mod excluded;
pub(crate) mod file_evidence;
pub(crate) mod grouped;
pub(crate) mod identified;
pub(crate) mod identifying;
pub(crate) mod inlined;
pub(crate) mod line_ends;
pub(crate) mod renamed;
pub(crate) mod short_files;
pub(crate) mod source_maps;
pub(crate) mod symbolicated;
pub(crate) mod transpiled;
