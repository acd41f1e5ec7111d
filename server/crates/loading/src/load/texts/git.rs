//! The versions of a file that Git has. Nothing is written, and no program is run.

use gix::hash::Prefix;
use gix::open::Options;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use gix::{ObjectId, Repository, ThreadSafeRepository};
use rustc_hash::{FxHashMap, FxHashSet};
use sources::GitFolders;
use sources::regular_file::MAX_SOURCE;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The shortest start of an id that is searched.
const MIN_ID: usize = 7;
/// The maximum number of commits to pass on the way to the time of a recording.
const MAX_COMMITS: usize = 20_000;
/// The maximum number of branches and tags whose commits are searched.
const MAX_TIPS: usize = 200;
/// The maximum number of commits whose version of a file is read: of those that were checked out, and of
/// the others.
const MAX_VERSIONS: usize = 50;

/// The history of a repository up to a time.
pub struct History {
    repository: Repository,
    /// The canonical path of the working tree.
    folder: PathBuf,
    /// The commits that were checked out, newest first, and after them those of other branches and tags,
    /// which other machines may have recorded.
    commits: Vec<ObjectId>,
    /// The names of the files in each folder of the newest commit that was asked for.
    files: RefCell<FxHashMap<PathBuf, FxHashSet<Vec<u8>>>>,
}

impl History {
    /// The history of the repository that contains a folder, without the commits after `time`.
    /// `None` if there is none.
    pub fn until(folder: &Path, time: SystemTime) -> Option<Self> {
        let (repository, folder) = open(folder)?;
        let seconds = i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()?;
        let tip = match head_at(&repository, seconds) {
            Some(tip) => tip,
            None => repository.head_id().ok()?.detach(),
        };
        let mut commits = before(&repository, vec![tip], &[], seconds)?;
        let others = before(&repository, tips(&repository), &commits, seconds);
        commits.extend(others.unwrap_or_default());
        Some(Self { repository, folder, commits, files: RefCell::default() })
    }

    /// The version of a file (a canonical path) in a commit, given by its id, the start of its id, its
    /// tag, or its branch here or of a remote. Branches are as they are now.
    pub fn version(&self, commit: &str, path: &Path) -> Option<String> {
        let path = path.strip_prefix(&self.folder).ok()?;
        let id = ObjectId::from_hex(commit.as_bytes()).ok();
        let id = id.or_else(|| self.named(commit)).or_else(|| self.abbreviated(commit))?;
        version(&self.repository, id, path)
    }

    /// The commit of a tag or branch.
    fn named(&self, name: &str) -> Option<ObjectId> {
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        let places = ["refs/tags/", "refs/heads/", "refs/remotes/origin/"];
        let mut named = places
            .iter()
            .find_map(|place| self.repository.find_reference(&format!("{place}{name}")).ok())?;
        Some(named.peel_to_id().ok()?.detach())
    }

    /// The commit whose id begins so, if there is only one.
    fn abbreviated(&self, start: &str) -> Option<ObjectId> {
        let prefix = Prefix::from_hex(start).ok().filter(|_| start.len() >= MIN_ID)?;
        self.repository.objects.lookup_prefix(prefix, None).ok()??.ok()
    }

    /// Whether the newest commit has a file (a canonical path).
    pub fn has(&self, path: &Path) -> bool {
        let path = path.strip_prefix(&self.folder).ok();
        let Some((folder, name)) = path.and_then(|path| Some((path.parent()?, path.file_name()?)))
        else {
            return false;
        };
        let mut known = self.files.borrow_mut();
        let files = || self.files_in(folder).unwrap_or_default();
        known.entry(folder.to_owned()).or_insert_with(files).contains(name.as_encoded_bytes())
    }

    /// The names of the files in a folder of the newest commit.
    fn files_in(&self, folder: &Path) -> Option<FxHashSet<Vec<u8>>> {
        let mut tree = self.repository.find_commit(*self.commits.first()?).ok()?.tree().ok()?;
        if folder != Path::new("") {
            let entry = tree.lookup_entry_by_path(folder).ok()??;
            tree = entry.object().ok()?.try_into_tree().ok()?;
        }
        let files = tree.iter().filter_map(Result::ok).filter(|entry| entry.mode().is_blob());
        Some(files.map(|entry| entry.filename().to_vec()).collect())
    }

