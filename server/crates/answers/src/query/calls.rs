//! Callers and callees along a path.
//!
//! The call hierarchy collapses direct recursion, the call tree does not. Callees of inner calls are
//! then callees of the function, in agreement with its lines, and the call tree keeps the exact path.

use crate::compare::baseline::{Baseline, Same};
use crate::compare::before::{Before, NO_COST};
use crate::items::places::{function_place, line_place};
use crate::items::{CallPath, CallSite, Direction, Item, ItemPath, PathCost, item, rest_item};
use crate::keys::weight::Weight;
use crate::lines::text::Range;
use crate::world::context::{Context, OpenFile};
use analysis::{Cost, Edge, FunctionId, PathEntry, PathStep, Recursion, Site, SiteCost, Total};
use loading::Snapshot;

/// A caller or callee, with the call sites.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The item of the caller or callee.
    pub item: Item,
    /// The call sites in the caller's own file, hottest first. If there are none, the line of the
    /// caller's definition.
    pub ranges: Vec<Range>,
}

/// The callers or callees of an item, hottest first. After callers comes what has none; the self cost, which
/// callees leave, is in the item. Recursive calls, which are no part of the sum, are last. Empty if the item
/// comes from another server or is stale.
pub fn calls(context: &Context, item: &ItemPath, direction: Direction) -> Vec<Call> {
    let Some(snapshot) = context.world.snapshot() else { return Vec::new() };
    let Some(path) = item.resolve(snapshot, direction) else { return Vec::new() };
    let step = step(snapshot, direction, &path);
    let before = entries_before(context, snapshot, direction, &path, &step.entries);
    let entries = step.entries.iter().zip(before);
    let calls = entries.filter_map(|entry| call(context, snapshot, direction, &path, entry));
    let mut calls: Vec<Call> = calls.collect();
    if direction == Direction::Incoming
        && let Some(item) = rest_item(context, snapshot, direction, &path, &step)
    {
        let at = calls.partition_point(|call| !call.item.data.recursive);
        calls.insert(at, Call { ranges: vec![item.selection_range], item });
    }
    calls
}

/// The callers or callees of the last function of a path.
pub fn step(snapshot: &Snapshot, direction: Direction, path: &CallPath) -> PathStep {
    match direction {
        Direction::Incoming => snapshot.tree.callers(&path.functions, path.recursion),
        Direction::Outgoing => snapshot.tree.callees(&path.functions, path.recursion),
    }
}

/// What recorded lines (1-based) of an open document call, each with the cost of the calls on these
/// lines, hottest first, recursive calls last.
pub fn callees_on<'a>(open: &'a OpenFile, lines: &[u32]) -> Vec<(Total, &'a Edge)> {
    let snapshot = &*open.snapshot;
    let (costs, calls) = (&snapshot.costs, snapshot.tree.edges());
    let places = lines.iter().flat_map(|&line| costs.functions_on(open.file, line));
    let mut callers: Vec<FunctionId> = places.map(|place| place.function).collect();
    callers.sort_unstable();
    callers.dedup();
    let is_here = |site: &&Site| site.file == open.file && lines.contains(&site.line);
    let edges = callers.into_iter().flat_map(|caller| calls.callees(caller));
    let on_lines = edges.filter_map(|edge| {
        let all = calls.sites(edge);
        let here: Vec<f64> = all.iter().filter(is_here).map(|site| site.total).collect();
        let all = all.iter().map(|site| site.total).sum();
        Some((cost_of_sites(edge, all, &here)?, edge))
    });
    let mut callees: Vec<(Total, &Edge)> = on_lines.collect();
    callees.sort_by(|(a, at), (b, bt)| {
        at.recursive
            .cmp(&bt.recursive)
            .then(most(*b).abs().total_cmp(&most(*a).abs()))
            .then(at.callee.cmp(&bt.callee))
    });
    callees
}

/// The cost of calls, or the most that it may be. 0 if it is unknown.
pub fn most(total: Total) -> f64 {
    match total {
        Total::Exact(weight) | Total::Estimated(weight) | Total::Bounded { max: weight, .. } => {
            weight
        }
        Total::Unknown => 0.0,
    }
}

