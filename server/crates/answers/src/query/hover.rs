//! Reports on lines and functions, for hovers and the tooltips of hints.

use crate::compare::before::Before;
use crate::compare::compared::Compared;
use crate::compare::overlay::Overlaid;
use crate::items::places::function_place;
use crate::items::{CallPath, Direction, rest_name};
use crate::lines::file_lines::UNKNOWN_LINE;
use crate::lines::text::Position;
use crate::present::details::{Details, Listed};
use crate::present::labels::{Part, Scale, totals};
use crate::present::recursion::recursion;
use crate::query::calls::{callees_on, step};
use crate::query::fleet;
use crate::query::functions_at::{enclosing, named_at};
use crate::query::provenance::recorded_as;
use crate::session::marks::Marks;
use crate::world::context::{Context, OpenFile};
use analysis::{
    Cost, FileId, FunctionCost, FunctionId, LineKnowledge, PartWithLabels, PathEntry, Recursion,
    Total,
};
use loading::{Program, Snapshot, Spread, units};
use url::Url;

/// The maximum length of lists of callers and callees.
const MAX_LISTED: usize = 5;
/// The maximum number of labels.
const MAX_LABELS: usize = 3;

/// The report on the functions that are named at a position, or else on the line. `None` if the
/// setting `hover.enable` is off, the position is neither on a name nor at the end of the line
/// (unless the setting `hover.everywhere` is on), or the line has neither a cost nor a count of
/// executions.
pub fn hover(context: &Context, uri: &Url, position: Position) -> Option<Details> {
    let settings = &context.world.settings.hover;
    let open = context.open_file(uri).filter(|_| settings.enable)?;
    match named_at(&open, position)[..] {
        [] => {}
        [function] => return Some(function_details(context, &open.snapshot, function)),
        ref functions => return Some(functions_details(context, &open.snapshot, functions)),
    }
    let is_asked = settings.everywhere || open.document.text.is_at_end_of_line(position);
    if is_asked { line_details(context, &open, position.line0) } else { None }
}

/// The report on a line (0-based) of an open document. `None` if it has neither a cost nor a count
/// of executions.
pub fn line_details(context: &Context, open: &OpenFile, line0: u32) -> Option<Details> {
    let snapshot = &*open.snapshot;
    let lines = open.lines();
    let recorded: Vec<u32> = lines.all_recorded(line0).collect();
    if recorded.is_empty() {
        let note = if lines.stale {
            UNKNOWN_LINE
        } else {
            "this line has changed since the recording, so its cost is unknown"
        };
        let function = enclosing(open, Position::new(line0, u32::MAX))?;
        let mut details = function_details(context, snapshot, function);
        details.notes.insert(0, note.to_owned());
        if let Some(cost) = lines.replaced(line0) {
            let label = "this line before it was changed";
            details.costs.insert(0, row(label, cost.cost, context.scale(snapshot).of_lines()));
        }
        return Some(details);
    }
    let cost = lines.costs(line0..line0 + 1).first().map(|(_, line)| line.cost);
    let count = lines.executions(line0..line0 + 1).first().and_then(|(_, count)| *count);
    if cost.is_none() && count.is_none() {
        return None;
    }
    let scale = context.scale(snapshot);
    let scale = match recorded[..] {
        [line] => scale.of_line(snapshot, open.file, line),
        _ => scale.of_lines(),
    };
    let mut costs = Vec::new();
    if let Some(cost) = cost {
        costs.push(row("", cost, scale));
        costs.extend(before_rows(cost, open.line_before(line0), scale));
        costs.extend(recorded_spread(snapshot, open.file, &recorded, scale));
    }
    costs.extend(open.overlaid_lines(line0..line0 + 1).into_values().map(overlay_row));
    let labels = match recorded[..] {
        [line] => labels_note(snapshot, PartWithLabels::Line(open.file, line)),
        _ => None,
    };
    let mut details = Details {
        title: format!("line {}", line0 + 1),
        costs,
        notes: count
            .map(|count| snapshot.executed(count))
            .into_iter()
            .chain(labels)
            .chain(notes(context, snapshot))
            .collect(),
        recorded: recorded_as(open, line0),
        profile: profile(snapshot),
        ..Details::default()
    };
    if lines.is_doubtful(line0) {
        let recorded = snapshot.path_of(open.file).and_then(|path| snapshot.texts().get(path));
        let why = recorded.and_then(|recorded| recorded.origin.doubt());
        let why = why.unwrap_or("the file is newer than the profile");
        details
            .notes
            .insert(0, format!("{why}, and the recorded text is not known: lines may have moved"));
    }
    let places: Vec<_> =
        recorded.iter().flat_map(|&line| snapshot.costs.functions_on(open.file, line)).collect();
    // The totals of several lines do not add up to the share of a function.
    let is_joined = places.windows(2).any(|two| two[0].line != two[1].line);
    for place in places.iter().take(MAX_LISTED).filter(|_| !is_joined) {
        let function = snapshot.costs.function(place.function).cost;
        if let (Total::Exact(total), Total::Exact(of)) = (place.cost.total, function.total) {
            let share = units::percent(total, of);
            let label = format!("{share} of {}", marked(snapshot, place.function, place.inlined));
            // If there is only one function, its cost is the cost of the line.
            details.costs.push(match places.len() {
                1 => [label, String::new(), String::new()],
                _ => row(&label, place.cost, scale),
            });
        }
    }
    let callers = snapshot.tree.callers_of_lines(open.file, &recorded);
    let callers = entries(context, snapshot, &callers.entries);
    details.lists.push(("callers into this line", callers));
    details.lists.push(("calls from this line", callees_of_lines(context, open, &recorded)));
    Some(details)
}

