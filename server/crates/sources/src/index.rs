//! The roots, and the files in them.
//!
//! All checks for existing files go through [`SourceIndex`], which never looks outside the roots.
//! What names in profiles mean is up to `map`.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Weak};

use crate::answering::answers;
use crate::listing::{File, Limits, Listing, file_key};
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

/// The limit for entries of a folder that is listed without being walked.
const MAX_LISTED: usize = 1000;

/// The files of all roots at the time of the walk. Immutable: [`SourceIndex::renewed`] makes an index
/// of the files that exist now.
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
    listing: Arc<Listing>,
    limits: Limits,
}

/// Identifies a walk through the roots. Indexes of the same walk find the same files.
#[derive(Debug, Clone)]
pub struct Walk(Weak<Listing>);

impl PartialEq for Walk {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
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
        Self::of(roots, limits, None)
    }

    /// An index of the files that exist in the same roots now. Walks the roots only if files were added
    /// or removed, or if an ignore file changed.
    #[must_use]
    pub fn renewed(&self) -> SourceIndex {
        Self::of(self.given_roots.clone(), self.limits, Some(&self.listing))
    }

    /// An index with the `last` listing if it is current.
    fn of(given_roots: Vec<Root>, limits: Limits, last: Option<&Arc<Listing>>) -> SourceIndex {
        let mut index = SourceIndex {
            given_roots: given_roots.clone(),
            roots: Vec::new(),
            given: Vec::new(),
            checkouts: Vec::new(),
            missing: Vec::new(),
            listing: Arc::default(),
            limits,
        };
        for root in given_roots {
            index.add_root(root);
        }
        let folders = index.folders();
        let last = last.filter(|last| last.is_current(&folders)).cloned();
        index.listing = last.unwrap_or_else(|| Arc::new(Listing::walk(folders, limits)));
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

    /// The walk that found the files.
    pub fn walk(&self) -> Walk {
        Walk(Arc::downgrade(&self.listing))
    }

    /// Whether a file that may be opened was added after the walk, or is no longer ignored.
    pub fn is_new(&self, path: &Path) -> bool {
        let is_new =
            |path: PathBuf| !self.is_listed(&path) && !self.listing.is_current(&self.folders());
        self.canonical(path).is_some_and(is_new)
    }

    /// The paths of the roots.
    fn folders(&self) -> Vec<PathBuf> {
        self.roots.iter().map(|root| root.path.clone()).collect()
    }

    /// The roots that do not exist or answer, are not folders or are not absolute, as given.
    pub fn missing(&self) -> &[Root] {
        &self.missing
    }

    /// The number of files that can be found by the end of their path.
    pub fn n_files(&self) -> usize {
        self.listing.files.len()
    }

    /// The files of the workspace folders, canonical.
    pub fn workspace_files(&self) -> impl Iterator<Item = &Path> {
        let own = |file: &&File| self.kind(file.root) == Some(RootKind::Workspace);
        self.listing.files.iter().filter(own).map(|file| file.path.as_path())
    }

    /// Whether all files are in the index, or [`Limits::max_files`] was exceeded.
    pub fn is_complete(&self) -> bool {
        self.listing.is_complete
    }

    /// Whether a file may be opened: it is a regular file, and both its path and its canonical path
    /// are inside a root.
    pub fn contains(&self, path: &Path) -> bool {
        self.canonical(path).is_some()
    }

    /// Whether a path is outside every root, or leads out of the roots through a symlink. Not so
    /// for a path in a root that does not exist.
    pub fn is_outside(&self, path: &Path) -> bool {
        matches!(self.find(path), Found::Outside | Found::Elsewhere)
    }

    /// Whether a file, given by its canonical path, can be found by the end of its path. Ignored
    /// and hidden files are only found by their full path.
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

    /// A path inside a root with the canonical path of the root, whether there is a file or not.
    /// Lexical.
    pub(crate) fn in_root(&self, path: &Path) -> Option<PathBuf> {
        let path = lexical(path);
        let root = self.roots.get(self.root_of(&path)?)?;
        Some(root.path.join(self.inside_root(&path)?))
    }

    /// A path relative to the root that it is in. Lexical.
    pub fn inside_root<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let at = self.root_of(path)?;
        let (root, given) = (&self.roots.get(at)?.path, self.given.get(at)?);
        path.strip_prefix(root).or_else(|_| path.strip_prefix(given)).ok()
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
        let start = self.listing.files.partition_point(|file| *file.key < *key);
        let files = self.listing.files.get(start..).unwrap_or_default();
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
}

