//! The hottest functions, lines, calls, files, modules, packages, libraries, threads, labels,
//! cliques or fields of a profile.

use super::ask::{Ask, Takes};
use crate::items::fields::{CostFields, PlaceFields};
use crate::items::{CostData, Item, root_item};
use crate::keys::Key;
use crate::keys::weight::Weight;
use crate::present::hot_groups::{HotGroup, hot_groups};
use crate::present::labels::{Part, Scale};
use crate::present::names::NameParts;
use crate::ranking::{
    By, InBaseline, Limits, Listing, Members, Place, Ranked, Ranking, Role, Row, Scope, Sort,
    Subject, magnitude,
};
use crate::session::marks::Marks;
use crate::values::values;
use crate::world::context::Context;
use analysis::{Cost, FunctionId, ThreadId, Total};
use loading::{Show, Snapshot, Spread, units};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The default number of hot spots.
const LIMIT: usize = 50;

/// The hot spots to return.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(rename = "HotSpotsArgument")]
pub struct Question {
    /// What to list. Default: functions. `label:KEY`: the labels with one key, and what has none.
    pub by: Option<Listing>,
    /// What to sort by. Default: functions, lines, files and packages: charged, unless `perCall` or `module`
    /// is given; modules and libraries: charged if only your own code is listed, else self; threads and labels: self;
    /// others: total.
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
    /// The total of the profile. Null if functions contain each other (`line_profiler`).
    pub total: Option<Weight>,
    /// The two groups of rows, your code and other code, if they are sorted by `charged` without a `filter` and
    /// the profile has both. Otherwise empty.
    pub groups: Vec<HotGroup>,
    /// The number of rows that `perCall` omits, because their calls are not counted.
    pub without_calls: usize,
    /// The rows, hottest first, own code before other code.
    #[serde(flatten)]
    pub list: HotList,
}

/// Rows of one kind. In JSON, the key of the list says what they are: `functions`, `lines` …
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HotList {
    /// What they are.
    pub by: By,
    /// The rows.
    pub rows: Vec<HotRow>,
}

impl Serialize for HotList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.by.list(), &self.rows)])
    }
}

impl JsonSchema for HotList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "HotList".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let rows = generator.subschema_for::<Vec<HotRow>>().to_value();
        let list = |by: By| {
            let mut list = rows.clone();
            list["description"] =
                format!("The {}. Missing if something else was requested.", by.plural()).into();
            (by.list().to_owned(), list)
        };
        let lists: Map<String, Value> = values().into_iter().map(|by| list(by.value)).collect();
        json_schema!({ "type": "object", "properties": lists })
    }
}

/// The cost of a row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HotCost {
    /// The cost of all calls.
    #[serde(flatten)]
    pub cost: CostData,
    /// Of own functions, if rows are sorted by it: the self cost and that of the libraries that it calls,
    /// down to the next own function. An estimate in call graphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Weight")]
    pub charged: Option<Weight>,
    /// The same for display: `91.0%`, `58.0% est.`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub charged_text: Option<String>,
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
    /// The spread of the sorted column, for display: `±40.0 ms`. Empty if it is not known.
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

/// A function, line, call, file, module, package, library, thread, label, clique or field.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotRow {
    /// Its cost. A sample counts once. Calls have no self cost; files, modules, packages and libraries
    /// of call graphs have no total, because calls between functions overlap.
    #[serde(flatten)]
    pub cost: HotCost,
    /// The text for display: `app.py:12`, `main → build`, `no library`, `even, odd`.
    pub title: String,
    /// The recorded name. Missing for lines, calls and cliques, and for functions without a file, library
    /// or whatever is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// The name of a function in parts. Missing for everything else.
    #[serde(flatten)]
    pub parts: Option<NameParts>,
    /// The short name of the library of a function, or the module of a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub lib: Option<String>,
    /// Whether it is, or has, own code: its source is in the workspace, not in a folder of libraries.
    /// Missing for threads, labels and fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub own: Option<bool>,
    /// The key of a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Key")]
    pub key: Option<Key>,
    /// The item of a function, to request callers and callees with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Item")]
    pub item: Option<Item>,
    /// Where it is: a function's definition, a file's first line, the hottest site of a call or else the
    /// definition of its caller. Missing for what is not at one place.
    #[serde(flatten)]
    pub place: Option<PlaceFields>,
    /// The name of the file in the profile: that of a function's definition, a line or a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// The recorded line of a function's definition, or the recorded line, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    pub line: Option<u32>,
    /// The functions of a call, clique or field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<HotMembers>,
    /// Whether the functions of a clique call each other, or themselves.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recursive: bool,
    /// The process id of a thread, as spelled in the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub pid: Option<String>,
    /// The thread id, as spelled in the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub tid: Option<String>,
    /// The key of a label. Its value is the name, which is missing for what has no such label.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub label: Option<String>,
}

