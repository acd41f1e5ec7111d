//! `costline report`: all costs of a profile, as tables or as JSON.
//!
//! The JSON is a stable contract (`docs/report.schema.json`): always whole, raw weights, nothing rounded.

use super::Output;
use crate::present::labels::Scale;
use crate::present::text::{library, plain};
use crate::present::units;
use crate::session::config::Unit;
use crate::session::snapshot::{Snapshot, hotter};
use analysis::{Edge, FunctionCost, Site};
use profile::{Cost, FileId, FunctionId, Total};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

/// What the rows of a text report are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// What functions cost.
    Function,
    /// What source lines cost.
    Line,
    /// What calls cost: caller → callee, and the hottest line they are made on.
    Edge,
}

/// A raw weight: an integer where it is one.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema)]
#[schemars(transparent)]
pub struct Weight(pub f64);

impl Serialize for Weight {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match units::integer(self.0) {
            Some(integer) => serializer.serialize_i64(integer),
            None => serializer.serialize_f64(self.0),
        }
    }
}

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
    /// The program that wrote the profile, as it names itself there; null where it does not.
    producer: Option<&'a str>,
    /// The metric shown.
    metric: &'a str,
    /// Its unit.
    unit: &'a str,
    /// All metrics of the profile.
    metrics: Vec<Metric<'a>>,
    /// How many samples `total` is the weight of: the profile's own count where it has a metric of samples, else its rows. Null for
    /// a call graph.
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
    /// Functions, hottest first. A function is identified by name, file, library, line and column.
    functions: Vec<FunctionRow<'a>>,
    /// Lines, hottest first.
    lines: Vec<LineRow<'a>>,
    /// What was odd.
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
    /// As in the profile, without `file://`, percent-decoded; where a source map says so, the file that was written.
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

/// An oddity of the profile.
#[derive(Debug, Serialize, JsonSchema)]
struct WarningRow<'a> {
    /// What kind, for programs.
    code: &'a str,
    /// A sentence for people, about the first of its kind.
    message: &'a str,
    /// How many there are of its kind.
    count: u64,
}

fn total_fields(total: Total) -> TotalFields {
    match total {
        Total::Exact(weight) => TotalFields { total: Some(Weight(weight)), ..TotalFields::default() },
        Total::Estimated(weight) => TotalFields { total: Some(Weight(weight)), est: true, ..TotalFields::default() },
        Total::Bounded { min, max } => {
            TotalFields { total_min: Some(Weight(min)), total_max: Some(Weight(max)), ..TotalFields::default() }
        }
        Total::Unknown => TotalFields::default(),
    }
}

impl<'a> Report<'a> {
    /// The report but for its edges, and where each function stands in it.
    fn new(snapshot: &'a Snapshot) -> (Self, Vec<u32>) {
        let costs = &snapshot.costs;
        let recording = &snapshot.recording;

        let (functions, lines) = std::thread::scope(|scope| {
            let lines = scope.spawn(|| sorted_lines(snapshot));
            (sorted_functions(snapshot), lines.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let mut rank = vec![u32::MAX; snapshot.groups.n_functions()];
        for (&(function, _), i) in functions.iter().zip(0..) {
            rank[function.index()] = i;
        }
        let known = |number: u32| (number != 0).then_some(number);
        let functions = functions.into_iter().map(|(function, FunctionCost { cost, idle, calls })| {
            let this = snapshot.function(function);
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
            producer: snapshot.loaded.producer.as_deref(),
            metric: &costs.metric.name,
            unit: &costs.metric.unit,
            metrics: recording.metrics().iter().map(|metric| Metric { name: &metric.name, unit: &metric.unit }).collect(),
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
                    Thread { name: &this.name, pid: this.pid.as_deref(), tid: this.tid.as_deref(), total: Weight(thread.total) }
                })
                .collect(),
            functions: functions.collect(),
            lines: lines.collect(),
            warnings: snapshot
                .warnings
                .iter()
                .map(|warning| WarningRow { code: warning.code, message: &warning.message, count: warning.count })
                .collect(),
            edges: Vec::new(),
        };
        (report, rank)
    }
}

/// The edges in order. There can be more than all the rest, so each row is made only when it is written.
struct EdgeOrder<'a> {
    snapshot: &'a Snapshot,
    order: Vec<EdgeKey>,
}

/// What to sort an edge by (its magnitude's bits upside down: they order like the number), caller, callee, which one.
type EdgeKey = (u64, u32, u32, u32);

/// Edges that one thread words before the other one's are written.
const BLOCK: usize = 1 << 15;

impl<'a> EdgeOrder<'a> {
    /// All edges; `rank` is where each function stands.
    fn new(snapshot: &'a Snapshot, rank: &[u32]) -> Self {
        let key =
            |(edge, i): (&Edge, u32)| (!edge.total.abs().to_bits(), rank[edge.caller.index()], rank[edge.callee.index()], i);
        let listed = |&(_, caller, callee, _): &EdgeKey| caller != u32::MAX && callee != u32::MAX;
        let mut order: Vec<_> = snapshot.costs.edges().iter().zip(0..).map(key).filter(listed).collect();
        order.sort_unstable();
        Self { snapshot, order }
    }

