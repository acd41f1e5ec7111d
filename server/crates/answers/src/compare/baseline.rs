//! The *baseline*: the profile that costs are compared with.
//!
//! It is a snapshot like the one shown and has the same settings. It does not change when its file
//! is rewritten. Two functions are the same if they have definitions with the same name in the same
//! workspace file (if there are several, those on the same line), or with the same name and code in
//! different files, or with the same code but for the name in the same file. Files of two checkouts are
//! the same file (`checkouts.rs`). Closures without a name are matched by their lines only, so both
//! recorded texts must be known. Without definitions, functions are the same if they have the same name in
//! the same file or library (`same_name.rs`), or the same address in one build of a library
//! (`unresolved.rs`). Lines are matched by their text ([`crate::world::context`]). An unmatched cost is
//! unknown, not zero.
//!
//! A delta is shown only if both sides can be matched. Otherwise a renamed function would look like an
//! improvement. A line matches if its text is known to be the same, a function if it is the same
//! definition or has the same unique name.

use crate::compare::before::{Before, NO_COST};
use crate::compare::checkouts;
use crate::compare::common_factor::{Changed, is_one_factor};
use crate::compare::comparison::{By, Comparison};
use crate::compare::definition_key::{DefinitionKey, key};
use crate::compare::difference::Difference;
use crate::compare::renamed::renamed;
use crate::compare::unresolved::{UnresolvedLibs, is_address, same_address};
use crate::functions::same_name::{SameName, same_name};
use crate::lines::file_lines::FileLines;
use analysis::{Cost, FileId, FuncKey, FunctionCost, FunctionId, Groups, Metric};
use loading::{Combine, Compare, FunctionName, RecordedText, Snapshot, SpreadCost};
use rustc_hash::FxHashMap;
use sources::without_version;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use texts::{Definition, LineMap, MIN_TOKENS, Syntax, code_tokens};

/// The functions of a file by container, name and arity, each with the byte at which its definition
/// starts.
type Defined = FxHashMap<DefinitionKey, Vec<(usize, FunctionId)>>;

/// The only function with a key; `None` if there are several.
type ByKey = FxHashMap<DefinitionKey, Option<FunctionId>>;

/// The functions with a definition, by key.
fn by_key(snapshot: &Snapshot) -> ByKey {
    let mut by_key = ByKey::default();
    for (function, _) in snapshot.costs.functions() {
        if let Some(source) = snapshot.source_function(function) {
            let same = by_key.entry(key(source.definition()));
            same.and_modify(|only| *only = None).or_insert(Some(function));
        }
    }
    by_key
}

/// What is in a different file in the baseline, of a profile shown.
#[derive(Debug)]
struct Moved {
    /// Identify the profile.
    groups: Weak<Groups>,
    by_key: ByKey,
    /// The functions of the baseline that they are, computed on first use.
    same: FxHashMap<FunctionId, Option<FunctionId>>,
    /// The files that the baseline has in another checkout.
    checkouts: FxHashMap<FileId, FileId>,
}

/// A workspace file of the profile shown that the baseline has, too.
#[derive(Debug, Clone, Copy)]
struct Both<'a> {
    /// The file in the baseline.
    before: FileId,
    /// Its path in the baseline, and that of the profile shown.
    paths: [&'a Path; 2],
}

/// The tokens of a function. `None` if it has no name or definition, if the recorded text is not
/// known, or if the function is so short that another one may have the same tokens.
fn code(snapshot: &Snapshot, function: FunctionId) -> Option<Vec<u64>> {
    let source = snapshot.source_function(function)?;
    let (path, definition) = (snapshot.path_of(source.file)?, source.definition());
    let recorded = snapshot.texts().get(path).filter(|recorded| !recorded.is_guess())?;
    let text = recorded.text.get(definition.bytes.clone())?;
    let tokens = code_tokens(text, Syntax::of_text(path, &recorded.text));
    (!definition.name.is_empty() && tokens.len() >= MIN_TOKENS).then_some(tokens)
}

/// The function of a definition. `defined` are those of its file that have costs.
fn with_cost(defined: &Defined, definition: &Definition) -> Same {
    let of_key = defined.get(&key(definition)).map_or(&[][..], Vec::as_slice);
    let same = of_key.iter().find(|(start, _)| *start == definition.bytes.start);
    same.map_or(Same::NoCost, |(_, function)| Same::Function(*function))
}

