//! The rows of reports and lists of hot spots: functions, lines, calls, modules, cliques or fields,
//! in an order, down to a limit.

mod accessors;
mod row;

use crate::function_name::mercury_module;
use crate::order;
use crate::snapshot::Snapshot;
use accessors::fields;
use analysis::{CliqueCost, Cost, Edge, FileId, FunctionId, Total, nearest};
use formats::Format;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

pub use accessors::{Accessors, Field};
pub use row::{Limits, Row, Sort};

/// What to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HotSpotsBy")]
pub enum By {
    /// Functions.
    #[default]
    Function,
    /// Source lines.
    Line,
    /// Calls: caller → callee, with the hottest call site.
    Edge,
    /// Modules of Mercury, or else libraries, with the self cost of their functions.
    Module,
    /// Functions that call each other (call graphs only).
    Clique,
    /// Fields of Mercury data structures, with the procedures that get and set them.
    Field,
}

impl By {
    /// The rows, for messages.
    fn plural(self) -> &'static str {
        match self {
            Self::Function => "functions",
            Self::Line => "lines",
            Self::Edge => "calls",
            Self::Module => "modules",
            Self::Clique => "cliques",
            Self::Field => "fields",
        }
    }
}

/// Which rows to list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What to list.
    pub by: By,
    /// The order. Default: by total, modules by self cost.
    pub sort: Option<Sort>,
    /// Whether to list functions that have idle cost only.
    pub idle: bool,
    /// The module or library of the functions. Default: all.
    pub module: Option<String>,
    /// How many rows to list.
    pub limits: Limits,
}

/// Rows of one kind, hottest first.
#[derive(Debug, Clone, PartialEq)]
pub enum Rows {
    /// Functions.
    Functions(Vec<Row<FunctionId>>),
    /// Lines (1-based).
    Lines(Vec<Row<(FileId, u32)>>),
    /// Calls. They have no self cost.
    Edges(Vec<Row<Edge>>),
    /// Modules or libraries, `None` for functions without one. Their totals are unknown, because
    /// calls between their functions overlap.
    Modules(Vec<Row<Option<String>>>),
    /// Cliques.
    Cliques(Vec<Row<CliqueCost>>),
    /// Fields.
    Fields(Vec<Row<Field>>),
}

/// The rows of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The rows.
    pub rows: Rows,
    /// What they are sorted by.
    pub sort: Sort,
    /// The number of rows that [`Limits::per_call`] omits, because their calls are not counted.
    pub without_calls: usize,
}

impl Ranking {
    /// The rows of a snapshot. The error is a message for users, without a full stop.
    pub fn rows(&self, snapshot: &Snapshot) -> Result<Ranked, String> {
        let default = if self.by == By::Module { Sort::Self_ } else { Sort::Total };
        let sort = self.sort.unwrap_or(default);
        self.check(sort)?;
        let base = snapshot.costs.base;
        let limited = |without_calls, rows| Ranked { rows, sort, without_calls };
        Ok(match self.by {
            By::Function => {
                let (mut rows, without) =
                    self.limits.select(self.functions(snapshot)?, sort, base, self.by.plural())?;
                rows.sort_by_key(|row| is_runtime(snapshot, row.what));
                limited(without, Rows::Functions(self.limits.first(rows)))
            }
            By::Line => {
                let lines = order::sorted_lines(snapshot).into_iter().map(|line| Row {
                    what: (line.file, line.line),
                    cost: line.cost,
                    calls: None,
                });
                let (rows, without) =
                    self.limits.select(lines.collect(), sort, base, self.by.plural())?;
                limited(without, Rows::Lines(self.limits.first(rows)))
            }
            By::Edge => {
                let mut edges: Vec<_> = snapshot.costs.edges().iter().map(edge_row).collect();
                edges.sort_by(|a, b| b.cost.magnitude().total_cmp(&a.cost.magnitude()));
                let (rows, without) = self.limits.select(edges, sort, base, self.by.plural())?;
                limited(without, Rows::Edges(self.limits.first(rows)))
            }
            By::Module => {
                let (rows, without) =
                    self.limits.select(modules(snapshot)?, sort, base, self.by.plural())?;
                limited(without, Rows::Modules(self.limits.first(rows)))
            }
            By::Clique => {
                let cliques = cliques(snapshot).ok_or(
                    "cliques are known of call graphs only, and this profile has stacks; list \
                     functions, whose totals count recursion once",
                )?;
                let (rows, without) = self.limits.select(cliques, sort, base, self.by.plural())?;
                limited(without, Rows::Cliques(self.limits.first(rows)))
            }
            By::Field => {
                if snapshot.loaded.format != Format::MercuryDeep {
                    return Err("fields are known of Mercury's deep profiles only".to_owned());
                }
                let rows = fields(snapshot, self.functions(snapshot)?);
                let (rows, without) = self.limits.select(rows, sort, base, self.by.plural())?;
                limited(without, Rows::Fields(self.limits.first(rows)))
            }
        })
    }

