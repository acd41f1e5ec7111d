//! Which function of another profile has the same name, for functions whose definition is not known.

use analysis::FunctionId;
use loading::{FunctionName, Snapshot, unversioned};
use std::borrow::Cow;

/// If more funcs than this share a name, as closures do, they are distinguished only by file and
/// library. Comparing each with each would take too long.
const MAX_FUNCS: usize = 1000;

/// What the name of a function says about which function of another profile it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SameName {
    /// The only one of this name in its file or library, in both profiles, or in a file of the same
    /// name in another folder.
    Only(FunctionId),
    /// There are several, or it is elsewhere.
    Unclear,
    /// The other profile has no function of this name.
    None,
}

/// Where functions with the same name are.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// In a workspace file, whatever its recorded path is.
    Source,
    /// In a library.
    Library,
    /// In a file of any version of a library.
    Unversioned,
}

impl Place {
    /// The place of a function. `None` if that is not known.
    fn of(self, snapshot: &Snapshot, function: FunctionId) -> Option<Cow<'_, str>> {
        let this = snapshot.function(function);
        match self {
            Self::Source => Some(snapshot.path_of(this.file?)?.to_string_lossy()),
            Self::Library => this.lib.map(Cow::Borrowed),
            Self::Unversioned => Some(unversioned(snapshot.file_name(this.file?)).into()),
        }
    }
}

/// Which function of `before` has the name of a function of `shown`.
pub(crate) fn same_name(before: &Snapshot, shown: &Snapshot, function: FunctionId) -> SameName {
    let key = shown.key(function);
    let same_key = before.find(&key);
    if !same_key.is_empty() {
        return only(&same_key, &shown.find(&key));
    }
    let n_funcs = [before, shown].map(|snapshot| snapshot.n_funcs_named(&key.name));
    if n_funcs.into_iter().any(|n| n > MAX_FUNCS) {
        return SameName::Unclear;
    }
    let [before_named, shown_named] = [before, shown].map(|snapshot| match n_funcs[0] {
        0 => snapshot.clones_of(&key.name),
        _ => snapshot.with_name(&key.name),
    });
    if before_named.is_empty() {
        return SameName::None;
    }
    for place in [Place::Source, Place::Library, Place::Unversioned] {
        let Some(this) = place.of(shown, function) else { continue };
        let there = |snapshot: &Snapshot, named: &[FunctionId]| -> Vec<FunctionId> {
            let is_there = |it: &FunctionId| place.of(snapshot, *it).is_some_and(|it| it == this);
            named.iter().copied().filter(is_there).collect()
        };
        let same = there(before, &before_named);
        if !same.is_empty() {
            return only(&same, &there(shown, &shown_named));
        }
    }
    let found = in_other_folder([before, shown], function, [&before_named, &shown_named]);
    found.map_or(SameName::Unclear, SameName::Only)
}

/// The function of `before` that has the name of a function of `shown` and is in a file of the same
/// name, such as a function of a program that was built in another folder. If one of the profiles has
/// several functions with this name, the paths of the files must have more in common, and more than
/// any others. Files that were found are the same only if their paths are.
fn in_other_folder(
    [before, shown]: [&Snapshot; 2],
    function: FunctionId,
    named: [&[FunctionId]; 2],
) -> Option<FunctionId> {
    let FunctionName { closure, outer, .. } = FunctionName::of(&shown.key(function).name);
    if closure && outer.is_none() {
        return None;
    }
    let least = if named.iter().all(|named| named.len() == 1) { 1 } else { 2 };
    let same = closest(shown, function, before, named[0], least)?;
    (closest(before, same, shown, named[1], least) == Some(function)).then_some(same)
}

/// The function among `named`, of `other`, whose file has the longest end in common with that of
/// `function`: at least this many names. `None` if there are several.
fn closest(
    snapshot: &Snapshot,
    function: FunctionId,
    other: &Snapshot,
    named: &[FunctionId],
    least: usize,
) -> Option<FunctionId> {
    let missing_file = |snapshot: &Snapshot, function| -> Option<String> {
        let file = snapshot.function(function).file?;
        snapshot.path_of(file).is_none().then(|| unversioned(snapshot.file_name(file)))
    };
    let path = missing_file(snapshot, function)?;
    let lib = snapshot.function(function).lib;
    let common = |it: FunctionId| -> Option<(usize, FunctionId)> {
        let other_lib = other.function(it).lib;
        let is_possible = lib.is_none() || other_lib.is_none() || lib == other_lib;
        let common = common_end(&path, &missing_file(other, it)?);
        (is_possible && common >= least).then_some((common, it))
    };
    let mut found: Vec<_> = named.iter().filter_map(|&it| common(it)).collect();
    found.sort_unstable();
    match found[..] {
        [.., (second, _), (first, _)] if first == second => None,
        [.., (_, same)] => Some(same),
        [] => None,
    }
}

/// How many names the ends of two paths have in common. If one of them is relative, all of its names
/// count as many.
fn common_end(a: &str, b: &str) -> usize {
    let names = |path: &'_ str| path.split(['/', '\\']).count();
    let common = a.rsplit(['/', '\\']).zip(b.rsplit(['/', '\\']));
    let common = common.take_while(|(a, b)| a == b).count();
    if common == names(a).min(names(b)) { usize::MAX } else { common }
}

fn only(before: &[FunctionId], shown: &[FunctionId]) -> SameName {
    match (before, shown) {
        ([same], [_]) => SameName::Only(*same),
        _ => SameName::Unclear,
    }
}
