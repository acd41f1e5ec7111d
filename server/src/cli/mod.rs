//! The command line: one file per subcommand. All of them use the same `Snapshot` as the server.

mod annotate;
mod callers;
pub(crate) mod check;
mod compare;
pub(crate) mod diff;
mod dump;
mod export;
mod heading;
mod json_changes;
mod left_out;
mod man;
mod newest;
mod overlay;
mod progress;
pub(crate) mod report;
mod source_roots;
mod style;
mod tree;

use crate::lsp;
use analysis::{Thread, TimeRange, Transform, Warning, WarningCode};
use clap::{Args, CommandFactory, Parser, Subcommand};
use engine::baseline::Baseline;
use engine::discovery::{Recognised, is_named_like_profile, sniff};
use engine::export::{Compat, Cut, Options, Target};
use engine::load::{Caches, Environment, index_sources, load_with_symbols};
use engine::overrides::{check_contour, check_own};
use engine::present::text::one_line;
use engine::query::call_groups::GroupBy;
use engine::recorded_texts::Copies;
use engine::runs;
use engine::settings::{
    Combine, Compare, Generics, Implementation, Inlines, PathMapping, Settings, Symbols, Unit,
};
use engine::snapshot::Snapshot;
use engine::stages::loaded::{LoadError, Loaded};
use engine::transforms;
use formats::Foreign;
use progress::Progress;
use sources::{Language, SourceIndex, regular_file};
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
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

const AFTER_HELP: &str = "\
Exit codes:
  0  success
  1  the profile cannot be read
  2  wrong usage, or a metric, thread, transform, range, search, root or symbols path that matches
     nothing
  3  the output cannot be written, profiles cannot be compared, or the requested source or function
     has no cost
  4  diff: costs grew by more than --fail-above or --fail-above-function allow

Profiles are recognised by their content, not by their name. Files compressed with gzip or zstd are
decompressed. The profile `-` is standard input. Set COSTLINE_LOG to error, warn, info or debug to change how much is logged to
standard error. COSTLINE_CACHE_DIR is the folder for copies of sources; if it is empty, none are
kept. COSTLINE_STATE_DIR is the folder where the server saves views and runs; if it is empty, none are
saved.";

