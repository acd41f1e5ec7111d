//! The function definitions of the source files of a profile, in the recorded texts.
//!
//! A file that is newer than the profile does not contain the recorded text. Its definitions are
//! then known only if an older version is cached; they are never taken from the newer text.

use crate::stamp::{Stamp, is_recorded};
use line_index::{LineIndex, TextSize, WideEncoding};
use rustc_hash::FxHashMap;
use sources::{Definition, Functions, Language};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of bytes to parse per profile: more than the hand-written sources of a
/// project.
const MAX_BYTES: u64 = 64 << 20;
/// Larger files are not read, because [`Functions::parse`] refuses them.
const MAX_FILE_BYTES: u64 = 8 << 20;
/// The maximum number of cached versions of a file; the oldest is evicted first.
const MAX_VERSIONS: usize = 4;
/// The maximum number of cached definitions. Above it, files that the current profile does not need
/// are evicted.
const MAX_DEFINITIONS: usize = 1 << 20;
/// The smallest number of files for which a second thread is worth its cost.
const MIN_FILES_FOR_THREAD: usize = 4;

/// The definitions of one text.
#[derive(Debug)]
pub struct FileDefinitions {
    /// The language of the text.
    pub language: Language,
    /// The definitions in the order of the text, outer before inner.
    pub all: Vec<Definition>,
    /// The start and end of each definition, as 0-based line and column. Columns count UTF-16 code
    /// units.
    pub spans: Vec<[(u32, u32); 2]>,
    /// The 0-based line on which each definition starts, including its `#[…]` attributes, which are
    /// separate nodes in the grammar.
    pub starts: Vec<u32>,
}

impl FileDefinitions {
    /// Parses a text. `None` if there is no grammar for it, or it is too large.
    pub fn of_text(path: &Path, text: String) -> Option<Self> {
        let index = LineIndex::new(&text);
        let text: Arc<str> = text.into();
        let language = Language::of_path(path)?;
        let functions = Functions::parse(language, text.clone())?;
        let all = functions.all().to_vec();
        let spans = all
            .iter()
            .map(|definition| {
                [definition.bytes.start, definition.bytes.end].map(|byte| position(&index, byte))
            })
            .collect();
        let starts = all
            .iter()
            .map(|definition| start_with_attributes(&index, &text, *definition.lines.start()))
            .collect();
        Some(Self { language, all, spans, starts })
    }

    /// The functions around the definition `at`, innermost first.
    pub fn around(&self, at: usize) -> impl Iterator<Item = &Definition> {
        let parent = |definition: &&Definition| self.all.get(definition.parent?);
        std::iter::successors(self.all.get(at).as_ref().and_then(parent), parent)
    }
}

/// The 0-based line and UTF-16 column of a byte.
fn position(index: &LineIndex, byte: usize) -> (u32, u32) {
    let place = index.line_col(TextSize::new(byte as u32));
    let column = index.to_wide(WideEncoding::Utf16, place).map_or(place.col, |wide| wide.col);
    (place.line, column)
}

/// The first line of the attributes directly above `start0`, or else `start0`. Lines are 0-based.
fn start_with_attributes(index: &LineIndex, text: &str, start0: u32) -> u32 {
    let n_attributes =
        (0..start0).rev().take_while(|&line0| is_attribute(index, text, line0)).count();
    start0 - n_attributes as u32
}

fn is_attribute(index: &LineIndex, text: &str, line0: u32) -> bool {
    let line = index.line(line0).and_then(|line| text.get(std::ops::Range::from(line)));
    line.is_some_and(|line| line.trim_start().starts_with("#["))
}

/// A cache of the definitions of all files that were parsed, for all profiles.
#[derive(Debug, Default)]
pub struct ParsedFiles(Mutex<FxHashMap<PathBuf, Vec<Version>>>);

/// One version of a file. Without definitions if there is no grammar for it, or it is too large.
#[derive(Debug, Clone)]
struct Version {
    stamp: Stamp,
    definitions: Option<Arc<FileDefinitions>>,
}

