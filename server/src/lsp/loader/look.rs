//! A look at the disk: which profiles there are, and what became of the files that the loader knows.
//!
//! It says what is there and decides nothing.

use engine::discovery::{
    Candidate, Content, FileVersion, Recognised, discover, folders_of, has_end, sniff,
};
use engine::runs::{run_in_folder, runs};
use engine::settings::Settings;
use engine::stamp::Stamp;
use formats::Foreign;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is looked for.
#[derive(Debug)]
pub struct LookRequest {
    /// The folders that the editor has open.
    pub roots: Vec<PathBuf>,
    /// Which names profiles have.
    pub settings: Arc<Settings>,
    /// The profile that the user wants.
    pub wanted: Option<PathBuf>,
    /// The files that are shown, as they were read.
    pub shown: Vec<(PathBuf, Stamp)>,
    /// Files that will be read once they have settled.
    pub target: Vec<FileVersion>,
    /// Files on which problems are reported.
    pub problems: Vec<PathBuf>,
}

/// What a look found.
#[derive(Debug, Default)]
pub struct Looked {
    /// All profiles, newest first.
    pub candidates: Vec<Candidate>,
    /// Files of other programs where profiles are expected.
    pub foreign: Vec<(PathBuf, Stamp, &'static Foreign)>,
    /// The folders in which files may change.
    pub folders: Vec<PathBuf>,
    /// The files of the run that the user wants; `None` if there is no such file.
    pub wanted: Option<Vec<FileVersion>>,
    /// The files that are shown, as they are now; those that are gone are left out.
    pub shown: Vec<FileVersion>,
    /// How the files of the target end.
    pub endings: Vec<(PathBuf, Ending)>,
    /// Files with problems as they are now; `None` for those that are gone.
    pub problems: Vec<(PathBuf, Option<Stamp>)>,
}

/// What the content of a file says of whether its writer is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The format has an end.
    Marked {
        /// Whether it is there.
        is_there: bool,
    },
    /// More may follow at any time.
    Open {
        /// Whether the last record is complete.
        is_complete: bool,
    },
    /// A file of another program, which is not read.
    Foreign,
    /// No format that can be recognised.
    Unrecognised,
}

impl Ending {
    /// That of a file that is there now.
    fn of(file: &FileVersion) -> Self {
        match file.format().map(Content::Profile).or_else(|| sniff(&file.path)) {
            Some(Content::Profile(format)) if format.has_end() => {
                Self::Marked { is_there: has_end(&file.path, format) }
            }
            Some(Content::Profile(format)) => {
                Self::Open { is_complete: has_end(&file.path, format) }
            }
            Some(Content::Foreign(_)) => Self::Foreign,
            None => Self::Unrecognised,
        }
    }
}

/// Looks. `recognised` has what files were before, so that each writing is opened once.
pub fn look(request: &LookRequest, recognised: &mut Recognised) -> Looked {
    let found = discover(&request.roots, &request.settings, recognised);
    let wanted =
        request.wanted.as_deref().and_then(|path| run_of(path, &found.candidates, recognised));
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
        .flat_map(|path| folders_of(path))
        .collect();
    folders.extend(found.folders);
    let (candidates, foreign) = (found.candidates, found.foreign);
    Looked { candidates, foreign, folders, wanted, shown, endings, problems }
}

/// The run that a file belongs to, whether or not it was found; `None` if there is no such file.
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
        let stamp = Stamp::of(path).ok()?;
        return Some(vec![FileVersion { path: path.to_owned(), stamp, candidate: None }]);
    }
    Some(run.into_iter().map(FileVersion::from).collect())
}
