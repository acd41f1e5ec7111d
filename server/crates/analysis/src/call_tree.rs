//! Callers and callees along a path.
//!
//! A path begins at a function F. Each sample that contains F is charged once, at F's *outermost*
//! occurrence: callees walk inward from there, callers outward. So the total of an item is the sum
//! of its entries plus what stops at it: inward, its own self cost on this path; outward, the
//! samples that start there.
//!
//! A call graph records only caller and callee. Beyond one step, the cost that reaches a function
//! along a path is divided among its callees (or callers) in the same proportions as all of its
//! cost. That is an estimate and marked as one.

use crate::frames::{Frames, NO_LINE};
use crate::group::group;
use crate::weighted::{ROOT, WeightedStacks};
use crate::{CallNodes, Costs, Edge, View, costs};
use profile::{FileId, FunctionId, Groups, Recording, Total};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// A call site with the weight of the samples that pass it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SiteCost {
    /// The caller's file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Weight.
    pub total: f64,
}

/// One caller or callee of a path.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not exclude each other")]
pub struct PathEntry {
    /// The function.
    pub function: FunctionId,
    /// What stops at it: for a callee its self cost on this path, for a caller the samples that
    /// start there. `None` if a call graph does not tell.
    pub self_: Option<f64>,
    /// Weight of the samples that match the path extended by it.
    pub total: f64,
    /// Whether the weights are estimates.
    pub estimated: bool,
    /// The call sites: lines of the caller, which is the outer one of the two. Costliest first.
    pub sites: Vec<SiteCost>,
    /// Whether it was inlined into its caller in all of these samples.
    pub inlined: bool,
    /// Whether it calls an inner occurrence of F. Then `total` is the weight of that edge, outside
    /// the sum.
    pub recursive: bool,
    /// Whether the path extended by it ends there on every stack: it has no callees, or no callers.
    pub leaf: bool,
}

impl PathEntry {
    /// The total, marked as exact or estimated.
    pub fn as_total(&self) -> Total {
        if self.estimated { Total::Estimated(self.total) } else { Total::Exact(self.total) }
    }
}

/// One step along a path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathStep {
    /// What stops at the last function of the path; `None` if a call graph does not tell.
    pub self_: Option<f64>,
    /// Weight of the samples that match the path.
    pub total: f64,
    /// Whether the weights are estimates.
    pub estimated: bool,
    /// The callers or callees, costliest first, recursive ones last.
    pub entries: Vec<PathEntry>,
}

/// The call tree of a recording under one view, expanded on demand. The index is built by the first
/// query.
#[derive(Debug)]
pub struct CallTree {
    recording: Arc<Recording>,
    view: View,
    groups: Arc<Groups>,
    index: OnceLock<Index>,
    call_nodes: OnceLock<CallNodes>,
}

/// What queries are answered from.
enum Index {
    Stacks(StackIndex),
    Graph(Costs),
}

#[derive(Default)]
struct StackIndex {
    stacks: WeightedStacks,
    /// Parallel to `stacks`: weight of the samples with exactly that stack.
    own: Vec<f64>,
    function: Vec<FunctionId>,
    line: Vec<u32>,
    inlined: Vec<bool>,
    lines: Vec<(FileId, u32)>,
    /// Positions by function, ascending: those of `f` are from `start[f]` to `start[f + 1]`.
    positions: Vec<u32>,
    start: Vec<u32>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stacks(index) => write!(f, "Index of {} stacks", index.stacks.len()),
            Self::Graph(costs) => write!(f, "Index of {} calls", costs.edges().len()),
        }
    }
}

impl CallTree {
    /// The tree of `recording` as seen through `view` and `groups`.
    pub fn new(recording: Arc<Recording>, view: View, groups: Arc<Groups>) -> Self {
        Self { recording, view, groups, index: OnceLock::new(), call_nodes: OnceLock::new() }
    }