/// The name of a function with its place, to tell it from others of that name: `run (app.py:12)`.
pub fn name_with_place(context: &Context, snapshot: &Snapshot, function: FunctionId) -> String {
    let this = snapshot.function(function);
    let file = this.file.map(|file| snapshot.file_name(file));
    match (file, place(context, snapshot, function)) {
        (Some(file), Some((_, line0))) => format!("{} ({file}:{})", this.name, line0 + 1),
        (Some(file), None) => format!("{} ({file})", this.name),
        (None, _) => this.name.to_owned(),
    }
}

/// The report on functions of which the profile does not tell which one is meant.
fn functions_details(context: &Context, snapshot: &Snapshot, functions: &[FunctionId]) -> Details {
    let scale = context.scale(snapshot);
    let listed = functions.iter().take(MAX_LISTED).map(|&function| {
        let total = snapshot.costs.function(function).cost.total;
        Listed {
            cost: units::total(total, |weight| scale.both(weight)),
            name: name_with_place(context, snapshot, function),
            place: place(context, snapshot, function),
        }
    });
    Details {
        title: format!("{} functions with this name are called here", functions.len()),
        lists: vec![("hottest here first", listed.collect())],
        notes: notes(context, snapshot),
        profile: profile(snapshot),
        ..Details::default()
    }
}