/// The chosen definitions in the recorded text of a file, in the order of the text. `None` if the
/// definitions are unknown.
fn definitions<'a>(
    snapshot: &'a Snapshot,
    path: &Path,
    chosen: impl Fn(&Definition) -> bool,
) -> Option<Vec<&'a Definition>> {
    let all = &snapshot.texts().get(path)?.definitions.as_ref()?.all;
    Some(all.iter().filter(|it| chosen(it)).collect())
}

/// Whether the recorded text of a file is known and has a definition with this key.
fn has_definition(snapshot: &Snapshot, path: &Path, wanted: &DefinitionKey) -> bool {
    let is_known = snapshot.texts().get(path).is_some_and(|recorded| !recorded.is_guess());
    let same = definitions(snapshot, path, |it| key(it) == *wanted);
    is_known && same.is_some_and(|same| !same.is_empty())
}

/// Whether a function is the only one of its profile with its name in its file or library.
fn is_only_of_name(snapshot: &Snapshot, function: FunctionId) -> bool {
    snapshot.find(&snapshot.key(function)).len() == 1
}

/// The functions with this recorded name in a file, or else the clones of the function.
fn in_file(snapshot: &Snapshot, file: FileId, name: &str) -> Vec<FunctionId> {
    let inside = |named: Vec<FunctionId>| -> Vec<FunctionId> {
        named.into_iter().filter(|it| snapshot.function(*it).file == Some(file)).collect()
    };
    let named = inside(snapshot.with_name(name));
    if named.is_empty() { inside(snapshot.clones_of(name)) } else { named }
}

/// Whether a profile has a function with the same name as `function` of the profile `other` in a
/// file that was not found, which may be the same file.
fn has_in_missing_file(snapshot: &Snapshot, other: &Snapshot, function: FunctionId) -> bool {
    fn base_name(snapshot: &Snapshot, file: FileId) -> Option<&str> {
        without_version(snapshot.file_name(file)).rsplit(['/', '\\']).next()
    }
    let base = other.function(function).file.and_then(|file| base_name(other, file));
    let may_be = |same: &FunctionId| {
        let file = snapshot.function(*same).file;
        file.is_none_or(|file| {
            snapshot.path_of(file).is_none() && base_name(snapshot, file) == base
        })
    };
    snapshot.with_name(&other.key(function).name).iter().any(may_be)
}

/// The keys of all funcs of a function.
fn keys(snapshot: &Snapshot, function: FunctionId) -> Vec<FuncKey> {
    let (groups, symbols) = (&snapshot.grouped.groups, snapshot.grouped.recording.symbols());
    let parts = symbols.funcs.ids().filter(|&func| groups.function(func) == function);
    parts.map(|func| symbols.func_key(func)).collect()
}

/// Finds a function of `shown` in `before`, where the definitions of its file are not known:
/// the function with the same name, if all funcs of both functions have that name. If the file has no
/// such function, it may be in another file whose definitions are not known.
fn same_by_name(before: &Snapshot, shown: &Snapshot, function: FunctionId, file: FileId) -> Same {
    let keys = keys(shown, function);
    let is_one_name = keys.iter().all(|key| key.name == keys[0].name);
    let mut same: Vec<FunctionId> = keys.iter().flat_map(|key| before.find(key)).collect();
    same.sort_unstable();
    same.dedup();
    if same.is_empty() {
        same = in_file(before, file, &shown.key(function).name);
    }
    if let [same] = same[..]
        && is_one_name
        && is_only_of_name(shown, function)
    {
        return Same::Function(same);
    }
    let text = before.path_of(file).and_then(|path| before.texts().get(path));
    let is_guess = text.is_some_and(RecordedText::is_guess);
    if !same.is_empty() || is_guess && may_have(before, shown, function, file) {
        return Same::Unknown;
    }
    elsewhere(before, shown, function, is_guess)
}

