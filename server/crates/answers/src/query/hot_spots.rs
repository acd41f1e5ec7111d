//! The hottest functions, lines, calls, files, modules, packages, libraries, threads, cliques or
//! fields of a profile.

use crate::compare::overlay::Overlaid;
use crate::items::fields::PlaceFields;
use crate::items::{CostData, Item, root_item};
use crate::keys::Key;
use crate::keys::weight::Weight;
use crate::present::labels::Scale;
use crate::ranking::{
    Accessors, By, Field, Group, GroupKind, InBaseline, Limits, Ranked, Ranking, Row, Rows, Scope,
    Sort,
};
use crate::session::marks::Marks;
use crate::world::context::Context;
use analysis::{CliqueCost, Cost, Edge, FileId, FunctionId, ThreadId, Total, thread_labels};
use loading::text::plain;
use loading::{Show, Snapshot, Spread, units};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The default number of hot spots.
const LIMIT: usize = 50;

/// The hot spots to return.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "HotSpotsArgument")]
pub struct Question {
    /// What to list. Default: functions.
    pub by: Option<By>,
    /// What to sort by. Default: self; calls, cliques and fields: total.
    pub sort: Option<Sort>,
    /// Whether to list only your own code. Default: all, own code first.
    pub scope: Option<Scope>,
    /// List only rows whose name or file contains this text, ignoring case. Default: all.
    pub filter: Option<String>,
    /// Divide costs by the number of calls. Rows without counted calls are omitted. Default: false.
    pub per_call: Option<bool>,
    /// The least percentage, in what rows are sorted by. Default: none.
    pub min_percent: Option<f64>,
    /// The least value in units of the metric, in what rows are sorted by. Default: none.
    pub min: Option<f64>,
    /// The maximum number. Default: 50.
    pub limit: Option<usize>,
    /// The Mercury module or the library of the functions or fields. Default: all.
    pub module: Option<String>,
}

/// The hot spots of a profile, hottest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HotSpots {
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What is not default about the view, as short labels.
    pub marks: Vec<String>,
    /// The total of the profile.
    pub total: Weight,
    /// The number of rows that `perCall` omits, because their calls are not counted.
    pub without_calls: usize,
    /// The functions. Missing if something else was requested; likewise for the other lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotFunction>")]
    pub functions: Option<Vec<HotFunction>>,
    /// The lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotLine>")]
    pub lines: Option<Vec<HotLine>>,
    /// The calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotEdge>")]
    pub edges: Option<Vec<HotEdge>>,
    /// The files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotFile>")]
    pub files: Option<Vec<HotFile>>,
    /// The modules or libraries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotModule>")]
    pub modules: Option<Vec<HotModule>>,
    /// The packages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotModule>")]
    pub packages: Option<Vec<HotModule>>,
    /// The libraries.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotModule>")]
    pub libraries: Option<Vec<HotModule>>,
    /// The threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotThread>")]
    pub threads: Option<Vec<HotThread>>,
    /// The cliques.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotClique>")]
    pub cliques: Option<Vec<HotClique>>,
    /// The fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<HotField>")]
    pub fields: Option<Vec<HotField>>,
}

/// The cost of a row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HotCost {
    /// The cost of all calls.
    #[serde(flatten)]
    pub cost: CostData,
    /// The number of calls, if they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub calls: Option<u64>,
    /// The cost of one call on average, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PerCall")]
    pub per_call: Option<PerCall>,
    /// Self and total cost, formatted as in lenses.
    pub text: String,
    /// What rows are sorted by, formatted as in hints.
    pub label: String,
    /// The rest of self and total cost, formatted as in hints: `total 12.3%`. Empty if there is
    /// nothing else.
    pub detail: String,
    /// How the cost of a function or line is spread over the runs, if their mean is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SpreadData")]
    pub spread: Option<SpreadData>,
}

/// How a cost is spread over runs: sample standard deviations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SpreadData {
    /// The spread of the self cost.
    #[serde(rename = "self")]
    pub self_: Weight,
    /// The spread of the total. Null if it is not exact.
    pub total: Option<Weight>,
    /// The spread of the sorted column, for display: `±40.0 ms`.
    pub text: String,
}

