//! `costline report --json`: all costs of a profile, as raw weights that are not rounded. The format
//! is stable (`docs/report.schema.json`).

use crate::cli::json_changes::{JsonChanges, JsonComparison};
use crate::cli::output::Output;
use crate::cli::overlay::Beside;
use answers::order::sorted;
use answers::{
    Edge, Edges, FleetNumbers, FunctionCost, FunctionId, LabelCost, LabelScale as Scale,
    LabelValue, Overlaid, Overlay, PartWithLabels, RecordedFunctions, Site, Snapshot, Spread,
    Total, Unit, WarningCode, Weight, hottest_functions, sorted_lines,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

/// All costs of a profile. Weights are in `unit`s of `metric`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "costline report --json")]
pub struct Report<'a> {
    /// The version of this format.
    version: u32,
    /// The version of Costline that wrote the report.
    costline: &'a str,
    /// The path of the profile, as given on the command line.
    profile: String,
    /// The format of the profile.
    format: &'a str,
    /// The program that wrote the profile, if the file names it, or else the dialect of the format;
    /// null if neither is known.
    producer: Option<&'a str>,
    /// The metric of all weights.
    metric: &'a str,
    /// The unit of the metric.
    unit: &'a str,
    /// All metrics of the profile.
    metrics: Vec<Metric<'a>>,
    /// The number of samples in `total`: the profile's own count if it has a metric of samples, or
    /// else its rows with a weight in the metric; null for a call graph.
    samples: Option<Weight>,
    /// The time from the first to the last sample, in seconds; null if the profile has no times.
    duration_seconds: Option<f64>,
    /// Where the profile comes from, if `costline fetch` got it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fleet: Option<FleetNumbers>,
    /// Whether the file is truncated; null if this cannot be known, because a part of such a file
    /// is a valid file.
    truncated: Option<bool>,
    /// Weight of all samples that have a stack and are not idle. Null if the profiler measures a line only
    /// with what it calls (`line_profiler`).
    total: Option<Weight>,
    /// The number of runs that costs are the mean of, with `--combine average`.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<u32>,
    /// How `total` is spread over these runs: the sample standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<Weight>,
    /// The overlay, with `--overlay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<OverlayRow>,
    /// How the total changed, with `--baseline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<JsonComparison>,
    /// Weight of idle samples.
    idle: Weight,
    /// Weight of samples without a stack.
    no_stack: Weight,
    /// Self cost without a line.
    no_line: Weight,
    /// The threads of the view.
    threads: Vec<Thread<'a>>,
    /// The labels of samples with what they cost, by key. Empty if the profile has none.
    labels: Vec<LabelRow>,
    /// Functions as the recording has them, hottest first. A function is identified by name, file,
    /// library, line and column.
    functions: Vec<FunctionRow<'a>>,
    /// Functions whose definition was found in a source, hottest first, with the costs that the
    /// editor and the text of `costline report` show.
    definitions: Vec<DefinitionRow<'a>>,
    /// Lines, hottest first.
    lines: Vec<LineRow<'a>>,
    /// Problems of the profile.
    warnings: Vec<WarningRow<'a>>,
    // The last field, because `json` writes the edges separately.
    /// Calls, hottest first.
    edges: Vec<EdgeRow<'a>>,
}

/// A metric of the profile.
#[derive(Debug, Serialize, JsonSchema)]
struct Metric<'a> {
    /// The name, which `--metric` accepts.
    name: &'a str,
    /// The unit of weights.
    unit: &'a str,
}

/// A thread and its share of the total.
#[derive(Debug, Serialize, JsonSchema)]
struct Thread<'a> {
    /// The name; empty if the profile has none.
    name: &'a str,
    /// The id of the process.
    pid: Option<&'a str>,
    /// The id of the thread.
    tid: Option<&'a str>,
    /// The part of the total that is in this thread.
    total: Weight,
}