/// Finds a function of `shown` with a definition, which its file in `before` does not have. It may be
/// a function with the same name in another file, if the text of that is not known and `shown` has
/// none with this name there. `is_guess` says whether the text of its own file is not known either.
fn elsewhere(before: &Snapshot, shown: &Snapshot, function: FunctionId, is_guess: bool) -> Same {
    if shown.source_function(function).is_none() {
        return if is_guess { Same::Unknown } else { Same::Absent };
    }
    let keys = keys(shown, function);
    let is_one_name = keys.iter().all(|key| key.name == keys[0].name);
    let named: Vec<FunctionId> = keys.iter().flat_map(|key| before.with_name(&key.name)).collect();
    let may_be = |it: FunctionId| {
        let in_shown =
            |path| shown.file_at(path).map(|file| in_file(shown, file, &before.key(it).name));
        path_in_doubt(before, it).is_some_and(|path| in_shown(path).is_none_or(|it| it.is_empty()))
    };
    if named.iter().any(|&it| may_be(it)) {
        return match same_name(before, shown, function) {
            SameName::Only(same) if is_one_name && may_be(same) => Same::Function(same),
            _ => Same::Unknown,
        };
    }
    if is_guess && !named.is_empty() { Same::Unknown } else { Same::Absent }
}

/// The file of a function without a definition, if it was found and its recorded text is not known.
fn path_in_doubt(snapshot: &Snapshot, function: FunctionId) -> Option<&Path> {
    let path = snapshot.path_of(snapshot.function(function).file?)?;
    let is_guess = snapshot.texts().get(path).is_none_or(RecordedText::is_guess);
    (is_guess && snapshot.source_function(function).is_none()).then_some(path)
}

/// Whether a function of `shown` may be in a file of `before` under another recorded name: that of
/// another instance, or of minified code.
fn may_have(before: &Snapshot, shown: &Snapshot, function: FunctionId, file: FileId) -> bool {
    let Some(source) = shown.source_function(function) else { return true };
    let (name, symbols) = (&source.definition().name, before.grouped.recording.symbols());
    let bare_name = |name: &str| FunctionName::of(name).name;
    let is_named = |recorded: &str| bare_name(recorded).as_ref() == Some(name);
    let mut funcs = symbols.funcs.ids().filter(|&func| {
        let source = symbols.funcs.get(func).source;
        source.is_some_and(|source| before.grouped.groups.file(source) == file)
    });
    !is_named(&shown.key(function).name) || funcs.any(|func| is_named(symbols.func_name(func)))
}

/// A profile to compare with, or several runs of one program.
#[derive(Debug)]
pub struct Baseline {
    /// The profile, under the settings of the one shown; the newest of several runs.
    pub snapshot: Arc<Snapshot>,
    /// The other runs, newest first.
    earlier: Vec<Baseline>,
    defined: FxHashMap<FileId, Defined>,
    /// Computed on first use.
    by_key: OnceLock<ByKey>,
    /// Computed on first use.
    unresolved: OnceLock<UnresolvedLibs>,
    /// What moved in the profiles that this is the baseline of.
    moved: Mutex<Vec<Moved>>,
    /// Whether all functions of the profile with these groups changed by one factor.
    common: Mutex<Option<(Weak<Groups>, bool)>>,
    /// The line maps of files that are not open, by the path in the profile shown.
    lines: Mutex<FxHashMap<PathBuf, MappedText>>,
}

/// The line map from the baseline's recorded text of a file to another recorded text of that file.
#[derive(Debug, Clone)]
struct MappedText {
    to: Arc<str>,
    map: Arc<LineMap>,
}

/// The counterpart in the baseline of a function of the profile shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// A function with costs.
    Function(FunctionId),
    /// The baseline has no costs for the function, but its recorded text has the definition.
    NoCost,
    /// The baseline has no such function: it is new, or it was renamed.
    Absent,
    /// Several functions with the same name, a definition on one side only, or only an address.
    Unknown,
}

/// A message if the costs of two recordings must not be subtracted as they are recorded, because they
/// have different metrics or units.
pub fn different_metrics(before: &Snapshot, now: &Snapshot) -> Option<String> {
    let [was, is] = [before, now].map(|snapshot| &snapshot.costs.metric);
    let recorded =
        |metric: &Metric| (metric.name.clone(), metric.unit.clone(), metric.seconds_per_unit);
    (recorded(was) != recorded(is)).then(|| Difference::Metric.message(before, now))
}

