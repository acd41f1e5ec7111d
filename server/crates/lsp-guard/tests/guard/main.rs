//! Every defect of tower-lsp 0.20 in the README's table, with a toy server and a scripted client
//! over in-memory pipes: `unguarded` shows the defect, `guarded` that it is gone.

// Helpers of tests, which the lint does not take for tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod guarded;
mod toy;
mod unguarded;
