//! Callers and callees along a path, and the call tree.
//!
//! A path begins at a function F. Each sample that contains F is charged once, at F's *outermost*
//! call. See [`crate::stack_paths`] for samples, [`crate::graph_paths`] for call graphs and
//! [`crate::context_paths`] for call graphs with contexts.

use crate::activations::Activations;
use crate::call_groups::{CallGrouping, CallGroups, Cliques, group_step};
use crate::charges::Charges;
use crate::cliques::{CliqueCost, cliques_of_contexts, cliques_of_graph};
use crate::context_paths::ContextIndex;
use crate::costs::{Costs, JoinedCosts};
use crate::edges::Edges;
use crate::frames::Frames;
use crate::graph_paths::{GraphIndex, callees_in_graph, callers_in_graph};
use crate::jit_tiers::{JitTiers, of_function};
use crate::paths::{PathStep, Recursion};
use crate::recursion::FunctionRecursion;
use crate::stack_paths::StackIndex;
use crate::weighted::WeightedStacks;
use crate::{CallNodes, ThreadChoice, View};
use profile::{
    Cost, FileId, FunctionId, GraphAccess, Groups, MetricId, Recording, StackAccess, Total,
};
use rustc_hash::FxHashSet;
use std::sync::{Arc, Mutex, OnceLock};

/// The call tree of a recording under one view, expanded on demand. The index is built by the first
/// query.
#[derive(Debug)]
pub struct CallTree {
    recording: Arc<Recording>,
    view: View,
    groups: Arc<Groups>,
    index: OnceLock<Index>,
    call_nodes: OnceLock<CallNodes>,
    /// Those of stacks.
    edges: OnceLock<Edges>,
    /// The costs of sets of lines that were asked for.
    pub(crate) joined: Mutex<JoinedCosts>,
}

/// What queries are answered from.
#[expect(clippy::large_enum_variant, reason = "a tree has one of them")]
pub(crate) enum Index {
    Stacks(StackIndex),
    Graph(GraphIndex),
    Contexts(ContextIndex),
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stacks(index) => write!(f, "Index of {} stacks", index.len()),
            Self::Graph(graph) | Self::Contexts(ContextIndex { graph, .. }) => {
                write!(f, "Index of {} calls", graph.edges.all().len())
            }
        }
    }
}

impl CallTree {
    /// The tree of `recording` as seen through `view` and `groups`.
    pub fn new(recording: Arc<Recording>, view: View, groups: Arc<Groups>) -> Self {
        let (index, call_nodes, edges) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { recording, view, groups, index, call_nodes, edges, joined: Mutex::default() }
    }

    /// All edges. Computed by the first query.
    pub fn edges(&self) -> &Edges {
        match (&*self.recording, self.graph()) {
            (Recording::Stacks(profile), _) => {
                self.edges.get_or_init(|| Edges::of_stacks(profile, &self.view, &self.groups))
            }
            (Recording::Graph(_), Some(graph)) => &graph.edges,
            (Recording::Graph(_), None) => self.edges.get_or_init(Edges::default),
        }
    }

    /// The callees of `path` (`[F, c1, c2 …]`, inward). If recursion is collapsed, and the last
    /// function of the path calls itself, it comes last, outside the sum.
    pub fn callees(&self, path: &[FunctionId], recursion: Recursion) -> PathStep {
        let Some((&root, rest)) = path.split_first() else { return PathStep::default() };
        match self.index() {
            Index::Stacks(index) => index.callees(root, rest, recursion),
            Index::Contexts(index) if !rest.is_empty() => index.callees(root, rest),
            Index::Contexts(ContextIndex { graph, .. }) | Index::Graph(graph) => {
                callees_in_graph(graph, root, rest)
            }
        }
    }

