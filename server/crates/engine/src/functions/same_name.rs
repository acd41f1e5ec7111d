//! Which function of another profile has the same name, for functions whose definition is not known.

use crate::functions::unversioned::unversioned;
use crate::snapshot::Snapshot;
use analysis::FunctionId;
use std::borrow::Cow;

/// If more funcs than this share a name, as closures do, they are distinguished only by file and
/// library. Comparing each with each would take too long.
const MAX_FUNCS: usize = 1000;

/// What the name of a function says about which function of another profile it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SameName {
    /// The only one of this name in its file or library, in both profiles.
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
    if n_funcs[0] == 0 {
        return SameName::None;
    }
    if n_funcs.into_iter().any(|n| n > MAX_FUNCS) {
        return SameName::Unclear;
    }
    let [before_named, shown_named] = [before, shown].map(|snapshot| snapshot.with_name(&key.name));
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
    SameName::Unclear
}

fn only(before: &[FunctionId], shown: &[FunctionId]) -> SameName {
    match (before, shown) {
        ([same], [_]) => SameName::Only(*same),
        _ => SameName::Unclear,
    }
}
