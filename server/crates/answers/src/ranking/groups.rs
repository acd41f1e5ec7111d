//! Functions grouped by file, module, package or library.

use super::by_library::{ByLibrary, Part};
use super::row::Row;
use crate::compare::baseline::Baseline;
use crate::compare::before::{Before, NO_COST};
use crate::compare::compared::Compared;
use crate::functions::own_code::charge;
use analysis::{Charges, Cost, FileId, FunctionId, Total};
use formats::Format;
use loading::Snapshot;
use loading::function_name::mercury_module;
use loading::text::plain;
use rustc_hash::FxHashMap;
use sources::{go_package, library_package};
use std::borrow::Cow;
use std::path::Path;

/// Functions of one file, module, package or library.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The module, package or library. `None` for functions without one, and for files.
    pub name: Option<String>,
    /// The file. `None` for functions without one, and for other groups.
    pub file: Option<FileId>,
}

impl Group {
    /// The name for display. Of functions without one: `no library`.
    pub fn title(&self, kind: GroupKind, snapshot: &Snapshot) -> String {
        match (&self.name, self.file) {
            (Some(name), _) => plain(name).into_owned(),
            (None, Some(file)) => plain(&snapshot.shown_file(file)).into_owned(),
            (None, None) => format!("no {}", kind.noun(snapshot)),
        }
    }

    /// What identifies the group in other recordings: the workspace file, or else the recorded
    /// name.
    pub(super) fn key<'s>(&'s self, snapshot: &'s Snapshot) -> Option<Cow<'s, str>> {
        match self.file {
            Some(file) => Some(
                snapshot
                    .path_of(file)
                    .map_or_else(|| snapshot.file_name(file).into(), |path| path.to_string_lossy()),
            ),
            None => self.name.as_deref().map(Cow::Borrowed),
        }
    }
}

/// What functions are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// Source files.
    File,
    /// Modules of Mercury, or else libraries.
    Module,
    /// Packages, or else libraries.
    Package,
    /// Shared libraries and programs.
    Library,
}

impl GroupKind {
    /// One group, for messages.
    pub fn noun(self, snapshot: &Snapshot) -> &'static str {
        match self {
            Self::File => "file",
            Self::Module if snapshot.loaded.format == Format::MercuryDeep => "module",
            Self::Package => "package",
            Self::Module | Self::Library => "library",
        }
    }
}

/// The module of a procedure of Mercury. `None` for other functions.
pub(super) fn module_of_mercury(snapshot: &Snapshot, function: FunctionId) -> Option<&str> {
    let recorded = snapshot.grouped.recorded(snapshot.grouped.func(function));
    (snapshot.loaded.format == Format::MercuryDeep).then(|| mercury_module(recorded.name)).flatten()
}

/// The module of a procedure of Mercury, or else the library of a part of a function.
pub(super) fn module<'s>(snapshot: &'s Snapshot, part: &Part<'s>) -> Option<&'s str> {
    match snapshot.loaded.format {
        Format::MercuryDeep => module_of_mercury(snapshot, part.function),
        _ => part.lib,
    }
}

/// The package of a part of a function: that of the innermost manifest around its file if it is own
/// code, or the name of the workspace folder without one, or else that of its recorded file, of its
/// name, or of a manifest around a copy in the workspace. Other functions have the package of their
/// library.
fn package(snapshot: &Snapshot, part: &Part<'_>) -> Option<String> {
    let function = part.function;
    let of_file = |file: FileId| {
        let name = snapshot.file_name(file);
        let path = snapshot.path_of(file);
        let in_manifest = || snapshot.identified.packages.package_of(path?);
        if snapshot.is_own_file(file) {
            return in_manifest().or_else(|| root_name(snapshot, path?));
        }
        let is_go = matches!(name.rsplit_once('.'), Some((_, "go" | "s")));
        let of_go = || {
            let recorded = snapshot.grouped.recorded(snapshot.grouped.func(function));
            go_package(recorded.name).filter(|_| is_go)
        };
        library_package(name).or_else(of_go).or_else(in_manifest)
    };
    let package = snapshot.file_of(function).and_then(of_file);
    package.or_else(|| part.lib.map(str::to_owned))
}

/// The name of the innermost workspace folder that has a file.
fn root_name(snapshot: &Snapshot, path: &Path) -> Option<String> {
    let roots = snapshot.identified.roots.iter().map(|root| &root.path);
    let around = roots.filter(|root| path.starts_with(root));
    let innermost = around.max_by_key(|root| root.as_os_str().len())?;
    Some(innermost.file_name()?.to_string_lossy().into_owned())
}

