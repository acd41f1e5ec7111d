//! Caller → callee edges and their call sites.

use crate::activations::Activations;
use crate::frames::Frames;
use crate::group::group;
use crate::weighted::{ROOT, WeightedStacks};
use profile::{FileId, FunctionId, Total};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Costs of the calls from one function to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// The calling function.
    pub caller: FunctionId,
    /// The called function.
    pub callee: FunctionId,
    /// Weight of the samples in which the caller calls the callee at least once. A part of a
    /// function with a frame of its own, directly below the function, is not a call.
    pub total: f64,
    /// Whether `total` is an estimate, and rather too high: the edge of a call graph whose calls
    /// may be nested in each other.
    pub estimated: bool,
    /// The number of calls, if the recording counts calls.
    pub calls: Option<u64>,
    /// Whether the callee was inlined at all call sites.
    pub inlined: bool,
    /// Whether all calls are within a recursion, as far as the recording has contexts. Calls from a
    /// function to itself always are.
    pub recursive: bool,
    pub(crate) sites: Range<u32>,
}

impl Edge {
    /// The total, marked as exact or estimated.
    pub fn as_total(&self) -> Total {
        if self.estimated { Total::Estimated(self.total) } else { Total::Exact(self.total) }
    }
}

/// A call site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Site {
    /// The caller's file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Weight of the samples that pass this line on the way to the callee.
    pub total: f64,
}

/// All edges by caller and callee, each with its call sites, costliest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edges {
    pub(crate) edges: Vec<Edge>,
    pub(crate) sites: Vec<Site>,
}

impl Edges {
    /// Appends an edge with its call sites.
    pub(crate) fn push(
        &mut self,
        mut edge: Edge,
        sites: impl IntoIterator<Item = ((FileId, u32), f64)>,
    ) {
        let first = self.sites.len();
        self.sites.extend(sites.into_iter().map(|((file, line), total)| Site {
            file,
            line,
            total,
        }));
        self.sites[first..].sort_by(|a, b| b.total.total_cmp(&a.total));
        edge.sites = first as u32..self.sites.len() as u32;
        self.edges.push(edge);
    }
}

/// Accumulates an edge or a call site.
#[derive(Clone, Copy, Default)]
struct Sum {
    covered_until: u32,
    /// Whether any callee is a call, not inlined code.
    is_call: bool,
    total: f64,
}

impl Sum {
    /// Adds the subtree at position `k` unless an outer occurrence already covers it.
    fn add(&mut self, k: usize, stacks: &WeightedStacks) {
        if k as u32 >= self.covered_until {
            self.covered_until = stacks.end[k];
            self.total += stacks.total[k];
        }
    }
}