/// The samples with a label, or without one of this key.
#[derive(Debug, Serialize, JsonSchema)]
struct LabelRow {
    /// The key: `endpoint`.
    key: String,
    /// The value, a text or a number. Null: samples without a label of this key.
    value: Option<LabelContent>,
    /// The unit of a number, as spelled in the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// The part of the total with this label. A sample with several labels counts for each.
    total: Weight,
}

/// The value of a label.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum LabelContent {
    Text(String),
    Number(i64),
}

impl LabelRow {
    fn new(LabelCost { key, label, total }: LabelCost) -> Self {
        let (value, unit) = match label.map(|label| label.value) {
            None => (None, None),
            Some(LabelValue::Text(text)) => (Some(LabelContent::Text(text.to_string())), None),
            Some(LabelValue::Number(number, unit)) => {
                (Some(LabelContent::Number(number)), Some(unit.to_string()))
            }
        };
        Self { key, value, unit, total: Weight(total) }
    }
}

/// How a cost is spread over runs whose mean is shown: sample standard deviations.
#[derive(Debug, Serialize, JsonSchema)]
struct SpreadFields {
    /// The spread of the self cost.
    #[serde(rename = "self")]
    self_: Weight,
    /// That of the total; null if the profiles do not determine it.
    total: Option<Weight>,
}

impl From<Spread> for SpreadFields {
    fn from(Spread { self_, total }: Spread) -> Self {
        Self { self_: Weight(self_), total: total.map(Weight) }
    }
}

/// What the second costs are of.
#[derive(Debug, Serialize, JsonSchema)]
struct OverlayRow {
    /// The path of the profile.
    profile: String,
    /// The metric.
    metric: String,
    /// The unit of the metric.
    unit: String,
    /// The total in this metric. Null if functions contain each other (`line_profiler`).
    total: Option<Weight>,
}

impl From<Overlay<'_>> for OverlayRow {
    fn from(overlay: Overlay<'_>) -> Self {
        let snapshot = overlay.snapshot();
        let Snapshot { loaded, costs, .. } = snapshot;
        Self {
            profile: loaded.path.to_string_lossy().into_owned(),
            metric: costs.metric.name.clone(),
            unit: costs.metric.unit.clone(),
            total: snapshot.total().map(Weight),
        }
    }
}

/// The second cost of a function or line.
#[derive(Debug, Serialize, JsonSchema)]
struct OverlaidFields {
    /// The self cost.
    #[serde(rename = "self")]
    self_: Weight,
    /// The total; null if it is not exact.
    total: Option<Weight>,
}

impl From<Overlaid<'_>> for OverlaidFields {
    fn from(Overlaid { cost, .. }: Overlaid<'_>) -> Self {
        Self { self_: Weight(cost.self_), total: Weight::of_total(cost.total) }
    }
}

/// A total (inclusive cost): a number, or null, with bounds if they are known.
#[derive(Debug, Default, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TotalFields {
    /// The total; null if the profile does not determine it.
    total: Option<Weight>,
    /// The lower bound of the total.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_min: Option<Weight>,
    /// The upper bound of the total.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_max: Option<Weight>,
    /// Whether the total or, if it is null, the self cost is an estimate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    est: bool,
}

/// The cost of a function of the recording.
#[derive(Debug, Serialize, JsonSchema)]
struct FunctionRow<'a> {
    /// The name in the profile.
    name: &'a str,
    /// The file name in the profile, without `file://` and percent-decoded, or the original file
    /// according to a source map.
    file: Option<&'a str>,
    /// The short name of the library.
    lib: Option<&'a str>,
    /// The line at which the function starts, 1-based.
    line: Option<u32>,
    /// The column at which the function starts, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Weight of the samples whose leaf is in this function, without idle samples. Null if the profiler
    /// measures a line only with what it calls (`line_profiler`).
    #[serde(rename = "self")]
    self_: Option<Weight>,
    #[serde(flatten)]
    total: TotalFields,
    /// Weight of the idle samples whose leaf is in this function.
    idle: Weight,
    /// The number of calls of the function, if calls were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    /// How the cost is spread over runs, with `--combine average`. Missing if the
    /// function is a part of a definition with others.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<SpreadFields>,
    /// The cost in the overlay, if it is known and not zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<OverlaidFields>,
    /// How the costs changed, with `--baseline`. Missing if the baseline has no match or the
    /// function is a part of a definition with others.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<JsonChanges>,
}