    /// The versions of a file (a canonical path), newest first. Equal ones in a row are given once.
    pub fn versions(&self, path: &Path) -> impl Iterator<Item = String> {
        let mut last = None;
        let path = path.strip_prefix(&self.folder).ok().map(Path::to_owned);
        let blobs = self.commits.iter().filter_map(move |commit| {
            let tree = self.repository.find_commit(*commit).ok()?.tree().ok()?;
            let entry = tree.lookup_entry_by_path(path.as_ref()?).ok()??;
            let is_new = last.replace(entry.object_id()) != Some(entry.object_id());
            (is_new && entry.mode().is_blob()).then(|| entry.object().ok())?
        });
        blobs.map(|blob| String::from_utf8_lossy(&blob.data).into_owned())
    }
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The newest commits from `tips` on that were made at a time (seconds since 1970) or before, newest
/// first, without those in `known` and their ancestors.
fn before(
    repository: &Repository,
    tips: Vec<ObjectId>,
    known: &[ObjectId],
    seconds: i64,
) -> Option<Vec<ObjectId>> {
    let newest_first = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
    let walk = repository.rev_walk(tips).with_hidden(known.first().copied()).sorting(newest_first);
    let commits = walk.all().ok()?.take(MAX_COMMITS).filter_map(Result::ok);
    let earlier = commits.filter(|commit| commit.commit_time.is_some_and(|time| time <= seconds));
    Some(earlier.take(MAX_VERSIONS).map(|commit| commit.id).collect())
}

/// The commits of all branches, here and of remotes, and of all tags.
fn tips(repository: &Repository) -> Vec<ObjectId> {
    let Ok(references) = repository.references() else { return Vec::new() };
    let Ok(all) = references.all() else { return Vec::new() };
    let ids = all.take(MAX_TIPS).filter_map(|it| Some(it.ok()?.peel_to_id().ok()?.detach()));
    ids.filter(|id| repository.find_commit(*id).is_ok()).collect()
}

/// The repository that contains a folder, and the canonical path of its working tree. `None` if
/// there is none.
pub(crate) fn open(folder: &Path) -> Option<(Repository, PathBuf)> {
    let repository = folder.ancestors().find_map(|top| {
        // Opening a repository reads some files whatever they are.
        GitFolders::of(top)?;
        ThreadSafeRepository::open_opts(top.join(".git"), options()).ok()
    })?;
    let mut repository = repository.to_thread_local();
    repository.object_cache_size_if_unset(4 << 20);
    let folder = repository.workdir()?.canonicalize().ok()?;
    Some((repository, folder))
}

/// How to open a repository: with its own settings only, and without larger objects than a source may
/// be, since an object of a few bytes may claim any size.
fn options() -> Options {
    Options::isolated().config_overrides([format!("gitoxide.objects.allocLimit={MAX_SOURCE}")])
}

/// The version of a file in a commit. The path is relative to the working tree.
pub(crate) fn version(repository: &Repository, commit: ObjectId, path: &Path) -> Option<String> {
    let tree = repository.find_commit(commit).ok()?.tree().ok()?;
    let entry = tree.lookup_entry_by_path(path).ok()??;
    let blob = entry.mode().is_blob().then(|| entry.object().ok())??;
    Some(String::from_utf8_lossy(&blob.data).into_owned())
}

/// The commit that was checked out at a time (seconds since 1970), by the log of `HEAD`. `None` if
/// the log begins later.
pub(crate) fn head_at(repository: &Repository, seconds: i64) -> Option<ObjectId> {
    let head = repository.head().ok()?;
    let mut log = head.log_iter();
    let entries = log.rev().ok()??.take(MAX_COMMITS).filter_map(Result::ok);
    let mut entries = entries.filter(|entry| entry.signature.time.seconds <= seconds);
    entries.next().map(|entry| entry.new_oid)
}

/// Whether Git recorded any commit that was checked out.
pub(crate) fn has_log(repository: &Repository) -> bool {
    let Ok(head) = repository.head() else { return false };
    let mut log = head.log_iter();
    log.all().ok().flatten().is_some_and(|mut entries| entries.next().is_some())
}
