//! Functions and line maps of real texts.

#[path = "../../../../../tests/skip.rs"]
mod skip;

mod edits;
#[cfg(feature = "grammars")]
mod formatters;
#[cfg(feature = "grammars")]
mod functions;
