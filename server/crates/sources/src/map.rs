//! Maps the file names of a profile to files of the workspace.
//!
//! Certain matches come first: the user's rules, the path itself, the mount of a dev container, then
//! the names of modules and packages. Only then the ends of paths are compared. If two files match,
//! none is chosen: a wrong number beside the code is worse than no number. Functions and source maps
//! are handled elsewhere.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::dev_container::Mounts;
use crate::go::{GoModules, OfModule};
use crate::index::{Found, Root, RootKind, SourceIndex, lexical};
use crate::links::Links;
use crate::listing::File;
use crate::name::{Form, Name, key, leads_out_of_bundle, normal};
use crate::packages::Packages;
use crate::prefix::{Prefixes, Verdict};
use crate::rule::{self, Rule, by_length};
use crate::rust::RustFolders;

/// The result of mapping one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mapping {
    /// One file, by its canonical path.
    Mapped {
        /// Canonical, inside a root.
        path: PathBuf,
        /// The step that found it.
        how: How,
    },
    /// Several files match, so none is chosen.
    Ambiguous {
        /// Canonical, sorted, at least two; only the first few if there are many.
        candidates: Vec<PathBuf>,
    },
    /// No file matches.
    Unmapped(Reason),
}

impl Mapping {
    /// The canonical path of the one file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Mapped { path, .. } => Some(path),
            Self::Ambiguous { .. } | Self::Unmapped(_) => None,
        }
    }
}

/// The step of the mapping that found a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A rule of the user.
    Rule,
    /// The path exists in a root.
    Exact,
    /// A file in a root ends like the name.
    Suffix,
    /// The name contains the path of a Go module, or the name of a package of Cargo, npm or Python,
    /// and a root contains it; or it is that of a class, which the file declares.
    Module,
    /// A dev container of the root mounts the folder of the file there.
    Mount,
    /// The path exists in a root, but contains a symlink.
    Link,
    /// A source map names the file. Set by the code that applies source maps, never here.
    SourceMap,
    /// The profile names no file, and the function has its only definition there. Set by the code
    /// that knows the functions, never here.
    Name,
}

/// Why a name has no file. Displays as the end of a sentence that begins with the name. Contains
/// text of the profile, which must be escaped for output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// `<frozen os>`, `(unknown)`, `~` and the like.
    #[error("is not a file name")]
    NoFile,
    /// Such as `chrome:`.
    #[error("has the unsupported scheme `{0}:`")]
    Scheme(String),
    /// The setting `exclude` hides this file. Set by the code that applies settings, never here.
    #[error("is excluded by the setting `exclude`")]
    Excluded(PathBuf),
    /// Packages, toolchains, system libraries.
    #[error(
        "belongs to a library, which is only found by its exact path, through a path mapping, or in a source root"
    )]
    Library,
    /// `git:` and `hg:` names; contains host and path.
    #[error("belongs to the repository {0}, which is not checked out in any root")]
    Repository(String),
    /// `./x`, `../x`. Contains the files that end like it, only the first few if there are many.
    #[error("is relative to an unknown build folder: add a path mapping for it")]
    Dotted(Vec<PathBuf>),
    /// The path contains a symlink that leads out of the roots.
    #[error("is outside the workspace, because of a symlink")]
    Outside,
    /// No file in any root ends like it.
    #[error("is not in the workspace")]
    NotFound,
    /// Its path is in a root, but there is no file any more. Contains this path.
    #[error("is not in the workspace")]
    Gone(PathBuf),
    /// A rule applies, but the mapped path does not exist. A relative one is in the root of the
    /// profile, or else in the first root.
    #[error("is mapped by a path mapping to {}, which is not a file in the workspace", .0.display())]
    Rule(PathBuf),
    /// A file in the workspace has the same base name, and nothing else in common.
    #[error("shares only the base name with {}", .0.display())]
    BaseName(PathBuf),
    /// Other names of the profile place that root in another folder.
    #[error("ends like {}, but other files of that folder were recorded in {established}", first(candidates).display())]
    PrefixDiffers {
        /// The files that end like the name, only the first few if there are many. Not empty.
        candidates: Vec<PathBuf>,
        /// The recorded folder that corresponds to the root.
        established: String,
    },
    /// The file is in a folder beside the recorded one: `services/api` and `services/web`.
    #[error("ends like {}, but was recorded in {recorded}, another folder: add a path mapping if both are the same", candidate.display())]
    Beside {
        /// The file that ends like the name.
        candidate: PathBuf,
        /// The recorded folder.
        recorded: String,
    },
    /// The profile names lines that the file does not have, so it is another file. Set by the code
    /// that knows the lines, never here.
    #[error("ends like {}, which has {n_lines} lines, but the profile names line {line}", candidate.display())]
    TooShort {
        /// The file that ends like the name.
        candidate: PathBuf,
        /// Its number of lines.
        n_lines: u32,
        /// The last line in the profile, 1-based.
        line: u32,
    },
    /// The file has none of the functions that the profile names in it, or all of them on other
    /// lines, so it is another file. Set by the code that knows the functions, never here.
    #[error("ends like {}, which has none of the functions that the profile names there, such as `{function}`, or has them on other lines", candidate.display())]
    OtherFunctions {
        /// The file that ends like the name.
        candidate: PathBuf,
        /// One of the functions.
        function: String,
    },
    /// Names from different folders end like files of one root, with equal evidence.
    #[error("ends like {}, but so do files of other recorded folders: add a path mapping", .0.display())]
    PrefixDisputed(PathBuf),
    /// The index is incomplete, so another file may end like this as well.
    #[error("ends like {}, but the workspace has too many files to rule out others", .0.display())]
    IndexCut(PathBuf),
}

