//! The tables of a recorded profile.
//!
//! A [`Recording`] is the content of one profile, in columns: strings, libraries, sources, funcs,
//! frames, stacks, threads with their samples, and metrics. Readers fill a [`ProfileBuilder`],
//! which checks every index when its row is added. A finished [`Profile`] is immutable, and its
//! indexes are trusted.
//!
//! This crate does not read file formats, does not compute costs, and uses no files and no clock.
//!
//! ```
//! use profile::{Frame, Func, Metric, ProfileBuilder, Samples, StackAccess, Thread, Weights};
//!
//! let mut builder = ProfileBuilder::new(vec![Metric::new("cpu", "ns", None)], 0);
//! let name = builder.intern_string("main")?;
//! let source = Some(builder.intern_source("app.rs")?);
//! let main = builder.intern_func(Func { name, source, lib: None, line: 1, column: 0 })?;
//! // `main` at line 10, below nothing.
//! let frame = builder.intern_frame(Frame::new(main, 10))?;
//! let stack = builder.intern_stack(None, frame)?;
//! let samples = Samples::new(vec![Some(stack)], vec![Weights::Each(vec![1e6])]);
//! builder.push_thread(Thread::default(), samples)?;
//! let profile = builder.build();
//! assert_eq!(profile.stacks().len(), 1);
//! # Ok::<(), profile::BuildError>(())
//! ```

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod average;
mod both;
mod builder;
mod call_graph;
mod call_sites;
mod column;
mod contexts;
mod cost;
mod cycles;
mod divide;
mod func_key;
mod groups;
mod ids;
mod jit_tier;
mod labels;
mod line_count;
mod line_counts;
mod merge;
mod metric;
mod named;
mod raw_stacks;
mod recording;
mod registers;
mod relocate;
mod restack;
mod samples;
mod stack_table;
mod strings;
mod symbol_tables;
mod symbolicate;
#[cfg(any(test, feature = "test-support"))]
pub mod text_samples;
mod times;
mod warning;
mod warning_code;

pub use average::exact_step;
pub use both::both;
pub use builder::{BuildError, ProfileBuilder};
pub use call_graph::{
    Call, CallGraph, GraphAccess, GraphTables, OwnCost, PartOfGraph, RowWeights, StatedTotal,
    ThreadRows,
};
pub use call_sites::at_call_sites;
pub use contexts::{Clique, Column, Context, ContextCall, Contexts, ModulePart};
pub use cost::{Cost, Total};
pub use cycles::cycles;
pub use divide::{Divided, Start, divide};
pub use func_key::FuncKey;
pub use groups::{FileId, FuncRole, FunctionId, Groups};
pub use ids::{
    FrameId, FuncId, LabelId, LabelSetId, LibId, MetricId, SourceId, StackId, StringId, ThreadId,
};
pub use jit_tier::JitTier;
pub use labels::{Label, LabelTable, LabelValue};
pub use line_count::LineCount;
pub use merge::{MergeError, Part, merge};
pub use metric::{LineKnowledge, Metric};
pub use named::with_files;
pub use raw_stacks::{Callers, Mapping, RawStack, RawStacks, with_callers, with_interrupted};
pub use recording::{Profile, Recording, StackAccess};
pub use registers::{RawArch, Registers};
pub use relocate::{
    Moved, OriginalPlace, PlaceKind, Position, each_line, relocate, with_files_of_lines,
};
pub use restack::Restack;
pub use samples::{Samples, Thread, Weights};
pub use stack_table::{CategoryId, Frame, FrameTable, StackTable};
pub use strings::{Interner, StringTable};
pub use symbol_tables::{AddressBase, Code, Func, FuncTable, Lib, SymbolTables};
pub use symbolicate::{Level, Symbolicated, symbolicate};
pub use times::Clock;
pub use warning::{Warning, Warnings};
pub use warning_code::WarningCode;
