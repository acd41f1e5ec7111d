//! The rows of reports and lists of hot spots: functions, lines, calls, files, modules, packages,
//! libraries, threads, cliques or fields, in an order, down to a limit.

mod accessors;
mod by;
mod by_library;
mod groups;
pub mod order;
mod row;

use crate::compare::baseline::Before;
use crate::functions::own_code::{file_of, is_own_file};
use crate::snapshot::Snapshot;
use crate::world::context::Compared;
use accessors::fields;
use analysis::{
    CliqueCost, Cost, Edge, FileId, FunctionCost, FunctionId, ThreadId, Total, nearest,
};
use by_library::{ByLibrary, Part};
use formats::Format;
use groups::{GroupsBefore, groups, module, module_of_mercury};
use rustc_hash::FxHashMap;

pub use accessors::{Accessors, Field};
pub use by::By;
pub use groups::{Group, module_kind};
pub use row::{Limits, Omitted, Row, Scope, Sort};

/// Which rows to list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What to list.
    pub by: By,
    /// The order. Default: by self cost; calls, cliques and fields by total.
    pub sort: Option<Sort>,
    /// Whether to list own code only.
    pub scope: Scope,
    /// Whether to list functions that have idle cost only.
    pub idle: bool,
    /// The module or library of the functions. Default: all.
    pub module: Option<String>,
    /// A part of the name or file of each row, ignoring case. Default: all.
    pub filter: Option<String>,
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
    /// Files.
    Files(Vec<Row<Group>>),
    /// Modules or libraries.
    Modules(Vec<Row<Group>>),
    /// Packages.
    Packages(Vec<Row<Group>>),
    /// Libraries.
    Libraries(Vec<Row<Group>>),
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
            Self::Files(rows)
            | Self::Modules(rows)
            | Self::Packages(rows)
            | Self::Libraries(rows) => rows.is_empty(),
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

/// The baseline of rows.
#[derive(Clone, Copy)]
pub struct InBaseline<'a> {
    /// The baseline.
    pub compared: Compared<'a>,
    /// The cost in the baseline of a line (1-based, as recorded). `None` if it cannot be matched.
    pub line: &'a dyn Fn(FileId, u32) -> Option<Before>,
}

