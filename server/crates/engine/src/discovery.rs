//! Finds profiles by the file names that profilers use, and checks their content.

use crate::companions::{self, companions};
use crate::run_names::first_file;
use crate::settings::{Settings, glob_set};
use crate::stamp::Stamp;
use formats::{Foreign, Format, Origin, PREFIX};
use globset::GlobSet;
use sources::regular_file;
use std::collections::HashMap;
use std::fs::{self, DirEntry};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// File names of profiles. Each may also end in `.gz` or `.zst`. Without braces, because
/// [`watch_globs`] adds some and not every editor supports wildcards between braces.
pub const NAMES: [&str; 30] = [
    "profile*.json",
    "*.jslb",
    "*.cpuprofile",
    "*.heapprofile",
    "*.folded",
    "*.collapsed",
    "*.speedscope.json",
    "*.pb",
    "*.pprof",
    "callgrind.out.*",
    "cachegrind.out.*",
    "perf.data",
    "*.perf.data",
    "perf.txt",
    "*.perf.txt",
    "*.perf",
    "Deep.data",
    "*_on_*_at_*.data",
    "*.mojo",
    "*.austin",
    "*.prof",
    "*.pstats",
    "*.chrometrace.json",
    "*.trace.json",
    "trace.json",
    "trace-*.json",
    "*.raw",
    "stackprof*.json",
    "dhat.out.*",
    "dhat*.json",
];
/// Folders of which every file may be a profile.
pub const PROFILE_FOLDERS: [&str; 2] = ["profiles", ".costline"];
/// The folder of criterion benchmarks in a root. Profiles are in folders named `profile` below it.
const CRITERION: &str = "target/criterion";
/// The maximum depth of folders below a root.
pub(crate) const DEPTH: usize = 3;
/// The maximum depth of folders below [`CRITERION`].
const CRITERION_DEPTH: usize = 8;
/// The maximum number of directory entries per root; the rest is skipped.
const MAX_ENTRIES: usize = 50_000;

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
    /// The file as a profile. `None` if its first bytes are not those of a profile.
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
    /// Files with names of profiles that are recognised but cannot be read.
    pub foreign: Vec<(PathBuf, Stamp, &'static Foreign)>,
    /// The folders that were searched, in which new profiles may appear.
    pub folders: Vec<PathBuf>,
}

/// A cache of what files were detected as, so that each version of a file is opened once.
#[derive(Debug, Default)]
pub struct Recognised(HashMap<PathBuf, (Stamp, Option<Content>, Origin)>);

impl Recognised {
    /// What a file is according to its first bytes, and what its header says about the run.
    fn content(&mut self, path: &Path, stamp: Stamp) -> (Option<Content>, Origin) {
        if let Some((_, content, origin)) = self.0.get(path).filter(|(cached, ..)| *cached == stamp)
        {
            return (*content, origin.clone());
        }
        let (content, origin) = detect(path);
        self.0.insert(path.to_owned(), (stamp, content, origin.clone()));
        (content, origin)
    }

    /// The file as a profile. `None` if its first bytes are not those of a profile.
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