/// The cost of one call on average.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PerCall {
    /// The self cost.
    #[serde(rename = "self")]
    pub self_: Weight,
    /// The total. Null if it is not exact.
    pub total: Option<Weight>,
}

/// A hot function.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotFunction {
    /// The function's cost.
    #[serde(flatten)]
    pub cost: HotCost,
    /// The function's name.
    pub name: String,
    /// The short name of its library.
    pub lib: Option<String>,
    /// Whether it is own code: its source is in the workspace, not in a folder of libraries.
    pub own: bool,
    /// The function's key.
    pub key: Key,
    /// The function's item, to request callers and callees with.
    pub item: Option<Item>,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The name of the definition's file in the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// The recorded line of the definition, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub line: Option<u32>,
}

/// A hot line.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotLine {
    /// The line's cost.
    #[serde(flatten)]
    pub cost: HotCost,
    /// The line's place.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The name of the file in the profile.
    pub file: String,
    /// The recorded line, 1-based.
    pub line: u32,
    /// Whether it is own code: its source is in the workspace, not in a folder of libraries.
    pub own: bool,
}

/// The functions of a file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HotFile {
    /// The cost of its functions. A sample counts once. Call graphs have no total, because calls
    /// between functions overlap.
    #[serde(flatten)]
    pub cost: HotCost,
    /// The name of the file in the profile; null for functions without a file.
    pub file: Option<String>,
    /// The file for display: its name, or `no file`.
    pub title: String,
    /// The first line of the file.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// Whether it is own code: its source is in the workspace, not in a folder of libraries.
    pub own: bool,
}

/// All calls from one function to another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotEdge {
    /// The cost of the calls. They have no self cost.
    #[serde(flatten)]
    pub cost: HotCost,
    /// Both functions, for display: `main → build`.
    pub title: String,
    /// The calling function.
    pub caller: HotMember,
    /// The called function.
    pub callee: HotMember,
    /// The hottest call site, or else the definition of the caller.
    #[serde(flatten)]
    pub place: PlaceFields,
}

/// A function of a row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotMember {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: Key,
    /// Its item, to request callers and callees with.
    pub item: Option<Item>,
}

/// A module, package or library.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotModule {
    /// The cost of its functions. A sample counts once. Call graphs have no total, because calls
    /// between functions overlap.
    #[serde(flatten)]
    pub cost: HotCost,
    /// Its name; null for functions without one.
    pub name: Option<String>,
    /// The name for display, for functions without one: `no library`.
    pub title: String,
    /// Whether it has own code.
    pub own: bool,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotThread {
    /// The cost of its samples; self and total are the same.
    #[serde(flatten)]
    pub cost: HotCost,
    /// Its name, or else the name of its process; empty if unknown.
    pub name: String,
    /// What tells it apart from the others, for display: `main · thread 7`.
    pub title: String,
    /// The process id, as spelled in the profile.
    pub pid: Option<String>,
    /// The thread id, as spelled in the profile.
    pub tid: Option<String>,
}

/// A clique: functions that call each other.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotClique {
    /// The cost of the calls that enter the clique.
    #[serde(flatten)]
    pub cost: HotCost,
    /// The names of the functions, for display: `even, odd`.
    pub title: String,
    /// The functions.
    pub functions: Vec<HotMember>,
    /// Whether they call each other, or themselves.
    pub recursive: bool,
}

/// A field of a data structure of Mercury.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotField {
    /// The cost of getting and setting it.
    #[serde(flatten)]
    pub cost: HotCost,
    /// The module, the data structure and the field, for display: `m info.size`.
    pub title: String,
    /// The module.
    pub module: String,
    /// The data structure; empty if the names of the procedures do not contain it.
    pub structure: String,
    /// The field.
    pub name: String,
    /// The procedures that get it; null if there are none.
    pub getters: Option<HotAccessors>,
    /// The procedures that set it; null if there are none.
    pub setters: Option<HotAccessors>,
}

/// The procedures that get a field, or the procedures that set it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotAccessors {
    /// Their cost.
    #[serde(flatten)]
    pub cost: HotCost,
    /// The procedures.
    pub functions: Vec<HotMember>,
}

