//! `costline report`: all costs of a profile, as tables or as JSON.

mod json;

#[cfg(test)]
pub use json::schema;

use super::compare::CompareArgs;
use super::exit::Failure;
use super::heading::{beside_overlay, compared_with, headline};
use super::loaded::Loaded;
use super::output::Output;
use super::overlay::{Beside, OverlayArgs};
use super::style::{Style, StyleArgs};
use super::values::{least_value, one_of, percentage};
use super::view::ViewArgs;
use answers::text::{file_name, library, markdown, place, plain};
use answers::{
    Accessors, CliqueCost, Compared, Edge, FileId, FunctionId, GroupKind, InBaseline,
    LabelPart as Part, LabelScale as Scale, NO_COST, Omitted, Overlaid, Overlay, RankBy as By,
    RankField as Field, RankGroup as Group, RankLimits as Limits, RankRow as Row, RankRows as Rows,
    RankScope as Scope, RankSort as Sort, Ranked, Ranking, Show, Snapshot, Spread, ThreadChoice,
    ThreadId, Total, Unit, is_own, units,
};
use std::io::{self, Write};
use std::sync::Arc;

/// The arguments of `costline report`.
#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// Print all costs as JSON with raw weights (docs/report.schema.json); options that select, sort
    /// or format rows have no effect
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rows: RowArgs,
    #[command(flatten)]
    compare: CompareArgs,
    #[command(flatten)]
    overlay: OverlayArgs,
    #[command(flatten)]
    style: StyleArgs,
    #[command(flatten)]
    view: ViewArgs,
}

impl ReportArgs {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let Self { json, rows, compare, overlay, style, view } = self;
        let loaded = Loaded::load(&view, &[], &compare, Some(&overlay))?;
        if json {
            return Ok(json::json(&loaded.snapshot, loaded.beside(), out)?);
        }
        text(&loaded.snapshot, rows, loaded.beside(), style.style(Unit::Both), out)
    }
}

/// The rows of a text report.
#[derive(Debug, clap::Args)]
struct RowArgs {
    /// What to list
    #[arg(long, value_parser = one_of::<By>(), default_value = "function")]
    by: By,
    /// What to sort by [default: self; calls, cliques and fields: total]
    #[arg(long, value_parser = one_of::<Sort>())]
    sort: Option<Sort>,
    /// Whether to list only your own code
    #[arg(long, value_parser = one_of::<Scope>(), default_value = "all")]
    scope: Scope,
    /// List only rows whose name or file contains this text, ignoring case
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Divide costs by the number of calls; rows without counted calls are omitted
    #[arg(long)]
    per_call: bool,
    /// Omit rows below this percentage in the sorted column
    #[arg(long, value_name = "PERCENT", value_parser = percentage, allow_negative_numbers = true)]
    min_percent: Option<f64>,
    /// Omit rows below this value in the sorted column, in units of the metric
    #[arg(long, value_name = "VALUE", value_parser = least_value, allow_negative_numbers = true)]
    min: Option<f64>,
    /// Maximum number of rows
    #[arg(long, default_value_t = 30, value_name = "ROWS")]
    limit: usize,
    /// How to write the list
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// List only the functions or fields of this Mercury module, or of this library
    #[arg(long, value_name = "NAME")]
    module: Option<String>,
}

impl RowArgs {
    fn ranking(self) -> Ranking {
        let Self { by, sort, scope, filter, per_call, .. } = self;
        let limits =
            Limits { per_call, min_percent: self.min_percent, min: self.min, limit: self.limit };
        Ranking { by, sort, scope, idle: true, module: self.module, filter, limits }
    }
}

/// How to write a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ReportFormat {
    /// Text for terminals
    Text,
    /// A table in Markdown
    Markdown,
}

/// The width of a column of costs.
const COST_WIDTH: usize = 22;
/// The same if costs are compared.
const COMPARED_WIDTH: usize = 32;

