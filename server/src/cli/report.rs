//! `costline report`: all costs of a profile, as tables or as JSON.

mod json;

#[cfg(test)]
pub use json::schema;

pub use json::json;

use super::style::Style;
use super::{Failure, Output, USAGE};
use analysis::{CliqueCost, Edge, FileId, FunctionId};
use engine::present::labels::Scale;
use engine::present::text::{library, plain};
use engine::present::units;
use engine::ranking::{Accessors, By, Field, Limits, Ranked, Ranking, Row, Rows, Sort, kind};
use engine::snapshot::Snapshot;
use std::io::{self, Write};

/// The rows of a text report.
#[derive(Debug, clap::Args)]
pub struct RowArgs {
    /// What to list
    #[arg(long, value_enum, default_value = "function")]
    by: By,
    /// What to sort by [default: total; modules: self]
    #[arg(long, value_enum)]
    sort: Option<Sort>,
    /// Divide costs by the number of calls; rows without counted calls are omitted
    #[arg(long)]
    per_call: bool,
    /// Omit rows that cost less than this percentage, in what rows are sorted by
    #[arg(long, value_name = "PERCENT")]
    min_percent: Option<f64>,
    /// Omit rows that cost less than this, in units of the metric and in what rows are sorted by
    #[arg(long, value_name = "VALUE")]
    min: Option<f64>,
    /// Maximum number of rows
    #[arg(long, default_value_t = 30, value_name = "ROWS")]
    limit: usize,
    /// List only the functions or fields of this Mercury module, or of this library
    #[arg(long, value_name = "NAME")]
    module: Option<String>,
}

impl RowArgs {
    pub(super) fn ranking(self) -> Ranking {
        let Self { by, sort, per_call, min_percent, min, limit, module } = self;
        let limits = Limits { per_call, min_percent, min, limit };
        Ranking { by, sort, idle: true, module, limits }
    }
}

/// The width of the columns of costs.
const COSTS_WIDTH: usize = 22 + 1 + 22 + 2;

/// Writes the report as a table.
pub(super) fn text(
    snapshot: &Snapshot,
    ranking: &Ranking,
    style: Style,
    out: &mut Output,
) -> Result<(), Failure> {
    let ranked =
        ranking.rows(snapshot).map_err(|problem| Failure { code: USAGE, message: problem })?;
    let scale =
        Scale { metric: &snapshot.costs.metric, base: snapshot.costs.base, unit: style.unit };
    writeln!(out, "{}", super::headline(snapshot))?;
    let mut table = Table { snapshot, scale, per_call: ranking.limits.per_call, style, out };
    table.rows(&ranked)?;
    if ranked.without_calls > 0 {
        let rows = units::counted(ranked.without_calls as f64, "rows");
        writeln!(out, "{rows} without counted calls omitted")?;
    }
    Ok(())
}

struct Table<'a> {
    snapshot: &'a Snapshot,
    scale: Scale<'a>,
    per_call: bool,
    style: Style,
    out: &'a mut Output,
}

