//! Scans the disk for profiles, and checks the files that the loader uses. Decides nothing.

use answers::{
    Candidate, Content, FileVersion, Foreign, Recognised, Settings, Stamp, absent, discover,
    folders_of, has_end, is_outside, run_in_folder, runs, sniff,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The input of a scan.
#[derive(Debug)]
pub struct ScanRequest {
    /// The folders to search.
    pub roots: Vec<PathBuf>,
    /// The workspace folders.
    pub workspace: Vec<PathBuf>,
    /// The settings, which determine the names of profiles.
    pub settings: Arc<Settings>,
    /// The profiles that the user picked or set.
    pub wanted: Vec<PathBuf>,
    /// The files that are shown, as they were read.
    pub shown: Vec<(PathBuf, Stamp)>,
    /// The files that will be read once they have settled.
    pub target: Vec<FileVersion>,
    /// The files with reported problems.
    pub problems: Vec<PathBuf>,
    /// The baseline of the settings, if it could not be read.
    pub unread_baseline: Option<PathBuf>,
}

impl ScanRequest {
    /// Whether a file is in a workspace folder within the searched ones. Such a folder has its own
    /// profiles.
    fn is_of_inner_folder(&self, file: &Path) -> bool {
        self.workspace.iter().any(|folder| {
            file.starts_with(folder)
                && self.roots.iter().all(|root| folder != root && folder.starts_with(root))
        })
    }
}

/// The result of a scan.
#[derive(Debug, Default)]
pub struct Scanned {
    /// All profiles, newest first.
    pub candidates: Vec<Candidate>,
    /// Files with the names of profiles that are recognized but not read.
    pub foreign: Vec<(PathBuf, Stamp, &'static Foreign)>,
    /// The folders to watch.
    pub folders: Vec<PathBuf>,
    /// The files that the user picked or set: those of the run of one file, or several files.
    /// `None` if none of them exists.
    pub wanted: Option<Vec<FileVersion>>,
    /// The files that are shown, as they are now, without deleted ones.
    pub shown: Vec<FileVersion>,
    /// The endings of the files of the target.
    pub endings: Vec<(PathBuf, Ending)>,
    /// The files with problems as they are now; `None` for deleted ones.
    pub problems: Vec<(PathBuf, Option<Stamp>)>,
    /// A message for each setting with a path or name that does not exist.
    pub absent: Vec<String>,
    /// The baseline that could not be read, if it exists now.
    pub unread_baseline: Option<Stamp>,
}

/// Whether a file is complete, according to its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The format has an end mark.
    Marked {
        /// Whether the file has it.
        has_end: bool,
    },
    /// The format has no end mark.
    Open {
        /// Whether the last record is complete.
        is_complete: bool,
        /// The time since the file changed, by the clock of the system.
        unchanged_for: Duration,
    },
    /// The file is recognized but not read.
    Foreign,
    /// The format is not recognized.
    Unrecognised,
}

impl Ending {
    /// The ending of a file.
    fn of(file: &FileVersion) -> Self {
        match file.format().map(Content::Profile).or_else(|| sniff(&file.path)) {
            Some(Content::Profile(format)) if format.has_end() => {
                Self::Marked { has_end: has_end(&file.path, format) }
            }
            Some(Content::Profile(format)) => Self::Open {
                is_complete: has_end(&file.path, format),
                unchanged_for: file.stamp.unchanged_for(),
            },
            Some(Content::Foreign(_)) => Self::Foreign,
            None => Self::Unrecognised,
        }
    }
}

/// Scans the disk. `recognised` caches the contents of files, so that each version of a file is
/// opened once.
pub fn scan(request: &ScanRequest, recognised: &mut Recognised) -> Scanned {
    let mut found = discover(&request.roots, &request.settings, recognised);
    found.candidates.retain(|candidate| !request.is_of_inner_folder(&candidate.path));
    found.foreign.retain(|(path, ..)| !request.is_of_inner_folder(path));
    let wanted = match request.wanted.as_slice() {
        [path] => run_of(path, &found.candidates, recognised),
        paths => Some(paths.iter().filter_map(|path| version(path, recognised)).collect())
            .filter(|files: &Vec<_>| !files.is_empty()),
    };
    let shown = recognised.current_versions(&request.shown);
    let endings = request.target.iter().map(|file| (file.path.clone(), Ending::of(file))).collect();
    let problems = request.problems.iter().map(|path| (path.clone(), Stamp::of(path).ok()));
    let problems = problems.collect();
    let mut folders: Vec<_> = found
        .candidates
        .iter()
        .map(|candidate| &candidate.path)
        .chain(&request.wanted)
        .chain(request.shown.iter().map(|(path, _)| path))
        .chain(&request.unread_baseline)
        .flat_map(|path| folders_of(path))
        .collect();
    folders.extend(found.folders);
    let (candidates, foreign) = (found.candidates, found.foreign);
    let mut absent = absent(&request.settings, &request.workspace);
    if candidates.is_empty() && wanted.is_none() {
        absent.extend(unmatched_globs(&request.settings, &request.workspace));
    }
    let unread_baseline = request.unread_baseline.as_ref().and_then(|path| Stamp::of(path).ok());
    Scanned {
        candidates,
        foreign,
        folders,
        wanted,
        shown,
        endings,
        problems,
        absent,
        unread_baseline,
    }
}

/// Says that no profile matches the setting `profiles`. `None` if it is not set, or if that was said about
/// each glob.
fn unmatched_globs(settings: &Settings, workspace: &[PathBuf]) -> Option<String> {
    let globs = settings.profiles.as_ref()?;
    if globs.is_empty() {
        return Some("costline.profiles: the list is empty, so no profile is found".to_owned());
    }
    let home = std::env::home_dir();
    let inside = globs.iter().filter(|glob| !is_outside(glob, workspace, home.as_deref()));
    let inside: Vec<&str> = inside.map(String::as_str).collect();
    (!inside.is_empty())
        .then(|| format!("costline.profiles: no profile matches {}", inside.join(", ")))
}

/// The run of a file, which need not be among the candidates; `None` if the file does not exist.
fn run_of(
    path: &Path,
    candidates: &[Candidate],
    recognised: &mut Recognised,
) -> Option<Vec<FileVersion>> {
    let mut runs = runs(candidates).into_iter();
    if let Some(run) = runs.find(|run| run.iter().any(|file| file.path == path)) {
        return Some(run.into_iter().cloned().map(FileVersion::from).collect());
    }
    let run = run_in_folder(path, recognised);
    if run.is_empty() {
        return Some(vec![version(path, recognised)?]);
    }
    Some(run.into_iter().map(FileVersion::from).collect())
}

/// The present version of a file; `None` if it does not exist.
fn version(path: &Path, recognised: &mut Recognised) -> Option<FileVersion> {
    if let Some(candidate) = recognised.candidate(path) {
        return Some(candidate.into());
    }
    let stamp = Stamp::of(path).ok()?;
    Some(FileVersion { path: path.to_owned(), stamp, candidate: None })
}
