//! The functions, lines, files and labels of two profiles, with their changes: what `costline diff` lists.

use crate::compare::baseline::{Baseline, Same};
use crate::compare::before::NO_COST;
use crate::compare::comparison::{Change, Comparison};
use crate::compare::unresolved::HalfResolved;
use crate::lines::file_lines::FileLines;
use analysis::{Cost, FileId, FunctionId, LineCost, PartWithLabels, Total};
use loading::average::mean;
use loading::text::{file_name, library};
use loading::{Compare, Snapshot, Spread, SpreadCost};
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Deserialize;
use sources::{Mapping, without_version};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DiffBy")]
pub enum ListBy {
    /// Functions.
    #[default]
    Function,
    /// Source lines.
    Line,
    /// Files, with the self cost of their functions.
    File,
    /// Labels of samples.
    Label,
}

/// What a list of changes is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DiffSort")]
pub enum SortBy {
    /// The change of the self cost, your own code first. Rows of which only the total changed, because they
    /// call the others, are counted
    #[default]
    #[serde(rename = "self")]
    Self_,
    /// The change of the total
    Total,
    /// The name
    Name,
}

/// The rows that changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listed<'d> {
    /// Those of a list.
    pub rows: Vec<&'d Row>,
    /// Those of which only the total changed, if the list is of self costs. The one with the greatest total
    /// comes first.
    pub above: Vec<&'d Row>,
}

/// The changes between two profiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// How costs are compared.
    pub by: Comparison,
    /// The functions, the greatest change first.
    pub functions: Vec<Row>,
    /// The lines, the greatest change first. Only files whose recorded texts are known on both
    /// sides are compared.
    pub lines: Vec<Row>,
    /// The files, the greatest change first. They have the self cost of their functions.
    pub files: Vec<Row>,
    /// The labels of samples, the greatest change first.
    pub labels: Vec<Row>,
    /// The functions of both sides that cannot be compared, because it is not known which function of
    /// the other side they are.
    pub unmatched: Unmatched,
    /// The number of files with lines that cannot be compared, because a recorded text is not known,
    /// or because the functions of their library are known in one of the profiles only.
    pub unmatched_files: usize,
    /// The number of files and libraries that cannot be compared, because it is not known which of
    /// the other profile they are, or because their functions are known in one of the profiles only.
    pub unresolved_files: usize,
}

/// The functions that cannot be compared.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Unmatched {
    /// The number of functions of the baseline.
    pub n_before: usize,
    /// The number of functions of the new profile.
    pub n_now: usize,
    /// The self cost of the unmatched functions of the new profile.
    pub own: f64,
}

/// The costs of a function, line, file or label on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The function's name, or the label (`size=large`); empty for lines and files.
    pub name: String,
    /// The name of the file in the profile.
    pub file: Option<String>,
    /// Its name for people: its path in the workspace, if it is there.
    pub shown: Option<String>,
    /// The path of the file on this machine, if it was found.
    pub path: Option<PathBuf>,
    /// The short name of the library.
    pub lib: Option<String>,
    /// The recorded line, 1-based: of the line or of the function's definition. In the baseline if
    /// the row vanished.
    pub line: Option<u32>,
    /// The change of the self cost.
    pub self_: Change,
    /// The change of the total. `None` if it is not exact on both sides.
    pub total: Option<Change>,
    /// Which sides have it.
    pub sides: Sides,
    /// Whether it is own code: its source is in the workspace, not in a folder of libraries.
    pub own: bool,
    /// The function, in the profile that `line` is of.
    pub function: Option<FunctionId>,
}

/// Which sides of a comparison have a function, line or file, even if it has no cost there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Both.
    Both,
    /// The new profile only.
    After,
    /// The baseline only.
    Before,
}

impl Row {
    /// The change to rank by: that of the total, or of the self cost if the total is unknown.
    pub fn main(&self) -> Change {
        self.total.unwrap_or(self.self_)
    }

    /// Whether the self cost or the total changed by more than noise.
    pub fn is_changed(&self) -> bool {
        self.self_.is_real() || self.total.is_some_and(|total| total.is_real())
    }

    /// The place as text: `app.py:12`, `app.py`, `[libc.so.6]`, or nothing.
    pub fn place(&self) -> String {
        match (&self.shown, self.line, &self.lib) {
            (Some(file), Some(line), _) => format!("{}:{line}", file_name(file)),
            (Some(file), None, _) => file_name(file).into_owned(),
            (None, _, Some(lib)) => library(lib),
            (None, ..) => String::new(),
        }
    }
}

