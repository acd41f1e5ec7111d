//! What a recording costs, by function, line, call and path.
//!
//! [`costs`] sums a whole recording once: self and total of every function, of every line of every
//! file and of every caller → callee edge with its call sites. [`CallTree`] answers queries that
//! depend on a path, on demand. Both take one [`View`] and one [`profile::Groups`], so that funcs
//! that are one function to the user count once. Transforms and the implementation filter come
//! first: [`reshape`] returns the recording they leave.
//!
//! Self goes to the leaf. A function, line or edge that occurs several times on one stack
//! (recursion, two names of one file, two instances of one function) counts once for that sample.
//! Idle samples are outside the total. Samples without a stack count nowhere. Everything is linear
//! in the stacks and iterates, because stacks may be 100 000 frames deep.
//!
//! No file formats, no editors, no file access, no clock.
//!
//! ```
//! use analysis::{View, costs, find_function};
//! use profile::{Groups, Recording, text_samples};
//!
//! // Two samples: `hash` is the leaf of the first, `parse` that of the second.
//! let text = "
//!     main@10[file:app.rs]  main@10
//!     parse@22[file:app.rs] parse@23
//!     hash@5[file:lib.rs]
//! ";
//! let recording = Recording::from(text_samples::profile(text));
//! let groups = Groups::identity(recording.symbols());
//! let costs = costs(&recording, &View::of(&recording), &groups);
//!
//! let parse = find_function(recording.symbols(), &groups, "parse").unwrap();
//! let cost = costs.function(parse).cost;
//! assert_eq!((cost.self_, cost.total.exact()), (1.0, Some(2.0)));
//! ```

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod activations;
mod apply;
mod branches;
mod call_groups;
mod call_nodes;
mod call_tree;
mod calls;
mod charges;
mod cliques;
mod context_paths;
mod costs;
mod cycles;
mod edges;
mod entry;
mod flame_chart;
mod frames;
mod function_costs;
mod functions_of_stacks;
mod graph;
mod graph_edges;
mod graph_paths;
mod group;
mod inclusive;
mod invocations;
mod jit_tiers;
mod joined;
mod label_filter;
mod labels;
mod line_counts;
mod name_search;
mod named;
mod names;
mod paths;
mod phases;
mod problems;
mod range;
mod recording;
mod recursion;
mod reshape;
mod rewrites;
mod runs;
mod sample_weight;
mod stack_paths;
mod stacks;
mod sums;
mod timeline;
mod transform;
mod transformed;
mod tree_order;
mod unwind_stats;
mod view;
mod weighted;

pub use apply::{Truncate, apply, apply_to_graph, truncate};
pub use branches::Branch;
pub use call_groups::{CallGroup, CallGrouping, CallGroups, GroupKey};
pub use call_nodes::{CallNode, CallNodeId, CallNodes};
pub use call_tree::CallTree;
pub use charges::Charges;
pub use cliques::CliqueCost;
pub use costs::{Costs, LineCost, PlaceCost};
pub use edges::{Edge, Edges, Site};
pub use entry::is_entry_point;
pub use flame_chart::{FlameChart, ThreadChart, TimedCall, flame_chart};
pub use function_costs::FunctionCost;
pub use invocations::{
    call_graph, call_graph_without_levels, calls_by_stack, lines_as_functions, one_sample_per_call,
};
pub use jit_tiers::JitTiers;
pub use labels::{LabelCost, PartWithLabels, check_label, label_costs, label_keys};
pub use line_counts::{FileLineCount, LineCounts};
pub use name_search::NameSearch;
pub use named::{Addresses, identified, notation};
pub use names::{
    Unmatched, also_process, ambiguous, find_function, find_functions, find_metric, find_threads,
    nearest, thread_and_process, thread_labels,
};
pub use paths::{PathEntry, PathStep, Recursion, SiteCost};
pub use phases::{Phase, Phases, phases};
pub use problems::Problems;
pub use range::TimeRange;
pub use recording::{costs, max_memory, thread_totals};
pub use recursion::{FunctionRecursion, RecursionDepth, RecursionKind, RecursiveSites};
pub use reshape::{Reshaped, check_range, find_names, has_times, reshape};
pub use rewrites::{PathKind, Rewrites};
pub use runs::threads_by_run;
pub use sample_weight::{SampleWeights, sample_weights};
pub use sums::ThreadTotal;
pub use timeline::{Activity, Timeline, timeline};
pub use transform::{FunctionKey, Implementation, Name, Operand, Transform, TransformKind};
pub use tree_order::{Around, TreeOrder};
pub use unwind_stats::{UnwindStats, share_cut_at, unwind_stats};
pub use view::{IdleSamples, ThreadChoice, View};

// The types of `profile` that crates above may use. `StackAccess` and `GraphAccess` are not among
// them: these crates do not depend on `profile`, so they cannot reach stacks, frames and rows.
pub use profile::{
    BuildError, CallGraph, Code, Cost, Divided, FileId, Func, FuncId, FuncKey, FuncRole,
    FunctionId, Groups, JitTier, Label, LabelValue, Level, Lib, LibId, LineKnowledge, MergeError,
    Metric, MetricId, Moved, OriginalPlace, Part, PlaceKind, Position, Profile, RawStacks,
    Recording, SourceId, Start, SymbolTables, Symbolicated, Thread, ThreadId, Total, Warning,
    WarningCode, Warnings, at_call_sites, codes, divide, each_line, merge, relocate, with_files,
    with_files_of_lines, with_interrupted,
};

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
