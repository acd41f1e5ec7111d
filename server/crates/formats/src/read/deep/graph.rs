//! The tables of a call graph from the nodes and costs of a deep profile: functions are procedures
//! that were called, calls are call sites by callee.

use super::costs::{Cost, Costs, Inclusive};
use super::links::Links;
use super::measure::Measure;
use super::nodes::{Counts, File, Header};
use crate::error::ReadError;
use crate::read::shared::func_text::FuncText;
use profile::both;
use profile::{
    BuildError, Call, Column, Context, ContextCall, Contexts, Func, FuncId, GraphTables,
    ModulePart, OwnCost, ProfileBuilder, RowWeights, SourceId, StatedTotal, Total,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc as Shared;

/// Builds the tables. `builder` has the strings and sources of the file.
pub(super) fn tables(
    file: &File,
    links: &Links,
    costs: &Costs,
    Rows { mut rows, row_of_arc }: Rows,
    mut builder: ProfileBuilder,
) -> Result<GraphTables, ReadError> {
    let (columns, procs) = both(
        || columns(&costs.arcs, &file.header),
        || {
            add_costs(&mut rows, &row_of_arc, file, links, costs);
            sums_of_procs(file, links, costs)
        },
    );
    let funcs = funcs(file, &procs, &mut builder)?;
    let build = Build { file, links, costs, funcs, procs, rows };
    let (calls, (totals, contexts)) =
        both(|| build.calls(), || (build.totals(), build.contexts(&row_of_arc)));
    Ok(GraphTables {
        metrics: Measure::ALL.iter().map(|measure| measure.metric(&file.header)).collect(),
        own: build.own(),
        calls,
        totals,
        contexts: Some(Shared::new(Contexts { columns, ..contexts })),
        symbols: builder.build().into_symbols(),
        ..GraphTables::default()
    })
}

/// The costs of calls, per measure.
fn columns(arcs: &[Inclusive], header: &Header) -> Vec<Column> {
    let column = |measure: &Measure| {
        let is_inclusive = measure.inclusive(Cost::default(), header).is_some();
        let n = if is_inclusive { arcs.len() } else { 0 };
        Column { own: Vec::with_capacity(n), below: Vec::with_capacity(n) }
    };
    let mut columns: Vec<Column> = Measure::ALL.iter().map(column).collect();
    // One pass, because the costs of calls are larger than the caches of processors.
    for arc in arcs {
        for (column, measure) in columns.iter_mut().zip(Measure::ALL) {
            column.own.extend(measure.inclusive(arc.own, header));
            column.below.extend(measure.inclusive(arc.below, header));
        }
    }
    columns
}

/// A sum over contexts.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    counts: Counts,
    cost: Inclusive,
    called: bool,
}

impl Sum {
    fn add(&mut self, counts: &Counts, cost: &Inclusive) {
        self.counts = self.counts.plus(counts);
        self.cost = Inclusive {
            own: self.cost.own.plus(cost.own),
            below: self.cost.below.plus(cost.below),
            repeated: self.cost.repeated.plus(cost.repeated),
        };
        self.called = true;
    }

    /// The inclusive cost, each unit once.
    fn total(&self) -> Cost {
        self.cost.own.plus(self.cost.below).minus(self.cost.repeated)
    }
}

/// The calls from one site to one procedure.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The procedure that contains the site.
    caller: u32,
    site: u32,
    callee: u32,
    sum: Sum,
    /// Whether some of the calls are recursion.
    recursive: bool,
}

fn sums_of_procs(file: &File, links: &Links, costs: &Costs) -> Vec<Sum> {
    let mut procs = vec![Sum::default(); file.procs.len()];
    for (context, cost) in costs.contexts.iter().enumerate() {
        if let Some(procedure) = links.proc_of_context[context] {
            procs[procedure as usize].add(&Counts::default(), cost);
        }
    }
    for arc in &links.arcs {
        if let Some(procedure) = links.proc_of_context[arc.callee as usize] {
            let sum = &mut procs[procedure as usize];
            sum.counts = sum.counts.plus(&file.calls.rows()[arc.call as usize].own);
        }
    }
    procs
}

/// The calls by site and callee.
#[derive(Debug)]
pub(super) struct Rows {
    /// Without costs until [`add_costs`].
    rows: Vec<Row>,
    row_of_arc: Vec<u32>,
}

