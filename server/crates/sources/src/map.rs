//! Maps the file names of one profile to files of the workspace.
//!
//! What is certain comes first: the user's rules, then the path itself. Only then the end of a path is compared, and
//! when two files could be meant, none is: a wrong number beside somebody's code is worse than no number.
//! Functions are not known here, nor what source maps say (`source_map`).

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::index::{File, Found, RootKind, SourceIndex};
use crate::name::{Form, IGNORES_CASE, Name, key, normal};
use crate::prefix::{Prefixes, Verdict};
use crate::rust::RustFolders;

/// A mapping the user wrote (setting `pathMappings`). Both separators are understood, and whole components count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The beginning of names: `/srv/app`, `C:\build`, `webpack://app`, `git:github.com/rust-lang/rust`.
    /// If it is empty, the rule does nothing.
    pub from: String,
    /// The folder (or file) inside a root that stands there instead; if it is relative, each root is tried.
    pub to: String,
}

/// What became of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mapping {
    /// One file, by its canonical path.
    Mapped {
        /// Canonical, inside a root.
        path: PathBuf,
        /// Which step found it.
        how: How,
    },
    /// Several files could be meant, so none is.
    Ambiguous {
        /// Canonical, sorted, at least two; the first few if they are many.
        candidates: Vec<PathBuf>,
    },
    /// No file.
    Unmapped(Reason),
}

/// Which step of the mapping found a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A rule of the user.
    Rule,
    /// The path exists in a root.
    Exact,
    /// The end of the path.
    Suffix,
    /// The path exists in a root, spelled through a symlink.
    Link,
    /// The source map of a file that ran names it; said by whoever applies source maps, never here.
    SourceMap,
}

/// Why a name has no file. Displays as the end of a sentence that begins with the name.
/// Holds text of the profile: whoever prints it escapes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// `<frozen os>`, `(unknown)`, `~` and their like.
    #[error("names no file")]
    NoFile,
    /// Such as `chrome:`.
    #[error("has the scheme `{0}:`, which names no file here")]
    Scheme(String),
    /// Packages, toolchains, system libraries.
    #[error("belongs to a library, which is only found by its exact path, a path mapping, or in a source root")]
    Library,
    /// `git:` and `hg:` forms; holds host and path.
    #[error("belongs to the repository {0}, of which no root is a checkout")]
    Repository(String),
    /// `./x`, `../x`.
    #[error("is relative to an unknown build folder: a path mapping can name it")]
    Dotted,
    /// A symlink leads out of the roots.
    #[error("leads out of the workspace")]
    Outside,
    /// Nothing in any root ends like it, or its own path in a root holds no file.
    #[error("is not in the workspace")]
    NotFound,
    /// The user's rule decided, but there is no file.
    #[error("is mapped by a path mapping to {}, which is no file of the workspace", .0.display())]
    Rule(PathBuf),
    /// The only thing in common with a file of the workspace.
    #[error("has only the base name in common with {}", .0.display())]
    BaseName(PathBuf),
    /// Another file of the root says that the root was elsewhere.
    #[error("ends like {}, but other files of that folder were recorded in {established}", candidate.display())]
    PrefixDiffers {
        /// The file that it is not.
        candidate: PathBuf,
        /// The folder of the profile that is known to be this root.
        established: String,
    },
    /// Names from different folders end like files of one root, with equal evidence.
    #[error("ends like {}, but so do files of other recorded folders: a path mapping can decide", .0.display())]
    PrefixDisputed(PathBuf),
    /// The workspace has too many files to know whether another one ends like this as well.
    #[error("ends like {}, but not all files of the workspace were looked at", .0.display())]
    IndexCut(PathBuf),
}

/// So many candidates of an ambiguous name are reported.
const MAX_REPORTED: usize = 16;

