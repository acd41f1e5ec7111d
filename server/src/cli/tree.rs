//! `costline tree`: the call tree, top-down or bottom-up.

use super::compare::CompareArgs;
use super::exit::Failure;
use super::heading::{compared_with, headline};
use super::json_changes::{JsonChanges, JsonComparison};
use super::loaded::Loaded;
use super::output::Output;
use super::style::{Style, StyleArgs};
use super::values::percentage;
use super::view::{Places, ViewArgs};
use analysis::{Branch, Cost, FunctionId, JitTier, Phase, Phases, TimeRange};
use engine::compare::baseline::Before;
use engine::compare::same_nodes::SameNodes;
use engine::config::settings::{Unit, ViewSettings};
use engine::items::weight::Weight;
use engine::present::labels::{Part as CostPart, Scale};
use engine::present::text::{file_name, plain};
use engine::present::units;
use engine::snapshot::Snapshot;
use engine::world::context::Compared;
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;

/// The arguments of `costline tree`.
#[derive(Debug, clap::Args)]
pub(super) struct TreeArgs {
    #[command(flatten)]
    view: ViewArgs,
    /// Print the bottom-up tree: the functions with the highest self cost, with their callers
    /// below them
    #[arg(long)]
    inverted: bool,
    /// Of each function's callees (bottom-up: callers), show only the one with the highest cost
    #[arg(long)]
    hot: bool,
    /// List calls in chronological order, one row per call, instead of summing them; calls that
    /// all samples share are left out
    #[arg(long, conflicts_with_all = ["inverted", "baseline"])]
    occurrences: bool,
    /// Maximum number of call paths; the ones with the highest costs are shown [default: no
    /// limit]
    #[arg(long, value_name = "ROWS")]
    limit: Option<usize>,
    /// Maximum depth; 0 shows the outermost functions only
    #[arg(long, value_name = "FRAMES", default_value_t = 100)]
    depth: usize,
    /// Omit call paths that cost less than this percentage
    #[arg(long, value_name = "PERCENT", default_value = "0.5", value_parser = percentage, allow_negative_numbers = true)]
    min_percent: f64,
    /// Print the rows as JSON with raw weights, parents before children
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    style: StyleArgs,
}

impl TreeArgs {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let Self { inverted, hot, occurrences, limit, depth, min_percent, .. } = self;
        let loaded = Loaded::load(&self.view, Places::Recorded, &[], &self.compare, None)?;
        let part = Part { inverted, hot, occurrences, limit, depth, min_percent };
        let before = loaded.beside().before;
        tree(&loaded.snapshot, part, before, self.json, self.style.style(Unit::Both), out)
    }
}

/// The part of the call tree to show.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Whether the tree is bottom-up.
    pub inverted: bool,
    /// Whether to show only the hottest branch of each node.
    pub hot: bool,
    /// Whether the tops are the phases of a thread, in order of time.
    pub occurrences: bool,
    /// The maximum number of rows.
    pub limit: Option<usize>,
    /// The maximum depth; 0 for the roots only.
    pub depth: usize,
    /// The minimum total in percent of the base.
    pub min_percent: f64,
}

/// A call node.
struct Row {
    branch: Branch,
    /// 0 for roots.
    depth: usize,
    /// The index of the row of the parent.
    parent: Option<usize>,
    /// The range of time of a phase.
    range: Option<TimeRange>,
}

/// The rows of a tree.
#[derive(Default)]
struct Rows {
    /// Parents before children, hottest siblings first.
    shown: Vec<Row>,
    /// The number of branches beside or below them that do not reach the minimum.
    n_small: usize,
    /// The number of branches below the deepest rows.
    n_deep: usize,
}