impl Edges {
    /// All edges. They are most of the work of [`crate::costs`], so two threads take half of the
    /// callers each.
    pub(crate) fn of(stacks: &WeightedStacks, frames: &Frames, activations: &Activations) -> Self {
        let n_functions =
            frames.places.iter().map(|(function, _)| function.raw() + 1).max().unwrap_or(0);
        let middle = FunctionId::new(middle(stacks, frames, n_functions));
        std::thread::scope(|scope| {
            let (lower, upper) = (FunctionId::new(0)..middle, middle..FunctionId::new(n_functions));
            let second = scope.spawn(|| Self::out_of(upper, stacks, frames, activations));
            let first = Self::out_of(lower, stacks, frames, activations);
            first
                .followed_by(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// The edges out of some functions.
    fn out_of(
        callers: Range<FunctionId>,
        stacks: &WeightedStacks,
        frames: &Frames,
        activations: &Activations,
    ) -> Self {
        // A place is a caller and a line as one dense number, so that one lookup per position finds
        // both the call site and the edge.
        let mut site_ids: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
        site_ids.reserve(stacks.len() / 16);
        let mut edge_ids: FxHashMap<u64, u32> = FxHashMap::default();
        let mut sites: Vec<(u32, u32, Sum)> = Vec::new();
        let mut edges: Vec<(u64, Sum)> = Vec::new();
        for k in 0..stacks.len() {
            let parent = stacks.parent[k];
            if parent == ROOT || activations.joins(k) {
                continue;
            }
            let place = frames.place(stacks.frame[parent as usize]);
            let (caller, line) = frames.places[place as usize];
            if !callers.contains(&caller) {
                continue;
            }
            let callee = frames.function(stacks.frame[k]);
            let (site, edge) = *site_ids.entry(pair(place, callee)).or_insert_with(|| {
                let key = pair(caller.raw(), callee);
                let edge = *edge_ids.entry(key).or_insert_with(|| {
                    edges.push((key, Sum::default()));
                    edges.len() as u32 - 1
                });
                sites.push((edge, line, Sum::default()));
                (sites.len() as u32 - 1, edge)
            });
            sites[site as usize].2.add(k, stacks);
            let edge = &mut edges[edge as usize].1;
            edge.add(k, stacks);
            edge.is_call |= !frames.is_inlined(stacks.frame[k]);
        }
        drop((site_ids, edge_ids));
        Self::sorted(&edges, &sites, frames)
    }

    /// Lays edges out by caller and callee, with their call sites costliest first.
    fn sorted(edges: &[(u64, Sum)], sites: &[(u32, u32, Sum)], frames: &Frames) -> Self {
        let (starts, sites_of) = group(edges.len(), sites.iter().map(|&(edge, ..)| edge as usize));
        let mut order: Vec<(u64, u32)> =
            edges.iter().zip(0..).map(|(&(key, _), edge)| (key, edge)).collect();
        order.sort_unstable();
        let mut sorted =
            Self { edges: Vec::with_capacity(edges.len()), sites: Vec::with_capacity(sites.len()) };
        for (key, edge) in order {
            let first = sorted.sites.len();
            let own = &sites_of[starts[edge as usize] as usize..starts[edge as usize + 1] as usize];
            sorted.sites.extend(own.iter().filter_map(|&site| {
                let (_, line, Sum { total, .. }) = sites[site as usize];
                let &(file, line) = frames.lines.get(line as usize).filter(|_| total != 0.0)?;
                Some(Site { file, line, total })
            }));
            sorted.sites[first..].sort_unstable_by(|a, b| {
                b.total
                    .abs()
                    .total_cmp(&a.total.abs())
                    .then_with(|| (a.file, a.line).cmp(&(b.file, b.line)))
            });
            sorted.edges.push(Edge {
                caller: FunctionId::new((key >> 32) as u32),
                callee: FunctionId::new(key as u32),
                total: edges[edge as usize].1.total,
                estimated: false,
                calls: None,
                inlined: !edges[edge as usize].1.is_call,
                recursive: key >> 32 == key & u64::from(u32::MAX),
                sites: first as u32..sorted.sites.len() as u32,
            });
        }
        sorted
    }

    /// Appends the edges of later callers.
    fn followed_by(mut self, later: Self) -> Self {
        let offset = self.sites.len() as u32;
        self.sites.extend(later.sites);
        self.edges.extend(later.edges.into_iter().map(|edge| {
            let sites = edge.sites.start + offset..edge.sites.end + offset;
            Edge { sites, ..edge }
        }));
        self
    }
}

/// The function that divides the callers into halves with about the same number of calls.
fn middle(stacks: &WeightedStacks, frames: &Frames, n_functions: u32) -> u32 {
    let mut calls = vec![0_usize; n_functions as usize];
    for &parent in stacks.parent.iter().filter(|&&parent| parent != ROOT) {
        calls[frames.function(stacks.frame[parent as usize]).index()] += 1;
    }
    let mut half = calls.iter().sum::<usize>() / 2;
    let middle = calls.iter().position(|&n| {
        let reached = n > half;
        half = half.saturating_sub(n);
        reached
    });
    middle.unwrap_or(0) as u32
}

/// A pair of numbers as one key that sorts like the pair.
fn pair(a: u32, b: FunctionId) -> u64 {
    u64::from(a) << 32 | u64::from(b.raw())
}
