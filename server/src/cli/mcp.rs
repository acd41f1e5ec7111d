//! `costline mcp`: the queries of the engine as tools of the Model Context Protocol, for programs
//! that change code. It only reads: it runs no program, opens no socket, and writes nothing but the
//! copies of sources that loading keeps in the cache.

mod answers;
mod calls;
mod compare;
mod explain;
mod export;
mod facts;
mod fit;
mod hot_spots;
mod line_costs;
mod pages;
mod project;
mod record;
mod server;
mod tool;
mod tools;
mod tree;
mod view;

use super::exit::Failure;
use super::view::ViewArgs;
use project::Project;
use rmcp::ServiceExt as _;
use server::Server;
use tokio::io::{stdin, stdout};

#[cfg(test)]
pub use {pages::PAGES, tools::TOOLS};

/// Serves one client on standard input and output until the input ends.
pub(super) fn serve(view: ViewArgs) -> Result<(), Failure> {
    let project = Project::new(view)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(Failure::from)?;
    runtime.block_on(async {
        match Server::new(project).serve((stdin(), stdout())).await {
            Ok(service) => drop(service.waiting().await),
            // The input ended before the client said hello, or it speaks another protocol.
            Err(error) => tracing::info!("no client: {error}"),
        }
    });
    // Does not wait for the pending read of standard input.
    runtime.shutdown_background();
    Ok(())
}