/// Maps all names of one profile together, in their order: absolute names give each other evidence.
///
/// `profile_dir` is the folder of the profile. If a name could mean files of several roots, the root that holds the
/// profile wins.
///
/// The order: user rules (if one covers a name but leads to no file, nothing is guessed); the path itself, if it is
/// in a root; the end of the path. Relative names and paths of URLs need all their components to be the end of one
/// file, libraries' names the same in a source root, absolute names the agreement of the others.
pub fn map_paths<'a>(
    names: impl IntoIterator<Item = &'a str>,
    index: &SourceIndex,
    rules: &[Rule],
    profile_dir: Option<&Path>,
) -> Vec<Mapping> {
    let mapper = Mapper::new(index, rules, profile_dir);
    let names: Vec<Name> = names.into_iter().map(Name::parse).collect();
    let alone: Vec<Option<Mapping>> = names.iter().map(|name| mapper.alone(name)).collect();

    // A name that must not be guessed is no evidence for guesses either.
    let counts =
        |(name, alone): &(&Name, &Option<Mapping>)| name.form == Form::Absolute && !matches!(alone, Some(Mapping::Unmapped(_)));
    let absolute = || names.iter().zip(&alone).filter(counts);
    let spelled = absolute().filter_map(|(_, mapping)| match mapping {
        Some(Mapping::Mapped { path, how: How::Exact | How::Link }) => index.root_of(path),
        _ => None,
    });
    let spelled: FxHashSet<usize> = spelled.collect();
    let prefixes = Prefixes::infer(index, absolute().map(|(name, _)| name), spelled);

    let mapped = names.iter().zip(alone);
    mapped.map(|(name, alone)| alone.unwrap_or_else(|| mapper.together(name, &prefixes))).collect()
}

struct Mapper<'a> {
    index: &'a SourceIndex,
    /// Longest `from` first.
    rules: Vec<(Name, &'a str)>,
    rust: RustFolders,
    /// The root that holds the profile.
    own_root: Option<usize>,
}