/// The report on a function.
pub fn function_details(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Details {
    let scale = context.scale(snapshot);
    let this = snapshot.function(function);
    let mut notes = notes(context, snapshot);
    if let Some(file) = this.file {
        let name = snapshot.file_name(file);
        notes.insert(
            0,
            match snapshot.doubtful_program(function) {
                Some(Program { defined, n_names, .. }) => format!(
                    "{name}, matched by the function's name, which is likely but not certain: the profile has no \
                     files, and the workspace defines {} of its {n_names} names",
                    defined.len()
                ),
                None if snapshot.is_found_by_name(function) => {
                    format!("{name}, matched by the function's name: the profile has no file for it")
                }
                None => name.to_owned(),
            },
        );
    } else if let Some(lib) = this.lib {
        notes.insert(0, format!("in {lib}; the profile has no source file for it"));
    }
    let cost = snapshot.costs.function(function);
    let mut costs = vec![row(&units::counted_calls(cost.calls), cost.cost, scale)];
    costs.extend(before_rows(cost.cost, context.function_before(snapshot, function), scale));
    costs.extend(spread_row(snapshot.run_costs().function(function), scale));
    let overlay = context.overlay(snapshot);
    costs.extend(overlay.and_then(|overlay| overlay.function(snapshot, function)).map(overlay_row));
    if cost.idle != 0.0 {
        costs.push([
            "idle, not part of the total".to_owned(),
            units::absolute(cost.idle, scale.metric),
            String::new(),
        ]);
    }
    costs.extend(per_call_row(cost, scale));
    costs.extend(other_metrics(snapshot, function));
    let tiers = cost
        .cost
        .total
        .exact()
        .and_then(|total| units::jit_tiers(&snapshot.tree.jit_tiers(function), total));
    notes.splice(0..0, tiers.map(|tiers| format!("JIT tiers: {tiers}")));
    notes.splice(0..0, snapshot.tree.recursion(function).map(recursion));
    notes.splice(0..0, labels_note(snapshot, PartWithLabels::Function(function)));
    let path = CallPath { functions: vec![function], recursion: Recursion::Collapsed };
    let list = |direction| {
        let step = step(snapshot, direction, &path);
        let mut listed = entries(context, snapshot, &step.entries);
        // The self cost is above the lists.
        let rest = step.rest().filter(|_| direction == Direction::Incoming);
        let rest = rest.map(|total| Listed {
            cost: units::total(total, |weight| scale.both(weight)),
            name: rest_name(snapshot, direction).to_owned(),
            place: None,
        });
        listed.extend(rest);
        listed
    };
    Details {
        title: this.name.to_owned(),
        costs,
        lists: vec![("callers", list(Direction::Incoming)), ("callees", list(Direction::Outgoing))],
        notes,
        recorded: None,
        profile: profile(snapshot),
    }
}

/// The cost per call of a function in a recording with contexts, where calls are counted exactly.
fn per_call_row(cost: FunctionCost, scale: Scale<'_>) -> Option<[String; 3]> {
    let calls = cost.calls.filter(|&calls| calls > 1)? as f64;
    let is_by_context = scale.metric.lines == LineKnowledge::Calls;
    let total = cost.cost.total.exact().filter(|_| is_by_context)?;
    let weight = |weight: f64| units::absolute(weight / calls, scale.metric);
    Some(["per call".to_owned(), weight(cost.cost.self_), weight(total)])
}

/// The costs of a function in other metrics than that shown, if the recording has contexts.
fn other_metrics(snapshot: &Snapshot, function: FunctionId) -> Vec<[String; 3]> {
    let metrics = snapshot.grouped.recording.metrics();
    let costs = snapshot.tree.costs_by_metric(function).into_iter();
    let others = costs
        .filter(|(metric, cost)| *metric != snapshot.grouped.view.metric && cost.magnitude() > 0.0);
    others
        .filter_map(|(metric, cost)| {
            let metric = metrics.get(metric.index())?;
            let weight = |weight| units::absolute(weight, metric);
            let total = match cost.total {
                Total::Unknown => String::new(),
                total => units::total(total, weight),
            };
            Some([metric.name.clone(), weight(cost.self_), total])
        })
        .collect()
}

fn row(label: &str, cost: Cost, scale: Scale<'_>) -> [String; 3] {
    [
        label.to_owned(),
        scale.self_of(cost).map_or_else(String::new, |_| scale.own(cost, |it| scale.both(it))),
        scale.total(cost.total, |weight| scale.both(weight)),
    ]
}

/// The cost in the baseline and, if it is different, the change.
fn before_rows(now: Cost, before: Option<Before>, scale: Scale<'_>) -> Vec<[String; 3]> {
    let Some(baseline) = before else { return Vec::new() };
    let change = |part| {
        let (by, change) = scale.change(now, before, part)?;
        let noise = if change.is_noise() { " (within noise)" } else { "" };
        Some(scale.arrow(by, change)? + noise)
    };
    let mut rows =
        vec![row("before", baseline.cost, Scale { base: baseline.by.base_before(), ..scale })];
    let changes = [change(Part::Self_), change(Part::Total)];
    if changes.iter().any(Option::is_some) {
        let [own, total] = changes.map(|change| change.unwrap_or_else(|| "–".to_owned()));
        rows.push(["change".to_owned(), own, total]);
    }
    rows
}

/// How the costs of a line are spread over runs. `recorded` has its recorded lines (1-based); the
/// spread of several is unknown.
fn recorded_spread(
    snapshot: &Snapshot,
    file: FileId,
    recorded: &[u32],
    scale: Scale<'_>,
) -> Option<[String; 3]> {
    let [line] = recorded else { return None };
    spread_row(snapshot.run_costs().line(file, *line), scale)
}

/// The cost in the overlay.
fn overlay_row(Overlaid { cost, metric }: Overlaid<'_>) -> [String; 3] {
    let weight = |weight| units::absolute(weight, metric);
    [metric.name.clone(), weight(cost.self_), units::total(cost.total, weight)]
}

fn spread_row(spread: Option<Spread>, scale: Scale<'_>) -> Option<[String; 3]> {
    let Spread { self_, total } = spread?;
    let text = |deviation| scale.spread(deviation).trim_start().to_owned();
    Some(["spread over runs".to_owned(), text(Some(self_)), text(total)])
}

/// The name of a function, marked if it is inlined.
fn marked(snapshot: &Snapshot, function: FunctionId, inlined: bool) -> String {
    format!("{}{}", snapshot.function(function).name, if inlined { " (inl)" } else { "" })
}

fn entries(context: &Context, snapshot: &Snapshot, entries: &[PathEntry]) -> Vec<Listed> {
    let scale = context.scale(snapshot);
    let shown = entries.iter().take(MAX_LISTED).map(|entry| Listed {
        cost: recursive(
            entry.recursive,
            &units::total(entry.as_total(), |weight| scale.both(weight)),
        ),
        name: marked(snapshot, entry.function, entry.inlined),
        place: place(context, snapshot, entry.function),
    });
    shown.collect()
}

/// A cost, marked if the call is recursive.
fn recursive(is_recursive: bool, cost: &str) -> String {
    format!("{}{cost}", if is_recursive { "↻ " } else { "" })
}

/// Where the name of a function is defined: file and line (0-based).
fn place(context: &Context, snapshot: &Snapshot, function: FunctionId) -> Option<(Url, u32)> {
    let place = function_place(context, snapshot, function)?;
    Some((place.uri, place.selection.start.line0))
}

fn callees_of_lines(context: &Context, open: &OpenFile, lines: &[u32]) -> Vec<Listed> {
    let snapshot = &*open.snapshot;
    let scale = context.scale(snapshot);
    let callees = callees_on(open, lines).into_iter();
    let shown = callees.take(MAX_LISTED).map(|(total, edge)| Listed {
        cost: recursive(edge.recursive, &units::total(total, |weight| scale.both(weight))),
        name: marked(snapshot, edge.callee, edge.inlined),
        place: place(context, snapshot, edge.callee),
    });
    shown.collect()
}

/// The profile, its age, metric and threads, and what else is not default about the view.
fn profile(snapshot: &Snapshot) -> String {
    let name = snapshot.loaded.name();
    let age = units::age(snapshot.loaded.stamp.age());
    let Marks { metric, threads, parts, .. } = Marks::of(snapshot);
    let metric = metric.unwrap_or_else(|| snapshot.costs.metric.name.clone());
    let threads = threads.unwrap_or_else(|| "all threads".to_owned());
    let view: Vec<String> = [metric, threads].into_iter().chain(parts).collect();
    format!("{name}, written {age} ago · {}", view.join(" · "))
}

/// The labels that most of the samples of a line or function have, if other samples do not:
/// `92.0% is url=/search, 80.0% is size=large`.
fn labels_note(snapshot: &Snapshot, part: PartWithLabels) -> Option<String> {
    let whole = snapshot.labels(PartWithLabels::Whole, None).ok()?;
    let costs = if whole.is_empty() { Vec::new() } else { snapshot.labels(part, None).ok()? };
    let mut most: Vec<(f64, String)> = Vec::new();
    for of_key in costs.chunk_by(|a, b| a.key == b.key) {
        let total = of_key.iter().map(|cost| cost.total.abs()).sum::<f64>();
        let varies = whole.iter().filter(|cost| cost.key == of_key[0].key).count() > 1;
        let common = of_key.iter().filter(|cost| varies && cost.total.abs() * 2.0 >= total);
        most.extend(common.filter_map(|cost| {
            let text = cost.label.as_ref()?.to_string();
            Some((cost.total / total, format!("{} is {text}", units::percent(cost.total, total))))
        }));
    }
    most.sort_by(|a, b| b.0.total_cmp(&a.0));
    let listed: Vec<String> = most.into_iter().take(MAX_LABELS).map(|(_, text)| text).collect();
    (!listed.is_empty()).then(|| listed.join(", "))
}

/// What the profile is compared with, where it comes from, and whether it still exists.
fn notes(context: &Context, snapshot: &Snapshot) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(Compared { baseline, by }) = context.compared(snapshot) {
        let name = baseline.name_beside(snapshot);
        let age = units::age(baseline.snapshot.loaded.stamp.age());
        let totals = totals(by.total(), &snapshot.costs.metric);
        notes.push(format!("compared with {name}, written {age} ago: {totals}"));
    }
    notes.extend(snapshot.loaded.fleet.as_deref().map(fleet::text));
    if context.world.deleted {
        notes.push("the profile has been deleted".to_owned());
    }
    notes
}
