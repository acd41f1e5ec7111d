//! The command line: one file per subcommand, all on the same snapshot as the server.

mod advice;
mod annotate;
mod check;
mod export;
pub(crate) mod report;
mod tree;

use crate::lsp;
use analysis::{Metric, Thread, Transform, Warning, WarningCode};
use clap::{Args, CommandFactory, Parser, Subcommand};
use engine::discovery::{Content, Recognised, sniff};
use engine::export::{Compat, Cut, Options, Target};
use engine::load::{Caches, Environment, index_sources, load_with_symbols};
use engine::present::text::{one_line, plain};
use engine::present::units;
use engine::settings::{Implementation, Inlines, PathMapping, Settings, Symbols};
use engine::snapshot::Snapshot;
use engine::stages::loaded::{LoadError, Loaded};
use engine::transforms;
use engine::{roots, runs};
use sources::SourceIndex;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What everything is written to.
pub type Output = BufWriter<Stdout>;

/// Exit codes (beside 0).
const UNREADABLE: i32 = 1;
/// What clap gives for wrong usage.
const USAGE: i32 = 2;
const NO_OUTPUT: i32 = 3;

const EXIT_CODES: &str = "\
Exit codes: 0 fine, 1 the profile cannot be read, 2 wrong usage or a metric, thread, transform, root or symbols path that matches \
nothing, 3 the output cannot be written or what was asked for has no cost.
A profile is known by its content, never by its name; .gz and .zst are looked through.
COSTLINE_LOG (error, warn, info, debug) says how much is logged to standard error.";

/// What each line and function of a program costs, from the profiles your profiler already writes.
#[derive(Debug, Parser)]
#[command(name = "costline", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// As `lsp`: what many editors pass to any server
    #[arg(long, hide = true)]
    stdio: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve an editor over standard input and output (also the default when input is no terminal)
    Lsp {
        /// Accepted for editors that pass it; standard input and output are the only way
        #[arg(long)]
        stdio: bool,
    },
    /// Show source files with their costs beside them, as an editor would; without SOURCE the
    /// hottest three that can be found
    #[command(override_usage = "costline annotate [OPTIONS] <PROFILE>... [SOURCE]...")]
    Annotate {
        #[command(flatten)]
        view: ViewArgs,
    },
    /// List what functions, lines or calls cost
    Report {
        /// Write everything, as JSON with raw weights (docs/report.schema.json); --by and --limit
        /// shape the text only
        #[arg(long)]
        json: bool,
        /// What the rows are
        #[arg(long, value_enum, default_value = "function")]
        by: report::By,
        /// At most so many rows
        #[arg(long, default_value_t = 30, value_name = "ROWS")]
        limit: usize,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// Say what a profile is, what it lacks and how to record it better
    Check {
        #[command(flatten)]
        view: ViewArgs,
    },
    /// Show what each call path costs
    Tree {
        #[command(flatten)]
        view: ViewArgs,
        /// Leaves first: the costly functions, and below each by whom it is called
        #[arg(long)]
        inverted: bool,
        /// No deeper; 0 shows the outermost functions only
        #[arg(long, value_name = "FRAMES", default_value_t = 100)]
        depth: usize,
        /// Nothing that costs less than this share of the total
        #[arg(long, value_name = "PERCENT", default_value_t = 0.5)]
        min_percent: f64,
        /// Write rows as JSON with raw weights, parents before children
        #[arg(long)]
        json: bool,
    },
    /// Write a profile in another format
    Export {
        #[command(flatten)]
        view: ViewArgs,
        /// The format
        #[arg(long, value_enum, value_name = "FORMAT")]
        to: Target,
        /// The file to write; default: standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Replace a file that is there
        #[arg(long)]
        overwrite: bool,
        /// Show the difference to this profile (flame graphs only)
        #[arg(long, value_name = "PROFILE")]
        baseline: Option<PathBuf>,
        /// Imitate another program's output byte for byte
        #[arg(long, value_enum, value_name = "PROGRAM")]
        compat: Option<Compat>,
        /// Cut stacks below this many frames under the root; 0 keeps the outermost functions only
        #[arg(long, value_name = "FRAMES")]
        max_depth: Option<usize>,
        /// What becomes of the cost that is cut off
        #[arg(long, value_enum, default_value = "fold", value_name = "HOW")]
        truncate: Cut,
    },
    /// Print a completion script
    Completions {
        /// For this shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one per command
    #[command(hide = true)]
    Man {
        /// Into this folder
        folder: PathBuf,
    },
}

/// Which profile, and how to look at it.
#[derive(Debug, Clone, Args)]
struct ViewArgs {
    /// The profile: a file, or all files of one run
    #[arg(required = true, value_name = "PROFILE")]
    profiles: Vec<PathBuf>,
    /// The metric to show, by name or unit, glob or /regex/, where the profile has several
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Only threads with this name or id, or with names that end so or match a glob or /regex/
    /// (repeats)
    #[arg(long, value_name = "NAME")]
    thread: Vec<String>,
    /// Which functions are seen; what the others cost is their callers'
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all")]
    implementation: Implementation,
    /// Change stacks before they are summed, e.g. merge-function:F or focus-subtree:A>B (repeats,
    /// in order)
    #[arg(long, value_name = "KIND:NAME", value_parser = transforms::parse)]
    transform: Vec<Transform>,
    /// Where the cost of inlined code is shown
    #[arg(long, value_enum, value_name = "WHERE", default_value = "body")]
    inlines: Inlines,
    /// A file, or a folder of files, with code or debug info for addresses (repeats)
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,
    /// Leave addresses as they are: open no debug info
    #[arg(long)]
    no_symbols: bool,
    /// Where the sources are (repeats); default: the project around the profile, else the current
    /// folder
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// File names that begin with FROM lie at TO (repeats)
    #[arg(long, value_name = "FROM=TO", value_parser = parse_mapping)]
    map: Vec<PathMapping>,
}

fn parse_mapping(text: &str) -> Result<PathMapping, String> {
    let (from, to) = text.split_once('=').ok_or("expected FROM=TO, for example /build/app=.")?;
    if from.is_empty() {
        return Err("expected FROM=TO with something before the `=`".to_owned());
    }
    Ok(PathMapping { from: from.to_owned(), to: to.to_owned() })
}

/// Why a command ends with another code than 0.
#[derive(Debug)]
struct Failure {
    code: i32,
    message: String,
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self { code: UNREADABLE, message: error.to_string() }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        // A reader that has seen enough (`| head`) is no failure.
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self { code: 0, message: String::new() },
            _ => Self { code: NO_OUTPUT, message: format!("cannot write the output: {error}") },
        }
    }
}

