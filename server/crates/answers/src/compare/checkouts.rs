//! Files of two checkouts below one root, such as `base/src/app.c` and `head/src/app.c`.
//!
//! A file that only one of the profiles has is the one of the other profile with the same name and the
//! longest common end of its path, if at least half of the functions of one of them have a name in the
//! other. Files that have only their name in common are others (`a/mod.rs`, `b/mod.rs`).

use analysis::FileId;
use loading::Snapshot;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::OsStr;
use std::path::Path;

/// The number of functions that two files must have in common.
const MIN_SAME: usize = 2;

/// A workspace file that the other profile does not have.
struct OneSided<'a> {
    file: FileId,
    path: &'a Path,
    /// The recorded names of its functions.
    functions: FxHashSet<&'a str>,
}

/// The files of `before` that files of `shown` are, which the other profile has in another checkout.
pub(crate) fn pairs(before: &Snapshot, shown: &Snapshot) -> FxHashMap<FileId, FileId> {
    let (of_before, of_shown) = (one_sided(before, shown), one_sided(shown, before));
    let mut pairs = FxHashMap::default();
    for (name, shown) in &of_shown {
        let Some(before) = of_before.get(name) else { continue };
        for this in shown {
            if let Some(same) = closest(this, before)
                && closest(same, shown).is_some_and(|it| it.file == this.file)
            {
                pairs.insert(this.file, same.file);
            }
        }
    }
    pairs
}

/// The workspace files that another profile does not have, by their base name.
fn one_sided<'a>(
    snapshot: &'a Snapshot,
    other: &Snapshot,
) -> FxHashMap<&'a OsStr, Vec<OneSided<'a>>> {
    let mut functions: FxHashMap<FileId, FxHashSet<&str>> = FxHashMap::default();
    for (function, _) in snapshot.costs.functions() {
        let this = snapshot.function(function);
        if let Some(file) = this.file {
            functions.entry(file).or_default().insert(snapshot.function(function).name);
        }
    }
    let mut files: FxHashMap<&OsStr, Vec<OneSided>> = FxHashMap::default();
    for (file, functions) in functions {
        let path = snapshot.path_of(file).filter(|path| other.file_at(path).is_none());
        if let Some((path, name)) = path.and_then(|path| Some((path, path.file_name()?))) {
            files.entry(name).or_default().push(OneSided { file, path, functions });
        }
    }
    files
}

/// The file of `others` that is most likely another version of a file. `None` if there are several.
fn closest<'a, 'b>(this: &OneSided<'_>, others: &'b [OneSided<'a>]) -> Option<&'b OneSided<'a>> {
    let common_end = |other: &OneSided<'_>| {
        let both = this.path.iter().rev().zip(other.path.iter().rev());
        both.take_while(|(a, b)| a == b).count()
    };
    let is_same = |other: &&OneSided<'_>| {
        let n_same = this.functions.intersection(&other.functions).count();
        let n_least = this.functions.len().min(other.functions.len());
        n_same >= MIN_SAME && 2 * n_same >= n_least
    };
    let found = others.iter().filter(is_same);
    let mut found: Vec<_> = found.map(|other| (common_end(other), other)).collect();
    found.sort_by_key(|(common, _)| *common);
    match found[..] {
        [.., (second, _), (first, _)] if first == second => None,
        [.., (_, same)] => Some(same),
        [] => None,
    }
}