impl<'a> Mapper<'a> {
    fn new(index: &'a SourceIndex, rules: &'a [Rule], profile_dir: Option<&Path>) -> Mapper<'a> {
        Mapper {
            index,
            rules: by_length(rules),
            rust: RustFolders::of(index),
            own_root: profile_dir.and_then(|dir| index.root_of(dir)),
        }
    }

    /// What a name says by itself; `None` for absolute names that need the evidence of others.
    fn alone(&self, name: &Name) -> Option<Mapping> {
        let missing = match self.by_rule(name) {
            Some(Ok(path)) => return Some(mapped(path, How::Rule)),
            Some(Err(target)) => Some(target),
            None => None,
        };
        let found = self.index.find(Path::new(&name.text));
        if let Found::File(path) = found {
            let is_spelled_so = key(&path.to_string_lossy()) == key(&name.text);
            return Some(mapped(path, if is_spelled_so { How::Exact } else { How::Link }));
        }
        // The user said where it is. Whatever else looks like it would be a guess against their word.
        if let Some(target) = missing {
            return Some(Mapping::Unmapped(Reason::Rule(target)));
        }
        let tail = name.key.as_str();
        Some(match (&name.form, found) {
            (_, Found::Outside) => Mapping::Unmapped(Reason::Outside),
            (Form::NoFile, _) => Mapping::Unmapped(Reason::NoFile),
            (Form::Scheme(scheme), _) => Mapping::Unmapped(Reason::Scheme(scheme.clone())),
            (Form::Relative, _) => self.choose(self.ending_with(tail)).unwrap_or(Mapping::Unmapped(Reason::NotFound)),
            (Form::Library, _) => self.of_rust(name).unwrap_or_else(|| self.in_source_roots(tail, Reason::Library)),
            (Form::Dotted, _) => self.in_source_roots(tail, Reason::Dotted),
            (Form::Repository(repo), _) => self.in_repository(repo, name),
            (Form::Absolute, Found::Elsewhere) => return None,
            (Form::Absolute, _) => Mapping::Unmapped(Reason::NotFound),
        })
    }

    /// What the other absolute names of the profile say about this one.
    fn together(&self, name: &Name, prefixes: &Prefixes) -> Mapping {
        let reason = match prefixes.judge(name, |path| self.index.canonical(path)) {
            Verdict::Files(files) => return self.decide(files),
            Verdict::Differs { candidate, established } => Reason::PrefixDiffers { candidate: candidate.to_owned(), established },
            Verdict::Undecided { files, n_shared } => match files {
                [] => Reason::NotFound,
                [only] if n_shared == 1 => Reason::BaseName(only.path.clone()),
                [only] if !self.index.is_complete() => Reason::IndexCut(only.path.clone()),
                [only] => Reason::PrefixDisputed(only.path.clone()),
                several => return ambiguous(several.iter().map(|file| file.path.clone())),
            },
        };
        Mapping::Unmapped(reason)
    }

    /// The file a rule leads to, or the path where there is none; `None` if no rule covers the name.
    fn by_rule(&self, name: &Name) -> Option<Result<PathBuf, PathBuf>> {
        let mut missing = None;
        for (from, to) in &self.rules {
            let Some(rest) = rest_below(&name.text, &from.text) else {
                continue;
            };
            let to = if cfg!(windows) { (*to).to_owned() } else { to.replace('\\', "/") };
            let mut target = PathBuf::from(to);
            target.extend(normal(rest));
            let found = self.index.roots().iter().find_map(|root| self.index.canonical(&root.path.join(&target)));
            if let Some(path) = found {
                return Some(Ok(path));
            }
            missing.get_or_insert(target);
        }
        missing.map(Err)
    }

    fn in_source_roots(&self, tail: &str, otherwise: Reason) -> Mapping {
        let files = self.ending_with(tail);
        let files = files.filter(|file| self.index.kind(file.root) == Some(RootKind::Sources));
        self.choose(files).unwrap_or(Mapping::Unmapped(otherwise))
    }

    /// A file of Rust's standard library, or of a crate.
    fn of_rust(&self, name: &Name) -> Option<Mapping> {
        let files = self.rust.find(name, self.index);
        (!files.is_empty()).then(|| self.decide(files))
    }

    /// A file of a checkout; in source roots also of a folder with the repository's name.
    fn in_repository(&self, repo: &str, name: &Name) -> Mapping {
        let is_checkout = |root: usize| self.index.is_checkout(root, repo);
        let roots = self.index.roots().iter().enumerate();
        let checkouts = roots.filter(|(root, _)| is_checkout(*root));
        let exact: Vec<PathBuf> = checkouts.filter_map(|(_, root)| self.index.canonical(&root.path.join(name.tail()))).collect();
        if !exact.is_empty() {
            return self.decide(exact);
        }
        let files = self.ending_with(&name.key).filter(|file| is_checkout(file.root));
        self.choose(files).or_else(|| self.of_rust(name)).unwrap_or_else(|| {
            let folder = repo.rsplit('/').next().unwrap_or_default();
            self.in_source_roots(&key(&format!("{folder}/{}", name.tail())), Reason::Repository(repo.to_owned()))
        })
    }

    /// The files whose path ends with all of these components; `tail` as [`key`].
    fn ending_with(&self, tail: &str) -> impl Iterator<Item = &'a File> + use<'a> {
        let files = if tail.is_empty() { &[] } else { self.index.ending_with(tail) };
        files.iter()
    }

    /// The only file, or the only one in the profile's own root; `None` if there is none at all.
    fn choose<'f>(&self, files: impl Iterator<Item = &'f File>) -> Option<Mapping> {
        let files: Vec<PathBuf> = files.map(|file| file.path.clone()).collect();
        match files.as_slice() {
            [] => None,
            [only] if !self.index.is_complete() => Some(Mapping::Unmapped(Reason::IndexCut(only.clone()))),
            _ => Some(self.decide(files)),
        }
    }

    fn decide(&self, mut files: Vec<PathBuf>) -> Mapping {
        files.sort_unstable();
        files.dedup();
        let mut own = files.iter().filter(|file| self.own_root.is_some() && self.index.root_of(file) == self.own_root);
        match (files.as_slice(), own.next(), own.next()) {
            ([only], ..) | (_, Some(only), None) => mapped(only.clone(), How::Suffix),
            _ => ambiguous(files.into_iter()),
        }
    }
}

fn mapped(path: PathBuf, how: How) -> Mapping {
    Mapping::Mapped { path, how }
}

fn ambiguous(files: impl Iterator<Item = PathBuf>) -> Mapping {
    let mut candidates: Vec<PathBuf> = files.take(MAX_REPORTED).collect();
    candidates.sort_unstable();
    Mapping::Ambiguous { candidates }
}

/// What rules replace, longest first, and by what.
pub(crate) fn by_length(rules: &[Rule]) -> Vec<(Name, &str)> {
    let rules = rules.iter().map(|rule| (Name::parse(&rule.from), rule.to.as_str()));
    let mut rules: Vec<_> = rules.filter(|(from, _)| !from.text.is_empty()).collect();
    rules.sort_by_key(|(from, _)| std::cmp::Reverse(from.text.len()));
    rules
}

/// What is left of `text` below `prefix`, by whole components; both as in [`Name::text`].
pub(crate) fn rest_below<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    let is_same = if IGNORES_CASE { head.eq_ignore_ascii_case(prefix) } else { head == prefix };
    let is_whole = rest.is_empty() || rest.starts_with('/') || prefix.ends_with(['/', ':']);
    (is_same && is_whole).then_some(rest)
}
