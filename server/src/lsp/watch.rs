//! Watches folders for changed files.
//!
//! Folders are watched instead of files, because a watch on a file ends with its first atomic
//! replacement. The details of an event are unreliable, so it only triggers a scan.
//! Where the system cannot watch, the server polls.

use engine::settings::Watch;
use notify::event::{AccessKind, AccessMode};
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
    /// Whether they were closed after writing.
    pub closed: bool,
}

/// Watches folders.
pub struct Folders {
    /// `None` if the settings or the system do not allow one.
    watcher: Option<RecommendedWatcher>,
    watched: HashSet<PathBuf>,
    /// Why the system, or a folder, cannot be watched, although it should be.
    problem: Option<Arc<str>>,
}

impl Folders {
    /// Watches no folders yet; changes are sent to `changes`.
    pub fn new(mode: Watch, changes: UnboundedSender<Changed>) -> Self {
        let handler = move |event: notify::Result<Event>| {
            let changed = match event {
                // Other kinds of access do not change the file.
                Ok(Event {
                    kind: EventKind::Access(AccessKind::Close(AccessMode::Write)),
                    paths,
                    ..
                }) => Changed { paths, closed: true },
                Ok(Event { kind: EventKind::Access(_), .. }) => return,
                Ok(event) => Changed {
                    paths: if event.need_rescan() { Vec::new() } else { event.paths },
                    closed: false,
                },
                Err(_) => Changed { paths: Vec::new(), closed: false },
            };
            let _ = changes.send(changed);
        };
        let mut this = Self { watcher: None, watched: HashSet::new(), problem: None };
        if mode != Watch::Poll {
            match notify::recommended_watcher(handler) {
                Ok(watcher) => this.watcher = Some(watcher),
                Err(error) => this.fail("files", &error),
            }
        }
        this
    }

    fn fail(&mut self, what: &str, error: &notify::Error) {
        let problem = format!("{what} cannot be watched ({error})");
        tracing::warn!("{problem}; polling every few seconds instead");
        self.problem = Some(problem.into());
    }

    /// Why the server polls although the settings do not say so. `None` if it does not.
    pub fn problem(&self) -> Option<&Arc<str>> {
        self.problem.as_ref()
    }

    /// Replaces the watched folders.
    pub fn set(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: HashSet<PathBuf> = folders.into_iter().take(MAX_FOLDERS).collect();
        for gone in self.watched.difference(&wanted) {
            let _ = watcher.unwatch(gone);
        }
        self.watched.retain(|folder| wanted.contains(folder));
        let mut failed = None;
        for folder in wanted {
            if self.watched.contains(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder);
                }
                Err(error) if folder.exists() => failed = failed.or(Some((folder, error))),
                Err(_) => {}
            }
        }
        if let Some((folder, error)) = failed.filter(|_| self.problem.is_none()) {
            self.fail(&folder.display().to_string(), &error);
        }
    }

    /// Forgets a folder that was removed, so that it is watched again if it is created again.
    pub fn forget(&mut self, path: &Path) {
        if self.watched.remove(path)
            && let Some(watcher) = &mut self.watcher
        {
            let _ = watcher.unwatch(path);
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
