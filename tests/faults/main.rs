//! What no file, folder, system or client may cause: one test per fault and per threat of
//! `docs/security.md`.
//!
//! The real binary runs under `strace` ([`trace`]), or with a limit on its memory.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod abandoned;
mod clients;
mod files;
mod limits;
mod memory;
mod random;
mod security;
mod sizes;
#[path = "../skip.rs"]
mod skip;
mod stalled;
#[path = "../e2e/support/mod.rs"]
mod support;
mod trace;
#[path = "../wire/mod.rs"]
mod wire;