/// What the program takes, for the book.
#[cfg(test)]
pub fn command() -> clap::Command {
    Cli::command()
}

/// What all commands take that look at a profile, for the book.
#[cfg(test)]
pub fn view_arguments() -> clap::Command {
    ViewArgs::augment_args(clap::Command::new("view"))
}

/// Runs the command that the process was started with; gives its exit code.
pub fn run() -> i32 {
    let cli = Cli::parse();
    let command = match cli.command {
        Some(command) => command,
        None if cli.stdio || !io::stdin().is_terminal() => Command::Lsp { stdio: true },
        None => {
            // Nobody to serve and nothing asked: say what there is to ask.
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
        Err(Failure { code, message }) => {
            if !message.is_empty() {
                let _ = out.flush();
                let _ = writeln!(io::stderr(), "costline: {}", one_line(&message));
            }
            code
        }
    }
}

fn execute(command: Command, out: &mut Output) -> Result<(), Failure> {
    match command {
        Command::Lsp { .. } => {}
        Command::Annotate { mut view } => {
            let sources = view.profiles.split_off(n_profiles(&view.profiles));
            let (snapshot, index) = view.load()?;
            annotate::annotate(&snapshot, &index, &sources, out)?;
        }
        Command::Report { view, json, by, limit } => {
            let (snapshot, _) = view.load()?;
            if json {
                report::json(&snapshot, out)?;
            } else {
                report::text(&snapshot, by, limit, out)?;
            }
        }
        Command::Check { view } => {
            let (snapshot, index) = view.load()?;
            check::check(&snapshot, &index, out)?;
        }
        Command::Tree { view, inverted, depth, min_percent, json } => {
            let (snapshot, _) = view.load()?;
            tree::tree(&snapshot, tree::Part { inverted, depth, min_percent }, json, out)?;
        }
        Command::Export { view, to, output, overwrite, baseline, compat, max_depth, truncate } => {
            let baseline = baseline
                .map(|profile| ViewArgs { profiles: vec![profile], ..view.clone() }.load())
                .transpose()?;
            let (snapshot, _) = view.load()?;
            let options = Options { target: to, compat, max_depth, cut: truncate };
            let baseline = baseline.as_ref().map(|(baseline, _)| baseline);
            export::export(&snapshot, baseline, options, output.as_deref(), overwrite, out)?;
        }
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "costline", out);
        }
        Command::Man { folder } => clap_mangen::generate_to(Cli::command(), folder)?,
    }
    Ok(())
}

impl ViewArgs {
    fn load(self) -> Result<(Snapshot, SourceIndex), Failure> {
        self.check_paths()?;
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let paths =
            self.symbols.iter().map(|path| absolute(path).to_string_lossy().into_owned()).collect();
        let config = Settings {
            metric: self.metric,
            threads: self.thread,
            implementation: self.implementation,
            transforms: self.transform,
            path_mappings: self.map,
            inlines: self.inlines,
            symbols: Symbols { enable: !self.no_symbols, paths, ..Symbols::default() },
            ..Settings::default()
        };
        let mut files = read(&self.profiles, config.max_profile_bytes)?;
        let workspace =
            if self.root.is_empty() { vec![default_root(&self.profiles[0])] } else { self.root };
        let workspace: Vec<_> = workspace.iter().map(absolute).collect();
        let settings = &config.costs();
        let index = index_sources(&workspace, &settings.sources);
        if let [(only, _)] = files.as_mut_slice() {
            only.warnings.extend(more_files(only));
        }
        let caches = Caches::default();
        let environment = Environment { settings, index: &index, caches: &caches };
        let snapshot = load_with_symbols(files, environment, &mut |_| ControlFlow::Continue(()))?;
        // Costs of something else than was asked for are worse than none.
        if let Some(nothing) = snapshot.grouped.unmatched.first() {
            return Err(Failure {
                code: USAGE,
                message: format!("{}: {}", self.profiles[0].display(), nothing.problem),
            });
        }
        for warning in &snapshot.warnings {
            warn(&format!("{}{}", warning.message, times(warning.count)));
        }
        Ok((snapshot, index))
    }