/// Functions of a row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotMembers {
    /// What they are in it.
    pub role: Role,
    /// The functions.
    pub functions: Vec<HotMember>,
    /// Their part of the cost. Only of fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "HotCost")]
    pub cost: Option<HotCost>,
}

/// A function of a row.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HotMember {
    /// Its name.
    pub name: String,
    /// Its name in parts.
    #[serde(flatten)]
    pub parts: NameParts,
    /// Its key.
    pub key: Key,
    /// Its item, to request callers and callees with.
    pub item: Option<Item>,
}

impl Ask for Question {
    const NAME: &'static str = "hotspots";
    const DESCRIPTION: &'static str = "List the hottest functions, lines, calls, files, modules, \
                                       packages, libraries, threads, labels, cliques or fields of \
                                       the \
                                       profile, own code first, like `costline report`. Null \
                                       without a profile.";
    const TAKES: Takes = Takes::Options;
    const OF_ANY_PROFILE: bool = true;
    type Answer = Option<HotSpots>;

    fn answer(self, context: &Context) -> Result<Self::Answer, String> {
        hot_spots(context, self)
    }
}

/// The hot spots of a profile. `None` without a profile. The error is a message for users.
pub fn hot_spots(context: &Context, question: Question) -> Result<Option<HotSpots>, String> {
    let Some(snapshot) = context.world.snapshot() else { return Ok(None) };
    let Question { by, sort, scope, filter, per_call, min_percent, min, limit, module } = question;
    let Listing { by, label } = by.unwrap_or_default();
    let per_call = per_call.unwrap_or_default();
    let limits = Limits { per_call, min_percent, min, limit: limit.unwrap_or(LIMIT) };
    let scope = scope.unwrap_or_default();
    let line = |file, line| context.line_before(snapshot, file, line);
    let baseline = context.compared(snapshot).map(|compared| InBaseline { compared, line: &line });
    let ranking = Ranking { by, label, sort, scope, idle: false, module, filter, limits };
    let ranked = ranking.rows(snapshot, baseline)?;
    let scale = context.scale(snapshot);
    let scale = if by == By::Line { scale.of_lines() } else { scale };
    let groups = hot_groups(snapshot, scale, &ranked);
    let Ranked { rows, sort, omitted, .. } = ranked;
    let answer = Answer { context, snapshot, scale, by, sort, per_call };
    let metric = &snapshot.costs.metric;
    Ok(Some(HotSpots {
        metric: metric.name.clone(),
        unit: metric.unit.clone(),
        marks: Marks::of_world(&context.world).all(),
        total: snapshot.total().map(Weight),
        groups,
        without_calls: omitted.without_calls,
        list: HotList { by, rows: rows.iter().map(|row| answer.row(row)).collect() },
    }))
}

#[derive(Clone, Copy)]
struct Answer<'a> {
    context: &'a Context,
    snapshot: &'a Snapshot,
    scale: Scale<'a>,
    by: By,
    sort: Sort,
    per_call: bool,
}

