//! What selected lines of a document cost: all together, each one, who calls them, and what they call.

use super::ask::{Ask, Takes};
use super::calls::{callees_on, most};
use crate::items::fields::{CostFields, PlaceFields};
use crate::items::{Item, root_item};
use crate::keys::weight::Weight;
use crate::present::names::NameParts;
use crate::session::marks::Marks;
use crate::world::context::{Context, OpenFile};
use analysis::{Cost, Edge, FunctionId, LineCost, PathEntry, Total};
use loading::{Show, Snapshot, units};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

/// The selected lines.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "SelectionArgument")]
pub struct Question {
    /// The document.
    pub uri: Url,
    /// The first line, 0-based.
    pub first_line0: u32,
    /// The last line, 0-based.
    pub last_line0: u32,
}

/// What the selected lines cost. A sample on several of them counts once.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Selection {
    /// The metric of all costs.
    pub metric: String,
    /// Its unit.
    pub unit: String,
    /// What is not default about the view, as short labels.
    pub marks: Vec<String>,
    /// The lines and their cost: `lines 3 to 9: self 1.0% (1 sample) · total 12.3% (12 samples)`.
    /// With a leading `~` if the lines may have moved since the recording.
    pub text: String,
    /// The self cost.
    #[serde(rename = "self")]
    pub self_: Weight,
    /// The total. Null if it is not exact.
    pub total: Option<Weight>,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// The lines with a cost, hottest first.
    pub lines: Vec<SelectedLine>,
    /// The callers of the functions on these lines, hottest first, recursive ones last. Direct
    /// recursion is collapsed. Null if the recording is a call graph, in which they are unknown.
    pub callers: Option<Vec<SelectionCall>>,
    /// What these lines call, hottest first, recursive calls last. Empty if the profile does not have
    /// the lines of calls.
    pub callees: Vec<SelectionCall>,
}

/// One of the selected lines.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectedLine {
    /// The line, 0-based.
    pub line0: u32,
    /// Its cost, and its share of the selection's cost: `12.3% · self 4.0% · 60.0% of the
    /// selection`.
    pub text: String,
    /// The self cost.
    #[serde(rename = "self")]
    pub self_: Weight,
    /// The total. Null if it is not exact.
    pub total: Option<Weight>,
    /// The total as a share of the selection's total, from 0 to 1; the same for self costs where
    /// totals are unknown. Null if it is unknown.
    pub share_of_selection: Option<f64>,
    /// The same for display: `60.0%`.
    pub share_of_selection_text: Option<String>,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
}

/// A caller or callee of the selected lines.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SelectionCall {
    /// The function's name.
    pub name: String,
    /// The name in parts.
    #[serde(flatten)]
    pub parts: NameParts,
    /// The cost of the calls: those that lead to the selection, or those on its lines: `33.3% (2
    /// samples)`.
    pub text: String,
    /// The weight of these calls, or the most that it may be.
    pub total: Weight,
    /// Whether it is a recursive call. Its cost is then not part of the sum.
    pub recursive: bool,
    /// Of a caller the line of the hottest call, or else of the function's definition. Of a callee
    /// its definition.
    #[serde(flatten)]
    pub place: PlaceFields,
    /// The cost for display.
    #[serde(flatten)]
    pub fields: CostFields,
    /// The function's item, to request callers and callees with.
    pub item: Option<Item>,
}

impl Ask for Question {
    const NAME: &'static str = "selection";
    const DESCRIPTION: &'static str = "Return the cost of selected lines of an open document, \
                                       together (a sample on several of them counts once) and of \
                                       each line, the callers of the functions on them, and what \
                                       the lines call. Null if none of the lines has a cost.";
    const TAKES: Takes = Takes::Object;
    type Answer = Option<Selection>;

    fn answer(self, context: &Context) -> Result<Self::Answer, String> {
        Ok(selection(context, &self))
    }
}

