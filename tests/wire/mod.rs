//! Checks whether a conversation between a client and the server follows the Language Server
//! Protocol.
//!
//! [`Conversation`] takes the messages of both sides in order and checks the frame and envelope of
//! each, the schema of its method ([`schema`]), rules beyond types ([`rules`]), and its relation to
//! other messages: responses to open requests, capabilities that the client declared
//! ([`declared`]), progress from begin to end ([`progress`]). [`frames`] splits a stream into
//! messages, [`log`] reads conversations that `tests/editors/tee.mjs` recorded.
//!
//! Independent of the server's own types. It does not check whether the content is right.

// Each suite uses only a part of this.
#![allow(dead_code, unused_imports, unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod conversation;
mod declared;
mod frames;
mod log;
mod progress;
mod rules;
mod schema;

pub use conversation::{Conversation, Side};
pub use frames::Frames;
pub use log::{Report, check_log};