/// Writes the call tree as text or JSON.
fn tree(
    snapshot: &Snapshot,
    part: Part,
    before: Option<Compared<'_>>,
    json: bool,
    style: Style,
    out: &mut Output,
) -> Result<(), Failure> {
    let scale =
        Scale { metric: &snapshot.costs.metric, base: snapshot.costs.base, unit: style.unit };
    let Rows { shown: mut rows, n_small, n_deep } =
        if part.occurrences { occurrences(snapshot, part)? } else { rows(snapshot, part)? };
    let omitted = part.limit.map_or(0, |limit| keep_hottest(&mut rows, limit));
    let mut same = before.map(|before| SameNodes::new(before, snapshot, part.inverted));
    let befores: Vec<Option<Before>> = rows
        .iter()
        .map(|Row { branch, parent, .. }| same.as_mut()?.add(*parent, branch.function).1)
        .collect();
    if json {
        let omitted = JsonOmitted { limit: omitted, min_percent: n_small, depth: n_deep };
        return write_json(snapshot, &rows, omitted, before, &befores, out);
    }
    writeln!(out, "{}", headline(snapshot))?;
    if let Some(before) = before {
        writeln!(out, "{}", compared_with(before, snapshot))?;
    }
    if snapshot.grouped.recording.summed().is_some() {
        let others = if part.inverted { "callers" } else { "callees" };
        writeln!(
            out,
            "The profile is a call graph without stacks. Costs marked `est.` are divided among {others} \
             in the proportions of all their calls."
        )?;
    }
    let recursive = recursive(snapshot);
    if rows.iter().any(|row| recursive.contains(&row.branch.function)) {
        writeln!(out, "Functions marked ↻ call each other or themselves.")?;
    }
    let costs: Vec<[String; 2]> = rows
        .iter()
        .zip(&befores)
        .map(|(Row { branch, .. }, before)| {
            let own = branch.self_.filter(|own| *own != 0.0);
            let delta = |part| scale.delta(cost(branch), *before, part);
            let total = units::total(branch.as_total(), |weight| scale.weight(weight));
            let own = own.map(|own| scale.weight(own) + &delta(CostPart::Self_));
            [total + &delta(CostPart::Total), own.unwrap_or_default()]
        })
        .collect();
    let heading = ["total", if part.inverted { "" } else { "self" }];
    let width = |column: usize| {
        let cells = costs.iter().map(|cells| cells[column].chars().count());
        cells.chain([heading[column].len()]).max().unwrap_or_default()
    };
    let (total_width, own_width) = (width(0), width(1));
    writeln!(out, "{:>total_width$} {:>own_width$}", heading[0], heading[1])?;
    for (row, [total, own]) in rows.iter().zip(&costs) {
        let this = snapshot.function(row.branch.function);
        let place = match (this.file, snapshot.start_line(row.branch.function)) {
            (Some(file), None) => file_name(snapshot.file_name(file)).into_owned(),
            (Some(file), Some(line)) => format!("{}:{line}", file_name(snapshot.file_name(file))),
            (None, _) => this.lib.map(|lib| plain(lib).into_owned()).unwrap_or_default(),
        };
        let indent = "  ".repeat(row.depth);
        let mark = if recursive.contains(&row.branch.function) { "↻ " } else { "" };
        let cells = format!("{total:>total_width$} {own:>own_width$}");
        let cells = style.heat(&cells, row.branch.total.abs() / snapshot.costs.base);
        let used = total_width + 1 + own_width + 2 + indent.len() + 2;
        let tiers = snapshot.tree.jit_tiers_of_branch(&row.branch);
        let tiers = units::jit_tiers(tiers, row.branch.total).map(|tiers| format!("[{tiers}]"));
        let range = row.range.map(|range| range.to_string());
        let place = [Some(place).filter(|place| !place.is_empty()), range, tiers];
        let place = place.into_iter().flatten().collect::<Vec<_>>().join("  ");
        let what = style.name_and_place(used, &plain(this.name), &place);
        writeln!(out, "{cells}  {indent}{mark}{what}")?;
    }
    for (n, what) in [
        (omitted, "(--limit)"),
        (n_small, "and all below them (--min-percent)"),
        (n_deep, "and all below them (--depth)"),
    ] {
        if n > 0 {
            let paths = units::counted(n as f64, "call paths");
            writeln!(out, "{}", style.dim(&format!("omitted: {paths} {what}")))?;
        }
    }
    Ok(())
}

