//! Costline shows what each line and function of a program costs, in any editor.
//!
//! This file sets up logging and the exit code. [`cli`] contains the commands, [`lsp`] the language
//! server. Both present the answers of `costline-answers`.

#[cfg(test)]
mod book;
mod cli;
mod lsp;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod schemas;

use tracing_subscriber::EnvFilter;

fn main() {
    // Many editors show everything that a server writes to standard error as an error. rmcp also
    // logs a warning for each error that is sent to a client.
    let filter = EnvFilter::try_from_env("COSTLINE_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_env_filter(filter)
        .init();
    std::process::exit(cli::run());
}
