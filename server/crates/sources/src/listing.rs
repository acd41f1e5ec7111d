//! The walk through the roots: which files can be found by the end of their path, and whether another
//! walk would find the same ones.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

use ignore::WalkBuilder;

use crate::folder_time::FolderTime;
use crate::git_folders::GitFolders;
use crate::name::key;
use crate::regular_file;

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

/// The size of the largest ignore file that is obeyed, in bytes. Each rule takes hundreds of times its
/// length in memory.
const MAX_RULES: u64 = 128 << 10;
/// The same of all ignore files together.
const MAX_ALL_RULES: u64 = 512 << 10;

/// The files that a walk through the roots found.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Sorted by key.
    pub files: Vec<File>,
    /// Whether the walk ended before it reached the limit.
    pub is_complete: bool,
    /// The roots, canonical.
    roots: Vec<PathBuf>,
    /// The folders that the walk read.
    folders: Vec<Folder>,
}

/// A file that a walk found.
#[derive(Debug)]
pub(crate) struct File {
    /// The [`key`] of the full path. It includes the name of the root.
    pub key: Box<str>,
    /// Canonical.
    pub path: PathBuf,
    /// The root that contains it, the innermost one if roots are nested.
    pub root: usize,
}

impl Listing {
    /// Walks the roots, canonical paths of folders. Obeys `.gitignore` and `.ignore` files inside them
    /// (those above are outside the roots) up to [`MAX_RULES`], and skips hidden files, `node_modules`,
    /// symlinks and unreadable folders.
    pub fn walk(roots: Vec<PathBuf>, limits: Limits) -> Self {
        let mut listing = Self { files: Vec::new(), is_complete: true, roots, folders: Vec::new() };
        let rules_left = Arc::new(RulesLeft::default());
        for root in 0..listing.roots.len() {
            listing.walk_root(root, limits, &rules_left);
        }
        listing.files.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        listing
    }

    /// Whether a walk through these roots would find the same files now. Much faster than one: it
    /// only asks when each folder changed, and lists those that did.
    pub fn is_current(&self, roots: &[PathBuf]) -> bool {
        self.roots == roots && self.folders.iter().all(Folder::is_unchanged)
    }

    fn walk_root(&mut self, root: usize, limits: Limits, rules_left: &Arc<RulesLeft>) {
        let Some(top) = self.roots.get(root) else { return };
        let top = Folder::read(top, rules_left);
        let mut walks = vec![(top.path.clone(), top.ignore_files)];
        self.folders.push(top);
        while let Some((top, ignore_files)) = walks.pop() {
            let (separate, separate_folders) = mpsc::channel();
            let (read, read_folders) = mpsc::channel();
            let (roots, rules_left) = (self.roots.clone(), rules_left.clone());
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
                        || roots.iter().any(|path| path == entry.path())
                    {
                        return false;
                    }
                    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                        return true;
                    }
                    // Before the walk reads it, so that what changes meanwhile counts as changed.
                    let folder = Folder::read(entry.path(), &rules_left);
                    let readable = ignore_files.and(folder.ignore_files);
                    let _ = read.send(folder);
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
                    break;
                }
                let (key, path) = (file_key(entry.path()), entry.into_path());
                self.files.push(File { key, path, root });
            }
            self.folders.extend(read_folders.try_iter());
            if !self.is_complete {
                return;
            }
            walks.extend(separate_folders.try_iter());
        }
    }
}

/// A folder as a walk found it: what decides which of its entries another walk finds.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    time: Option<FolderTime>,
    /// The hash of the names and kinds of its entries. `None` if it cannot be read.
    entries: Option<u64>,
    /// The files with rules that may be opened, and the hash of each; `None` if it does not exist.
    rules: Vec<(PathBuf, Option<u64>)>,
    ignore_files: IgnoreFiles,
}

/// How many bytes of ignore files a walk may still obey.
#[derive(Debug)]
struct RulesLeft(AtomicU64);

