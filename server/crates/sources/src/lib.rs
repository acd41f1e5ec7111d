//! Paths named by profiles to files of a workspace, the functions of a document, and lines of a recorded text to lines of an
//! edited one.
//!
//! Stands alone: it knows neither profiles nor editors. Of the disk it touches the given roots and nothing else, and of the files
//! in them it opens only generated JavaScript and its source maps.

mod functions;
mod index;
mod library;
mod lines;
mod map;
mod name;
mod prefix;
mod repo;
mod rust;
mod source_map;

pub use functions::{Call, Definition, FunctionKind, Functions, Language};
pub use index::{Limits, Root, RootKind, SourceIndex};
pub use library::library_paths;
pub use lines::LineMap;
pub use map::{How, Mapping, Reason, Rule, map_paths};
pub use source_map::{Executing, MapProblem, Original, OriginalPlace, SourceMap};
