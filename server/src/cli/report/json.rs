//! `costline report --json`: all costs of a profile. A stable contract
//! (`docs/report.schema.json`): always whole, raw weights, nothing rounded.

use super::order::{hottest_functions, sorted, sorted_lines};
use crate::cli::Output;
use analysis::{Costs, Edge, FunctionCost, FunctionId, Site, Total, WarningCode};
use engine::present::labels::Scale;
use engine::recorded::RecordedFunctions;
use engine::settings::Unit;
use engine::snapshot::Snapshot;
use engine::weight::Weight;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// Everything a profile costs. Weights are in `unit`s of `metric`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "costline report --json")]
pub struct Report<'a> {
    /// Of this contract.
    version: u32,
    /// The version of Costline that wrote the report.
    costline: &'a str,
    /// The profile, as it was named.
    profile: String,
    /// The profile's format.
    format: &'a str,
    /// The program that wrote the profile, as the file names it, or else the dialect of the format that
    /// it is written in; null if neither is known.
    producer: Option<&'a str>,
    /// The metric shown.
    metric: &'a str,
    /// Its unit.
    unit: &'a str,
    /// All metrics of the profile.
    metrics: Vec<Metric<'a>>,
    /// How many samples `total` is the weight of: the profile's own count where it has a metric of
    /// samples, else its rows. Null for a call graph.
    samples: Option<Weight>,
    /// From the first to the last sample, in seconds; null where the profile has no times.
    duration_seconds: Option<f64>,
    /// Weight of all samples that have a stack and are not idle.
    total: Weight,
    /// Weight of idle samples.
    idle: Weight,
    /// Weight of samples without a stack.
    no_stack: Weight,
    /// Self cost that lies on no line.
    no_line: Weight,
    /// The threads looked at.
    threads: Vec<Thread<'a>>,
    /// Functions as the recording has them, hottest first. A function is identified by name, file,
    /// library, line and column.
    functions: Vec<FunctionRow<'a>>,
    /// Functions whose definition was found in a source, hottest first: what the editor and the text
    /// of `costline report` show of them.
    definitions: Vec<DefinitionRow<'a>>,
    /// Lines, hottest first.
    lines: Vec<LineRow<'a>>,
    /// Problems that the profile has.
    warnings: Vec<WarningRow<'a>>,
    // Last, since `json` writes them apart.
    /// Calls, hottest first.
    edges: Vec<EdgeRow<'a>>,
}

/// A metric of the profile.
#[derive(Debug, Serialize, JsonSchema)]
struct Metric<'a> {
    /// What it is called, here and in `--metric`.
    name: &'a str,
    /// What one weight is one of.
    unit: &'a str,
}

/// A thread and its share of the total.
#[derive(Debug, Serialize, JsonSchema)]
struct Thread<'a> {
    /// Its name; empty where the profile has none.
    name: &'a str,
    /// Of its process.
    pid: Option<&'a str>,
    /// Its own.
    tid: Option<&'a str>,
    /// Its part of the total.
    total: Weight,
}

/// Inclusive cost: a number, or null with bounds where they are known.
#[derive(Debug, Default, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TotalFields {
    /// Inclusive cost; null where the format cannot tell.
    total: Option<Weight>,
    /// The inclusive cost is not less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_min: Option<Weight>,
    /// The inclusive cost is not more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_max: Option<Weight>,
    /// Whether the total is an estimate or, where there is none, the self cost.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    est: bool,
}

/// What a function costs.
#[derive(Debug, Serialize, JsonSchema)]
struct FunctionRow<'a> {
    /// As in the profile.
    name: &'a str,
    /// As in the profile, without `file://`, percent-decoded; where a source map says so, the file
    /// that was written.
    file: Option<&'a str>,
    /// The short name of its library.
    lib: Option<&'a str>,
    /// The line it starts at, 1-based.
    line: Option<u32>,
    /// The column it starts at, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Weight of the samples that end here, idle ones aside.
    #[serde(rename = "self")]
    self_: Weight,
    #[serde(flatten)]
    total: TotalFields,
    /// Weight of the idle samples that end here.
    idle: Weight,
    /// How often it was called, where calls were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
}

