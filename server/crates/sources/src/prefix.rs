//! Infers where the folder of the recording is now, from all absolute names of a profile together.
//!
//! One name proves little: many projects have a `src/util.c`. But if names that were built in one
//! folder are now in one folder of the workspace, removing the common end of both paths leaves the
//! same pair of folders for all of them. For each root the pair with the most names wins, and then
//! works like a rule of the user. Names of libraries are no evidence; see `name`.
//!
//! Two things count more than the number of names. A recorded folder that has the name of the root
//! is the root, so other folders near it are not (`services/api` and `services/web`). And a folder
//! beside another, in parents of the same names, is a different one.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::SourceIndex;
use crate::listing::File;
use crate::name::Name;

/// The limit for files with a common end. If more files end like a name, more components are
/// compared.
const MAX_CANDIDATES: usize = 16;

/// The pairs of folders that the absolute names of a profile support.
#[derive(Debug)]
pub(crate) struct Prefixes<'a> {
    index: &'a SourceIndex,
    /// At most one per root.
    accepted: Vec<Pair<'a>>,
    /// Roots in which files were found by their own path. They correspond to no other folder.
    exact_roots: FxHashSet<usize>,
}

/// A recorded folder, and the folder of a root that may correspond to it.
#[derive(Debug)]
struct Pair<'a> {
    /// In the form of [`Name::key`].
    from: &'a str,
    /// As spelled in the profile.
    from_text: &'a str,
    to: &'a Path,
    /// In the form of [`Name::key`].
    to_key: &'a str,
    root: usize,
    /// The number of names that support the pair.
    n_names: usize,
    /// The largest number of components that a name shares with its file.
    n_shared: usize,
    /// Whether `from` and the root have the same name.
    has_root_name: bool,
    /// Whether the first name has another file that it could mean.
    is_doubtful: bool,
}

/// A file with the same end as a name.
struct Candidate<'a> {
    file: &'a File,
    /// The number of components in the common end. May include those of the root's own path.
    n_shared: usize,
    /// The number of these inside the root.
    n_inside: usize,
    /// The number of components of the file's path below the root.
    n_depth: usize,
}