impl Diff {
    /// The functions, lines, files or labels.
    pub fn rows(&self, by: ListBy) -> &[Row] {
        match by {
            ListBy::Function => &self.functions,
            ListBy::Line => &self.lines,
            ListBy::File => &self.files,
            ListBy::Label => &self.labels,
        }
    }

    /// The rows that changed by more than noise, of those that `is_listed`.
    pub fn listed(&self, by: ListBy, sort: SortBy, is_listed: impl Fn(&Row) -> bool) -> Listed<'_> {
        let changed = self.rows(by).iter().filter(|row| row.is_changed() && is_listed(row));
        let mut rows: Vec<&Row> = changed.collect();
        let mut above = Vec::new();
        match sort {
            SortBy::Self_ => {
                (rows, above) = rows.into_iter().partition(|row| row.self_.is_real());
                let size = |row: &Row| row.self_.change.abs();
                rows.sort_by(|a, b| b.own.cmp(&a.own).then(size(b).total_cmp(&size(a))));
                let total =
                    |row: &Row| row.total.map_or(0.0, |it| it.now.abs().max(it.before.abs()));
                above.sort_by(|a, b| total(b).total_cmp(&total(a)));
                // The sum of many small changes: the innermost function is nearest to them.
                if rows.is_empty() {
                    rows = std::mem::take(&mut above).into_iter().rev().collect();
                }
            }
            // As they are.
            SortBy::Total => {}
            SortBy::Name => rows.sort_by(|a, b| (&a.name, a.place()).cmp(&(&b.name, b.place()))),
        }
        Listed { rows, above }
    }

    /// The changes from `before` to `now`, which can be compared ([`Baseline::problem`]).
    pub fn new(before: &Arc<Snapshot>, now: &Arc<Snapshot>, compare: Compare) -> Self {
        let baseline = Baseline::new(before.clone());
        let by = baseline.comparison(now, compare);
        let (mut functions, unmatched) = functions(&baseline, now, by);
        let half_resolved = HalfResolved::of(before, now);
        let (mut lines, unmatched_files) = lines(&baseline, now, by, &half_resolved);
        let (mut files, unresolved_files) = files(&baseline, now, by, &half_resolved);
        let mut labels = labels(before, now, by);
        for rows in [&mut functions, &mut lines, &mut files, &mut labels] {
            rows.sort_by(|a, b| {
                let change = |row: &Row| row.main().change.abs();
                let place = |row: &Row| (row.name.clone(), row.file.clone(), row.line);
                change(b).total_cmp(&change(a)).then_with(|| place(a).cmp(&place(b)))
            });
        }
        Self { by, functions, lines, files, labels, unmatched, unmatched_files, unresolved_files }
    }
}

/// The changes of both parts of a cost.
fn changes(
    by: Comparison,
    (before, spread_before): SpreadCost,
    (now, spread_now): SpreadCost,
) -> (Change, Option<Change>) {
    let spreads = |part: fn(Spread) -> Option<f64>| {
        [spread_before, spread_now].map(|spread| spread.and_then(part))
    };
    let own = spreads(|spread| Some(spread.self_));
    let totals = before.total.exact().zip(now.total.exact());
    let total = |(before, now)| by.change_of_spread([before, now], spreads(|spread| spread.total));
    (by.change_of_spread([before.self_, now.self_], own), totals.map(total))
}

