//! The command line: one file per subcommand. All of them use the same `Snapshot` as the server.

mod annotate;
mod callers;
pub(crate) mod check;
mod compare;
mod current_folder;
pub(crate) mod diff;
mod document;
mod dump;
mod exit;
mod explain;
mod export;
mod fetch;
mod heading;
mod html;
mod json_changes;
mod left_out;
mod loaded;
mod man;
pub(crate) mod mcp;
mod newest;
mod output;
mod overlay;
mod progress;
mod read;
pub(crate) mod report;
mod source_roots;
mod style;
mod tree;
mod values;
mod view;
mod warnings;

pub use exit::EXIT_CODES;

use crate::lsp;
use clap::{CommandFactory, Parser, Subcommand};
use exit::{Failure, NO_OUTPUT, USAGE};
use output::Output;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;
use std::path::PathBuf;

/// What `--help` says below the options.
fn after_help() -> String {
    let codes = EXIT_CODES.map(|(code, meaning)| format!("  {code}  {meaning}\n")).concat();
    format!(
        "\
Exit codes:
{codes}
Profiles are recognized by their content, not by their name. Files compressed with gzip or zstd are
decompressed. The profile `-` is standard input. Set COSTLINE_LOG to error, warn, info or debug to
change how much is logged to standard error. COSTLINE_CACHE_DIR is the folder for copies of sources;
if it is empty, none are kept. COSTLINE_STATE_DIR is the folder where the server saves views and
runs; if it is empty, none are saved. COSTLINE_KEYRING_COMMAND is the command that prints the secrets
of `fetch` whose variables are not set."
    )
}

/// Show what each line and function of a program costs, from profile files
#[derive(Debug, Parser)]
#[command(name = "costline", version, after_help = after_help())]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Same as `lsp`; many editors pass it to every server
    #[arg(long, hide = true)]
    stdio: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Do what standard input asks with little memory, for another process of this program
    #[command(hide = true)]
    Guarded {
        /// What to do: `read` or `parse`
        work: String,
        /// In bytes
        memory: u64,
    },
    /// Run the language server on standard input and output
    ///
    /// This is the default if standard input is not a terminal.
    Lsp {
        /// Accepted for compatibility; the server always uses standard input and output
        #[arg(long)]
        stdio: bool,
    },
    /// Print sources with the cost of each line
    ///
    /// TARGET is a file or the end of its path, a folder, a line (`FILE:LINE`), or a function: its
    /// name, a suffix, a glob or /regex/. Without TARGET, the three hottest files are printed.
    #[command(
        override_usage = "costline annotate [OPTIONS] [PROFILE]... [TARGET]...",
        mut_arg("profiles", |argument| argument.value_name("PROFILE|TARGET").help(
            "The profile, as one file, all files of one run, or - [default: the newest profile of the \
             project]; after it, what to show"
        ))
    )]
    Annotate(annotate::AnnotateArgs),
    /// List the hottest functions, lines, calls or modules
    Report(report::ReportArgs),
    /// List the functions, lines or files whose cost changed
    #[command(
        override_usage = "costline diff [OPTIONS] <BASE> <NEW>",
        mut_arg("profiles", |argument| argument.value_name("BASE|NEW").help(
            "The two profiles to compare, the older one first; - is standard input"
        )),
        mut_arg("combine", |argument| argument.hide(true))
    )]
    Diff(diff::DiffArgs),
    /// List the callers of a function
    ///
    /// FUNCTION is its name, a suffix, a glob or /regex/ that matches one function. The number of
    /// calls is printed if it is known.
    #[command(
        override_usage = "costline callers [OPTIONS] [PROFILE]... <FUNCTION>",
        mut_arg("profiles", |argument| argument.value_name("PROFILE|FUNCTION").help(
            "The profile, as one file, all files of one run, or - [default: the newest profile of the \
             project]; after it, the function"
        ))
    )]
    Callers(callers::CallersArgs),
    /// Explain the cost of a line, and how it got there
    ///
    /// Prints the line's share of its function, its callers and callees, and which rules placed the
    /// cost on the line.
    #[command(
        override_usage = "costline explain [OPTIONS] [PROFILE]... <FILE:LINE>",
        mut_arg("profiles", |argument| argument.value_name("PROFILE|FILE:LINE").help(
            "The profile, as one file, all files of one run, or - [default: the newest profile of the \
             project]; after it, the line"
        ))
    )]
    Explain(explain::ExplainArgs),
    /// Print what a profile contains and how to record a better one
    Check(check::CheckArgs),
    /// Print the call tree
    Tree(tree::TreeArgs),
    /// Write a profile in another format
    Export(export::ExportArgs),
    /// Write a page (HTML) with hot spots, flame graph and sources
    ///
    /// The page is one file that loads nothing from elsewhere.
    Html(html::HtmlArgs),
    /// Fetch a profile over the network, or merge those in a folder
    ///
    /// The profile is written below `.costline/`, where editors find it. SOURCE is a name from
    /// `.costline/sources.toml`, a URL, a folder, or a kind of source and its address, such as
    /// `pyroscope URL`. No other command opens a network connection.
    #[command(override_usage = "costline fetch [OPTIONS] [SOURCE]...")]
    Fetch(Box<fetch::FetchArgs>),
    /// Run an MCP server, which answers coding agents
    ///
    /// It speaks the Model Context Protocol on standard input and output, and answers questions about
    /// the profiles of the project.
    Mcp(view::ViewArgs),
    /// Print the nodes of a Mercury deep profile, to debug profilers
    Dump {
        /// The profile
        profile: PathBuf,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write a manual page for each command
    Man {
        /// The folder to write to; created if it does not exist
        folder: PathBuf,
    },
}