/// The cost of a function of a source: of all `functions` that are instances, inlined copies or
/// parts of its definition.
#[derive(Debug, Serialize, JsonSchema)]
struct DefinitionRow<'a> {
    /// The name in the profile if all `functions` have the same, apart from type parameters
    /// (`sum<…>`), other parameters and missing paths, or else the name in the source.
    name: &'a str,
    /// The path of the source on this machine.
    path: Cow<'a, str>,
    /// The same as in `functions`.
    file: &'a str,
    /// The line of the name of the definition, 1-based.
    line: u32,
    /// Weight of the samples whose leaf is in this function, without idle samples. Null if the profiler
    /// measures a line only with what it calls (`line_profiler`).
    #[serde(rename = "self")]
    self_: Option<Weight>,
    #[serde(flatten)]
    total: TotalFields,
    /// Indexes into `functions`, hottest first.
    functions: Vec<u32>,
    /// How the cost is spread over runs, with `--combine average`.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<SpreadFields>,
    /// The cost in the overlay, if it is known and not zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<OverlaidFields>,
    /// How the costs changed, with `--baseline`. Missing if the baseline has no match.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<JsonChanges>,
}

/// The cost of a line.
#[derive(Debug, Serialize, JsonSchema)]
struct LineRow<'a> {
    /// The same as in `functions`.
    file: &'a str,
    /// The path of the file on this machine; null if it was not found.
    path: Option<Cow<'a, str>>,
    /// The line, 1-based.
    line: u32,
    /// Weight of the samples whose leaf is on this line. Null as in `functions`.
    #[serde(rename = "self")]
    self_: Option<Weight>,
    #[serde(flatten)]
    total: TotalFields,
    /// How the cost is spread over runs, with `--combine average`.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<SpreadFields>,
    /// The cost in the overlay, if it is known and not zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<OverlaidFields>,
    /// How the costs changed, with `--baseline`. Missing if the baseline has no match, or a recorded
    /// text is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<JsonChanges>,
}

/// The cost of all calls from one function to another.
#[derive(Debug, Serialize, JsonSchema)]
struct EdgeRow<'a> {
    /// An index into `functions`.
    caller: u32,
    /// An index into `functions`.
    callee: u32,
    /// Weight of the samples in which the call occurs at least once.
    total: Weight,
    /// Whether the total is an estimate, which is more likely too high than too low.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    est: bool,
    /// The number of calls, if calls were counted.
    calls: Option<u64>,
    /// The call sites, hottest first.
    #[schemars(with = "Vec<SiteRow<'static>>")]
    sites: SiteRows<'a>,
}

/// A call site: a line that calls.
#[derive(Debug, Serialize, JsonSchema)]
struct SiteRow<'a> {
    /// The same as in `functions`.
    file: &'a str,
    /// The line, 1-based.
    line: u32,
    /// Weight of the samples with a call from this line.
    total: Weight,
}

/// A problem of the profile.
#[derive(Debug, Serialize, JsonSchema)]
struct WarningRow<'a> {
    /// The kind of problem.
    #[schemars(schema_with = "warning_codes")]
    code: &'static str,
    /// A message for users about the first problem of this kind.
    message: &'a str,
    /// The number of problems of this kind.
    count: u64,
}

/// A schema with all warning codes and their meanings.
fn warning_codes(_: &mut SchemaGenerator) -> Schema {
    let codes: Vec<Schema> = WarningCode::ALL
        .iter()
        .map(|code| {
            json_schema!({"const": code.as_str(), "description": code.meaning(), "type": "string"})
        })
        .collect();
    json_schema!({"oneOf": codes})
}