/// The calls by site and callee, without costs.
pub(super) fn rows(file: &File, links: &Links) -> Rows {
    let mut rows: Vec<Row> = Vec::new();
    // Most sites have one row, which needs no look-up.
    let mut first_row = vec![u32::MAX; file.sites.len()];
    let mut by_ends: FxHashMap<(u32, u32, u32), u32> = FxHashMap::default();
    let row_of_arc = links.arcs.iter().map(|arc| {
        let site = arc.site;
        let procedure = |context: u32| links.proc_of_context[context as usize].unwrap_or_default();
        let (caller, callee) = (procedure(arc.caller), procedure(arc.callee));
        let is_known = |row: &Row| (row.caller, row.callee) == (caller, callee);
        let first = &mut first_row[site as usize];
        if rows.get(*first as usize).is_some_and(is_known) {
            *first
        } else {
            let row = *by_ends.entry((caller, site, callee)).or_insert_with(|| {
                rows.push(Row { caller, site, callee, sum: Sum::default(), recursive: false });
                rows.len() as u32 - 1
            });
            *first = row.min(*first);
            row
        }
    });
    let row_of_arc = row_of_arc.collect();
    Rows { rows, row_of_arc }
}

/// Adds what each arc costs to its row.
fn add_costs(rows: &mut [Row], row_of_arc: &[u32], file: &File, links: &Links, costs: &Costs) {
    for ((arc, cost), &row) in links.arcs.iter().zip(&costs.arcs).zip(row_of_arc) {
        let row = &mut rows[row as usize];
        row.sum.add(&file.calls.rows()[arc.call as usize].own, cost);
        row.recursive |= costs.is_recursive(arc);
    }
}

/// A func for each procedure that was called.
fn funcs(
    file: &File,
    procs: &[Sum],
    builder: &mut ProfileBuilder,
) -> Result<Vec<Option<FuncId>>, BuildError> {
    let mut funcs = Vec::with_capacity(procs.len());
    for (procedure, sum) in file.procs.rows().iter().zip(procs) {
        if !sum.called {
            funcs.push(None);
            continue;
        }
        let name = procedure.label.to_string();
        let func = FuncText { name: &name, line: procedure.line, ..FuncText::default() };
        let func = Func { source: procedure.source, ..func.func(builder)? };
        funcs.push(Some(builder.push_func(func)?));
    }
    Ok(funcs)
}

struct Build<'a> {
    file: &'a File,
    links: &'a Links,
    costs: &'a Costs,
    /// By procedure.
    funcs: Vec<Option<FuncId>>,
    procs: Vec<Sum>,
    rows: Vec<Row>,
}