/// The definition of the command line, for the book.
#[cfg(test)]
pub fn command() -> clap::Command {
    Cli::command()
}

/// The arguments that all commands on profiles share, for the book.
#[cfg(test)]
pub fn view_arguments() -> clap::Command {
    <view::ViewArgs as clap::Args>::augment_args(clap::Command::new("view"))
}

/// Runs the command in the arguments of the process and returns the exit code.
pub fn run() -> i32 {
    let cli = Cli::parse();
    let command = match cli.command {
        Some(command) => command,
        None if !cli.stdio && is_file(&io::stdin()) => {
            eprintln!(
                "costline: standard input is a file, but `costline` alone is a language server; to read a \
                 profile, run `costline report - < FILE`"
            );
            return USAGE;
        }
        None if cli.stdio || !io::stdin().is_terminal() => Command::Lsp { stdio: true },
        None => {
            let help = Cli::command().print_help();
            return if help.is_ok() { USAGE } else { NO_OUTPUT };
        }
    };
    match &command {
        Command::Guarded { work, memory } => {
            return i32::from(answers::serve_guarded(work, *memory).is_err());
        }
        _ => answers::use_helper(this_program(), vec!["guarded".into()]),
    }
    if let Command::Lsp { .. } = command {
        return lsp::main();
    }
    let mut out = BufWriter::with_capacity(1 << 18, io::stdout());
    match execute(command, &mut out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => 0,
        Err(failure) => {
            let _ = out.flush();
            failure.print();
            failure.code
        }
    }
}

/// Whether an open file is a regular file, not a pipe, a socket or a terminal.
fn is_file(#[cfg(unix)] open: &impl AsFd, #[cfg(windows)] open: &impl AsHandle) -> bool {
    #[cfg(unix)]
    let owned = open.as_fd().try_clone_to_owned();
    #[cfg(windows)]
    let owned = open.as_handle().try_clone_to_owned();
    owned.is_ok_and(|owned| File::from(owned).metadata().is_ok_and(|metadata| metadata.is_file()))
}

/// The file of this program. On Linux a name that stays valid when the file is replaced.
fn this_program() -> OsString {
    let this = std::path::Path::new("/proc/self/exe");
    if this.exists() {
        return this.into();
    }
    std::env::current_exe().map_or_else(|_| "costline".into(), OsString::from)
}

fn execute(command: Command, out: &mut Output) -> Result<(), Failure> {
    match command {
        // These do not write to `out`, see `run`.
        Command::Lsp { .. } | Command::Guarded { .. } => Ok(()),
        Command::Annotate(arguments) => arguments.run(out),
        Command::Report(arguments) => arguments.run(out),
        Command::Diff(arguments) => arguments.run(out),
        Command::Callers(arguments) => arguments.run(out),
        Command::Explain(arguments) => arguments.run(out),
        Command::Check(arguments) => arguments.run(out),
        Command::Tree(arguments) => arguments.run(out),
        Command::Export(arguments) => arguments.run(out),
        Command::Html(arguments) => arguments.run(out),
        Command::Fetch(arguments) => arguments.run(out),
        Command::Mcp(view) => mcp::serve(view),
        Command::Dump { profile } => dump::dump(&profile, out),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "costline", out);
            Ok(())
        }
        Command::Man { folder } => man::man(Cli::command(), &folder, out),
    }
}
