//! The symbols of functions that were compiled at run time: name and place in one text.

use crate::read::dotnet;
use crate::read::folded::dialect::{Place, Position};
use crate::writer::Dialect;
use profile::JitTier;
use std::borrow::Cow;

/// A function that was compiled at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated<'a> {
    /// The name.
    pub name: Cow<'a, str>,
    /// The source file; empty = unknown.
    pub file: Cow<'a, str>,
    /// The line where it starts, 1-based; 0 = unknown.
    pub line: u32,
    /// The column where it starts, 1-based; 0 = unknown.
    pub column: u32,
    /// How the virtual machine ran it.
    pub tier: JitTier,
}

/// Parses the symbol of such a function, if it is more than a name: Node.js (`--perf-basic-prof`) and
/// Python (`-X perf`) put name and place into one symbol, .NET the signature and how the method was
/// compiled.
pub fn generated(symbol: &str) -> Option<Generated<'_>> {
    if let Some((name, _, tier)) = dotnet::of_perf_map(symbol) {
        let file = Cow::Borrowed("");
        return Some(Generated { name: name.into(), file, line: 0, column: 0, tier });
    }
    let Place { name, file, position, tier, .. } =
        Dialect::V8.parse(symbol).or_else(|| Dialect::Vmprof.parse(symbol))?;
    let (line, column) =
        if let Position::Definition { line, column } = position { (line, column) } else { (0, 0) };
    Some(Generated { name, file: file?, line, column, tier })
}
