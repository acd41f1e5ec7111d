//! What own code costs together with the libraries that it calls.
//!
//! With stacks, each sample goes to the innermost frame of own code, as in a view of own code
//! ([`View::own`](crate::View::own)). Samples without own code go nowhere. A call graph does not record
//! which calls a library makes for whom: of each call of a library function the same part is charged, that
//! which is not own code in the function's total.

use crate::View;
use crate::costs::Costs;
use crate::edges::Edges;
use crate::frames::Frames;
use crate::weighted::weigh;
use profile::{Cost, FileId, FunctionId, Groups, Profile, StackAccess};
use rustc_hash::{FxHashMap, FxHashSet};

/// How often shares are computed again, at most. Cycles of libraries are rare and short.
const ROUNDS: usize = 32;

/// What own functions and their lines cost: their self cost, and that of the libraries that they call, down
/// to the next own function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Charges {
    /// Of each own function, and no other.
    pub functions: FxHashMap<FunctionId, f64>,
    /// Of the lines (1-based) of own functions.
    pub lines: FxHashMap<(FileId, u32), f64>,
}

impl Charges {
    fn none(own: &FxHashSet<FunctionId>) -> Self {
        Self { functions: own.iter().map(|&own| (own, 0.0)).collect(), ..Self::default() }
    }

    /// Adds to a function, if it is own code, and to its line.
    fn add(&mut self, function: FunctionId, line: Option<(FileId, u32)>, weight: f64) {
        let Some(sum) = self.functions.get_mut(&function) else { return };
        *sum += weight;
        if let Some(line) = line {
            *self.lines.entry(line).or_default() += weight;
        }
    }

    /// Those of stacks.
    pub(crate) fn of_stacks(
        profile: &Profile,
        view: &View,
        groups: &Groups,
        own: &FxHashSet<FunctionId>,
    ) -> Self {
        /// Stands for no place.
        const NOWHERE: u32 = u32::MAX;
        let (stacks, frames) = (profile.stacks(), Frames::new(profile, groups));
        let is_own: Vec<bool> =
            frames.places.iter().map(|(function, _)| own.contains(function)).collect();
        let (weights, _) = weigh(profile, view);
        let mut by_place = vec![0.0; frames.places.len()];
        // The place of the innermost frame of own code. Callers come before callees.
        let mut charged: Vec<u32> = Vec::with_capacity(stacks.len());
        for (stack, weight) in stacks.ids().zip(weights) {
            let here = frames.place(stacks.frame(stack));
            let above = || stacks.prefix(stack).map_or(NOWHERE, |caller| charged[caller.index()]);
            let place = if is_own[here as usize] { here } else { above() };
            charged.push(place);
            if let Some(sum) = by_place.get_mut(place as usize) {
                *sum += weight;
            }
        }
        let mut charges = Self::none(own);
        for (&(function, line), weight) in frames.places.iter().zip(by_place) {
            if weight != 0.0 {
                charges.add(function, frames.lines.get(line as usize).copied(), weight);
            }
        }
        charges
    }

    /// Those of a call graph, all of which are estimates.
    pub(crate) fn of_graph(costs: &Costs, edges: &Edges, own: &FxHashSet<FunctionId>) -> Self {
        let not_own = not_own(costs, edges, own);
        let mut charges = Self::none(own);
        for (&function, charge) in &mut charges.functions {
            let cost = costs.function(function).cost;
            *charge = (cost.self_ + of_callees(edges, function, &not_own)).min(cost.magnitude());
        }
        for place in costs.places().iter().filter(|place| own.contains(&place.function)) {
            *charges.lines.entry((place.file, place.line)).or_default() += place.cost.self_;
        }
        let calls = own.iter().flat_map(|&caller| edges.callees(caller));
        for (call, part) in calls.filter_map(|call| Some((call, not_own.get(&call.callee)?))) {
            for site in edges.sites(call) {
                *charges.lines.entry((site.file, site.line)).or_default() += site.total * part;
            }
        }
        charges
    }
}

/// The part of each library function's total that is not own code, 0 to 1.
fn not_own(
    costs: &Costs,
    edges: &Edges,
    own: &FxHashSet<FunctionId>,
) -> FxHashMap<FunctionId, f64> {
    let mut libraries: Vec<(FunctionId, Cost)> = costs
        .functions()
        .map(|(function, cost)| (function, cost.cost))
        .filter(|(function, cost)| !own.contains(function) && cost.magnitude() > 0.0)
        .collect();
    // Most callees come before their callers.
    libraries.sort_by(|(_, a), (_, b)| a.magnitude().total_cmp(&b.magnitude()));
    let mut parts: FxHashMap<FunctionId, f64> = FxHashMap::default();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for &(function, cost) in &libraries {
            let weight = cost.self_ + of_callees(edges, function, &parts);
            let part = (weight / cost.magnitude()).min(1.0);
            let was = parts.insert(function, part).unwrap_or(0.0);
            changed |= (part - was).abs() > 1e-6;
        }
        if !changed {
            break;
        }
    }
    parts
}

/// What the libraries that a function calls cost, without own code that they call. A call of the function
/// by itself is in its cost already.
fn of_callees(edges: &Edges, function: FunctionId, parts: &FxHashMap<FunctionId, f64>) -> f64 {
    let callees = edges.callees(function).iter().filter(|call| call.callee != function);
    callees.map(|call| call.total * parts.get(&call.callee).unwrap_or(&0.0)).sum()
}
