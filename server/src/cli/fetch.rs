//! `costline fetch`: gets a profile from elsewhere, or merges those in a folder, and writes it below
//! `.costline/`. The only command that opens connections.

use super::current_folder::{absolute, current_folder, relative};
use super::exit::{Failure, warn};
use super::output::Output;
use super::progress::Progress;
use super::view::check_root;
use answers::text::{address, plain};
use answers::{project_at, units};
use fetch::{FetchError, Fetched, Kind, Listing, Options, Request, Secrets, Sources, Step};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// How many files are named that cannot be merged.
const NAMED: usize = 20;

/// The arguments of `costline fetch`.
#[derive(Debug, clap::Args)]
pub(super) struct FetchArgs {
    /// NAME is a source in `.costline/sources.toml`, URL an address that returns a profile, DIR a
    /// folder of pprof or folded files, which are merged; `pyroscope URL`, `parca URL`, `clickhouse
    /// URL` and `s3 URL` query a profiling backend or an object store. Without it, the named
    /// sources are listed
    #[arg(value_name = "SOURCE", num_args = 0..=2)]
    source: Vec<String>,
    /// List the profile types, and the labels with their values, instead of fetching
    #[arg(long)]
    list: bool,
    /// The name of the file to write, without its extension [default: NAME, the host and the last
    /// part of the URL, or the name of the folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The folder with `.costline` [default: the project around the current folder]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        match &error {
            FetchError::Usage(_) => Self::usage(error.to_string()),
            _ => Self::unreadable(error.to_string()),
        }
    }
}

impl FetchArgs {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        self.root.as_deref().map_or(Ok(()), check_root)?;
        let root = self.root.as_deref().map_or_else(project, absolute);
        let sources = Sources::of_project(&root)?;
        if self.source.is_empty() {
            return list(&sources, out);
        }
        let request = Request::new(&self.source, self.options, self.name.as_deref(), &sources)?;
        // The user's command may ask for a password: it runs once, before there is progress to see.
        let secrets = Secrets::of(&request.options)?;
        if self.list {
            let progress = Progress::new();
            let listing = fetch::list(&request, &secrets, &mut |step| show(&progress, &step));
            drop(progress);
            return print(&request, &listing?, out);
        }
        // Nothing is written before both are there, and the baseline is the older file.
        let baseline = request
            .of_baseline()
            .map(|request| Ok::<_, FetchError>((get(&request, &secrets)?, request)));
        let baseline = baseline.transpose()?;
        let fetched = get(&request, &secrets)?;
        if let Some((earlier, of_baseline)) = &baseline {
            write(&root, of_baseline, earlier, out)?;
        }
        write(&root, &request, &fetched, out)
    }
}

/// Fetches a profile, and shows the progress.
fn get(request: &Request, secrets: &Secrets) -> Result<Fetched, FetchError> {
    let progress = Progress::new();
    fetch::fetch(request, secrets, &mut |step| show(&progress, &step))
}

/// Writes a profile, and says what it is.
fn write(
    root: &Path,
    request: &Request,
    fetched: &Fetched,
    out: &mut Output,
) -> Result<(), Failure> {
    let path = fetch::store(root, &request.name, fetched)?;
    let path = relative(&path);
    let (title, size) = (fetched.format.title(), size(fetched.bytes.len() as u64));
    let merged = fetched.merged.as_ref();
    let of = merged.map_or_else(String::new, |it| format!(", merged from {}", files(it.n_files)));
    writeln!(out, "{path}: {title}, {size}{of}")?;
    for note in &fetched.notes {
        warn(note);
    }
    let unread = merged.map_or(&[][..], |merged| &merged.unread);
    for (name, message) in unread.iter().take(NAMED) {
        warn(&format!("{name}: not merged: {message}"));
    }
    match unread.len().saturating_sub(NAMED) {
        0 => {}
        more => warn(&format!("{} more are not merged", files(more))),
    }
    Ok(())
}

/// Prints what a source has: a word for what a line is, and its columns.
fn print(request: &Request, listing: &Listing, out: &mut Output) -> Result<(), Failure> {
    if *listing == Listing::default() {
        warn(&nothing_listed(request));
    }
    for profile_type in &listing.types {
        writeln!(out, "type\t{}", plain(profile_type))?;
    }
    for (name, values) in &listing.labels {
        writeln!(out, "label\t{}\t{}", plain(name), plain(&values.join(", ")))?;
    }
    Ok(())
}

fn nothing_listed(Request { place, range, .. }: &Request) -> String {
    match place.kind() {
        Kind::Clickhouse => format!("{place}: the tables have no profiles; check --database"),
        _ => format!(
            "{place}: has no profiles from {range}; choose another range with --since and --until"
        ),
    }
}

fn files(n: usize) -> String {
    if n == 1 { "1 file".to_owned() } else { format!("{n} files") }
}

/// The project around the current folder, or else that folder.
fn project() -> PathBuf {
    let current = current_folder();
    project_at(&current).unwrap_or(current)
}

fn list(sources: &Sources, out: &mut Output) -> Result<(), Failure> {
    let mut is_empty = true;
    for (name, kind, place) in sources.list() {
        writeln!(out, "{}\t{kind}\t{}", plain(name), address(&place))?;
        is_empty = false;
    }
    if is_empty {
        let path = sources.path.display();
        let message =
            format!("{path} names no sources; give a URL, or see `costline fetch --help`");
        return Err(Failure::unreadable(message));
    }
    Ok(())
}

fn show(progress: &Progress, step: &Step) {
    match step {
        Step::Asking(url) => progress.show(format!("waiting for {url}"), 0),
        Step::Again { reason } => progress.show(format!("trying again after: {reason}"), 0),
        Step::Merged(n, all) => {
            progress.show(format!("merged {n} of {all} files"), (n * 100 / all) as u64);
        }
        Step::Received(bytes, all) => {
            let percentage = all.filter(|&all| all > 0).map_or(0, |all| bytes * 100 / all);
            progress.show(format!("receiving {}", size(*bytes)), percentage);
        }
    }
}

fn size(bytes: u64) -> String {
    units::bytes(bytes as f64)
}
