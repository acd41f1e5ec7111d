//! Callers and callees along a path of sampled stacks.
//!
//! Each sample that contains the first function F of the path is charged once, at F's *outermost*
//! call: callees walk inward from there, callers outward. So the total of an item is the sum of its
//! entries plus what stops at it: inward, its own self cost on this path; outward, the samples that
//! start there.
//!
//! A function of a path stands for a run of adjacent frames: those of one call node, and if
//! recursion is collapsed, those of all consecutive calls. The edge on which recursion was collapsed
//! is listed last, outside the sum.

use crate::activations::Activations;
use crate::frames::{Frames, NO_LINE};
use crate::group::group;
use crate::paths::{PathEntry, PathStep, Recursion, SiteCost, hotter};
use crate::weighted::{ROOT, WeightedStacks};
use profile::{FileId, FunctionId};
use rustc_hash::FxHashMap;

/// The stacks of a recording under a view, for queries.
#[derive(Default)]
pub(crate) struct StackIndex {
    pub(crate) stacks: WeightedStacks,
    /// Parallel to `stacks`: weight of the samples with exactly that stack.
    own: Vec<f64>,
    pub(crate) function: Vec<FunctionId>,
    pub(crate) line: Vec<u32>,
    inlined: Vec<bool>,
    activations: Activations,
    /// For each frame the outermost frame of its call node. Empty if that is the frame itself.
    node: Vec<u32>,
    /// For each frame the outermost of the adjacent frames of its function.
    outer: Vec<u32>,
    pub(crate) lines: Vec<(FileId, u32)>,
    /// Positions by function, ascending: those of `f` are from `start[f]` to `start[f + 1]`.
    positions: Vec<u32>,
    start: Vec<u32>,
}

impl StackIndex {
    pub(crate) fn new(
        stacks: WeightedStacks,
        own: Vec<f64>,
        frames: Frames,
        activations: Activations,
        n_functions: usize,
    ) -> Self {
        let function: Vec<_> = stacks.frame.iter().map(|&frame| frames.function(frame)).collect();
        let line = stacks.frame.iter().map(|&frame| frames.line(frame)).collect();
        let inlined = stacks.frame.iter().map(|&frame| frames.is_inlined(frame)).collect();
        let (start, positions) =
            group(n_functions, function.iter().map(|function| function.index()));
        let node = if activations.is_empty() {
            Vec::new()
        } else {
            first_of_runs(&stacks, |k, _| activations.joins(k))
        };
        let outer = first_of_runs(&stacks, |k, parent| function[parent] == function[k]);
        Self {
            stacks,
            own,
            function,
            line,
            inlined,
            activations,
            node,
            outer,
            lines: frames.lines,
            positions,
            start,
        }
    }

    /// Which frames are calls.
    pub(crate) fn activations(&self) -> &Activations {
        &self.activations
    }

    /// The number of stacks.
    pub(crate) fn len(&self) -> usize {
        self.stacks.len()
    }

