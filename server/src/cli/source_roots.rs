//! The folders whose files the command line shows.

use super::current_folder::{absolute, absolute_folder, current_folder};
use answers::{project_above, project_at};
use std::path::{Path, PathBuf};

/// The folders of `--root`, or else the project that contains the profile, or else the project
/// around the current folder. In addition, the projects of the existing `sources` outside of them:
/// the user has named these files.
pub(super) fn source_roots(given: &[PathBuf], profile: &Path, sources: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = given.iter().map(|root| absolute_folder(root)).collect();
    if roots.is_empty() {
        roots.push(default_root(profile));
    }
    for source in sources.iter().filter_map(|source| source.canonicalize().ok()) {
        let is_inside =
            |root: &PathBuf| root.canonicalize().is_ok_and(|root| source.starts_with(root));
        if !roots.iter().any(is_inside) {
            let folder = || source.parent().map(Path::to_owned);
            roots.extend(project_above(&source).or_else(folder));
        }
    }
    roots
}

fn default_root(profile: &Path) -> PathBuf {
    let current = || {
        let folder = current_folder();
        project_at(&folder).unwrap_or(folder)
    };
    project_above(&absolute(profile)).unwrap_or_else(current)
}
