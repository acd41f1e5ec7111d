//! `costline callers`: the callers of a function, grouped.

use super::exit::Failure;
use super::heading::headline;
use super::output::Output;
use super::style::{Style, StyleArgs};
use super::values::one_of;
use super::view::ViewArgs;
use answers::call_groups::{groups, name, site, total};
use answers::calls::{RecursionFields, rest_name, step};
use answers::text::plain;
use answers::{
    CallGroup, CallGroups, CallPath, Direction, FileId, FunctionRecursion, GroupBy, GroupKey,
    LabelScale as Scale, PathStep, Recursion, Snapshot, Unit, Weight, text, units,
};
use serde::Serialize;
use std::io::Write;

/// The width of the columns before the name.
const COSTS_WIDTH: usize = 22 + 1 + 12 + 4;

const NO_FUNCTION: &str = "callers needs a FUNCTION: its name, a suffix, a glob or /regex/";

/// The arguments of `costline callers`.
#[derive(Debug, clap::Args)]
pub(super) struct CallersArgs {
    /// What to group callers by
    #[arg(long, value_parser = one_of::<GroupBy>(), default_value = "function")]
    by: GroupBy,
    /// Print the rows as JSON with raw weights
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    style: StyleArgs,
    #[command(flatten)]
    view: ViewArgs,
}

impl CallersArgs {
    /// Writes the callers of a function as text or JSON.
    pub fn run(mut self, out: &mut Output) -> Result<(), Failure> {
        let function = self.view.profiles.pop().ok_or_else(|| Failure::usage(NO_FUNCTION))?;
        // A function may be called like the program that it is in.
        let is_file = self.view.profiles.is_empty() && function.is_file();
        let failure = |failure: Failure| {
            if is_file {
                Failure::usage(format!("{NO_FUNCTION} (`{}` is a file)", function.display()))
            } else {
                failure
            }
        };
        let (snapshot, _) = self.view.load().map_err(failure)?;
        snapshot.check_calls().map_err(Failure::usage)?;
        let callee = snapshot
            .only_named(&function.to_string_lossy())
            .map_err(|unmatched| failure(Failure::usage(unmatched.problem)))?;
        let path = CallPath { functions: vec![callee], recursion: Recursion::Collapsed };
        let found = Found {
            callee: snapshot.function(callee).name,
            groups: groups(&snapshot, Direction::Incoming, &path, self.by),
            step: step(&snapshot, Direction::Incoming, &path),
            recursion: snapshot.tree.recursion(callee),
        };
        let wants_contour =
            snapshot.settings.view.own && snapshot.grouped.recording.knows_contour();
        if wants_contour && !snapshot.tree.has_contour() {
            let metric = &snapshot.costs.metric.name;
            return Err(Failure::no_output(format!(
                "--own needs call costs, which `{metric}` does not have: choose another metric"
            )));
        }
        if found.groups.groups.is_empty() {
            let problem = format!("the profile has no callers of {}", found.callee);
            return Err(Failure::no_output(problem));
        }
        if self.json {
            write_json(&snapshot, found, out)
        } else {
            write_text(&snapshot, &found, self.style.style(Unit::Both), out)
        }
    }
}

/// The callers of a function.
struct Found<'a> {
    callee: &'a str,
    groups: CallGroups,
    step: PathStep,
    recursion: Option<FunctionRecursion>,
}

fn write_text(
    snapshot: &Snapshot,
    found: &Found<'_>,
    style: Style,
    out: &mut Output,
) -> Result<(), Failure> {
    writeln!(out, "{}", headline(snapshot))?;
    let contour = if snapshot.tree.has_contour() { " above the contour" } else { "" };
    writeln!(out, "callers of {}{contour}", plain(found.callee))?;
    let scale = Scale::new(&snapshot.costs.metric, snapshot.costs.base, style.unit);
    writeln!(out, "{:>22} {:>12}", "total", "calls")?;
    let row = |group: &CallGroup| {
        let calls = group.calls.map_or_else(String::new, units::number);
        let cost = units::total(total(group), |weight| scale.weight(weight));
        let mark = if group.recursive { "↻ " } else { "" };
        let name = name(snapshot, &group.key);
        let place = place_of(snapshot, &group.key);
        let place = place.map(|(file, line)| text::place(&snapshot.shown_file(file), line));
        let place = place.unwrap_or_default();
        let what = style.name_and_place(COSTS_WIDTH, &plain(&name), &place);
        format!("{cost:>22} {calls:>12}  {mark}{what}")
    };
    let groups = &found.groups.groups;
    let (entering, recursive) = groups.split_at(groups.partition_point(|group| !group.recursive));
    entering.iter().try_for_each(|group| writeln!(out, "{}", row(group)))?;
    if let Some(rest) = found.step.rest() {
        let cost = units::total(rest, |weight| scale.weight(weight));
        let name = rest_name(snapshot, Direction::Incoming);
        writeln!(out, "{cost:>22} {:>12}  {name}", "")?;
    }
    recursive.iter().try_for_each(|group| writeln!(out, "{}", row(group)))?;
    if let Some(found) = found.recursion {
        writeln!(out, "{}", RecursionFields::from(found).text)?;
    }
    if !recursive.is_empty() {
        writeln!(
            out,
            "↻ marks recursive calls; their cost is included in the call that enters the \
                       recursion"
        )?;
    }
    Ok(())
}

/// The file of a row, and its line (1-based) if it is known.
fn place_of(snapshot: &Snapshot, key: &GroupKey) -> Option<(FileId, Option<u32>)> {
    let (file, line) = match key {
        GroupKey::Site(..) => site(key).map(|(file, line)| (file, Some(line)))?,
        GroupKey::Function(function) => {
            (snapshot.function(*function).file?, snapshot.start_line(*function))
        }
        GroupKey::Module(_) | GroupKey::Clique(_) => return None,
    };
    Some((file, line))
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
    /// The weight without a caller. Null if it is unknown.
    #[serde(rename = "noCaller")]
    no_caller: Option<Weight>,
    /// Null if the function is not recursive.
    recursion: Option<RecursionFields>,
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

fn write_json(snapshot: &Snapshot, found: Found<'_>, out: &mut Output) -> Result<(), Failure> {
    let Found { callee, groups, step, recursion } = found;
    let row = |group: &CallGroup| {
        let place = place_of(snapshot, &group.key);
        let file = place.map(|(file, _)| snapshot.file_name(file));
        let line = place.and_then(|(_, line)| line);
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
        function: callee,
        contour: snapshot.tree.has_contour(),
        sum: Weight(groups.sum),
        no_caller: step.self_.map(Weight),
        recursion: recursion.map(RecursionFields::from),
        callers: groups.groups.iter().map(row).collect(),
    };
    let text = serde_json::to_string_pretty(&callers).map_err(std::io::Error::from)?;
    writeln!(out, "{text}")?;
    Ok(())
}