    /// The callees of a path that begins at `root`, inward.
    pub(crate) fn callees(
        &self,
        root: FunctionId,
        rest: &[FunctionId],
        recursion: Recursion,
    ) -> PathStep {
        let (mut step, mut repeated) = (Step::default(), Step::default());
        // Runs of frames, each with the number of matched functions, and the frames of one run, each
        // with whether it is below a recursive call of the run.
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut run: Vec<(u32, bool)> = Vec::new();
        for k in self.outermost(root) {
            open.push((k, 0));
            while let Some((first, matched)) = open.pop() {
                let next = rest.get(matched).copied();
                if next.is_none() {
                    step.total += self.stacks.total[first as usize];
                }
                run.push((first, false));
                while let Some((k, inner)) = run.pop() {
                    let at = k as usize;
                    if next.is_none() {
                        step.self_ += self.own[at];
                    }
                    for child in self.children(k) {
                        let total = self.stacks.total[child as usize];
                        if self.continues_run(child, recursion) {
                            let recursive = !self.activations.joins(child as usize);
                            if next.is_none() && recursive && !inner {
                                let (own, goes_on) = self.run_below(child, Recursion::Exact);
                                repeated.add(
                                    self.runs_at(child),
                                    goes_on,
                                    own,
                                    total,
                                    self.line[at],
                                );
                            }
                            run.push((child, inner || recursive));
                        } else if let Some(next) = next {
                            if self.function[child as usize] == next {
                                open.push((child, matched + 1));
                            }
                        } else {
                            let (own, goes_on) = self.run_below(child, recursion);
                            step.add(self.runs_at(child), goes_on, own, total, self.line[at]);
                        }
                    }
                }
            }
        }
        let mut step = step.finish(&self.lines);
        let mut repeated = repeated.finish(&self.lines).entries;
        if rest.is_empty() && recursion == Recursion::Collapsed {
            // All of these calls, as among the callers.
            let callers = self.recursive_callers(root).into_iter();
            let itself = callers.filter(|caller| caller.function == root);
            repeated = itself
                .map(|all| match repeated.pop() {
                    Some(PathEntry { self_, leaf, .. }) => PathEntry { self_, leaf, ..all },
                    None => PathEntry { leaf: true, ..all },
                })
                .collect();
        }
        step.entries.extend(repeated.into_iter().map(PathEntry::recursive));
        step
    }

    /// The callers of a path that begins at `root`, outward. Callers of inner calls of `root` are
    /// listed only for the path of `root` alone.
    pub(crate) fn callers(
        &self,
        root: FunctionId,
        rest: &[FunctionId],
        recursion: Recursion,
    ) -> PathStep {
        let (mut step, mut repeated) = (Step::default(), Step::default());
        for k in self.outermost(root) {
            let weight = self.stacks.total[k as usize];
            // The innermost and the outermost frame of the last run that matched.
            let (mut last, mut first) = (k, k);
            let matches = rest.iter().all(|&next| {
                last = self.stacks.parent[first as usize];
                let matches = last != ROOT && self.function[last as usize] == next;
                if matches {
                    first = self.run_above(last, recursion);
                }
                matches
            });
            if !matches {
                continue;
            }
            step.total += weight;
            if recursion == Recursion::Collapsed {
                self.add_repeated(last, weight, &mut repeated);
            }
            self.add_caller(first, weight, recursion, &mut step);
        }
        let mut step = step.finish(&self.lines);
        if rest.is_empty() {
            step.entries.extend(self.recursive_callers(root));
        } else {
            let repeated = repeated.finish(&self.lines).entries;
            step.entries.extend(repeated.into_iter().map(PathEntry::recursive));
        }
        step
    }

    /// The callers of the functions that run at a line, at the outermost occurrence of the line on
    /// each stack. Direct recursion is collapsed.
    pub(crate) fn callers_of_lines(&self, file: FileId, lines: &[u32]) -> PathStep {
        let ids = lines.iter().filter_map(|&line| self.lines.binary_search(&(file, line)).ok());
        let ids: Vec<u32> = ids.map(|id| id as u32).collect();
        if ids.is_empty() {
            return PathStep::default();
        }
        let (mut step, mut repeated) = (Step::default(), Step::default());
        let mut covered_until = 0;
        for k in (0..self.stacks.len()).filter(|&k| ids.contains(&self.line[k])) {
            if (k as u32) < covered_until {
                continue;
            }
            covered_until = self.stacks.end[k];
            let weight = self.stacks.total[k];
            step.total += weight;
            self.add_repeated(k as u32, weight, &mut repeated);
            self.add_caller(self.outer[k], weight, Recursion::Collapsed, &mut step);
        }
        let mut step = step.finish(&self.lines);
        let repeated = repeated.finish(&self.lines).entries;
        step.entries.extend(repeated.into_iter().map(PathEntry::recursive));
        step
    }

