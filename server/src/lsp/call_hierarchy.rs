//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`: the call tree along a path.

use super::context::{Context, OpenFile};
use super::from_proto;
use super::to_proto::{self, Direction, last_segment};
use crate::session::snapshot::Snapshot;
use analysis::{PathEntry, PathStep, PlaceCost, SiteCost};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, CallHierarchyPrepareParams, Position, Range,
};
use profile::FunctionId;
use serde_json::json;

/// The function at a position: the callee that is called there by that name, else the function around it.
pub fn prepare(context: &Context, params: &CallHierarchyPrepareParams) -> Option<Vec<CallHierarchyItem>> {
    let at = &params.text_document_position_params;
    let open = context.open_file(&at.text_document.uri)?;
    let function = function_at(&open, at.position)?;
    Some(vec![root_item(context, &open.snapshot, function)?])
}

/// The item that a walk begins with.
pub fn root_item(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Option<CallHierarchyItem> {
    let cost = snapshot.costs.function(function).cost;
    to_proto::item(context, snapshot, None, &[function], Some(cost.self_), cost.total, false)
}

/// The function at a position of an open document.
pub fn function_at(open: &OpenFile, position: Position) -> Option<FunctionId> {
    named_at(open, position).or_else(|| enclosing(open, position.line))
}

/// The function whose name is under the cursor: a callee of that line, or a function that is defined there.
pub fn named_at(open: &OpenFile, position: Position) -> Option<FunctionId> {
    let word = open.document.text.word_at(position)?;
    let lines = open.lines();
    let costs = &open.snapshot.costs;
    let is_word = |function: FunctionId| last_segment(open.snapshot.function(function).name) == word;
    let line = lines.recorded(position.line)?;

    let callers = costs.functions_on(open.file, line).iter().map(|place| place.function);
    let edges = callers.flat_map(|caller| costs.callees(caller)).filter(|edge| is_word(edge.callee));
    let here = edges.filter_map(|edge| {
        let site = costs.sites(edge).iter().find(|site| (site.file, site.line) == (open.file, line))?;
        Some((site.total.abs(), edge.callee))
    });
    let callee = here.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, callee)| callee);
    let defined = || lines.functions().into_iter().find(|&(line0, function)| line0 == position.line && is_word(function));
    callee.or_else(|| Some(defined()?.1))
}

/// The function around a line (0-based): the costliest one on it, else the one that starts last above it. Functions of this file
/// come first: a line that was inlined into others, where source maps tell their files apart, is theirs only in execution.
pub fn enclosing(open: &OpenFile, line0: u32) -> Option<FunctionId> {
    let lines = open.lines();
    let places = lines.recorded(line0).map(|line| open.snapshot.costs.functions_on(open.file, line)).unwrap_or_default();
    let is_own = |place: &&PlaceCost| open.snapshot.function(place.function).file == Some(open.file);
    let on_line = places.iter().find(is_own).or_else(|| places.first());
    let above = || lines.functions().into_iter().rfind(|&(start0, _)| start0 <= line0);
    on_line.map(|place| place.function).or_else(|| Some(above()?.1))
}

/// Callers, costliest first. A foreign or stale item has none.
pub fn incoming(context: &Context, item: &CallHierarchyItem) -> Vec<CallHierarchyIncomingCall> {
    let calls = walk(context, item, Direction::Incoming);
    calls.into_iter().map(|(from, from_ranges)| CallHierarchyIncomingCall { from, from_ranges }).collect()
}

/// Callees, costliest first. A foreign or stale item has none.
pub fn outgoing(context: &Context, item: &CallHierarchyItem) -> Vec<CallHierarchyOutgoingCall> {
    let calls = walk(context, item, Direction::Outgoing);
    calls.into_iter().map(|(to, from_ranges)| CallHierarchyOutgoingCall { to, from_ranges }).collect()
}

fn walk(context: &Context, item: &CallHierarchyItem, direction: Direction) -> Vec<(CallHierarchyItem, Vec<Range>)> {
    let Some(snapshot) = context.world.snapshot() else { return Vec::new() };
    let Some((known, path)) = from_proto::item_path(snapshot, item, direction) else { return Vec::new() };
    // Turning round begins anew at the item's own function.
    let path = match (known, path.last()) {
        (Some(known), Some(&last)) if known != direction => vec![last],
        _ => path,
    };
    let step = step(snapshot, direction, &path);
    step.entries.iter().filter_map(|entry| call(context, snapshot, direction, &path, entry)).collect()
}

/// One step along a path.
pub fn step(snapshot: &Snapshot, direction: Direction, path: &[FunctionId]) -> PathStep {
    match direction {
        Direction::Incoming => snapshot.tree.callers(path),
        Direction::Outgoing => snapshot.tree.callees(path),
    }
}

/// One caller or callee, with the lines of the caller (of the two) that call.
fn call(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &[FunctionId],
    entry: &PathEntry,
) -> Option<(CallHierarchyItem, Vec<Range>)> {
    let mut item = entry_item(context, snapshot, direction, path, entry)?;
    let caller = match direction {
        Direction::Incoming => entry.function,
        Direction::Outgoing => *path.last()?,
    };
    // Ranges belong to the file that the client thinks the caller is in.
    let caller_file = snapshot.definition(caller).map(|(file, _)| file);
    let range = |site: &SiteCost| Some(to_proto::line_location(context, snapshot, site.file, site.line)?.range);
    let (own, others): (Vec<&SiteCost>, Vec<&SiteCost>) = entry.sites.iter().partition(|site| Some(site.file) == caller_file);
    let mut ranges: Vec<Range> = own.into_iter().filter_map(range).collect();
    if ranges.is_empty() {
        let definition =
            snapshot.definition(caller).and_then(|(file, line)| to_proto::line_location(context, snapshot, file, line));
        ranges.push(definition.map_or_else(Range::default, |location| location.range));
    }
    if let (false, Some(data)) = (others.is_empty(), item.data.as_mut().and_then(serde_json::Value::as_object_mut)) {
        let sites: Vec<_> = others
            .iter()
            .map(|site| json!({"file": snapshot.file_name(site.file), "line0": site.line - 1, "total": to_proto::weight(site.total)}))
            .collect();
        data.insert("sites".to_owned(), json!(sites));
    }
    Some((item, ranges))
}

/// The item of a caller or callee. A recursive one stands outside the sum: a walk from it begins anew.
pub fn entry_item(
    context: &Context,
    snapshot: &Snapshot,
    direction: Direction,
    path: &[FunctionId],
    entry: &PathEntry,
) -> Option<CallHierarchyItem> {
    let (self_, total) = (entry.self_, entry.known_total());
    if entry.recursive {
        return to_proto::item(context, snapshot, Some(direction), &[entry.function], self_, total, true);
    }
    let path = [path, &[entry.function]].concat();
    to_proto::item(context, snapshot, Some(direction), &path, self_, total, false)
}
