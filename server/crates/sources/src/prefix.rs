//! Finds out where the folder that a profile was recorded in lies now, from all its absolute names together.
//!
//! One name proves little: half the world has a `src/util.c`. But names that were built in one folder and lie in one
//! folder of the workspace leave the same pair of folders over when the end that both paths share is taken away. For
//! each root only the pair most names agree on is believed, and works from then on like a user's rule.
//! Names of libraries have no voice; see `name`.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::index::{File, SourceIndex};
use crate::name::Name;

/// An end of a path that more files share than this tells nothing: more components are asked for.
const MAX_CANDIDATES: usize = 16;

/// What the absolute names of a profile agree on.
#[derive(Debug)]
pub(crate) struct Prefixes<'a> {
    index: &'a SourceIndex,
    /// At most one for each root.
    believed: Vec<Pair<'a>>,
    /// Names are spelled with these roots themselves, so that no other folder can be meant.
    spelled: FxHashSet<usize>,
}

/// A folder of the profile and the folder of a root that would be the same.
#[derive(Debug)]
struct Pair<'a> {
    /// As [`Name::key`].
    from: &'a str,
    /// As the profile spells it.
    from_text: &'a str,
    to: &'a Path,
    root: usize,
    /// How many names agree.
    n_names: usize,
    /// The most components that a name and its file share.
    n_shared: usize,
    /// There is a second file which the only name could mean as well.
    is_doubtful: bool,
}

/// A file that ends like a name.
struct Candidate<'a> {
    file: &'a File,
    /// Components shared at the end, including those of the root's own path.
    n_shared: usize,
    /// Of these, how many lie inside the root.
    n_inside: usize,
}