    /// Adds the caller of the run whose outermost frame is `first`, or else the weight that starts
    /// there.
    fn add_caller(&self, first: u32, weight: f64, recursion: Recursion, step: &mut Step) {
        let caller = self.stacks.parent[first as usize];
        if caller == ROOT {
            step.self_ += weight;
            return;
        }
        let top = self.stacks.parent[self.run_above(caller, recursion) as usize];
        let goes_on = self.stacks.parent[self.run_above(caller, Recursion::Exact) as usize] != ROOT;
        let starts_here = if top == ROOT { weight } else { 0.0 };
        let line = self.line[caller as usize];
        step.add(self.runs_at(caller), goes_on, starts_here, weight, line);
    }

    /// Adds the innermost recursive call in the run that ends with `last`, if it has one.
    fn add_repeated(&self, last: u32, weight: f64, repeated: &mut Step) {
        let call = self.run_above(last, Recursion::Exact);
        if call == self.outer[last as usize] {
            return;
        }
        let caller = self.stacks.parent[call as usize];
        let top = self.stacks.parent[self.run_above(caller, Recursion::Exact) as usize];
        let starts_here = if top == ROOT { weight } else { 0.0 };
        let line = self.line[caller as usize];
        repeated.add(self.runs_at(caller), top != ROOT, starts_here, weight, line);
    }

    /// The outermost frame of the run that contains a frame.
    fn run_above(&self, k: u32, recursion: Recursion) -> u32 {
        match recursion {
            Recursion::Collapsed => self.outer[k as usize],
            Recursion::Exact => self.node.get(k as usize).copied().unwrap_or(k),
        }
    }

    /// The self cost of the run whose outermost frame is `first`, and whether it has callees.
    fn run_below(&self, first: u32, recursion: Recursion) -> (f64, bool) {
        let (mut own, mut goes_on) = (0.0, false);
        let mut open = vec![first];
        while let Some(k) = open.pop() {
            own += self.own[k as usize];
            for child in self.children(k) {
                goes_on |= !self.activations.joins(child as usize);
                if self.continues_run(child, recursion) {
                    open.push(child);
                }
            }
        }
        (own, goes_on)
    }

    /// Whether a frame is in the same run as the frame above it.
    fn continues_run(&self, k: u32, recursion: Recursion) -> bool {
        match recursion {
            Recursion::Collapsed => self.outer[k as usize] != k,
            Recursion::Exact => self.activations.joins(k as usize),
        }
    }

    /// The function at a position.
    fn runs_at(&self, k: u32) -> Running {
        Running { function: self.function[k as usize], inlined: self.inlined[k as usize] }
    }

    /// The positions of a function, ascending.
    pub(crate) fn positions(&self, function: FunctionId) -> &[u32] {
        match self.start.get(function.index()..) {
            Some([from, to, ..]) => &self.positions[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// The outermost positions of a function: no other occurrence is above them.
    fn outermost(&self, function: FunctionId) -> impl Iterator<Item = u32> + '_ {
        let mut covered_until = 0;
        self.positions(function).iter().copied().filter(move |&k| {
            let outermost = k >= covered_until;
            if outermost {
                covered_until = self.stacks.end[k as usize];
            }
            outermost
        })
    }

    fn children(&self, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.stacks.end[parent as usize];
        let mut next = parent + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.stacks.end[child as usize];
            Some(child)
        })
    }

