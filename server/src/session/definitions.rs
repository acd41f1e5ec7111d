//! The functions of the files that a profile was mapped to, in the texts that it was recorded from.
//!
//! A file that is newer than the profile does not hold that text; then only what is remembered of it helps. Nothing is guessed
//! from a text that did not run.

use crate::session::lines::is_recorded;
use crate::session::snapshot::Stamp;
use line_index::{LineIndex, TextSize, WideEncoding};
use rustc_hash::FxHashMap;
use sources::{Definition, Functions, Language};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files of a profile are parsed until they have this many bytes together: more than projects have that people write.
const MAX_BYTES: u64 = 64 << 20;
/// Larger files are not parsed ([`Functions::parse`]), so they are not read.
const MAX_FILE_BYTES: u64 = 8 << 20;
/// Writings of one file that are remembered; the oldest goes first.
const MAX_VERSIONS: usize = 4;
/// How many definitions are remembered of files that the profile shown does not need.
const MAX_DEFINITIONS: usize = 1 << 20;
/// Fewer files are parsed before a thread is worth it.
const WORTH_A_THREAD: usize = 4;

/// The functions of one text.
#[derive(Debug, Default)]
pub struct FileDefinitions {
    /// In the order of the text, outer before inner.
    pub all: Vec<Definition>,
    /// Of each: the 0-based lines and columns (in UTF-16) that it begins and ends at.
    pub spans: Vec<[(u32, u32); 2]>,
    /// Of each: the 0-based line that its attributes begin on (`#[…]`, which grammars keep apart), else that it begins on.
    pub starts: Vec<u32>,
}

impl FileDefinitions {
    /// Those of a text; `None` without a grammar for it.
    pub fn of_text(path: &Path, text: String) -> Option<Self> {
        let index = LineIndex::new(&text);
        let text: Arc<str> = text.into();
        let functions = Functions::parse(Language::of_path(path)?, text.clone())?;
        let is_attribute = |line0: u32| {
            let line = index.line(line0).and_then(|line| text.get(std::ops::Range::from(line))?.trim_start().get(..2));
            line == Some("#[")
        };
        let start = |definition: &Definition| {
            let start0 = *definition.lines.start();
            start0 - (0..start0).rev().take_while(|&line0| is_attribute(line0)).count() as u32
        };
        let place = |byte: usize| {
            let place = index.line_col(TextSize::new(byte as u32));
            let column = index.to_wide(WideEncoding::Utf16, place).map_or(place.col, |wide| wide.col);
            (place.line, column)
        };
        let all = functions.all().to_vec();
        let spans = all.iter().map(|definition| [place(definition.bytes.start), place(definition.bytes.end)]).collect();
        let starts = all.iter().map(start).collect();
        Some(Self { all, spans, starts })
    }

    /// The functions around one, innermost first.
    pub fn around(&self, at: usize) -> impl Iterator<Item = &Definition> {
        let parent = |definition: &&Definition| self.all.get(definition.parent?);
        std::iter::successors(self.all.get(at).as_ref().and_then(parent), parent)
    }
}

/// What was parsed, for all profiles of a session.
#[derive(Debug, Default)]
pub struct ParsedFiles(Mutex<FxHashMap<PathBuf, Vec<Version>>>);

/// A writing of a file. It may have no definitions that are known: no grammar, or too large.
#[derive(Debug, Clone)]
struct Version {
    stamp: Stamp,
    definitions: Option<Arc<FileDefinitions>>,
}

impl ParsedFiles {
    /// The definitions of each of `paths` (canonical, inside the roots) in the text that the profile written at `profile` was
    /// recorded from; `None` where that text or its language is not known.
    pub fn recorded(&self, paths: &[&Path], profile: &Stamp) -> Vec<Option<Arc<FileDefinitions>>> {
        let mut bytes_left = MAX_BYTES;
        let wanted: Vec<Option<Stamp>> = paths
            .iter()
            .map(|path| {
                Language::of_path(path)?;
                let stamp = Stamp::of(path).ok()?;
                if !is_recorded(&stamp, profile) {
                    return self
                        .versions(path)
                        .into_iter()
                        .map(|version| version.stamp)
                        .rfind(|stamp| is_recorded(stamp, profile));
                }
                bytes_left = bytes_left.checked_sub(stamp.len)?;
                Some(stamp)
            })
            .collect();
        let known = |path: &Path, stamp: &Stamp| self.versions(path).iter().any(|version| version.stamp == *stamp);
        let missing = paths.iter().zip(&wanted).filter_map(|(path, stamp)| Some((*path, (*stamp)?)));
        let missing: Vec<(&Path, Stamp)> = missing.filter(|(path, stamp)| !known(path, stamp)).collect();
        let parse_all = |files: &[(&Path, Stamp)]| files.iter().for_each(|(path, stamp)| self.add(path, *stamp));
        if missing.len() < WORTH_A_THREAD {
            parse_all(&missing);
        } else {
            let (first, second) = missing.split_at(missing.len() / 2);
            std::thread::scope(|scope| {
                scope.spawn(|| parse_all(second));
                parse_all(first);
            });
        }
        self.forget_but(paths);
        let found = paths.iter().zip(wanted).map(|(path, stamp)| {
            let version = self.versions(path).into_iter().find(|version| Some(version.stamp) == stamp)?;
            version.definitions
        });
        found.collect()
    }

