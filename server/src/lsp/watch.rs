//! Noticing that files change.
//!
//! Folders are watched, not files: a watch on a file is deaf after the first atomic replace. What
//! an event says is not believed; it only means "look again". Where the system refuses watches or
//! gives no events, looking now and then must do.

use engine::settings::Watch;
use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// More folders than this are left to looking now and then.
const MAX_FOLDERS: usize = 1024;

/// Something happened to these files.
#[derive(Debug)]
pub struct Changed {
    /// Which, as the system names them; empty = unknown.
    pub paths: Vec<PathBuf>,
    /// Whether a writer closed them.
    pub closed: bool,
}

/// Watches folders.
pub struct Folders {
    watcher: Option<RecommendedWatcher>,
    watched: HashSet<PathBuf>,
    refused: bool,
}

impl Folders {
    /// A watcher that tells `changes` what happened, or none where settings or the system do not
    /// want one.
    pub fn new(mode: Watch, changes: UnboundedSender<Changed>) -> Self {
        let handler = move |event: notify::Result<Event>| {
            let changed = match event {
                // Reading is no change; the end of writing is news.
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
        let watcher = match mode {
            Watch::Poll => None,
            Watch::Auto | Watch::Native => notify::recommended_watcher(handler)
                .inspect_err(|error| {
                    tracing::warn!(
                        "no file events from the system ({error}); looking every few seconds"
                    );
                })
                .ok(),
        };
        Self { watcher, watched: HashSet::new(), refused: false }
    }

    /// Watches exactly these folders from now on.
    pub fn set(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        let Some(watcher) = &mut self.watcher else { return };
        let wanted: HashSet<PathBuf> = folders.into_iter().take(MAX_FOLDERS).collect();
        for gone in self.watched.difference(&wanted) {
            let _ = watcher.unwatch(gone);
        }
        self.watched.retain(|folder| wanted.contains(folder));
        for folder in wanted {
            if self.watched.contains(&folder) {
                continue;
            }
            match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(folder);
                }
                Err(error) if !self.refused && folder.exists() => {
                    self.refused = true;
                    tracing::warn!(
                        "{}: cannot be watched ({error}); looking every few seconds",
                        folder.display()
                    );
                }
                Err(_) => {}
            }
        }
    }

    /// Forgets a folder that was removed: should it come back, it must be watched anew.
    pub fn forget(&mut self, path: &Path) {
        if self.watched.remove(path)
            && let Some(watcher) = &mut self.watcher
        {
            let _ = watcher.unwatch(path);
        }
    }

    /// How often to look without being told, if at all.
    pub fn poll_every(&self, mode: Watch) -> Option<Duration> {
        match (mode, &self.watcher, self.refused) {
            (Watch::Poll, ..) | (_, None, _) | (_, _, true) => Some(Duration::from_secs(2)),
            (Watch::Auto, Some(_), false) => Some(Duration::from_secs(5)),
            (Watch::Native, Some(_), false) => None,
        }
    }
}
