//! Costs of contexts and call sites, as Mercury's profiler defines them: a cost crosses the border
//! of a clique once, at the call that enters it. Within a clique, a call costs what the callee
//! spends itself.
//!
//! A procedure that calls closures or methods can occur again below itself in another context, so
//! that the sum over its contexts counts cost twice. [`Inclusive::repeated`] is what has to be
//! subtracted, for contexts as well as for calls. Mercury's own tool subtracts less if a clique has a
//! context of the procedure, and another one is below a different member of the clique: totals there
//! exceed the cost of the program.
//!
//! Source: Paul Conway and Zoltan Somogyi, "Deep profiling: engineering a profiler for a
//! declarative programming language", and `deep_profiler/startup.m` of Mercury.

use super::links::{Arc, Links};
use super::nodes::{Counts, File, SiteKind};
use profile::{Clique, WarningCode, Warnings, cycles};
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// The measures with inclusive costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    pub(super) callseqs: u64,
    /// Clock ticks.
    pub(super) quanta: u64,
    pub(super) allocs: u64,
    pub(super) words: u64,
}

impl Cost {
    fn of(counts: &Counts) -> Self {
        let Counts { callseqs, quanta, allocs, words, .. } = *counts;
        Self { callseqs, quanta, allocs, words }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.with(other, u64::saturating_sub)
    }

    pub(super) fn at_most(self, other: Self) -> Self {
        self.with(other, u64::min)
    }

    fn with(self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            callseqs: combine(self.callseqs, other.callseqs),
            quanta: combine(self.quanta, other.quanta),
            allocs: combine(self.allocs, other.allocs),
            words: combine(self.words, other.words),
        }
    }
}

/// What a call or context costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Inclusive {
    /// What the callee, or the context, spends itself.
    pub(super) own: Cost,
    /// What is spent below it.
    pub(super) below: Cost,
    /// The part of `below` that further contexts of the same procedure spend: for a call, of the
    /// caller's procedure.
    pub(super) repeated: Cost,
}

/// The costs of all contexts and calls.
#[derive(Debug)]
pub(super) struct Costs {
    pub(super) cliques: Vec<Clique>,
    pub(super) clique_of: Vec<u32>,
    /// By context.
    pub(super) contexts: Vec<Inclusive>,
    /// By row of [`Links::arcs`].
    pub(super) arcs: Vec<Inclusive>,
}

impl Costs {
    pub(super) fn of(file: &File, links: &Links, warnings: &mut Warnings) -> Self {
        let n = links.proc_of_context.len();
        let first: Vec<usize> = (0..=n as u32)
            .map(|context| links.arcs.partition_point(|arc| arc.caller < context))
            .collect();
        let of = |context: u32| &links.arcs[first[context as usize]..first[context as usize + 1]];
        let clique_of = cycles(n, |context, i| of(context).get(i).map(|arc| arc.callee));
        let cliques = entries(&links.arcs, &clique_of, warnings);
        let arcs = links.arcs.iter().map(|arc| {
            let own = Cost::of(&file.calls.rows()[arc.call as usize].own);
            Inclusive { own, ..Inclusive::default() }
        });
        let mut this = Self {
            cliques,
            clique_of,
            contexts: vec![Inclusive::default(); n],
            arcs: arcs.collect(),
        };
        for (arc, cost) in links.arcs.iter().zip(&this.arcs) {
            let own = &mut this.contexts[arc.callee as usize].own;
            *own = own.plus(cost.own);
        }
        this.add_below(links, &first, &reentered(file));
        this
    }