impl Reason {
    /// The files that the name ends like.
    pub fn candidates(&self) -> &[PathBuf] {
        match self {
            Reason::BaseName(path) | Reason::PrefixDisputed(path) | Reason::IndexCut(path) => {
                std::slice::from_ref(path)
            }
            Reason::Beside { candidate, .. }
            | Reason::TooShort { candidate, .. }
            | Reason::OtherFunctions { candidate, .. } => std::slice::from_ref(candidate),
            Reason::PrefixDiffers { candidates, .. } | Reason::Dotted(candidates) => candidates,
            _ => &[],
        }
    }
}

fn first(candidates: &[PathBuf]) -> &Path {
    candidates.first().map_or(Path::new(""), PathBuf::as_path)
}

/// The limit for the reported candidates of an ambiguous name.
const MAX_REPORTED: usize = 16;

/// Maps all names of one profile together, in their order, because absolute names are evidence for
/// each other.
///
/// `profile_dir` is the absolute folder of the profile. If a name matches files of several roots, the
/// root that contains the profile wins. If a relative name matches several files, it may be relative
/// to a folder around the profile.
///
/// The steps are: the user's rules (if a rule applies but the mapped path does not exist, nothing
/// is guessed); the path itself, if it is in a root; the mount of a dev container; the path of a Go
/// module or the name of a package in a root; the end of the path. Relative names and paths of URLs
/// must be the end of one file with all their components, or lead to a file from a root. Names of
/// libraries must be the end of a file in a source root. Absolute names need the evidence of the others.
pub fn map_paths<'a>(
    names: impl IntoIterator<Item = &'a str>,
    index: &SourceIndex,
    rules: &[Rule],
    profile_dir: Option<&Path>,
) -> Vec<Mapping> {
    let recorded: Vec<&str> = names.into_iter().collect();
    let names: Vec<Name> = recorded.iter().map(|name| Name::parse(name)).collect();
    let links = Links::of(recorded.iter().copied().zip(&names), index);
    let mapper = Mapper::new(index, rules, profile_dir, links);
    let alone: Vec<Option<Mapping>> =
        recorded.iter().zip(&names).map(|(recorded, name)| mapper.alone(recorded, name)).collect();

    // A name that must not be guessed is no evidence for guesses either.
    let is_evidence = |(name, alone): &(&Name, &Option<Mapping>)| {
        name.form == Form::Absolute && !matches!(alone, Some(Mapping::Unmapped(_)))
    };
    let absolute = || names.iter().zip(&alone).filter(is_evidence);
    let exact_roots: FxHashSet<usize> = absolute()
        .filter_map(|(_, mapping)| match mapping {
            Some(Mapping::Mapped { path, how: How::Exact | How::Link }) => index.root_of(path),
            _ => None,
        })
        .collect();
    let prefixes = Prefixes::infer(index, absolute().map(|(name, _)| name), exact_roots);

    let mappings = names
        .iter()
        .zip(alone)
        .map(|(name, alone)| alone.unwrap_or_else(|| mapper.together(name, &prefixes)))
        .map(|mapping| mapper.with_relative_rule(mapping));
    let mut mappings: Vec<Mapping> = mappings.collect();
    refuse_outside_of_bundle(&recorded, &mut mappings);
    mappings
}

