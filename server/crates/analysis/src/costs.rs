//! All costs of a recording at once.

use crate::call_nodes::CallNodes;
use crate::calls::CallCounts;
use crate::edges::{Edge, Edges, Site};
use crate::frames::{Frames, NO_LINE};
use crate::graph;
use crate::weighted::{Sums, WeightedStacks, weigh};
use crate::{ThreadChoice, View};
use profile::{Cost, FileId, FrameId, FunctionId, Groups, LineKnowledge, Metric, Profile, Recording, ThreadId, Total};
use std::ops::Range;

/// What one function costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionCost {
    /// Self and total, idle samples aside.
    pub cost: Cost,
    /// Weight of the idle samples that end here.
    pub idle: f64,
    /// How often it was called, where the recording counted calls.
    pub calls: Option<u64>,
}

/// What one line of one file costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineCost {
    /// The file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Self and total.
    pub cost: Cost,
}

/// What one function costs on one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaceCost {
    /// The function.
    pub function: FunctionId,
    /// The file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Self and total of the function's frames on this line.
    pub cost: Cost,
    /// Whether all of these frames were inlined into their callers.
    pub inlined: bool,
}

/// What one thread adds to the total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadTotal {
    /// The thread.
    pub thread: ThreadId,
    /// Weight of its samples, idle ones and those without a stack aside.
    pub total: f64,
    /// How many rows of the recording these are, whatever each of them weighs: samples, or in a call graph costs of lines.
    pub samples: u64,
}

/// What a recording costs under one view, in raw weights of the view's metric.
#[derive(Debug, Clone)]
pub struct Costs {
    /// What weights count.
    pub metric: Metric,
    /// Weight of all samples that have a stack and are not idle.
    pub total: f64,
    /// What percentages are of: the sum of |self| over all call nodes, or over all functions of a call graph. The same as
    /// `total` unless some weights are negative (Firefox Profiler, `rootTotalSummary`).
    pub base: f64,
    /// Weight of idle samples.
    pub idle: f64,
    /// Weight of samples without a stack.
    pub no_stack: f64,
    /// Self cost that lies on no line.
    pub no_line: f64,
    /// The threads looked at.
    pub threads: Vec<ThreadTotal>,
    functions: Vec<FunctionCost>,
    /// Per function whether it costs anything or passes anything on: with negative weights that may add up to nothing.
    listed: Vec<bool>,
    lines: Vec<LineCost>,
    /// By file and line, costliest function first.
    places: Vec<PlaceCost>,
    /// The first line with cost of each function.
    first_lines: Vec<Option<(FileId, u32)>>,
    edges: Edges,
    /// Edge numbers by callee: those of function `f` lie from `by_callee_start[f]` to `by_callee_start[f + 1]`.
    by_callee: Vec<u32>,
    by_callee_start: Vec<u32>,
}

/// Sums `recording` under `view`; what `groups` unites counts as one.
pub fn costs(recording: &Recording, view: &View, groups: &Groups) -> Costs {
    match recording {
        Recording::Stacks(profile) => costs_of_stacks(profile, recording, view, groups),
        Recording::Graph(graph) => graph::costs(graph, view, groups),
    }
}

/// What each thread of a recording would add to the total under a view of all threads; nothing for a recording without threads.
pub fn thread_totals(recording: &Recording, view: &View) -> Vec<ThreadTotal> {
    let view = View { threads: ThreadChoice::All, ..view.clone() };
    match recording {
        Recording::Stacks(profile) => weigh(profile, &view).1.thread_totals(),
        Recording::Graph(graph) => graph::thread_totals(graph, view.metric.index()),
    }
}