/// The hot spots of a profile. `None` without a profile. The error is a message for users.
pub fn hot_spots(context: &Context, question: Question) -> Result<Option<HotSpots>, String> {
    let Some(snapshot) = context.world.snapshot() else { return Ok(None) };
    let Question { by, sort, scope, filter, per_call, min_percent, min, limit, module } = question;
    let (by, per_call) = (by.unwrap_or_default(), per_call.unwrap_or_default());
    let limits = Limits { per_call, min_percent, min, limit: limit.unwrap_or(LIMIT) };
    let scope = scope.unwrap_or_default();
    let line = |file, line| context.line_before(snapshot, file, line);
    let baseline = context.compared(snapshot).map(|compared| InBaseline { compared, line: &line });
    let ranking = Ranking { by, sort, scope, idle: false, module: module.clone(), filter, limits };
    let ranked = ranking.rows(snapshot, baseline)?;
    let Ranked { rows, sort, omitted } = ranked;
    let scale = context.scale(snapshot);
    let scale = if by == By::Line { scale.of_lines() } else { scale };
    let answer = Answer { context, snapshot, scale, sort, per_call, module };
    let metric = &snapshot.costs.metric;
    let common = HotSpots {
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        marks: Marks::of_world(&context.world).all(),
        total: Weight(snapshot.costs.total),
        without_calls: omitted.without_calls,
        ..HotSpots::default()
    };
    Ok(Some(answer.with_rows(common, &rows)))
}

struct Answer<'a> {
    context: &'a Context,
    snapshot: &'a Snapshot,
    scale: Scale<'a>,
    sort: Sort,
    per_call: bool,
    /// The module or library that functions are limited to.
    module: Option<String>,
}

