//! Addresses of a profile to functions and lines, from what lies on this machine: debug info of the libraries and programs that
//! the profile names, or a sidecar that the profiler wrote beside it.
//!
//! Nothing is fetched, nothing is executed, and a file whose id is not the recorded one is never believed. Tables are rebuilt by
//! [`profile::symbolicate`]; formats and editors are not known here.

#[cfg(feature = "debug-info")]
mod file;
mod found;
mod search;

pub use found::{Found, Id};
pub use search::Search;
