//! The files that should show no costs.

use crate::settings::SourceSettings;
use crate::settings::paths::{glob_set, globs_in};
use globset::GlobSet;
use sources::SourceIndex;
use std::path::{Path, PathBuf};

/// The files that the setting `exclude` matches.
#[derive(Debug)]
pub struct Excluded<'i> {
    /// Each root, with the globs in it.
    roots: Vec<(&'i Path, GlobSet)>,
}

impl<'i> Excluded<'i> {
    /// The files in the roots of an index.
    pub fn new(settings: &SourceSettings, index: &'i SourceIndex) -> Self {
        let home = std::env::home_dir();
        let roots = || index.roots().iter().map(|root| root.path.as_path());
        let given: Vec<PathBuf> = roots().map(|root| index.as_given(root)).collect();
        // Absolute globs may be in the root as it is given, or in the canonical one.
        let globs = |root: &Path, as_given: &Path| {
            let globs_in = |root| globs_in(root, &settings.exclude, &given, home.as_deref());
            let globs = [globs_in(as_given), globs_in(root)].concat();
            glob_set(globs.iter().map(String::as_str))
        };
        let roots = roots().zip(&given).map(|(root, as_given)| (root, globs(root, as_given)));
        Self { roots: roots.collect() }
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
