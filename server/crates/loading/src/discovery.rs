//! Finds profiles by the file names that profilers use, and checks their content.

pub(crate) mod companions;
pub(crate) mod hashed;
pub(crate) mod names;
pub(crate) mod preference;
pub(crate) mod roots;
pub(crate) mod run_names;
pub(crate) mod runs;
pub(crate) mod stamp;
pub(crate) mod walk;

pub use names::DEPTH;
pub use names::{NAMES, PROFILE_FOLDERS, is_named_like_profile, watch_globs};

use crate::discovery::companions::companions;
use crate::discovery::run_names::first_file;
use crate::discovery::stamp::Stamp;
use crate::settings::Settings;
use formats::{Foreign, Format, Origin, PREFIX};
use sources::regular_file;
use std::collections::HashMap;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use walk::Searches;

/// A file that is a profile according to its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The path, as found.
    pub path: PathBuf,
    /// The stamp of the file.
    pub stamp: Stamp,
    /// The format.
    pub format: Format,
    /// What the file's header says about the run that wrote it.
    pub origin: Origin,
    /// When the file, or the first file of its process, was created. `None` if the file system does
    /// not record that.
    pub born: Option<SystemTime>,
    /// Its companions.
    pub companions: Vec<(PathBuf, Stamp)>,
}

/// One version of a file that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// The path.
    pub path: PathBuf,
    /// The stamp of this version.
    pub stamp: Stamp,
    /// The file as a profile. `None` if it does not start like a profile.
    pub candidate: Option<Candidate>,
}

impl From<Candidate> for FileVersion {
    fn from(candidate: Candidate) -> Self {
        Self { path: candidate.path.clone(), stamp: candidate.stamp, candidate: Some(candidate) }
    }
}

impl FileVersion {
    /// The format, if it is known.
    pub fn format(&self) -> Option<Format> {
        self.candidate.as_ref().map(|candidate| candidate.format)
    }
}

/// The result of [`discover`].
#[derive(Debug, Default)]
pub struct Found {
    /// The profiles, newest first.
    pub candidates: Vec<Candidate>,
    /// Files with names of profiles that are recognized but cannot be read.
    pub foreign: Vec<(PathBuf, Stamp, &'static Foreign)>,
    /// Files with names that only profiles have, but with other contents: empty or damaged ones.
    pub unrecognized: Vec<(PathBuf, Stamp)>,
    /// The folders that were searched, in which new profiles may appear.
    pub folders: Vec<PathBuf>,
}

impl Found {
    /// What to say about each file that is recognized but cannot be read, newest first: what it is
    /// and what to do, as reading the file would say.
    pub fn foreign_messages(&self) -> Vec<(PathBuf, String)> {
        let mut foreign: Vec<_> = self.foreign.iter().collect();
        foreign.sort_by(|a, b| b.1.modified.cmp(&a.1.modified).then_with(|| a.0.cmp(&b.0)));
        foreign.dedup_by(|a, b| a.0 == b.0);
        foreign
            .into_iter()
            .map(|(path, _, kind)| (path.clone(), foreign_message(path, kind)))
            .collect()
    }
}

/// What to say about a file that is recognized but cannot be read.
pub fn foreign_message(path: &Path, foreign: &Foreign) -> String {
    format!("{}: {}", path.display(), foreign.sentence_of(path))
}

/// What earlier searches found, so that each version of a file is opened once, and a folder is listed
/// again only if it changed.
#[derive(Debug, Default)]
pub struct Recognised {
    contents: HashMap<PathBuf, (Stamp, Option<Content>, Origin)>,
    searches: Searches,
}

impl Recognised {
    /// What a file is according to its first bytes, and what its header says about the run.
    fn content(&mut self, path: &Path, stamp: Stamp) -> (Option<Content>, Origin) {
        let known = self.contents.get(path).filter(|(cached, ..)| *cached == stamp);
        if let Some((_, content, origin)) = known {
            return (*content, origin.clone());
        }
        let (content, origin) = detect(path);
        self.contents.insert(path.to_owned(), (stamp, content, origin.clone()));
        (content, origin)
    }

