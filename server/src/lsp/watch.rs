//! Watches folders for changed files.
//!
//! Folders are watched instead of files, because a watch on a file ends with its first atomic
//! replacement. The details of an event are unreliable, so it only triggers a scan.
//! Where the system cannot watch, the server polls.

use answers::Watch;
use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// The maximum number of folders to watch. Changes in other folders are found by polling.
const MAX_FOLDERS: usize = 1024;

/// Files that may have changed.
#[derive(Debug)]
pub struct Changed {
    /// The paths that the system reported; empty if unknown.
    pub paths: Vec<PathBuf>,
    /// Whether a program has written to them and will close them, which will be reported, too.
    pub written: bool,
    /// Whether they were closed after writing, or moved here, which a program does once it has
    /// written a file.
    pub closed: bool,
    /// Whether they were removed or moved away, which ends the watch of a folder. Another one may
    /// have its path by now.
    pub removed: bool,
}

impl Changed {
    /// Anything may have changed.
    pub fn anything() -> Self {
        Self { paths: Vec::new(), written: false, closed: false, removed: false }
    }
}

/// What an event says about files. `None` if it changes none.
fn changed(event: notify::Result<Event>) -> Option<Changed> {
    let Ok(event) = event else { return Some(Changed::anything()) };
    let closed = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Both)) => true,
        // Other kinds of access do not change the file.
        EventKind::Access(_) => return None,
        _ => false,
    };
    // Only inotify reports the end of writing.
    let written = cfg!(any(target_os = "linux", target_os = "android"))
        && matches!(event.kind, EventKind::Modify(ModifyKind::Data(_)));
    let removed = matches!(
        event.kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
    );
    let paths = if event.need_rescan() { Vec::new() } else { event.paths };
    Some(Changed { paths, written, closed, removed })
}

/// Watches folders.
pub struct Folders {
    /// `None` if the settings or the system do not allow one.
    watcher: Option<RecommendedWatcher>,
    watched: HashSet<PathBuf>,
    /// Why files or some folders cannot be watched, although they should be.
    problem: Option<Arc<str>>,
}

impl Folders {
    /// Watches no folders yet; changes are sent to `changes`.
    pub fn new(mode: Watch, changes: UnboundedSender<Changed>) -> Self {
        let handler = move |event: notify::Result<Event>| {
            if let Some(changed) = changed(event) {
                let _ = changes.send(changed);
            }
        };
        let mut this = Self { watcher: None, watched: HashSet::new(), problem: None };
        if mode != Watch::Poll {
            match notify::recommended_watcher(handler) {
                Ok(watcher) => this.watcher = Some(watcher),
                Err(error) => this.fail(refused("files", &error)),
            }
        }
        this
    }

    fn fail(&mut self, problem: String) {
        tracing::warn!("{problem}; polling every few seconds instead");
        self.problem = Some(problem.into());
    }

    /// Why the server polls although the settings do not say so. `None` if it does not.
    pub fn problem(&self) -> Option<&Arc<str>> {
        self.problem.as_ref()
    }

    /// Replaces the watched folders. Returns whether there are new ones: what changed in them until
    /// now was not reported.
    pub fn set(&mut self, folders: impl IntoIterator<Item = PathBuf>) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        let (mut wanted, mut left_out) = (HashSet::new(), HashSet::new());
        for folder in folders {
            if wanted.len() < MAX_FOLDERS {
                wanted.insert(folder);
            } else if !wanted.contains(&folder) {
                left_out.insert(folder);
            }
        }
        for gone in self.watched.difference(&wanted) {
            let _ = watcher.unwatch(gone);
        }
        self.watched.retain(|folder| wanted.contains(folder));
        let (mut has_new, mut failed) = (false, None);
        for folder in wanted {
            if self.watched.contains(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder);
                    has_new = true;
                }
                Err(error) if folder.exists() => failed = failed.or(Some((folder, error))),
                Err(_) => {}
            }
        }
        if self.problem.is_some() {
            return has_new;
        }
        if let Some((folder, error)) = failed {
            self.fail(refused(&folder.display().to_string(), &error));
        } else if !left_out.is_empty() {
            let what = format!("{} of {} folders", left_out.len(), MAX_FOLDERS + left_out.len());
            self.fail(format!("{what} cannot be watched (the limit is {MAX_FOLDERS})"));
        }
        has_new
    }

    /// Forgets a folder that was removed, and those in it, so that they are watched again if they are
    /// created again.
    pub fn forget(&mut self, path: &Path) {
        for gone in self.watched.extract_if(|folder| folder.starts_with(path)) {
            if let Some(watcher) = &mut self.watcher {
                let _ = watcher.unwatch(&gone);
            }
        }
    }

    /// The poll interval; `None` for no polling.
    pub fn poll_interval(&self, mode: Watch) -> Option<Duration> {
        match (mode, &self.problem) {
            (Watch::Poll, _) | (_, Some(_)) => Some(Duration::from_secs(2)),
            (Watch::Auto, None) => Some(Duration::from_secs(5)),
            (Watch::Native, None) => None,
        }
    }
}