    /// Writes rows as JSON, with commas between them.
    fn write_rows(&self, rows: &[EdgeKey], out: &mut impl Write) -> io::Result<()> {
        let costs = &self.snapshot.costs;
        for (row, &(_, caller, callee, i)) in rows.iter().enumerate() {
            if row > 0 {
                out.write_all(b",")?;
            }
            let edge = &costs.edges()[i as usize];
            let sites = SiteRows { snapshot: self.snapshot, sites: costs.sites(edge) };
            let Edge { total, estimated: est, calls, .. } = *edge;
            serde_json::to_writer(&mut *out, &EdgeRow { caller, callee, total: Weight(total), est, calls, sites })?;
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
        let row = |site: &Site| SiteRow { file: self.snapshot.file_name(site.file), line: site.line, total: Weight(site.total) };
        serializer.collect_seq(self.sites.iter().map(row))
    }
}

/// Functions with their costs, hottest first, those that were only seen idle last.
fn sorted_functions(snapshot: &Snapshot) -> Vec<(FunctionId, FunctionCost)> {
    let mut functions: Vec<_> = snapshot.costs.functions().collect();
    let name = |function| {
        let this = snapshot.function(function);
        (this.name, this.file.map(|file| snapshot.file_name(file)), this.line, this.column)
    };
    functions.sort_by(|a, b| {
        let idle = || b.1.idle.abs().total_cmp(&a.1.idle.abs());
        hotter(a.1.cost, b.1.cost).then_with(idle).then_with(|| name(a.0).cmp(&name(b.0)))
    });
    functions
}

fn sorted_lines(snapshot: &Snapshot) -> Vec<analysis::LineCost> {
    let mut files: Vec<_> = (0..snapshot.groups.n_files() as u32).map(FileId::new).collect();
    files.sort_by_key(|&file| snapshot.file_name(file));
    let mut rank = vec![0_u32; files.len()];
    for (file, r) in files.into_iter().zip(0..) {
        rank[file.index()] = r;
    }
    let mut lines = snapshot.costs.lines().to_vec();
    lines.sort_unstable_by(|a, b| {
        hotter(a.cost, b.cost).then_with(|| (rank[a.file.index()], a.line).cmp(&(rank[b.file.index()], b.line)))
    });
    lines
}

/// Writes the report as JSON.
pub fn json(snapshot: &Snapshot, out: &mut Output) -> io::Result<()> {
    let (report, rank) = Report::new(snapshot);
    let (head, edges) = std::thread::scope(|scope| {
        let head = scope.spawn(|| serde_json::to_vec(&report));
        let edges = EdgeOrder::new(snapshot, &rank);
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
            let second = second.map(|second| second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            second.map_or(Ok(()), |text| out.write_all(&text?))
        })?;
    }
    writeln!(out, "]}}")
}

/// The JSON Schema of [`json`].
#[cfg(test)]
pub fn schema() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report<'static>>()
}

/// Writes the report as a table of at most `limit` rows.
pub fn text(snapshot: &Snapshot, by: By, limit: usize, out: &mut Output) -> io::Result<()> {
    let costs = &snapshot.costs;
    let scale = Scale { metric: &costs.metric, base: costs.base, unit: Unit::Both };
    writeln!(out, "{}", super::headline(snapshot))?;
    let row = |out: &mut Output, cost: Cost, what: &str| {
        let total = units::total(cost.total, |weight| scale.both(weight));
        writeln!(out, "{:>22} {:>22}  {what}", scale.own(cost, |weight| scale.both(weight)), total)
    };
    writeln!(out, "{:>22} {:>22}", "self", "total")?;
    let shown = |file| plain(snapshot.file_name(file)).into_owned();
    match by {
        By::Function => {
            for (function, FunctionCost { cost, idle, calls }) in sorted_functions(snapshot).into_iter().take(limit) {
                let this = snapshot.function(function);
                let place = match (this.file, this.line, this.lib) {
                    (Some(file), 0, _) => format!("  {}", shown(file)),
                    (Some(file), line, _) => format!("  {}:{line}", shown(file)),
                    (None, _, Some(lib)) => format!("  {}", library(lib)),
                    (None, _, None) => String::new(),
                };
                if cost.magnitude() > 0.0 || idle == 0.0 {
                    row(out, cost, &format!("{}{place}{}", plain(this.name), units::calls(calls)))?;
                } else {
                    let idle = format!("idle {}", units::absolute(idle, &costs.metric));
                    writeln!(out, "{:>22} {:>22}  {}{place}", "", idle, plain(this.name))?;
                }
            }
        }
        By::Line => {
            for line in sorted_lines(snapshot).into_iter().take(limit) {
                row(out, line.cost, &format!("{}:{}", shown(line.file), line.line))?;
            }
        }
        By::Edge => {
            let mut edges: Vec<_> = costs.edges().iter().collect();
            edges.sort_by(|a, b| b.total.abs().total_cmp(&a.total.abs()));
            for edge in edges.into_iter().take(limit) {
                let name = |function| plain(snapshot.function(function).name).into_owned();
                let site = costs.sites(edge).first().map(|site| format!("  at {}:{}", shown(site.file), site.line));
                let (site, calls) = (site.unwrap_or_default(), units::calls(edge.calls));
                let what = format!("{} → {}{site}{calls}", name(edge.caller), name(edge.callee));
                let total = units::total(edge.known_total(), |weight| scale.both(weight));
                writeln!(out, "{:>22} {:>22}  {what}", "", total)?;
            }
        }
    }
    Ok(())
}
