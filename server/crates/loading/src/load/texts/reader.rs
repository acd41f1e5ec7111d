//! The evidence about the sources of one load: the files on disk, the copies that were kept, and the
//! versions in Git. Each file is opened at most once, so that all stages judge the same bytes even if it
//! is being saved.

use super::disk;
use super::disk::{DiskTexts, Version};
use super::git::History;
use crate::discovery::stamp::Stamp;
use crate::load::loaded::Loaded;
use crate::store::copies::{Copies, KeptScript, Manifest};
use rustc_hash::FxHashMap;
use sources::Root;
use sources::regular_file::MAX_SOURCE;
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The limit for the files that one load reads, in bytes together: more than the hand-written sources of
/// a project.
const MAX_BYTES: u64 = 256 << 20;
/// The limits for files among them that may not be sources of the profile: their number, and bytes.
pub const MAX_CANDIDATES: (usize, u64) = (20_000, 64 << 20);
/// The maximum number of versions in Git to compare with one profile, of all files together.
const MAX_VERSIONS: usize = 500;

/// The sources of one load, as they are and as they were.
pub struct Reader<'a> {
    loaded: &'a Loaded,
    roots: &'a [Root],
    disk: &'a Arc<DiskTexts>,
    copies: Option<&'a Copies>,
    /// Read on first use.
    manifest: OnceCell<Manifest>,
    read: RefCell<FxHashMap<PathBuf, Option<Version>>>,
    bytes_left: Cell<u64>,
    /// See [`MAX_CANDIDATES`]. `None` if more were asked for.
    candidates_left: Cell<Option<(usize, u64)>>,
    /// By the top folder of the repository, or the root; read on first use.
    histories: RefCell<FxHashMap<PathBuf, Rc<Option<History>>>>,
    versions: RefCell<FxHashMap<PathBuf, Rc<[Arc<str>]>>>,
    versions_left: Cell<usize>,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("roots", &self.roots).finish_non_exhaustive()
    }
}

impl<'a> Reader<'a> {
    /// A reader of files in `roots` for the profile `loaded`.
    pub fn new(
        loaded: &'a Loaded,
        roots: &'a [Root],
        disk: &'a Arc<DiskTexts>,
        copies: Option<&'a Copies>,
    ) -> Self {
        Self {
            loaded,
            roots,
            disk,
            copies,
            manifest: OnceCell::new(),
            read: RefCell::default(),
            bytes_left: Cell::new(MAX_BYTES),
            candidates_left: Cell::new(Some(MAX_CANDIDATES)),
            histories: RefCell::default(),
            versions: RefCell::default(),
            versions_left: Cell::new(MAX_VERSIONS),
        }
    }