/// A self cost. `None` if the metric has none.
fn self_of(snapshot: &Snapshot, weight: f64) -> Option<Weight> {
    snapshot.costs.metric.lines.has_self().then_some(Weight(weight))
}

fn total_fields(total: Total) -> TotalFields {
    match total {
        Total::Exact(weight) => {
            TotalFields { total: Some(Weight(weight)), ..TotalFields::default() }
        }
        Total::Estimated(weight) => {
            TotalFields { total: Some(Weight(weight)), est: true, ..TotalFields::default() }
        }
        Total::Bounded { min, max } => TotalFields {
            total_min: Some(Weight(min)),
            total_max: Some(Weight(max)),
            ..TotalFields::default()
        },
        Total::Unknown => TotalFields::default(),
    }
}

impl<'a> Report<'a> {
    /// The report without its edges, and the index in `functions` of each recorded function
    /// (`u32::MAX` for those that are not listed).
    fn new(
        snapshot: &'a Snapshot,
        recorded: &RecordedFunctions<'a>,
        beside: Beside<'_>,
    ) -> (Self, Vec<u32>) {
        let costs = &snapshot.costs;
        let recording = &snapshot.grouped.recording;

        let (sorted_functions, lines) = std::thread::scope(|scope| {
            let lines = scope.spawn(|| sorted_lines(snapshot));
            (
                sorted(snapshot, recorded.costs(), |function| recorded.function(function)),
                lines.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        });
        let Beside { before, overlay } = beside;
        let mut rank = vec![u32::MAX; recorded.len()];
        for (&function, i) in sorted_functions.iter().zip(0..) {
            rank[function.index()] = i;
        }
        // A call graph has no labels.
        let labels = snapshot.labels(PartWithLabels::Whole, None).unwrap_or_default();
        let nonzero = |number: u32| (number != 0).then_some(number);
        let functions = sorted_functions.iter().map(|&function| {
            let FunctionCost { cost, idle, calls } = recorded.costs().function(function);
            let this = recorded.function(function);
            FunctionRow {
                name: this.name,
                file: this.file.map(|file| snapshot.file_name(file)),
                lib: this.lib,
                line: nonzero(this.line),
                column: nonzero(this.column),
                self_: self_of(snapshot, cost.self_),
                total: total_fields(cost.total),
                idle: Weight(idle),
                calls,
                spread: recorded
                    .whole(function)
                    .and_then(|whole| snapshot.run_costs().function(whole))
                    .map(SpreadFields::from),
                overlay: overlay
                    .zip(recorded.whole(function))
                    .and_then(|(overlay, whole)| overlay.function(snapshot, whole))
                    .map(OverlaidFields::from),
                comparison: before.and_then(|before| {
                    let whole = recorded.whole(function)?;
                    Some(JsonChanges::new(before.function(snapshot, whole)?, cost))
                }),
            }
        });
        let scale = Scale::new(&costs.metric, costs.base, Unit::Both);
        let lines = lines.into_iter().map(|line| {
            let total = total_fields(line.cost.total);
            LineRow {
                file: snapshot.file_name(line.file),
                path: snapshot.path_of(line.file).map(Path::to_string_lossy),
                line: line.line,
                self_: self_of(snapshot, line.cost.self_),
                total: TotalFields { est: total.est || scale.estimates(line.cost), ..total },
                spread: snapshot.run_costs().line(line.file, line.line).map(SpreadFields::from),
                overlay: overlay
                    .and_then(|overlay| overlay.recorded_line(snapshot, line.file, line.line))
                    .map(OverlaidFields::from),
                comparison: before.and_then(|before| {
                    let recorded = before.recorded_line(snapshot, line.file, line.line)?;
                    Some(JsonChanges::new(recorded, line.cost))
                }),
            }
        });
        let report = Self {
            version: 1,
            costline: env!("CARGO_PKG_VERSION"),
            profile: snapshot.loaded.path.to_string_lossy().into_owned(),
            format: snapshot.loaded.format.name(),
            producer: snapshot.loaded.writer.text(),
            metric: &costs.metric.name,
            unit: &costs.metric.unit,
            metrics: recording
                .metrics()
                .iter()
                .map(|metric| Metric { name: &metric.name, unit: &metric.unit })
                .collect(),
            samples: snapshot.samples().map(Weight),
            duration_seconds: snapshot.loaded.span_seconds,
            fleet: snapshot.loaded.fleet.as_deref().map(FleetNumbers::new),
            truncated: snapshot.loaded.truncated,
            total: snapshot.total().map(Weight),
            runs: Some(snapshot.grouped.runs).filter(|&runs| runs > 1),
            spread: snapshot.run_costs().total().map(Weight),
            overlay: overlay.map(OverlayRow::from),
            comparison: before.map(JsonComparison::from),
            idle: Weight(costs.idle),
            no_stack: Weight(costs.no_stack),
            no_line: Weight(costs.no_line),
            threads: costs
                .threads
                .iter()
                .map(|thread| {
                    let this = &recording.threads()[thread.thread.index()];
                    Thread {
                        name: &this.name,
                        pid: this.pid.as_deref(),
                        tid: this.tid.as_deref(),
                        total: Weight(thread.total),
                    }
                })
                .collect(),
            labels: labels.into_iter().map(LabelRow::new).collect(),
            functions: functions.collect(),
            definitions: definitions(snapshot, recorded, beside, &sorted_functions),
            lines: lines.collect(),
            warnings: snapshot
                .warnings
                .iter()
                .map(|warning| WarningRow {
                    code: warning.code.as_str(),
                    message: &warning.message,
                    count: warning.count,
                })
                .collect(),
            edges: Vec::new(),
        };
        (report, rank)
    }
}

/// The functions of `snapshot` whose definition was found, at least its line. `functions` are the
/// recorded ones in the order of the report.
fn definitions<'a>(
    snapshot: &'a Snapshot,
    recorded: &RecordedFunctions<'_>,
    Beside { before, overlay }: Beside<'_>,
    functions: &[FunctionId],
) -> Vec<DefinitionRow<'a>> {
    let mut parts: BTreeMap<FunctionId, Vec<u32>> = BTreeMap::new();
    let mut divided: BTreeSet<FunctionId> = BTreeSet::new();
    for (&function, i) in functions.iter().zip(0..) {
        let of_function = recorded.functions_of(function);
        for &function in of_function {
            parts.entry(function).or_default().push(i);
        }
        if of_function.len() > 1 {
            divided.extend(of_function);
        }
    }
    let row = |function| {
        let cost = snapshot.costs.function(function).cost;
        let file = match snapshot.source_function(function) {
            Some(definition) => definition.file,
            // A function was divided by lines, of which this one has several definitions.
            None => snapshot.function(function).file.filter(|_| divided.contains(&function))?,
        };
        Some(DefinitionRow {
            name: snapshot.function(function).name,
            path: snapshot.path_of(file)?.to_string_lossy(),
            file: snapshot.file_name(file),
            line: snapshot.start_line(function)?,
            self_: self_of(snapshot, cost.self_),
            total: total_fields(cost.total),
            functions: parts.remove(&function).unwrap_or_default(),
            spread: snapshot.run_costs().function(function).map(SpreadFields::from),
            overlay: overlay
                .and_then(|overlay| overlay.function(snapshot, function))
                .map(OverlaidFields::from),
            comparison: before.and_then(|before| {
                Some(JsonChanges::new(before.function(snapshot, function)?, cost))
            }),
        })
    };
    hottest_functions(snapshot).into_iter().filter_map(row).collect()
}