/// The cost of an edge's calls at some of its sites, whose costs are `here`; all of its sites have the sum `all`. In
/// a recursion, calls from several lines may be nested, and then belong to the same samples. They are not if all sites
/// add up to the cost of the edge. `None` without a site.
fn cost_of_sites(edge: &Edge, all: f64, here: &[f64]) -> Option<Total> {
    let sum: f64 = here.iter().sum();
    let max = sum.min(edge.total);
    let is_sum = (all - edge.total).abs() <= 1e-9 * edge.total.abs();
    match here {
        [] => None,
        _ if edge.estimated => Some(Total::Estimated(max)),
        [only] => Some(Total::Exact(*only)),
        _ if is_sum => Some(Total::Exact(sum)),
        _ => {
            let min = here.iter().copied().fold(0.0, f64::max).min(max);
            Some(Total::Bounded { min, max })
        }
    }
}

/// The cost of each caller or callee in the baseline, if it is known.
pub fn entries_before(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &CallPath,
    entries: &[PathEntry],
) -> Vec<Option<Before>> {
    let Some(compared) = context.compared(snapshot) else { return vec![None; entries.len()] };
    let steps: Vec<_> = compared
        .baseline
        .runs()
        .map(|run| {
            let functions = run.path(snapshot, &path.functions)?;
            let same_path = CallPath { functions, recursion: path.recursion };
            Some((run, step(&run.snapshot, direction, &same_path)))
        })
        .collect();
    let before = |entry: &PathEntry| {
        let cost = |step: &Option<(&Baseline, PathStep)>| {
            let (run, step) = step.as_ref()?;
            let same = match run.same(snapshot, entry.function) {
                Same::Function(same) => same,
                Same::NoCost => return Some(NO_COST),
                Same::Absent | Same::Unknown => return None,
            };
            let found = step
                .entries
                .iter()
                .find(|before| before.function == same && before.recursive == entry.recursive);
            Some(found.map_or(NO_COST, |before| Cost {
                self_: before.self_.unwrap_or_default(),
                total: before.as_total(),
            }))
        };
        compared.before_in(steps.iter().map(cost))
    };
    entries.iter().map(before).collect()
}

fn call(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &CallPath,
    (entry, before): (&PathEntry, Option<Before>),
) -> Option<Call> {
    let mut item = entry_item(context, snapshot, direction, path, (entry, before))?;
    let caller = match direction {
        Direction::Incoming => entry.function,
        Direction::Outgoing => *path.functions.last()?,
    };
    let definition = snapshot.definition(caller);
    // Clients expect the ranges to be within the range of the caller's item.
    let caller_file = definition.map(|(file, _)| file);
    let whole = snapshot
        .source_function(caller)
        .and_then(|_| function_place(context, snapshot, caller).map(|place| place.range));
    let (mut ranges, mut others) = (Vec::new(), Vec::new());
    for site in &entry.sites {
        if Some(site.file) != caller_file {
            others.push(site);
            continue;
        }
        let Some(place) = line_place(context, snapshot, site.file, site.line) else { continue };
        if whole.is_none_or(|whole| whole.encloses(place.range)) {
            ranges.push(place.range);
        } else {
            others.push(site);
        }
    }
    if ranges.is_empty() {
        let place = definition.and_then(|(file, line)| line_place(context, snapshot, file, line));
        ranges.push(place.map_or_else(Range::default, |place| place.range));
    }
    item.data.sites = others.into_iter().map(|site| call_site(context, snapshot, site)).collect();
    Some(Call { item, ranges })
}

fn call_site(context: &Context, snapshot: &Snapshot, site: &SiteCost) -> CallSite {
    let current = line_place(context, snapshot, site.file, site.line);
    CallSite {
        file: snapshot.file_name(site.file).to_owned(),
        line0: current.map_or(site.line - 1, |place| place.range.start.line0),
        total: Weight(site.total),
    }
}

/// The item of a caller or callee. The path of a recursive call is exact, so that the item leads to
/// the calls that were collapsed. That of a recursive caller of the root starts again at the caller.
pub fn entry_item(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &CallPath,
    (entry, before): (&PathEntry, Option<Before>),
) -> Option<Item> {
    let is_root = path.functions.len() == 1 && direction == Direction::Incoming;
    let above = if entry.recursive && is_root { &[] } else { path.functions.as_slice() };
    let calls_itself = entry.recursive && path.functions.last() == Some(&entry.function);
    let path = CallPath {
        functions: [above, &[entry.function]].concat(),
        recursion: if calls_itself { Recursion::Exact } else { path.recursion },
    };
    let cost = PathCost {
        self_: entry.self_,
        total: entry.as_total(),
        recursive: entry.recursive,
        leaf: Some(entry.leaf),
        before,
    };
    item(context, snapshot, Some(direction), &path, &cost)
}