    /// The profile.
    pub fn loaded(&self) -> &'a Loaded {
        self.loaded
    }

    /// The versions of files on disk, of all loads.
    pub fn disk(&self) -> &'a Arc<DiskTexts> {
        self.disk
    }

    /// A source of the profile as it is on disk. `None` if it cannot be read, is not a regular file, has
    /// more than 16 MiB, or too much was read.
    pub fn now(&self, path: &Path) -> Option<Version> {
        let version = self.version(path)?;
        self.disk.add(path, &version);
        Some(version)
    }

    /// Like [`Self::now`], of a file that may not be a source of the profile. Only this load keeps its
    /// text.
    pub fn candidate(&self, path: &Path) -> Option<Arc<str>> {
        if !self.read.borrow().contains_key(path) {
            let len = std::fs::metadata(path).ok()?.len();
            let less = |(files, bytes): (usize, u64)| {
                Some((files.checked_sub(1)?, bytes.checked_sub(len)?))
            };
            self.candidates_left.set(self.candidates_left.get().and_then(less));
        }
        self.candidates_left.get()?;
        Some(self.version(path)?.text)
    }

    /// Whether more candidates were asked for than may be read, so that a search among them is incomplete.
    pub fn is_cut(&self) -> bool {
        self.candidates_left.get().is_none()
    }

    fn version(&self, path: &Path) -> Option<Version> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let version = self.open(path);
        self.read.borrow_mut().insert(path.to_owned(), version.clone());
        version
    }

    fn open(&self, path: &Path) -> Option<Version> {
        let stamp = Stamp::of(path).ok().filter(|stamp| stamp.len <= MAX_SOURCE)?;
        if let Some(last) = self.disk.last(path).filter(|last| last.stamp == stamp) {
            return Some(last);
        }
        self.bytes_left.set(self.bytes_left.get().checked_sub(stamp.len)?);
        disk::read(path)
    }

    /// The texts that a file with one of `names` in the profile may have had: a copy, the versions on disk
    /// that were read before, those in Git.
    pub fn earlier(&self, path: &Path, names: &[String]) -> impl Iterator<Item = Arc<str>> {
        let versions = self.disk.versions(path).into_iter().map(|version| version.text);
        let in_git = self.in_git(path);
        let in_git = (0..in_git.len()).map(move |at| in_git[at].clone());
        self.copy(names).into_iter().chain(versions).chain(in_git)
    }

    /// The cached versions of a file, oldest first.
    pub(crate) fn versions_on_disk(&self, path: &Path) -> Vec<Version> {
        self.disk.versions(path)
    }

    fn copies(&self) -> Option<(&'a Copies, &Manifest)> {
        let copies = self.copies?;
        Some((copies, self.manifest.get_or_init(|| copies.manifest(self.loaded.content))))
    }

    /// The copy of a file that has one of `names` in the profile.
    pub fn copy(&self, names: &[String]) -> Option<Arc<str>> {
        let (copies, manifest) = self.copies()?;
        names.iter().find_map(|name| copies.text(manifest, name))
    }

    /// The copy of a generated script, by its name in the profile.
    pub fn kept_script(&self, name: &str) -> Option<KeptScript> {
        let (copies, manifest) = self.copies()?;
        copies.script(manifest, name)
    }

    /// The version in Git that a name of the profile states, as in `git:host/repository:path:version`, or
    /// that of the revision that the program was built from.
    pub fn named_version(&self, path: &Path, names: &[String]) -> Option<Arc<str>> {
        let history = self.history(path)?;
        let history = Option::as_ref(&history)?;
        let named = names.iter().find_map(|name| sources::git_version(name));
        let of_name = named.and_then(|version| history.version(version, path));
        let fleet = self.loaded.fleet.as_deref();
        let fleet = fleet.and_then(|fleet| fleet.revision.as_ref());
        let mut revisions = fleet.into_iter().chain(&self.loaded.revisions);
        let text = of_name.or_else(|| revisions.find_map(|it| history.version(it, path)))?;
        Some(Arc::from(text))
    }

    /// The versions of a file in Git that were made before the recording, newest first.
    pub fn in_git(&self, path: &Path) -> Rc<[Arc<str>]> {
        if let Some(known) = self.versions.borrow().get(path) {
            return known.clone();
        }
        let history = self.history(path);
        let history = history.as_deref().and_then(Option::as_ref);
        let left = self.versions_left.get();
        let versions: Rc<[Arc<str>]> = match history {
            Some(history) => history.versions(path).take(left).map(Arc::from).collect(),
            None => Rc::default(),
        };
        self.versions_left.set(left - versions.len());
        self.versions.borrow_mut().insert(path.to_owned(), versions.clone());
        versions
    }

    /// Whether the commit that was checked out at the time of the recording has a file.
    pub fn was_checked_out(&self, path: &Path) -> bool {
        let history = self.history(path);
        history.as_deref().and_then(Option::as_ref).is_some_and(|history| history.has(path))
    }

    /// The history of the repository of a file in a root. It may be inside another repository.
    fn history(&self, path: &Path) -> Option<Rc<Option<History>>> {
        let root = self.roots.iter().find(|root| path.starts_with(&root.path))?;
        let mut inside = path.ancestors().skip(1).take_while(|folder| *folder != root.path);
        let top = inside.find(|folder| folder.join(".git").exists()).unwrap_or(&root.path);
        let mut histories = self.histories.borrow_mut();
        let read = || Rc::new(History::until(top, self.loaded.stamp.modified));
        Some(histories.entry(top.to_owned()).or_insert_with(read).clone())
    }
}
