//! `costline tree`: what each call path costs, or, inverted, by whom the costly functions are called.

use super::report::Weight;
use super::{Failure, NO_OUTPUT, Output, headline};
use crate::present::labels::Scale;
use crate::present::text::plain;
use crate::session::config::Unit;
use crate::session::snapshot::Snapshot;
use analysis::{CallNodeId, CallNodes};
use profile::FunctionId;
use serde::Serialize;
use std::io::Write;

/// Which part of the tree.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Leaves first.
    pub inverted: bool,
    /// No deeper; 0 = the roots only.
    pub depth: usize,
    /// Nothing below this share of the total.
    pub min_percent: f64,
}

/// One row: a call path, by its last function.
struct Node {
    function: FunctionId,
    depth: usize,
    /// The row of the path without its last function.
    parent: Option<usize>,
    self_: Option<f64>,
    total: f64,
}

pub(super) fn tree(snapshot: &Snapshot, part: Part, json: bool, out: &mut Output) -> Result<(), Failure> {
    let message = "this recording has sums without stacks: it has no tree; `costline report --by edge` lists its calls";
    let nodes = snapshot.tree.call_nodes().ok_or_else(|| Failure { code: NO_OUTPUT, message: message.to_owned() })?;
    let scale = Scale { metric: &snapshot.costs.metric, total: snapshot.costs.total, unit: Unit::Both };
    let reaches = |weight: f64| weight != 0.0 && weight.abs() * 100.0 >= part.min_percent * scale.total.abs();
    let rows = if part.inverted { inverted(&nodes, part.depth, &reaches) } else { upright(&nodes, part.depth, &reaches) };
    if json {
        write_json(snapshot, &rows, out)?;
        return Ok(());
    }
    writeln!(out, "{}", headline(snapshot))?;
    writeln!(out, "{:>22} {:>22}", "total", if part.inverted { "" } else { "self" })?;
    for row in &rows {
        let this = snapshot.function(row.function);
        let place = match (this.file, this.line) {
            (Some(file), 0) => format!("  {}", plain(snapshot.file_name(file))),
            (Some(file), line) => format!("  {}:{line}", plain(snapshot.file_name(file))),
            (None, _) => this.lib.map(|lib| format!("  {}", plain(lib))).unwrap_or_default(),
        };
        let own = row.self_.filter(|own| *own != 0.0).map(|own| scale.both(own)).unwrap_or_default();
        let indent = "  ".repeat(row.depth);
        writeln!(out, "{:>22} {own:>22}  {indent}{}{place}", scale.both(row.total), plain(this.name))?;
    }
    Ok(())
}

/// Costliest children first.
fn upright(nodes: &CallNodes, depth: usize, reaches: &dyn Fn(f64) -> bool) -> Vec<Node> {
    let children = |parent: Option<CallNodeId>| {
        let mut children: Vec<CallNodeId> = nodes.children(parent).filter(|&id| reaches(nodes.get(id).total)).collect();
        children.sort_by(|&a, &b| nodes.get(a).total.abs().total_cmp(&nodes.get(b).total.abs()));
        children
    };
    let mut rows: Vec<Node> = Vec::new();
    // The next row last.
    let mut pending: Vec<(CallNodeId, Option<usize>)> = children(None).into_iter().map(|id| (id, None)).collect();
    while let Some((id, parent)) = pending.pop() {
        let node = nodes.get(id);
        let row = rows.len();
        let (function, self_, total) = (node.function, Some(node.self_), node.total);
        rows.push(Node { function, depth: node.depth as usize, parent, self_, total });
        if (node.depth as usize) < depth {
            pending.extend(children(Some(id)).into_iter().map(|id| (id, Some(row))));
        }
    }
    rows
}

/// Functions by self cost, below each its callers.
fn inverted(nodes: &CallNodes, depth: usize, reaches: &dyn Fn(f64) -> bool) -> Vec<Node> {
    let mut rows: Vec<Node> = Vec::new();
    let mut pending: Vec<(Vec<FunctionId>, f64, Option<usize>)> = Vec::new();
    let mut path: Vec<FunctionId> = Vec::new();
    let mut parent = None;
    loop {
        if path.len() <= depth {
            let callers = nodes.inverted(&path).into_iter().filter(|&(_, weight)| reaches(weight));
            let longer = callers.map(|(function, weight)| ([path.as_slice(), &[function]].concat(), weight, parent));
            let longer: Vec<_> = longer.collect();
            pending.extend(longer.into_iter().rev());
        }
        let Some((next, total, above)) = pending.pop() else { return rows };
        let Some(&function) = next.last() else { return rows };
        parent = Some(rows.len());
        let self_ = above.is_none().then_some(total);
        rows.push(Node { function, depth: next.len() - 1, parent: above, self_, total });
        path = next;
    }
}

/// All rows as JSON.
#[derive(Serialize)]
struct JsonTree<'a> {
    version: u32,
    metric: &'a str,
    unit: &'a str,
    total: Weight,
    nodes: Vec<JsonNode<'a>>,
}

/// A row as JSON.
#[derive(Serialize)]
struct JsonNode<'a> {
    name: &'a str,
    file: Option<&'a str>,
    lib: Option<&'a str>,
    depth: usize,
    parent: Option<usize>,
    #[serde(rename = "self")]
    self_: Option<Weight>,
    total: Weight,
}

/// Flat, so that no reader needs a stack as deep as the program's.
fn write_json(snapshot: &Snapshot, rows: &[Node], out: &mut Output) -> Result<(), Failure> {
    let nodes: Vec<JsonNode<'_>> = rows
        .iter()
        .map(|row| {
            let this = snapshot.function(row.function);
            JsonNode {
                name: this.name,
                file: this.file.map(|file| snapshot.file_name(file)),
                lib: this.lib,
                depth: row.depth,
                parent: row.parent,
                self_: row.self_.map(Weight),
                total: Weight(row.total),
            }
        })
        .collect();
    let metric = &snapshot.costs.metric;
    let tree = JsonTree { version: 1, metric: &metric.name, unit: &metric.unit, total: Weight(snapshot.costs.total), nodes };
    serde_json::to_writer(&mut *out, &tree).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}