/// The result for one name.
pub(crate) enum Verdict<'a> {
    /// The files at the same place in the folders with the most support. More than one if two roots
    /// have equal support.
    Files(Vec<PathBuf>),
    /// There is no file at this place in the folder with the most support.
    Gone(PathBuf),
    /// Other names show that the root of the first of these files was recorded elsewhere. Only one
    /// file if it shares no more than the base name.
    Differs { files: &'a [File], established: String },
    /// This file is in a folder beside the recorded one.
    Beside { candidate: &'a Path, recorded: String },
    /// These files share the most components, `n_shared`, with the name, but nothing proves that
    /// one of them is meant.
    Undecided { files: &'a [File], n_shared: usize },
}

impl<'a> Prefixes<'a> {
    /// `names` are the absolute ones, `exact_roots` the roots in which files were found by their
    /// own path.
    pub fn infer(
        index: &'a SourceIndex,
        names: impl Iterator<Item = &'a Name>,
        exact_roots: FxHashSet<usize>,
    ) -> Prefixes<'a> {
        let mut unique = FxHashSet::default();
        let mut pairs: FxHashMap<(&str, &str), Pair> = FxHashMap::default();
        for name in names.filter(|name| unique.insert(name.key.as_str())) {
            let candidates = candidates(index, &name.key);
            let is_doubtful = candidates.len() > 1;
            for candidate in
                candidates.iter().filter(|candidate| !exact_roots.contains(&candidate.file.root))
            {
                let Some(to) = candidate.file.path.ancestors().nth(candidate.n_inside) else {
                    continue;
                };
                let from = key_after(&name.key, candidate.n_inside);
                let to_key = key_after(&candidate.file.key, candidate.n_inside);
                let pair = pairs.entry((from, to_key)).or_insert_with(|| Pair {
                    from,
                    from_text: name.split_last(candidate.n_inside).0,
                    to,
                    to_key,
                    root: candidate.file.root,
                    has_root_name: candidate.n_shared > candidate.n_inside,
                    n_names: 0,
                    n_shared: 0,
                    is_doubtful,
                });
                pair.n_names += 1;
                pair.n_shared = pair.n_shared.max(candidate.n_shared);
            }
        }

        let mut by_root: FxHashMap<usize, Vec<Pair>> = FxHashMap::default();
        for pair in pairs.into_values() {
            by_root.entry(pair.root).or_default().push(pair);
        }
        let mut accepted: Vec<Pair> =
            by_root.into_values().filter_map(|pairs| best(index, pairs, &unique)).collect();
        accepted.sort_unstable_by_key(|pair| pair.root);
        Prefixes { index, accepted, exact_roots }
    }

    /// The files that a name means. `exists` returns the file at a path inside the roots.
    pub fn judge(&self, name: &Name, exists: impl Fn(&Path) -> Option<PathBuf>) -> Verdict<'a> {
        let found: Vec<_> = self
            .accepted
            .iter()
            .filter_map(|pair| {
                let rest = rest_below(&name.key, pair.from)?;
                let n_rest = rest.matches('/').count();
                let file = exists(&pair.to.join(name.split_last(n_rest).1))?;
                Some(((pair.n_names, pair.n_shared), file))
            })
            .collect();
        if let Some(best) = found.iter().map(|(score, _)| *score).max() {
            let best = found.into_iter().filter(|(score, _)| *score == best);
            return Verdict::Files(best.map(|(_, file)| file).collect());
        }

        let gone = |pair: &Pair<'_>| {
            let n_rest = rest_below(&name.key, pair.from)?.matches('/').count();
            Some(pair.to.join(name.split_last(n_rest).1))
        };
        if let Some(path) = self.accepted.iter().find_map(gone) {
            return Verdict::Gone(path);
        }
        let ends = ends(&name.key).map(|end| self.index.ending_with(end));
        let closest = ends.take_while(|files| !files.is_empty()).zip(1..).last();
        let (files, n_shared) = closest.unwrap_or((&[], 0));
        let differs = files.iter().enumerate().find_map(|(at, file)| {
            let n_files = if n_shared > 1 { files.len() } else { at + 1 };
            Some(Verdict::Differs {
                files: files.get(at..n_files)?,
                established: self.established(file.root)?,
            })
        });
        let beside = || {
            let [file] = files else { return None };
            let candidate = candidate(self.index, &name.key, file)?;
            let recorded = name.split_last(candidate.n_inside).0.to_owned();
            candidate
                .is_beside(&name.key)
                .then_some(Verdict::Beside { candidate: &file.path, recorded })
        };
        differs.or_else(beside).unwrap_or(Verdict::Undecided { files, n_shared })
    }

    /// The recorded folder that corresponds to a root or to a folder in it.
    fn established(&self, root: usize) -> Option<String> {
        if self.exact_roots.contains(&root) {
            return Some(self.index.roots().get(root)?.path.display().to_string());
        }
        let pair = self.accepted.iter().find(|pair| pair.root == root)?;
        Some(pair.from_text.to_owned())
    }
}