    /// The callers of `path` (`[F, c1, c2 …]`, outward). If recursion is collapsed, and the last
    /// function of the path calls itself, it comes last, outside the sum. So do the callers of inner
    /// calls of F, for the path `[F]`.
    pub fn callers(&self, path: &[FunctionId], recursion: Recursion) -> PathStep {
        let Some((&root, rest)) = path.split_first() else { return PathStep::default() };
        match self.index() {
            Index::Stacks(index) => index.callers(root, rest, recursion),
            Index::Contexts(index) => index.callers(root, rest),
            Index::Graph(graph) => callers_in_graph(graph, root, rest),
        }
    }

    /// The callers of `path`, like [`Self::callers`], grouped. `module` returns the module of a function
    /// if the recording does not have it.
    pub fn grouped_callers(
        &self,
        path: &[FunctionId],
        recursion: Recursion,
        by: CallGrouping,
        module: &dyn Fn(FunctionId) -> String,
    ) -> CallGroups {
        let Some((&root, rest)) = path.split_first() else { return CallGroups::default() };
        if let Index::Contexts(index) = self.index() {
            return index.grouped_callers(root, rest, by, module);
        }
        let step = self.callers(path, recursion);
        let calls = |caller| {
            let edge = self.edges().callers(root).find(|edge| edge.caller == caller);
            edge.filter(|_| rest.is_empty())?.calls
        };
        group_step(&step, by, None, self.cliques_for(by), calls, module)
    }

    /// Whether lists of callers leave out functions that a contour excludes.
    pub fn has_contour(&self) -> bool {
        // Most recordings have none, and need no index to know it.
        self.recording.knows_contour()
            && match self.index() {
                Index::Contexts(index) => index.has_contour(),
                Index::Stacks(_) | Index::Graph(_) => false,
            }
    }

    /// The callees of `path`, like [`Self::callees`], grouped. `module` returns the module of a function
    /// if the recording does not have it.
    pub fn grouped_callees(
        &self,
        path: &[FunctionId],
        recursion: Recursion,
        by: CallGrouping,
        module: &dyn Fn(FunctionId) -> String,
    ) -> CallGroups {
        let Some(&last) = path.last() else { return CallGroups::default() };
        let step = self.callees(path, recursion);
        let calls = |callee| {
            let mut edges = self.edges().callees(last).iter();
            edges.find(|edge| edge.callee == callee).filter(|_| path.len() == 1)?.calls
        };
        let of_context = |function| match self.index() {
            Index::Contexts(index) => index.module(function),
            Index::Stacks(_) | Index::Graph(_) => None,
        };
        let module = |function| of_context(function).unwrap_or_else(|| module(function));
        group_step(&step, by, Some(last), self.cliques_for(by), calls, &module)
    }

    /// The functions that call each other, if calls are grouped by them.
    fn cliques_for(&self, by: CallGrouping) -> Option<Cliques> {
        let is_by_clique = by == CallGrouping::Clique;
        is_by_clique.then(|| Cliques::of(self.edges(), self.groups.n_functions()))
    }

    /// The callers of the functions that run on any of the lines, at the outermost such occurrence
    /// on each stack. Direct recursion is collapsed. Empty for a call graph, which does not record
    /// stacks.
    pub fn callers_of_lines(&self, file: FileId, lines: &[u32]) -> PathStep {
        match self.index() {
            Index::Stacks(index) => index.callers_of_lines(file, lines),
            Index::Contexts(_) | Index::Graph(_) => PathStep::default(),
        }
    }

    /// The tiers of the total of a function. Empty if the recording has none.
    pub fn jit_tiers(&self, function: FunctionId) -> JitTiers {
        match (&*self.recording, self.index()) {
            (Recording::Stacks(profile), Index::Stacks(index)) => {
                of_function(index, profile.frames(), function)
            }
            _ => JitTiers::new(),
        }
    }