    /// The callees of `path` (`[F, c1, c2 …]`, inward).
    pub fn callees(&self, path: &[FunctionId]) -> PathStep {
        let Some((&root, rest)) = path.split_first() else { return PathStep::default() };
        let index = match self.index() {
            Index::Stacks(index) => index,
            Index::Graph(costs) => return callees_in_graph(costs, root, rest),
        };
        let mut step = Step::default();
        let mut open: Vec<(u32, usize)> = Vec::new();
        for k in index.outermost(root) {
            open.push((k, 0));
            while let Some((k, matched)) = open.pop() {
                let at = k as usize;
                if let Some(&next) = rest.get(matched) {
                    open.extend(
                        index
                            .children(k)
                            .filter(|&child| index.function[child as usize] == next)
                            .map(|child| (child, matched + 1)),
                    );
                    continue;
                }
                step.self_ += index.own[at];
                step.total += index.stacks.total[at];
                for child in index.children(k) {
                    let (own, total) =
                        (index.own[child as usize], index.stacks.total[child as usize]);
                    let goes_on = index.children(child).next().is_some();
                    step.add(index.runs_at(child), goes_on, own, total, index.line[at]);
                }
            }
        }
        step.finish(&index.lines)
    }

    /// The callers of `path` (`[F, c1, c2 …]`, outward). Recursive callers are listed only for the
    /// path `[F]`.
    pub fn callers(&self, path: &[FunctionId]) -> PathStep {
        let Some((&root, rest)) = path.split_first() else { return PathStep::default() };
        let index = match self.index() {
            Index::Stacks(index) => index,
            Index::Graph(costs) => return callers_in_graph(costs, root, rest),
        };
        let mut step = Step::default();
        for k in index.outermost(root) {
            let weight = index.stacks.total[k as usize];
            let mut at = k;
            let matches = rest.iter().all(|&next| {
                at = index.stacks.parent[at as usize];
                at != ROOT && index.function[at as usize] == next
            });
            if !matches {
                continue;
            }
            step.total += weight;
            let caller = index.stacks.parent[at as usize];
            if caller == ROOT {
                step.self_ += weight;
                continue;
            }
            let goes_on = index.stacks.parent[caller as usize] != ROOT;
            let starts_here = if goes_on { 0.0 } else { weight };
            let line = index.line[caller as usize];
            step.add(index.runs_at(caller), goes_on, starts_here, weight, line);
        }
        let mut step = step.finish(&index.lines);
        if rest.is_empty() {
            step.entries.extend(index.recursive_callers(root));
        }
        step
    }

    /// The callers of the functions that run at a line, at the outermost occurrence of the line on
    /// each stack. Empty for a call graph, which does not record stacks.
    pub fn callers_of_line(&self, file: FileId, line: u32) -> PathStep {
        let Index::Stacks(index) = self.index() else { return PathStep::default() };
        let Ok(line_id) = index.lines.binary_search(&(file, line)) else {
            return PathStep::default();
        };
        let mut step = Step::default();
        let mut covered_until = 0;
        for k in (0..index.stacks.len()).filter(|&k| index.line[k] == line_id as u32) {
            if (k as u32) < covered_until {
                continue;
            }
            covered_until = index.stacks.end[k];
            let weight = index.stacks.total[k];
            step.total += weight;
            match index.stacks.parent[k] {
                ROOT => step.self_ += weight,
                caller => {
                    let goes_on = index.stacks.parent[caller as usize] != ROOT;
                    let line = index.line[caller as usize];
                    step.add(index.runs_at(caller), goes_on, 0.0, weight, line);
                }
            }
        }
        step.finish(&index.lines)
    }

    /// The whole tree by function path; `None` for a call graph, which has no paths.
    pub fn call_nodes(&self) -> Option<&CallNodes> {
        match &*self.recording {
            Recording::Stacks(profile) => Some(
                self.call_nodes.get_or_init(|| CallNodes::new(profile, &self.view, &self.groups)),
            ),
            Recording::Graph(_) => None,
        }
    }