fn functions(baseline: &Baseline, now: &Arc<Snapshot>, by: Comparison) -> (Vec<Row>, Unmatched) {
    let before = &*baseline.snapshot;
    let (mut rows, mut unmatched) = (Vec::new(), Unmatched::default());
    let spread = |snapshot: &Snapshot, function| {
        (snapshot.costs.function(function).cost, snapshot.run_costs().function(function))
    };
    let no_cost = (NO_COST, None);
    let row = |snapshot: &Snapshot, function: FunctionId, [before, now]: [SpreadCost; 2], sides| {
        let this = snapshot.function(function);
        let (self_, total) = changes(by, before, now);
        Row {
            name: this.name.to_owned(),
            file: this.file.map(|file| snapshot.file_name(file).to_owned()),
            shown: this.file.map(|file| snapshot.shown_file(file).into_owned()),
            path: this.file.and_then(|file| snapshot.path_of(file)).map(Path::to_owned),
            lib: this.lib.map(str::to_owned),
            line: snapshot.start_line(function),
            self_,
            total,
            sides,
            own: snapshot.is_own(function),
            function: Some(function),
        }
    };
    let mut matched: FxHashSet<FunctionId> = FxHashSet::default();
    for (function, _) in now.costs.functions() {
        let cost = spread(now, function);
        rows.push(match baseline.same(now, function) {
            Same::Function(same) => {
                matched.insert(same);
                row(now, function, [spread(before, same), cost], Sides::Both)
            }
            Same::NoCost => row(now, function, [no_cost, cost], Sides::Both),
            Same::Absent => row(now, function, [no_cost, cost], Sides::After),
            Same::Unknown => {
                unmatched.n_now += 1;
                unmatched.own += cost.0.self_;
                continue;
            }
        });
    }
    let after = Baseline::new(now.clone());
    for (function, _) in before.costs.functions().filter(|(it, _)| !matched.contains(it)) {
        let sides = match after.same(before, function) {
            Same::NoCost => Sides::Both,
            Same::Absent => Sides::Before,
            Same::Function(_) | Same::Unknown => {
                unmatched.n_before += 1;
                continue;
            }
        };
        rows.push(row(before, function, [spread(before, function), no_cost], sides));
    }
    (rows, unmatched)
}

/// The lines of files, and the number of files that cannot be compared.
fn lines(
    baseline: &Baseline,
    now: &Snapshot,
    by: Comparison,
    half_resolved: &HalfResolved,
) -> (Vec<Row>, usize) {
    let before = &*baseline.snapshot;
    let [unresolved_before, unresolved_now] = [before, now].map(|it| half_resolved.files(it));
    let (mut rows, mut unmatched) = (Vec::new(), 0);
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut now_by_before: FxHashMap<FileId, FileId> = FxHashMap::default();
    for file in files_with_lines(now) {
        names.insert(base_name(now.file_name(file)));
        let file_before = baseline.file(now, file);
        now_by_before.extend(file_before.map(|before| (before, file)));
        if unresolved_now.contains(&file)
            || file_before.is_some_and(|file| unresolved_before.contains(&file))
        {
            unmatched += 1;
            continue;
        }
        if is_only_in(now, file, before, file_before) {
            rows.extend(lines_of_one(now, file, by, Sides::After));
            continue;
        }
        match lines_of(baseline, now, file, by) {
            Some(lines) => rows.extend(lines),
            None => unmatched += 1,
        }
    }
    for file in files_with_lines(before) {
        if is_only_in(before, file, now, now_by_before.get(&file).copied()) {
            if unresolved_before.contains(&file) {
                unmatched += 1;
            } else {
                rows.extend(lines_of_one(before, file, by, Sides::Before));
            }
        } else if before.path_of(file).is_none() {
            // Others of this name were counted above.
            unmatched += usize::from(!names.contains(base_name(before.file_name(file))));
        }
    }
    (rows, unmatched)
}