/// What a function of a source costs: all of `functions` that are instances, inlined copies or
/// parts of it.
#[derive(Debug, Serialize, JsonSchema)]
struct DefinitionRow<'a> {
    /// As in the profile where all of `functions` agree, apart from type parameters (`sum<…>`); else
    /// as in the source.
    name: &'a str,
    /// Where the source lies on this machine.
    path: Cow<'a, str>,
    /// As in `functions`.
    file: &'a str,
    /// The line of its name, 1-based.
    line: u32,
    /// Weight of the samples that end here, idle ones aside.
    #[serde(rename = "self")]
    self_: Weight,
    #[serde(flatten)]
    total: TotalFields,
    /// Indexes into `functions`, hottest first.
    functions: Vec<u32>,
}

/// What a line costs.
#[derive(Debug, Serialize, JsonSchema)]
struct LineRow<'a> {
    /// As in `functions`.
    file: &'a str,
    /// Where the file lies on this machine; null where it was not found.
    path: Option<Cow<'a, str>>,
    /// 1-based.
    line: u32,
    /// Weight of the samples that end here.
    #[serde(rename = "self")]
    self_: Weight,
    #[serde(flatten)]
    total: TotalFields,
}

/// What calls from one function to another cost.
#[derive(Debug, Serialize, JsonSchema)]
struct EdgeRow<'a> {
    /// An index into `functions`.
    caller: u32,
    /// An index into `functions`.
    callee: u32,
    /// Weight of the samples in which the call occurs at least once.
    total: Weight,
    /// Whether the total is an estimate, and rather too much.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    est: bool,
    /// How often it was called, where calls were counted.
    calls: Option<u64>,
    /// The calling lines, hottest first.
    #[schemars(with = "Vec<SiteRow<'static>>")]
    sites: SiteRows<'a>,
}

/// A calling line.
#[derive(Debug, Serialize, JsonSchema)]
struct SiteRow<'a> {
    /// As in `functions`.
    file: &'a str,
    /// 1-based.
    line: u32,
    /// Weight of the samples that call from here.
    total: Weight,
}

/// A problem that the profile has.
#[derive(Debug, Serialize, JsonSchema)]
struct WarningRow<'a> {
    /// Which kind of problem it is.
    #[schemars(schema_with = "warning_codes")]
    code: &'static str,
    /// A sentence for users, about the first problem of the kind.
    message: &'a str,
    /// How many there are of the kind.
    count: u64,
}

