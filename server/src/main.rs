//! Costline: what each line and function of a program costs, in any editor.
//!
//! The process does nothing here but set up logging and end with the right code; [`cli`] has the commands, [`lsp`] the
//! language server, [`session`] what it knows, [`present`] how it words it.

#[cfg(test)]
mod book;
mod cli;
mod export;
mod lsp;
mod present;
#[cfg(test)]
mod schemas;
mod session;

use tracing_subscriber::EnvFilter;

fn main() {
    // Editors show what a server writes to standard error as if it were an error: be quiet unless asked.
    let filter = EnvFilter::try_from_env("COSTLINE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_env_filter(filter).init();
    std::process::exit(cli::run());
}