/// The pair of a root with the most names, then with the longest common end; `None` if the evidence
/// is not sufficient.
fn best<'a>(
    index: &SourceIndex,
    mut pairs: Vec<Pair<'a>>,
    names: &FxHashSet<&str>,
) -> Option<Pair<'a>> {
    let lies_in_root =
        |pair: &Pair| index.roots().get(pair.root).is_some_and(|root| root.path == pair.to);
    pairs.retain(|pair| {
        let is_lone = pair.n_names == 1;
        // A common base name alone is evidence only for a script in the root itself.
        let is_evidence = pair.n_shared > 1 || lies_in_root(pair) && !pair.is_doubtful;
        !is_lone || is_evidence && index.is_complete()
    });
    pairs.retain(|pair| !is_beside(pair.from, pair.to_key, lies_in_root(pair)));
    let named: Vec<&str> =
        pairs.iter().filter(|pair| pair.has_root_name).map(|pair| pair.from).collect();
    pairs.retain(|pair| pair.has_root_name || !named.iter().any(|named| is_near(pair.from, named)));
    let score = |pair: &Pair| (pair.n_names, pair.n_shared);
    let at = (0..pairs.len()).max_by_key(|&at| score(&pairs[at]))?;
    let best = pairs.swap_remove(at);
    if pairs.iter().any(|pair| score(pair) == score(&best)) {
        return None;
    }
    // A foreign project of many files matches some of ours by chance. If there is another candidate
    // folder, at least half of the names below the best one must have a file.
    let is_disputed = pairs.iter().any(|pair| pair.from != best.from);
    let n_below = || names.iter().filter(|name| rest_below(name, best.from).is_some()).count();
    (!is_disputed || best.from.is_empty() || 2 * best.n_names >= n_below()).then_some(best)
}

/// The files with the same end as a name. Compares as many components as needed to get few files.
fn candidates<'a>(index: &'a SourceIndex, name_key: &str) -> Vec<Candidate<'a>> {
    let files = ends(name_key)
        .map(|end| index.ending_with(end))
        .find(|files| files.len() <= MAX_CANDIDATES);
    let files = files.unwrap_or_default().iter();
    files.filter_map(|file| candidate(index, name_key, file)).collect()
}

fn candidate<'a>(index: &SourceIndex, name_key: &str, file: &'a File) -> Option<Candidate<'a>> {
    let n_shared = n_shared(name_key, &file.key);
    let root = index.roots().get(file.root)?;
    let n_depth = file.path.strip_prefix(&root.path).ok()?.components().count();
    Some(Candidate { file, n_shared, n_inside: n_shared.min(n_depth), n_depth })
}

impl Candidate<'_> {
    /// Whether the recorded folder and the one of the file are neighbors.
    fn is_beside(&self, name_key: &str) -> bool {
        let from = key_after(name_key, self.n_inside);
        is_beside(from, key_after(&self.file.key, self.n_inside), self.n_inside == self.n_depth)
    }
}

/// Whether two folders, as keys, are different folders in parents of the same name. The folders
/// above a root often have common names such as `src`, so two of them must agree.
fn is_beside(from: &str, to: &str, is_root: bool) -> bool {
    let n_parents = n_shared(key_after(from, 1), key_after(to, 1));
    !from.is_empty() && n_shared(from, to) == 0 && n_parents >= if is_root { 2 } else { 1 }
}

/// Whether a recorded folder is near another one: at most two components of the other are not
/// common to both. Both are keys.
fn is_near(folder: &str, other: &str) -> bool {
    fn from_top(key: &str) -> impl Iterator<Item = &str> {
        key.rsplit('/').filter(|component| !component.is_empty())
    }
    let common = from_top(folder).zip(from_top(other)).take_while(|(a, b)| a == b).count();
    common > 0 && common + 2 >= from_top(other).count()
}

/// The last component of a name, the last two, and so on, as keys.
fn ends(name_key: &str) -> impl Iterator<Item = &str> {
    name_key.match_indices('/').map(|(slash, _)| &name_key[..=slash])
}

/// The number of components that two keys have in common at their beginning.
pub(crate) fn n_shared(a: &str, b: &str) -> usize {
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b);
    common.filter(|(byte, _)| *byte == b'/').count()
}

/// A key without its first `n` components.
fn key_after(key: &str, n: usize) -> &str {
    let slash = n.checked_sub(1).and_then(|n| key.match_indices('/').nth(n));
    slash.map_or(key, |(at, _)| &key[at + 1..])
}

/// The key of the rest of a name below a folder.
fn rest_below<'k>(name: &'k str, folder: &str) -> Option<&'k str> {
    name.strip_suffix(folder).filter(|rest| rest.ends_with('/'))
}
