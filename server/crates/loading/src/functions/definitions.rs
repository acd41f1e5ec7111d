//! The function definitions of source texts.

use crate::functions::function_name::FunctionName;
use line_index::{LineIndex, TextSize, WideEncoding};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use texts::{Definition, Functions, Language};

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
    /// The head of each definition: from its start, or that of its name, to the start of its body. In the
    /// same units.
    pub heads: Vec<[(u32, u32); 2]>,
    /// The 0-based line on which each definition starts, including its `#[…]` attributes, which are
    /// separate nodes in the grammar.
    pub starts: Vec<u32>,
}

impl FileDefinitions {
    /// Parses a text. `None` if there is no grammar for it, or it is too large.
    pub fn of_text(path: &Path, text: impl Into<Arc<str>>) -> Option<Self> {
        let text = text.into();
        let index = LineIndex::new(&text);
        let language = Language::of_path(path)?;
        let functions = Functions::parse(language, text.clone())?;
        let all = functions.all().to_vec();
        let spans = all
            .iter()
            .map(|definition| {
                [definition.bytes.start, definition.bytes.end].map(|byte| position(&index, byte))
            })
            .collect();
        let heads = all
            .iter()
            .map(|definition| {
                let start = definition.bytes.start.min(definition.name_bytes.start);
                [start, definition.body_start].map(|byte| position(&index, byte))
            })
            .collect();
        let starts = all
            .iter()
            .map(|definition| start_with_attributes(&index, &text, *definition.lines.start()))
            .collect();
        Some(Self { language, all, spans, heads, starts })
    }

    /// The functions around the definition `at`, innermost first.
    pub fn around(&self, at: usize) -> impl Iterator<Item = &Definition> {
        let parent = |definition: &&Definition| self.all.get(definition.parent?);
        std::iter::successors(self.all.get(at).as_ref().and_then(parent), parent)
    }

    /// Of the definitions in `among` whose scopes are the end of a name's path, the one with the most
    /// scopes. `None` if several have the most. Those with as many parameters as the name are
    /// preferred.
    pub fn closest(&self, name: &FunctionName, among: &[usize]) -> Option<usize> {
        let overload = |&at: &usize| self.all.get(at).is_some_and(|it| name.is_overload(it));
        let same: Vec<usize> = among.iter().copied().filter(|at| !overload(at)).collect();
        let among = if same.is_empty() { among } else { &same };
        let definition = |at: usize| self.all.get(at).filter(|_| !name.path.is_empty());
        let fitting = among.iter().filter_map(|&at| {
            let definition = definition(at).filter(|definition| name.ends_with(definition))?;
            Some((definition.scopes.len(), at))
        });
        let mut fitting: Vec<(usize, usize)> = fitting.collect();
        fitting.sort_unstable();
        match fitting[..] {
            [.., (second, _), (first, _)] if second == first => None,
            [.., (_, at)] => Some(at),
            [] => None,
        }
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

/// A cache of the definitions of all texts that were parsed, for all profiles.
#[derive(Debug, Default)]
pub struct ParsedFiles(Mutex<FxHashMap<PathBuf, Vec<Version>>>);

/// One version of a file. Without definitions if there is no grammar for it, or it is too large.
#[derive(Debug, Clone)]
struct Version {
    text: Arc<str>,
    definitions: Option<Arc<FileDefinitions>>,
}

impl ParsedFiles {
    /// The definitions of each text, by its path. `None` if there is no grammar for it, or the text
    /// is too large.
    pub fn all<'p, 't>(
        &self,
        texts: impl IntoIterator<Item = (&'p Path, &'t Arc<str>)>,
    ) -> FxHashMap<&'p Path, Option<Arc<FileDefinitions>>> {
        let texts: Vec<(&Path, &Arc<str>)> = texts.into_iter().collect();
        let missing: Vec<(&Path, &Arc<str>)> =
            texts.iter().copied().filter(|(path, text)| self.get(path, text).is_none()).collect();
        if missing.len() < MIN_FILES_FOR_THREAD {
            self.add_all(&missing);
        } else {
            let (first, second) = missing.split_at(missing.len() / 2);
            std::thread::scope(|scope| {
                scope.spawn(|| self.add_all(second));
                self.add_all(first);
            });
        }
        let definitions = texts.into_iter().map(|(path, text)| {
            (path, self.get(path, text).and_then(|version| version.definitions))
        });
        let all = definitions.collect();
        self.evict_except(&all);
        all
    }

    /// The definitions of one text.
    pub fn one(&self, path: &Path, text: &Arc<str>) -> Option<Arc<FileDefinitions>> {
        self.all([(path, text)]).remove(path)?
    }

    fn get(&self, path: &Path, text: &Arc<str>) -> Option<Version> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(path)?.iter().find(|version| version.text == *text).cloned()
    }

