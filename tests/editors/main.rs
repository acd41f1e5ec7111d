//! Real editors: what their screens show, before and after a profile is rewritten.
//!
//! Each test starts one editor with the plug-in or settings of `editors/` on a [`Stage`], and runs
//! a script inside that editor. `tests/editors/install` installs the editors, or they are on the
//! PATH. Without an editor, its test is skipped with a message, or fails if
//! `COSTLINE_REQUIRE_TOOLS` is set. If there is a Node.js, the server runs behind a tee, and its
//! messages are checked when the script is over ([`wire`]).

// The installers and tmux need Debian.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod emacs;
mod fleet;
mod neovim;
mod others;
mod recorded;
#[path = "../skip.rs"]
mod skip;
mod stage;
mod vscode;
#[path = "../wire/mod.rs"]
mod wire;