/// The problem if the system does not watch `what`.
fn refused(what: &str, error: &notify::Error) -> String {
    format!(
        "{what} cannot be watched ({error}); on Linux, raise fs.inotify.max_user_watches and \
         fs.inotify.max_user_instances"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, DataChange};

    #[test]
    fn files_that_are_closed_or_moved_into_place_are_complete() {
        let changed = |kind| {
            let event = Event::new(kind).add_path("/p/perf.data".into());
            let changed = changed(Ok(event))?;
            assert_eq!(changed.paths, [PathBuf::from("/p/perf.data")]);
            Some(changed)
        };
        let closed = |kind| Some(changed(kind)?.closed);
        let moved = |mode| closed(EventKind::Modify(ModifyKind::Name(mode)));
        let access = |mode| closed(EventKind::Access(AccessKind::Close(mode)));
        assert_eq!(access(AccessMode::Write), Some(true));
        assert_eq!(access(AccessMode::Read), None);
        assert_eq!(moved(RenameMode::To), Some(true));
        assert_eq!(moved(RenameMode::Both), Some(true));
        assert_eq!(moved(RenameMode::From), Some(false));
        assert_eq!(closed(EventKind::Create(CreateKind::File)), Some(false));
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert_eq!(closed(data), Some(false));
        let written = |kind| changed(kind).is_some_and(|changed| changed.written);
        assert_eq!(written(data), cfg!(target_os = "linux"));
        assert!(!written(EventKind::Create(CreateKind::File)));
    }

    #[test]
    fn folders_are_new_until_they_are_watched() {
        let (changes, _received) = tokio::sync::mpsc::unbounded_channel();
        let folder = tempfile::tempdir().unwrap();
        let (outer, inner) = (folder.path().to_owned(), folder.path().join("inner"));
        std::fs::create_dir(&inner).unwrap();
        let both = || [outer.clone(), inner.clone()];
        let mut folders = Folders::new(Watch::Native, changes);
        assert!(folders.set([outer.clone()]));
        assert!(folders.set(both()));
        assert!(!folders.set(both()));
        // Events in a folder that was moved away no longer belong to its path.
        folders.forget(&outer);
        assert!(folders.set([inner.clone()]));
        assert!(!folders.set([inner.clone()]));
        assert!(!folders.set([folder.path().join("missing")]));
    }

    #[test]
    fn folders_beyond_the_limit_are_polled() {
        let (changes, _received) = tokio::sync::mpsc::unbounded_channel();
        let mut folders = Folders::new(Watch::Native, changes);
        let path = |i: usize| PathBuf::from(format!("/no/such/folder/{i}"));
        // Some folders are given twice.
        folders.set((0..MAX_FOLDERS).chain(0..10).map(path));
        assert_eq!((folders.problem(), folders.poll_interval(Watch::Native)), (None, None));
        folders.set((0..=MAX_FOLDERS).map(path));
        let problem = "1 of 1025 folders cannot be watched (the limit is 1024)";
        assert_eq!(folders.problem().map(|it| &**it), Some(problem));
        assert_eq!(folders.poll_interval(Watch::Native), Some(Duration::from_secs(2)));
    }
}
