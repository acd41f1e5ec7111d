//! The search for files with the names of profiles, and the entries of folders that it remembers.

use super::names::{CRITERION, Patterns};
use formats::Foreign;
use formats::fetched::FOLDER;
use sources::FolderTime;
use std::collections::{HashMap, HashSet};
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum depth of folders below [`CRITERION`].
const CRITERION_DEPTH: usize = 8;
/// The maximum number of directory entries per root; the rest is skipped.
const MAX_ENTRIES: usize = 50_000;

/// The folders of each root as they were last found. A folder is listed again only if it changed.
#[derive(Debug, Default)]
pub(super) struct Searches(HashMap<PathBuf, Search>);

/// The last search of a root.
#[derive(Debug)]
struct Search {
    patterns: Patterns,
    /// The folders, by path, without those that had changed just before the search.
    folders: HashMap<PathBuf, Arc<Folder>>,
}

/// What a search needs of a folder.
#[derive(Debug)]
struct Folder {
    /// `None` if it may have changed since.
    time: Option<FolderTime>,
    n_entries: usize,
    /// The subfolders that may contain profiles, and the files that are examined, by name. A recording may
    /// be a folder.
    entries: Vec<Entry>,
}

#[derive(Debug)]
enum Entry {
    Folder(PathBuf),
    File(PathBuf),
}

/// What a search of a root finds.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// The files that `profiles` or the names that profilers use match.
    pub files: Vec<PathBuf>,
    /// The folders that were searched.
    pub folders: Vec<PathBuf>,
}

impl Searches {
    /// Searches a root for files that one of the globs matches, which are relative to the root, or else
    /// for the names that profilers use.
    pub fn search(&mut self, root: &Path, globs: Option<Vec<String>>) -> Named {
        let last = self.0.remove(root).filter(|last| last.patterns.are_of(globs.as_deref()));
        let last = last
            .unwrap_or_else(|| Search { patterns: Patterns::new(globs), folders: HashMap::new() });
        let mut walk = Walk {
            root,
            patterns: &last.patterns,
            last: &last.folders,
            folders: HashMap::new(),
            entries_left: MAX_ENTRIES,
            searched: HashSet::new(),
            found: Named::default(),
        };
        walk.folder(root, 0, last.patterns.depth);
        walk.folder(&root.join(CRITERION), 0, CRITERION_DEPTH);
        let Walk { folders, found, .. } = walk;
        self.0.insert(root.to_owned(), Search { patterns: last.patterns, folders });
        found
    }
}

/// A search of a root.
struct Walk<'w> {
    root: &'w Path,
    patterns: &'w Patterns,
    /// The folders of the last search.
    last: &'w HashMap<PathBuf, Arc<Folder>>,
    folders: HashMap<PathBuf, Arc<Folder>>,
    entries_left: usize,
    searched: HashSet<PathBuf>,
    found: Named,
}

impl Walk<'_> {
    fn folder(&mut self, path: &Path, depth: usize, max_depth: usize) {
        let Some(folder) = self.entries(path) else { return };
        if self.searched.insert(path.to_owned()) {
            self.found.folders.push(path.to_owned());
        }
        self.entries_left -= folder.n_entries;
        for entry in &folder.entries {
            match entry {
                Entry::Folder(path) if depth < max_depth => self.folder(path, depth + 1, max_depth),
                Entry::Folder(_) => {}
                Entry::File(path) => self.found.files.push(path.clone()),
            }
        }
        if folder.time.is_some() {
            self.folders.insert(path.to_owned(), folder);
        }
    }

    /// The entries of a folder, at most [`Self::entries_left`]. `None` if it cannot be read.
    fn entries(&self, path: &Path) -> Option<Arc<Folder>> {
        let time = FolderTime::of(path);
        let last = self.last.get(path).filter(|last| last.time == time);
        if let Some(last) = last.filter(|last| last.n_entries <= self.entries_left) {
            return Some(last.clone());
        }
        let all = fs::read_dir(path).ok()?.filter_map(Result::ok);
        let mut all: Vec<DirEntry> = all.take(self.entries_left).collect();
        all.sort_by_key(DirEntry::file_name);
        // There may be more.
        let time = time.filter(|_| all.len() < self.entries_left);
        let entries = all.iter().filter_map(|entry| self.entry(entry)).collect();
        Some(Arc::new(Folder { time, n_entries: all.len(), entries }))
    }

    fn entry(&self, entry: &DirEntry) -> Option<Entry> {
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let name = name.to_string_lossy();
            let is_skipped = name == "node_modules" || (name.starts_with('.') && name != FOLDER);
            let is_recording = Foreign::of_folder(&name).is_some();
            let entry = if is_recording { Entry::File(path) } else { Entry::Folder(path) };
            return (!is_skipped).then_some(entry);
        }
        self.patterns.matches(self.root, &path).then_some(Entry::File(path))
    }
}

/// On Windows, all folders are listed again: see [`FolderTime`].
#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn files(searches: &mut Searches, root: &Path, globs: Option<&[String]>) -> Vec<String> {
        let found = searches.search(root, globs.map(<[String]>::to_vec));
        let inside = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
        found.files.iter().map(inside).collect()
    }

    /// Folders that changed long ago are remembered.
    fn set_old(folder: &Path) {
        let time = SystemTime::now() - Duration::from_secs(3600);
        fs::File::open(folder).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn a_folder_is_listed_again_only_if_it_changed() {
        let dir = tempfile::tempdir().unwrap();
        let (root, a, b) = (dir.path(), dir.path().join("a"), dir.path().join("b"));
        for folder in [&a, &b] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("1.folded"), "").unwrap();
        }
        for folder in [root, &a, &b] {
            set_old(folder);
        }
        let mut searches = Searches::default();
        assert_eq!(files(&mut searches, root, None), ["a/1.folded", "b/1.folded"]);
        let folder = |searches: &Searches, path: &Path| searches.0[root].folders.get(path).cloned();
        let before = [&a, &b].map(|path| folder(&searches, path).unwrap());

        fs::write(a.join("2.folded"), "").unwrap();
        fs::remove_file(a.join("1.folded")).unwrap();
        fs::create_dir(b.join("c")).unwrap();
        set_old(&b.join("c"));
        for _ in 0..2 {
            assert_eq!(files(&mut searches, root, None), ["a/2.folded", "b/1.folded"]);
        }
        assert!(folder(&searches, &a).is_none(), "changed just now");
        fs::write(b.join("c/3.folded"), "").unwrap();
        set_old(&a);
        let expected = ["a/2.folded", "b/1.folded", "b/c/3.folded"];
        assert_eq!(files(&mut searches, root, None), expected);
        assert!(!Arc::ptr_eq(&folder(&searches, &a).unwrap(), &before[0]));

        let again = folder(&searches, &a).unwrap();
        assert_eq!(files(&mut searches, root, None), expected);
        assert!(Arc::ptr_eq(&folder(&searches, &a).unwrap(), &again));
        fs::remove_dir_all(&b).unwrap();
        assert_eq!(files(&mut searches, root, None), ["a/2.folded"]);
        assert!(folder(&searches, &b).is_none());
    }

    #[test]
    fn other_names_are_searched_for_again() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["1.folded", "2.txt"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        set_old(dir.path());
        let mut searches = Searches::default();
        let texts = ["*.txt".to_owned()];
        for (profiles, expected) in [(None, "1.folded"), (Some(&texts[..]), "2.txt")].repeat(2) {
            assert_eq!(files(&mut searches, dir.path(), profiles), [expected]);
        }
    }
}
