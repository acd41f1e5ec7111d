//! Finds the files of functions for which the profile has names only, as in most folded stacks.
//!
//! A function is found if exactly one definition in the workspace folders has its full name: the
//! crate, package or namespace, the modules, types and functions around it, and its trait. Names
//! without any of these are only looked for in C and C++, in Python, and among the functions that Rust
//! exports, and only if the workspace defines enough of the program's names. Anything else would give
//! the costs of a library's `read` to the user's.

mod found;
#[cfg(feature = "grammars")]
mod search;

pub use found::{AmbiguousFunction, ByName};
#[cfg(feature = "grammars")]
pub use search::find;

#[cfg(not(feature = "grammars"))]
use {
    crate::functions::definitions::ParsedFiles, analysis::Recording, sources::SourceIndex,
    std::path::Path, std::sync::Arc,
};

/// Finds nothing: without the feature `grammars`, no definitions are known.
#[cfg(not(feature = "grammars"))]
pub fn find(
    _: &Recording,
    _: &SourceIndex,
    _: impl Fn(&Path) -> bool,
    _: &ParsedFiles,
    _: impl Fn(&Path) -> Option<Arc<str>>,
) -> ByName {
    ByName::default()
}
