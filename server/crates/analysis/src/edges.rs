//! Caller → callee edges and their call sites.
//!
//! Computing them is as much work as computing all other costs together, and many queries need no
//! edges, so they are computed on first use ([`CallTree::edges`](crate::CallTree::edges)). Those of
//! call graphs are in [`crate::graph_edges`].

use crate::View;
use crate::activations::Activations;
use crate::calls::CallCounts;
use crate::frames::Frames;
use crate::group::group;
use crate::weighted::{ROOT, WeightedStacks, weigh};
use hashbrown::HashTable;
use profile::{FileId, FunctionId, Groups, Profile, Total, both};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
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
#[expect(clippy::struct_field_names, reason = "the edges are the main part of it")]
pub struct Edges {
    edges: Vec<Edge>,
    sites: Vec<Site>,
    /// Indexes of edges by callee: those of function `f` are from `by_callee_start[f]` to
    /// `by_callee_start[f + 1]`. Empty if there are no edges.
    by_callee: Vec<u32>,
    by_callee_start: Vec<u32>,
}

impl Edges {
    /// All edges, by caller and callee.
    pub fn all(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges out of a function.
    pub fn callees(&self, caller: FunctionId) -> &[Edge] {
        let from = self.edges.partition_point(|edge| edge.caller < caller);
        let to = self.edges.partition_point(|edge| edge.caller <= caller);
        &self.edges[from..to]
    }

    /// The edges into a function.
    pub fn callers(&self, callee: FunctionId) -> impl Iterator<Item = &Edge> {
        let range = match self.by_callee_start.get(callee.index()..) {
            Some([from, to, ..]) => *from as usize..*to as usize,
            _ => 0..0,
        };
        self.by_callee[range].iter().map(|&edge| &self.edges[edge as usize])
    }

    /// The call sites of an edge, costliest first.
    pub fn sites(&self, edge: &Edge) -> &[Site] {
        &self.sites[edge.sites.start as usize..edge.sites.end as usize]
    }

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

    /// Makes edges searchable by callee, of `n` functions.
    pub(crate) fn by_callee(mut self, n: usize) -> Self {
        if !self.edges.is_empty() {
            let callees = self.edges.iter().map(|edge| edge.callee.index());
            (self.by_callee_start, self.by_callee) = group(n, callees);
        }
        self
    }
}

/// Accumulates an edge or a call site.
#[derive(Clone, Copy, Default)]
struct Sum {
    covered_until: u32,
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

/// A call site while it is summed.
struct SiteSum {
    place: u32,
    callee: FunctionId,
    edge: u32,
    sum: Sum,
}

/// An edge while it is summed.
struct EdgeSum {
    caller: FunctionId,
    callee: FunctionId,
    sum: Sum,
    /// Whether any callee is a call, not inlined code.
    is_call: bool,
}

impl Edges {
    /// The edges of the stacks of a profile under a view.
    pub(crate) fn of_stacks(profile: &Profile, view: &View, groups: &Groups) -> Self {
        let frames = Frames::new(profile, groups);
        let stacks = WeightedStacks::new(profile, weigh(profile, view).0);
        let activations = Activations::new(&stacks, profile, groups);
        let mut edges = Self::of(&stacks, &frames, &activations);
        if let Some(counts) = CallCounts::of(profile, view, groups, &frames) {
            for edge in &mut edges.edges {
                let calls = counts.edges.get(&(edge.caller, edge.callee));
                edge.calls = Some(calls.copied().unwrap_or(0));
            }
        }
        edges.by_callee(groups.n_functions())
    }

    /// All edges. Two threads take half of the callers each.
    fn of(stacks: &WeightedStacks, frames: &Frames, activations: &Activations) -> Self {
        let n_functions =
            frames.places.iter().map(|(function, _)| function.raw() + 1).max().unwrap_or(0);
        let middle = FunctionId::new(middle(stacks, frames, n_functions));
        let (lower, upper) = (FunctionId::new(0)..middle, middle..FunctionId::new(n_functions));
        let (first, second) = both(
            || Self::out_of(lower, stacks, frames, activations),
            || Self::out_of(upper, stacks, frames, activations),
        );
        first.followed_by(second)
    }

