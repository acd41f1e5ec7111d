//! Functions whose name is not known, only their address.
//!
//! An address names a function of one build of a library. In other builds it is another function, or
//! none, and a function whose name is known may be at any of these addresses.

use analysis::{FileId, FunctionId, Lib};
use loading::Snapshot;
use rustc_hash::{FxHashMap, FxHashSet};

/// A library is unresolved if at least this part of its self cost is at addresses. The stubs of a
/// linker are always addresses, and cost very little.
const MIN_UNRESOLVED: f64 = 0.01;

/// Whether only the address of a function is known.
pub(crate) fn is_address(snapshot: &Snapshot, function: FunctionId) -> bool {
    snapshot.key(function).address.is_some()
}

/// The function of `before` at the same address of the same build of a library as `function` of
/// `shown`, which is an address. `None` if there are several.
pub(crate) fn same_address(
    before: &Snapshot,
    shown: &Snapshot,
    function: FunctionId,
) -> Option<FunctionId> {
    let build = lib(shown, function)?;
    let key = shown.key(function);
    let of_build = |snapshot: &Snapshot| {
        let same = |it: &FunctionId| lib(snapshot, *it).is_some_and(|lib| is_same(lib, build));
        snapshot.find(&key).into_iter().filter(same).collect::<Vec<_>>()
    };
    match (&of_build(before)[..], &of_build(shown)[..]) {
        (&[same], [_]) => Some(same),
        _ => None,
    }
}

fn lib(snapshot: &Snapshot, function: FunctionId) -> Option<&Lib> {
    let symbols = snapshot.grouped.recording.symbols();
    let lib = symbols.funcs.get(snapshot.grouped.func(function)).lib?;
    symbols.libs.get(lib.index())
}

/// Whether both are the same build of a library.
fn is_same(a: &Lib, b: &Lib) -> bool {
    let is_equal = |a: &str, b: &str| !a.is_empty() && a == b;
    is_equal(&a.code_id, &b.code_id) || is_equal(&a.debug_id, &b.debug_id)
}

/// The short names of the unresolved libraries of a profile.
#[derive(Debug)]
pub(crate) struct UnresolvedLibs(FxHashSet<String>);

impl UnresolvedLibs {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        /// The self cost of a library, and that of its addresses if it has any.
        type Own = (f64, Option<f64>);
        let mut libs: FxHashMap<&str, Own> = FxHashMap::default();
        for (function, cost) in snapshot.costs.functions() {
            let Some(lib) = snapshot.function(function).lib else { continue };
            let (own, at_addresses) = libs.entry(lib).or_default();
            *own += cost.cost.self_;
            if is_address(snapshot, function) {
                *at_addresses.get_or_insert_default() += cost.cost.self_;
            }
        }
        let is_unresolved = |(own, at_addresses): &Own| {
            at_addresses.is_some_and(|at_addresses| at_addresses >= MIN_UNRESOLVED * own)
        };
        let unresolved = libs.into_iter().filter(|(_, own)| is_unresolved(own));
        Self(unresolved.map(|(lib, _)| lib.to_owned()).collect())
    }

    /// Whether a function, of any profile, is in one of the libraries.
    pub(crate) fn has(&self, snapshot: &Snapshot, function: FunctionId) -> bool {
        snapshot.function(function).lib.is_some_and(|lib| self.0.contains(lib))
    }
}

/// The libraries that are unresolved in one of two profiles. What their files cost in it is not
/// known.
#[derive(Debug)]
pub(crate) struct HalfResolved(UnresolvedLibs);

impl HalfResolved {
    pub(crate) fn of(before: &Snapshot, now: &Snapshot) -> Self {
        let [before, now] = [before, now].map(|snapshot| UnresolvedLibs::of(snapshot).0);
        Self(UnresolvedLibs(before.symmetric_difference(&now).cloned().collect()))
    }

    /// Whether a function is in one of the libraries.
    pub(crate) fn has(&self, snapshot: &Snapshot, function: FunctionId) -> bool {
        self.0.has(snapshot, function)
    }

    /// The files that functions of the libraries are defined in.
    pub(crate) fn files(&self, snapshot: &Snapshot) -> FxHashSet<FileId> {
        let functions = snapshot.costs.functions().map(|(function, _)| function);
        let functions = functions.filter(|&function| self.has(snapshot, function));
        functions.filter_map(|function| snapshot.function(function).file).collect()
    }
}