impl Answer<'_> {
    fn with_rows(&self, common: HotSpots, rows: &Rows) -> HotSpots {
        fn all<T, R>(rows: &[Row<T>], answer: impl Fn(&Row<T>) -> R) -> Vec<R> {
            rows.iter().map(answer).collect()
        }
        let groups =
            |kind: GroupKind, rows: &[Row<Group>]| Some(all(rows, |row| self.group(kind, row)));
        match rows {
            Rows::Functions(rows) => {
                HotSpots { functions: Some(all(rows, |row| self.function(row))), ..common }
            }
            Rows::Lines(rows) => {
                HotSpots { lines: Some(all(rows, |row| self.line(row))), ..common }
            }
            Rows::Edges(rows) => {
                HotSpots { edges: Some(all(rows, |row| self.edge(row))), ..common }
            }
            Rows::Groups(GroupKind::File, rows) => {
                HotSpots { files: Some(all(rows, |row| self.file(row))), ..common }
            }
            Rows::Groups(kind @ GroupKind::Module, rows) => {
                HotSpots { modules: groups(*kind, rows), ..common }
            }
            Rows::Groups(kind @ GroupKind::Package, rows) => {
                HotSpots { packages: groups(*kind, rows), ..common }
            }
            Rows::Groups(kind @ GroupKind::Library, rows) => {
                HotSpots { libraries: groups(*kind, rows), ..common }
            }
            Rows::Threads(rows) => HotSpots { threads: Some(self.threads(rows)), ..common },
            Rows::Cliques(rows) => {
                HotSpots { cliques: Some(all(rows, |row| self.clique(row))), ..common }
            }
            Rows::Fields(rows) => {
                HotSpots { fields: Some(all(rows, |row| self.field(row))), ..common }
            }
        }
    }

    fn cost<T>(&self, row: &Row<T>) -> HotCost {
        self.with_data(row, CostData::new(self.scale, row.cost, row.before.as_deref().copied()))
    }

    fn with_data<T>(&self, row: &Row<T>, cost: CostData) -> HotCost {
        let before = row.before.as_deref().copied();
        let per_call = row.per_call().filter(|_| self.per_call);
        let calls = || units::calls(row.calls);
        let (text, label) = if let Some(each) = per_call {
            let (self_, total) = self.each(each, cost.self_.is_some());
            let label = match self.sort {
                Sort::Self_ | Sort::Change => self_.clone(),
                Sort::Total => total.clone().or_else(|| self_.clone()),
                Sort::Calls => None,
            };
            let text: Vec<_> = self_.into_iter().chain(total).collect();
            (format!("{} per call{}", text.join(" · "), calls()), label)
        } else {
            let total = row.cost.total != Total::Unknown;
            let text = match (cost.self_.is_some(), total) {
                (true, true) => self.scale.lens(row.cost, before),
                (true, false) => format!("self {}", self.scale.both(row.cost.self_)),
                _ => self.scale.total(row.cost.total, |weight| self.scale.both(weight)),
            };
            let label = match self.sort {
                Sort::Self_ | Sort::Change => Some(self.scale.hint(row.cost, Show::Self_, before)),
                Sort::Total => Some(self.scale.hint(row.cost, Show::Total, before)),
                Sort::Calls => None,
            };
            let calls = if self.sort == Sort::Calls { calls() } else { String::new() };
            (text + &calls, label)
        };
        let label = label.unwrap_or_else(|| units::counted(row.calls.unwrap_or(0) as f64, "calls"));
        let detail = self.detail(row, per_call, cost.self_.is_some());
        HotCost {
            cost,
            calls: row.calls,
            per_call: per_call.map(|Cost { self_, total }| PerCall {
                self_: Weight(self_),
                total: Weight::of_total(total),
            }),
            text,
            label,
            detail,
            spread: None,
        }
    }

    /// The cost of a row, with its spread and its cost in the overlay.
    fn with_details<T>(
        &self,
        row: &Row<T>,
        spread: Option<Spread>,
        overlaid: Option<Overlaid<'_>>,
    ) -> HotCost {
        let mut cost = self.cost(row);
        if let Some(overlaid) = overlaid.filter(|_| !self.per_call) {
            cost.text += &overlaid.lens();
            cost.label +=
                &overlaid.hint(if self.sort == Sort::Total { Show::Total } else { Show::Self_ });
            cost.cost = cost.cost.beside(Some(overlaid));
        }
        let data = |Spread { self_, total }| {
            let sorted_by = if self.sort == Sort::Total { total } else { Some(self_) };
            let text = self.scale.spread(sorted_by).trim_start().to_owned();
            SpreadData { self_: Weight(self_), total: total.map(Weight), text }
        };
        HotCost { spread: spread.filter(|_| !self.per_call).map(data), ..cost }
    }

    /// Self and total cost without the one that rows are sorted by.
    fn detail<T>(&self, row: &Row<T>, per_call: Option<Cost>, has_self: bool) -> String {
        let (self_, total) = if let Some(each) = per_call {
            self.each(each, has_self)
        } else {
            let weight = |weight| self.scale.weight(weight);
            let self_ = has_self.then(|| format!("self {}", self.scale.own(row.cost, weight)));
            let total = (row.cost.total != Total::Unknown)
                .then(|| format!("total {}", self.scale.total(row.cost.total, weight)));
            (self_, total)
        };
        let parts = match self.sort {
            Sort::Self_ | Sort::Change => [None, total],
            Sort::Total if total.is_some() => [self_, None],
            Sort::Total => [None, None],
            Sort::Calls => [self_, total],
        };
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// Self and total of one call, as far as they are known.
    fn each(&self, cost: Cost, has_self: bool) -> (Option<String>, Option<String>) {
        let absolute = |weight| units::absolute(weight, self.scale.metric);
        let total = (cost.total != Total::Unknown)
            .then(|| format!("total {}", self.scale.total(cost.total, absolute)));
        (has_self.then(|| format!("self {}", absolute(cost.self_))), total)
    }

    fn function(&self, row: &Row<FunctionId>) -> HotFunction {
        let Self { context, snapshot, .. } = *self;
        let function = row.what;
        let this = snapshot.function(function);
        let (file, line) = snapshot.definition(function).unzip();
        let spread = snapshot.run_costs().function(function).filter(|_| !row.partial);
        let overlay = context.overlay(snapshot).filter(|_| !row.partial);
        let overlaid = overlay.and_then(|overlay| overlay.function(snapshot, function));
        HotFunction {
            cost: self.with_details(row, spread, overlaid),
            name: this.name.to_owned(),
            lib: if row.partial { self.module.clone() } else { this.lib.map(str::to_owned) },
            own: row.own,
            key: Key::of(snapshot, function),
            item: root_item(context, snapshot, function),
            place: PlaceFields::of_function(context, snapshot, function),
            file: file.map(|file| snapshot.file_name(file).to_owned()),
            line,
        }
    }

    fn line(&self, row: &Row<(FileId, u32)>) -> HotLine {
        let Self { context, snapshot, .. } = *self;
        let (file, line) = row.what;
        HotLine {
            cost: self.with_details(
                row,
                snapshot.run_costs().line(file, line),
                context
                    .overlay(snapshot)
                    .and_then(|overlay| overlay.recorded_line(snapshot, file, line)),
            ),
            place: PlaceFields::of_line(context, snapshot, file, line),
            file: snapshot.file_name(file).to_owned(),
            line,
            own: row.own,
        }
    }

    fn member(&self, function: FunctionId) -> HotMember {
        HotMember {
            name: self.snapshot.function(function).name.to_owned(),
            key: Key::of(self.snapshot, function),
            item: root_item(self.context, self.snapshot, function),
        }
    }

    fn edge(&self, row: &Row<Edge>) -> HotEdge {
        let Self { context, snapshot, .. } = *self;
        let site = snapshot.tree.edges().sites(&row.what).first();
        let cost = CostData::with_self(self.scale, None, row.cost.total, None);
        let (caller, callee) = (self.member(row.what.caller), self.member(row.what.callee));
        HotEdge {
            cost: self.with_data(row, cost),
            title: format!("{} → {}", plain(&caller.name), plain(&callee.name)),
            caller,
            callee,
            place: match site {
                Some(site) => PlaceFields::of_line(context, snapshot, site.file, site.line),
                None => PlaceFields::of_function(context, snapshot, row.what.caller),
            },
        }
    }

    fn file(&self, row: &Row<Group>) -> HotFile {
        let Self { context, snapshot, .. } = *self;
        let place = match row.what.file {
            Some(file) => PlaceFields::of_file(context, snapshot, file),
            None => PlaceFields::none(),
        };
        let file = row.what.file.map(|file| snapshot.file_name(file).to_owned());
        let title = row.what.title(GroupKind::File, snapshot);
        HotFile { cost: self.cost(row), file, title, place, own: row.own }
    }

    fn group(&self, kind: GroupKind, row: &Row<Group>) -> HotModule {
        let title = row.what.title(kind, self.snapshot);
        HotModule { cost: self.cost(row), name: row.what.name.clone(), title, own: row.own }
    }

    fn threads(&self, rows: &[Row<ThreadId>]) -> Vec<HotThread> {
        let threads = self.snapshot.grouped.recording.threads();
        let labels = thread_labels(threads);
        rows.iter()
            .map(|row| {
                let thread = threads.get(row.what.index()).cloned().unwrap_or_default();
                let name = if thread.name.is_empty() { thread.process_name } else { thread.name };
                let title = labels.get(row.what.index()).map(|label| plain(label).into_owned());
                let (title, cost) = (title.unwrap_or_default(), self.cost(row));
                HotThread { cost, name, title, pid: thread.pid, tid: thread.tid }
            })
            .collect()
    }

    fn clique(&self, row: &Row<CliqueCost>) -> HotClique {
        let functions: Vec<_> =
            row.what.functions.iter().map(|&member| self.member(member)).collect();
        let names: Vec<_> = functions.iter().map(|member| plain(&member.name)).collect();
        HotClique {
            cost: self.cost(row),
            title: names.join(", "),
            functions,
            recursive: row.what.recursive,
        }
    }

    fn field(&self, row: &Row<Field>) -> HotField {
        let accessors = |of: &Option<Accessors>| {
            let Accessors { functions, cost, calls } = of.as_ref()?;
            Some(HotAccessors {
                cost: self.cost(&Row::new((), *cost, *calls)),
                functions: functions.iter().map(|&function| self.member(function)).collect(),
            })
        };
        let Field { module, structure, name, getters, setters } = &row.what;
        HotField {
            cost: self.cost(row),
            title: format!("{} {}", plain(module), plain(&row.what.full_name())),
            module: module.clone(),
            structure: structure.clone(),
            name: name.clone(),
            getters: accessors(getters),
            setters: accessors(setters),
        }
    }
}
