//! `costline callers`: the callers of a function, grouped.

use super::heading::headline;
use super::style::Style;
use super::{Failure, Output, USAGE};
use analysis::{CallGroup, CallGroups, GroupKey, Recursion};
use engine::items::weight::Weight;
use engine::items::{CallPath, Direction};
use engine::present::labels::Scale;
use engine::present::text::{file_name, plain};
use engine::present::units;
use engine::query::call_groups::{GroupBy, groups, name, site, total};
use engine::snapshot::Snapshot;
use serde::Serialize;
use std::io::Write;

/// The width of the columns before the name.
const COSTS_WIDTH: usize = 22 + 1 + 12 + 4;

/// Writes the callers of a function as text or JSON.
pub(super) fn callers(
    snapshot: &Snapshot,
    function: &str,
    by: GroupBy,
    json: bool,
    style: Style,
    out: &mut Output,
) -> Result<(), Failure> {
    let callee = snapshot
        .only_named(function)
        .map_err(|unmatched| Failure { code: USAGE, message: unmatched.problem })?;
    let path = CallPath { functions: vec![callee], recursion: Recursion::Collapsed };
    let found = groups(snapshot, Direction::Incoming, &path, by);
    let callee = snapshot.function(callee).name;
    if snapshot.settings.view.contour && !snapshot.tree.has_contour() {
        let metric = &snapshot.costs.metric.name;
        return Err(Failure::no_output(format!(
            "--contour needs the cost of calls, which `{metric}` does not have: choose another metric"
        )));
    }
    if found.groups.is_empty() {
        return Err(Failure::no_output(format!("{callee}: the profile has no callers of it")));
    }
    if json {
        return write_json(snapshot, callee, &found, out);
    }
    writeln!(out, "{}", headline(snapshot))?;
    let contour = if snapshot.tree.has_contour() { " above the contour" } else { "" };
    writeln!(out, "callers of {}{contour}", plain(callee))?;
    let scale =
        Scale { metric: &snapshot.costs.metric, base: snapshot.costs.base, unit: style.unit };
    writeln!(out, "{:>22} {:>12}", "total", "calls")?;
    for group in &found.groups {
        let calls = group.calls.map_or_else(String::new, units::number);
        let cost = units::total(total(group), |weight| scale.weight(weight));
        let mark = if group.recursive { "↻ " } else { "" };
        let name = name(snapshot, &group.key);
        let place = place(snapshot, &group.key);
        let place = match place {
            Some((file, Some(line))) => format!("{}:{line}", file_name(file)),
            Some((file, None)) => file_name(file).into_owned(),
            None => String::new(),
        };
        let what = style.name_and_place(COSTS_WIDTH, &plain(&name), &place);
        writeln!(out, "{cost:>22} {calls:>12}  {mark}{what}")?;
    }
    if found.groups.iter().any(|group| group.recursive) {
        writeln!(out, "↻ is within a recursion, and part of the cost of the call that enters it")?;
    }
    Ok(())
}

/// The file of a row, and its line (1-based) if it is known.
fn place<'a>(snapshot: &'a Snapshot, key: &GroupKey) -> Option<(&'a str, Option<u32>)> {
    let (file, line) = match key {
        GroupKey::Site(..) => site(key).map(|(file, line)| (file, Some(line)))?,
        GroupKey::Function(function) => {
            (snapshot.function(*function).file?, snapshot.start_line(*function))
        }
        GroupKey::Module(_) | GroupKey::Clique(_) => return None,
    };
    Some((snapshot.file_name(file), line))
}

/// The output of `--json`.
#[derive(Serialize)]
struct JsonCallers<'a> {
    version: u32,
    metric: &'a str,
    unit: &'a str,
    function: &'a str,
    /// Whether callers that the contour file excludes are replaced by theirs.
    contour: bool,
    /// The weight of the calls that are not recursive.
    sum: Weight,
    callers: Vec<JsonRow<'a>>,
}

/// A row of `--json`.
#[derive(Serialize)]
struct JsonRow<'a> {
    name: String,
    /// The file of the call site or of the function.
    file: Option<&'a str>,
    line: Option<u32>,
    calls: Option<u64>,
    total: Weight,
    /// Whether the total is an estimate.
    est: bool,
    recursive: bool,
}

fn write_json(
    snapshot: &Snapshot,
    function: &str,
    found: &CallGroups,
    out: &mut Output,
) -> Result<(), Failure> {
    let row = |group: &CallGroup| {
        let place = place(snapshot, &group.key);
        let (file, line) = (place.map(|place| place.0), place.and_then(|place| place.1));
        JsonRow {
            name: name(snapshot, &group.key),
            file,
            line,
            calls: group.calls,
            total: Weight(group.total),
            est: group.estimated,
            recursive: group.recursive,
        }
    };
    let callers = JsonCallers {
        version: 1,
        metric: &snapshot.costs.metric.name,
        unit: &snapshot.costs.metric.unit,
        function,
        contour: snapshot.tree.has_contour(),
        sum: Weight(found.sum),
        callers: found.groups.iter().map(row).collect(),
    };
    let text = serde_json::to_string_pretty(&callers).map_err(std::io::Error::from)?;
    writeln!(out, "{text}")?;
    Ok(())
}
