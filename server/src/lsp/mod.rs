//! The language server. [`backend`] is its table of contents; each request has a file of its own.
//!
//! Only this folder speaks the protocol; `cli` uses its type for URIs. The crate `lsp_guard` works around defects of
//! tower-lsp. All requests to the client go through [`lsp_guard::ask`].
//!
//! No handler awaits a reply from the client. `lsp_guard::ask` sends each request from a separate
//! task, with a deadline, so an editor that never replies delays nothing else.

pub mod active_document;
mod backend;
mod call_hierarchy;
pub mod capabilities;
mod changed;
mod code_action;
mod code_lens;
pub mod command;
pub mod content;
mod diagnostics;
mod documents;
mod from_proto;
mod hover;
mod inlay_hint;
mod loader;
mod other_profile;
mod pictures;
mod problem_messages;
mod progress;
mod refresh;
mod registration;
mod restore;
mod saved_view;
mod server;
mod symbol;
mod to_proto;
mod watch;
mod watched_files;
mod watched_settings;

use tokio::io::{stdin, stdout};
use tower_lsp::LspService;

/// Serves one editor on standard input and output and returns the exit code of the process.
pub fn main() -> i32 {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!("cannot start the server: {error}");
            return 1;
        }
    };
    let (service, socket) = LspService::build(backend::Backend::new)
        .custom_method("window/workDoneProgress/cancel", backend::Backend::cancel_progress)
        .custom_method("costline/activeDocument", backend::Backend::active_document)
        .custom_method("costline/textDocumentContent", backend::Backend::text_document_content)
        .finish();
    let code = runtime.block_on(lsp_guard::serve(
        service,
        socket,
        stdin(),
        stdout(),
        lsp_guard::stdin_closed(),
    ));
    // Does not wait for the pending read of standard input.
    runtime.shutdown_background();
    code
}