    fn add_all(&self, texts: &[(&Path, &Arc<str>)]) {
        for (path, text) in texts {
            self.add(path, text);
        }
    }

    fn add(&self, path: &Path, text: &Arc<str>) {
        let definitions = FileDefinitions::of_text(path, text.clone()).map(Arc::new);
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = files.entry(path.to_owned()).or_default();
        if versions.len() == MAX_VERSIONS {
            versions.remove(0);
        }
        versions.push(Version { text: text.clone(), definitions });
    }

    /// Evicts all files but those in `all` if the cache has more than [`MAX_DEFINITIONS`].
    fn evict_except<T>(&self, all: &FxHashMap<&Path, T>) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = files.values().flatten();
        let n: usize = versions
            .filter_map(|version| version.definitions.as_ref())
            .map(|definitions| definitions.all.len())
            .sum();
        if n > MAX_DEFINITIONS {
            files.retain(|path, _| all.contains_key(path.as_path()));
        }
    }
}

#[cfg(all(test, feature = "grammars"))]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_parsed_once() {
        let paths: Vec<PathBuf> = (0..9).map(|i| PathBuf::from(format!("f{i}.py"))).collect();
        let texts: Vec<Arc<str>> = (0..9).map(|i| format!("def f{i}(): pass\n").into()).collect();
        let all = || paths.iter().map(PathBuf::as_path).zip(&texts);
        let files = ParsedFiles::default();
        let (first, again) = (files.all(all()), files.all(all()));
        for (i, path) in paths.iter().enumerate() {
            let [first, again] =
                [&first, &again].map(|files| files[path.as_path()].as_ref().unwrap());
            assert_eq!(first.all[0].name, format!("f{i}"));
            assert!(Arc::ptr_eq(first, again));
        }
    }

    #[test]
    fn a_file_has_the_definitions_of_each_of_its_texts() {
        let (path, files) = (Path::new("a.py"), ParsedFiles::default());
        for name in ["before", "after", "before"] {
            let text = format!("def {name}(): pass\n").into();
            assert_eq!(files.all([(path, &text)])[path].as_ref().unwrap().all[0].name, name);
        }
        let text = "def f(): pass\n".into();
        assert!(files.all([(Path::new("a.txt"), &text)])[Path::new("a.txt")].is_none());
    }

    #[test]
    fn a_path_tells_definitions_of_one_name_apart() {
        let text = "fn step() {}\nmod a {\n  fn step() {}\n}\nimpl X for T {\n  fn go() {}\n}\nimpl Y for T {\n  fn go() {}\n}\n";
        let file = FileDefinitions::of_text(Path::new("a.rs"), text).unwrap();
        for (name, expected) in [
            ("k::step", Some(0)),
            ("k::a::step", Some(1)),
            ("k::b::step", Some(0)),
            ("step", None),
            ("<k::T as k::Y>::go", Some(3)),
            ("k::T::go", None),
        ] {
            let name = FunctionName::of(name);
            let last = name.name.clone().unwrap();
            let same: Vec<usize> = (0..4).filter(|&at| file.all[at].name == last).collect();
            assert_eq!(file.closest(&name, &same), expected, "{name:?}");
        }
    }

    #[test]
    fn parameters_tell_overloads_apart() {
        let text = "struct S {\n  void go(int a) {}\n  void go(int a, int b) {}\n  void go(char a) {}\n};\n";
        let file = FileDefinitions::of_text(Path::new("a.cpp"), text).unwrap();
        let all: Vec<usize> = (0..file.all.len()).collect();
        let closest = |name| file.closest(&FunctionName::of(name), &all);
        assert_eq!(closest("S::go(int, int)"), Some(1));
        assert_eq!(closest("S::go(int)"), None, "types are not compared");
        assert_eq!(closest("S::go"), None);
        assert_eq!(closest("S::go(int, int, int)"), None);
    }

    #[test]
    fn columns_count_utf_16_code_units() {
        let file =
            FileDefinitions::of_text(Path::new("a.js"), "let é = '😀', f = () => 1;\n").unwrap();
        assert_eq!(file.spans, [[(0, 18), (0, 25)]]);
    }
}
