//! The command line: one file per subcommand. All of them use the same `Snapshot` as the server.

mod annotate;
mod callers;
pub(crate) mod check;
mod compare;
mod current_folder;
pub(crate) mod diff;
mod document;
mod dump;
mod export;
mod fetch;
mod heading;
mod html;
mod json_changes;
mod left_out;
mod man;
pub(crate) mod mcp;
mod newest;
mod overlay;
mod progress;
mod read;
pub(crate) mod report;
mod source_roots;
mod style;
mod tree;
mod view;

use crate::lsp;
use clap::{CommandFactory, Parser, Subcommand};
use engine::compare::baseline::Baseline;
use engine::config::settings::{Combine, Compare, Unit};
use engine::discovery::{is_named_like_profile, sniff};
use engine::export::{Compat, Cut, Options, Target};
use engine::load::stages::loaded::LoadError;
use engine::load::{helper, trial};
use engine::present::text::one_line;
use engine::query::call_groups::GroupBy;
use formats::Foreign;
use read::{file_name, is_empty_file, is_standard_input};
use sources::{Language, regular_file};
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::PathBuf;
use std::sync::Arc;
use style::StyleArgs;

/// Standard output, buffered.
pub type Output = BufWriter<Stdout>;

/// The exit code if the profile cannot be read.
const UNREADABLE: i32 = 1;
/// The exit code for wrong usage. clap uses the same.
const USAGE: i32 = 2;
/// The exit code if there is nothing to show, or the output cannot be written.
const NO_OUTPUT: i32 = 3;
/// The exit code if costs grew by more than the user allows.
const GREW: i32 = 4;

/// The exit codes and what they mean.
pub const EXIT_CODES: [(i32, &str); 5] = [
    (0, "success"),
    (UNREADABLE, "the profile cannot be read or fetched"),
    (USAGE, "wrong usage, or an argument such as a metric, thread or root that matches nothing"),
    (
        NO_OUTPUT,
        "the output cannot be written, profiles cannot be compared, or there is no cost to show",
    ),
    (GREW, "diff: costs grew by more than --fail-above or --fail-above-function allow"),
];

