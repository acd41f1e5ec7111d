//! The roots, and the files in them.
//!
//! All checks for existing files go through [`SourceIndex`], which never looks outside the roots.
//! What names in profiles mean is up to `map`.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc;

use ignore::WalkBuilder;

use crate::answering::answers;
use crate::git_folders::GitFolders;
use crate::name::key;
use crate::repo::Checkout;

/// A folder whose files may be opened and shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Absolute. As given by the user; canonical in [`SourceIndex::roots`].
    pub path: PathBuf,
    /// The kind of the folder.
    pub kind: RootKind,
}

/// The kind of a root. It decides whether to search the root for files of libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootKind {
    /// A folder that is open in the editor.
    Workspace,
    /// A folder of the setting `sourceRoots`.
    Sources,
}

/// Limits of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The limit for files in all roots together. Beyond it the index is incomplete, and no file is
    /// guessed from a single name.
    pub max_files: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_files: 200_000 }
    }
}

/// The limit for entries of a folder that is listed without being walked.
const MAX_LISTED: usize = 1000;

/// The files of all roots at the time of the walk. Immutable: build a new index when files are
/// added or removed.
#[derive(Debug)]
pub struct SourceIndex {
    /// The roots as given to [`SourceIndex::build`].
    given_roots: Vec<Root>,
    roots: Vec<Root>,
    /// Parallel to `roots`: the given path, which may contain symlinks.
    given: Vec<PathBuf>,
    /// Parallel to `roots`.
    checkouts: Vec<Checkout>,
    missing: Vec<Root>,
    /// Sorted by key.
    files: Vec<File>,
    is_complete: bool,
}

/// A file of the index.
#[derive(Debug)]
pub(crate) struct File {
    /// The [`key`] of the whole path. It includes the name of the root.
    pub key: Box<str>,
    /// Canonical.
    pub path: PathBuf,
    /// The root that contains it, the innermost one if roots are nested.
    pub root: usize,
}

/// The result of looking at a path.
#[derive(Debug, PartialEq)]
pub(crate) enum Found {
    /// A regular file, with its canonical path.
    File(PathBuf),
    /// Nothing, or not a regular file, at a path inside a root.
    Missing,
    /// Something whose canonical path is outside every root.
    Outside,
    /// The path is outside every root lexically, so it was not looked at.
    Elsewhere,
}

impl SourceIndex {
    /// Walks the roots. Obeys `.gitignore` and `.ignore` files inside them (those above are outside
    /// the roots), and skips hidden files, `node_modules`, symlinks and unreadable folders.
    ///
    /// A root that is given twice counts once, as a source root if one of the two is. A root that
    /// is not the absolute path of a folder, or whose disk does not answer, is skipped, see
    /// [`SourceIndex::missing`].
    pub fn build(roots: Vec<Root>, limits: Limits) -> SourceIndex {
        let mut index = SourceIndex {
            given_roots: roots.clone(),
            roots: Vec::new(),
            given: Vec::new(),
            checkouts: Vec::new(),
            missing: Vec::new(),
            files: Vec::new(),
            is_complete: true,
        };
        for root in roots {
            index.add_root(root);
        }
        for root in 0..index.roots.len() {
            index.walk(root, limits);
        }
        index.files.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        index
    }

    /// The existing roots, canonical, in the given order.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Whether the index was built from these roots.
    pub fn is_built_from(&self, roots: &[Root]) -> bool {
        self.given_roots == roots
    }

    /// The roots that do not exist or answer, are not folders or are not absolute, as given.
    pub fn missing(&self) -> &[Root] {
        &self.missing
    }

    /// The number of files that can be found by the end of their path.
    pub fn n_files(&self) -> usize {
        self.files.len()
    }

    /// The files of the workspace folders, canonical.
    pub fn workspace_files(&self) -> impl Iterator<Item = &Path> {
        let own = |file: &&File| self.kind(file.root) == Some(RootKind::Workspace);
        self.files.iter().filter(own).map(|file| file.path.as_path())
    }