/// Writes the report as a table.
fn text(
    snapshot: &Arc<Snapshot>,
    rows: RowArgs,
    Beside { before, overlay }: Beside<'_>,
    style: Style,
    out: &mut Output,
) -> Result<(), Failure> {
    let (format, by, ranking) = (rows.format, rows.by, rows.ranking());
    let line = |file, line| before?.recorded_line(snapshot, file, line);
    let baseline = before.map(|compared| InBaseline { compared, line: &line });
    let ranked = ranking.rows(snapshot, baseline).map_err(Failure::usage)?;
    let scale = Scale::new(&snapshot.costs.metric, snapshot.costs.base, style.unit);
    let per_call = ranking.limits.per_call;
    let thread_labels = answers::thread_labels(snapshot.grouped.recording.threads());
    let mut table =
        Table { snapshot, scale, per_call, format, before, overlay, style, thread_labels, out };
    table.heading()?;
    table.rows(&ranked)?;
    if let (Some(overlay), Rows::Functions(rows)) = (overlay, &ranked.rows)
        && ranking.module.is_none()
        && !per_call
    {
        let left = ranking.limits.limit.saturating_sub(rows.len());
        table.functions_of_overlay(overlay, snapshot, &ranking, left)?;
    }
    let before = if format == ReportFormat::Markdown { "\n" } else { "" };
    let Omitted { without_calls, beyond_limit } = ranked.omitted;
    let rows = |n: usize| units::counted(n as f64, "rows");
    if without_calls > 0 {
        writeln!(out, "{before}omitted: {} without counted calls", rows(without_calls))?;
    }
    if beyond_limit > 0 {
        writeln!(out, "{before}omitted: {} (--limit)", rows(beyond_limit))?;
    }
    if without_calls == 0 && ranked.rows.is_empty() {
        writeln!(out, "{before}{}", why_empty(snapshot, by))?;
    }
    Ok(())
}

/// Why there are no rows.
fn why_empty(snapshot: &Snapshot, by: By) -> &'static str {
    let (costs, view) = (&snapshot.costs, &snapshot.grouped.view);
    let has_samples = costs.threads.iter().any(|thread| thread.samples > 0);
    let has_cost = costs.functions().any(|(_, function)| function.cost.magnitude() > 0.0);
    let is_graph = snapshot.grouped.recording.summed().is_some();
    let n_metrics = snapshot.grouped.recording.metrics().len();
    match &view.threads {
        _ if has_samples || has_cost => {}
        ThreadChoice::Only(threads) if threads.len() == 1 => return "this thread has no cost",
        ThreadChoice::Only(_) => return "these threads have no cost",
        ThreadChoice::All if !view.transforms.is_empty() || view.range.is_some() => {}
        ThreadChoice::All if n_metrics > 1 => return "the profile has no cost in this metric",
        ThreadChoice::All if is_graph => return "the profile has no cost",
        ThreadChoice::All => return "the profile has no samples",
    }
    match by {
        By::Line if costs.lines().is_empty() => "the profile has no lines",
        _ => "no rows match these options",
    }
}

struct Table<'a> {
    snapshot: &'a Snapshot,
    scale: Scale<'a>,
    per_call: bool,
    format: ReportFormat,
    before: Option<Compared<'a>>,
    overlay: Option<Overlay<'a>>,
    style: Style,
    /// By thread.
    thread_labels: Vec<String>,
    out: &'a mut Output,
}