impl ParsedFiles {
    /// The definitions of each of `paths` (canonical, inside the roots) in the recorded text of the
    /// profile with the stamp `profile`. `None` if that text or a grammar for it is not available.
    pub fn recorded(&self, paths: &[&Path], profile: &Stamp) -> Vec<Option<Arc<FileDefinitions>>> {
        let mut bytes_left = MAX_BYTES;
        let stamps: Vec<Option<Stamp>> = paths
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
        let missing: Vec<(&Path, Stamp)> = paths
            .iter()
            .zip(&stamps)
            .filter_map(|(path, stamp)| Some((*path, (*stamp)?)))
            .filter(|(path, stamp)| self.version(path, *stamp).is_none())
            .collect();
        if missing.len() < MIN_FILES_FOR_THREAD {
            self.add_all(&missing);
        } else {
            let (first, second) = missing.split_at(missing.len() / 2);
            std::thread::scope(|scope| {
                scope.spawn(|| self.add_all(second));
                self.add_all(first);
            });
        }
        self.evict_except(paths);
        paths
            .iter()
            .zip(stamps)
            .map(|(path, stamp)| self.version(path, stamp?)?.definitions)
            .collect()
    }

    fn version(&self, path: &Path, stamp: Stamp) -> Option<Version> {
        self.versions(path).into_iter().find(|version| version.stamp == stamp)
    }

    fn versions(&self, path: &Path) -> Vec<Version> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned().unwrap_or_default()
    }

    fn add_all(&self, files: &[(&Path, Stamp)]) {
        for (path, stamp) in files {
            self.add(path, *stamp);
        }
    }

    fn add(&self, path: &Path, stamp: Stamp) {
        let definitions =
            read(path, &stamp).and_then(|text| FileDefinitions::of_text(path, text)).map(Arc::new);
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = files.entry(path.to_owned()).or_default();
        if versions.len() == MAX_VERSIONS {
            versions.remove(0);
        }
        versions.push(Version { stamp, definitions });
    }

    /// Evicts all other files if the cache has more than [`MAX_DEFINITIONS`].
    fn evict_except(&self, paths: &[&Path]) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = files.values().flatten();
        let n: usize = versions
            .filter_map(|version| version.definitions.as_ref())
            .map(|definitions| definitions.all.len())
            .sum();
        if n > MAX_DEFINITIONS {
            files.retain(|path, _| paths.contains(&path.as_path()));
        }
    }
}

/// The text of a file, if it is still the version with this stamp and small enough.
fn read(path: &Path, stamp: &Stamp) -> Option<String> {
    if stamp.len > MAX_FILE_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    // If the file was written while it was read, the next load reads it again.
    Stamp::of(path).is_ok_and(|now| now == *stamp).then_some(text)
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, SystemTime};

    fn names(definitions: &[Option<Arc<FileDefinitions>>]) -> Vec<String> {
        let names = definitions.iter().map(|file| match file {
            Some(file) => file
                .all
                .iter()
                .map(|definition| definition.name.clone())
                .collect::<Vec<_>>()
                .join(" "),
            None => "?".to_owned(),
        });
        names.collect()
    }

    #[test]
    fn a_file_newer_than_the_profile_has_its_cached_definitions() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b, text) =
            (folder.path().join("a.py"), folder.path().join("b.py"), folder.path().join("c.txt"));
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
    fn each_file_is_parsed_once() {
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
        assert!(
            first
                .iter()
                .zip(&again)
                .all(|(a, b)| Arc::ptr_eq(a.as_ref().unwrap(), b.as_ref().unwrap()))
        );
    }

    #[test]
    fn columns_count_utf_16_code_units() {
        let file =
            FileDefinitions::of_text(Path::new("a.js"), "let é = '😀', f = () => 1;\n".to_owned())
                .unwrap();
        assert_eq!(file.spans, [[(0, 18), (0, 25)]]);
    }
}
