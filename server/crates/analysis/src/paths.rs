//! The steps along a call path: callers or callees with their costs.

use profile::{FileId, FunctionId, Total};

/// What to do where functions on a path call themselves directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Recursion {
    /// Consecutive calls of one function are one function of the path.
    #[default]
    Collapsed,
    /// Each call is a function of the path.
    Exact,
}

/// A call site with the weight of the samples that pass it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SiteCost {
    /// The caller's file.
    pub file: FileId,
    /// The line, 1-based.
    pub line: u32,
    /// Weight.
    pub total: f64,
}

/// One caller or callee of a path.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that do not exclude each other")]
pub struct PathEntry {
    /// The function.
    pub function: FunctionId,
    /// What stops at it: for a callee its self cost on this path, for a caller the samples that
    /// start there. `None` if a call graph does not tell.
    pub self_: Option<f64>,
    /// Weight of the samples that match the path extended by it.
    pub total: f64,
    /// Whether the weights are estimates.
    pub estimated: bool,
    /// The call sites: lines of the caller, which is the outer one of the two. Costliest first.
    pub sites: Vec<SiteCost>,
    /// Weight of the samples that pass calls without a known line.
    pub without_site: f64,
    /// Whether the function was inlined into its caller in all of these samples.
    pub inlined: bool,
    /// Whether it is a recursive call: the last function of the path, which calls itself, or a
    /// caller of inner calls of F. Then `total` is the weight of these calls, outside the sum.
    pub recursive: bool,
    /// Whether the extended path ends with it on every stack: it has no callees or, as a caller, no
    /// callers.
    pub leaf: bool,
}

impl PathEntry {
    /// The entry, marked as recursive.
    pub(crate) fn recursive(self) -> Self {
        Self { recursive: true, ..self }
    }

    /// The total, marked as exact or estimated.
    pub fn as_total(&self) -> Total {
        if self.estimated { Total::Estimated(self.total) } else { Total::Exact(self.total) }
    }
}

/// One step along a path.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathStep {
    /// What stops at the last function of the path: inward its self cost, outward what has no caller.
    /// `None` if a call graph does not tell.
    pub self_: Option<f64>,
    /// Weight of the samples that match the path.
    pub total: f64,
    /// Whether the weights are estimates.
    pub estimated: bool,
    /// The callers or callees, costliest first, recursive ones last.
    pub entries: Vec<PathEntry>,
}

impl PathStep {
    /// What no entry accounts for: [`Self::self_`]. `None` if that is nothing, or not known.
    pub fn rest(&self) -> Option<Total> {
        let rest = self.self_.filter(|rest| *rest != 0.0)?;
        Some(if self.estimated { Total::Estimated(rest) } else { Total::Exact(rest) })
    }
}

/// What is left of a total. Sums of fractions are rounded, so a tiny rest is none.
pub(crate) fn rest_of(total: f64, parts: f64) -> f64 {
    let rest = total - parts;
    if rest > 1e-9 * total { rest } else { 0.0 }
}

/// Descending by magnitude.
pub(crate) fn hotter(a: f64, b: f64) -> std::cmp::Ordering {
    b.abs().total_cmp(&a.abs())
}
