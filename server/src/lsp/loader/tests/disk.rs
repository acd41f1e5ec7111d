//! A disk in memory, and the results of scans and loads of it.

use crate::lsp::loader::scan::{Ending, ScanRequest, Scanned};
use answers::{
    At, Candidate, FileOrigin as Origin, FileVersion, Format, LoadError, Loaded, ReadError, Stamp,
    Writer,
};
use profile::text_samples;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A profile with this number of samples. If it is odd, the profile has unresolved addresses.
    Profile(u32),
    /// A profile in a format without an end mark whose last line is incomplete; it can be read.
    OpenLine(u32),
    /// The first part of a profile in a format with an end mark.
    Cut,
    /// The same, compressed, so that only reading it shows that the end is missing.
    CutInside,
    /// Recognized as a profile, but invalid.
    Broken,
    /// Not recognized.
    Garbage,
}

/// One version of a file.
#[derive(Debug, Clone, Copy)]
pub struct File {
    pub stamp: Stamp,
    pub content: Content,
}

/// The disk.
#[derive(Debug, Default)]
pub struct Disk {
    pub files: BTreeMap<PathBuf, File>,
    /// The contents of all versions of all files.
    pub versions: BTreeMap<(PathBuf, SystemTime), Content>,
}

/// The root. It must not exist on the machine that runs the tests, because roots are walked.
pub const ROOT: &str = "/no/such/folder";

/// The path of a file in the root.
pub fn path(name: &str) -> PathBuf {
    Path::new(ROOT).join(name)
}

impl Disk {
    /// Writes a file.
    pub fn put(&mut self, name: &str, stamp: Stamp, content: Content) {
        self.files.insert(path(name), File { stamp, content });
        self.versions.insert((path(name), stamp.modified), content);
    }

    fn written(&self, path: &Path) -> Option<FileVersion> {
        let file = self.files.get(path)?;
        let candidate = (file.content != Content::Garbage).then(|| Candidate {
            path: path.to_owned(),
            stamp: file.stamp,
            format: format(path),
            origin: Origin::default(),
            born: None,
            companions: self.companions(path),
        });
        Some(FileVersion { path: path.to_owned(), stamp: file.stamp, candidate })
    }

    /// The files with the same name and the extension `companion`.
    fn companions(&self, path: &Path) -> Vec<(PathBuf, Stamp)> {
        let path = path.with_extension("companion");
        self.files.get(&path).map(|file| (path, file.stamp)).into_iter().collect()
    }

    /// The result of a scan.
    pub fn scan(&self, request: &ScanRequest) -> Scanned {
        let files = self.files.keys().filter_map(|path| self.written(path));
        let names = request.settings.profiles.as_deref();
        let mut candidates: Vec<_> = files.filter_map(|file| file.candidate).collect();
        candidates.retain(|candidate| {
            names.is_none_or(|names| names.iter().any(|name| candidate.path.ends_with(name)))
        });
        candidates.sort_by_key(|candidate| Reverse(candidate.stamp.modified));
        let ending = |file: &FileVersion| {
            let ending = match (self.files.get(&file.path)?.content, format(&file.path)) {
                (Content::Garbage, _) => Ending::Unrecognised,
                (content, Format::Folded) => Ending::Open {
                    is_complete: !matches!(content, Content::OpenLine(_)),
                    unchanged_for: Duration::ZERO,
                },
                (content, _) => Ending::Marked { has_end: content != Content::Cut },
            };
            Some((file.path.clone(), ending))
        };
        let stamp = |path: &PathBuf| self.files.get(path).map(|file| file.stamp);
        Scanned {
            candidates,
            foreign: Vec::new(),
            folders: Vec::new(),
            wanted: request.wanted.first().and_then(|path| Some(vec![self.written(path)?])),
            shown: request.shown.iter().filter_map(|(path, _)| self.written(path)).collect(),
            endings: request.target.iter().filter_map(ending).collect(),
            problems: request.problems.iter().map(|path| (path.clone(), stamp(path))).collect(),
            absent: Vec::new(),
            unread_baseline: request.unread_baseline.as_ref().and_then(stamp),
        }
    }

    /// Reads a profile.
    pub fn read(&self, path: &Path) -> Result<Loaded, LoadError> {
        let failed = |source| Err(LoadError::Read { path: path.to_owned(), source });
        let Some(file) = self.files.get(path) else {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(LoadError::Io { path: path.to_owned(), source });
        };
        match file.content {
            Content::Profile(samples) | Content::OpenLine(samples) => {
                let companions = self.companions(path);
                Ok(Loaded { companions, ..profile(path, file.stamp, samples) })
            }
            Content::Cut | Content::CutInside => {
                failed(ReadError::truncated(At::File, "it ends too early"))
            }
            Content::Broken => failed(ReadError::malformed(At::File, "it is broken")),
            Content::Garbage => failed(ReadError::unrecognised("it is not a profile")),
        }
    }
}

/// The format of a file, by its name. Folded stacks have no end mark.
fn format(path: &Path) -> Format {
    match path.extension().and_then(OsStr::to_str) {
        Some("folded") => Format::Folded,
        Some("heapprofile") => Format::HeapProfile,
        _ => Format::CpuProfile,
    }
}

fn profile(path: &Path, stamp: Stamp, samples: u32) -> Loaded {
    let text = if samples.is_multiple_of(2) { "main" } else { "main\n0x10[lib:app]" };
    let recording = text_samples::weighted(text, &[f64::from(samples)]).into();
    Loaded {
        path: path.to_owned(),
        stamp,
        files: vec![(path.to_owned(), stamp)],
        threads: Vec::new(),
        companions: Vec::new(),
        content: 0,
        format: format(path),
        version: None,
        mode: None,
        writer: Writer::default(),
        span_seconds: None,
        truncated: None,
        recording: Arc::new(recording),
        raw_stacks: None,
        needs_programs: false,
        report: None,
        lacks_lines_of_counts: false,
        fleet: None,
        revisions: Vec::new(),
        warnings: Vec::new(),
    }
}