    /// The file as a profile. `None` if it does not start like a profile.
    pub fn candidate(&mut self, path: &Path) -> Option<Candidate> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let stamp = Stamp::from_metadata(&metadata);
        let (Some(Content::Profile(format)), origin) = self.content(path, stamp) else {
            return None;
        };
        let born = |metadata: &fs::Metadata| metadata.created().ok();
        let first = first_file(path, format).and_then(|path| born(&fs::metadata(path).ok()?));
        Some(Candidate {
            path: path.to_owned(),
            stamp,
            format,
            origin,
            born: born(&metadata).into_iter().chain(first).min(),
            companions: companions(path, format),
        })
    }

    /// The file as one that is recognized but cannot be read.
    fn foreign(&mut self, path: &Path) -> Option<(PathBuf, Stamp, &'static Foreign)> {
        let metadata = fs::metadata(path).ok()?;
        let stamp = Stamp::from_metadata(&metadata);
        let foreign = if metadata.is_dir() {
            Foreign::of_folder(&path.file_name()?.to_string_lossy())?
        } else {
            let (Some(Content::Foreign(foreign)), _) = self.content(path, stamp) else {
                return None;
            };
            foreign
        };
        Some((path.to_owned(), stamp, foreign))
    }

    /// The current versions of files, without deleted ones.
    pub fn current_versions(&mut self, files: &[(PathBuf, Stamp)]) -> Vec<FileVersion> {
        let now = files.iter().filter_map(|(path, _)| {
            let candidate = self.candidate(path);
            let stamp = candidate
                .as_ref()
                .map(|candidate| candidate.stamp)
                .or_else(|| Stamp::of(path).ok())?;
            Some(FileVersion { path: path.clone(), stamp, candidate })
        });
        now.collect()
    }
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A profile.
    Profile(Format),
    /// A file that is recognized but cannot be read.
    Foreign(&'static Foreign),
}

/// What a file is according to its first bytes, after decompression. `None` if they are not
/// recognized.
pub fn sniff(path: &Path) -> Option<Content> {
    detect(path).0
}

/// Like [`sniff`], with what the header says about the run.
fn detect(path: &Path) -> (Option<Content>, Origin) {
    let file = regular_file::open(path).ok().map(|(file, _)| file);
    let head = file.and_then(|file| formats::inflate::read_prefix(file, PREFIX).ok());
    let Some(head) = head else { return (None, Origin::default()) };
    match formats::detect(&head) {
        Some(format) => (Some(Content::Profile(format)), formats::origin(format, &head)),
        None => (Foreign::of(&head).map(Content::Foreign), Origin::default()),
    }
}

/// Finds the profiles in all roots.
pub fn discover(roots: &[PathBuf], settings: &Settings, recognised: &mut Recognised) -> Found {
    let mut found = Found::default();
    for root in roots.iter().filter(|root| sources::answers(root)) {
        let globs = names::profile_globs(settings, root, roots);
        let named = recognised.searches.search(root, globs);
        for path in &named.files {
            match recognised.candidate(path) {
                Some(candidate) => found.candidates.push(candidate),
                None => match recognised.foreign(path) {
                    Some(foreign) => found.foreign.push(foreign),
                    None if names::is_name_of_profiles(path) => {
                        found
                            .unrecognized
                            .extend(Stamp::of(path).ok().map(|stamp| (path.clone(), stamp)));
                    }
                    None => {}
                },
            }
        }
        found.folders.extend(named.folders);
    }
    found
        .candidates
        .sort_by(|a, b| b.stamp.modified.cmp(&a.stamp.modified).then_with(|| a.path.cmp(&b.path)));
    found.candidates.dedup_by(|a, b| a.path == b.path);
    found
}

/// The folders to watch for changes of `path`: its folder and, if it is a symbolic link, the folder
/// of the target.
pub fn folders_of(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = path.parent().map(Path::to_owned).into_iter().collect();
    if let Some(real) = path.canonicalize().ok().and_then(|real| Some(real.parent()?.to_owned())) {
        folders.push(real);
    }
    folders
}

/// Whether the last bytes of a file can be the end of its format. True for compressed files, which
/// are only checked when they are read.
pub fn has_end(path: &Path, format: Format) -> bool {
    let tail = || {
        let (mut file, _) = regular_file::open(path).ok()?;
        let mut head = [0; 4];
        let n = file.read(&mut head).ok()?;
        if head[..n].starts_with(&[0x1f, 0x8b]) || head[..n].starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        {
            return None;
        }
        let len = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(len.saturating_sub(64))).ok()?;
        let mut tail = Vec::new();
        file.take(64).read_to_end(&mut tail).ok()?;
        Some(tail)
    };
    tail().is_none_or(|tail| formats::detect::ends(format, &tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FOLDED: &str = "main;parse 3\nmain;hash 4\n";

    fn names(root: &Path, settings: &serde_json::Value) -> Vec<String> {
        let (settings, warnings) = Settings::parse(settings);
        assert!(warnings.is_empty(), "{warnings:?}");
        let found = discover(&[root.to_owned()], &settings, &mut Recognised::default());
        let mut names: Vec<_> = found
            .candidates
            .iter()
            .map(|c| c.path.strip_prefix(root).unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Mercury's runtime puts the time of the run into the name of the file.
    #[test]
    fn finds_deep_profiles_with_a_date() {
        let dir = tempfile::tempdir().unwrap();
        let header = b"Mercury deep profiler data version 9\n\x08./queens";
        for path in ["queens_on_2026-01-01_at_10-00-00.data", "Deep.data", "other.data"] {
            fs::write(dir.path().join(path), header).unwrap();
        }
        let found = names(dir.path(), &json!({}));
        assert_eq!(found, ["Deep.data", "queens_on_2026-01-01_at_10-00-00.data"]);
    }

    #[test]
    fn finds_foreign_files_with_names_of_profiles() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("profiles")).unwrap();
        for path in ["app.prof", "profiles/anything", "jeprof.1.heap", "elsewhere.txt"] {
            fs::write(dir.path().join(path), "heap_v2/524288\n  t*: 1: 512 [0: 0]\n").unwrap();
        }
        fs::create_dir(dir.path().join("run.trace")).unwrap();
        let found =
            discover(&[dir.path().to_owned()], &Settings::default(), &mut Recognised::default());
        let mut names: Vec<_> =
            found.foreign.iter().map(|(path, _, foreign)| (path.clone(), foreign.name)).collect();
        names.sort();
        let expected = [
            ("app.prof", "jemalloc"),
            ("jeprof.1.heap", "jemalloc"),
            ("profiles/anything", "jemalloc"),
            ("run.trace", "instruments"),
        ];
        assert_eq!(names, expected.map(|(path, kind)| (dir.path().join(path), kind)));
    }

    #[test]
    fn finds_profiles_by_name_and_content_to_a_depth_of_three() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for path in [
            "a.folded",
            "x/y/z/b.folded",
            "x/y/z/too/deep.folded",
            "profiles/anything",
            ".costline/run1",
            "x/profiles/c.txt",
        ] {
            write(path, FOLDED);
        }
        for path in [
            ".git/d.folded",
            "node_modules/e.folded",
            ".venv/f.folded",
            "notes.txt",
            "target/criterion/g/h/i/profile/j.txt",
        ] {
            write(path, FOLDED);
        }
        write("profile.json", "{\"name\": \"a package\"}");
        write("empty.folded", "");
        write("app.prof", "heap_v2/524288\n  t*: 1: 512 [0: 0]\n");
        let expected = [
            ".costline/run1",
            "a.folded",
            "profiles/anything",
            "target/criterion/g/h/i/profile/j.txt",
            "x/profiles/c.txt",
            "x/y/z/b.folded",
        ];
        assert_eq!(names(dir.path(), &json!({})), expected);
        assert_eq!(
            names(dir.path(), &json!({"profiles": ["notes.*", "x/y/z/too/*.folded"]})),
            ["notes.txt", "x/y/z/too/deep.folded"]
        );
    }
}
