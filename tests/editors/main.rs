//! Real editors: what people see on their screens, before and after a profile is rewritten.
//!
//! Each test starts one editor with the plug-in or settings of `editors/` on a [`Stage`] and lets a script of that editor's own
//! kind look. Editors come from `tests/editors/install` (or the PATH); one that is missing is said loudly, and fails the test
//! where `COSTLINE_REQUIRE_TOOLS` is set. The server runs behind a tee, where there is a Node.js: what it said to the editor is
//! checked when the script is over ([`wire`]).

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the message")]

mod emacs;
mod neovim;
mod others;
mod recorded;
mod stage;
mod vscode;
#[path = "../wire/mod.rs"]
mod wire;
