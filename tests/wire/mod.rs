//! Whether a conversation between a client and the server is one as the Language Server Protocol has it.
//!
//! [`Conversation`] hears the messages of both sides in order and says what is wrong with each: its frame and envelope, what the
//! schema of its method says ([`schema`]), what the protocol demands beside types ([`rules`]), and what one message owes to
//! others: answers to open requests, capabilities that the client declared ([`declared`]), progress from begin to end
//! ([`progress`]). [`frames`] makes messages out of bytes, [`log`] reads conversations that `tests/editors/tee.mjs` recorded.
//!
//! Independent of the server's own types. What the conversation is about, and whether the numbers are right, is left to others.

// Each suite uses its part of it.
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
