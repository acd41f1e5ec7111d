//! Runs every query of the engine without a process: a project and a profile as text, the
//! answer as text. All numbers can be counted in the samples.
#![cfg(feature = "grammars")]
#![allow(clippy::unwrap_used, reason = "in tests a panic is the message")]
#![allow(clippy::format_collect, reason = "the texts are small")]

mod advice;
mod agreement;
mod answers;
mod baseline;
mod build_folders;
mod calls;
#[cfg(feature = "symbols")]
mod checksums;
mod class_files;
mod contour;
mod costs;
mod documents;
mod edited;
mod edited_programs;
mod files;
mod first_instruction;
mod functions_at;
mod hot_groups;
mod hot_rows;
mod lenses;
mod line_counts;
mod matching;
mod menus;
mod noise;
mod recursion;
mod renamed;
mod repeated_runs;
mod reports;
mod selection;
#[cfg(feature = "symbols")]
#[path = "../../../../../tests/skip.rs"]
mod skip;
mod support;
mod tree_rows;
mod views;
