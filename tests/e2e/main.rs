//! The real binary over real pipes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod lifecycle;
mod support;
