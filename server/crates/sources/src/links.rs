//! Recorded paths that lead into a root through symlinks outside of it, or through `..` after a
//! symlink. Only folders are asked for their canonical path; no file is opened.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Component, Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::answering::answers;
use crate::index::{Found, SourceIndex};
use crate::name::is_network_path;

/// The limit for the folders that are asked for their canonical path.
const MAX_FOLDERS: usize = 4096;

/// The canonical paths of recorded folders.
#[derive(Debug, Default)]
pub(crate) struct Links {
    folders: RefCell<FxHashMap<PathBuf, Option<PathBuf>>>,
    /// Whether a disk did not answer. No other folder is asked then.
    has_stalled: Cell<bool>,
}

impl Links {
    /// Looks at a recorded path. `lexical` is the same without `.` and `..`.
    pub fn find(&self, recorded: &Path, lexical: &Path, index: &SourceIndex) -> Found {
        let has_parent = recorded.components().any(|part| part == Component::ParentDir);
        let found = index.find(lexical);
        if !has_parent && !matches!(found, Found::Elsewhere) {
            return found;
        }
        let Some(real) = self.canonical(if has_parent { recorded } else { lexical }) else {
            return found;
        };
        match (index.find(&real), found) {
            (Found::File(file), _) => Found::File(file),
            // Without the link, the path is that of another file.
            (Found::Elsewhere, Found::File(file)) if file != real => Found::Outside,
            (_, found) => found,
        }
    }

    /// The path of a file with the canonical path of its folder. `None` if there is no such file.
    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        if !path.is_absolute() || is_network_path(&path.to_string_lossy()) {
            return None;
        }
        let known = self.folders.borrow().get(folder).cloned();
        let folder = known.unwrap_or_else(|| self.ask(folder))?;
        let path = folder.join(name);
        path.is_file().then_some(path)
    }

    fn ask(&self, folder: &Path) -> Option<PathBuf> {
        let mut folders = self.folders.borrow_mut();
        if self.has_stalled.get() || folders.len() >= MAX_FOLDERS {
            return None;
        }
        let has_answered = answers(folder);
        self.has_stalled.set(!has_answered);
        let found = has_answered.then(|| fs::canonicalize(folder).ok()).flatten();
        folders.insert(folder.to_owned(), found.clone());
        found
    }
}
