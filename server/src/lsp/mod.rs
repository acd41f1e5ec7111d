//! The language server: [`backend`] is its table of contents, one file per request behind it.
//!
//! Only this folder and `session` know the protocol. [`shell`] guards the process against tower-lsp's defects; [`outgoing`]
//! is the only way to ask the client anything.

mod backend;
mod call_hierarchy;
mod call_tree;
mod capabilities;
mod changed;
mod code_lens;
pub mod command;
mod context;
mod diagnostics;
mod explain;
mod flamegraph;
mod from_proto;
mod hover;
mod inlay_hint;
pub mod outgoing;
mod shell;
mod symbol;
mod to_proto;

use tokio::io::{stdin, stdout};
use tower_lsp::LspService;

/// Serves one editor over standard input and output; gives the exit code of the process.
pub fn main() -> i32 {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!("cannot start: {error}");
            return 1;
        }
    };
    let (service, socket) = LspService::build(backend::Backend::new)
        .custom_method("window/workDoneProgress/cancel", backend::Backend::cancel_progress)
        .custom_method("costline/textDocumentContent", backend::Backend::text_document_content)
        .finish();
    let code = runtime.block_on(shell::serve(service, socket, stdin(), stdout()));
    // A read of standard input is still pending: do not wait for it.
    runtime.shutdown_background();
    code
}
