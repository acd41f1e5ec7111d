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
use super::values::{ListingParser, least_value, one_of, percentage, rows};
use super::view::ViewArgs;
use answers::hot_groups::{HotGroup, hot_groups};
use answers::text::{file_name, library, markdown, place, plain};
use answers::{
    Compared, Format, FunctionId, InBaseline, LabelPart as Part, LabelScale as Scale, Listing,
    Members, NO_COST, Omitted, Overlay, Place, RankBy as By, RankLimits as Limits, RankRow as Row,
    RankScope as Scope, RankSort as Sort, Ranked, Ranking, Role, Show, Snapshot, Subject,
    ThreadChoice, Total, Unit, units,
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
    /// What to list; `label:KEY` lists the labels with one key
    #[arg(long, value_parser = ListingParser, default_value = "function")]
    by: Listing,
    /// What to sort by [default: functions, lines, files and packages: charged, and with `--scope own` modules
    /// and libraries, too; calls, cliques and fields: total; others: self]
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
    /// Maximum number of rows, or `all`
    #[arg(long, default_value = "30", value_name = "ROWS", value_parser = rows)]
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
        let Self { by: Listing { by, label }, sort, scope, filter, per_call, .. } = self;
        let limits =
            Limits { per_call, min_percent: self.min_percent, min: self.min, limit: self.limit };
        Ranking { by, label, sort, scope, idle: true, module: self.module, filter, limits }
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

/// The width of a column of costs. In narrow terminals, columns are as wide as what they contain.
const COST_WIDTH: usize = 22;
/// The same if costs are compared.
const COMPARED_WIDTH: usize = 32;
/// The heading of the cost of own functions with the libraries that they call.
const CHARGED: &str = "with libs";
/// The width of its column, in which `12.3% est.` has room.
const CHARGED_WIDTH: usize = 10;

/// Writes the report as a table.
fn text(
    snapshot: &Arc<Snapshot>,
    rows: RowArgs,
    Beside { before, overlay }: Beside<'_>,
    style: Style,
    out: &mut Output,
) -> Result<(), Failure> {
    let (format, by, ranking) = (rows.format, rows.by.by, rows.ranking());
    let line = |file, line| before?.recorded_line(snapshot, file, line);
    let baseline = before.map(|compared| InBaseline { compared, line: &line });
    let ranked = ranking.rows(snapshot, baseline).map_err(Failure::usage)?;
    let scale = Scale::new(&snapshot.costs.metric, snapshot.costs.base, style.unit);
    let per_call = ranking.limits.per_call;
    let charges = ranked.rows.iter().any(Row::charges_libraries);
    let is_known = |row: &Row| row.cost.total != Total::Unknown;
    let mut table = Table {
        has_total: ranked.rows.is_empty() || ranked.rows.iter().any(is_known),
        snapshot,
        scale,
        per_call,
        sort: ranked.sort,
        charges,
        format,
        before,
        overlay,
        style,
        lines: Vec::new(),
        out,
    };
    table.heading()?;
    table.rows(by, &ranked)?;
    if let Some(overlay) = overlay
        && by == By::Function
        && ranking.module.is_none()
        && !per_call
    {
        let left = ranking.limits.limit.saturating_sub(ranked.rows.len());
        table.functions_of_overlay(overlay, snapshot, &ranking, left)?;
    }
    table.write_lines()?;
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
    sort: Sort,
    /// Whether a column has costs with libraries.
    charges: bool,
    /// Whether any total is known.
    has_total: bool,
    format: ReportFormat,
    before: Option<Compared<'a>>,
    overlay: Option<Overlay<'a>>,
    style: Style,
    /// What is written as text when all widths are known.
    lines: Vec<Line>,
    out: &'a mut Output,
}

/// A line of text.
enum Line {
    Group(String),
    /// `share` is its cost relative to the base, 0 to 1.
    Row {
        cells: [String; 3],
        what: What,
        share: f64,
    },
}

/// What is behind the costs of a row.
struct What {
    name: String,
    /// Where it is; empty if that is unknown. `None` for rows without a place.
    place: Option<String>,
    /// How often it was called. Left out where it does not fit.
    calls: String,
}

impl From<String> for What {
    fn from(name: String) -> Self {
        Self { name, place: None, calls: String::new() }
    }
}

impl What {
    /// A function, and where it is.
    fn function(snapshot: &Snapshot, function: FunctionId) -> Self {
        let this = snapshot.function(function);
        let place = match this.file {
            Some(file) => place(&snapshot.shown_file(file), snapshot.start_line(function)),
            None => this.lib.map(library).unwrap_or_default(),
        };
        Self { place: Some(place), ..plain(this.name).into_owned().into() }
    }

    /// A line or a file.
    fn place(place: String) -> Self {
        Self { place: Some(place), ..String::new().into() }
    }

    /// What fits into the line after `used` characters.
    fn fitted(&self, style: Style, used: usize) -> String {
        let mut text = match &self.place {
            Some(place) => style.name_and_place(used, &self.name, place),
            None => style.cut(used, &self.name),
        };
        if style.fits(used, &format!("{text}{}", self.calls)) {
            text += &self.calls;
        }
        text
    }
}

impl Table<'_> {
    fn rows(&mut self, by: By, ranked: &Ranked) -> io::Result<()> {
        let each = if self.per_call { " per call" } else { "" };
        let total = if self.has_total { format!("total{each}") } else { String::new() };
        let has_self = self.scale.metric.lines.has_self() && by.has_self();
        let self_ = if has_self { format!("self{each}") } else { String::new() };
        self.columns(&self_, &total)?;
        let whole = self.scale;
        // Rows have percentages; their sum is absolute, so that it is not mistaken for a row.
        let unit = if self.scale.unit == Unit::Both { Unit::Absolute } else { self.scale.unit };
        let scale = Scale { unit, ..self.scale };
        let mut groups = hot_groups(self.snapshot, scale, ranked).into_iter().peekable();
        for row in &ranked.rows {
            while let Some(group) = groups.next_if(|group| group.own || !row.own) {
                self.group(&group)?;
            }
            if let Some((file, line)) = row.what.line() {
                self.scale = whole.of_line(self.snapshot, file, line);
            }
            self.row(by, row)?;
        }
        // As Mercury's own tool does.
        if by == By::Module && self.snapshot.loaded.format == Format::MercuryDeep && !self.per_call
        {
            self.cells(
                "",
                &self.weight(self.snapshot.costs.total),
                "",
                "program".to_owned().into(),
                0.0,
            )?;
        }
        Ok(())
    }

    /// The heading of a group of rows.
    fn group(&mut self, HotGroup { text, note, .. }: &HotGroup) -> io::Result<()> {
        let note = if note.is_empty() { String::new() } else { format!("({note})") };
        match self.format {
            ReportFormat::Text => {
                let note = if note.is_empty() { note } else { format!("\n{note}") };
                let text = format!("{}{}", self.style.bold(text), self.style.dim(&note));
                self.lines.push(Line::Group(text));
                Ok(())
            }
            ReportFormat::Markdown => {
                let cells = if self.charges { "| | " } else { "| " };
                let text = format!("{text} {note}");
                writeln!(self.out, "{cells}| | **{}** |", markdown(text.trim_end()))
            }
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

    /// A weight in one unit.
    fn brief(&self, weight: f64) -> String {
        let unit = if self.style.unit == Unit::Both { Unit::Percent } else { self.style.unit };
        Scale { unit, ..self.scale }.weight(weight)
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
                let charged = if self.charges { CHARGED } else { "" };
                self.cells(charged, self_, total, String::new().into(), 0.0)
            }
            ReportFormat::Markdown if self.charges => {
                writeln!(self.out, "| {CHARGED} | {self_} | {total} | |\n|---:|---:|---:|---|")
            }
            ReportFormat::Markdown => {
                writeln!(self.out, "| {self_} | {total} | |\n|---:|---:|---|")
            }
        }
    }

    /// The widths of the columns; 0 for one that is empty.
    fn widths(&self) -> [usize; 3] {
        let is_mean = self.snapshot.grouped.runs > 1;
        let is_compared = self.before.is_some() || self.overlay.is_some() || is_mean;
        let of_costs = if is_compared { COMPARED_WIDTH } else { COST_WIDTH };
        let usual = [CHARGED_WIDTH, of_costs, of_costs];
        let mut widths = [0; 3];
        for line in &self.lines {
            let Line::Row { cells, .. } = line else { continue };
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.chars().count().max(*width);
            }
        }
        if self.style.is_narrow() {
            return widths;
        }
        [0, 1, 2].map(|column| if widths[column] == 0 { 0 } else { usual[column] })
    }

    /// Writes the lines.
    fn write_lines(&mut self) -> io::Result<()> {
        let widths = self.widths();
        for line in &self.lines {
            let (cells, what, share) = match line {
                Line::Group(text) => {
                    writeln!(self.out, "{text}")?;
                    continue;
                }
                Line::Row { cells, what, share } => (cells, what, *share),
            };
            let cells = cells.iter().zip(widths).filter(|(_, width)| *width > 0);
            let cells: Vec<_> = cells.map(|(cell, width)| format!("{cell:>width$}")).collect();
            let cells = cells.join(" ");
            let what = what.fitted(self.style, cells.chars().count() + 2);
            let cells = self.style.costs(&cells, share, self.before.is_some());
            let gap = if what.is_empty() { "" } else { "  " };
            writeln!(self.out, "{cells}{gap}{what}")?;
        }
        Ok(())
    }

    /// A row. `share` is its cost relative to the base, 0 to 1.
    fn cells(
        &mut self,
        charged: &str,
        self_: &str,
        total: &str,
        what: What,
        share: f64,
    ) -> io::Result<()> {
        match self.format {
            ReportFormat::Text => {
                let cells = [charged, self_, total].map(str::to_owned);
                self.lines.push(Line::Row { cells, what, share });
                Ok(())
            }
            ReportFormat::Markdown => {
                let cells = [charged, self_, total].map(markdown);
                let cells = &cells[usize::from(!self.charges)..];
                writeln!(
                    self.out,
                    "| {} | {} |",
                    cells.join(" | "),
                    markdown(&what.fitted(self.style.plain(), 0))
                )
            }
        }
    }

    fn row(&mut self, by: By, row: &Row) -> io::Result<()> {
        let Subject { title, name, lib, place: at, members, recursive, .. } = &row.what;
        let what = match (by, *at) {
            (By::Function, Place::Function(function)) => What::function(self.snapshot, function),
            (By::Edge, Place::Line(file, line)) => {
                let place = place(&self.snapshot.shown_file(file), Some(line));
                What { place: Some(format!("at {place}")), ..title.clone().into() }
            }
            (By::Edge, _) => What { place: Some(String::new()), ..title.clone().into() },
            (By::Field, _) => {
                let [name, module] = [name, lib].map(|it| plain(it.as_deref().unwrap_or_default()));
                format!("{name}  {module}").into()
            }
            (By::Line, _) => What::place(title.clone()),
            (_, Place::File(file)) => {
                What::place(file_name(&self.snapshot.shown_file(file)).into_owned())
            }
            _ if *recursive => format!("↻ {title}").into(),
            _ => title.clone().into(),
        };
        if let Some(idle) = row.what.function().and_then(|function| self.idle_alone(row, function))
        {
            return self.cells("", "", &idle, what, 0.0);
        }
        self.costs(by, row, what)?;
        for Members { role, functions, cost } in members {
            let Some((cost, calls)) = *cost else { continue };
            let names: Vec<_> = functions.iter().map(|&function| self.name(function)).collect();
            let verb = if *role == Role::Setter { "set" } else { "get" };
            let part = Row::new(Subject::new(String::new()), cost, calls);
            self.costs(by, &part, format!("  {verb} {}", names.join(", ")).into())?;
        }
        Ok(())
    }

    /// The idle cost of a function without any other.
    fn idle_alone(&self, row: &Row, function: FunctionId) -> Option<String> {
        let idle = self.snapshot.costs.function(function).idle;
        let is_idle = row.cost.magnitude() == 0.0 && idle != 0.0;
        is_idle.then(|| format!("idle {}", units::absolute(idle, self.scale.metric)))
    }

    /// A row with its costs. `what` is the text behind them.
    fn costs(&mut self, by: By, row: &Row, what: What) -> io::Result<()> {
        let cost = row.shown(self.per_call);
        let before = row.before.as_deref().copied().filter(|_| !self.per_call);
        let delta = |part| self.scale.delta(cost, before, part);
        let spread = row.spread(self.snapshot).filter(|_| !self.per_call);
        let is_part = !self.has_total || by.is_group() && cost.total == Total::Unknown;
        let self_ = match by.has_self() {
            false => String::new(),
            true if is_part => self.weight(cost.self_) + &delta(Part::Self_),
            true if self.scale.self_of(cost).is_none() => String::new(),
            true => self.scale.own(cost, |weight| self.weight(weight)) + &delta(Part::Self_),
        };
        let self_ = self_ + &self.scale.spread(spread.map(|spread| spread.self_));
        let mut total = String::new();
        if !is_part {
            total = self.scale.total(cost.total, |weight| self.weight(weight));
            total += &delta(Part::Total);
            total += &self.scale.spread(spread.and_then(|spread| spread.total));
        }
        let overlay = self.overlay.filter(|_| !self.per_call);
        if let Some(overlaid) = overlay.and_then(|overlay| row.overlaid(self.snapshot, overlay)) {
            total += &overlaid.hint(Show::Total);
        }
        let what = What { calls: units::calls(row.calls), ..what };
        let share = if by.has_self() { row.size(self.sort) / self.scale.base } else { 0.0 };
        let charged = row.charged.filter(|_| self.charges);
        let charged = charged.map(|charged| units::total(charged, |weight| self.brief(weight)));
        self.cells(&charged.unwrap_or_default(), &self_, &total, what, share)
    }

    fn name(&self, function: FunctionId) -> String {
        plain(self.snapshot.function(function).name).into_owned()
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
            (ranking.scope == Scope::All || snapshot.is_own(function))
                && [Some(this.name), file].into_iter().flatten().any(&has_filter)
        };
        let own = self.scale.own(NO_COST, |weight| self.weight(weight));
        let total = units::total(NO_COST.total, |weight| self.weight(weight));
        let only = overlay.functions_only_here(shown).into_iter();
        for (function, overlaid) in only.filter(|(it, _)| is_listed(*it)).take(left) {
            let what = What::function(snapshot, function);
            self.cells("", &own, &(total.clone() + &overlaid.hint(Show::Total)), what, 0.0)?;
        }
        Ok(())
    }
}
