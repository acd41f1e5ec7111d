//! Recorded paths that lead into a root through symlinks outside of it, or through `..` after a
//! symlink. Only the canonical paths of folders are asked for; no file is opened.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{Found, SourceIndex};
use crate::name::{Name, is_network_path};

/// The limit for the folders of one profile that are asked for.
const MAX_FOLDERS: usize = 4096;

/// How long all answers together may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// Whether an answer is overdue. Nothing else is asked until it has come.
static HAS_STALLED: AtomicBool = AtomicBool::new(false);

/// The canonical paths of the folders of recorded files.
#[derive(Debug, Default)]
pub(crate) struct Links(FxHashMap<PathBuf, PathBuf>);

impl Links {
    /// Finds the canonical folders of all paths that may lead into a root through a link. `names` are
    /// the recorded names, each with its parsed form.
    pub fn of<'n>(names: impl Iterator<Item = (&'n str, &'n Name)>, index: &SourceIndex) -> Self {
        let mut folders: FxHashSet<&Path> = FxHashSet::default();
        for (recorded, name) in names {
            let path = to_follow(recorded, name);
            let Some(folder) = path.parent().filter(|folder| folder.is_absolute()) else {
                continue;
            };
            let may_be_elsewhere = has_parent_component(path) || index.root_of(path).is_none();
            // `//host/share` names another machine on other systems, so it is not looked at here either.
            let is_local = !recorded.trim().starts_with("//")
                && !is_network_path(recorded.trim())
                && !name.is_of_other_machine()
                && !is_network_path(&folder.to_string_lossy());
            if may_be_elsewhere && folders.len() < MAX_FOLDERS && is_local {
                folders.insert(folder);
            }
        }
        let folders: Vec<PathBuf> = folders.into_iter().map(Path::to_owned).collect();
        Self(canonical(folders).unwrap_or_default())
    }

    /// Looks at a recorded path.
    pub fn find(&self, recorded: &str, name: &Name, index: &SourceIndex) -> Found {
        let path = to_follow(recorded, name);
        let found = index.find(Path::new(&name.text));
        if !has_parent_component(path) && !matches!(found, Found::Elsewhere) {
            return found;
        }
        let folder = path.parent().and_then(|folder| self.0.get(folder));
        let Some(real) = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name))
        else {
            return found;
        };
        match (index.find(&real), found) {
            (Found::File(file), _) => Found::File(file),
            // Without the link, the path names another file.
            (Found::Elsewhere, Found::File(file)) if file != real && real.is_file() => {
                Found::Outside
            }
            (_, found) => found,
        }
    }
}

/// The path whose links are followed: the recorded one if it contains `..`, or else the cleaned one.
fn to_follow<'n>(recorded: &'n str, name: &'n Name) -> &'n Path {
    let recorded = Path::new(recorded.trim());
    if has_parent_component(recorded) { recorded } else { Path::new(&name.text) }
}

fn has_parent_component(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// The canonical path of each folder that exists. `None` if a disk does not answer.
fn canonical(folders: Vec<PathBuf>) -> Option<FxHashMap<PathBuf, PathBuf>> {
    if folders.is_empty() || HAS_STALLED.load(Ordering::SeqCst) {
        return None;
    }
    let (sender, answer) = channel();
    let ask = move || {
        let pairs = folders.into_iter().filter_map(|folder| {
            let canonical = fs::canonicalize(&folder).ok()?;
            Some((folder, canonical))
        });
        // Nobody waits any more if the answer is too late.
        let _ = sender.send(pairs.collect());
        HAS_STALLED.store(false, Ordering::SeqCst);
    };
    std::thread::Builder::new().spawn(ask).ok()?;
    if let Ok(pairs) = answer.recv_timeout(DEADLINE) {
        return Some(pairs);
    }
    HAS_STALLED.store(true, Ordering::SeqCst);
    // The answer may have come at the last moment.
    let pairs = answer.try_recv().ok()?;
    HAS_STALLED.store(false, Ordering::SeqCst);
    Some(pairs)
}