    /// The file as one that is recognised but cannot be read.
    fn foreign(&mut self, path: &Path) -> Option<(PathBuf, Stamp, &'static Foreign)> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let stamp = Stamp::from_metadata(&metadata);
        let (Some(Content::Foreign(foreign)), _) = self.content(path, stamp) else { return None };
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
    /// A file that is recognised but cannot be read.
    Foreign(&'static Foreign),
}

/// What a file is according to its first bytes, after decompression. `None` if they are not
/// recognised.
pub fn sniff(path: &Path) -> Option<Content> {
    detect(path).0
}

/// Like [`sniff`], with what the header says about the run.
fn detect(path: &Path) -> (Option<Content>, Origin) {
    let mut head = Vec::new();
    if regular_file::open(path)
        .is_ok_and(|(file, _)| file.take(PREFIX as u64).read_to_end(&mut head).is_ok())
    {
        let head = formats::inflate::prefix(&head, PREFIX);
        return match formats::detect(&head) {
            Some(format) => (Some(Content::Profile(format)), formats::origin(format, &head)),
            None => (Foreign::of(&head).map(Content::Foreign), Origin::default()),
        };
    }
    (None, Origin::default())
}

/// Finds the profiles in all roots.
pub fn discover(roots: &[PathBuf], settings: &Settings, recognised: &mut Recognised) -> Found {
    let mut found = Found::default();
    for root in roots.iter().filter(|root| sources::answers(root)) {
        let patterns = Patterns::new(settings.profiles.as_deref());
        let mut walk = Walk {
            root,
            patterns: &patterns,
            entries_left: MAX_ENTRIES,
            found: &mut found,
            recognised,
        };
        walk.folder(root, 0, DEPTH.max(patterns.depth));
        walk.folder(&root.join(CRITERION), 0, CRITERION_DEPTH);
    }
    found
        .candidates
        .sort_by(|a, b| b.stamp.modified.cmp(&a.stamp.modified).then_with(|| a.path.cmp(&b.path)));
    found.candidates.dedup_by(|a, b| a.path == b.path);
    found
}

/// Whether a file has a name that profilers use.
pub fn is_named_like_profile(path: &Path) -> bool {
    Patterns::new(None).matches(Path::new(""), path)
}

/// Globs of the files that [`discover`] examines and of companions, for an editor that reports file changes. They
/// match at any depth.
pub fn watch_globs(settings: &Settings) -> Vec<String> {
    let below = |glob: &str| format!("**/{glob}");
    let companions = companions::names().map(|name| below(&name));
    if let Some(globs) = &settings.profiles {
        let globs = globs.iter().map(|glob| below(glob.strip_prefix("**/").unwrap_or(glob)));
        return globs.chain(companions).collect();
    }
    let names = NAMES.iter().flat_map(|name| [below(name), below(&format!("{name}.{{gz,zst}}"))]);
    let folders = PROFILE_FOLDERS.iter().map(|folder| below(&format!("{folder}/*")));
    let criterion = below(&format!("{CRITERION}/**/profile/*"));
    names.chain(folders).chain([criterion]).chain(companions).collect()
}

struct Patterns {
    names: GlobSet,
    /// The setting `profiles`, which replaces `names`. Matches paths relative to the root.
    paths: Option<GlobSet>,
    /// The number of folder levels that `paths` needs.
    depth: usize,
}

impl Patterns {
    fn new(globs: Option<&[String]>) -> Self {
        let names: Vec<_> = NAMES
            .iter()
            .flat_map(|name| [(*name).to_owned(), format!("{name}.gz"), format!("{name}.zst")])
            .collect();
        let depth =
            |glob: &String| glob.matches('/').count() + if glob.contains("**") { DEPTH } else { 0 };
        Self {
            names: glob_set(names.iter().map(String::as_str)),
            paths: globs.map(|globs| glob_set(globs.iter().map(String::as_str))),
            depth: globs.unwrap_or_default().iter().map(depth).max().unwrap_or(0),
        }
    }

    fn matches(&self, root: &Path, path: &Path) -> bool {
        let parent =
            path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or("");
        match &self.paths {
            Some(paths) => path.strip_prefix(root).is_ok_and(|path| paths.is_match(path)),
            None => {
                PROFILE_FOLDERS.contains(&parent)
                    || (parent == "profile" && path.starts_with(root.join(CRITERION)))
                    || path.file_name().is_some_and(|name| self.names.is_match(Path::new(name)))
            }
        }
    }
}

struct Walk<'w> {
    root: &'w Path,
    patterns: &'w Patterns,
    entries_left: usize,
    found: &'w mut Found,
    recognised: &'w mut Recognised,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize, max_depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        if !self.found.folders.iter().any(|other| other == folder) {
            self.found.folders.push(folder.to_owned());
        }
        let mut entries: Vec<DirEntry> =
            entries.filter_map(Result::ok).take(self.entries_left).collect();
        self.entries_left -= entries.len();
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let (path, name) = (entry.path(), entry.file_name());
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = name.to_string_lossy();
            if is_dir {
                let skipped =
                    name == "node_modules" || (name.starts_with('.') && name != ".costline");
                if !skipped && depth < max_depth {
                    self.folder(&path, depth + 1, max_depth);
                }
            } else if self.patterns.matches(self.root, &path) {
                self.file(&path);
            }
        }
    }

    fn file(&mut self, path: &Path) {
        match self.recognised.candidate(path) {
            Some(candidate) => self.found.candidates.push(candidate),
            None => self.found.foreign.extend(self.recognised.foreign(path)),
        }
    }
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

    #[test]
    fn watch_globs_match_what_discovery_finds() {
        let watched = |settings: &serde_json::Value, path: &str| {
            let globs = watch_globs(&Settings::parse(settings).0);
            glob_set(globs.iter().map(String::as_str)).is_match(path)
        };
        let defaults = json!({});
        for name in NAMES {
            let name = name.replace('*', "1");
            for path in [name.clone(), format!("/w/a/{name}.gz"), format!("/w/{name}.zst")] {
                assert!(watched(&defaults, &path), "{path}");
            }
        }
        for path in
            ["/w/profiles/any", "/w/.costline/any", "/w/target/criterion/a/b/profile/any.txt"]
        {
            assert!(watched(&defaults, path), "{path}");
        }
        for path in ["/w/src/main.rs", "/w/package.json", "/w/a.json.gz", "/w/profile/any.txt"] {
            assert!(!watched(&defaults, path), "{path}");
        }
        let chosen = json!({"profiles": ["out/*.txt", "**/*.bin"]});
        assert_eq!(watch_globs(&Settings::parse(&chosen).0)[..2], ["**/out/*.txt", "**/*.bin"]);
        for settings in [&defaults, &chosen] {
            assert!(watched(settings, "/w/Deep.procrep") && watched(settings, "/w/p.syms.json"));
        }
        assert!(watched(&chosen, "/w/out/a.txt") && !watched(&chosen, "/w/a.cpuprofile"));
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
        for path in ["app.prof", "profiles/anything", "elsewhere.txt"] {
            fs::write(dir.path().join(path), "v8-version,11,3,244,8,-node.38,0\n").unwrap();
        }
        let found =
            discover(&[dir.path().to_owned()], &Settings::default(), &mut Recognised::default());
        let mut names: Vec<_> =
            found.foreign.iter().map(|(path, _, foreign)| (path.clone(), foreign.name)).collect();
        names.sort();
        let expected =
            ["app.prof", "profiles/anything"].map(|path| (dir.path().join(path), "v8-log"));
        assert_eq!(names, expected);
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
        write("app.prof", "v8-version,11,3,244,8,-node.38,0\n");
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