    fn versions(&self, path: &Path) -> Vec<Version> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned().unwrap_or_default()
    }

    fn add(&self, path: &Path, stamp: Stamp) {
        let definitions = read(path, &stamp).and_then(|text| FileDefinitions::of_text(path, text)).map(Arc::new);
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = files.entry(path.to_owned()).or_default();
        if versions.len() == MAX_VERSIONS {
            versions.remove(0);
        }
        versions.push(Version { stamp, definitions });
    }

    /// Forgets the files of other profiles when they are too many.
    fn forget_but(&self, paths: &[&Path]) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = files.values().flatten();
        let n: usize = versions.filter_map(|version| version.definitions.as_ref()).map(|definitions| definitions.all.len()).sum();
        if n > MAX_DEFINITIONS {
            files.retain(|path, _| paths.contains(&path.as_path()));
        }
    }
}

/// A text as it was written at `stamp`.
fn read(path: &Path, stamp: &Stamp) -> Option<String> {
    if stamp.len > MAX_FILE_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    // Not if it was written meanwhile: the next load sees that.
    Stamp::of(path).is_ok_and(|now| now == *stamp).then_some(text)
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, SystemTime};

    fn names(definitions: &[Option<Arc<FileDefinitions>>]) -> Vec<String> {
        let told = definitions.iter().map(|file| match file {
            Some(file) => file.all.iter().map(|definition| definition.name.clone()).collect::<Vec<_>>().join(" "),
            None => "?".to_owned(),
        });
        told.collect()
    }

    #[test]
    fn a_file_that_is_newer_than_the_profile_is_known_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b, text) = (folder.path().join("a.py"), folder.path().join("b.py"), folder.path().join("c.txt"));
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
        let write = |path: &Path, text: &str, modified| {
            fs::write(path, text).unwrap();
            fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
        };
        write(&a, "def before(): pass\n", at(0));
        write(&b, "def late(): pass\n", at(100));
        write(&text, "def nothing(): pass\n", at(0));
        let profile = folder.path().join("profile");
        write(&profile, "", at(50));
        let profile = Stamp::of(&profile).unwrap();
        let files = ParsedFiles::default();
        let recorded = |files: &ParsedFiles| names(&files.recorded(&[&a, &b, &text], &profile));
        assert_eq!(recorded(&files), ["before", "?", "?"]);
        write(&a, "def after(): pass\n", at(100));
        assert_eq!(recorded(&files), ["before", "?", "?"]);
        assert_eq!(recorded(&ParsedFiles::default()), ["?", "?", "?"]);
    }

    #[test]
    fn many_files_are_parsed_and_parsed_once() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..9).map(|i| folder.path().join(format!("f{i}.py"))).collect();
        for (i, path) in paths.iter().enumerate() {
            fs::write(path, format!("def f{i}(): pass\n")).unwrap();
        }
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let profile = Stamp::of(paths[8]).unwrap();
        let files = ParsedFiles::default();
        let first = files.recorded(&paths, &profile);
        assert_eq!(names(&first), (0..9).map(|i| format!("f{i}")).collect::<Vec<_>>());
        let again = files.recorded(&paths, &profile);
        assert!(first.iter().zip(&again).all(|(a, b)| Arc::ptr_eq(a.as_ref().unwrap(), b.as_ref().unwrap())));
    }

    #[test]
    fn columns_count_in_utf_16() {
        let file = FileDefinitions::of_text(Path::new("a.js"), "let é = '😀', f = () => 1;\n".to_owned()).unwrap();
        assert_eq!(file.spans, [[(0, 18), (0, 25)]]);
    }
}