/// The edges in order. A profile can have millions, so a row is created only when it is written.
struct EdgeOrder<'a> {
    snapshot: &'a Snapshot,
    edges: &'a Edges,
    order: Vec<EdgeKey>,
}

/// The sort key of an edge: the inverted bits of its magnitude (the bits of non-negative floats
/// order like the floats), the indexes of caller and callee in the report, the index of the edge.
type EdgeKey = (u64, u32, u32, u32);

/// The number of edges that a thread serializes at a time.
const BLOCK: usize = 1 << 15;

impl<'a> EdgeOrder<'a> {
    /// All edges between listed functions; `rank` has the index of each function in the
    /// report.
    fn new(snapshot: &'a Snapshot, edges: &'a Edges, rank: &[u32]) -> Self {
        let key = |(edge, i): (&Edge, u32)| {
            (!edge.total.abs().to_bits(), rank[edge.caller.index()], rank[edge.callee.index()], i)
        };
        let is_listed =
            |&(_, caller, callee, _): &EdgeKey| caller != u32::MAX && callee != u32::MAX;
        let mut order: Vec<_> = edges.all().iter().zip(0..).map(key).filter(is_listed).collect();
        order.sort_unstable();
        Self { snapshot, edges, order }
    }

    /// Writes rows as JSON, with commas between them.
    fn write_rows(&self, rows: &[EdgeKey], out: &mut impl Write) -> io::Result<()> {
        for (row, &(_, caller, callee, i)) in rows.iter().enumerate() {
            if row > 0 {
                out.write_all(b",")?;
            }
            let edge = &self.edges.all()[i as usize];
            let sites = SiteRows { snapshot: self.snapshot, sites: self.edges.sites(edge) };
            let Edge { total, estimated: est, calls, .. } = *edge;
            serde_json::to_writer(
                &mut *out,
                &EdgeRow { caller, callee, total: Weight(total), est, calls, sites },
            )?;
        }
        Ok(())
    }
}