fn cost(branch: &Branch) -> Cost {
    Cost { self_: branch.self_.unwrap_or_default(), total: branch.as_total() }
}

/// The functions of a call graph that call each other or themselves. Empty for stacks, whose trees
/// have each call.
fn recursive(snapshot: &Snapshot) -> HashSet<FunctionId> {
    let cliques = snapshot.tree.cliques().unwrap_or_default();
    cliques
        .into_iter()
        .filter(|clique| clique.recursive)
        .flat_map(|clique| clique.functions)
        .collect()
}

/// The maximum number of rows of an estimated tree: a call graph has more paths than stacks were
/// ever recorded.
const MAX_ESTIMATED: usize = 100_000;

/// The maximum number of phases. Each needs costs of its own.
const MAX_PHASES: usize = 200;

/// The rows of each phase of a thread, in order of time.
fn occurrences(snapshot: &Snapshot, part: Part) -> Result<Rows, Failure> {
    let grouped = &snapshot.grouped;
    let Phases { above, phases } = analysis::phases(
        &snapshot.loaded.recording,
        &grouped.recording,
        &grouped.view,
        &grouped.groups,
    )
    .map_err(|unmatched| Failure::usage(unmatched.problem))?;
    if phases.len() > MAX_PHASES {
        let message = format!(
            "there are {} occurrences, more than {MAX_PHASES}: choose a shorter --range, or focus on \
             a function (--transform focus-function:F)",
            phases.len()
        );
        return Err(Failure::usage(message));
    }
    let mut all = Rows::default();
    for Phase { function, range } in phases {
        let settings = ViewSettings { range: Some(range), ..snapshot.settings.view.clone() };
        let during = snapshot.with_view(&settings);
        let mut found: Option<Branch> = None;
        for wanted in above.iter().chain([&function]) {
            let below = during.tree.branches(false, found.as_ref()).into_iter();
            found = below.into_iter().find(|branch| branch.function == *wanted);
        }
        let Some(branch) = found else { continue };
        let first = all.shown.len();
        let top = Row { branch, depth: 0, parent: None, range: Some(range) };
        let Rows { shown: rows, n_small, n_deep } =
            expanded(&during, part, snapshot.costs.base, vec![top])?;
        all.n_small += n_small;
        all.n_deep += n_deep;
        all.shown.extend(
            rows.into_iter()
                .map(|row| Row { parent: row.parent.map(|parent| parent + first), ..row }),
        );
    }
    Ok(all)
}

/// The rows of the whole profile.
fn rows(snapshot: &Snapshot, part: Part) -> Result<Rows, Failure> {
    let base = snapshot.costs.base;
    let (tops, n_small_tops) = below(snapshot, part, base, None);
    let row = |branch| Row { branch, depth: 0, parent: None, range: None };
    let mut all = expanded(snapshot, part, base, tops.into_iter().map(row).collect())?;
    all.n_small += n_small_tops;
    Ok(all)
}

/// The branches to show below `parent`, the hottest last, and the number of those that do not reach
/// the minimum, nor does any branch below them, unless only the hottest one is wanted.
fn below(
    snapshot: &Snapshot,
    part: Part,
    base: f64,
    parent: Option<&Branch>,
) -> (Vec<Branch>, usize) {
    let least = part.min_percent * base / 100.0;
    let mut shown = snapshot.tree.branches(part.inverted, parent);
    let n_all = shown.len();
    shown.retain(|branch| snapshot.tree.reaches(branch, least));
    let n_small = if part.hot { 0 } else { n_all - shown.len() };
    if part.hot {
        shown.truncate(1);
    }
    shown.reverse();
    (shown, n_small)
}