/// What `--help` says below the options.
fn after_help() -> String {
    let codes = EXIT_CODES.map(|(code, meaning)| format!("  {code}  {meaning}\n")).concat();
    format!(
        "\
Exit codes:
{codes}
Profiles are recognised by their content, not by their name. Files compressed with gzip or zstd are
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
    /// Parse the texts on standard input, for another process of this program
    #[command(hide = true)]
    #[cfg(feature = "grammars")]
    Parse,
    /// Read what standard input names, with little memory, for another process of this program
    #[command(hide = true)]
    Try {
        /// In bytes
        memory: u64,
    },
    /// Run the language server on standard input and output; the default if input is not a terminal
    Lsp {
        /// Accepted for compatibility; the server always uses standard input and output
        #[arg(long)]
        stdio: bool,
    },
    /// Print sources with the cost of each line. TARGET is a file, a folder, a line (`FILE:LINE`),
    /// or a function: its name, a suffix, a glob or /regex/. Without TARGET, the three hottest files
    #[command(
        override_usage = "costline annotate [OPTIONS] [PROFILE]... [TARGET]...",
        mut_arg("profiles", |argument| argument.value_name("PROFILE|TARGET").help(
            "The profile, as one file, all files of one run, or - [default: the newest profile of the \
             project]; after it, what to show"
        ))
    )]
    Annotate {
        #[command(flatten)]
        compare: compare::CompareArgs,
        #[command(flatten)]
        overlay: overlay::OverlayArgs,
        #[command(flatten)]
        style: StyleArgs,
        #[command(flatten)]
        view: view::ViewArgs,
    },
    /// List the hottest functions, lines, calls or modules
    Report {
        /// Print all costs as JSON with raw weights (docs/report.schema.json); options that select, sort
        /// or format rows have no effect
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        rows: report::RowArgs,
        #[command(flatten)]
        compare: compare::CompareArgs,
        #[command(flatten)]
        overlay: overlay::OverlayArgs,
        #[command(flatten)]
        style: StyleArgs,
        #[command(flatten)]
        view: view::ViewArgs,
    },
    /// List what changed between two profiles: functions, lines or files
    #[command(
        override_usage = "costline diff [OPTIONS] <BASE> <NEW>",
        mut_arg("profiles", |argument| argument.value_name("BASE|NEW").help(
            "The two profiles to compare, the older one first; - is standard input"
        )),
        mut_arg("combine", |argument| argument.hide(true))
    )]
    Diff {
        #[command(flatten)]
        arguments: diff::DiffArgs,
        #[command(flatten)]
        style: StyleArgs,
        #[command(flatten)]
        view: view::ViewArgs,
    },
    /// List the callers of a function, with the number of calls if it is known. FUNCTION is its
    /// name, a suffix, a glob or /regex/ that matches one function
    #[command(
        override_usage = "costline callers [OPTIONS] [PROFILE]... <FUNCTION>",
        mut_arg("profiles", |argument| argument.value_name("PROFILE|FUNCTION").help(
            "The profile, as one file, all files of one run, or - [default: the newest profile of the \
             project]; after it, the function"
        ))
    )]
    Callers {
        /// What to group them by
        #[arg(long, value_enum, default_value = "function")]
        by: GroupBy,
        /// Print the rows as JSON with raw weights
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        style: StyleArgs,
        #[command(flatten)]
        view: view::ViewArgs,
    },
    /// Print what a profile contains, what it lacks and how to record it better
    Check {
        /// Print everything as JSON with raw weights (docs/check.schema.json)
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        view: view::ViewArgs,
    },
    /// Print the call tree
    Tree {
        #[command(flatten)]
        view: view::ViewArgs,
        /// Print the bottom-up tree: the functions with the highest self cost, with their callers
        /// below them
        #[arg(long)]
        inverted: bool,
        /// Of each function's callees (bottom-up: callers), show only the one with the highest cost
        #[arg(long)]
        hot: bool,
        /// List calls in chronological order, one row per call, instead of summing them; calls that
        /// all samples share are left out
        #[arg(long, conflicts_with_all = ["inverted", "baseline"])]
        occurrences: bool,
        /// Maximum number of call paths; the ones with the highest costs are shown [default: no
        /// limit]
        #[arg(long, value_name = "ROWS")]
        limit: Option<usize>,
        /// Maximum depth; 0 shows the outermost functions only
        #[arg(long, value_name = "FRAMES", default_value_t = 100)]
        depth: usize,
        /// Omit call paths that cost less than this percentage
        #[arg(long, value_name = "PERCENT", default_value = "0.5", value_parser = percentage, allow_negative_numbers = true)]
        min_percent: f64,
        /// Print the rows as JSON with raw weights, parents before children
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        compare: compare::CompareArgs,
        #[command(flatten)]
        style: StyleArgs,
    },
    /// Write a profile in another format
    Export {
        #[command(flatten)]
        view: view::ViewArgs,
        /// The format to write
        #[arg(long, value_enum, value_name = "FORMAT")]
        to: Target,
        /// The file to write [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite the output file if it exists
        #[arg(long)]
        overwrite: bool,
        /// Show the difference from this profile (flame graphs, and folded stacks with two weights)
        #[arg(long, value_name = "PROFILE")]
        baseline: Option<PathBuf>,
        /// How to compare costs with those of the baseline
        #[arg(long, value_enum, value_name = "HOW", default_value = "absolute")]
        compare: Compare,
        /// Write byte for byte what another program would write
        #[arg(long, value_enum, value_name = "PROGRAM")]
        compat: Option<Compat>,
        /// Maximum number of frames of a stack below its root; 0 keeps the outermost functions only
        #[arg(long, value_name = "FRAMES")]
        max_depth: Option<usize>,
        /// What to do with the cost of frames that --max-depth removes
        #[arg(long, value_enum, default_value = "fold", value_name = "HOW")]
        truncate: Cut,
    },
    /// Write one self-contained HTML page with hot spots, a flame graph and annotated sources
    Html {
        #[command(flatten)]
        arguments: html::HtmlArgs,
        #[command(flatten)]
        compare: compare::CompareArgs,
        #[command(flatten)]
        view: view::ViewArgs,
    },
    /// Fetch a profile over the network, or merge the profiles in a folder, and write it below
    /// `.costline/`, where editors find it. SOURCE is a name from `.costline/sources.toml`, a URL, a
    /// folder, or a kind of source and its address, such as `pyroscope URL`. No other command opens a
    /// network connection
    #[command(override_usage = "costline fetch [OPTIONS] [SOURCE]...")]
    Fetch {
        #[command(flatten)]
        arguments: Box<fetch::FetchArgs>,
    },
    /// Run a Model Context Protocol (MCP) server on standard input and output, so that coding agents
    /// can query the profiles of a project
    Mcp {
        #[command(flatten)]
        view: view::ViewArgs,
    },
    /// Print the nodes of a Mercury deep profile, for people who debug profilers
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