    /// Whether all files are in the index, or [`Limits::max_files`] was exceeded.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether a file may be opened: it is a regular file, and both its path and its canonical path
    /// are inside a root.
    pub fn contains(&self, path: &Path) -> bool {
        self.canonical(path).is_some()
    }

    /// Whether a path is outside every root, or leads out of them through a symlink. Not so for a
    /// path in a root that does not exist.
    pub fn is_outside(&self, path: &Path) -> bool {
        matches!(self.find(path), Found::Outside | Found::Elsewhere)
    }

    /// Whether a file, given by its canonical path, can be found by the end of its path. Ignored and
    /// hidden files are only found by their whole path.
    pub fn is_listed(&self, path: &Path) -> bool {
        self.ending_with(&file_key(path)).iter().any(|file| file.path == path)
    }

    /// The canonical path of a file that may be opened. [`map_paths`](crate::map_paths) returns
    /// such paths, so convert the path of a document with this function to compare the two.
    pub fn canonical(&self, path: &Path) -> Option<PathBuf> {
        match self.find(path) {
            Found::File(path) => Some(path),
            _ => None,
        }
    }

    /// The canonical path of a folder inside a root. `None` if it does not exist or its canonical
    /// path is outside.
    pub(crate) fn folder(&self, root: usize, inside: &str) -> Option<PathBuf> {
        let path = fs::canonicalize(self.roots.get(root)?.path.join(inside)).ok()?;
        (path.is_dir() && self.root_of(&path).is_some()).then_some(path)
    }

    /// The subfolders of a folder inside a root, up to a limit.
    pub(crate) fn folders_in(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).ok().filter(|_| self.root_of(folder).is_some());
        let entries = entries.into_iter().flatten().flatten().take(MAX_LISTED);
        let mut folders: Vec<_> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        folders.sort_unstable();
        folders
    }

    /// A canonical path with the root replaced by the root as given. Lexical.
    pub fn as_given(&self, path: &Path) -> PathBuf {
        let given = || {
            let root = self.root_of(path)?;
            let rest = path.strip_prefix(&self.roots.get(root)?.path).ok()?;
            Some(self.given.get(root)?.join(rest))
        };
        given().unwrap_or_else(|| path.to_owned())
    }

    /// Looks at a path if it is, without `.` and `..`, inside a root.
    pub(crate) fn find(&self, path: &Path) -> Found {
        let path = lexical(path);
        let roots = self.roots.iter().zip(&self.given);
        let inside = roots.filter_map(|(root, given)| {
            let rest = path.strip_prefix(&root.path).or_else(|_| path.strip_prefix(given));
            Some(root.path.join(rest.ok()?))
        });
        let mut found = Found::Elsewhere;
        for path in inside {
            found = match fs::canonicalize(&path) {
                Ok(real) if self.root_of(&real).is_none() => Found::Outside,
                Ok(real) if real.is_file() => return Found::File(real),
                _ => Found::Missing,
            };
        }
        found
    }

    /// The innermost root that contains a path, canonical or as given. Lexical.
    pub(crate) fn root_of(&self, path: &Path) -> Option<usize> {
        let holds = |&root: &usize| {
            let given = self.given.get(root).is_some_and(|given| path.starts_with(given));
            given || self.roots.get(root).is_some_and(|root| path.starts_with(&root.path))
        };
        let depth =
            |&root: &usize| self.roots.get(root).map_or(0, |root| root.path.components().count());
        (0..self.roots.len()).filter(holds).max_by_key(depth)
    }

    /// The files whose path ends with these components; `key` as returned by [`key`].
    pub(crate) fn ending_with(&self, key: &str) -> &[File] {
        let start = self.files.partition_point(|file| *file.key < *key);
        let files = self.files.get(start..).unwrap_or_default();
        let end = files.partition_point(|file| file.key.starts_with(key));
        files.get(..end).unwrap_or_default()
    }

    pub(crate) fn kind(&self, root: usize) -> Option<RootKind> {
        self.roots.get(root).map(|root| root.kind)
    }

    /// The roots that are in a checkout of a repository (`host/path`).
    pub(crate) fn checkouts_of(&self, repo: &str) -> impl Iterator<Item = (usize, &Checkout)> {
        let checkouts = self.checkouts.iter().enumerate();
        checkouts.filter(move |(_, checkout)| checkout.is_of(repo))
    }

    fn add_root(&mut self, root: Root) {
        let may_exist = root.path.is_absolute() && answers(&root.path);
        let folder = may_exist.then(|| fs::canonicalize(&root.path).ok()).flatten();
        let Some(path) = folder.filter(|path| path.is_dir()) else {
            self.missing.push(root);
            return;
        };
        if let Some(existing) = self.roots.iter_mut().find(|existing| existing.path == path) {
            if root.kind == RootKind::Sources {
                existing.kind = RootKind::Sources;
            }
            return;
        }
        self.checkouts.push(Checkout::of(&path));
        self.given.push(lexical(&root.path));
        self.roots.push(Root { path, kind: root.kind });
    }

    fn walk(&mut self, root: usize, limits: Limits) {
        let folders: Vec<PathBuf> = self.roots.iter().map(|root| root.path.clone()).collect();
        let Some(top) = folders.get(root).cloned() else {
            return;
        };
        let mut walks = vec![(top.clone(), IgnoreFiles::of(&top))];
        while let Some((top, ignore_files)) = walks.pop() {
            let (separate, found) = mpsc::channel();
            let folders = folders.clone();
            let walk = WalkBuilder::new(&top)
                .parents(false)
                .git_global(false)
                .require_git(false)
                .ignore(ignore_files.ignore)
                .git_ignore(ignore_files.git_ignore)
                .git_exclude(ignore_files.git_exclude)
                .filter_entry(move |entry| {
                    if entry.depth() == 0 {
                        return true;
                    }
                    // Nested roots are walked on their own.
                    if entry.file_name() == "node_modules"
                        || folders.iter().any(|path| path == entry.path())
                    {
                        return false;
                    }
                    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                        return true;
                    }
                    let readable = ignore_files.and(IgnoreFiles::of(entry.path()));
                    if readable == ignore_files {
                        return true;
                    }
                    separate.send((entry.path().to_owned(), readable)).is_err()
                })
                .build();
            for entry in walk.flatten() {
                if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                    continue;
                }
                if self.files.len() >= limits.max_files {
                    self.is_complete = false;
                    return;
                }
                let (key, path) = (file_key(entry.path()), entry.into_path());
                self.files.push(File { key, path, root });
            }
            walks.extend(found.try_iter());
        }
    }
}