impl Default for RulesLeft {
    fn default() -> Self {
        Self(AtomicU64::new(MAX_ALL_RULES))
    }
}

impl RulesLeft {
    /// Whether a file of this length may be obeyed, too.
    fn take(&self, len: u64) -> bool {
        let take = |left: u64| left.checked_sub(len);
        len <= MAX_RULES && self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

/// Which ignore files of a folder may be opened, by kind. The crate `ignore` opens them whatever they
/// are: opening a named pipe waits for a writer, a link may lead out of the folder (Git follows none
/// either), and there is no limit for their rules. A folder with such a file is walked separately, without ignore files of that kind in
/// it and below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IgnoreFiles {
    ignore: bool,
    git_ignore: bool,
    git_exclude: bool,
}

impl Folder {
    fn read(path: &Path, rules_left: &RulesLeft) -> Self {
        let time = FolderTime::of(path);
        let entries = Entries::of(path);
        let mut rules = Vec::new();
        let mut may_open = |file: PathBuf| {
            let meta = file.symlink_metadata();
            if meta.as_ref().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
                return false;
            }
            let hash = content_hash(&file);
            rules.push((file, hash));
            meta.map_or(true, |meta| rules_left.take(meta.len()))
        };
        let has = |of: fn(&Entries) -> bool| entries.as_ref().is_some_and(of);
        let exclude = || Some(GitFolders::of(path)?.common.join("info/exclude"));
        let ignore_files = IgnoreFiles {
            ignore: !has(|it| it.ignore) || may_open(path.join(".ignore")),
            git_ignore: !has(|it| it.git_ignore) || may_open(path.join(".gitignore")),
            git_exclude: !has(|it| it.git) || exclude().is_some_and(may_open),
        };
        let entries = entries.map(|entries| entries.hash);
        Self { path: path.to_owned(), time, entries, rules, ignore_files }
    }

    /// Whether another walk would find the same entries.
    fn is_unchanged(&self) -> bool {
        let has_same_entries = self.time.is_some() && self.time == FolderTime::of(&self.path)
            || self.entries.is_some()
                && self.entries == Entries::of(&self.path).map(|entries| entries.hash);
        has_same_entries && self.rules.iter().all(|(path, hash)| content_hash(path) == *hash)
    }
}

impl IgnoreFiles {
    fn and(self, other: Self) -> Self {
        Self {
            ignore: self.ignore && other.ignore,
            git_ignore: self.git_ignore && other.git_ignore,
            git_exclude: self.git_exclude && other.git_exclude,
        }
    }
}

/// The entries of a folder.
#[derive(Default)]
struct Entries {
    /// The hash of their names and kinds, in any order.
    hash: u64,
    /// Whether there is a file with this name, or anything else.
    ignore: bool,
    git_ignore: bool,
    git: bool,
}

impl Entries {
    /// `None` if the folder cannot be read.
    fn of(folder: &Path) -> Option<Self> {
        let mut this = Self::default();
        for entry in fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            let (name, kind) = (entry.file_name(), entry.file_type().ok()?);
            let mut hasher = DefaultHasher::new();
            (&name, kind.is_file(), kind.is_dir()).hash(&mut hasher);
            this.hash = this.hash.wrapping_add(hasher.finish());
            this.ignore |= name == ".ignore";
            this.git_ignore |= name == ".gitignore";
            this.git |= name == ".git";
        }
        Some(this)
    }
}

/// The hash of a file with rules, by its length and as much of it as may be obeyed. `None` if it cannot
/// be read.
fn content_hash(file: &Path) -> Option<u64> {
    let (file, metadata) = regular_file::open(file).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_RULES).read_to_end(&mut bytes).ok()?;
    let mut hasher = DefaultHasher::new();
    (metadata.len(), bytes).hash(&mut hasher);
    Some(hasher.finish())
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