/// The call sites of an edge.
#[derive(Debug)]
struct SiteRows<'a> {
    snapshot: &'a Snapshot,
    sites: &'a [Site],
}

impl Serialize for SiteRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = |site: &Site| SiteRow {
            file: self.snapshot.file_name(site.file),
            line: site.line,
            total: Weight(site.total),
        };
        serializer.collect_seq(self.sites.iter().map(row))
    }
}

/// Writes the report as JSON.
pub(in crate::cli) fn json(
    snapshot: &Snapshot,
    beside: Beside<'_>,
    out: &mut Output,
) -> io::Result<()> {
    let recorded = RecordedFunctions::new(snapshot);
    let (report, rank) = Report::new(snapshot, &recorded, beside);
    let (head, edges) = std::thread::scope(|scope| {
        let head = scope.spawn(|| serde_json::to_vec(&report));
        let edges = EdgeOrder::new(snapshot, recorded.edges(), &rank);
        (head.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), edges)
    });
    let head = head?;
    let head = head.strip_suffix(b"]}").ok_or(io::ErrorKind::InvalidData)?;
    out.write_all(head)?;
    // Most of a large report is edges: two threads serialize them, block by block.
    for (block, rows) in edges.order.chunks(2 * BLOCK).enumerate() {
        if block > 0 {
            out.write_all(b",")?;
        }
        let (first, second) = rows.split_at(rows.len().min(BLOCK));
        std::thread::scope(|scope| {
            let second = (!second.is_empty()).then(|| {
                scope.spawn(|| {
                    let mut text = b",".to_vec();
                    edges.write_rows(second, &mut text).map(|()| text)
                })
            });
            edges.write_rows(first, out)?;
            let second = second.map(|second| {
                second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            second.map_or(Ok(()), |text| out.write_all(&text?))
        })?;
    }
    writeln!(out, "]}}")
}

/// The JSON Schema of the output of [`json`].
#[cfg(test)]
pub fn schema() -> Schema {
    schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report<'static>>()
}