/// What lines cost. `None` if none of them has a cost.
pub fn selection(context: &Context, question: &Question) -> Option<Selection> {
    let open = context.open_file(&question.uri)?;
    let (snapshot, file) = (&*open.snapshot, open.lines());
    let end = question.last_line0.saturating_add(1);
    let mut lines = file.costs(question.first_line0..end);
    let mut recorded: Vec<u32> =
        lines.iter().flat_map(|&(line0, _)| file.all_recorded(line0)).collect();
    recorded.sort_unstable();
    recorded.dedup();
    let sets = [recorded];
    let cost = *snapshot.tree.costs_of_sets(&snapshot.costs, open.file, &sets).first()?;
    let [recorded] = sets;
    if lines.is_empty() {
        return None;
    }
    lines.sort_by(|(_, a), (_, b)| b.cost.magnitude().abs().total_cmp(&a.cost.magnitude().abs()));
    let is_doubtful = lines.iter().any(|&(line0, _)| file.is_doubtful(line0));
    let mark = if is_doubtful { "~" } else { "" };
    let scale = context.scale(snapshot);
    // The bounds on the total of several lines come from more than recursion.
    let scale = if lines.len() == 1 { scale.of_lines() } else { scale };
    let name = if question.first_line0 == question.last_line0 {
        format!("line {}", question.first_line0 + 1)
    } else {
        format!("lines {} to {}", question.first_line0 + 1, end)
    };
    let callers = snapshot.tree.has_stacks().then(|| {
        let step = snapshot.tree.callers_of_lines(open.file, &recorded);
        step.entries.iter().map(|entry| caller(context, &open, entry)).collect()
    });
    let callees = callees_on(&open, &recorded).into_iter();
    Some(Selection {
        metric: snapshot.costs.metric.name.clone(),
        unit: snapshot.costs.metric.unit.clone(),
        marks: Marks::of_world(&context.world).all(),
        text: format!("{mark}{name}: {}", scale.lens(cost, None)),
        self_: Weight(cost.self_),
        total: cost.total.exact().map(Weight),
        fields: CostFields::new(scale, Some(cost.self_), cost.total, None),
        lines: lines.into_iter().map(|line| selected_line(context, &open, cost, line)).collect(),
        callers,
        callees: callees.map(|(total, edge)| callee(context, &open, total, edge)).collect(),
    })
}

fn selected_line(
    context: &Context,
    open: &OpenFile,
    whole: Cost,
    (line0, LineCost { file, line, cost }): (u32, LineCost),
) -> SelectedLine {
    let scale = context.scale(&open.snapshot).of_line(&open.snapshot, file, line);
    let before = open.line_before(line0);
    let of_whole = match (cost.total, whole.total) {
        (Total::Exact(part), Total::Exact(whole)) => Some((part, whole)),
        (Total::Unknown, Total::Unknown) => Some((cost.self_, whole.self_)),
        _ => None,
    };
    let of_whole = of_whole.filter(|&(_, whole)| whole != 0.0);
    let share = of_whole.map(|(part, whole)| units::percent(part, whole));
    let part = share.as_ref().map(|share| format!(" · {share} of the selection"));
    SelectedLine {
        line0,
        text: scale.hint(cost, Show::Both, before) + &part.unwrap_or_default(),
        self_: Weight(cost.self_),
        total: cost.total.exact().map(Weight),
        share_of_selection: of_whole.map(|(part, whole)| part / whole),
        share_of_selection_text: share,
        fields: CostFields::new(scale, Some(cost.self_), cost.total, before),
    }
}

fn caller(context: &Context, open: &OpenFile, entry: &PathEntry) -> SelectionCall {
    let snapshot = &*open.snapshot;
    let place = match entry.sites.first() {
        Some(site) => PlaceFields::of_line(context, snapshot, site.file, site.line),
        None => PlaceFields::of_function(context, snapshot, entry.function),
    };
    call(context, snapshot, entry.function, entry.as_total(), entry.recursive, place)
}

fn callee(context: &Context, open: &OpenFile, total: Total, edge: &Edge) -> SelectionCall {
    let snapshot = &*open.snapshot;
    let place = PlaceFields::of_function(context, snapshot, edge.callee);
    call(context, snapshot, edge.callee, total, edge.recursive, place)
}

fn call(
    context: &Context,
    snapshot: &Snapshot,
    function: FunctionId,
    total: Total,
    recursive: bool,
    place: PlaceFields,
) -> SelectionCall {
    let scale = context.scale(snapshot);
    let name = snapshot.function(function).name;
    SelectionCall {
        name: name.to_owned(),
        parts: NameParts::of(name),
        text: units::total(total, |weight| scale.both(weight)),
        total: Weight(most(total)),
        recursive,
        place,
        fields: CostFields::new(scale, None, total, None),
        item: root_item(context, snapshot, function),
    }
}