impl Ranking {
    /// The rows of a snapshot. The error is a message for users, without a full stop.
    pub fn rows(
        &self,
        snapshot: &Snapshot,
        baseline: Option<InBaseline<'_>>,
    ) -> Result<Ranked, String> {
        let default = match self.by {
            By::Edge | By::Clique | By::Field => Sort::Total,
            _ => Sort::Self_,
        };
        let sort = self.sort.unwrap_or(default);
        self.check(sort, snapshot, baseline.is_some())?;
        let list = List { ranking: self, snapshot, sort };
        let name = |function: FunctionId| snapshot.function(function).name;
        let file_name = |file: FileId| snapshot.file_name(file);
        let (rows, omitted) = match self.by {
            By::Function => {
                let mut is_own = list.own_files();
                let rows = self.functions(snapshot)?.map(|row| Row {
                    own: file_of(snapshot, row.what).is_some_and(&mut is_own),
                    last: is_runtime(snapshot, row.what),
                    ..row
                });
                let before =
                    |&function: &FunctionId| baseline?.compared.function(snapshot, function);
                let (rows, omitted) = list.select(rows, &before, |&function, has| {
                    has(name(function))
                        || snapshot.function(function).file.is_some_and(|file| has(file_name(file)))
                })?;
                (Rows::Functions(rows), omitted)
            }
            By::Line => {
                let lines = order::sorted_lines(snapshot).into_iter();
                let lines = lines.map(|line| Row::new((line.file, line.line), line.cost, None));
                let mut lines: Vec<_> = lines.collect();
                list.mark_own(&mut lines, |&(file, _)| Some(file));
                let before = |&(file, line): &(FileId, u32)| (baseline?.line)(file, line);
                let (rows, omitted) =
                    list.select(lines, &before, |&(file, _), has| has(file_name(file)))?;
                (Rows::Lines(rows), omitted)
            }
            By::Edge => {
                let mut edges: Vec<_> = snapshot.tree.edges().all().iter().map(edge_row).collect();
                edges.sort_by(|a, b| b.cost.magnitude().total_cmp(&a.cost.magnitude()));
                list.mark_own(&mut edges, |edge| file_of(snapshot, edge.caller));
                let (rows, omitted) = list.select(edges, &|_| None, |edge, has| {
                    has(name(edge.caller)) || has(name(edge.callee))
                })?;
                (Rows::Edges(rows), omitted)
            }
            By::File | By::Module | By::Package | By::Library => {
                let was = baseline.map(|baseline| GroupsBefore::new(baseline.compared, self.by));
                let before = |group: &Group| was.as_ref()?.of(group, snapshot);
                let rows = groups(snapshot, self.by)?;
                let (rows, omitted) = list.select(rows, &before, |group, has| {
                    group.name.as_deref().or(group.file.map(file_name)).is_some_and(has)
                })?;
                let rows = match self.by {
                    By::File => Rows::Files(rows),
                    By::Package => Rows::Packages(rows),
                    By::Library => Rows::Libraries(rows),
                    _ => Rows::Modules(rows),
                };
                (rows, omitted)
            }
            By::Thread => {
                let threads = snapshot.grouped.recording.threads();
                let rows = snapshot.costs.threads.iter().map(|thread| {
                    let cost = Cost { self_: thread.total, total: Total::Exact(thread.total) };
                    Row::new(thread.thread, cost, None)
                });
                let rows = rows.filter(|row| row.cost.self_ != 0.0);
                let (rows, omitted) = list.select(rows, &|_| None, |thread, has| {
                    threads.get(thread.index()).is_some_and(|thread| has(&thread.name))
                })?;
                (Rows::Threads(rows), omitted)
            }
            By::Clique => {
                let mut cliques = cliques(snapshot).ok_or(
                    "cliques are known of call graphs only, and this profile has stacks; list \
                     functions, whose totals count recursion once",
                )?;
                list.mark_own(&mut cliques, |clique| {
                    let functions = clique.functions.iter();
                    let mut files = functions.filter_map(|&function| file_of(snapshot, function));
                    files.find(|&file| is_own_file(snapshot, file))
                });
                let (rows, omitted) = list.select(cliques, &|_| None, |clique, has| {
                    clique.functions.iter().any(|&function| has(name(function)))
                })?;
                (Rows::Cliques(rows), omitted)
            }
            By::Field => {
                if !self.by.is_known_of(snapshot) {
                    return Err("fields are known of Mercury's deep profiles only".to_owned());
                }
                let rows = fields(snapshot, self.functions(snapshot)?);
                let (rows, omitted) = list.select(rows, &|_| None, |field, has| {
                    has(&field.full_name()) || has(&field.module)
                })?;
                (Rows::Fields(rows), omitted)
            }
        };
        Ok(Ranked { rows, sort, omitted })
    }

    /// Checks that the rows have what they are sorted by, divided by and limited to.
    fn check(&self, sort: Sort, snapshot: &Snapshot, has_baseline: bool) -> Result<(), String> {
        let rows = self.by.plural();
        let is_graph = !snapshot.tree.has_stacks();
        match (self.by, sort) {
            (By::Line | By::Thread, Sort::Calls) => {
                return Err(format!(
                    "calls of {rows} are not counted; sort {rows} by self or total"
                ));
            }
            (By::Edge, Sort::Self_) => {
                return Err("calls have no self cost; sort them by total or calls".to_owned());
            }
            (By::File | By::Module | By::Package | By::Library, Sort::Total) if is_graph => {
                return Err(format!(
                    "{rows} have no total, because calls between their functions overlap; sort \
                     them by self or calls"
                ));
            }
            (By::Edge | By::Thread | By::Clique | By::Field, Sort::Change) => {
                return Err(format!(
                    "changes of {rows} are not known; sort functions, lines or files by change"
                ));
            }
            (_, Sort::Change) if !has_baseline => {
                return Err(
                    "there is no profile to compare with; choose a baseline (`--baseline`) to sort by \
                     change"
                        .to_owned(),
                );
            }
            _ => {}
        }
        if self.limits.per_call && sort == Sort::Change {
            return Err("changes of costs per call are not known".to_owned());
        }
        if matches!(self.by, By::Line | By::Thread) && self.limits.per_call {
            return Err(format!(
                "calls of {rows} are not counted, so their costs per call are unknown"
            ));
        }
        if matches!(self.by, By::Thread | By::Field) && self.scope == Scope::Own {
            return Err(format!(
                "{rows} cannot be limited to own code; list functions or files instead"
            ));
        }
        if self.module.is_some() && !matches!(self.by, By::Function | By::Field) {
            return Err(format!(
                "only functions and fields can be limited to a module, not {rows}"
            ));
        }
        Ok(())
    }