    /// Checks that the rows have what they are sorted by and divided by.
    fn check(&self, sort: Sort) -> Result<(), String> {
        let rows = self.by.plural();
        match (self.by, sort) {
            (By::Line, Sort::Calls) => {
                return Err(
                    "calls of lines are not counted; sort lines by self or total".to_owned()
                );
            }
            (By::Edge, Sort::Self_) => {
                return Err("calls have no self cost; sort them by total or calls".to_owned());
            }
            (By::Module, Sort::Total) => {
                return Err(
                    "modules have no total, because calls between their functions overlap; sort \
                     them by self or calls"
                        .to_owned(),
                );
            }
            _ => {}
        }
        if self.by == By::Line && self.limits.per_call {
            return Err(
                "calls of lines are not counted, so their costs per call are unknown".to_owned()
            );
        }
        if self.module.is_some() && !matches!(self.by, By::Function | By::Field) {
            return Err(format!(
                "only functions and fields can be limited to a module, not {rows}"
            ));
        }
        Ok(())
    }

    /// The functions of the module, hottest first.
    fn functions(&self, snapshot: &Snapshot) -> Result<Vec<Row<FunctionId>>, String> {
        let functions = order::hottest_functions(snapshot).into_iter();
        let mut rows: Vec<_> = functions
            .filter(|(_, cost)| self.idle || cost.cost.magnitude() > 0.0)
            .map(|(what, cost)| Row { what, cost: cost.cost, calls: cost.calls })
            .collect();
        if let Some(name) = &self.module {
            let of: Vec<_> = rows.iter().map(|row| module(snapshot, row.what)).collect();
            if !of.contains(&Some(name)) {
                let near = nearest(name, of.iter().flatten().copied());
                return Err(format!("no {} is called `{name}`{near}", kind(snapshot)));
            }
            let mut of = of.into_iter();
            rows.retain(|_| of.next().flatten() == Some(name));
        }
        Ok(rows)
    }
}

/// What functions are grouped by: modules or libraries.
pub fn kind(snapshot: &Snapshot) -> &'static str {
    if snapshot.loaded.format == Format::MercuryDeep { "module" } else { "library" }
}

/// The module of a procedure of Mercury, or else the library of a function.
fn module(snapshot: &Snapshot, function: FunctionId) -> Option<&str> {
    let recorded = snapshot.grouped.recorded(snapshot.grouped.func(function));
    if snapshot.loaded.format == Format::MercuryDeep {
        mercury_module(recorded.name)
    } else {
        recorded.lib
    }
}

/// Whether a function is the one in which Mercury's runtime begins. It is not part of the program.
fn is_runtime(snapshot: &Snapshot, function: FunctionId) -> bool {
    snapshot.loaded.format == Format::MercuryDeep
        && module(snapshot, function).is_some_and(|module| module == "Mercury runtime")
}

fn edge_row(edge: &Edge) -> Row<Edge> {
    let cost = Cost { self_: 0.0, total: edge.as_total() };
    Row { what: edge.clone(), cost, calls: edge.calls }
}

/// The self cost and the calls of each module.
fn modules(snapshot: &Snapshot) -> Result<Vec<Row<Option<String>>>, String> {
    let mut modules: BTreeMap<Option<&str>, (f64, Option<u64>)> = BTreeMap::new();
    for (function, cost) in snapshot.costs.functions() {
        let (self_, calls) = modules.entry(module(snapshot, function)).or_default();
        *self_ += cost.cost.self_;
        *calls = match (*calls, cost.calls) {
            (Some(calls), Some(more)) => Some(calls.saturating_add(more)),
            (calls, more) => calls.or(more),
        };
    }
    if modules.keys().all(Option::is_none) {
        return Err(format!(
            "the profile does not say which {} its functions are in",
            kind(snapshot)
        ));
    }
    let row = |(what, (self_, calls)): (Option<&str>, _)| Row {
        what: what.map(str::to_owned),
        cost: Cost { self_, total: Total::Unknown },
        calls,
    };
    Ok(modules.into_iter().map(row).filter(|row| row.cost.self_ != 0.0).collect())
}

fn cliques(snapshot: &Snapshot) -> Option<Vec<Row<CliqueCost>>> {
    let row = |clique: CliqueCost| Row {
        cost: Cost { self_: clique.self_, total: clique.total },
        calls: clique.calls,
        what: clique,
    };
    Some(snapshot.tree.cliques()?.into_iter().map(row).collect())
}