/// What a function is grouped by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key<'s> {
    File(FileId),
    Name(Cow<'s, str>),
    None,
}

/// The groups of functions with cost. Their totals are unknown in a call graph, because it does not
/// record which calls are within others. `charges` are those of the functions, if groups are charged. The
/// error is a message for users.
pub(super) fn groups<'s>(
    snapshot: &'s Snapshot,
    kind: GroupKind,
    charges: Option<&Charges>,
) -> Result<Vec<Row<Group>>, String> {
    let by_library = match kind {
        GroupKind::File => ByLibrary::undivided(snapshot),
        _ => ByLibrary::new(snapshot),
    };
    let key = |part: &Part<'s>| {
        let name = match kind {
            GroupKind::File => {
                return snapshot.file_of(part.function).map_or(Key::None, Key::File);
            }
            GroupKind::Library => part.lib.map(Cow::Borrowed),
            GroupKind::Package => package(snapshot, part).map(Cow::Owned),
            GroupKind::Module => module(snapshot, part).map(Cow::Borrowed),
        };
        name.map_or(Key::None, Key::Name)
    };
    let mut indexes: FxHashMap<Key<'_>, usize> = FxHashMap::default();
    let mut set_of: FxHashMap<FunctionId, usize> = FxHashMap::default();
    let mut rows: Vec<Row<Group>> = Vec::new();
    let charges = charges.map(|charges| by_library.charges(charges));
    let mut charged: Vec<f64> = Vec::new();
    for part in by_library.parts() {
        let (function, cost) = (part.function, part.cost);
        let key = key(&part);
        let n = indexes.len();
        let index = *indexes.entry(key.clone()).or_insert(n);
        if index == n {
            let (name, file) = match key {
                Key::File(file) => (None, Some(file)),
                Key::Name(name) => (Some(name.into_owned()), None),
                Key::None => (None, None),
            };
            let cost = Cost { self_: 0.0, total: Total::Unknown };
            rows.push(Row::new(Group { name, file }, cost, None));
            charged.push(0.0);
        }
        set_of.insert(part.id, index);
        let row = &mut rows[index];
        row.cost.self_ += cost.cost.self_;
        row.calls = match (row.calls, cost.calls) {
            (Some(calls), Some(more)) => Some(calls.saturating_add(more)),
            (calls, more) => calls.or(more),
        };
        row.own |= snapshot.is_own(function);
        let charge = charges.as_ref().and_then(|charges| charges.functions.get(&part.id));
        charged[index] += charge.unwrap_or(&0.0);
    }
    if charges.is_some() {
        for (row, weight) in rows.iter_mut().zip(charged).filter(|(row, _)| row.own) {
            row.charged = Some(charge(snapshot, weight, row.cost.self_));
        }
    }
    if !rows.is_empty() && rows.iter().all(|row| row.what.name.is_none() && row.what.file.is_none())
    {
        let noun = kind.noun(snapshot);
        return Err(format!("the profile does not say which {noun} its functions are in"));
    }
    let totals = by_library.totals(rows.len(), |part| set_of.get(&part).copied());
    for (row, total) in rows.iter_mut().zip(totals.into_iter().flatten()) {
        row.cost.total = Total::Exact(total);
    }
    rows.retain(|row| row.cost.magnitude() != 0.0);
    rows.sort_by(|a, b| a.what.key(snapshot).cmp(&b.what.key(snapshot)));
    Ok(rows)
}

/// The groups of the baseline.
pub(super) struct GroupsBefore<'a> {
    compared: Compared<'a>,
    /// The costs of each run.
    runs: Vec<FxHashMap<Option<String>, Cost>>,
}

impl<'a> GroupsBefore<'a> {
    pub(super) fn new(compared: Compared<'a>, kind: GroupKind) -> Self {
        let costs = |run: &Baseline| {
            let snapshot = &run.snapshot;
            let rows = groups(snapshot, kind, None).unwrap_or_default().into_iter();
            rows.map(|row| (row.what.key(snapshot).map(Cow::into_owned), row.cost)).collect()
        };
        Self { compared, runs: compared.baseline.runs().map(costs).collect() }
    }

    /// The cost in the baseline of a group of `shown`. `None` if the baseline has no groups.
    pub(super) fn of(&self, group: &Group, shown: &Snapshot) -> Option<Before> {
        let key = group.key(shown).map(Cow::into_owned);
        let cost = |costs: &FxHashMap<Option<String>, Cost>| {
            (!costs.is_empty()).then(|| costs.get(&key).copied().unwrap_or(NO_COST))
        };
        self.compared.before_in(self.runs.iter().map(cost))
    }
}