    /// The costs that answer queries about a call graph; `None` for stacks.
    pub(crate) fn graph(&self) -> Option<&Costs> {
        match &*self.recording {
            Recording::Stacks(_) => None,
            Recording::Graph(_) => match self.index() {
                Index::Graph(costs) => Some(costs),
                Index::Stacks(_) => None,
            },
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| match &*self.recording {
            Recording::Stacks(profile) => {
                let (stacks, own) = WeightedStacks::with_own(profile, &self.view);
                Index::Stacks(StackIndex::new(
                    stacks,
                    own,
                    Frames::new(profile, &self.groups),
                    self.groups.n_functions(),
                ))
            }
            Recording::Graph(_) => Index::Graph(costs(&self.recording, &self.view, &self.groups)),
        })
    }
}

impl StackIndex {
    fn new(stacks: WeightedStacks, own: Vec<f64>, frames: Frames, n_functions: usize) -> Self {
        let function: Vec<_> = stacks.frame.iter().map(|&frame| frames.function(frame)).collect();
        let line = stacks.frame.iter().map(|&frame| frames.line(frame)).collect();
        let inlined = stacks.frame.iter().map(|&frame| frames.is_inlined(frame)).collect();
        let (start, positions) =
            group(n_functions, function.iter().map(|function| function.index()));
        Self { stacks, own, function, line, inlined, lines: frames.lines, positions, start }
    }

    /// The function at a position.
    fn runs_at(&self, k: u32) -> Running {
        Running { function: self.function[k as usize], inlined: self.inlined[k as usize] }
    }