/// The rows of `pending`, the first last, each followed by those below it.
fn expanded(
    snapshot: &Snapshot,
    part: Part,
    base: f64,
    mut pending: Vec<Row>,
) -> Result<Rows, Failure> {
    let Rows { shown: mut rows, mut n_small, mut n_deep } = Rows::default();
    while let Some(row) = pending.pop() {
        let parent = Some(rows.len());
        let (branches, n) = below(snapshot, part, base, Some(&row.branch));
        n_small += n;
        if row.depth < part.depth {
            let depth = row.depth + 1;
            pending.extend(branches.into_iter().map(|branch| Row {
                branch,
                depth,
                parent,
                range: None,
            }));
        } else {
            n_deep += branches.len();
        }
        if row.branch.estimated && rows.len() >= MAX_ESTIMATED {
            return Err(Failure::no_output(format!(
                "the tree of this call graph has more than {MAX_ESTIMATED} nodes: pass a smaller --depth or a larger --min-percent"
            )));
        }
        rows.push(row);
    }
    Ok(Rows { shown: rows, n_small, n_deep })
}

/// Keeps the `limit` hottest rows, except for rows whose parent is not kept. A row is as hot as the
/// hottest of it and the rows below it. Returns the number of removed rows.
fn keep_hottest(rows: &mut Vec<Row>, limit: usize) -> usize {
    let own = |row: &Row| row.branch.self_.unwrap_or_default().abs();
    // Costs below a row may cancel each other.
    let mut peaks: Vec<f64> = rows.iter().map(|row| row.branch.total.abs().max(own(row))).collect();
    for (at, row) in rows.iter().enumerate().rev() {
        if let Some(parent) = row.parent {
            peaks[parent] = peaks[parent].max(peaks[at]);
        }
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| peaks[b].total_cmp(&peaks[a]).then(a.cmp(&b)));
    let hottest: HashSet<usize> = order.into_iter().take(limit).collect();
    let all = std::mem::take(rows);
    let n_all = all.len();
    // Where each row is now.
    let mut places: Vec<Option<usize>> = Vec::with_capacity(n_all);
    for (at, row) in all.into_iter().enumerate() {
        let parent = row.parent.map(|parent| places[parent]);
        let is_kept = hottest.contains(&at) && parent != Some(None);
        places.push(is_kept.then_some(rows.len()));
        if is_kept {
            rows.push(Row { parent: parent.flatten(), ..row });
        }
    }
    n_all - rows.len()
}

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
    /// With `--occurrences`: the range of time of the phase, in milliseconds.
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

/// Writes a flat list of rows, because many JSON parsers limit the depth of nesting. `befores` has
/// the cost of each row in the baseline.
fn write_json(
    snapshot: &Snapshot,
    rows: &[Row],
    omitted: JsonOmitted,
    before: Option<Compared<'_>>,
    befores: &[Option<Before>],
    out: &mut Output,
) -> Result<(), Failure> {
    let recursive = recursive(snapshot);
    let is_graph = snapshot.grouped.recording.summed().is_some();
    let nodes: Vec<JsonNode<'_>> = rows
        .iter()
        .zip(befores)
        .map(|(row, before)| {
            let this = snapshot.function(row.branch.function);
            JsonNode {
                name: this.name,
                file: this.file.map(|file| snapshot.file_name(file)),
                lib: this.lib,
                depth: row.depth,
                parent: row.parent,
                range: row.range.map(|range| range.to_string()),
                self_: row.branch.self_.map(Weight),
                total: Weight(row.branch.total),
                jit_tiers: snapshot
                    .tree
                    .jit_tiers_of_branch(&row.branch)
                    .iter()
                    .map(JsonJitTier::new)
                    .collect(),
                est: row.branch.estimated,
                recursive: is_graph.then(|| recursive.contains(&row.branch.function)),
                comparison: before.map(|before| {
                    JsonChanges::of_parts(before, row.branch.self_, row.branch.as_total())
                }),
            }
        })
        .collect();
    let metric = &snapshot.costs.metric;
    let tree = JsonTree {
        version: 1,
        metric: &metric.name,
        unit: &metric.unit,
        total: Weight(snapshot.costs.total),
        comparison: before.map(JsonComparison::from),
        omitted,
        nodes,
    };
    serde_json::to_writer(&mut *out, &tree).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}
