//! `costline tree`: what each call path costs, or, inverted, by whom the costly functions are
//! called.

use super::{Failure, NO_OUTPUT, Output, headline};
use analysis::Branch;
use engine::present::labels::Scale;
use engine::present::text::plain;
use engine::settings::Unit;
use engine::snapshot::Snapshot;
use engine::weight::Weight;
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

/// One row: a path of the tree, by its last function.
struct Row {
    branch: Branch,
    depth: usize,
    /// The row of the path without its last function.
    parent: Option<usize>,
}

pub(super) fn tree(
    snapshot: &Snapshot,
    part: Part,
    json: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    if snapshot.grouped.recording.summed().is_some() {
        let message = "this recording has sums without stacks: it has no tree; `costline report --by edge` lists its calls";
        return Err(Failure { code: NO_OUTPUT, message: message.to_owned() });
    }
    let scale =
        Scale { metric: &snapshot.costs.metric, base: snapshot.costs.base, unit: Unit::Both };
    let rows = rows(snapshot, part);
    if json {
        write_json(snapshot, &rows, out)?;
        return Ok(());
    }
    writeln!(out, "{}", headline(snapshot))?;
    writeln!(out, "{:>22} {:>22}", "total", if part.inverted { "" } else { "self" })?;
    for row in &rows {
        let this = snapshot.function(row.branch.function);
        let place = match (this.file, snapshot.start_line(row.branch.function)) {
            (Some(file), None) => format!("  {}", plain(snapshot.file_name(file))),
            (Some(file), Some(line)) => format!("  {}:{line}", plain(snapshot.file_name(file))),
            (None, _) => this.lib.map(|lib| format!("  {}", plain(lib))).unwrap_or_default(),
        };
        let own = row
            .branch
            .self_
            .filter(|own| *own != 0.0)
            .map(|own| scale.both(own))
            .unwrap_or_default();
        let indent = "  ".repeat(row.depth);
        writeln!(
            out,
            "{:>22} {own:>22}  {indent}{}{place}",
            scale.both(row.branch.total),
            plain(this.name)
        )?;
    }
    Ok(())
}

/// Parents before children, costliest siblings first.
fn rows(snapshot: &Snapshot, part: Part) -> Vec<Row> {
    let base = snapshot.costs.base;
    let reaches = |branch: &Branch| branch.total.abs() * 100.0 >= part.min_percent * base;
    let below = |parent: Option<&Branch>| {
        let branches = snapshot.tree.branches(part.inverted, parent).into_iter();
        branches.take_while(reaches).collect::<Vec<_>>().into_iter().rev()
    };
    let mut rows: Vec<Row> = Vec::new();
    // The next row last.
    let mut pending: Vec<Row> =
        below(None).map(|branch| Row { branch, depth: 0, parent: None }).collect();
    while let Some(row) = pending.pop() {
        if row.depth < part.depth {
            let parent = Some(rows.len());
            pending.extend(below(Some(&row.branch)).map(|branch| Row {
                branch,
                depth: row.depth + 1,
                parent,
            }));
        }
        rows.push(row);
    }
    rows
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
fn write_json(snapshot: &Snapshot, rows: &[Row], out: &mut Output) -> Result<(), Failure> {
    let nodes: Vec<JsonNode<'_>> = rows
        .iter()
        .map(|row| {
            let this = snapshot.function(row.branch.function);
            JsonNode {
                name: this.name,
                file: this.file.map(|file| snapshot.file_name(file)),
                lib: this.lib,
                depth: row.depth,
                parent: row.parent,
                self_: row.branch.self_.map(Weight),
                total: Weight(row.branch.total),
            }
        })
        .collect();
    let metric = &snapshot.costs.metric;
    let tree = JsonTree {
        version: 1,
        metric: &metric.name,
        unit: &metric.unit,
        total: Weight(snapshot.costs.total),
        nodes,
    };
    serde_json::to_writer(&mut *out, &tree).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}
