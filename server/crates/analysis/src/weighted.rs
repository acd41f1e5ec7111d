//! The stacks of a profile with their weights under a view, depth first.
//!
//! In this order a subtree is a range, so "is this function already on the path?" is one comparison
//! with the end of the subtree of its last outermost occurrence. So every sum is one sequential
//! pass without recursion.
//!
//! Sums do not depend on their order: fractional weights are rounded once, to a [`Grid`] on which
//! every sum is exact.

use crate::sums::Sums;
use crate::{IdleSamples, View};
use profile::{FrameId, Profile, StackAccess, StackId, Weights, exact_step};
use rustc_hash::FxHashMap;

/// The parent of a position without one.
pub(crate) const ROOT: u32 = u32::MAX;

/// The position of a stack that is left out.
const NOWHERE: u32 = u32::MAX;

/// Stacks with weight, callers before callees, each subtree contiguous. Parallel columns.
#[derive(Debug, Default)]
pub(crate) struct WeightedStacks {
    pub(crate) frame: Vec<FrameId>,
    /// Position of the caller, or [`ROOT`].
    pub(crate) parent: Vec<u32>,
    /// One past the last position of the subtree.
    pub(crate) end: Vec<u32>,
    /// Weight of the samples with this stack or a deeper one.
    pub(crate) total: Vec<f64>,
}

impl WeightedStacks {
    /// Lays out the stacks of `profile`. `own` has the weight of the samples with exactly each
    /// stack. Stacks without weight, their own or below, are left out.
    pub(crate) fn new(profile: &Profile, own: Vec<f64>) -> Self {
        Self::placed(profile, own).0
    }

    /// The stacks under a view, and for each position the weight of the samples with exactly that
    /// stack.
    pub(crate) fn with_own(profile: &Profile, view: &View) -> (Self, Vec<f64>) {
        let (own, _) = weigh(profile, view);
        let (this, position) = Self::placed(profile, own.clone());
        let mut own_at = vec![0.0; this.len()];
        for (own, position) in own.into_iter().zip(position).filter(|&(own, _)| own != 0.0) {
            own_at[position as usize] = own;
        }
        (this, own_at)
    }

    /// The stacks, and for each stack of the profile its position, or [`NOWHERE`].
    pub(crate) fn placed(profile: &Profile, own: Vec<f64>) -> (Self, Vec<u32>) {
        let stacks = profile.stacks();

        // The size and weight of each subtree. Parents come before their children in the table, so
        // one backward pass suffices.
        let (mut size, mut total) = (vec![0_u32; stacks.len()], own);
        for id in stacks.ids().rev() {
            let i = id.index();
            if total[i] != 0.0 || size[i] != 0 {
                size[i] += 1;
                if let Some(parent) = stacks.prefix(id) {
                    size[parent.index()] += size[i];
                    total[parent.index()] += total[i];
                }
            }
        }

        let n = stacks
            .ids()
            .filter(|&id| stacks.prefix(id).is_none())
            .map(|id| size[id.index()] as usize)
            .sum();
        // `next[i]` is the position for the next child of stack `i`. Once `i` itself is placed,
        // `size[i]` holds its position.
        let mut end = vec![0; n];
        let mut next = vec![0_u32; stacks.len()];
        let mut next_root = 0;
        for id in stacks.ids() {
            let i = id.index();
            if size[i] == 0 {
                size[i] = NOWHERE;
                continue;
            }
            let slot = match stacks.prefix(id) {
                None => &mut next_root,
                Some(prefix) => &mut next[prefix.index()],
            };
            let (position, after) = (*slot, *slot + size[i]);
            *slot = after;
            (size[i], next[i]) = (position, position + 1);
            end[position as usize] = after;
        }
        // Each column is as large as a part of the profile, so what is done is dropped before the
        // next one is made.
        drop(next);
        let position = size;
        let placed = || stacks.ids().zip(&position).filter(|(_, position)| **position != NOWHERE);
        let mut total_at = vec![0.0; n];
        for (id, &position) in placed() {
            total_at[position as usize] = total[id.index()];
        }
        drop(total);
        let (mut frame, mut parent) = (vec![FrameId::new(0); n], vec![ROOT; n]);
        for (id, &at) in placed() {
            frame[at as usize] = stacks.frame(id);
            parent[at as usize] = stacks.prefix(id).map_or(ROOT, |prefix| position[prefix.index()]);
        }
        (Self { frame, parent, end, total: total_at }, position)
    }