/// Whether a name lies below a believed folder.
pub(crate) enum Verdict<'a> {
    /// The files at the same place in the best-supported folders; more than one if two roots are equal.
    Files(Vec<PathBuf>),
    /// Other names say that this candidate's root was elsewhere.
    Differs { candidate: &'a Path, established: String },
    /// These files share the most components, `n_shared`, with the name (none if the file is gone), but nothing
    /// proves that one of them is meant.
    Undecided { files: &'a [File], n_shared: usize },
}

impl<'a> Prefixes<'a> {
    /// `names` are the absolute ones; `spelled` the roots in which files were found by their own path.
    pub fn infer(index: &'a SourceIndex, names: impl Iterator<Item = &'a Name>, spelled: FxHashSet<usize>) -> Prefixes<'a> {
        let mut seen = FxHashSet::default();
        let mut pairs: FxHashMap<(&str, &str), Pair> = FxHashMap::default();
        for name in names.filter(|name| seen.insert(name.key.as_str())) {
            let candidates = candidates(index, &name.key);
            let is_doubtful = candidates.len() > 1;
            for candidate in candidates.iter().filter(|candidate| !spelled.contains(&candidate.file.root)) {
                let Some(to) = candidate.file.path.ancestors().nth(candidate.n_inside) else {
                    continue;
                };
                let from = key_after(&name.key, candidate.n_inside);
                let pair = pairs.entry((from, key_after(&candidate.file.key, candidate.n_inside))).or_insert_with(|| Pair {
                    from,
                    from_text: name.split_last(candidate.n_inside).0,
                    to,
                    root: candidate.file.root,
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
        let believed = by_root.into_values().filter_map(|pairs| best(index, pairs, &seen));
        let mut believed: Vec<Pair> = believed.collect();
        believed.sort_unstable_by_key(|pair| pair.root);
        Prefixes { index, believed, spelled }
    }

    /// Where a name would be. `exists` gives the file at a path inside the roots.
    pub fn judge(&self, name: &Name, exists: impl Fn(&Path) -> Option<PathBuf>) -> Verdict<'a> {
        let found = self.believed.iter().filter_map(|pair| {
            let rest = rest_below(&name.key, pair.from)?;
            let n_rest = rest.matches('/').count();
            let file = exists(&pair.to.join(name.split_last(n_rest).1))?;
            Some(((pair.n_names, pair.n_shared), file))
        });
        let found: Vec<_> = found.collect();
        if let Some(best) = found.iter().map(|(score, _)| *score).max() {
            let best = found.into_iter().filter(|(score, _)| *score == best);
            return Verdict::Files(best.map(|(_, file)| file).collect());
        }

        if self.believed.iter().any(|pair| rest_below(&name.key, pair.from).is_some()) {
            return Verdict::Undecided { files: &[], n_shared: 0 };
        }
        let ends = ends(&name.key).map(|end| self.index.ending_with(end));
        let closest = ends.take_while(|files| !files.is_empty()).zip(1..).last();
        let (files, n_shared) = closest.unwrap_or((&[], 0));
        let differs = files
            .iter()
            .find_map(|file| Some(Verdict::Differs { candidate: &file.path, established: self.established(file.root)? }));
        differs.unwrap_or(Verdict::Undecided { files, n_shared })
    }

    /// The folder of the profile that is known to be (in) a root.
    fn established(&self, root: usize) -> Option<String> {
        if self.spelled.contains(&root) {
            return Some(self.index.roots().get(root)?.path.display().to_string());
        }
        let pair = self.believed.iter().find(|pair| pair.root == root)?;
        Some(pair.from_text.to_owned())
    }
}

/// The pair of a root that may be believed: the one most names agree on, then the one with the longest shared end.
fn best<'a>(index: &SourceIndex, mut pairs: Vec<Pair<'a>>, names: &FxHashSet<&str>) -> Option<Pair<'a>> {
    let lies_in_root = |pair: &Pair| index.roots().get(pair.root).is_some_and(|root| root.path == pair.to);
    pairs.retain(|pair| {
        let is_lone = pair.n_names == 1;
        // A base name alone tells something only about a script that lies in the root itself.
        let tells = pair.n_shared > 1 || lies_in_root(pair) && !pair.is_doubtful;
        !is_lone || tells && index.is_complete()
    });
    let score = |pair: &Pair| (pair.n_names, pair.n_shared);
    let at = (0..pairs.len()).max_by_key(|&at| score(&pairs[at]))?;
    let best = pairs.swap_remove(at);
    if pairs.iter().any(|pair| score(pair) == score(&best)) {
        return None;
    }
    // A foreign project of many files meets some of ours by chance. If another folder has a claim too, the best must
    // have found most of what lies below it.
    let is_disputed = pairs.iter().any(|pair| pair.from != best.from);
    let n_below = || names.iter().filter(|name| rest_below(name, best.from).is_some()).count();
    (!is_disputed || best.from.is_empty() || 2 * best.n_names >= n_below()).then_some(best)
}

/// The files that end like a name, with at least so many components that not too many do.
fn candidates<'a>(index: &'a SourceIndex, name_key: &str) -> Vec<Candidate<'a>> {
    let files = ends(name_key).map(|end| index.ending_with(end)).find(|files| files.len() <= MAX_CANDIDATES);
    let candidate = |file: &'a File| {
        let n_shared = n_shared(name_key, &file.key);
        let root = index.roots().get(file.root)?;
        let n_depth = file.path.strip_prefix(&root.path).ok()?.components().count();
        Some(Candidate { file, n_shared, n_inside: n_shared.min(n_depth) })
    };
    files.unwrap_or_default().iter().filter_map(candidate).collect()
}

/// The last component of a name, the last two, and so on; as keys.
fn ends(name_key: &str) -> impl Iterator<Item = &str> {
    name_key.match_indices('/').map(|(slash, _)| &name_key[..=slash])
}

/// How many components two keys begin with alike.
fn n_shared(a: &str, b: &str) -> usize {
    let alike = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b);
    alike.filter(|(byte, _)| *byte == b'/').count()
}

/// A key without its first `n` components.
fn key_after(key: &str, n: usize) -> &str {
    let slash = n.checked_sub(1).and_then(|n| key.match_indices('/').nth(n));
    slash.map_or(key, |(at, _)| &key[at + 1..])
}

/// The key of what is left of a name below a folder.
fn rest_below<'k>(name: &'k str, folder: &str) -> Option<&'k str> {
    name.strip_suffix(folder).filter(|rest| rest.ends_with('/'))
}