/// A command that failed.
#[derive(Debug)]
struct Failure {
    /// The exit code.
    code: i32,
    /// For standard error; nothing is printed if it is empty.
    message: String,
}

impl Failure {
    /// There is nothing to show, or it cannot be written.
    fn no_output(message: impl Into<String>) -> Self {
        Self { code: NO_OUTPUT, message: message.into() }
    }

    fn print(&self) {
        if !self.message.is_empty() {
            let _ = writeln!(io::stderr(), "costline: {}", one_line(&self.message));
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        let mut message = error.to_string();
        if let LoadError::Io { source, .. } = &error
            && source.to_string() == regular_file::NOT_REGULAR
        {
            message.push_str("; to read a pipe, pass `-` and redirect the pipe to standard input");
        }
        Self { code: UNREADABLE, message }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // The reader stopped early (`| head`), which is not an error.
            io::ErrorKind::BrokenPipe => Self { code: 0, message: String::new() },
            _ => Self::no_output(format!("cannot write the output: {error}")),
        }
    }
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
        None if cli.stdio || !io::stdin().is_terminal() => Command::Lsp { stdio: true },
        None => {
            let help = Cli::command().print_help();
            return if help.is_ok() { USAGE } else { NO_OUTPUT };
        }
    };
    match &command {
        #[cfg(feature = "grammars")]
        Command::Parse => return i32::from(sources::trial::serve().is_err()),
        Command::Try { memory } => return i32::from(trial::serve(*memory).is_err()),
        _ => {
            #[cfg(feature = "grammars")]
            sources::trial::use_helper(this_program(), vec!["parse".into()]);
            helper::use_helper(this_program(), vec!["try".into()]);
        }
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
        Command::Lsp { .. } => {}
        #[cfg(feature = "grammars")]
        Command::Parse => {}
        Command::Try { .. } => {}
        Command::Annotate { mut view, compare, overlay, style } => {
            let sources = view.profiles.split_off(count_profiles(&view.profiles));
            compare.check_input(&view.profiles)?;
            let (snapshot, index) = view.clone().load_with(&sources, view::Places::Current)?;
            let before = compare.load(&view, view::Places::Current, &snapshot)?;
            let before = before.as_ref().map(compare::Loaded::compared);
            let overlay = overlay.load(&view, view::Places::Current, &snapshot)?;
            let beside =
                overlay::Beside { before, overlay: overlay.as_ref().map(overlay::Loaded::overlay) };
            let style = style.style(Unit::Percent);
            annotate::annotate(&snapshot, &index, &sources, beside, style, out)?;
        }
        Command::Report { view, json, rows, compare, overlay, style } => {
            compare.check_input(&view.profiles)?;
            let (snapshot, _) = view.clone().load()?;
            let before = compare.load(&view, view::Places::Recorded, &snapshot)?;
            let before = before.as_ref().map(compare::Loaded::compared);
            let overlay = overlay.load(&view, view::Places::Recorded, &snapshot)?;
            let beside =
                overlay::Beside { before, overlay: overlay.as_ref().map(overlay::Loaded::overlay) };
            if json {
                report::json(&snapshot, beside, out)?;
            } else {
                report::text(&snapshot, rows, beside, style.style(Unit::Both), out)?;
            }
        }
        Command::Diff { mut view, arguments, style } => {
            let Some(base) = (view.profiles.len() == 2).then(|| view.profiles.remove(0)) else {
                let message = "diff needs two profiles: costline diff BASE NEW".to_owned();
                return Err(Failure { code: USAGE, message });
            };
            let base = [&[base], arguments.base.as_slice()].concat();
            view.profiles.extend_from_slice(&arguments.new);
            check_standard_input(&[&base, &view.profiles])?;
            if view.combine.replace(Combine::Average) == Some(Combine::Sum) {
                let message = "diff compares the mean of several runs, not their sum".to_owned();
                return Err(Failure { code: USAGE, message });
            }
            let now = Arc::new(view.clone().load()?.0);
            let before =
                Arc::new(compare::load_baseline(&view, base, view::Places::Recorded, &now)?);
            compare::check(&Baseline::new(before.clone()), &now)?;
            diff::diff(&before, &now, &arguments, |unit| style.style(unit), out)?;
        }
        Command::Callers { by, json, style, mut view } => {
            let function = view.profiles.pop().ok_or_else(|| Failure {
                code: USAGE,
                message: "callers needs a FUNCTION: its name, a suffix, a glob or /regex/"
                    .to_owned(),
            })?;
            let (snapshot, _) = view.load()?;
            let (function, style) = (function.to_string_lossy(), style.style(Unit::Both));
            callers::callers(&snapshot, &function, by, json, style, out)?;
        }
        Command::Check { json, view } => {
            let (snapshot, index) = view.load()?;
            let check = check::Check::new(&snapshot, &index);
            if json {
                check.write_json(out)?;
            } else {
                check::text(&snapshot, &check, out)?;
            }
        }
        Command::Tree {
            view,
            inverted,
            hot,
            occurrences,
            limit,
            depth,
            min_percent,
            json,
            compare,
            style,
        } => {
            compare.check_input(&view.profiles)?;
            let (snapshot, _) = view.clone().load()?;
            let before = compare.load(&view, view::Places::Recorded, &snapshot)?;
            let before = before.as_ref().map(compare::Loaded::compared);
            let part = tree::Part { inverted, hot, occurrences, limit, depth, min_percent };
            tree::tree(&snapshot, part, before, json, style.style(Unit::Both), out)?;
        }
        Command::Export {
            view,
            to,
            output,
            overwrite,
            baseline,
            compare,
            compat,
            max_depth,
            truncate,
        } => {
            let options = Options { target: to, compat, max_depth, cut: truncate };
            options
                .check(baseline.is_some())
                .map_err(|message| Failure { code: USAGE, message })?;
            check_standard_input(&[&view.profiles, baseline.as_slice()])?;
            let (snapshot, _) = view.clone().load()?;
            let load =
                |path| compare::load_baseline(&view, vec![path], view::Places::Recorded, &snapshot);
            let baseline = baseline.map(load).transpose()?;
            let baseline = baseline.as_ref().map(|baseline| (baseline, compare));
            let output = output.as_deref();
            export::export(&snapshot, baseline, options, output, overwrite, out)?;
        }
        Command::Html { arguments, compare, view } => {
            compare.check_input(&view.profiles)?;
            let (snapshot, index) = view.clone().load_with(&[], view::Places::Current)?;
            let before = compare.load(&view, view::Places::Current, &snapshot)?;
            let before = before.as_ref().map(compare::Loaded::compared);
            html::html(snapshot, index, before, compare.compare, &arguments, out)?;
        }
        Command::Fetch { arguments } => fetch::fetch(*arguments, out)?,
        Command::Mcp { view } => mcp::serve(view)?,
        Command::Dump { profile } => dump::dump(&profile, out)?,
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "costline", out);
        }
        Command::Man { folder } => man::man(&folder, out)?,
    }
    Ok(())
}