/// Show what each line and function of a program costs, from profile files
#[derive(Debug, Parser)]
#[command(name = "costline", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Same as `lsp`; many editors pass it to every server
    #[arg(long, hide = true)]
    stdio: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the language server on standard input and output; the default if input is not a terminal
    Lsp {
        /// Accepted for compatibility; the server always uses standard input and output
        #[arg(long)]
        stdio: bool,
    },
    /// Print sources with the cost of each line. TARGET is a file, a folder, a line (`FILE:LINE`),
    /// or a function: its name, a suffix, a glob or /regex/. Without TARGET, the three hottest files
    #[command(override_usage = "costline annotate [OPTIONS] [PROFILE]... [TARGET]...")]
    Annotate {
        #[command(flatten)]
        compare: compare::CompareArgs,
        #[command(flatten)]
        overlay: overlay::OverlayArgs,
        #[command(flatten)]
        style: StyleArgs,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// List the hottest functions, lines, calls or modules
    Report {
        /// Print all costs as JSON with raw weights (docs/report.schema.json); ignores the other
        /// options of reports
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
        view: ViewArgs,
    },
    /// List what changed between two profiles: functions, lines or files
    #[command(override_usage = "costline diff [OPTIONS] <BASE> <NEW>")]
    Diff {
        #[command(flatten)]
        arguments: diff::DiffArgs,
        #[command(flatten)]
        style: StyleArgs,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// List the callers of a function, with the number of calls if it is known. FUNCTION is its
    /// name, a suffix, a glob or /regex/ that matches one function
    #[command(override_usage = "costline callers [OPTIONS] [PROFILE]... <FUNCTION>")]
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
        view: ViewArgs,
    },
    /// Print what a profile contains, what it lacks and how to record it better
    Check {
        /// Print everything as JSON with raw weights (docs/check.schema.json)
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// Print the call tree
    Tree {
        #[command(flatten)]
        view: ViewArgs,
        /// Print the bottom-up tree: the functions with the highest self cost, with their callers
        /// below them
        #[arg(long)]
        inverted: bool,
        /// Of each function's callees (bottom-up: callers), show only the one with the highest cost
        #[arg(long)]
        hot: bool,
        /// Show what the thread calls one after another, each time as a row of its own, in the order
        /// of time; the calls that all samples have in common are left out
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
        #[arg(long, value_name = "PERCENT", default_value_t = 0.5)]
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
        view: ViewArgs,
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

/// The arguments that select a profile and a view of it.
#[derive(Debug, Clone, Args)]
struct ViewArgs {
    /// The profile: one file, all files of one run, or - [default: the newest profile of the project]
    #[arg(value_name = "PROFILE")]
    profiles: Vec<PathBuf>,
    /// How to show several runs as one
    #[arg(long, value_enum, value_name = "HOW", default_value = "sum")]
    combine: Combine,
    /// Show this metric: its name or unit, a glob or /regex/
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Show only this thread: its name or id, the end of its name, a glob or /regex/ (can be
    /// repeated)
    #[arg(long, value_name = "NAME")]
    thread: Vec<String>,
    /// Show only these functions; the cost of others goes to their callers
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all")]
    implementation: Implementation,
    /// Transform stacks before they are summed, e.g. merge-function:F or focus-subtree:A>B (can be
    /// repeated; applied in order)
    #[arg(long, value_name = "KIND:NAME", value_parser = transforms::parse)]
    transform: Vec<Transform>,
    /// Show only this range of time, in milliseconds since the first sample: A..B, or 1s..2.5s. A
    /// sample at B is not in it
    #[arg(long, value_name = "A..B")]
    range: Option<TimeRange>,
    /// Show only samples in which each of these terms, separated by commas, is in the name, file or
    /// library of some function of the stack
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    search: String,
    /// Where to show the cost of inlined code
    #[arg(long, value_enum, value_name = "WHERE", default_value = "body")]
    inlines: Inlines,
    /// Leave procedures that the contour file of a Mercury profile excludes out of lists of callers
    #[arg(long)]
    contour: bool,
    /// Show own code only: the cost of libraries and of the runtime goes to the lines of the sources
    /// that called them
    #[arg(long)]
    own: bool,
    /// A file or folder with programs, libraries or debug info to resolve addresses with (can be
    /// repeated)
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,
    /// Do not read debug info to resolve addresses
    #[arg(long)]
    no_symbols: bool,
    /// What to do with type arguments in the names of native functions
    #[arg(long, value_enum, value_name = "HOW", default_value = "keep")]
    generics: Generics,
    /// The folder of the sources (can be repeated) [default: the project that contains the profile,
    /// or else the project around the current folder, or else the current folder]
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// Replace FROM at the beginning of file names by TO (can be repeated)
    #[arg(long, value_name = "FROM=TO", value_parser = parse_mapping)]
    map: Vec<PathMapping>,
}

/// Parses the value of `--map`.
fn parse_mapping(text: &str) -> Result<PathMapping, String> {
    let (from, to) = text.split_once('=').ok_or("expected FROM=TO, for example /build/app=.")?;
    if from.is_empty() {
        return Err("FROM is empty; expected FROM=TO, for example /build/app=.".to_owned());
    }
    Ok(PathMapping { from: from.to_owned(), to: to.to_owned() })
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
    ViewArgs::augment_args(clap::Command::new("view"))
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

fn execute(command: Command, out: &mut Output) -> Result<(), Failure> {
    match command {
        Command::Lsp { .. } => {}
        Command::Annotate { mut view, compare, overlay, style } => {
            let sources = view.profiles.split_off(count_profiles(&view.profiles));
            let (snapshot, index) = view.clone().load_with(&sources, Places::Current)?;
            let before = compare.load(&view, Places::Current, &snapshot)?;
            let before = before.as_ref().map(compare::Loaded::compared);
            let overlay = overlay.load(&view, Places::Current, &snapshot)?;
            let beside =
                overlay::Beside { before, overlay: overlay.as_ref().map(overlay::Loaded::overlay) };
            let style = style.style(Unit::Percent);
            annotate::annotate(&snapshot, &index, &sources, beside, style, out)?;
        }
        Command::Report { view, json, rows, compare, overlay, style } => {
            let (snapshot, _) = view.clone().load()?;
            let before = compare.load(&view, Places::Recorded, &snapshot)?;
            let before = before.as_ref().map(compare::Loaded::compared);
            let overlay = overlay.load(&view, Places::Recorded, &snapshot)?;
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
            view.combine = Combine::Average;
            let now = Arc::new(view.clone().load()?.0);
            let before = Arc::new(compare::load_baseline(&view, base, Places::Recorded, &now)?);
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
            let (snapshot, _) = view.clone().load()?;
            let before = compare.load(&view, Places::Recorded, &snapshot)?;
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
            let (snapshot, _) = view.clone().load()?;
            let load =
                |path| compare::load_baseline(&view, vec![path], Places::Recorded, &snapshot);
            let baseline = baseline.map(load).transpose()?;
            let options = Options { target: to, compat, max_depth, cut: truncate };
            let baseline = baseline.as_ref().map(|baseline| (baseline, compare));
            let output = output.as_deref();
            export::export(&snapshot, baseline, options, output, overwrite, out)?;
        }
        Command::Dump { profile } => dump::dump(&profile, out)?,
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "costline", out);
        }
        Command::Man { folder } => man::man(&folder, out)?,
    }
    Ok(())
}

/// Where the functions of a profile are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Places {
    /// Where they were recorded.
    Recorded,
    /// Where the sources have them now, also if they were moved to another file.
    Current,
}

impl ViewArgs {
    /// Loads the profile, prints its warnings, and returns it with the index of the sources.
    fn load(self) -> Result<(Snapshot, SourceIndex), Failure> {
        self.load_with(&[], Places::Recorded)
    }

    /// Like [`ViewArgs::load`], for a command that shows these `sources`.
    fn load_with(
        self,
        sources: &[PathBuf],
        places: Places,
    ) -> Result<(Snapshot, SourceIndex), Failure> {
        self.check_paths()?;
        let paths =
            self.symbols.iter().map(|path| absolute(path).to_string_lossy().into_owned()).collect();
        let config = Settings {
            combine: self.combine,
            metric: self.metric,
            threads: self.thread,
            implementation: self.implementation,
            transforms: self.transform,
            range: self.range,
            search: self.search,
            path_mappings: self.map,
            inlines: self.inlines,
            contour: self.contour,
            own_code: self.own,
            symbols: Symbols { enable: !self.no_symbols, paths, generics: self.generics },
            ..Settings::default()
        };
        let progress = Progress::new();
        let mut files = if self.profiles.is_empty() {
            newest::read_newest(&self.root, &config, &progress)?
        } else {
            read(&self.profiles, config.max_profile_bytes, &progress)?
        };
        let profile = files.first().map_or_else(PathBuf::new, |(file, _)| file.path.clone());
        let workspace = source_roots::source_roots(&self.root, &profile, sources);
        let settings = &mut config.costs();
        settings.sources.follow_moves = places == Places::Current;
        let index = index_sources(&workspace, &settings.sources);
        if let [(only, _)] = files.as_mut_slice() {
            only.warnings.extend(other_files_of_run(only));
        }
        let caches = Caches::new(Copies::of_user());
        let environment = Environment { settings, index: &index, caches: &caches };
        let snapshot = load_with_symbols(files, environment, &mut progress.observer())?;
        drop(progress);
        // The editor warns and shows other costs; a script must not mistake them for those it
        // requested.
        if let Some(unmatched) = snapshot.grouped.unmatched.first() {
            return Err(Failure {
                code: USAGE,
                message: format!("{}: {}", profile.display(), unmatched.problem),
            });
        }
        let checked = check_contour(config.contour, Some(&snapshot))
            .and_then(|_| check_own(config.own_code, Some(&snapshot)));
        checked.map_err(|problem| Failure {
            code: USAGE,
            message: format!("{}: {problem}", profile.display()),
        })?;
        for warning in &snapshot.warnings {
            warn(&format!("{}{}", warning.message, times(warning.count)));
        }
        Ok((snapshot, index))
    }

    /// Checks that roots are folders and that symbol paths are files or folders with files.
    fn check_paths(&self) -> Result<(), Failure> {
        let not_folders = self.root.iter().filter(|root| !root.is_dir());
        let without_files = self.symbols.iter().filter(|path| !has_files(path));
        let mut problems = not_folders
            .map(|path| ("--root", path, "is not a folder"))
            .chain(without_files.map(|path| ("--symbols", path, "contains no files")));
        let Some((option, path, problem)) = problems.next() else { return Ok(()) };
        let problem = if path.exists() {
            problem.to_owned()
        } else {
            format!("does not exist{}", similar_names(path))
        };
        Err(Failure { code: USAGE, message: format!("{option} {}: {problem}", path.display()) })
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether a path is a file, or a folder that is not empty.
fn has_files(path: &Path) -> bool {
    match path.read_dir() {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => path.is_file(),
    }
}

/// Suggests names similar to that of a missing `path`: ` (did you mean …?)`, or nothing.
fn similar_names(path: &Path) -> String {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    analysis::nearest(&name, names.iter().map(String::as_str))
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

/// Whether a path names standard input. A file of that name is `./-`.
fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Reads a profile from standard input.
fn read_standard_input(max_bytes: u64, progress: &Progress) -> Result<Loaded, LoadError> {
    let path = Path::new("-");
    let mut input = io::stdin().lock();
    if input.is_terminal() {
        let source = io::Error::other("standard input is a terminal; redirect a profile to it");
        return Err(LoadError::Io { path: path.to_owned(), source });
    }
    Loaded::read_stream(&mut input, path, max_bytes, &mut progress.observer())
}

/// Some profilers write an empty file next to those of the threads (callgrind with
/// `--separate-threads=yes`).
fn is_empty_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// Reads each file once, with the thread that its name states. Empty files are skipped, unless all
/// are empty. `max_bytes` limits the sum of their sizes.
fn read(
    paths: &[PathBuf],
    max_bytes: u64,
    progress: &Progress,
) -> Result<Vec<(Loaded, Thread)>, LoadError> {
    let mut read_paths: Vec<PathBuf> = Vec::new();
    let (mut files, mut candidates) = (Vec::new(), Vec::new());
    let mut left = max_bytes;
    let all_empty = paths.iter().all(|path| is_empty_file(path));
    for path in paths.iter().filter(|path| all_empty || !is_empty_file(path)) {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if read_paths.contains(&real) {
            continue;
        }
        read_paths.push(real);
        let loaded = if is_standard_input(path) {
            candidates.push(None);
            read_standard_input(left, progress)?
        } else {
            candidates.push(Recognised::default().candidate(path));
            Loaded::read(path, left, &mut progress.observer())?
        };
        left = left.saturating_sub(loaded.stamp.len);
        files.push(loaded);
    }
    let threads = runs::run_indexes(&candidates)
        .into_iter()
        .zip(&candidates)
        .map(|(run, file)| Thread { run, ..file.as_ref().map(runs::thread).unwrap_or_default() });
    Ok(files.into_iter().zip(threads).collect())
}

/// A warning if the run of a profile has other files.
fn other_files_of_run(loaded: &Loaded) -> Option<Warning> {
    /// With more files than this, only the first is named.
    const MAX_NAMED: usize = 3;
    let [_] = loaded.files[..] else { return None };
    let run = runs::run_in_folder(&loaded.path, &mut Recognised::default());
    let others: Vec<_> = run
        .iter()
        .filter(|file| file.path != loaded.path)
        .map(|file| file_name(&file.path))
        .collect();
    let first = others.first()?;
    let files = if others.len() == 1 {
        "1 more file".to_owned()
    } else {
        format!("{} more files", others.len())
    };
    let names = if others.len() > MAX_NAMED { format!("{first} …") } else { others.join(", ") };
    Some(Warning {
        code: WarningCode::MoreFiles,
        message: format!("{files} of this run: {names}; pass all of them to see the whole run"),
        count: 1,
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// ` (3 times)` if `count` is greater than 1.
fn times(count: u64) -> String {
    if count > 1 { format!(" ({count} times)") } else { String::new() }
}

fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "costline: warning: {}", one_line(message));
}
