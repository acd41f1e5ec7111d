//! `costline report`: all costs of a profile, as tables or as JSON.

mod json;
mod order;

#[cfg(test)]
pub use json::schema;

pub use json::json;

use super::Output;
use analysis::{Cost, FunctionCost};
use engine::present::labels::Scale;
use engine::present::text::{library, plain};
use engine::present::units;
use engine::settings::Unit;
use engine::snapshot::Snapshot;
use order::{hottest_functions, sorted_lines};
use std::io::{self, Write};

/// What a text report lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// Functions.
    Function,
    /// Source lines.
    Line,
    /// Calls: caller → callee, with the hottest call site.
    Edge,
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
    let file_name = |file| plain(snapshot.file_name(file)).into_owned();
    match by {
        By::Function => {
            for (function, FunctionCost { cost, idle, calls }) in
                hottest_functions(snapshot).into_iter().take(limit)
            {
                let this = snapshot.function(function);
                let place = match (this.file, snapshot.start_line(function), this.lib) {
                    (Some(file), None, _) => format!("  {}", file_name(file)),
                    (Some(file), Some(line), _) => format!("  {}:{line}", file_name(file)),
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
                row(out, line.cost, &format!("{}:{}", file_name(line.file), line.line))?;
            }
        }
        By::Edge => {
            let mut edges: Vec<_> = costs.edges().iter().collect();
            edges.sort_by(|a, b| b.total.abs().total_cmp(&a.total.abs()));
            for edge in edges.into_iter().take(limit) {
                let name = |function| plain(snapshot.function(function).name).into_owned();
                let site = costs
                    .sites(edge)
                    .first()
                    .map(|site| format!("  at {}:{}", file_name(site.file), site.line));
                let (site, calls) = (site.unwrap_or_default(), units::calls(edge.calls));
                let what = format!("{} → {}{site}{calls}", name(edge.caller), name(edge.callee));
                let total = units::total(edge.as_total(), |weight| scale.both(weight));
                writeln!(out, "{:>22} {:>22}  {what}", "", total)?;
            }
        }
    }
    Ok(())
}
