//! The current folder, as the user names it.
//!
//! Compilers and profilers record the name that the shell has for it (`PWD`), which may lead through
//! links.

use std::path::{Path, PathBuf};

/// The current folder: `PWD` if it names that folder, or else its real path.
pub(super) fn current_folder() -> PathBuf {
    let real = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let named = std::env::var_os("PWD").map(PathBuf::from);
    named.filter(|named| named.is_absolute() && is_same(named, &real)).unwrap_or(real)
}

/// The absolute path of a path relative to the current folder.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = current_folder().join(path);
    std::path::absolute(&path).unwrap_or(path)
}

/// The absolute path of a folder, by the user's name for it if the current folder is in it.
pub(super) fn absolute_folder(folder: &Path) -> PathBuf {
    let (folder, current) = (absolute(folder), current_folder());
    let named = current.ancestors().find(|ancestor| is_same(ancestor, &folder));
    named.map_or_else(|| folder.clone(), Path::to_owned)
}

/// A path for messages: relative to the current folder if it is in there.
pub(super) fn relative(path: &Path) -> String {
    let path = absolute(path);
    path.strip_prefix(current_folder()).unwrap_or(&path).display().to_string()
}

fn is_same(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().ok().is_some_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
