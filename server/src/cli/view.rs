//! The arguments that select a profile and its view, and how the profile is loaded.

use super::current_folder::absolute;
use super::exit::{Failure, warn};
use super::newest;
use super::progress::Progress;
use super::read::{other_files_of_run, read};
use super::source_roots;
use super::values::one_of;
use super::warnings;
use answers::{
    Caches, Combine, Copies, Environment, Generics, Implementation, Inlines, PathMapping, Settings,
    Snapshot, SourceIndex, Symbols, TimeRange, Transform, check_own, index_sources,
    load_with_symbols,
};
use clap::Args;
use std::path::{Path, PathBuf};

/// The arguments that select a profile and its view.
#[derive(Debug, Clone, PartialEq, Args)]
pub(super) struct ViewArgs {
    /// The profile: one file, all files of one run, a folder with profiles, of which the newest is read, or -
    /// [default: the newest profile of the project]
    #[arg(value_name = "PROFILE")]
    pub(super) profiles: Vec<PathBuf>,
    /// How to combine several runs [default: sum]
    #[arg(long, value_parser = one_of::<Combine>(), value_name = "HOW")]
    pub(super) combine: Option<Combine>,
    /// Show this metric: its name or unit, a glob or /regex/
    #[arg(long, value_name = "NAME")]
    pub(super) metric: Option<String>,
    /// Show only this thread: its name or id, the end of its name, a glob or /regex/, or its row in
    /// `report --by thread`; all threads of a process: its name or pid:ID (can be repeated)
    #[arg(long, value_name = "NAME")]
    pub(super) thread: Vec<String>,
    /// Show only samples with this label: KEY=VALUE, KEY!=VALUE, KEY=~REGEX, KEY, !KEY, KEY=1kb..2kb or
    /// KEY>=1kb (can be repeated; all must hold)
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub(super) label: Vec<String>,
    /// Show only these functions; the cost of others goes to their callers
    #[arg(long, value_parser = one_of::<Implementation>(), value_name = "WHICH", default_value = "all")]
    pub(super) implementation: Implementation,
    /// Transform stacks before they are summed, e.g. merge-function:F or focus-subtree:A>B (can be
    /// repeated; applied in order)
    #[arg(long, value_name = "KIND:NAME", value_parser = answers::transforms::parse)]
    pub(super) transform: Vec<Transform>,
    /// Show only this time range, in milliseconds since the first sample: A..B, or 1s..2.5s. A
    /// sample at B is not in it
    #[arg(long, value_name = "A..B")]
    pub(super) range: Option<TimeRange>,
    /// Show only samples that match each of these comma-separated terms. A term matches if the name,
    /// file or library of a function on the stack contains it
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) search: String,
    /// Where to show the cost of inlined code
    #[arg(long, value_parser = one_of::<Inlines>(), value_name = "WHERE", default_value = "body")]
    pub(super) inlines: Inlines,
    /// Show only your own code: the cost of libraries and the runtime goes to the source lines that
    /// called them. In Mercury profiles, lists of callers leave out what the contour file excludes
    #[arg(long)]
    pub(super) own: bool,
    /// A file or folder with programs, libraries or debug info, used to resolve addresses (can be
    /// repeated)
    #[arg(long, value_name = "PATH")]
    pub(super) symbols: Vec<PathBuf>,
    /// Do not read debug info to resolve addresses
    #[arg(long)]
    pub(super) no_symbols: bool,
    /// What to do with type arguments in the names of native functions
    #[arg(long, value_parser = one_of::<Generics>(), value_name = "HOW", default_value = "keep")]
    pub(super) generics: Generics,
    /// The folder of the sources (can be repeated) [default: the project that contains the profile,
    /// or else the project around the current folder, or else the current folder]
    #[arg(long, value_name = "DIR")]
    pub(super) root: Vec<PathBuf>,
    /// Replace FROM at the beginning of file names with TO, an absolute path or one relative to
    /// --root (can be repeated)
    #[arg(long, value_name = "FROM=TO", value_parser = parse_mapping)]
    pub(super) map: Vec<PathMapping>,
}

/// Parses the value of `--map`.
fn parse_mapping(text: &str) -> Result<PathMapping, String> {
    let (from, to) = text.split_once('=').ok_or("expected FROM=TO, for example /build/app=.")?;
    if from.is_empty() {
        return Err("FROM is empty; expected FROM=TO, for example /build/app=.".to_owned());
    }
    Ok(PathMapping { from: from.to_owned(), to: to.to_owned() })
}