/// The name of a file without its folders.
fn base_name(name: &str) -> &str {
    without_version(name).rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The files that have lines with costs.
fn files_with_lines(snapshot: &Snapshot) -> Vec<FileId> {
    let mut files: Vec<FileId> = snapshot.costs.lines().iter().map(|line| line.file).collect();
    files.dedup();
    files
}

/// Whether a file was found, and the other profile has no costs of its lines. `same` is the same file in
/// that profile. A file that was not found there, but has the same name, counts as the same file.
fn is_only_in(snapshot: &Snapshot, file: FileId, other: &Snapshot, same: Option<FileId>) -> bool {
    let Some(path) = snapshot.path_of(file) else { return false };
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    let has_lines = |file| !other.costs.lines_of(file, 1..u32::MAX).is_empty();
    let may_be = |(recorded, file, mapping): (&str, FileId, &Mapping)| {
        mapping.path().is_none() && base_name(recorded) == name && has_lines(file)
    };
    !same.is_some_and(has_lines) && !other.mappings().any(may_be)
}

/// The lines of a file that only one side has.
fn lines_of_one(
    snapshot: &Snapshot,
    file: FileId,
    by: Comparison,
    side: Sides,
) -> impl Iterator<Item = Row> {
    let lines = snapshot.costs.lines_of(file, 1..u32::MAX).iter();
    lines.map(move |line| {
        let cost = (line.cost, snapshot.run_costs().line(file, line.line));
        let none = (no_cost(Some(line.cost)), None);
        let (before, now) = if side == Sides::Before { (cost, none) } else { (none, cost) };
        line_row(snapshot, file, line.line, changes(by, before, now), side)
    })
}

/// The row of a line (1-based) of a file of `snapshot`.
fn line_row(
    snapshot: &Snapshot,
    file: FileId,
    line: u32,
    (self_, total): (Change, Option<Change>),
    sides: Sides,
) -> Row {
    Row {
        name: String::new(),
        file: Some(snapshot.file_name(file).to_owned()),
        shown: Some(snapshot.shown_file(file).into_owned()),
        path: snapshot.path_of(file).map(Path::to_owned),
        lib: None,
        line: Some(line),
        self_,
        total,
        sides,
        own: snapshot.is_own_file(file),
        function: None,
    }
}

/// The lines of a file. `None` if it cannot be compared.
fn lines_of(baseline: &Baseline, now: &Snapshot, file: FileId, by: Comparison) -> Option<Vec<Row>> {
    let before = &*baseline.snapshot;
    let file_before = baseline.file(now, file)?;
    let map = baseline.recorded_lines(now, file)?;
    let row = |line: u32, both: [SpreadCost; 2], sides| {
        line_row(now, file, line, changes(by, both[0], both[1]), sides)
    };
    let with_spread = |snapshot: &Snapshot, line: LineCost| -> SpreadCost {
        (line.cost, snapshot.run_costs().line(line.file, line.line))
    };
    let lines =
        FileLines { snapshot: before, file: file_before, map: &map, stale: false, document: None };
    let mut costs: BTreeMap<u32, [Option<SpreadCost>; 2]> = lines
        .costs(0..u32::MAX)
        .into_iter()
        .map(|(line0, line)| (line0, [Some(with_spread(before, line)), None]))
        .collect();
    for &line in now.costs.lines_of(file, 1..u32::MAX) {
        costs.entry(line.line.saturating_sub(1)).or_default()[1] = Some(with_spread(now, line));
    }
    let mut rows: Vec<Row> = Vec::new();
    for (line0, [before, now]) in costs {
        let sides = if map.to_recorded(line0).is_none() { Sides::After } else { Sides::Both };
        let none = (no_cost(before.or(now).map(|(cost, _)| cost)), None);
        let both = [before, now].map(|cost| cost.unwrap_or(none));
        rows.push(row(line0 + 1, both, sides));
    }
    // The lines of the baseline that were changed or removed.
    for &cost in before.costs.lines_of(file_before, 1..u32::MAX) {
        let line = cost.line;
        if line.checked_sub(1).is_none_or(|line0| map.to_open(line0).is_none()) {
            let none = (no_cost(Some(cost.cost)), None);
            let changes = changes(by, with_spread(before, cost), none);
            rows.push(line_row(before, file_before, line, changes, Sides::Before));
        }
    }
    Some(rows)
}

/// No cost, with a total that is unknown if the other side's total is.
fn no_cost(other: Option<Cost>) -> Cost {
    let total = other.filter(|cost| cost.total == Total::Unknown).map(|cost| cost.total);
    Cost { total: total.unwrap_or(NO_COST.total), ..NO_COST }
}

/// The self cost of the functions of a file on one side: the sum, and that of each run.
#[derive(Debug, Clone, Default)]
struct FileCost {
    own: f64,
    runs: Vec<f64>,
}

impl FileCost {
    fn add(&mut self, own: f64, runs: impl ExactSizeIterator<Item = f64>) {
        self.own += own;
        self.runs.resize(runs.len(), 0.0);
        self.runs.iter_mut().zip(runs).for_each(|(sum, own)| *sum += own);
    }

    fn spread(&self) -> Option<f64> {
        (self.runs.len() > 1).then(|| mean(self.runs.iter().copied()).1)
    }
}

/// What is shown of a file.
#[derive(Debug, Clone, Default)]
struct Shown {
    /// Its name in the profile.
    name: Option<String>,
    /// Its name for people.
    title: Option<String>,
    /// Whether it has own code.
    own: bool,
}

/// The paths of the files that the baseline has in another checkout, by their paths in the baseline.
fn other_checkouts<'a>(baseline: &'a Baseline, now: &'a Snapshot) -> FxHashMap<&'a Path, &'a Path> {
    let paths = now.costs.functions().filter_map(|(function, _)| {
        let file = now.function(function).file?;
        Some((baseline.snapshot.path_of(baseline.file(now, file)?)?, now.path_of(file)?))
    });
    paths.filter(|(before, now)| before != now).collect()
}

