//! The functions of a document: where each is defined, which one contains a line, and what a line
//! calls. They are found by tree-sitter, those of Mercury among its tokens.
//!
//! Matching them with names in a profile is up to the caller. Syntax errors affect only the
//! functions they are in.

#[cfg(feature = "grammars")]
mod calls;
#[cfg_attr(not(feature = "grammars"), path = "functions/stub.rs")]
mod document;
#[cfg(feature = "grammars")]
mod grammar;
#[cfg(feature = "grammars")]
mod highlight;
#[cfg(feature = "grammars")]
mod language;
#[cfg(feature = "grammars")]
mod mercury;
#[cfg(feature = "grammars")]
mod names;
#[cfg(feature = "grammars")]
mod tokens;
#[cfg(feature = "grammars")]
mod tree;
#[cfg(feature = "grammars")]
pub mod trial;
#[cfg(feature = "grammars")]
mod walk;

pub use document::Functions;
#[cfg(not(feature = "grammars"))]
pub use document::Language;
#[cfg(feature = "grammars")]
pub use language::Language;

use std::ops::{Range, RangeInclusive};

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Highlight {
    /// A comment.
    Comment,
    /// A string, a character or a regular expression.
    Text,
    /// A number.
    Number,
    /// A word of the language.
    Keyword,
}

/// A function definition in a text. All lines are 0-based and end at `\n`; bytes count from the
/// start of the text.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "grammars", derive(serde::Serialize, serde::Deserialize))]
pub struct Definition {
    /// The last segment as written in the text: `area`, `operator+`, `~Shape`. An accessor of C# is
    /// `get_Count`, as .NET names it. A closure has the name of the variable, field, property or
    /// parameter it is bound to, or none.
    pub name: String,
    /// The number of arguments, in languages in which functions with the same name may differ in it
    /// only: Mercury.
    pub arity: Option<Arity>,
    /// The number of parameters in the text, in C, C++ and C#, unless it may vary.
    pub n_parameters: Option<usize>,
    /// The type, class, module, namespace or receiver directly around it. `None` for a function in
    /// a function.
    pub container: Option<String>,
    /// The packages, namespaces, modules, types and functions around it that the text names,
    /// outermost first, the container included. Without those that follow from the path of the file.
    pub scopes: Vec<String>,
    /// The trait that the `impl` around it implements, in Rust.
    pub implements: Option<String>,
    /// Whether it is a declaration or a value.
    pub kind: FunctionKind,
    /// From its decorators or template parameters to the last line of its body.
    pub lines: RangeInclusive<u32>,
    /// The same range in bytes.
    pub bytes: Range<usize>,
    /// Where its body starts, in bytes; its end if it has none.
    pub body_start: usize,
    /// The line of its name. For a closure without a name, the line it starts on.
    pub name_line0: u32,
    /// The name. For a closure it may be outside `bytes`, or empty.
    pub name_bytes: Range<usize>,
    /// The innermost function around it, as an index into [`Functions::all`].
    pub parent: Option<usize>,
}

/// The number of arguments of a predicate or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "grammars", derive(serde::Serialize, serde::Deserialize))]
pub struct Arity {
    /// Without the result.
    pub n_arguments: u32,
    /// Whether it is a function.
    pub has_result: bool,
}

/// The kind of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "grammars", derive(serde::Serialize, serde::Deserialize))]
pub enum FunctionKind {
    /// A function, method, constructor, operator, accessor.
    Function,
    /// A lambda, arrow function or function literal. Profilers rarely use the name it is bound to.
    Closure,
}

/// A call in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The last segment of the callee: `b` of `a.b::<T>(x)`, `foo` of `foo!()`.
    pub name: String,
    /// The range of that name.
    pub bytes: Range<usize>,
    /// The line of that name, 0-based.
    pub line0: u32,
    /// The number of arguments, in languages in which functions with the same name may differ in it
    /// only: C++. `None` if the text does not tell.
    pub n_arguments: Option<usize>,
}