/// Refuses files for names such as `webpack://web/../src/a.ts` if `webpack://web/./src/a.ts` has them:
/// the first one leads out of the folder of the bundler's project, so it is another file.
fn refuse_outside_of_bundle(recorded: &[&str], mappings: &mut [Mapping]) {
    let inside: FxHashSet<PathBuf> = recorded
        .iter()
        .zip(&*mappings)
        .filter(|(name, _)| !leads_out_of_bundle(name))
        .filter_map(|(_, mapping)| Some(mapping.path()?.to_owned()))
        .collect();
    for (name, mapping) in recorded.iter().zip(mappings) {
        if leads_out_of_bundle(name)
            && let Some(path) = mapping.path().filter(|path| inside.contains(*path))
        {
            *mapping = Mapping::Unmapped(Reason::Dotted(vec![path.to_owned()]));
        }
    }
}

struct Mapper<'a> {
    index: &'a SourceIndex,
    rules: Vec<rule::Parsed<'a>>,
    rust: RustFolders,
    /// Read only for names of Go files.
    go: OnceCell<GoModules>,
    packages: Packages<'a>,
    mounts: Mounts,
    links: Links,
    /// The root that contains the profile.
    own_root: Option<usize>,
    /// The folder of the profile if it is in a root, with the canonical path of the root.
    profile_dir: Option<PathBuf>,
}

