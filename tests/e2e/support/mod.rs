//! A scripted editor for the real binary, shared by all end-to-end suites.
//!
//! [`Server`] starts `costline lsp`, declares the client's capabilities, and checks the server: a
//! message that violates the protocol or a declared capability ([`wire`](crate::wire)), an unread
//! notification, an exit with an error or a panic on stderr fails the test, at the next wait or
//! when the `Server` is dropped. The messages of the test are checked as well, except those of an
//! [`unchecked`](ServerBuilder::unchecked) client and raw ones. [`Workspace`] is the folder it
//! works in. [`process`] is the child process with its pipes; it knows nothing about the protocol's
//! rules.
//!
//! [`requests`] has common requests; [`profiles`] writes small profiles with hand-checkable costs,
//! [`cases`] has the real ones of `fixtures/` with costs computed by independent tools.
//!
//! Every wait ends at [`DEADLINE`], to stop a test that hangs. Tests do not measure time with it.
//!
//! ```ignore
//! let workspace = Workspace::new();
//! let file = workspace.write("src/main.rs", "fn main() {}\n");
//! let mut server = Server::start(&workspace);
//! let uri = server.open_file(&file, "rust");
//! let hints = server.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, … }));
//! ```

// Each suite uses only a part of this.
#![allow(dead_code, unused_imports)]
// `json!` can be written in the call.
#![allow(clippy::needless_pass_by_value)]

pub mod builder;
pub mod capabilities;
pub mod cases;
mod ending;
mod incoming;
pub mod process;
pub mod profiles;
mod reading;
pub mod requests;
pub mod server;
pub mod workspace;

pub use builder::ServerBuilder;
pub use incoming::Refreshes;
pub use process::{DEADLINE, Process};
pub use requests::six;
pub use server::Server;
pub use workspace::{Workspace, set_age, uri};