impl Baseline {
    /// A baseline from a snapshot.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        Self::of_runs(snapshot, Vec::new())
    }

    /// A baseline from several runs, the newest first.
    pub fn of_runs(snapshot: Arc<Snapshot>, earlier: Vec<Arc<Snapshot>>) -> Self {
        let mut defined: FxHashMap<FileId, Defined> = FxHashMap::default();
        for (function, _) in snapshot.costs.functions() {
            let Some(source) = snapshot.source_function(function) else { continue };
            let definition = source.definition();
            let of_file = defined.entry(source.file).or_default();
            let same = of_file.entry(key(definition)).or_default();
            same.push((definition.bytes.start, function));
        }
        let earlier = earlier.into_iter().map(Self::new).collect();
        let (moved, lines) = (Mutex::default(), Mutex::default());
        let (by_key, unresolved) = (OnceLock::new(), OnceLock::new());
        let common = Mutex::default();
        Self { snapshot, earlier, defined, by_key, unresolved, moved, common, lines }
    }

    /// The baseline, with its snapshots recomputed.
    #[must_use]
    pub fn renewed(&self, mut renew: impl FnMut(&Snapshot) -> Snapshot) -> Self {
        let mut renew = |run: &Self| Arc::new(renew(&run.snapshot));
        let newest = renew(self);
        Self::of_runs(newest, self.earlier.iter().map(renew).collect())
    }

    /// Whether both baselines consist of the same runs.
    pub fn is_of_same_runs(&self, other: &Self) -> bool {
        let loaded = |run: &Self| Arc::as_ptr(&run.snapshot.loaded);
        self.all().map(loaded).eq(other.all().map(loaded))
    }

    /// All runs, the newest first. Some may have other metrics or threads than the newest.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.earlier)
    }

    /// The runs that can be compared whenever the newest run can.
    pub fn runs(&self) -> impl Iterator<Item = &Self> {
        self.all().filter(|run| Difference::between(&run.snapshot, &self.snapshot).is_none())
    }

    /// How costs of `shown` are compared with the baseline.
    pub fn comparison(&self, shown: &Snapshot, compare: Compare) -> Comparison {
        let runs: Vec<&Snapshot> = self.runs().map(|run| &*run.snapshot).collect();
        let by = Comparison::new(&runs, shown, compare);
        let is_common = by.by == By::Weight && self.has_common_factor(shown, by);
        if is_common { by.of_common_factor() } else { by }
    }

    /// How the functions of `shown` with a known match changed.
    fn changed(&self, shown: &Snapshot, by_weight: Comparison) -> Vec<Changed> {
        let by_share = by_weight.with(By::Share);
        let change = |function: FunctionId, cost: Cost, by: Comparison| {
            let runs = self.runs().map(|run| (&*run.snapshot, run.function(shown, function)));
            let before = Before::of_runs(by, runs, shown.run_costs().function(function))?;
            Some((before.cost.self_, before.self_change(cost)))
        };
        let changed = |(function, cost): (FunctionId, FunctionCost)| {
            let (before, by_weight) = change(function, cost.cost, by_weight)?;
            let (_, by_share) = change(function, cost.cost, by_share)?;
            Some(Changed { before, by_weight, by_share })
        };
        shown.costs.functions().filter_map(changed).collect()
    }

    /// Whether all functions changed by one factor. Computed once for a profile shown.
    fn has_common_factor(&self, shown: &Snapshot, by: Comparison) -> bool {
        let groups = &shown.grouped.groups;
        let mut known = self.common.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((of, is_common)) if std::ptr::eq(of.as_ptr(), Arc::as_ptr(groups)) => *is_common,
            _ => {
                let is_common = by.total().is_real()
                    && is_one_factor(&self.changed(shown, by), by.total().change);
                *known = Some((Arc::downgrade(groups), is_common));
                is_common
            }
        }
    }

    /// The name to show: `cpu.folded`, of several runs `the mean of 5 runs of cpu.folded`.
    pub fn name(&self) -> String {
        let name = self.snapshot.loaded.name();
        match self.runs().count() {
            0 | 1 => name,
            runs => format!("the mean of {runs} runs of {name}"),
        }
    }

    /// The name to show beside the name of `shown`: `an earlier run of cpu.folded` if both are the
    /// same file, which was rewritten since.
    pub fn name_beside(&self, shown: &Snapshot) -> String {
        let (loaded, shown) = (&self.snapshot.loaded, &shown.loaded);
        let is_one = self.runs().nth(1).is_none();
        let is_earlier = loaded.path == shown.path && loaded.content != shown.content;
        if is_one && is_earlier {
            format!("an earlier run of {}", self.name())
        } else {
            self.name()
        }
    }

    /// Whether costs of `shown` can be compared with this baseline.
    pub fn is_comparable(&self, shown: &Snapshot) -> bool {
        Difference::between(&self.snapshot, shown).is_none()
    }

    /// A message if costs of `shown` cannot be compared with this baseline.
    pub fn problem(&self, shown: &Snapshot) -> Option<String> {
        Difference::between(&self.snapshot, shown)
            .map(|difference| difference.message(&self.snapshot, shown))
    }

    /// A message if the sum of several profiles is compared with a baseline of one profile, or with a
    /// mean.
    pub fn sum_problem(&self, shown: &Snapshot) -> Option<String> {
        let n_files = shown.loaded.files.len();
        let is_sum = n_files > 1 && shown.settings.view.combine == Combine::Sum;
        (is_sum && self.snapshot.loaded.files.len() == 1)
            .then(|| format!("the sum of {n_files} profiles is compared with {}", self.name()))
    }

    /// The counterpart in the baseline of a function of `shown`.
    pub fn same(&self, shown: &Snapshot, function: FunctionId) -> Same {
        if is_address(shown, function) {
            let same = same_address(&self.snapshot, shown, function);
            return same.map_or(Same::Unknown, Same::Function);
        }
        let same = match self.same_in_file(shown, function) {
            Same::Function(same) => Same::Function(same),
            other => self.moved(shown, function).map_or(other, Same::Function),
        };
        let same = match same {
            Same::Absent => self
                .renamed(shown, function)
                .unwrap_or_else(|| elsewhere(&self.snapshot, shown, function, false)),
            same => same,
        };
        let same = match same {
            Same::Function(_) => same,
            Same::Unknown if shown.source_function(function).is_some() => same,
            _ => self.without_definition(shown, function).unwrap_or(same),
        };
        match same {
            Same::NoCost | Same::Absent if self.unresolved().has(shown, function) => Same::Unknown,
            same => same,
        }
    }

    /// The function of the same file with another name and otherwise the same code.
    fn renamed(&self, shown: &Snapshot, function: FunctionId) -> Option<Same> {
        let source = shown.source_function(function)?;
        let both = self.both(shown, source.file)?;
        let [before, now] = self.both_texts(shown, both)?;
        let defined = self.defined.get(&both.before)?;
        Some(with_cost(defined, renamed(both.paths[1], before, now, source.definition())?))
    }

    /// The function of the same file that has the name, and no definition. `None` if there is none.
    fn without_definition(&self, shown: &Snapshot, function: FunctionId) -> Option<Same> {
        let (before, file) = (&*self.snapshot, shown.function(function).file?);
        let mut named = in_file(before, self.both(shown, file)?.before, &shown.key(function).name);
        named.retain(|it| before.source_function(*it).is_none());
        match named[..] {
            [] => None,
            [same] if in_file(shown, file, &before.key(same).name) == [function] => {
                Some(Same::Function(same))
            }
            _ => Some(Same::Unknown),
        }
    }

    /// A file of `shown` in the baseline: the one at its path, or that of another checkout. `None` if it
    /// was not found, or the baseline does not have it.
    fn both<'a>(&'a self, shown: &'a Snapshot, file: FileId) -> Option<Both<'a>> {
        let path = shown.path_of(file)?;
        let before = match self.snapshot.file_at(path) {
            Some(before) => before,
            None => self.of_shown(shown, |moved| moved.checkouts.get(&file).copied())?,
        };
        Some(Both { before, paths: [self.snapshot.path_of(before)?, path] })
    }

    /// The file in the baseline that a file of `shown` is. `None` if it was not found, or the baseline does
    /// not have it.
    pub fn file(&self, shown: &Snapshot, file: FileId) -> Option<FileId> {
        Some(self.both(shown, file)?.before)
    }

    /// The libraries whose functions are not known.
    fn unresolved(&self) -> &UnresolvedLibs {
        self.unresolved.get_or_init(|| UnresolvedLibs::of(&self.snapshot))
    }

    /// The function with the same name and code in another file of the baseline. `None` if one of
    /// the profiles has several functions with this name.
    fn moved(&self, shown: &Snapshot, function: FunctionId) -> Option<FunctionId> {
        self.of_shown(shown, |Moved { by_key, same, .. }| {
            *same.entry(function).or_insert_with(|| {
                let key = key(shown.source_function(function)?.definition());
                if by_key.get(&key) == Some(&None) {
                    return None;
                }
                let before = self.by_key.get_or_init(|| self::by_key(&self.snapshot));
                let same = before.get(&key).copied().flatten()?;
                (code(shown, function)? == code(&self.snapshot, same)?).then_some(same)
            })
        })
    }

    /// Asks what is in a different file, in comparison with `shown`.
    fn of_shown<T>(&self, shown: &Snapshot, ask: impl FnOnce(&mut Moved) -> T) -> T {
        let groups = &shown.grouped.groups;
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        moved.retain(|of| of.groups.strong_count() > 0);
        let is_of_shown = |of: &Moved| of.groups.as_ptr() == Arc::as_ptr(groups);
        let at = moved.iter().position(is_of_shown).unwrap_or_else(|| {
            let (groups, by_key) = (Arc::downgrade(groups), by_key(shown));
            let checkouts = checkouts::pairs(&self.snapshot, shown);
            moved.push(Moved { groups, by_key, same: FxHashMap::default(), checkouts });
            moved.len() - 1
        });
        ask(&mut moved[at])
    }

    /// The counterpart of a function in the same file.
    fn same_in_file(&self, shown: &Snapshot, function: FunctionId) -> Same {
        let Some(source) = shown.source_function(function) else {
            return match same_name(&self.snapshot, shown, function) {
                SameName::Only(same) if self.is_without_definition(shown, function, same) => {
                    Same::Function(same)
                }
                SameName::Only(_) | SameName::Unclear => Same::Unknown,
                SameName::None => Same::Absent,
            };
        };
        if shown.path_of(source.file).is_none() {
            return Same::Unknown;
        }
        let Some(both) = self.both(shown, source.file) else {
            let may_have = has_in_missing_file(&self.snapshot, shown, function);
            return if may_have { Same::Unknown } else { Same::Absent };
        };
        let Some(defined) = self.defined.get(&both.before) else {
            return same_by_name(&self.snapshot, shown, function, both.before);
        };
        let definition = source.definition();
        if let Some(same) = self.same_definition(shown, both, definition, defined) {
            return same;
        }
        let key = key(definition);
        match defined.get(&key).map_or(&[][..], Vec::as_slice) {
            _ if definition.name.is_empty() => Same::Unknown,
            [] if has_definition(&self.snapshot, both.paths[0], &key) => Same::NoCost,
            [] => Same::Absent,
            [(_, same)] => Same::Function(*same),
            _ => Same::Unknown,
        }
    }

    /// Whether a function of `shown` without a definition is `same`, which has its name. If only
    /// `same` has a definition, `function` may be a part of it, unless the definitions of the file of
    /// `function` are not known.
    fn is_without_definition(
        &self,
        shown: &Snapshot,
        function: FunctionId,
        same: FunctionId,
    ) -> bool {
        let before = &*self.snapshot;
        let Some(source) = before.source_function(same) else { return true };
        let Some(path) = before.path_of(source.file) else { return false };
        let file = shown.function(function).file.and_then(|file| shown.path_of(file));
        let is_known = shown.texts().get(path).is_some_and(|text| text.definitions.is_some());
        let same = if file != Some(path) {
            elsewhere(shown, before, same, true)
        } else if is_known {
            return false;
        } else {
            shown.file_at(path).map_or(Same::Absent, |file| same_by_name(shown, before, same, file))
        };
        same == Same::Function(function)
    }

    /// Finds the function of a definition of `shown` in the baseline, by comparing the recorded
    /// texts. The match is the only definition with this key. If there are several, it is the
    /// definition on the same line (or, if several are on that line, the one at the same position),
    /// or else the only one whose line was changed. If no definition in the baseline has the key,
    /// for example because a class was renamed, it is the definition with this name on the same
    /// line. `defined` are the functions of the file that have costs. `None` if a text is not
    /// known.
    fn same_definition(
        &self,
        shown: &Snapshot,
        both: Both<'_>,
        definition: &Definition,
        defined: &Defined,
    ) -> Option<Same> {
        let map = self.line_map(shown, both)?;
        let [path_before, path] = both.paths;
        let with_cost = |same| with_cost(defined, same);
        let wanted = key(definition);
        let has_key = |it: &Definition| key(it) == wanted;
        let has_name =
            |it: &Definition| (&it.name, it.arity) == (&definition.name, definition.arity);
        let mut before = definitions(&self.snapshot, path_before, has_key)?;
        let mut now = definitions(shown, path, has_key)?;
        if let ([same], [_]) = (&before[..], &now[..])
            && !definition.name.is_empty()
        {
            return Some(with_cost(same));
        }
        let Some(line0) = map.to_recorded(definition.name_line0) else {
            before.retain(|it| map.to_open(it.name_line0).is_none());
            now.retain(|it| map.to_recorded(it.name_line0).is_none());
            return Some(match (&before[..], &now[..]) {
                ([], _) => Same::Absent,
                ([same], [_]) => with_cost(same),
                _ => Same::Unknown,
            });
        };
        if before.is_empty() {
            before = definitions(&self.snapshot, path_before, has_name)?;
            now = definitions(shown, path, has_name)?;
        }
        before.retain(|it| it.name_line0 == line0);
        now.retain(|it| it.name_line0 == definition.name_line0);
        let position = now.iter().position(|it| it.bytes == definition.bytes);
        Some(match position {
            _ if before.is_empty() => Same::Absent,
            Some(position) if before.len() == now.len() => with_cost(before[position]),
            _ => Same::Unknown,
        })
    }

    /// The cost in the baseline of a function of `shown`. `None` if it has no unique match.
    pub fn function(&self, shown: &Snapshot, function: FunctionId) -> Option<SpreadCost> {
        let Self { snapshot, .. } = self;
        match self.same(shown, function) {
            Same::Function(same) => {
                Some((snapshot.costs.function(same).cost, snapshot.run_costs().function(same)))
            }
            Same::NoCost => Some((NO_COST, None)),
            Same::Absent | Same::Unknown => None,
        }
    }

    /// The functions of the baseline on a path of functions of `shown`. `None` if one of them has
    /// no match.
    pub fn path(&self, shown: &Snapshot, path: &[FunctionId]) -> Option<Vec<FunctionId>> {
        let same = |&function: &FunctionId| match self.same(shown, function) {
            Same::Function(same) => Some(same),
            _ => None,
        };
        path.iter().map(same).collect()
    }

    /// The cost in the baseline of a line of `shown`: 1-based, in the text that it was recorded
    /// from. `None` if one of the recorded texts is not known, or if the baseline's text does not
    /// have the line.
    pub fn recorded_line(&self, shown: &Snapshot, file: FileId, line: u32) -> Option<SpreadCost> {
        let (both, line0) = (self.both(shown, file)?, line.checked_sub(1)?);
        let map = &self.line_map(shown, both)?;
        map.to_recorded(line0)?;
        let (snapshot, file) = (&*self.snapshot, both.before);
        let lines = FileLines { snapshot, file, map, stale: false, document: None };
        Some(lines.cost_of(line0).unwrap_or((NO_COST, None)))
    }

    /// The line map from the baseline's recorded text of a file to the recorded text of `shown`.
    /// `None` if one of the texts is not known.
    pub fn recorded_lines(&self, shown: &Snapshot, file: FileId) -> Option<Arc<LineMap>> {
        self.line_map(shown, self.both(shown, file)?)
    }

    /// The recorded texts of a file: the baseline's and that of `shown`. `None` if one is not known.
    fn both_texts<'a>(
        &'a self,
        shown: &'a Snapshot,
        both: Both<'_>,
    ) -> Option<[&'a RecordedText; 2]> {
        let known = |snapshot: &'a Snapshot, path: &Path| {
            snapshot.texts().get(path).filter(|recorded| !recorded.is_guess())
        };
        Some([known(&self.snapshot, both.paths[0])?, known(shown, both.paths[1])?])
    }

    /// The line map between the recorded texts of a file. `None` if one is not known.
    fn line_map(&self, shown: &Snapshot, both: Both<'_>) -> Option<Arc<LineMap>> {
        let [before, now] = self.both_texts(shown, both)?;
        let (path, text) = (both.paths[1], &now.text);
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mapped) = lines.get(path).filter(|mapped| Arc::ptr_eq(&mapped.to, text)) {
            return Some(mapped.map.clone());
        }
        let map = Arc::new(if before.text == *text {
            LineMap::identity(text.lines().count() as u32)
        } else {
            before.map_to(path, text, || now.definitions.clone())
        });
        lines.insert(path.to_owned(), MappedText { to: text.clone(), map: map.clone() });
        Some(map)
    }
}