/// Which ignore files of a folder may be opened, by kind. The crate `ignore` opens them whatever they
/// are: opening a named pipe waits for a writer, and a link may lead out of the folder (Git follows
/// none either). A folder with such a file is walked separately, without ignore files of that kind in
/// it and below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IgnoreFiles {
    ignore: bool,
    git_ignore: bool,
    git_exclude: bool,
}

impl IgnoreFiles {
    fn of(folder: &Path) -> Self {
        let may_open = |path: PathBuf| {
            path.symlink_metadata().map_or(true, |meta| meta.is_file() || meta.is_dir())
        };
        let git = folder.join(".git");
        Self {
            ignore: may_open(folder.join(".ignore")),
            git_ignore: may_open(folder.join(".gitignore")),
            git_exclude: git.symlink_metadata().is_err()
                || GitFolders::of(folder)
                    .is_some_and(|git| may_open(git.common.join("info/exclude"))),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            ignore: self.ignore && other.ignore,
            git_ignore: self.git_ignore && other.git_ignore,
            git_exclude: self.git_exclude && other.git_exclude,
        }
    }
}

/// Resolves `.` and `..` lexically.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            _ => clean.push(component),
        }
    }
    clean
}

/// The [`key`] of a canonical path.
pub(crate) fn file_key(path: &Path) -> Box<str> {
    let path = path.to_string_lossy();
    if cfg!(windows) {
        key(&path.trim_start_matches(r"\\?\").replace('\\', "/")).into()
    } else {
        key(&path).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn tree(files: &[&str]) -> TempDir {
        let dir = TempDir::new().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x\n").unwrap();
        }
        dir
    }

    fn workspace(path: impl Into<PathBuf>) -> Root {
        Root { path: path.into(), kind: RootKind::Workspace }
    }

    fn sources(path: impl Into<PathBuf>) -> Root {
        Root { path: path.into(), kind: RootKind::Sources }
    }

    fn build(roots: Vec<Root>) -> SourceIndex {
        SourceIndex::build(roots, Limits::default())
    }

    fn listed(index: &SourceIndex, top: &Path) -> Vec<String> {
        let top = top.canonicalize().unwrap();
        let names = index.files.iter().map(|file| file.path.strip_prefix(&top).unwrap());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
        names.sort();
        names
    }

    #[test]
    fn skips_ignored_and_hidden_files() {
        let dir = tree(&[
            "src/a.c",
            "out/b.c",
            ".hidden/c.c",
            "node_modules/d/d.js",
            ".git/config",
            "sub/gen.c",
        ]);
        fs::write(dir.path().join(".gitignore"), "/out\n").unwrap();
        fs::write(dir.path().join("sub/.gitignore"), "gen.c\n").unwrap();
        let index = build(vec![workspace(dir.path())]);
        assert_eq!(listed(&index, dir.path()), ["src/a.c"]);
        assert_eq!(index.n_files(), 1);
        assert!(index.is_complete());
    }

    #[test]
    fn ignored_files_in_a_root_may_be_opened() {
        let dir = tree(&["out/b.c"]);
        fs::write(dir.path().join(".gitignore"), "/out\n").unwrap();
        let index = build(vec![workspace(dir.path())]);
        assert!(index.contains(&dir.path().join("out/b.c")));
        assert!(index.contains(&dir.path().join("./x/../out/b.c")));
    }

    #[test]
    fn only_existing_files_in_a_root_may_be_opened() {
        let dir = tree(&["ws/a.c", "ws-other/b.c"]);
        let ws = dir.path().join("ws");
        let index = build(vec![workspace(&ws)]);
        assert!(!index.contains(&ws), "a folder");
        assert!(!index.contains(&ws.join("none.c")));
        assert!(!index.contains(&dir.path().join("ws-other/b.c")), "prefixes are whole components");
        assert!(!index.contains(&ws.join("../ws-other/b.c")));
        assert!(!index.contains(Path::new("a.c")), "relative");
        assert_eq!(index.find(Path::new("/etc/passwd")), Found::Elsewhere);
        assert_eq!(index.find(&ws.join("../ws-other/b.c")), Found::Elsewhere);
        assert_eq!(index.find(&ws.join("none.c")), Found::Missing);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_as_ignore_file_has_no_rules() {
        for pipe in [".gitignore", ".ignore", ".git/info/exclude", "sub/.gitignore"] {
            let dir = tree(&["a.c", "sub/b.c", "out/c.c", "sub/out/d.c", ".git/info/x"]);
            // In a regular file of another kind, rules hold also in the folder with the pipe.
            let rules = if pipe == ".ignore" { ".gitignore" } else { ".ignore" };
            fs::write(dir.path().join(rules), "out\n").unwrap();
            let path = dir.path().join(pipe);
            let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
            assert!(made.success());
            let index = build(vec![workspace(dir.path())]);
            let below = if pipe.starts_with("sub") { &["sub/out/d.c"][..] } else { &[] };
            let expected: Vec<_> = ["a.c", "sub/b.c"].iter().chain(below).copied().collect();
            assert_eq!(listed(&index, dir.path()), expected, "{pipe}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_as_ignore_file_has_no_rules() {
        let dir = tree(&["a.c", "out/b.c"]);
        let elsewhere = tempfile::tempdir().unwrap();
        let rules = elsewhere.path().join("rules");
        fs::write(&rules, "out\n").unwrap();
        std::os::unix::fs::symlink(rules, dir.path().join(".gitignore")).unwrap();
        assert_eq!(listed(&build(vec![workspace(dir.path())]), dir.path()), ["a.c", "out/b.c"]);
    }

    #[test]
    fn an_index_beyond_the_limit_is_incomplete() {
        let dir = tree(&["a", "b", "c"]);
        let cut = |max_files| SourceIndex::build(vec![workspace(dir.path())], Limits { max_files });
        assert_eq!((cut(2).n_files(), cut(2).is_complete()), (2, false));
        assert_eq!((cut(3).n_files(), cut(3).is_complete()), (3, true));
    }

    #[test]
    fn reports_roots_that_are_not_folders() {
        let dir = tree(&["a"]);
        let bad = vec![
            workspace(dir.path().join("none")),
            sources(dir.path().join("a")),
            sources("relative"),
        ];
        let index = build(bad.clone());
        assert_eq!((index.roots(), index.missing()), (&[][..], bad.as_slice()));
    }

    #[test]
    fn a_file_belongs_to_the_innermost_root() {
        let dir = tree(&["a.c", "lib/b.c"]);
        let index = build(vec![workspace(dir.path()), sources(dir.path().join("lib"))]);
        let files = index.ending_with("b.c/");
        assert_eq!(files.len(), 1);
        assert_eq!(index.kind(files[0].root), Some(RootKind::Sources));
        assert_eq!(index.n_files(), 2);
    }

    #[test]
    fn a_root_given_twice_counts_once() {
        let dir = tree(&["a.c"]);
        let index = build(vec![workspace(dir.path()), sources(dir.path().join("."))]);
        assert_eq!((index.n_files(), index.roots().len()), (1, 1));
        assert_eq!(index.kind(0), Some(RootKind::Sources));
    }

    #[test]
    fn finds_files_by_whole_components() {
        let dir = tree(&["src/a.c", "src/aa.c", "xsrc/a.c"]);
        let index = build(vec![workspace(dir.path())]);
        assert_eq!(index.ending_with("a.c/").len(), 2);
        assert_eq!(index.ending_with("a.c/src/").len(), 1);
        assert_eq!(index.ending_with("a.c/rc/").len(), 0);
    }

    #[test]
    fn invalid_paths_are_missing() {
        let dir = tree(&["a.c"]);
        let index = build(vec![workspace(dir.path())]);
        assert!(!index.contains(&dir.path().join("a.c\0")));
        assert!(!index.contains(&dir.path().join("x".repeat(100_000))));
    }

    #[cfg(unix)]
    mod links {
        use super::*;
        use std::os::unix::fs::symlink;

        #[test]
        fn does_not_follow_links_out_of_the_root() {
            let dir = tree(&["ws/a.c", "secret"]);
            let ws = dir.path().join("ws");
            symlink(dir.path().join("secret"), ws.join("b.c")).unwrap();
            symlink(dir.path(), ws.join("up")).unwrap();
            let index = build(vec![workspace(&ws)]);
            assert_eq!(index.find(&ws.join("b.c")), Found::Outside);
            assert_eq!(index.find(&ws.join("up/secret")), Found::Outside);
            assert!(index.contains(&ws.join("up/ws/a.c")), "leads out and in again");
            assert_eq!(index.n_files(), 1, "links are not indexed");
        }

        #[test]
        fn accepts_both_paths_of_a_root_behind_a_link() {
            let dir = tree(&["real/a.c"]);
            let link = dir.path().join("link");
            symlink(dir.path().join("real"), &link).unwrap();
            let index = build(vec![workspace(&link)]);
            let canonical = dir.path().join("real/a.c").canonicalize().unwrap();
            assert_eq!(index.canonical(&link.join("a.c")), Some(canonical.clone()));
            assert_eq!(index.canonical(&canonical), Some(canonical.clone()));
            assert_eq!(index.as_given(&canonical), link.join("a.c"));
            assert_eq!(index.as_given(Path::new("/else/a.c")), Path::new("/else/a.c"));
        }

        #[test]
        fn a_pipe_is_not_a_file() {
            let dir = tree(&["a.c"]);
            let made = std::process::Command::new("mkfifo").arg(dir.path().join("p.c")).status();
            assert!(made.is_ok_and(|status| status.success()));
            let index = build(vec![workspace(dir.path())]);
            assert!(!index.contains(&dir.path().join("p.c")));
            assert_eq!(index.n_files(), 1);
        }
    }
}