    /// Adds what is spent below each context and call, clique by clique, callees first.
    fn add_below(&mut self, links: &Links, first: &[usize], reentered: &[bool]) {
        let mut by_clique: Vec<u32> = (0..self.clique_of.len() as u32).collect();
        by_clique.sort_by_key(|&context| self.clique_of[context as usize]);
        // Per call that enters a clique: what procedures spend that may occur again above it.
        let mut tables: FxHashMap<u32, Table> = FxHashMap::default();
        for members in
            by_clique.chunk_by(|&a, &b| self.clique_of[a as usize] == self.clique_of[b as usize])
        {
            let mut table = Table::default();
            let mut whole = Cost::default();
            let clique = self.clique_of[members[0] as usize];
            for &context in members {
                let own_proc = links.proc_of_context[context as usize];
                let mut below = Cost::default();
                let mut repeated = Cost::default();
                for row in first[context as usize]..first[context as usize + 1] {
                    if self.clique_of[links.arcs[row].callee as usize] == clique {
                        continue;
                    }
                    below = below.plus(self.arcs[row].own).plus(self.arcs[row].below);
                    if let Some(mut entered) = tables.remove(&(row as u32)) {
                        // What the context's own procedure spends there is in its total, below.
                        let nested = own_proc.and_then(|procedure| entered.remove(&procedure));
                        let nested = nested.unwrap_or_default();
                        self.arcs[row].repeated = nested;
                        repeated = repeated.plus(nested);
                        table = merged(table, entered);
                    }
                }
                let cost = &mut self.contexts[context as usize];
                (cost.below, cost.repeated) = (below, repeated);
                whole = whole.plus(cost.own).plus(below);
            }
            for &context in members {
                let procedure = links.proc_of_context[context as usize];
                if let Some(procedure) = procedure.filter(|&i| reentered[i as usize]) {
                    let cost = self.contexts[context as usize];
                    let total = table.entry(procedure).or_default();
                    *total = total.plus(cost.own).plus(cost.below);
                }
            }
            if let Some(entry) = self.cliques[clique as usize].entry {
                let cost = &mut self.arcs[entry as usize];
                cost.below = whole.minus(cost.own);
                if !table.is_empty() {
                    tables.insert(entry, table);
                }
            }
        }
    }

    /// Whether the call stays within one clique.
    pub(super) fn is_recursive(&self, arc: &Arc) -> bool {
        self.clique_of[arc.caller as usize] == self.clique_of[arc.callee as usize]
    }
}

/// What procedures spend below a call, for those that may occur again above it.
type Table = FxHashMap<u32, Cost>;

/// The sum of two tables. Adds the smaller to the larger, so that all sums together take
/// O(n log n) steps.
fn merged(one: Table, other: Table) -> Table {
    let (mut large, small) = if one.len() < other.len() { (other, one) } else { (one, other) };
    for (procedure, cost) in small {
        let sum = large.entry(procedure).or_default();
        *sum = sum.plus(cost);
    }
    large
}

/// The procedures that get a new context when they are called below themselves: those that call
/// closures or methods.
fn reentered(file: &File) -> Vec<bool> {
    let leads_back = |site: usize| {
        matches!(file.sites.rows()[site].kind, SiteKind::HigherOrder | SiteKind::Method)
    };
    let procs = file.procs.rows().iter();
    procs.map(|procedure| procedure.sites(file).flatten().any(leads_back)).collect()
}

/// The cliques, with the call that enters each.
fn entries(arcs: &[Arc], clique_of: &[u32], warnings: &mut Warnings) -> Vec<Clique> {
    let n = clique_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut entries = vec![NONE; n];
    let mut n_more = 0;
    for (row, arc) in (0..).zip(arcs) {
        let into = clique_of[arc.callee as usize];
        if clique_of[arc.caller as usize] != into {
            let entry = &mut entries[into as usize];
            if *entry == NONE {
                *entry = row;
            } else {
                n_more += 1;
            }
        }
    }
    if n_more > 0 {
        warnings.add(WarningCode::InconsistentNodes, || {
            format!(
                "{n_more} calls enter a context that another call has entered; what is below it \
                 is charged to the first"
            )
        });
    }
    let entry = |entry| Clique { entry: (entry != NONE).then_some(entry) };
    entries.into_iter().map(entry).collect()
}