impl Table<'_> {
    fn rows(&mut self, ranked: &Ranked) -> io::Result<()> {
        let each = if self.per_call { " per call" } else { "" };
        let total = match ranked.rows {
            Rows::Modules(_) => String::new(),
            _ => format!("total{each}"),
        };
        writeln!(self.out, "{:>22} {total:>22}", format!("self{each}"))?;
        match &ranked.rows {
            Rows::Functions(rows) => rows.iter().try_for_each(|row| self.function(row)),
            Rows::Lines(rows) => rows.iter().try_for_each(|row| self.line(row)),
            Rows::Edges(rows) => rows.iter().try_for_each(|row| self.edge(row)),
            Rows::Modules(rows) => self.modules(rows),
            Rows::Cliques(rows) => rows.iter().try_for_each(|row| self.clique(row)),
            Rows::Fields(rows) => rows.iter().try_for_each(|row| self.field(row)),
        }
    }

    /// A weight of all calls, or of one.
    fn weight(&self, weight: f64) -> String {
        if self.per_call {
            units::absolute(weight, self.scale.metric)
        } else {
            self.scale.weight(weight)
        }
    }

    fn row<T>(&mut self, row: &Row<T>, what: &str) -> io::Result<()> {
        let cost = row.shown(self.per_call);
        let self_ = self.scale.own(cost, |weight| self.weight(weight));
        let total = units::total(cost.total, |weight| self.weight(weight));
        let cells = format!("{self_:>22} {total:>22}");
        let cells = self.style.heat(&cells, row.cost.magnitude() / self.scale.base);
        writeln!(self.out, "{cells}  {what}{}", units::calls(row.calls))
    }

    fn name(&self, function: FunctionId) -> String {
        plain(self.snapshot.function(function).name).into_owned()
    }

    fn file_name(&self, file: FileId) -> String {
        plain(self.snapshot.file_name(file)).into_owned()
    }

    fn function(&mut self, row: &Row<FunctionId>) -> io::Result<()> {
        let this = self.snapshot.function(row.what);
        let place = match (this.file, self.snapshot.start_line(row.what), this.lib) {
            (Some(file), None, _) => self.file_name(file),
            (Some(file), Some(line), _) => format!("{}:{line}", self.file_name(file)),
            (None, _, Some(lib)) => library(lib),
            (None, _, None) => String::new(),
        };
        let what = self.style.name_and_place(COSTS_WIDTH, &plain(this.name), &place);
        let idle = self.snapshot.costs.function(row.what).idle;
        if row.cost.magnitude() > 0.0 || idle == 0.0 {
            return self.row(row, &what);
        }
        let idle = format!("idle {}", units::absolute(idle, self.scale.metric));
        writeln!(self.out, "{:>22} {idle:>22}  {what}", "")
    }

    fn line(&mut self, row: &Row<(FileId, u32)>) -> io::Result<()> {
        let (file, line) = row.what;
        self.row(row, &format!("{}:{line}", self.file_name(file)))
    }

    fn edge(&mut self, row: &Row<Edge>) -> io::Result<()> {
        let edge = &row.what;
        let site = self.snapshot.costs.sites(edge).first();
        let site = site
            .map(|site| format!("  at {}:{}", self.file_name(site.file), site.line))
            .unwrap_or_default();
        let calls = units::calls(row.calls);
        let what = format!("{} → {}{site}{calls}", self.name(edge.caller), self.name(edge.callee));
        let total = units::total(row.shown(self.per_call).total, |weight| self.weight(weight));
        writeln!(self.out, "{:>22} {total:>22}  {what}", "")
    }

    fn modules(&mut self, rows: &[Row<Option<String>>]) -> io::Result<()> {
        let none = format!("no {}", kind(self.snapshot));
        let mut modules: Vec<_> = rows
            .iter()
            .map(|row| {
                let name = row.what.as_deref().map_or(none.as_str().into(), plain);
                (row.shown(self.per_call).self_, row.calls, name)
            })
            .collect();
        if !self.per_call {
            modules.push((self.snapshot.costs.total, None, "program".into()));
        }
        for (self_, calls, name) in modules {
            let self_ = self.weight(self_);
            writeln!(self.out, "{self_:>22} {:>22}  {name}{}", "", units::calls(calls))?;
        }
        Ok(())
    }

    fn clique(&mut self, row: &Row<CliqueCost>) -> io::Result<()> {
        let names: Vec<_> =
            row.what.functions.iter().map(|&function| self.name(function)).collect();
        let mark = if row.what.recursive { "↻ " } else { "" };
        self.row(row, &format!("{mark}{}", names.join(", ")))
    }

    fn field(&mut self, row: &Row<Field>) -> io::Result<()> {
        let Field { module, getters, setters, .. } = &row.what;
        self.row(row, &format!("{}  {}", plain(&row.what.full_name()), plain(module)))?;
        for (kind, accessors) in [("get", getters), ("set", setters)] {
            let Some(Accessors { functions, cost, calls }) = accessors else { continue };
            let names: Vec<_> = functions.iter().map(|&function| self.name(function)).collect();
            let what = format!("  {kind} {}", names.join(", "));
            self.row(&Row { what: (), cost: *cost, calls: *calls }, &what)?;
        }
        Ok(())
    }
}
