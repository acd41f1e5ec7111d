//! Costline: what each line and function of a program costs, in any editor.
//!
//! The process only sets up logging and exits with the right code. [`cli`] has the commands,
//! [`lsp`] the language server; both translate the answers of `costline-engine`.

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
    // Editors show what a server writes to standard error as if it were an error: be quiet unless
    // asked.
    let filter = EnvFilter::try_from_env("COSTLINE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_env_filter(filter)
        .init();
    std::process::exit(cli::run());
}