    /// The recursion that a function takes part in. `None` if there is none in this view.
    pub fn recursion(&self, function: FunctionId) -> Option<FunctionRecursion> {
        match self.index() {
            Index::Contexts(index) => index.recursion(function),
            Index::Stacks(index) => FunctionRecursion::on_stacks(index, function),
            Index::Graph(GraphIndex { edges, .. }) => {
                FunctionRecursion::in_graph(edges, self.groups.n_functions(), function)
            }
        }
    }

    /// What own functions and their lines cost with the libraries that they call. Of a call graph these are
    /// estimates. `costs` are those of the recording under the view and groups of this tree.
    pub fn charges(&self, costs: &Costs, own: &FxHashSet<FunctionId>) -> Charges {
        match &*self.recording {
            _ if own.is_empty() => Charges::default(),
            Recording::Stacks(profile) => {
                Charges::of_stacks(profile, &self.view, &self.groups, own)
            }
            Recording::Graph(_) => Charges::of_graph(costs, self.edges(), own),
        }
    }

    /// Whether the recording has stacks. A call graph has none.
    pub fn has_stacks(&self) -> bool {
        matches!(&*self.recording, Recording::Stacks(_))
    }

    /// The cliques of a call graph, by their functions. `None` for stacks.
    pub fn cliques(&self) -> Option<Vec<CliqueCost>> {
        match self.index() {
            Index::Contexts(index) => Some(cliques_of_contexts(index)),
            Index::Graph(graph) => Some(cliques_of_graph(graph)),
            Index::Stacks(_) => None,
        }
    }

    /// The costs of a function in all metrics, with their indexes, if the recording has contexts.
    /// The total is unknown if several funcs are the function.
    pub fn costs_by_metric(&self, function: FunctionId) -> Vec<(MetricId, Cost)> {
        let Some(graph) = self.recording.summed().map(GraphAccess::tables) else {
            return Vec::new();
        };
        if graph.contexts.is_none() {
            return Vec::new();
        }
        let is_of = |func| self.groups.function(func) == function;
        let own: Vec<_> = graph.own.iter().filter(|own| is_of(own.func)).collect();
        let stated = graph.totals.iter().filter(|stated| stated.line == 0 && is_of(stated.func));
        let stated: Vec<_> = stated.collect();
        let cost = |metric: usize| Cost {
            self_: own
                .iter()
                .filter_map(|own| own.weights.get(metric))
                .fold(0.0, |sum, own| sum + own),
            total: match stated[..] {
                [stated] => stated.totals.get(metric).copied().unwrap_or(Total::Unknown),
                _ => Total::Unknown,
            },
        };
        (0..graph.metrics.len())
            .map(|metric| (MetricId::new(metric as u32), cost(metric)))
            .collect()
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

    /// What queries about a call graph are answered from; `None` for stacks.
    pub(crate) fn graph(&self) -> Option<&GraphIndex> {
        match &*self.recording {
            Recording::Stacks(_) => None,
            Recording::Graph(_) => match self.index() {
                Index::Contexts(ContextIndex { graph, .. }) | Index::Graph(graph) => Some(graph),
                Index::Stacks(_) => None,
            },
        }
    }

    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| match &*self.recording {
            Recording::Stacks(profile) => {
                let (stacks, own) = WeightedStacks::with_own(profile, &self.view);
                let activations = Activations::new(&stacks, profile, &self.groups);
                Index::Stacks(StackIndex::new(
                    stacks,
                    own,
                    Frames::new(profile, &self.groups),
                    activations,
                    self.groups.n_functions(),
                ))
            }
            Recording::Graph(graph) => {
                let (tables, view, groups) = (graph.tables(), &self.view, &*self.groups);
                let graph = GraphIndex::new(tables, view, groups);
                // A part of the threads has only a part of the contexts.
                let is_whole = view.threads == ThreadChoice::All;
                if is_whole && ContextIndex::is_in(tables, view.metric) {
                    Index::Contexts(ContextIndex::new(tables, view, groups, graph))
                } else {
                    Index::Graph(graph)
                }
            }
        })
    }
}
