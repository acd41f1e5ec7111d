//! A scripted editor for the real binary, shared by all end-to-end suites.
//!
//! [`Server`] starts `costline lsp`, says what its client can do, and holds the server to it: a message that the protocol does
//! not have so, or for which the client did not declare what it takes ([`wire`](crate::wire)), an unread notification, an error
//! exit or a panic on stderr fail the test, at the next wait or when the `Server` is dropped. What the test sends is held to the
//! protocol too, but for a client that is [`odd`](ServerBuilder::odd) and for what is sent raw. [`Workspace`] is the folder it
//! works in. [`process`] is the child and its pipes, without any knowledge of the protocol's rules.
//!
//! [`questions`] are the requests that suites make over and over; [`profiles`] writes small profiles whose costs can be
//! checked by hand, [`cases`] holds the real ones of `fixtures/` with what independent tools computed of them.
//!
//! Every wait ends at [`DEADLINE`]: it stops a test that hangs, and is never what a test measures.
//!
//! ```ignore
//! let workspace = Workspace::new();
//! let file = workspace.write("src/main.rs", "fn main() {}\n");
//! let mut server = Server::start(&workspace);
//! let uri = server.open_file(&file, "rust");
//! let hints = server.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, … }));
//! ```

// Each suite uses its part of it.
#![allow(dead_code, unused_imports)]
// So that `json!` can stand in the call.
#![allow(clippy::needless_pass_by_value)]

pub mod builder;
pub mod capabilities;
pub mod cases;
mod ending;
mod heard;
pub mod process;
pub mod profiles;
pub mod questions;
mod reading;
pub mod server;
pub mod workspace;

pub use builder::ServerBuilder;
pub use heard::Refreshes;
pub use process::{DEADLINE, Process};
pub use questions::six;
pub use server::Server;
pub use workspace::{Workspace, set_age, uri};
