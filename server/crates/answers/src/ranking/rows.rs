//! Rows of one kind.

use super::accessors::Field;
use super::groups::{Group, GroupKind};
use super::row::{Omitted, Row, Sort};
use analysis::{CliqueCost, Edge, FileId, FunctionId, ThreadId};

/// Rows of one kind, hottest first.
#[derive(Debug, Clone, PartialEq)]
pub enum Rows {
    /// Functions.
    Functions(Vec<Row<FunctionId>>),
    /// Lines (1-based).
    Lines(Vec<Row<(FileId, u32)>>),
    /// Calls. They have no self cost.
    Edges(Vec<Row<Edge>>),
    /// Files, modules, packages or libraries.
    Groups(GroupKind, Vec<Row<Group>>),
    /// Threads.
    Threads(Vec<Row<ThreadId>>),
    /// Cliques.
    Cliques(Vec<Row<CliqueCost>>),
    /// Fields.
    Fields(Vec<Row<Field>>),
}

impl Rows {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Functions(rows) => rows.is_empty(),
            Self::Lines(rows) => rows.is_empty(),
            Self::Edges(rows) => rows.is_empty(),
            Self::Groups(_, rows) => rows.is_empty(),
            Self::Threads(rows) => rows.is_empty(),
            Self::Cliques(rows) => rows.is_empty(),
            Self::Fields(rows) => rows.is_empty(),
        }
    }
}

/// The rows of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The rows.
    pub rows: Rows,
    /// What they are sorted by.
    pub sort: Sort,
    /// How many rows are omitted.
    pub omitted: Omitted,
}
