//! Costs of sampled stacks: functions, lines and places, each summed in one pass.

use crate::View;
use crate::call_nodes::CallNodes;
use crate::calls::CallCounts;
use crate::costs::{Costs, LineCost, PlaceCost, sorted};
use crate::frames::{Frames, NO_LINE};
use crate::function_costs::FunctionCosts;
use crate::sums::Sums;
use crate::weighted::{WeightedStacks, weigh};
use profile::{Cost, FrameId, Groups, LineKnowledge, Metric, Profile, StackAccess, Total, both};

pub(crate) fn costs(profile: &Profile, view: &View, groups: &Groups) -> Costs {
    let metric = profile
        .metrics()
        .get(view.metric.index())
        .cloned()
        .unwrap_or_else(|| Metric::new("samples", "samples", None));
    let ((own, mut sums), frames) = both(|| weigh(profile, view), || Frames::new(profile, groups));
    let self_costs = SelfCosts::new(profile, &frames, groups.n_functions(), &own);
    if own.iter().any(|&own| own < 0.0) {
        sums.base = CallNodes::new(profile, view, groups).absolute_self();
    }
    let stacks = WeightedStacks::new(profile, own);

    // Both read the same data.
    let ((lines, places), mut functions) = both(
        || {
            (
                line_costs(&stacks, &frames, &metric, self_costs.lines),
                place_costs(&stacks, &frames, &metric, self_costs.places),
            )
        },
        || function_costs(&stacks, &frames, &sums, self_costs.functions),
    );
    if let Some(counts) = CallCounts::of(profile, view, groups, &frames) {
        functions.set_calls(counts.functions);
    }
    let mut listed = vec![false; groups.n_functions()];
    for &frame in &stacks.frame {
        listed[frames.function(frame).index()] = true;
    }
    let own_file = |function| groups.file_of(profile.symbols(), function);
    Costs::new(metric, &sums, functions, lines, places, listed, own_file)
}

/// Self cost by place, function and line. No places if no lines are known.
struct SelfCosts {
    places: Vec<f64>,
    functions: Vec<f64>,
    lines: Vec<f64>,
}

impl SelfCosts {
    /// `own` has the weight of the samples with exactly each stack.
    fn new(profile: &Profile, frames: &Frames, n_functions: usize, own: &[f64]) -> Self {
        let stacks = profile.stacks();
        let mut costs = Self {
            places: vec![0.0; frames.places.len()],
            functions: vec![0.0; n_functions],
            lines: vec![0.0; frames.lines.len()],
        };
        // Self cost does not depend on callers: sum it per place, then per function and per line.
        for (stack, &own) in stacks.ids().zip(own).filter(|&(_, &own)| own != 0.0) {
            costs.places[frames.place(stacks.frame(stack)) as usize] += own;
        }
        for (&(function, line), &own) in frames.places.iter().zip(&costs.places) {
            costs.functions[function.index()] += own;
            if line != NO_LINE {
                costs.lines[line as usize] += own;
            }
        }
        if frames.lines.is_empty() {
            costs.places = Vec::new();
        }
        costs
    }
}

fn function_costs(
    stacks: &WeightedStacks,
    frames: &Frames,
    sums: &Sums,
    own: Vec<f64>,
) -> FunctionCosts {
    let totals = totals(stacks, own.len(), |frame| frames.function(frame).index());
    let mut functions = FunctionCosts::exact(own, totals);
    for &(frame, weight) in &sums.idle_leaves {
        functions.add_idle(frames.function(frame), weight);
    }
    functions
}

fn line_costs(
    stacks: &WeightedStacks,
    frames: &Frames,
    metric: &Metric,
    own: Vec<f64>,
) -> Vec<LineCost> {
    let costs = with_totals(own, stacks, |frame| frames.line(frame) as usize);
    frames
        .lines
        .iter()
        .zip(costs)
        .map(|(&(file, line), cost)| LineCost { file, line, cost: as_recorded(cost, metric) })
        .filter(|line| line.cost.magnitude() > 0.0)
        .collect()
}

fn place_costs(
    stacks: &WeightedStacks,
    frames: &Frames,
    metric: &Metric,
    own: Vec<f64>,
) -> Vec<PlaceCost> {
    if frames.lines.is_empty() {
        return Vec::new();
    }
    let costs = with_totals(own, stacks, |frame| frames.place(frame) as usize);
    let mut inlined = vec![true; frames.places.len()];
    for &frame in stacks.frame.iter().filter(|&&frame| !frames.is_inlined(frame)) {
        inlined[frames.place(frame) as usize] = false;
    }
    let places = frames.places.iter().zip(costs).zip(inlined).filter_map(
        |((&(function, line), cost), inlined)| {
            let &(file, line) = frames.lines.get(line as usize)?;
            Some(PlaceCost { function, file, line, cost: as_recorded(cost, metric), inlined })
        },
    );
    sorted(places.filter(|place| place.cost.magnitude() > 0.0).collect())
}

/// A line cost as far as the format records it: without calling lines there are no line totals.
fn as_recorded(cost: Cost, metric: &Metric) -> Cost {
    match metric.lines {
        LineKnowledge::SelfAndTotal | LineKnowledge::Calls | LineKnowledge::TotalOnly => cost,
        LineKnowledge::SelfOnly | LineKnowledge::SelfEstimated | LineKnowledge::Nothing => {
            Cost { total: Total::Unknown, ..cost }
        }
    }
}

/// Self costs with their totals by key; see [`totals`].
fn with_totals(
    own: Vec<f64>,
    stacks: &WeightedStacks,
    key: impl Fn(FrameId) -> usize,
) -> impl Iterator<Item = Cost> {
    let totals = totals(stacks, own.len(), key);
    own.into_iter().zip(totals).map(|(self_, total)| Cost { self_, total: Total::Exact(total) })
}

/// The totals of `n` keys. `key` returns the key of a frame; a key beyond `n` is not summed.
///
/// A position adds its subtree to its key only if it is not in the subtree of another position with
/// that key: the outermost occurrence covers whatever recursion repeats below it.
fn totals(stacks: &WeightedStacks, n: usize, key: impl Fn(FrameId) -> usize) -> Vec<f64> {
    let (mut covered_until, mut totals) = (vec![0_u32; n], vec![0.0; n]);
    for k in 0..stacks.len() {
        let key = key(stacks.frame[k]);
        let Some(covered_until) = covered_until.get_mut(key) else { continue };
        if k as u32 >= *covered_until {
            *covered_until = stacks.end[k];
            totals[key] += stacks.total[k];
        }
    }
    totals
}
