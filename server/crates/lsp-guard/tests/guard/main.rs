//! The defects of tower-lsp 0.20 in the README's table, with a toy server and a scripted client on
//! in-memory pipes. `unguarded` shows each defect, `guarded` that the guard prevents it.

// The lints do not recognize helper functions as tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod guarded;
mod toy;
mod unguarded;