    fn positions(&self, function: FunctionId) -> &[u32] {
        match self.start.get(function.index()..) {
            Some([from, to, ..]) => &self.positions[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// The positions of a function that no other occurrence of it is above.
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

    /// The callers of inner occurrences of `root`, each with the weight of its whole edge to
    /// `root`.
    fn recursive_callers(&self, root: FunctionId) -> Vec<PathEntry> {
        let mut outermost = self.outermost(root).peekable();
        let mut callers: FxHashMap<FunctionId, (u32, bool)> = FxHashMap::default();
        let mut sites: FxHashMap<(FunctionId, u32), u32> = FxHashMap::default();
        let mut step = Step::default();
        for &k in self.positions(root) {
            let inner = outermost.next_if_eq(&k).is_none();
            let parent = self.stacks.parent[k as usize];
            if parent == ROOT {
                continue;
            }
            let (caller, line) = (self.function[parent as usize], self.line[parent as usize]);
            let (end, total) = (self.stacks.end[k as usize], self.stacks.total[k as usize]);
            let (covered_until, recursive) = callers.entry(caller).or_default();
            *recursive |= inner;
            let counts = if k >= *covered_until {
                *covered_until = end;
                total
            } else {
                0.0
            };
            let site_covered_until = sites.entry((caller, line)).or_default();
            let site = if k >= *site_covered_until {
                *site_covered_until = end;
                total
            } else {
                0.0
            };
            // A walk from a recursive caller starts again at `root`, which it calls.
            step.add_with_site_total(self.runs_at(parent), true, 0.0, counts, line, site);
        }
        let mut entries = step.finish(&self.lines).entries;
        entries
            .retain(|entry| callers.get(&entry.function).is_some_and(|&(_, recursive)| recursive));
        for entry in &mut entries {
            entry.recursive = true;
        }
        entries
    }
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
    /// Whether the path goes on behind it anywhere.
    goes_on: bool,
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
        if site != NO_LINE {
            *entry.sites.entry(site).or_default() += site_total;
        }
    }

    fn finish(self, lines: &[(FileId, u32)]) -> PathStep {
        let entries = self.entries.into_iter().map(
            |(function, Entry { self_, total, is_call, goes_on, sites })| {
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

/// The callees of a path through a call graph.
pub(crate) fn callees_in_graph(costs: &Costs, root: FunctionId, rest: &[FunctionId]) -> PathStep {
    let call_between =
        |caller, callee| costs.callees(caller).iter().find(|edge| edge.callee == callee);
    let Some(reach) = Reach::along(costs, root, rest, call_between) else {
        return PathStep::default();
    };
    let entries = costs.callees(reach.last).iter().map(|edge| {
        let callee = costs.function(edge.callee).cost;
        let only_caller =
            !reach.guessed && !edge.estimated && callee.total == Total::Exact(edge.total);
        // A callee without self cost has none on this path either. The self cost of a callee that
        // nothing else calls is all on this path.
        let self_ = (callee.self_ == 0.0 || only_caller).then_some(callee.self_);
        let leaf = costs.callees(edge.callee).is_empty();
        let total = edge.total * reach.share;
        PathEntry { leaf, ..reach.entry(costs, edge, edge.callee, self_, total) }
    });
    let self_ = rest.is_empty().then(|| costs.function(root).cost.self_);
    reach.step(self_, entries.collect())
}

/// The callers of a path through a call graph.
pub(crate) fn callers_in_graph(costs: &Costs, root: FunctionId, rest: &[FunctionId]) -> PathStep {
    let call_between = |callee, caller| costs.callers(callee).find(|edge| edge.caller == caller);
    let Some(reach) = Reach::along(costs, root, rest, call_between) else {
        return PathStep::default();
    };
    let entries = costs.callers(reach.last).map(|edge| {
        let total = edge.total * reach.share;
        let is_called = costs.callers(edge.caller).next().is_some();
        // A function that nothing calls is where samples start.
        let self_ = (!is_called && !reach.guessed && !edge.estimated).then_some(total);
        PathEntry {
            recursive: edge.caller == edge.callee,
            leaf: !is_called,
            ..reach.entry(costs, edge, edge.caller, self_, total)
        }
    });
    reach.step(None, entries.collect())
}

/// The part of a function's cost that lies on a path through a call graph.
struct Reach {
    last: FunctionId,
    total: f64,
    /// `total` as a fraction of the cost of `last`.
    share: f64,
    /// Whether the share is an estimate. It is exact if all calls of `last` are on the path.
    guessed: bool,
}

impl Reach {
    /// Follows a path; `find` returns the edge between two of its functions. `None` if one of the
    /// edges does not exist.
    fn along<'a>(
        costs: &'a Costs,
        root: FunctionId,
        rest: &[FunctionId],
        find: impl Fn(FunctionId, FunctionId) -> Option<&'a Edge>,
    ) -> Option<Self> {
        let mut reach = Self {
            last: root,
            total: costs.function(root).cost.magnitude(),
            share: 1.0,
            guessed: false,
        };
        for &next in rest {
            let edge = find(reach.last, next)?;
            let (total, whole) = (edge.total * reach.share, costs.function(next).cost);
            let share =
                if whole.magnitude() == 0.0 { 0.0 } else { (total / whole.magnitude()).min(1.0) };
            let guessed = reach.guessed || edge.estimated || whole.total != Total::Exact(total);
            reach = Self { last: next, total, share, guessed };
        }
        Some(reach)
    }

    fn entry(
        &self,
        costs: &Costs,
        edge: &Edge,
        function: FunctionId,
        self_: Option<f64>,
        total: f64,
    ) -> PathEntry {
        let sites = costs.sites(edge).iter().map(|site| SiteCost {
            file: site.file,
            line: site.line,
            total: site.total * self.share,
        });
        let estimated = edge.estimated || self.guessed;
        PathEntry {
            function,
            self_,
            total,
            estimated,
            sites: sites.collect(),
            inlined: edge.inlined,
            recursive: false,
            leaf: false,
        }
    }

    fn step(&self, self_: Option<f64>, mut entries: Vec<PathEntry>) -> PathStep {
        entries.sort_unstable_by(|a, b| hotter(a.total, b.total).then(a.function.cmp(&b.function)));
        PathStep { self_, total: self.total, estimated: self.guessed, entries }
    }
}

/// Descending by magnitude.
pub(crate) fn hotter(a: f64, b: f64) -> std::cmp::Ordering {
    b.abs().total_cmp(&a.abs())
}
