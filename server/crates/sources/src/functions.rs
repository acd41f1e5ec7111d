//! The functions of a document, found by tree-sitter: where each is defined, which one a line is in, what a line calls.
//!
//! Leaves to the caller which name in a profile means which of them. Broken syntax costs what is broken, no more.

#[cfg(feature = "grammars")]
mod calls;
#[cfg_attr(not(feature = "grammars"), path = "functions/absent.rs")]
mod document;
#[cfg(feature = "grammars")]
mod grammar;
#[cfg(feature = "grammars")]
mod names;
#[cfg(feature = "grammars")]
mod tokens;
#[cfg(feature = "grammars")]
mod tree;
#[cfg(feature = "grammars")]
mod walk;

pub use document::{Functions, Language};

use std::ops::{Range, RangeInclusive};

/// A function in a text. All lines are 0-based and end at `\n`; bytes count from the start of the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The last segment, as it stands in the text: `area`, `operator+`, `~Shape`; `get_Count` for an accessor of C#, as .NET names
    /// it. A closure is named by the variable, field, property or argument it is bound to, else it has no name.
    pub name: String,
    /// The type, class, module, namespace or receiver that it is directly in. A function in a function has none.
    pub container: Option<String>,
    /// Whether it is a declaration or a value.
    pub kind: FunctionKind,
    /// From decorators and template parameters to the last line of its body.
    pub lines: RangeInclusive<u32>,
    /// Likewise, in bytes.
    pub bytes: Range<usize>,
    /// The line of its name, where a reader looks for it; of a closure without name the line it starts on.
    pub name_line0: u32,
    /// The name; for a closure that may lie outside `bytes`, or be empty.
    pub name_bytes: Range<usize>,
    /// The innermost function around it, as index into [`Functions::all`].
    pub parent: Option<usize>,
}

/// What a function is in its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionKind {
    /// A function, method, constructor, operator, accessor.
    Function,
    /// A lambda, arrow function, function literal: profilers rarely use the name it is bound to.
    Closure,
}

/// A place where something is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The last segment of what is called: `b` of `a.b::<T>(x)`, `foo` of `foo!()`.
    pub name: String,
    /// Where that name stands.
    pub bytes: Range<usize>,
    /// The line it is on, 0-based.
    pub line0: u32,
}