    /// The edges out of some functions.
    fn out_of(
        callers: Range<FunctionId>,
        stacks: &WeightedStacks,
        frames: &Frames,
        activations: &Activations,
    ) -> Self {
        // A place is a caller and a line as one dense number, so that one lookup per position finds
        // both the call site and the edge. The maps have numbers only, so that they fit into caches.
        let mut site_ids: HashTable<u32> = HashTable::new();
        let mut edge_ids: HashTable<u32> = HashTable::new();
        let mut sites: Vec<SiteSum> = Vec::new();
        let mut edges: Vec<EdgeSum> = Vec::new();
        let of_site = |site: &SiteSum| hash(site.place, site.callee);
        let of_edge = |edge: &EdgeSum| hash(edge.caller.raw(), edge.callee);
        for k in 0..stacks.len() {
            let parent = stacks.parent[k];
            if parent == ROOT || activations.joins(k) {
                continue;
            }
            let place = frames.place(stacks.frame[parent as usize]);
            let (caller, _) = frames.places[place as usize];
            if !callers.contains(&caller) {
                continue;
            }
            let callee = frames.function(stacks.frame[k]);
            let is_site = |&id: &u32| {
                let site = &sites[id as usize];
                (site.place, site.callee) == (place, callee)
            };
            let known = site_ids.find(hash(place, callee), is_site).copied();
            let site = known.unwrap_or_else(|| {
                let is_edge = |&id: &u32| {
                    let edge = &edges[id as usize];
                    (edge.caller, edge.callee) == (caller, callee)
                };
                let known = edge_ids.find(hash(caller.raw(), callee), is_edge).copied();
                let edge = known.unwrap_or_else(|| {
                    let id = edges.len() as u32;
                    edges.push(EdgeSum { caller, callee, sum: Sum::default(), is_call: false });
                    let hash = hash(caller.raw(), callee);
                    edge_ids.insert_unique(hash, id, |&id| of_edge(&edges[id as usize]));
                    id
                });
                let id = sites.len() as u32;
                sites.push(SiteSum { place, callee, edge, sum: Sum::default() });
                site_ids.insert_unique(hash(place, callee), id, |&id| of_site(&sites[id as usize]));
                id
            });
            let site = &mut sites[site as usize];
            site.sum.add(k, stacks);
            let edge = &mut edges[site.edge as usize];
            edge.sum.add(k, stacks);
            edge.is_call |= !frames.is_inlined(stacks.frame[k]);
        }
        drop((site_ids, edge_ids));
        Self::sorted(&edges, &sites, frames)
    }

    /// Lays edges out by caller and callee, with their call sites costliest first.
    fn sorted(edges: &[EdgeSum], sites: &[SiteSum], frames: &Frames) -> Self {
        let (starts, sites_of) = group(edges.len(), sites.iter().map(|site| site.edge as usize));
        let mut order: Vec<u32> = (0..edges.len() as u32).collect();
        let key = |&id: &u32| (edges[id as usize].caller, edges[id as usize].callee);
        order.sort_unstable_by_key(key);
        let mut sorted = Self {
            edges: Vec::with_capacity(edges.len()),
            sites: Vec::with_capacity(sites.len()),
            ..Self::default()
        };
        for id in order {
            let first = sorted.sites.len();
            let own = &sites_of[starts[id as usize] as usize..starts[id as usize + 1] as usize];
            sorted.sites.extend(own.iter().filter_map(|&site| {
                let SiteSum { place, sum: Sum { total, .. }, .. } = sites[site as usize];
                let (_, line) = frames.places[place as usize];
                let &(file, line) = frames.lines.get(line as usize).filter(|_| total != 0.0)?;
                Some(Site { file, line, total })
            }));
            sorted.sites[first..].sort_unstable_by(|a, b| {
                b.total
                    .abs()
                    .total_cmp(&a.total.abs())
                    .then_with(|| (a.file, a.line).cmp(&(b.file, b.line)))
            });
            let &EdgeSum { caller, callee, sum, is_call } = &edges[id as usize];
            sorted.edges.push(Edge {
                caller,
                callee,
                total: sum.total,
                estimated: false,
                calls: None,
                inlined: !is_call,
                recursive: caller == callee,
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

fn hash(a: u32, b: FunctionId) -> u64 {
    FxBuildHasher.hash_one((a, b))
}