    /// The callers of inner calls of `root`, each with the weight of the samples that pass such a call
    /// of it.
    fn recursive_callers(&self, root: FunctionId) -> Vec<PathEntry> {
        let mut outermost = self.outermost(root).peekable();
        let mut covered_until: FxHashMap<FunctionId, u32> = FxHashMap::default();
        let mut site_covered_until: FxHashMap<(FunctionId, u32), u32> = FxHashMap::default();
        let mut step = Step::default();
        for &k in self.positions(root) {
            let is_outermost = outermost.next_if_eq(&k).is_some();
            if is_outermost || self.activations.continues(k as usize) {
                continue;
            }
            let parent = self.stacks.parent[k as usize];
            let (caller, line) = (self.function[parent as usize], self.line[parent as usize]);
            let (end, weight) = (self.stacks.end[k as usize], self.stacks.total[k as usize]);
            // A sample with several of these calls counts once.
            let once = |covered_until: &mut u32| {
                let is_covered = k < *covered_until;
                *covered_until = end.max(*covered_until);
                if is_covered { 0.0 } else { weight }
            };
            let total = once(covered_until.entry(caller).or_default());
            let site = once(site_covered_until.entry((caller, line)).or_default());
            // A walk from a recursive caller starts again at `root`, which it calls.
            step.add_with_site_total(self.runs_at(parent), true, 0.0, total, line, site);
        }
        let entries = step.finish(&self.lines).entries.into_iter();
        entries.map(PathEntry::recursive).collect()
    }
}

/// For each position the first one of its run. `continues` says whether a position is in the run of
/// its parent.
fn first_of_runs(stacks: &WeightedStacks, continues: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut first: Vec<u32> = Vec::with_capacity(stacks.len());
    for (k, &parent) in stacks.parent.iter().enumerate() {
        let continues = parent != ROOT && continues(k, parent as usize);
        first.push(if continues { first[parent as usize] } else { k as u32 });
    }
    first
}

/// A function at a position of a stack.
#[derive(Clone, Copy)]
struct Running {
    function: FunctionId,
    inlined: bool,
}

/// Accumulates a [`PathStep`].
#[derive(Default)]
struct Step {
    self_: f64,
    total: f64,
    entries: FxHashMap<FunctionId, Entry>,
}

/// Accumulates a [`PathEntry`].
#[derive(Default)]
struct Entry {
    self_: f64,
    total: f64,
    /// Whether any of its frames is a call, not inlined code.
    is_call: bool,
    /// Whether the path continues after this node anywhere.
    goes_on: bool,
    /// By line, or [`NO_LINE`].
    sites: FxHashMap<u32, f64>,
}

impl Step {
    fn add(&mut self, running: Running, goes_on: bool, self_: f64, total: f64, site: u32) {
        self.add_with_site_total(running, goes_on, self_, total, site, total);
    }

    fn add_with_site_total(
        &mut self,
        Running { function, inlined }: Running,
        goes_on: bool,
        self_: f64,
        total: f64,
        site: u32,
        site_total: f64,
    ) {
        let entry = self.entries.entry(function).or_default();
        entry.self_ += self_;
        entry.total += total;
        entry.is_call |= !inlined;
        entry.goes_on |= goes_on;
        *entry.sites.entry(site).or_default() += site_total;
    }

    fn finish(self, lines: &[(FileId, u32)]) -> PathStep {
        let entries = self.entries.into_iter().map(
            |(function, Entry { self_, total, is_call, goes_on, mut sites })| {
                let without_site = sites.remove(&NO_LINE).unwrap_or_default();
                let mut sites: Vec<_> = sites
                    .into_iter()
                    .map(|(site, total)| SiteCost {
                        file: lines[site as usize].0,
                        line: lines[site as usize].1,
                        total,
                    })
                    .collect();
                sites.sort_unstable_by(|a, b| {
                    hotter(a.total, b.total).then((a.file, a.line).cmp(&(b.file, b.line)))
                });
                PathEntry {
                    function,
                    self_: Some(self_),
                    total,
                    estimated: false,
                    sites,
                    without_site,
                    inlined: !is_call,
                    recursive: false,
                    leaf: !goes_on,
                }
            },
        );
        let mut entries: Vec<_> = entries.collect();
        entries.sort_unstable_by(|a, b| hotter(a.total, b.total).then(a.function.cmp(&b.function)));
        PathStep { self_: Some(self.self_), total: self.total, estimated: false, entries }
    }
}