/// Resolves `.` and `..` lexically.
pub fn lexical(path: &Path) -> PathBuf {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};
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
        let names = index.listing.files.iter().map(|file| file.path.strip_prefix(&top).unwrap());
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

    /// Whether the renewed index has the listing of `index`. It must have the files of a new one.
    fn is_reused(index: &SourceIndex) -> bool {
        let renewed = index.renewed();
        let paths = |index: &SourceIndex| -> Vec<PathBuf> {
            index.listing.files.iter().map(|file| file.path.clone()).collect()
        };
        assert_eq!(paths(&renewed), paths(&build(index.given_roots.clone())));
        Arc::ptr_eq(&renewed.listing, &index.listing)
    }

    /// Listings compare folders that changed long before in another way.
    const AGES: [Duration; 2] = [Duration::ZERO, Duration::from_secs(3600)];

    /// Sets when the entries of a folder last changed.
    fn set_age(folder: &Path, age: Duration) {
        // Windows opens no folders this way.
        if cfg!(unix) && !age.is_zero() {
            let folder = fs::File::open(folder).unwrap();
            folder.set_modified(SystemTime::now() - age).unwrap();
        }
    }

    #[test]
    fn a_listing_is_reused_while_there_are_the_same_files() {
        for age in AGES {
            let dir = tree(&["a.c", "sub/b.c", "out/c.c", ".git/info/exclude"]);
            fs::write(dir.path().join(".gitignore"), "/out\n").unwrap();
            set_age(&dir.path().join("sub"), age);
            let index = build(vec![workspace(dir.path())]);
            assert!(is_reused(&index));
            // As editors and profilers write files.
            fs::write(dir.path().join("sub/b.c.new"), "other\n").unwrap();
            fs::rename(dir.path().join("sub/b.c.new"), dir.path().join("sub/b.c")).unwrap();
            fs::write(dir.path().join("out/d.c"), "x\n").unwrap();
            assert!(is_reused(&index), "{age:?} later");
        }
    }

    #[test]
    fn a_file_is_new_if_another_walk_would_find_it() {
        let dir = tree(&["a.c", "out/b.c", "sub/c.c"]);
        fs::write(dir.path().join(".gitignore"), "/out\n").unwrap();
        let index = build(vec![workspace(dir.path())]);
        let is_new = |index: &SourceIndex, file: &str| index.is_new(&dir.path().join(file));
        assert!(!is_new(&index, "a.c") && !is_new(&index, "out/b.c") && !is_new(&index, "no.c"));
        fs::write(dir.path().join("sub/d.c"), "").unwrap();
        fs::write(dir.path().join("out/e.c"), "").unwrap();
        assert!(is_new(&index, "sub/d.c") && !is_new(&index, "sub/c.c"));
        let renewed = index.renewed();
        assert!(!is_new(&renewed, "sub/d.c") && !is_new(&renewed, "out/e.c"));
        assert_ne!(index.walk(), renewed.walk());
        let outside = tree(&["f.c"]);
        fs::write(dir.path().join("g.c"), "").unwrap();
        assert!(!renewed.is_new(&outside.path().join("f.c")));
    }

    #[test]
    fn a_listing_is_replaced_when_other_files_can_be_found() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 8] = [
            ("a file is added", |top| fs::write(top.join("sub/deep/c.c"), "").unwrap()),
            ("a file is removed", |top| fs::remove_file(top.join("sub/deep/b.c")).unwrap()),
            ("a file is renamed", |top| {
                fs::rename(top.join("sub/deep/b.c"), top.join("sub/deep/c.c")).unwrap();
            }),
            ("a folder is added", |top| fs::create_dir(top.join("sub/deep/new")).unwrap()),
            ("a folder is removed", |top| fs::remove_dir_all(top.join("sub/deep")).unwrap()),
            ("a rule is added", |top| fs::write(top.join("sub/.gitignore"), "deep\n").unwrap()),
            ("a rule is changed", |top| fs::write(top.join(".gitignore"), "bbb\n").unwrap()),
            ("a rule of Git is added", |top| {
                fs::write(top.join(".git/info/exclude"), "deep\n").unwrap();
            }),
        ];
        for (what, change) in changes {
            for age in AGES {
                let dir = tree(&["a.c", "sub/deep/b.c", ".git/info/x"]);
                fs::write(dir.path().join(".gitignore"), "aaa\n").unwrap();
                for folder in ["sub/deep", "sub", ""] {
                    set_age(&dir.path().join(folder), age);
                }
                let index = build(vec![workspace(dir.path())]);
                change(dir.path());
                assert!(!is_reused(&index), "{what}, {age:?} later");
            }
        }
    }

    #[test]
    fn a_listing_is_replaced_when_a_root_appears() {
        let dir = tree(&["a/a.c"]);
        let index = build(vec![workspace(dir.path().join("a")), workspace(dir.path().join("b"))]);
        fs::create_dir(dir.path().join("b")).unwrap();
        assert!(!is_reused(&index));
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

    #[test]
    fn ignore_files_that_are_too_long_have_no_rules() {
        let rule = "out\n";
        let long = rule.repeat((128 << 10) / rule.len());
        let dir = tree(&["a.c", "out/b.c"]);
        fs::write(dir.path().join(".gitignore"), &long).unwrap();
        assert_eq!(listed(&build(vec![workspace(dir.path())]), dir.path()), ["a.c"]);
        fs::write(dir.path().join(".gitignore"), long.clone() + rule).unwrap();
        assert_eq!(listed(&build(vec![workspace(dir.path())]), dir.path()), ["a.c", "out/b.c"]);

        // The first four take all that is left.
        let dir = tree(&["1/2/3/4/5/out/b.c"]);
        for folder in ["1", "1/2", "1/2/3", "1/2/3/4"] {
            fs::write(dir.path().join(folder).join(".ignore"), "x\n".repeat(64 << 10)).unwrap();
        }
        fs::write(dir.path().join("1/2/3/4/5/.ignore"), rule).unwrap();
        let index = build(vec![workspace(dir.path())]);
        assert_eq!(listed(&index, dir.path()), ["1/2/3/4/5/out/b.c"]);
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