/// Counts the profiles at the start of the arguments. A file that is recognised but cannot be read
/// counts, so that the error message is about it. So does the first argument if it cannot be a
/// source.
fn count_profiles(arguments: &[PathBuf]) -> usize {
    let is_profile =
        |path: &PathBuf| is_standard_input(path) || is_empty_file(path) || sniff(path).is_some();
    let cannot_be_source = |path: &&PathBuf| {
        let is_no_source = path.is_file() && Language::of_path(path).is_none();
        let is_bundle = path.is_dir() && Foreign::of_folder(&file_name(path)).is_some();
        is_named_like_profile(path) || is_no_source || is_bundle
    };
    let n = arguments.iter().take_while(|path| is_profile(path)).count();
    n.max(arguments.first().filter(cannot_be_source).iter().len())
}

/// Parses `2%` or `2`.
fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    number
        .filter(|percent| percent.is_finite() && *percent >= 0.0)
        .ok_or_else(|| "expected a percentage from 0, for example 2%".to_owned())
}

/// Fails if several profiles are standard input. Each has a list of files.
fn check_standard_input(profiles: &[&[PathBuf]]) -> Result<(), Failure> {
    let reads = |files: &&&[PathBuf]| files.iter().any(|file| is_standard_input(file));
    if profiles.iter().filter(reads).count() < 2 {
        return Ok(());
    }
    let message = "-: standard input can be read once only; pass a file for the other profile";
    Err(Failure { code: USAGE, message: message.to_owned() })
}

fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "costline: warning: {}", one_line(message));
}
