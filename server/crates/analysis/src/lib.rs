//! What a recording costs, by function, line, call and path.
//!
//! [`costs`] sums a whole recording once: self and total of every function and of every line of every file, and of every
//! caller → callee edge with its call sites. [`CallTree`] answers what depends on a path, on demand. Both look at a recording
//! through one [`View`] and one [`profile::Groups`], so that what is one thing to the user is counted once. What a view hides
//! or merges of stacks goes before: [`reshape`] gives the recording that is left.
//!
//! The rules: self goes to the leaf; whatever occurs several times on one stack (recursion, two names of one file, two
//! instances of one function) counts once for that sample; idle samples lie outside the total; samples without stack count
//! nowhere. Everything is linear in the stacks and iterates, so stacks may be as deep as they like.
//!
//! No file formats, no editors, no files, no clocks.

mod apply;
mod branches;
mod call_nodes;
mod call_tree;
mod calls;
mod costs;
mod cycles;
mod edges;
mod entry;
mod frames;
mod graph;
mod inclusive;
mod invocations;
mod names;
mod reshape;
mod transform;
mod unwound;
mod view;
mod weighted;

pub use apply::{Truncate, apply, apply_to_graph, truncate};
pub use branches::Branch;
pub use call_nodes::{CallNode, CallNodeId, CallNodes};
pub use call_tree::{CallTree, PathEntry, PathStep, SiteCost};
pub use costs::{Costs, FunctionCost, LineCost, PlaceCost, ThreadTotal, costs, thread_totals};
pub use edges::{Edge, Site};
pub use entry::is_entry_point;
pub use invocations::{call_graph, call_graph_without_levels, lines_as_functions, one_sample_per_call};
pub use names::{Unmatched, find_function, find_metric, find_threads, nearest};
pub use reshape::{Reshaped, find_names, reshape};
pub use transform::{Implementation, Operand, Transform, TransformKind};
pub use unwound::{Unwound, unwound};
pub use view::{IdleSamples, ThreadChoice, View};