    /// The functions of the module, hottest first.
    fn functions<'s>(
        &self,
        snapshot: &'s Snapshot,
    ) -> Result<impl Iterator<Item = Row<FunctionId>> + use<'s>, String> {
        let mut functions = order::hottest_functions(snapshot);
        let costs = &snapshot.costs;
        functions.retain(|&id| self.idle || costs.function(id).cost.magnitude() > 0.0);
        let parts = match &self.module {
            Some(name) => Some(self.parts_in_module(snapshot, name)?),
            None => None,
        };
        let row = move |id: FunctionId| {
            let (cost, partial) = match &parts {
                Some(parts) => *parts.get(&id)?,
                None => (costs.function(id), false),
            };
            Some(Row { partial, ..Row::new(id, cost.cost, cost.calls) })
        };
        Ok(functions.into_iter().filter_map(row))
    }

    /// The costs in a module of its functions, and whether they are only a part of the function.
    fn parts_in_module(
        &self,
        snapshot: &Snapshot,
        name: &str,
    ) -> Result<FxHashMap<FunctionId, (FunctionCost, bool)>, String> {
        let has_cost = |part: &Part<'_>| part.cost.cost.magnitude() > 0.0;
        let mut parts = ByLibrary::new(snapshot).parts();
        // Idle costs are known of whole functions.
        parts.retain(|part| has_cost(part) || (self.idle && !part.is_divided));
        if !parts.iter().any(|part| module(snapshot, part) == Some(name)) {
            let near = nearest(name, parts.iter().filter_map(|part| module(snapshot, part)));
            return Err(format!("no {} is called `{name}`{near}", module_kind(snapshot)));
        }
        let parts = parts.into_iter().filter(|part| module(snapshot, part) == Some(name));
        Ok(parts.map(|part| (part.function, (part.cost, part.is_divided))).collect())
    }
}

/// Sorts and limits the rows of a list.
struct List<'a> {
    ranking: &'a Ranking,
    snapshot: &'a Snapshot,
    sort: Sort,
}

impl List<'_> {
    /// Marks the rows whose file is own code.
    fn mark_own<T>(&self, rows: &mut [Row<T>], file: impl Fn(&T) -> Option<FileId>) {
        let mut is_own = self.own_files();
        for row in rows {
            row.own = file(&row.what).is_some_and(&mut is_own);
        }
    }

    /// Whether a file is own code.
    fn own_files(&self) -> impl FnMut(FileId) -> bool {
        let mut own: FxHashMap<FileId, bool> = FxHashMap::default();
        move |file| *own.entry(file).or_insert_with(|| is_own_file(self.snapshot, file))
    }

    /// The rows to list, own code first, and how many are omitted. `before` returns the cost of a row
    /// in the baseline, `matches` whether one of its texts has a property.
    fn select<T>(
        &self,
        rows: impl IntoIterator<Item = Row<T>>,
        before: &dyn Fn(&T) -> Option<Before>,
        matches: impl Fn(&T, &dyn Fn(&str) -> bool) -> bool,
    ) -> Result<(Vec<Row<T>>, Omitted), String> {
        let Ranking { by, scope, filter, limits, .. } = self.ranking;
        let before =
            |row: &Row<T>| if row.partial { None } else { before(&row.what).map(Box::new) };
        let rows = rows.into_iter().map(|mut row| {
            if self.sort == Sort::Change {
                row.before = before(&row);
            }
            row
        });
        let part = filter.as_deref().unwrap_or_default().to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&part);
        let is_listed = |row: &Row<T>| {
            (*scope == Scope::All || row.own) && (part.is_empty() || matches(&row.what, &has))
        };
        let base = self.snapshot.costs.base;
        let (mut rows, omitted) = limits.select(rows, is_listed, self.sort, base, by.plural())?;
        for row in &mut rows {
            row.before = row.before.take().or_else(|| before(row));
        }
        Ok((rows, omitted))
    }
}

/// Whether a function is the one in which Mercury's runtime begins. It is not part of the program.
fn is_runtime(snapshot: &Snapshot, function: FunctionId) -> bool {
    snapshot.loaded.format == Format::MercuryDeep
        && module_of_mercury(snapshot, function).is_some_and(|module| module == "Mercury runtime")
}

fn edge_row(edge: &Edge) -> Row<Edge> {
    Row::new(edge.clone(), Cost { self_: 0.0, total: edge.as_total() }, edge.calls)
}

fn cliques(snapshot: &Snapshot) -> Option<Vec<Row<CliqueCost>>> {
    let row = |clique: CliqueCost| {
        let cost = Cost { self_: clique.self_, total: clique.total };
        let calls = clique.calls;
        Row::new(clique, cost, calls)
    };
    Some(snapshot.tree.cliques()?.into_iter().map(row).collect())
}
