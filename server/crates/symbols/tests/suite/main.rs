//! Resolution of addresses with real programs and sidecar files.

#[path = "../../../../../tests/skip.rs"]
mod skip;

mod binaries;
mod sidecar;
mod unwind;
