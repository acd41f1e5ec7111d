//! The files that should show no costs.

use crate::config::paths::{glob_set, globs_in};
use crate::config::settings::SourceSettings;
use globset::GlobSet;
use sources::SourceIndex;
use std::path::{Path, PathBuf};

/// The files that the setting `exclude` matches.
pub struct Excluded<'i> {
    /// Each root, with the globs in it.
    roots: Vec<(&'i Path, GlobSet)>,
}

impl<'i> Excluded<'i> {
    /// The files in the roots of an index.
    pub fn new(settings: &SourceSettings, index: &'i SourceIndex) -> Self {
        let home = std::env::home_dir();
        let roots: Vec<PathBuf> = index.roots().iter().map(|root| root.path.clone()).collect();
        let globs = |root: &Path| {
            let globs = globs_in(root, &settings.exclude, &roots, home.as_deref());
            glob_set(globs.iter().map(String::as_str))
        };
        let index_roots = index.roots().iter().map(|root| root.path.as_path());
        Self { roots: index_roots.map(|root| (root, globs(root))).collect() }
    }

    /// Whether a file (canonical) is among them.
    pub fn contains(&self, path: &Path) -> bool {
        let mut inside = self
            .roots
            .iter()
            .filter_map(|(root, globs)| Some((path.strip_prefix(root).ok()?, globs)));
        inside.next().is_some_and(|(path, globs)| globs.is_match(path))
    }
}