    /// Roots must be folders, and paths of symbols must hold something.
    fn check_paths(&self) -> Result<(), Failure> {
        let no_root = self
            .root
            .iter()
            .filter(|root| !root.is_dir())
            .map(|root| ("--root", root, "is no folder"));
        let holds_nothing = |path: &&PathBuf| match path.read_dir() {
            Ok(mut entries) => entries.next().is_none(),
            Err(_) => !path.is_file(),
        };
        let empty = self
            .symbols
            .iter()
            .filter(holds_nothing)
            .map(|path| ("--symbols", path, "holds no files"));
        match no_root.chain(empty).next() {
            None => Ok(()),
            Some((option, path, problem)) => {
                let problem = if path.exists() {
                    problem.to_owned()
                } else {
                    format!("does not exist{}", neighbours(path))
                };
                Err(Failure {
                    code: USAGE,
                    message: format!("{option} {}: {problem}", path.display()),
                })
            }
        }
    }
}

/// What lies where there is no `path`, as far as it is called alike.
fn neighbours(path: &Path) -> String {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    analysis::nearest(&name, names.iter().map(String::as_str))
}

/// How many of the arguments are profiles: the first in any case, so that it is said what is wrong
/// with it.
fn n_profiles(arguments: &[PathBuf]) -> usize {
    let rest = arguments.iter().skip(1);
    1 + rest
        .take_while(|path| is_empty_file(path) || matches!(sniff(path), Some(Content::Profile(_))))
        .count()
}

/// Some profilers make a file that stays empty beside those of their threads.
fn is_empty_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

/// The files, each once and with its thread; empty ones only if all are.
fn read(paths: &[PathBuf], max_bytes: u64) -> Result<Vec<(Loaded, Thread)>, LoadError> {
    let mut known: Vec<PathBuf> = Vec::new();
    let mut files = Vec::new();
    let mut left = max_bytes;
    let has_content = |path: &&PathBuf| !is_empty_file(path);
    let all_empty = !paths.iter().any(|path| has_content(&path));
    for path in paths.iter().filter(|path| all_empty || has_content(path)) {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if known.contains(&real) {
            continue;
        }
        known.push(real);
        let loaded = Loaded::read(path, left, &mut |_| ControlFlow::Continue(()))?;
        left = left.saturating_sub(loaded.stamp.len);
        let thread =
            Recognised::default().candidate(path).as_ref().map(runs::thread).unwrap_or_default();
        files.push((loaded, thread));
    }
    Ok(files)
}

/// That other files are of the same run, where only one was given.
fn more_files(loaded: &Loaded) -> Option<Warning> {
    const NAMED: usize = 3;
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
    let names = if others.len() > NAMED { format!("{first} …") } else { others.join(", ") };
    Some(Warning {
        code: WarningCode::MoreFiles,
        message: format!("{files} of this run: {names}; give them, too"),
        count: 1,
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// ` (3 times)`, where it was more than once.
fn times(count: u64) -> String {
    if count > 1 { format!(" ({count} times)") } else { String::new() }
}

fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "costline: warning: {}", one_line(message));
}

/// The project around the profile, else the current folder.
fn default_root(profile: &Path) -> PathBuf {
    let profile = std::path::absolute(profile).unwrap_or_else(|_| profile.to_owned());
    roots::project_above(&profile)
        .or_else(|| std::env::current_dir().ok())
        .unwrap_or_else(|| PathBuf::from("."))
}

/// One line that says what is looked at.
fn headline(snapshot: &Snapshot) -> String {
    let costs = &snapshot.costs;
    let name = snapshot.loaded.name();
    let apart = |weight: f64, what: &str| match weight {
        0.0 => String::new(),
        weight => format!(", {} {what} apart", units::absolute(weight, &costs.metric)),
    };
    // "2344 hits", but "4.33 s of wall".
    let Metric { name: metric, unit, .. } = &costs.metric;
    let of = if metric == unit { String::new() } else { format!(" of {}", plain(metric)) };
    let threads = costs.threads.iter().filter(|thread| thread.samples > 0).count();
    // Most call graphs have no threads.
    let threads = match snapshot.loaded.recording.threads() {
        [] => String::new(),
        _ => format!(" in {}", units::counted(threads as f64, "threads")),
    };
    format!(
        "{}: {}{of}{threads}{}{}",
        plain(&name),
        units::absolute(costs.total, &costs.metric),
        apart(costs.idle, "idle"),
        apart(costs.no_stack, "without a stack"),
    )
}