    pub(crate) fn len(&self) -> usize {
        self.frame.len()
    }
}

/// The multiples of a power of two. It is so small that rounding to it does not change any weight
/// noticeably, and so large that no sum of a view's weights needs more than the 53 bits of an
/// `f64`. So sums are exact in any order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid(Option<f64>);

impl Grid {
    /// For the weights of `view`. Whole numbers with a sum below 2^51 are not rounded.
    pub(crate) fn of(profile: &Profile, view: &View) -> Self {
        let (mut sum, mut fractional) = (0.0, false);
        for (_, samples) in
            profile.samples().iter().enumerate().filter(|&(thread, _)| view.includes(thread))
        {
            match samples.weights().get(view.metric.index()) {
                None => {}
                Some(Weights::Ones) => sum += samples.len() as f64,
                Some(Weights::Counts(counts)) => {
                    sum += counts.iter().map(|&count| f64::from(count)).sum::<f64>();
                }
                Some(Weights::Each(weights)) => {
                    sum += weights.iter().map(|weight| weight.abs()).sum::<f64>();
                    fractional |= weights.iter().any(|weight| weight.fract() != 0.0);
                }
            }
        }
        let step = exact_step(sum);
        Self((fractional || step > 1.0).then_some(step))
    }

    pub(crate) fn round(self, weight: f64) -> f64 {
        self.0.map_or(weight, |step| (weight / step).round() * step)
    }
}

/// Whether samples with this stack are in the total of a view.
pub(crate) fn is_counted(profile: &Profile, view: &View, stack: Option<StackId>) -> bool {
    let is_idle = |stack| view.idle == IdleSamples::Excluded && profile.stacks().is_idle(stack);
    stack.is_some_and(|stack| !is_idle(stack))
}

/// The weight of the samples with exactly each stack, without idle ones, and all other sums.
pub(crate) fn weigh(profile: &Profile, view: &View) -> (Vec<f64>, Sums) {
    let stacks = profile.stacks();
    let grid = Grid::of(profile, view);
    let mut own = vec![0.0; stacks.len()];
    let mut idle: FxHashMap<StackId, f64> = FxHashMap::default();
    let mut sums = Sums::default();
    for (thread, samples) in profile.samples().iter().enumerate() {
        if !view.includes(thread) {
            sums.threads.push(None);
            continue;
        }
        let mut thread_total = 0.0;
        let mut n_samples = 0;
        let mut add = |stack: Option<StackId>, weight: f64| match stack {
            None => sums.no_stack += weight,
            Some(stack) if view.idle == IdleSamples::Excluded && stacks.is_idle(stack) => {
                *idle.entry(stack).or_default() += weight;
                sums.idle += weight;
            }
            Some(stack) => {
                own[stack.index()] += weight;
                thread_total += weight;
                // A sample of another event has no weight.
                n_samples += u64::from(weight != 0.0);
            }
        };
        match samples.weights().get(view.metric.index()) {
            None => {}
            Some(Weights::Ones) => samples.stacks().for_each(|stack| add(stack, 1.0)),
            Some(Weights::Each(weights)) => {
                samples
                    .stacks()
                    .zip(weights)
                    .for_each(|(stack, &weight)| add(stack, grid.round(weight)));
            }
            Some(Weights::Counts(counts)) => {
                samples
                    .stacks()
                    .zip(counts)
                    .for_each(|(stack, &count)| add(stack, f64::from(count)));
            }
        }
        sums.total += thread_total;
        sums.threads.push(Some((thread_total, n_samples)));
    }
    sums.base = sums.total;
    sums.idle_leaves =
        idle.into_iter().map(|(stack, weight)| (stacks.frame(stack), weight)).collect();
    (own, sums)
}