impl<'a> Mapper<'a> {
    fn new(
        index: &'a SourceIndex,
        rules: &'a [Rule],
        profile_dir: Option<&Path>,
        links: Links,
    ) -> Mapper<'a> {
        Mapper {
            index,
            rules: by_length(rules),
            rust: RustFolders::of(index),
            go: OnceCell::new(),
            packages: Packages::of(index),
            mounts: Mounts::of(index),
            links,
            own_root: profile_dir.and_then(|dir| index.root_of(dir)),
            profile_dir: profile_dir.and_then(|dir| index.in_root(dir)),
        }
    }

    /// Maps a name by itself; `None` for absolute names that need the evidence of others.
    fn alone(&self, recorded: &str, name: &Name) -> Option<Mapping> {
        let missing = match self.by_rule(&name.text) {
            Some(Ok(mapping)) => return Some(mapping),
            Some(Err(target)) => Some(target),
            None => None,
        };
        let found = self.links.find(recorded, name, self.index);
        if let Found::File(path) = found {
            let is_exact = key(&path.to_string_lossy()) == key(&name.text);
            return Some(mapped(path, if is_exact { How::Exact } else { How::Link }));
        }
        // A rule says where the file is. Any other match would be a guess against it.
        if let Some(target) = missing {
            return Some(Mapping::Unmapped(Reason::Rule(target)));
        }
        let mounted = self.mounts.find(name, self.index);
        if !mounted.is_empty() {
            return Some(self.decide_by(mounted, How::Mount));
        }
        if let Some(mapping) = self.of_go(name) {
            return Some(mapping);
        }
        let packaged = self.packages.find(name);
        if !packaged.is_empty() {
            return Some(self.decide_by(packaged, How::Module));
        }
        let tail = name.key.as_str();
        Some(match (&name.form, found) {
            (_, Found::Outside) => Mapping::Unmapped(Reason::Outside),
            (Form::NoFile, _) => Mapping::Unmapped(Reason::NoFile),
            (Form::Scheme(scheme), _) => Mapping::Unmapped(Reason::Scheme(scheme.clone())),
            (Form::Relative, _) => self
                .near_profile(name)
                .or_else(|| self.choose(self.ending_with(tail)))
                .or_else(|| self.in_a_root(name))
                .unwrap_or_else(|| Mapping::Unmapped(self.missing(name))),
            (Form::Library, _) => {
                self.of_rust(name).unwrap_or_else(|| self.in_source_roots(tail, Reason::Library))
            }
            (Form::Dotted, _) => {
                let files = self.ending_with(tail).take(MAX_REPORTED);
                let files = files.map(|file| file.path.clone()).collect();
                self.in_source_roots(tail, Reason::Dotted(files))
            }
            (Form::Repository(repo), _) => self.in_repository(repo, name),
            (Form::Absolute, Found::Elsewhere) => return None,
            (Form::Absolute, _) => {
                let path = self.index.in_root(Path::new(&name.text));
                Mapping::Unmapped(path.map_or(Reason::NotFound, Reason::Gone))
            }
        })
    }

    /// Of several files that end like a relative name, the one that it leads to from the innermost folder
    /// around the profile with any of them, below the root. `None` if that folder has others.
    fn near_profile(&self, name: &Name) -> Option<Mapping> {
        let files: Vec<&File> = self.ending_with(&name.key).collect();
        let root = &self.index.roots().get(self.own_root?)?.path;
        let folders = self.profile_dir.as_deref()?.ancestors().take_while(|folder| folder != root);
        let near = |folder| files.iter().filter(move |it| it.path.starts_with(folder));
        let folder = folders.filter(|_| files.len() > 1).find(|&it| near(it).next().is_some())?;
        let leads_to = |file: &&File| file.path == folder.join(name.tail());
        let mut near = near(folder);
        let only = near.next().filter(|file| near.next().is_none() && leads_to(file))?;
        Some(mapped(only.path.clone(), How::Suffix))
    }

    /// The file that a relative name leads to from a root. Finds what the walk skips: files behind
    /// symlinks, and ignored ones.
    fn in_a_root(&self, name: &Name) -> Option<Mapping> {
        let path_in = |root: &Root| self.index.canonical(&root.path.join(name.tail()));
        let files: Vec<PathBuf> = self.index.roots().iter().filter_map(path_in).collect();
        let is_exact = |file: &PathBuf| key(&file.to_string_lossy()).starts_with(&name.key);
        let how = if files.iter().all(is_exact) { How::Exact } else { How::Link };
        (!files.is_empty()).then(|| self.decide_by(files, how))
    }

    /// Why a relative name has no file. Its path is below the root of the profile, or the only root.
    fn missing(&self, name: &Name) -> Reason {
        let is_outside =
            |root: &Root| matches!(self.index.find(&root.path.join(name.tail())), Found::Outside);
        if self.index.roots().iter().any(is_outside) {
            return Reason::Outside;
        }
        let root = match self.index.roots() {
            [only] => Some(only),
            roots => self.own_root.and_then(|root| roots.get(root)),
        };
        let root = root.filter(|_| !name.text.contains(':') && !name.tail().is_empty());
        root.map_or(Reason::NotFound, |root| Reason::Gone(root.path.join(name.tail())))
    }

    /// Maps an absolute name by the evidence of the others.
    fn together(&self, name: &Name, prefixes: &Prefixes) -> Mapping {
        let reason = match prefixes.judge(name, |path| self.index.canonical(path)) {
            Verdict::Files(files) => return self.decide(files),
            Verdict::Differs { files, established } => Reason::PrefixDiffers {
                candidates: files.iter().take(MAX_REPORTED).map(|file| file.path.clone()).collect(),
                established,
            },
            Verdict::Beside { candidate, recorded } => {
                Reason::Beside { candidate: candidate.to_owned(), recorded }
            }
            Verdict::Gone(path) => Reason::Gone(path),
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

    /// The mapping of a name whose path is in a root, but does not exist, by a rule for the path below
    /// the root.
    fn with_relative_rule(&self, mapping: Mapping) -> Mapping {
        let Mapping::Unmapped(Reason::Gone(path)) = &mapping else { return mapping };
        let root = self.index.root_of(path).and_then(|root| self.index.roots().get(root));
        let inside = root.and_then(|root| path.strip_prefix(&root.path).ok());
        let inside = inside.map(|inside| normal(&inside.to_string_lossy()).join("/"));
        match inside.and_then(|inside| self.by_rule(&inside)) {
            Some(Ok(mapped)) => mapped,
            Some(Err(target)) => Mapping::Unmapped(Reason::Rule(target)),
            None => mapping,
        }
    }

    /// What a rule maps a name to, or the mapped path if it does not exist; `None` if no rule applies.
    fn by_rule(&self, text: &str) -> Option<Result<Mapping, PathBuf>> {
        let roots = self.index.roots();
        let own = self.own_root.and_then(|own| roots.get(own)).or(roots.first());
        let mut missing = None;
        for rule in &self.rules {
            let Some(rest) = rule.rest_of(text) else {
                continue;
            };
            let mut target = rule.to();
            target.extend(normal(rest));
            let targets = roots.iter().map(|root| root.path.join(&target));
            let found: Vec<PathBuf> =
                targets.filter_map(|target| self.index.canonical(&target)).collect();
            if !found.is_empty() {
                return Some(Ok(self.decide_by(found, How::Rule)));
            }
            missing = missing.or_else(|| Some(lexical(&own?.path.join(&target))));
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

    /// A file of a Go module in a root.
    fn of_go(&self, name: &Name) -> Option<Mapping> {
        if !GoModules::is_candidate(name) {
            return None;
        }
        let modules = self.go.get_or_init(|| GoModules::of(self.index));
        let OfModule { mut files, has_domain } = modules.find(name, self.index);
        if files.is_empty() {
            return None;
        }
        if !has_domain {
            files.extend(self.ending_with(&name.key).map(|file| file.path.clone()));
        }
        Some(self.decide_by(files, How::Module))
    }

    /// A file of a checkout. In source roots, also of a folder with the name of the repository.
    fn in_repository(&self, repo: &str, name: &Name) -> Mapping {
        let checkouts: Vec<_> = self.index.checkouts_of(repo).collect();
        let exact = checkouts.iter().filter_map(|(root, checkout)| {
            let root = self.index.roots().get(*root)?;
            self.index.canonical(&root.path.join(checkout.below(name.tail())?))
        });
        let exact: Vec<PathBuf> = exact.collect();
        if !exact.is_empty() {
            return self.decide(exact);
        }
        // Below the top, the end of a path may also match a file elsewhere in the repository.
        let is_top = |file: &&File| {
            checkouts.iter().any(|(root, checkout)| *root == file.root && checkout.is_top())
        };
        let files = self.ending_with(&name.key).filter(is_top);
        self.choose(files).or_else(|| self.of_rust(name)).unwrap_or_else(|| {
            let folder = repo.rsplit('/').next().unwrap_or_default();
            let reason = if checkouts.iter().any(|(_, checkout)| checkout.has_remote(repo)) {
                Reason::NotFound
            } else {
                Reason::Repository(repo.to_owned())
            };
            self.in_source_roots(&key(&format!("{folder}/{}", name.tail())), reason)
        })
    }

    /// The files whose path ends with all of these components; `tail` as returned by [`key`].
    fn ending_with(&self, tail: &str) -> impl Iterator<Item = &'a File> + use<'a> {
        let files = if tail.is_empty() { &[] } else { self.index.ending_with(tail) };
        files.iter()
    }

    /// The only file, or the only one in the root of the profile. `None` if there is none at all.
    fn choose<'f>(&self, files: impl Iterator<Item = &'f File>) -> Option<Mapping> {
        let files: Vec<PathBuf> = files.map(|file| file.path.clone()).collect();
        match files.as_slice() {
            [] => None,
            [only] if !self.index.is_complete() => {
                Some(Mapping::Unmapped(Reason::IndexCut(only.clone())))
            }
            _ => Some(self.decide(files)),
        }
    }

    fn decide(&self, files: Vec<PathBuf>) -> Mapping {
        self.decide_by(files, How::Suffix)
    }

    fn decide_by(&self, mut files: Vec<PathBuf>, how: How) -> Mapping {
        files.sort_unstable();
        files.dedup();
        let mut own = files
            .iter()
            .filter(|file| self.own_root.is_some() && self.index.root_of(file) == self.own_root);
        match (files.as_slice(), own.next(), own.next()) {
            ([only], ..) | (_, Some(only), None) => mapped(only.clone(), how),
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