/// One schema per warning code, with its meaning.
fn warning_codes(_: &mut SchemaGenerator) -> Schema {
    let codes: Vec<Schema> = WarningCode::ALL
        .iter()
        .map(|code| {
            json_schema!({"const": code.as_str(), "description": code.meaning(), "type": "string"})
        })
        .collect();
    json_schema!({"oneOf": codes})
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
    /// The report but for its edges, and where each recorded function stands in it.
    fn new(snapshot: &'a Snapshot, recorded: &RecordedFunctions<'a>) -> (Self, Vec<u32>) {
        let costs = &snapshot.costs;
        let recording = &snapshot.grouped.recording;

        let (sorted_functions, lines) = std::thread::scope(|scope| {
            let lines = scope.spawn(|| sorted_lines(snapshot));
            (
                sorted(snapshot, recorded.costs(), |function| recorded.function(function)),
                lines.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            )
        });
        let mut rank = vec![u32::MAX; recorded.len()];
        for (&(function, _), i) in sorted_functions.iter().zip(0..) {
            rank[function.index()] = i;
        }
        let known = |number: u32| (number != 0).then_some(number);
        let functions =
            sorted_functions.iter().map(|&(function, FunctionCost { cost, idle, calls })| {
                let this = recorded.function(function);
                FunctionRow {
                    name: this.name,
                    file: this.file.map(|file| snapshot.file_name(file)),
                    lib: this.lib,
                    line: known(this.line),
                    column: known(this.column),
                    self_: Weight(cost.self_),
                    total: total_fields(cost.total),
                    idle: Weight(idle),
                    calls,
                }
            });
        let scale = Scale { metric: &costs.metric, base: costs.base, unit: Unit::Both };
        let lines = lines.into_iter().map(|line| {
            let total = total_fields(line.cost.total);
            LineRow {
                file: snapshot.file_name(line.file),
                path: snapshot.path_of(line.file).map(Path::to_string_lossy),
                line: line.line,
                self_: Weight(line.cost.self_),
                total: TotalFields { est: total.est || scale.estimates(line.cost), ..total },
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
            total: Weight(costs.total),
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
            functions: functions.collect(),
            definitions: definitions(snapshot, recorded, &sorted_functions),
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

/// The functions of `snapshot` whose definition is known; `functions` are the recorded ones in the
/// order of the report.
fn definitions<'a>(
    snapshot: &'a Snapshot,
    recorded: &RecordedFunctions<'_>,
    functions: &[(FunctionId, FunctionCost)],
) -> Vec<DefinitionRow<'a>> {
    let mut parts: BTreeMap<FunctionId, Vec<u32>> = BTreeMap::new();
    for (&(function, _), i) in functions.iter().zip(0..) {
        parts.entry(recorded.function_of(function)).or_default().push(i);
    }
    let row = |(function, FunctionCost { cost, .. })| {
        let defined = snapshot.source_function(function)?;
        Some(DefinitionRow {
            name: snapshot.function(function).name,
            path: snapshot.path_of(defined.file)?.to_string_lossy(),
            file: snapshot.file_name(defined.file),
            line: snapshot.start_line(function)?,
            self_: Weight(cost.self_),
            total: total_fields(cost.total),
            functions: parts.remove(&function).unwrap_or_default(),
        })
    };
    hottest_functions(snapshot).into_iter().filter_map(row).collect()
}

/// The edges in order. There can be more than all the rest, so each row is made only when it is
/// written.
struct EdgeOrder<'a> {
    snapshot: &'a Snapshot,
    costs: &'a Costs,
    order: Vec<EdgeKey>,
}

/// What to sort an edge by (its magnitude's bits upside down: they order like the number), caller,
/// callee, which one.
type EdgeKey = (u64, u32, u32, u32);

/// Edges that one thread words before the other one's are written.
const BLOCK: usize = 1 << 15;

impl<'a> EdgeOrder<'a> {
    /// All edges of `costs`; `rank` is where each function stands.
    fn new(snapshot: &'a Snapshot, costs: &'a Costs, rank: &[u32]) -> Self {
        let key = |(edge, i): (&Edge, u32)| {
            (!edge.total.abs().to_bits(), rank[edge.caller.index()], rank[edge.callee.index()], i)
        };
        let listed = |&(_, caller, callee, _): &EdgeKey| caller != u32::MAX && callee != u32::MAX;
        let mut order: Vec<_> = costs.edges().iter().zip(0..).map(key).filter(listed).collect();
        order.sort_unstable();
        Self { snapshot, costs, order }
    }

    /// Writes rows as JSON, with commas between them.
    fn write_rows(&self, rows: &[EdgeKey], out: &mut impl Write) -> io::Result<()> {
        for (row, &(_, caller, callee, i)) in rows.iter().enumerate() {
            if row > 0 {
                out.write_all(b",")?;
            }
            let edge = &self.costs.edges()[i as usize];
            let sites = SiteRows { snapshot: self.snapshot, sites: self.costs.sites(edge) };
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
pub fn json(snapshot: &Snapshot, out: &mut Output) -> io::Result<()> {
    let recorded = RecordedFunctions::new(snapshot);
    let (report, rank) = Report::new(snapshot, &recorded);
    let (head, edges) = std::thread::scope(|scope| {
        let head = scope.spawn(|| serde_json::to_vec(&report));
        let edges = EdgeOrder::new(snapshot, recorded.costs(), &rank);
        (head.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), edges)
    });
    let head = head?;
    let head = head.strip_suffix(b"]}").ok_or(io::ErrorKind::InvalidData)?;
    out.write_all(head)?;
    // Edges are most of a large report: two threads word them, block by block.
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

/// The JSON Schema of [`json`].
#[cfg(test)]
pub fn schema() -> Schema {
    schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report<'static>>()
}