impl Table<'_> {
    fn rows(&mut self, ranked: &Ranked) -> io::Result<()> {
        let each = if self.per_call { " per call" } else { "" };
        let has_total = match &ranked.rows {
            Rows::Groups(_, rows) => rows.iter().any(|row| row.cost.total != Total::Unknown),
            _ => true,
        };
        let total = if has_total { format!("total{each}") } else { String::new() };
        self.columns(&format!("self{each}"), &total)?;
        match &ranked.rows {
            Rows::Functions(rows) => rows.iter().try_for_each(|row| self.function(row)),
            Rows::Lines(rows) => {
                self.scale = self.scale.of_lines();
                rows.iter().try_for_each(|row| self.line(row))
            }
            Rows::Edges(rows) => rows.iter().try_for_each(|row| self.edge(row)),
            Rows::Groups(kind, rows) => self.groups(*kind, rows),
            Rows::Threads(rows) => rows.iter().try_for_each(|row| self.thread(row)),
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

    /// The profile and, if costs are compared, the baseline.
    fn heading(&mut self) -> io::Result<()> {
        let first = headline(self.snapshot);
        let compared = self.before.map(|before| compared_with(before, self.snapshot));
        let is_markdown = self.format == ReportFormat::Markdown;
        let escaped = |text: String| if is_markdown { markdown(&text) } else { text };
        let separator = if is_markdown { "\n" } else { "" };
        writeln!(self.out, "{}{separator}", escaped(first))?;
        let overlay = self.overlay.map(beside_overlay);
        for text in compared.into_iter().chain(overlay) {
            writeln!(self.out, "{}{separator}", escaped(text))?;
        }
        Ok(())
    }

    /// The headings of the columns.
    fn columns(&mut self, self_: &str, total: &str) -> io::Result<()> {
        match self.format {
            ReportFormat::Text => {
                let width = self.width();
                writeln!(self.out, "{self_:>width$} {total:>width$}")
            }
            ReportFormat::Markdown => {
                writeln!(self.out, "| {self_} | {total} | |\n|---:|---:|---|")
            }
        }
    }

    /// The width of a column of costs.
    fn width(&self) -> usize {
        let is_mean = self.snapshot.grouped.runs > 1;
        if self.before.is_some() || self.overlay.is_some() || is_mean {
            COMPARED_WIDTH
        } else {
            COST_WIDTH
        }
    }

    /// A row. `share` is its cost relative to the base, 0 to 1.
    fn cells(&mut self, self_: &str, total: &str, what: &str, share: f64) -> io::Result<()> {
        match self.format {
            ReportFormat::Text => {
                let width = self.width();
                let cells = format!("{self_:>width$} {total:>width$}");
                writeln!(self.out, "{}  {what}", self.style.heat(&cells, share))
            }
            ReportFormat::Markdown => {
                let [self_, total] = [self_, total].map(markdown);
                let what = markdown(what);
                writeln!(self.out, "| {self_} | {total} | {what} |")
            }
        }
    }

    fn row<T>(&mut self, row: &Row<T>, what: &str) -> io::Result<()> {
        self.row_with_details(row, what, None, None)
    }

    fn row_with_details<T>(
        &mut self,
        row: &Row<T>,
        what: &str,
        spread: Option<Spread>,
        overlaid: Option<Overlaid<'_>>,
    ) -> io::Result<()> {
        let cost = row.shown(self.per_call);
        let before = row.before.as_deref().copied().filter(|_| !self.per_call);
        let delta = |part| self.scale.delta(cost, before, part);
        let self_ = self.scale.own(cost, |weight| self.weight(weight)) + &delta(Part::Self_);
        let total =
            self.scale.total(cost.total, |weight| self.weight(weight)) + &delta(Part::Total);
        let what = format!("{what}{}", units::calls(row.calls));
        let spread = |part: fn(Spread) -> Option<f64>| {
            self.scale.spread(spread.filter(|_| !self.per_call).and_then(part))
        };
        let self_ = self_ + &spread(|spread| Some(spread.self_));
        let total = total + &spread(|spread| spread.total);
        let overlaid = overlaid.filter(|_| !self.per_call);
        let total =
            total + &overlaid.map(|overlaid| overlaid.hint(Show::Total)).unwrap_or_default();
        self.cells(&self_, &total, &what, row.cost.magnitude() / self.scale.base)
    }

    fn name(&self, function: FunctionId) -> String {
        plain(self.snapshot.function(function).name).into_owned()
    }

    fn file_name(&self, file: FileId) -> String {
        file_name(self.snapshot.file_name(file)).into_owned()
    }

    fn function(&mut self, row: &Row<FunctionId>) -> io::Result<()> {
        let what = self.name_and_place(self.snapshot, row.what);
        let idle = self.snapshot.costs.function(row.what).idle;
        if row.cost.magnitude() > 0.0 || idle == 0.0 {
            let spread = self.snapshot.run_costs().function(row.what).filter(|_| !row.partial);
            let overlay = self.overlay.filter(|_| !row.partial);
            let overlaid = overlay.and_then(|overlay| overlay.function(self.snapshot, row.what));
            return self.row_with_details(row, &what, spread, overlaid);
        }
        let idle = format!("idle {}", units::absolute(idle, self.scale.metric));
        self.cells("", &idle, &what, 0.0)
    }

    /// The functions that only the overlay has, at most `left` of them.
    fn functions_of_overlay(
        &mut self,
        overlay: Overlay<'_>,
        shown: &Arc<Snapshot>,
        ranking: &Ranking,
        left: usize,
    ) -> io::Result<()> {
        let snapshot = overlay.snapshot();
        let has_filter = ranking.has_filter();
        let is_listed = |function: FunctionId| {
            let this = snapshot.function(function);
            let file = this.file.map(|file| snapshot.file_name(file));
            (ranking.scope == Scope::All || is_own(snapshot, function))
                && [Some(this.name), file].into_iter().flatten().any(&has_filter)
        };
        let own = self.scale.own(NO_COST, |weight| self.weight(weight));
        let total = units::total(NO_COST.total, |weight| self.weight(weight));
        let only = overlay.functions_only_here(shown).into_iter();
        for (function, overlaid) in only.filter(|(it, _)| is_listed(*it)).take(left) {
            let what = self.name_and_place(snapshot, function);
            self.cells(&own, &(total.clone() + &overlaid.hint(Show::Total)), &what, 0.0)?;
        }
        Ok(())
    }

    /// The name of a function, and where it is.
    fn name_and_place(&self, snapshot: &Snapshot, function: FunctionId) -> String {
        let this = snapshot.function(function);
        let place = match this.file {
            Some(file) => place(snapshot.file_name(file), snapshot.start_line(function)),
            None => this.lib.map(library).unwrap_or_default(),
        };
        self.style.name_and_place(2 * self.width() + 3, &plain(this.name), &place)
    }

    fn line(&mut self, row: &Row<(FileId, u32)>) -> io::Result<()> {
        let (file, line) = row.what;
        let what = place(self.snapshot.file_name(file), Some(line));
        let overlay = self.overlay;
        let overlaid = overlay.and_then(|overlay| overlay.recorded_line(self.snapshot, file, line));
        let spread = self.snapshot.run_costs().line(file, line);
        self.row_with_details(row, &what, spread, overlaid)
    }

    fn edge(&mut self, row: &Row<Edge>) -> io::Result<()> {
        let edge = &row.what;
        let site = self.snapshot.tree.edges().sites(edge).first();
        let site = site
            .map(|site| {
                format!("  at {}", place(self.snapshot.file_name(site.file), Some(site.line)))
            })
            .unwrap_or_default();
        let calls = units::calls(row.calls);
        let what = format!("{} → {}{site}{calls}", self.name(edge.caller), self.name(edge.callee));
        let total = units::total(row.shown(self.per_call).total, |weight| self.weight(weight));
        self.cells("", &total, &what, 0.0)
    }

    /// A file, module, package or library.
    fn group(&mut self, row: &Row<Group>, kind: GroupKind) -> io::Result<()> {
        let what = match row.what.file {
            Some(file) => self.file_name(file),
            None => row.what.title(kind, self.snapshot),
        };
        if row.cost.total != Total::Unknown {
            return self.row(row, &what);
        }
        let cost = row.shown(self.per_call);
        let before = row.before.as_deref().copied().filter(|_| !self.per_call);
        let self_ = self.weight(cost.self_) + &self.scale.delta(cost, before, Part::Self_);
        let share = row.cost.self_.abs() / self.scale.base;
        self.cells(&self_, "", &format!("{what}{}", units::calls(row.calls)), share)
    }

    fn groups(&mut self, kind: GroupKind, rows: &[Row<Group>]) -> io::Result<()> {
        rows.iter().try_for_each(|row| self.group(row, kind))?;
        // As Mercury's own tool does.
        if self.per_call || kind.noun(self.snapshot) != "module" {
            return Ok(());
        }
        self.cells(&self.weight(self.snapshot.costs.total), "", "program", 0.0)
    }

    fn thread(&mut self, row: &Row<ThreadId>) -> io::Result<()> {
        let label = self.thread_labels.get(row.what.index()).cloned().unwrap_or_default();
        self.row(row, &plain(&label))
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
            self.row(&Row::new((), *cost, *calls), &what)?;
        }
        Ok(())
    }
}