impl Answer<'_> {
    fn row(&self, row: &Row) -> HotRow {
        let Self { context, snapshot, by, .. } = *self;
        let Subject { title, name, lib, place, members, recursive, thread, key } = &row.what;
        let (function, line) = (row.what.function(), row.what.line());
        let (file, line) = match *place {
            Place::File(file) => (Some(file), None),
            _ => function.and_then(|it| snapshot.definition(it)).or(line).unzip(),
        };
        let thread = thread.map(ThreadId::index);
        let thread = thread.and_then(|thread| snapshot.grouped.recording.threads().get(thread));
        let scale = match row.what.line() {
            Some((file, line)) => self.scale.of_line(snapshot, file, line),
            None => self.scale,
        };
        let scaled = Self { scale, ..*self };
        HotRow {
            cost: scaled.with_details(row),
            title: title.clone(),
            name: name.clone(),
            parts: function.map(|function| NameParts::of(snapshot.function(function).name)),
            lib: lib.clone(),
            own: by.has_own_code().then_some(row.own),
            key: function.map(|function| Key::of(snapshot, function)),
            item: function.and_then(|function| root_item(context, snapshot, function)),
            place: match *place {
                Place::None if by == By::File => Some(PlaceFields::none()),
                Place::None => None,
                Place::Function(it) => Some(PlaceFields::of_function(context, snapshot, it)),
                Place::Line(file, line) => {
                    Some(PlaceFields::of_line(context, snapshot, file, line))
                }
                Place::File(file) => Some(PlaceFields::of_file(context, snapshot, file)),
            },
            file: file.map(|file| snapshot.file_name(file).to_owned()),
            line,
            members: members.iter().map(|members| self.members(members)).collect(),
            recursive: *recursive,
            pid: thread.and_then(|thread| thread.pid.clone()),
            tid: thread.and_then(|thread| thread.tid.clone()),
            label: key.clone(),
        }
    }

    fn members(&self, members: &Members) -> HotMembers {
        let Self { context, snapshot, .. } = *self;
        let member = |&function: &FunctionId| HotMember {
            name: snapshot.function(function).name.to_owned(),
            parts: NameParts::of(snapshot.function(function).name),
            key: Key::of(snapshot, function),
            item: root_item(context, snapshot, function),
        };
        HotMembers {
            role: members.role,
            functions: members.functions.iter().map(member).collect(),
            cost: members.cost.map(|(cost, calls)| self.cost(&Row::new((), cost, calls))),
        }
    }

    fn cost<T>(&self, row: &Row<T>) -> HotCost {
        let before = row.before.as_deref().copied();
        let own = self.scale.self_of(row.cost).filter(|_| self.by.has_self());
        let mut cost = CostData::with_self(self.scale, own, row.cost.total, before);
        // The bar and the color are those of the number that rows are sorted by.
        if self.sort.is_of_self() && own.is_some() {
            let fields = CostFields::new(self.scale, None, row.charge(), None);
            (cost.fields.share, cost.fields.tier) = (fields.share, fields.tier);
            cost.fields.change_tier = cost.fields.change_tier_of(self.scale, Part::Self_);
        }
        let per_call = row.per_call().filter(|_| self.per_call);
        let calls = || units::calls(row.calls);
        let weight = |weight| self.scale.weight(weight);
        let charged_text = row.charged.map(|charged| self.scale.total(charged, weight));
        let (text, label) = if let Some(each) = per_call {
            let (self_, total) = self.each(each, cost.self_.is_some());
            let label = match self.sort {
                Sort::Self_ | Sort::Charged | Sort::Change => self_.clone(),
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
            let text = text + &self.with_libraries(row, |weight| self.scale.both(weight));
            let label = match self.sort {
                Sort::Charged if row.charges_libraries() => charged_text.clone(),
                Sort::Self_ | Sort::Charged | Sort::Change => {
                    Some(self.scale.hint(row.cost, Show::Self_, before))
                }
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
            charged_text,
            charged: row.charged.map(|charged| Weight(magnitude(charged))),
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
    fn with_details(&self, row: &Row) -> HotCost {
        let Self { context, snapshot, .. } = *self;
        let overlay = context.overlay(snapshot);
        let overlaid = overlay.and_then(|overlay| row.overlaid(snapshot, overlay));
        let mut cost = self.cost(row);
        if let Some(overlaid) = overlaid.filter(|_| !self.per_call) {
            cost.text += &overlaid.lens();
            // What libraries cost in the overlay is not known.
            if !row.charges_libraries() {
                let show = if self.sort == Sort::Total { Show::Total } else { Show::Self_ };
                cost.label += &overlaid.hint(show);
            }
            cost.cost = cost.cost.beside(Some(overlaid));
        }
        let data = |Spread { self_, total }| {
            let sorted_by = match self.sort {
                Sort::Total => total,
                _ => Some(self_).filter(|_| !row.charges_libraries()),
            };
            let text = self.scale.spread(sorted_by).trim_start().to_owned();
            SpreadData { self_: Weight(self_), total: total.map(Weight), text }
        };
        let spread = row.spread(snapshot).filter(|_| !self.per_call);
        HotCost { spread: spread.map(data), ..cost }
    }

    /// The cost of an own function with that of the libraries that it calls, if that is more than its self
    /// cost: ` · with libraries 91.0%`.
    fn with_libraries<T>(&self, row: &Row<T>, format: impl Fn(f64) -> String) -> String {
        let charged = row.charged.filter(|_| row.charges_libraries());
        let text = charged.map(|charged| self.scale.total(charged, format));
        text.map(|text| format!(" · with libraries {text}")).unwrap_or_default()
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
            Sort::Charged if row.charges_libraries() => {
                let before = row.before.as_deref().copied();
                [Some(self.scale.hint(row.cost, Show::Self_, before)), total]
            }
            Sort::Self_ | Sort::Charged | Sort::Change => [None, total],
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
}
