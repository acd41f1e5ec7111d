//! Caller → callee edges and their call sites.

use crate::frames::{Frames, NO_LINE};
use crate::weighted::{ROOT, WeightedStacks};
use profile::{FileId, FunctionId};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What calls from one function to another cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Who calls.
    pub caller: FunctionId,
    /// Who is called.
    pub callee: FunctionId,
    /// Weight of the samples in which the one calls the other at least once.
    pub total: f64,
    /// How often, where the recording counted calls.
    pub calls: Option<u64>,
    pub(crate) sites: Range<u32>,
}

/// A line that calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Site {
    /// The caller's file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Weight of the samples that pass this line on the way to the callee.
    pub total: f64,
}

/// All edges by caller and callee, with their sites, costliest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edges {
    pub(crate) edges: Vec<Edge>,
    pub(crate) sites: Vec<Site>,
}

/// Calls from one line (or from no known line) of one function to another: the finest thing that is summed.
#[derive(Clone, Copy)]
struct Sum {
    covered_until: u32,
    total: f64,
}

const NEW: Sum = Sum { covered_until: 0, total: 0.0 };

impl Edges {
    pub(crate) fn of(stacks: &WeightedStacks, frames: &Frames) -> Self {
        let mut site_ids: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
        let mut edge_ids: FxHashMap<u64, u32> = FxHashMap::default();
        let mut site_sums: Vec<(u32, u32, Sum)> = Vec::new();
        let mut edge_sums: Vec<(FunctionId, FunctionId, Sum)> = Vec::new();
        for k in 0..stacks.len() {
            let parent = stacks.parent[k];
            if parent == ROOT {
                continue;
            }
            let callee = frames.function(stacks.frame[k]);
            // Caller and line are one dense number, so that one lookup finds site and edge.
            let caller_line = frames.place(stacks.frame[parent as usize]);
            let key = u64::from(caller_line) << 32 | u64::from(callee.raw());
            let (site, edge) = *site_ids.entry(key).or_insert_with(|| {
                let (caller, line) = frames.places[caller_line as usize];
                let key = u64::from(caller.raw()) << 32 | u64::from(callee.raw());
                let edge = *edge_ids.entry(key).or_insert_with(|| {
                    edge_sums.push((caller, callee, NEW));
                    edge_sums.len() as u32 - 1
                });
                site_sums.push((edge, line, NEW));
                (site_sums.len() as u32 - 1, edge)
            });
            for sum in [&mut site_sums[site as usize].2, &mut edge_sums[edge as usize].2] {
                if k as u32 >= sum.covered_until {
                    sum.covered_until = stacks.end[k];
                    sum.total += stacks.total[k];
                }
            }
        }
        drop((site_ids, edge_ids));
        Self::sorted(&edge_sums, site_sums, frames)
    }

    fn sorted(edge_sums: &[(FunctionId, FunctionId, Sum)], site_sums: Vec<(u32, u32, Sum)>, frames: &Frames) -> Self {
        let mut order: Vec<u32> = (0..edge_sums.len() as u32).collect();
        order.sort_unstable_by_key(|&edge| (edge_sums[edge as usize].0, edge_sums[edge as usize].1));
        let mut rank = vec![0_u32; order.len()];
        for (&edge, r) in order.iter().zip(0..) {
            rank[edge as usize] = r;
        }
        let mut sites: Vec<(u32, Site)> = site_sums
            .into_iter()
            .filter(|&(_, line, sum)| line != NO_LINE && sum.total != 0.0)
            .map(|(edge, line, sum)| {
                let (file, line) = frames.lines[line as usize];
                (rank[edge as usize], Site { file, line, total: sum.total })
            })
            .collect();
        sites.sort_unstable_by(|(edge, a), (other, b)| {
            edge.cmp(other)
                .then_with(|| b.total.abs().total_cmp(&a.total.abs()))
                .then_with(|| (a.file, a.line).cmp(&(b.file, b.line)))
        });
        let mut next = 0;
        let edges = order.iter().zip(0..).map(|(&edge, r)| {
            let (caller, callee, sum) = edge_sums[edge as usize];
            let first = next;
            while sites.get(next as usize).is_some_and(|&(edge, _)| edge == r) {
                next += 1;
            }
            Edge { caller, callee, total: sum.total, calls: None, sites: first..next }
        });
        let edges = edges.collect();
        Self { edges, sites: sites.into_iter().map(|(_, site)| site).collect() }
    }
}
