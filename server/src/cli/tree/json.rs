//! The output of `costline tree --json`.

use crate::cli::json_changes::{JsonChanges, JsonComparison};
use crate::cli::output::Output;
use answers::{Compared, JitTier, Snapshot, TreeOmitted, TreeRow, TreeRows, Weight};
use serde::Serialize;
use std::io::{self, Write};

/// The output of `--json`.
#[derive(Serialize)]
struct JsonTree<'a> {
    version: u32,
    metric: &'a str,
    unit: &'a str,
    total: Weight,
    /// With `--baseline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<JsonComparison>,
    omitted: JsonOmitted,
    nodes: Vec<JsonNode<'a>>,
}

/// The numbers of call paths that an option leaves out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonOmitted {
    limit: usize,
    /// Without those below them.
    min_percent: usize,
    /// Without those below them.
    depth: usize,
}

/// A row of `--json`.
#[derive(Serialize)]
struct JsonNode<'a> {
    name: &'a str,
    file: Option<&'a str>,
    lib: Option<&'a str>,
    depth: usize,
    parent: Option<usize>,
    /// With `--occurrences`: the time range of the phase, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    #[serde(rename = "self")]
    self_: Option<Weight>,
    total: Weight,
    /// The JIT tiers of the total, heaviest first. Missing without any, and in the bottom-up tree.
    #[serde(rename = "jitTiers", skip_serializing_if = "Vec::is_empty")]
    jit_tiers: Vec<JsonJitTier>,
    /// Whether the costs are estimates.
    est: bool,
    /// Whether the function calls itself, directly or through others. Missing for stacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    recursive: Option<bool>,
    /// How the costs changed, with `--baseline`. Missing if the path has no match.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<JsonChanges>,
}

/// The part of a total that one tier of a virtual machine ran.
#[derive(Serialize)]
struct JsonJitTier {
    name: &'static str,
    total: Weight,
}

impl JsonJitTier {
    fn new(&(tier, total): &(JitTier, f64)) -> Self {
        Self { name: tier.name(), total: Weight(total) }
    }
}

/// Writes a flat list of rows, because many JSON parsers limit the depth of nesting.
pub(super) fn write(
    snapshot: &Snapshot,
    found: &TreeRows,
    before: Option<Compared<'_>>,
    out: &mut Output,
) -> io::Result<()> {
    let TreeOmitted { limit, min_percent, depth } = found.omitted;
    let metric = &snapshot.costs.metric;
    let tree = JsonTree {
        version: 1,
        metric: &metric.name,
        unit: &metric.unit,
        total: Weight(snapshot.costs.total),
        comparison: before.map(JsonComparison::from),
        omitted: JsonOmitted { limit, min_percent, depth },
        nodes: found.rows.iter().map(|row| JsonNode::new(snapshot, row)).collect(),
    };
    serde_json::to_writer(&mut *out, &tree)?;
    writeln!(out)
}

impl<'a> JsonNode<'a> {
    fn new(snapshot: &'a Snapshot, row: &TreeRow) -> Self {
        let this = snapshot.function(row.branch.function);
        let tiers = snapshot.tree.jit_tiers_of_branch(&row.branch);
        let is_graph = snapshot.grouped.recording.summed().is_some();
        let changes =
            |before| JsonChanges::of_parts(before, row.branch.self_, row.branch.as_total());
        Self {
            name: this.name,
            file: this.file.map(|file| snapshot.file_name(file)),
            lib: this.lib,
            depth: row.depth,
            parent: row.parent,
            range: row.range.map(|range| range.to_string()),
            self_: row.branch.self_.map(Weight),
            total: Weight(row.branch.total),
            jit_tiers: tiers.iter().map(JsonJitTier::new).collect(),
            est: row.branch.estimated,
            recursive: is_graph.then_some(row.recursive),
            comparison: row.before.map(changes),
        }
    }
}