impl ViewArgs {
    /// Loads the profile, prints its warnings and those about unused rules, and returns it with the
    /// index of the sources.
    pub(super) fn load(&self) -> Result<(Snapshot, SourceIndex), Failure> {
        let (snapshot, index) = self.load_with(&[])?;
        self.warn_of_unused_rules(&[&snapshot]);
        Ok((snapshot, index))
    }

    /// Loads one of several profiles, for a command that shows these `sources`, and prints its
    /// warnings.
    pub(super) fn load_with(
        &self,
        sources: &[PathBuf],
    ) -> Result<(Snapshot, SourceIndex), Failure> {
        let (snapshot, index) = self.load_quietly(sources)?;
        for warning in &snapshot.warnings {
            warn(&warnings::text(&snapshot, warning));
        }
        Ok((snapshot, index))
    }

    /// Warns about each `--map` that applies to no name in these profiles. Unlike the rules of the
    /// settings, which may be for other profiles of the project, it was passed for these.
    pub(super) fn warn_of_unused_rules(&self, snapshots: &[&Snapshot]) {
        let is_used =
            |rule: &PathMapping| snapshots.iter().any(|snapshot| snapshot.has_name_in(&rule.from));
        for PathMapping { from, to } in self.map.iter().filter(|rule| !is_used(rule)) {
            let profiles =
                snapshots.iter().map(|snapshot| snapshot.loaded.path.display().to_string());
            let profiles = profiles.collect::<Vec<_>>().join(" or ");
            warn(&format!(
                "--map {from}={to}: no file name in {profiles} begins with {from}; `costline check` \
                 lists them"
            ));
        }
    }

    /// The settings that the arguments stand for.
    pub(super) fn settings(&self) -> Settings {
        let paths =
            self.symbols.iter().map(|path| absolute(path).to_string_lossy().into_owned()).collect();
        Settings {
            combine: self.combine.unwrap_or_default(),
            metric: self.metric.clone(),
            threads: self.thread.clone(),
            labels: self.label.clone(),
            implementation: self.implementation,
            transforms: self.transform.clone(),
            range: self.range,
            search: self.search.clone(),
            path_mappings: self.map.clone(),
            inlines: self.inlines,
            own_code: self.own,
            symbols: Symbols { enable: !self.no_symbols, paths, generics: self.generics },
            ..Settings::default()
        }
    }

    /// Like [`ViewArgs::load_with`], without printing warnings.
    pub(super) fn load_quietly(
        &self,
        sources: &[PathBuf],
    ) -> Result<(Snapshot, SourceIndex), Failure> {
        self.check_paths()?;
        let config = self.settings();
        let progress = Progress::new();
        let mut files = match &self.profiles[..] {
            [] => newest::read_newest(&self.root, &config, &progress)?,
            [folder] if newest::is_searched(folder) => {
                newest::read_newest_in(folder, &config, &progress)?
            }
            profiles => read(profiles, config.max_profile_bytes, &progress)?,
        };
        let profile = files.first().map_or_else(PathBuf::new, |(file, _)| file.path.clone());
        let workspace = source_roots::source_roots(&self.root, &profile, sources);
        let settings = &config.costs();
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
        if let Some(unmatched) = snapshot.grouped.problems.unmatched.first() {
            let message = format!("{}: {}", profile.display(), unmatched.problem);
            return Err(Failure::usage(message));
        }
        check_own(config.own_code, Some(&snapshot))
            .map_err(|problem| Failure::usage(format!("{}: {problem}", profile.display())))?;
        Ok((snapshot, index))
    }

    /// Checks that roots are folders and that symbol paths are files or folders with files.
    pub(super) fn check_paths(&self) -> Result<(), Failure> {
        self.root.iter().try_for_each(|root| check_root(root))?;
        match self.symbols.iter().find(|path| !has_files(path)) {
            Some(path) => Err(unusable("--symbols", path, "contains no files")),
            None => Ok(()),
        }
    }
}

/// Checks that a value of `--root` is a folder.
pub(super) fn check_root(root: &Path) -> Result<(), Failure> {
    if root.is_dir() { Ok(()) } else { Err(unusable("--root", root, "is not a folder")) }
}

/// The failure for a path that does not exist, or has this problem.
fn unusable(option: &str, path: &Path, problem: &str) -> Failure {
    let problem = if path.exists() {
        problem.to_owned()
    } else {
        format!("does not exist{}", similar_names(path))
    };
    Failure::usage(format!("{option} {}: {problem}", path.display()))
}

/// Whether a path is a file, or a folder that is not empty.
fn has_files(path: &Path) -> bool {
    match path.read_dir() {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => path.is_file(),
    }
}

/// Suggests names that are similar to a missing `path`: ` (did you mean …?)`, or nothing.
fn similar_names(path: &Path) -> String {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    answers::nearest(&name, names.iter().map(String::as_str))
}
