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
use profile::both;
use profile::{Clique, WarningCode, Warnings, cycles};

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
    pub(super) members: Members,
    /// By context.
    pub(super) contexts: Vec<Inclusive>,
    /// By row of [`Links::arcs`].
    pub(super) arcs: Vec<Inclusive>,
}

impl Costs {
    pub(super) fn of(file: &File, links: &Links, warnings: &mut Warnings) -> Self {
        let n = links.proc_of_context.len();
        let mut first = vec![0; n + 1];
        for arc in &links.arcs {
            first[arc.caller as usize + 1] += 1;
        }
        for context in 0..n {
            first[context + 1] += first[context];
        }
        let of = |context: u32| &links.arcs[first[context as usize]..first[context as usize + 1]];
        let (clique_of, (contexts, arcs)) = both(
            || cycles(n, |context, i| of(context).get(i).map(|arc| arc.callee)),
            || own_costs(file, links),
        );
        let cliques = entries(&links.arcs, &clique_of, warnings);
        let members = Members::new(&clique_of, cliques.len());
        let mut this = Self { cliques, clique_of, members, contexts, arcs };
        this.add_below(links, &first);
        this.add_repeated(links, &first, &reentered(file));
        this
    }

    /// Adds what is spent below each context and call, clique by clique, callees first.
    fn add_below(&mut self, links: &Links, first: &[usize]) {
        for clique in 0..self.cliques.len() as u32 {
            let mut whole = Cost::default();
            for &context in self.members.of(clique) {
                let mut below = Cost::default();
                for row in first[context as usize]..first[context as usize + 1] {
                    if self.clique_of[links.arcs[row].callee as usize] != clique {
                        below = below.plus(self.arcs[row].own).plus(self.arcs[row].below);
                    }
                }
                let cost = &mut self.contexts[context as usize];
                cost.below = below;
                whole = whole.plus(cost.own).plus(below);
            }
            if let Some(entry) = self.cliques[clique as usize].entry {
                let cost = &mut self.arcs[entry as usize];
                cost.below = whole.minus(cost.own);
            }
        }
    }

    /// Adds what is counted twice below each context and call. Walks the tree of cliques depth
    /// first; each context belongs to the nearest call above it that a context of the same
    /// procedure makes.
    fn add_repeated(&mut self, links: &Links, first: &[usize], reentered: &[bool]) {
        enum Step {
            Enter { clique: u32, by: Option<u32> },
            Leave { procedure: u32, before: u32 },
        }
        let reentered_proc = |context: u32| {
            links.proc_of_context[context as usize]
                .filter(|&procedure| reentered[procedure as usize])
        };
        // The nearest call that each procedure makes above the clique.
        let mut nearest = vec![NONE; reentered.len()];
        let roots = (0..).zip(&self.cliques).filter(|(_, clique)| clique.entry.is_none());
        let mut open: Vec<Step> =
            roots.map(|(clique, _)| Step::Enter { clique, by: None }).collect();
        while let Some(step) = open.pop() {
            let (clique, by) = match step {
                Step::Enter { clique, by } => (clique, by),
                Step::Leave { procedure, before } => {
                    nearest[procedure as usize] = before;
                    continue;
                }
            };
            if let Some(row) = by {
                let caller = links.arcs[row as usize].caller;
                if let Some(procedure) = reentered_proc(caller) {
                    let before = std::mem::replace(&mut nearest[procedure as usize], row);
                    open.push(Step::Leave { procedure, before });
                }
            }
            for &context in self.members.of(clique) {
                let Inclusive { own, below, .. } = self.contexts[context as usize];
                let above = reentered_proc(context).map(|procedure| nearest[procedure as usize]);
                if let Some(row) = above.filter(|&row| row != NONE) {
                    let cost = own.plus(below);
                    let arc = &mut self.arcs[row as usize];
                    arc.repeated = arc.repeated.plus(cost);
                    let caller = &mut self.contexts[links.arcs[row as usize].caller as usize];
                    caller.repeated = caller.repeated.plus(cost);
                }
                for row in first[context as usize]..first[context as usize + 1] {
                    let into = self.clique_of[links.arcs[row].callee as usize];
                    if self.cliques[into as usize].entry == Some(row as u32) {
                        open.push(Step::Enter { clique: into, by: Some(row as u32) });
                    }
                }
            }
        }
    }

    /// Whether the call stays within one clique.
    pub(super) fn is_recursive(&self, arc: &Arc) -> bool {
        self.clique_of[arc.caller as usize] == self.clique_of[arc.callee as usize]
    }
}

/// What each context and call spends itself. The rest is 0.
fn own_costs(file: &File, links: &Links) -> (Vec<Inclusive>, Vec<Inclusive>) {
    let mut contexts = vec![Inclusive::default(); links.proc_of_context.len()];
    let arcs = links.arcs.iter().map(|arc| {
        let own = Cost::of(&file.calls.rows()[arc.call as usize].own);
        let sum = &mut contexts[arc.callee as usize].own;
        *sum = sum.plus(own);
        Inclusive { own, ..Inclusive::default() }
    });
    let arcs = arcs.collect();
    (contexts, arcs)
}

/// The contexts of each clique.
#[derive(Debug)]
pub(super) struct Members {
    /// Contexts, by clique.
    contexts: Vec<u32>,
    /// The first of each clique, and one past the last.
    first: Vec<usize>,
}

impl Members {
    fn new(clique_of: &[u32], n_cliques: usize) -> Self {
        let mut first = vec![0; n_cliques + 1];
        for &clique in clique_of {
            first[clique as usize + 1] += 1;
        }
        for clique in 0..n_cliques {
            first[clique + 1] += first[clique];
        }
        let (mut contexts, mut next) = (vec![0; clique_of.len()], first.clone());
        for (context, &clique) in (0..).zip(clique_of) {
            let at = &mut next[clique as usize];
            contexts[*at] = context;
            *at += 1;
        }
        Self { contexts, first }
    }

    pub(super) fn of(&self, clique: u32) -> &[u32] {
        &self.contexts[self.first[clique as usize]..self.first[clique as usize + 1]]
    }
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