/// The self cost of the functions of each file, by the workspace file or else the recorded name.
/// Functions without a file are listed by library. The second result is the number of those that
/// cannot be compared.
fn files(
    baseline: &Baseline,
    now: &Snapshot,
    by: Comparison,
    half_resolved: &HalfResolved,
) -> (Vec<Row>, usize) {
    /// The workspace file, or else the recorded name, or else the library.
    type Key = (Option<PathBuf>, Option<String>, Option<String>);
    let mut sums: BTreeMap<Key, ([Option<FileCost>; 2], Shown)> = BTreeMap::new();
    let mut unmatched: BTreeSet<Key> = BTreeSet::new();
    let before = &*baseline.snapshot;
    let in_other_checkout = other_checkouts(baseline, now);
    for (side, snapshot) in [before, now].into_iter().enumerate() {
        for (function, cost) in snapshot.costs.functions() {
            let this = snapshot.function(function);
            let name = this.file.map(|file| snapshot.file_name(file).to_owned());
            let path = this.file.and_then(|file| snapshot.path_of(file));
            let path = path.map(|path| *in_other_checkout.get(path).unwrap_or(&path));
            let recorded = name.clone().filter(|_| path.is_none());
            let lib = this.lib.filter(|_| name.is_none()).map(str::to_owned);
            let key = (path.map(Path::to_owned), recorded, lib);
            if half_resolved.has(snapshot, function) {
                unmatched.insert(key.clone());
            }
            let (sums, shown) = sums.entry(key).or_default();
            shown.name = name;
            shown.title = this.file.map(|file| snapshot.shown_file(file).into_owned());
            shown.own |= snapshot.is_own(function);
            let runs = snapshot.run_costs().own(function);
            sums[side].get_or_insert_default().add(cost.cost.self_, runs);
        }
    }
    let row = |((path, _, lib), (sums, shown)): (Key, ([Option<FileCost>; 2], Shown))| {
        let own = sums.each_ref().map(|sum| sum.as_ref().map_or(0.0, |sum| sum.own));
        let spreads = sums.each_ref().map(|sum| sum.as_ref().and_then(FileCost::spread));
        Row {
            name: String::new(),
            file: shown.name,
            shown: shown.title,
            path,
            lib,
            line: None,
            self_: by.change_of_spread(own, spreads),
            total: None,
            sides: match sums {
                [None, _] => Sides::After,
                [_, None] => Sides::Before,
                _ => Sides::Both,
            },
            own: shown.own,
            function: None,
        }
    };
    // A file that was not found may be one of the same name in another folder.
    let mut one_sided: BTreeMap<String, [Vec<&Key>; 2]> = BTreeMap::new();
    for (key, (sums, _)) in &sums {
        let side = match sums {
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            _ => continue,
        };
        let (path, recorded, _) = key;
        let path = path.as_deref().map(Path::to_string_lossy);
        if let Some(name) = path.or(recorded.as_deref().map(Cow::Borrowed)) {
            one_sided.entry(base_name(&name).to_owned()).or_default()[side].push(key);
        }
    }
    for keys in one_sided.into_values().filter(|sides| sides.iter().all(|keys| !keys.is_empty())) {
        let keys = keys.concat();
        if keys.iter().any(|(path, ..)| path.is_none()) {
            unmatched.extend(keys.into_iter().cloned());
        }
    }
    sums.retain(|key, _| !unmatched.contains(key));
    (sums.into_iter().map(row).collect(), unmatched.len())
}

/// The labels of both profiles, with the samples that have no label of a key.
fn labels(before: &Snapshot, now: &Snapshot, by: Comparison) -> Vec<Row> {
    let mut sums: BTreeMap<String, [Option<f64>; 2]> = BTreeMap::new();
    for (side, snapshot) in [before, now].into_iter().enumerate() {
        // A call graph has none.
        let costs = snapshot.labels(PartWithLabels::Whole, None).unwrap_or_default();
        for cost in costs {
            sums.entry(cost.title()).or_default()[side] = Some(cost.total);
        }
    }
    let row = |(name, sums): (String, [Option<f64>; 2])| {
        let change = by.change_of_spread(sums.map(Option::unwrap_or_default), [None, None]);
        Row {
            name,
            file: None,
            shown: None,
            path: None,
            lib: None,
            line: None,
            self_: change,
            total: Some(change),
            sides: match sums {
                [None, _] => Sides::After,
                [_, None] => Sides::Before,
                _ => Sides::Both,
            },
            own: true,
            function: None,
        }
    };
    sums.into_iter().map(row).collect()
}