fn costs_of_stacks(profile: &Profile, recording: &Recording, view: &View, groups: &Groups) -> Costs {
    let metric = recording.metrics().get(view.metric.index()).cloned();
    let metric = metric.unwrap_or_else(|| Metric::new("samples", "samples", None));
    let ((own, mut sums), frames) = std::thread::scope(|scope| {
        let frames = scope.spawn(|| Frames::new(profile, groups));
        (weigh(profile, view), frames.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    // Self cost needs no order: it is summed per place, and the rest follows from the places.
    let mut place_self = vec![0.0; frames.places.len()];
    for (id, &own) in profile.stacks().ids().zip(&own).filter(|&(_, &own)| own != 0.0) {
        place_self[frames.place(profile.stacks().frame(id)) as usize] += own;
    }
    let (mut function_self, mut line_self) = (vec![0.0; groups.n_functions()], vec![0.0; frames.lines.len()]);
    for (&(function, line), &own) in frames.places.iter().zip(&place_self) {
        function_self[function.index()] += own;
        if line != NO_LINE {
            line_self[line as usize] += own;
        }
    }
    if own.iter().any(|&own| own < 0.0) {
        sums.base = CallNodes::new(profile, view, groups).absolute_self();
    }
    let stacks = WeightedStacks::new(profile, own);

    let known = |cost: Cost| match metric.lines {
        LineKnowledge::SelfAndTotal => cost,
        LineKnowledge::SelfOnly | LineKnowledge::SelfEstimated | LineKnowledge::Nothing => Cost { total: Total::Unknown, ..cost },
    };
    // Edges take as long as all the rest; they share nothing with it but what both read.
    let (mut functions, lines, places, mut edges) = std::thread::scope(|scope| {
        let edges = scope.spawn(|| Edges::of(&stacks, &frames));
        let functions = with_totals(&stacks, function_self, |frame| frames.function(frame).index());
        let mut functions: Vec<_> = functions.into_iter().map(|cost| FunctionCost { cost, idle: 0.0, calls: None }).collect();
        for &(frame, weight) in &sums.idle_leaves {
            functions[frames.function(frame).index()].idle += weight;
        }
        let lines = with_totals(&stacks, line_self, |frame| frames.line(frame) as usize);
        let lines = frames.lines.iter().zip(lines).map(|(&(file, line), cost)| LineCost { file, line, cost: known(cost) });
        let lines = lines.filter(|line| line.cost.magnitude() > 0.0).collect();
        let places = with_totals(&stacks, place_self, |frame| frames.place(frame) as usize);
        let mut inlined = vec![true; frames.places.len()];
        for &frame in stacks.frame.iter().filter(|&&frame| !frames.is_inlined(frame)) {
            inlined[frames.place(frame) as usize] = false;
        }
        let places = frames.places.iter().zip(places).zip(inlined).filter_map(|((&(function, line), cost), inlined)| {
            let &(file, line) = frames.lines.get(line as usize)?;
            Some(PlaceCost { function, file, line, cost: known(cost), inlined })
        });
        let places = sorted(places.filter(|place| place.cost.magnitude() > 0.0).collect());
        (functions, lines, places, edges.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    if let Some(counts) = CallCounts::of(profile, view, &frames, functions.len()) {
        for (function, calls) in functions.iter_mut().zip(counts.functions) {
            function.calls = Some(calls);
        }
        for edge in &mut edges.edges {
            edge.calls = Some(counts.edges.get(&(edge.caller, edge.callee)).copied().unwrap_or(0));
        }
    }
    Costs::new(metric, &sums, functions, lines, places, edges)
}

/// By file and line, costliest function first.
pub(crate) fn sorted(mut places: Vec<PlaceCost>) -> Vec<PlaceCost> {
    places.sort_unstable_by(|a, b| {
        let hotter = b.cost.magnitude().total_cmp(&a.cost.magnitude());
        (a.file, a.line).cmp(&(b.file, b.line)).then(hotter).then(a.function.cmp(&b.function))
    });
    places
}

/// Adds totals to self costs by key, where `key` gives the key of a frame; a key beyond `own` is not summed.
///
/// A position adds its subtree to its key only if it does not lie in the subtree of another position with that key: the
/// outermost occurrence stands for all that recursion repeats below it.
fn with_totals(stacks: &WeightedStacks, own: Vec<f64>, key: impl Fn(FrameId) -> usize) -> Vec<Cost> {
    let mut sums: Vec<(u32, f64)> = vec![(0, 0.0); own.len()];
    for k in 0..stacks.len() {
        let Some((covered_until, total)) = sums.get_mut(key(stacks.frame[k])) else { continue };
        if k as u32 >= *covered_until {
            *covered_until = stacks.end[k];
            *total += stacks.total[k];
        }
    }
    own.into_iter().zip(sums).map(|(self_, (_, total))| Cost { self_, total: Total::Exact(total) }).collect()
}

impl Costs {
    pub(crate) fn new(
        metric: Metric,
        sums: &Sums,
        functions: Vec<FunctionCost>,
        lines: Vec<LineCost>,
        places: Vec<PlaceCost>,
        edges: Edges,
    ) -> Self {
        let on_lines: f64 = lines.iter().map(|line| line.cost.self_).sum();
        let mut listed: Vec<bool> = functions.iter().map(|cost| cost.cost.magnitude() > 0.0 || cost.idle != 0.0).collect();
        for edge in edges.edges.iter().filter(|edge| edge.total != 0.0) {
            listed[edge.caller.index()] = true;
            listed[edge.callee.index()] = true;
        }
        let mut first_lines = vec![None; functions.len()];
        for place in places.iter().rev() {
            first_lines[place.function.index()] = Some((place.file, place.line));
        }
        let (by_callee_start, by_callee) = group(functions.len(), edges.edges.iter().map(|edge| edge.callee.index()));
        Self {
            metric,
            total: sums.total,
            base: sums.base,
            idle: sums.idle,
            no_stack: sums.no_stack,
            no_line: functions.iter().map(|function| function.cost.self_).sum::<f64>() - on_lines,
            threads: sums.thread_totals(),
            functions,
            listed,
            lines,
            places,
            first_lines,
            edges,
            by_callee,
            by_callee_start,
        }
    }

    /// What a function costs.
    ///
    /// # Panics
    /// If `function` is of other groups.
    pub fn function(&self, function: FunctionId) -> FunctionCost {
        self.functions[function.index()]
    }

    /// The functions that occur on a stack with weight, idle ones included, in table order. With negative weights the costs of
    /// such a function may add up to 0.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, FunctionCost)> + '_ {
        let listed = self.functions.iter().copied().zip(&self.listed);
        (0..).map(FunctionId::new).zip(listed).filter(|&(_, (_, &listed))| listed).map(|(function, (cost, _))| (function, cost))
    }

    /// All lines that cost anything, by file and line.
    pub fn lines(&self) -> &[LineCost] {
        &self.lines
    }

    /// The lines of one file between `range` (1-based), in order.
    pub fn lines_of(&self, file: FileId, range: Range<u32>) -> &[LineCost] {
        let from = self.lines.partition_point(|line| (line.file, line.line) < (file, range.start));
        let to = self.lines.partition_point(|line| (line.file, line.line) < (file, range.end.max(range.start)));
        &self.lines[from..to]
    }

    /// The functions with cost on one line (1-based), costliest first.
    pub fn functions_on(&self, file: FileId, line: u32) -> &[PlaceCost] {
        let from = self.places.partition_point(|place| (place.file, place.line) < (file, line));
        let to = self.places.partition_point(|place| (place.file, place.line) <= (file, line));
        &self.places[from..to]
    }

    /// The first line (1-based) of a function that has cost; `None` where no line of it is known.
    pub fn first_line(&self, function: FunctionId) -> Option<(FileId, u32)> {
        self.first_lines.get(function.index()).copied().flatten()
    }

    /// All edges, by caller and callee.
    pub fn edges(&self) -> &[Edge] {
        &self.edges.edges
    }

    /// The edges out of a function.
    pub fn callees(&self, caller: FunctionId) -> &[Edge] {
        let from = self.edges.edges.partition_point(|edge| edge.caller < caller);
        let to = self.edges.edges.partition_point(|edge| edge.caller <= caller);
        &self.edges.edges[from..to]
    }

    /// The edges into a function.
    pub fn callers(&self, callee: FunctionId) -> impl Iterator<Item = &Edge> {
        let range = match self.by_callee_start.get(callee.index()..) {
            Some([from, to, ..]) => *from as usize..*to as usize,
            _ => 0..0,
        };
        self.by_callee[range].iter().map(|&edge| &self.edges.edges[edge as usize])
    }

    /// The call sites of an edge, costliest first.
    pub fn sites(&self, edge: &Edge) -> &[Site] {
        &self.edges.sites[edge.sites.start as usize..edge.sites.end as usize]
    }
}

/// The numbers of the items with each key below `n`, in order: those of `key` lie from `starts[key]` to `starts[key + 1]`.
pub(crate) fn group(n: usize, keys: impl Iterator<Item = usize> + Clone) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; n + 1];
    for key in keys.clone() {
        starts[key + 1] += 1;
    }
    for i in 0..n {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut items = vec![0_u32; starts[n] as usize];
    for (key, item) in keys.zip(0..) {
        items[next[key] as usize] = item;
        next[key] += 1;
    }
    (starts, items)
}