impl Build<'_> {
    fn header(&self) -> &Header {
        &self.file.header
    }

    fn own_weights(&self, counts: &Counts) -> RowWeights {
        Measure::ALL.iter().map(|measure| measure.own(counts, self.header())).collect()
    }

    /// The own costs of procedures. They have no line of their own and are on the line of the first
    /// clause.
    fn own(&self) -> Vec<OwnCost> {
        let procs = self.funcs.iter().zip(self.file.procs.rows()).zip(&self.procs);
        procs
            .filter_map(|((func, procedure), sum)| {
                let (func, line) = ((*func)?, procedure.line);
                Some(OwnCost { func, source: None, line, weights: self.own_weights(&sum.counts) })
            })
            .collect()
    }

    fn calls(&self) -> Vec<Call> {
        let call = |row: &Row| {
            let site = &self.file.sites.rows()[row.site as usize];
            let (caller, callee) =
                (self.funcs[row.caller as usize]?, self.funcs[row.callee as usize]?);
            let weights = Measure::ALL.iter().map(|measure| {
                let total = measure.inclusive(row.sum.total(), self.header());
                total.unwrap_or_else(|| measure.own(&row.sum.counts, self.header()))
            });
            Some(Call {
                caller,
                source: site.source,
                line: site.line,
                callee,
                count: row.sum.counts.calls(),
                weights: weights.collect(),
                nested: false,
            })
        };
        self.rows.iter().filter_map(call).collect()
    }

    /// Inclusive function costs, and of their lines with calls.
    fn totals(&self) -> Vec<StatedTotal> {
        let mut stated = Vec::new();
        for (func, sum) in self.funcs.iter().zip(&self.procs) {
            let Some(func) = *func else { continue };
            let total = sum.total();
            let total = Measure::ALL.iter().map(|measure| {
                measure.inclusive(total, self.header()).map_or(Total::Unknown, Total::Exact)
            });
            stated.push(StatedTotal {
                func,
                source: None,
                line: 0,
                totals: total.collect(),
                calls: Some(sum.counts.calls()),
            });
        }
        for ((procedure, source, line), parts) in self.lines() {
            let Some(func) = self.funcs[procedure] else { continue };
            let total = |measure: &Measure| {
                let least = measure.inclusive(parts.least, self.header());
                match (least, measure.inclusive(parts.most, self.header())) {
                    (Some(min), Some(max)) if min < max => Total::Bounded { min, max },
                    (Some(cost), _) => Total::Exact(cost),
                    (None, _) => Total::Unknown,
                }
            };
            let totals = Measure::ALL.iter().map(total).collect();
            stated.push(StatedTotal { func, source, line, totals, calls: None });
        }
        stated
    }

    /// The inclusive line costs, by procedure, file and line.
    ///
    /// In recursion, the file has the cost of calls only as far as they do not lead back to the
    /// procedure. A line then costs at least the sum over its calls, and at most as much as the
    /// recursion as a whole.
    fn lines(&self) -> BTreeMap<(usize, Option<SourceId>, u32), OnLine> {
        let cliques = self.cliques_of_procs();
        let mut lines: BTreeMap<_, OnLine> = BTreeMap::new();
        for (i, procedure) in self.file.procs.rows().iter().enumerate() {
            if self.procs[i].called && procedure.line != 0 {
                let own = self.procs[i].cost.own;
                lines.entry((i, None, procedure.line)).or_default().add(own, own);
            }
        }
        for row in &self.rows {
            let site = &self.file.sites.rows()[row.site as usize];
            if site.line == 0 {
                continue;
            }
            let caller = row.caller as usize;
            let Inclusive { own, below, .. } = row.sum.cost;
            let line = lines.entry((caller, site.source, site.line)).or_default();
            line.add(row.sum.total(), own.plus(below));
            line.whole = line.whole.or(row.recursive.then_some(cliques[caller]));
        }
        let own = self.procs.iter().map(|procedure| procedure.cost.own);
        let recording = own.fold(Cost::default(), Cost::plus);
        for line in lines.values_mut() {
            line.most = line.whole.unwrap_or(line.most).at_most(recording);
        }
        lines
    }

    /// The cost of all cliques that each procedure is in.
    fn cliques_of_procs(&self) -> Vec<Cost> {
        let mut of_proc = vec![Cost::default(); self.procs.len()];
        let mut last_clique = vec![u32::MAX; self.procs.len()];
        for clique in 0..self.costs.cliques.len() as u32 {
            let members = self.costs.members.of(clique);
            let costs = members.iter().map(|&context| self.costs.contexts[context as usize]);
            let whole =
                costs.fold(Cost::default(), |sum, cost| sum.plus(cost.own).plus(cost.below));
            for &context in members {
                let Some(procedure) = self.links.proc_of_context[context as usize] else {
                    continue;
                };
                let procedure = procedure as usize;
                if last_clique[procedure] != clique {
                    last_clique[procedure] = clique;
                    of_proc[procedure] = of_proc[procedure].plus(whole);
                }
            }
        }
        of_proc
    }

    /// The parts of modules, and the part that each procedure is in. Modules whose procedures were
    /// never called are among them, because a contour file may name them.
    fn modules(&self) -> (Vec<ModulePart>, Vec<u32>) {
        let mut parts: Vec<ModulePart> = Vec::new();
        let mut by_key: FxHashMap<(&str, bool), u32> = FxHashMap::default();
        let of_proc = self.file.procs.rows().iter().map(|procedure| {
            let (name, exported) = (procedure.label.module(), procedure.exported);
            *by_key.entry((name, exported)).or_insert_with(|| {
                parts.push(ModulePart { name: name.to_owned(), exported, excluded: false });
                parts.len() as u32 - 1
            })
        });
        let of_proc = of_proc.collect();
        (parts, of_proc)
    }

    /// The contexts, without the costs of calls. `row_of_arc` has the row of [`GraphTables::calls`]
    /// of each arc.
    fn contexts(&self, row_of_arc: &[u32]) -> Contexts {
        let Links { arcs, proc_of_context, .. } = self.links;
        let (modules, module_of_proc) = self.modules();
        let contexts =
            proc_of_context.iter().zip(&self.costs.clique_of).map(|(procedure, &clique)| {
                let func = procedure.and_then(|procedure| self.funcs[procedure as usize]);
                let module = procedure.map(|procedure| module_of_proc[procedure as usize]);
                Context { func, clique, module }
            });
        let calls = arcs.iter().zip(row_of_arc).map(|(arc, &row)| ContextCall {
            caller: arc.caller,
            callee: arc.callee,
            row,
            count: self.file.calls.rows()[arc.call as usize].own.calls(),
        });
        Contexts {
            contexts: contexts.collect(),
            calls: calls.collect(),
            cliques: self.costs.cliques.clone(),
            modules,
            columns: Vec::new(),
        }
    }
}

/// The cost of one line of a procedure.
#[derive(Debug, Clone, Copy, Default)]
struct OnLine {
    least: Cost,
    most: Cost,
    /// The upper bound if there is recursion.
    whole: Option<Cost>,
}

impl OnLine {
    fn add(&mut self, least: Cost, most: Cost) {
        self.least = self.least.plus(least);
        self.most = self.most.plus(most);
    }
}
